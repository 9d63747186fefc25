"""Pushes the samples of a recording into monitors, and does in addition what a script says."""

from dataclasses import dataclass, field
from math import inf

import msgspec

from fwdtui.core.lab import Endpoint
from fwdtui.core.model import EventSample, Iteration, Sample
from fwdtui.core.units import pps
from fwdtui.monitor.live.monitor import Monitor
from fwdtui.monitor.replay.matching import (
    Places,
    counts_not,
    equal,
    goes_on,
    is_early,
    is_same,
    last_of,
    made_alike,
)
from fwdtui.monitor.replay.packed import Packed
from fwdtui.monitor.replay.recorded_lab import monitor_in, shown_lab
from fwdtui.monitor.replay.recording import Kept, Piece, Recording

_LEAVING = 5.0  # seconds from an iteration to the last sample: it may have been saved on leaving


@dataclass(slots=True)
class Script:
    """What to do besides pushing samples, by the number of the sample.

    `numbered`: which saved iteration an automatic one is (only its number if its result is missing).
    `unsaved`: automatic iterations that were never saved; their numbers in `numbered` only count their
    blasts. `left`: automatic iterations that were not saved and are not made. `cuts`: iterations saved by
    hand, to be made after the sample. `notes`: texts to show after the sample. `sends`: what the generators
    send from the sample on, if not all iterations had the same frames.
    """

    numbered: dict[int, Kept | int] = field(default_factory=dict)
    unsaved: set[int] = field(default_factory=set)
    left: set[int] = field(default_factory=set)
    cuts: dict[int, list[Kept]] = field(default_factory=dict)
    notes: dict[int, list[str]] = field(default_factory=dict)
    sends: dict[int, tuple[Endpoint, ...]] = field(default_factory=dict)


class Player:
    """Pushes a recording's samples into monitors, following its script."""

    def __init__(self, recording: Recording, script: Script) -> None:
        self.recording = recording
        self.script = script
        self.unknown: list[tuple[int, Iteration]] = []  # automatic iterations that match no saved one
        self.open: list[tuple[Kept, Piece | None]] = [(kept, None) for kept in recording.kept]
        self.open += [(kept, piece) for piece in recording.pieces for kept in piece.kept]
        self.open = [pair for pair in self.open if not pair[0].logs]
        self.numbers = [kept.iteration.index for kept, _ in self.open]
        self.lab = shown_lab(recording.lab, [kept.iteration for kept, _ in self.open])
        """The lab, with what was sent if that was the same in all saved iterations."""
        self._begins = {piece.first: piece for piece in recording.pieces}
        self._place = 0
        self._monitor: Monitor | None = None  # the one into which a sample is being pushed
        self._by_hand: Kept | None = None
        self._said: list[str] = []
        self._places = Places(recording)

    def fresh(self) -> Monitor:
        """A monitor that has seen nothing."""
        return monitor_in(self.lab, self.recording.session, finished=self._finished, store=Packed)

    def push(self, monitor: Monitor, place: int) -> Sample:
        """Push the next sample, and do what the script says for it; returns the sample."""
        piece = self._begins.get(place)
        sample = self.recording.samples[place]
        if piece is not None:
            if place:
                monitor.interrupt()
            for note in piece.notes:
                monitor.push(EventSample(self.recording.due[place], "note", note))
        self._place, self._monitor = place, monitor
        if (sent := self.script.sends.get(place)) is not None:
            monitor.sends(sent)
        monitor.automatic = place not in self.script.left and not self.recording.piece(place).logs
        monitor.push(sample)
        for kept in self.script.cuts.get(place, ()):
            self._by_hand = kept
            # on leaving just after a blast, not all of its last samples were waited for
            left = not is_early(kept) and self._ends_soon(place)
            if not (left and monitor.save_ended()):
                monitor.snapshot_iteration(early=is_early(kept))
            self._by_hand = None
        for text in [*self._said, *self.script.notes.get(place, ())]:
            monitor.push(EventSample(self.recording.due[place], "note", text))
        self._said.clear()
        self._monitor = None
        return sample

    def _ends_soon(self, place: int) -> bool:
        """Whether the piece with this sample ends within seconds."""
        due, piece = self.recording.due, self.recording.piece(place)
        return due[last_of(self.recording, piece)] <= due[place] + _LEAVING

    def _finished(self, iteration: Iteration, samples: tuple[Sample, ...], began: float) -> Iteration:
        """Give the iteration the number with which it was saved, and note if its saved value differs.

        What no sample shows is taken from the saved iteration: its factors and facts, that it does not count
        (a hook that failed, a profiler), and what was found wrong with it when it was measured
        (`Bench.judge`).
        """
        kept = self._by_hand or self.script.numbered.get(self._place) or self._matching(iteration)
        if kept is None:
            self.unknown.append((self._place, iteration))
            return iteration
        if isinstance(kept, int):
            saved = self._place not in self.script.unsaved
            if not saved:
                self._said.append("No iteration was saved of this blast.")
            return msgspec.structs.replace(iteration, index=kept, saved=saved)
        if self._monitor is not None:
            self._monitor.case = kept.case
        if kept.logs:
            # the window of an imported log is found in the log alone, and that result counts
            return _on_axis(kept.iteration, self.recording.piece(self._place).shift)
        old = kept.iteration
        if counts_not(old):
            iteration = msgspec.structs.replace(
                iteration,
                value=None,
                complete=old.complete,
                incomplete=old.incomplete,
                warnings=old.warnings,
                profile=old.profile,
            )
        elif equal(iteration.value, old.value):
            iteration = msgspec.structs.replace(iteration, warnings=old.warnings)
        else:
            was, now = ("no value" if v is None else pps(v) for v in (old.value, iteration.value))
            self._said.append(f"Iteration {old.index} was saved with {was}; replayed, it has {now}.")
        return msgspec.structs.replace(
            iteration,
            index=old.index,
            began=old.began,
            boot=old.boot,
            dropped=old.dropped,
            factors=old.factors,
            facts=old.facts,
            planned=old.planned,
            judged=old.judged,
        )

    def _matching(self, iteration: Iteration) -> Kept | None:
        """The saved iteration with the same window and value, if there is one.

        An iteration that was saved by hand after the traffic had ended, but before the end was known, may
        have the same window and value.
        """
        same = [
            pair
            for pair in self.open
            if is_same(self.recording, *pair, self._place, iteration) and self._may_be_here(*pair)
        ]
        if len(same) != 1 or not made_alike(iteration, same[0][0].iteration):
            same = [pair for pair in same if not self._made_before_its_end(pair, iteration)]
        if not same:
            return None
        pair = same[0] if len(same) == 1 else min(same, key=self._made_apart)
        self.open.remove(pair)
        self.script.numbered[self._place] = pair[0]
        return pair[0]

    def _made_before_its_end(self, pair: tuple[Kept, Piece | None], iteration: Iteration) -> bool:
        place = self._places.end_of(*pair)
        return place is not None and goes_on(self.recording, place, iteration)

    def _made_apart(self, pair: tuple[Kept, Piece | None]) -> float:
        """How many samples lie between where it was made and here; infinity if that is not known."""
        place = self._places.end_of(*pair)
        return inf if place is None else abs(place - self._place)

    def _may_be_here(self, kept: Kept, piece: Piece | None) -> bool:
        """Whether its samples are of this piece, as far as is known: each recording has its own axis.

        Iterations with the same window are distinguished by their values, or without a value by their
        samples.
        """
        if piece is not None or kept.iteration.value is not None or len(self.recording.pieces) < 2:
            return True
        place = self._places.end_of(kept, piece)
        return place is None or self.recording.piece(place) is self.recording.piece(self._place)


def _on_axis(iteration: Iteration, shift: float) -> Iteration:
    window = iteration.window
    if window is None or window.start is None or window.end is None:
        return iteration
    moved = msgspec.structs.replace(window, start=window.start + shift, end=window.end + shift)
    return msgspec.structs.replace(iteration, window=moved)
