"""What the newest iteration gave: shown while nothing is offered, so that a result stays after its blast."""

from collections.abc import Sequence

import msgspec

from fwdtui.core.model import Iteration
from fwdtui.core.offered import ATTACK_SENT
from fwdtui.core.units import pps


class LastResult(msgspec.Struct, frozen=True):
    """One iteration's figures: medians of its window in packets per second, None if not known.

    `loss_share`: of the packets offered in the whole blast if they were counted, else of the rates in the
    window; 0 to 1, negative if more arrived than was offered. `limit`: the code of the diagnosis, or "".
    """

    value: float | None
    offered: float | None = None
    forwarded: float | None = None
    received: float | None = None
    loss_share: float | None = None
    limit: str = ""
    attacked: bool = False  # an attack was sent: the loss is a lower bound
    why: str = ""  # why there is no value

    @property
    def largest(self) -> float:
        """The highest of the rates, for the scale of a graph that has nothing else to draw."""
        rates = (self.value, self.offered, self.forwarded, self.received)
        return max((rate for rate in rates if rate is not None), default=0.0)

    def in_words(self, baseline: float | None = None) -> str:
        """``last: 6.430 Mpps, loss 56.8 %, DUT-limited, −0.3 % against the baseline``.

        `baseline`: the median of the session compared with, None if there is none.
        """
        if self.value is None:
            return f"last: no value ({self.why or 'not known why'})"
        parts = [pps(self.value)]
        if self.loss_share is not None:
            parts.append(f"loss {'at least ' * self.attacked}{_percent(self.loss_share)}")
        if self.limit:
            parts.append(self.limit.replace("dut-", "DUT-"))
        if baseline:
            difference = self.value / baseline - 1
            text = _percent(difference)
            parts.append(f"{'' if text.startswith('−') else '+'}{text} against the baseline")
        return f"last: {', '.join(parts)}"


def _percent(share: float) -> str:
    return f"{round(share * 100, 1) + 0.0:.1f} %".replace("-", "−")  # what rounds to zero has no sign


def last_result(iterations: Sequence[Iteration]) -> LastResult | None:
    """The newest iteration that was not taken back; None if there is none."""
    one = next((one for one in reversed(iterations) if not one.dropped), None)
    if one is None:
        return None
    medians = {name: summary.median for name, summary in one.metrics.items()}
    offered, forwarded, received = (medians.get(name) for name in ("offered", "forwarded", "received"))
    return LastResult(
        one.value,
        offered,
        forwarded,
        received,
        _loss_share(one, offered, received if received is not None else forwarded),
        one.limit.code if one.limit else "",
        any(warning.code == ATTACK_SENT for warning in one.warnings),
        one.incomplete,
    )


def _loss_share(one: Iteration, offered: float | None, arrived: float | None) -> float | None:
    share = 1 - arrived / offered if offered and arrived is not None else None
    packets = one.packets
    if packets is not None and packets.offered:
        count = packets.received if packets.received is not None else packets.forwarded
        share = 1 - count / packets.offered if count is not None else share
    # part of an attack arrived: nothing is known of the wanted traffic
    attacked = any(warning.code == ATTACK_SENT for warning in one.warnings)
    return None if attacked and share is not None and share < 0 else share
