"""More received than offered: a figure is wrong, unless an attack was sent and part of it was received."""

import math

from fwdtui.core.model import Caution
from fwdtui.core.units import in_digits, pps

CODE = "received-above-offered"
TOLERANCE = 0.01
"""A rate counts as above its offered load from 1 % on.

Both are medians of intervals that two hosts measured by two clocks, so without any loss they scatter around
each other. Of 1406 published iterations (bench-lab archive and netbenches: 60 s, hardware) none came closer
than 0.007 % from below, except ten with 1.9 to 2.0 times the load; on the kernel lab, whose generator shares
the machine with the DUT, the median rate at the DUT's output was up to 0.44 % above. 1 % is twice that.
"""
ATTACK_CODE = "attack-received"
"""More was received than the wanted traffic that was offered, and an attack was sent beside it."""
ATTACK_SENT = "attack-sent"
ABOVE_LINE_RATE = "above-line-rate"
"""A rate above what the link carries, by the same tolerance: one of the two figures is wrong."""
ADVICE = (
    "look for other senders, packets counted twice, a generator whose own count is wrong, or a DUT that "
    "fragments packets"
)


def is_above(rate: float | None, offered: float | None) -> bool:
    """Whether `rate` (pps, received or forwarded) is impossibly high for `offered` (pps). Unknown: no."""
    if rate is None or offered is None or not math.isfinite(rate) or not math.isfinite(offered):
        return False
    return offered >= 0.0 and rate > (1.0 + TOLERANCE) * offered


def received_above(rate: float | None, offered: float | None, what: str = "received") -> Caution | None:
    """The warning for one iteration, or None.

    `rate` and `offered` are the medians of its measured window in pps; `what` says what `rate` counts:
    "received" or "forwarded".
    """
    if rate is None or offered is None or not is_above(rate, offered):
        return None
    more = f"{in_digits(100.0 * (rate / offered - 1.0), 3)} % more" if offered else "more"
    told = f"{pps(rate)} were {what}, {more} than the {pps(offered)} that were offered, which is impossible"
    return Caution(CODE, f"{told}: {ADVICE}.")


def attack_sent(attack: float | None, what: str = "received") -> Caution:
    """The warning of a recorded iteration with an attack of this rate in pps (None: not known)."""
    sent = f" of {pps(attack)}" if attack is not None else ", whose rate is not known,"
    text = (
        f"An attack{sent} was sent beside the wanted traffic. The offered load is the wanted traffic alone; "
        f"no counter says whose packets were {what} and whose were dropped."
    )
    return Caution(ATTACK_SENT, text)


def attack_received(
    rate: float | None, offered: float | None, attack: float | None, what: str = "received"
) -> Caution | None:
    """The warning for an iteration with an attack, or None. All in pps; `offered` is only the wanted traffic.

    If more than both together was received, which is impossible, it is the warning of `received_above`.
    """
    if rate is None or offered is None or not is_above(rate, offered):
        return None
    if attack is not None and is_above(rate, offered + attack):
        return received_above(rate, offered + attack, what)
    sent = f" of {pps(attack)}" if attack is not None else ""
    text = (
        f"{pps(rate)} were {what}, more than the {pps(offered)} of wanted traffic that were offered: part of "
        f"the attack{sent} was forwarded, so this rate is not that of the wanted traffic."
    )
    return Caution(ATTACK_CODE, text)
