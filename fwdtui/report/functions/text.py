"""The tables of a profile as text for a terminal and as Markdown: the same rows and figures."""

from collections.abc import Sequence

from fwdtui.core.profile.functions import Row
from fwdtui.core.profile.scale import Scale
from fwdtui.core.units import grouped
from fwdtui.report import escape
from fwdtui.report.cells import columns_of, pad, shorten_apart, wrap
from fwdtui.report.functions.tables import OWN, SIDES, Shown, Table
from fwdtui.stats.figures import NONE, number

_NAME_LEAST = 16
_NAME_MOST = 60  # columns of a function's name in a terminal
_LINE = 100
_TITLES = {
    OWN: "functions that were running",
    "inclusive": (
        "functions that were running, or whose callees were; these overlap and do not add up to 100 %"
    ),
}
NOISE = "~"
"""Written after a difference that counting so few samples explains."""


def text(one: Shown, columns: int | None = None) -> str:
    """Heading, notes and tables, as lines of text. `columns`: of the terminal; None: not known."""
    room = min(columns or _LINE, _LINE)
    lines = [*heading(one), *(f"! {note}" for note in one.notes)]
    lines = [part for line in lines for part in wrap(line, room, rest="    ")]
    for table in one.tables:
        head, rows = cells(one, table)
        figures = sum(max(map(columns_of, column)) + 2 for column in list(zip(head, *rows, strict=True))[1:])
        most = max(min(_NAME_MOST, (columns or _NAME_MOST + figures) - figures), _NAME_LEAST)
        names = shorten_apart([row[0] for row in rows], most)
        named = [(name, *row[1:]) for name, row in zip(names, rows, strict=True)]
        sizes = [max(map(columns_of, column)) for column in zip(head, *named, strict=True)]
        lines += ["", f"{_TITLES[table.kind]}:"]
        for row in (head, *named):
            sized = enumerate(zip(row, sizes, strict=True))
            lines.append("  ".join(pad(cell, size, right=n > 0) for n, (cell, size) in sized).rstrip())
    if told := noise(one):
        lines += ["", *wrap(f"{NOISE} {told}", room, rest="  ")]
    return "".join(f"{line.rstrip()}\n" for line in lines)


def markdown(one: Shown, level: int = 2) -> str:
    """The same as a section of a Markdown document, with a heading of this `level`."""
    title = escape.inline(f"Profiles of {one.case}" if one.case else "Profiles")
    parts = [f"{'#' * level} {title}", *map(escape.inline, heading(one))]
    parts += ["\n".join(f"- {escape.inline(note)}" for note in one.notes)] if one.notes else []
    parts += [table_markdown(one, table) for table in one.tables]
    parts += [f"{NOISE} {told}"] if (told := noise(one)) else []
    return "\n\n".join(parts) + "\n"


def table_markdown(one: Shown, table: Table) -> str:
    """One table with its title."""
    head, rows = cells(one, table)
    lines = [
        f"{_TITLES[table.kind].capitalize()}:",
        "",
        _row(head),
        _row(["---", *["--:"] * (len(head) - 1)]),
    ]
    for row, name in zip(rows, _names(table), strict=True):
        shown = escape.code(name, cell=True) if name else row[0]
        lines.append(_row([shown, *(escape.inline(cell, cell=True) for cell in row[1:])]))
    return "\n".join(lines)


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _names(table: Table) -> list[str]:
    """The function of each row; "" for sums."""
    return [*(row.name for row in table.rows), *([""] if table.others else []), *_sum(table, [""])]


def _sum(table: Table, values: list[str]) -> list[str]:
    return values if table.kind == OWN else []


def heading(one: Shown) -> list[str]:
    """Whose profiles these are, and what every share refers to."""
    lines = []
    for n, (side, functions) in enumerate(zip(one.sides, one.functions, strict=True)):
        made = side.profile
        by = " ".join(
            filter(None, (f"of {made.event}" if made.event else "", f"by {made.tool}" if made.tool else ""))
        )
        every = functions.busy + functions.idle
        samples = f"{grouped(every)} sample{'s' * (every != 1)} {by}".rstrip()
        idle = f"{_percent(functions.idle_share)} idle, {grouped(functions.busy)} not"
        packets = f", {grouped(made.packets)} packets forwarded meanwhile" if made.packets else ""
        name = f"{SIDES[n]}: " if len(one.sides) > 1 else ""
        lines.append(f"{name}{side.title}: {samples}, {idle}{packets}.")
    lines.append(f"Shares are of {one.basis}.")
    return lines


def cells(one: Shown, table: Table) -> tuple[list[str], list[list[str]]]:
    """The heading and the rows of a table."""
    two = len(one.sides) > 1
    names = [f"{side} %" for side in SIDES] if two else ["share %"]
    head = ["function", *names, *(["B − A, points"] if two else [])]
    if one.packets:
        per = [f"{side} /Mpkt" for side in SIDES] if two else ["samples /Mpkt"]
        head += [*per, *(["B − A /Mpkt"] if two else [])]
    if not two:
        head.append("samples")
    rows = [_cells(one, row, row.name) for row in table.rows]
    if table.kind == OWN:
        if table.others:
            count = table.others.others
            rows.append(_cells(one, table.others, f"{grouped(count)} other{'s' * (count != 1)}"))
        rows.append(_cells(one, Row("", table.whole), "all", total=True))
    return head, rows


def _cells(one: Shown, row: Row, name: str, *, total: bool = False) -> list[str]:
    shown = [name]
    for scale, decimals in ((one.share, 2), (one.packets, 1)):
        if scale is None:
            continue
        shown += [number(value, decimals) for value in scale.values(row.samples)]
        if len(row.samples) > 1:
            shown.append(_difference(scale, row, decimals, total))
    if len(row.samples) == 1:
        shown.append(grouped(row.samples[0]))
    return shown


def _difference(scale: Scale, row: Row, decimals: int, total: bool) -> str:
    moved = number(scale.difference(row.samples), decimals, sign=True)
    return moved if total or row.others or scale.differs(row.samples) else f"{moved} {NOISE}"


def noise(one: Shown) -> str:
    """What the mark after a difference means; empty if no difference has it."""
    marked = len(one.sides) > 1 and any(
        not scale.differs(row.samples)
        for scale in (one.share, one.packets)
        if scale is not None
        for table in one.tables
        for row in table.rows
    )
    if not marked:
        return ""
    return (
        "Less than three standard errors of counting so few samples. Variation from blast to blast comes on "
        "top: a single profile of each side does not show it."
    )


def _percent(part: float | None) -> str:
    return NONE if part is None else f"{number(100 * part, 1)} %"
