"""Interface for generators and receivers: a `Tool` says how to run one, its `Reader` what its lines mean.

Anyone can add a tool: an entry point of the group ``fwdtui.tools`` whose name is the ``tool`` of lab.toml and
whose value is a `Tool`. The built-in ones are found in the same way.
"""

import shlex
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from fwdtui.collectors.tools.shell import as_given, probe_of
from fwdtui.core.lab import Endpoint
from fwdtui.core.model import EventSample, RateSample

GENERATOR = "generator"
RECEIVER = "receiver"

ToolSample = RateSample | EventSample


@dataclass(frozen=True, slots=True)
class Origin:
    """Whose lines these are: `role` is "generator" or "receiver", `host` and `interface` as in lab.toml.

    Host and interface together name one endpoint: a host may send on two ports.
    """

    role: str
    host: str
    interface: str


@dataclass(frozen=True, slots=True)
class ToolVerdict:
    """What a tool's output says about its whole run. None or empty: not reported.

    `failure` is the line that reports a failure: it counts whatever the exit status is (pkt-gen and iperf3
    3.12 exit with 0 when they fail). `trouble` only explains a nonzero exit status. `nothing`: the tool ran,
    but not one packet was sent or received. `pps` is the tool's own figure for the whole run.
    """

    failure: str = ""
    trouble: str = ""
    nothing: bool = False
    packets: int | None = None
    seconds: float | None = None
    pps: float | None = None
    lost: int | None = None
    skipped: tuple[str, ...] = ()


class Reader(ABC):
    """Reads one run of a tool. Pure: no clock, no input or output; never raises on odd lines."""

    def __init__(self, origin: Origin) -> None:
        self.origin = origin

    @abstractmethod
    def feed(self, line: str, at: float) -> Sequence[ToolSample]:
        """Takes a cleaned line without its newline; returns the samples that it completes.

        `at`: when the line arrived, on the recording's axis.
        """

    @abstractmethod
    def close(self) -> ToolVerdict:
        """Called after the last line; returns the verdict on the whole run."""

    def rate(
        self,
        at: float,
        t: float,
        interval: float,
        pps: float,
        packets: float | None = None,
        bps: float | None = None,
        lost: float | None = None,
    ) -> RateSample:
        """A sample for one interval of this endpoint; see RateSample for units."""
        origin = self.origin
        return RateSample(
            origin.role, t, interval, pps, packets, bps, origin.host, at, lost, origin.interface
        )

    def event(self, at: float, code: str, text: str) -> EventSample:
        """An event; codes as in EventSample."""
        return EventSample(at, code, text, self.origin.host)

    def note(self, at: float, text: str) -> EventSample:
        """An event of code "note", which the user should read."""
        return self.event(at, "note", text)


@dataclass(frozen=True, slots=True, kw_only=True)
class Tool:
    """How one tool is run and read.

    `counted`: the host's interface counters see the tool's packets and give its rate. If they do not (netmap
    takes the card away from the kernel), the tool's own lines give the rate. `frames`: a packet of its total
    (`ToolVerdict.packets`) is always one frame, so the total can be held against the port's counter. `probe`
    is a /bin/sh script that runs with ``$program`` and ``$interface`` set, prints one line, the tool's
    version or path or what is missing, and exits with 0 if the tool can run. `install` says how to get the
    tool. `script` turns an endpoint into the /bin/sh script to start. `signal` ends the tool if lab.toml has
    no stop command. `listens` are words of the line with which a receiver says that it is ready; if they are
    empty, it counts as ready with its first output, or when it still runs after 2 s.
    """

    name: str  # as lab.toml writes it
    program: str  # the command that the start command runs; empty: any
    counted: bool
    probe: str
    install: str
    reader: Callable[[Origin], Reader]
    script: Callable[[Endpoint], str] = as_given
    signal: str = "INT"
    listens: str = ""
    frames: bool = False
    label: str = ""  # for messages: "LABEL on gen ended"; default: the program

    def on(self, host: str) -> str:
        """The tool's name in messages: ``pkt-gen on gen``."""
        return f"{self.label or self.program or self.name} on {host}"

    def probe_script(self, start: str | None = None, interface: str = "") -> str:
        """The probe script for an interface and the program that `start` runs, which may be a path."""
        return probe_of(self.program, f"interface={shlex.quote(interface)}\n{self.probe}", start)
