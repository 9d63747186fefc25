"""Which counters and which lines of tools are whose rates: no line of another host, port or role."""

import pytest
from machines import LAB
from msgspec.structs import replace

from fwdtui.core.host_rates import HostRates, InterfaceRate
from fwdtui.core.lab import Endpoint, parse
from fwdtui.core.model import RateSample
from fwdtui.monitor.live.flows import Flows, is_from, veths
from fwdtui.monitor.live.monitor import Monitor
from fwdtui.monitor.live.series import Point, Series
from fwdtui.monitor.live.state import State

TOOL = 'tool = "pkt-gen"\n'
BOTH = LAB.replace('"g0"\n', f'"g0"\n{TOOL}').replace('"s0"\n', f'"s0"\n{TOOL}')


def flows(lab: str, uncounted: tuple[str, ...] = ("pkt-gen",)) -> Flows:
    return Flows(parse(lab), frozenset(uncounted), frozenset())


def line(role: str, host: str, interface: str, packets: float | None = 9.6) -> RateSample:
    return RateSample(role, 1.0, 1.0, 9.0, packets, 72.0, host, interface=interface)


@pytest.mark.parametrize(
    ("host", "interface", "is_its"),
    [
        ("gen", "g0", True),
        ("", "g0", True),
        ("gen", "", True),
        ("", "", True),  # an older recording says neither
        ("sink", "g0", False),
        ("gen", "g1", False),
        ("sink", "", False),
        ("", "g1", False),
    ],
)
def test_a_line_is_of_the_host_and_port_that_it_names(host: str, interface: str, is_its: bool) -> None:
    assert is_from(line("generator", host, interface), Endpoint("gen", "g0")) is is_its
    built = flows(BOTH)
    built.tool(line("generator", host, interface), 5.0)
    assert list(built.series["offered"]) == ([Point(5.0, 1.0, 9.0, 10, bps=72.0)] if is_its else [])
    assert not list(built.series["received"])


@pytest.mark.parametrize("interval", [0.0, -1.0, float("nan"), float("inf")])
def test_a_line_of_no_time_has_no_rate_and_the_screen_goes_on(interval: float) -> None:
    """A plug-in may print one, and a recording may be edited."""
    monitor = Monitor(parse(BOTH), uncounted=["pkt-gen"])
    for role, host, port in (("generator", "gen", "g0"), ("receiver", "sink", "s0")):
        for at in (1.0, 2.0, 3.0):
            monitor.push(replace(line(role, host, port), interval=interval, at=at))
    shown = monitor.snapshot()
    assert (shown.offered.points, shown.received.points) == ((), ())


@pytest.mark.parametrize(("lab", "counts"), [(BOTH, True), (LAB, False)])
@pytest.mark.parametrize(("host", "its"), [("sink", True), ("gen", False)])
def test_a_receivers_line_counts_if_its_port_does_not(lab: str, counts: bool, host: str, its: bool) -> None:
    built = flows(lab)
    built.tool(line("receiver", host, "", None), 5.0)
    assert list(built.series["received"]) == ([Point(5.0, 1.0, 9.0, bps=72.0)] if counts and its else [])
    assert not list(built.series["offered"])


def test_without_a_receiver_no_line_is_received() -> None:
    built = flows(BOTH[: BOTH.index("[receiver]")])
    built.tool(line("receiver", "sink", "s0"), 5.0)
    assert all(not list(series) for series in built.series.values())


def test_a_generators_line_does_not_count_beside_its_port() -> None:
    built = flows(LAB)
    built.tool(line("generator", "gen", "g0"), 5.0)
    assert not list(built.series["offered"])


def rates(*ports: InterfaceRate, gap: str = "") -> HostRates:
    return HostRates("dut", 5.0, 1.0, {port.name: port for port in ports}, gap=gap)


PAIRS = LAB.replace('in = "d0"', 'in = ["d0", "d2"]').replace('out = "d1"', 'out = ["d1", "d3"]')
IN, OUT = (
    InterfaceRate("d0", rx_pps=4.0, rx_bps=30.0, rx_count=5),
    InterfaceRate("d1", tx_pps=1.0, tx_count=2),
)


def test_several_ports_are_added_up_in_packets_bits_and_counts_each() -> None:
    built = flows(PAIRS)
    built.host("dut", rates(IN, InterfaceRate("d2", rx_pps=6.0, rx_bps=70.0, rx_count=8), OUT))
    assert built.series["dut in"].last == Point(5.0, 1.0, 10.0, 13, bps=100.0)
    assert built.series["forwarded"].last == Point(5.0, 1.0, None, why="no counter")


@pytest.mark.parametrize(
    ("ports", "gap", "why"),
    [
        ([IN], "", "no counter"),
        ([IN, InterfaceRate("d2", why="reset")], "", "reset"),
        ([InterfaceRate("d0", why="replaced"), InterfaceRate("d2", why="reset")], "", "replaced"),
        ([IN, InterfaceRate("d2", why="reset")], "late", "late"),
        ([], "reboot", "reboot"),
    ],
)
def test_a_part_that_is_missing_makes_a_gap_with_its_cause(
    ports: list[InterfaceRate], gap: str, why: str
) -> None:
    built = flows(PAIRS)
    built.host("dut", rates(*ports, gap=gap))
    assert built.series["dut in"].last == Point(5.0, 1.0, None, why=why)


def test_a_rate_has_no_cause_even_if_the_other_direction_has_none() -> None:
    built = flows(LAB)
    built.host("dut", rates(InterfaceRate("d0", rx_pps=4.0, rx_count=5, why="reset")))
    assert built.series["dut in"].last == Point(5.0, 1.0, 4.0, 5)


def test_a_generator_that_is_missing_is_told_and_one_that_is_there_is_not() -> None:
    two = LAB.replace("[generator]", "[[generator]]").replace(
        "[dut]", '[[generator]]\nhost = "gen2"\ninterface = "g1"\n[dut]'
    )
    built = flows(two)
    for host, port in (("gen", "g0"), ("gen2", "g1")):
        built.host(host, HostRates(host, 5.0, 1.0, {port: InterfaceRate(port, tx_pps=3.0, tx_bps=8.0)}))
    assert list(built.series["offered"]) == [
        Point(5.0, 1.0, None, why="a generator is missing"),
        Point(5.0, 1.0, 6.0, bps=16.0),
    ]


TWO = LAB.replace("[generator]", "[[generator]]").replace(
    "[dut]", '[[generator]]\nhost = "gen2"\ninterface = "g1"\n[dut]'
)
PRINTING = TWO.replace('"g0"\n', f'"g0"\n{TOOL}').replace('"g1"\n', f'"g1"\n{TOOL}')


def sent(host: str, port: str, at: float, pps: float = 3.0) -> HostRates:
    return HostRates(host, at, 1.0, {port: InterfaceRate(port, tx_pps=pps, tx_bps=8.0)})


@pytest.mark.parametrize(("interval", "until"), [(0.5, 4.0), (1.0, 4.0), (2.0, 7.0)])
def test_what_a_silent_generator_sent_last_is_not_what_it_sends_now(interval: float, until: float) -> None:
    """Three intervals later, of the lab or its own, it is missing: nobody sent the sum with its old rate."""
    built = flows(f'{TWO}[sampling]\ninterval = "{interval}s"\n')
    built.host("gen2", sent("gen2", "g1", 1.0))
    for at in (until, until + 0.1):
        built.host("gen", sent("gen", "g0", at))
    assert list(built.series["offered"])[1:] == [
        Point(until, 1.0, 6.0, bps=16.0),
        Point(until + 0.1, 1.0, None, why="a generator is missing"),
    ]


def test_two_ports_of_one_host_are_summed_once_and_never_a_new_rate_with_an_old_one() -> None:
    def at(second: float, *pps: float) -> HostRates:
        ports = {
            name: InterfaceRate(name, tx_pps=rate, tx_bps=8.0)
            for name, rate in zip(("g0", "g1", "g2"), pps, strict=True)
        }
        return HostRates("gen", second, 1.0, ports)

    third = '[[generator]]\nhost = "gen"\ninterface = "g2"\nrole = "attack"\n[dut]'
    built = flows(TWO.replace('"gen2"', '"gen"').replace("[dut]", third))
    assert [flow for flow, _ in built.host("gen", at(1.0, 0.0, 0.0, 0.0))] == ["offered", "attack"]
    built.host("gen", at(2.0, 3.0, 4.0, 5.0))
    built.host("gen", at(3.0, 0.0, 0.0, 0.0))
    assert [(point.at, point.value) for point in built.series["offered"]] == [
        (1.0, 0.0),
        (2.0, 7.0),
        (3.0, 0.0),
    ]
    assert [(point.at, point.value) for point in built.series["attack"]] == [
        (1.0, 0.0),
        (2.0, 5.0),
        (3.0, 0.0),
    ]


def test_a_generator_whose_tool_has_ended_sends_nothing_until_it_is_started_again() -> None:
    built = flows(PRINTING)

    def printed(host: str, at: float) -> Point:
        ((_, point),) = built.tool(RateSample("generator", at, 1.0, 9.0, 9.0, 72.0, host), at)
        return point

    printed("gen", 1.0)
    assert printed("gen2", 1.1).value == 18.0
    built.ended({1})
    assert printed("gen", 2.0) == Point(2.0, 1.0, 18.0, bps=144.0), "its last line is of the same second"
    assert printed("gen", 3.0) == Point(3.0, 1.0, 9.0, bps=72.0)
    assert printed("gen", 30.0).value == 9.0
    built.started({1})
    assert printed("gen", 31.0).value is None
    assert printed("gen2", 31.1).value == 18.0


def test_a_veth_is_a_port_whose_driver_is_called_so() -> None:
    assert veths({"gen.g0.driver": "veth", "gen.g1.driver": "ix", "gen.g2": "veth"}) == ["gen.g0"]
    assert veths({"gen.g0.driver": "tun"}) == ["gen.g0"]  # a tap, into an emulated machine


def test_the_newest_rate_that_is_known_may_be_some_gaps_ago() -> None:
    series = Series(limit=3)
    assert series.last_known is None
    known, gaps = Point(1.0, 1.0, 5.0), [Point(float(at), 1.0, None) for at in (2, 3, 4)]
    series.add(known)
    assert series.last_known == known
    for gap in gaps[:2]:
        series.add(gap)
    assert series.last_known == known and series.last == gaps[1]
    series.add(gaps[2])
    assert series.last_known is None, "it is no longer held"


@pytest.mark.parametrize(
    ("interval", "settle"), [("100ms", 1.0), ("300ms", 1.0), ("500ms", 1.5), ("1s", 3.0), ("4s", 12.0)]
)
def test_a_blast_has_ended_after_three_intervals_of_quiet_and_a_second_at_least(
    interval: str, settle: float
) -> None:
    """A tool's line may be one and a half seconds late, too."""
    state = State(parse(f'{LAB}[sampling]\ninterval = "{interval}"\n'), (), (), 30.0)
    assert state.blasts.longest_end == pytest.approx(settle + 1.5)
    assert state.late == pytest.approx(3 * parse(f'{LAB}[sampling]\ninterval = "{interval}"\n').interval)
