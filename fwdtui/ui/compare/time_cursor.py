"""The comparison's time series as a widget: the drawing of `time_chart.overlay`, with a cursor."""

from collections.abc import Sequence
from typing import ClassVar

from rich.text import Text
from textual.binding import BindingType
from textual.widgets import Static

from fwdtui.monitor.live.moment import sample_rows, sample_times
from fwdtui.monitor.live.sample_table import SampleTable
from fwdtui.ui.common.copying import Copy, line
from fwdtui.ui.compare.time_chart import Plotted, Trace, overlay, plotted
from fwdtui.ui.draw.braille import Axes
from fwdtui.ui.draw.copies import reading, samples
from fwdtui.ui.draw.cursor import CursorChart, moment_in
from fwdtui.ui.draw.styles import Styles
from fwdtui.ui.draw.view import when_text

_SINCE = "since the blast began"


def tables(traces: Sequence[Trace]) -> list[SampleTable]:
    """A table for each trace that has samples; seconds count from the beginning of its blast."""
    return [
        SampleTable(
            f"{trace.label} iteration {trace.index}",
            sample_rows(trace.series.flows, trace.series.cores, unlike=trace.series.unlike),
            trace.series.began,
        )
        for trace in traces
        if trace.series.flows
    ]


class TimeChart(Static, CursorChart, can_focus=True):
    """The time series with a cursor. Moments are in seconds since each side's blast began.

    The cursor stays when other iterations are chosen.
    """

    DEFAULT_CSS = "TimeChart:focus { background: $surface; }"
    BINDINGS: ClassVar[list[BindingType]] = [*CursorChart.BINDINGS]  # Static inherits none
    _drawn: tuple[Sequence[Trace], int, int, Styles, bool] | None = None

    def draw(self, traces: Sequence[Trace], width: int, rows: int, styles: Styles, close: bool) -> Text:
        """The drawing of these traces, as `overlay` makes it."""
        self._drawn = traces, width, rows, styles, close
        axes = self._axes()
        if axes is None or (self.cursor is not None and not axes.start <= self.cursor <= axes.end):
            self.cursor = None
        return overlay(traces, width, rows, styles, close=close, cursor=self.cursor)

    def forget(self) -> None:
        """Forget the traces, as something else is shown instead."""
        self._drawn = None

    def tables(self) -> list[SampleTable]:
        """A table for each side that has samples; seconds count from the beginning of its blast."""
        return [] if self._drawn is None else tables(self._drawn[0])

    def to_copy(self) -> Copy | None:
        """Both sides' samples under the cursor; without a cursor, all samples."""
        if self._drawn is None:
            return None
        at = self.cursor
        if at is None:
            return samples(self.tables())
        when = when_text(at)
        sides = [
            (trace.label, reading(trace.moment(at), when, _SINCE)) for trace in self._drawn[0] if trace.flow
        ]
        return Copy(f"the samples at {when}", "\n".join(map(line, sides)))

    @property
    def recorded_cursor(self) -> float | None:
        """The cursor's moment on the recording's time axis of the first table; None: there is none."""
        if self._drawn is None or self.cursor is None:
            return None
        began = [trace.series.began for trace in self._drawn[0] if trace.series.flows]
        return self.cursor + began[0] if began else None

    # the cursor

    def sample_times(self) -> Sequence[float]:
        """The moments of the samples that are drawn: the candidate's, else the baseline's."""
        axes = self._axes()
        for trace in reversed(self._drawn[0] if self._drawn else ()):
            if trace.flow and axes is not None:
                times = (at - trace.series.began for at in sample_times(trace.series.flows))
                return [at for at in times if axes.start <= at <= axes.end]
        return ()

    def moment_of(self, column: int) -> float | None:
        """The moment at a column of the content, in seconds since the blasts began; None: beside the plot."""
        where = self._plotted()
        return None if where is None else moment_in(where.axes, column - where.left)

    def _plotted(self) -> Plotted | None:
        if self._drawn is None:
            return None
        traces, width, rows, _, close = self._drawn
        return plotted(traces, width, rows, close=close)

    def _axes(self) -> Axes | None:
        where = self._plotted()
        return None if where is None else where.axes

    def cursor_moved(self) -> None:
        """Draw the chart again."""
        if self._drawn is not None:
            self.update(self.draw(*self._drawn))
