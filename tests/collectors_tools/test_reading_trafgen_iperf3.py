"""Readers of trafgen and iperf3."""

from reading import GENERATOR, RECEIVER, read

from fwdtui.collectors.tools.iperf3 import Iperf3Output
from fwdtui.collectors.tools.trafgen import TrafgenReader

# trafgen


def test_reports_of_several_trafgen_side_by_side_add_up() -> None:
    report = "\r        3000 packets outgoing\n\r           3 sec, 609 usec on CPU0 (3000 packets)\n"
    _, _, verdict = read(TrafgenReader(GENERATOR), report * 8)
    assert (verdict.packets, verdict.seconds) == (24000, 3.000609)


def test_a_trafgen_that_sent_no_packet_sent_nothing() -> None:
    assert read(TrafgenReader(GENERATOR), "\r 0 packets outgoing\n")[2].nothing
    assert not read(TrafgenReader(GENERATOR), "Running! Hang up with ^C!\n")[2].nothing


# iperf3


def test_the_error_counts_and_not_the_exiting_after_it() -> None:
    text = (
        "iperf3: error - unable to start listener for connections: Address already in use\niperf3: exiting\n"
    )
    verdict = read(Iperf3Output(RECEIVER), text)[2]
    assert verdict.failure == "unable to start listener for connections: Address already in use"


def test_a_server_that_nobody_called_received_nothing() -> None:
    text = "Server listening on 5201 (test #1)\n-----\niperf3: interrupt - the server has terminated\n"
    verdict = read(Iperf3Output(RECEIVER), text)[2]
    assert (verdict.nothing, verdict.failure) == (True, "")


def test_a_server_that_prints_bytes_per_second_received_something_all_the_same() -> None:
    text = (
        "Server listening on 5201 (test #1)\nAccepted connection from 192.0.2.1, port 34758\n"
        "[  5] local 192.0.2.2 port 5201 connected to 192.0.2.1 port 57012\n"
        "[ ID] Interval           Transfer     Bitrate         Jitter    Lost/Total Datagrams\n"
        "[  5]   0.00-1.00   sec   123 KBytes  0.12 MBytes/sec  0.014 ms  5/105 (4.8%)  \n"  # iperf3 -s -f M
        "iperf3: interrupt - the server has terminated\n"
    )
    rates, _, verdict = read(Iperf3Output(RECEIVER), text)
    assert [(rate.pps, rate.lost) for rate in rates] == [(100.0, 5)]
    assert (verdict.nothing, verdict.packets) == (False, 100)


def test_a_failed_test_of_a_server_is_told_when_it_happens() -> None:
    text = (
        "Server listening on 5201 (test #1)\nAccepted connection from 192.0.2.1, port 34758\n"
        "iperf3: error - unable to receive control message: Connection reset by peer\n"
        "Server listening on 5201 (test #2)\n"
    )
    _, events, verdict = read(Iperf3Output(RECEIVER), text)
    assert [(event.code, event.host) for event in events] == [("tool-failed", "gen")]
    assert "Connection reset by peer" in events[0].text
    assert verdict.failure == ""


TCP = (
    "Connecting to host 127.0.0.1, port 5201\n"
    "[  5] local 127.0.0.1 port 33166 connected to 127.0.0.1 port 5201\n"
    "[ ID] Interval           Transfer     Bitrate         Retr  Cwnd\n"
    "[  5]   0.00-1.00   sec   582 MBytes  4.88 Gbits/sec    7    767 KBytes       \n"
    "[  5]   1.00-2.00   sec   582 MBytes  4.88 Gbits/sec    7    767 KBytes       \n"
)


def test_tcp_has_no_packets_so_there_is_no_rate_but_a_word_about_it() -> None:
    rates, events, verdict = read(Iperf3Output(GENERATOR), TCP)
    assert rates == []
    assert [event.text for event in events] == [
        "iperf3 tests TCP, which has no packets: the interface's counters give the rate"
    ]
    assert (verdict.packets, verdict.nothing) == (None, False)


BIDIR = (
    "Connecting to host 127.0.0.1, port 5977\n"
    "[  5] local 127.0.0.1 port 53412 connected to 127.0.0.1 port 5977\n"
    "[  7] local 127.0.0.1 port 35490 connected to 127.0.0.1 port 5977\n"
    "[ ID][Role] Interval           Transfer     Bitrate         Jitter    Lost/Total Datagrams\n"
    "[  5][TX-C]   0.00-1.00   sec   128 KBytes  1.05 Mbits/sec            4  \n"
    "[  7][RX-C]   0.00-1.00   sec   128 KBytes  1.05 Mbits/sec  0.016 ms  1/6 (17%)  \n"
)


def test_of_two_directions_only_the_endpoints_own_counts() -> None:
    assert [rate.pps for rate in read(Iperf3Output(GENERATOR), BIDIR)[0]] == [4.0]
    assert [(rate.pps, rate.lost) for rate in read(Iperf3Output(RECEIVER), BIDIR)[0]] == [(5.0, 1)]


# https://github.com/esnet/iperf/issues/252 and /114: up to 3.3 the summary of UDP has one line, whose
# side is not told, and a further one of the datagrams
OLD_SERVER = """\
Accepted connection from 10.10.11.130, port 35463
[  5] local 10.10.11.143 port 5201 connected to 10.10.11.130 port 44128
[ ID] Interval           Transfer     Bandwidth       Jitter    Lost/Total Datagrams
[  5]   0.00-1.00   sec   129 KBytes  1.05 Mbits/sec  0.207 ms  10/101 (9.9%)
[  5]   1.00-2.00   sec   127 KBytes  1.04 Mbits/sec  0.195 ms  0/99 (0%)
- - - - - - - - - - - - - - - - - - - - - - - - -
[ ID] Interval           Transfer     Bandwidth       Jitter    Lost/Total Datagrams
[  5]   0.00-2.00   sec   256 KBytes  1.05 Mbits/sec  0.195 ms  10/200 (5%)
[SUM]  0.0-2.0 sec  4 datagrams received out-of-order
"""
OLD_CLIENT = """\
Connecting to host 10.10.11.143, port 5201
[  4] local 10.10.11.130 port 53812 connected to 10.10.11.143 port 5201
[ ID] Interval           Transfer     Bandwidth       Total Datagrams
[  4]   0.00-1.00   sec   129 KBytes  1.05 Mbits/sec  101
[  4]   1.00-2.00   sec   127 KBytes  1.04 Mbits/sec  99
- - - - - - - - - - - - - - - - - - - - - - - - -
[ ID] Interval           Transfer     Bandwidth       Jitter    Lost/Total Datagrams
[  4]   0.00-2.00   sec   256 KBytes  1.05 Mbits/sec  0.195 ms  10/200 (5%)
[  4] Sent 200 datagrams

iperf Done.
"""


def test_the_summary_of_an_old_iperf3_is_no_further_interval() -> None:
    rates, events, verdict = read(Iperf3Output(RECEIVER), OLD_SERVER, 1.0)
    assert [(rate.pps, rate.packets) for rate in rates] == [(91, 91), (99, 99)]
    assert (verdict.packets, verdict.seconds, verdict.pps, verdict.lost) == (190, 2.0, 95.0, 10)
    assert (events, verdict.skipped) == ([], ())
    rates, events, verdict = read(Iperf3Output(GENERATOR), OLD_CLIENT, 1.0)
    assert [rate.packets for rate in rates] == [101, 99]
    assert (verdict.packets, verdict.seconds, verdict.pps, verdict.lost) == (200, 2.0, 100.0, 10)
    assert (events, verdict.skipped) == ([], ())


def test_a_total_that_iperf3_could_not_count_any_further_is_none() -> None:
    """https://github.com/esnet/iperf/issues/1534: 24 hours of iperf3 3.12, whose counts have 32 bits."""
    text = """\
Accepted connection from 10.10.11.130, port 35463
[  5] local 10.10.11.143 port 5201 connected to 10.10.11.130 port 44128
[ ID] Interval           Transfer     Bitrate         Jitter    Lost/Total Datagrams
[  5] 86360.00-86380.00 sec  2.33 GBytes  1000 Mbits/sec  0.004 ms  705/1801138 (0.039%)
[  5] 86380.00-86400.00 sec  2.26 GBytes   969 Mbits/sec  0.002 ms  55673/1801169 (3.1%)
[  5] 86400.00-86400.04 sec  5.24 MBytes   995 Mbits/sec  0.007 ms  0/0 (0%)
- - - - - - - - - - - - - - - - - - - - - - - - -
[ ID] Interval           Transfer     Bitrate         Jitter    Lost/Total Datagrams
[SUM]  0.0-86400.0 sec  1338478610 datagrams received out-of-order
[  5]   0.00-86400.04 sec  9.82 TBytes  1000 Mbits/sec  0.007 ms  0/2147483647 (0%)  receiver
"""
    verdict = read(Iperf3Output(RECEIVER), text, 1.0)[2]
    assert verdict.packets == 1801138 - 705 + 1801169 - 55673
    assert verdict.lost is None
