"""What an iteration is made of: which samples, which events, and what it says of its value."""

from collections.abc import Iterable

import pytest
from machines import LAB, Machines, blast
from msgspec.structs import replace

from fwdtui.core.counters import InterfaceCounters, NetisrRow, StageCounter
from fwdtui.core.diagnosis import Evidence
from fwdtui.core.lab import parse
from fwdtui.core.model import TICK, EventSample, HostSample, Sample
from fwdtui.core.offered import ATTACK_SENT
from fwdtui.monitor.live import iteration
from fwdtui.monitor.live.blast import Blast
from fwdtui.monitor.live.evidence import evidence_of
from fwdtui.monitor.live.iteration import NoValueError, iteration_of
from fwdtui.monitor.live.moment import flows_of, sample_rows
from fwdtui.monitor.live.monitor import Monitor
from fwdtui.monitor.live.state import State
from fwdtui.ui.draw.braille import Axes
from fwdtui.ui.draw.graph import _LOST, Graph
from fwdtui.ui.draw.view import View

BEGAN, ENDED = 5.0, 35.0
BLAST = Blast(BEGAN, ENDED)


def state_after(samples: Iterable[Sample], lab: str = LAB, remember: float = 60.0) -> State:
    state = State(parse(lab), (), (), remember)
    for sample in samples:
        state.push(sample)
    return state


def run(*events: EventSample) -> list[Sample]:
    samples: list[Sample] = list(Machines(blast(5, 35, 10_000), capacity=8_000).run(50))
    return sorted([*samples, *events], key=lambda sample: sample.at or 0.0)


@pytest.mark.parametrize(("interval", "margin"), [("500ms", 5.0), ("1s", 5.0), ("2s", 10.0)])
def test_the_samples_of_five_seconds_or_intervals_before_it_are_saved_with_it(
    interval: str, margin: float
) -> None:
    samples: list[Sample] = list(Machines(blast(20, 40, 10_000)).run(60))
    state = state_after(samples, f'{LAB}[sampling]\ninterval = "{interval}"\n')
    _, saved = iteration_of(state, Blast(20.0, 40.0))
    assert list(saved) == [s for s in samples if s.at is not None and s.at >= 20.0 - margin]


def test_a_sample_at_the_very_beginning_of_those_seconds_is_saved() -> None:
    early, first = EventSample(14.99, "note", "early"), EventSample(15.0, "note", "first")
    samples: list[Sample] = [*Machines(blast(20, 40, 10_000)).run(60), early, first]
    state = state_after(sorted(samples, key=lambda sample: sample.at or 0.0))
    _, saved = iteration_of(state, Blast(20.0, 40.0))
    assert first in saved and early not in saved


@pytest.mark.parametrize(("after", "seen"), [(4.99, True), (5.0, True), (5.01, False)])
def test_the_boot_is_that_of_the_duts_last_sample_within_five_seconds_after_it(
    after: float, seen: bool
) -> None:
    last = HostSample("dut", 99, ENDED + after, ENDED + after, boot="again")
    samples = sorted([*run(), last], key=lambda sample: sample.at or 0.0)
    found, _ = iteration_of(state_after(samples), BLAST)
    assert found.boot == ("again" if seen else "dut")


def test_events_of_the_second_before_and_after_it_are_its_own() -> None:
    for at, counts in (
        (BEGAN - 1.01, False),
        (BEGAN - 1.0, True),
        (20.0, True),
        (ENDED + 1.0, True),
        (ENDED + 1.01, False),
    ):
        event = EventSample(at, "tool-failed", "pkt-gen was killed", "gen")
        found, _ = iteration_of(state_after(run(event)), BLAST)
        told = [warning.text for warning in found.warnings if warning.code == "tool-failed"]
        assert told == (
            ["A tool failed during the iteration (gen: pkt-gen was killed); repeat it."] if counts else []
        )


@pytest.mark.parametrize(
    ("code", "words"),
    [
        ("link-down", "A link went down"),
        ("host-lost", "A host was lost"),
        ("reboot", "A host was rebooted"),
        ("note", None),
        ("dmesg", None),
    ],
)
def test_trouble_is_warned_of_and_notes_are_not(code: str, words: str | None) -> None:
    found, _ = iteration_of(state_after(run(EventSample(20.0, code, "g0: so it is", "gen"))), BLAST)
    told = [warning.text for warning in found.warnings if warning.code == code]
    assert told == ([f"{words} during the iteration (gen: g0: so it is); repeat it."] if words else [])


@pytest.mark.parametrize(
    ("dut", "port", "told"),
    [
        (("d0", "d1"), "d1", True),
        (("d0", "d1"), "tap0", False),
        (("d0", "lagg0"), "ix1", True),  # perhaps a member of it
        (("d0", "gif0"), "ix1", True),  # perhaps the card that the tunnel's packets leave by
        (("d0.10", "d1"), "d0", False),  # of which FreeBSD tells as of the VLAN d0.10 on it
    ],
)
def test_a_link_beside_the_test_path_is_no_trouble(dut: tuple[str, str], port: str, told: bool) -> None:
    """FreeBSD's kernel tells of the links of virtual machines, jails and spare ports, too."""
    lab = LAB.replace('in = "d0"', f'in = "{dut[0]}"').replace('out = "d1"', f'out = "{dut[1]}"')
    state = state_after(run(EventSample(20.0, "link-down", f"{port}: link is down", "dut")), lab)
    found, _ = iteration_of(state, BLAST)
    assert ("link-down" in {one.code for one in found.warnings}) == told
    assert bool(evidence_of(state, 15.0, 30.0, BEGAN).link_down) == told


@pytest.mark.parametrize(
    ("at", "told"),
    [(BEGAN, False), (20.0, True), (ENDED + 0.1, False)],  # a card is opened, and given back
)
@pytest.mark.parametrize("who", ["gen", "dut"])
def test_a_link_that_a_tool_resets_at_both_ends_of_a_blast_is_no_trouble(
    who: str, at: float, told: bool
) -> None:
    """Of netmap's pkt-gen no iteration at all would be good, though no packet was lost."""
    trouble = [EventSample(at, code, f"{who[0]}0: so it is", who) for code in ("link-down", "tool-failed")]
    found, _ = iteration_of(state_after(run(*trouble)), BLAST)
    assert found.window is not None and found.window.start is not None and found.window.end is not None
    assert BEGAN < found.window.start < 20.0 < found.window.end <= ENDED
    codes = {warning.code for warning in found.warnings}
    assert ("link-down" in codes) == told
    assert "tool-failed" in codes


ALONE = LAB.replace('[receiver]\nhost = "sink"\ninterface = "s0"\n', "")


@pytest.mark.parametrize(
    ("host", "lab", "told"),
    [
        ("gen", LAB, True),
        ("dut", LAB, False),  # saturated: the receiver tells what it forwards
        ("sink", LAB, True),
        ("dut", ALONE, True),
        ("dut", LAB.replace('"s0"', '"s9"'), True),  # no such port: the value is the DUT's own
    ],
)
def test_only_a_lost_generator_or_a_lost_host_that_measures_makes_a_value_doubtful(
    host: str, lab: str, told: bool
) -> None:
    lost = EventSample(20.0, "host-lost", "connection lost: no answer for 20 s", host)
    samples = [
        one for one in run(lost) if getattr(one, "host", "") != host or not 16.0 < (one.at or 0) < 24.0
    ]
    samples.append(lost)
    found, _ = iteration_of(state_after(sorted(samples, key=lambda one: one.at or 0.0), lab), BLAST)
    codes = {one.code for one in found.warnings}
    assert found.value == pytest.approx(8_000, rel=1e-3) and found.complete
    assert ("host-lost" in codes) == told
    if host == "dut" and lab == LAB:
        (gap,) = (one.text for one in found.warnings if one.code == "gap")
        assert gap.startswith("dut: no samples for 9.0 s of the blast (connection lost: no answer for 20 s)")


@pytest.mark.parametrize(
    ("others", "told"),
    [
        ([], True),
        ([(1.0, "tool-started", "sink")], True),
        ([(3.0, "tool-started", "gen")], True),  # another tool
        ([(3.0, "tool-ended", "sink")], False),
        ([(3.0, "tool-ended", "sink"), (3.5, "tool-started", "sink")], False),
        ([(3.0, "tool-started", "sink")], False),
        ([(20.0, "tool-ended", "sink")], True),
        ([(ENDED + 2.0, "tool-started", "sink")], True),  # for the next one
    ],
)
def test_that_a_tool_is_several_is_told_of_each_blast_while_it_runs(
    others: list[tuple[float, str, str]], told: bool
) -> None:
    """It is noticed when a receiver begins to print, which may be long before the blast."""
    events = [EventSample(at, code, "", host, role="receiver", interface="s0") for at, code, host in others]
    text = "several pkt-gens print to this output at once: each rate is that of a single one, not the total"
    events.append(EventSample(2.0, "several-tools", text, "sink", role="receiver", interface="s0"))
    found, _ = iteration_of(state_after(run(*events)), BLAST)
    warned = [one.text for one in found.warnings if one.code == "several-tools"]
    assert warned == ([f"The rate does not cover all tools (sink: {text})."] if told else [])


def test_trouble_is_warned_of_however_much_the_kernels_say_afterwards() -> None:
    """Only the newest 500 events are shown; a full connection table fills them within minutes."""
    trouble = [EventSample(20.0, code, "g0: so it is", "gen") for code in ("link-down", "host-lost")]
    told = [EventSample(21.0 + n / 100, "dmesg", f"nf_conntrack: table full {n}", "dut") for n in range(600)]
    state = state_after(run(*trouble, *told))
    assert not [event for event in state.events if event.code == "link-down"]
    found, _ = iteration_of(state, BLAST)
    assert [one.code for one in found.warnings] == ["link-down", "host-lost"]


def test_what_changed_on_a_host_within_the_blast_is_warned_of_once_and_seen_until_the_next_slow_tick() -> (
    None
):
    for at, counts in ((BEGAN, False), (20.0, True), (ENDED + 3.0, True), (ENDED + 3.1, False)):
        event = EventSample(at, "hygiene", "CPU 2 was throttled 3 times", "dut")
        found, _ = iteration_of(state_after(run(event)), BLAST)
        told = [warning.text for warning in found.warnings if warning.code == "hygiene-changed"]
        words = (
            "Something changed during the iteration (dut: CPU 2 was throttled 3 times), so its value may"
            " differ from the others; it counts all the same."
        )
        assert told == ([words] if counts else [])


def test_a_link_that_was_back_before_the_window_is_not_what_limits_a_value_that_counts() -> None:
    for before, told in ((0.5, False), (-0.5, True)):
        window = iteration_of(state_after(run()), BLAST, warmup=5.0)[0].window
        assert window is not None and window.start is not None and window.start > BEGAN + 4.0
        down = EventSample(window.start - before, "link-down", "d0: link is down", "dut")
        found, _ = iteration_of(state_after(run(down)), BLAST, warmup=5.0)
        assert found.limit is not None and found.value is not None
        codes = {one.code for one in found.warnings}
        assert ("link-down" in codes, found.limit.code == "link-flapped") == (told, told)


def test_a_blast_of_more_samples_than_are_shown_counts_whole() -> None:
    """An hour at ten samples a second, or six minutes at a hundred; here a minute."""
    monitor = Monitor(parse(LAB))
    for series in monitor._state.flows.series.values():
        series.limit = 60
    for sample in Machines(lambda second: 1e4 if second < 70 else 8e3 if second < 135 else 0.0).run(150):
        monitor.push(sample)
    (found,) = monitor.snapshot(0).iterations
    assert found.complete and found.metrics["received"].n > 125
    assert found.value == pytest.approx(1e4, rel=1e-3), "its level for the longer time"
    assert max(map(len, monitor._state.flows.series.values())) == 60, "it is over"


@pytest.mark.parametrize(
    ("lab", "uncounted", "told"),
    [
        (LAB, (), False),
        (LAB.replace('"s0"', '"s9"'), (), True),  # no such port
        (LAB.replace('"s0"\n', '"s0"\ntool = "pkt-gen"\n'), ("pkt-gen",), True),  # it printed no line
        (LAB[: LAB.index("[receiver]")], (), False),
    ],
)
def test_what_was_forwarded_is_not_taken_for_what_was_received_without_a_word(
    lab: str, uncounted: tuple[str, ...], told: bool
) -> None:
    state = State(parse(lab), uncounted, (), 60.0)
    for sample in run():
        state.push(sample)
    found, _ = iteration_of(state, BLAST)
    assert found.value == pytest.approx(8_000, rel=1e-3) and found.complete
    assert [warning.text for warning in found.warnings if warning.code == "not-received"] == (
        ["It is not known what sink received, so the value is what the DUT forwarded."] if told else []
    )


def test_it_says_what_limited_it_in_its_window() -> None:
    found, _ = iteration_of(state_after(run()), BLAST)
    assert found.limit is not None and found.limit.code == "dut-limited"
    assert "2.000 kpps of 10.00 kpps are lost (20.0 %)" in found.limit.text
    assert found.complete and found.boot == "dut" and found.index == 0
    assert "ended-early" not in {warning.code for warning in found.warnings}, "unless it is said"


def test_what_limited_it_is_looked_for_in_the_window_else_in_the_whole_blast(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    seen: list[tuple[float, float]] = []

    def watched(
        state: State, start: float, end: float, began: float, flows: object, ended: float
    ) -> Evidence:
        seen.append((start, end))
        assert (began, ended) == (BEGAN, ENDED)
        return evidence_of(state, start, end, began)

    monkeypatch.setattr(iteration, "evidence_of", watched)
    found, _ = iteration_of(state_after(run()), BLAST)
    window = found.window
    assert window is not None and seen == [(window.start, window.end)] != [(BEGAN, ENDED)]
    found, _ = iteration_of(state_after([]), BLAST)
    assert seen[1:] == [(BEGAN, ENDED)]


@pytest.mark.parametrize(
    ("host", "last", "code"),
    [
        ("gen", 20.0, "host-lost"),
        ("dut", 20.0, "host-lost"),
        ("gen", ENDED + 1.0, "dut-limited"),
        ("dut", ENDED + 1.0, "dut-limited"),
        ("sink", ENDED + 1.0, "dut-limited"),
    ],
)
def test_a_host_that_is_lost_after_its_window_did_not_limit_it(host: str, last: float, code: str) -> None:
    lost = EventSample(ENDED + 4.0, "host-lost", "timed out", host)
    samples = sorted([*without(host, last, 99.0), lost], key=lambda sample: sample.at or 0.0)
    found, _ = iteration_of(state_after(samples), BLAST)
    assert found.limit is not None and found.limit.code == code


def test_a_lab_without_an_attack_has_no_flow_for_one() -> None:
    found, _ = iteration_of(state_after(run()), BLAST)
    assert found.metrics.keys() == {"offered", "forwarded", "received"}
    assert not {ATTACK_SENT, "incomplete"} & {warning.code for warning in found.warnings}


@pytest.mark.parametrize("early", [False, True])
def test_only_what_was_broken_off_says_that_it_was(early: bool) -> None:
    found, _ = iteration_of(state_after(run()), BLAST, early=early)
    assert ("ended-early" in {warning.code for warning in found.warnings}) is early


def test_a_blast_that_goes_on_is_taken_up_to_now() -> None:
    state = state_after(sample for sample in run() if (sample.at or 0.0) < 20.0)
    found, _ = iteration_of(state, Blast(BEGAN), early=True)
    assert found.window is not None and found.window.end is not None and 17.0 < found.window.end < 20.0


def without(host: str, start: float, end: float) -> list[Sample]:
    return [s for s in run() if not (isinstance(s, HostSample) and s.host == host and start < s.at < end)]


def test_a_value_that_is_not_sound_is_not_given_but_what_was_seen_is() -> None:
    found, _ = iteration_of(state_after(without("sink", 15.0, 99.0)), BLAST)
    assert found.value is None and not found.complete
    assert found.incomplete.startswith("No samples from sink for the last 20.")
    first = found.warnings[0]
    assert first.code == "incomplete"
    assert first.text == f"{found.incomplete} What was seen is saved, but gives no value."
    assert found.metrics["received"].median == pytest.approx(8_000, rel=0.01)


def test_an_end_that_was_not_seen_makes_it_incomplete() -> None:
    found, _ = iteration_of(state_after(run()), Blast(BEGAN, ENDED, unseen=True))
    assert found.incomplete.startswith("It is not known when the blast ended")


@pytest.mark.parametrize(
    ("lost", "early", "raised"),
    [
        (None, False, False),
        (15.0, False, True),  # its value is not sound
        (15.0, True, False),  # but what was broken off is worth saving
        (4.0, False, True),
        (4.0, True, True),  # not if nothing of it was seen
    ],
)
def test_where_a_value_is_asked_for_one_without_it_is_refused_with_the_reasons(
    lost: float | None, early: bool, raised: bool
) -> None:
    state = state_after(run() if lost is None else without("sink", lost, 99.0))
    if raised:
        with pytest.raises(NoValueError, match=r"^these samples give no value\. .*[^ ]$"):
            iteration_of(state, BLAST, early=early, valued=True)
    else:
        iteration_of(state, BLAST, early=early, valued=True)
    iteration_of(state, BLAST, early=early)


def test_gaps_of_other_hosts_are_named_once_and_that_of_the_measured_one_by_its_series() -> None:
    found, _ = iteration_of(state_after(without("gen", 15.0, 21.0)), BLAST)
    (gap,) = [warning.text for warning in found.warnings if warning.code == "gap"]
    assert gap.startswith("gen: no samples for ")
    found, _ = iteration_of(state_after(without("sink", 15.0, 21.0)), BLAST)
    (gap,) = [warning.text for warning in found.warnings if warning.code == "value-gap"]
    assert "have no samples (late)" in gap


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("ix0: link is down", "gen: ix0: link is down"),
        ("pkt-gen was killed", "gen: pkt-gen was killed"),  # that is no name of the host
        ("generation 2", "gen: generation 2"),
        ("pkt-gen on gen: killed", "pkt-gen on gen: killed"),
        ("gen: killed", "gen: killed"),
    ],
)
def test_trouble_is_told_with_the_host_that_had_it(text: str, told: str) -> None:
    found, _ = iteration_of(state_after(run(EventSample(20.0, "tool-failed", text, "gen"))), BLAST)
    (warning,) = [one for one in found.warnings if one.code == "tool-failed"]
    assert warning.text == f"A tool failed during the iteration ({told}); repeat it."


def test_trouble_of_no_host_is_told_as_it_is() -> None:
    found, _ = iteration_of(state_after(run(EventSample(20.0, "tool-failed", "the lab was moved"))), BLAST)
    (warning,) = [one for one in found.warnings if one.code == "tool-failed"]
    assert warning.text == "A tool failed during the iteration (the lab was moved); repeat it."


# when its samples are complete


def ending(interval: float = 1.0) -> tuple[State, float]:
    """A blast has ended some time ago, and of the receiver nothing came since; and when it ended."""
    state = State(parse(f'{LAB}[sampling]\ninterval = "{interval:g}s"\n'), (), (), 30.0)
    for sample in Machines(blast(5, 35, 10_000)).run(50):
        if isinstance(sample, HostSample) and (sample.host != "sink" or sample.at < 36.0):
            state.push(sample)
    (ended,) = state.ended
    assert ended.ended is not None and state.drained() == []
    return state, ended.ended


def of(host: str, at: float, **parts: object) -> HostSample:
    ports = {} if parts else {"interfaces": (InterfaceCounters("s0", rx_packets=0),)}
    return HostSample(host, 99, t=at, at=at, boot=host, **ports, **parts)  # type: ignore[arg-type]


@pytest.mark.parametrize("interval", [1.0, 2.0])
@pytest.mark.parametrize(("early", "whole"), [(0.01, False), (0.0, True)])
def test_every_host_is_to_be_sampled_two_intervals_and_half_a_second_beyond_its_end(
    interval: float, early: float, whole: bool
) -> None:
    state, ended = ending(interval)
    state.push(of("sink", ended + 0.5 + 2 * interval - early))
    assert bool(state.drained()) is whole and bool(state.ended) is not whole


@pytest.mark.parametrize(("early", "whole"), [(0.01, False), (0.0, True)])
def test_slow_readings_are_to_be_made_an_interval_beyond_its_end(early: float, whole: bool) -> None:
    state, ended = ending()
    state.push(of("dut", ended + 1.0 - early, netisr=(NetisrRow(0, 0, "ip"),)))
    state.push(of("sink", ended + 9.0))
    assert bool(state.drained()) is whole


@pytest.mark.parametrize(("later", "taken"), [(0.0, False), (0.01, True)])
def test_a_silent_host_is_waited_for_for_twenty_seconds_more(later: float, taken: bool) -> None:
    state, ended = ending()
    state.push(EventSample(ended + 2.5 + 20.0 + later, TICK, ""))
    assert bool(state.drained()) is taken


def test_a_lost_host_is_not_waited_for() -> None:
    state, ended = ending()
    state.push(EventSample(ended + 9.0, "host-lost", "timed out", "sink"))
    assert len(state.drained()) == 1


# pause frames: by the port that sends or gets them


@pytest.mark.parametrize(
    ("port", "limit", "warned"),
    [
        ("d0", "d0 sends 300 pause frames/s", "by which it held the generator back"),
        ("d1", "Generator-limited", "by which it held its link partner back"),
    ],
)
def test_pause_frames_of_an_output_are_not_what_holds_the_generator_back(port, limit, warned) -> None:
    samples: list[Sample] = []
    for sample in Machines(blast(5, 35, 10_000)).run(50):
        if isinstance(sample, HostSample) and sample.host == "dut":
            pauses = round(300 * min(max(sample.at - 5.0, 0.0), 30.0))
            row = StageCounter(port, "tx", "mac", "events", "mac_stats.xoff_txd", pauses)
            sample = replace(sample, stages=(row,))
        samples.append(sample)
    found, _ = iteration_of(state_after(samples), BLAST)
    assert found.limit is not None and limit in found.limit.text
    assert warned in next(one.text for one in found.warnings if one.code == "pause-frames")


# what is remembered


@pytest.mark.parametrize("remember", [5.0, 10.0])
def test_samples_are_forgotten_after_a_while_but_not_those_of_a_blast(remember: float) -> None:
    state = State(parse(LAB), (), (), remember)
    for sample in Machines(blast(20, 40, 10_000)).run(70):
        state.push(sample)
        state.drained()
        state.forget()
        oldest = state.samples[0].at or 0.0
        if state.now < 20.0 or state.now > 50.0:
            assert state.now - remember <= oldest < state.now - remember + 1.0 or state.now < remember + 1.0
        elif 25.0 < state.now < 40.0:
            assert oldest < 20.0 - remember + 1.0, "and what came before it"


def test_only_the_newest_five_hundred_events_are_held() -> None:
    state = state_after(EventSample(float(n), "note", f"{n}") for n in range(501))
    assert (len(state.events), state.events[0].text) == (500, "1")


def test_what_a_packet_cost_is_counted_in_the_window_of_the_value() -> None:
    """The machines' one core is busy all of the time at 8 000 packets per second: 125 us for each."""
    found, _ = iteration_of(state_after(run()), BLAST)
    assert found.window is not None and found.window.start is not None and found.window.end is not None
    cost = found.costs["cpu-per-packet"]
    assert cost.summary is not None and cost.scope == "dut"
    assert cost.summary.mean == pytest.approx(125.0, rel=1e-3)
    assert cost.parts == {"softirq": cost.summary.mean, "irq": 0.0, "system": 0.0, "user": 0.0}
    # the DUT samples at its own moments: up to an interval at either edge is of no whole one
    assert found.window.end - found.window.start - 2.1 <= cost.seconds
    assert cost.seconds <= found.window.end - found.window.start


def test_a_blast_without_a_window_has_no_costs() -> None:
    found, _ = iteration_of(state_after([]), BLAST)
    assert found.costs == {}


@pytest.mark.parametrize(("joined", "told"), [(1, False), (40, True)])
def test_packets_that_the_duts_driver_counts_in_bundles_are_warned_of(joined: int, told: bool) -> None:
    """r8169 counts what GRO has joined as one packet: by its counters nearly all is lost."""
    state = State(parse(LAB), (), (), 60.0)
    for sample in Machines(blast(5, 35, 10_000)).run(50):
        assert isinstance(sample, HostSample)
        rows = tuple(
            replace(row, tx_packets=(row.tx_packets or 0) // joined) if row.name == "d1" else row
            for row in sample.interfaces
        )
        state.push(replace(sample, interfaces=rows))
    found, _ = iteration_of(state, BLAST)
    assert found.value == pytest.approx(10_000, rel=1e-3)
    text = [warning.text for warning in found.warnings if warning.code == "super-packets"]
    assert bool(text) is told and ("dut-uncounted" in {one.code for one in found.warnings}) is told
    assert all("Forwarded packets have 24" in one for one in text)


@pytest.mark.parametrize(("joined", "limit"), [(1, "generator-limited"), (40, "super-packets")])
def test_packets_that_are_counted_in_bundles_are_not_told_as_lost(joined: int, limit: str) -> None:
    """Nobody counts behind the DUT: what its output has fewer of is neither lost nor in no counter."""
    lab = LAB.partition("[receiver]")[0].replace("[dut]", "frame = 64\n[dut]")
    state = State(parse(lab), (), (), 60.0)
    for sample in Machines(blast(5, 35, 10_000), capacity=20_000).run(50):
        assert isinstance(sample, HostSample)
        rows = tuple(
            replace(row, tx_packets=(row.tx_packets or 0) // joined) if row.name == "d1" else row
            for row in sample.interfaces
        )
        if sample.host != "sink":
            state.push(replace(sample, interfaces=rows))
    found, _ = iteration_of(state, BLAST)
    assert found.limit is not None and found.limit.code == limit
    assert found.packets is not None and found.packets.unaccounted == (None if joined > 1 else 0)
    assert (found.costs["cpu-per-packet"].summary is None) is (joined > 1)
    assert [one.code for one in found.warnings] == (["super-packets"] if joined > 1 else [])


@pytest.mark.parametrize(
    ("joined", "said", "loss"), [(1, "generator-limited", 0.0), (40, "super-packets", None)]
)
def test_nor_are_they_on_the_screen_within_the_blast_and_after_it(
    joined: int, said: str, loss: float | None
) -> None:
    monitor = Monitor(parse(LAB.partition("[receiver]")[0].replace("[dut]", "frame = 64\n[dut]")))
    within = None
    for sample in Machines(blast(5, 35, 10_000), capacity=20_000).run(50):
        assert isinstance(sample, HostSample)
        rows = tuple(
            replace(row, tx_packets=(row.tx_packets or 0) // joined) if row.name == "d1" else row
            for row in sample.interfaces
        )
        if sample.host != "sink":
            monitor.push(replace(sample, interfaces=rows))
        if within is None and sample.at > 20:
            within = monitor.snapshot()
    after = monitor.snapshot()
    assert within is not None and after.last is not None
    assert within.diagnosis.code == after.last.limit == said
    for shown in (within.loss_share, after.last.loss_share):
        assert shown is None if loss is None else shown == pytest.approx(loss, abs=0.01)
    assert ("loss" in after.last.in_words()) is (loss is not None)
    for shown in (within, after):  # nor in the picture, at the cursor and in the table of samples
        (sample,) = sample_rows(flows_of(shown, receiver=False), (), 14.0, 14.9, unlike=shown.unlike)
        assert (sample.lost is None) is (loss is None)
        assert any(begin < 14.0 < end for begin, end in shown.unlike) is (loss is None)
    assert not any(begin < 45.0 < end for begin, end in after.unlike), "the quiet after it"


@pytest.mark.parametrize(("joined", "drawn"), [(1, True), (40, False)])
@pytest.mark.parametrize("until", [20, 50])  # within the blast, and after it
def test_nor_is_the_area_of_the_loss_drawn_between_them(joined: int, drawn: bool, until: int) -> None:
    lab = parse(LAB.partition("[receiver]")[0].replace("[dut]", "frame = 64\n[dut]"))
    monitor = Monitor(lab)
    for sample in Machines(blast(5, 35, 10_000), capacity=8_000).run(until):
        assert isinstance(sample, HostSample)
        rows = tuple(
            replace(row, tx_packets=(row.tx_packets or 0) // joined) if row.name == "d1" else row
            for row in sample.interfaces
        )
        if sample.host != "sink":
            monitor.push(replace(sample, interfaces=rows))
    axes = Axes(until - 60.0, until, 12_000.0, 60, 10)
    layers = Graph().all_layers(monitor.snapshot(), View(lab), axes)
    (area,) = [layer for layer in layers if layer.kind == _LOST]
    assert any(area.masks) is drawn


def test_more_that_is_forwarded_than_a_generator_counts_in_bundles_is_no_riddle() -> None:
    state = State(parse(LAB.replace("[dut]", "frame = 64\n[dut]")), (), (), 60.0)
    for sample in Machines(blast(5, 35, 10_000)).run(50):
        assert isinstance(sample, HostSample)
        rows = tuple(
            replace(row, tx_packets=(row.tx_packets or 0) // 40) if row.name == "g0" else row
            for row in sample.interfaces
        )
        state.push(replace(sample, interfaces=rows))
    found, _ = iteration_of(state, BLAST)
    assert found.value == pytest.approx(10_000, rel=1e-3)
    assert found.limit is not None and found.limit.code == "super-packets"
    assert [one.code for one in found.warnings] == ["super-packets"]
