"""What a packet costs, calculated by hand: which ticks, packets and seconds count, and what does not."""

import pytest
from msgspec.structs import replace

from fwdtui.core.cost import CORE_METRICS, CPU, KERNEL, PER_CORE, costs, host_with, shared_with
from fwdtui.core.counters import CpuTicks, InterfaceCounters
from fwdtui.core.model import EventSample, HostSample, Sample

WINDOW = (10.0, 14.0)
OUTPUTS = ("out0", "out1")
NOT_TWICE = "the DUT's core times were not sampled twice in the window"


def sampled(
    at: float,
    busy: tuple[int, int] = (0, 0),
    packets: int = 0,
    **other: int,
) -> HostSample:
    """Two cores at 100 ticks a second of a host whose own clock is 1000 s ahead.

    `busy` are their ticks in softirq; `other` ticks are core 0's. Half of the packets leave by each port.
    """
    whole = round(at * 100)
    idle = [whole - busy[0] - sum(other.values()), whole - busy[1]]
    return HostSample(
        "dut",
        seq=0,
        t=1000.0 + at,
        at=at,
        boot="b",
        interfaces=tuple(
            InterfaceCounters(name, tx_packets=count)
            for name, count in zip(OUTPUTS, (packets // 2, packets - packets // 2), strict=True)
        ),
        cpus=tuple(
            CpuTicks(
                cpu,
                **{name: other.get(name, 0) if cpu == 0 else 0 for name in ("user", "nice", "system", "irq")},
                idle=idle[cpu],
                softirq=busy[cpu],
                iowait=other.get("iowait", 0) if cpu == 0 else 0,
                steal=other.get("steal", 0) if cpu == 0 else 0,
            )
            for cpu in (0, 1)
        ),
    )


def second(at: float, **other: int) -> HostSample:
    """A DUT that forwards 100 000 packets a second, which takes half of core 0 and a quarter of core 1."""
    since = at - 10.0
    return sampled(at, (round(50 * since), round(25 * since)), round(100_000 * since), **other)


STEADY: list[Sample] = [second(float(at)) for at in range(8, 18)]


def test_busy_time_of_all_cores_over_the_packets_that_all_outputs_sent() -> None:
    # 4 s, 200 + 100 ticks of 10 ms = 3 s of busy cores; 400 000 packets: 7.5 us each
    found = costs(STEADY, "dut", OUTPUTS, WINDOW)
    assert set(found) == set(CORE_METRICS)
    cpu = found[CPU]
    assert cpu.summary is not None
    assert (cpu.summary.mean, cpu.unit, cpu.why) == (7.5, "us/packet", "")
    assert (cpu.seconds, cpu.packets, cpu.cores, cpu.ticks) == (4.0, 400_000, 2, 300)
    assert (cpu.summary.n, cpu.summary.min, cpu.summary.median, cpu.summary.max) == (4, 7.5, 7.5, 7.5)


def test_packets_of_a_busy_core_are_its_inverse() -> None:
    found = costs(STEADY, "dut", OUTPUTS, WINDOW)[PER_CORE]
    assert found.summary is not None and found.unit == "pps/core"
    assert found.summary.mean == pytest.approx(1e6 / 7.5)  # 400 000 packets in 3 s of a busy core


def test_every_state_is_a_part_and_waiting_is_none() -> None:
    before, after = second(10.0), second(12.0, user=4, nice=6, system=20, irq=8, iowait=11, steal=9)
    found = costs([before, after], "dut", OUTPUTS, (10.0, 12.0))
    # 200 000 packets; a tick of core 0 is 10 ms: 0.05 us a packet
    assert found[CPU].parts == {"softirq": 7.5, "irq": 0.4, "system": 1.0, "user": 0.5}
    assert found[CPU].summary is not None and found[CPU].summary.mean == pytest.approx(9.4)
    assert found[KERNEL].parts == {"softirq": 7.5, "irq": 0.4, "system": 1.0}
    assert found[KERNEL].summary is not None and found[KERNEL].summary.mean == pytest.approx(8.9)
    assert (found[CPU].ticks, found[KERNEL].ticks) == (150 + 38, 150 + 28)


def test_a_core_that_was_taken_offline_and_back_was_not_busy_meanwhile() -> None:
    """Linux before 6.8 then counts its idle time from zero."""
    since = [
        replace(one, cpus=(one.cpus[0], replace(one.cpus[1], idle=one.cpus[1].idle - 900)))
        if one.at >= 12.0
        else one
        for one in STEADY
        if isinstance(one, HostSample)
    ]
    found = costs(since, "dut", OUTPUTS, WINDOW)[CPU].summary
    assert found is not None and (found.n, found.mean, found.max) == (3, 7.5, 7.5)


def test_the_rate_of_the_ticks_does_not_matter() -> None:
    """FreeBSD counts at stathz, 127 or 128 a second; a core's share of its own ticks is all that counts."""
    scaled = [
        replace(
            one,
            cpus=tuple(
                replace(row, idle=row.idle * 128, softirq=(row.softirq or 0) * 128) for row in one.cpus
            ),
        )
        for one in STEADY
        if isinstance(one, HostSample)
    ]
    found = costs(scaled, "dut", OUTPUTS, WINDOW)[CPU].summary
    assert found is not None and found.mean == 7.5


def test_the_cost_is_all_that_was_spent_over_all_packets_and_not_a_mean_of_ratios() -> None:
    # 1 s with 100 000 packets in 0.5 s of a core, then 1 s with 300 000 in 0.5 s: 1 s over 400 000
    samples = [sampled(10.0), sampled(11.0, (50, 0), 100_000), sampled(12.0, (100, 0), 400_000)]
    found = costs(samples, "dut", OUTPUTS, (10.0, 12.0))[CPU].summary
    assert found is not None
    assert found.mean == 2.5
    assert (found.max, found.min) == (5.0, pytest.approx(5 / 3, abs=1e-6))


def test_only_whole_intervals_in_the_window_count() -> None:
    # what happens in 9..10 and 14..15 is ten times as expensive, and reaches over the edges
    edges = [sampled(9.0), *STEADY[2:7], sampled(15.0, (400, 100), 410_000)]
    found = costs(edges, "dut", OUTPUTS, (9.5, 14.5))[CPU]
    assert found.seconds == 4.0 and found.summary is not None and found.summary.mean == 7.5


def test_short_intervals_are_shown_as_seconds() -> None:
    quick = [second(10 + tenth / 10) for tenth in range(41)]
    found = costs(quick, "dut", OUTPUTS, WINDOW)[CPU]
    assert found.summary is not None and found.summary.n == 4
    assert found.summary.mean == 7.5


def test_an_interval_without_counters_is_left_out_with_its_packets_and_its_ticks() -> None:
    another = tuple(InterfaceCounters(name, tx_packets=5, link=9) for name in OUTPUTS)
    first = tuple(InterfaceCounters(name, tx_packets=1, link=3) for name in OUTPUTS)
    samples = [
        replace(second(10.0), interfaces=first),
        replace(second(11.0), interfaces=another),  # another device took the name, and keeps it
        *(
            replace(second(at), interfaces=tuple(replace(r, link=9) for r in second(at).interfaces))
            for at in (12.0, 13.0)
        ),
    ]
    found = costs(samples[:2], "dut", OUTPUTS, WINDOW)[CPU]
    assert found.why == "the packets that the DUT's outputs sent are not known"
    found = costs(samples[2:], "dut", OUTPUTS, WINDOW)[CPU]
    whole = costs([samples[0], *samples[2:]], "dut", OUTPUTS, WINDOW)[CPU]
    assert (whole.seconds, whole.packets, whole.ticks) == (found.seconds, found.packets, found.ticks)


def test_across_a_reboot_nothing_is_counted() -> None:
    samples = [
        second(10.0),
        second(11.0),
        replace(second(12.0), boot="c", t=3.0),
        replace(second(13.0), boot="c", t=4.0),
    ]
    assert costs(samples, "dut", OUTPUTS, WINDOW)[CPU].seconds == 2.0


@pytest.mark.parametrize("ahead", [100.0, 0.4, -0.4])
def test_an_interval_in_which_the_clock_of_the_dut_was_set_has_no_length(ahead: float) -> None:
    """By the clock that was set, its cores would have been busy for as much longer."""
    later = [replace(one, t=one.t + ahead) for one in (second(12.0), second(13.0), second(14.0))]
    step = EventSample(12.1, "clock-step", "its monotonic clock jumped ahead", "dut")
    slow = replace(second(12.05), t=second(12.05).t + ahead, cpus=(), interfaces=())  # it may come in between
    found = costs([second(10.0), second(11.0), step, slow, *later], "dut", OUTPUTS, WINDOW)[CPU]
    assert found.summary is not None and found.summary.mean == pytest.approx(7.5)
    assert (found.seconds, found.packets, found.ticks) == (3.0, 300_000, 225)
    other = replace(step, host="gen")
    whole = costs([second(10.0), second(11.0), other, second(12.0), second(13.0)], "dut", OUTPUTS, WINDOW)
    assert whole[CPU].seconds == 3.0


@pytest.mark.parametrize(
    ("samples", "outputs", "why"),
    [
        ([], OUTPUTS, NOT_TWICE),
        ([second(10.0), replace(second(11.0), cpus=())], OUTPUTS, NOT_TWICE),
        ([second(10.0), second(11.0)], ("gone",), "the packets that the DUT's outputs sent are not known"),
        ([sampled(10.0), sampled(11.0, (5, 5))], OUTPUTS, "the DUT forwarded nothing in the window"),
    ],
)  # fmt: skip
def test_what_is_not_counted_says_why_and_is_never_zero(
    samples: list[Sample], outputs: tuple[str, ...], why: str
) -> None:
    for found in costs(samples, "dut", outputs, WINDOW).values():
        assert found.summary is None and found.why == why


def test_cores_that_were_never_busy_for_a_tick_cost_an_unknown_time_and_not_none() -> None:
    for found in costs([sampled(10.0), sampled(11.0, (0, 0), 10)], "dut", OUTPUTS, WINDOW).values():
        assert found.summary is None
        assert found.why == "no core was busy for as long as a tick of its clock"


def test_a_router_in_userland_keeps_cores_busy_though_not_in_the_kernel() -> None:
    found = costs([sampled(10.0), sampled(11.0, packets=100_000, user=50)], "dut", OUTPUTS, WINDOW)
    assert found[CPU].summary is not None and found[CPU].summary.mean == 5.0 and found[CPU].why == ""
    assert found[PER_CORE].summary is not None and found[PER_CORE].why == ""
    assert found[KERNEL].summary is None
    assert found[KERNEL].why == "no core was busy in the kernel for as long as a tick of its clock"


def test_hosts_on_one_kernel_share_their_cores() -> None:
    others = [replace(second(10.5), host="gen"), replace(second(10.6), host="sink", boot="another")]
    assert shared_with([*STEADY, *others], "dut") == ["gen"]
    assert {one.scope for one in costs([*STEADY, *others], "dut", OUTPUTS, WINDOW).values()} == {"machine"}
    assert {one.scope for one in costs(STEADY, "dut", OUTPUTS, WINDOW).values()} == {"dut"}
    assert {one.scope for one in costs(STEADY, "dut", OUTPUTS, WINDOW, shared=True).values()} == {"machine"}


def test_the_dut_of_an_old_recording_is_the_one_host_with_its_ports() -> None:
    elsewhere = replace(second(10.5), host="gen", interfaces=(InterfaceCounters("g0"),))
    assert host_with([*STEADY, elsewhere], OUTPUTS) == "dut"
    assert host_with([*STEADY, replace(second(10.5), host="twin")], OUTPUTS) == ""
    assert host_with([elsewhere], OUTPUTS) == ""


@pytest.mark.parametrize(("refresh", "interval"), [(1.0, 0.2), (1.0, 0.3), (0.25, 0.2), (1.003, 0.1)])
@pytest.mark.parametrize("phase", [0.05, 0.37, 0.61, 0.9])
def test_where_a_card_refreshes_slowly_packets_and_busy_time_are_of_the_same_seconds(
    refresh: float, interval: float, phase: float
) -> None:
    def read(at: float) -> HostSample:
        seen = (at - phase * refresh) // refresh * refresh + phase * refresh
        return sampled(at, (round(50 * at), round(25 * at)), round(100_000 * seen))

    samples: list[Sample] = [read(n * interval) for n in range(round(60 / interval))]
    found = costs(samples, "dut", OUTPUTS, (10.0, 40.0))[CPU].summary
    assert found is not None
    assert found.mean == pytest.approx(7.5, rel=interval / 28)
    assert found.median == pytest.approx(7.5, rel=0.35)


def test_a_pause_of_the_traffic_is_no_wait_for_a_refresh() -> None:
    paused: list[Sample] = [sampled(10 + at / 2, (25 * at, 0), 50_000 * min(at, 4)) for at in range(9)]
    (found,) = {one.seconds for one in costs(paused, "dut", OUTPUTS, WINDOW).values()}
    assert found == 4.0


def test_boots_to_which_older_versions_gave_one_name_are_not_one_kernel() -> None:
    hosts: list[Sample] = [
        HostSample(host, 1, 1.0, 1.0, boot="after the first boot") for host in ("dut", "gen")
    ]
    assert shared_with(hosts, "dut") == []
