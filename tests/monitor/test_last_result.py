"""What stays on the screen after a blast: the newest iteration's own figures, never a computed substitute."""

import pytest

from fwdtui.core.model import Caution, Iteration, Packets, Summary, Window
from fwdtui.core.offered import ATTACK_SENT
from fwdtui.monitor.live.last_result import LastResult, bits_of, last_result
from fwdtui.monitor.live.series import Point


def summary(rate: float) -> Summary:
    return Summary(median=rate, mean=rate, min=rate, max=rate, n=10)


METRICS = {"offered": summary(1000.0), "forwarded": summary(900.0), "received": summary(800.0)}


def test_without_an_iteration_there_is_none() -> None:
    assert last_result([]) is None


def test_it_is_the_newest_iteration_that_was_not_taken_back() -> None:
    iterations = [Iteration(0, 1.0), Iteration(1, 2.0), Iteration(2, 3.0, dropped="taken back")]
    last = last_result(iterations)
    assert last is not None and last.value == 2.0
    assert last_result([Iteration(0, 1.0, dropped="taken back")]) is None


def test_rates_are_the_medians_of_the_window() -> None:
    last = last_result([Iteration(0, 800.0, metrics=METRICS)])
    assert last == LastResult(800.0, 1000.0, 900.0, 800.0, loss_share=pytest.approx(0.2))
    assert last.largest == 1000.0


@pytest.mark.parametrize(
    ("packets", "share", "of_blast"),
    [
        (Packets(offered=1000, forwarded=900, received=750), 0.25, True),  # counted packets before rates
        (
            Packets(offered=1000, forwarded=900),
            0.2,
            False,
        ),  # the receiver, which gives the value: not counted
        (Packets(offered=1000, received=1001), -0.001, True),  # more than was offered is not hidden
        (Packets(offered=1000), 0.2, False),  # what arrived was not counted: the rates say it
        (Packets(received=5), 0.2, False),
        (Packets(offered=0, received=0), 0.2, False),
        (None, 0.2, False),
    ],
)
def test_the_loss_is_of_the_counted_packets_else_of_the_rates(
    packets: Packets | None, share: float, of_blast: bool
) -> None:
    """The packets are those of the whole blast, the rates those of its window: it is said which."""
    last = last_result([Iteration(0, 800.0, metrics=METRICS, packets=packets)])
    assert last is not None and last.loss_share == pytest.approx(share)
    assert last.of_blast is of_blast and ("over the whole blast" in last.in_words()) is of_blast


def test_without_a_receiver_what_was_forwarded_arrived() -> None:
    metrics = {name: METRICS[name] for name in ("offered", "forwarded")}
    for packets, share in ((Packets(offered=1000, forwarded=950), 0.05), (None, 0.1)):
        last = last_result([Iteration(0, 900.0, metrics=metrics, packets=packets)])
        assert last is not None and last.loss_share == pytest.approx(share)


@pytest.mark.parametrize(
    ("received", "share", "attacked"),
    [
        (900, 0.1, 0.1),
        (1000, 0.0, 0.0),
        (1001, -0.001, None),  # part of the attack arrived: whose packets were lost is not known
        (3000, -2.0, None),
    ],
)
def test_more_than_was_offered_is_no_loss_of_the_wanted_traffic_under_an_attack(
    received: int, share: float, attacked: float | None
) -> None:
    packets = Packets(offered=1000, received=received)
    for code, expected in (("gap", share), (ATTACK_SENT, attacked)):
        one = Iteration(0, 800.0, metrics=METRICS, packets=packets, warnings=(Caution(code, "x"),))
        last = last_result([one])
        assert last is not None and last.loss_share == pytest.approx(expected)
        assert last.attacked is (code == ATTACK_SENT)
    bare = last_result([Iteration(0, 800.0, warnings=(Caution(ATTACK_SENT, "x"),))])
    assert bare is not None and bare.loss_share is None


def test_a_loss_under_an_attack_is_a_lower_bound() -> None:
    assert LastResult(1e6, loss_share=0.1, attacked=True).in_words() == (
        "last: 1.000 Mpps, loss at least 10.0 %"
    )


@pytest.mark.parametrize(
    ("lost", "shown"),
    [
        (0, "0.0"),
        (1, "<0.1"),
        (400, "<0.1"),
        (600, "0.1"),
        (999_400, "99.9"),
        (999_999, ">99.9"),
        (10**6, "100.0"),
    ],
)
def test_counted_packets_that_were_lost_are_never_shown_as_none_or_all(lost: int, shown: str) -> None:
    packets = Packets(offered=10**6, received=10**6 - lost)
    last = last_result([Iteration(0, 800.0, metrics=METRICS, packets=packets)])
    assert last is not None and f", loss {shown} % over the whole blast" in last.in_words()
    few = LastResult(1e6, loss_share=4e-4)  # of rates: the counters may have been read at different moments
    assert few.in_words() == "last: 1.000 Mpps, loss 0.0 %"


def test_without_an_offered_load_the_loss_is_unknown() -> None:
    last = last_result([Iteration(0, 800.0, metrics={"received": summary(800.0)})])
    assert last is not None and last.loss_share is None
    assert last.in_words() == "last: 800 pps"


@pytest.mark.parametrize(
    ("baseline", "words"),
    [
        (None, ""),
        (6.45e6, ", −0.3 % against the baseline"),
        (6.43e6, ", 0.0 % against the baseline"),
        (6.4301e6, ", 0.0 % against the baseline"),
        (6.4326e6, ", 0.0 % against the baseline"),  # −0.04 %
        (6.4274e6, ", 0.0 % against the baseline"),  # +0.04 %
        (6.4339e6, ", −0.1 % against the baseline"),  # −0.06 %
        (6.0e6, ", +7.2 % against the baseline"),
    ],
)
def test_in_words(baseline: float | None, words: str) -> None:
    limit = Caution("dut-limited", "DUT-limited: ...")
    last = last_result([Iteration(0, 6.43e6, packets=Packets(offered=10_000, received=4_320), limit=limit)])
    assert last is not None
    assert (
        last.in_words(baseline) == f"last: 6.430 Mpps, loss 56.8 % over the whole blast, DUT-limited{words}"
    )


def test_an_iteration_without_a_value_says_why() -> None:
    last = last_result([Iteration(0, None, incomplete="the DUT was lost")])
    assert last is not None and last.in_words(1.0) == "last: no value (the DUT was lost)"
    assert last.in_words(case="rules=0") == "last of rules=0: no value (the DUT was lost)"
    assert last.largest == 0.0


@pytest.mark.parametrize(
    ("bits", "frame", "words"),
    [
        ({}, 64, "last: 51.20 Mbps (L2, 64 B), loss 20.0 %"),  # 100 kpps of 64 bytes
        ({"received": 48e6, "forwarded": 5.0}, None, "last: 48.00 Mbps (as counted), loss 20.0 %"),
        ({"received": 48e6}, 64, "last: 51.20 Mbps (L2, 64 B), loss 20.0 %"),
        ({"forwarded": 48e6}, None, "last: 100.0 kpps (bits not known), loss 20.0 %"),
    ],
)
def test_in_bits_the_basis_is_told(bits: dict[str, float], frame: int | None, words: str) -> None:
    rates = {"offered": summary(125e3), "forwarded": summary(110e3), "received": summary(100e3)}
    last = last_result([Iteration(0, 100e3, metrics=rates)], bits)
    assert last is not None and last.in_words(bits=True, frame=frame) == words
    assert last.in_words() == "last: 100.0 kpps, loss 20.0 %"


def test_without_a_receiver_the_counted_bits_are_those_of_what_was_forwarded() -> None:
    last = last_result([Iteration(0, 900.0, metrics={"forwarded": summary(900.0)})], {"forwarded": 432e3})
    assert last is not None and last.in_words(bits=True) == "last: 432.0 kbps (as counted)"


def points(*bits: float | None) -> list[Point]:
    """A second each, up to 10 s: 1000 packets per second, and their bits."""
    return [Point(11.0 - len(bits) + n, 1.0, 1000.0, bps=rate) for n, rate in enumerate(bits)]


@pytest.mark.parametrize(
    ("flow", "found"),
    [
        (points(9e9, 5.0, 1.0, 2.0), 2.0),  # what is before the window does not count
        ([*points(5.0, 1.0, 2.0), Point(11.0, 1.0, 1000.0, bps=9e9)], 2.0),  # nor what is after it
        (points(5.0, None, 2.0), None),  # a rate without bits: the median would be of others
        (points(1.0, 2.0), None),  # the first point is forgotten already
        ([Point(8.0, 1.0, None, bps=5.0), *points(1.0, 2.0)], None),  # bits of a gap are no rate
        ([], None),
    ],
)
def test_the_bits_of_a_window_are_of_the_same_samples_as_its_packets(
    flow: list[Point], found: float | None
) -> None:
    window = Window(method="steady", start=7.0, end=10.0, kept=3)
    one = Iteration(
        0, 1000.0, window=window, metrics={"received": Summary(1000.0, 1000.0, 1000.0, 1000.0, 3)}
    )
    assert bits_of(one, {"received": flow, "offered": flow}) == ({} if found is None else {"received": found})


def test_without_a_window_no_bits_are_known() -> None:
    bits = {"received": points(*[1.0] * 10)}
    assert bits_of(Iteration(0, 1.0, metrics=METRICS), bits) == {}
    for start, last, known in ((0.0, 10.0, True), (None, 10.0, False), (0.0, None, False)):
        one = Iteration(0, 1.0, metrics=METRICS, window=Window("steady", start, last, 10))
        assert bits_of(one, bits) == ({"received": 1.0} if known else {})
