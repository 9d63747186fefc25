"""Surveys a recording: where its blasts are, and how the saved iterations are made again from the samples.

A monitor makes an iteration at the end of each blast. The user may also have saved some by hand, kept only
some of them, or left during a blast. The samples do not show that, but the saved iterations do.
"""

import datetime
from array import array
from collections.abc import Sequence
from dataclasses import dataclass, field

from fwdtui.core.host_rates import is_fast
from fwdtui.core.lab import Endpoint
from fwdtui.core.model import EventSample, HostSample, Iteration
from fwdtui.monitor.live.averages import Bounds
from fwdtui.monitor.live.moment import flows_of
from fwdtui.monitor.live.series import CoreLoad, Point
from fwdtui.monitor.replay.matching import Places, became, is_early
from fwdtui.monitor.replay.packed import Packed
from fwdtui.monitor.replay.player import Player, Script
from fwdtui.monitor.replay.recorded_lab import on_link, sent_by
from fwdtui.monitor.replay.recording import Kept, Progress, Recording
from fwdtui.monitor.replay.saved_state import SavedStates

_WRONG = 2.0  # seconds by which clocks of whole seconds may differ; if a host's does by more, it is wrong
EVERY = 200  # samples between two saved states, from which seeking begins
_FLOWS = ("offered", "forwarded", "received")


@dataclass(slots=True)
class Survey:
    """The content of a recording. `states` are those from which seeking begins; the first one is empty.

    `player` pushes samples into their monitors. `ticks` are the times of the DUT's samples of ports and
    cores, which every tick reads.
    """

    player: Player
    states: SavedStates
    blasts: list[tuple[float, float | None]] = field(default_factory=list)
    iterations: tuple[Iteration, ...] = ()
    unlike: tuple[Bounds, ...] = ()  # blasts in which a difference of counts is no loss
    flows: dict[str, Packed[Point]] = field(default_factory=lambda: {name: Packed() for name in _FLOWS})
    cores: Packed[CoreLoad] = field(default_factory=Packed)
    ticks: "array[float]" = field(default_factory=lambda: array("d"))


def survey(recording: Recording, progress: Progress = lambda done, total: None) -> Survey:
    """Go through the recording, twice if that is needed, as for iterations saved by hand.

    It costs about 0.15 ms per sample.
    """
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
    cuts, places = list(player.unknown), Places(recording)
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
        of_blast = (cut for cut in here if became(recording, kept, place, *cut))
        cut = None if is_early(kept) else next(of_blast, None)  # one saved early covers a part of its blast
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
    """What was sent in each iteration, by the number of the sample after the iteration before it.

    Only where that changes what a screen shows; {} if all of it is as in `player.lab`.
    """
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


def _clocks(recording: Recording, script: Script, blasts: Sequence[tuple[float, float | None]]) -> None:
    """Set the pieces' wall clocks by the recording machine's, which the live screen shows and `began` is by.

    A host's may be wrong, or have whole seconds only and then be behind. If `began` has only those, too, as
    earlier versions wrote it, the later of the two clocks is nearer.

    An iteration is made some time after its blast has ended, and the next blast may have begun by then. So an
    iteration's blast is the last one that had ended.
    """
    for place, kept in script.numbered.items():
        text = kept.iteration.began if isinstance(kept, Kept) else ""
        began, piece = wall(text), recording.piece(place)
        over = [begin for begin, end in blasts if end is not None and end <= recording.due[place]]
        if began is not None and over:
            started = began - over[-1]
            if piece.started is not None and "." not in text and abs(piece.started - started) <= _WRONG:
                started = max(piece.started, started)
            piece.started = started


def wall(text: str) -> float | None:
    """Seconds since 1970 of an iteration's ``began``; None if it is empty or no valid time."""
    try:
        return datetime.datetime.fromisoformat(text).timestamp() if text else None
    except (ValueError, OverflowError):
        return None


def _ends(recording: Recording) -> list[int]:
    """The number of the last sample of each piece."""
    firsts = [piece.first for piece in recording.pieces]
    return [first - 1 for first in [*firsts[1:], len(recording.samples)]]
