"""Reboots the DUT, and waits until another boot of it forwards again."""

import asyncio
import math
import time
from collections.abc import Awaitable, Callable, Collection
from functools import partial
from pathlib import Path

from fwdtui.core.arrived import QUIET
from fwdtui.core.errors import FwdtuiError
from fwdtui.core.experiment import Experiment
from fwdtui.core.experiment.booting import Booting
from fwdtui.core.link_wait import longest
from fwdtui.core.model import HostSample, Sample
from fwdtui.core.parse.proc_clock import parse_boot_id
from fwdtui.monitor.experiment.actions import Interrupted, StepFailed
from fwdtui.monitor.experiment.book import Book
from fwdtui.monitor.run.blasting import Enter
from fwdtui.monitor.run.waiting import Waiter
from fwdtui.store.experiment_journal import FORWARDS, REBOOT
from fwdtui.transport.base import Host, Phase
from fwdtui.transport.errors import HostError

_ASK = 20.0  # seconds in which the reboot command must be accepted
_REVIVE = 10.0  # seconds between attempts to sample a host whose sampler has failed for good
_FIRST = 15.0  # seconds in which the first packets have to come through, once the generator has its link
_QUIET = 15.0  # seconds in which the end of these packets is seen
_TOLD = 15.0  # seconds in which a host that answers is sampled
_LOOK = 0.1


def own_boot() -> str:
    """The identity of this computer's boot, in the form that hosts' samples have; "" if it has none."""
    try:
        return parse_boot_id(Path("/proc/sys/kernel/random/boot_id").read_text()).value
    except OSError:
        return ""


class Boots:
    """The boot of each host, according to its samples. A watcher of `Bench.start`."""

    def __init__(self) -> None:
        self.now: dict[str, str] = {}
        self._told: dict[str, float] = {}  # host -> when its last sample came, in seconds of time.monotonic

    def __call__(self, sample: Sample) -> None:
        if isinstance(sample, HostSample):
            self._told[sample.host] = time.monotonic()
            if sample.boot:  # older FreeBSD systems have no boot identity
                self.now[sample.host] = sample.boot

    def is_current(self, host: Host) -> bool:
        """Whether a sample came over the host's present connection: earlier ones may be of another boot."""
        return host.state.phase in (Phase.UP, Phase.STALE) and self._told_after(host.name, host.state.since)

    async def after_now(self, hosts: Collection[str], over: Callable[[], bool]) -> None:
        """Wait until all of these hosts have been sampled once more; only briefly, and not once `over()`."""
        since = time.monotonic()
        while not all(self._told_after(host, since) for host in hosts):
            if over() or time.monotonic() > since + _TOLD:
                return
            await asyncio.sleep(_LOOK)

    def _told_after(self, host: str, at: float) -> bool:
        return self._told.get(host, -math.inf) > at


class Rebooting:
    """Reboots one lab's DUT as the experiment says."""

    def __init__(
        self, waiter: Waiter, boots: Boots, book: Book, enter: Enter, experiment: Experiment
    ) -> None:
        self._waiter = waiter
        self._bench = waiter.bench
        self._dut = waiter.bench.lab.dut.host
        self._boots = boots
        self._book = book
        self._enter = enter
        self._command = experiment.reboot_command
        self._limit = experiment.abort.boot

    @property
    def boot(self) -> str:
        """The DUT's boot, "" if it is not known."""
        return self._boots.now.get(self._dut, "")

    def is_since(self, boot: str) -> bool:
        """Whether the DUT is still in that boot."""
        return bool(boot) and self._boots.now.get(self._dut) == boot

    def check(self) -> None:
        """Raise FwdtuiError if the DUT is a part of this computer, as in the kernel lab."""
        if self.boot and self.boot == own_boot():
            raise FwdtuiError(
                f"{self._dut} shares this computer's kernel, so rebooting it would reboot this computer:"
                " nothing was changed"
            )

    async def reboot(
        self,
        how: Booting,
        start: Callable[[], Awaitable[object]],
        stop: Callable[[], Awaitable[None]],
        **where: object,
    ) -> str:
        """Reboot, unless `how` says that it is not needed; then check that packets pass.

        `start` and `stop` are those of the tools. `where` are fields of the steps. Returns the boot that was
        reached; the DUT may be in another one by now. Raises StepFailed if the DUT does not come back or does
        not forward; Interrupted.
        """
        old = self._book.known.rebooting
        end = time.monotonic() + self._limit
        now = self._boots.now.get(self._dut, old or "")
        if how is Booting.AWAITED and now != old:  # it has happened
            self._book.write(REBOOT, done=True, boot=now, host=self._dut, **where)
        elif how is not Booting.CHECK:
            await self._ask(now, end, where)
        reached = self.boot
        if not self._waiter.stop.is_set():
            with self._book.taking(FORWARDS, host=self._dut, **where):
                await self._forwards(end, start, stop)
        return reached

    async def back(self) -> None:
        """Reboot once more after everything, and send nothing to check it. Raises StepFailed, Interrupted."""
        await self._ask(self._boots.now.get(self._dut, ""), time.monotonic() + self._limit, {})

    async def _ask(self, old: str, end: float, where: dict[str, object]) -> None:
        with self._book.taking(REBOOT, boot=old, host=self._dut, **where) as outcome:
            self._enter("reboot", self._limit)
            host = await self._bench.host(self._dut)
            try:
                done = await host.run(self._command, timeout=min(_ASK, self._limit))
            except HostError:
                done = None  # the host went down before it could answer
            if done is not None and done.status not in (0, None) and host.state.phase == "up":
                said = done.stderr.decode(errors="replace").strip()
                raise StepFailed(f"{self._dut}: {self._command!r} ended with status {done.status}: {said}")
            if not await self._another(host, old, end):
                if self._waiter.stop.is_set():
                    raise Interrupted("stopped before the DUT was back")
                why = self._waiter.missing().get(self._dut)
                state = f"it gives no samples: {why}" if why else "it is still the same boot"
                raise StepFailed(f"{self._dut} did not come back within {self._limit:.0f} s ({state})")
            outcome["boot"] = self._boots.now[self._dut]

    async def _another(self, host: Host, old: str, end: float) -> bool:
        """Wait for another boot with samples; samplers that gave up on a host meanwhile are started again.

        `host`, the DUT, is tried each time, however long its outage has lasted: it was asked to go down.
        """

        def back() -> bool:
            return self._boots.now.get(self._dut, old) != old and not self._waiter.missing()

        while not self._waiter.stop.is_set() and time.monotonic() < end:
            if await self._waiter.wait(min(_REVIVE, max(end - time.monotonic(), 0.01)), back):
                return True
            self._bench.revive()
            host.keep_connected()
        return False

    async def _forwards(
        self, end: float, start: Callable[[], Awaitable[object]], stop: Callable[[], Awaitable[None]]
    ) -> None:
        """Send until packets come through; this traffic becomes no iteration."""
        monitor, waiter = self._bench.monitor, self._waiter
        monitor.automatic = False
        try:
            while True:
                self._enter("checking that the DUT forwards", max(end - time.monotonic(), 0.0))
                passed, why = False, ""
                before = self._arriving()
                try:
                    await start()
                    first = _FIRST + longest(self._bench.lab.generators)
                    seconds = min(first, max(end - time.monotonic(), 1.0))
                    passed = await waiter.wait(seconds, partial(self._passes, before))
                except Interrupted:
                    raise
                except FwdtuiError as error:  # a host or a receiver that is not ready yet
                    why = f" ({error})"
                finally:
                    await stop()
                await waiter.wait(_QUIET, lambda: not monitor.in_blast)
                if passed:
                    return
                if waiter.stop.is_set():
                    raise Interrupted("stopped before the DUT was seen to forward")
                if time.monotonic() >= end:
                    raise StepFailed(f"{self._dut} is up, but forwards nothing{why}")
                await waiter.wait(2.0)
        finally:
            monitor.automatic = True

    def _arriving(self) -> tuple[float | None, float | None]:
        """Packets per second at the end of the test path, and at the DUT's outputs."""
        seen = self._waiter.seen
        out = seen.received if self._bench.lab.receiver else seen.forwarded
        return out.now, seen.forwarded.now

    def _passes(self, before: tuple[float | None, float | None]) -> bool:
        """Whether more arrives than `before` anything was sent: there may be other traffic."""
        (end, outputs), (end_before, outputs_before) = self._arriving(), before
        arrives = (end or 0.0) >= (end_before or 0.0) + QUIET
        return arrives and (outputs is None or outputs >= (outputs_before or 0.0) + QUIET)
