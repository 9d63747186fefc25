"""Surveys a recording: where its blasts are, and how the saved iterations are made again from the samples.

A monitor makes an iteration at the end of each blast. People also saved some by hand, kept only some, or left
in the middle of one. The samples do not show that, but the saved iterations do.
"""

import datetime
from array import array
from collections.abc import Sequence
from dataclasses import dataclass, field
from math import inf

import msgspec

from fwdtui.core.host_rates import is_fast
from fwdtui.core.lab import Endpoint
from fwdtui.core.model import EventSample, HostSample, Iteration, Sample
from fwdtui.core.units import pps
from fwdtui.monitor.live.averages import Bounds
from fwdtui.monitor.live.blast import quiet_after
from fwdtui.monitor.live.moment import flows_of
from fwdtui.monitor.live.monitor import Monitor
from fwdtui.monitor.live.series import CoreLoad, Point
from fwdtui.monitor.replay.packed import Packed
from fwdtui.monitor.replay.recorded_lab import monitor_in, on_link, sent_by, shown_lab
from fwdtui.monitor.replay.recording import Kept, Piece, Progress, Recording, identity
from fwdtui.monitor.replay.saved_state import SavedStates
from fwdtui.store import read_samples

_SAME = 0.002  # seconds; packets per second
_MUCH = 0.5  # share of a window that another one covers: then both are of the same blast
_LEAVING = 5.0  # seconds from what is saved last when one leaves to the last sample
_WRONG = 2.0  # seconds by which a host's clock may differ before the recording machine's clock is used
EVERY = 200  # samples between two saved states, from which seeking begins
_FLOWS = ("offered", "forwarded", "received")


@dataclass(slots=True)
class Script:
    """What to do besides pushing, by the number of the sample.

    `numbered`: which saved iteration an automatic one is (only a number if its result is not there).
    `unsaved`: those that were never saved, and have a number by which their blasts are counted. `left`:
    automatic iterations that were not saved and are not made. `cuts`: iterations saved by hand, after the
    sample. `notes`: texts to show after the sample. `sends`: what the generators send from the sample on,
    where not all iterations were of the same frames.
    """

    numbered: dict[int, Kept | int] = field(default_factory=dict)
    unsaved: set[int] = field(default_factory=set)
    left: set[int] = field(default_factory=set)
    cuts: dict[int, list[Kept]] = field(default_factory=dict)
    notes: dict[int, list[str]] = field(default_factory=dict)
    sends: dict[int, tuple[Endpoint, ...]] = field(default_factory=dict)


@dataclass(slots=True)
class Survey:
    """The content of a recording. `states` to begin from, the first one empty.

    `player` pushes samples into them. `ticks` are the times of the DUT's samples that every tick reads.
    """

    player: "Player"
    states: SavedStates
    blasts: list[tuple[float, float | None]] = field(default_factory=list)
    iterations: tuple[Iteration, ...] = ()
    unlike: tuple[Bounds, ...] = ()  # blasts in which a difference of counts is no loss
    flows: dict[str, Packed[Point]] = field(default_factory=lambda: {name: Packed() for name in _FLOWS})
    cores: Packed[CoreLoad] = field(default_factory=Packed)
    ticks: "array[float]" = field(default_factory=lambda: array("d"))


class Player:
    """Pushes a recording's samples into monitors as its script says."""

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
        self._monitor: Monitor | None = None  # which a sample is being pushed into
        self._by_hand: Kept | None = None
        self._said: list[str] = []
        self._places = _Places(recording)

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
            # who left in the moment after a blast did not wait for all of its last samples
            left = not _is_early(kept) and self._ends_soon(place)
            if not (left and monitor.save_ended()):
                monitor.snapshot_iteration(early=_is_early(kept))
            self._by_hand = None
        for text in [*self._said, *self.script.notes.get(place, ())]:
            monitor.push(EventSample(self.recording.due[place], "note", text))
        self._said.clear()
        self._monitor = None
        return sample

    def _ends_soon(self, place: int) -> bool:
        """Whether the piece with this sample ends within seconds."""
        due, piece = self.recording.due, self.recording.piece(place)
        return due[_end_of(self.recording, piece)] <= due[place] + _LEAVING

    def _finished(self, iteration: Iteration, samples: tuple[Sample, ...], began: float) -> Iteration:
        """Give the iteration the number it was saved with, and note if its saved value differs.

        What is in no sample is taken from what was saved: its factors and facts, that it does not count (a
        hook that failed, a profiler), and what whoever ran its tools found wrong with it (`Bench.judge`).
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
            # a log's window is found in the log alone, and that result counts
            return _on_axis(kept.iteration, self.recording.piece(self._place).shift)
        old = kept.iteration
        if _counts_not(old):
            iteration = msgspec.structs.replace(
                iteration,
                value=None,
                complete=old.complete,
                incomplete=old.incomplete,
                warnings=old.warnings,
                profile=old.profile,
            )
        elif _equal(iteration.value, old.value):
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
        )

    def _matching(self, iteration: Iteration) -> Kept | None:
        """The saved iteration with the same window and value, if there is one.

        What was saved by hand once the traffic had ended, and before that was known, has both as well.
        """
        same = [
            pair
            for pair in self.open
            if _is(self.recording, *pair, self._place, iteration) and self._may_be_here(*pair)
        ]
        if len(same) != 1 or not _made_alike(iteration, same[0][0].iteration):
            same = [pair for pair in same if not self._made_before_its_end(pair, iteration)]
        if not same:
            return None
        pair = same[0] if len(same) == 1 else min(same, key=self._made_apart)
        self.open.remove(pair)
        self.script.numbered[self._place] = pair[0]
        return pair[0]

    def _made_before_its_end(self, pair: tuple[Kept, Piece | None], iteration: Iteration) -> bool:
        place = self._places.end_of(*pair)
        return place is not None and _goes_on(self.recording, place, iteration)

    def _made_apart(self, pair: tuple[Kept, Piece | None]) -> float:
        """How many samples are between where it was made and here; infinity: that is not known."""
        place = self._places.end_of(*pair)
        return inf if place is None else abs(place - self._place)

    def _may_be_here(self, kept: Kept, piece: Piece | None) -> bool:
        """Whether its samples are of this piece, as far as is known: each recording has an axis of its own.

        A value tells iterations of the same window apart; what has none is told apart by its samples.
        """
        if piece is not None or kept.iteration.value is not None or len(self.recording.pieces) < 2:
            return True
        place = self._places.end_of(kept, piece)
        return place is None or self.recording.piece(place) is self.recording.piece(self._place)


def survey(recording: Recording, progress: Progress = lambda done, total: None) -> Survey:
    """Go through the recording; twice if iterations were saved by hand. Costs about 0.15 ms per sample."""
    script = Script()
    for piece, end in zip(recording.pieces, _ends(recording), strict=True):
        if piece.logs:
            script.cuts[end] = list(piece.kept)
    player = Player(recording, script)
    result = _through(player, progress)
    again = bool(player.unknown or player.open)
    _compare(player)
    script.sends = _sends(player)
    _clocks(recording, script, result.blasts)
    if not again and not script.sends:
        return result
    del result
    return _through(player, progress)


def _through(player: Player, progress: Progress) -> Survey:
    recording = player.recording
    result = Survey(player, SavedStates(recording.samples, player))
    monitor = player.fresh()
    result.states.save(0, monitor)
    dut = recording.lab.dut.host
    most = EVERY * max(len(recording.lab.generators), 1)  # points that a flow gets between two states
    began: float | None = None
    told = 0.0
    newest: dict[str, float] = {}
    total = len(recording.samples)
    seen: EventSample | None = None
    for place in range(total):
        sample = player.push(monitor, place)
        result.states.passed(place, sample)
        if isinstance(sample, HostSample) and sample.host == dut and is_fast(sample):
            result.ticks.append(recording.due[place])
        if (place + 1) % EVERY and place + 1 < total:
            continue
        progress(place + 1, total)
        result.states.save(place + 1, monitor)
        snapshot = monitor.snapshot(most)
        for name, points in flows_of(snapshot, receiver=True).items():
            before = newest.get(name, float("-inf"))
            fresh = [point for point in points if point.at > before]
            result.flows.setdefault(name, Packed()).extend(fresh)
            newest[name] = fresh[-1].at if fresh else before
        until = result.cores[-1].at if result.cores else float("-inf")
        result.cores.extend(load for load in snapshot.busiest if load.at > until)
        events = list(snapshot.events)
        if seen is not None:
            known = next((n for n, event in enumerate(events) if event is seen), -1)
            events = events[known + 1 :]
        for event in events:
            told = event.at
            if event.code == "blast-began":
                began = event.at
            elif event.code == "blast-ended" and began is not None:
                result.blasts.append((began, told))
                began = None
        seen = snapshot.events[-1] if snapshot.events else seen
        result.iterations, result.unlike = snapshot.iterations, snapshot.unlike
    if began is not None:
        result.blasts.append((began, None))
    return result


def _compare(player: Player) -> None:
    """Match the remaining saved iterations with the remaining automatic ones, and write the script."""
    recording, script = player.recording, player.script
    cuts, places = list(player.unknown), _Places(recording)
    unfinished = []
    for kept, piece in player.open:
        if not kept.iteration.complete and not kept.iteration.incomplete:
            unfinished.append(kept.iteration.index)
            continue
        place = places.end_of(kept, piece)
        if place is None:
            text = f"Iteration {kept.iteration.index} of {kept.case} is not in this recording."
            script.notes.setdefault(len(recording.samples) - 1, []).append(text)
            continue
        here = [cut for cut in cuts if recording.piece(cut[0]) is recording.piece(place)]
        of_blast = (cut for cut in here if _became(recording, kept, place, *cut))
        cut = None if _is_early(kept) else next(of_blast, None)  # what was saved early is a part of its blast
        if cut is None:
            script.cuts.setdefault(place, []).append(kept)
        else:
            cuts.remove(cut)
            script.numbered[cut[0]] = kept
    player.open.clear()
    player.unknown.clear()
    if player.numbers and not unfinished:
        script.left = {place for place, _ in cuts}
        return
    after = max(player.numbers, default=0) + 1
    names = [*unfinished, *range(after, after + len(cuts))]
    script.numbered |= {place: number for (place, _), number in zip(cuts, names, strict=False)}
    script.unsaved = {place for place, _ in cuts[len(unfinished) :]}


def _sends(player: Player) -> dict[int, tuple[Endpoint, ...]]:
    """What was sent in each iteration, from where the one before it was made; {} if `player.lab` has it."""
    script = player.script
    made = [(place, kept) for place, kept in script.numbered.items() if isinstance(kept, Kept)]
    made += [(place, kept) for place, several in script.cuts.items() for kept in several]
    sends: dict[int, tuple[Endpoint, ...]] = {}
    begin, before = 0, on_link(player.lab.generators)
    for place, kept in sorted(made, key=lambda pair: pair[0]):
        sent = sent_by(player.recording.lab, kept.iteration)
        if on_link(sent) != before:
            sends[begin], before = sent, on_link(sent)
        begin = place + 1
    return sends


def _is_early(kept: Kept) -> bool:
    """Whether it was saved before its blast had ended, which may have ended in the recording all the same."""
    return any(caution.code == "ended-early" for caution in kept.iteration.warnings)


def _is(recording: Recording, kept: Kept, piece: Piece | None, place: int, cut: Iteration) -> bool:
    """Whether both have the same window on the same axis, and the same value if it was saved with one."""
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
    return _counts_not(kept.iteration) or _equal(cut.value, kept.iteration.value)


def _made_alike(cut: Iteration, old: Iteration) -> bool:
    """Whether both were made of as many samples, and of the same packets."""
    one, other = (
        None if window is None else (window.kept, window.head, window.tail, window.inside, window.notes)
        for window in (cut.window, old.window)
    )
    return one == other and cut.packets == old.packets


def _counts_not(old: Iteration) -> bool:
    """Whether it was saved as one that does not count, for a reason that need not be in its samples."""
    return old.value is None and bool(old.incomplete)


def _covers(recording: Recording, kept: Kept, place: int, cut: Iteration) -> bool:
    """Whether both are of one blast although their windows differ: another version of fwdtui made it."""
    window, old, shift = cut.window, kept.iteration.window, recording.piece(place).shift
    if window is None or old is None or None in (window.start, window.end, old.start, old.end):
        return False
    assert window.start is not None and window.end is not None
    assert old.start is not None and old.end is not None
    common = min(window.end, old.end + shift) - max(window.start, old.start + shift)
    return common >= _MUCH * max(window.end - window.start, old.end - old.start)


def _became(recording: Recording, kept: Kept, place: int, here: int, cut: Iteration) -> bool:
    """Whether the blast of `cut`, which is made at the sample `here`, became `kept`, which was at `place`."""
    if cut.window is None and kept.iteration.window is None:  # no sample of either has a rate
        return place == here
    return _covers(recording, kept, here, cut) and not _goes_on(recording, place, cut)


def _goes_on(recording: Recording, place: int, cut: Iteration) -> bool:
    """Whether nobody knew yet at this sample that that blast was over: what was saved then was by hand."""
    end = None if cut.window is None else cut.window.end
    return end is not None and recording.due[place] < end + quiet_after(recording.lab.interval)


class _Places:
    """Where in a recording an iteration was made: after the last of the samples that were saved with it."""

    def __init__(self, recording: Recording) -> None:
        self._recording = recording
        self._of: dict[object, int] = {}

    def end_of(self, kept: Kept, piece: Piece | None) -> int | None:
        """The sample's number; None if its samples are not there. Only host samples identify a position."""
        if not self._of:
            samples = self._recording.samples
            self._of = {identity(s): n for n, s in enumerate(samples) if isinstance(s, HostSample)}
        mine = read_samples(kept.folder).samples
        last = next((n for n in reversed(range(len(mine))) if identity(mine[n]) in self._of), None)
        if last is None:
            if piece is None:
                return None
            return _end_of(self._recording, piece)
        return min(self._of[identity(mine[last])] + len(mine) - 1 - last, len(self._recording.samples) - 1)


def _clocks(recording: Recording, script: Script, blasts: Sequence[tuple[float, float | None]]) -> None:
    """Correct the pieces' wall clocks: a host's may be wrong, but `began` is of the recording machine.

    An iteration is made when its blast has ended, and the next one may have begun by then.
    """
    for place, kept in script.numbered.items():
        began = wall(kept.iteration.began) if isinstance(kept, Kept) else None
        piece = recording.piece(place)
        over = [begin for begin, end in blasts if end is not None and end <= recording.due[place]]
        if began is not None and over:
            started = began - over[-1]
            if piece.started is None or abs(piece.started - started) > _WRONG:
                piece.started = started


def wall(text: str) -> float | None:
    """Seconds since 1970 of an iteration's ``began``; None if it has none."""
    try:
        return datetime.datetime.fromisoformat(text).timestamp() if text else None
    except (ValueError, OverflowError):
        return None


def _end_of(recording: Recording, piece: Piece) -> int:
    """The last sample of this piece."""
    later = (other.first for other in recording.pieces if other.first > piece.first)
    return next(later, len(recording.samples)) - 1


def _ends(recording: Recording) -> list[int]:
    """The last sample of each piece."""
    firsts = [piece.first for piece in recording.pieces]
    return [first - 1 for first in [*firsts[1:], len(recording.samples)]]


def _on_axis(iteration: Iteration, shift: float) -> Iteration:
    window = iteration.window
    if window is None or window.start is None or window.end is None:
        return iteration
    moved = msgspec.structs.replace(window, start=window.start + shift, end=window.end + shift)
    return msgspec.structs.replace(iteration, window=moved)


def _equal(one: float | None, other: float | None) -> bool:
    return one == other if one is None or other is None else abs(one - other) <= _SAME
