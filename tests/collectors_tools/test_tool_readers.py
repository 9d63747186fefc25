"""Readers: lines as they come give what a parser of the whole log gives, and a verdict at the end."""

from itertools import pairwise
from pathlib import Path

import pytest
from fixtures import Agree, benchlab, cases, linux
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from fwdtui.collectors.tools.base import Origin, Reader, ToolVerdict
from fwdtui.collectors.tools.iperf3 import Iperf3Output
from fwdtui.collectors.tools.linux_pktgen import PktgenReader
from fwdtui.collectors.tools.netmap_pktgen import PktGenReader
from fwdtui.collectors.tools.trafgen import TrafgenReader
from fwdtui.core.model import EventSample, RateSample
from fwdtui.core.parse.iperf3 import parse_iperf3_json
from fwdtui.core.parse.netmap_pktgen import parse
from fwdtui.core.text import clean, decode

GENERATOR = Origin("generator", "gen", "igb2")
RECEIVER = Origin("receiver", "gen", "igb3")


def read(
    reader: Reader, text: str, step: float = 0.0
) -> tuple[list[RateSample], list[EventSample], ToolVerdict]:
    """All lines of `text`, `step` seconds apart."""
    samples = [
        sample
        for number, line in enumerate(text.removesuffix("\n").split("\n"))
        for sample in reader.feed(clean(line), 100.0 + number * step)
    ]
    rates = [sample for sample in samples if isinstance(sample, RateSample)]
    return rates, [sample for sample in samples if isinstance(sample, EventSample)], reader.close()


# whole outputs


@pytest.mark.parametrize(
    ("name", "packets", "seconds"),
    [
        ("b-1000pps", 1500, 1.000463),
        ("n4000-all-cpus", 4000, 0.002496),
        ("n4000-one-cpu", 4000, 0.002857),
        ("sigint", 2000, 0.992681),
    ],
)
def test_trafgens_report_gives_totals_and_no_samples(name: str, packets: int, seconds: float) -> None:
    rates, events, verdict = read(TrafgenReader(GENERATOR), linux(f"trafgen-{name}"))
    assert (rates, events) == ([], [])
    assert (verdict.packets, verdict.seconds, verdict.failure) == (packets, seconds, "")


@pytest.mark.parametrize(
    ("name", "failure"),
    [
        ("absent-device", "No networking device or pcap file: absent0"),
        ("absent-config", "Cannot access absent.cfg: No such file or directory!"),
    ],
)
def test_trafgens_own_words_tell_why_it_failed(name: str, failure: str) -> None:
    both = linux(f"trafgen-{name}.stdout") + linux(f"trafgen-{name}.stderr")
    assert read(TrafgenReader(GENERATOR), both)[2].failure == failure


def test_a_text_client_offers_what_it_sends() -> None:
    rates, _, verdict = read(Iperf3Output(GENERATOR), linux("iperf3-3.12-udp-text-client"), step=1.0)
    assert [(r.t, r.interval, r.pps) for r in rates] == [(0.0, 1.0, 500.0), (1.0, 1.0, 500.0)]
    assert [r.lost for r in rates] == [None, None]  # a sender cannot know
    assert (verdict.packets, verdict.nothing, verdict.failure) == (1000, False, "")


def test_a_text_server_receives_what_arrives() -> None:
    rates, _, verdict = read(Iperf3Output(RECEIVER), linux("iperf3-3.12-udp-text-server"))
    assert [(r.role, r.pps, r.packets, r.lost) for r in rates] == [
        ("receiver", 499.0, 499, 0),
        ("receiver", 500.0, 500, 0),
    ]
    assert verdict.packets == 1000


@pytest.mark.parametrize(("form", "pps"), [("3.12-udp-J", 500), ("3.21-json-stream", 1000)])
@pytest.mark.parametrize(("end", "origin"), [("client", GENERATOR), ("server", RECEIVER)])
def test_json_of_any_form_gives_rates_and_the_scrap_after_the_last_interval_gives_none(
    form: str, pps: float, end: str, origin: Origin
) -> None:
    rates, _, verdict = read(Iperf3Output(origin), linux(f"iperf3-{form}-{end}"))
    assert [rate.pps for rate in rates] == pytest.approx([pps] * 2, rel=0.004)
    assert all(rate.interval == pytest.approx(1, abs=0.01) for rate in rates)
    assert [rate.t for rate in rates] == pytest.approx([0, 1], abs=0.01)
    assert verdict.packets == (1000 if pps == 500 else 2001)
    assert (verdict.failure, verdict.nothing) == ("", False)


def test_what_the_receiver_lost_is_no_part_of_its_rate() -> None:
    rates, _, verdict = read(Iperf3Output(RECEIVER), linux("iperf3-3.12-udp-J-lossy-server"))
    assert [(rate.packets, rate.lost) for rate in rates] == [(375, 125)] * 2
    assert [rate.pps for rate in rates] == pytest.approx([375] * 2, rel=0.001)
    assert (verdict.packets, verdict.lost) == (750, 250)


def test_a_document_at_the_end_is_placed_back_to_when_it_was_measured() -> None:
    rates, events, _ = read(Iperf3Output(GENERATOR), linux("iperf3-3.12-udp-J-client"))
    assert [rate.at for rate in rates] == pytest.approx([99.0, 100.0], abs=0.1)
    assert [event.code for event in events] == ["note"]
    assert "--json-stream" in events[0].text


def test_a_server_measures_test_after_test_on_one_clock() -> None:
    reader = Iperf3Output(RECEIVER)
    lines = linux("iperf3-3.12-udp-text-server").split("\n")
    both = [sample for at in (10.0, 40.0) for line in lines for sample in reader.feed(line, at)]
    assert [s.t for s in both if isinstance(s, RateSample)] == [0.0, 1.0, 31.0, 32.0]
    assert reader.close().packets == 2000


@pytest.mark.parametrize("name", ["3.12-J-refused", "3.12-text-refused", "3.21-json-stream-refused"])
def test_a_refused_connection_is_a_failure_although_3_12_exits_with_0(name: str) -> None:
    verdict = read(Iperf3Output(GENERATOR), linux(f"iperf3-{name}"))[2]
    assert verdict.failure.startswith("unable to connect to server")


@pytest.mark.parametrize("name", ["3.12-J-sigint", "3.21-json-stream-sigint"])
def test_being_interrupted_is_no_failure(name: str) -> None:
    _, _, verdict = read(Iperf3Output(GENERATOR), linux(f"iperf3-{name}"))
    assert (verdict.failure, verdict.nothing) == ("", False)
    assert verdict.trouble.startswith("interrupt")


@pytest.mark.parametrize(
    ("name", "packets"), [("eth1", 500_000), ("eth4at0", 300_000), ("wlan1-nsec", 80_000)]
)
def test_every_pktgen_file_gives_the_totals_of_its_result(name: str, packets: int) -> None:
    text = linux(f"pktgen-finished-{name}")
    rates, _, verdict = read(PktgenReader(GENERATOR), look() + look(a=text))
    assert (verdict.packets, verdict.failure) == (packets, "")
    assert sum(rate.packets or 0 for rate in rates) in (0, packets)


# pkt-gen


def line_by_line(text: str, role: str) -> int:
    """How many intervals a log gives line by line: the same as all at once."""
    rates, events, verdict = read(PktGenReader(Origin(role, "", "")), text)
    whole = parse(text)
    assert [replace(rate, at=None) for rate in rates] == [
        replace(sample, role=role) for sample in whole.samples()
    ]
    assert events == []
    assert verdict.packets == whole.packets_total
    assert verdict.failure == (whole.crash or "")
    return len(rates)


@pytest.mark.parametrize(("mode", "role"), [("tx", "generator"), ("rx", "receiver")])
def test_a_log_gives_the_same_intervals_line_by_line_as_at_once(mode: str, role: str) -> None:
    levels = benchlab.rates(900_000, 0.01)
    assert line_by_line(benchlab.log(mode, levels, begin=980.0), role) == len(levels)


STARTED = "304.739439 main [1753] interface is igb2\n309.020485 sender_body [1108] start, fd 4 main_fd 3\n"
WAITING = "123.1 receiver_body [1849] waiting for initial packets, poll returns 0 0\n"
LINE = "{:010.6f} main_thread [2781] {} pps ({} pkts 480000 bps in 1000000 usec) 5.04 avg_batch 0 min_space\n"


def test_a_sample_belongs_to_its_endpoint_and_lies_where_it_arrived() -> None:
    rates, _, _ = read(PktGenReader(GENERATOR), STARTED + LINE.format(310, 1000, 1000), step=1.0)
    assert rates == [RateSample("generator", 0.0, 1.0, 1000.0, 1000.0, 480000.0, "gen", 102.0, None, "igb2")]


def test_the_clock_goes_on_where_the_printed_one_wraps() -> None:
    text = "".join(LINE.format(stamp, 10, 10) for stamp in (998.5, 999.5, 0.5, 1.5))
    rates, _, _ = read(PktGenReader(GENERATOR), text)
    assert [rate.t for rate in rates] == [0.0, 1.0, 2.0, 3.0]


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


# Linux pktgen: the text is that of the kernel's documentation, its numbers vary


def device(sofar: int, started: int, stopped: int, result: str = "Starting") -> str:
    return (
        "Params: count 100000  min_pkt_size: 60  max_pkt_size: 60\n"
        "     frags: 0  delay: 0  clone_skb: 64  ifname: eth4@0\n"
        "     Flags: UDPSRC_RND  NO_TIMESTAMP  QUEUE_MAP_CPU\n"
        "Current:\n"
        f"     pkts-sofar: {sofar}  errors: 0\n"
        f"     started: {started}us  stopped: {stopped}us idle: 25us\n"
        "     seq_num: 100001  cur_dst_mac_offset: 0  cur_src_mac_offset: 0\n"
        f"Result: {result}\n"
    )


def look(**devices: str) -> str:
    texts = [f"fwdtui-pktgen /proc/net/pktgen/{name}\n{text}" for name, text in devices.items()]
    return "".join(texts) + "fwdtui-pktgen .\n"


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


def test_a_pktgen_that_somebody_else_left_running_is_not_counted_and_named() -> None:
    text = look(a=device(10, 1_000_000, 2_000_000)) + look(a=device(999, 1_000_000, 3_000_000))
    rates, events, verdict = read(PktgenReader(GENERATOR), text)
    assert rates == []
    assert [event.code for event in events] == ["note"]
    assert verdict.packets is None


def test_an_interface_without_a_pktgen_device_is_named() -> None:
    verdict = read(PktgenReader(GENERATOR), look() + look())[2]
    assert verdict.failure.startswith("no device for igb2 in /proc/net/pktgen")


def test_a_pktgen_that_sent_no_packet_sent_nothing() -> None:
    none = "OK: 2000000(c1999975+d25) usec, 0 (60byte,0frags)\n  0pps 0Mb/sec (0bps) errors: 17"
    verdict = read(PktgenReader(GENERATOR), look() + look(a=device(0, 5_000_000, 7_000_000, none)))[2]
    assert verdict.nothing
    assert verdict.skipped == ("the driver refused 17 packets",)


# all


WORDS = st.sampled_from(
    [
        LINE.format(1, 7, 7),
        "ouch, thread 0 exited with error",
        "Sent 12 packets, 60 bytes each, in nan seconds.",
        "123.1 receiver_body [1] x",
        "{",
        "}",
        '{"event":"error","data":[]}',
        '{"event":"interval","data":{"sum":{"start":0,"end":1,"packets":5,"lost_packets":9}}}',
        "iperf3: error - x",
        "Server listening on 1",
        "[  5]   0.00-1.00   sec   1 MBytes  1 Mbits/sec  0.016 ms  9/6 (17%)  ",
        "fwdtui-pktgen a",
        "fwdtui-pktgen .",
        *device(5, 1, 99_000_000).split("\n"),
        "99999999999999999999 packets outgoing",
    ]
)


@pytest.mark.parametrize("kind", [PktGenReader, TrafgenReader, Iperf3Output, PktgenReader])
@given(lines=st.lists(st.one_of(WORDS, st.text(max_size=80)), max_size=30), sends=st.booleans())
def test_no_line_makes_a_reader_raise_or_give_a_rate_that_is_none(
    kind: type[Reader], lines: list[str], sends: bool
) -> None:
    reader = kind(GENERATOR if sends else RECEIVER)
    for number, line in enumerate(lines):
        for sample in reader.feed(clean(line), float(number)):
            if isinstance(sample, RateSample):
                assert 0 <= sample.pps < float("inf")
                assert 0 < sample.interval < float("inf")
                assert sample.role == reader.origin.role
    verdict = reader.close()
    assert verdict.packets is None or verdict.packets >= 0
    assert verdict.pps is None or 0 <= verdict.pps < float("inf")


# the same in real results


def real_every_published_log_gives_the_same_intervals_line_by_line_as_at_once(netbenches: Path) -> None:
    logs = sorted(netbenches.rglob("bench.*.sender")) + sorted(netbenches.rglob("bench.*.receiver"))
    assert len(logs) >= 140
    intervals = 0
    for path in logs:
        text = decode(path.read_bytes())
        role = "generator" if path.suffix == ".sender" else "receiver"
        intervals += line_by_line(text, role)
    assert intervals > 10_000


@cases(
    ("name", "packets", "seconds"),
    [
        ("b-1000pps", 3000, 3.000609),
        ("n10000-allcpus", 10000, 0.008886),
        ("n10000-cpus1", 10000, 0.060015),
        ("verbose-sigint", 3000, 2.997195),
    ],
)
def real_trafgens_report_gives_totals_and_no_samples(
    captures: Path, name: str, packets: int, seconds: float
) -> None:
    text = (captures / f"linux/trafgen-{name}.stdout.txt").read_bytes().decode()
    rates, events, verdict = read(TrafgenReader(GENERATOR), text)
    assert (rates, events) == ([], [])
    assert (verdict.packets, verdict.seconds, verdict.failure) == (packets, seconds, "")


@cases(
    ("name", "failure"),
    [
        ("nosuchdev", "No networking device or pcap file: nosuch0"),
        ("badconf", "Cannot access /etc/nosuch.cfg: No such file or directory!"),
    ],
)
def real_trafgens_own_words_tell_why_it_failed(captures: Path, name: str, failure: str) -> None:
    texts = [(captures / f"linux/trafgen-{name}.{end}.txt").read_text() for end in ("stdout", "stderr")]
    assert read(TrafgenReader(GENERATOR), "".join(texts))[2].failure == failure


def real_a_text_client_offers_what_it_sends(captures: Path) -> None:
    text = (captures / "linux/iperf3-3.12-udp-text-client.txt").read_text()
    rates, _, verdict = read(Iperf3Output(GENERATOR), text, step=1.0)
    assert [(r.t, r.interval, r.pps) for r in rates] == [(0.0, 1.0, 521.0), (1.0, 1.0, 521.0)]
    assert [r.lost for r in rates] == [None, None]  # a sender cannot know
    assert (verdict.packets, verdict.nothing, verdict.failure) == (1042, False, "")


def real_a_text_server_receives_what_arrives(captures: Path) -> None:
    text = (captures / "linux/iperf3-3.12-udp-text-server.txt").read_text()
    rates, _, verdict = read(Iperf3Output(RECEIVER), text)
    assert [(r.role, r.pps, r.packets, r.lost) for r in rates] == [("receiver", 521.0, 521, 0)] * 2
    assert verdict.packets == 1042


@cases(
    ("version", "seconds", "pps", "end", "origin"),
    [
        (*form, *of)
        for form in (("3.12-udp-J", 2, 521), ("3.21-udp-J", 1, 208.6), ("3.21-udp-json-stream", 3, 521))
        for of in (("client", GENERATOR), ("server", RECEIVER))
    ],
)
def real_json_of_any_form_gives_rates_and_the_scrap_after_the_last_interval_gives_none(
    captures: Path, version: str, seconds: int, pps: float, end: str, origin: Origin
) -> None:
    text = (captures / f"linux/iperf3-{version}-{end}.txt").read_text()
    rates, _, verdict = read(Iperf3Output(origin), text)
    assert [rate.pps for rate in rates] == pytest.approx([pps] * seconds, rel=0.004)
    assert all(rate.interval == pytest.approx(1, abs=0.01) for rate in rates)
    assert [rate.t for rate in rates] == pytest.approx(list(range(seconds)), abs=0.01)
    assert verdict.packets is not None
    assert verdict.packets >= sum(rate.packets or 0 for rate in rates)
    assert (verdict.failure, verdict.nothing) == ("", False)


def real_what_the_receiver_lost_is_no_part_of_its_rate(captures: Path) -> None:
    text = (captures / "linux/iperf3-3.21-udp-J-lossy-server.txt").read_text()
    rates, _, verdict = read(Iperf3Output(RECEIVER), text)
    (run,) = parse_iperf3_json(text).value
    whole = [interval for interval in run.intervals if interval.seconds > 0.5]
    assert [rate.packets for rate in rates] == [interval.arrived for interval in whole]
    assert sum(rate.lost or 0 for rate in rates) > 0
    assert verdict.lost and run.received and verdict.packets == run.received.arrived


def real_a_document_at_the_end_is_placed_back_to_when_it_was_measured(captures: Path) -> None:
    text = (captures / "linux/iperf3-3.12-udp-J-client.txt").read_text()
    rates, events, _ = read(Iperf3Output(GENERATOR), text)
    steps = [b.at - a.at for a, b in pairwise(rates) if a.at and b.at]
    assert steps == pytest.approx([1.0] * (len(rates) - 1), abs=0.01)
    assert rates[-1].at == pytest.approx(100.0, abs=0.1)
    assert [event.code for event in events] == ["note"]
    assert "--json-stream" in events[0].text


def real_a_server_measures_test_after_test_on_one_clock(captures: Path) -> None:
    text = (captures / "linux/iperf3-3.12-udp-text-server.txt").read_text()
    reader = Iperf3Output(RECEIVER)
    first = [s for line in text.split("\n") for s in reader.feed(line, 10.0)]
    again = [s for line in text.split("\n") for s in reader.feed(line, 40.0)]
    rates = [s for s in first + again if isinstance(s, RateSample)]
    assert [rate.t for rate in rates] == [0.0, 1.0, 31.0, 32.0]
    assert reader.close().packets == 2084


def real_a_refused_connection_is_a_failure_although_3_12_exits_with_0(captures: Path) -> None:
    for name in (
        "3.12-J-connrefused.stdout",
        "3.12-text-connrefused.stderr",
        "3.21-connrefused-J.stdout",
    ):
        text = (captures / f"linux/iperf3-{name}.txt").read_text()
        verdict = read(Iperf3Output(GENERATOR), text)[2]
        assert "unable to connect to server" in verdict.failure, name
        assert not verdict.failure.startswith("error"), name


def real_being_interrupted_is_no_failure(captures: Path) -> None:
    for name in ("3.12-J-sigint", "3.21-sigint-json-stream"):
        text = (captures / f"linux/iperf3-{name}.stdout.txt").read_text()
        _, _, verdict = read(Iperf3Output(GENERATOR), text)
        assert (verdict.failure, verdict.nothing) == ("", False)
        assert verdict.trouble.startswith("interrupt")


@cases("name", ["ens4-1800B", "eth4at0-kerneldoc", "wlan1-nsec-hexaddr-old"])
def real_every_captured_pktgen_file_gives_the_totals_of_its_result(captures: Path, name: str) -> None:
    text = (captures / f"linux/pktgen-finished-{name}.txt").read_text()
    rates, _, verdict = read(PktgenReader(GENERATOR), look() + look(a=text.rstrip("\n") + "\n"))
    assert verdict.packets
    assert verdict.failure == ""
    assert sum(rate.packets or 0 for rate in rates) in (0, verdict.packets)


def test_real_results_say_the_same(agree: Agree) -> None:
    agree(
        real_every_published_log_gives_the_same_intervals_line_by_line_as_at_once,
        real_trafgens_report_gives_totals_and_no_samples,
        real_trafgens_own_words_tell_why_it_failed,
        real_a_text_client_offers_what_it_sends,
        real_a_text_server_receives_what_arrives,
        real_json_of_any_form_gives_rates_and_the_scrap_after_the_last_interval_gives_none,
        real_what_the_receiver_lost_is_no_part_of_its_rate,
        real_a_document_at_the_end_is_placed_back_to_when_it_was_measured,
        real_a_server_measures_test_after_test_on_one_clock,
        real_a_refused_connection_is_a_failure_although_3_12_exits_with_0,
        real_being_interrupted_is_no_failure,
        real_every_captured_pktgen_file_gives_the_totals_of_its_result,
    )
