"""Readers of netmap's pkt-gen and of Linux' pktgen."""

import pytest
from fixtures import benchlab
from reading import GENERATOR, LINE, RECEIVER, device, line_by_line, look, read

from fwdtui.collectors.tools.linux_pktgen import PktgenReader
from fwdtui.collectors.tools.netmap_pktgen import PktGenReader
from fwdtui.core.model import RateSample

# netmap's pkt-gen


@pytest.mark.parametrize(("mode", "role"), [("tx", "generator"), ("rx", "receiver")])
def test_a_log_gives_the_same_intervals_line_by_line_as_at_once(mode: str, role: str) -> None:
    levels = benchlab.rates(900_000, 0.01)
    assert line_by_line(benchlab.log(mode, levels, begin=980.0), role) == len(levels)


STARTED = "304.739439 main [1753] interface is igb2\n309.020485 sender_body [1108] start, fd 4 main_fd 3\n"
WAITING = "123.1 receiver_body [1849] waiting for initial packets, poll returns 0 0\n"


def test_a_sample_belongs_to_its_endpoint_and_lies_where_it_arrived() -> None:
    rates, _, _ = read(PktGenReader(GENERATOR), STARTED + LINE.format(310, 1000, 1000), step=1.0)
    assert rates == [RateSample("generator", 0.0, 1.0, 1000.0, 1000.0, 480000.0, "gen", 102.0, None, "igb2")]


def test_the_clock_goes_on_where_the_printed_one_wraps() -> None:
    text = "".join(LINE.format(stamp, 10, 10) for stamp in (998.5, 999.5, 0.5, 1.5))
    rates, _, _ = read(PktGenReader(GENERATOR), text)
    assert [rate.t for rate in rates] == [0.0, 1.0, 2.0, 3.0]


def test_several_in_one_start_command_are_told_since_their_rates_cannot_be_added() -> None:
    """``pkt-gen -i igb2 & pkt-gen -i igb3; wait``: half of the load would pass for all of it."""
    one = [LINE.format(stamp, 7000, 7000) for stamp in range(990, 1000)]
    other = [LINE.format(stamp + 0.3, 7000, 7000) for stamp in range(990, 1000)]
    text = "".join(line for pair in zip(one, other, strict=True) for line in pair)
    told = "several pkt-gens print to this output at once: each rate is that of a single one, not the total"
    for origin, more in (
        (GENERATOR, "; give each a port and a [[generator]] of its own"),
        (RECEIVER, "; start only one, or remove [receiver], so that what the DUT forwards is the value"),
    ):
        rates, events, _ = read(PktGenReader(origin), text)
        assert len(rates) == 20 and [event.text for event in events] == [told + more]
        assert [(event.code, event.role) for event in events] == [("several-tools", origin.role)]
        assert read(PktGenReader(origin), "".join(one))[1] == []


def test_a_dead_thread_is_a_failure_although_it_exits_with_0() -> None:
    text = LINE.format(366, 10, 10) + (
        "367.173059 receiver_body [1804] poll err\n"
        "368.282046 main_thread [2541] ouch, thread 0 exited with error\n"
        "Received 2048 packets 126976 bytes 4 events 62 bytes each in -1553511367.09 seconds.\n"
    )
    _, _, verdict = read(PktGenReader(RECEIVER), text)
    assert verdict.failure.endswith("ouch, thread 0 exited with error")
    assert (verdict.packets, verdict.seconds, verdict.pps) == (2048, None, None)
    assert not verdict.nothing


def test_a_card_that_cannot_be_opened_is_a_failure_although_it_exits_with_0() -> None:
    text = (
        "301.100000 main [2663] interface is igb9\n"
        "301.100100 main [2801] Unable to open netmap:igb9: Device not configured\n"
        "301.100200 main [2878] aborting\n"
        "Usage:\npkt-gen arguments\n\t-i interface\t\tinterface name\n"
    )
    _, _, verdict = read(PktGenReader(GENERATOR), text)
    assert verdict.failure == "Unable to open netmap:igb9: Device not configured"


@pytest.mark.parametrize(
    ("text", "nothing"),
    [
        (LINE.format(1, 0, 0) + LINE.format(2, 0, 0), True),
        (LINE.format(1, 0, 0) + LINE.format(2, 7, 7) + LINE.format(3, 0, 0), False),
        (WAITING, True),
        (WAITING + LINE.format(1, 7, 7), False),
        ("Received nothing.\n", True),
        ("", False),  # no output tells nothing
    ],
)
def test_a_run_of_0_pps_is_told_from_one_of_which_nothing_is_known(text: str, nothing: bool) -> None:
    assert read(PktGenReader(RECEIVER), text)[2].nothing is nothing


def test_a_receiver_in_the_generators_place_offers_nothing_and_says_so_once() -> None:
    text = "309.0 receiver_body [1108] reading from netmap:igb2 fd 3 main_fd 3\n" * 2 + LINE.format(1, 7, 7)
    rates, events, _ = read(PktGenReader(GENERATOR), text)
    assert rates == []
    assert [event.text for event in events] == [
        "this pkt-gen is a receiver, but the generator in lab.toml: not counted"
    ]


def test_totals_come_from_the_closing_lines_of_both_generations() -> None:
    for closing in (
        "Sent 1000000000 packets, 60 bytes each, in 67.26 seconds.\n",
        "Sent 1000000000 packets 60000000000 bytes 2609357 events 60 bytes each in 67.26 seconds.\n",
    ):
        _, _, verdict = read(PktGenReader(GENERATOR), LINE.format(1, 7, 7) + closing)
        assert (verdict.packets, verdict.seconds) == (1_000_000_000, 67.26)
        assert verdict.pps == pytest.approx(14.867e6, rel=1e-3)


# Linux pktgen: the text is that of the kernel's documentation, its numbers vary


DONE = "OK: 2000000(c1999975+d25) usec, 30000 (60byte,0frags)\n  15000pps 7Mb/sec (7200000bps) errors: 0"


def test_pktgen_rates_are_differences_on_the_kernels_own_clock() -> None:
    text = (
        look(a=device(0, 0, 0, "Idle"))
        + look(a=device(10_000, 5_000_000, 6_000_000))
        + look(a=device(30_000, 5_000_000, 7_000_000, DONE))
    )
    rates, events, verdict = read(PktgenReader(GENERATOR), text)
    assert [(r.t, r.interval, r.pps, r.packets) for r in rates] == [
        (0.0, 1.0, 10_000.0, 10_000),
        (1.0, 1.0, 20_000.0, 20_000),
    ]
    assert events == []
    assert (verdict.packets, verdict.seconds, verdict.pps) == (30_000, 2.0, 15_000.0)


def test_pktgens_threads_add_up_and_one_that_has_ended_is_left_out() -> None:
    text = (
        look()
        + look(a=device(1000, 5_000_000, 6_000_000), b=device(2000, 5_000_000, 6_000_000))
        + look(a=device(1500, 5_000_000, 6_500_000, DONE), b=device(4000, 5_000_000, 7_000_000))
        + look(a=device(1500, 5_000_000, 6_500_000, DONE), b=device(6000, 5_000_000, 8_000_000))
    )
    rates, _, _ = read(PktgenReader(GENERATOR), text)
    assert [(rate.t, rate.pps) for rate in rates] == [(0.0, 3000.0), (1.0, 3000.0), (2.0, 2000.0)]


def test_a_run_that_pktgen_finished_before_ours_is_not_ours() -> None:
    old = device(100_000, 1_000_000, 2_000_000, DONE)
    rates, _, verdict = read(PktgenReader(GENERATOR), look(a=old) * 3)
    assert rates == []
    assert verdict.packets is None
    rates, _, _ = read(PktgenReader(GENERATOR), look(a=old) + look(a=device(500, 9_000_000, 9_500_000)))
    assert [rate.pps for rate in rates] == [1000.0]


def test_of_several_runs_of_one_start_command_the_total_is_not_known() -> None:
    """The file has the last one's: more left the port, which is not what somebody else sent."""
    text = look(a=device(0, 0, 0, "Idle")) + look(a=device(10_000, 5_000_000, 6_000_000))
    text += look(a=device(30_000, 5_000_000, 7_000_000, DONE))
    again = look(a=device(30_000, 8_000_000, 10_000_000, DONE))
    assert read(PktgenReader(GENERATOR), text)[2].packets == 30_000
    assert read(PktgenReader(GENERATOR), text + again)[2].packets is None


def test_a_pktgen_that_somebody_else_left_running_is_not_counted_and_named() -> None:
    text = look(a=device(10, 1_000_000, 2_000_000)) + look(a=device(999, 1_000_000, 3_000_000))
    rates, events, verdict = read(PktgenReader(GENERATOR), text)
    assert rates == []
    assert [event.code for event in events] == ["note"]
    assert verdict.packets is None


def test_an_interface_without_a_pktgen_device_is_named() -> None:
    verdict = read(PktgenReader(GENERATOR), look() + look())[2]
    assert verdict.failure.startswith("no device for igb2 in /proc/net/pktgen")


@pytest.mark.parametrize(("refused", "told"), [(1, "1 packet"), (17, "17 packets")])
def test_a_pktgen_that_sent_no_packet_sent_nothing(refused: int, told: str) -> None:
    none = f"OK: 2000000(c1999975+d25) usec, 0 (60byte,0frags)\n  0pps 0Mb/sec (0bps) errors: {refused}"
    verdict = read(PktgenReader(GENERATOR), look() + look(a=device(0, 5_000_000, 7_000_000, none)))[2]
    assert verdict.nothing
    assert verdict.skipped == (f"the driver refused {told}",)
