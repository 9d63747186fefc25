"""Readers: lines as they come give what a parser of the whole log gives. Whole outputs, of every tool."""

from itertools import pairwise
from pathlib import Path

import pytest
from fixtures import Agree, cases, linux
from hypothesis import given
from hypothesis import strategies as st
from reading import GENERATOR, LINE, RECEIVER, device, line_by_line, look, read

from fwdtui.collectors.tools.base import Origin, Reader
from fwdtui.collectors.tools.iperf3 import Iperf3Output
from fwdtui.collectors.tools.linux_pktgen import PktgenReader
from fwdtui.collectors.tools.netmap_pktgen import PktGenReader
from fwdtui.collectors.tools.trafgen import TrafgenReader
from fwdtui.core.model import RateSample
from fwdtui.core.parse.iperf3 import parse_iperf3_json
from fwdtui.core.text import clean, decode

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
