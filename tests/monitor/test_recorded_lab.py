"""The lab of an older session is made of its samples, and imported logs get one axis."""

from collections.abc import Sequence

import pytest

from fwdtui.core.counters import CpuTicks, InterfaceCounters
from fwdtui.core.lab import Dut, Endpoint, Lab, Run
from fwdtui.core.model import (
    Case,
    EventSample,
    Fact,
    HostSample,
    Iteration,
    RateSample,
    Sample,
    Session,
    Window,
)
from fwdtui.monitor.live.monitor import Monitor
from fwdtui.monitor.replay.recorded_lab import lab_of, monitor_of, placed, sent_by

SESSION = Session("/s", "s", "", facts={"dut.kernel": "x"})


def ticks(interval: float, count: int = 5) -> list[HostSample]:
    core = (CpuTicks(0, 1, 1, 1, 1, 1),)
    return [HostSample("dut", n, n * interval, n * interval, cpus=core) for n in range(count)]


@pytest.mark.parametrize(
    ("between", "interval"),
    [(0.02, 0.1), (0.1, 0.1), (0.14, 0.1), (0.16, 0.2), (1.0, 1.0), (8.0, 8.0), (10.0, 10.0), (30.0, 10.0)],
)
def test_the_interval_is_the_usual_one_to_a_tenth_within_what_a_lab_may_ask_for(between, interval):
    assert lab_of(SESSION, ticks(between)).interval == pytest.approx(interval)


def test_one_late_tick_changes_no_interval_and_one_tick_alone_tells_none():
    late = HostSample("dut", 9, 60.0, 60.0, cpus=(CpuTicks(0, 1, 1, 1, 1, 1),))
    assert lab_of(SESSION, [*ticks(0.5), late]).interval == pytest.approx(0.5)
    assert lab_of(SESSION, ticks(0.5, count=1)).interval == 1.0


@pytest.mark.parametrize(
    ("facts", "factors", "frame", "line_rate"),
    [
        ({}, {}, 64, 1e6),
        ({"generator.command": "pkt-gen -f tx -i g0 -l 1514"}, {}, 1518, None),
        ({"generator.command": "pkt-gen -f tx -i g0 -l 1514", "generator.line_rate": 5e4}, {}, 1518, 5e4),
        ({"generator.command": "pkt-gen -f tx -i g0 -l 60 -R 9"}, {}, 64, 1e6),
        ({"generator.command": "trafgen -i imix.cfg"}, {}, None, None),
        ({"generator.command": "trafgen -i small.cfg"}, {"frame_size": "64 B"}, 64, 1e6),
        ({"generator.frame": 512, "generator.line_rate": 2e5}, {}, 512, 2e5),
        ({"generator.frame": "–"}, {}, None, None),
        ({"generator.line_rate": "–"}, {}, 64, None),
    ],
)
def test_an_iteration_of_an_experiment_was_of_the_frames_that_its_own_command_sent(
    facts: dict[str, Fact], factors: dict[str, str], frame: int | None, line_rate: float | None
) -> None:
    lab = Lab("l", (Endpoint("gen", "g0", frame=64, line_rate=1e6),), Dut("dut", ("d0",), ("d1",)))
    (sent,) = sent_by(lab, Iteration(1, 1.0, facts=facts, factors=factors))
    assert (sent.sends, sent.line_rate) == (frame, line_rate)


def test_the_factor_of_the_frames_is_of_the_wanted_traffic_and_of_no_attack():
    ends = Endpoint("gen", "g0", start="flood"), Endpoint("bad", "b0", start="flood", frame=64, role="attack")
    facts = {"generator.command": "send 1518", "generator2.command": "flood harder"}
    own = Iteration(1, 1.0, facts=facts, factors={"frame_size": 1518})
    wanted, attack = sent_by(Lab("lab", ends, Dut("dut", ("d0",), ("d1",))), own)
    assert (wanted.sends, attack.sends, attack.start) == (1518, None, "flood harder")


def line(role: str, t: float, pps: float, at: float | None = None) -> RateSample:
    return RateSample(role, t, 1.0, pps, at=at)


def test_samples_of_a_recording_stay_as_they_are():
    samples = (line("receiver", 3.0, 1.0, at=7.0), EventSample(6.0, "note", "x"))
    assert placed(samples) == samples


def test_logs_are_laid_together_where_traffic_begins_on_the_receivers_axis():
    receiver = [line("receiver", 1.0, 0.0), line("receiver", 2.0, 5e5), line("receiver", 3.0, 1e6)]
    sender = [line("generator", 11.0, 0.0), line("generator", 12.0, 0.0), line("generator", 13.0, 1e6)]
    found = placed([*sender, *receiver])
    begins = {
        role: min(one.at for one in found if one.role == role and one.pps)
        for role in ("receiver", "generator")
    }
    assert begins == {"receiver": 2.0, "generator": 2.0}
    assert [one.at for one in found] == sorted(one.at for one in found)


def test_a_log_without_traffic_keeps_its_own_clock():
    silent = [line("generator", 11.0, 0.0), line("generator", 12.0, 0.0)]
    found = placed([line("receiver", 1.0, 1e6), *silent])
    assert [one.at for one in found] == [1.0, 11.0, 12.0]


# older sessions: the facts name the hosts, the samples their ports


def moved(host: str, **ports: tuple[int, int]) -> list[HostSample]:
    """Two samples of a host between which each port received and sent so many packets."""

    def at(second: float, **total: tuple[int, int]) -> HostSample:
        rows = [InterfaceCounters(name, rx_packets=rx, tx_packets=tx) for name, (rx, tx) in total.items()]
        return HostSample(host, int(second), second, second, interfaces=tuple(rows))

    # what a port counted before says nothing of its role
    before = {name: (7, 10**9 - n * 10**8) for n, name in enumerate(ports)}
    if host == "sink":
        before = {name: (rx, tx) for name, (tx, rx) in before.items()}
    after = {name: (before[name][0] + rx, before[name][1] + tx) for name, (rx, tx) in ports.items()}
    return [at(0.0, **before), at(1.0, **after)]


FACTS = {
    "lab": "the rack",
    "generator.host": "gen",
    "generator.tool": "netmap-pkt-gen",
    "generator.command": "pkt-gen -f tx",
    "generator.line_rate": 14_880_952,
    "receiver.host": "sink",
    "dut.in": "d0",
    "dut.out": ["d1", "d2"],
}
PORTS: list[Sample] = [
    EventSample(0.0, "note", "x"),
    *moved("gen", mgmt=(50, 40), g0=(0, 900), g1=(800, 30)),
    *moved("other", d9=(1, 1)),
    *moved("dut", d0=(900, 0), d1=(0, 450), d2=(0, 450)),
    *moved("sink", mgmt=(50, 70), s0=(890, 0)),
]


def from_facts(samples: Sequence[Sample] = PORTS, **facts: Fact | None) -> Lab:
    held = {**FACTS, **{key.replace("__", "."): fact for key, fact in facts.items()}}
    known = {key: fact for key, fact in held.items() if fact is not None}
    return lab_of(Session("/s", "a label", "", facts=known), samples)


def test_the_ports_of_generator_and_receiver_are_those_that_sent_and_received_most() -> None:
    assert from_facts() == Lab(
        "the rack",
        (
            Endpoint(
                "gen", "g0", "netmap-pkt-gen", start="pkt-gen -f tx", line_rate=14_880_952.0
            ),
        ),
        Dut("dut", ("d0",), ("d1", "d2")),
        Endpoint("sink", "s0"),
        interval=1.0,
        run=Run(warmup=0.0),
    )  # fmt: skip


def test_one_port_has_one_role() -> None:
    """Two generators and the receiver on one host, and the DUT's own ports beside them."""
    one = [*moved("box", d0=(900, 990), d1=(990, 900), a=(5, 600), b=(700, 500), c=(800, 1))]
    found = from_facts(
        one, generator__host="box", generator2__host="box", receiver__host="box", dut__out="d1"
    )
    assert [(end.host, end.interface) for end in found.generators] == [("box", "a"), ("box", "b")]
    assert found.receiver is not None and found.receiver.interface == "c"
    more = from_facts(
        one, generator__host="box", generator2__host="box", generator3__host="box", dut__out="d1"
    )
    assert [end.interface for end in more.generators] == ["a", "b", "c"]
    few = from_facts([*moved("box", a=(1, 1))], generator__host="box", receiver__host="box")
    assert few.receiver is not None and few.receiver.interface == "receiver", "there is no free port"


def test_generators_are_counted_without_a_gap() -> None:
    found = from_facts(generator2__host="sink", generator4__host="other")
    assert [end.host for end in found.generators] == ["gen", "sink"]
    assert [end.host for end in from_facts(generator__host=None).generators] == ["generator"]


def test_the_dut_is_the_host_that_has_its_ports_and_else_the_first() -> None:
    assert from_facts(dut__in=["d0", "d1"]).dut.host == "dut"
    assert from_facts(dut__in=["d0", "d9"]).dut.host == "gen"
    assert from_facts(dut__in=None, dut__out=None).dut == Dut("gen", (), ())
    assert from_facts(dut__in=7).dut.inputs == ()
    one_port = [*moved("gen", g0=(0, 9)), *moved("dut", d0=(9, 9))]
    assert from_facts(one_port, dut__out="d0").dut == Dut("dut", ("d0",), ("d0",))


@pytest.mark.parametrize(
    ("rate", "known"),
    [(1000, 1000.0), (2.5, 2.5), (0, 0.0), (True, None), ("1M", None), (None, None)],
)
def test_a_line_rate_is_a_number(rate: Fact | None, known: float | None) -> None:
    assert from_facts(generator__line_rate=rate).generators[0].line_rate == known


@pytest.mark.parametrize(("value", "used"), [("", False), (7, False), (None, False), ("x", True)])
def test_a_fact_that_is_no_text_is_not_known(value: Fact | None, used: bool) -> None:
    found = from_facts(
        lab=value, generator__tool=value, generator__command=value, generator__host=value or "gen"
    )
    (generator,) = found.generators
    assert (found.name, generator.tool, generator.start) == (
        ("x", "x", "x") if used else ("a label", "counters", None)
    )


def test_a_host_without_samples_has_no_port() -> None:
    found = from_facts(generator__host="elsewhere", receiver__host=None)
    assert found.generators[0].interface == "generator" and found.receiver is None


@pytest.mark.parametrize(
    ("notes", "warmup"),
    [
        ((), 0.0),
        (("2 samples of warm-up dropped (2 s)",), 2.0),
        (("2 samples of warm-up dropped (2.5 s)", "3 samples of warm-up dropped (3 s)"), 3.0),
        (("2 samples of warm-up dropped (2 s)", "A warm-up of 1.5 s was asked for"), 1.5),
        (("A warm-up of 1.5 s was asked for", "A warm-up of 5 s was asked for"), 5.0),
    ],
)
def test_the_warm_up_is_what_was_asked_for_or_what_was_dropped(notes: tuple[str, ...], warmup: float) -> None:
    windows = [Window("steady", 0.0, 1.0, 1, notes=(note,)) for note in notes]
    iterations = [Iteration(number, 1.0, window=window) for number, window in enumerate(windows)]
    cases = [Case("v4", [Iteration(9, None)]), Case("v6", iterations)]
    assert lab_of(Session("/s", "s", "", facts=FACTS, cases=cases), PORTS).run.warmup == warmup


def test_what_only_slow_ticks_read_says_nothing_of_the_interval() -> None:
    slow = [HostSample("dut", 99, at, at, forwarded=1) for at in (0.3, 0.6, 0.9, 1.2)]
    assert lab_of(SESSION, sorted([*ticks(2.0), *slow], key=lambda one: one.t)).interval == 2.0


def test_a_clock_that_goes_back_or_stands_still_tells_no_interval() -> None:
    assert lab_of(SESSION, [*ticks(2.0), *ticks(2.0)]).interval == 2.0
    thrice = sorted([*ticks(2.0), *ticks(2.0), *ticks(2.0)], key=lambda one: one.t)
    assert lab_of(SESSION, thrice).interval == 2.0


def test_two_hosts_intervals_are_their_own() -> None:
    other = [HostSample("gen", n, 0.5 + n, 0.5 + n, cpus=(CpuTicks(0, 1, 1, 1, 1, 1),)) for n in range(5)]
    mixed = sorted([*ticks(1.0), *other], key=lambda one: one.at)
    assert lab_of(SESSION, mixed).interval == 1.0


# imported logs


def test_the_lab_of_imported_logs_has_a_generator_for_each_port_that_sent() -> None:
    facts = {"lab": "the rack", "generator.host": "gen", "receiver.host": 7}
    session = Session("/s", "a label", "", facts=facts)
    logs = [
        RateSample("generator", 1.0, 2.0, 5.0, interface="g1"),
        RateSample("receiver", 1.0, 2.0, 5.0, interface="s9"),
        RateSample("generator", 1.0, 3.0, 5.0, interface="g0"),
        RateSample("generator", 2.0, 2.0, 5.0, interface="g1"),
    ]
    tool = "netmap-pkt-gen"
    assert lab_of(session, logs) == Lab(
        "the rack",
        (Endpoint("gen", "g1", tool), Endpoint("gen", "g0", tool)),
        Dut("dut", ("in",), ("out",)),
        Endpoint("receiver", "receiver", tool),
        interval=2.0,
        run=Run(warmup=0.0),
    )
    bare = lab_of(Session("/s", "a label", ""), [EventSample(1.0, "note", "x")])
    assert (bare.name, bare.receiver, bare.interval) == ("a label", None, 1.0)
    assert bare.generators == (Endpoint("generator", "generator", tool),)


@pytest.mark.parametrize("lab", [{"dut": {"host": 3}}, {"name": None}, {3: "x"}, {}])
def test_a_recorded_lab_that_cannot_be_read_gives_way(lab: dict[str, object]) -> None:
    assert lab_of(Session("/s", "s", "", facts=FACTS, lab=lab), PORTS) == from_facts()


# the monitor


def test_a_monitor_counts_as_the_one_did_that_took_the_samples() -> None:
    facts = {**FACTS, "gen.g0.driver": "veth", "receiver.tool": "gone-since"}
    session = Session("/s", "s", "", facts=facts)
    monitor = monitor_of(session, PORTS)
    assert monitor.lab == lab_of(session, PORTS) and monitor.automatic
    assert monitor._state.uncounted == frozenset({"netmap-pkt-gen"})
    assert monitor._state.veths == frozenset({"gen.g0"})
    assert not monitor_of(session, PORTS, automatic=False).automatic
    assert monitor._state._remember == Monitor(monitor.lab)._state._remember
    counted = monitor_of(Session("/s", "s", "", facts={**facts, "generator.tool": "trafgen"}), PORTS)
    assert counted._state.uncounted == frozenset()
    other = {**facts, "generator.tool": "gone-since", "receiver.tool": "netmap-pkt-gen"}
    assert monitor_of(Session("/s", "s", "", facts=other), PORTS)._state.uncounted == {"netmap-pkt-gen"}
    # a plug-in that is not installed here: the recording says how it counted
    told = {**other, "generator.counted": False}
    both = {"gone-since", "netmap-pkt-gen"}
    assert monitor_of(Session("/s", "s", "", facts=told), PORTS)._state.uncounted == both


# one axis


def test_each_generators_log_has_a_clock_of_its_own() -> None:
    def of(port: str, t: float, pps: float) -> RateSample:
        return RateSample("generator", t, 1.0, pps, interface=port)

    logs = [
        line("receiver", 1.0, 0.0),
        line("receiver", 2.0, 0.5),
        line("receiver", 3.0, 9.0),
        of("g0", 21.0, 5.0),
        of("g0", 22.0, 5.0),
        of("g1", 70.0, 0.0),
        of("g1", 71.0, 5.0),
    ]
    event = EventSample(1.5, "note", "x")
    found = placed([event, *logs])
    ports = [(one.at, one.interface if isinstance(one, RateSample) else "-") for one in found]
    assert ports == [
        (1.0, ""), (1.0, "g1"), (1.5, "-"), (2.0, ""), (2.0, "g0"), (2.0, "g1"), (3.0, ""), (3.0, "g0"),
    ]  # fmt: skip


def test_the_beginning_of_a_line_is_where_its_traffic_begins() -> None:
    long = [RateSample("generator", t, 2.0, 5.0) for t in (42.0, 44.0)]
    found = placed([line("receiver", 8.0, 9.0), *long])
    assert [(one.role, one.at) for one in found if isinstance(one, RateSample)] == [
        ("receiver", 8.0),
        ("generator", 9.0),
        ("generator", 11.0),
    ]


def test_a_line_that_has_its_place_keeps_it() -> None:
    there, bare = line("receiver", 2.0, 9.0, at=50.0), line("receiver", 1.0, 9.0)
    assert [one.at for one in placed([there, bare])] == [1.0, 50.0]


def test_without_a_receiver_the_logs_stay_where_they_are() -> None:
    assert [one.at for one in placed([line("generator", 21.0, 5.0), line("generator", 22.0, 5.0)])] == [
        21.0,
        22.0,
    ]
    silent = [line("receiver", 1.0, 0.0), line("generator", 21.0, 5.0)]
    assert [one.at for one in placed(silent)] == [1.0, 21.0]
