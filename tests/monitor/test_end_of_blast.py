"""At the end of a blast hosts fall silent one after the other: the sentence stays that of the whole blast."""

from collections.abc import Iterator

import pytest
from machines import LAB, Machines, blast

from fwdtui.core.lab import parse
from fwdtui.core.model import Sample
from fwdtui.monitor.live.monitor import Monitor


class Phased(Machines):
    """The same machines, each sampled at another moment of the second; the generator ends at `stop`."""

    def __init__(self, offered, capacity: float, phases: dict[str, float], stop: float) -> None:
        super().__init__(offered, capacity)
        self._phases, self._stop = phases, stop

    def run(self, seconds: int) -> Iterator[Sample]:
        clock = 0.0
        for second in range(seconds):
            for host, phase in sorted(self._phases.items(), key=lambda pair: pair[1]):
                moment = second + phase
                if clock < self._stop < moment:  # the generator ends between two samples
                    self._advance(self._offered(int(clock)), self._stop - clock)
                    clock = self._stop
                self._advance(self._offered(int(clock)) if clock < self._stop else 0.0, moment - clock)
                clock = moment
                yield self._sample(host, moment, second)


ORDERS = [
    {"gen": 0.2, "dut": 0.5, "sink": 0.8},
    {"dut": 0.2, "gen": 0.5, "sink": 0.8},
    {"dut": 0.1, "sink": 0.3, "gen": 0.95},
    {"sink": 0.2, "gen": 0.6, "dut": 0.7},
]


@pytest.mark.parametrize("stop", [30.0, 30.15, 30.35, 30.55, 30.9])
@pytest.mark.parametrize("phases", ORDERS, ids=lambda order: "-".join(sorted(order, key=order.get)))
@pytest.mark.parametrize(("capacity", "code"), [(8_000, "dut-limited"), (1e9, "generator-limited")])
def test_no_sentence_is_made_of_flows_that_have_half_stopped(phases, stop, capacity, code):
    monitor = Monitor(parse(LAB))
    said = set()
    for sample in Phased(blast(5, 60, 10_000), capacity, phases, stop).run(40):
        monitor.push(sample)
        if sample.at > 15.0 and (snapshot := monitor.snapshot(0)).blast is not None:
            said.add((snapshot.diagnosis.code, snapshot.diagnosis.sentence))
    assert {one[0] for one in said} == {code}
    assert len(said) <= 3, "the rates in it are those of the whole blast"
    assert monitor.snapshot(0).diagnosis.code == "idle"


def test_a_dut_that_stops_under_a_load_that_goes_on_is_told_within_seconds():
    """What stays away is no end of a blast."""
    monitor = Monitor(parse(LAB))
    machines = Machines(blast(5, 60, 10_000), capacity=9_000)
    for sample in machines.run(32):
        if sample.at is not None and sample.at >= 24.9:
            machines._capacity = 1.0
        monitor.push(sample)
        if sample.at is not None and 15.0 < sample.at < 24.9:
            assert "(10.0 %)" in monitor.snapshot(0).diagnosis.sentence
        if sample.at is not None and sample.at > 28.0:
            assert "(10.0 %)" not in monitor.snapshot(0).diagnosis.sentence
    final = monitor.snapshot(0)
    assert final.blast is not None
    assert final.diagnosis.code == "dut-limited" and "(100.0 %)" in final.diagnosis.sentence
