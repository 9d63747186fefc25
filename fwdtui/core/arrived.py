"""What a receiver reads while a load is offered: next to nothing is no forwarded traffic."""

from fwdtui.core.diagnosis import QUIET
from fwdtui.core.model import Caution
from fwdtui.core.units import pps

_SHARE = 1e-3
"""Of the offered load, at least; a slow test of few packets per second is none that nothing arrives of."""


def next_to_nothing(rate: float | None, offered: float | None) -> Caution | None:
    """The warning where `rate` is what a link carries by itself (neighbour discovery, routing protocols).

    Both are medians of the measured window in pps; None: not known, or there is nothing to warn of. Where no
    load is known, or none was offered, less than QUIET is nothing, as it is live.
    """
    if rate is None or not 0 <= rate < QUIET or (offered and rate >= _SHARE * offered):
        return None
    load = f" while {pps(offered)} were offered" if offered is not None else ""
    text = f"Nothing arrived: {pps(rate)}{load} is what a link carries by itself; repeat this iteration."
    return Caution("no-traffic", text)
