"""pkt-gen's output: every shape that its generations print, and odd input."""

import pytest
from fixtures import Agree, benchlab
from hypothesis import given
from hypothesis import strategies as st

from fwdtui.core.parse.netmap_pktgen import PktGenLog, interval_line, parse

OLDEST = "158.202558 main_thread [1550] 119730 pps (119850 pkts in 1001000 usec)"
PLAIN = (
    "367.082356 main_thread [2786] 7185923 pps (7637817 pkts 3449243061 bps in 1062886 usec) "
    "5.04 avg_batch 0 min_space"
)
NO_MIN_SPACE = (
    "143.205469 main_thread [1708] 33.000 pps (33.000 pkts 369.600 Kbps in 1001053 usec) 3.00 avg_batch"
)
UNITS = (
    "749.057310 main_thread [2666] 6.728 Mpps (6.735 Mpkts 3.229 Gbps in 1001031 usec) "
    "512.00 avg_batch 0 min_space"
)
AVERAGED = (  # as main_thread() of netmap's and of FreeBSD's pkt-gen.c puts it together: no blank after it
    "749.057310 main_thread [2666] 6.728 Mpps [avg/std 6.700 M/10.000 Kpps](6.735 Mpkts 3.229 Gbps in "
    "1001031 usec) 512.00 avg_batch 0 min_space"
)
PIPE = (  # https://github.com/luigirizzo/netmap/issues/709: a pipe, and frames of 2048 bytes
    "556.904538 main_thread [2661] 80.119 Mpps (80.203 Mpkts 1.313 Tbps in 1001040 usec) 511.50 avg_batch "
    "1 min_space"
)


@pytest.mark.parametrize(
    ("line", "pps", "packets", "bps", "usec"),
    [
        (OLDEST, 119730, 119850, None, 1001000),
        (PLAIN, 7185923, 7637817, 3449243061, 1062886),
        (NO_MIN_SPACE, 33, 33, 369600, 1001053),
        (UNITS, 6728000, 6735000, 3229000000, 1001031),
        (AVERAGED, 6728000, 6735000, 3229000000, 1001031),
        (PIPE, 80119000, 80203000, 1313000000000, 1001040),
    ],
)
def test_every_generation_of_interval_line_is_read_with_its_unit(line, pps, packets, bps, usec):
    item = interval_line(line)
    assert item is not None
    assert (item.pps, item.packets, item.bps, item.usec) == (pps, packets, bps, usec)


@pytest.mark.parametrize(
    "odd",
    [
        *("", UNITS, PLAIN.replace("1062886 usec", "0 usec"), PLAIN[:70], PLAIN + " ", PLAIN + " x"),
        *(" " + PLAIN, PLAIN + PLAIN, PLAIN + "\r", "747.1 main_thread [2666] ouch", "\n\n", "\r"),
    ],
)
def test_a_log_is_read_as_its_lines_are_whatever_is_among_them(odd: str) -> None:
    text = "\n".join([PLAIN, "CMD: pkt-gen -f rx", OLDEST, odd, PLAIN])
    one_by_one = [interval_line(line, number) for number, line in enumerate(text.split("\n"), 1)]
    assert parse(text).intervals == tuple(one for one in one_by_one if one and one.usec)


def test_the_interval_is_the_lines_own_and_never_assumed_to_be_a_second():
    log = parse(PLAIN + "\n")
    assert log.samples()[0].interval == pytest.approx(1.062886)


def test_the_timestamp_wraps_at_a_thousand_seconds_and_time_still_goes_on():
    lines = [
        f"{stamp} main_thread [1] 10 pps (10 pkts 80 bps in 1000000 usec) 1.00 avg_batch 0 min_space"
        for stamp in ("998.500000", "999.500000", "000.500000", "001.500000")
    ]
    assert [s.t for s in parse("\n".join(lines) + "\n").samples()] == [0.0, 1.0, 2.0, 3.0]


def test_command_line_and_host_tell_which_end_it_is():
    log = parse("CMD on pxetest1: pkt-gen -N -f rx -i vcxl1 -w 2 -W\n")
    assert (log.role, log.host, log.command) == ("receiver", "pxetest1", "pkt-gen -N -f rx -i vcxl1 -w 2 -W")
    assert parse("CMD: pkt-gen -f tx -N -i igb2\n").role == "generator"


@pytest.mark.parametrize(
    ("line", "packets", "seconds"),
    [
        ("Sent 1000000000 packets, 60 bytes each, in 67.26 seconds.", 1000000000, 67.26),
        (
            "Sent 80000000 packets 4800000000 bytes 34655745 events 60 bytes each in 53.76 seconds.",
            80000000,
            53.76,
        ),
        ("Received 2048 packets 126976 bytes 4 events 62 bytes each in -1553511367.09 seconds.", 2048, None),
    ],
)
def test_closing_lines_of_both_generations_and_the_negative_time_of_a_crash(line, packets, seconds):
    log = parse(line + "\n")
    assert (log.packets_total, log.seconds) == (packets, seconds)


def test_speed_line_keeps_its_unit():
    assert parse("Speed: 14.87 Mpps Bandwidth: 7.14 Gbps (raw 9.99 Gbps)\n").speed == 14870000
    assert parse("Speed: 14879804 pps Bandwidth: 7142305846 bps\n").speed == 14879804


def test_crash_kill_waiting_and_nothing_are_told():
    log = parse(
        "CMD: pkt-gen -f rx -i igb3\n"
        "367.1 receiver_body [1849] waiting for initial packets, poll returns 0 0\n"
        "367.173059 receiver_body [1804] poll err\n"
        "368.282046 main_thread [2541] ouch, thread 0 exited with error\n"
        "Received nothing.\nTerminated\n"
    )
    assert log.crash is not None and "ouch, thread 0" in log.crash
    assert (log.killed, log.nothing, log.waiting, log.truncated) == (True, True, 1, False)


def test_a_command_and_a_message_of_absurd_length_are_cut():
    long = "x" * 9999
    log = parse(f"CMD: pkt-gen -f rx {long}\n1.0 main [1] ouch, thread 0 exited with error{long}\n")
    assert (log.role, len(log.command), len(log.crash)) == ("receiver", 4096, 4096)


def test_a_log_cut_inside_a_line_is_truncated_and_the_half_line_is_not_a_sample():
    log = parse(PLAIN + "\n" + PLAIN[:60])
    assert len(log.intervals) == 1
    assert log.truncated
    assert "line 2" in log.skipped[0]


def test_a_whole_last_line_without_a_newline_is_not_truncated():
    assert not parse(PLAIN).truncated


def test_carriage_returns_do_not_matter():
    assert len(parse(PLAIN + "\r\n" + UNITS + "\r\n").intervals) == 2


@pytest.mark.parametrize("digits", ["18446744073709551615", "9" * 400, "9" * 5000])
@pytest.mark.parametrize("number", ["7185923", "7637817", "3449243061", "1062886"])
def test_a_number_that_nothing_can_count_is_skipped_and_told(number, digits):
    log = parse(f"{PLAIN}\n{PLAIN.replace(number, digits)}\n")
    assert len(log.intervals) == 1
    assert len(log.skipped) == 1 and log.skipped[0].startswith("line 2: not a whole interval line")
    closing = f"Sent {digits} packets, 60 bytes each, in 67.26 seconds.\n"
    assert parse(closing).packets_total is None


def test_an_interval_of_zero_microseconds_is_skipped_and_told():
    log = parse(PLAIN.replace("1062886 usec", "0 usec") + "\n")
    assert not log.intervals and "0 usec" in log.skipped[0]


@given(st.text())
def test_any_text_is_survived(text):
    log = parse(text)
    assert all(item.pps >= 0 for item in log.intervals)


@given(st.integers(0, len(PLAIN)), st.characters(), st.sampled_from([PLAIN, UNITS, AVERAGED, OLDEST]))
def test_any_one_character_change_is_survived(place, character, line):
    parse(line[:place] + character + line[place + 1 :])
    parse(line[:place])


def whole(text: str) -> PktGenLog:
    """A log that is read to its last line."""
    log = parse(text)
    assert log.command
    assert not log.skipped and not log.truncated
    times = [s.t for s in log.samples()]
    assert times == sorted(times)
    return log


def test_a_receiver_s_log_is_read_whole():
    log = whole(benchlab.log("rx", [0.0, *benchlab.rates(900_000, 0.01), 0.0]))
    assert (log.role, log.host, len(log.intervals)) == ("receiver", "192.0.2.9", 42)
    assert log.killed


def test_a_sender_s_closing_line_agrees_with_its_intervals():
    log = whole(benchlab.log("tx", benchlab.rates(900_000, 0.01), begin=980.0))
    assert log.role == "generator"
    assert log.packets_total == sum(item.packets for item in log.intervals)
    # a third of the 40 intervals is of 1.001001, 1.063 and 1 s
    assert log.seconds == pytest.approx(14 * 1.001001 + 13 * 1.063 + 13, abs=0.01)
    assert log.speed == pytest.approx(900_000, rel=0.01)


def stamped(*stamps: float) -> list[float]:
    text = "".join(
        f"{stamp:.6f} main_thread [1] 10 pps (10 pkts 80 bps in 1000000 usec)\n" for stamp in stamps
    )
    return [sample.t for sample in parse(text).samples()]


@pytest.mark.parametrize(
    ("stamps", "times"),
    [
        ((999.0, 0.0), [0.0, 1.0]),
        ((700.0, 199.0), [0.0, 499.0]),
        ((700.0, 201.0), [0.0, 501.0]),  # a second run in the same log, later by the rest of the period
        ((700.0, 698.9), [0.0, 998.9]),
        ((700.0, 699.0), [0.0, -1.0]),  # the machine's clock was set back by little
        ((999.0, 0.0, 999.0, 0.0), [0.0, 1.0, 1000.0, 1001.0]),
    ],
)
def test_a_stamp_that_goes_back_by_more_than_a_second_went_round(stamps, times) -> None:
    assert stamped(*stamps) == times


@pytest.mark.parametrize(
    ("text", "starts"),
    [
        ("CMD: pkt-gen -f rx\n1.0 main [1] interface is igb3\n", 1),
        ("CMD: pkt-gen -f rx\n" * 2, 2),
        ("1.0 main [1] interface is igb3\n" * 2, 2),  # logs of other scripts have no command line
        ("CMD: \nCMD: pkt-gen -f rx\n", 1),  # the first was never started
    ],
)
def test_a_log_says_how_often_pkt_gen_was_started(text: str, starts: int) -> None:
    assert parse(text).starts == starts


@pytest.mark.parametrize(("usec", "read"), [(0, False), (1, True), (2, True)])
def test_an_interval_has_a_length(usec: int, read: bool) -> None:
    log = parse(f"1.000000 main_thread [1] 10 pps (10 pkts 80 bps in {usec} usec)\n")
    assert len(log.intervals) == read and bool(log.skipped) is not read


@pytest.mark.parametrize(
    ("line", "role", "seconds"),
    [
        ("Sent 5 packets 300 bytes 5 events 60 bytes each in 0.00 seconds.", "generator", 0.0),
        ("Received 5 packets 300 bytes 5 events 60 bytes each in 2.50 seconds.", "receiver", 2.5),
        ("Received 5 packets 300 bytes 5 events 60 bytes each in -1.00 seconds.", "receiver", None),
        ("Sent nothing.", "generator", None),
        ("Received nothing.", "receiver", None),
        ("1.0 receiver_body [1] x", "receiver", None),
        ("1.0 sender_body [1] x", "generator", None),
    ],
)
def test_without_its_command_a_log_tells_its_side_by_its_words(line, role, seconds) -> None:
    log = parse(line + "\n")
    assert (log.role, log.seconds) == (role, seconds)
    of_another = parse("CMD: pkt-gen -f pong -i x\n" + line + "\n")
    assert of_another.role == "receiver", "the command decides"


@pytest.mark.parametrize(
    ("rate", "pps"), [("6.7285 K", 6728.5), ("33.126", 33.126), ("6.728 M", 6_728_000.0), ("1.2 G", 1.2e9)]
)
def test_a_rate_is_exact_to_a_thousandth(rate: str, pps: float) -> None:
    text = f"1.000000 main_thread [1] {rate}{'' if rate[-1] in 'KMG' else ' '}pps (10 pkts in 1000000 usec)"
    item = interval_line(text)
    assert item is not None and item.pps == pps


# the same in real results


def real_all_real_receiver_logs_are_read_whole(netbenches):
    logs = sorted(netbenches.rglob("*.receiver"))
    assert len(logs) == 140
    for path in logs:
        log = parse(path.read_text())
        assert log.role == "receiver" and log.command
        assert not log.skipped and not log.truncated
        assert len(log.intervals) > 30
        times = [s.t for s in log.samples()]
        assert times == sorted(times)


def real_all_real_sender_logs_are_read_and_their_closing_speed_agrees_with_their_intervals(netbenches):
    for path in sorted(netbenches.rglob("*.sender")):
        log = parse(path.read_text())
        assert log.role == "generator"
        if log.seconds and log.packets_total:
            packets = sum(item.packets for item in log.intervals)
            assert packets == pytest.approx(log.packets_total, rel=0.05)


def test_real_results_say_the_same(agree: Agree) -> None:
    agree(
        real_all_real_receiver_logs_are_read_whole,
        real_all_real_sender_logs_are_read_and_their_closing_speed_agrees_with_their_intervals,
    )
