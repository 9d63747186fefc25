"""The throughput that a packet rate would be on a mix of packet sizes, if every packet cost the same.

The simple IMIX is 7 packets of 40 bytes, 4 of 576 and 1 of 1500, each with an Ethernet header of 14 bytes
and without FCS. Most gnuplot scripts of the netbenches archive draw it as a second axis, the theoretical
equity "using simple IMIX distribution": ``packet * (7*(40+14) + 4*(576+14) + (1500+14))/12*8``.
"""

from fwdtui.core.framing import SHORTEST

FRAME = SHORTEST
"""Bytes with FCS of the frames whose rate this is computed from: the archive measures the shortest."""

BITS = (7 * (40 + 14) + 4 * (576 + 14) + (1500 + 14)) / 12 * 8
"""Bits of the mean packet: 2834.67."""


def equity(pps: float) -> float:
    """Bits per second of that mix at `pps` packets per second.

    It assumes that a router forwards as many packets of any size per second as of the shortest, and ignores
    the link: the result may be more than a link carries.
    """
    return pps * BITS
