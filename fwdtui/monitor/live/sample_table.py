"""Samples as a table with one line each, like that of ``netstat -w 1``: text, CSV and JSON, same numbers."""

import io
from collections.abc import Sequence

import msgspec

from fwdtui.core.framing import layer2
from fwdtui.core.text import clean, visible_json
from fwdtui.monitor.live.moment import FLOWS, Moment

SCHEMA = 1
UNKNOWN = "-"
_USUAL = tuple(name for name in FLOWS if name != "attack")  # added later: the older columns keep their places
_NAMES = (
    "s", "time", *(name + unit for name in _USUAL for unit in ("", "_bps")),
    "lost", "lost_percent", "core", "busy_percent", "missing",
    "frame", *(f"{name}_l2_bps" for name in (*_USUAL, "lost")),
    "attack", "attack_bps", "attack_l2_bps",
)  # fmt: skip


class SampleTable(msgspec.Struct, frozen=True):
    """The samples of one chart. `origin`: the second of the recording's axis at which the column "s" is 0.

    `clocks`: the wall clock of each row; empty if it is not known. `frame`: the length of the frames in bytes
    with FCS; None: not known.
    """

    title: str
    rows: tuple[Moment, ...]
    origin: float = 0.0
    clocks: tuple[str, ...] = ()
    frame: int | None = None


def head_and_lines(tables: Sequence[SampleTable], *, bits: bool = False) -> tuple[str, list[str]]:
    """The line of column names, and a line for each row; if there are several tables, each has a title line.

    No cell contains a space, except the last one, the cause of what is missing. `bits`: flows in bits per
    second, and the loss, too, if the frames' length is known.
    """
    flows = [name for name in FLOWS if any(name in row.flows for table in tables for row in table.rows)]
    clocks = any(table.clocks for table in tables)
    names = ["s", *(["time"] if clocks else []), *flows, "lost", "lost%", "core", "busy%"]
    cells = [
        [_cells(table, place, flows, clocks, bits) for place in range(len(table.rows))] for table in tables
    ]
    columns = zip(names, *(row for rows in cells for row in rows), strict=True)
    widths = [max(map(len, column)) for column in columns]
    lines = []
    for table, rows in zip(tables, cells, strict=True):
        if len(tables) > 1:
            lines.append(_title(table, bits))
        for row, moment in zip(rows, table.rows, strict=True):
            lines.append(f"{_line(row, widths)}  {clean(moment.causes(bits, table.frame))}".rstrip())
    return _line(names, widths), lines


def _title(table: SampleTable, bits: bool) -> str:
    return f"# {clean(table.title)}: {unit(bits, table.frame)}"


def unit(bits: bool, frame: int | None = None) -> str:
    """The unit of the columns in words. `frame`: the frames' length in bytes with FCS; None: not known."""
    if not bits:
        return "packets per second"
    if frame is None:
        return "flows in bits per second (hosts count differently), loss in packets per second"
    return f"bits per second (L2, frames of {frame} B)"


def _line(cells: Sequence[str], widths: Sequence[int]) -> str:
    return "  ".join(cell.rjust(width) for cell, width in zip(cells, widths, strict=True))


def _cells(table: SampleTable, place: int, flows: Sequence[str], clocks: bool, bits: bool) -> list[str]:
    row = table.rows[place]
    cells = [_figure(row.at - table.origin, 2)]
    if clocks:
        cells.append(table.clocks[place] if table.clocks else UNKNOWN)
    for name in flows:
        reading = row.flows.get(name)
        cells.append(_figure(None if reading is None else reading.rate(bits, table.frame), 0))
    cells += [
        _figure(row.loss(bits, table.frame), 0),
        _figure(None if row.lost_share is None else row.lost_share * 100, 1),
    ]
    load = row.core
    cells += [UNKNOWN if load is None or load.cpu is None else str(load.cpu)]
    return [*cells, _figure(None if load is None or load.value is None else load.value * 100, 1)]


def _figure(value: float | None, decimals: int) -> str:
    if value is None:
        return UNKNOWN
    return f"{round(value, decimals) + 0.0:.{decimals}f}"  # + 0.0: no minus before a zero


def text(tables: Sequence[SampleTable], *, bits: bool = False) -> str:
    """The tables as text. If there is only one, its title is the first line."""
    head, lines = head_and_lines(tables, bits=bits)
    title = [_title(tables[0], bits)] if len(tables) == 1 else []
    return "".join(f"{line}\n" for line in (*title, head, *lines))


def records(table: SampleTable) -> list[dict[str, object]]:
    """The rows as plain values; what is not known is None, and `missing` says why."""
    rows = []
    for place, row in enumerate(table.rows):
        record: dict[str, object] = {"s": row.at - table.origin}
        record["time"] = table.clocks[place] if table.clocks else None
        for name in FLOWS:
            reading = row.flows.get(name)
            record[name] = None if reading is None else reading.pps
            record[f"{name}_bps"] = None if reading is None else reading.bps
        record["lost"] = row.lost
        record["lost_percent"] = None if row.lost_share is None else row.lost_share * 100
        record["core"] = None if row.core is None else row.core.cpu
        record["busy_percent"] = None if row.core is None or row.core.value is None else row.core.value * 100
        record["missing"] = clean(row.causes())
        record["frame"] = table.frame
        for name in FLOWS:
            reading = row.flows.get(name)
            record[f"{name}_l2_bps"] = None if reading is None else _on_layer2(reading.pps, table.frame)
        record["lost_l2_bps"] = _on_layer2(row.lost, table.frame)
        rows.append(record)
    return rows


def _on_layer2(pps: float | None, frame: int | None) -> float | None:
    return None if pps is None or frame is None else layer2(pps, frame)


def as_csv(tables: Sequence[SampleTable]) -> str:
    """The tables as CSV with a header. The first column is the table's number: a title may be any text."""
    import csv as csv_format  # the first frame does without it

    out = io.StringIO()
    writer = csv_format.writer(out, lineterminator="\n")
    writer.writerow(["table", *_NAMES])
    for number, table in enumerate(tables, 1):
        for record in records(table):
            writer.writerow([number, *("" if record[name] is None else record[name] for name in _NAMES)])
    return out.getvalue()


def as_json(tables: Sequence[SampleTable]) -> str:
    """``{"schema": 1, "tables": [{"title", "rows": [...]}]}``; rates are in packets per second.

    Rates whose names end in ``_bps`` are bits per second as each source counts them; those in ``_l2_bps`` are
    the packets' bits on layer 2, if the frames' length (``frame``, in bytes with FCS) is known.
    """
    content = {"schema": SCHEMA, "tables": [{"title": clean(t.title), "rows": records(t)} for t in tables]}
    document = msgspec.json.format(msgspec.json.encode(content), indent=1).decode()
    return visible_json(document) + "\n"


FORMATS = {"txt": text, "csv": as_csv, "json": as_json}
"""Extension of a file -> the function that writes its text."""
