"""A difference with its interval on a common axis: ``     │  ├─●─┤``."""

from collections.abc import Callable, Sequence

from rich.style import Style
from rich.text import Text

from fwdtui.stats.figures import MINUS

_STEPS = (1.0, 2.0, 5.0)
_USUAL = 4.0  # the usual reach: times the median of all bounds


def interval_bar(
    percent: float | None,
    interval: tuple[float, float] | None,
    reach: float,
    width: int,
    style: Style | str = "",
    lines: Style | str = "",
    margin: float = 0.0,
) -> Text:
    """A bar for a difference in percent and its interval.

    The axis reaches `reach` percent on either side of zero, in `width` columns (made odd). A bar that goes
    beyond the axis ends in an arrow. A bar crosses the zero line if and only if its interval does, however
    narrow it is drawn; it has both of its ends or none. `margin` percent are marked on either side of zero,
    unless that is the zero line itself. `style` is for the bar, `lines` for the rest.
    """
    width -= 1 - width % 2
    middle = width // 2

    def column(value: float) -> int:
        return middle + round(value / reach * middle)

    cells = [" "] * width
    for place in (column(-margin), column(margin)) if reach > 0 else ():
        if 0 <= place < width:
            cells[place] = "┊"
    cells[middle] = "│"
    if percent is not None and reach > 0:
        left, dot, right = _columns(percent, interval, column, middle, reach)
        low, high = interval or (percent, percent)
        if left < 0 and column(low) >= 0:
            left, dot, right = 0, dot + 1, max(right, dot + 2)
        elif right >= width and column(high) < width:
            left, dot, right = min(left, dot - 2), dot - 1, width - 1
        for place in range(max(left, 0), min(right, width - 1) + 1):
            cells[place] = "┼" if place == middle else "─"
        if left < right:
            if 0 <= left < width:
                cells[left] = "├"
            if 0 <= right < width:
                cells[right] = "┤"
        if left < 0:
            cells[0] = "◂"
        if right >= width:
            cells[-1] = "▸"
        if 0 <= dot < width:
            cells[dot] = "●"
    text = Text()
    for cell in cells:
        text.append(cell, style=lines if cell in "│┊ " else style)
    return text


def _columns(
    percent: float,
    interval: tuple[float, float] | None,
    column: Callable[[float], int],
    middle: int,
    reach: float,
) -> tuple[int, int, int]:
    """The columns of the interval's beginning, the difference, and the interval's end."""
    low, high = interval or (percent, percent)
    left, dot, right = column(low), column(percent), column(high)
    if (
        high - low
    ) * middle < reach:  # less than a column: an end that rounding moves to one side is not shown
        left = right = dot
    least = middle + 1 if low > 0 else None  # an interval that excludes zero stays off the zero line
    most = middle - 1 if high < 0 else None
    if least is not None:
        left, dot, right = max(left, least), max(dot, least), max(right, least)
    if most is not None:
        left, dot, right = min(left, most), min(dot, most), min(right, most)
    if low < percent < high and left < right:  # an end in the difference's column would look one-sided
        if left == dot:
            left = dot - 1 if least is None or dot > least else left
            dot, right = (dot, right) if left < dot else (dot + 1, max(right, dot + 2))
        elif right == dot:
            right = dot + 1 if most is None or dot < most else right
            dot, left = (dot, left) if right > dot else (dot - 1, min(left, dot - 2))
    return left, dot, right


def reach_of(bounds: Sequence[float]) -> float:
    """How far the axis reaches for these bounds, all in percent: the largest, rounded up.

    It is 1, 2 or 5 times a power of ten.
    """
    largest = max((abs(bound) for bound in bounds), default=1.0) or 1.0
    power = 10.0 ** len(str(int(largest))) / 10.0 if largest >= 1 else 0.1
    for step in (*_STEPS, 10.0):
        if largest <= step * power:
            return step * power
    return 10.0 * power


def usual_reach(bounds: Sequence[float]) -> float:
    """The reach of an axis on which most intervals can be distinguished, though a few may end in arrows."""
    distances = sorted(abs(bound) for bound in bounds)
    return (
        min(reach_of(distances), reach_of([_USUAL * distances[len(distances) // 2]]))
        if distances
        else reach_of(distances)
    )


def nearer(reach: float, least: float) -> float | None:
    """The next shorter reach, to enlarge small differences; None if that is shorter than `least`."""
    power = 10.0 ** (len(str(int(reach))) - 1) if reach >= 1 else 0.1
    steps = [step * scale for scale in (power / 10, power) for step in _STEPS if step * scale < reach * 0.999]
    return steps[-1] if steps and steps[-1] >= least * 0.999 else None


def farther(reach: float, most: float) -> float | None:
    """The next longer reach, to see large differences whole; None if that is longer than `most`."""
    power = 10.0 ** (len(str(int(reach))) - 1) if reach >= 1 else 0.1
    steps = [step * scale for scale in (power, 10 * power) for step in _STEPS if step * scale > reach * 1.001]
    return steps[0] if steps[0] <= most * 1.001 else None


def scale(reach: float, width: int) -> str:
    """The heading of the bars' column: the ends of the axis and its middle."""
    width -= 1 - width % 2
    left, right = f"{MINUS}{reach:g} %", f"+{reach:g} %"
    middle = width // 2
    gaps = middle - len(left), width - middle - 1 - len(right)
    if min(gaps) > 0:
        return f"{left}{' ' * gaps[0]}0{' ' * gaps[1]}{right}"
    return f"±{reach:g} %".center(width).rstrip()
