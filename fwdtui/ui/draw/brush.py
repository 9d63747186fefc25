"""Writes the cells of panels that have changed straight to the terminal, ten times a second.

Textual paints whole lines of widgets again: if every panel of a screen changes at each tick, it asks all
widgets for all their lines, cuts and joins them, and writes each piece with its colours. That was a quarter
of the live screen's CPU time, and three quarters of what it wrote was on the terminal already.

A brush only paints panels that are entirely visible, with nothing in front of them, on a screen that is not
about to be laid out. Everything else is left to Textual, whose own picture of a panel comes from the same
lines, so that both paint the same cells.
"""

from collections.abc import Iterator, Sequence
from functools import lru_cache
from types import TracebackType

from rich.color import ColorSystem
from rich.segment import Segment
from rich.style import Style
from textual.color import Color
from textual.filter import LineFilter
from textual.geometry import Offset, Region
from textual.screen import Screen
from textual.strip import Strip
from textual.widget import Widget

from fwdtui.ui.draw.row import Row

MOST_STYLES = 512
_BLANK = Segment("", None)
_ANOTHER = Style()  # a style that no piece has

Change = tuple[int, Row | None, Row | None]
"""A changed row of a panel's content: its number, how it looked before, how it looks now; None: blank."""


class Brush:
    """Paints panels that are shown in a ``with brush:`` block.

    What `paint` took is written to the terminal in one go at the end of the block.
    """

    def __init__(self, screen: Screen[None]) -> None:
        self._screen = screen
        self._wet = False
        self._out: list[str] = []
        self._layout: object = None  # the layout that `_open` was computed from
        self._open: dict[Widget, Offset] = {}
        self._style: Style | None = None  # the style the terminal writes in now; None: its own colours
        self._codes: Codes | None = None  # the codes that set it
        self._filters: tuple[LineFilter, ...] = ()
        self._system = ColorSystem.TRUECOLOR

    def __enter__(self) -> "Brush":
        self._wet = self._may_paint()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: object, trace: TracebackType | None) -> None:
        self._wet = False
        if self._out:
            self._write()

    def paint(self, panel: Widget, rows: Sequence[Change], background: Color) -> bool:
        """Take these rows of a panel with this background. False if Textual has to paint the panel."""
        place = self._open.get(panel) if self._wet else None
        if place is None:
            return False
        codes = _codes(self._system, self._filters, background)
        if codes is not self._codes:
            self._codes = codes
            if self._style is not None:
                self._style = _ANOTHER

        def blank() -> Row:
            return Row([Segment(" " * panel.content_size.width, panel.rich_style)])

        for y, before, now in rows:
            for x, cells in differing(before or blank(), now or blank()):
                self._out.append(f"\x1b[{place.y + y + 1};{place.x + x + 1}H")
                for text, style, _ in cells:
                    if style is not self._style:
                        self._out.append(codes[style])
                        self._style = style
                    self._out.append(text)
        # when Textual next paints these rows, for some other reason, it must use the new lines
        left, top = panel.content_offset
        panel._styles_cache.set_dirty(*(Region(left, top + y, 1, 1) for y, _, _ in rows))
        return True

    def _may_paint(self) -> bool:
        screen, app = self._screen, self._screen.app
        if (
            app.is_headless
            or app.is_inline
            or app._batch_count
            or not app.is_running
            or app.screen is not screen
        ):
            return False
        if screen._layout_required or screen._scroll_required or screen._repaint_required:
            return False
        self._filters = tuple(app.get_line_filters())
        self._system = app.console._color_system or ColorSystem.TRUECOLOR
        shown = screen._compositor.visible_widgets
        if shown is not self._layout:  # it is a new object after each layout
            self._layout = shown
            self._open = _open(shown)
        return True

    def _write(self) -> None:
        app, driver = self._screen.app, self._screen.app._driver
        x, y = self._screen.outer_size.clamp_offset(app.cursor_position)
        self._out.append(f"\x1b[0m\x1b[{y + 1};{x + 1}H")
        self._style = None
        app._begin_update()
        if driver is not None:
            driver.write("".join(self._out))
        app._end_update()
        self._out.clear()


def _open(shown: dict[Widget, tuple[Region, Region]]) -> dict[Widget, Offset]:
    """Where the content begins, for each widget that is entirely visible with nothing in front of it.

    `shown`: the widgets from front to back, each with its region and what that is clipped to.
    """
    begins = {}
    before: list[Region] = []
    for widget, (region, clip) in shown.items():
        whole = clip.contains_region(region) and not any(region.overlaps(other) for other in before)
        styles = widget.styles
        if whole and widget.opacity == 1.0 and not styles.tint.a and not styles.has_rule("hatch"):
            begins[widget] = region.offset + widget.content_offset
        before.append(region)
    return begins


def differing(before: Row, now: Row) -> Iterator[tuple[int, list[Segment]]]:
    """The runs of cells that differ between two rows of one width: (column, how the run looks now).

    If any character of the rows is not one cell wide, the whole row is one run.
    """
    if not (before.narrow and now.narrow):
        yield 0, list(now)
        return
    run: list[Segment] = []
    begin = x = 0
    old, old_style, past = "", None, 0
    rest = iter(before)
    for text, style, _ in now:
        if past >= len(old):
            old, old_style, _ = next(rest, _BLANK)
            past = 0
        if past == 0 and text == old and (style is old_style or style == old_style):
            if run:
                yield begin, run
                run = []
            x += len(text)
            past = len(text)
            continue
        done = 0
        while done < len(text):
            if past >= len(old):
                old, old_style, _ = next(rest, (" " * (len(text) - done), None, None))
                past = 0
                continue
            size = min(len(old) - past, len(text) - done)
            was, new = old[past : past + size], text[done : done + size]
            same = style is old_style or style == old_style
            first, last = (_first_difference(was, new), _last_difference(was, new)) if same else (0, size)
            if first > 0 and run:
                yield begin, run
                run = []
            if first < size:
                if not run:
                    begin = x + first
                run.append(Segment(new[first:last], style))
                if last < size:
                    yield begin, run
                    run = []
            x, done, past = x + size, done + size, past + size
    if run:
        yield begin, run


def _first_difference(one: str, other: str) -> int:
    """How many characters are the same at the beginning of two texts of equal length."""
    if one == other:
        return len(one)
    low, high = 0, len(one)  # the same up to `low`, but not up to `high`
    while high - low > 1:
        middle = (low + high) // 2
        if one[low:middle] == other[low:middle]:
            low = middle
        else:
            high = middle
    return low


def _last_difference(one: str, other: str) -> int:
    """The place from which on two texts of equal length are the same."""
    return len(one) - _first_difference(one[::-1], other[::-1]) if one != other else 0


class Codes(dict[Style | None, str]):
    """Style -> the escape sequence with which a terminal writes in it, whatever its style was before."""

    def __init__(self, system: ColorSystem, filters: Sequence[LineFilter], background: Color) -> None:
        """`filters` are Textual's, which change colours and may need the `background`."""
        super().__init__()
        self._system, self._filters, self._background = system, filters, background

    def __missing__(self, style: Style | None) -> str:
        if len(self) >= MOST_STYLES:
            self.clear()
        self[style] = code = self._code(style)
        return code

    def _code(self, style: Style | None) -> str:
        cells = [Segment(" ", style)]
        for one in self._filters:
            cells = one.apply(cells, self._background)
        shown = cells[0].style
        if shown is None:
            return "\x1b[0m"
        known = Strip.render_style(shown, "", color_system=self._system).partition("m")[0]
        return f"\x1b[0;{known[2:]}m" if known else "\x1b[0m"


@lru_cache(16)
def _codes(system: ColorSystem, filters: tuple[LineFilter, ...], background: Color) -> Codes:
    return Codes(system, filters, background)
