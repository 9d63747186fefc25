"""A recording that is played again shows and cuts what was shown and cut when it was recorded."""

import shutil
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import msgspec
import pytest
from machines import LAB, Machines

from fwdtui.core.counters import InterfaceCounters
from fwdtui.core.errors import FwdtuiError
from fwdtui.core.lab import parse, plain
from fwdtui.core.model import Caution, EventSample, HostSample, Iteration, Planned, RateSample
from fwdtui.monitor.live.monitor import Monitor
from fwdtui.monitor.replay.recording import GAP, load
from fwdtui.monitor.replay.replay import Replay
from fwdtui.monitor.replay.target import find
from fwdtui.monitor.run.beginning import open_session
from fwdtui.monitor.run.recorder import Recorder
from fwdtui.store import SessionWriter, read_session
from fwdtui.store.experiment_journal import JOURNAL, JUDGED, PLAN, Step, _line
from fwdtui.store.records import line

SHIPPED = Path(__file__).resolve().parents[2] / "sessions"
Live = Callable[..., Monitor]


def replay(*path: object) -> Replay:
    return Replay(load(find(Path(*map(str, path)))))


def traffic(second: int) -> float:
    """Blasts of 15 s every 30 s from second 5 on, each a little faster."""
    return 10_000.0 + 500 * (second // 30) if 5 <= second % 30 < 20 else 0.0


@pytest.fixture
def live(tmp_path: Path) -> Live:
    """live(seconds, at={second: what to do}) -> the monitor of a run, recorded as tmp_path/session."""

    def run(seconds: int = 95, case: str = "forwarding.on", capacity: float = 9_000.0, at=None) -> Monitor:
        lab = parse(LAB)
        recorder = Recorder(open_session(tmp_path, "session", lab=plain(lab)), case)
        monitor = Monitor(lab, finished=recorder.finished)
        todo = dict(at or {})
        runs = len(list((tmp_path / "session").glob("recording-*")))
        for sample in Machines(traffic, capacity=capacity).run(seconds):
            sample = msgspec.structs.replace(sample, t=sample.t + 1000.0 * runs)  # hosts' clocks go on
            recorder.take(sample)
            monitor.push(sample)
            for second in [second for second in todo if sample.at >= second]:
                todo.pop(second)(monitor)
        for do in todo.values():
            do(monitor)
        recorder.close()
        return monitor

    return run


def same(found: Iteration, kept: Iteration) -> bool:
    """But for the names of the files, which only the folder knows, and for costs in older sessions."""
    costs = found.costs if kept.costs else {}
    return msgspec.structs.replace(found, files={}, costs=costs) == msgspec.structs.replace(kept, files={})


@pytest.mark.parametrize("session", ["no-rules", "rules-100"])
def test_the_shipped_sessions_are_cut_again_as_they_were_kept(session):
    kept = read_session(SHIPPED / session).cases[0].iterations
    played = replay(SHIPPED, session)
    played.seek(played.end)
    found = played.snapshot(0).iterations
    assert len(found) == 5 and all(map(same, found, kept))
    for number in range(1, 6):
        alone = replay(SHIPPED, session, "forwarding.inet4", number)
        alone.seek(alone.end)
        (again,) = alone.snapshot(0).iterations
        assert same(again, kept[number - 1])


def test_a_whole_recording_shows_at_each_moment_what_the_live_run_showed(live, tmp_path):
    seen = {}
    moments = (3.0, 12.0, 21.0, 41.5, 70.0, 94.0)

    def look(moment: float):
        return lambda monitor: seen.update({moment: monitor.snapshot()})

    live(at={moment: look(moment) for moment in moments})
    played = replay(tmp_path, "session")
    for moment in (94.0, 3.0, 41.5, 12.0, 70.0, 21.0):
        played.seek(seen[moment].now)
        now = played.snapshot(600)
        assert now.now == seen[moment].now and now.diagnosis == seen[moment].diagnosis
        assert now.offered == seen[moment].offered and now.received == seen[moment].received
        assert now.iterations == seen[moment].iterations and now.blast == seen[moment].blast
        assert now.hosts == seen[moment].hosts


def test_what_was_cut_by_hand_or_at_the_end_is_cut_again(live, tmp_path):
    live(76, at={
        12.0: lambda monitor: monitor.snapshot_iteration(),
        999.0: lambda monitor: monitor.snapshot_iteration(early=True),
    })  # fmt: skip
    kept = read_session(tmp_path / "session").cases[0].iterations
    assert len(kept) == 4 and kept[-1].warnings[-1].code == "ended-early"
    played = replay(tmp_path, "session")
    played.seek(played.end)
    found = played.snapshot(0).iterations
    assert [one.index for one in found] == [1, 2, 3, 4] and all(map(same, found, kept))


def test_a_blast_that_was_saved_early_and_ended_in_the_recording_is_cut_where_it_was_saved(live, tmp_path):
    live(at={76.0: lambda monitor: monitor.save_early()})
    kept = read_session(tmp_path / "session").cases[0].iterations
    assert len(kept) == 3 and kept[-1].warnings[-1].code == "ended-early"
    played = replay(tmp_path, "session")
    played.seek(played.end)
    assert all(map(same, played.snapshot(0).iterations, kept)) and len(played.snapshot(0).iterations) == 3


def test_a_blast_that_nobody_kept_is_not_kept_by_the_replay(live, tmp_path):
    live(at={1.0: lambda m: setattr(m, "automatic", False), 40.0: lambda m: setattr(m, "automatic", True)})
    played = replay(tmp_path, "session")
    played.seek(played.end)
    (first, second) = played.snapshot(0).iterations
    assert (first.index, second.index) == (1, 2) and len(played.surveyed.blasts) == 3
    assert all(map(same, (first, second), read_session(tmp_path / "session").cases[0].iterations))


def test_where_nothing_was_saved_the_blasts_have_results_and_are_no_iterations(live, tmp_path):
    live(at={1.0: lambda monitor: setattr(monitor, "automatic", False)})
    assert not read_session(tmp_path / "session").cases
    played = replay(tmp_path, "session")
    played.seek(played.end)
    shown = played.snapshot(0)
    assert len(shown.iterations) == len(played.surveyed.blasts) == 3
    assert all(one.value and not one.saved for one in shown.iterations)
    told = [event.text for event in shown.events if event.code in ("iteration", "note")]
    assert told == ["No iteration was saved of this blast."] * 3


@pytest.mark.parametrize("automatic", [True, False])
@pytest.mark.parametrize("second", [15.0, 21.5])
def test_what_was_saved_by_hand_is_played_as_it_was_whatever_its_blast_became(
    live, tmp_path, second, automatic
):
    """The traffic ends in second 20: what is saved then, before that is known, has the blast's own window."""
    live(50, at={
        1.0: lambda monitor: setattr(monitor, "automatic", automatic),
        second: lambda monitor: monitor.save_by_hand(),
    })  # fmt: skip
    kept = read_session(tmp_path / "session").cases[0].iterations
    assert len(kept) == 1 + automatic
    played = replay(tmp_path, "session")
    played.seek(played.end)
    found = played.snapshot(0).iterations
    assert len(found) == len(kept) and all(map(same, found, kept))
    assert not [event for event in played.snapshot(0).events if event.code == "note"]


def test_blasts_that_a_silent_host_held_up_become_the_iterations_that_they_became(tmp_path):
    """The receiver was silent from the end of one to that of the next, and has no samples of that time."""
    lab = parse(LAB)
    recorder = Recorder(open_session(tmp_path, "session", lab=plain(lab)), "v4")
    monitor = Monitor(lab, finished=recorder.finished)
    for sample in Machines(lambda second: 10_000.0 if 5 <= second < 20 or 26 <= second < 31 else 0.0).run(45):
        if sample.host != "sink" or not 19.0 <= sample.at < 38.0:
            recorder.take(sample)
            monitor.push(sample)
    recorder.close()
    kept = read_session(tmp_path / "session").cases[0].iterations
    assert len(kept) == 2
    played = replay(tmp_path, "session")
    played.seek(played.end)
    assert played.snapshot(0).iterations == monitor.snapshot(0).iterations
    assert not [event for event in played.snapshot(0).events if event.code == "note"]


def test_an_iteration_whose_result_was_lost_gets_it_back_with_its_number(live, tmp_path):
    live()
    kept = read_session(tmp_path / "session").cases[0].iterations
    (tmp_path / "session/forwarding.on/002/iteration.json").unlink()
    played = replay(tmp_path, "session")
    played.seek(played.end)
    found = {one.index: one.value for one in played.snapshot(0).iterations}
    assert found == {one.index: one.value for one in kept}
    assert any("002" in event.text and "unfinished" in event.text for event in played.snapshot(0).events)


def test_a_value_that_differs_from_what_was_kept_is_told(live, tmp_path):
    live(50)
    path = tmp_path / "session/forwarding.on/001"
    kept = read_session(tmp_path / "session").cases[0].iterations[0]
    with SessionWriter(tmp_path / "session") as writer:
        writing = writer.begin("forwarding.on")
        writing.commit(msgspec.structs.replace(kept, value=4321.0))
    shutil.copy(path / "samples.jsonl", writing.folder / "samples.jsonl")
    shutil.rmtree(path)
    played = replay(tmp_path, "session")
    played.seek(played.end)
    told = [event.text for event in played.snapshot(0).events if event.code == "note"]
    assert told[0].endswith("forwarding.on: iteration 1 is missing: its folder was removed")
    assert told[1:] == ["Iteration 2 was saved with 4.321 kpps; replayed, it has 9.000 kpps."]


def test_a_case_without_a_whole_recording_is_its_iterations_and_long_gaps_are_shortened(live, tmp_path):
    live()
    for path in (tmp_path / "session").glob("recording-*"):
        path.unlink()
    shutil.rmtree(tmp_path / "session/forwarding.on/002")
    played = replay(tmp_path, "session", "forwarding.on")
    played.seek(played.end)
    kept = read_session(tmp_path / "session").cases[0].iterations
    assert [one.index for one in played.snapshot(0).iterations] == [1, 3]
    assert [one.value for one in played.snapshot(0).iterations] == [one.value for one in kept]
    gone, note = [event for event in played.snapshot(0).events if event.code == "note"]
    assert gone.text.endswith("forwarding.on: iteration 2 is missing: its folder was removed")
    assert note.text.endswith(
        f"s without samples passed before forwarding.on 3; the replay makes it {GAP:.0f} s."
    )
    points = played.snapshot(600).received.points
    gaps = [later.at - later.seconds - earlier.at for earlier, later in pairwise(points)]
    assert GAP <= max(gaps) <= GAP + 2.0, "no rate reaches over the gap"
    assert played.snapshot(0).diagnosis.code != "starved"


def test_two_recordings_of_one_session_are_played_one_after_the_other(live, tmp_path):
    live(35)
    live(35, capacity=4_000.0)
    played = replay(tmp_path, "session")
    assert [piece.name for piece in played.recording.pieces] == ["recording-001", "recording-002"]
    played.seek(played.end)
    kept = read_session(tmp_path / "session").cases[0].iterations
    assert [(one.index, one.value) for one in played.snapshot(0).iterations] == [
        (i.index, i.value) for i in kept
    ]
    assert len(played.surveyed.blasts) == 2


def test_the_next_recording_does_not_begin_with_the_hosts_of_the_one_before(live, tmp_path):
    """Their numbers are of another day, and nobody has lost them: they are sampled within a second."""
    live(35)
    live(35)
    played = replay(tmp_path, "session")
    (_, second) = played.recording.pieces
    played.seek(played.recording.due[second.first])
    now = played.snapshot(0)
    assert [(host.name, host.rates) for host in now.hosts] == [("gen", None)]
    assert now.diagnosis.code not in ("host-silent", "host-lost")


def test_of_a_session_of_several_cases_the_newest_iterations_case_is_told_apart(live, tmp_path):
    live(case="slow", capacity=4_000.0)
    live(case="fast")
    played = replay(tmp_path, "session")
    played.seek(played.end)
    now = played.snapshot(0)
    assert now.cases == ("slow",) * 3 + ("fast",) * 3 and now.case == "fast"
    assert now.of_case == now.iterations[3:] and min(one.value for one in now.of_case) > 8_000
    played.seek(60.0)
    now = played.snapshot(0)
    assert now.cases == ("slow",) * 2 and now.of_case == now.iterations


def test_each_blast_is_played_with_the_line_rate_of_the_frames_that_were_sent_in_it(tmp_path):
    """An experiment's second cell sends larger frames than lab.toml says, as many as the link carries."""
    lab = parse(LAB.replace('line_rate = "20k"', 'line_rate = "20k"\nframe = 64'))
    larger = {"generator.command": "pkt-gen -f tx -i g0 -l 1514", "generator.line_rate": 10_600.0}
    recorder = Recorder(open_session(tmp_path, "session", lab=plain(lab)), "cell")
    cells = iter(({}, larger, {}))

    def finished(iteration, samples, began):
        recorder.facts = next(cells)
        return recorder.finished(iteration, samples, began)

    monitor = Monitor(lab, finished=finished)
    for sample in Machines(traffic).run(95):
        recorder.take(sample)
        monitor.push(sample)
    recorder.close()
    played = replay(tmp_path, "session")
    assert played.lab.frame is None, "a rate in bits would be of the frames of another cell"
    for at, rate in ((12.0, 20_000.0), (45.0, 10_600.0), (75.0, 20_000.0)):
        played.seek(at)
        assert played.snapshot(0).line_rate == rate
    limits = [one.limit.code for one in played.snapshot(0).iterations]
    assert limits == ["generator-limited", "line-limited"]
    for number, frame, rate in ((1, 64, 20_000.0), (2, 1518, 10_600.0)):
        alone = replay(tmp_path, "session", "cell", number)
        assert (alone.lab.frame, alone.snapshot(0).line_rate) == (frame, rate)


def test_what_no_sample_says_of_an_iteration_is_shown_as_it_was_live(tmp_path):
    """What is varied, other facts, its place in an experiment, and that its generator ended by itself."""
    lab = parse(LAB)
    recorder = Recorder(
        open_session(tmp_path, "session", lab=plain(lab)), "v4", factors={"frame_size": "64 B"}
    )
    recorder.facts = {"dut.kernel": "6.2"}
    recorder.planned = Planned("0123456789abcdef", trial=1, block=1)

    def finished(iteration, samples, began):
        short = Caution("generator-ended", "A generator ended by itself after 15.0 s of 60 s.")
        iteration = msgspec.structs.replace(iteration, warnings=(*iteration.warnings, short))
        return recorder.finished(iteration, samples, began)

    monitor = Monitor(lab, finished=finished)
    for sample in Machines(traffic).run(65):
        recorder.take(sample)
        monitor.push(sample)
    recorder.close()
    shown = monitor.snapshot(0).iterations
    assert len(shown) == 2 and all(one.warnings[-1].code == "generator-ended" for one in shown)
    played = replay(tmp_path, "session")
    played.seek(played.end)
    assert played.snapshot(0).iterations == shown
    # without what the journal says, a comparison with a baseline had the mark of a journal that is missing
    (tmp_path / "session" / PLAN).write_text('{"digest": "0123456789abcdef"}')
    sound = Step(1, "", JUDGED, done=True, trial=1, attempt=1, sound=True)
    (tmp_path / "session" / JOURNAL).write_bytes(_line(sound))
    played = replay(tmp_path, "session")
    played.seek(played.end)
    assert [one.judged for one in played.snapshot(0).iterations] == [True, True]


def test_a_damaged_recording_plays_what_can_be_read_and_tells_the_rest(live, tmp_path):
    live(50)
    path = tmp_path / "session/recording-001.jsonl"
    lines = path.read_bytes().splitlines(keepends=True)
    lines[20] = b'{"crc":"00000000","d":{"kind":"event"}}\n'
    path.write_bytes(b"".join(lines) + b'{"crc":"12')
    played = replay(tmp_path, "session")
    played.seek(played.start)
    told = " ".join(event.text for event in played.snapshot(0).events)
    assert "line 21: checksum does not match" in told and "torn last line" in told
    played.seek(played.end)
    assert len(played.snapshot(0).iterations) == 1


def test_a_recording_with_hostile_texts_and_impossible_times_plays_without_them(live, tmp_path):
    live(50)
    path = tmp_path / "session/recording-001.jsonl"
    hostile = [
        EventSample(3.0, "note", "a\x1b]0;title\x07b\nc\u202ed"),
        EventSample(1e300, "note", "far"),
        RateSample("generator", 1.0, 1.0, 5.0, at=-1e18),
        HostSample("gen", 1, 1.0, 3.5, wall=1e300, interfaces=(InterfaceCounters("e\x9b0m", 1),)),
    ]
    path.write_bytes(path.read_bytes() + b"".join(map(line, hostile)))
    played = replay(tmp_path, "session")
    played.seek(played.end)
    assert played.end < 60.0 and len(played.snapshot(0).iterations) == 1
    texts = [event.text for event in played.snapshot(0).events]
    assert "a]0;titlebcd" in texts and "far" not in texts
    assert any("2 samples with an impossible time, left out" in text for text in texts)
    assert all(name.isprintable() for host in played.snapshot(0).hosts for name in host.rates.interfaces)
    assert played.recording.pieces[0].started is None or played.recording.pieces[0].started < 1e10


def test_imported_logs_play_with_the_value_that_was_imported(tmp_path):
    with SessionWriter.create(
        tmp_path / "imported", label="imported", created="2026-01-02T03:04:05+00:00"
    ) as w:
        for number in (1, 2):
            writing = w.begin("pf.inet4")
            for role, rate in (("receiver", 900.0), ("generator", 1000.0)):
                for t in range(30):
                    writing.append(RateSample(role, float(t), 1.0, 0.0 if t < 3 else rate * number, rate))
            writing.commit(Iteration(0, 905.0 * number, source="receiver.log"))
    played = replay(tmp_path, "imported", "pf.inet4")
    played.seek(20.0)
    assert (played.snapshot(0).offered.now, played.snapshot(0).received.now) == (1000.0, 900.0)
    played.seek(played.end)
    assert [(i.index, i.value) for i in played.snapshot(0).iterations] == [(1, 905.0), (2, 1810.0)]
    assert len(played.surveyed.blasts) == 2


def test_seeking_back_is_as_if_it_had_been_played_up_to_there(live, tmp_path):
    live(200)
    played, straight = replay(tmp_path, "session"), replay(tmp_path, "session")
    played.seek(played.end)
    played.seek(137.0)
    straight.seek(137.0)
    assert played.snapshot(600) == straight.snapshot(600)


def test_a_step_is_one_sample_of_the_dut(live, tmp_path):
    live(40)
    played = replay(tmp_path, "session")
    played.seek(10.0)
    before = played.snapshot(0).hosts[1].rates
    played.step(1)
    after = played.snapshot(0).hosts[1].rates
    assert after.at == pytest.approx(before.at + 1.0, abs=0.1)
    assert played.position == pytest.approx(after.at, abs=0.25)
    played.step(-1)
    assert played.snapshot(0).hosts[1].rates == before


def test_next_and_previous_go_from_blast_to_blast(live, tmp_path):
    live()
    played = replay(tmp_path, "session")
    begins = played.beginnings()
    assert len(begins) == 3
    played.to_blast(1)
    played.to_blast(1)
    assert played.position == begins[1]
    played.seek(begins[1] + 5.0)
    played.to_blast(-1)
    assert played.position == begins[1]
    played.to_blast(-1)
    assert played.position == begins[0]


def test_seeking_in_pieces_says_how_far_it_came(live, tmp_path):
    live(300)
    played = replay(tmp_path, "session")
    played.seek(240.0, longest=0.0)
    came = played.position
    assert played.start <= came < 240.0 and played.snapshot(0).now == came
    for _ in range(900):
        played.seek(240.0, longest=0.0)
    assert played.position == 240.0


@pytest.mark.parametrize(
    ("path", "told"),
    [
        ("nothing", "no such session; there are session"),
        ("session/pf", "no case 'pf'; there are forwarding.on"),
        ("session/forwarding.on/9", "no iteration '9'; there are 1, 2"),
        ("session/forwarding.on/x", "no iteration 'x'; there are 1, 2"),
    ],
)
def test_an_unknown_name_is_refused_with_what_there_is(live, tmp_path, path, told):
    live(65)
    with pytest.raises(FwdtuiError) as refused:
        find(tmp_path / path)
    assert told in str(refused.value) and "\n" not in str(refused.value)


def test_an_iteration_is_named_by_its_number_however_it_is_written(live, tmp_path):
    live(65)
    assert find(tmp_path / "session/forwarding.on/2") == find(tmp_path / "session/forwarding.on/002")


def test_where_only_values_are_left_there_is_nothing_to_play(tmp_path):
    with SessionWriter.create(tmp_path / "old", label="old", created="2026-01-02T03:04:05+00:00") as writer:
        writer.begin("forwarding").commit(Iteration(0, 5.0))
    with pytest.raises(FwdtuiError, match="has no samples to play: only its value is left"):
        replay(tmp_path, "old")


def test_events_of_the_recording_are_those_of_the_live_run(live, tmp_path):
    monitor = live(65)
    played = replay(tmp_path, "session")
    played.seek(played.end)
    assert played.snapshot(0).events == monitor.snapshot(0).events
    assert isinstance(monitor.snapshot(0).events[0], EventSample)


def test_bits_at_any_moment_are_those_of_the_live_run_wherever_one_comes_from(live, tmp_path):
    monitor = live(200)
    history = {name: getattr(monitor.snapshot(600), name).points for name in ("offered", "received")}
    played = replay(tmp_path, "session")
    for moment in (180.0, 20.0, 137.3, 61.0, 199.0, 3.0):
        played.seek(moment)
        now = played.snapshot(600)
        for name, points in history.items():
            flow = getattr(now, name)
            assert flow.points == points[: len(flow.points)]
            assert all(point.bps == pytest.approx(point.value * 480) for point in flow.points)
            assert moment - 1.1 < flow.points[-1].at <= moment and flow.points[0].at < 2.0


def test_the_frames_of_the_shipped_sessions_have_sixty_bytes_with_their_header_and_without_their_fcs():
    played = replay(SHIPPED, "rules-100")
    played.seek(played.end)
    points = played.snapshot(600).received.points
    blasts = [point for point in points if point.value is not None and point.value > 1e5]
    assert len(blasts) > 40
    assert all(point.bps == pytest.approx(60 * 8 * point.value, rel=1e-3) for point in blasts)
