"""A generator that sends an attack: it is in no offered load, and whose packets were lost nobody claims."""

from collections.abc import Iterable, Iterator

import msgspec
import pytest
from machines import LAB, Machines, blast
from recorded import recorded
from textual.color import Color
from textual.geometry import Size
from textual.strip import Strip

from fwdtui.core.counters import InterfaceCounters
from fwdtui.core.lab import parse
from fwdtui.core.model import HostSample, Iteration, RateSample, Sample
from fwdtui.core.offered import ATTACK_CODE, ATTACK_SENT, CODE
from fwdtui.monitor.live.flows import Flows
from fwdtui.monitor.live.moment import flows_of, moment_at, sample_rows
from fwdtui.monitor.live.monitor import Monitor
from fwdtui.monitor.live.sample_table import SampleTable, as_csv, head_and_lines
from fwdtui.monitor.live.snapshot import Snapshot
from fwdtui.monitor.replay.iteration_series import series_of
from fwdtui.monitor.replay.recorded_table import recorded_table
from fwdtui.monitor.replay.replay import Replay
from fwdtui.ui.draw.graph import Graph
from fwdtui.ui.draw.palette import Palette
from fwdtui.ui.draw.reading import loss_text
from fwdtui.ui.draw.row import Row
from fwdtui.ui.draw.view import NONE, View
from fwdtui.ui.live.big_numbers import _fitting, _largest, numbers
from fwdtui.ui.replay.beside import beside

SECOND = '[[generator]]\nhost = "bad"\ninterface = "b0"\nrole = "attack"\n[dut]\n'
ATTACKED = LAB.replace("[generator]", "[[generator]]").replace("[dut]\n", SECOND)
RATE = 10_000  # of both
WANTED = 0.4  # of it
FLOWS_SHOWN = ("offered", "forwarded", "received")


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


def watched(samples: Iterable[Sample], until: float = 50.0, lab: str = ATTACKED) -> Snapshot:
    monitor = Monitor(parse(lab))
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
        "no counter says whose packets",
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
        assert "no counter says whose packets they are" in during.diagnosis.sentence
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


def test_the_attack_is_a_number_of_its_own_and_the_loss_a_lower_bound():
    during = watched(both(capacity=3_000), until=30.0)
    shown = numbers(during, View(parse(ATTACKED)))
    assert [one.name for one in shown] == [*FLOWS_SHOWN, "loss", "attack", "of line rate"]
    by_name = {one.name: one for one in shown}
    assert (by_name["offered"].figures, by_name["offered"].unit) == ("4.000", "kpps")
    attack = by_name["attack"]
    assert attack.figures.startswith("6.0") and (attack.unit, attack.meaning) == ("kpps", "attack")
    assert by_name["loss"].figures.startswith("≥2")
    quiet = watched(both(capacity=3_000))
    assert quiet.last is not None
    after = {one.label: one.figures for one in numbers(quiet, View(parse(ATTACKED)))}
    assert after["last loss, whole blast"].startswith("≥2") and after["last offered"] == "4.000"
    assert quiet.last.attack == quiet.iterations[0].metrics["attack"].median
    assert after["last attack"].startswith("6.0") and quiet.last.largest == quiet.last.attack


def test_an_attack_that_is_not_seen_is_a_dash_and_none_is_no_number():
    during = numbers(watched(both(capacity=3_000, seen=False), until=30.0), View(parse(ATTACKED)))
    assert {one.name: one.figures for one in during}["attack"] == NONE
    alone = Monitor(parse(LAB)).snapshot()
    assert "attack" not in [one.name for one in numbers(alone, View(parse(LAB)))]


def test_where_its_number_does_not_fit_it_is_told_beside_the_offered_load():
    shown = numbers(watched(both(capacity=3_000), until=30.0), View(parse(ATTACKED)))
    attack = shown[4]
    assert _largest(shown, 5) == shown[:5]
    assert [one.name for one in _fitting(shown, 78)][-2:] == ["attack", "of line rate"]
    assert [one.name for one in _fitting(shown, 77)] == [*FLOWS_SHOWN, "loss", "attack"]
    assert [one.name for one in _fitting(shown, 4 * 13)] == [*FLOWS_SHOWN, "loss"]
    first, *others = _largest(shown, 4)
    assert first.note == f"attack {attack.figures} kpps" and others == shown[1:4]


def test_a_cursor_and_a_table_of_samples_have_the_attack_and_no_negative_loss():
    for capacity, lost in ((3_000, True), (8_000, False)):
        during = watched(both(capacity=capacity), until=30.0)
        flows = flows_of(during, receiver=True)
        moment = moment_at(flows, 25.0)
        assert tuple(moment.flows) == ("offered", "attack", "forwarded", "received") and moment.attacked
        assert moment.flows["attack"].pps == pytest.approx(6_000, rel=0.02)
        assert (moment.lost is not None) == lost  # part of the attack arrived: nobody knows the loss
        assert loss_text(moment).startswith("≥ " if lost else NONE)
    table = SampleTable("t", sample_rows(flows))
    head, *rows = as_csv([table]).splitlines()
    assert head.split(",")[3:5] == ["offered", "offered_bps"], "columns keep their places"
    assert head.endswith(",attack,attack_bps,attack_l2_bps") and float(rows[-1].split(",")[-3]) > 5_000
    assert head_and_lines([table])[0].split()[:3] == ["s", "offered", "attack"]
    unattacked = flows_of(Monitor(parse(LAB)).snapshot(), receiver=True)
    assert "attack" not in unattacked and not moment_at(unattacked, 1.0).attacked


def test_several_generators_of_one_role_are_added_up():
    three = ATTACKED.replace("[dut]\n", SECOND.replace("b0", "b1").replace("bad", "worse"))
    built = Flows(parse(three), frozenset(("counters",)), frozenset())
    for host, port, rate in (("gen", "g0", 5.0), ("bad", "b0", 7.0)):
        built.tool(RateSample("generator", 1.0, 1.0, rate, host=host, interface=port), 5.0)
    assert built.series["offered"].last is not None and built.series["offered"].last.value == 5.0
    assert built.series["attack"].last is not None and built.series["attack"].last.value is None
    built.tool(RateSample("generator", 1.0, 1.0, 2.0, host="worse", interface="b1"), 5.5)
    assert built.series["attack"].last.value == 9.0 and len(built.series["offered"]) == 1


def test_the_graph_draws_the_attack_as_a_line_of_its_own_and_the_scale_holds_it():
    colors = Palette({"foreground": "#ffffff", "error": "#ff0000"}, Color.parse("#000000"))

    def drawn(snapshot: Snapshot, lab: str) -> list[Strip]:
        lines = Graph().draw(snapshot, View(parse(lab), time_span=30.0), Size(80, 20), colors)
        return [Strip(line) for line in lines if isinstance(line, Row)]

    during = drawn(watched(both(capacity=3_000), until=30.0), ATTACKED)
    text = [line.text for line in during]
    named = {name: place for place, line in enumerate(text) for name in ("attack", "offered") if name in line}
    assert named["attack"] < named["offered"] and "· attack" in text[named["attack"]]
    rows = [
        [one for one in line if one.style == colors["attack"] and any("⠁" <= dot <= "⣿" for dot in one.text)]
        for line in during
    ]
    assert any(rows[place] for place in range(named["attack"] + 2)), "its points are above the offered load"
    assert "6 k" in "".join(text) or "8 k" in "".join(text)
    without = drawn(watched(Machines(blast(5, 35, RATE), capacity=8_000).run(50), 30.0, LAB), LAB)
    assert "attack" not in "".join(line.text for line in without)


def test_a_recording_of_it_has_it_in_the_whole_of_its_replay_and_in_its_table():
    samples = list(both(capacity=3_000))
    replay = Replay(recorded(samples, parse(ATTACKED)))
    during = [point.value for point in replay.surveyed.flows["attack"] if 10.0 < point.at < 30.0]
    assert len(during) > 15 and during == pytest.approx([6_000] * len(during), rel=0.05)
    assert "attack" in head_and_lines([recorded_table(replay)])[0].split()
    assert list(series_of(samples, None, replay.recording.session).flows) == [
        "offered",
        "attack",
        "forwarded",
        "received",
    ]


@pytest.mark.parametrize(("capacity", "share"), [(8_000, None), (3_000, 0.25)])
def test_laid_beside_another_recording_its_loss_is_that_of_its_own_replay(
    capacity: float, share: float | None
):
    replay = Replay(recorded(list(both(capacity=capacity)), parse(ATTACKED)))
    replay.seek(25.0)
    assert replay.snapshot(0).loss_share == (share if share is None else pytest.approx(share, abs=0.02))
    now = beside(replay, replay).at(25.0)
    assert now.loss_share == replay.snapshot(0).loss_share
    assert now.attacked and replay.snapshot(0).attacked


def lasting() -> Iterator[Sample]:
    """An attack from 10 s to 90 s, and the wanted traffic twice meanwhile, as DoS benchmarks are made."""

    def wanted(second: int) -> float:
        return 4_000.0 if 30 <= second < 50 or 60 <= second < 80 else 0.0

    for sample in Machines(wanted).run(110):
        assert isinstance(sample, HostSample)
        sent = round(3_000 * min(max(sample.at - 10, 0), 80))
        if sample.host == "gen":
            port = InterfaceCounters("b0", tx_packets=sent)
            yield msgspec.structs.replace(sample, host="bad", boot="bad", interfaces=(port,))
        elif sample.host == "dut":  # which drops all of it
            first, *rest = sample.interfaces
            first = msgspec.structs.replace(
                first, rx_packets=(first.rx_packets or 0) + sent, rx_dropped=(first.rx_dropped or 0) + sent
            )
            sample = msgspec.structs.replace(sample, interfaces=(first, *rest))
        yield sample


def test_an_attack_that_stays_on_is_of_no_blast_and_what_it_was_within_one_is_not_known():
    replay = Replay(recorded(list(lasting()), parse(ATTACKED)))
    live = watched(lasting(), 110.0).iterations
    for iterations in (live, replay.surveyed.iterations):
        assert [one.value for one in iterations] == pytest.approx([4_000, 4_000], rel=1e-3)
    for one, (begin, end) in zip(live, ((30, 50), (60, 80)), strict=True):
        assert one.window is not None and one.window.start is not None and one.window.end is not None
        assert begin < one.window.start < begin + 4 and end - 3 < one.window.end < end + 1
        assert one.packets is not None and one.packets.offered == pytest.approx(80_000, abs=2)
        assert one.packets.attack is one.packets.dut_in is one.packets.unaccounted is None
        assert "outage" not in {warning.code for warning in one.warnings}


def test_an_attack_that_outlasts_the_wanted_traffic_leaves_no_account_of_the_dut():
    """It began with it, so the DUT was quiet before; but no moment after it is."""

    def samples() -> Iterator[Sample]:
        for sample in both(capacity=8_000):
            assert isinstance(sample, HostSample)
            rows = sample.interfaces
            if sample.host == "gen" and sample.at > 25.0:
                rows = tuple(msgspec.structs.replace(row, tx_packets=81_000) for row in rows)
            yield msgspec.structs.replace(sample, interfaces=rows)

    (one,) = watched(samples()).iterations
    assert one.packets is not None and one.packets.offered == 81_000
    assert one.packets.dut_in is one.packets.forwarded is one.packets.attack is None


def test_an_iteration_that_is_played_alone_begins_where_it_did_within_the_attack():
    """Its samples begin five seconds before it, within the attack."""
    samples = list(lasting())
    live: list[tuple[float, Iteration]] = []
    heard: list[tuple[Sample, ...]] = []

    def finished(iteration: Iteration, near: tuple[Sample, ...], began: float) -> Iteration:
        live.append((began, iteration))
        heard.append(near)
        return iteration

    monitor = Monitor(parse(ATTACKED), finished=finished)
    for sample in samples:
        monitor.push(sample)
    assert len(live) == 2
    for (began, one), near in zip(live, heard, strict=True):
        played = Replay(recorded(near, parse(ATTACKED))).surveyed
        assert [blast[0] for blast in played.blasts] == [began]
        assert [(found.value, found.window) for found in played.iterations] == [(one.value, one.window)]
