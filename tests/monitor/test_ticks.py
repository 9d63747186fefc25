"""Samples become rates here: each kind of reading with the previous one of its host, and with no other."""

import msgspec
import pytest
from machines import LAB

from fwdtui.core.counters import InterfaceCounters, InterruptRow, NetisrRow, QueueCounters
from fwdtui.core.host_rates import FAST, HostRates
from fwdtui.core.lab import parse
from fwdtui.core.model import HostSample
from fwdtui.monitor.live.ticks import Ticks

NETISR, QUEUES = ("netisr",), ("queues",)
PORTS = {"gen": "g0", "dut": "d0", "sink": "s0"}


def fast(host: str, at: float, boot: str = "1", t: float | None = None) -> HostSample:
    """What every tick reads: a port that receives 1000 packets per second."""
    port = InterfaceCounters(PORTS[host], rx_packets=int(1000 * at), rx_missed=int(10 * at))
    return HostSample(host, 0, t=at if t is None else t, at=at, boot=boot, interfaces=(port,))


def netisr(host: str, at: float, boot: str = "1") -> HostSample:
    """A slow tick: netisr drops 100 packets per second."""
    return HostSample(
        host, 0, t=at, at=at, boot=boot, netisr=(NetisrRow(0, 0, "ip", queue_drops=int(100 * at)),)
    )


def queues(host: str, at: float) -> HostSample:
    row = QueueCounters("d0", "rx", 0, packets=int(500 * at))
    return HostSample(host, 0, t=at, at=at, boot="1", queues=(row,))


def joined(*samples: HostSample) -> tuple[Ticks, list[HostRates | None]]:
    ticks = Ticks(parse(LAB))
    return ticks, [ticks.join(sample) for sample in samples]


def test_a_rate_needs_two_samples_of_the_same_host() -> None:
    _, (first, other, second) = joined(fast("dut", 1), fast("gen", 1.5), fast("dut", 2))
    assert first is None and other is None
    assert second is not None and (second.host, second.at, second.seconds) == ("dut", 2, 1.0)
    assert second.interfaces["d0"].rx_pps == 1000


def test_a_slow_reading_makes_no_rates_of_its_own_and_completes_those_of_every_tick() -> None:
    ticks, (*_, slow, completed) = joined(fast("dut", 1), netisr("dut", 1), netisr("dut", 11), fast("dut", 2))
    assert slow is None
    assert completed is not None and completed.drops == {"rx ring": 10, "netisr": 100}
    # ten intervals between two slow readings are no gap: that is how often they are read
    assert [one.seconds for one in ticks.dut[NETISR]] == [10.0]


def test_the_newest_rates_of_each_slow_kind_are_kept() -> None:
    _, (*_, rates) = joined(
        fast("dut", 1), netisr("dut", 1), queues("dut", 1), netisr("dut", 2), queues("dut", 2), fast("dut", 2)
    )
    assert rates is not None and rates.drops["netisr"] == 100
    assert [row.pps for row in rates.queues] == [500]


def test_what_is_read_with_other_things_now_does_not_stay_as_it_was() -> None:
    """A port that goes down has no interrupts any more, and a slow reading of it is of another kind then."""

    def reading(at: float, packets: int, both: bool) -> HostSample:
        interrupts = (InterruptRow("40", "d0", {0: int(at)}, "d0", 0, "rx"),) if both else ()
        row = QueueCounters("d0", "rx", 0, packets=packets)
        return HostSample("dut", 0, t=at, at=at, boot="1", queues=(row,), interrupts=interrupts)

    ticks, (*_, up) = joined(fast("dut", 1), reading(1, 0, True), reading(2, 500, True), fast("dut", 2))
    assert up is not None and [row.pps for row in up.queues] == [500] and up.interrupts
    ticks.join(reading(3, 500, False))
    unknown = ticks.join(fast("dut", 3))
    ticks.join(reading(4, 500, False))
    down = ticks.join(fast("dut", 4))
    assert unknown is not None and unknown.queues == () and unknown.interrupts == ()
    assert down is not None and [row.pps for row in down.queues] == [0] and down.interrupts == ()


def test_queues_that_were_read_once_are_waited_for() -> None:
    """They come with slow ticks: until the second one nobody may say that there are none."""
    ticks, (*_, without, first) = joined(fast("dut", 1), fast("dut", 2), queues("dut", 2), fast("dut", 3))
    assert without is None
    assert first is not None and first.queues == () and first.awaits_queues
    ticks.fork().join(queues("dut", 4))
    still = ticks.join(fast("dut", 4))
    assert still is not None and still.awaits_queues, "what a copy has read is not read here"
    ticks.join(queues("dut", 5))
    there = ticks.join(fast("dut", 5))
    assert there is not None and there.queues and not there.awaits_queues
    _, (*_, none) = joined(fast("dut", 1), netisr("dut", 1), queues("gen", 1), fast("dut", 2))
    assert none is not None and not none.awaits_queues


def test_of_a_driver_that_was_unloaded_no_rates_of_queues_are_left() -> None:
    nothing = HostSample("dut", 0, t=3, at=3, boot="1", forwarded=7)
    _, (*_, before, _, after) = joined(
        fast("dut", 1), queues("dut", 1), queues("dut", 2), fast("dut", 2), nothing, fast("dut", 3)
    )
    assert before is not None and [row.pps for row in before.queues] == [500]
    assert after is not None and after.queues == () and not after.awaits_queues


def test_of_a_driver_that_was_unloaded_no_rates_of_queues_are_left_where_every_tick_reads_them() -> None:
    """FreeBSD's plain ticks read the queues; its ticks go on without them, and may be late by one."""

    def tick(at: float, loaded: bool) -> HostSample:
        rows = queues("dut", at).queues if loaded else ()
        return msgspec.structs.replace(fast("dut", at), queues=rows)

    ticks, (first, *later) = joined(*(tick(at, loaded=at < 4) for at in range(1, 9)))
    assert first is None
    shown = [[row.pps for row in rates.queues] for rates in later if rates is not None]
    assert shown == [[500], [500], [500], [500], [500], [], []], "three ticks without them are late ones"
    again = ticks.fork()
    again.join(tick(9, loaded=True))
    rates = again.join(tick(10, loaded=True))
    assert rates is not None and [row.pps for row in rates.queues] == [500]


@pytest.mark.parametrize("host", ["gen", "sink"])
def test_only_the_duts_rates_are_kept_for_averages(host: str) -> None:
    ticks, _ = joined(*(sample(host, at) for at in (1, 2) for sample in (fast, netisr)))
    assert ticks.dut == {FAST: ticks.dut[FAST]} and not ticks.dut[FAST]
    ticks, _ = joined(*(sample("dut", at) for at in (1, 2) for sample in (fast, netisr)))
    assert [one.at for one in ticks.dut[FAST]] == [2] and [one.at for one in ticks.dut[NETISR]] == [2]


def test_only_the_duts_own_ports_have_drops() -> None:
    """The generator's port may have the name of one of the DUT's inputs."""
    lab = parse(LAB.replace('interface = "g0"', 'interface = "d0"'))
    ticks, found = Ticks(lab), {}
    for host in ("gen", "dut"):
        for at in (1, 2):
            port = InterfaceCounters("d0", rx_packets=1000 * at, rx_missed=10 * at)
            found[host] = ticks.join(HostSample(host, 0, t=at, at=at, boot="1", interfaces=(port,)))
    assert {host: rates.drops for host, rates in found.items() if rates} == {
        "gen": {},
        "dut": {"rx ring": 10},
    }


def test_a_gap_is_kept_among_the_rates_of_every_tick_and_not_among_the_slow_ones() -> None:
    ticks, (*_, rates) = joined(
        netisr("dut", 1), fast("dut", 1), netisr("dut", 2, boot="2"), fast("dut", 2, boot="2")
    )
    assert rates is not None and rates.gap == "reboot"
    assert [one.gap for one in ticks.dut[FAST]] == ["reboot"] and NETISR not in ticks.dut


def test_a_clock_that_went_back_makes_one_gap_as_long_as_it_was_on_the_axis() -> None:
    ticks, _ = joined(fast("dut", 1), fast("gen", 1), netisr("dut", 1), netisr("gen", 1))
    ticks.clock_went_back("dut")
    gap, other = ticks.join(fast("dut", 2.5)), ticks.join(fast("gen", 2))
    assert gap is not None and (gap.gap, gap.seconds, gap.interfaces) == ("clock", 1.5, {})
    assert other is not None and other.gap == ""
    again = ticks.join(fast("dut", 3))
    assert again is not None and again.gap == ""


def test_after_a_clock_that_went_back_the_hosts_slow_readings_begin_anew() -> None:
    ticks, _ = joined(fast("dut", 1), netisr("dut", 1))
    ticks.clock_went_back("dut")
    ticks.join(netisr("dut", 2))
    assert NETISR not in ticks.dut, "it does not continue the reading from before"
    ticks.join(netisr("dut", 3))
    assert [one.seconds for one in ticks.dut[NETISR]] == [1.0]


def test_the_clock_of_another_host_takes_no_slow_reading_away() -> None:
    ticks, _ = joined(fast("gen", 1), netisr("dut", 1))
    ticks.clock_went_back("gen")
    ticks.join(netisr("dut", 2))
    assert [one.seconds for one in ticks.dut[NETISR]] == [1.0]


def test_a_gap_with_a_cause_of_its_own_keeps_it() -> None:
    ticks, _ = joined(fast("dut", 1))
    ticks.clock_went_back("dut")
    gap = ticks.join(fast("dut", 2, boot="2"))
    assert gap is not None and gap.gap == "reboot"


def test_a_gap_is_never_of_negative_length() -> None:
    """The estimate of a host's clock may move its samples on the axis."""
    ticks, _ = joined(fast("dut", 2, t=2))
    ticks.clock_went_back("dut")
    gap = ticks.join(fast("dut", 1.5, t=3))
    assert gap is not None and (gap.gap, gap.seconds) == ("clock", 0.0)


@pytest.mark.parametrize(
    ("hosts", "fast_until", "slow_until", "reached"),
    [
        ({"dut", "gen"}, 10.0, 8.0, True),
        ({"dut"}, 10.01, 8.0, False),
        ({"dut"}, 10.0, 8.01, False),
        ({"dut"}, 12.0, 8.0, False),
        ({"gen"}, 12.0, 9.0, True),  # the others are not waited for
        (set(), 99.0, 99.0, True),
    ],
)
def test_readings_reach_a_time_if_every_kind_of_each_host_does(
    hosts: set[str], fast_until: float, slow_until: float, reached: bool
) -> None:
    ticks, _ = joined(fast("dut", 10), netisr("dut", 8), fast("gen", 12))
    assert ticks.reach(hosts, fast_until, slow_until) is reached


def test_a_kind_of_reading_that_another_one_has_replaced_is_not_waited_for() -> None:
    """What a card that was shut down for a moment told meanwhile never comes again."""
    row = InterruptRow("40", "d0-TxRx-0", {0: 8}, "d0", 0, "rxtx")
    both = msgspec.structs.replace(queues("dut", 8), interrupts=(row,))
    ticks, _ = joined(fast("dut", 10), queues("dut", 4), both)
    assert ticks.reach({"dut"}, 10.0, 8.0) and not ticks.reach({"dut"}, 10.0, 8.01)
    ticks.join(netisr("dut", 6))
    assert not ticks.reach({"dut"}, 10.0, 8.0), "netisr is read by itself"


def test_queues_of_a_driver_that_was_unloaded_are_not_waited_for() -> None:
    """The end of each blast was waited for 20 s longer, since no reading of them came any more."""
    nothing = HostSample("dut", 0, t=9, at=9, boot="1", forwarded=7)
    ticks, _ = joined(fast("dut", 10), queues("dut", 4), nothing)
    assert ticks.reach({"dut"}, 10.0, 9.0) and not ticks.reach({"dut"}, 10.0, 9.5)
    every = msgspec.structs.replace(fast("dut", 4), queues=queues("dut", 4).queues)  # as on FreeBSD
    ticks, _ = joined(every, fast("dut", 10), netisr("dut", 9), nothing)
    for one in (ticks, ticks.fork()):
        assert one.reach({"dut"}, 10.0, 9.0) and not one.reach({"dut"}, 10.0, 9.5), "netisr is read by itself"


def test_after_an_interruption_nothing_continues() -> None:
    ticks, _ = joined(fast("dut", 1), netisr("dut", 1), netisr("dut", 2), fast("gen", 1))
    ticks.clock_went_back("gen")
    ticks.interrupt()
    assert ticks.join(fast("dut", 3)) is None and ticks.join(netisr("dut", 3)) is None
    rates = ticks.join(fast("dut", 4))
    assert rates is not None and "netisr" not in rates.drops
    assert ticks.join(fast("gen", 3)) is None
    other = ticks.join(fast("gen", 4))
    assert other is not None and other.gap == ""


def test_what_ends_before_a_time_is_forgotten_of_every_kind() -> None:
    ticks, _ = joined(*(sample("dut", at) for at in (1, 2, 3, 4) for sample in (fast, netisr)))
    ticks.forget(3.0)
    assert [[one.at for one in ticks.dut[kind]] for kind in (FAST, NETISR)] == [[3, 4], [3, 4]]
    ticks.forget(99.0)
    assert not ticks.dut[FAST] and not ticks.dut[NETISR]


def test_a_fork_goes_on_by_itself() -> None:
    ticks, _ = joined(*(sample("dut", at) for at in (1, 2) for sample in (fast, netisr)))
    twin = ticks.fork()
    twin.clock_went_back("dut")
    twin.join(fast("dut", 3))
    twin.join(netisr("dut", 3))
    twin.forget(2.5)
    assert [one.at for one in ticks.dut[FAST]] == [2] and [one.at for one in ticks.dut[NETISR]] == [2]
    rates = ticks.join(fast("dut", 3))
    assert rates is not None and rates.gap == "" and rates.drops["netisr"] == 100
