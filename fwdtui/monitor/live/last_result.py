"""The newest iteration's result, shown while nothing is offered, so that it stays visible after its blast."""

from collections.abc import Iterable, Mapping, Sequence
from statistics import median

import msgspec

from fwdtui.core import fragments, super_packets
from fwdtui.core.framing import layer2
from fwdtui.core.model import Iteration
from fwdtui.core.offered import ATTACK_SENT
from fwdtui.core.units import pps, si
from fwdtui.monitor.live.averages import whole_intervals
from fwdtui.monitor.live.series import Point

UNLIKE = fragments.CODE, super_packets.CODE
"""Codes of limits that say that output and input are counted in different units: a difference is no loss."""


class LastResult(msgspec.Struct, frozen=True):
    """One iteration's figures: medians of its window in packets per second, None if not known.

    `loss_share`: the loss as a share of the packets offered in the whole blast, if packets were counted where
    the value comes from, else as a share of the rates in the window; 0 to 1, negative if more arrived than
    was offered. `of_blast`: whether it is that of the whole blast, whose beginning and end the medians do not
    cover.
    `limit`: the code of the diagnosis, or "".
    `bits`: the flows' medians of the same window in bits per second as each host counts them; a flow is
    missing if its bits are not known.
    """

    value: float | None
    offered: float | None = None
    forwarded: float | None = None
    received: float | None = None
    loss_share: float | None = None
    limit: str = ""
    attacked: bool = False  # an attack was sent: the loss is a lower bound
    why: str = ""  # why there is no value
    bits: Mapping[str, float] = {}
    attack: float | None = None
    of_blast: bool = False

    @property
    def largest(self) -> float:
        """The highest of the rates, for the scale of a graph that has nothing else to draw."""
        rates = (self.value, self.offered, self.forwarded, self.received, self.attack)
        return max((rate for rate in rates if rate is not None), default=0.0)

    @property
    def loss_percent(self) -> str:
        """The loss in percent: ``56.8``; ``<0.1`` if few packets of the whole blast were lost, but some were.

        Of rates, the same may be only that counters were not read at the same moment. "" if not known.
        """
        if self.loss_share is None:
            return ""
        shown = _percent(self.loss_share).removesuffix(" %")
        if self.of_blast and not self.attacked:
            if shown == "0.0" and self.loss_share > 0.0:
                return "<0.1"
            if shown == "100.0" and self.loss_share < 1.0:
                return ">99.9"
        return shown

    def in_words(
        self,
        baseline: float | None = None,
        *,
        bits: bool = False,
        frame: int | None = None,
        case: str = "",
    ) -> str:
        """One line: ``last: 6.430 Mpps, loss 56.8 % over the whole blast, DUT-limited``.

        `baseline`: the median of the session compared with, None if there is none. `bits`: give the value in
        bits per second, on layer 2 if `frame`, the length of the frames in bytes, is known, else as the host
        counts them. `case`: the case of the result, if it must be named: ``last of rules=0: 6.430 Mpps``.
        """
        last = f"last of {case}" if case else "last"
        if self.value is None:
            return f"{last}: no value ({self.why or 'not known why'})"
        parts = [self._in_bits(self.value, frame) if bits else pps(self.value)]
        if self.loss_share is not None:
            of_what = " over the whole blast" * self.of_blast
            parts.append(f"loss {'at least ' * self.attacked}{self.loss_percent} %{of_what}")
        if self.limit:
            parts.append(self.limit.replace("dut-", "DUT-"))
        if baseline:
            difference = self.value / baseline - 1
            plus = "+" * (round(difference * 100, 1) > 0)  # what rounds to zero has no sign
            parts.append(f"{plus}{_percent(difference)} against the baseline")
        return f"{last}: {', '.join(parts)}"

    def _in_bits(self, value: float, frame: int | None) -> str:
        if frame is not None:
            return f"{_bps(layer2(value, frame))} (L2, {frame} B)"
        arrived = self.bits.get("received" if self.received is not None else "forwarded")
        return f"{pps(value)} (bits not known)" if arrived is None else f"{_bps(arrived)} (as counted)"


def _bps(rate: float) -> str:
    text = si(rate)
    return f"{text}bps" if " " in text else f"{text} bps"


def _percent(share: float) -> str:
    return f"{round(share * 100, 1) + 0.0:.1f} %".replace("-", "−")  # what rounds to zero has no sign


def newest(iterations: Sequence[Iteration]) -> Iteration | None:
    """The newest iteration that was not taken back; None if there is none."""
    return next((one for one in reversed(iterations) if not one.dropped), None)


def last_result(iterations: Sequence[Iteration], bits: Mapping[str, float] = {}) -> LastResult | None:
    """The result of the newest iteration that was not taken back; None if there is none.

    `bits`: what `bits_of` returns for that iteration.
    """
    iteration = newest(iterations)
    if iteration is None:
        return None
    medians = {name: summary.median for name, summary in iteration.metrics.items()}
    offered, forwarded, received = (medians.get(name) for name in ("offered", "forwarded", "received"))
    counted = _counted_loss(iteration)
    share = counted
    if share is None:
        share = _loss_of_rates(offered, received if received is not None else forwarded)
    return LastResult(
        iteration.value,
        offered,
        forwarded,
        received,
        _believed(iteration, share),
        iteration.limit.code if iteration.limit else "",
        any(warning.code == ATTACK_SENT for warning in iteration.warnings),
        iteration.incomplete,
        bits,
        medians.get("attack"),
        of_blast=counted is not None,
    )


def bits_of(one: Iteration, flows: Mapping[str, Iterable[Point]]) -> dict[str, float]:
    """The medians of bits per second over the window of an iteration, by flow.

    `flows`: the points of each flow, at least from the window's beginning on. A flow is left out unless every
    rate from which its median in packets was taken has its bits, too.
    """
    window = one.window
    if window is None or window.start is None or window.end is None:
        return {}
    medians = {}
    for name, summary in one.metrics.items():
        points = whole_intervals(flows.get(name, ()), (window.start, window.end))
        rates = [point.bps for point in points if point.value is not None and point.bps is not None]
        if len(rates) == summary.n:
            medians[name] = float(median(rates))
    return medians


def is_unlike(one: Iteration) -> bool:
    """Whether a difference between what was offered and what arrived is no loss."""
    return one.limit is not None and one.limit.code in UNLIKE


def _counted_loss(one: Iteration) -> float | None:
    """The loss as a share of the packets of the whole blast; None if they were not counted."""
    packets = one.packets
    if packets is None or not packets.offered:
        return None
    count = packets.received
    if count is None and "received" not in one.metrics:  # else the receiver's own losses would be missing
        count = packets.forwarded
    return None if count is None else 1 - count / packets.offered


def _loss_of_rates(offered: float | None, arrived: float | None) -> float | None:
    return 1 - arrived / offered if offered and arrived is not None else None


def _believed(one: Iteration, share: float | None) -> float | None:
    """`share`, or None if it is no loss of the wanted traffic."""
    if is_unlike(one):
        return None
    # part of an attack arrived: nothing is known of the wanted traffic
    attacked = any(warning.code == ATTACK_SENT for warning in one.warnings)
    return None if attacked and share is not None and share < 0 else share
