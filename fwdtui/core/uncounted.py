"""More received than the DUT's counters say it sent: they do not see all that it forwards.

With some drivers, packets of XDP are in no counter of the interface (mlx5: mlx5e_fold_sw_stats64() in
en_main.c adds up its rings' own, not those of XDP); what a card forwards by itself passes no counter of the
kernel; and some drivers count a super-packet of GRO as one packet (r8169: rtl_tx(), ENA: ena_start_xmit()).
"""

from fwdtui.core.arrived import QUIET
from fwdtui.core.model import Caution
from fwdtui.core.offered import is_above
from fwdtui.core.units import pps

CODE = "dut-uncounted"
CAUSES = "XDP, hardware offload, super-packets, another driver, or packets that bypass the DUT"
NO_COST = "the DUT's counters do not see all that it forwards"
"""Why neither the forwarded rate nor the cost of a packet is known in that case."""


def unseen(received: float | None, forwarded: float | None, sent: float | None) -> bool:
    """Whether the DUT has forwarded more than its outputs counted, all three in packets.

    The difference has to be larger than two hosts' clocks can explain (`offered.TOLERANCE`). If more was
    received than all that was `sent`, there are other senders, and it shows nothing about the DUT. False if
    `received` or `forwarded` is not known.
    """
    return is_above(received, forwarded) and not is_above(received, sent)


def unseen_rates(received: float | None, forwarded: float | None, sent: float | None) -> bool:
    """Like `unseen`, but in pps: a difference as small as a link's background traffic is no sign either."""
    if received is None or forwarded is None or received - forwarded < QUIET:
        return False
    return unseen(received, forwarded, sent)


def caution(received: float, forwarded: float) -> Caution:
    """The warning for one iteration; both are medians of its window in pps."""
    text = (
        f"The DUT's counters do not see all that it forwards: {pps(received)} were received, but they show "
        f"only {pps(forwarded)} ({CAUSES}). Losses by stage and the cost of a packet are not known."
    )
    return Caution(CODE, text)
