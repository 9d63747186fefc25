"""Recognises a receiver rate that is only background noise, not forwarded traffic."""

from fwdtui.core.model import Caution
from fwdtui.core.units import pps

QUIET = 100.0
"""Packets per second: less is background noise, not a blast."""
_SHARE = 1e-3
"""A rate of at least this share of the offered load is traffic, however slow the test is."""


def next_to_nothing(
    rate: float | None, offered: float | None, highest: float | None = None
) -> Caution | None:
    """A warning if `rate` is only a link's background traffic (neighbour discovery, routing protocols).

    Both are medians of the measured window in pps; None: unknown. `highest` is the highest rate in it: the
    DUT may have forwarded at first, and stopped before half of the window was over. Returns None if nothing
    is wrong. If the load is unknown or zero, any rate below QUIET counts as nothing, as it does live.
    """
    if rate is None or not 0 <= rate < QUIET or (offered and rate >= _SHARE * offered):
        return None
    load = f" while {pps(offered)} were offered" if offered is not None else ""
    if highest is not None and highest >= max(QUIET, _SHARE * (offered or 0.0)):
        text = (
            f"For half of the time or more nothing arrived: the median is {pps(rate)}{load}, though "
            f"{pps(highest)} arrived at times; find out what stopped, and repeat this iteration."
        )
    else:
        text = f"Nothing arrived: {pps(rate)}{load} is only background traffic; repeat this iteration."
    return Caution("no-traffic", text)
