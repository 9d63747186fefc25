"""The run as it happens: whether it is good, what limits it, and a key to save it."""

import asyncio
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar

import msgspec
from textual import work
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal
from textual.screen import Screen
from textual.timer import Timer

from fwdtui.core.errors import FwdtuiError
from fwdtui.core.units import pps
from fwdtui.monitor.live.snapshot import Snapshot
from fwdtui.ui.common.copying import Copy
from fwdtui.ui.common.footer import Footer
from fwdtui.ui.common.host_questions import HostQuestions
from fwdtui.ui.common.own_keys import key
from fwdtui.ui.common.ports import shell
from fwdtui.ui.common.styled_once import StyledOnce
from fwdtui.ui.draw.brush import Brush
from fwdtui.ui.draw.graph import Graph, table_of
from fwdtui.ui.draw.panel import Panel
from fwdtui.ui.draw.view import TIME_SPANS, View, remember, remembered
from fwdtui.ui.live import keys
from fwdtui.ui.live.baseline import Baseline
from fwdtui.ui.live.big_numbers import BigNumbers
from fwdtui.ui.live.cores import Cores
from fwdtui.ui.live.diagnosis import DiagnosisLine
from fwdtui.ui.live.events import Events
from fwdtui.ui.live.heading import Heading
from fwdtui.ui.live.interfaces import Interfaces, own, seen
from fwdtui.ui.live.iterations import Iterations
from fwdtui.ui.live.queues import Queues
from fwdtui.ui.live.rows import Rows
from fwdtui.ui.live.switching import Switching

if TYPE_CHECKING:  # dialogs are imported when they ask: the first frame does not wait for them
    from fwdtui.ui.common.ports import LiveControl

PERIOD = 0.1
"""Seconds between two snapshots: never more than ten a second."""
_SLOW = 0.5  # seconds: if samples come more often, each snapshot is drawn
_LONG = 600.0  # seconds of the axis from which it is drawn once a second: a dot spans longer than that


class LiveScreen(StyledOnce, Screen[None]):
    """Draws snapshots of the run `control`. The run goes on whatever happens here."""

    HELP = keys.HELP
    BINDINGS: ClassVar[list[BindingType]] = [*keys.BINDINGS]
    FOOTER = keys.FOOTER
    ALLOW_IN_MAXIMIZED_VIEW = "Footer,StorageBanner,#heading-line"  # a panel alone does not say it is paused
    ONE_NOTICE = True  # the graph has no room for several
    AUTO_FOCUS = ""  # no panel is focused until the user goes to one
    HORIZONTAL_BREAKPOINTS = [  # noqa: RUF012 - Textual declares it so
        (0, "-narrow"),
        (110, "-normal"),
        (160, "-wide"),
    ]
    VERTICAL_BREAKPOINTS = [  # noqa: RUF012
        (0, "-flat"),
        (10, "-low"),
        (16, "-short"),
        (34, "-normal-height"),
        (48, "-tall"),
    ]

    def __init__(self, control: "LiveControl") -> None:
        super().__init__()
        self.control = control
        self._view = View(control.lab)
        self._snapshot: Snapshot | None = None
        self._ticks = 0
        self._baseline = Baseline(control.case)
        self._questions = HostQuestions(self)
        self._saving = asyncio.Lock()  # one after the other: the disk and the monitor have to agree
        self._rows = Rows()
        self._switching = Switching(control)
        self._ticking: Timer | None = None
        self._newest: Snapshot | None = None
        self._waited = False
        self._drawn_besides: tuple[object, ...] = ()
        self.brush = Brush(self)

    def compose(self) -> ComposeResult:
        yield Heading(id="heading-line")
        yield BigNumbers(id="numbers")
        yield DiagnosisLine(id="diagnosis")
        yield Graph(id="graph")
        with Horizontal(id="machine"):
            yield Queues(id="queues")
            yield Cores(id="cores")
        with Horizontal(id="lower"):
            yield Iterations(id="iterations")
            yield Events(id="events")
            yield Interfaces(id="interfaces")
        yield Footer()

    def on_mount(self) -> None:
        """Start to draw, with the settings of the last start."""
        self._view = msgspec.structs.replace(self._view, **remembered(shell(self).memory))
        self._look()
        self._ticking = self.set_interval(PERIOD, self._tick)
        self.screen_layout_refresh_signal.subscribe(self, lambda _: self._place_notices())
        # reaching hosts loads many modules: it starts after the first frame
        self.set_timer(PERIOD, lambda: self.control.set_asker(self._questions.ask))

    def on_unmount(self) -> None:
        """Stop answering questions about host keys."""
        self.control.set_asker(None)

    def on_resize(self) -> None:
        """Redraw for the new size."""
        self._draw()

    def on_screen_suspend(self) -> None:
        """Stop drawing while the screen cannot be seen. Below a dialog it can."""
        if self._ticking is not None and not self.seen:
            self._ticking.pause()

    def on_screen_resume(self) -> None:
        """Show at once what happened meanwhile."""
        if self._ticking is not None:
            self._ticking.resume()
            self._tick()

    # drawing

    @property
    def seen(self) -> bool:
        """Whether it can be seen: alone or below dialogs. Textual's `is_current` is true below any screen."""
        for screen in reversed(self.app.screen_stack):
            if screen is self or not screen.is_modal:
                return screen is self
        return False

    def _tick(self) -> None:
        """Show what is new. Most of the time nothing is: samples arrive once a second."""
        self._ticks += 1
        if self._view.paused and self._view.recording != self.control.measuring and self.seen:
            self._draw()  # the picture stays, but what it says about the recording has changed
        if not self.seen or self._view.paused or (self._view.time_span >= _LONG and self._ticks % 10):
            return
        if self._besides() != self._drawn_besides:
            self._look()
            return
        before, self._newest = self._newest, self._take()
        if self._newest is self._snapshot:
            return
        # the hosts' samples arrive shortly after each other: wait one tick, to draw them together
        self._waited = self._newest is not before and not self._waited and self.control.lab.interval >= _SLOW
        if not self._waited:
            self._look()

    def _take(self, time_span: float | None = None) -> Snapshot:
        points = round((time_span or self._view.time_span) / self.control.lab.interval) + 3
        return self.control.snapshot(points)

    def _besides(self) -> tuple[object, ...]:
        """What is shown besides the snapshot, and may change without a new one."""
        control = self.control
        # the screen's size sets its classes after the first drawing, and they decide how the rows are shared
        return control.where, control.started, self._generator_text(), self._plan_text(), self.classes

    def _look(self) -> None:
        """Take a snapshot and show it."""
        self._snapshot = self._take()
        self._judge()
        self._draw()

    def _draw(self) -> None:
        snapshot = self._snapshot
        if snapshot is None or not self.is_mounted:
            return
        control = self.control
        self._drawn_besides = self._besides()
        offered, rate = snapshot.offered.now, snapshot.line_rate
        if not self._view.paused:  # a paused picture keeps the name of what it shows
            self._name_run()
        view = self._view = msgspec.structs.replace(
            self._view,
            recording=control.measuring,
            generator=self._generator_text(),
            plan=self._plan_text(),
            load=None if offered is None or not rate else round(offered / rate, 4),
        )
        unreached = snapshot.diagnosis.code == "host-lost" and not snapshot.offered.points
        self.set_class(unreached and not snapshot.forwarded.points, "-unreached")
        self._rows.share(self, snapshot, view)
        with self.brush:
            for panel in self._panels:
                if panel.display:
                    panel.show(snapshot, view)

    def _name_run(self) -> None:
        """Note what is measured now, and by which clock."""
        control = self.control
        named = {"lab": control.lab, "where": control.where, "case": self._case(), "started": control.started}
        self._view = msgspec.structs.replace(self._view, **named)

    @cached_property
    def _panels(self) -> list[Panel]:
        return list(self.query(Panel))  # only once: searching for them took a twentieth of each drawing

    def _place_notices(self) -> None:
        """Let notices end where the graph ends: they cover its oldest part, and no number.

        There is at most one (ONE_NOTICE): more would reach above the graph.
        """
        graph = self.query_one("#graph").region
        below = self.size.height - graph.bottom if graph.height else 1
        for rack in self.query("ToastRack"):
            if rack.styles.margin.bottom != below:
                rack.styles.margin = (0, 0, below, 0)

    def _case(self) -> str | None:
        """The case being measured, "" between two cases; None: the whole run has one case."""
        return None

    def _generator_text(self) -> str:
        return self._switching.text

    def _plan_text(self) -> str:
        return ""

    def _change(self, **changes: object) -> None:
        self._view = msgspec.structs.replace(self._view, **changes)
        remember(shell(self).memory, changes)
        self._draw()

    def to_copy(self) -> Copy | None:
        """The numbers and the sentence: a panel in focus copies its own."""
        from fwdtui.ui.live.summary import summary

        return None if self._snapshot is None else summary(self._snapshot, self._view)

    # what the keys do

    def action_pause(self) -> None:
        """Pause the picture, or return to the latest data."""
        if not self._view.paused:  # take all that zooming out may show: what is missing looks like a gap
            self._snapshot = self._take(TIME_SPANS[-1])
            self._name_run()
            self._judge()
        self._change(paused=not self._view.paused)
        if not self._view.paused:
            self._look()

    def action_zoom(self, step: int) -> None:
        """Show more or less time on the axis, of a paused picture up to the moment at which it was paused."""
        place = TIME_SPANS.index(self._view.time_span) + step
        span = TIME_SPANS[max(0, min(place, len(TIME_SPANS) - 1))]
        if not self._view.paused:  # the picture so far holds no more time than it shows
            self._snapshot = self._take(span)
            self._judge()
        self._change(time_span=span)

    def action_unit(self) -> None:
        """Show packets, or bits: on layer 2 if the frames' length is known, else as counted."""
        self._change(unit="bps" if self._view.unit == "pps" else "pps")

    def action_table(self) -> None:
        """Show the graph's samples as a table, to copy or save."""
        if self._snapshot is None:
            return
        from fwdtui.ui.common.table_screen import TableScreen

        table, cursor = table_of(self._snapshot, self._view), self.query_one(Graph).cursor
        at = self._snapshot.now if cursor is None else cursor  # the newest ones
        self.app.push_screen(TableScreen([table], table.title, bits=self._view.bits, at=at))

    def action_maximise(self) -> None:
        """Enlarge the focused panel, else the graph; or show all panels again."""
        focused = self.focused
        self._enlarge(focused if isinstance(focused, Panel) else self.query_one(Graph))

    def on_panel_enlarge(self, event: Panel.Enlarge) -> None:
        """Enlarge a panel by double click."""
        self._enlarge(event.panel)

    def _enlarge(self, panel: Panel) -> None:
        if self.maximized is not None:
            self.minimize()
        else:
            self.maximize(panel, container=False)

    @work(group="save")
    async def action_save(self) -> None:
        """Save the current window as an iteration; without traffic there is nothing to save."""
        try:
            async with self._saving:
                iteration = await self.control.save_iteration()
        except (FwdtuiError, OSError) as error:
            self._trouble("Nothing saved", error)
            return
        if not iteration.saved:
            self.notify(self.control.storage, title="not saved yet", severity="error", markup=False)
            return
        value = "no value" if iteration.value is None else pps(iteration.value)
        told = f"{value}; {key('live.take_back', 'u')} takes it back"
        self.notify(told, title=f"iteration {iteration.index} saved", markup=False)
        if not self._view.paused:
            self._look()

    @work(group="save")
    async def action_take_back(self) -> None:
        """Take back what `s` saved last: the iteration stays in the session and does not count."""
        try:
            async with self._saving:
                iteration = await self.control.take_back()
        except (FwdtuiError, OSError) as error:
            self._trouble("Nothing taken back", error)
            return
        self.notify("It no longer counts.", title=f"iteration {iteration.index} taken back", markup=False)
        if not self._view.paused:
            self._look()

    def action_automatic(self) -> None:
        """Make iterations of blasts automatically, or only by hand."""
        on = not self._take().automatic  # as it is now: a paused picture is older
        self.control.set_automatic(on)
        if not self._view.paused:
            self._look()
            return
        if self._snapshot is not None:
            self._snapshot = msgspec.structs.replace(self._snapshot, automatic=on)
            self._draw()
        by_hand = f"Only {key('live.cut', 's')} makes an iteration now."
        told = "Each blast becomes an iteration again." if on else by_hand
        self.notify(told, markup=False)  # the heading of a paused picture does not say it

    def action_interfaces(self) -> None:
        """Choose the interfaces whose rates and queues are shown."""
        from fwdtui.ui.common import choosers

        snapshot = self._snapshot
        if snapshot is None:
            return
        lab = self.control.lab
        chosen = own(lab) if self._view.interfaces is None else self._view.interfaces

        def done(answer: tuple[str, ...] | None) -> None:
            if answer is not None:
                self._change(interfaces=None if answer == choosers.OWN else answer)

        self.app.push_screen(choosers.ChooseInterfaces(seen(snapshot, lab), chosen), done)

    @work(exclusive=True, group="generator")
    async def action_generator(self) -> None:
        """Start or stop the generator, after asking."""
        from fwdtui.ui.common import dialogs

        if self._tells_of_switching():
            return
        control = self.control
        start = not control.generator_running
        command = control.generator_command if start else control.generator_stop_command
        if start and command is None:
            way = 'add start = "..." to [generator] in lab.toml.'
            text = f"Start it by hand. To let {key('live.generator', 'g')} do it, {way}"
            self.notify(text, severity="warning", markup=False)
            return
        if not await self.app.push_screen_wait(
            dialogs.generator(command, start, control.generator_stop_command, control.only_receiver)
        ):
            return
        self._switch(start)

    def _tells_of_switching(self) -> bool:
        """Whether the generator is being started or stopped; if so, say it."""
        told = self._switching.under_way
        if told:
            self.notify(told, markup=False)
        return bool(told)

    @work(group="switching")  # a group of its own: no later question cancels it
    async def _switch(self, start: bool) -> None:
        try:
            await self._switching.start_or_stop(start)
        except (FwdtuiError, OSError) as error:
            self._trouble("generator", error)

    @work(exclusive=True, group="baseline")
    async def action_baseline(self) -> None:
        """Choose the session to compare the iterations so far with."""
        try:
            control, case = self.control, self._snapshot.case if self._snapshot is not None else ""
            if await self._baseline.choose(self.app, control.sessions, control.own_session, case):
                self.workers.cancel_group(self, "interim")  # it compares with the previous baseline
                self._change(interim="", baseline=None)
                self._judge()
        except (FwdtuiError, OSError) as error:
            self._trouble("baseline", error)

    def _judge(self) -> None:
        """Compare again if an iteration was added."""
        if self._snapshot is not None and self._baseline.due(self._snapshot):
            self._compare(self._snapshot)

    @work(exclusive=True, group="interim")
    async def _compare(self, snapshot: Snapshot) -> None:
        interim = await self._baseline.judge(snapshot, self.control.own_session)
        self._change(interim=interim, baseline=self._baseline.median)

    def _trouble(self, what: str, error: Exception) -> None:
        self.notify(str(error), title=what, severity="error", timeout=15, markup=False)
