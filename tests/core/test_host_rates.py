"""Two samples of one host: rates by the host's own clock, disjoint drops, and gaps that are gaps."""

import pytest
from msgspec.structs import replace

from fwdtui.core.counters import (
    CpuTicks,
    InterfaceCounters,
    InterruptRow,
    NetisrRow,
    QdiscRow,
    QueueCounters,
    SoftnetRow,
    StageCounter,
)
from fwdtui.core.drop_stages import (
    CARD_EITHER,
    DROPPED,
    INPUT_ERRORS,
    INPUT_QUEUE,
    MISSED,
    NETISR,
    OUTPUT,
    RX_RING,
    SENT,
    TX_SOFT_QUEUE,
    Place,
)
from fwdtui.core.host_evidence import InterruptRate, NicRate, SoftnetRate
from fwdtui.core.host_rates import (
    FAST,
    HostRates,
    InterfaceRate,
    QueueRate,
    between,
    is_fast,
    kinds,
    with_slow,
)
from fwdtui.core.model import HostSample


def sample(t: float, *interfaces: InterfaceCounters, boot: str = "a", **fields) -> HostSample:
    return HostSample("dut", int(t * 10), t=t, at=t + 100, boot=boot, interfaces=interfaces, **fields)


def port(name: str, rx: int | None = None, tx: int | None = None, **fields) -> InterfaceCounters:
    return InterfaceCounters(name, rx_packets=rx, tx_packets=tx, **fields)


def test_rates_are_by_the_hosts_own_interval_and_not_by_arrival():
    before = HostSample("dut", 1, t=10.0, at=0.0, boot="a", interfaces=(port("e0", 1000),))
    after = HostSample("dut", 2, t=10.5, at=7.0, boot="a", interfaces=(port("e0", 2000, rx_bytes=None),))
    found = between(before, after)
    assert found.seconds == 0.5
    assert found.interfaces["e0"].rx_pps == 2000.0 and found.interfaces["e0"].rx_count == 1000


def test_what_a_host_does_not_count_is_none_and_never_zero():
    found = between(sample(1, port("e0", 5)), sample(2, port("e0", 5)), inputs=["e0"], outputs=["e0"])
    assert found.interfaces["e0"].rx_pps == 0.0
    assert found.interfaces["e0"].tx_pps is None and found.interfaces["e0"].rx_dropped is None
    assert found.drops == {} and found.squeezed is None


def test_another_boot_is_a_gap_and_no_rate():
    found = between(sample(100, port("e0", 5)), sample(2, port("e0", 9), boot="b"))
    assert found.gap == "reboot" and found.interfaces == {}


def test_a_long_silence_is_a_gap_with_the_average_over_it():
    found = between(sample(1, port("e0", 0)), sample(54, port("e0", 53_000)), inputs=["e0"], longest=3.0)
    assert (found.gap, found.seconds, found.average) == ("late", 53.0, 1000.0)
    assert found.interfaces == {}


def test_an_interface_that_was_replaced_has_no_rate():
    found = between(sample(1, port("e0", 5, link=3)), sample(2, port("e0", 9, link=7)))
    assert found.interfaces["e0"].rx_pps is None


def test_linux_drops_are_told_by_stage_and_softnet_is_not_added_to_them():
    before = sample(
        1,
        port("in", 0, rx_dropped=0, rx_missed=0),
        port("out", tx=0, tx_dropped=0),
        softnet=(SoftnetRow(0, True, 0, 0, 0),),
        qdiscs=(
            QdiscRow("out", "mq", "0:", "root", dropped=0),
            QdiscRow("out", "fq", "1:", "0:1", dropped=0),
        ),
    )
    after = sample(
        2,
        port("in", 100, rx_dropped=20, rx_missed=3),
        port("out", tx=70, tx_dropped=5),
        softnet=(SoftnetRow(0, True, 0, 25, 9),),
        qdiscs=(
            QdiscRow("out", "mq", "0:", "root", dropped=7),
            QdiscRow("out", "fq", "1:", "0:1", dropped=7),
        ),
    )
    found = between(before, after, inputs=["in"], outputs=["out"])
    assert found.drops == {RX_RING: 3.0, INPUT_QUEUE: 20.0, TX_SOFT_QUEUE: 7.0, OUTPUT: 5.0}
    assert found.squeezed == 9.0
    assert [row.dropped for row in found.softnet] == [25.0]


def test_freebsd_input_drops_are_the_rings_and_errors_and_netisr_have_their_own():
    def netisr(drops: int) -> tuple[NetisrRow, ...]:
        return (NetisrRow(0, 0, "ip", queue_drops=drops), NetisrRow(0, 0, "ip6", queue_drops=0))

    before = sample(1, port("igb1", 0, rx_dropped=0, rx_errors=0, link=2, up=True), netisr=netisr(0))
    after = sample(2, port("igb1", 10, rx_dropped=4, rx_errors=2, link=2, up=True), netisr=netisr(8))
    found = between(before, after, inputs=["igb1"], outputs=["igb2"])
    assert found.drops == {INPUT_ERRORS: 2.0, RX_RING: 4.0, NETISR: 8.0}


def test_drops_of_other_ports_do_not_count():
    before = sample(1, port("mgmt", 0, rx_dropped=0, tx_dropped=0))
    after = sample(2, port("mgmt", 0, rx_dropped=50, tx_dropped=50))
    assert between(before, after, inputs=["in"], outputs=["out"]).drops == {}


def test_cores_are_shares_of_their_own_ticks_with_interrupts_kept_apart():
    before = sample(1, cpus=(CpuTicks(0, 0, 0, 0, 0, 0, softirq=0), CpuTicks(1, 9, 9, 9, 9, 9)))
    after = sample(2, cpus=(CpuTicks(0, 10, 0, 20, 30, 15, softirq=25), CpuTicks(1, 9, 9, 9, 9, 9)))
    (first,) = between(before, after).cpus
    assert (first.busy, first.user, first.system, first.irq, first.softirq) == pytest.approx(
        (0.7, 0.1, 0.2, 0.15, 0.25)
    )


TICKS = {"user": 0, "nice": 0, "system": 0, "idle": 0, "irq": 0, "softirq": 0, "iowait": 0, "steal": 0}


@pytest.mark.parametrize(
    ("state", "busy"),
    [
        ("user", 0.4),
        ("nice", 0.4),
        ("system", 0.4),
        ("irq", 0.4),
        ("softirq", 0.4),
        ("steal", 0.4),  # taken by another guest: this core could do nothing with it
        ("idle", 0.0),
        ("iowait", 0.0),  # idle with a disk request outstanding (proc(5)): it could forward
    ],
)
def test_a_core_is_busy_in_all_states_but_idle_and_waiting_for_a_disk(state: str, busy: float):
    spent = TICKS | {"idle": 60}
    spent[state] += 40
    before, after = sample(1, cpus=(CpuTicks(0, **TICKS),)), sample(2, cpus=(CpuTicks(0, **spent),))
    (found,) = between(before, after).cpus
    shares = [found.user, found.system, found.irq, found.softirq]
    expected = [
        0.4 if state in names else 0.0 for names in (("user", "nice"), ("system",), ("irq",), ("softirq",))
    ]
    assert found.busy == pytest.approx(busy) and shares == pytest.approx(expected)


def test_queues_are_matched_by_port_direction_and_index():
    def row(direction: str, index: int, packets: int | None, depth: int | None = None) -> QueueCounters:
        return QueueCounters("e0", direction, index, packets=packets, depth=depth)

    before = sample(1, queues=(row("rx", 0, 0), row("tx", 0, 0), row("tx", 1, None)))
    after = sample(2, queues=(row("tx", 0, 7, depth=3), row("rx", 0, 9), row("tx", 1, None)))
    found = {(q.direction, q.index): (q.pps, q.depth) for q in between(before, after).queues}
    assert found == {("tx", 0): (7.0, 3), ("rx", 0): (9.0, None), ("tx", 1): (None, None)}


def test_the_average_over_a_gap_is_that_of_the_inputs_together():
    before = sample(1, port("e0", 0), port("e1", 0), port("mgmt", 0))
    after = sample(11, port("e0", 300), port("e1", 20), port("mgmt", 9000), port("e2", 10**6))
    found = between(before, after, inputs=["e0", "e1", "e2"], longest=3.0)
    assert (found.gap, found.average) == ("late", 32.0)
    assert between(before, after, inputs=["e3"], longest=3.0).average is None
    assert between(before, sample(0.5, port("e0", 5)), inputs=["e0"], longest=3.0).average is None


@pytest.mark.parametrize(("before", "after", "seconds"), [(100.0, 107.0, 7.0), (107.0, 100.0, 0.0)])
def test_a_reboot_lasted_for_the_time_between_the_samples_on_the_recordings_axis(before, after, seconds):
    """The clocks of two boots have no difference."""
    found = between(
        HostSample("dut", 1, t=500.0, at=before, boot="a"), HostSample("dut", 2, t=3.0, at=after, boot="b")
    )
    assert (found.gap, found.seconds) == ("reboot", seconds)


def test_why_a_ports_packets_are_not_known_is_told_unless_it_does_not_count_them():
    def why(before: InterfaceCounters, after: InterfaceCounters) -> str:
        return between(sample(1, before), sample(2, after)).interfaces["e0"].why

    assert why(port("e0", 5, 5, link=1), port("e0", 9, 9, link=1)) == ""
    assert why(port("e0", 5, 5, link=1), port("e0", 9, 9, link=2)) == "replaced"
    assert why(port("e0", 5, 5), port("e0", 3, 9)) == "reset"
    assert why(port("e0", 5, 5), port("e0", 3, 5 + 3 * 10**9)) == "reset", "of the received packets first"
    assert why(port("e0", 5), port("e0", 9)) == ""
    assert why(port("e0", 5, 5, rx_errors=9), port("e0", 9, 9, rx_errors=3)) == "", "the packets are known"


def test_a_new_port_has_no_rates_and_whether_it_is_up():
    found = between(sample(1), sample(2, port("e0", 5, 5, up=True)))
    assert found.interfaces == {"e0": InterfaceRate("e0", up=True)}


def test_octets_are_shown_in_bits_and_drops_per_second():
    before = port("e0", rx_bytes=0, tx_bytes=0, rx_dropped=0, rx_missed=0, rx_errors=0, tx_dropped=0)
    after = port("e0", rx_bytes=500, tx_bytes=50, rx_dropped=2, rx_missed=4, rx_errors=6, tx_dropped=8)
    found = between(sample(1, before), sample(3, after)).interfaces["e0"]
    assert (found.rx_bps, found.tx_bps) == (2000.0, 200.0)
    assert (found.rx_dropped, found.rx_missed, found.rx_errors, found.tx_dropped) == (1.0, 2.0, 3.0, 4.0)


def test_drops_and_forwarded_packets_are_per_second():
    before = sample(1, port("in", rx_dropped=0, rx_missed=0), forwarded=100)
    after = sample(3, port("in", rx_dropped=20, rx_missed=6), forwarded=700)
    found = between(before, after, inputs=["in"])
    assert found.drops == {RX_RING: 3.0, INPUT_QUEUE: 10.0} and found.forwarded == 300.0


def test_budgets_are_added_up_over_the_cores_and_unknown_only_if_none_is_known():
    def rates(*squeezed: float | None) -> HostRates:
        rows = (SoftnetRate(cpu, None, None, each) for cpu, each in enumerate(squeezed))
        return HostRates("dut", 1.0, 1.0, softnet=tuple(rows))

    assert rates(3.0, 4.0).squeezed == 7.0
    assert rates(3.0, None).squeezed == 3.0
    assert rates(0.0).squeezed == 0.0
    assert rates(None).squeezed is None and rates().squeezed is None


def test_a_core_whose_iowait_went_back_is_still_a_share_of_its_time():
    """proc(5): iowait may decrease."""
    before = sample(1, cpus=(CpuTicks(0, 0, 0, 0, 0, 0, iowait=50),))
    (found,) = between(before, sample(2, cpus=(CpuTicks(0, 30, 0, 0, 10, 0, iowait=45),))).cpus
    assert (found.busy, found.user, found.softirq) == (0.75, 0.75, None)


def test_a_core_whose_idle_time_began_anew_is_not_always_busy():
    """It was taken offline and back: Linux before 6.8 then counts its idle time from zero."""
    idled = CpuTicks(0, 500, 0, 0, 90_000, 0, softirq=0), CpuTicks(1, 500, 0, 0, 90_000, 0, softirq=0)
    later = CpuTicks(0, 502, 0, 0, 60, 0, softirq=0), CpuTicks(1, 502, 0, 0, 90_098, 0, softirq=0)
    shares = between(sample(1, cpus=idled), sample(2, cpus=later)).cpus
    assert [(one.cpu, one.busy) for one in shares] == [(1, pytest.approx(0.02))]


def test_a_busy_core_whose_idle_time_went_back_by_a_tick_is_not_left_out():
    """Reading it races with the core's idling: "backward values" (Linux before 6.4, tick-sched.c)."""
    before = CpuTicks(0, 0, 0, 0, 9_001, 0, softirq=500), CpuTicks(1, 0, 0, 0, 9_000, 0, softirq=500)
    later = CpuTicks(0, 0, 0, 0, 9_000, 0, softirq=599), CpuTicks(1, 0, 0, 0, 9_060, 0, softirq=540)
    shares = between(sample(1, cpus=before), sample(2, cpus=later)).cpus
    assert [(one.cpu, one.busy, one.softirq) for one in shares] == [(0, 1.0, 1.0), (1, 0.4, 0.4)]


@pytest.mark.parametrize(
    "others", [(), (CpuTicks(1, 0, 0, 0, 9_000, 0, softirq=500),)], ids=["alone", "beside another"]
)
def test_a_core_that_may_have_idled_while_its_idle_time_went_back_is_left_out(others):
    """Its ticks do not fill the interval, or no other core says how long that is."""
    before = CpuTicks(0, 0, 0, 0, 9_003, 0, softirq=500), *others
    later = CpuTicks(0, 0, 0, 0, 9_000, 0, softirq=502), *(replace(one, idle=9_100) for one in others)
    shares = between(sample(1, cpus=before), sample(2, cpus=later)).cpus
    assert [one.cpu for one in shares] == [one.cpu for one in others]


@pytest.mark.parametrize(("stolen", "steal"), [(85, 0.85), (0, 0.0), (None, None)])
def test_what_a_hypervisor_took_is_busy_and_named(stolen, steal):
    """The core has no more to give, but it is not the DUT that used it."""
    before = sample(1, cpus=(CpuTicks(0, 0, 0, 0, 0, 0, 0, 0, None if stolen is None else 0),))
    after = sample(2, cpus=(CpuTicks(0, 0, 0, 3, 100 - 15 - (stolen or 0), 0, 12, 0, stolen),))
    (found,) = between(before, after).cpus
    assert (found.steal, found.system, found.softirq) == (steal, 0.03, 0.12)
    assert found.busy == pytest.approx(0.15 + (steal or 0.0))


def test_a_core_that_was_not_there_before_has_no_share():
    assert between(sample(1), sample(2, cpus=(CpuTicks(0, 9, 0, 0, 9, 0),))).cpus == ()


# a veth as the generator's port


def test_what_the_other_end_of_a_veth_refused_was_offered_as_well():
    sent = InterfaceRate("v0", tx_pps=1000.0, tx_bps=8e6, tx_dropped=250.0, tx_count=2000)
    found = sent.refused(2.0)
    assert (found.tx_pps, found.tx_count, found.tx_bps) == (1250.0, 2500, None)


@pytest.mark.parametrize("without", ["tx_pps", "tx_count", "tx_dropped"])
def test_without_one_of_its_figures_a_veths_rates_stay_as_they_are(without):
    known = {"tx_pps": 1000.0, "tx_dropped": 250.0, "tx_count": 2000, without: None}
    sent = InterfaceRate("v0", tx_bps=8e6, **known)
    assert sent.refused(2.0) == sent
    quiet = InterfaceRate("v0", tx_pps=1000.0, tx_bps=8e6, tx_dropped=0.0, tx_count=2000)
    assert quiet.refused(2.0) == quiet


# plain ticks and slow ones


def test_a_samples_kinds_are_what_it_read():
    cores, ports = (CpuTicks(0, 1, 1, 1, 1, 1),), (port("e0", 1),)
    queues = (QueueCounters("e0", "rx", 0, packets=1),)
    slow = {
        "queues": queues,
        "netisr": (NetisrRow(0, 0, "ip"),),
        "qdiscs": (QdiscRow("e0", "fq", "1:", "root"),),
        "stages": (StageCounter("e0", "rx", "mac", "drops", "x", 1),),
        "interrupts": (InterruptRow("1", "e0", {}),),
    }
    assert is_fast(sample(1, *ports)) and is_fast(sample(1, cpus=cores)) and not is_fast(sample(1, **slow))
    assert kinds(sample(1)) == ()
    assert kinds(sample(1, *ports)) == kinds(sample(1, cpus=cores)) == (FAST,)
    assert kinds(sample(1, queues=queues)) == (("queues",),)
    assert kinds(sample(1, *ports, **slow)) == (tuple(slow), FAST)


CARD = Place("in", CARD_EITHER, "", "driver")
QUEUE = Place("in", DROPPED, "", "interface")
RING = Place("in", MISSED, "", "interface")
OUT = Place("out", SENT, "", "interface")
PLAIN = HostRates(
    "dut", 2.0, 1.0, losses={QUEUE: 5.0, RING: 1.0}, loss_gaps={OUT: "reset"},
    queues=(QueueRate("in", "rx", 0, 1.0),),
)  # fmt: skip
SLOW = HostRates(
    "dut", 1.0, 1.0, losses={CARD: 7.0, RING: 90.0}, loss_gaps={OUT: "ambiguous", CARD: "missing"},
    at_nic=9.0, queues=(QueueRate("in", "rx", 0, 2.0),), nic=(NicRate("in", "rx", "drops", "x", 1.0),),
    interrupts=(InterruptRate("in", 0, None, 3.0),),
)  # fmt: skip


def test_a_plain_ticks_own_losses_count_and_the_slow_ones_fill_in_what_it_did_not_read():
    found = with_slow(PLAIN, SLOW)
    assert found.losses == {CARD: 7.0, RING: 1.0, QUEUE: 5.0}
    assert found.loss_gaps == {OUT: "reset", CARD: "missing"}
    # the card's seven may be in the five: at least five were lost, of them one without a buffer
    assert sum(found.drops.values()) == 7.0 and found.drops[RX_RING] == 7.0
    assert found.unread == {RX_RING: "missing", OUTPUT: "reset"}
    assert (found.queues, found.nic, found.at_nic) == (SLOW.queues, SLOW.nic, 9.0)
    assert found.interrupts == SLOW.interrupts
    assert (found.at, found.seconds) == (2.0, 1.0)


def test_what_only_the_plain_tick_read_stays():
    found = with_slow(SLOW, PLAIN)
    assert (found.nic, found.at_nic, found.interrupts) == (SLOW.nic, 9.0, SLOW.interrupts)
    assert with_slow(PLAIN, HostRates("dut", 1.0, 1.0)).queues == PLAIN.queues


def test_a_gap_is_not_filled_from_another_tick_nor_does_it_fill():
    lost = HostRates("dut", 1.0, 1.0, gap="late")
    assert with_slow(PLAIN, None) == with_slow(PLAIN, lost) == PLAIN
    assert with_slow(lost, SLOW) == lost
