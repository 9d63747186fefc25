"""The immutable picture of a run that a view draws. Taking one stops nothing; a paused view takes none."""

from collections.abc import Mapping

import msgspec

from fwdtui.core.arrived import QUIET
from fwdtui.core.diagnosed import Diagnosis
from fwdtui.core.host_rates import HostRates
from fwdtui.core.model import EventSample, Iteration
from fwdtui.monitor.live.averages import Bounds
from fwdtui.monitor.live.blast import Blast
from fwdtui.monitor.live.last_result import LastResult, last_result
from fwdtui.monitor.live.load_history import LoadRow
from fwdtui.monitor.live.reasons import ReasonShares
from fwdtui.monitor.live.series import CoreLoad, Point


class Flow(msgspec.Struct, frozen=True):
    """Offered, forwarded or received: its rate in packets per second (None: a gap) and its series.

    `now` is the rate in the newest seconds that all flows have; `bps` is the same in bits per second, None if
    bits are not known. `old` is the last known rate if no newer one arrived; it belongs to an earlier time
    and must not be combined with current rates.
    """

    name: str
    now: float | None
    points: tuple[Point, ...]
    source: str = ""  # its origin: "gen0 tx counter of gen", "pkt-gen on gen"
    bps: float | None = None
    old: Point | None = None


class HostView(msgspec.Struct, frozen=True):
    """One host: whether its samples arrive, and its newest rates (queues from the last slow tick).

    `old`: seconds since its last sample, if that is too long ago for its rates to be current.
    """

    name: str
    roles: tuple[str, ...]
    up: bool
    since: float  # on the recording's axis: when it came up or was lost
    reason: str = ""
    rates: HostRates | None = None
    late: float = 0.0
    last: float | None = None  # its last sample, on the recording's axis
    old: float | None = None
    boot: str = ""  # the boot that its newest sample is of; "" if its kernel does not name it


class Snapshot(msgspec.Struct, frozen=True):
    """The run at `now` seconds of the recording's axis."""

    now: float
    lab: str
    offered: Flow
    forwarded: Flow
    received: Flow
    loss: float | None  # packets per second: offered minus what arrived; under attack at least that
    loss_share: float | None
    line_rate: float | None
    dut: HostView | None
    hosts: tuple[HostView, ...]
    events: tuple[EventSample, ...]
    iterations: tuple[Iteration, ...]
    blast: Blast | None
    diagnosis: Diagnosis
    automatic: bool
    over: tuple[Bounds, ...] = ()  # the last blasts that have ended
    cores: tuple[LoadRow, ...] = ()  # the DUT's cores over the ticks or seconds that the flows' points cover
    queues: tuple[LoadRow, ...] = ()  # and its queues
    last_bits: Mapping[str, float] = {}  # bits per second of the newest iteration, see LastResult
    last_line_rate: float | None = None  # of the frames that were sent in it
    reasons: ReasonShares | None = None  # None: the DUT's drop reasons are not counted now
    attack: Flow | None = None  # None: no generator of the lab attacks
    cases: tuple[str, ...] = ()  # the case of each iteration; "": not known
    unlike: tuple[Bounds, ...] = ()  # blasts in which a difference of counts is no loss

    @property
    def case(self) -> str:
        """The case of the newest iteration that counts, whose result is shown; else that of the last one.

        "" if there is no iteration, or if its case is not known.
        """
        pairs = zip(reversed(self.iterations), reversed(self.cases), strict=False)
        counting = (case for one, case in pairs if not one.dropped)
        return next(counting, self.cases[-1] if self.cases else "")

    @property
    def several(self) -> bool:
        """Whether the iterations belong to several cases, as in an experiment or the replay of a session."""
        return len(set(self.cases)) > 1

    @property
    def of_case(self) -> tuple[Iteration, ...]:
        """The iterations of `case`: only these have a common median."""
        if not self.several:
            return self.iterations
        return tuple(one for one, case in zip(self.iterations, self.cases, strict=True) if case == self.case)

    @property
    def attacked(self) -> bool:
        """Whether an attack is sent, as far as is known: the loss of wanted traffic is a lower bound then."""
        return self.attack is not None and (self.attack.now is None or self.attack.now >= QUIET)

    @property
    def unlike_now(self) -> bool:
        """Whether a difference of counts is no loss at present."""
        return any(begin < self.now <= end for begin, end in self.unlike)

    @property
    def busiest(self) -> tuple[CoreLoad, ...]:
        """The DUT's busiest core of each tick."""
        return tuple(row.busiest for row in self.cores)

    @property
    def last(self) -> LastResult | None:
        """The newest iteration's result while nothing is offered; None during a blast or before the first."""
        return last_result(self.iterations, self.last_bits) if self.diagnosis.code == "idle" else None
