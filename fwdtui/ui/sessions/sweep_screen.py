"""Medians over the levels of a factor: the chart, the table behind it, and the command that reports it."""

import contextlib
from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path
from typing import ClassVar

from rich.text import Text
from textual import work
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import VerticalScroll
from textual.screen import Screen
from textual.widgets import Static

from fwdtui.core.errors import FwdtuiError
from fwdtui.core.shell_words import quote
from fwdtui.report import export, sweep_choice, sweep_input
from fwdtui.report.cells import shorten, wrap
from fwdtui.report.document import Choices
from fwdtui.report.factor_view import AS_GIVEN, FactorView
from fwdtui.report.in_metric import OPTION, offered
from fwdtui.report.link import Link, parse_link
from fwdtui.report.shell_words import argument
from fwdtui.report.sides import load_sides
from fwdtui.report.sweep import Sweeps, Wanted, sweeps
from fwdtui.report.sweep_axis import LINEAR, LOG
from fwdtui.report.sweep_input import Loaded
from fwdtui.report.sweep_split import NotDrawnError
from fwdtui.report.sweep_text import render
from fwdtui.ui.common import errors
from fwdtui.ui.common.copying import Copy, lines
from fwdtui.ui.common.dialogs import Prompt
from fwdtui.ui.common.footer import Footer
from fwdtui.ui.common.metric_choice import ChooseMetric
from fwdtui.ui.common.own_keys import key
from fwdtui.ui.common.styled_once import StyledOnce
from fwdtui.ui.common.threads import from_thread
from fwdtui.ui.draw.styles import Styles
from fwdtui.ui.report.since import Changed, changed_since
from fwdtui.ui.report.writing import written
from fwdtui.ui.sessions import keys, sweep_view

_BESIDE = 3  # columns of padding and scroll bar
_LEAST_WIDTH = 40
_COMMAND_ROWS = 2
_NAMED = 3  # how many sessions are named if they offer no sweep
_LEAST_SOURCES = 14  # the least columns of the command's beginning with the paths


def _changed() -> str:
    return f"The sessions have changed since they were read. {key('sweep.reload', 'F5')} reads them again."


def _how_several() -> str:
    marks = f"{key('sessions.baseline', 'b')} and {key('sessions.candidate', 'space')}"
    sweeps = key("sessions.sweep", "S")
    return f"To take several sessions, mark them with {marks}, or filter the list, then press {sweeps}."


class SweepScreen(StyledOnce, Screen[None]):
    """The sweeps that some sessions, or cases of sessions, offer."""

    CSS_PATH = "sweep_screen.tcss"
    HELP = keys.SWEEP_HELP
    BINDINGS: ClassVar[list[BindingType]] = [*keys.SWEEP]
    FOOTER = keys.SWEEP_FOOTER

    def __init__(
        self, paths: Sequence[str], view: FactorView = AS_GIVEN, instead: Sequence[str] = ()
    ) -> None:
        """`paths`: those of sessions, or ``PATH:CASE``. The filters and the metric of `view` are kept.

        `instead`: the sessions to take if those of `paths` offer no sweep.
        """
        super().__init__()
        self._paths = list(paths)
        self._instead = list(instead)
        self._note = ""  # why other sessions than the one chosen were taken
        self._loaded: Loaded | None = None
        self._found: Sweeps | None = None
        self._changed: Changed = lambda: False  # what was not read yet cannot have changed since
        self._x, self._series = "", ""
        self._link = Link()
        self._scale: str | None = None  # None: it depends on the levels
        self._filters = view.filters
        self._metric = view.metric  # as it was chosen; "": the rate
        self._view = FactorView()  # the view that `_loaded` was read for
        self._metrics: list[str] = []  # the metrics to choose from
        self._place = 0  # the place of the chart that is shown
        self._table = False

    def compose(self) -> ComposeResult:
        yield Static(id="heading", markup=False)
        with VerticalScroll(id="body"):
            yield Static(id="sweep", markup=False)
        yield Static(id="command", markup=False)
        yield Footer()

    def on_mount(self) -> None:
        """Read in a thread, so that the screen appears at once."""
        self.app.theme_changed_signal.subscribe(self, lambda _: self._draw())
        self.query_one("#body").focus()
        self.action_reload()

    def on_resize(self) -> None:
        """Fit chart and table to the window."""
        self._draw()

    def on_screen_resume(self) -> None:
        """Read the sessions again if they have changed meanwhile."""
        if self._changed():
            self.action_reload()

    def action_reload(self) -> None:
        """Read the sessions again."""
        self.query_one("#heading", Static).update(Text("reading the sessions …"))
        self._read(FactorView(filters=self._filters, metric=self._metric))

    @work(thread=True, exclusive=True, group="sweep")
    def _read(self, view: FactorView) -> None:
        try:
            try:
                found = self._offered(view)
            except FwdtuiError:
                if not self._instead:
                    raise
                alone = Path(self._paths[0]).name
                self._note = f"Of all {len(self._instead)} listed sessions: {alone} alone offers no sweep."
                self._paths, self._instead = self._instead, []
                found = self._offered(view)
        except Exception as error:
            from_thread(self, self._failed, _reason(error))
            return
        from_thread(self, self._show, *found)

    def _offered(self, view: FactorView) -> tuple[Loaded, FactorView, Sweeps, str, str]:
        """Read the sessions: what `_show` takes."""
        # first: what is written while they are read is a change, too
        self._changed = changed_since([Path(path) for path in self._paths])
        sides = load_sides(self._paths)
        self._metrics = offered(sides)
        loaded = sweep_input.of_sides(sides, view)
        return (loaded, view, *self._swept(loaded, view))

    def _swept(self, loaded: Loaded, view: FactorView) -> tuple[Sweeps, str, str]:
        """The sweep that is shown, or the first one that these iterations offer; its x and its series."""
        x, series = self._x, self._series
        if x in sweep_choice.axes(loaded.trials):
            with contextlib.suppress(FwdtuiError):
                return sweeps(loaded.trials, self._wanted(x, series, view), loaded.missing), x, series
        return sweep_choice.first(
            loaded.trials,
            lambda x, series: sweeps(loaded.trials, self._wanted(x, series, view), loaded.missing),
        )

    def _wanted(self, x: str, series: str, view: FactorView) -> Wanted:
        return Wanted(x, series, view, scale=self._scale if x == self._x else None, link=self._link)

    def _show(self, loaded: Loaded, view: FactorView, swept: Sweeps, x: str, series: str) -> None:
        self.remove_class("-failed")
        if x != self._x:
            self._scale = None
        self._loaded, self._view, self._found, self._x, self._series = loaded, view, swept, x, series
        self._place = min(self._place, len(swept.charts) - 1)
        self._draw()
        self.refresh_bindings()

    def _failed(self, reason: str) -> None:
        self.add_class("-failed")
        self._found = None
        told = [f"! No sweep{self._of()}: {reason}."]
        if len(self._paths) == 1 or self._note:  # the user did not choose several
            told += ["", _how_several()]
        self.query_one("#heading", Static).update(
            Text("\n".join([*told, "", f"{key('sweep.back', 'Esc')} goes back"]))
        )
        self.refresh_bindings()

    def _of(self) -> str:
        """`` of 2 sessions (old, new)``: the user may not know which, as marked ones take precedence."""
        names = [Path(path).name for path in self._paths]
        shown = ", ".join(names[:_NAMED]) + (", …" if len(names) > _NAMED else "")
        return f" of {len(names)} sessions ({shown})" if len(names) > 1 else f" of {shown}"

    @property
    def _width(self) -> int:
        return max(self.size.width - _BESIDE, _LEAST_WIDTH)

    def _draw(self) -> None:
        swept = self._found
        if swept is None or not self.is_attached:
            return
        styles = Styles(self.app.theme_variables)
        damage = self._damage()
        head = sweep_view.heading(swept, self._place, self._width, styles, damage)
        if self._note:
            head = Text("\n").join([Text("\n".join(wrap(self._note, self._width))), head])
        self.query_one("#heading", Static).update(head)
        if self._table:
            body = sweep_view.told(swept, self._place, self._width, styles, damage)
        else:
            rows = self.size.height - len(head.plain.splitlines()) - _COMMAND_ROWS
            body = sweep_view.drawn(swept.charts[self._place], self._width, rows, styles)
        self.query_one("#sweep", Static).update(body)
        options = _options(swept.wanted)  # these are shown in full, many paths are not
        room = max(self._width - len(options) - 1, _LEAST_SOURCES)
        told = shorten(f"{shorten(self._sources(), room)} {options}", self._width)
        command = Text(told, style=styles["dim"], no_wrap=True)
        self.query_one("#command", Static).update(command)

    def _damage(self) -> list[str]:
        """What could not be read of the sessions, and which of them were simulated."""
        return [] if self._loaded is None else [note.text for note in self._loaded.notes]

    def _command(self) -> str:
        """The command that writes the sweep that is shown, whatever else was tried since."""
        assert self._found is not None
        return f"{self._sources()} {_options(self._found.wanted)}"

    def _sources(self) -> str:
        words = ["fwdtui", "report", *(argument(Path(path)) for path in self._paths)]
        return " ".join(map(quote, words))

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Offer only keys that have an effect: for other factors, other lines, other charts."""
        if action in ("back", "reload"):
            return True
        if action == "metric":
            return bool(self._metrics or self._metric)
        if self._found is None or self._loaded is None:
            return action not in ("factor", "series", "chart", "table", "scale", "link", "export")
        if action == "factor":
            return len(sweep_choice.axes(self._loaded.trials)) > 1
        if action == "series":
            return len(sweep_choice.series(self._loaded.trials, self._x)) > 1
        if action == "scale":  # for the chart; a level such as 0 has no place on a logarithmic axis
            axis = self._found.charts[self._place].axis
            return not self._table and axis.numeric and (axis.log or axis.places[0] > 0)
        return action != "chart" or len(self._found.charts) > 1

    def action_factor(self) -> None:
        """Put the next factor that can be drawn on the axis."""
        assert self._loaded is not None
        trials = self._loaded.trials
        others = _after(sweep_choice.axes(trials), self._x)
        self._try_each((x, series) for x in others for series in sweep_choice.all_series(trials, x))

    def action_series(self) -> None:
        """Draw a line for each level of the next factor of which that is possible."""
        assert self._loaded is not None
        others = _after(sweep_choice.series(self._loaded.trials, self._x), self._series)
        self._try_each((self._x, series) for series in others)

    def action_scale(self) -> None:
        """Draw a linear axis instead of a logarithmic one, or the reverse."""
        assert self._found is not None
        before = self._scale
        self._scale = LINEAR if self._found.charts[self._place].axis.log else LOG
        if not self._try_shown():
            self._scale = before

    def action_metric(self) -> None:
        """Choose what is drawn: the rate, or what a packet costs."""

        def chosen(answer: str | None) -> None:
            if answer is not None and answer != self._metric:
                self._metric = answer
                self.action_reload()

        self.app.push_screen(ChooseMetric(self._metrics, self._metric), chosen)

    @work(group="ask")
    async def action_link(self) -> None:
        """Ask for the link's speed and the frames' length, which line rate is computed from."""
        ask = Prompt(
            "Link and frames",
            [
                "The speed of the link and, if the sessions do not state it,",
                "the frame length with FCS. Empty: as recorded.",
            ],
            self._link.given,
            does="use them",
            hint="10G 64",
            problem=_no_link,
        )
        given = await self.app.push_screen_wait(ask)
        if given is not None and self._found is not None:
            before, self._link = self._link, parse_link(given)
            if not self._try_shown():
                self._link = before

    def _try_shown(self) -> bool:
        """Draw the sweep that is shown as it is wanted now."""
        return self._try_each([(self._x, self._series)], self._place)

    def _try_each(self, wanted: Iterable[tuple[str, str]], place: int = 0) -> bool:
        """Show the first of these sweeps, each an x axis and a series, that can be drawn.

        If none can, say why, keep what is shown, and return False.
        """
        assert self._loaded is not None
        problem = ""
        for x, series in wanted:
            try:
                swept = sweeps(self._loaded.trials, self._wanted(x, series, self._view), self._loaded.missing)
            except FwdtuiError as error:
                problem = problem or f"over {x}: {_reason(error)}"
                continue
            self._place = place
            self._show(self._loaded, self._view, swept, x, series)
            return True
        self.notify(problem, title="no such sweep", severity="warning", markup=False)
        return False

    def action_chart(self, step: int) -> None:
        """Show the next or the previous chart."""
        if self._found is not None:
            self._place = (self._place + step) % len(self._found.charts)
            self._draw()
            self.refresh_bindings()

    def action_table(self) -> None:
        """Show the chart, or the table with all that qualifies it."""
        self._table = not self._table
        self.query_one("#body", VerticalScroll).scroll_home(animate=False)
        self._draw()
        self.refresh_bindings()

    @work(group="export", exclusive=True)
    async def action_export(self) -> None:
        """Ask for the file, and write what the command below writes."""
        from fwdtui.report import sweep_report
        from fwdtui.report.verified import verified

        loaded, swept = self._loaded, self._found
        if loaded is None or swept is None:
            return
        if self._changed():  # the command below would write another report
            self.notify(_changed(), title="not written", severity="warning", markup=False)
            return
        whole = cache(lambda: verified(loaded))  # reads all raw logs: in the dialog's thread, once
        await written(
            self,
            "Write the sweep's report",
            export.free(Path(f"{swept.wanted.x}.md")),
            lambda out: sweep_report.plan(out, whole(), swept, Choices()),
        )

    def to_copy(self) -> Copy | None:
        """All tables and charts, with the command."""
        if self._found is None:
            from fwdtui.ui.common.usual_copies import usual

            return usual(self.query_one("#heading"))
        if self._changed():
            return Copy(_changed(), "")
        told = "".join(f"{text}\n" for text in self._damage())
        shown = f"{render(self._found, None)}{told}\n{self._command()}"
        return lines("tables, charts and the command", shown)

    def action_back(self) -> None:
        """Back to the sessions."""
        self.app.pop_screen()


def _after(names: Sequence[str], now: str) -> list[str]:
    """The others, beginning after `now`; all if `now` is none of them."""
    place = names.index(now) + 1 if now in names else 0
    return [name for name in (*names[place:], *names[:place]) if name != now]


def _reason(error: Exception) -> str:
    """Why a sweep cannot be drawn, without the options of the command line, which no key here gives."""
    return error.why if isinstance(error, NotDrawnError) else errors.in_place(error).removeprefix(OPTION)


def _options(wanted: Wanted) -> str:
    """The options for all that was chosen here, so that the command repeats it."""
    words = ["--x", wanted.x]
    if wanted.series:
        words += ["--series", wanted.series]
    words += FactorView(filters=wanted.view.filters).options()
    if wanted.view.metric:
        words += ["--metric", wanted.view.metric]
    if wanted.scale:
        words += ["--x-scale", wanted.scale]
    return " ".join(map(quote, [*words, *wanted.link.options, "-o", f"{wanted.x}.md"]))


def _no_link(text: str) -> str:
    """Why a text does not describe link and frames; "" if it does."""
    try:
        parse_link(text)
    except FwdtuiError as error:
        return str(error)
    return ""
