"""Matches saved iterations with those that a replay makes from the samples, and finds where they were made.

A saved iteration may have been saved by hand, or made by another version of fwdtui. Then its window and its
value may differ from those of the replay.
"""

from fwdtui.core.model import HostSample, Iteration
from fwdtui.monitor.live.blast import quiet_after
from fwdtui.monitor.replay.recording import Kept, Piece, Recording, identity
from fwdtui.store import read_samples

_SAME = 0.002  # seconds; packets per second
_MUCH = 0.5  # share of a window: if another window covers so much of it, both are of the same blast


def is_early(kept: Kept) -> bool:
    """Whether it was saved before its blast had ended; the blast may end later in the recording."""
    return any(caution.code == "ended-early" for caution in kept.iteration.warnings)


def is_same(recording: Recording, kept: Kept, piece: Piece | None, place: int, cut: Iteration) -> bool:
    """Whether both have the same window on the same axis, and the same value if `kept` was saved with one.

    `cut` is the iteration that the replay makes at sample `place`; `piece` is the one of `kept`, if known.
    """
    window, old = cut.window, kept.iteration.window
    there = recording.piece(place)
    if window is None or old is None or (piece is not None and piece is not there):
        return False
    for mine, other in ((window.start, old.start), (window.end, old.end)):
        if mine is None or other is None:
            if mine is not other:
                return False
        elif abs(mine - other - there.shift) > _SAME:
            return False
    return counts_not(kept.iteration) or equal(cut.value, kept.iteration.value)


def made_alike(cut: Iteration, old: Iteration) -> bool:
    """Whether both were made of the same number of samples and of the same packets."""
    one, other = (
        None if window is None else (window.kept, window.head, window.tail, window.inside, window.notes)
        for window in (cut.window, old.window)
    )
    return one == other and cut.packets == old.packets


def counts_not(old: Iteration) -> bool:
    """Whether it was saved as one that does not count, for a reason that its samples may not show."""
    return old.value is None and bool(old.incomplete)


def became(recording: Recording, kept: Kept, place: int, here: int, cut: Iteration) -> bool:
    """Whether the blast of `cut`, which is made at sample `here`, became `kept`, which was at `place`."""
    if cut.window is None and kept.iteration.window is None:  # no sample of either has a rate
        return place == here
    return covers(recording, kept, here, cut) and not goes_on(recording, place, cut)


def goes_on(recording: Recording, place: int, cut: Iteration) -> bool:
    """Whether the blast of `cut` was not known to be over yet at this sample.

    What was saved there must then have been saved by hand.
    """
    end = None if cut.window is None else cut.window.end
    return end is not None and recording.due[place] < end + quiet_after(recording.lab.interval)


def covers(recording: Recording, kept: Kept, place: int, cut: Iteration) -> bool:
    """Whether both are of the same blast, although their windows may differ.

    They differ if another version of fwdtui made the saved one.
    """
    window, old, shift = cut.window, kept.iteration.window, recording.piece(place).shift
    if window is None or old is None or None in (window.start, window.end, old.start, old.end):
        return False
    assert window.start is not None and window.end is not None
    assert old.start is not None and old.end is not None
    common = min(window.end, old.end + shift) - max(window.start, old.start + shift)
    return common >= _MUCH * max(window.end - window.start, old.end - old.start)


def equal(one: float | None, other: float | None) -> bool:
    return one == other if one is None or other is None else abs(one - other) <= _SAME


class Places:
    """Where in a recording an iteration was made: after the last of the samples that were saved with it."""

    def __init__(self, recording: Recording) -> None:
        self._recording = recording
        self._of: dict[object, int] = {}

    def end_of(self, kept: Kept, piece: Piece | None) -> int | None:
        """The number of that sample; None if the recording lacks the iteration's samples.

        Only samples of hosts identify a position.
        """
        if not self._of:
            samples = self._recording.samples
            self._of = {identity(s): n for n, s in enumerate(samples) if isinstance(s, HostSample)}
        mine = read_samples(kept.folder).samples
        last = next((n for n in reversed(range(len(mine))) if identity(mine[n]) in self._of), None)
        if last is None:
            if piece is None:
                return None
            return last_of(self._recording, piece)
        return min(self._of[identity(mine[last])] + len(mine) - 1 - last, len(self._recording.samples) - 1)


def last_of(recording: Recording, piece: Piece) -> int:
    """The number of the last sample of this piece."""
    later = (other.first for other in recording.pieces if other.first > piece.first)
    return next(later, len(recording.samples)) - 1
