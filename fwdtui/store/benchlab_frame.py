"""Whether a result's frame size is what its generators sent: its names may say something else."""

from collections.abc import Mapping

from fwdtui.core.factors import FactorValue, level
from fwdtui.core.model import Caution
from fwdtui.core.parse.netmap_pktgen import PktGenLog
from fwdtui.core.roles import ATTACK

_FACTOR = "frame_size"


def doubts(
    factors: Mapping[str, FactorValue], senders: Mapping[str, PktGenLog], roles: Mapping[str, str]
) -> list[Caution]:
    """A warning for each length of wanted traffic's frames that a command states and the factor does not."""
    size = level(_FACTOR, factors.get(_FACTOR, ""))
    if size.number is None or size.unit != "B":
        return []
    from fwdtui.core.sent_frames import frame_of  # few results have a frame size

    wanted = [log.command or "" for kind, log in senders.items() if roles.get(kind) != ATTACK]
    sent = dict.fromkeys(frame_of(command) for command in wanted)
    return [
        Caution(
            "frame-differs",
            f"The frame size is {size.shown} according to names or corrections, but the generator's command "
            f"sends frames of {frame} bytes with their FCS (-l of pkt-gen leaves that out); one of the two "
            "is wrong.",
        )
        for frame in sent
        if frame is not None and frame != size.number
    ]
