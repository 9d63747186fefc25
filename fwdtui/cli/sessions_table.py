"""The table of `fwdtui sessions`: a line a case. In a terminal, names are shortened to keep it in columns."""

from collections.abc import Sequence
from pathlib import Path
from statistics import median

from fwdtui.core.model import UNKNOWN_TIME, Case, Session, by_local_clock
from fwdtui.core.text import clean
from fwdtui.report.cells import columns_of, pad, shorten, shorten_alike
from fwdtui.report.iterations import counts, measured, units_of
from fwdtui.report.merging import numbered
from fwdtui.report.recordings import unfinished_text
from fwdtui.stats.figures import rate
from fwdtui.store import Damaged

_HEAD = ("session", "created", "case", "n", "median", "")
_NUMBERS = (3, 4)  # columns of the table
_GAP = 2
_LEAST = 12  # the fewest columns of a name


def table(sessions: Sequence[Session | Damaged], folder: Path, columns: int | None) -> str:
    """The table as text. `columns` None: names are whole. Remarks are never shortened."""
    if not sessions:
        return f"no sessions in {clean(str(folder))}\n"
    names: list[tuple[str, str]] = [(_HEAD[0], "")]  # of a row: the folder and its label
    rows: list[tuple[str, ...]] = [_HEAD[1:]]
    below: dict[int, list[str]] = {}  # notes, to print below a session's last row
    for session in sessions:
        name = Path(session.path).name
        if not isinstance(session, Session):
            names.append((name, ""))
            rows.append((UNKNOWN_TIME, "–", "–", "–", f"damaged: {reason(session)}"))
            continue
        label = "" if session.label == name else session.label
        for number, case in enumerate(session.cases or [Case("–")]):
            first = number == 0
            cells = _case(case)
            if first and (state := "being recorded" if session.recording else unfinished_text(session)):
                cells = (*cells[:-1], ", ".join(filter(None, [state, cells[-1]])))
            created = by_local_clock(session.created)[:16] or UNKNOWN_TIME
            names.append((name, label) if first else ("", ""))
            rows.append((created if first else "", *cells))
        if session.note:
            below[len(rows) - 1] = [f"  {line}" for line in session.note.split("\n")]
    names = [(clean(name), clean(label)) for name, label in names]
    rows = [tuple(map(clean, row)) for row in rows]
    shown, rows = _fitted(names, rows, columns)
    whole = [(name, *row) for name, row in zip(shown, rows, strict=True)]
    sizes = [max(map(columns_of, column)) for column in zip(*whole, strict=True)]
    lines = []
    for number, row in enumerate(whole):
        sized = enumerate(zip(row, sizes, strict=True))
        padded = [pad(cell, size, right=place in _NUMBERS) for place, (cell, size) in sized]
        lines += [(" " * _GAP).join(padded), *map(clean, below.get(number, []))]
    return "".join(f"{line.rstrip()}\n" for line in lines)


def reason(one: Damaged) -> str:
    """Why it cannot be read, in one line, without the folder, which is printed beside the reason."""
    text = one.reason.removeprefix(f"{one.path}/").removeprefix(f"{one.path}: ")
    return " ".join(text.split())


def _fitted(
    names: Sequence[tuple[str, str]], rows: list[tuple[str, ...]], columns: int | None
) -> tuple[list[str], list[tuple[str, ...]]]:
    """What the first column shows, and the rows: everything but the remarks in `columns`, if it is known.

    Labels are shortened first, since a session is found by its folder; different names stay different.
    """
    whole = [_named(name, label) for name, label in names]
    if columns is None:
        return whole, rows
    widths = [max(map(columns_of, column)) for column in zip(*rows, strict=True)]
    room = columns - widths[0] - sum(widths[2:4]) - 4 * _GAP  # of both names
    wanted = max(map(columns_of, whole))
    if wanted + widths[1] <= room:
        return whole, rows
    cases = min(widths[1], max(room - wanted, room // 3, _LEAST))
    first = max(room - cases, _LEAST)
    shown = shorten_alike([_named(name, label, first) for name, label in names], first)
    called = shorten_alike([row[1] for row in rows], cases)
    return shown, [(row[0], case, *row[2:]) for row, case in zip(rows, called, strict=True)]


def _named(name: str, label: str, columns: int | None = None) -> str:
    """``folder (label)``; in `columns`, the label gives way to the folder, down to a third of it."""
    if columns is not None and label:
        label = shorten(label, max(columns - columns_of(name), columns // 3) - len(" ()"))
    return f"{name} ({label})" if label else name


def _case(case: Case) -> tuple[str, str, str, str]:
    """The columns of a case: its name, number of iterations, the median of their values, and remarks."""
    used = [one for one in case.iterations if counts(one)]
    values = [one.value for one in used if one.value is not None]
    units = units_of(used)
    unit = units[0] if len(units) == 1 else ""
    dropped: dict[str, list[int]] = {}
    for one in case.iterations:
        if one.dropped:
            dropped.setdefault(one.dropped, []).append(one.index)
    meant = measured(case)
    profiles = len(case.iterations) - len(meant)
    missing = sum(not counts(one) and not one.dropped for one in meant)
    warned = sum(bool(one.warnings) for one in meant)
    remarks = [f"{numbered(indexes)} dropped: {reason}" for reason, indexes in dropped.items()]
    remarks += [f"{missing} without a value"] if missing else []
    remarks += [f"{warned} with warnings"] if warned else []
    remarks += [f"{profiles} profile{'s' * (profiles != 1)}"] if profiles else []
    remarks += [f"values in {' and '.join(units)}"] if len(units) > 1 else []
    middle = "–"
    if values and len(units) == 1:
        middle = rate(median(values), unit)
    return case.name, str(len(values)), middle, ", ".join(remarks)
