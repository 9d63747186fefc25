"""A recorded iteration over time: the same numbers as when it was live, for recordings and imported logs."""

import shutil
from collections.abc import Iterable, Iterator
from pathlib import Path
from statistics import median

import msgspec
import pytest
from fixtures import benchlab
from machines import LAB, Machines, blast

from fwdtui.core.counters import QdiscRow, QueueCounters
from fwdtui.core.lab import Dut, Endpoint, Lab, Run, parse, plain
from fwdtui.core.model import EventSample, HostSample, Iteration, Sample, Session, Window
from fwdtui.core.text import slug
from fwdtui.core.units import pps
from fwdtui.monitor.live.monitor import Monitor
from fwdtui.monitor.replay.iteration_series import IterationSeries, read_series, series_of
from fwdtui.monitor.replay.recorded_lab import lab_of
from fwdtui.store import read_samples, read_session
from fwdtui.store.benchlab import import_tree

SESSIONS = Path(__file__).resolve().parents[2] / "sessions"
SHIPPED = ("no-rules", "rules-100")


def folders(session: Session) -> list[Path]:
    return sorted(path.parent for path in Path(session.path).glob("*/*/iteration.json"))


def values(series: IterationSeries, flow: str) -> list[float]:
    return [point.value for point in series.inside(flow) if point.value is not None]


@pytest.mark.parametrize("name", SHIPPED)
def test_the_median_over_the_window_is_the_iterations_value_and_each_metric_its_own(name):
    session = read_session(SESSIONS / name)
    for folder, iteration in zip(folders(session), session.cases[0].iterations, strict=True):
        series = read_series(folder, session)
        assert not series.problems
        assert round(median(values(series, "received")), 3) == iteration.value
        for flow, summary in iteration.metrics.items():
            assert round(median(values(series, flow)), 3) == summary.median
            assert len(values(series, flow)) == summary.n
        assert series.window == (iteration.window.start, iteration.window.end)
        assert series.began < series.window[0]


def test_the_lab_of_an_old_session_is_put_together_from_its_facts_and_samples():
    session = read_session(SESSIONS / "rules-100")
    samples = read_samples(folders(session)[0]).samples
    lab = lab_of(msgspec.structs.replace(session, lab=None), samples)
    assert lab.hosts() == ("gen", "dut", "sink")
    assert [(g.host, g.interface, g.tool) for g in lab.generators] == [("gen", "gen0", "trafgen")]
    assert lab.dut == Dut("dut", ("dut0",), ("dut1",))
    assert lab.receiver == Endpoint("sink", "sink0", "counters")
    assert lab.interval == 1.0 and lab.run.warmup == 2.0


def test_a_recorded_lab_is_taken_as_it_is():
    lab = Lab(
        "mine",
        (Endpoint("gen", "igb2", "netmap-pkt-gen", start="pkt-gen", line_rate=1.488e6),),
        Dut("dut", ("igb1",), ("igb2",)),
        Endpoint("gen", "igb3", "netmap-pkt-gen"),
        interval=0.5,
        run=Run(3, 1.0, 20.0, 2.0),
    )
    assert lab_of(Session("x", "x", "", lab=plain(lab)), ()) == lab


def test_a_recorded_lab_that_cannot_be_read_gives_way_to_the_facts():
    session = read_session(SESSIONS / "no-rules")
    samples = read_samples(folders(session)[0]).samples
    odd = msgspec.structs.replace(session, lab={"dut": {"host": 3}, "surprise": True})
    assert lab_of(odd, samples) == lab_of(msgspec.structs.replace(session, lab=None), samples)


def test_a_recording_without_any_facts_still_has_a_series():
    samples = tuple(Machines(blast(5, 35, 10_000)).run(45))
    bare = Session("x", "x", "")
    series = series_of(samples, None, bare)
    assert series.window is None and not series.inside("received")
    assert len(lab_of(bare, samples).generators) == 1
    assert lab_of(bare, ()).generators and series_of((), None, bare).flows == {}


def test_cores_and_drops_are_those_of_the_window():
    session = read_session(SESSIONS / "rules-100")
    series = read_series(folders(session)[0], session)
    assert max(cpu.busy for cpu in series.cpus) > 0.95
    for cpu in series.cpus:
        assert 0.0 <= cpu.irq + (cpu.softirq or 0.0) + cpu.system + cpu.user <= 1.001
    lost = median(values(series, "offered")) - median(values(series, "forwarded"))
    assert sum(series.drops.values()) == pytest.approx(lost, rel=0.25)
    limit = session.cases[0].iterations[0].limit
    assert f"input queue drops {pps(series.drops['input queue'])}" in limit.text


def with_queues(samples: Iterable[Sample]) -> Iterator[Sample]:
    """Every second tick reads the queues of the DUT too: one takes three quarters."""
    for sample in samples:
        if isinstance(sample, HostSample) and sample.host == "dut" and sample.seq % 2 == 0:
            taken = sample.interfaces[0].rx_packets
            rows = [QueueCounters("d0", "rx", n, packets=taken * part // 4) for n, part in ((0, 1), (1, 3))]
            sample = msgspec.structs.replace(sample, queues=tuple(rows))
        yield sample


def test_a_queues_rate_is_the_mean_over_the_window_and_nothing_of_the_quiet_before():
    lab = parse(LAB)
    samples = tuple(with_queues(Machines(blast(5, 35, 10_000), capacity=8_000).run(45)))
    monitor = Monitor(lab)
    for sample in samples:
        monitor.push(sample)
    (iteration,) = monitor.snapshot().iterations
    series = series_of(samples, iteration, Session("x", "x", "", lab=plain(lab)))
    assert [(q.index, q.pps) for q in series.queues] == [
        (0, pytest.approx(2_000, rel=0.01)),
        (1, pytest.approx(6_000, rel=0.01)),
    ]
    assert series.began == pytest.approx(5.0, abs=1.0)


def test_nothing_of_the_quiet_before_is_in_an_iteration_of_which_no_sample_was_left_out():
    """A tool's log has nothing before its first line; a recording has seconds of quiet before the blast."""
    lab = parse(LAB.replace('warmup = "2s"', 'warmup = "0s"'))
    late = [s for s in Machines(blast(10, 13, 10_000), capacity=8_000).run(30) if isinstance(s, HostSample)]
    samples = tuple(one for one in late if not (one.host == "sink" and 9.0 < one.at < 10.0))
    monitor = Monitor(lab)
    for sample in samples:
        monitor.push(sample)
    (iteration,) = monitor.snapshot().iterations
    assert iteration.window is not None and iteration.window.head == 0
    series = series_of(samples, iteration, Session("x", "x", "", lab=plain(lab)))
    assert series.window == (iteration.window.start, iteration.window.end)
    assert len(values(series, "received")) == iteration.metrics["received"].n
    assert max(cpu.busy for cpu in series.cpus) > 0.6  # of the blast, and not of all since the beginning


def test_a_blast_begins_at_the_same_second_however_much_the_kernel_prints():
    """A firewall that logs what it drops: 20 messages a second, far more than a monitor keeps."""
    lab = parse(LAB)
    quiet = list(Machines(blast(5, 65, 10_000), capacity=8_000).run(75))
    flood = [
        EventSample(5.0 + number / 20, "kernel", f"IN=d0 OUT=d1 ID={number}", "dut") for number in range(1200)
    ]
    monitor = Monitor(lab)
    for sample in quiet:
        monitor.push(sample)
    (iteration,) = monitor.snapshot().iterations
    session = Session("x", "x", "", lab=plain(lab))
    noisy = sorted([*quiet, *flood], key=lambda sample: sample.at or 0.0)
    assert series_of(noisy, iteration, session).began == series_of(quiet, iteration, session).began


def test_drops_are_judged_by_the_line_rate_of_the_frames_that_were_sent():
    """lab.toml's is that of long frames: more drops than that would be no drops to a counter of 32 bits."""
    lab = parse(
        LAB.replace('"20k"', '"1k"').replace('"g0"', '"g0"\nstart = "pkt-gen -f tx -i g0 -l 1514"', 1)
    )
    samples = [
        msgspec.structs.replace(one, qdiscs=(QdiscRow("d1", "mq", "0:", "root", dropped=10_000 * one.seq),))
        if one.host == "dut"
        else one
        for one in Machines(lambda second: 15_000.0 if 10 <= second < 30 else 0.0).run(40)
        if isinstance(one, HostSample)
    ]
    short = {"generator.command": "pkt-gen -f tx -i g0 -l 60", "generator.line_rate": 18_309.0}
    own = Iteration(1, 15_000.0, window=Window("steady", 12.0, 28.0, 16), facts=short)
    series = series_of(samples, own, Session("/s", "s", "", lab=plain(lab)))
    assert sum(series.drops.values()) == pytest.approx(10_000.0, rel=0.05) and not series.unread


def test_damage_is_told_and_the_rest_is_drawn(tmp_path):
    shutil.copytree(SESSIONS / "no-rules", tmp_path / "s")
    session = read_session(tmp_path / "s")
    folder = folders(session)[0]
    lines = (folder / "samples.jsonl").read_bytes().split(b"\n")
    number = next(number for number, line in enumerate(lines) if number > 40 and b"rx_packets" in line)
    lines[number] = lines[number].replace(b"rx_packets", b"rx_pockets")
    (folder / "samples.jsonl").write_bytes(b"\n".join(lines))
    series = read_series(folder, session)
    assert (
        f"line {number + 1}: checksum does not match" in series.problems[0]
        and len(values(series, "received")) > 5
    )
    (folder / "iteration.json").unlink()
    series = read_series(folder, session)
    assert series.window is None and series.flows["received"] and not series.cpus
    assert any("iteration.json" in problem for problem in series.problems)
    (folder / "samples.jsonl").unlink()
    assert "no samples were recorded" in read_series(folder, session).problems[-1]


def values_given_back(tree: Path, into: Path, trim: str) -> int:
    """How many iterations of an imported tree have a series whose median over the window is their value."""
    checked = 0
    for made in import_tree(tree, into, trim):
        session = read_session(made.path)
        found = {(slug(case.name), i.index): i for case in session.cases for i in case.iterations}
        for folder in folders(session):
            iteration = found[folder.parent.name, int(folder.name)]
            series = read_series(folder, session)
            assert not series.cpus and not series.queues and not series.drops
            rates = values(series, "received")
            if iteration.value is None or not rates:
                continue
            if trim == "netbenches":  # zeros within the run are not of its value, and are drawn all the same
                rates = [rate for rate in rates if rate > 0]
            assert len(rates) == iteration.window.kept
            assert median(rates) == pytest.approx(iteration.value, abs=0.5)
            checked += 1
    return checked


@pytest.mark.parametrize("trim", ["steady", "netbenches"])
def test_an_imported_log_gives_its_value_back(tmp_path, trim):
    """With an outage in some runs, whose zeros the netbenches trim leaves out."""
    assert values_given_back(benchlab.forwarding(tmp_path), tmp_path / "s", trim) == 20


@pytest.mark.parametrize("trim", ["steady", "netbenches"])
def test_a_published_log_gives_its_value_back(netbenches, tmp_path, trim):
    assert values_given_back(netbenches, tmp_path, trim) > 100
