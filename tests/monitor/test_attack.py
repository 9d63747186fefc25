"""A generator that sends an attack: it is in no offered load, and whose packets were lost nobody claims."""

from collections.abc import Iterator

import msgspec
import pytest
from machines import LAB, Machines, blast

from fwdtui.core.counters import InterfaceCounters
from fwdtui.core.lab import parse
from fwdtui.core.model import HostSample, RateSample, Sample
from fwdtui.core.offered import ATTACK_CODE, ATTACK_SENT, CODE
from fwdtui.monitor.live.flows import Flows
from fwdtui.monitor.live.monitor import Monitor
from fwdtui.monitor.live.snapshot import Snapshot
from fwdtui.ui.draw.view import View
from fwdtui.ui.live.big_numbers import numbers

SECOND = '[[generator]]\nhost = "bad"\ninterface = "b0"\nrole = "attack"\n[dut]\n'
ATTACKED = LAB.replace("[generator]", "[[generator]]").replace("[dut]\n", SECOND)
RATE = 10_000  # of both
WANTED = 0.4  # of it


def both(capacity: float, seen: bool = True, attack: float = 1 - WANTED) -> Iterator[Sample]:
    """What three machines say, whose load comes from two generators; `seen`: of the attack's host too."""
    for sample in Machines(blast(5, 35, RATE), capacity=capacity).run(50):
        if not isinstance(sample, HostSample) or sample.host != "gen":
            yield sample
            continue
        (row,) = sample.interfaces
        sent = row.tx_packets or 0
        wanted = msgspec.structs.replace(row, tx_packets=round(sent * WANTED))
        yield msgspec.structs.replace(sample, interfaces=(wanted,))
        if seen:
            port = InterfaceCounters("b0", tx_packets=round(sent * attack))
            yield msgspec.structs.replace(sample, host="bad", boot="bad", interfaces=(port,))


def watched(samples: Iterator[Sample], until: float = 50.0) -> Snapshot:
    monitor = Monitor(parse(ATTACKED))
    for sample in samples:
        if (sample.at or 0.0) < until:
            monitor.push(sample)
    return monitor.snapshot()


def test_the_account_names_both_and_offered_is_the_wanted_traffic():
    (one,) = watched(both(capacity=8_000)).iterations
    packets = one.packets
    assert packets is not None and packets.offered is not None and packets.attack is not None
    assert packets.attack == pytest.approx(packets.offered * 1.5, rel=1e-3)
    assert packets.unaccounted in range(-2, 3)  # of all that was sent
    medians = {name: summary.median for name, summary in one.metrics.items()}
    assert medians["offered"] == pytest.approx(4_000, rel=0.02)
    assert medians["attack"] == pytest.approx(6_000, rel=0.02)
    assert one.value == medians["received"] == pytest.approx(8_000, rel=0.02)
    # twice the wanted traffic arrived: part of the attack, not an impossible number
    assert [warning.code for warning in one.warnings] == [ATTACK_SENT, ATTACK_CODE]


def test_a_dut_that_forwards_less_than_the_wanted_traffic_loses_at_least_the_rest_of_it():
    during = watched(both(capacity=3_000), until=30.0)
    assert during.diagnosis.code == "dut-limited"
    for words in (
        " of wanted traffic are lost (2",
        " under an attack of 6.0",
        "whose packets were dropped no",
    ):
        assert words in during.diagnosis.sentence
    assert during.diagnosis.sentence.startswith("DUT-limited: at least ")
    assert during.attacked and during.loss_share == pytest.approx(0.25, abs=0.02)
    after = watched(both(capacity=3_000))
    (one,) = after.iterations
    assert [warning.code for warning in one.warnings] == [ATTACK_SENT]
    assert after.last is not None and after.last.attacked
    assert "loss at least 2" in after.last.in_words()


def test_as_much_forwarded_as_was_wanted_is_not_called_all_of_it():
    for capacity, words in ((4_000, "as much as"), (8_000, "part of the attack is among them")):
        during = watched(both(capacity=capacity), until=30.0)
        assert during.diagnosis.code == "under-attack" and words in during.diagnosis.sentence
        assert "whose packets they are no counter says" in during.diagnosis.sentence
    assert during.loss is None and during.loss_share is None  # more arrived than was wanted


def test_an_attack_that_nobody_sees_is_reckoned_with_all_the_same():
    during = watched(both(capacity=8_000, seen=False), until=30.0)
    assert during.attack is not None and during.attack.now is None and during.attacked
    (one,) = watched(both(capacity=8_000, seen=False)).iterations
    assert one.packets is not None and one.packets.attack is None and one.packets.unaccounted is None
    assert CODE not in {warning.code for warning in one.warnings}
    assert {ATTACK_SENT, ATTACK_CODE} <= {warning.code for warning in one.warnings}


def test_a_lab_whose_attack_is_not_sent_is_like_any_other():
    during = watched(both(capacity=8_000, attack=0.0), until=30.0)
    assert during.diagnosis.code == CODE  # eight thousand arrive of four that are sent
    assert not during.attacked
    (one,) = watched(both(capacity=3_000, attack=0.0)).iterations
    assert ATTACK_SENT not in {warning.code for warning in one.warnings}


def test_only_the_attack_is_told_as_that():
    def alone() -> Iterator[Sample]:
        for sample in both(capacity=3_000):
            if isinstance(sample, HostSample) and sample.host == "gen":
                rows = (InterfaceCounters("g0", tx_packets=0),)
                sample = msgspec.structs.replace(sample, interfaces=rows)
            yield sample

    during = watched(alone(), until=30.0)
    assert during.diagnosis.code == "attack-alone" and "no wanted traffic" in during.diagnosis.sentence


def test_the_big_numbers_name_the_attack_and_call_the_loss_a_lower_bound():
    during = watched(both(capacity=3_000), until=30.0)
    offered, *_, loss, _line_rate = numbers(during, View(parse(ATTACKED)))
    assert (offered.figures, offered.unit) == ("4.000", "kpps") and offered.note.startswith("attack 6.00")
    assert loss.name == "loss" and loss.figures.startswith("≥2")
    after = {one.name: one.figures for one in numbers(watched(both(capacity=3_000)), View(parse(ATTACKED)))}
    assert after["loss"].startswith("≥2") and after["offered"] == "4.000"


def test_several_generators_of_one_role_are_added_up():
    three = ATTACKED.replace("[dut]\n", SECOND.replace("b0", "b1").replace("bad", "worse"))
    built = Flows(parse(three), frozenset(("counters",)), frozenset(), lambda name, point: None)
    for host, port, rate in (("gen", "g0", 5.0), ("bad", "b0", 7.0)):
        built.tool(RateSample("generator", 1.0, 1.0, rate, host=host, interface=port), 5.0)
    assert built.series["offered"].last is not None and built.series["offered"].last.value == 5.0
    assert built.series["attack"].last is not None and built.series["attack"].last.value is None
    built.tool(RateSample("generator", 1.0, 1.0, 2.0, host="worse", interface="b1"), 5.5)
    assert built.series["attack"].last.value == 9.0 and len(built.series["offered"]) == 1
