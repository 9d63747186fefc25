"""iperf3 -J: whole documents."""

import json
from pathlib import Path

import pytest
from fixtures import Agree, linux

from fwdtui.core.parse.iperf3 import Iperf3Interval, Iperf3Run, parse_iperf3_json


def run(captures: Path, name: str) -> Iperf3Run:
    parsed = parse_iperf3_json((captures / "linux" / f"iperf3-{name}.txt").read_text())
    assert parsed.skipped == ()
    (found,) = parsed.value
    return found


def ours(name: str) -> Iperf3Run:
    """Of 2 Mbit/s in datagrams of 500 bytes, which are 500 a second."""
    parsed = parse_iperf3_json(linux(f"iperf3-{name}"))
    assert parsed.skipped == ()
    (found,) = parsed.value
    return found


def test_a_client_s_intervals_are_what_it_sent() -> None:
    found = ours("3.12-udp-J-client")
    assert (found.version, found.protocol, found.server, found.reverse) == ("iperf 3.12", "UDP", False, False)
    assert (found.streams, found.block_size, found.target_bitrate) == (1, 500, 2_000_000)
    assert [(item.packets, item.bytes, item.lost, item.sender) for item in found.intervals] == [
        (500, 250_000, None, True)
    ] * 2
    assert [item.start for item in found.intervals] == pytest.approx([0, 1], abs=0.001)
    assert found.complete


def test_a_server_s_intervals_know_loss_and_jitter() -> None:
    found = ours("3.12-udp-J-lossy-server")
    assert found.server is True
    # every fourth was dropped
    assert [(one.packets, one.lost, one.arrived, one.bytes) for one in found.intervals] == [
        (500, 125, 375, 375 * 500)
    ] * 2
    assert all(one.jitter_ms is not None and one.jitter_ms > 0 for one in found.intervals)


def test_only_the_receiver_s_total_knows_the_loss() -> None:
    found = ours("3.12-udp-J-lossy-client")
    assert found.sent is not None
    assert found.received is not None
    assert (found.sent.packets, found.sent.lost, found.sent.jitter_ms) == (1000, None, None)
    assert (found.received.packets, found.received.lost, found.received.arrived) == (1000, 250, 750)
    assert found.received.bytes == 750 * 500


def test_a_server_was_never_told_what_the_client_sent() -> None:
    for name in ("3.12-udp-J-server", "3.12-udp-J-lossy-server"):
        found = ours(name)
        assert found.sent is None, "its zeros are not a total"
        assert found.received is not None
        assert found.received.packets == 1000


def test_a_refused_connection_is_an_error_and_no_end() -> None:
    found = ours("3.12-J-refused")
    assert found.error == "unable to connect to server: Connection refused"
    assert (found.intervals, found.sent, found.received) == ((), None, None)
    assert not found.ended
    assert not found.complete
    assert ours("3.21-J-busy").error == "the server is busy running a test. try again later"


def test_after_an_interrupt_the_received_total_is_unknown_and_not_zero() -> None:
    found = ours("3.12-J-sigint")
    assert found.error == "interrupt - the client has terminated"
    assert found.ended
    assert not found.complete
    assert found.sent is not None
    assert [item.packets for item in found.intervals] == [500, 249]
    assert (found.sent.packets, found.sent.bytes) == (749, 749 * 500)
    assert found.received is None


def test_a_document_that_is_not_finished_gives_nothing_and_is_said() -> None:
    parsed = parse_iperf3_json(linux("iperf3-3.12-udp-J-client")[:1500])
    assert parsed.value == ()
    assert parsed.skipped[0].startswith("not JSON")
    assert parse_iperf3_json("").value == ()


def document(**end: object) -> dict[str, object]:
    return {
        "start": {
            "version": "iperf 3.12",
            "connecting_to": {"host": "192.0.2.2"},
            "test_start": {"protocol": "UDP", "num_streams": 1, "reverse": 0},
        },
        "intervals": [],
        "end": end,
    }


def total(**fields: object) -> dict[str, object]:
    return {"start": 0, "end": 2, "bytes": 0, "packets": 0, "lost_packets": 0, "sender": False, **fields}


def test_a_receiver_that_got_nothing_did_get_nothing() -> None:
    text = json.dumps(document(sum_sent=total(packets=9, bytes=99), sum_received=total()))
    (found,) = parse_iperf3_json(text).value
    assert found.received == Iperf3Interval(0.0, 2.0, 0, 0, 0, sender=False)
    assert found.complete


def test_the_received_total_of_tcp_is_the_receiver_s_though_it_says_sender() -> None:
    text = json.dumps(
        document(
            sum_sent={"start": 0, "end": 1.000695, "bytes": 705167360, "retransmits": 9, "sender": True},
            sum_received={"start": 0, "end": 1.003898, "bytes": 701497132, "sender": True},
        )
    )
    (found,) = parse_iperf3_json(text).value
    assert found.sent == Iperf3Interval(0.0, 1.000695, 705167360, retransmits=9, sender=True)
    assert found.received == Iperf3Interval(0.0, 1.003898, 701497132, sender=False)
    assert found.received.packets is None
    assert found.received.arrived is None


def test_both_directions_of_a_bidirectional_test_are_intervals() -> None:
    body = document()
    body["intervals"] = [
        {
            "streams": [],
            "sum": {"start": 0, "end": 1.000082, "bytes": 1854668800, "retransmits": 1, "sender": True},
            "sum_bidir_reverse": {"start": 0, "end": 1.000082, "bytes": 1201668096, "sender": False},
        }
    ]
    (found,) = parse_iperf3_json(json.dumps(body)).value
    assert [(item.sender, item.bytes) for item in found.intervals] == [
        (True, 1854668800),
        (False, 1201668096),
    ]


def test_a_server_whose_client_was_interrupted_prints_the_last_interval_twice() -> None:
    interval = {"sum": {"start": 0, "end": 1.000073, "bytes": 126000, "packets": 105, "lost_packets": 0}}
    body = document(sum_received=total(packets=167, bytes=200400))
    body["intervals"] = [interval, interval]
    body["error"] = "the client has terminated"
    (found,) = parse_iperf3_json(json.dumps(body)).value
    assert [item.packets for item in found.intervals] == [105]
    assert not found.complete


def test_packets_that_came_late_take_back_losses_of_an_earlier_interval() -> None:
    body = document()
    body["intervals"] = [
        {"sum": {"start": 1, "end": 2, "packets": 521, "lost_packets": -3, "sender": False, "bytes": 5}}
    ]
    (found,) = parse_iperf3_json(json.dumps(body)).value
    assert (found.intervals[0].lost, found.intervals[0].arrived) == (-3, 524)


def test_a_server_prints_one_document_per_test() -> None:
    text = json.dumps(document(), indent="\t") + "\n" + json.dumps(document(), indent="\t") + "\n"
    assert len(parse_iperf3_json(text).value) == 2


def test_large_numbers_are_printed_with_an_exponent() -> None:
    text = json.dumps(document(sum_sent=total(packets=9))).replace('"bytes": 0', '"bytes": 2.5e+15')
    (found,) = parse_iperf3_json(text).value
    assert found.sent is not None
    assert found.sent.bytes == 2_500_000_000_000_000


def test_an_interval_knows_its_length_and_what_arrived() -> None:
    assert Iperf3Interval(2.0, 3.5).seconds == 1.5
    assert Iperf3Interval(0.0, 1.0, packets=10, lost=3).arrived == 7
    for known in ({}, {"packets": 10}, {"lost": 3}):
        assert Iperf3Interval(0.0, 1.0, **known).arrived is None


def of_seconds(*intervals: dict[str, object]) -> Iperf3Run:
    body = {"start": {}, "intervals": [{"sum": item} for item in intervals], "end": {}}
    (found,) = parse_iperf3_json(json.dumps(body)).value
    return found


def second(number: int, **more: object) -> dict[str, object]:
    return {"start": number, "end": number + 1, "bytes": 5, **more}


def test_an_interval_that_is_printed_again_within_two_counts_once() -> None:
    """A bidirectional test has two per second: what is repeated is the last or the one before."""
    for repeated, kept in (((0, 1, 1), 2), ((0, 1, 0), 2), ((0, 1, 2, 0), 4), ((0, 0, 0), 1)):
        assert len(of_seconds(*map(second, repeated)).intervals) == kept


@pytest.mark.parametrize(
    ("start", "end", "counts"), [(0, 0, True), (3, 3, True), (3, 4, True), (3, 2.9, False), (-1, 2, False)]
)
def test_an_interval_may_have_no_length_but_does_not_end_before_it_starts(start, end, counts) -> None:
    assert len(of_seconds({"start": start, "end": end}).intervals) == counts


def test_what_is_not_said_is_not_omitted_and_no_jitter_is_a_jitter_of_zero() -> None:
    (plain,) = of_seconds(second(0)).intervals
    assert (plain.omitted, plain.jitter_ms) == (False, None)
    (said,) = of_seconds(second(0, omitted=True, jitter_ms=0.0)).intervals
    assert (said.omitted, said.jitter_ms) == (True, 0.0)
    assert of_seconds(second(0, jitter_ms=-0.1)).intervals[0].jitter_ms is None


# the same in real results


def real_a_client_s_intervals_are_what_it_sent(captures: Path) -> None:
    found = run(captures, "3.12-udp-J-client")
    assert (found.version, found.protocol, found.server, found.reverse) == ("iperf 3.12", "UDP", False, False)
    assert (found.streams, found.block_size, found.target_bitrate) == (1, 1200, 5000000)
    assert found.intervals == (
        Iperf3Interval(0.0, 1.000103, 625200, 521, sender=True),
        Iperf3Interval(1.000103, 2.000131, 625200, 521, sender=True),
    )
    assert found.complete


def real_a_server_s_intervals_know_loss_and_jitter(captures: Path) -> None:
    found = run(captures, "3.21-udp-J-lossy-server")
    assert found.server is True
    first, scrap = found.intervals
    assert (first.packets, first.lost, first.arrived, first.bytes) == (511, 307, 204, 204 * 1200)
    assert first.jitter_ms == pytest.approx(0.954080389854222)
    assert (scrap.packets, scrap.arrived) == (11, 4)
    assert scrap.seconds == pytest.approx(0.01895)


def real_only_the_receiver_s_total_knows_the_loss(captures: Path) -> None:
    found = run(captures, "3.21-udp-J-lossy-client")
    assert found.sent is not None
    assert found.received is not None
    assert (found.sent.packets, found.sent.lost, found.sent.jitter_ms) == (522, None, None)
    assert (found.received.packets, found.received.lost, found.received.arrived) == (522, 314, 208)
    assert found.received.bytes == 208 * 1200


def real_a_server_was_never_told_what_the_client_sent(captures: Path) -> None:
    for name in ("3.12-udp-J-server", "3.21-udp-J-server", "3.21-udp-J-lossy-server"):
        found = run(captures, name)
        assert found.sent is None, "its zeros are not a total"
        assert found.received is not None
        assert found.received.bytes


def real_a_refused_connection_is_an_error_whatever_the_exit_status(captures: Path) -> None:
    assert (captures / "linux/iperf3-3.12-J-connrefused.rc.txt").read_text().strip() == "rc=0"
    found = run(captures, "3.12-J-connrefused.stdout")
    assert found.error == "unable to connect to server: Connection refused"
    assert (found.intervals, found.sent, found.received) == ((), None, None)
    assert not found.ended
    assert not found.complete
    assert not run(captures, "3.21-connrefused-J.stdout").complete
    assert run(captures, "3.21-busy-J.stdout").error == "the server is busy running a test. try again later"


def real_after_an_interrupt_the_received_total_is_unknown_and_not_zero(captures: Path) -> None:
    found = run(captures, "3.12-J-sigint.stdout")
    assert found.error == "interrupt - the client has terminated"
    assert found.ended
    assert not found.complete
    assert found.sent is not None
    assert (found.sent.packets, found.sent.bytes) == (167, 200400)
    assert found.received is None
    assert [item.packets for item in found.intervals] == [105, 62]


def real_a_key_that_comes_twice_does_no_harm(captures: Path) -> None:
    text = (captures / "linux/iperf3-3.21-udp-J-server.txt").read_text()
    assert text.count('"target_bitrate"') == 3
    assert run(captures, "3.21-udp-J-server").target_bitrate == 2000000


def real_a_document_that_is_not_finished_gives_nothing_and_is_said(captures: Path) -> None:
    text = (captures / "linux/iperf3-3.12-udp-J-client.txt").read_text()
    parsed = parse_iperf3_json(text[:1500])
    assert parsed.value == ()
    assert parsed.skipped[0].startswith("not JSON")
    assert parse_iperf3_json("").value == ()


def test_real_results_say_the_same(agree: Agree) -> None:
    agree(
        real_a_client_s_intervals_are_what_it_sent,
        real_a_server_s_intervals_know_loss_and_jitter,
        real_only_the_receiver_s_total_knows_the_loss,
        real_a_server_was_never_told_what_the_client_sent,
        real_a_refused_connection_is_an_error_whatever_the_exit_status,
        real_after_an_interrupt_the_received_total_is_unknown_and_not_zero,
        real_a_key_that_comes_twice_does_no_harm,
        real_a_document_that_is_not_finished_gives_nothing_and_is_said,
    )
