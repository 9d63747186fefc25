"""The chosen iteration of each side and its series over time, read once, when it is shown."""

from pathlib import Path

from fwdtui.core.model import Iteration, Session
from fwdtui.monitor.replay.iteration_series import IterationSeries, read_series
from fwdtui.report.comparison import Compared, folder, middle, used
from fwdtui.report.sides import Side
from fwdtui.stats.results import Judged
from fwdtui.ui.compare.time_chart import BASE, OTHER, Trace

_MOST = 200  # series that are kept: a few megabytes


class SeriesRead:
    """The chosen iterations (by default those nearest to the median) and their series."""

    def __init__(self) -> None:
        self._chosen: dict[tuple[str, str], int] = {}
        self._read: dict[Path, IterationSeries] = {}

    def sides(self, compared: Compared, judged: Judged) -> tuple[tuple[str, Side], tuple[str, Side]]:
        """The two sides of a comparison."""
        return (BASE, compared.sides[0]), (OTHER, compared.side(judged.other.label))

    def place(self, side: Side, case: str) -> int:
        """The place of the chosen iteration among the side's, from 0."""
        iterations = used(side, case)
        return min(self._chosen.get((side.spec, case), middle(iterations)), len(iterations) - 1)

    def step(self, side: Side, case: str, step: int) -> None:
        """Choose the next (1) or the previous (-1) iteration; wraps at the ends."""
        if many := len(used(side, case)):
            self._chosen[side.spec, case] = (self.place(side, case) + step) % many

    def folders(self, compared: Compared, judged: Judged) -> list[Path]:
        """The folders of the chosen iterations; empty if a side has none that counts."""
        case = judged.comparison.case
        pair = [side for _, side in self.sides(compared, judged)]
        if not all(used(side, case) for side in pair):
            return []
        return [folder(side, case, used(side, case)[self.place(side, case)]) for side in pair]

    def missing(self, compared: Compared, judged: Judged) -> list[tuple[Path, Session]]:
        """What has to be read before `traces` can be called: folders of iterations, and their sessions."""
        sessions = [side.case(judged.comparison.case).session for _, side in self.sides(compared, judged)]
        both = zip(self.folders(compared, judged), sessions, strict=False)
        return [(path, session) for path, session in both if session is not None and path not in self._read]

    @staticmethod
    def read(path: Path, session: Session) -> IterationSeries:
        """Read a series from disk. This is slow, but changes no state, so a thread may call it."""
        return read_series(path, session)

    def keep(self, path: Path, series: IterationSeries) -> None:
        """Store what `read` returned."""
        while len(self._read) >= _MOST:
            del self._read[next(iter(self._read))]
        self._read[path] = series

    def traces(self, compared: Compared, judged: Judged) -> tuple[list[Trace], list[tuple[Iteration, ...]]]:
        """Both sides' chosen iterations with their series, and the sets that they belong to."""
        case = judged.comparison.case
        traces, sets = [], []
        paths = self.folders(compared, judged)
        for (_, side), path in zip(self.sides(compared, judged), paths, strict=True):
            iterations, place = used(side, case), self.place(side, case)
            one = iterations[place]
            rate = one.value if not compared.view.metric else _rate(one)
            unit = "pps" if compared.view.metric else judged.comparison.unit
            series = self._read[path]
            traces.append(Trace(side.label, one.index, place, len(iterations), rate, series, unit))
            sets.append(iterations)
        return traces, sets


def _rate(one: Iteration) -> float | None:
    """The rate of an iteration whose value is another metric, as the charts draw rates."""
    medians = [one.metrics[name].median for name in ("received", "forwarded") if name in one.metrics]
    return medians[0] if medians else None
