"""Session -> cases -> iterations: the data model that everything else uses.

All structs are frozen. Rates are packets per second (pps), times are seconds, unless a name says otherwise.
A number that is not known is None, never 0 and never NaN.
"""

import datetime
from collections.abc import Mapping, Sequence

import msgspec

from fwdtui.core.counters import (
    CpuTicks,
    InterfaceCounters,
    InterruptRow,
    NetisrRow,
    QdiscRow,
    QueueCounters,
    SoftnetRow,
    StageCounter,
)
from fwdtui.core.factors import FactorValue
from fwdtui.core.findings import HostFindings
from fwdtui.core.profile.record import Profile
from fwdtui.core.reason_counts import DropReasons, ReasonCounts
from fwdtui.core.text import slug

SCHEMA = 1
"""Version of the session format. A reader rejects a newer one and never rewrites an older one."""

HYGIENE = "hygiene"
"""The code of an event about a host: something that makes results lie has changed there."""
TICK = "tick"
"""The code of an event that only marks passing time: no host has delivered a sample for a while."""
REASONS = "drop-reasons"
"""The code of an event that carries counts by drop reason; like TICK, it is never shown as an event."""
UNSHOWN = frozenset((TICK, REASONS))
"""Codes of events that no list of events shows."""
SEVERAL = "several-tools"
"""The code of an event: several tools print as if they were one, so each rate is only one tool's."""
NOT_STOPPED = "not-stopped"
"""The code of an event: a tool was told to stop and may still run. What it did before is not in doubt."""
TOOL_ENDS = frozenset(("tool-ended", "tool-failed", NOT_STOPPED))
"""Codes of the last event of a tool."""
NO_REASONS = "no-drop-reasons"
"""The code of an event: drop reasons were asked for and are not counted, or are no longer counted."""
UNKNOWN_TIME = "unknown"
"""Shown when the time of a session's recording is unknown: an import whose files have no date."""


def moment(created: str) -> float:
    """A session's `created` as seconds since 1970, to sort by; -inf if it is not a date."""
    try:
        when = datetime.datetime.fromisoformat(created)
    except ValueError:
        return float("-inf")
    return (when if when.tzinfo else when.replace(tzinfo=datetime.UTC)).timestamp()


def by_local_clock(when: str) -> str:
    """An ISO 8601 moment in this computer's time zone, which replays and the live screen use.

    A date without an offset, or text that is not a date, is returned unchanged.
    """
    try:
        told = datetime.datetime.fromisoformat(when)
        return told.astimezone().isoformat() if told.tzinfo else when
    except (ValueError, OverflowError):
        return when


Fact = str | int | float | bool | list[str]


class Caution(msgspec.Struct, frozen=True):
    """A warning: a stable code for programs and one sentence of advice for people."""

    code: str
    text: str


class Summary(msgspec.Struct, frozen=True):
    """A metric over the measured window of one iteration, in the unit of the iteration or of the cost."""

    median: float
    mean: float
    min: float
    max: float
    n: int


class Window(msgspec.Struct, frozen=True):
    """Which samples of the recording the value was taken from, what was left out and why.

    `start` and `end` are seconds on the source's own axis: `at` of a recording's samples, `t` of an imported
    log's samples (None: no sample counted).
    head + kept + tail + inside = all samples of the source.
    """

    method: str  # "steady" | "netbenches" | "published" (value only, no recording) | "equilibrium" (a search)
    start: float | None
    end: float | None
    kept: int
    head: int = 0  # dropped before the window
    tail: int = 0  # dropped after it
    inside: int = 0  # dropped within it (zero samples under "netbenches")
    notes: tuple[str, ...] = ()  # one sentence each: what was dropped and why


class Packets(msgspec.Struct, frozen=True, omit_defaults=True):
    """Where every packet of one blast went: counter differences from the quiet before to the quiet after.

    `offered` is the wanted traffic, `attack` the packets of an attack (None: no generator sends one, or the
    number is not known); all other counts include both. `drops` are the DUT's, by stage. `unaccounted` =
    offered + attack - forwarded - drops: packets in no counter (negative: more came out than went in, for
    example because the DUT answers or floods). None: not known, for example where the DUT's counters do not
    see everything that it forwards.

    `at_nic` are the packets that reached the cards of the DUT's inputs, including those lost there. `nic` is
    what the cards' drivers counted, by port and the driver's own name: it repeats `drops`, and is in no sum.
    `unread`: stages whose drops are a lower bound because one of their counters could not be read, and why.
    `reasons`: the kernel's drop reasons, if they were asked for: they explain `drops` and `unaccounted`, and
    are in no sum.
    """

    offered: int | None = None
    dut_in: int | None = None
    forwarded: int | None = None
    received: int | None = None
    drops: Mapping[str, int] = {}
    unaccounted: int | None = None
    at_nic: int | None = None
    nic: Mapping[str, int] = {}
    unread: Mapping[str, str] = {}
    attack: int | None = None
    reasons: DropReasons | None = None


class Cost(msgspec.Struct, frozen=True, omit_defaults=True):
    """What a forwarded packet cost in the window of an iteration (core/cost.py defines the costs).

    `summary.mean` is the cost: everything spent in `seconds`, divided by all `packets` that were forwarded
    in them. The summary's other figures are over stretches of about a second. `summary` is None if the cost
    was not counted; then `why` gives the reason.
    """

    unit: str
    scope: str = "dut"  # "dut" | "machine": the cores are shared with the generator or the receiver
    summary: Summary | None = None
    why: str = ""
    seconds: float = 0.0
    packets: int = 0
    cores: int = 0
    parts: Mapping[str, float] = {}  # for a cost in time: its parts, in the same unit
    ticks: int | None = None  # for a cost from core times: how many ticks of the kernel's clock were counted
    enabled: float | None = None  # for an event: the smallest share of time in which it was counted, 0 to 1


class Planned(msgspec.Struct, frozen=True, omit_defaults=True):
    """The place of an iteration in an experiment (core/experiment); key ``planned`` of iteration.json."""

    experiment: str  # the first 16 digits of `Plan.digest`
    trial: int
    block: int  # from 1: trials of one block are close in time, and compared with each other
    attempt: int = 1  # from 1; earlier ones are kept, marked, and do not count
    order: str = "interleaved"
    look: int = 0  # how many looks at the data had been taken before it
    looks: tuple[int, ...] = ()  # after how many blocks looks are taken, the last too; empty: only at the end


PAUSED = "The traffic paused while the generator ran, so the blast fell into parts."
"""Why a run takes the parts of a blast out of the statistics: a part differs in value from the whole."""
CEASED = "The traffic stopped before its time was over, though the generator still ran."
"""Why a run takes a blast out of the statistics: it is shorter than what was to be measured."""


class Iteration(msgspec.Struct, frozen=True):
    """One blast and its value: one sample for the statistics. The seconds within it are only diagnostics."""

    index: int
    value: float | None  # median pps of the steady window at the receiver, else at the DUT's output
    unit: str = "pps"
    source: str = ""  # the log or recording that the value came from, a file in the iteration's folder
    origin: str = ""  # where that file was when it was imported
    complete: bool = True
    incomplete: str = ""  # why it has no value, if it was saved all the same
    window: Window | None = None
    metrics: Mapping[str, Summary] = {}  # "offered", "attack", "forwarded", "received", in `unit`
    warnings: tuple[Caution, ...] = ()
    files: Mapping[str, str] = {}  # raw logs beside iteration.json: name -> "sha256:<hex>"
    packets: Packets | None = None
    limit: Caution | None = None  # what limited it, as the diagnosis named it
    began: str = ""  # ISO 8601 with offset, by the recording machine's clock
    saved: bool = True  # False: it could not be written and waits in memory, without a number
    boot: str = ""  # the DUT's boot, as its kernel identifies it; "": not known
    dropped: str = ""  # why it was taken out of the statistics; "": it counts
    judged: bool | None = None  # whether its experiment found it sound; None: no experiment, or not known
    folder: str = ""  # within the session, if it differs from the one for its case and number
    factors: Mapping[str, FactorValue] = {}  # its own; see core/factors.py
    planned: Planned | None = None  # its place in an experiment; None: it belongs to none
    facts: Mapping[str, Fact] = {}  # the facts that had changed since the session's were collected
    costs: Mapping[str, Cost] = {}  # by metric, such as "cpu-per-packet"; empty: not recorded
    profile: Profile | None = None  # a profiler ran: the iteration has no value (core/profiled.py)

    @property
    def offered(self) -> float | None:
        """The median offered load in the window, in the iteration's `unit`; None if it is not known."""
        summary = self.metrics.get("offered")
        return None if summary is None else summary.median

    def place(self, case: str) -> str:
        """Its folder within the session: ``forwarding.inet4/003``."""
        return self.folder or f"{slug(case)}/{self.index:03d}"


class Case(msgspec.Struct, frozen=True):
    """One DUT configuration and traffic profile ("forwarding.inet4")."""

    name: str
    iterations: Sequence[Iteration] = ()
    factors: Mapping[str, FactorValue] = {}  # of all its iterations, unless one has its own


class Session(msgspec.Struct, frozen=True):
    """One build or setting of the DUT, measured in one or more cases."""

    path: str
    label: str
    created: str  # ISO 8601 with offset, as recorded; "": not known
    facts: Mapping[str, Fact] = {}
    cases: Sequence[Case] = ()
    problems: Sequence[str] = ()  # damage found while reading: what and where
    note: str = ""  # what the user wrote about it
    lab: Mapping[str, object] | None = None  # lab.toml as recorded, without [ssh]; None: not recorded
    recording: bool = False  # it was being recorded when it was read
    imported: str = ""  # ISO 8601 with offset: when it was imported; "": it was recorded
    factors: Mapping[str, FactorValue] = {}  # of all its iterations, unless a case or one of them has its own
    whole: bool = True  # False: the record of what was dropped from it by hand cannot be read
    hygiene: tuple[
        HostFindings, ...
    ] = ()  # each host's when the recording began, and again whenever they changed


class RateSample(msgspec.Struct, frozen=True, tag="rate", tag_field="kind", omit_defaults=True, gc=False):
    """One interval as a packet tool reported it (pkt-gen prints rates, not counters).

    `t` is the tool's own clock in seconds since its first sample, `interval` the line's own length in
    seconds, `pps` the printed rate, converted to packets per second. `at` places it on the recording's axis,
    by arrival: good enough to draw it, never to compute with.
    """

    role: str  # "generator" | "receiver"
    t: float
    interval: float
    pps: float
    packets: float | None = None
    bps: float | None = None
    host: str = ""
    at: float | None = None
    lost: float | None = None  # packets, where the tool itself counts them (iperf3's server)
    interface: str = ""  # of the generator or receiver in lab.toml: a host may send on several ports
    attack: bool = False  # of an imported log: this generator sent an attack, not wanted traffic


class HostSample(msgspec.Struct, frozen=True, tag="host", tag_field="kind", omit_defaults=True):
    """Everything that one tick read from one host. Counters are totals: rates need two samples.

    `t` is the host's own monotonic clock in seconds, `resolution` its granularity; rates are differences over
    differences of `t`, and only within one `boot`. `at` is the same moment on the recording's axis: seconds
    since its first sample, by the clock offset that the ticks themselves measured. `late` is how long the
    sample took to arrive: large when the host or the network was starved. An empty field was not sampled in
    this tick. `counting` says how its system's interfaces count drops: one of drop_stages.COUNTINGS ("": not
    declared, or an older recording; it is then inferred from the fields that are present).
    """

    host: str
    seq: int
    t: float
    at: float
    boot: str = ""
    resolution: float = 1e-9
    late: float = 0.0
    wall: float | None = None  # the host's wall clock, seconds since 1970
    counting: str = ""
    interfaces: tuple[InterfaceCounters, ...] = ()
    cpus: tuple[CpuTicks, ...] = ()
    softnet: tuple[SoftnetRow, ...] = ()
    queues: tuple[QueueCounters, ...] = ()
    stages: tuple[StageCounter, ...] = ()
    interrupts: tuple[InterruptRow, ...] = ()
    qdiscs: tuple[QdiscRow, ...] = ()
    netisr: tuple[NetisrRow, ...] = ()
    forwarded: int | None = None  # packets the system says it forwarded (IPv4 and IPv6), if it counts them
    skipped: tuple[str, ...] = ()  # what could not be read


class CountSample(msgspec.Struct, frozen=True, tag="counts", tag_field="kind", omit_defaults=True):
    """What performance counters counted on all cores of a host in one interval of `seconds`.

    The interval ended at `t` on the host's own monotonic clock. If the tool does not say when, `t` is None,
    and `at`, its place on the recording's axis by arrival, is used instead. `counts` is by event; `missing`
    says why other events have no count. If an event shared its counter with others, the tool extrapolated its
    count: `enabled` is the share of the interval, 0 to 1, in which it was really counted. `units` has the
    units of events whose values are not plain numbers, such as "msec".
    """

    host: str
    at: float
    seconds: float
    counts: Mapping[str, float] = {}
    t: float | None = None
    enabled: Mapping[str, float] = {}  # of events for which it is below 1
    units: Mapping[str, str] = {}
    missing: Mapping[str, str] = {}


class EventSample(msgspec.Struct, frozen=True, tag="event", tag_field="kind", omit_defaults=True):
    """Something that happened: `code` for programs, `text` for people, `at` on the recording's axis.

    Codes: link-down, link-up, port-gone, port-back, dmesg, host-lost, host-back, reboot, starved,
    held-up, silent (no samples arrive), sampled-again, clock-step, tool-started, tool-ended, tool-failed,
    not-stopped (NOT_STOPPED), note, HYGIENE, failed (a host is no longer sampled), tick (TICK; recorded,
    never shown), drop-reasons (REASONS; recorded, never shown; `reasons` are what was counted so far),
    no-drop-reasons, several-tools (SEVERAL).
    The recorder adds not-saved, saved and recording-gap. The monitor adds blast-began, blast-ended and
    iteration, which are not recorded.

    `role` ("generator" or "receiver") and `interface` are set, as in lab.toml, when a tool started or ended,
    and for SEVERAL.
    """

    at: float
    code: str
    text: str
    host: str = ""
    reasons: ReasonCounts | None = None
    role: str = ""
    interface: str = ""


Sample = RateSample | HostSample | CountSample | EventSample
