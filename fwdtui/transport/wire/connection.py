"""One live connection to one host, and the programs that run over it."""

import asyncio
import contextlib
import time
from collections.abc import Awaitable, Callable, Iterable

import asyncssh

from fwdtui.transport import remote_shell
from fwdtui.transport.base import Completed
from fwdtui.transport.errors import ChannelsBusy, HostError, RemoteShellFailed, TimedOut, Unreachable
from fwdtui.transport.settings import SshSettings
from fwdtui.transport.wire.explain import lost_text
from fwdtui.transport.wire.process import SshProcess

_CLOSE = 1.0
_AGAIN_FIRST = 0.1  # seconds until a refused session is retried
_AGAIN_MAX = 1.0
_UNANSWERED = 20  # sessions in a row that the server may close without an answer
_ANSWER = 2.0  # seconds for a host to open another channel: if it does not, it is stalled
_FORCE = 4.0  # seconds to end what another channel started, including one second for it to clean up


class Connection:
    """A live connection. `label` names the host in errors; `release` closes its jump hosts or proxy."""

    def __init__(
        self,
        label: str,
        settings: SshSettings,
        connection: asyncssh.SSHClientConnection,
        lost: "asyncio.Future[BaseException | None]",
        release: Callable[[], Awaitable[None]],
    ) -> None:
        self.label = label
        self._settings = settings
        self._connection = connection
        self._lost = lost
        self._release = release
        self._gate = ChannelGate(settings.channels)
        self._processes: set[SshProcess] = set()
        self._opening: set[asyncio.Task[object]] = set()
        self._last_heard = time.monotonic()
        self._unended: set[str] = set()
        self._closing = False

    @property
    def unended(self) -> set[str]:
        """The marks of programs that were started here and whose end the host has not reported."""
        return self._unended | {process.mark for process in self._processes if process.unended}

    @property
    def alive(self) -> bool:
        return not self._lost.done()

    async def wait_lost(self) -> str:
        """Waits until the connection has ended; returns the reason."""
        return lost_text(await asyncio.shield(self._lost))

    def beat(self) -> float:
        """Send a heartbeat to every program; returns seconds since anything was received (0 if none runs)."""
        running = [p for p in self._processes if p.begun.done() and p.exit is None]
        for process in running:
            process.beat()
        if not running or any(process.paused for process in running):
            self._heard()
        return time.monotonic() - self._last_heard

    async def run(self, script: str, seconds: float, deadline: float, limit: int) -> Completed:
        """See base.Host.run. `seconds` end at `deadline`, which is in the loop's time."""
        process: SshProcess | None = None
        refused: list[HostError] = []
        try:
            async with asyncio.timeout_at(deadline):
                process = await self._start(script, refused, capture=limit)
                ended = await process.wait()
                closing = self._closing  # noted now: a close that comes later did not end the command
        except TimeoutError:
            late = TimedOut(self.label, f"a command did not finish within {seconds:g} s")
            raise (refused[-1] if refused else late) from None
        finally:
            if process is not None:
                await process.close()
        if ended.lost:
            raise Unreachable(self.label, f"{ended.reason} while a command ran")
        if closing:  # our own closing ended the command: the status is not its own
            raise Unreachable(self.label, "the connection was closed while a command ran")
        return Completed(
            stdout=bytes(process.captured),
            stderr=process.stderr,
            status=ended.status,
            signal=ended.signal,
            truncated=process.truncated,
        )

    async def start(
        self,
        script: str,
        stdin: bool,
        merge_stderr: bool,
        seconds: float,
        heed: Callable[[bytes], bool] | None = None,
    ) -> SshProcess:
        """See base.Host.start."""
        refused: list[HostError] = []
        try:
            async with asyncio.timeout(seconds):
                return await self._start(
                    script, refused, stdin=stdin, merge_stderr=merge_stderr, force=self._force, heed=heed
                )
        except TimeoutError:
            late = TimedOut(self.label, f"/bin/sh did not start within {seconds:g} s")
            raise (refused[-1] if refused else late) from None

    async def end(self, marks: Iterable[str]) -> bool:
        """End what was launched with these marks, from another channel; False if the host is stalled."""
        began = asyncio.get_running_loop().time()
        refused: list[HostError] = []
        process: SshProcess | None = None
        try:
            async with asyncio.timeout(_ANSWER):
                process = await self._start(remote_shell.ending(marks), refused)
            async with asyncio.timeout_at(began + _FORCE):
                return (await process.wait()).status == 0
        except (TimeoutError, HostError):
            return False
        finally:
            if process is not None:
                await process.close()

    async def _force(self, process: SshProcess) -> None:
        """Ends processes that the end of stdin did not end, or remembers that they may be left."""
        if await self.end([process.mark]):
            await process.wait_ended(_CLOSE)
        if process.unended:
            self._unended.add(process.mark)

    async def close(self) -> None:
        """End the connection, abruptly if the peer is stalled. May be called again."""
        self._closing = True
        self._connection.close()
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(_CLOSE):
                await self._connection.wait_closed()
        self._connection.abort()
        for task in list(self._opening):
            task.cancel()
        if self._opening:
            await asyncio.wait(self._opening, timeout=_CLOSE)
        await self._release()

    async def _start(
        self,
        script: str,
        refused: list[HostError],
        *,
        stdin: bool = False,
        merge_stderr: bool = False,
        capture: int | None = None,
        force: Callable[[SshProcess], Awaitable[None]] | None = None,
        heed: Callable[[bytes], bool] | None = None,
    ) -> SshProcess:
        """Start a process. Retries while the server refuses; `refused` collects the reasons."""
        again, unanswered = _AGAIN_FIRST, 0
        while True:
            mark = remote_shell.new_mark()
            text = remote_shell.launch(
                script, mark, stdin=stdin, merge_stderr=merge_stderr, deadman=self._settings.deadman
            )
            process = SshProcess(
                self.label,
                text,
                mark,
                capture=capture,
                heed=heed,
                heard=self._heard,
                closed=self._settle,
                force=force,
            )
            await self._admitted(refused)
            self._processes.add(process)
            try:
                await self._open(process, refused)
            except ChannelsBusy as busy:
                # sshd's MaxSessions is reached, perhaps by a session that has ended here but not yet there
                refused.append(busy)
                unanswered = unanswered + 1 if isinstance(busy, _Unanswered) else 0
                if unanswered == _UNANSWERED:
                    raise RemoteShellFailed(self.label, busy.text) from None
                await self._gate.freed(again)
                again = min(again * 2, _AGAIN_MAX)
                continue
            refused.clear()
            return process

    async def _admitted(self, refused: list[HostError]) -> None:
        """Wait for a place among our own sessions.

        While running programs have all places, `refused` has that reason. Else the places may belong to
        sessions that have ended but are not closed yet, as on a stalled link.
        """
        running = sum(one.begun.done() and one.exit is None for one in self._processes)
        if running < self._settings.channels:
            await self._gate.acquire()
            return
        refused.append(
            ChannelsBusy(
                self.label,
                f"{running} programs already run there, as many as one connection allows: let one start"
                " command serve several generators",
            )
        )
        await self._gate.acquire()
        refused.pop()

    async def _open(self, process: SshProcess, refused: list[HostError]) -> None:
        """Open the channel and wait until the script runs. If that fails, nothing is left behind.

        If the wait is cancelled before the script runs, the reason why it does not run is added to `refused`.
        """
        # the request itself must not be cancelled: a channel that opens later would stay open unnoticed
        task = asyncio.ensure_future(
            self._connection.create_session(
                lambda: process,
                remote_shell.COMMAND,
                request_pty=False,
                x11_forwarding=False,
                encoding=None,
            )
        )
        self._opening.add(task)
        task.add_done_callback(lambda done: self._opened(process, done))
        try:
            await _begun(process, task)
        except RemoteShellFailed:
            process.abandon()
            if self._closing:  # that ends the login shell too, so its end says nothing about the shell
                raise Unreachable(self.label, "the connection was closed") from None
            raise
        except asyncssh.ChannelOpenError as problem:
            raise self._channel_error(problem, ended=process.exit is not None) from None
        except asyncssh.Error as problem:
            raise Unreachable(self.label, lost_text(problem)) from None
        except OSError as problem:  # the server closed the connection during the request
            process.abandon()
            raise Unreachable(self.label, lost_text(problem)) from None
        except BaseException:
            if stuck := process.stuck():
                refused.append(stuck)
            process.abandon()
            raise

    def _opened(self, process: SshProcess, task: "asyncio.Task[object]") -> None:
        self._opening.discard(task)
        failed = task.cancelled() or task.exception() is not None
        if failed and not process.connected:
            self._settle(process)

    def _settle(self, process: SshProcess) -> None:
        """Called when the server no longer has a channel for this process."""
        if process in self._processes:
            if process.unended:
                self._unended.add(process.mark)
            self._processes.discard(process)
            self._gate.release()

    def _heard(self) -> None:
        self._last_heard = time.monotonic()

    def _channel_error(self, problem: asyncssh.ChannelOpenError, ended: bool) -> HostError:
        """The error for a session that could not be opened. `ended`: the server has closed it again."""
        if self._connection.is_closed() or "connection closed" in problem.reason:
            return Unreachable(self.label, "connection lost")
        if problem.code == asyncssh.OPEN_REQUEST_SESSION_FAILED and ended:
            # dropbear on a slow machine sometimes does that: it has neither run the command nor refused it
            return _Unanswered(self.label, "the server closes sessions before it has run a command")
        if problem.code == asyncssh.OPEN_REQUEST_SESSION_FAILED:
            return RemoteShellFailed(self.label, "the server runs no commands for this user")
        return ChannelsBusy(
            self.label,
            f"the server refuses another session ({problem.reason}): raise MaxSessions in its sshd_config",
        )


class _Unanswered(ChannelsBusy):
    """The server has closed a session instead of answering the request. The next session may work."""


async def _begun(process: SshProcess, request: "asyncio.Task[object]") -> None:
    """Returns once the script runs. Raises what `request` raises, or a HostError if its channel ended."""
    caller = asyncio.current_task()
    try:
        await asyncio.shield(request)
    except AttributeError:
        # asyncssh does not expect a channel to end between the answer to its request and its own next step
        if process.exit is None:
            raise
    except asyncio.CancelledError:
        if not request.cancelled() or (caller is not None and caller.cancelling()):
            raise
        raise Unreachable(process.host, "the connection was closed") from None  # see Connection.close
    await asyncio.shield(process.begun)


class ChannelGate:
    """Limits the number of channels. `freed` wakes those who wait because the server refused a session."""

    def __init__(self, limit: int) -> None:
        self._slots = asyncio.Semaphore(limit)
        self._freed = asyncio.Event()

    async def acquire(self) -> None:
        await self._slots.acquire()

    def release(self) -> None:
        self._slots.release()
        self._freed.set()

    async def freed(self, seconds: float) -> None:
        """Wait until another channel has closed, or for `seconds`."""
        self._freed.clear()
        try:
            async with asyncio.timeout(seconds):
                await self._freed.wait()
        except TimeoutError:
            pass
