"""This package's interfaces: a source of samples, its producers, and the support for an operating system."""

from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol, runtime_checkable

from fwdtui.collectors.clock import Axis
from fwdtui.collectors.frames import Frame
from fwdtui.collectors.watch import Watch
from fwdtui.core.findings import Finding
from fwdtui.core.host_settings import SettingsSource
from fwdtui.core.model import Fact, HostSample, Sample
from fwdtui.core.profile.capture import Asked, Capture
from fwdtui.transport.base import Host

Emit = Callable[[Sample], None]


class Source(Protocol):
    """Samples of all hosts in order of arrival: a lab, or a recording being replayed."""

    def __aiter__(self) -> AsyncIterator[Sample]: ...
    async def aclose(self) -> None:
        """Stop the source and everything it runs. Takes bounded time and may be called again."""
        ...


class Producer(Protocol):
    """Anything that feeds a source: a host's sampler, a tool's output."""

    async def run(self, emit: Emit, axis: Axis) -> None:
        """Emit samples until there are no more or the task is cancelled; leave nothing behind."""
        ...


@dataclass(frozen=True, slots=True)
class Readout:
    """The content of one frame, as its system reads it.

    `sample` does not yet have what only the sampler knows: host, seq, at, late. Its `t` is the middle of the
    reading; `begin` and `end` are the host's clock before and after it, in seconds (None: the frame had no
    clock). `links` says for each interface that the frame reports whether its link is up. `messages` is the
    end of the kernel's messages (None: not asked for), and `refused` is the reason if they cannot be read.
    """

    sample: HostSample
    begin: float | None = None
    end: float | None = None
    links: Mapping[str, bool] = field(default_factory=dict)
    messages: str | None = None
    refused: str = ""
    changes: tuple[str, ...] = ()
    """What has changed on the host since the previous frame, one sentence for each change."""
    downs: Mapping[str, int] = field(default_factory=dict)
    """How often each link has gone down since its interface was created, if the host counts that."""


@dataclass(frozen=True, slots=True)
class Followed:
    """What a reader of kernel messages said in one line.

    With `when` (the kernel's own time of the message, in seconds since boot), `text` is a message, and `left`
    says how many were left out before it. Without `when`, `text` is a remark about the messages. `ended`: the
    reader has stopped, and `text` says why.
    """

    text: str
    when: float | None = None
    left: int = 0
    ended: bool = False


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
    """A sample without counters. `begin` and `end`: the host's clock before and after the reading, in ns.

    `counting`: how the system's interfaces count drops, one of core.drop_stages.COUNTINGS.
    """
    t = 0.0 if begin is None or end is None else (begin + end) / 2e9
    return HostSample(
        host="", seq=frame.seq, t=t, at=0.0, boot=boot, resolution=resolution, wall=wall, counting=counting
    )


class Sampling(Protocol):
    """One sampler process on one host, from start to end. It handles text only and does no I/O itself."""

    @property
    def script(self) -> str:
        """A /bin/sh script that prints frames. It reads one line per tick from stdin and ends at EOF."""
        ...

    @property
    def messages(self) -> float:
        """How often to read the kernel's messages, in seconds."""
        ...

    def greeting(self, frame: Frame) -> Sequence[bytes]:
        """Takes the first frame (of kind HELLO, sent unasked); returns the lines to send before any tick."""
        ...

    def line(self, kind: str, seq: int) -> bytes:
        """The line that asks for frame `seq` of a `kind` (frames.PLAIN, SLOW, MESSAGES)."""
        ...

    def read(self, frame: Frame) -> Readout: ...


@runtime_checkable
class Follows(Protocol):
    """An optional addition to a Sampling: a reader that prints kernel messages on stderr as they come."""

    def follow(self, messages: str) -> bytes | None:
        """The line that starts the reader after the last of `messages` (as read); None: it cannot start."""
        ...

    def followed(self, line: bytes) -> Followed | None:
        """What a line of stderr says; None if the line is not from the reader. Never raises."""
        ...


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that a host has or is missing. `ok` None: not needed here, or unknown.

    A check with a `finding` is about lab hygiene: its `ok` is None, and the finding says how much it matters.
    """

    host: str
    what: str
    ok: bool | None
    found: str
    fix: str = ""  # a sentence or a command that fixes it
    finding: Finding | None = None


@dataclass(frozen=True, slots=True)
class Facts:
    """Facts about a host, for the head of a report: "kernel" -> ...; `notes` say why others are missing.

    `absent`: the names of facts that the host itself said it does not have. A name that ends with a dot
    stands for all names that begin with it and have no value. What could not be read is not absent.
    """

    values: Mapping[str, Fact] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    absent: frozenset[str] = frozenset()


@runtime_checkable
class System(Protocol):
    """Support for one operating system: how to sample it, which facts a report needs, what to check.

    Anyone can add one: an entry point of the group ``fwdtui.systems`` that refers to such an object.
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
        """`token` marks the lines of frames; no file contains it by accident. `interval` in seconds."""
        ...

    async def facts(self, host: Host, watch: Watch, sysctls: Sequence[str]) -> Facts:
        """Called when a recording begins, and again when facts may have changed. Raises a HostError.

        `sysctls` are the names that the user added to the system's own list.
        """
        ...

    async def checks(self, host: Host, watch: Watch) -> Sequence[Check]:
        """The system's own checks, in addition to the doctor's general ones. Raises a HostError."""
        ...


@runtime_checkable
class ReadsSettings(Protocol):
    """An optional addition to a System: reading the settings that comparisons compare."""

    async def settings(self, host: Host, watch: Watch) -> Sequence[SettingsSource]:
        """Called at the start of a recording and again between blasts. Raises a HostError."""
        ...


@runtime_checkable
class Profiles(Protocol):
    """An optional addition to a System: taking a profile of its host."""

    async def profile(self, host: Host, asked: Asked) -> Capture:
        """Profile all cores now for `asked.seconds`; leave nothing on the host. Raises a HostError."""
        ...
