"""A profile as a profiler on the DUT took it, and what the profiler reports about it."""

from collections.abc import Mapping

import msgspec

from fwdtui.core.profile.folded import Folded

TIMED = ("cpu-clock", "task-clock")
"""Events that are a timer: they take samples of an idle core too, so each core has the same number."""
CLOCK = 2.5e9
"""Cycles per second that a core is assumed to have: the same for all hosts, so that each sample is worth as
many."""


class Asked(msgspec.Struct, frozen=True):
    """What the profiler is asked for.

    `frequency`: samples per second of each core. 499 is not in step with a kernel's usual timers, and low
    enough for a small router. If the event is cycles, a sample is taken every `cycles` cycles. `event` empty:
    cycles if the host counts them, else a timer.
    """

    seconds: float = 10.0
    frequency: int = 499
    event: str = ""

    @property
    def cycles(self) -> int:
        """Cycles between two samples: of a busy core at 2.5 GHz these are `frequency` samples per second."""
        return round(CLOCK / self.frequency)


class Capture(msgspec.Struct, frozen=True):
    """One capture. None: the profiler does not report it.

    `began` and `ended` are seconds of the host's own clock, that of `HostSample.t`: of the first and the last
    sample, or of the moments before and after the profiler ran; in between it took samples for `seconds`.
    `cores`: the samples of each core that gave any; `online`: how many cores the host has. `lost`: samples
    that the profiler could not write; `paused`: the share of the cores' time in which the kernel held it back
    (0 to 1); `limit`: the kernel's own limit of samples per second, at the end. `depth`: frames of a stack
    that it keeps. `period`: events between two samples, where they were taken by the number of events.
    `problem`: why there is no profile, in the profiler's own words.
    """

    profiler: str = ""
    event: str = ""
    folded: Folded = Folded()
    began: float | None = None
    ended: float | None = None
    online: int | None = None
    cores: Mapping[int, int] = {}
    lost: int | None = None
    paused: float | None = None
    limit: float | None = None
    depth: int | None = None
    period: int | None = None
    seconds: float | None = None
    problem: str = ""
    notes: tuple[str, ...] = ()


def silent(status: str) -> str:
    """The `problem` of a profiler that printed nothing. `status`: its exit status; "" if there is none."""
    return f"it ended with status {status}" if status else "no answer"
