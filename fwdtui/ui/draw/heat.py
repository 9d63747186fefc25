"""Many values in little space: a cell each, filled as high as its value; several per cell if need be."""

from collections.abc import Sequence
from math import ceil

from fwdtui.ui.draw.sparkline import BLOCKS

UNKNOWN = "·"
_EIGHTHS = " ▏▎▍▌▋▊▉█"


def heat(shares: Sequence[float | None], cells: int) -> tuple[str, int]:
    """The blocks for shares of 0 to 1 (None: unknown), and how many shares are in a cell.

    If there are several in one cell, the highest is shown, since that is the one to find.
    """
    if not shares or cells < 1:
        return "", 1
    each = ceil(len(shares) / cells)
    groups = [shares[start : start + each] for start in range(0, len(shares), each)]
    return "".join(_cell(group) for group in groups), each


def _cell(group: Sequence[float | None]) -> str:
    known = [share for share in group if share is not None]
    if not known:
        return UNKNOWN
    share = max(known)
    if share <= 0.0:
        return "▁"
    return BLOCKS[min(int(share * len(BLOCKS)), len(BLOCKS) - 1)]


def towers(shares: Sequence[float | None], width: int, rows: int) -> list[str]:
    """A column for each share of 0 to 1, as `rows` lines from the top; [] if there is no cell for each.

    Columns are as wide as possible, with a gap if it fits. An unknown share is a dot.
    """
    wide = min(width // len(shares), 4) if shares else 0
    if wide < 1 or rows < 1:
        return []
    full = wide - 1 if wide > 1 else 1
    gap = " " * (wide - full)
    lines = []
    for row in range(rows - 1, -1, -1):
        cells = [_level(share, row, rows) * full + gap for share in shares]
        lines.append("".join(cells))
    return lines


def spaced(shares: Sequence[float | None], width: int) -> list[str]:
    """A block for each share, in a row of at least as many cells.

    They have gaps between them if there is room, else between groups of eight, else none.
    """
    count = len(shares)
    wide = min(width // count, 4) if count else 0
    if wide > 1:
        return [_cell([share]) * (wide - 1) + " " for share in shares]
    eights = count + (count - 1) // 8 <= width
    last = count - 1
    return [
        _cell([share]) + (" " if eights and place % 8 == 7 and place < last else "")
        for place, share in enumerate(shares)
    ]


def _level(share: float | None, row: int, rows: int) -> str:
    if share is None:
        return UNKNOWN if row == 0 else " "
    eighths = round(min(max(share, 0.0), 1.0) * rows * 8) - row * 8
    if eighths <= 0:
        return BLOCKS[0] if row == 0 else " "  # an idle core or queue stays visible
    return BLOCKS[min(eighths, 8) - 1]


def bar(share: float | None, width: int) -> str:
    """A bar for a share of 0 to 1, in eighths of a cell, padded to `width` cells; None: unknown."""
    if share is None:
        return UNKNOWN.ljust(width)
    eighths = round(min(max(share, 0.0), 1.0) * width * 8)
    full, rest = divmod(eighths, 8)
    return ("█" * full + (_EIGHTHS[rest] if rest else "")).ljust(width)


def stacked(parts: Sequence[tuple[float, str]], width: int) -> list[tuple[str, int]]:
    """A bar of (share, texture): the pieces as (text, number of the part); what is left of `width` is idle.

    Cells are rounded so that the sum is right, rather than each part: a full core has a full bar.
    """
    runs = []
    total = 0.0
    done = 0
    for number, (share, texture) in enumerate(parts):
        total += max(share, 0.0)
        end = min(round(total * width), width)
        if end > done:
            runs.append((texture * (end - done), number))
            done = end
    return runs
