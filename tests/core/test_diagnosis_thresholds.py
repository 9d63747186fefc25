"""The limits of the rules, each just below it, at it and just above, and the phrases of the evidence."""

import msgspec
import pytest

from fwdtui.core.diagnosed import Diagnosis
from fwdtui.core.diagnosis import diagnose
from fwdtui.core.diagnosis_text import limits_of, ranges
from fwdtui.core.drop_stages import CARD_FILTER, FRAME_CHECK, INPUT_QUEUE, OUTPUT, RX_RING
from fwdtui.core.evidence import Evidence
from fwdtui.core.host_evidence import InterruptRate, NicRate, SoftnetRate
from fwdtui.core.host_rates import CpuShare, QueueRate

LOSING = Evidence(offered=1e6, dut_in=1e6, forwarded=5e5, blast=True)


def core(number: int, busy: float, user: float = 0.0, system: float = 0.0, **interrupts: float) -> CpuShare:
    return CpuShare(number, busy, user=user, system=system, **{"irq": 0.0, **interrupts})


def queues(direction: str, *rates: float, interface: str = "igb2") -> tuple[QueueRate, ...]:
    return tuple(QueueRate(interface, direction, number, pps=rate) for number, rate in enumerate(rates))


def nic(name: str, per_second: float, kind: str = "drops", way: str = "rx") -> NicRate:
    return NicRate("ix0", way, kind, name, per_second)


def with_(**more: object) -> Evidence:
    return msgspec.structs.replace(LOSING, **more)


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
    found = diagnose(with_(cpus=cores))
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
    found = diagnose(with_(interrupts=(row,)))
    assert any("ix0 interrupts" in line for line in found.evidence) is shown


@pytest.mark.parametrize(("ago", "named"), [(2.5, True), (2.9375, True), (3.0, False), (3.5, False)])
def test_a_link_that_went_down_within_a_second_of_the_newest_is_named_beside_it(ago, named):
    sentence = diagnose(with_(link_down=[("igb3", 2.0), ("igb4", ago)])).sentence
    assert sentence.startswith(f"Link flapped: igb3{' and igb4' if named else ''} went down 2 s ago")


ARRIVES = pytest.mark.parametrize(
    ("rate", "arrives"), [(6_700, False), (9_999, False), (10_000, True), (10_001, True), (15_000, True)]
)


@ARRIVES
def test_below_one_percent_of_the_load_nothing_arrives(rate, arrives):
    found = diagnose(Evidence(offered=1e6, dut_in=rate, forwarded=0.0, blast=True))
    assert found.code == ("dut-limited" if arrives else "nothing-arrives")
    # of a DUT that does not count its input what it sends says the same
    found = diagnose(Evidence(offered=1e6, forwarded=rate, blast=True))
    assert found.code == ("dut-limited" if arrives else "nothing-arrives")


@ARRIVES
def test_one_percent_of_the_load_that_the_dut_drops_has_arrived(rate, arrives):
    drops = {RX_RING: rate / 2, INPUT_QUEUE: rate / 2}
    found = diagnose(Evidence(offered=1e6, dut_in=0.0, forwarded=0.0, drops=drops, blast=True))
    assert found.code == ("dut-limited" if arrives else "nothing-arrives")


@pytest.mark.parametrize(
    ("share", "code"), [(0.049, "dut-limited"), (0.05, "one-queue"), (0.06, "one-queue")]
)
def test_a_queue_of_a_port_with_less_than_a_twentieth_of_the_traffic_limits_nothing(share, code):
    """Answers and errors of the other direction."""
    found = Evidence(
        offered=2e6, dut_in=1e6, forwarded=5e5, queues=queues("rx", share * 1e6, 0.0), blast=True
    )
    assert diagnose(found).code == code


@pytest.mark.parametrize(
    ("port", "way", "code"),
    [
        ("ix0", "rx", "one-queue"),
        ("ix1", "tx", "one-queue"),
        ("ix1", "rx", "dut-limited"),  # TCP's acknowledgements on their way back
        ("ix0", "tx", "dut-limited"),
    ],
)
def test_a_queue_that_the_traffic_does_not_pass_limits_nothing_however_much_it_carries(port, way, code):
    rows = queues(way, 4e5, 0.0, 0.0, 0.0, interface=port)
    other = queues("rx", 2.5e5, 2.5e5, interface="ix0") if (port, way) != ("ix0", "rx") else ()
    found = Evidence(
        offered=1e6, dut_in=1e6, forwarded=5e5, queues=(*rows, *other),
        inputs=("ix0",), outputs=("ix1",), blast=True,
    )  # fmt: skip
    assert diagnose(found).code == code
    renamed = msgspec.structs.replace(found, inputs=("lan",), outputs=("wan",))
    assert diagnose(renamed).code == "one-queue", "FreeBSD's queues have the name of the driver"


@pytest.mark.parametrize(
    ("drops", "lost", "words"),
    [
        (0.0, 0.004, "forwards all of the 1.000 Mpps that are offered; its own limit is higher"),
        (0.9, 0.0, "forwards all of the 1.000 Mpps that are offered; its own limit is higher"),
        (1.0, 0.004, "of the 1.000 Mpps that are offered the DUT drops 1 pps; its own limit may be near"),
        (900.0, 0.0009, "that are offered the DUT drops 900 pps; its own limit may be near"),
        (1000.0, -0.004, "the DUT loses 0.1 %; its own limit is near"),  # two hosts' clocks hide it
        (5600.0, 0.0, "of the 1.000 Mpps that are offered the DUT loses 0.6 %; its own limit is near"),
        (1000.0, 0.001, "of the 1.000 Mpps that are offered the DUT loses 0.1 %; its own limit is near"),
        (4000.0, 0.004, "of the 1.000 Mpps that are offered the DUT loses 0.4 %; its own limit is near"),
        (15_000.0, 0.0, "of the 1.000 Mpps that are offered the DUT loses 1.5 %; its own limit is near"),
        (490e3, 0.0, "the DUT drops 490.0 kpps, part of them of other traffic; its own limit may be near"),
    ],
)
def test_a_loss_that_is_counted_is_not_called_none(drops, lost, words):
    rate = 1e6 * (1 - lost)
    found = Evidence(offered=1e6, dut_in=1e6, forwarded=rate, drops={RX_RING: drops}, seconds=10, blast=True)
    assert diagnose(found).code == "generator-limited" and words in diagnose(found).sentence


COUNTED = Evidence(offered=1e6, dut_in=996e3, forwarded=996e3, drops={RX_RING: 4000.0}, line_rate=1e6)


def test_at_line_rate_a_loss_that_is_counted_is_not_called_none():
    found = diagnose(COUNTED)
    assert found.code == "line-limited"
    assert found.sentence == "Line-limited: 1.000 Mpps is 100 % of line rate, of which the DUT loses 0.4 %."
    assert "rx ring drops 4.000 kpps" in found.evidence
    whole = diagnose(msgspec.structs.replace(COUNTED, forwarded=1e6, drops={RX_RING: 0.0}))
    assert whole.sentence == "Line-limited: 1.000 Mpps is 100 % of line rate and all of it is forwarded."


def test_while_pauses_hold_the_generator_back_a_loss_that_is_counted_is_not_called_none():
    pauses = nic("tx_flow_control_xoff", 500.0, "events", "tx")
    held = msgspec.structs.replace(COUNTED, nic=(pauses,), inputs=("ix0",))
    told = "no more than 1.000 Mpps are offered"
    assert f"{told}, of which the DUT loses 0.4 %; turn flow control off." in diagnose(held).sentence
    whole = msgspec.structs.replace(held, forwarded=1e6, drops={})
    assert f"{told}, and all of it is forwarded; turn flow control off." in diagnose(whole).sentence


def test_drops_of_several_stages_are_one_loss_however_the_two_hosts_clocks_differ():
    found = Evidence(
        offered=597e3, dut_in=598.9e3, forwarded=597e3, received=597e3, seconds=5,
        drops={INPUT_QUEUE: 1850.0, OUTPUT: 1510.0}, blast=True,
    )  # fmt: skip
    assert diagnose(found).sentence == (
        "Generator-limited: of the 597.0 kpps that are offered the DUT loses 0.6 %; its own limit is near."
    )
    few = diagnose(msgspec.structs.replace(found, drops={INPUT_QUEUE: 5.0}, line_rate=6e5))
    assert few.sentence == "Line-limited: 597.0 kpps is 100 % of line rate, of which the DUT drops 5 pps."


@pytest.mark.parametrize(
    ("stage", "what"),
    [(FRAME_CHECK, "arrive damaged or too long"), (CARD_FILTER, "match no flow of the card")],
)
def test_a_few_frames_that_the_card_refuses_do_not_bring_the_limit_near(stage, what):
    few = msgspec.structs.replace(COUNTED, drops={stage: 4000.0}, line_rate=None)
    sentence = diagnose(few).sentence
    assert f"of the 1.000 Mpps that are offered 0.4 % {what}" in sentence
    assert sentence.endswith("; the DUT's own limit is higher.")
    both = diagnose(msgspec.structs.replace(few, drops={stage: 4000.0, RX_RING: 50.0})).sentence
    assert f"offered the DUT drops 50 pps and 0.4 % {what}" in both
    assert both.endswith("; its own limit may be near.")


@pytest.mark.parametrize(
    ("refused", "code"), [(49e3, "dut-limited"), (50e3, "foreign-frames"), (51e3, "foreign-frames")]
)
def test_from_half_of_what_is_lost_on_what_the_card_refuses_is_the_cause(refused, code):
    found = Evidence(offered=1e6, dut_in=9e5, forwarded=9e5, drops={CARD_FILTER: refused}, blast=True)
    assert diagnose(found).code == code


@pytest.mark.parametrize(("rate", "code"), [(99.0, "dut-limited"), (100.0, "one-queue"), (101, "one-queue")])
def test_a_queue_with_less_than_a_hundred_packets_per_second_takes_only_noise(rate, code):
    found = Evidence(offered=300.0, dut_in=300.0, forwarded=rate, queues=queues("rx", rate, 0.0), blast=True)
    assert diagnose(found).code == code


def test_a_port_with_a_single_queue_has_no_other_that_could_idle():
    assert diagnose(with_(queues=queues("rx", 5e5))).code == "dut-limited"


@pytest.mark.parametrize(
    ("rate", "code"), [(99.9, "generator-limited"), (100.0, "receiver-lost"), (100.1, "receiver-lost")]
)
def test_below_a_hundred_packets_per_second_nothing_can_be_lost_at_the_receiver(rate, code):
    found = Evidence(offered=100.1, dut_in=100.1, forwarded=rate, received=0.0, blast=True)
    assert diagnose(found).code == code


@pytest.mark.parametrize(
    ("received", "code"),
    [(599_999, "receiver-lost"), (600_000, "receiver-lost"), (600_001, "dut-limited")],
)
def test_where_the_dut_loses_more_than_the_receiver_it_is_the_limit(received, code):
    found = Evidence(offered=1e6, dut_in=1e6, forwarded=8e5, received=received, blast=True)
    assert diagnose(found).code == code


@pytest.mark.parametrize(
    ("often", "code"), [(0.9, "generator-limited"), (1.0, "dut-limited"), (1.1, "dut-limited")]
)
def test_from_one_pause_frame_per_second_on_the_dut_throttles_its_generator(often, code):
    row = nic("mac_stats.xoff_txd", often, "events", "tx")
    found = Evidence(offered=8e5, dut_in=8e5, forwarded=8e5, nic=(row,), inputs=["ix0"], blast=True)
    assert diagnose(found).code == code


# phrases of the evidence

ONCE = pytest.mark.parametrize(("rate", "shown"), [(0.7, False), (0.99, False), (1.0, True), (1.4, True)])


@ONCE
def test_from_one_packet_per_second_on_a_stage_drops(rate, shown):
    found = diagnose(with_(drops={RX_RING: rate}))
    assert ("rx ring drops " in found.sentence) is shown
    assert ("no counter shows where" in found.sentence) is not shown


@ONCE
def test_from_one_per_second_on_a_cards_counter_is_shown(rate, shown):
    found = diagnose(with_(nic=(nic("rx_missed", rate),)))
    assert any("ix0 rx_missed" in line for line in found.evidence) is shown


@ONCE
def test_from_one_per_second_on_the_drops_of_a_backlog_are_shown(rate, shown):
    found = diagnose(with_(softnet=(SoftnetRate(3, 1e6, dropped=rate, squeezed=None),)))
    assert any(line.startswith("backlog of core 3 drops ") for line in found.evidence) is shown


@ONCE
def test_from_one_per_second_on_those_of_the_flow_limit_are_told_apart(rate, shown):
    found = diagnose(with_(softnet=(SoftnetRate(3, 1e6, 9.0, None, flow_limited=rate),)))
    (line,) = (line for line in found.evidence if line.startswith("backlog of core 3 drops 9/s"))
    assert ("by the flow limit" in line) is shown


@ONCE
def test_from_one_per_second_on_a_used_up_budget_is_shown(rate, shown):
    found = diagnose(with_(softnet=(SoftnetRate(3, 1e6, None, squeezed=rate),)))
    assert any(line.startswith("softirq budget used up ") for line in found.evidence) is shown


def test_budgets_are_added_up_over_the_cores_that_used_them_up():
    rows = tuple(SoftnetRate(cpu, 1e6, None, squeezed=rate) for cpu, rate in ((0, 20.0), (1, 0.5), (2, 30.0)))
    assert "softirq budget used up 50/s on cores 0, 2" in diagnose(with_(softnet=rows)).evidence


@pytest.mark.parametrize(
    ("cores", "where"),
    [((), ""), (((4, 7.0),), " on core 4"), (((4, 7.0), (5, 2.0)), " on cores 4-5")],
)
def test_interrupts_are_shown_with_the_cores_that_took_them(cores, where):
    row = InterruptRate("ix0", 0, "rxtx", 9.0, cores)
    assert diagnose(with_(interrupts=(row,))).evidence[-1] == f"ix0 interrupts 9/s{where}"


@pytest.mark.parametrize(
    ("spent", "where"),
    [
        ({"irq": 0.3, "softirq": 0.3, "system": 0.4}, "in interrupt"),
        ({"irq": 0.1, "softirq": 0.1, "system": 0.5, "user": 0.3}, "in system"),
        ({"irq": 0.2, "system": 0.2, "user": 0.6}, "in user"),
    ],
)
def test_a_busy_core_is_told_with_what_takes_most_of_its_time(spent, where):
    """Softirqs are interrupt work that Linux counts apart."""
    found = diagnose(with_(cpus=(core(2, 1.0, **spent),)))
    assert f"core 2 is 100 % busy, most of it {where}" in found.sentence


def test_busy_cores_are_told_with_their_mean_and_in_order():
    found = diagnose(with_(cpus=tuple(core(n, busy, system=busy) for n, busy in ((3, 0.96), (1, 0.98)))))
    assert "cores 1, 3 are 97 % busy" in found.sentence


def test_a_stalled_ring_is_named_with_its_queue():
    rows = [QueueRate("ix1", "tx", n, state=state) for n, state in enumerate(("IDLE", "STALLED", "BUSY"))]
    assert diagnose(with_(queues=rows)).sentence.endswith("tx ring of ix1 queue 1 is stalled.")
    assert "stalled" not in diagnose(with_(queues=rows[:1])).sentence


# under attack

ATTACKED = Evidence(offered=1e6, attacker=True, attack=5e5, dut_in=1.5e6, forwarded=1e6, blast=True)


def attacked(**changes: object) -> Evidence:
    return msgspec.structs.replace(ATTACKED, **changes)


@pytest.mark.parametrize(("rate", "under"), [(0.0, False), (99.9, False), (100.0, True), (150.0, True)])
def test_from_a_hundred_packets_per_second_on_it_is_an_attack(rate, under):
    assert diagnose(attacked(attack=rate)).code == ("under-attack" if under else "generator-limited")
    alone = attacked(attack=rate, offered=0.0, dut_in=rate, forwarded=0.0)
    assert diagnose(alone).code == ("attack-alone" if under else "generator-silent")
    assert diagnose(attacked(attack=rate, attacker=False)).code == "generator-limited", "nobody attacks"


@pytest.mark.parametrize(
    ("lost", "code"), [(-1, "under-attack"), (4_999, "under-attack"), (5_000, "dut-limited")]
)
def test_under_attack_too_half_a_percent_of_the_wanted_traffic_is_a_loss(lost, code):
    assert diagnose(attacked(forwarded=1e6 - lost)).code == code


def test_where_the_attacks_rate_is_not_known_nothing_is_more_than_was_sent():
    found = attacked(forwarded=3e6, received=3e6, seconds=5.0)
    assert diagnose(found).code == "received-above-offered"
    assert diagnose(msgspec.structs.replace(found, attack=None)).code == "under-attack"


@ONCE
def test_from_one_packet_per_second_on_the_drops_may_be_anybodys(rate, shown):
    found = diagnose(attacked(forwarded=5e5, drops={RX_RING: rate}))
    assert ("no counter says whose packets were dropped" in found.sentence) is shown
    alone = diagnose(attacked(forwarded=5e5, drops={RX_RING: rate}, attacker=False))
    assert "whose packets" not in alone.sentence


def test_a_silent_host_is_not_all_of_them_unless_it_is_said():
    found = diagnose(Evidence(silent={"gen": 9.0}))
    assert found.sentence.startswith("No samples from gen for 9 s: its numbers are old")


@pytest.mark.parametrize(
    ("numbers", "text"),
    [([], ""), ([3], "3"), ([1, 2], "1-2"), ([0, 2], "0, 2"), ([7, 1, 2, 3, 8, 5], "1-3, 5, 7-8")],
)
def test_cores_in_a_row_are_told_by_the_first_and_the_last(numbers, text):
    assert ranges(numbers) == text


def test_budgets_of_one_core_and_of_several_are_told_apart():
    rows = [SoftnetRate(cpu, 1e6, None, squeezed=20.0) for cpu in (4, 5)]
    assert "softirq budget used up 20/s on core 4" in diagnose(with_(softnet=rows[:1])).evidence
    assert "softirq budget used up 40/s on cores 4-5" in diagnose(with_(softnet=rows)).evidence


def test_a_queue_that_takes_all_of_one_port_is_named_although_another_port_is_even():
    even, odd = queues("rx", 5e5, 5e5, interface="ix0"), queues("rx", 0.0, 9e5, 0.0, interface="ix1")
    sentence = diagnose(with_(queues=even + odd)).sentence
    assert "rx queue 1 of ix1 carries 100 % of 900.0 kpps while 2 others idle" in sentence
    sentence = diagnose(with_(queues=queues("rx", 0.0, 9e5, interface="ix1"))).sentence
    assert "rx queue 1 of ix1 carries 100 % of 900.0 kpps while the other one idles" in sentence


def test_queues_that_carry_a_share_do_not_idle_beside_the_one_that_carries_most():
    sentence = diagnose(with_(queues=queues("tx", 8e5, 1e5, 1e5, 0.0))).sentence
    told = "tx queue 0 of igb2 carries 80 % of 1.000 Mpps while the 3 others together carry the rest;"
    assert sentence.startswith(f"One queue takes most: {told}")
    sentence = diagnose(with_(queues=queues("tx", 1e5, 9e5))).sentence
    assert "carries 90 % of 1.000 Mpps while the other one carries the rest;" in sentence


@pytest.mark.parametrize(("most", "words"), [(9.94e5, "takes most"), (9.96e5, "takes all")])
def test_a_queue_takes_all_where_its_share_is_shown_as_all(most, words):
    found = diagnose(with_(queues=queues("tx", most, 1e6 - most)))
    assert found.code == "one-queue" and words in found.sentence
    assert ("idles" in found.sentence) == ("100 %" in found.sentence) == (words == "takes all")


def test_a_queue_whose_packets_are_not_counted_is_no_idle_one():
    rows = (*queues("rx", 9e5), QueueRate("igb2", "rx", 1))
    assert diagnose(with_(queues=rows)).code == "dut-limited"


@pytest.mark.parametrize(("lost", "code"), [(4_999, "generator-limited"), (5_000, "one-queue")])
def test_one_queue_is_a_cause_from_the_same_loss_on(lost, code):
    forwarded = 1e6 - lost
    found = Evidence(offered=1e6, dut_in=1e6, forwarded=forwarded, queues=queues("tx", 9e5, 0.0), blast=True)
    assert diagnose(found).code == code


@pytest.mark.parametrize("unknown", ["offered", "forwarded"])
def test_an_attack_alone_says_nothing_where_a_rate_is_not_known(unknown):
    assert diagnose(attacked(**{unknown: None})).code != "under-attack"


def test_of_several_ports_that_send_pause_frames_the_first_is_named_with_its_own_rate():
    rows = tuple(
        NicRate(port, "tx", "events", "stats.tx_pause", rate) for port, rate in (("a0", 9.0), ("b0", 5.0))
    )
    found = Evidence(offered=8e5, dut_in=8e5, forwarded=8e5, nic=rows, inputs=("a0", "b0"), blast=True)
    sentence = diagnose(found).sentence
    assert "a0 sends 9 pause frames/s" in sentence


def test_the_span_is_told_once():
    found = Diagnosis("dut-limited", "DUT-limited: a: b.", span="last 5 s")
    assert found.dated == "DUT-limited, last 5 s: a: b."


def test_what_the_dut_sends_is_not_told_as_what_its_input_sees():
    found = diagnose(Evidence(offered=1e6, forwarded=12.0, blast=True))
    assert found.code == "nothing-arrives"
    assert found.sentence.startswith("Nothing is forwarded: 1.000 Mpps are offered and the DUT sends 12 pps;")
    assert "what its input sees is not known" in found.sentence


def test_time_that_a_hypervisor_took_is_named_where_it_is_most_of_it():
    taken = with_(cpus=(core(0, 1.0, system=0.03, softirq=0.12, steal=0.85),))
    assert limits_of(taken) == ("core 0 is 100 % busy, most of it taken by the hypervisor",)
    less = with_(cpus=(core(0, 1.0, system=0.03, softirq=0.5, steal=0.47),))
    assert limits_of(less) == ("core 0 is 100 % busy, most of it in interrupt",)
