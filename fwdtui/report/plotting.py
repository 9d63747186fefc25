"""How texts and figures are written in a CSV file, and in a gnuplot script and its data."""

import csv
import io
from collections.abc import Iterable, Sequence

from fwdtui.core.text import clean

MARK = "# fwdtui report\n"
"""How a script and its data begin, as value files do."""


def as_csv(head: Sequence[str], rows: Iterable[Sequence[str]]) -> bytes:
    """A CSV file (RFC 4180), with no text in it that a spreadsheet would run."""
    out = io.StringIO()
    write = csv.writer(out, lineterminator="\r\n")
    write.writerow(head)
    for row in rows:
        write.writerow([_safe(cell) for cell in row])
    return out.getvalue().encode()


def _safe(cell: str) -> str:
    """A text that begins like a formula gets an apostrophe before it (OWASP, CSV injection); numbers stay."""
    try:
        float(cell)
    except ValueError:
        return f"'{cell}" if cell[:1] in ("=", "+", "-", "@", "\t") else cell
    return cell


def number(value: float | None) -> str:
    """The shortest digits that read back the same; nothing for None."""
    if value is None:
        return ""
    return f"{value:.0f}" if value == int(value) and abs(value) < 1e15 else repr(value)


def value_format(unit: str) -> str:
    """The line that sets how gnuplot writes the values: multiples are for packets per second only.

    Of another unit, ``600.0u`` of ``us/packet`` or ``1.5k`` of ``ns`` would be two multiples in one.
    """
    return f"set format y '{'%.1s%c' if unit in ('', 'pps') else '%.10g'}'"


def quoted(text: str) -> str:
    """A string of gnuplot in which nothing is expanded: only the quotation mark itself is special."""
    return "'" + clean(text).replace("'", "''") + "'"


def in_data(text: str) -> str:
    """A text in a data file of gnuplot."""
    return '"' + clean(text).replace('"', "'").replace("\\", "/") + '"'
