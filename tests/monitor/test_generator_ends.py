"""A blast ends sooner where the lab's generators are known to have ended: their tools print no zeros."""

from collections.abc import Iterable

import pytest
from machines import LAB, Machines, blast

from fwdtui.core.lab import parse
from fwdtui.core.model import EventSample, HostSample, RateSample, Sample
from fwdtui.monitor.live.monitor import Monitor
from fwdtui.monitor.live.state import State

PKT_GEN = LAB.replace('interface = "g0"', 'interface = "g0"\ntool = "netmap-pkt-gen"')
MORE = '[[generator]]\nhost = "gen"\ninterface = "g1"\n'
TWO = PKT_GEN.replace("[generator]", "[[generator]]").replace(
    "[dut]", f'{MORE}tool = "netmap-pkt-gen"\n[dut]'
)
MIXED = PKT_GEN.replace("[generator]", "[[generator]]").replace("[dut]", f"{MORE}[dut]")
ATTACKED = PKT_GEN.replace("[generator]", "[[generator]]").replace("[dut]", f'{MORE}role = "attack"\n[dut]')


def told(code: str, port: str = "g0", role: str = "generator") -> EventSample:
    return EventSample(3.0, code, "pkt-gen", "gen", role=role, interface=port)


def all_said(lab: str, events: Iterable[Sample]) -> bool:
    """Whether no line of a generator is still to come after these events, all hosts being sampled."""
    state = State(parse(lab), ["netmap-pkt-gen"], (), remember=30.0)
    for sample in (*Machines(blast(0, 9, 10_000)).run(3), *events):
        state.push(sample)
    return state.blasts.all_said


ENDED, FAILED, STARTED = (told(f"tool-{code}") for code in ("ended", "failed", "started"))


@pytest.mark.parametrize(
    ("lab", "events", "expected"),
    [
        (PKT_GEN, [], False),
        (PKT_GEN, [STARTED], False),
        (PKT_GEN, [STARTED, ENDED], True),
        (PKT_GEN, [STARTED, FAILED], True),
        (PKT_GEN, [STARTED, ENDED, STARTED], False),
        (PKT_GEN, [told("tool-ended", role="receiver")], False),
        (PKT_GEN, [told("tool-ended", role="", port="")], False),  # of a recording of an older version
        (PKT_GEN, [told("note")], False),
        (PKT_GEN, [told("tool-ended", port="g1")], False),
        (LAB, [ENDED], False),  # the kernel counts its packets, for ever
        (TWO, [ENDED], False),
        (TWO, [ENDED, told("tool-ended", "g1")], True),
        (TWO, [ENDED, told("tool-ended", "g1"), STARTED], False),
        (MIXED, [ENDED, told("tool-ended", "g1")], False),
        (ATTACKED, [ENDED], True),  # what it sends is not what is offered
        (PKT_GEN, [EventSample(3.0, "host-lost", "gone", "gen"), FAILED], False),  # it may send for a while
    ],
)
def test_what_has_been_said_of_the_generators(lab: str, events: list[Sample], expected: bool):
    assert all_said(lab, events) is expected


def test_after_the_end_of_a_recording_nothing_is_known():
    state = State(parse(PKT_GEN), ["netmap-pkt-gen"], (), remember=30.0)
    for sample in (*Machines(blast(0, 9, 10_000)).run(3), ENDED):
        state.push(sample)
    state.interrupt()
    assert not state.blasts.all_said
    state.push(EventSample(4.0, "note", "x"))
    assert not state.blasts.all_said


@pytest.mark.parametrize(("known", "expected"), [(True, 24.5), (False, 26.5)])
def test_the_end_of_its_tool_saves_the_wait_for_a_line(known: bool, expected: float):
    """The DUT is quiet from 21.5 s on, for which three seconds are waited; another line, until 25.7 s."""
    monitor = Monitor(parse(PKT_GEN), uncounted=["netmap-pkt-gen"])
    for sample in Machines(blast(5, 21, 10_000)).run(40):
        assert isinstance(sample, HostSample)
        monitor.push(sample)
        if sample.host == "gen" and 6 < sample.at < 22:
            line = RateSample("generator", sample.at, 1.0, 1e4, packets=1e4, host="gen", at=sample.at)
            monitor.push(line)
            if known and sample.at > 21:
                monitor.push(ENDED)
        if sample.at > 8 and monitor.snapshot(0).blast is None:
            assert sample.at == pytest.approx(expected, abs=0.1)
            break
    else:
        raise AssertionError("it never ended")
