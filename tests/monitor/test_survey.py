"""What a recording holds, and which of its blasts became which saved iteration."""

from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import msgspec
import pytest
from machines import LAB, Machines
from recorded import recorded

from fwdtui.core.counters import CpuTicks
from fwdtui.core.lab import parse
from fwdtui.core.model import Caution, EventSample, HostSample, Iteration, RateSample, Sample, Window
from fwdtui.core.profile.record import Profile
from fwdtui.core.profiled import without_value
from fwdtui.monitor.replay import matching
from fwdtui.monitor.replay import player as playing
from fwdtui.monitor.replay import survey as surveying
from fwdtui.monitor.replay.player import Player, Script
from fwdtui.monitor.replay.recording import Kept, Piece, Recording
from fwdtui.monitor.replay.replay import Replay
from fwdtui.monitor.replay.survey import survey
from fwdtui.store.records import NAME, line

CORE = (CpuTicks(0, 1, 1, 1, 1, 1),)


def sample(at: float, host: str = "dut") -> HostSample:
    return HostSample(host, int(at * 1000), at, at, boot=host, cpus=CORE)


def recording(
    samples: Sequence[Sample], pieces: Sequence[Piece] = (), kept: Sequence[Kept] = ()
) -> Recording:
    return recorded(samples, parse(LAB), list(pieces), kept)


def window(start: float | None, end: float | None) -> Window:
    return Window("steady", start, end, 5)


def saved(
    index: int = 1,
    value: float | None = 5.0,
    span: tuple[float | None, float | None] | None = (0.0, 10.0),
    folder: Path = Path("none"),
    **more: object,
) -> Kept:
    found = None if span is None else window(*span)
    return Kept("v4", Iteration(index, value, window=found, **more), folder)  # type: ignore[arg-type]


# when two are the same


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        (None, None, True),
        (None, 0.0, False),
        (0.0, None, False),
        (0.0, 0.002, True),
        (0.002, 0.0, True),
        (0.0, 0.0021, False),
        (-0.0021, 0.0, False),
    ],
)
def test_values_are_saved_to_a_thousandth(one: float | None, other: float | None, same: bool) -> None:
    assert matching.equal(one, other) is same


@pytest.mark.parametrize(
    ("cut", "old", "shift", "same"),
    [
        ((0.0, 10.0), (0.0, 10.0), 0.0, True),
        ((7.0, 17.0), (0.0, 10.0), 7.0, True),
        ((0.0, 10.0), (0.0, 10.0), 7.0, False),
        ((0.001, 10.001), (0.0, 10.0), 0.0, True),
        ((0.003, 10.0), (0.0, 10.0), 0.0, False),
        ((0.0, 10.003), (0.0, 10.0), 0.0, False),
        ((0.0, 9.997), (0.0, 10.0), 0.0, False),
        ((None, None), (None, None), 0.0, True),
        ((None, 10.0), (None, 10.0), 0.0, True),
        ((None, 10.0), (0.0, 10.0), 0.0, False),
        ((0.0, 10.0), (0.0, None), 0.0, False),
        (None, (0.0, 10.0), 0.0, False),
        ((0.0, 10.0), None, 0.0, False),
    ],
)
def test_an_iteration_is_the_saved_one_of_the_same_window_and_value(
    cut: tuple[float, float] | None, old: tuple[float, float] | None, shift: float, same: bool
) -> None:
    other, mine = Piece("other", 0), Piece("mine", 1, shift)
    found = recording([sample(0.0), sample(1.0)], [other, mine])
    made = Iteration(0, 5.0, window=None if cut is None else window(*cut))
    for piece, expected in ((None, same), (mine, same), (other, False)):
        assert matching.is_same(found, saved(span=old), piece, 1, made) is expected
    assert not matching.is_same(found, saved(value=6.0, span=old), mine, 1, made)


@pytest.mark.parametrize(
    ("old", "shift", "same"),
    [
        ((0.0, 10.0), 0.0, True),
        ((5.0, 15.0), 0.0, True),
        ((-5.0, 5.0), 0.0, True),
        ((5.1, 15.1), 0.0, False),
        ((-5.1, 4.9), 0.0, False),
        ((0.0, 20.0), 0.0, True),  # half of the longer one
        ((0.0, 20.1), 0.0, False),
        ((2.0, 7.0), 0.0, True),
        ((2.0, 6.9), 0.0, False),
        ((-95.0, -85.0), 100.0, True),
        ((0.0, 10.0), 100.0, False),
        ((30.0, 40.0), 0.0, False),
        ((None, 10.0), 0.0, False),
        ((0.0, None), 0.0, False),
        (None, 0.0, False),
    ],
)
def test_windows_that_cover_each_other_by_half_are_of_one_blast(
    old: tuple[float, float] | None, shift: float, same: bool
) -> None:
    found = recording([sample(0.0)], [Piece("moved", 0, shift)])
    made = Iteration(0, 7.0, window=window(0.0, 10.0))
    assert matching.covers(found, saved(span=old), 0, made) is same
    for odd in (None, window(None, 10.0), window(0.0, None)):
        assert not matching.covers(found, saved(), 0, Iteration(0, 5.0, window=odd))


# where a saved iteration was made


def folder(path: Path, samples: Sequence[Sample]) -> Path:
    path.mkdir()
    (path / NAME).write_bytes(b"".join(map(line, samples)))
    return path


@pytest.mark.parametrize(
    ("mine", "place"),
    [
        ([sample(1.0), sample(2.0)], 1),
        ([sample(2.0), EventSample(2.1, "note", "x")], 2),
        ([sample(2.0), EventSample(2.1, "note", "x"), sample(99.0)], 3),
        ([sample(5.0), EventSample(5.1, "note", "x"), sample(99.0)], 5),  # but never after the end
        ([sample(0.0), sample(5.0), sample(3.0)], 3),
        ([sample(99.0), EventSample(2.0, "note", "x")], None),
        ([], None),
    ],
)
def test_an_iteration_was_made_after_the_last_of_its_samples(
    tmp_path: Path, mine: list[Sample], place: int | None
) -> None:
    samples = [sample(1.0), sample(2.0), EventSample(2.0, "note", "x"), sample(3.0), sample(4.0), sample(5.0)]
    pieces = [Piece("a", 0), Piece("b", 2), Piece("c", 4)]
    found = recording(samples, pieces)
    kept = saved(folder=folder(tmp_path / "001", mine))
    places = matching.Places(found)
    assert places.end_of(kept, None) == place
    if place is None:  # of a known piece it is the end of that
        assert [places.end_of(kept, piece) for piece in pieces] == [1, 3, 5]


# which blast became which iteration


SECOND = recording(
    [sample(float(at)) for at in (*range(10), *range(100, 110))],
    [Piece("recording-001", 0), Piece("recording-002", 10, shift=100.0)],
)
"""Two recordings: on its own axis the second one begins at 0, too."""


@pytest.mark.parametrize(("piece", "place"), [(0, 8), (1, 18)])
@pytest.mark.parametrize("value", [None, 4.0])
def test_of_several_recordings_an_iteration_is_the_blast_of_its_own(
    tmp_path: Path, piece: int, place: int, value: float | None
) -> None:
    """Both blasts are at the same time of their recordings, as those of an experiment that is resumed."""
    cuts = [
        (8, Iteration(0, 9.0, window=window(2.0, 5.0))),
        (18, Iteration(0, 4.0, window=window(102.0, 105.0))),
    ]
    why = "" if value else "A link went down."
    mine = folder(tmp_path / "a", [SECOND.samples[place], SECOND.samples[place + 1]])
    kept = saved(2, value, (2.2, 5.0), mine, complete=bool(value), incomplete=why)
    other = cuts[1 - piece][0]
    assert compared(SECOND, cuts, [kept]) == Script(numbered={place: kept}, left={other})


@pytest.mark.parametrize(("piece", "place"), [(0, 8), (1, 18)])
def test_what_has_no_value_is_told_apart_by_its_samples(tmp_path: Path, piece: int, place: int) -> None:
    mine = folder(tmp_path / "a", [SECOND.samples[place], SECOND.samples[place + 1]])
    kept = saved(2, None, (2.0, 5.0), mine, complete=False, incomplete="A link went down.")
    player = Player(SECOND, Script())
    for number, (at, begin) in enumerate(((8, 2.0), (18, 102.0))):
        player.open, player._place = [(kept, None)], at
        made = Iteration(0, 7.0, window=window(begin, begin + 3.0))
        assert player._matching(made) is (kept if number == piece else None)


def compared(
    found: Recording,
    unknown: Sequence[tuple[int, Iteration]] = (),
    opened: Sequence[Kept] = (),
    numbers: Sequence[int] | None = None,
) -> Script:
    player = Player(found, Script())
    player.unknown = list(unknown)
    player.open = [(kept, None) for kept in opened]
    player.numbers = [kept.iteration.index for kept in opened] if numbers is None else list(numbers)
    surveying._compare(player)
    assert player.open == [] and player.unknown == []
    return player.script


FOUND = recording([sample(float(at)) for at in range(10)])
CUTS = [(3, Iteration(0, 5.0, window=window(0.0, 3.0))), (8, Iteration(0, 5.0, window=window(2.0, 5.0)))]
HERE = [sample(8.0), sample(9.0)]


def test_where_nothing_was_saved_the_blasts_are_counted() -> None:
    assert compared(FOUND, CUTS) == Script(numbered={3: 1, 8: 2}, unsaved={3, 8})


def test_where_iterations_were_saved_the_other_blasts_were_not() -> None:
    assert compared(FOUND, CUTS, numbers=[1, 2]) == Script(left={3, 8})


def test_an_iteration_that_is_unfinished_is_the_first_blast_without_one(tmp_path: Path) -> None:
    unfinished = saved(2, None, None, complete=False)
    assert compared(FOUND, CUTS, [unfinished], [1, 2, 4]) == Script(numbered={3: 2, 8: 5}, unsaved={8})
    told = saved(2, None, None, folder(tmp_path / "a", HERE), complete=False, incomplete="no samples")
    assert compared(FOUND, CUTS, [told], [1, 2]) == Script(cuts={9: [told]}, left={3, 8})
    other = saved(7, 6.0, (2.5, 5.5), told.folder)
    assert compared(FOUND, CUTS, [unfinished, other]) == Script(numbered={8: other, 3: 2})


def test_an_iteration_of_another_window_is_the_blast_that_it_covers(tmp_path: Path) -> None:
    older = saved(7, 6.0, (2.5, 5.5), folder(tmp_path / "a", HERE))
    assert compared(FOUND, CUTS, [older]) == Script(numbered={8: older}, left={3})
    both = [older, saved(8, 6.0, (2.4, 5.4), older.folder)]
    script = compared(FOUND, CUTS, both)
    assert script == Script(numbered={8: older}, cuts={9: both[1:]}, left={3}), "a blast is of one iteration"


@pytest.mark.parametrize(("place", "by_hand"), [(3, True), (6, True), (7, True), (8, False), (9, False)])
def test_what_was_saved_before_a_blast_was_known_to_be_over_is_not_what_it_became(
    tmp_path: Path, place: int, by_hand: bool
) -> None:
    """Three seconds of quiet are its end. Until then `s` saves the same window, once it has ended."""
    kept = saved(7, 6.0, (2.5, 5.5), folder(tmp_path / "a", [sample(float(place))]))
    expected = Script(cuts={place: [kept]}, left={3, 8}) if by_hand else Script(numbered={8: kept}, left={3})
    assert compared(FOUND, CUTS, [kept]) == expected


@pytest.mark.parametrize(("place", "same"), [(7, False), (8, True), (9, False)])
def test_a_blast_of_which_nothing_is_known_became_what_was_saved_with_its_sample(
    tmp_path: Path, place: int, same: bool
) -> None:
    kept = saved(7, None, None, folder(tmp_path / "a", [sample(float(place))]), incomplete="No samples.")
    kept = Kept(kept.case, msgspec.structs.replace(kept.iteration, complete=False), kept.folder)
    expected = Script(numbered={8: kept}) if same else Script(cuts={place: [kept]}, left={8})
    assert compared(FOUND, [(8, Iteration(0, None))], [kept]) == expected


def test_what_no_blast_became_was_saved_by_hand(tmp_path: Path) -> None:
    place = folder(tmp_path / "a", HERE)
    first, second = saved(1, 5.0, (40.0, 50.0), place), saved(2, 5.0, None, place)
    assert compared(FOUND, [], [first, second]) == Script(cuts={9: [first, second]})


def test_what_is_not_in_the_recording_is_told_at_its_end(tmp_path: Path) -> None:
    gone = [saved(n, 5.0, (0.0, 3.0), folder(tmp_path / str(n), [sample(99.0)])) for n in (1, 2)]
    told = [f"Iteration {n} of v4 is not in this recording." for n in (1, 2)]
    assert compared(FOUND, CUTS[:1], gone) == Script(notes={9: told}, left={3})


# clocks


@pytest.mark.parametrize(
    ("started", "began", "became"),
    [
        (None, "16:45+00:00", 1000.0),
        (998.0, "16:45+00:00", 1000.0),  # both may have whole seconds only: the later is nearer
        (1000.6, "16:45+00:00", 1000.6),
        (1002.0, "16:45+00:00", 1002.0),
        (1002.5, "16:45+00:00", 1000.0),  # it is wrong
        (1000.0, "16:45.623+00:00", 1000.623),
        (1001.0, "16:45.623+00:00", 1000.623),
    ],
)
def test_the_clock_is_that_of_the_recording_machine_as_it_was_live(
    started: float | None, began: str, became: float
) -> None:
    piece = Piece("whole", 0, started=started)
    found = recording(FOUND.samples, [piece])
    kept = saved(began=f"1970-01-01T00:{began}")  # 1005 s after the beginning of 1970
    blasts: list[tuple[float, float | None]] = [(1.0, 2.0), (5.0, 7.0), (7.5, None)]
    surveying._clocks(found, Script(numbered={8: kept}), blasts)
    assert piece.started == pytest.approx(became, abs=1e-9)


@pytest.mark.parametrize(
    ("kept", "blasts"),
    [
        (3, [(5.0, 7.0)]),  # it was not saved
        (saved(began=""), [(5.0, 7.0)]),
        (saved(began="yesterday"), [(5.0, 7.0)]),
        (saved(began="1970-01-01T00:16:45+00:00"), [(8.5, 9.0)]),
    ],
)
def test_without_a_beginning_a_clock_is_left_alone(
    kept: Kept | int, blasts: list[tuple[float, float | None]]
) -> None:
    piece = Piece("whole", 0, started=7.0)
    found = recording(FOUND.samples, [piece])
    surveying._clocks(found, Script(numbered={8: kept}), blasts)
    assert piece.started == 7.0


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("1970-01-01T01:00:00+01:00", 0.0),
        ("2026-01-02T03:04:05+00:00", 1767323045.0),
        ("", None),
        ("yesterday", None),
        ("0001-01-01T00:00:00+23:00", -62135679600.0),
    ],
)
def test_a_wall_clock_is_read_with_its_offset(text: str, seconds: float | None) -> None:
    assert surveying.wall(text) == seconds


# pieces


def test_a_piece_ends_before_the_next_one_begins() -> None:
    pieces = [Piece("a", 0), Piece("b", 3), Piece("c", 4)]
    assert surveying._ends(recording(FOUND.samples, pieces)) == [2, 3, 9]
    assert surveying._ends(FOUND) == [9]


@pytest.mark.parametrize(
    ("span", "moved"),
    [((1.0, 2.0), (8.0, 9.0)), ((None, 2.0), (None, 2.0)), ((1.0, None), (1.0, None)), (None, None)],
)
def test_a_window_is_moved_with_its_piece(
    span: tuple[float, float] | None, moved: tuple[float, float] | None
) -> None:
    before, after = (saved(span=one).iteration for one in (span, moved))
    assert playing._on_axis(before, 7.0) == after


def test_nothing_reaches_from_one_piece_into_the_next_and_notes_come_with_the_first_sample() -> None:
    notes = (["one"], ["two", "three"])
    samples = [sample(1.0), sample(2.0), sample(5.0), sample(6.0)]
    found = recording(samples, [Piece("a", 0, notes=notes[0]), Piece("b", 2, notes=notes[1])])
    player, interrupted = Player(found, Script(notes={1: ["four"]})), []
    monitor = player.fresh()
    monitor.interrupt = lambda: interrupted.append(monitor.snapshot(0).now)  # type: ignore[method-assign]
    for place in range(4):
        player.push(monitor, place)
    told = [(event.at, event.text) for event in monitor.snapshot(0).events]
    assert told == [(1.0, "one"), (2.0, "four"), (5.0, "two"), (5.0, "three")]
    assert interrupted == [2.0]


def test_what_is_not_to_be_saved_becomes_no_iteration() -> None:
    found = recording([sample(1.0), sample(2.0), sample(3.0)], [Piece("a", 0), Piece("logs", 2, logs=True)])
    player = Player(found, Script(left={1}))
    monitor, automatic = player.fresh(), []
    for place in range(3):
        player.push(monitor, place)
        automatic.append(monitor.automatic)
    assert automatic == [True, False, False]


@pytest.mark.parametrize(
    ("codes", "early"), [((), False), (("noisy",), False), (("noisy", "ended-early"), True)]
)
def test_what_was_saved_by_hand_is_saved_again_as_it_was(codes: tuple[str, ...], early: bool) -> None:
    kept = saved(4, warnings=tuple(Caution(code, "x") for code in codes), dropped="a cable", boot="b")
    player = Player(FOUND, Script(cuts={1: [kept]}))
    monitor, asked = player.fresh(), []
    real = monitor.snapshot_iteration

    def asking(seconds: float = 10.0, *, early: bool = False) -> Iteration:
        asked.append(early)
        return real(seconds, early=early)

    monitor.snapshot_iteration = asking  # type: ignore[method-assign]
    for place in range(3):
        player.push(monitor, place)
    assert asked == [early]
    (made,) = monitor.snapshot(0).iterations
    assert (made.index, made.dropped, made.boot) == (4, "a cable", "b")
    (note,) = [event.text for event in monitor.snapshot(0).events if event.code == "note"]
    assert note == "Iteration 4 was saved with 5 pps; replayed, it has no value."


SPOILT: dict[str, object] = {
    "complete": False,
    "incomplete": "A hook failed.",
    "warnings": (Caution("not-sound", "A hook failed."),),
}
PROFILED: dict[str, object] = {"profile": Profile(samples=100, tool="perf")}


@pytest.mark.parametrize("more", [SPOILT, PROFILED], ids=["spoilt", "profiled"])
def test_what_was_saved_as_not_counting_does_not_count_in_a_replay(
    samples: list[Sample], more: dict[str, object]
) -> None:
    """A hook that failed, and a profiler, are in no sample: those give a value all the same."""
    made = survey(recording(samples)).iterations
    first, second = (msgspec.structs.replace(one, saved=True) for one in made)
    old = without_value(msgspec.structs.replace(second, value=None, **more))
    kept = [Kept("v4", one, Path("none")) for one in (first, old)]
    found = survey(recording(samples, kept=kept))
    assert list(found.iterations) == [first, old] and old.value is None and old.incomplete
    notes = [one.text for one in found.states.restored(len(found.states) - 1).snapshot(0).events]
    assert not any("was saved with" in text for text in notes)


def test_imported_logs_keep_the_result_of_their_import() -> None:
    """Their window was found in the log alone; it is moved to the axis with them."""
    logs = Kept("v4", saved(3).iteration, Path("none"), logs=True)
    lines = [RateSample("receiver", t, 1.0, 9.0, at=t) for t in (101.0, 102.0, 103.0)]
    pieces = [Piece("a", 0, 0.0), Piece("b", 1, 100.0, kept=[logs], logs=True)]
    found = survey(recording([RateSample("receiver", 0.0, 1.0, 9.0, at=0.0), *lines], pieces))
    (made,) = found.iterations
    assert (made.index, made.value, made.window) == (3, 5.0, window(100.0, 110.0))


# all of it


def traffic(second: int) -> float:
    return 10_000.0 if 5 <= second < 25 or 45 <= second < 65 or second >= 85 else 0.0


@pytest.fixture(scope="module")
def samples() -> list[Sample]:
    """Two blasts of twenty seconds each, and one that is still on at the end."""
    return list(Machines(traffic, capacity=9_000.0).run(100))


@pytest.mark.parametrize("every", [7, 64, 400])
def test_a_survey_in_parts_finds_what_one_monitor_sees(
    samples: list[Sample], monkeypatch: pytest.MonkeyPatch, every: int
) -> None:
    monkeypatch.setattr(surveying, "EVERY", every)
    told: list[tuple[int, int]] = []
    found = survey(recording(samples), lambda *done: told.append(done))
    counts = [*range(every, len(samples), every), len(samples)]
    assert told == [(count, 300) for count in counts] * 2, "twice, as nothing was saved"
    assert found.states.pushed == [0, *counts]
    whole = Player(recording(samples), Script(numbered={})).fresh()
    for one in samples:
        whole.push(one)
    seen = whole.snapshot(600)
    assert {name: points[:] for name, points in found.flows.items()} == {
        name: getattr(seen, name).points for name in surveying._FLOWS
    }
    assert found.cores[:] == seen.busiest and len(found.cores) > 90
    assert [one.value for one in found.iterations] == [one.value for one in seen.iterations]
    assert [one.index for one in found.iterations] == [1, 2]
    starts = [event.at for event in seen.events if event.code == "blast-began"]
    ends = [event.at for event in seen.events if event.code == "blast-ended"]
    assert found.blasts == list(zip(starts, [*ends, None], strict=True)) and len(starts) == 3
    states = [found.states.restored(number).snapshot(0).now for number in range(len(found.states))]
    assert all(before < after for before, after in pairwise(states))


def test_a_blast_is_found_once_however_often_one_looks(
    samples: list[Sample], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(surveying, "EVERY", 1)
    found = survey(recording(samples[60:105]))  # the first blast's end, and how it becomes an iteration
    ends = [
        event.at
        for event in found.states.restored(len(found.states) - 1).snapshot(0).events
        if event.code == "blast-ended"
    ]
    assert len(ends) == 1 and [end for _, end in found.blasts] == ends and len(found.iterations) == 1


def test_where_each_blast_is_known_one_look_is_enough(samples: list[Sample]) -> None:
    kept = [Kept("v4", one, Path("none")) for one in survey(recording(samples)).iterations]
    told: list[int] = []
    found = survey(recording(samples, kept=kept[::-1]), lambda done, total: told.append(done))
    assert told == [200, 300] and list(found.player.script.numbered.values()) == kept
    assert [one.index for one in found.iterations] == [1, 2] and found.player.open == []


def test_a_state_is_saved_every_200_samples() -> None:
    still = [sample(float(at)) for at in range(501)]
    told: list[tuple[int, int]] = []
    found = survey(recording(still), lambda *done: told.append(done))
    assert told == [(200, 501), (400, 501), (501, 501)], "once, as nothing is unknown"
    assert found.states.pushed == [0, 200, 400, 501]


def test_going_back_begins_from_the_state_before(
    samples: list[Sample], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(surveying, "EVERY", 50)
    played = Replay(recording(samples))
    pushed: list[int] = []
    real = played.surveyed.player.push
    player = SimpleNamespace(push=lambda monitor, place: pushed.append(place) or real(monitor, place))
    played._player = cast(Player, player)
    due = played.recording.due
    for place, begin in ((120, 100), (125, 121), (110, 100), (260, 250)):
        pushed.clear()
        played.seek(due[place])
        assert pushed == list(range(begin, place + 1))
