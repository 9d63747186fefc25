"""Counted events per packet, by hand: which intervals, which packets, and what was not counted."""

from collections.abc import Mapping

import msgspec
import pytest

from fwdtui.core.cost import costs
from fwdtui.core.counters import CpuTicks, InterfaceCounters
from fwdtui.core.model import Cost, CountSample, EventSample, HostSample, Sample

WINDOW = (10.0, 14.0)
AHEAD = 1000.0  # seconds by which the DUT's clock is ahead of the recording's axis


def dut(at: float, packets: int, link: int = 1) -> HostSample:
    ticks = round(at * 100)
    return HostSample(
        "dut",
        0,
        AHEAD + at,
        at,
        boot="b",
        interfaces=(InterfaceCounters("out", tx_packets=packets, link=link),),
        cpus=(CpuTicks(0, 0, 0, 0, ticks, 0, softirq=ticks),),
    )


SAMPLES: list[Sample] = [dut(float(at), 1000 * at) for at in range(9, 16)]  # 1000 packets a second


def counted(end: float, seconds: float = 1.0, host: str = "dut", **more: object) -> CountSample:
    """500 000 cycles a second: 500 a packet."""
    return CountSample(
        host,
        **{
            "at": end + 0.4,
            "seconds": seconds,
            "t": AHEAD + end,
            "counts": {"cycles": 5e5 * seconds},
            **more,
        },  # type: ignore[arg-type]
    )


def cost(*found: CountSample, samples: list[Sample] = SAMPLES, event: str = "cycles", **more: object) -> Cost:
    return costs([*samples, *found], "dut", ("out",), WINDOW, **more)[f"{event}-per-packet"]  # type: ignore[arg-type]


def test_counts_over_the_packets_of_the_same_seconds() -> None:
    # intervals of the tool end at 10.7, 11.7, 12.7 and 13.7: three of them lie within 10..14
    one = cost(*(counted(end) for end in (9.7, 10.7, 11.7, 12.7, 13.7, 14.7)))
    assert one.summary is not None
    assert (one.unit, one.summary.mean, one.seconds, one.packets) == ("cycles/packet", 500.0, 3.0, 3000)
    assert (one.summary.n, one.enabled) == (3, 1.0)


def test_packets_between_two_samples_are_taken_as_even() -> None:
    uneven: list[Sample] = [dut(10.0, 0), dut(11.0, 1000), dut(12.0, 4000), dut(13.0, 4000)]
    # 11.25 to 12.5: three quarters of 3000, and half of none
    one = cost(counted(12.5, 1.25, counts={"cycles": 4500.0}), samples=uneven)
    assert one.summary is not None and one.packets == 2250 and one.summary.mean == 2.0


def test_a_rare_event_keeps_its_digits() -> None:
    """26 and 34 context switches a second at 10 Mpps were both 0.000003 a packet, and 4 page faults none."""
    fast: list[Sample] = [dut(float(at), 10_000_000 * at) for at in range(9, 16)]

    def mean(count: float) -> float:
        one = cost(*(counted(end, counts={"cycles": count}) for end in (11.0, 12.0, 13.0)), samples=fast)
        assert one.summary is not None and one.summary.min == one.summary.max == one.summary.median
        return one.summary.mean

    assert [mean(26.0), mean(34.0), mean(4.0)] == [2.6e-06, 3.4e-06, 4e-07]
    assert mean(10_000_000 / 3) == 0.333333


def test_a_tool_without_a_clock_is_placed_by_arrival() -> None:
    one = cost(*(counted(end, t=None, at=end) for end in (10.7, 11.7, 12.7, 13.7)))
    assert one.summary is not None and (one.seconds, one.summary.mean) == (3.0, 500.0)


def test_another_hosts_counts_are_none_of_the_duts() -> None:
    assert "cycles-per-packet" not in costs([*SAMPLES, counted(12.0, host="gen")], "dut", ("out",), WINDOW)


def test_the_least_share_of_the_time_is_kept() -> None:
    shares: tuple[Mapping[str, float], ...] = ({"cycles": 0.6}, {"cycles": 0.4}, {})
    one = cost(*(counted(11.0 + place, enabled=share) for place, share in enumerate(shares)))
    assert one.enabled == 0.4


def test_a_time_is_in_microseconds() -> None:
    one = cost(counted(12.0, counts={"cpu-clock": 2000.0}, units={"cpu-clock": "msec"}), event="cpu-clock")
    assert one.summary is not None and (one.unit, one.summary.mean) == ("us/packet", 2000.0)


def test_an_event_that_is_an_amount_keeps_its_unit() -> None:
    event = "power/energy-pkg/"
    one = cost(counted(12.0, counts={event: 2.0}, units={event: "Joules"}), event=event)
    assert one.summary is not None and (one.unit, one.summary.mean) == ("Joules/packet", 0.002)


def test_an_interval_in_which_it_was_not_counted_is_left_out_with_its_packets() -> None:
    one = cost(
        counted(11.0), counted(12.0, counts={}, missing={"cycles": "no counter was free"}), counted(13.0)
    )
    assert one.summary is not None and (one.packets, one.summary.mean) == (2000, 500.0)


@pytest.mark.parametrize(
    ("found", "why"),
    [
        ([counted(12.0, counts={}, missing={"cycles": "not here"})], "not here"),
        ([], "perf is not installed"),
        ([counted(30.0)], "perf is not installed"),
    ],
)  # fmt: skip
def test_what_was_asked_for_and_not_counted_says_why(found: list[CountSample], why: str) -> None:
    one = cost(*found, asked=("cycles",), why_not={"cycles": "perf is not installed"})
    assert one.summary is None and one.why == why


def test_without_an_interval_in_the_window_it_says_so() -> None:
    one = cost(counted(10.2), asked=("cycles",))
    assert one.why == "no whole interval of the counters lies within the window"


def test_across_a_counter_that_was_reset_only_what_comes_after_counts() -> None:
    replaced: list[Sample] = [
        dut(10.0, 9000, link=1),
        dut(11.0, 10_000, link=1),
        *(dut(12.0 + n, 1000 * n, link=2) for n in range(3)),
    ]
    one = cost(*(counted(end) for end in (11.0, 12.0, 13.0, 14.0)), samples=replaced)
    assert (one.seconds, one.packets) == (2.0, 2000)


def test_across_a_step_of_the_duts_clock_only_what_comes_after_counts() -> None:
    """Placed by arrival, a row is of the seconds that the clock says now, and not of those before."""
    set_ahead = [
        msgspec.structs.replace(dut(at, round(1000 * at)), t=AHEAD + at + 50.0) for at in (12.0, 13.0, 14.0)
    ]
    step = EventSample(12.1, "clock-step", "its monotonic clock jumped ahead", "dut")
    samples: list[Sample] = [dut(10.0, 10_000), dut(11.0, 11_000), step, *set_ahead]
    one = cost(*(counted(end, t=None, at=end) for end in (11.0, 12.0, 13.0, 14.0)), samples=samples)
    assert one.summary is not None and one.summary.mean == 500.0
    assert (one.seconds, one.packets) == (2.0, 2000)
