"""What stays on the screen after a blast: the newest iteration's own figures, never a computed substitute."""

import pytest

from fwdtui.core.model import Caution, Iteration, Packets, Summary
from fwdtui.monitor.live.last_result import LastResult, last_result


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
    ("packets", "share"),
    [
        (Packets(offered=1000, forwarded=900, received=750), 0.25),  # counted packets before rates
        (Packets(offered=1000, forwarded=900), 0.1),  # without a receiver, what was forwarded arrived
        (Packets(offered=1000, received=1001), -0.001),  # more than was offered is not hidden
        (Packets(offered=1000), 0.2),  # what arrived was not counted: the rates say it
        (Packets(received=5), 0.2),
        (Packets(offered=0, received=0), 0.2),
        (None, 0.2),
    ],
)
def test_the_loss_is_of_the_counted_packets_else_of_the_rates(packets: Packets | None, share: float) -> None:
    last = last_result([Iteration(0, 800.0, metrics=METRICS, packets=packets)])
    assert last is not None and last.loss_share == pytest.approx(share)


def test_without_an_offered_load_the_loss_is_unknown() -> None:
    last = last_result([Iteration(0, 800.0, metrics={"received": summary(800.0)})])
    assert last is not None and last.loss_share is None
    assert last.in_words() == "last: 800 pps"


@pytest.mark.parametrize(
    ("baseline", "words"),
    [
        (None, "last: 6.430 Mpps, loss 56.8 %, DUT-limited"),
        (6.45e6, "last: 6.430 Mpps, loss 56.8 %, DUT-limited, −0.3 % against the baseline"),
        (6.43e6, "last: 6.430 Mpps, loss 56.8 %, DUT-limited, +0.0 % against the baseline"),
        (6.4301e6, "last: 6.430 Mpps, loss 56.8 %, DUT-limited, +0.0 % against the baseline"),
        (6.0e6, "last: 6.430 Mpps, loss 56.8 %, DUT-limited, +7.2 % against the baseline"),
    ],
)
def test_in_words(baseline: float | None, words: str) -> None:
    limit = Caution("dut-limited", "DUT-limited: ...")
    last = last_result([Iteration(0, 6.43e6, packets=Packets(offered=10_000, received=4_320), limit=limit)])
    assert last is not None and last.in_words(baseline) == words


def test_an_iteration_without_a_value_says_why() -> None:
    last = last_result([Iteration(0, None, incomplete="the DUT was lost")])
    assert last is not None and last.in_words(1.0) == "last: no value (the DUT was lost)"
    assert last.largest == 0.0
