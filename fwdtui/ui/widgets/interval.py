"""A difference with its interval on a common axis: ``     │  ├─●─┤``."""

from rich.text import Text


def interval_bar(
    percent: float | None, interval: tuple[float, float] | None, reach: float, width: int, style: str
) -> Text:
    """`reach` percent stand at either end of the axis, zero in the middle; `width` columns (made odd).

    What lies beyond the axis ends in an arrow. A bar that crosses zero is drawn across the zero line.
    """
    width -= 1 - width % 2
    middle = width // 2

    def column(value: float) -> int:
        return middle + round(value / reach * middle)

    cells = [" "] * width
    cells[middle] = "│"
    if percent is not None and reach > 0:
        low, high = interval or (percent, percent)
        first, last = max(column(low), 0), min(column(high), width - 1)
        for place in range(first, last + 1):
            cells[place] = "┼" if place == middle else "─"
        if first < last:
            if 0 <= column(low) < width:
                cells[column(low)] = "├"
            if 0 <= column(high) < width:
                cells[column(high)] = "┤"
        if column(low) < 0:
            cells[0] = "◂"
        if column(high) >= width:
            cells[-1] = "▸"
        if 0 <= column(percent) < width:
            cells[column(percent)] = "●"
    text = Text("".join(cells))
    text.stylize(style)
    return text


def reach_of(bounds: list[float]) -> float:
    """The half width of the axis: the largest bound, rounded up to 1, 2 or 5 times a power of ten."""
    largest = max((abs(bound) for bound in bounds), default=1.0) or 1.0
    power = 10.0 ** len(str(int(largest))) / 10.0 if largest >= 1 else 0.1
    for step in (1.0, 2.0, 5.0, 10.0):
        if largest <= step * power:
            return step * power
    return 10.0 * power
