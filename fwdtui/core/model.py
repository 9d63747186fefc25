"""Session -> cases -> iterations: the words everything else speaks.

All structs are frozen. Rates are packets per second (pps), times are seconds, unless a name says otherwise.
A number that is not known is None, never 0 and never NaN.
"""

from collections.abc import Mapping, Sequence

import msgspec

SCHEMA = 1
"""Version of the session format. A reader refuses a newer one and never rewrites an older one."""

Fact = str | int | float | bool | list[str]


class Caution(msgspec.Struct, frozen=True):
    """A warning: a stable code for programs and one sentence of advice for people."""

    code: str
    text: str


class Summary(msgspec.Struct, frozen=True):
    """A metric over the measured window of one iteration, in packets per second."""

    median: float
    mean: float
    min: float
    max: float
    n: int


class Window(msgspec.Struct, frozen=True):
    """Which samples of the recording the value was taken from, and what was left out and why.

    `start` and `end` are seconds since the first sample of the source (None: nothing was kept).
    head + kept + tail + inside = all samples of the source.
    """

    method: str  # "steady" | "netbenches" | "published" (value only, no recording)
    start: float | None
    end: float | None
    kept: int
    head: int = 0  # dropped before the window
    tail: int = 0  # dropped after it
    inside: int = 0  # dropped within it (zero samples under "netbenches")
    notes: tuple[str, ...] = ()  # one sentence each: what was dropped and why


class Iteration(msgspec.Struct, frozen=True):
    """One trial: one sample for the statistics. Seconds within it are diagnostics."""

    index: int
    value: float | None  # median pps of the steady window at the receiver, else at the DUT's output
    unit: str = "pps"
    source: str = ""  # the log or recording that the value came from, a file of the iteration's folder
    origin: str = ""  # where that file was found when it was imported
    complete: bool = True
    window: Window | None = None
    metrics: Mapping[str, Summary] = {}  # "offered", "forwarded", "received"
    warnings: tuple[Caution, ...] = ()
    files: Mapping[str, str] = {}  # raw logs beside iteration.json: name -> "sha256:<hex>"


class Case(msgspec.Struct, frozen=True):
    """One DUT configuration and traffic profile ("forwarding.inet4")."""

    name: str
    iterations: Sequence[Iteration] = ()


class Session(msgspec.Struct, frozen=True):
    """One build or setting of the DUT, measured in one or more cases."""

    path: str
    label: str
    created: str  # ISO 8601 with offset, as recorded
    facts: Mapping[str, Fact] = {}
    cases: Sequence[Case] = ()
    problems: Sequence[str] = ()  # damage found while reading: what and where


class RateSample(msgspec.Struct, frozen=True, tag="rate", tag_field="kind"):
    """One interval as a packet tool reported it (pkt-gen prints rates, not counters).

    `t` is the tool's own clock in seconds since its first sample, `interval` the line's own length in
    seconds, `pps` the rate as printed, in packets per second after its unit was applied.
    """

    role: str  # "generator" | "receiver"
    t: float
    interval: float
    pps: float
    packets: float | None = None
    bps: float | None = None


Sample = RateSample
