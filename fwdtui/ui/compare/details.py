"""The evidence for the selected verdict, in tabs; only the open one is read and drawn."""

from pathlib import Path
from typing import NamedTuple

from rich.text import Text
from textual import work
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.message import Message
from textual.widgets import Static, TabbedContent, TabPane
from textual.worker import get_current_worker

from fwdtui.core.model import Session
from fwdtui.monitor.live.sample_table import SampleTable
from fwdtui.report.comparison import Compared, Unpaired
from fwdtui.stats.results import Judged
from fwdtui.ui.common.copying import Copy, lines
from fwdtui.ui.common.threads import from_thread
from fwdtui.ui.compare import charts, facts_tab, tab_texts
from fwdtui.ui.compare.functions_tab import FunctionsRead, Wanted
from fwdtui.ui.compare.keys import ALONE, BESIDE, TABS, tab_key
from fwdtui.ui.compare.profile import profile
from fwdtui.ui.compare.time_chart import overlay
from fwdtui.ui.compare.time_cursor import TimeChart, tables
from fwdtui.ui.compare.time_series import SeriesRead
from fwdtui.ui.draw.profile_panel import ProfilePanel
from fwdtui.ui.draw.styles import Styles

_DRAWN = ("histogram", "ministat", "iterations", "time", "profile")  # tabs whose lines are not wrapped
_TABS_HEIGHT = 2
_HIGHEST = 60  # the most rows of a chart
TWO_TABS = 150  # columns from which two tabs are shown side by side
_APART = 2


class _From(NamedTuple):
    """What a tab is drawn from."""

    compared: Compared | None
    entry: Judged | Unpaired | None
    tab: str
    width: int
    rows: int
    styles: Styles

    def same(self, other: "_From") -> bool:
        """Whether the other drawing would be the same. An equal comparison is another one."""
        selected = self.compared is other.compared and self.entry is other.entry
        return selected and self[2:5] == other[2:5] and self.styles.same(other.styles)


class VerdictTabs(Vertical):
    """The tabs. `show` takes what is selected; samples are read in a thread, once per iteration."""

    class Resized(Message):
        """The width or height changed."""

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._shown: tuple[Compared, Judged | Unpaired | None] | None = None
        self._width = 80
        self._styles = Styles({})
        self._series_read = SeriesRead()
        self._functions_read = FunctionsRead()
        self._close = False  # whether the time series' axis is close around the rates, or begins at zero
        self._drawn = ""  # the tab that was drawn last
        self._drawn_from: _From | None = None  # what it was drawn from

    def compose(self) -> ComposeResult:
        with Horizontal():
            with TabbedContent(id="behind"):
                for name, (title, _) in TABS.items():
                    if name == "functions":
                        with TabPane(title, id=f"tab-{name}"):
                            yield ProfilePanel(id=f"shown-{name}")
                        continue
                    with TabPane(title, id=f"tab-{name}"), VerticalScroll(can_focus=False):
                        kind = TimeChart if name == "time" else Static
                        drawn = "plain" if name in _DRAWN else ""
                        yield kind(id=f"shown-{name}", markup=False, classes=drawn)
            with VerticalScroll(id="beside", can_focus=False):
                yield Static(id="beside-title", markup=False)
                yield Static(id="beside-text", markup=False)

    def on_resize(self) -> None:
        """Ask the screen to show everything for the new size."""
        self.post_message(self.Resized())

    @property
    def _active(self) -> str:
        return self.query_one(TabbedContent).active.removeprefix("tab-")

    def title(self, *, wide: bool) -> None:
        """Set the tabs' names, short or long, and their keys."""
        tabs = self.query_one(TabbedContent)
        for name, words in TABS.items():
            tabs.get_tab(f"tab-{name}").label = f"{tab_key(name)} {words[0 if wide else 1]}"

    def show(self, compared: Compared, entry: Judged | Unpaired | None, width: int, styles: Styles) -> None:
        """Show what is selected, in `width` columns; None: nothing.

        What stands there already is not drawn again: the table tells its row after each of its own drawings,
        and a chart takes long.
        """
        self._shown, self._width, self._styles = (compared, entry), width, styles
        if self._drawn_from is None or not self._drawn_from.same(self._from()):
            self._draw()

    def _from(self) -> _From:
        """What a drawing now would be made from, but for what is read for it: that is drawn when it comes."""
        compared, entry = self._shown or (None, None)
        return _From(compared, entry, self._active, self._width, self._rows, self._styles)

    def on_tabbed_content_tab_activated(self) -> None:
        """Draw a tab that was opened by the mouse."""
        if self._drawn != self._active:
            self._draw()

    def open(self, name: str) -> None:
        """Open one of TABS. It is drawn at once: otherwise it would be laid out once more."""
        self.query_one(TabbedContent).active = f"tab-{name}"
        self._draw()

    def step(self, step: int) -> None:
        """Open the next or previous tab."""
        names = list(TABS)
        self.open(names[(names.index(self._active) + step) % len(names)])

    def scroll_page(self, step: int) -> None:
        """Scroll the open tab a page up or down."""
        functions = self.open_functions
        pane = functions.listing if functions else self.query_one(f"#tab-{self._active} VerticalScroll")
        pane.scroll_relative(y=step * max(pane.size.height - 1, 1), animate=False)

    def to_copy(self) -> Copy | None:
        """What the open tab shows."""
        from fwdtui.ui.common.usual_copies import usual

        chart = self.open_chart
        if chart is not None:
            return chart.to_copy() or Copy("There are no samples to copy.", "")
        functions = self.open_functions
        copied = (functions and functions.to_copy()) or usual(self.query_one(f"#shown-{self._active}"))
        if copied is None:
            return Copy("This tab is empty.", "")
        return lines(f"the tab {TABS[self._active][0]}", copied.text)

    @property
    def open_chart(self) -> TimeChart | None:
        """The time series, if that tab is open; else None."""
        return self.query_one(TimeChart) if self._active == "time" else None

    @property
    def open_functions(self) -> ProfilePanel | None:
        """The functions, if that tab is open; else None."""
        return self.query_one(ProfilePanel) if self._active == "functions" else None

    def turn_axis(self) -> None:
        """Draw the time series from zero, or close around the measured rates."""
        self._close = not self._close
        self._draw()

    def choose(self, which: str, step: int) -> None:
        """Choose another iteration for time series and profile; `which` is "base" or "other"."""
        if self._shown is not None and isinstance(entry := self._shown[1], Judged):
            side = dict(self._series_read.sides(self._shown[0], entry))[which]
            self._series_read.step(side, entry.comparison.case, step)
            self._draw()

    def folders(self) -> list[Path]:
        """The folders of the chosen iterations, the baseline's first; empty if there are none."""
        if self._shown is None or not isinstance(entry := self._shown[1], Judged):
            return []
        return self._series_read.folders(self._shown[0], entry)

    def tables(self) -> list[SampleTable]:
        """Both sides' samples, if the time series are read and shown, as a tab or beside another one."""
        if self._shown is None or not isinstance(entry := self._shown[1], Judged):
            return []
        beside = BESIDE.get(self._active) if self.has_class("-two") else ""
        if "time" not in (self._active, beside) or not self.folders():
            return []
        if self._series_read.missing(self._shown[0], entry):
            return []
        return tables(self._series_read.traces(self._shown[0], entry)[0])

    def forget(self) -> None:
        """Discard what was read, as it may have changed on disk."""
        self._series_read = SeriesRead()
        self._functions_read = FunctionsRead()
        self._drawn_from = None

    def _draw(self) -> None:
        if self._shown is None or not (name := self._active):
            return
        self._drawn, self._drawn_from = name, self._from()
        compared, entry = self._shown
        self.query_one(TimeChart).forget()
        wide = self._width >= TWO_TABS and isinstance(entry, Judged) and name not in ALONE
        self.set_class(wide, "-two")
        width = self._width // 2 - _APART if wide else self._width
        if name == "functions":
            self._functions(compared, entry)
            return
        text = Text() if entry is None else self._tab(name, compared, entry, width)
        self.query_one(f"#shown-{name}", Static).update(text)
        if wide and entry is not None:
            other = BESIDE[name]
            title = Text(f"{tab_key(other)} {TABS[other][0]}\n", style=self._styles["bold"])
            self.query_one("#beside-title", Static).update(title)
            self.query_one("#beside-text", Static).update(self._tab(other, compared, entry, width))

    @property
    def _rows(self) -> int:
        # a tab that has not been shown yet has no height of its own
        return min(max(self.size.height - _TABS_HEIGHT, 10), _HIGHEST)

    def _tab(self, name: str, compared: Compared, entry: Judged | Unpaired, width: int) -> Text:
        styles = self._styles
        if name == "why" or isinstance(entry, Unpaired):
            return tab_texts.why(entry, compared, styles)
        if name == "statistics":
            return tab_texts.statistics(entry)
        if name == "histogram":
            return charts.histogram(entry, compared, width, self._rows - 1, styles)
        if name == "ministat":
            return tab_texts.ministat(entry, compared)
        if name == "iterations":
            return tab_texts.iterations(entry, compared, width, self._rows, styles)
        if name == "facts":
            return facts_tab.text(entry, compared, width, styles)
        if name == "warnings":
            return tab_texts.warnings(compared.warnings(entry))
        return self._series(name, compared, entry, width)

    def _series(self, name: str, compared: Compared, entry: Judged, width: int) -> Text:
        """The time series or the profile. What has not been read yet is read first, then drawn."""
        if not self._series_read.folders(compared, entry):
            return Text("One of the two has no iteration that counts.")
        if self._series_read.missing(compared, entry):
            self._read(self._series_read, self._series_read.missing(compared, entry))
            return Text("reading what was recorded …", style=self._styles["dim"])
        traces, sets = self._series_read.traces(compared, entry)
        if name == "profile":
            return profile(traces, sets, width, self._styles)
        if self._active != "time":  # beside another tab, it has no cursor
            return overlay(traces, width, self._rows, self._styles, close=self._close)
        chart = self.query_one(TimeChart)
        return chart.draw(traces, width, self._rows, self._styles, self._close)

    def _functions(self, compared: Compared, entry: Judged | Unpaired | None) -> None:
        """Both sides' profiles. What has not been read yet is read first, then drawn."""
        panel = self.query_one(ProfilePanel)
        if not isinstance(entry, Judged):
            panel.say(Text() if entry is None else tab_texts.why(entry, compared, self._styles))
            return
        read = self._functions_read.of(compared, entry)
        if read is None:
            panel.say(Text("reading the profiles …", style=self._styles["dim"]))
            self._read_functions(self._functions_read, self._functions_read.wanted(compared, entry))
        elif read[0] is None:
            panel.say(read[1])
        else:
            panel.show(read[0], read[1])

    @work(thread=True, exclusive=True, group="functions")
    def _read_functions(self, into: FunctionsRead, wanted: Wanted) -> None:
        """Read the profiles, keep them in `into`, and draw.

        If `forget` has replaced `into` meanwhile, its successor does not get them.
        """
        read = into.read(wanted)
        from_thread(self, into.keep, wanted, read)
        from_thread(self, self._draw)

    @work(thread=True, exclusive=True, group="series")
    def _read(self, into: SeriesRead, wanted: list[tuple[Path, Session]]) -> None:
        """Read the series, keep them in `into`, and draw.

        If `forget` has replaced `into` meanwhile, its successor does not get them.
        """
        worker = get_current_worker()
        for path, session in wanted:
            series = into.read(path, session)
            if worker.is_cancelled:
                return
            from_thread(self, into.keep, path, series)
        from_thread(self, self._draw)
