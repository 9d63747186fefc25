"""Waiting for something to happen in a lab that is being measured, until it is stopped."""

import asyncio
import time
from collections.abc import Callable

from fwdtui.core.errors import FwdtuiError
from fwdtui.monitor.live.snapshot import Snapshot
from fwdtui.monitor.run.bench import Bench

BEGIN = 20.0  # seconds within which hosts and a generator must begin, apart from its wait for the link
_RATES = 4  # intervals: two samples come within two, and a host may be slow to begin
_LOOK = 0.25


class Waiter:
    """Waits on one bench. `following` comes from `Bench.start`; `tick` is called four times a second."""

    def __init__(
        self, bench: Bench, following: "asyncio.Task[None]", tick: Callable[[], None] = lambda: None
    ) -> None:
        self.bench = bench
        self.stop = asyncio.Event()
        """Set it to end every wait."""
        self._following = following
        self._tick = tick
        following.add_done_callback(lambda task: self.stop.set())

    @property
    def samples_ended(self) -> bool:
        """Whether there will be no more samples."""
        return self._following.done()

    @property
    def seen(self) -> Snapshot:
        """The run as it is now, without the points of its flows."""
        return self.bench.monitor.snapshot(0)

    async def wait(self, seconds: float | None, until: Callable[[], bool] = lambda: False) -> bool:
        """Wait until `until` holds (returns True), the time is over or `stop` is set.

        Raises the error that ended the samples.
        """
        end = None if seconds is None else time.monotonic() + seconds
        while not self.stop.is_set():
            if until():
                return True
            left = _LOOK if end is None else min(_LOOK, end - time.monotonic())
            if left <= 0:
                return False
            try:
                await asyncio.wait_for(self.stop.wait(), left)
            except TimeoutError:
                self._tick()
        if self._following.done() and not self._following.cancelled():
            if problem := self._following.exception():
                raise problem
            raise FwdtuiError("the hosts send no more samples")
        return until()

    def missing(self) -> dict[str, str]:
        """The hosts without current samples -> why."""
        views = {view.name: view for view in self.seen.hosts}
        by_host = {name: views.get(name) for name in self.bench.lab.hosts()}
        return {
            name: (view.reason if view and not view.up else "") or "the cause is not known"
            for name, view in by_host.items()
            if view is None or not view.up or view.old is not None or view.rates is None
        }

    async def quiet(self) -> None:
        """Wait until every host has rates, and two intervals more: packets are counted from this quiet.

        Raises FwdtuiError if a host gives no samples.
        """

        def silent() -> list[str]:
            views = {view.name: view for view in self.seen.hosts}
            return [name for name in self.bench.lab.hosts() if name not in views or not views[name].rates]

        seconds = max(BEGIN, _RATES * self.bench.lab.interval)
        if not await self.wait(seconds, lambda: not silent()) and not self.stop.is_set():
            raise FwdtuiError(
                f"{', '.join(silent())}: no samples after {seconds:.0f} s, so nothing was started"
            )
        await self.wait(2 * self.bench.lab.interval)

    def save_early(self) -> str:
        """Save the current blast so far; returns what became of it, or "" if there is none."""
        if self.seen.blast is None:
            return ""
        if self.bench.monitor.save_early() is None:
            return "the blast has no whole sample yet, so none of it is saved"
        return "the blast is still on: what was recorded so far becomes an iteration"
