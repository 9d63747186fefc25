"""The axes of an SVG chart: scales, ticks at round values, grid, labels."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from xml.etree.ElementTree import Element

from fwdtui.report.svgfile import EDGE, SIZE, WIDE, add, line, px, text, width_of

_ROUND = (1.0, 2.0, 2.5, 5.0, 10.0)  # steps of ticks, times a power of ten
_GRID = "#dddddd"
_TICK = 3.5
_PER_TICK = 24.0  # points of height for a tick of the vertical axis
BELOW = 32.0
"""Points below the axes for upright ticks and a label."""
TITLE = 16.0
"""Points above the axes for their title."""


@dataclass(frozen=True, slots=True)
class Scale:
    """Where values are drawn: `low` at `start`, `high` at `end`, in points."""

    low: float
    high: float
    start: float
    end: float
    log: bool = False

    def at(self, value: float) -> float:
        """The place of a value in points; it may be outside `start` and `end`."""
        low, high = self.low, self.high
        if self.log:
            low, high, value = math.log(low), math.log(high), math.log(value)
        span = high / 2 - low / 2  # halves: the span itself may be beyond the largest float
        share = (value / 2 - low / 2) / span if span else 0.5
        return self.start + share * (self.end - self.start)

    def ticks(self, most: int) -> list[float]:
        """Round values from `low` to `high`, about `most` at most."""
        step = (self.high / most - self.low / most) or 0.0
        if not step or not math.isfinite(step):
            return []
        decade = 10.0 ** math.floor(math.log10(step))
        if not decade:
            return []
        step = next((size * decade for size in _ROUND if size * decade >= step * (1 - 1e-9)), 10 * decade)
        first, last = math.ceil(self.low / step - 1e-9), math.floor(self.high / step + 1e-9)
        return [number * step for number in range(first, last + 1)]


def around(values: Sequence[float], share: float = 0.05) -> tuple[float, float]:
    """The ends of an axis, with some room below the least and above the greatest of finite values."""
    if not values:
        return 0.0, 1.0
    low, high = min(values), max(values)
    room = (high * share - low * share) or abs(high) * share or share
    if math.isfinite(low - room) and math.isfinite(high + room):
        return low - room, high + room
    return low, high


def scaled(largest: float, unit: str | None = None) -> tuple[float, str]:
    """What packets per second are divided by, and the unit that this gives; any other unit stays."""
    if unit not in (None, "", "pps"):
        return 1.0, str(unit)
    scales = ((1e12, "Tpps"), (1e9, "Gpps"), (1e6, "Mpps"), (1e3, "kpps"), (1.0, "pps"))
    return next((one for one in scales if abs(largest) >= one[0]), scales[-1])


def shown(value: float, scale: float = 1.0) -> str:
    """The text of a tick at this value, divided by `scale`."""
    return f"{value / scale:.10g}".replace("-", "−")


def widest(scale: Scale, divided: float = 1.0) -> float:
    """How many points the texts of a vertical axis need."""
    return max((width_of(shown(value, divided)) for value in vertical_ticks(scale)), default=0.0) + 10


def vertical_ticks(scale: Scale) -> list[float]:
    """The ticks of a vertical axis: as many as there is room for, about 3 to 9."""
    return scale.ticks(max(min(int(abs(scale.end - scale.start) / _PER_TICK), 9), 3))


@dataclass(frozen=True, slots=True)
class Axes:
    """A rectangle of the picture in which values are drawn; `y.start` is its lower side."""

    root: Element
    x: Scale
    y: Scale

    def frame(self) -> None:
        """Draw the lines on the left and below; call it when everything else is drawn."""
        line(
            self.root,
            [(self.x.start, self.y.end), (self.x.start, self.y.start), (self.x.end, self.y.start)],
            width=0.8,
        )

    def below(self, ticks: Sequence[tuple[float, str]], *, grid: bool = False, turned: int = 0) -> None:
        """Draw ticks of the horizontal axis: values and texts. Texts that are `turned` end at their ticks."""
        y = self.y.start
        for value, shown_as in ticks:
            x = self.x.at(value)
            if grid:
                line(self.root, [(x, y), (x, self.y.end)], _GRID, 0.6)
            if not shown_as:
                continue
            line(self.root, [(x, y), (x, y + _TICK)], width=0.8)
            if turned:
                text(self.root, x + (2 if turned < 90 else 0), y + 6, shown_as, "end", -turned)
            else:
                text(self.root, x, y + 10, shown_as, "middle")

    def numbers_below(self, most: int, divided: float = 1.0) -> None:
        """Draw round values below the axes, with a grid."""
        values = self.x.ticks(most)
        self.below([(value, shown(value, divided)) for value in values], grid=True)

    def numbers_beside(self, divided: float = 1.0) -> None:
        """Draw round values on the left, with a grid."""
        for value in vertical_ticks(self.y):
            y = self.y.at(value)
            line(self.root, [(self.x.start, y), (self.x.end, y)], _GRID, 0.6)
            line(self.root, [(self.x.start - _TICK, y), (self.x.start, y)], width=0.8)
            text(self.root, self.x.start - 6, y, shown(value, divided), "end")

    def second(self, of: Callable[[float], float], divided: float, label: str) -> None:
        """Draw a second vertical axis on the right; `of` converts values of the first axis to its values."""
        right, other = self.x.end, Scale(of(self.y.low), of(self.y.high), self.y.start, self.y.end)
        line(self.root, [(right, self.y.start), (right, self.y.end)], width=0.8)
        for value in vertical_ticks(other):
            y = other.at(value)
            line(self.root, [(right, y), (right + _TICK, y)], width=0.8)
            text(self.root, right + 6, y, shown(value, divided))
        middle = (self.y.start + self.y.end) / 2
        text(self.root, right + widest(other, divided) + SIZE, middle, label, "middle", -90)

    def label_below(self, label: str, further: float = 0.0) -> None:
        """Draw the label of the horizontal axis, `further` points down to leave room for turned texts."""
        middle = min((self.x.start + self.x.end) / 2, WIDE - EDGE - width_of(label) / 2)
        text(self.root, middle, self.y.start + 24 + further, label, "middle")

    def label_beside(self, label: str, divided: float = 1.0) -> None:
        """Draw the label of the vertical axis."""
        text(
            self.root,
            self.x.start - widest(self.y, divided) - SIZE / 2,
            (self.y.start + self.y.end) / 2,
            label,
            "middle",
            -90,
        )

    def title(self, shown_as: str, fill: str = "") -> None:
        """Draw a line of text above the axes."""
        left = min(self.x.start, WIDE - EDGE - width_of(shown_as))
        text(self.root, left, self.y.end - TITLE / 2, shown_as, fill=fill)

    def inside(self, value: float) -> bool:
        """Whether the vertical axis reaches a value."""
        return min(self.y.low, self.y.high) <= value <= max(self.y.low, self.y.high)

    def across(self, value: float, colour: str, dash: str = "") -> None:
        """Draw a line at one value of the vertical axis, if the axis reaches it."""
        if self.inside(value):
            y = self.y.at(value)
            line(self.root, [(self.x.start, y), (self.x.end, y)], colour, 1.2, dash)

    def points(self, values: Sequence[tuple[float, float]]) -> list[tuple[float, float]]:
        """The places of values (x, y) in the picture, in points."""
        return [(self.x.at(x), self.y.at(y)) for x, y in values]

    def box(self, x: float, width: float, foot: float, top: float, colour: str, hatch: str = "") -> None:
        """Draw an upright bar from `foot` to `top` of the vertical axis; `x` and `width` are in points."""
        low, high = self.y.at(foot), self.y.at(top)
        place = {"x": px(x), "y": px(min(low, high)), "width": px(width), "height": px(abs(high - low))}
        edge = {"stroke": "#000000", "stroke-width": "0.5"}
        add(self.root, "rect", place, edge, {"class": "bar", "fill": colour, "fill-opacity": "0.9"})
        if hatch:
            add(self.root, "rect", place, fill=f"url(#{hatch})")
