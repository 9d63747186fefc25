"""Recognises packets that were counted in bundles: by their mean length, which no frame on the wire has.

GRO joins the segments of a TCP stream, TSO leaves it to the card to split them again, and some drivers count
what they were given as one packet: r8169 (rtl_tx()), ENA (ena_start_xmit()). Others count what was on the
wire (igb, ixgbe and mlx5 add gso_segs).
"""

from collections.abc import Mapping

from fwdtui.core.model import Caution

CODE = "super-packets"
LONGEST = 9216 + 26
"""Bytes: the longest frames that cards take, with header, two tags and FCS."""
_APART = 1.5  # times the length of the same packets at the other end of their line
_TAGS = 26  # bytes of a frame that some drivers count and others do not
_TUNNEL = 100  # bytes that a tunnel may add to a frame
_FRAMES = 2.0  # times the stated length of frames: no single frame is that long


def bundled(lengths: Mapping[str, float], frame: int | None = None) -> dict[str, float]:
    """The flows whose packets are longer than frames can be, with their mean lengths.

    `lengths`: mean bytes of a packet of each flow, according to the counters of bytes and packets. Forwarded
    and received are the same packets. `frame`: bytes of the generators' frames; None: not known.
    """
    stated = LONGEST if frame is None else min(LONGEST, _FRAMES * frame + _TUNNEL)
    found = {}
    for flow, length in lengths.items():
        most = stated
        for one, other in (("forwarded", "received"), ("received", "forwarded")):
            if flow == one and other in lengths:
                # a second gateway may take a tunnel off again
                most = min(most, max(_APART * lengths[other] + _TAGS, lengths[other] + _TUNNEL))
        if length > most:
            found[flow] = length
    return found


def caution(lengths: Mapping[str, float]) -> Caution:
    """The warning for one iteration: these flows count packets of these mean lengths in bytes."""
    of = " and ".join(
        f"{flow} packets have {round(length)} bytes on average" for flow, length in lengths.items()
    )
    text = (
        f"{of[0].upper()}{of[1:]}, more than a frame of this traffic: GRO or TSO joins packets, and the "
        "driver counts them as one, so this rate and losses reckoned with it are wrong. Switch GRO, LRO and "
        "TSO off on that port."
    )
    return Caution(CODE, text)


def of_forwarded(warning: Caution) -> bool:
    """Whether this is the warning, and what the DUT forwarded is among the flows that it names."""
    return warning.code == CODE and "forwarded packets have" in warning.text.lower()
