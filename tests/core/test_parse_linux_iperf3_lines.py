"""iperf3 line by line: its plain text and its JSON stream."""

from pathlib import Path

import pytest
from fixtures import Agree, linux

from fwdtui.core.parse.iperf3 import Iperf3Interval, Iperf3Run
from fwdtui.core.parse.iperf3_lines import Iperf3Reader, parse_iperf3_lines

CONNECTED = "[  5] local 127.0.0.1 port 33166 connected to 127.0.0.1 port 5999\n"
CLIENT = "Connecting to host 127.0.0.1, port 5999\n" + CONNECTED


def run(captures: Path, name: str) -> Iperf3Run:
    parsed = parse_iperf3_lines((captures / "linux" / f"iperf3-{name}.txt").read_text())
    assert parsed.skipped == ()
    (found,) = parsed.value
    return found


def one(text: str) -> Iperf3Run:
    parsed = parse_iperf3_lines(text)
    assert parsed.skipped == ()
    (found,) = parsed.value
    return found


def ours(name: str) -> Iperf3Run:
    parsed = parse_iperf3_lines(linux(f"iperf3-{name}"))
    assert parsed.skipped == ()
    (found,) = parsed.value
    return found


def test_a_udp_client_s_text_counts_datagrams() -> None:
    found = ours("3.12-udp-text-client")
    assert (found.protocol, found.server, found.streams) == ("UDP", False, 1)
    assert [(item.start, item.end, item.packets, item.sender) for item in found.intervals] == [
        (0.0, 1.0, 500, True),
        (1.0, 2.0, 500, True),
    ]
    assert found.intervals[0].bytes == 244 * 1024
    assert found.intervals[0].rounded, "three digits of 250000"
    assert found.complete


def test_the_sender_s_total_of_the_text_knows_no_loss_either() -> None:
    found = ours("3.12-udp-text-client")
    assert found.sent is not None
    assert found.received is not None
    assert (found.sent.packets, found.sent.lost, found.sent.jitter_ms) == (1000, None, None)
    assert (found.received.packets, found.received.lost, found.received.jitter_ms) == (1000, 0, 0.005)


def test_a_udp_server_s_text_has_loss_and_jitter() -> None:
    found = ours("3.12-udp-text-server")
    assert found.server is True
    # the thousandth datagram came after the second second
    assert [item.packets for item in found.intervals] == [499, 500, 1]
    assert found.intervals[0] == Iperf3Interval(
        0.0, 1.0, 244 * 1024, 499, 0, 0.004, sender=False, rounded=True
    )
    assert found.sent is None
    assert found.received is not None
    assert found.received.packets == 1000


def test_a_refused_connection_is_an_error() -> None:
    found = ours("3.12-text-refused")
    assert found.error == "unable to connect to server: Connection refused"
    assert not found.complete


def test_a_stream_gives_each_interval_with_its_line() -> None:
    reader = Iperf3Reader()
    lines = linux("iperf3-3.21-json-stream-server").rstrip().split("\n")
    assert [[item.packets for item in reader.feed(line)] for line in lines] == [[], [1000], [1000], [1], []]
    (found,) = reader.result().value
    assert found.complete
    assert found.sent is None
    assert found.received is not None
    assert found.received.packets == 2001


def test_a_stream_s_end_after_an_error_does_not_make_it_complete() -> None:
    refused = ours("3.21-json-stream-refused")
    assert refused.error is not None
    assert refused.error.endswith("Connection refused")
    assert not refused.ended
    interrupted = ours("3.21-json-stream-sigint")
    assert interrupted.error == "interrupt - the client has terminated by signal Interrupt(2)"
    assert interrupted.ended
    assert not interrupted.complete
    assert interrupted.received is None
    assert interrupted.sent is not None
    assert interrupted.sent.packets == 1600


def test_a_reverse_stream_of_two_adds_both() -> None:
    found = ours("3.21-json-stream-reverse-P2")
    assert (found.reverse, found.streams) == (True, 2)
    assert [item.packets for item in found.intervals] == [2000, 2000]
    assert found.sent is not None
    assert found.received is not None
    assert (found.sent.packets, found.received.packets) == (4001, 4000)


def test_a_client_s_stream() -> None:
    found = ours("3.21-json-stream-client")
    assert [item.packets for item in found.intervals] == [1001, 1000]
    assert found.target_bitrate == 2_000_000, "a key that comes twice does no harm"
    assert found.complete


def test_a_reader_can_be_asked_at_any_time() -> None:
    reader = Iperf3Reader()
    assert reader.result().value == ()
    for line in linux("iperf3-3.12-udp-text-client").split("\n")[:4]:
        reader.feed(line)
    (found,) = reader.result().value
    assert len(found.intervals) == 1
    assert not found.ended


def test_an_interrupted_client_does_not_know_what_was_received() -> None:
    found = one(
        CLIENT + "[ ID] Interval           Transfer     Bitrate         Total Datagrams\n"
        "[  5]   0.00-1.00   sec   123 KBytes  1.00 Mbits/sec  105  \n"
        "[  5]   1.00-1.59   sec  71.5 KBytes   993 Kbits/sec  61  \n"
        "iperf3: interrupt - the client has terminated\n"
        "- - - - - - - - - - - - - - - - - - - - - - - - -\n"
        "[ ID] Interval           Transfer     Bitrate         Jitter    Lost/Total Datagrams\n"
        "[  5]   0.00-1.59   sec   195 KBytes  1.00 Mbits/sec  0.000 ms  0/166 (0%)  sender\n"
        "[  5]   0.00-1.59   sec  0.00 Bytes  0.00 bits/sec  0.000 ms  0/0 (0%)  receiver\n"
    )
    assert [item.packets for item in found.intervals] == [105, 61]
    assert found.sent is not None
    assert found.sent.packets == 166
    assert found.received is None
    assert found.error == "interrupt - the client has terminated"


def test_a_server_whose_client_was_interrupted_repeats_the_last_interval() -> None:
    found = one(
        "-----------------------------------------------------------\n"
        "Server listening on 5998 (test #1)\n"
        "-----------------------------------------------------------\n"
        "Accepted connection from 127.0.0.1, port 54114\n" + CONNECTED + "[ ID] Interval           Transfer"
        "     Bitrate         Jitter    Lost/Total Datagrams\n"
        "[  5]   0.00-1.00   sec   123 KBytes  1.00 Mbits/sec  0.014 ms  0/105 (0%)  \n"
        "[ ID] Interval           Transfer     Bitrate         Jitter    Lost/Total Datagrams\n"
        "[  5]   0.00-1.00   sec   123 KBytes  1.00 Mbits/sec  0.014 ms  0/105 (0%)  \n"
        "iperf3: the client has terminated\n"
        "- - - - - - - - - - - - - - - - - - - - - - - - -\n"
        "[ ID] Interval           Transfer     Bitrate         Jitter    Lost/Total Datagrams\n"
        "[  5]   0.00-1.00   sec   195 KBytes  1.59 Mbits/sec  0.007 ms  0/166 (0%)  receiver\n"
        "-----------------------------------------------------------\n"
        "Server listening on 5998 (test #2)\n"
        "-----------------------------------------------------------\n"
        "iperf3: interrupt - the server has terminated\n"
    )
    assert [item.packets for item in found.intervals] == [105]
    assert found.error == "the client has terminated"


def test_a_repeated_interval_is_not_given_a_second_time_while_the_test_runs() -> None:
    reader = Iperf3Reader()
    line = "[  5]   0.00-1.00   sec   123 KBytes  1.00 Mbits/sec  0.014 ms  0/105 (0%)  "
    assert len(reader.feed(line)) == 1
    assert reader.feed(line) == []


TCP_TWO_STREAMS = (
    CLIENT
    + CONNECTED.replace("33166", "33172")
    + (
        "[ ID] Interval           Transfer     Bitrate         Retr  Cwnd\n"
        "[  5]   0.00-1.00   sec   582 MBytes  4.88 Gbits/sec    7    767 KBytes       \n"
        "[  7]   0.00-1.00   sec   578 MBytes  4.84 Gbits/sec    3    767 KBytes       \n"
        "[SUM]   0.00-1.00   sec  1.13 GBytes  9.72 Gbits/sec   10             \n"
        "- - - - - - - - - - - - - - - - - - - - - - - - -\n"
        "[  5]   1.00-2.00   sec   162 MBytes  1.36 Gbits/sec    4    767 KBytes       \n"
        "[  7]   1.00-2.00   sec   158 MBytes  1.32 Gbits/sec    3    767 KBytes       \n"
        "[SUM]   1.00-2.00   sec   320 MBytes  2.69 Gbits/sec    7             \n"
        "- - - - - - - - - - - - - - - - - - - - - - - - -\n"
        "[ ID] Interval           Transfer     Bitrate         Retr\n"
        "[  5]   0.00-2.00   sec   745 MBytes  3.12 Gbits/sec   11             sender\n"
        "[  5]   0.00-2.00   sec   745 MBytes  3.12 Gbits/sec                  receiver\n"
        "[SUM]   0.00-2.00   sec  1.45 GBytes  6.21 Gbits/sec   17             sender\n"
        "[SUM]   0.00-2.00   sec  1.45 GBytes  6.21 Gbits/sec                  receiver\n"
        "\niperf Done.\n"
    )
)


def test_of_several_streams_only_the_sum_counts() -> None:
    found = one(TCP_TWO_STREAMS)
    assert (found.protocol, found.streams) == ("TCP", 2)
    assert [(item.start, item.retransmits) for item in found.intervals] == [(0.0, 10), (1.0, 7)]
    assert found.sent is not None
    assert (found.sent.retransmits, found.sent.packets) == (17, None)
    assert found.intervals[1].bytes == 320 * 1024**2


def test_a_sum_is_datagrams_or_retransmits_by_the_heading_above_it() -> None:
    line = "[  5]   0.00-1.00   sec   512 KBytes  4.19 Mbits/sec  16  \n"
    heading = "[ ID] Interval           Transfer     Bitrate         {}\n"
    udp = one(CLIENT + heading.format("Total Datagrams") + line).intervals[0]
    assert (udp.packets, udp.retransmits) == (16, None)
    tcp = one(CLIENT + heading.format("Retr  Cwnd") + line).intervals[0]
    assert (tcp.packets, tcp.retransmits) == (None, 16)
    unknown = one(CLIENT + line).intervals[0]
    assert (unknown.packets, unknown.retransmits) == (None, None)


def test_both_directions_are_told_apart_by_their_role() -> None:
    found = one(
        CLIENT
        + CONNECTED
        + (
            "[ ID][Role] Interval           Transfer     Bitrate         Jitter    Lost/Total Datagrams\n"
            "[  5][TX-C]   0.00-1.00   sec   256 KBytes  2.10 Mbits/sec            8  \n"
            "[  7][RX-C]   0.00-1.00   sec   224 KBytes  1.83 Mbits/sec  0.519 ms  1/8 (12%)  \n"
        )
    )
    sent, received = found.intervals
    assert (sent.sender, sent.packets) == (True, 8)
    assert (received.sender, received.packets, received.lost) == (False, 8, 1)
    assert found.streams == 1


def test_an_omitted_interval_says_so() -> None:
    found = one(
        CLIENT + "[ ID] Interval           Transfer     Bitrate         Retr  Cwnd\n"
        "[  5]   0.00-1.03   sec   228 MBytes  1.84 Gbits/sec   13   1.12 MBytes       (omitted)\n"
        "[  5]   0.00-1.00   sec  1.47 GBytes  12.6 Gbits/sec   17   1.75 MBytes       \n"
    )
    assert [(item.omitted, item.retransmits) for item in found.intervals] == [(True, 13), (False, 17)]


def test_the_scrap_after_the_last_interval_has_no_length() -> None:
    line = "[  5]   2.00-2.00   sec   256 KBytes  5.41 Gbits/sec                  \n"
    assert one(CLIENT + line).intervals[0].seconds == 0


def test_late_packets_make_a_loss_negative() -> None:
    line = "[  5]   1.00-2.00   sec   611 KBytes  5.00 Mbits/sec  0.005 ms  -3/521 (-0.58%)  \n"
    assert one(CLIENT + line).intervals[0].lost == -3


def test_a_stamp_before_the_line_does_not_hide_it() -> None:
    line = (
        "Fri Nov 20 16:42:57 2026 [  5]   0.00-1.00   sec   128 KBytes  1.05 Mbits/sec    0    944 KBytes\n"
    )
    assert one(CLIENT + line).intervals[0].bytes == 128 * 1024


def test_a_server_s_log_holds_a_run_per_test() -> None:
    test = (
        "Server listening on 5999 (test #1)\n"
        "Accepted connection from 127.0.0.1, port 46836\n" + CONNECTED + "[ ID] Interval           Transfer"
        "     Bitrate\n"
        "[  5]   0.00-1.00   sec  1.14 GBytes  9.83 Gbits/sec                  \n"
        "[ ID] Interval           Transfer     Bitrate\n"
        "[  5]   0.00-2.01   sec  1.62 GBytes  6.93 Gbits/sec                  receiver\n"
    )
    stamped = "".join(f"Fri Nov 20 16:42:57 2026 {line}\n" for line in test.splitlines())  # --timestamps
    for log in (test + test, stamped + stamped):
        parsed = parse_iperf3_lines(log)
        assert [len(found.intervals) for found in parsed.value] == [1, 1]
        assert all(found.complete and found.server for found in parsed.value)


@pytest.mark.parametrize("line", ["{", '{"event":5}', "garbage", "[  5] 5.00-1.00 sec 1 KBytes 1 bits/sec"])
def test_a_line_that_says_nothing_is_skipped_with_a_reason(line: str) -> None:
    reader = Iperf3Reader()
    assert reader.feed(line) == []
    assert len(reader.result().skipped) == 1


@pytest.mark.parametrize(
    ("amount", "size"),
    [
        ("512 Bytes", 512), ("1.50 KBytes", 1536), ("1.25 MBytes", 1_310_720), ("1.10 GBytes", 1_181_116_006),
        ("2.00 TBytes", 2 * 2**40),
    ],
)  # fmt: skip
def test_amounts_are_in_multiples_of_1024(amount: str, size: int) -> None:
    found = Iperf3Reader().feed(f"[  5]   0.00-1.00   sec  {amount}  9.39 Gbits/sec")
    assert [item.bytes for item in found] == [size]


def test_a_line_that_is_printed_again_within_two_counts_once() -> None:
    def line(number: int) -> str:
        return f"[  5]   {number}.00-{number + 1}.00   sec  1.25 MBytes  10.5 Mbits/sec"

    for repeated, kept in (((0, 1, 1), 2), ((0, 1, 0), 2), ((0, 1, 2, 0), 4)):
        reader = Iperf3Reader()
        assert sum(len(reader.feed(line(number))) for number in repeated) == kept


def test_the_remainder_of_no_length_is_an_interval_and_one_that_goes_back_is_none() -> None:
    reader = Iperf3Reader()
    assert len(reader.feed("[  5]   5.00-5.00   sec  0.00 Bytes  0.00 bits/sec")) == 1
    assert reader.feed("[  5]   5.00-4.99   sec  0.00 Bytes  0.00 bits/sec") == []
    assert "ends before it starts" in reader.result().skipped[0]


# the same in real results


def real_a_udp_client_s_text_counts_datagrams(captures: Path) -> None:
    found = run(captures, "3.12-udp-text-client")
    assert (found.protocol, found.server, found.streams) == ("UDP", False, 1)
    assert [(item.start, item.end, item.packets, item.sender) for item in found.intervals] == [
        (0.0, 1.0, 521, True),
        (1.0, 2.0, 521, True),
    ]
    assert found.intervals[0].bytes == 611 * 1024
    assert found.intervals[0].rounded, "three digits of 625200"
    assert found.complete


def real_the_sender_s_total_of_the_text_knows_no_loss_either(captures: Path) -> None:
    found = run(captures, "3.12-udp-text-client")
    assert found.sent is not None
    assert found.received is not None
    assert (found.sent.packets, found.sent.lost, found.sent.jitter_ms) == (1042, None, None)
    assert (found.received.packets, found.received.lost, found.received.jitter_ms) == (1042, 0, 0.005)


def real_a_udp_server_s_text_has_loss_and_jitter(captures: Path) -> None:
    found = run(captures, "3.12-udp-text-server")
    assert found.server is True
    assert found.intervals[0] == Iperf3Interval(
        0.0, 1.0, 611 * 1024, 521, 0, 0.007, sender=False, rounded=True
    )
    assert found.sent is None
    assert found.received is not None
    assert found.received.packets == 1042


def real_a_refused_connection_is_an_error(captures: Path) -> None:
    found = run(captures, "3.12-text-connrefused.stderr")
    assert found.error == "unable to connect to server: Connection refused"
    assert not found.complete


def real_a_stream_gives_each_interval_with_its_line(captures: Path) -> None:
    text = (captures / "linux/iperf3-3.21-udp-json-stream-server.txt").read_text()
    reader = Iperf3Reader()
    per_line = [[item.packets for item in reader.feed(line)] for line in text.rstrip().split("\n")]
    assert per_line == [[], [521], [521], [521], [1], []]
    (found,) = reader.result().value
    assert found.complete
    assert found.sent is None
    assert found.received is not None
    assert found.received.packets == 1564


def real_a_stream_s_end_after_an_error_does_not_make_it_complete(captures: Path) -> None:
    refused = run(captures, "3.21-connrefused-json-stream.stdout")
    assert refused.error is not None
    assert refused.error.endswith("Connection refused")
    assert not refused.ended
    interrupted = run(captures, "3.21-sigint-json-stream.stdout")
    assert interrupted.error == "interrupt - the client has terminated by signal Interrupt(2)"
    assert interrupted.ended
    assert not interrupted.complete
    assert interrupted.received is None
    assert interrupted.sent is not None
    assert interrupted.sent.packets == 167


def real_a_reverse_stream_of_two_adds_both(captures: Path) -> None:
    found = run(captures, "3.21-udp-R-P2-json-stream-client")
    assert (found.reverse, found.streams) == (True, 2)
    assert [item.packets for item in found.intervals] == [1042, 1042]
    assert found.sent is not None
    assert found.received is not None
    assert (found.sent.packets, found.received.packets) == (2085, 2084)


def real_a_client_s_stream(captures: Path) -> None:
    found = run(captures, "3.21-udp-json-stream-client")
    assert [item.packets for item in found.intervals] == [522, 521, 521]
    assert found.complete


def real_a_reader_can_be_asked_at_any_time(captures: Path) -> None:
    reader = Iperf3Reader()
    assert reader.result().value == ()
    for line in (captures / "linux/iperf3-3.12-udp-text-client.txt").read_text().split("\n")[:4]:
        reader.feed(line)
    (found,) = reader.result().value
    assert len(found.intervals) == 1
    assert not found.ended


def test_real_results_say_the_same(agree: Agree) -> None:
    agree(
        real_a_udp_client_s_text_counts_datagrams,
        real_the_sender_s_total_of_the_text_knows_no_loss_either,
        real_a_udp_server_s_text_has_loss_and_jitter,
        real_a_refused_connection_is_an_error,
        real_a_stream_gives_each_interval_with_its_line,
        real_a_stream_s_end_after_an_error_does_not_make_it_complete,
        real_a_reverse_stream_of_two_adds_both,
        real_a_client_s_stream,
        real_a_reader_can_be_asked_at_any_time,
    )
