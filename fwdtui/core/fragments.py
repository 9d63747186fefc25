"""A DUT that parts packets: into fragments that fit the MTU of a tunnel or of a link (RFC 791, RFC 8200).

Then more packets come out than went in, and how many were lost cannot be told from the counts.
"""

from collections.abc import Mapping

from fwdtui.core.model import Caution

CODE = "fragmented"
_SHORTER = 0.8  # times the offered length
_TUNNEL = 100  # bytes of a tunnel that the DUT may take off
_HEADERS = 30  # bytes of a frame that some counters have and others do not
_PARTED = 200  # bytes of a frame below which nothing is parted: each link carries 576


def parted(lengths: Mapping[str, float], frame: int | None) -> tuple[str, float] | None:
    """The flow behind the DUT whose packets are shorter than the frames that were offered, and their length.

    `lengths`: mean bytes of a packet of each flow. `frame`: bytes that all frames have; of frames of several
    lengths (None) the longer ones may only be lost more often. Nothing if what was offered is not known to be
    of that length.
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
        "parts them. Rates behind it are of fragments, and what was lost is not known. Send frames that fit "
        "the MTU of each link and tunnel."
    )
    return Caution(CODE, text)
