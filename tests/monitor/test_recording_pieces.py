"""How what was recorded is laid on one axis: what is joined, what begins a new piece, what is left out."""

from pathlib import Path

import pytest

from fwdtui.core.counters import InterfaceCounters
from fwdtui.core.errors import FwdtuiError
from fwdtui.core.lab import Dut, Endpoint, Lab
from fwdtui.core.model import EventSample, HostSample, Iteration, RateSample, Sample, Session
from fwdtui.monitor.replay import recording
from fwdtui.monitor.replay.recording import Kept, Piece, Recording, identity, load
from fwdtui.monitor.replay.samples import cleaned, moved
from fwdtui.monitor.replay.target import Target
from fwdtui.store import SampleLog, SessionWriter
from fwdtui.store.records import line


def tick(
    at: float, host: str = "dut", boot: str = "b", ahead: float = 100.0, seq: int = 7, **more: object
) -> HostSample:
    """A host's sample; its own clock is `ahead` of the axis."""
    return HostSample(host, seq, at + ahead, at, boot=boot, **more)  # type: ignore[arg-type]


def built(*logs: list[Sample]) -> recording._Building:
    building = recording._Building()
    for number, log in enumerate(logs, 1):
        building.add(f"part {number}", SampleLog(tuple(log)))
    return building


def pieces(building: recording._Building) -> list[tuple[str, int, float]]:
    return [(piece.name, piece.first, piece.shift) for piece in building.pieces]


def times(building: recording._Building) -> list[float | None]:
    return [sample.at for sample in building.samples]


# what is joined


def test_iterations_that_overlap_are_one_piece_and_nothing_is_there_twice() -> None:
    building = built([tick(1.0), tick(2.0), tick(3.0)], [tick(3.0), tick(4.0)])
    assert pieces(building) == [("part 1", 0, 0.0)] and times(building) == [1.0, 2.0, 3.0, 4.0]


@pytest.mark.parametrize(
    ("after", "shift", "note"),
    [
        # the end of the first piece is at 3: what follows within the length of a gap stays where it is
        (3.0, 0.0, ""),
        (4.0, 0.0, ""),
        (6.0, 0.0, ""),
        (6.5, -0.5, "4 s without samples passed before part 2; the replay makes it 3 s."),
        (103.0, -97.0, "100 s without samples passed before part 2; the replay makes it 3 s."),
        # it cannot have begun before the end
        (2.5, 3.5, "An unknown time passed before part 2; the replay makes it 3 s."),
    ],
)
def test_a_gap_of_one_run_is_as_long_as_it_was_up_to_three_seconds(
    after: float, shift: float, note: str
) -> None:
    building = built([tick(1.0), tick(3.0, seq=99)], [tick(after), tick(after + 1.0)])
    assert pieces(building) == [("part 1", 0, 0.0), ("part 2", 2, shift)]
    assert times(building) == [1.0, 3.0, after + shift, after + 1.0 + shift]
    assert building.pieces[1].notes == ([note] if note else [])


@pytest.mark.parametrize(
    ("other", "same"),
    [
        ({}, True),
        ({"ahead": 100.4}, True),  # clocks drift
        ({"ahead": 99.6}, True),
        ({"ahead": 100.5}, False),
        ({"ahead": 99.5}, False),
        ({"boot": "after"}, False),
        ({"host": "gen"}, False),
    ],
)
def test_it_is_one_run_if_the_hosts_clocks_have_the_same_offset(other: dict[str, object], same: bool) -> None:
    building = built([tick(1.0), tick(2.0)], [tick(4.0, **other), tick(5.0, **other)])  # type: ignore[arg-type]
    assert times(building) == [1.0, 2.0, *((4.0, 5.0) if same else (5.0, 6.0))]
    told = "An unknown time passed before part 2; the replay makes it 3 s."
    assert building.pieces[1].notes == ([] if same else [told])


def test_every_host_that_is_in_both_has_to_agree() -> None:
    first: list[Sample] = [tick(1.0), tick(1.5, "gen")]
    assert times(built(first, [tick(3.0), tick(3.5, "gen", ahead=7.0)]))[2:] == [4.5, 5.0]
    assert times(built(first, [tick(3.0), tick(3.5, "sink", ahead=7.0)]))[2:] == [3.0, 3.5]


def test_a_third_part_is_on_the_axis_of_the_second() -> None:
    parts: list[list[Sample]] = [[tick(1.0)], [tick(50.0, ahead=0.0)], [tick(51.0, ahead=0.0)]]
    building = built(*parts, [tick(51.0, ahead=0.0), tick(52.0, ahead=0.0)])
    assert pieces(building) == [("part 1", 0, 0.0), ("part 2", 1, -46.0), ("part 3", 2, -46.0)]
    assert times(building) == [1.0, 4.0, 5.0, 6.0]


def test_what_begins_a_new_run_is_played_again_even_if_it_is_the_same() -> None:
    """Two iterations of imported logs may have the same lines."""
    lines: list[Sample] = [RateSample("receiver", t, 1.0, 5.0) for t in (0.0, 1.0)]
    building = built(lines, lines)
    assert times(building) == [0.0, 1.0, 4.0, 5.0]
    building = built([tick(1.0)], [tick(2.0, ahead=0.0)], [tick(1.0), tick(2.0)])
    assert times(building) == [1.0, 4.0, 7.0, 8.0]


def test_whose_tool_ended_is_known_of_a_moved_event_too() -> None:
    event = EventSample(2.0, "tool-ended", "pkt-gen", "gen", role="generator", interface="g0")
    assert moved(event, 3.0) == EventSample(
        5.0, "tool-ended", "pkt-gen", "gen", role="generator", interface="g0"
    )


def test_events_are_moved_with_the_samples() -> None:
    event = EventSample(1.0, "dmesg", "x", "dut")
    building = built([tick(1.0)], [tick(50.0, ahead=0.0), EventSample(51.0, "dmesg", "x", "dut")])
    assert building.samples[-1] == EventSample(5.0, "dmesg", "x", "dut")
    assert moved(event, 0.0) is event
    bare = RateSample("receiver", 1.0, 1.0, 5.0)
    assert moved(bare, 3.0) is bare
    assert moved(tick(1.0), 3.0) == HostSample("dut", 7, 101.0, 4.0, boot="b")


def test_the_end_is_the_latest_sample_though_others_arrived_after_it() -> None:
    building = built([tick(3.0), tick(1.0)], [tick(2.0, ahead=0.0)], [tick(9.0, ahead=50.0)])
    assert times(building) == [3.0, 1.0, 6.0, 9.0]


# what is left out


@pytest.mark.parametrize(("at", "played"), [(9e8, True), (1e9, False), (-9e8, True), (-1e9, False)])
def test_a_time_that_no_recording_can_have_is_left_out_and_counted(at: float, played: bool) -> None:
    event = EventSample(at, "note", "far")
    building = built([tick(1.0), event])
    assert (event in building.samples) is played
    told = "part 1: 1 sample with an impossible time, left out"
    assert building.pieces[0].notes == ([] if played else [told])


def test_notes_on_parts_without_samples_go_to_the_next_piece() -> None:
    building = recording._Building()
    building.add("one", SampleLog((), ("a\x1b problem",)))
    assert building.pieces == [] and building.lost == ["a problem"]
    building.add("two", SampleLog((tick(1.0),), ("another",)))
    assert building.pieces[0].notes == ["a problem", "another"] and building.lost == []
    building.add("three", SampleLog((tick(1.0), tick(2.0)), ("a third",)))
    assert building.pieces[0].notes == ["a problem", "another", "a third"] and len(building.pieces) == 1
    building.add("four", SampleLog((tick(50.0, ahead=0.0),)))
    building.add("five", SampleLog((tick(50.0, ahead=0.0),), ("a fourth",)))
    assert [piece.notes[-1] for piece in building.pieces] == ["a third", "a fourth"]


def test_a_kept_iteration_belongs_to_the_last_piece_and_knows_if_it_has_logs_alone() -> None:
    kept = Kept("v4", Iteration(1, 1.0), Path("x"))
    building = recording._Building()
    building.add("one", SampleLog((tick(1.0), RateSample("receiver", 1.0, 1.0, 5.0))), kept)
    building.add("two", SampleLog((RateSample("receiver", 1.0, 1.0, 5.0),)), kept)
    assert [piece.kept[0].logs for piece in building.pieces] == [False, True]
    assert [piece.logs for piece in building.pieces] == [False, True]


# texts


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain \"text\" / with \\ of C:\\x", "plain \"text\" / with \\ of C:\\x"),
        ("a\x1b]0;b\x07c", "a]0;bc"),
        ("a\nb", "ab"),
        ("\u202egnp", "gnp"),
        ("\x7f", ""),
        ("größer", "größer"),
    ],
)  # fmt: skip
def test_texts_of_a_file_are_cleaned_as_those_of_hosts(text: str, shown: str) -> None:
    event = cleaned(EventSample(1.0, "dmesg", text, text))
    assert event == EventSample(1.0, "dmesg", shown, shown)
    sample = cleaned(tick(1.0, interfaces=(InterfaceCounters(text, 7),), skipped=(text,)))
    assert sample == tick(1.0, interfaces=(InterfaceCounters(shown, 7),), skipped=(shown,))


def test_a_sample_with_nothing_to_clean_is_the_same_object() -> None:
    sample = tick(1.0, interfaces=(InterfaceCounters("em0", 7),))
    assert cleaned(sample) is sample


# which sample is which


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (tick(1.0), tick(1.0, "gen")),
        (tick(1.0), tick(1.0, boot="after")),
        (tick(1.0), tick(1.0, ahead=100.5)),
        (HostSample("dut", 1, 5.0, 5.0), HostSample("dut", 2, 5.0, 5.0)),
        (EventSample(1.0, "note", "x"), EventSample(2.0, "note", "x")),
        (EventSample(1.0, "note", "x"), EventSample(1.0, "dmesg", "x")),
        (EventSample(1.0, "note", "x"), EventSample(1.0, "note", "y")),
        (EventSample(1.0, "note", "x", "a"), EventSample(1.0, "note", "x", "b")),
        (RateSample("receiver", 1.0, 1.0, 5.0), RateSample("generator", 1.0, 1.0, 5.0)),
        (RateSample("receiver", 1.0, 1.0, 5.0), RateSample("receiver", 2.0, 1.0, 5.0)),
        (RateSample("receiver", 1.0, 1.0, 5.0), RateSample("receiver", 1.0, 1.0, 6.0)),
        (RateSample("receiver", 1.0, 1.0, 5.0), RateSample("receiver", 1.0, 1.0, 5.0, at=1.0)),
        (RateSample("receiver", 1.0, 1.0, 5.0), RateSample("receiver", 1.0, 1.0, 5.0, host="a")),
        (RateSample("receiver", 1.0, 1.0, 5.0), RateSample("receiver", 1.0, 1.0, 5.0, interface="a")),
    ],
)
def test_samples_are_told_apart_by_where_and_when_they_are_from(one: Sample, other: Sample) -> None:
    assert identity(one) == identity(one) and identity(one) != identity(other)


def test_a_sample_of_a_moved_axis_is_still_the_same_one() -> None:
    assert identity(tick(1.0)) == identity(moved(tick(1.0), 5.0))


# when it is played


def test_what_arrived_late_is_played_with_what_it_came_after() -> None:
    assert list(built([tick(1.0), tick(3.0), tick(2.0), tick(4.0)]).samples.due) == [1.0, 3.0, 3.0, 4.0]
    assert list(built([tick(-2.0), tick(-3.0)]).samples.due) == [-2.0, -2.0]


@pytest.mark.parametrize(
    ("walls", "started"),
    [
        ([None, None], None),
        ([1000.0, 1001.4], 999.4),  # clocks of whole seconds are behind: the latest is the closest
        ([1001.4, 1001.0], 1000.4),
        ([None, 1005.0], 1003.0),
        ([0.0, -5.0], None),
        ([1e10, 9.9e9], 9.9e9 - 2.0),  # the year 2283
    ],
)
def test_the_wall_clock_at_the_axis_beginning_is_by_the_first_hosts_clock(
    walls: list[float | None], started: float | None
) -> None:
    log = [tick(at, wall=wall) for at, wall in zip((1.0, 2.0), walls, strict=True)]
    building = built([*log, tick(3.0, "gen", wall=5.0 if started else None)])
    assert recording._started(building.pieces[0]) == started


@pytest.mark.parametrize("step", [3600.0, -3600.0])
@pytest.mark.parametrize(("gen", "started"), [(None, 9999.0), (503.0, 500.0)])
def test_a_clock_that_was_set_meanwhile_is_that_of_the_beginning_or_of_another_host(
    step: float, gen: float | None, started: float
) -> None:
    """Without an iteration nothing else tells the time: the later clock passed for the true one."""
    walls = [10_000.0, 10_001.0 + step, 10_002.0 + step]
    log = [tick(at, wall=wall) for at, wall in zip((1.0, 2.0, 3.0), walls, strict=True)]
    building = built([*log, tick(3.0, "gen", wall=gen)])
    assert recording._started(building.pieces[0]) == started


def test_each_piece_has_a_clock_of_its_own() -> None:
    building = built(
        [tick(1.0, wall=1000.0)],
        [tick(2.0, ahead=0.0, wall=5000.0)],
        [tick(3.0, ahead=30.0, wall=9000.0)],
        [tick(9.0, ahead=7.0)],
    )
    found = [recording._started(piece) for piece in building.pieces]
    assert found == [999.0, 5000.0 - 4.0, 9000.0 - 7.0, None]


# a recording


def test_a_recording_knows_its_ends_its_pieces_and_its_name() -> None:
    session = Session("/s/rules", "a label", "")
    found = [Piece("a", 0), Piece("b", 2), Piece("c", 3)]
    lab = Lab("x", (Endpoint("g", "g0"),), Dut("d", ("i",), ("o",)))
    samples = [tick(at) for at in (1.0, 2.0, 4.0, 9.0)]
    for target, name in (
        (Target(Path("/s/rules")), "a label"),
        (Target(Path("/s/rules"), Path("/s/rules/v4")), "a label ▸ IPv4"),
        (Target(Path("/s/rules"), Path("/s/rules/v4"), 3), "a label ▸ IPv4 ▸ 3"),
    ):
        one = Recording(target, session, "IPv4", lab, samples, [1.0, 2.0, 4.0, 9.0], found)
        assert (one.start, one.end, one.name) == (1.0, 9.0, name)
        assert [one.piece(n).name for n in range(4)] == ["a", "a", "b", "c"]


# what is read of a session


@pytest.fixture
def session(tmp_path: Path) -> Path:
    """Two cases of two iterations each, measured in turn."""
    folder = tmp_path / "s"
    with SessionWriter.create(folder, label="s", created="") as writer:
        for number, case in enumerate(("v4", "v6", "v4", "v6")):
            writing = writer.begin(case)
            writing.append(tick(10.0 * number), tick(10.0 * number + 1.0))
            began = f"2026-01-02T03:04:{10 * number:02d}+00:00"
            writing.commit(Iteration(0, 100.0 + number, began=began))
    return folder


def names(found: Recording) -> list[str]:
    return [piece.name for piece in found.pieces]


def test_iterations_come_in_the_order_in_which_they_were_measured(session: Path) -> None:
    found = load(Target(session))
    assert names(found) == ["v4 1", "v6 1", "v4 2", "v6 2"] and not found.kept
    assert [kept.iteration.value for piece in found.pieces for kept in piece.kept] == [100, 101, 102, 103]
    assert found.case == "v4"
    assert names(load(Target(session, session / "v6"))) == ["v6 1", "v6 2"]
    assert names(load(Target(session, session / "v6", 2))) == ["v6 2"]
    assert load(Target(session, session / "v6")).case == "v6"


def test_without_the_times_they_come_case_by_case(session: Path) -> None:
    with SessionWriter(session) as writer:
        writing = writer.begin("v4")
        writing.append(tick(90.0))
        writing.commit(Iteration(0, 1.0))
    assert names(load(Target(session))) == ["v4 1", "v4 2", "v4 3", "v6 1", "v6 2"]


def test_a_whole_recording_comes_before_the_iterations_which_are_looked_for_in_it(session: Path) -> None:
    for number, at in ((2, 50.0), (1, 0.0)):
        first, last = tick(at, wall=1000.0 + at), tick(at + 1.0)
        (session / f"recording-{number:03d}.jsonl").write_bytes(line(first) + line(last))
    (session / "recording-003.jsonl").mkdir()
    (session / "recording-4.jsonl").write_bytes(line(tick(99.0)))
    found = load(Target(session))
    assert names(found) == ["recording-001", "recording-002"]
    assert [piece.started for piece in found.pieces] == [1000.0, 1050.0 - 4.0]
    assert [kept.iteration.value for kept in found.kept] == [100, 101, 102, 103]
    assert names(load(Target(session, session / "v4"))) == ["v4 1", "v4 2"]


def test_samples_of_a_whole_recording_are_decoded_when_they_are_asked_for(session: Path) -> None:
    path = session / "recording-001.jsonl"
    event = EventSample(2.5, "dmesg", "a\x1b]0;b")
    path.write_bytes(b"".join(map(line, (tick(1.0), tick(2.0), event, tick(2e9), tick(3.0)))))
    found = load(Target(session))
    wanted = [tick(1.0), tick(2.0), EventSample(2.5, "dmesg", "a]0;b"), tick(3.0)]
    assert list(found.samples) == wanted and list(found.due) == [1.0, 2.0, 2.5, 3.0]
    assert found.samples[0] is not found.samples[0]
    with path.open("ab") as file:
        file.write(line(tick(4.0)))
    assert list(found.samples) == wanted, "it is played as far as it had come"
    path.write_bytes(line(tick(1.0)))
    assert found.samples[0] == tick(1.0)
    told = found.samples[3]
    assert isinstance(told, EventSample) and (told.at, told.code) == (3.0, "note")
    assert told.text.startswith("A sample can no longer be read: ") and "recording-001.jsonl" in told.text


def test_a_recording_that_has_only_the_tools_clocks_is_laid_on_an_axis(session: Path) -> None:
    (session / "recording-001.jsonl").write_bytes(
        line(RateSample("receiver", 7.0, 1.0, 5.0)) + line(tick(8.0))
    )
    assert [sample.at for sample in load(Target(session)).samples] == [7.0, 8.0]


def test_of_very_many_recordings_not_all_are_kept_open(
    session: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in (1, 2):
        (session / f"recording-{number:03d}.jsonl").write_bytes(line(tick(float(number))))
    monkeypatch.setattr(recording, "_OPEN", 1)
    samples = load(Target(session)).samples
    assert list(samples) == [tick(1.0), tick(2.0)]
    assert samples[0] is not samples[0] and samples[1] is samples[1]


def test_a_recording_without_samples_gives_way_to_the_iterations(session: Path) -> None:
    (session / "recording-001.jsonl").write_bytes(b"damaged\n")
    found = load(Target(session))
    assert names(found)[0] == "v4 1" and not found.kept
    assert found.pieces[0].notes[-1].endswith("line 1: checksum does not match, record skipped")


def test_what_is_damaged_at_the_end_is_told_in_the_last_piece(session: Path) -> None:
    for number, content in enumerate((line(tick(0.0)), line(tick(9.0, ahead=0.0)), b"damaged\n"), 1):
        (session / f"recording-{number:03d}.jsonl").write_bytes(content)
    notes = [piece.notes for piece in load(Target(session)).pieces]
    assert notes[0] == [] and "recording-003.jsonl: line 1: checksum" in notes[1][-1]


def test_progress_is_told_for_each_iteration_and_may_stop_it(session: Path) -> None:
    told: list[tuple[int, int]] = []
    load(Target(session), lambda done, total: told.append((done, total)))
    assert told == [(0, 4), (1, 4), (2, 4), (3, 4)]


def test_problems_of_what_is_played_are_told_and_those_of_others_are_not(session: Path) -> None:
    (session / "v4/001/iteration.json").write_text("{")
    (session / "v6/002/iteration.json").write_text("{")
    whole = load(Target(session)).pieces[0].notes
    assert [part in note for part, note in zip(("v4/001", "v6/002"), whole, strict=True)] == [True, True]
    (note,) = load(Target(session, session / "v6")).pieces[0].notes
    assert "v6/002" in note


@pytest.mark.parametrize(("value", "told"), [(1.0, "only its value is left"), (None, "nothing was recorded")])
def test_where_there_is_nothing_to_play_it_says_what_there_is(
    tmp_path: Path, value: float | None, told: str
) -> None:
    with SessionWriter.create(tmp_path / "s", label="s", created="") as writer:
        if value is not None:
            writer.begin("v4").commit(Iteration(0, value))
    with pytest.raises(FwdtuiError) as refused:
        load(Target(tmp_path / "s"))
    assert str(refused.value) == f"s has no samples to play: {told} ({tmp_path / 's'})"
