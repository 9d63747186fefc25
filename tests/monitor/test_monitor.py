"""A run as the monitor sees it: samples of three hosts go in, blasts, iterations and snapshots come out."""

from statistics import median

import msgspec
import pytest
from machines import LAB, Machines, blast

from fwdtui.core.counters import CpuTicks, InterfaceCounters, QueueCounters
from fwdtui.core.lab import parse
from fwdtui.core.model import EventSample, HostSample, Iteration, RateSample, Sample
from fwdtui.monitor.live.last_result import last_result
from fwdtui.monitor.live.monitor import Monitor


def fed(machines: Machines, seconds: int, **options) -> Monitor:
    monitor = Monitor(parse(LAB), **options)
    for sample in machines.run(seconds):
        monitor.push(sample)
    return monitor


def test_a_blast_becomes_an_iteration_with_its_value_and_every_packet_named():
    monitor = fed(Machines(blast(5, 35, 10_000), capacity=8_000), 45)
    (iteration,) = monitor.snapshot().iterations
    assert iteration.value == pytest.approx(8_000, rel=1e-3)
    assert iteration.metrics["offered"].mean == pytest.approx(10_000, rel=1e-3)
    packets = iteration.packets
    assert packets is not None
    assert packets.offered == pytest.approx(300_000, abs=2)
    assert packets.drops["input queue"] == pytest.approx(60_000, abs=2)
    assert packets.forwarded == packets.received == packets.dut_in
    assert abs(packets.unaccounted or 0) <= 2
    assert iteration.limit is not None and iteration.limit.code == "dut-limited"
    assert iteration.boot == "dut"  # the DUT's, as the machines of this test name it


def test_warm_up_and_both_ends_are_dropped_and_that_is_said():
    monitor = fed(Machines(blast(5, 35, 10_000)), 45)
    window = monitor.snapshot().iterations[0].window
    assert window is not None
    began, ended = (e.at for e in monitor.snapshot().events if e.code.startswith("blast"))
    assert window.start >= began + 2.0 and window.end <= 35.0 <= ended
    assert window.kept >= 25
    assert any("warm-up" in note for note in window.notes)
    assert any("trailing" in note for note in window.notes)


def test_a_short_blast_gives_up_a_quarter_to_the_warm_up_at_most():
    lab = LAB.replace('warmup = "2s"', 'warmup = "30s"')
    monitor = Monitor(parse(lab))
    for sample in Machines(blast(5, 25, 10_000)).run(35):
        monitor.push(sample)
    window = monitor.snapshot().iterations[0].window
    assert window is not None and window.kept >= 12
    assert any("30 s was asked for" in note for note in window.notes)


def test_five_blasts_are_five_iterations_in_order():
    def offered(second: int) -> float:
        return 10_000.0 + second if second % 20 >= 6 else 0.0

    iterations = fed(Machines(offered), 105).snapshot().iterations
    assert len(iterations) == 5
    values = [iteration.value for iteration in iterations]
    assert values == sorted(values)


def test_without_automatic_cutting_nothing_is_cut_until_it_is_asked_for():
    monitor = fed(Machines(blast(5, 35, 10_000)), 20, automatic=False)
    assert monitor.snapshot().iterations == ()
    iteration = monitor.snapshot_iteration()
    assert iteration.value == pytest.approx(10_000, rel=1e-3)
    for sample in Machines(blast(0, 1, 0)).run(1):
        monitor.push(sample)
    assert len(monitor.snapshot().iterations) == 1


def test_a_dut_that_goes_silent_in_the_middle_does_not_end_the_blast():
    monitor = Monitor(parse(LAB))
    for sample in Machines(blast(5, 45, 10_000)).run(55):
        if isinstance(sample, HostSample) and sample.host == "dut" and 20 < sample.at < 30:
            continue
        monitor.push(sample)
        if 26 < sample.at < 27:
            snapshot = monitor.snapshot()
            assert snapshot.diagnosis.code == "host-silent"
            assert snapshot.forwarded.now is None
    (iteration,) = monitor.snapshot().iterations
    assert iteration.packets is not None and iteration.packets.offered == pytest.approx(400_000, abs=2)


def test_the_gap_of_the_measured_flow_is_told_and_is_no_sample():
    monitor = Monitor(parse(LAB))
    for sample in Machines(blast(5, 45, 10_000)).run(55):
        if isinstance(sample, HostSample) and sample.host == "sink" and 20 < sample.at < 30:
            continue
        monitor.push(sample)
    (iteration,) = monitor.snapshot().iterations
    assert "value-gap" in {caution.code for caution in iteration.warnings}
    assert iteration.metrics["received"].max == pytest.approx(10_000, rel=0.01)


def test_late_samples_that_arrive_in_a_burst_make_no_spike():
    monitor = Monitor(parse(LAB))
    held: list[Sample] = []
    for sample in Machines(blast(5, 45, 10_000)).run(55):
        if isinstance(sample, HostSample) and sample.host == "dut" and 20 < sample.at < 30:
            held.append(sample)
            continue
        if held and sample.at is not None and sample.at >= 30:
            for late in held:
                monitor.push(late)
            held.clear()
        monitor.push(sample)
    rates = [p.value for p in monitor.snapshot().forwarded.points if p.value]
    assert max(rates) == pytest.approx(10_000, rel=0.01)


def test_the_snapshot_is_not_changed_by_what_comes_later():
    machines = Machines(blast(2, 60, 10_000))
    monitor = Monitor(parse(LAB))
    samples = list(machines.run(20))
    for sample in samples[:30]:
        monitor.push(sample)
    before = monitor.snapshot()
    copy = (before.now, before.offered.points, before.events)
    for sample in samples[30:]:
        monitor.push(sample)
    assert (before.now, before.offered.points, before.events) == copy
    assert monitor.snapshot().now > before.now


def test_another_frame_has_another_line_rate_from_its_first_blast_on():
    """Two blasts of an experiment, the second one of frames of which the link carries as many as are sent."""
    monitor = Monitor(parse(LAB))
    at_rate = msgspec.structs.replace(monitor.lab.generators[0], line_rate=10_100.0)
    for sample in Machines(lambda second: 10_000 if second % 40 in range(5, 25) else 0).run(80):
        if sample.at > 40:
            monitor.sends((at_rate,))
        monitor.push(sample)
    assert monitor.snapshot().line_rate == 10_100.0
    assert [one.limit.code for one in monitor.snapshot().iterations] == ["generator-limited", "line-limited"]


def test_loss_and_line_rate_stand_in_the_snapshot():
    monitor = fed(Machines(blast(2, 60, 19_900), capacity=15_000), 20)
    snapshot = monitor.snapshot()
    assert snapshot.loss == pytest.approx(4_900, rel=0.05)
    assert snapshot.loss_share == pytest.approx(4_900 / 19_900, rel=0.05)
    assert snapshot.line_rate == 20_000
    assert snapshot.diagnosis.code == "dut-limited"


@pytest.mark.parametrize("ahead", [25.0, 70.0, 7200.0])
def test_a_kernel_message_with_a_time_to_come_does_not_make_it_later(ahead: float):
    monitor = Monitor(parse(LAB))
    for sample in Machines(blast(5, 35, 10_000)).run(45):
        monitor.push(sample)
        if sample.at is not None and 20.0 < sample.at < 20.4:
            monitor.push(EventSample(sample.at + ahead, "dmesg", "nf_conntrack: table full", "dut"))
            assert monitor.snapshot().now == sample.at
    (iteration,) = monitor.snapshot().iterations
    assert iteration.value == pytest.approx(10_000, rel=1e-3) and not iteration.warnings


def test_a_lost_host_is_shown_as_lost_while_the_others_go_on():
    machines = Machines(blast(2, 60, 10_000))
    monitor = Monitor(parse(LAB))
    for sample in machines.run(20):
        if isinstance(sample, HostSample) and sample.host == "sink" and sample.at > 10:
            continue
        monitor.push(sample)
        if 10 < sample.at < 10.3:
            monitor.push(EventSample(10.3, "host-lost", "connection lost: timed out", "sink"))
    snapshot = monitor.snapshot()
    views = {view.name: view for view in snapshot.hosts}
    assert not views["sink"].up and views["sink"].since == 10.3 and "timed out" in views["sink"].reason
    assert views["dut"].up and snapshot.forwarded.now == pytest.approx(10_000, rel=0.01)
    assert snapshot.received.now is None
    assert snapshot.diagnosis.code == "host-lost"


def test_a_tool_whose_packets_the_kernel_does_not_count_tells_the_offered_load_itself():
    lab = parse(LAB.replace('interface = "g0"', 'interface = "g0"\ntool = "netmap-pkt-gen"'))
    monitor = Monitor(lab, uncounted=["netmap-pkt-gen"])
    for sample in Machines(blast(5, 35, 10_000)).run(45):
        monitor.push(sample)
        if isinstance(sample, HostSample) and sample.host == "gen":
            rate = 10_500.0 if 5 < sample.at < 35 else 0.0
            monitor.push(
                RateSample("generator", sample.at, 1.0, rate, packets=rate, host="gen", at=sample.at)
            )
    (iteration,) = monitor.snapshot().iterations
    assert iteration.metrics["offered"].median == 10_500


def test_queues_sampled_less_often_keep_their_rates_in_between():
    monitor = Monitor(parse(LAB))
    for number, sample in enumerate(Machines(blast(0, 60, 10_000)).run(20)):
        if isinstance(sample, HostSample) and sample.host == "dut" and number // 3 % 5 == 0:
            rows = tuple(
                QueueCounters("d1", "tx", index, packets=int(sample.at * 1000 * (index + 1)))
                for index in range(2)
            )
            sample = HostSample(
                sample.host, sample.seq, sample.t, sample.at, sample.boot,
                interfaces=sample.interfaces, cpus=sample.cpus, queues=rows,
            )  # fmt: skip
        monitor.push(sample)
    dut = monitor.snapshot().dut
    assert dut is not None and dut.rates is not None
    assert [queue.pps for queue in dut.rates.queues] == [
        pytest.approx(1000, rel=0.01),
        pytest.approx(2000, rel=0.01),
    ]


def test_what_a_finished_iteration_becomes_is_what_is_shown():
    kept = []

    def finished(iteration, samples, began):
        import msgspec

        assert 4.0 < began < 5.5
        kept.append(samples)
        return msgspec.structs.replace(iteration, index=7)

    monitor = fed(Machines(blast(5, 35, 10_000)), 45, finished=finished)
    assert monitor.snapshot().iterations[0].index == 7
    times = [sample.at for sample in kept[0]]
    assert min(times) < 5 < 35 < max(times)


def test_seconds_within_an_iteration_are_its_window_and_its_value_their_median():
    monitor = fed(Machines(blast(5, 35, 10_000), capacity=8_000), 45)
    (iteration,) = monitor.snapshot().iterations
    window = iteration.window
    assert window is not None
    rates = [
        p.value
        for p in monitor.snapshot().received.points
        if p.value is not None and window.start <= p.at - p.seconds / 2 <= window.end
    ]
    assert iteration.value == pytest.approx(median(rates), abs=0.001)
    assert len(rates) == window.kept


def test_after_a_blast_the_diagnosis_does_not_go_on_about_it():
    monitor = Monitor(parse(LAB))
    for sample in Machines(blast(5, 25, 10_000), capacity=8_000).run(34):
        monitor.push(sample)
        now = monitor.snapshot(0)
        if now.now > 30:
            assert now.diagnosis.code == "idle"
        if 10 < now.now < 24:
            assert now.diagnosis.code == "dut-limited"


@pytest.mark.parametrize(("between", "made"), [(False, 1), (True, 0)])
def test_what_is_sent_between_two_measurements_becomes_no_iteration(between: bool, made: int):
    monitor = Monitor(parse(LAB))
    monitor.between = between
    for sample in Machines(blast(5, 15, 10_000), capacity=8_000).run(30):
        monitor.push(sample)
    assert not monitor.in_blast and not monitor.ending
    assert len(monitor.snapshot(0).iterations) == made


def test_a_snapshot_is_made_once_until_something_changes():
    machines = Machines(blast(5, 35, 10_000))
    monitor = fed(machines, 20)
    first = monitor.snapshot(60)
    assert monitor.snapshot(60) is first and monitor.snapshot(0) is not first
    seen = [first]

    def changed() -> bool:
        seen.append(monitor.snapshot(60))
        return seen[-1] != seen[-2]

    monitor.push(EventSample(20.0, "note", "something"))
    assert changed()
    monitor.automatic = False
    assert changed()
    iteration = monitor.save_by_hand()
    assert changed()
    monitor.saved(iteration, iteration)
    assert changed()
    monitor.take_back(iteration, "a test")
    assert changed()
    monitor.interrupt()
    assert changed()
    twin = monitor.fork()
    twin.push(EventSample(20.0, "note", "of the copy"))
    assert not changed() and twin.snapshot(60) != monitor.snapshot(60)


def test_a_picture_has_as_much_time_of_a_flow_with_several_points_in_each_interval():
    """Two generators make two points of the offered load in each interval, a tool that prints often more."""
    two = '[[generator]]\nhost = "gen2"\ninterface = "g0"\n[dut]'
    monitor = Monitor(parse(LAB.replace("[generator]", "[[generator]]").replace("[dut]", two)))
    for second in range(30):
        for host, port, phase in (("gen", "g0", 0.2), ("gen2", "g0", 0.4), ("dut", "d1", 0.5)):
            at, row = second + phase, InterfaceCounters(port, tx_packets=1000 * second)
            monitor.push(HostSample(host, second, t=at, at=at, boot=host, interfaces=(row,)))
    seen = monitor.snapshot(10)
    assert [flow.points[0].at for flow in (seen.offered, seen.forwarded)] == pytest.approx([20.2, 20.5])
    assert monitor.snapshot(0).offered.points == ()


@pytest.mark.parametrize(("step", "silent"), [(1.0, 0.0), (3.0, 0.0), (1.0, 250.0)])
def test_each_tick_that_a_snapshot_has_of_a_flow_has_its_busiest_core(step, silent):
    """A host may tick more slowly than it was asked to, or not for a while."""
    monitor, at = Monitor(parse(LAB)), 0.0
    for number in range(201):
        at += step + silent * (number == 180)
        idle = CpuTicks(0, 0, 0, 0, round(at * 100), 0, round(at * 50))
        port = InterfaceCounters("d1", tx_packets=number)
        monitor.push(HostSample("dut", number, at, at, interfaces=(port,), cpus=(idle,), boot="a"))
    seen = monitor.snapshot(150)
    assert [load.at for load in seen.busiest] == [point.at for point in seen.forwarded.points]
    assert len(seen.busiest) == 150
    assert monitor.snapshot(0).busiest == ()


@pytest.mark.parametrize(
    ("dropped", "case", "result"),
    [
        ((False, False), "inet6", 2e6),
        ((False, True), "inet4", 1e6),  # an attempt that does not count: nothing is known of its case yet
        ((True, False), "inet6", 2e6),
        ((True, True), "inet6", None),
    ],
)
def test_the_case_is_that_of_the_result_that_is_shown(dropped, case, result):
    """A baseline is looked for by it: the value of one case says nothing beside the baseline of another."""
    idle = Monitor(parse(LAB)).snapshot(0)
    iterations = tuple(
        Iteration(number, number * 1e6, dropped="A link went down." * gone)
        for number, gone in enumerate(dropped, 1)
    )
    shown = msgspec.structs.replace(idle, iterations=iterations, cases=("inet4", "inet6"))
    assert shown.case == case
    assert [one.index for one in shown.of_case] == [1 if case == "inet4" else 2]
    found = last_result(shown.iterations)
    assert (None if found is None else found.value) == result
    assert idle.case == "" and msgspec.structs.replace(shown, cases=()).case == ""
