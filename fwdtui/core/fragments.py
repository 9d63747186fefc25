"""Recognises a DUT that splits packets into fragments to fit a tunnel's or a link's MTU (RFC 791, RFC 8200).

Then more packets come out than went in, and the counts do not show how many were lost.
"""

from collections.abc import Mapping

from fwdtui.core.model import Caution

CODE = "fragmented"
_SHORTER = 0.8  # times the offered length
_TUNNEL = 100  # bytes of a tunnel that the DUT may take off
_HEADERS = 30  # bytes of a frame that some counters have and others do not
_PARTED = 200  # bytes: a frame that is no longer than this is never split, since each link carries 576


def parted(lengths: Mapping[str, float], frame: int | None) -> tuple[str, float] | None:
    """The flow behind the DUT whose packets are shorter than the frames that were offered, and their length.

    `lengths`: mean bytes of a packet, by flow ("offered", "forwarded", "received"). `frame`: the bytes of all
    frames; None if they have several lengths: then the longer ones may just be lost more often. Returns None
    if no flow is shorter, or if what was offered is not known to have that length.
    """
    offered = lengths.get("offered")
    if frame is None or frame <= _PARTED or offered is None or abs(offered - frame) > _HEADERS:
        return None
    for flow in ("forwarded", "received"):
        length = lengths.get(flow)
        if length is not None and length < min(_SHORTER * frame, frame - _TUNNEL):
            return flow, length
    return None


def caution(flow: str, length: float, frame: int) -> Caution:
    """The warning for one iteration."""
    text = (
        f"Frames of {frame} bytes were offered, and {flow} packets have {round(length)} on average: the DUT "
        "fragments them. Rates behind it count fragments, and what was lost is not known. Send frames that "
        "fit the MTU of each link and tunnel."
    )
    return Caution(CODE, text)
