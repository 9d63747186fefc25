"""How a snapshot is shown: the user's choices, now or at the last start, and facts of the lab."""

import time
from collections.abc import Mapping
from typing import cast

import msgspec

from fwdtui.core.framing import layer2
from fwdtui.core.lab import Lab
from fwdtui.core.units import si
from fwdtui.monitor.live.snapshot import Flow
from fwdtui.ui.common.own_keys import key
from fwdtui.ui.common.state import Memory

TIME_SPANS = (10.0, 20.0, 30.0, 60.0, 120.0, 300.0, 600.0, 1800.0, 3600.0)
"""Seconds on the time axis, one step of zoom each."""
NONE = "–"
"""Shown instead of an unknown number."""
OLD = "◌"
"""The mark of a silent host and of its outdated numbers."""
_NOTHING = 0.001  # per second: what may be left of zero after sums and differences
_REMEMBERED: Mapping[str, tuple[str, tuple[object, ...]]] = {
    "time_span": ("live.span", TIME_SPANS),
    "unit": ("live.unit", ("pps", "bps")),
}
"""Fields of a View that are remembered: their names in state.json, and their possible values."""


class View(msgspec.Struct, frozen=True):
    """How all panels of the live screen show a snapshot. Compared by value, so panels see what changed."""

    lab: Lab
    where: str = ""
    case: str | None = None  # the case at the end of `where`, if it changes during the run; "": none now
    started: float | None = None  # the wall clock (seconds since 1970) at 0 of the recording's time axis
    unit: str = "pps"  # or "bps": packets or bits per second
    time_span: float = 60.0  # seconds on the time axis
    interfaces: tuple[str, ...] | None = None  # "host interface"; None: all of the lab's own
    paused: bool = False
    recording: bool = True  # whether samples arrive and are recorded, also while the picture is paused
    generator: str = ""  # the generator's state, in words
    plan: str = ""  # the progress of unattended iterations; it replaces "blast" and "auto"
    load: float | None = None  # the offered share of the line rate, always in packets
    interim: str = ""  # the difference to the baseline, in words
    baseline: float | None = None  # the baseline's median, pps

    @property
    def bits(self) -> bool:
        """Whether rates are shown in bits."""
        return self.unit == "bps"

    @property
    def frame(self) -> int | None:
        """The length of the frames in bytes with FCS, on which bits are based; None: not known."""
        return self.lab.frame

    @property
    def counted(self) -> bool:
        """Whether bits are shown as each host counts them, since the frames' length is not known.

        Loss and line rate then stay in packets, which all hosts count in the same way.
        """
        return self.bits and self.frame is None

    @property
    def scale(self) -> float:
        """How much a packet is in the unit shown: its bits on layer 2, or 1."""
        return layer2(1.0, self.frame) if self.bits and self.frame is not None else 1.0

    @property
    def basis(self) -> str:
        """Which bits are shown: ``L2, frames of 64 B``; "" for packets."""
        if not self.bits:
            return ""
        return "hosts count differently" if self.frame is None else f"L2, frames of {self.frame} B"

    @property
    def short_basis(self) -> str:
        """The same in fewer characters: ``L2, 64 B``."""
        if not self.bits:
            return ""
        return "hosts differ" if self.frame is None else f"L2, {self.frame} B"

    def drawn(self, pps: float | None, bps: float | None) -> float | None:
        """The rate that a graph draws, per second: bits as counted, or packets, to multiply by `scale`."""
        return bps if self.counted else pps

    def rate(self, pps: float | None, bps: float | None) -> float | None:
        """A rate in the unit shown, from packets per second and bits per second as a host counts them."""
        rate = self.drawn(pps, bps)
        return None if rate is None else rate * self.scale

    def now(self, flow: Flow) -> float | None:
        """The current rate of a flow, in the unit shown."""
        return self.rate(flow.now, flow.bps)

    def shown(self, flow: Flow) -> float | None:
        """As `now` or, if the flow is old, its last known rate, which is drawn as old."""
        if flow.old is None:
            return self.now(flow)
        return self.rate(flow.old.value, flow.old.bps)

    def other(self, case: str) -> str:
        """`case`, the case of what is shown, if it is not the one that `where` names; else ""."""
        return case if self.case is not None and case != self.case else ""

    def no_iteration(self, automatic: bool, sending: bool) -> str:
        """The text for an empty list of iterations.

        `automatic`: blasts become iterations. `sending`: a blast goes on.
        """
        which = "this blast becomes one when it ends" if sending else "the next blast becomes one by itself"
        by_hand = f"{key('live.cut', 's')} saves the current window as one"
        return f"none yet: {which if automatic else by_hand}"

    def no_counters(self) -> str:
        """Why the DUT's queues and cores are not shown."""
        return "waiting for the DUT's counters"

    @property
    def origin(self) -> float:
        """The second of the recording's time axis from which tables of samples count."""
        return 0.0

    def wall_clock(self, at: float) -> str:
        """A moment of the recording on the wall clock; "" if that is not known."""
        if self.started is None:
            return ""
        return time.strftime("%H:%M:%S", time.localtime(self.started + at))

    def clock(self, at: float) -> str:
        """The same; if it is not known, minutes and seconds since the start: ``01:05``, or ``−0:01``."""
        since = int(at - self.origin)
        minutes, seconds = divmod(abs(since), 60)
        text = f"{minutes:02d}:{seconds:02d}" if since >= 0 else f"−{minutes}:{seconds:02d}"
        return self.wall_clock(at) or text


def remembered(memory: Memory) -> dict[str, object]:
    """The last choices as fields of a View; invalid ones are left out."""
    choices = memory.state.choices
    return {
        field: choices[name]
        for field, (name, possible) in _REMEMBERED.items()
        if choices.get(name) in possible
    }


def remember(memory: Memory, changes: Mapping[str, object]) -> None:
    """Remember the changes that matter for the next start."""
    for field in changes.keys() & _REMEMBERED.keys():
        memory.choose(_REMEMBERED[field][0], cast(str | float, changes[field]))


def lost_figure(per_second: float, digits: int = 4) -> str:
    """Losses per second as ``0``, ``<1`` or ``1.456 M``: a packet lost in two seconds is not zero."""
    if per_second < _NOTHING:
        return "0"
    return "<1" if per_second < 1.0 else si(per_second, digits)


def when_text(seconds: float) -> str:
    """Seconds from a moment that is named beside it: ``12.3 s``, ``−0.5 s``; ``0.0 s`` has no sign."""
    return f"{round(seconds, 1) + 0.0:.1f} s".replace("-", "−")


def lasting(seconds: float) -> str:
    """A duration: ``41 s``, ``2 min 05 s``, ``1 h 02 min``."""
    whole = max(round(seconds), 0)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60:02d} s"
    return f"{whole // 3600} h {whole % 3600 // 60:02d} min"
