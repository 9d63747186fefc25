"""A capture counts only if it is shown to be one of the traffic; else it is missed, and says why."""

import msgspec
import pytest

from fwdtui.core.profile.capture import Asked, Capture
from fwdtui.core.profile.folded import Folded
from fwdtui.core.profile_check import Passage, check, uneven

IDLE = ("swapper", "do_idle", "default_idle")
WORK = ("swapper", "do_idle", "net_rx_action", "ip_forward")
ASKED = Asked(seconds=10.0, frequency=100, event="cpu-clock")
GOOD = Capture(
    profiler="perf",
    event="cpu-clock",
    folded=Folded({WORK: 600, IDLE: 1400}),
    began=105.0,
    ended=115.0,
    online=2,
    cores={0: 1000, 1: 1000},
    lost=0,
    paused=0.0,
    limit=100_000.0,
)


def traffic(rates: dict[int, float | None], rest: float = 50_000.0) -> list[Passage]:
    """Passages of one second from 100 to 120; `rates` are those that differ."""
    return [Passage(t, t + 1, rates.get(t, rest)) for t in range(100, 120)]


def missed(capture: Capture, passages: list[Passage] | None = None) -> str:
    return check(capture, ASKED, traffic({}) if passages is None else passages).missed


def changed(**fields: object) -> Capture:
    return msgspec.structs.replace(GOOD, **fields)


def test_a_whole_capture_within_steady_traffic_counts_and_says_what_is_idle_and_what_was_forwarded():
    checked = check(GOOD, ASKED, traffic({}))
    assert (checked.missed, checked.idle, checked.before, checked.during) == ("", 1400, 50_000.0, 50_000.0)


@pytest.mark.parametrize(
    ("passages", "why"),
    [
        (traffic({}, rest=0.0), "It is a profile of an idle DUT, which forwarded 0 pps meanwhile."),
        (
            traffic(dict.fromkeys(range(100, 105), 0.0)),
            "The DUT forwarded nothing before the profile began, so part of it may lie outside the traffic.",
        ),
        (traffic(dict.fromkeys(range(112, 120), 0.0)), "The traffic ended 3.0 s before the profile did."),
        (traffic({109: 10.0}), "The traffic paused while it was taken."),
        (
            traffic(dict.fromkeys(range(105, 120), 40_000.0)),
            "The DUT forwarded 50.00 kpps before it and 40.00 kpps during it: not the same load.",
        ),
        (
            traffic(dict.fromkeys(range(106, 114))),
            "The DUT's counters are known only for 2.0 s of its 10.0 s.",
        ),
        ([], "The DUT's counters are known only for 0.0 s of its 10.0 s."),
    ],
)
def test_a_capture_that_is_not_inside_steady_traffic_is_missed(passages, why):
    assert missed(GOOD, passages) == why


@pytest.mark.parametrize(
    ("capture", "why"),
    [
        (changed(problem="No permission"), "perf gave no profile: No permission."),
        (changed(folded=Folded()), "perf gave no profile: it has no samples."),
        # the host was lost, so that nobody knows which profiler it has
        (
            Capture(problem="dut: no answer within 100 s."),
            "The profiler gave no profile: dut: no answer within 100 s.",
        ),
        (changed(began=None), "perf did not say when it took its samples."),
        (changed(ended=109.0), "Its samples span 4.0 s of 10.0 s: the profiler was starved."),
        (
            changed(limit=50.0),
            "It was throttled: the kernel now allows 50 samples per second"
            " (kernel.perf_event_max_sample_rate), but 100 were requested.",
        ),
        (
            changed(paused=0.2),
            "It was throttled: the kernel held it back for up to 20% of the time.",
        ),
        (changed(lost=500), "500 samples were lost, and 2 000 recorded."),
        (changed(cores={0: 2000}), "Only 1 of 2 cores gave samples."),
        (
            changed(cores={0: 1700, 1: 300}),
            "Core 1 gave 300 of about 1 000 samples: the profiler was starved.",
        ),
        (
            changed(folded=Folded({WORK: 199, IDLE: 1801})),
            "Only 199 of 2 000 samples are not idle, and 200 are needed: offer more, profile for longer, or "
            "sample more often.",
        ),
    ],
)
def test_a_capture_that_is_not_whole_is_missed(capture, why):
    assert missed(capture) == why


@pytest.mark.parametrize(
    "capture",
    [
        changed(lost=100),
        changed(paused=0.04),
        changed(cores={0: 1000, 1: 400}),
        changed(folded=Folded({WORK: 200, IDLE: 1800})),
        changed(lost=None, paused=None, limit=None, online=None, cores={}),
        # a counter of cycles gives a halted core no samples
        changed(event="cycles", cores={0: 2000}),
    ],
)
def test_what_the_profiler_does_not_say_or_what_costs_little_is_no_reason(capture):
    assert missed(capture) == ""


def test_the_second_in_which_the_traffic_began_does_not_count_as_the_load_before():
    assert missed(GOOD, traffic({100: 0.0, 101: 0.0, 102: 20_000.0})) == ""


def test_a_core_that_gave_fewer_samples_than_its_timer_is_told():
    assert uneven(changed(cores={0: 1000, 1: 700}), ASKED) == ("Core 1 gave 700 of about 1 000 samples",)
    assert uneven(changed(event="cycles", cores={1: 700}), ASKED) == ()
    assert uneven(GOOD, ASKED) == ()
