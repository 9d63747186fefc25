"""Each limit of a run gives its own sentence, with the numbers it rests on."""

import msgspec
import pytest

from fwdtui.core.diagnosed import Diagnosis, averaged
from fwdtui.core.diagnosis import diagnose
from fwdtui.core.diagnosis_text import ranges
from fwdtui.core.drop_stages import (
    CARD_FILTER,
    FRAME_CHECK,
    INPUT_ERRORS,
    INPUT_QUEUE,
    NETISR,
    RX_RING,
    TX_SOFT_QUEUE,
)
from fwdtui.core.evidence import Evidence
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
        (Evidence(offered=1e6, starved=3.2, blast=True), "dut-starved", ["3.2 s;", "is not known"]),
        (
            Evidence(offered=1e6, starved=3.2, starved_in=8e5, blast=True),
            "dut-starved",
            ["no sample for 3.2 s, in which it took in 800.0 kpps on average"],
        ),
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


def test_rates_beside_a_gap_of_the_dut_are_not_those_of_the_gap():
    evidence = Evidence(offered=1e6, dut_in=9e5, forwarded=8e5, received=7e5, starved=3.2, blast=True)
    assert diagnose(evidence).evidence == (
        "offered 1.000 Mpps",
        "dut in 900.0 kpps outside the gap",
        "forwarded 800.0 kpps outside the gap",
        "received 700.0 kpps",
    )


def test_packets_that_the_dut_takes_in_and_drops_at_once_are_its_own_loss():
    evidence = Evidence(offered=1e6, dut_in=0.0, forwarded=0.0, drops={INPUT_QUEUE: 1e6}, blast=True)
    assert diagnose(evidence).code == "dut-limited"


@pytest.mark.parametrize(
    ("forwarded", "code", "begins"),
    [
        (1e6, "generator-limited", "Generator-limited: the DUT forwards all of the 1.000 Mpps"),
        (9e5, "dut-limited", "DUT-limited: 100.0 kpps of 1.000 Mpps are lost (10.0 %)"),
        (1e5, "dut-limited", "DUT-limited: 900.0 kpps"),
        (99e3, "nothing-arrives", "Nothing arrives"),  # it may be other traffic
    ],
)
def test_what_the_dut_forwards_has_arrived_even_if_its_input_does_not_count_it(forwarded, code, begins):
    found = diagnose(Evidence(offered=1e6, dut_in=9e3, forwarded=forwarded, received=forwarded, blast=True))
    assert found.code == code and found.sentence.startswith(begins)
    assert ("the DUT's input counts only 9.000 kpps: " in found.sentence) == (code != "nothing-arrives")


@pytest.mark.parametrize(
    ("uncounted", "drops", "ends"),
    [
        (3e4, {RX_RING: 7e4}, "(10.0 %); rx ring drops 70.00 kpps; 30.00 kpps are in no counter."),
        (5e3, {RX_RING: 95e3}, "(10.0 %); rx ring drops 95.00 kpps."),  # less than a tenth of the loss
        (None, {RX_RING: 7e4}, "(10.0 %); rx ring drops 70.00 kpps."),
        (1e5, {}, "(10.0 %); no counter shows where."),
    ],
)
def test_what_no_counter_has_is_told_beside_what_others_have(uncounted, drops, ends):
    found = Evidence(offered=1e6, dut_in=1e6, forwarded=9e5, drops=drops, uncounted=uncounted, blast=True)
    assert diagnose(found).sentence.endswith(ends)


# frames that the cards refuse


def test_a_wrong_destination_mac_is_told_where_the_card_counts_what_it_refuses():
    """rx_steer_missed_packets of mlx5; most cards do not count them at all."""
    wrong = Evidence(offered=1e7, dut_in=0.0, forwarded=0.0, drops={CARD_FILTER: 1e7, RX_RING: 0.0})
    found = diagnose(wrong)
    assert found.code == "nothing-arrives"
    assert found.sentence == (
        "Nothing arrives: 10.00 Mpps are offered and the DUT's input sees 0 pps; 10.00 Mpps match no flow of "
        "the card, as frames for another MAC address do; check the destination MAC address."
    )
    found = diagnose(msgspec.structs.replace(wrong, drops={FRAME_CHECK: 1e7}))
    assert found.code == "nothing-arrives"
    assert (
        "10.00 Mpps arrive damaged or too long; check the cable, its transceivers and the MTU."
        in found.sentence
    )


@pytest.mark.parametrize(
    ("stage", "code", "words"),
    [
        (CARD_FILTER, "foreign-frames", "Foreign frames: 5.000 Mpps of 10.00 Mpps are lost (50.0 %); "
            "5.000 Mpps match no flow of the card, as frames for another MAC address do; "
            "check the destination MAC address."),
        (FRAME_CHECK, "bad-frames", "Bad frames: 5.000 Mpps of 10.00 Mpps are lost (50.0 %); 5.000 Mpps "
            "arrive damaged or too long; check the cable, its transceivers and the MTU."),
    ],
)  # fmt: skip
def test_frames_that_the_card_must_refuse_are_no_limit_of_the_dut(stage, code, words):
    """One of two generators has a wrong MAC address, or a cable is broken."""
    losing = Evidence(offered=1e7, dut_in=5e6, forwarded=5e6, drops={stage: 5e6, RX_RING: 0.0})
    assert (diagnose(losing).code, diagnose(losing).sentence) == (code, words)
    both = diagnose(msgspec.structs.replace(losing, forwarded=4e6, drops={stage: 5e6, RX_RING: 1e6}))
    assert both.code == code and "(60.0 %); rx ring drops 1.000 Mpps; 5.000 Mpps " in both.sentence
    more = diagnose(msgspec.structs.replace(losing, drops={stage: 2e6, RX_RING: 3e6}))
    assert more.code == "dut-limited" and "rx ring drops 3.000 Mpps" in more.sentence
    assert words.split("; ")[1].replace("5.000", "2.000") in more.sentence, "it is named all the same"


def test_input_errors_that_the_driver_does_not_tell_apart_are_not_called_drops_of_the_ring():
    """Ierrs of FreeBSD's vtnet, re and bge."""
    sentence = diagnose(Evidence(offered=1e6, dut_in=9e5, forwarded=9e5, drops={INPUT_ERRORS: 1e5})).sentence
    assert sentence == (
        "DUT-limited: 100.0 kpps of 1.000 Mpps are lost (10.0 %); 100.0 kpps are input errors (bad frames or "
        "losses of the ring: the driver does not tell them apart)."
    )


def test_frames_of_others_that_the_card_refuses_explain_no_loss_of_what_was_offered():
    """A switch floods them: they are no part of the load, and the ring lost what is missing of that."""
    evidence = Evidence(offered=1e7, dut_in=9e6, forwarded=9e6, drops={CARD_FILTER: 5e6, RX_RING: 1e6})
    assert diagnose(evidence).code == "dut-limited"
    unharmed = msgspec.structs.replace(evidence, forwarded=1e7, dut_in=1e7, drops={CARD_FILTER: 5e6})
    assert "the DUT forwards all of the 10.00 Mpps" in diagnose(unharmed).sentence


def test_under_attack_no_counter_says_whose_frames_the_card_refused():
    evidence = Evidence(
        offered=1e7, attacker=True, attack=5e6, dut_in=1e7, forwarded=5e6, drops={CARD_FILTER: 5e6}
    )
    assert diagnose(evidence).code == "dut-limited"
    assert "no counter says whose packets were dropped" in diagnose(evidence).sentence


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


def test_of_one_flow_that_a_slow_receiver_loses_the_receiver_is_named_and_not_its_one_queue():
    flow = Evidence(
        offered=1e7, dut_in=1e7, forwarded=9.94e6, received=7e6, queues=queues("rx", 9.95e6, 0, 0)
    )
    assert diagnose(flow).code == "receiver-lost"
    dropping = diagnose(msgspec.structs.replace(flow, drops={RX_RING: 6e4}))
    assert "rx ring drops 60.00 kpps" in dropping.evidence, "what the DUT loses is not hidden by it"
    assert diagnose(msgspec.structs.replace(flow, forwarded=8e6)).code == "one-queue"
    unknown = msgspec.structs.replace(flow, offered=None, forwarded=8e6)
    assert diagnose(unknown).code == "one-queue", "the DUT loses more of what it took in"


def test_a_source_of_unknown_load_is_still_judged_by_what_the_dut_took_in():
    found = diagnose(Evidence(dut_in=1e6, forwarded=5e5, blast=True))
    assert found.code == "dut-limited" and "500.0 kpps of 1.000 Mpps" in found.sentence


UNSENT = Evidence(dut_in=6e5, forwarded=5.88e5, blast=True)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({}, "DUT-limited: 12.00 kpps of 600.0 kpps are lost (2.0 %);"),
        ({"drops": {RX_RING: 3e5, INPUT_ERRORS: 1e5}}, "412.0 kpps of 1.000 Mpps are lost (41.2 %);"),
        ({"drops": {RX_RING: 4e5}, "forwarded": 6e5}, "400.0 kpps of 1.000 Mpps are lost (40.0 %);"),
        # the input has counted these
        ({"drops": {INPUT_QUEUE: 9e3, NETISR: 3e3}}, "12.00 kpps of 600.0 kpps are lost (2.0 %);"),
        # nobody says that these were sent to the DUT
        ({"drops": {CARD_FILTER: 4e5, FRAME_CHECK: 4e5}, "at_nic": 1.4e6}, "12.00 kpps of 600.0 kpps are"),
        ({"received": 3e5, "drops": {RX_RING: 4e5}}, "412.0 kpps of 1.000 Mpps are lost (41.2 %);"),
        ({"attacker": True, "attack": 5e5, "drops": {RX_RING: 4e5}},
            "DUT-limited: 412.0 kpps of 1.000 Mpps are lost (41.2 %) under an attack of 500.0 kpps;"),
    ],
)  # fmt: skip
def test_of_an_unknown_load_what_the_card_had_no_room_for_is_lost_too(changes, words):
    """rx_packets and Ipkts are what the host took from its card."""
    found = diagnose(msgspec.structs.replace(UNSENT, **changes))
    assert found.code == "dut-limited" and words in found.sentence


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
        nic=(nic(name, 1200.0, "events", "tx"),), inputs=("ix0",), outputs=("ix1",),
    )  # fmt: skip
    found = diagnose(throttled)
    assert found.code == "dut-limited"
    assert "ix0 sends 1.20 k pause frames/s" in found.sentence and "flow control" in found.sentence
    received = msgspec.structs.replace(throttled, nic=(nic("mac_stats.xoff_recvd", 1200.0, "events"),))
    assert diagnose(received).code == "generator-limited"
    behind = msgspec.structs.replace(throttled, inputs=("ix1",), outputs=("ix0",))
    assert diagnose(behind).code == "generator-limited", "that throttles the receiver"


@pytest.mark.parametrize("name", ["rx_flow_control_xoff", "mac_stats.xoff_recvd", "stats.rx_pause"])
def test_an_output_that_is_told_to_pause_is_the_first_cause_of_what_the_dut_loses(name):
    held = Evidence(
        offered=1e7, dut_in=1e7, forwarded=5e6, received=5e6, drops={TX_SOFT_QUEUE: 5e6}, blast=True,
        nic=(nic(name, 5000.0, "events"),), inputs=("ix1",), outputs=("ix0",),
    )  # fmt: skip
    told = "(50.0 %); ix0 is sent 5.00 k pause frames/s, by which its link partner holds the DUT back; "
    assert f"{told}tx soft queue drops 5.000 Mpps." in diagnose(held).sentence
    assert f"{told}no counter shows where." in diagnose(msgspec.structs.replace(held, drops={})).sentence
    asked = diagnose(msgspec.structs.replace(held, inputs=("ix0",), outputs=("ix1",)))
    assert "pause" not in asked.sentence, "an input sends nothing of the load"


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


# which rule is asked first

ONE_QUEUE = queues("tx", 9e5, 0, 0, 0)
LOSING = Evidence(offered=1e6, dut_in=1e6, forwarded=9e5, blast=True)


@pytest.mark.parametrize(
    ("code", "rest", "first"),
    [
        ("host-silent", {"silent": {"gen": 9.0}}, {"lost_hosts": ["dut"]}),
        ("dut-starved", {"starved": 3.0}, {"silent": {"gen": 9.0}}),
        ("link-flapped", {"link_down": [("igb3", 2.0)]}, {"starved": 3.0}),
        ("unknown", {"settling": True}, {"link_down": [("igb3", 2.0)]}),
        ("nothing-arrives", {"dut_in": 0.0, "forwarded": 0.0}, {"settling": True}),
        ("nothing-arrives", {"dut_in": 0.0, "forwarded": 0.0}, {"offered": 0.0}),
        ("received-above-offered", {"received": 1.1e6, "seconds": 5.0}, {"dut_in": 0.0, "forwarded": 0.0}),
        ("receiver-lost", {"received": 7e5}, {"received": 1.1e6, "seconds": 5.0}),
        ("foreign-frames", {"drops": {CARD_FILTER: 1e5}}, {"received": 7e5}),
        ("one-queue", {"queues": ONE_QUEUE}, {"drops": {CARD_FILTER: 1e5}}),
        ("dut-limited", {}, {"queues": ONE_QUEUE}),
    ],
)
def test_a_cause_is_told_before_its_consequence(code, rest, first):
    """`rest` alone gives `code`; with `first` beside it an earlier rule answers."""
    found = msgspec.structs.replace(LOSING, **rest)
    assert diagnose(found).code == code
    assert diagnose(msgspec.structs.replace(found, **first)).code != code


@pytest.mark.parametrize(
    ("silent", "every", "sentence"),
    [
        (
            {"gen": 9.4},
            False,
            "No samples from gen for 9 s: its numbers are old, and what limits the run is ",
        ),
        ({"gen": 9.4, "dut": 5.2}, False, "No samples from gen and dut for 5 s: their numbers are old, "),
        ({"gen": 9.4, "dut": 5.2}, True, "No samples from any host for 5 s: all numbers are old, "),
    ],
)
def test_hosts_that_fell_silent_are_named_with_the_time_for_which_all_of_them_were(silent, every, sentence):
    found = diagnose(msgspec.structs.replace(LOSING, silent=silent, silent_all=every))
    assert found.code == "host-silent" and found.sentence.startswith(sentence)
    assert bool(found.evidence) is not every, "of no host is there a rate that can be trusted"


@pytest.mark.parametrize("known", ["offered", "dut_in", "forwarded"])
def test_a_lost_host_is_told_with_the_rates_of_the_others_and_with_its_reason_where_there_are_none(known):
    without = Evidence(lost_hosts=["gen", "dut"], reasons={"gen": "its key changed"})
    found = diagnose(without)
    assert found.sentence.endswith("nothing is measured or recorded: gen: its key changed; dut")
    assert found.evidence == ()
    found = diagnose(msgspec.structs.replace(without, sampled=True))
    lost = "No connection any more, so nothing is measured there: gen: its key changed; dut"
    assert found.sentence == lost, "they were reached, and what they gave is recorded"
    found = diagnose(msgspec.structs.replace(without, **{known: 1e6}))
    assert found.sentence == "No connection to gen, dut: its numbers are missing, not zero."
    assert found.evidence == (f"{known.replace('_', ' ')} 1.000 Mpps",)


@pytest.mark.parametrize("known", ["offered", "dut_in", "forwarded"])
def test_one_rate_below_the_noise_is_enough_to_know_that_nothing_is_offered(known):
    assert diagnose(Evidence(**{known: 12.0})).code == "idle"


@pytest.mark.parametrize("blast", [False, True])
@pytest.mark.parametrize(
    ("rates", "passes"),
    [
        ({"forwarded": 100.0}, True),
        ({"forwarded": 1e6, "received": 1e6}, True),
        ({"received": 1e6}, True),
        ({"forwarded": 12.0, "received": 1e6, "seconds": 1.0}, True),
        ({"forwarded": 99.9, "received": 99.9}, False),
        ({"dut_in": 12.0, "forwarded": 1e6}, True),  # packets of XDP are in no counter of the input
        ({"dut_in": 12.0, "forwarded": 999.0}, False),  # what a host sends by itself
    ],
)
def test_traffic_that_comes_out_is_not_called_none_because_what_goes_in_is_not_known(rates, passes, blast):
    found = diagnose(Evidence(**rates, blast=blast, measured=True))
    assert (found.code not in ("idle", "generator-silent")) is passes
    if passes:
        assert "No traffic" not in found.sentence and "waiting for" not in found.sentence


# the time over which the rates of a sentence are averaged


@pytest.mark.parametrize(
    ("seconds", "ago", "span"),
    [
        (0.3, 0.0, "last 1 s"),  # never "last 0 s"
        (1.4, 0.0, "last 1 s"),
        (1.6, 0.0, "last 2 s"),
        (5.0, 0.0, "last 5 s"),
        (5.0, 0.1, "last 5 s of the blast"),
    ],
)
def test_a_sentence_with_rates_names_their_time(seconds, ago, span):
    found = averaged(diagnose(LOSING), seconds, ago)
    assert found.span == span
    assert found.dated.startswith(f"DUT-limited, {span}: 100.0 kpps of 1.000 Mpps")


def test_a_sentence_without_rates_names_no_time():
    found = averaged(Diagnosis("dut-starved", "DUT starved: no sample for 3.2 s."), 5.0, 0.0)
    assert found.dated == found.sentence


UNDER_ATTACK = Evidence(offered=20e6, attacker=True, attack=30e6, dut_in=50e6, forwarded=13e6, blast=True)


@pytest.mark.parametrize(
    ("changes", "code", "words"),
    [
        ({"drops": {RX_RING: 37e6}}, "dut-limited",
            ["at least 7.000 Mpps of 20.00 Mpps of wanted traffic are lost (35.0 %)",
             " under an attack of 30.00 Mpps; rx ring drops 37.00 Mpps; no counter says whose"]),
        ({}, "dut-limited", ["under an attack of 30.00 Mpps; no counter shows where."]),
        ({"attack": None}, "dut-limited", ["at least 7.000 Mpps", "under an attack whose rate is not known"]),
        ({"forwarded": 19.95e6}, "under-attack", ["as much as the 20.00 Mpps of wanted traffic"]),
        ({"forwarded": 30e6}, "under-attack", ["more than the 20.00 Mpps", "part of the attack is among"]),
        ({"forwarded": 30e6, "attack": None}, "under-attack", ["an attack whose rate is not known"]),
        ({"forwarded": 51e6, "seconds": 5.0}, "received-above-offered", ["51.00 Mpps of 50.00 Mpps"]),
        ({"offered": 0.0, "forwarded": 0.0}, "attack-alone", ["Only the attack is sent, 30.00 Mpps"]),
        # an attacker that sends nothing is none
        ({"attack": 0.0, "dut_in": 20e6, "forwarded": 20e6}, "generator-limited", ["forwards all"]),
        ({"attack": 0.0}, "dut-limited", ["limited: 7.000 Mpps of 20.00 Mpps are lost"]),
    ],
)  # fmt: skip
def test_under_attack_only_what_counters_show_is_called_a_loss_of_wanted_traffic(changes, code, words):
    found = diagnose(msgspec.structs.replace(UNDER_ATTACK, **changes))
    assert found.code == code
    for word in words:
        assert word in found.sentence


# counters that do not see the traffic

OFFLOADED = Evidence(offered=30e6, dut_in=12.0, forwarded=8.0, received=29e6, seconds=5.0, blast=True)


@pytest.mark.parametrize(
    ("changes", "code", "words"),
    [
        ({}, "dut-uncounted", ["29.00 Mpps are received, but its counters show only 8 pps"]),
        ({"seconds": 1.0}, "dut-uncounted", ["XDP"]),
        ({"dut_in": 30e6}, "dut-uncounted", ["hardware offload"]),  # only what it sends is not counted
        ({"offered": None}, "dut-uncounted", ["not known"]),
        ({"dut_in": 30e6, "forwarded": 28e6}, "dut-uncounted", ["its counters show only 28.00 Mpps"]),
        ({"dut_in": 30e6, "forwarded": 28e6, "seconds": 3.9}, "dut-limited", []),
        ({"dut_in": 30e6, "forwarded": 28.8e6}, "dut-limited", []),  # two hosts' clocks differ by that
        ({"received": None}, "nothing-arrives", []),
        ({"received": 90.0}, "nothing-arrives", []),
        ({"received": 31e6}, "nothing-arrives", []),  # more than was sent: of other senders
        ({"offered": 3.0, "received": 90.0}, "idle", []),
        ({"offered": None, "received": 900.0}, "idle", []),
    ],
)  # fmt: skip
def test_more_received_than_the_dut_counts_is_no_loss_and_no_broken_cable(changes, code, words):
    found = diagnose(msgspec.structs.replace(OFFLOADED, **{"blast": code != "idle", **changes}))
    assert found.code == code
    for word in words:
        assert word in found.sentence


BYPASSED = Evidence(offered=0.0, dut_in=30e6, forwarded=30e6, received=30e6, seconds=5.0)


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({}, "generator-uncounted"),
        ({"blast": True}, "generator-uncounted"),
        ({"dut_in": 12.0, "forwarded": 8.0}, "generator-uncounted"),  # nor does the DUT
        ({"seconds": 3.9}, "idle"),
        ({"dut_in": 999.0, "received": 999.0}, "idle"),  # what ports carry by themselves
        ({"attacker": True, "attack": 30e6}, "attack-alone"),
        ({"attacker": True}, "idle"),  # it may be the attack
        ({"attacker": True, "attack": 0.0}, "generator-uncounted"),
    ],
)
def test_a_generator_that_counts_nothing_while_packets_arrive_is_not_called_idle(changes, code):
    assert diagnose(msgspec.structs.replace(BYPASSED, **changes)).code == code
