"""How a tool ended, in one line: what it did, or why it failed and how to fix that."""

from collections.abc import Sequence
from dataclasses import dataclass

from fwdtui.collectors.tools.base import GENERATOR, Origin, Tool, ToolVerdict
from fwdtui.collectors.tools.shell import (
    ESCAPES,
    another_user,
    escapes,
    first_word,
    has_time_limit,
    lacks_a_library,
    missing_program,
    time_limit,
)
from fwdtui.core.model import NOT_STOPPED
from fwdtui.core.text import clean
from fwdtui.core.units import grouped, pps
from fwdtui.transport.base import Exit
from fwdtui.transport.settings import DEADMAN

_SHOWN = 200
_NOT_EXECUTABLE, _NOT_FOUND, _SIGNALLED = 126, 127, 128
_TIMED_OUT = 124  # status of timeout(1) of GNU and of FreeBSD, whatever signal it sent (except KILL)
_HARDER = ("SIGTERM", "SIGKILL", "signal 9", "signal 15")
"""What the transport sends to a process group that did not end in time."""
_AT_ONCE = 2.0  # seconds
_SOONER = 1.0  # seconds by which our clock may have begun later than the command


@dataclass(frozen=True, slots=True)
class Ended:
    """How a run of a tool ended.

    `code` is the event's: one of TOOL_ENDS. `asked`: we ended it, at the user's request.
    `seconds` is how long it ran, by our clock. `notes`: anything else worth knowing, one line each.
    `doubt`: what to do because the tool may still run; "" if it does not.
    """

    code: str
    text: str
    exit: Exit
    verdict: ToolVerdict
    asked: bool
    seconds: float
    notes: tuple[str, ...] = ()
    doubt: str = ""

    @property
    def failed(self) -> bool:
        return self.code == "tool-failed"


def judge(
    tool: Tool,
    origin: Origin,
    start: str,
    exit: Exit,
    verdict: ToolVerdict,
    *,
    asked: bool,
    seconds: float,
    words: Sequence[str] = (),
    notes: Sequence[str] = (),
    stop: str | None = None,
    forced: bool = False,
    signalled: bool = False,
    system: str = "",
) -> Ended:
    """Judges whether a run of a tool ended well or failed, and says so in one line.

    `words` are the last lines of the output that were not samples, the newest last. `stop`: lab.toml's stop
    command. `forced`: a signal of ours ended the run, not that command. `signalled`: the tool's own signal
    was sent first, and there was time to end at it. `system`: the host's; "": it is not known.
    """
    what = tool.on(origin.host)
    # neither the end of the connection nor the status of the shell around a program shows that a program
    # which runs as another user has ended; a tool that has printed its totals has
    unsure = (forced or exit.lost) and verdict.packets is None
    doubt = unreached(origin.host, start, stop) if unsure else ""
    # what left the process group did not end at the tool's signal, but its shell at the one that followed
    harder = signalled and tool.signal != "TERM" and _signal(exit) in _HARDER
    if unsure and not doubt and not stop and escapes(start, system) and (exit.lost or harder):
        doubt = ESCAPES
    limited = not asked and _at_limit(start, exit, seconds)
    why = _failure(tool, origin, start, exit, verdict, asked or limited, words, doubt)
    if why:
        text = f"{what} {why}"
    elif doubt:
        text = f"{what} was told to stop and may still run: {doubt}"
    elif limited:
        text = f"{what} reached its time limit{_totals(origin, verdict)}"
    else:
        text = f"{what} {'was stopped' if asked else 'ended'}{_totals(origin, verdict)}"
        if not asked and seconds < _AT_ONCE and not words and verdict == ToolVerdict():
            text += (
                " at once and without any output: a start command must stay in the foreground;"
                " what it leaves in the background is neither read nor stopped"
            )
    code = "tool-ended"
    if why:
        code = "tool-failed"
    elif doubt and stop:  # its stop command failed; the tool did what it should until then
        code = NOT_STOPPED
    return Ended(
        code,
        clean(text),
        exit,
        verdict,
        asked,
        seconds,
        (*notes, *verdict.skipped),
        clean(doubt),
    )


def _at_limit(start: str, exit: Exit, seconds: float) -> bool:
    """Whether timeout(1) ended the tool.

    busybox has no exit status of its own for that, and with --preserve-status neither have the others.
    """
    if exit.status == _TIMED_OUT:
        return has_time_limit(start)
    limit = time_limit(start)
    return limit is not None and exit.status == _SIGNALLED + limit[1] and seconds > limit[0] - _SOONER


def unreached(host: str, start: str, stop: str | None) -> str:
    """What to do about a tool that may still run, since our signals may not reach it; "" if they do."""
    if stop:
        return f"run its stop command on {host}: {stop}"
    if other := another_user(start):
        return (
            f"our signals reach what runs through {other} only if the login is root; give it a stop command"
        )
    return ""


def _failure(
    tool: Tool,
    origin: Origin,
    start: str,
    exit: Exit,
    verdict: ToolVerdict,
    expected: bool,
    words: Sequence[str],
    doubt: str,
) -> str:
    """Why the tool failed, as the end of a sentence; empty if it did not.

    `expected`: we ended the tool, or its time limit did.
    """
    missing = next((name for line in reversed(words) if (name := missing_program(line))), None)
    if exit.status == _NOT_FOUND and (lacking := next(filter(lacks_a_library, reversed(words)), "")):
        return f"did not start: {_short(lacking)}"
    if exit.status == _NOT_FOUND or (missing and missing.rsplit("/", 1)[-1] == tool.program):
        name = missing or first_word(start)
        ours = name.rsplit("/", 1)[-1] == tool.program
        fix = tool.install if ours else "install it there, or correct the start command in lab.toml"
        return f"did not start: {name} is not found on {origin.host} ({fix})"
    if exit.status == _NOT_EXECUTABLE:
        return f"did not start: not executable{_quoted(words)}"
    if verdict.failure:
        return f"failed: {_short(verdict.failure)}"
    if exit.lost:
        then = (
            f"it may still run: {doubt}" if doubt else f"the host ends it on its own within {DEADMAN:.0f} s"
        )
        return f"was cut off: {exit.reason or 'the connection was lost'}; {then}"
    if not expected and (ended := _signal(exit)):
        return f"was killed by {ended}, not by fwdtui"
    if not expected and exit.status:
        trouble = f": {_short(verdict.trouble)}" if verdict.trouble else _quoted(words)
        return f"ended with status {exit.status}{trouble}"
    if verdict.nothing:
        return f"{'sent' if origin.role == GENERATOR else 'received'} nothing: 0 pps"
    return ""


def _signal(exit: Exit) -> str:
    if exit.signal:
        return f"SIG{exit.signal}"
    if exit.status is not None and _SIGNALLED < exit.status < _SIGNALLED + 65:
        return f"signal {exit.status - _SIGNALLED}"
    return ""


def _totals(origin: Origin, verdict: ToolVerdict) -> str:
    if verdict.packets is None:
        return ""
    text = f": {'sent' if origin.role == GENERATOR else 'received'} {grouped(verdict.packets)} packets"
    if verdict.seconds:
        text += f" in {verdict.seconds:.2f} s"
    if verdict.pps:
        text += f" ({pps(verdict.pps)})"
    if verdict.lost:
        text += f", {grouped(verdict.lost)} lost"
    return text


def _quoted(words: Sequence[str]) -> str:
    return f": {_short(words[-1])}" if words else ""


def _short(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= _SHOWN else text[: _SHOWN - 1] + "…"
