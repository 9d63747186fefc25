"""The lab of an older session is made of its samples, and imported logs get one axis."""

import pytest

from fwdtui.core.counters import CpuTicks
from fwdtui.core.model import EventSample, HostSample, RateSample, Session
from fwdtui.monitor.replay.recorded_lab import lab_of, placed

SESSION = Session("/s", "s", "", facts={"dut.kernel": "x"})


def ticks(interval: float, count: int = 5) -> list[HostSample]:
    core = (CpuTicks(0, 1, 1, 1, 1, 1),)
    return [HostSample("dut", n, n * interval, n * interval, cpus=core) for n in range(count)]


@pytest.mark.parametrize(
    ("between", "interval"),
    [(0.02, 0.1), (0.1, 0.1), (0.14, 0.1), (0.16, 0.2), (1.0, 1.0), (8.0, 8.0), (10.0, 10.0), (30.0, 10.0)],
)
def test_the_interval_is_the_usual_one_to_a_tenth_within_what_a_lab_may_ask_for(between, interval):
    assert lab_of(SESSION, ticks(between)).interval == pytest.approx(interval)


def test_one_late_tick_changes_no_interval_and_one_tick_alone_tells_none():
    late = HostSample("dut", 9, 60.0, 60.0, cpus=(CpuTicks(0, 1, 1, 1, 1, 1),))
    assert lab_of(SESSION, [*ticks(0.5), late]).interval == pytest.approx(0.5)
    assert lab_of(SESSION, ticks(0.5, count=1)).interval == 1.0


def line(role: str, t: float, pps: float, at: float | None = None) -> RateSample:
    return RateSample(role, t, 1.0, pps, at=at)


def test_samples_of_a_recording_stay_as_they_are():
    samples = (line("receiver", 3.0, 1.0, at=7.0), EventSample(6.0, "note", "x"))
    assert placed(samples) == samples


def test_logs_are_laid_together_where_traffic_begins_on_the_receivers_axis():
    receiver = [line("receiver", 1.0, 0.0), line("receiver", 2.0, 5e5), line("receiver", 3.0, 1e6)]
    sender = [line("generator", 11.0, 0.0), line("generator", 12.0, 0.0), line("generator", 13.0, 1e6)]
    found = placed([*sender, *receiver])
    begins = {
        role: min(one.at for one in found if one.role == role and one.pps)
        for role in ("receiver", "generator")
    }
    assert begins == {"receiver": 2.0, "generator": 2.0}
    assert [one.at for one in found] == sorted(one.at for one in found)


def test_a_log_without_traffic_keeps_its_own_clock():
    silent = [line("generator", 11.0, 0.0), line("generator", 12.0, 0.0)]
    found = placed([line("receiver", 1.0, 1e6), *silent])
    assert [one.at for one in found] == [1.0, 11.0, 12.0]
