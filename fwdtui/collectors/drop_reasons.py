"""Counts the DUT's drop reasons while a blast runs: starts a script on the host and reads its totals."""

import asyncio
import contextlib
import secrets
from collections.abc import Callable, Mapping, Sequence

from fwdtui.collectors.base import Check, Emit
from fwdtui.collectors.clock import Axis
from fwdtui.collectors.drop_reasons_script import probe, script
from fwdtui.collectors.frames import HELLO, Frame, FrameReader
from fwdtui.core.drop_reasons import COUNTED, rows_of
from fwdtui.core.mib_drops import MIB_DROPS, mib_rows
from fwdtui.core.model import NO_REASONS, REASONS, EventSample
from fwdtui.core.parse.bpftrace_drops import parse_bpftrace_drops
from fwdtui.core.parse.dtrace_drops import parse_dtrace_drops, parse_dtrace_list
from fwdtui.core.parse.fields import whole
from fwdtui.core.parse.hist_trigger import parse_hist_trigger
from fwdtui.core.parse.skb_drop_format import parse_skb_drop_format
from fwdtui.core.reason_counts import DTRACE, HOST, MACHINE, NAMESPACE, TRACEFS, ReasonCounts, ReasonRow
from fwdtui.core.text import clean, decode
from fwdtui.transport.base import Exit, Host, Process
from fwdtui.transport.errors import HostError

_PROBED = "drop-reasons"
PROBE = f"mark reasons; (\n{probe(_PROBED)})\n"
"""A section of the doctor's script (answers.ask); `probed` reads the answer."""
_GRACE = 15.0  # seconds for the last totals, and for a slow kernel to remove the instance: a second or more
_SHOWN = 300


class ReasonCounter:
    """A `base.Producer` that counts drop reasons once, from the call of `run` until `stop`.

    It emits the totals once or twice a second, in events of code model.REASONS. If it cannot count, or can no
    longer count, it emits one event of code model.NO_REASONS that says why.
    """

    def __init__(self, host: Host, now: Callable[[], float]) -> None:
        """`now`: the recording's time in seconds (clock.Axis.now)."""
        self.counting = asyncio.Event()
        """Set once the kernel counts, or once it is certain that it will not."""
        self.failed = ""
        """Why nothing is counted; "" while all is well."""
        self._host = host
        self._now = now
        self._asked = False
        self._process: Process | None = None
        self._names: Mapping[int, str] = {}
        self._means = self._scope = ""
        self._own: int | None = None
        self.since: float | None = None
        """When the first totals arrived, on the recording's axis: the kernel counted by then."""

    async def run(self, emit: Emit, axis: Axis) -> None:
        """Count until `stop` is called or the task is cancelled. Nothing is left on the host."""
        token = secrets.token_hex(8)
        frames = FrameReader(token)
        try:
            self._process = process = await self._host.start(script(token))
            if self._asked:
                return
            async for line in process:
                if (frame := frames.feed(line)) is not None:
                    self._take(frame, emit)
            end = await process.wait()
            if not self._asked and not self.failed:
                self._fail(_how(end, decode(process.stderr)), emit)
        except HostError as error:
            if not self._asked:
                self._fail(error.text, emit)
        finally:
            self.counting.set()
            if self._process is not None:
                await self._process.close()

    async def stop(self) -> None:
        """Ask for the last totals, then end the counting. May be called again."""
        self._asked = True
        if self._process is not None and self._process.exit is None:
            with contextlib.suppress(HostError):
                await self._process.stop("INT", _GRACE)

    def _take(self, frame: Frame, emit: Emit) -> None:
        if frame.kind == HELLO:
            self._greeted(frame, emit)
            return
        rows, missed = self._read(frame.text("counts"))
        now = self._now()
        if self.since is None:
            self.since = now
        total = sum(row.count for row in rows)
        missed += sum(row.count for row in rows[COUNTED:])
        counts = ReasonCounts(self._means, self._scope, self.since, rows[:COUNTED], missed)
        emit(EventSample(now, REASONS, f"{total} drops counted by reason", self._host.name, counts))
        self.counting.set()

    def _read(self, counts: str) -> tuple[tuple[ReasonRow, ...], int]:
        """The rows of a frame, and the number of drops that are in no row."""
        if self._means == DTRACE:
            mib = parse_dtrace_drops(counts).value
            return mib_rows(mib.rows), mib.missed
        read = parse_hist_trigger if self._means == TRACEFS else parse_bpftrace_drops
        table = read(counts).value
        return rows_of(table, self._names, self._own), table.missed

    def _greeted(self, frame: Frame, emit: Emit) -> None:
        if "no" in frame.sections:
            self._fail(frame.text("no").strip(), emit)
            return
        words = frame.text("host").split()
        names = _names(words, frame.text("format"))
        if len(words) != 4 or words[1] not in (HOST, NAMESPACE, MACHINE) or not names:
            self._fail("the host's answer cannot be read", emit)
            return
        self._means, self._scope, self._names = words[0], words[1], names
        self._own = whole(words[2]) if self._scope == NAMESPACE else None
        if words[3] != "0":
            text = f"{clean(words[3])} left over from a counting that was killed: removed"
            emit(EventSample(self._now(), "note", f"Drop reasons: {text}.", self._host.name))

    def _fail(self, why: str, emit: Emit) -> None:
        self.failed = clean(why.replace("\n", " "))[:_SHOWN]
        text = f"Drop reasons are not counted: {self.failed}"
        emit(EventSample(self._now(), NO_REASONS, text, self._host.name))
        self.counting.set()


def _names(words: Sequence[str], text: str) -> Mapping[int, str]:
    """The host's drop reasons by the kernel's number. dtrace's have only names, and are numbered here."""
    if words[:1] == [DTRACE]:
        return dict(enumerate(name for name in parse_dtrace_list(text).value if name in MIB_DROPS))
    return parse_skb_drop_format(text).value


def _how(end: Exit, stderr: str) -> str:
    if end.lost or end.status is None:
        return end.reason or "the connection was lost"
    if end.status > 128:
        return f"its program was ended by signal {end.status - 128}"
    said = stderr.strip().split("\n")[-1]
    return said or f"its program ended with status {end.status}"


def probed(host: str, answer: Frame) -> Check:
    """Whether the host can count drop reasons, and by which means. They are never required."""
    text = answer.text("reasons")
    reader = FrameReader(_PROBED)
    frames = [frame for line in text.split("\n") if (frame := reader.feed(line.encode()))]
    hello = frames[0] if frames else Frame(0, HELLO, {"no": text})
    words = hello.text("host").split()
    names = _names(words, hello.text("format"))
    if "no" in hello.sections or not words or not names:
        why = clean(hello.text("no").strip().split("\n")[-1])[:_SHOWN] or "no answer"
        fix = "needed only for --drop-reasons, and then as root: docs/drop-reasons.md"
        return Check(host, "drop reasons", None, why, fix)
    means = "a histogram of the kernel" if words[0] == TRACEFS else clean(words[0])
    counts = f"{len(names)} reasons, counted by {means}"
    fix = ""
    if words[1:2] == [MACHINE]:
        counts += ", of the whole machine"
    if words[1:2] == [MACHINE] and words[0] != DTRACE:
        fix = "bpftrace, in a kernel with BTF, tells the network namespaces of this machine apart"
    return Check(host, "drop reasons", True, counts, fix)
