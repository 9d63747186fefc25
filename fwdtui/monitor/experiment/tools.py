"""The receiver and the generators of one blast: written to the journal, marked, and never started twice."""

import contextlib
from collections.abc import Sequence

from fwdtui.collectors.tools.running import RunningTool
from fwdtui.core.arrived import QUIET
from fwdtui.core.link_wait import longest
from fwdtui.core.text import clean, decode
from fwdtui.monitor.experiment.actions import StepFailed
from fwdtui.monitor.experiment.book import Book
from fwdtui.monitor.run.lab_tools import LISTEN
from fwdtui.monitor.run.waiting import Waiter
from fwdtui.store.experiment_journal import LEFT_OUT, STOPPED, TOOLS
from fwdtui.transport.errors import HostError
from fwdtui.transport.remote_shell import ending, new_mark

_STRAY = 30.0  # seconds in which traffic that we did not start must end
_END = 15.0  # seconds to end what an earlier run may have left on a host


class Tools:
    """Starts and stops the bench's tools. In each call, `where` are fields of the journal's steps."""

    def __init__(self, waiter: Waiter, book: Book) -> None:
        self._waiter = waiter
        self._bench = waiter.bench
        self._book = book
        self._mark = ""

    async def start(self, **where: object) -> Sequence[RunningTool]:
        """Start the receiver, wait until it is ready, start the generators. Raises FwdtuiError."""
        self._mark = new_mark()
        lab = self._bench.lab
        ends = [*lab.generators, *([lab.receiver] if lab.receiver else [])]
        hosts = tuple(dict.fromkeys(end.host for end in ends if end.start))
        commands = "\n".join(end.start for end in ends if end.start)
        text = LEFT_OUT if self._book.journal.is_long else commands[:4000]
        with self._book.taking(TOOLS, mark=self._mark, hosts=hosts, text=text, **where):
            listen = LISTEN + longest([lab.receiver] if lab.receiver else [])
            return await self._bench.start_tools(self._mark, listen)

    async def stop(self, **where: object) -> None:
        """Stop what was started last, over the tools' own connections."""
        mark, self._mark = self._mark, ""
        if mark:
            try:
                with self._book.taking(STOPPED, mark=mark, **where):
                    await self._bench.stop_tools()
            except OSError:  # the step could not be written, which is no reason to go on sending
                await self._bench.stop_tools()
                raise

    async def end_left(self) -> None:
        """End what an earlier run of this experiment may have left on the hosts. Raises a HostError.

        The end of a connection ends what ran over it, but not at once, and not if the host's shell was
        stopped.
        """
        left = dict(self._book.known.marks)
        for mark, names in left.items():
            with self._book.taking(STOPPED, mark=mark, hosts=names, text="left by an earlier run"):
                for name in names:
                    host = await self._bench.host(name)
                    await host.run(ending([mark]), timeout=_END)
                if self._bench.lab.generators:
                    await self._stop_commands(names)

    async def _stop_commands(self, names: Sequence[str]) -> None:
        """Run lab.toml's stop commands: they reach what runs as another user, or in the background."""
        lab = self._bench.lab
        for end in (*lab.generators, *([lab.receiver] if lab.receiver else [])):
            if end.stop and end.host in names:
                host = await self._bench.host(end.host)
                with contextlib.suppress(HostError):  # there may be nothing to stop
                    await host.run(end.stop, timeout=_END)

    async def none_stray(self) -> None:
        """Wait until nothing is sent. Raises StepFailed if there is other traffic, or our generator runs."""
        waiter = self._waiter
        if not await waiter.wait(_STRAY, lambda: not self._sent() and not self._bench.monitor.in_blast):
            if waiter.stop.is_set():
                return
            raise StepFailed(
                f"{self._sent() or 'traffic'} although nothing was started; stop the sender, then resume"
            )
        for end in self._bench.lab.generators:
            if end.start and (pid := await self._runs(end.host, end.start)):
                raise StepFailed(f"{end.host}: the generator is running already, as process {pid}")

    def _sent(self) -> str:
        """The traffic that is seen at present, in words; "" if there is none."""
        seen = self._waiter.seen
        flows = [flow for flow in (seen.offered, seen.forwarded) if (flow.now or 0.0) >= QUIET]
        return " and ".join(f"{flow.now:.0f} pps {flow.name}" for flow in flows)

    async def _runs(self, name: str, command: str) -> int | None:
        """The process on the host that has exactly this command as its arguments; None if there is none."""
        host = await self._bench.host(name)
        done = await host.run("ps -axww -o pid= -o args=", timeout=_END)
        wanted = clean(" ".join(command.split()))
        for line in map(clean, decode(done.stdout).splitlines()):
            pid, _, arguments = line.strip().partition(" ")
            if " ".join(arguments.split()) == wanted and pid.isdecimal():
                return int(pid)
        return None
