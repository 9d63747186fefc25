"""Each limit of a run gives its own sentence, with the numbers it rests on."""

import msgspec
import pytest

from fwdtui.core.diagnosis import Evidence, diagnose, ranges
from fwdtui.core.drop_stages import INPUT_QUEUE, NETISR, RX_RING
from fwdtui.core.host_evidence import InterruptRate, NicRate, SoftnetRate
from fwdtui.core.host_rates import CpuShare, QueueRate


def core(number: int, busy: float, irq: float = 0.0, system: float = 0.0) -> CpuShare:
    return CpuShare(number, busy, user=0.0, system=system, irq=irq, softirq=None)


def queues(direction: str, *rates: float, interface: str = "igb2") -> tuple[QueueRate, ...]:
    return tuple(QueueRate(interface, direction, number, pps=rate) for number, rate in enumerate(rates))


SATURATED = Evidence(
    offered=1.456e6,
    dut_in=1.001e6,
    forwarded=1.001e6,
    received=1.001e6,
    line_rate=1.488e6,
    drops={RX_RING: 455e3, NETISR: 0.0},
    cpus=tuple(core(n, 0.99, irq=0.97) for n in range(4)),
    queues=queues("tx", 250e3, 250e3, 250e3, 251e3),
    blast=True,
)


@pytest.mark.parametrize(
    ("evidence", "code", "words"),
    [
        (
            SATURATED,
            "dut-limited",
            ["455.0 kpps of 1.456 Mpps", "31.2 %", "cores 0-3", "interrupt", "rx ring"],
        ),
        (
            Evidence(offered=1e6, dut_in=1e6, forwarded=4e5, queues=queues("tx", 4e5, 0, 0, 0), blast=True),
            "one-queue",
            ["tx queue 0 of igb2", "100 %", "3 others idle", "60.0 %"],
        ),
        (
            Evidence(offered=8e5, dut_in=8e5, forwarded=8e5, received=8e5, line_rate=1.488e6, blast=True),
            "generator-limited",
            ["forwards all", "800.0 kpps"],
        ),
        (
            Evidence(offered=1.48e6, dut_in=1.48e6, forwarded=1.48e6, line_rate=1.488e6, blast=True),
            "line-limited",
            ["99 % of line rate"],
        ),
        (
            Evidence(offered=1e6, dut_in=1e6, forwarded=1e6, received=8e5, blast=True),
            "receiver-lost",
            ["sends 1.000 Mpps", "800.0 kpps are received"],
        ),
        (Evidence(offered=1e6, dut_in=12.0, forwarded=0.0, blast=True), "nothing-arrives", ["MAC address"]),
        (Evidence(offered=1e6, starved=3.2, blast=True), "dut-starved", ["3.2 s", "average"]),
        (
            Evidence(offered=1e6, dut_in=1e6, forwarded=5e5, link_down=[("igb3", 2.0)], blast=True),
            "link-flapped",
            ["igb3 went down 2 s ago"],
        ),
        (Evidence(offered=3.0, dut_in=2.0, forwarded=2.0), "idle", ["No traffic"]),
        (Evidence(offered=0.0, dut_in=0.0, forwarded=0.0, blast=True), "generator-silent", ["sends nothing"]),
        (Evidence(offered=1e6, lost_hosts=["dut"]), "host-lost", ["dut", "missing, not zero"]),
        (Evidence(), "unknown", ["Nothing is measured yet"]),
        (Evidence(offered=1e6, blast=True), "unknown", ["Not enough is known"]),
    ],
)
def test_each_scenario_produces_its_sentence(evidence, code, words):
    found = diagnose(evidence)
    assert found.code == code
    for word in words:
        assert word in found.sentence
    assert found.sentence.endswith(".") and "\n" not in found.sentence


def test_packets_that_the_dut_takes_in_and_drops_at_once_are_its_own_loss():
    evidence = Evidence(offered=1e6, dut_in=0.0, forwarded=0.0, drops={INPUT_QUEUE: 1e6}, blast=True)
    assert diagnose(evidence).code == "dut-limited"


def test_even_queues_are_no_cause():
    assert diagnose(SATURATED).code != "one-queue"


def test_one_queue_without_loss_is_no_fault():
    evidence = Evidence(offered=1e5, dut_in=1e5, forwarded=1e5, queues=queues("rx", 1e5, 0), blast=True)
    assert diagnose(evidence).code == "generator-limited"


def test_a_loss_that_no_counter_explains_says_so():
    found = diagnose(Evidence(offered=1e6, dut_in=1e6, forwarded=5e5, blast=True))
    assert "no counter shows where" in found.sentence


def test_where_the_dut_loses_more_than_the_receiver_the_dut_is_named():
    found = diagnose(Evidence(offered=1e6, dut_in=1e6, forwarded=5e5, received=4.9e5, blast=True))
    assert found.code == "dut-limited"


def test_a_source_of_unknown_load_is_still_judged_by_what_the_dut_took_in():
    found = diagnose(Evidence(dut_in=1e6, forwarded=5e5, blast=True))
    assert found.code == "dut-limited" and "500.0 kpps of 1.000 Mpps" in found.sentence


def test_ranges_of_cores_are_short():
    assert ranges([5, 0, 1, 2]) == "0-2, 5"


def test_ports_of_the_same_name_are_told_apart_by_their_hosts_and_each_is_named_once():
    down = [("ix0 of gen", 7.2), ("ix0 of dut", 2.3), ("ix0 of gen", 2.4), ("ix1 of dut", 9.0)]
    found = diagnose(Evidence(offered=1e6, link_down=down, blast=True))
    assert "Link flapped: ix0 of dut and ix0 of gen went down 2 s ago" in found.sentence
    assert found.evidence == ("ix0 of dut down 2 s ago", "ix0 of gen down 2 s ago", "ix1 of dut down 9 s ago")


def test_an_unmeasured_run_and_seconds_without_a_whole_sample_are_told_apart():
    assert "Nothing is measured yet" in diagnose(Evidence()).sentence
    assert "no complete sample" in diagnose(Evidence(measured=True)).sentence
    assert "has just begun" in diagnose(Evidence(measured=True, dut_in=1e6, settling=True)).sentence


def nic(name: str, per_second: float, kind: str = "drops", way: str = "rx") -> NicRate:
    return NicRate("ix0", way, kind, name, per_second)


def test_the_cards_counters_softnet_and_interrupts_are_evidence_in_their_own_words():
    found = diagnose(
        msgspec.structs.replace(
            SATURATED,
            at_nic=1.456e6,
            nic=(nic("mac_stats.rx_missed_packets", 455e3), nic("mac_stats.crc_errs", 0.2, "errors")),
            softnet=(SoftnetRate(1, 1e6, 2000.0, 30.0, flow_limited=500.0, backlog=1000),),
            interrupts=(
                InterruptRate("ix0", 0, "rxtx", 7000.0, ((0, 7000.0),)),
                InterruptRate("ix0", 1, "rxtx", 1000.0, ((2, 1000.0),)),
            ),
        )
    )
    assert found.code == "dut-limited"
    assert "at NIC 1.456 Mpps" in found.evidence
    assert found.evidence[-4:] == (
        "ix0 mac_stats.rx_missed_packets 455 k/s",
        "backlog of core 1 drops 2.00 k/s, 500/s by the flow limit, up to 1000 waiting",
        "softirq budget used up 30/s on core 1",
        "ix0 interrupts 8.00 k/s on cores 0, 2",
    )


@pytest.mark.parametrize(
    "name", ["mac_stats.xoff_txd", "stats.tx_pause", "tx_pause_ctrl_phy", "link_xoff_tx.nic"]
)
def test_a_dut_that_throttles_its_generator_by_pause_frames_is_the_limit_and_not_the_generator(name):
    throttled = Evidence(
        offered=8e5, dut_in=8e5, forwarded=8e5, received=8e5, line_rate=1.488e6, blast=True,
        nic=(nic(name, 1200.0, "events", "tx"),),
    )  # fmt: skip
    found = diagnose(throttled)
    assert found.code == "dut-limited"
    assert "ix0 sends 1.20 k pause frames/s" in found.sentence and "flow control" in found.sentence
    received = msgspec.structs.replace(throttled, nic=(nic("mac_stats.xoff_recvd", 1200.0, "events"),))
    assert diagnose(received).code == "generator-limited"


def test_drops_that_are_a_lower_bound_are_told_as_one_with_the_cause():
    found = diagnose(msgspec.structs.replace(SATURATED, unread={RX_RING: "reset", INPUT_QUEUE: "ambiguous"}))
    assert "rx ring drops at least 455.0 kpps (a counter was reset)" in found.sentence
    assert "input queue drops are not known (a counter may have wrapped unnoticed)" in found.sentence


def test_more_out_than_was_offered_is_no_good_run_but_a_wrong_figure():
    found = Evidence(offered=8e5, dut_in=8e5, forwarded=9e5, received=9e5, seconds=5.0, blast=True)
    assert diagnose(found).code == "received-above-offered"
    assert "900.0 kpps of 800.0 kpps, which is impossible" in diagnose(found).sentence
    forwarded = msgspec.structs.replace(found, received=None)
    assert "More forwarded than offered" in diagnose(forwarded).sentence
    within = msgspec.structs.replace(found, forwarded=8.07e5, received=8.07e5)
    assert diagnose(within).code == "generator-limited", "two hosts' clocks differ by that"
    early = msgspec.structs.replace(found, seconds=2.0)
    assert diagnose(early).code == "generator-limited", "a blast that begins is not seen alike by all hosts"


# Each threshold: just below it, at it and just above.


@pytest.mark.parametrize(
    ("most", "code"),
    [(333_334, "dut-limited"), (799_999, "dut-limited"), (800_000, "one-queue"), (800_001, "one-queue")],
)
def test_four_fifths_of_the_packets_in_one_of_several_queues_are_one_queue_that_takes_all(most, code):
    """Few flows are spread unevenly by chance: of three, two may share a queue. That is not called "all"."""
    rest = (1_000_000 - most) / 2
    spread = queues("rx", rest, most, rest)
    found = diagnose(Evidence(offered=2e6, dut_in=1e6, forwarded=1e6, queues=spread, blast=True))
    assert found.code == code
    assert ("rx queue 1 of igb2 carries 80 %" in found.sentence) is (code == "one-queue")


@pytest.mark.parametrize(
    ("offered", "code"),
    [
        (850_000, "generator-limited"),
        (979_999, "generator-limited"),
        (980_000, "line-limited"),
        (980_001, "line-limited"),
    ],
)
def test_from_98_percent_of_line_rate_on_the_line_is_the_limit(offered, code):
    """Generators miss line rate by a percent or two; a load further below it is theirs to raise."""
    sent = Evidence(offered=offered, dut_in=offered, forwarded=offered, line_rate=1e6, blast=True)
    assert diagnose(sent).code == code


@pytest.mark.parametrize(
    ("lost", "code"),
    [(4_999, "generator-limited"), (5_000, "dut-limited"), (5_001, "dut-limited")],
)
def test_from_half_a_percent_on_packets_are_lost(lost, code):
    """Two hosts are not read at the same moment: less than that is the difference of their clocks."""
    found = Evidence(offered=1e6, dut_in=1e6, forwarded=1e6 - lost, blast=True)
    assert diagnose(found).code == code


@pytest.mark.parametrize(
    ("rate", "code"), [(99.9, "idle"), (100.0, "generator-limited"), (100.1, "generator-limited")]
)
def test_from_a_hundred_packets_per_second_on_it_is_traffic(rate, code):
    """Less is what links carry by themselves: neighbour discovery, spanning tree, LLDP."""
    assert diagnose(Evidence(offered=rate, dut_in=rate, forwarded=rate)).code == code
    # without a known load what the DUT takes in is traffic or none; what limits it stays open
    taken = diagnose(Evidence(dut_in=rate, forwarded=rate)).code
    assert taken == ("idle" if code == "idle" else "unknown")


@pytest.mark.parametrize(("busy", "named"), [(0.949, False), (0.95, True), (0.951, True)])
def test_a_core_without_five_percent_to_spare_is_named_as_a_limit(busy, named):
    """A core without any room may still be seen idle in a few of a hundred ticks."""
    cores = (core(0, 0.2), core(1, busy, system=busy))
    found = diagnose(Evidence(offered=1e6, dut_in=1e6, forwarded=5e5, cpus=cores, blast=True))
    assert ("core 1 is 95 % busy, most of it in system" in found.sentence) is named


@pytest.mark.parametrize(
    ("missing", "code"),
    [(9_999, "generator-limited"), (10_000, "generator-limited"), (10_001, "receiver-lost")],
)
def test_above_one_percent_of_what_the_dut_sends_it_is_lost_at_the_receiver(missing, code):
    """The DUT and the receiver are two hosts, whose samples are a part of an interval apart."""
    found = Evidence(offered=1e6, dut_in=1e6, forwarded=1e6, received=1e6 - missing, blast=True)
    assert diagnose(found).code == code


@pytest.mark.parametrize(
    ("seconds", "code"),
    [(3.9, "generator-limited"), (4.0, "received-above-offered"), (4.1, "received-above-offered")],
)
def test_from_four_seconds_on_more_than_was_offered_is_a_wrong_figure(seconds, code):
    found = Evidence(offered=8e5, dut_in=8e5, forwarded=9e5, received=9e5, seconds=seconds, blast=True)
    assert diagnose(found).code == code


@pytest.mark.parametrize(("often", "shown"), [(0.9, False), (1.0, True), (1.1, True)])
def test_from_one_interrupt_per_second_on_they_are_shown(often, shown):
    row = InterruptRate("ix0", 0, "rxtx", often, ((0, often),))
    found = diagnose(msgspec.structs.replace(SATURATED, interrupts=(row,)))
    assert any("ix0 interrupts" in line for line in found.evidence) is shown
