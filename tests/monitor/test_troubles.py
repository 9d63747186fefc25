"""What failed beside a blast and not within it: a tool before it, or one of which is told only afterwards."""

from collections.abc import Iterable

import pytest
from machines import LAB, Machines, blast

from fwdtui.core.lab import parse
from fwdtui.core.model import EventSample, Iteration, Sample
from fwdtui.monitor.live.monitor import Monitor

BEGAN, ENDED = 10, 30
TWO = LAB.replace("[generator]", "[[generator]]").replace(
    "[dut]", '[[generator]]\nhost = "gen2"\ninterface = "g1"\ntool = "netmap-pkt-gen"\n[dut]'
)


def tool(at: float, what: str, host: str = "gen", role: str = "generator") -> EventSample:
    port = {"gen": "g0", "gen2": "g1", "sink": "s0"}[host]
    return EventSample(at, f"tool-{what}", f"pkt-gen on {host} {what}", host, role=role, interface=port)


def of(lab: str, events: Iterable[EventSample], dead: str = "", at: float = 99.0) -> Iteration:
    """The iteration of a blast beside these events; the host `dead` gives no samples after `at`."""
    heard = [s for s in Machines(blast(BEGAN, ENDED, 10_000)).run(60) if not (s.host == dead and s.at > at)]
    samples: list[Sample] = [*heard, *events]
    monitor = Monitor(parse(lab), uncounted=["netmap-pkt-gen"])
    for sample in sorted(samples, key=lambda sample: sample.at or 0.0):
        monitor.push(sample)
    (iteration,) = monitor.snapshot().iterations
    return iteration


def troubles(iteration: Iteration) -> list[str]:
    return [one.text for one in iteration.warnings if one.code in ("tool-failed", "host-lost")]


# before it


LACKING = (
    "A tool had failed before the iteration began, so its packets are missing (pkt-gen on gen2 failed); "
    "repeat it."
)


@pytest.mark.parametrize("role", ["", 'role = "attack"\n'])
def test_a_generator_that_failed_to_start_is_missing_in_the_blast_of_the_others(role: str) -> None:
    """pkt-gen fails at once, and one that does not waits two seconds for its link before it sends."""
    lab = TWO.replace('interface = "g1"\n', f'interface = "g1"\n{role}')
    found = of(lab, [tool(6.0, "started"), tool(6.0, "started", "gen2"), tool(6.5, "failed", "gen2")])
    assert troubles(found) == [LACKING]


def test_so_is_a_receiver() -> None:
    events = [tool(5.0, "started", "sink", "receiver"), tool(6.0, "started")]
    found = of(LAB, [*events, tool(6.5, "failed", "sink", "receiver")])
    assert troubles(found) == [LACKING.replace("gen2", "sink")]


@pytest.mark.parametrize(
    "events",
    [
        # it was started again
        [tool(2.0, "failed", "gen2"), tool(6.0, "started"), tool(6.0, "started", "gen2")],
        # none of our generators runs: somebody else sends
        [tool(2.0, "started"), tool(2.5, "ended"), tool(2.5, "failed", "gen2")],
    ],
)
def test_an_earlier_failure_is_none_of_this_blast(events: list[EventSample]) -> None:
    assert troubles(of(TWO, events)) == []


def test_nor_is_that_of_a_generator_which_the_lab_no_longer_has() -> None:
    events = [tool(6.0, "started"), tool(6.0, "started", "gen2"), tool(6.5, "failed", "gen2")]
    assert troubles(of(LAB, events)) == []


# after it


@pytest.mark.parametrize(("later", "told"), [(1.0, True), (2.5, True), (4.5, False)])
def test_a_generator_that_dies_has_stopped_sending_before_its_process_ends(later: float, told: bool) -> None:
    found = of(LAB, [tool(6.0, "started"), tool(ENDED + later, "failed")])
    text = "A tool failed during the iteration (pkt-gen on gen failed); repeat it."
    assert troubles(found) == [text] * told


def test_one_that_was_started_after_the_blast_is_none_of_it() -> None:
    events = [tool(6.0, "started"), tool(30.5, "ended"), tool(31.6, "started"), tool(32.0, "failed")]
    assert troubles(of(LAB, events)) == []


@pytest.mark.parametrize("seconds", [3.0, 18.0])
def test_a_generator_host_that_died_with_the_traffic_counts_as_lost_only_later(seconds: float) -> None:
    """ssh takes up to 20 s to notice that nobody answers any more."""
    lost = EventSample(ENDED + seconds, "host-lost", "no answer", "gen")
    found = of(LAB, [lost], dead="gen", at=float(ENDED))
    assert troubles(found) == ["A host was lost during the iteration (gen: no answer); repeat it."]


def test_a_host_that_was_seen_after_the_blast_was_lost_after_it() -> None:
    lost = EventSample(ENDED + 8.0, "host-lost", "no answer", "gen")
    assert troubles(of(LAB, [lost], dead="gen", at=ENDED + 1.5)) == []


def test_a_host_that_neither_sends_nor_measures_may_be_lost() -> None:
    lost = EventSample(ENDED + 8.0, "host-lost", "no answer", "dut")
    assert troubles(of(LAB, [lost], dead="dut", at=float(ENDED))) == []
