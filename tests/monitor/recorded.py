"""A recording whose samples are in memory: what a replay plays, without a session's files."""

from collections.abc import Sequence
from itertools import accumulate
from pathlib import Path

from fwdtui.core.lab import Lab, plain
from fwdtui.core.model import Sample, Session
from fwdtui.monitor.replay.recording import Kept, Piece, Recording
from fwdtui.monitor.replay.target import Target


def recorded(
    samples: Sequence[Sample], lab: Lab, pieces: Sequence[Piece] = (), kept: Sequence[Kept] = ()
) -> Recording:
    """Of one piece, if no others are given."""
    session = Session("/s", "s", "", lab=plain(lab))
    due = list(accumulate((one.at or 0.0 for one in samples), max))
    made = list(pieces) or [Piece("whole", 0)]
    return Recording(Target(Path("/s")), session, "v4", lab, samples, due, made, kept)
