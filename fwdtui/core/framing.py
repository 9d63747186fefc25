"""Bits per second on the link, from packets per second and the length of the frames.

A frame's length is in bytes with its header and FCS, as RFC 2544 (section 9.1) and IEEE 802.3 (clause 3)
give it. Layer 2 counts these bytes. Layer 1 counts what occupies the link for each frame: also 7 bytes of
preamble, 1 of start frame delimiter and 12 of gap before the next frame (IEEE 802.3, clauses 3.2.1, 3.2.2 and
4.4.2).
"""

FCS = 4
"""Bytes of the frame check sequence, which generators and most drivers do not count."""
BETWEEN = 7 + 1 + 12
"""Bytes on the link for each frame besides the frame: preamble, start frame delimiter, inter-frame gap."""
SHORTEST, LONGEST = 64, 65_535
"""Bytes with FCS: the length of the shortest Ethernet frame, and a length that no interface exceeds."""


def layer2(pps: float, frame: int) -> float:
    """Bits per second of the frames themselves, FCS included. `frame`: bytes with FCS."""
    return pps * frame * 8


def layer1(pps: float, frame: int) -> float:
    """Bits per second that the frames occupy on the link, with preamble and gap. `frame`: bytes with FCS."""
    return pps * (frame + BETWEEN) * 8


def line_rate(speed: float, frame: int) -> float:
    """Packets per second that a link of `speed` bits per second carries: 14.88 M at 10 Gb/s and 64 bytes."""
    return speed / ((frame + BETWEEN) * 8)


def utilisation(pps: float, frame: int, speed: float) -> float:
    """The share of a link's `speed` (bits per second) that the frames occupy; 1 is line rate."""
    return layer1(pps, frame) / speed
