"""The seams of this package: a source of samples, what feeds it, and what knows one operating system."""

from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol, runtime_checkable

from fwdtui.collectors.clock import Axis
from fwdtui.collectors.frames import Frame
from fwdtui.collectors.watch import Watch
from fwdtui.core.model import Fact, HostSample, Sample
from fwdtui.transport.base import Host

Emit = Callable[[Sample], None]


class Source(Protocol):
    """Samples of all hosts in the order in which they came: a lab, or a recording that is played again."""

    def __aiter__(self) -> AsyncIterator[Sample]: ...
    async def aclose(self) -> None:
        """Stop it and all that it runs; bounded in time, may be called again."""
        ...


class Producer(Protocol):
    """Whatever feeds a source: a host's sampler, a tool's output."""

    async def run(self, emit: Emit, axis: Axis) -> None:
        """Emit samples until there will be none or the task is cancelled; then leave nothing behind."""
        ...


@dataclass(frozen=True, slots=True)
class Readout:
    """One frame as its system reads it.

    `sample` lacks what only the sampler knows: host, seq, at, late. Its `t` is the middle of the reading;
    `begin` and `end` are the host's clock before and after it in seconds (None: the frame had no clock).
    `links` is each interface's state where the frame tells it, `messages` the end of the kernel's messages
    (None: not asked for), `refused` why they cannot be read.
    """

    sample: HostSample
    begin: float | None = None
    end: float | None = None
    links: Mapping[str, bool] = field(default_factory=dict)
    messages: str | None = None
    refused: str = ""


def sample_of(
    frame: Frame,
    begin: int | None,
    end: int | None,
    *,
    boot: str,
    resolution: float,
    wall: float | None,
    counting: str = "",
) -> HostSample:
    """A sample with no counters yet. `begin` and `end`: the host's clock around it, in nanoseconds.

    `counting`: what the drop counters of the system's interfaces hold, one of core.drop_stages.COUNTINGS.
    """
    t = 0.0 if begin is None or end is None else (begin + end) / 2e9
    return HostSample(
        host="", seq=frame.seq, t=t, at=0.0, boot=boot, resolution=resolution, wall=wall, counting=counting
    )


class Sampling(Protocol):
    """One sampler process on one host, from its start to its end. Knows text, does no input or output."""

    @property
    def script(self) -> str:
        """/bin/sh script that reads one line per tick from stdin and ends with it; prints frames."""
        ...

    @property
    def messages(self) -> float:
        """How often to look at the kernel's messages, in seconds."""
        ...

    def greeting(self, frame: Frame) -> Sequence[bytes]:
        """The first frame, kind HELLO, which comes unasked -> lines to send before the first tick."""
        ...

    def line(self, kind: str, seq: int) -> bytes:
        """The line that asks for frame `seq` of a `kind` (frames.PLAIN, SLOW, MESSAGES)."""
        ...

    def read(self, frame: Frame) -> Readout: ...


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that a host offers or lacks. `ok` None: not needed here, or it could not be told."""

    host: str
    what: str
    ok: bool | None
    found: str
    fix: str = ""  # a sentence or a command that mends it


@dataclass(frozen=True, slots=True)
class Facts:
    """What a host is, for the head of a report: "kernel" -> ..., and why others are absent."""

    values: Mapping[str, Fact] = field(default_factory=dict)
    notes: tuple[str, ...] = ()


@runtime_checkable
class System(Protocol):
    """What knows one operating system: how to sample it, what to ask for a report, what to check.

    Anyone can add one: an entry point of the group ``fwdtui.systems`` that leads to such an object.
    """

    @property
    def name(self) -> str:
        """As lab.toml writes it: "linux"."""
        ...

    @property
    def uname(self) -> str:
        """As `uname -s` prints it: "Linux"."""
        ...

    def sampling(self, watch: Watch, token: str, interval: float) -> Sampling:
        """`token` marks the lines of frames: unlike anything a file could hold. `interval` in seconds."""
        ...

    async def facts(self, host: Host, watch: Watch, sysctls: Sequence[str]) -> Facts:
        """Asked once per session; `sysctls` are the user's own beside the system's. Raises a HostError."""
        ...

    async def checks(self, host: Host, watch: Watch) -> Sequence[Check]:
        """What the doctor looks for, beside what it tries by itself. Raises a HostError."""
        ...
