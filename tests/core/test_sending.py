"""When the generators sent, on the clock of the receiver's log: one machine's logs, and those of two."""

import msgspec
import pytest

from fwdtui.core.model import RateSample
from fwdtui.core.parse.netmap_pktgen import IntervalLine, PktGenLog
from fwdtui.core.sending import Sending, offered_by, sending

M = 1_000_000


def log(stamp: float, *rates: float, host: str | None = None, seconds: float = 1.0) -> PktGenLog:
    """A line each `seconds`, the first stamped `stamp`, on a clock that begins anew after 1000 seconds."""
    lines = tuple(
        IntervalLine(number, (stamp + seconds * number) % 1000.0, rate, rate, None, int(seconds * 1e6))
        for number, rate in enumerate(rates)
    )
    return PktGenLog(lines, host=host, lines=len(lines))


def blast(stamp: float, quiet: int = 1, loud: int = 9, after: int = 1, host: str | None = None) -> PktGenLog:
    """Quiet seconds, a half one, loud ones, a part of one, quiet ones."""
    return log(stamp, *[0] * quiet, M / 2, *[M] * loud, 0.3 * M, *[0] * after, host=host)


def test_all_sent_from_the_first_whole_second_to_the_last_one_of_each() -> None:
    # the sender's log begins 3 s after the receiver's: its half second ends at 4, its last part begins at 13
    found = sending(blast(100.0, quiet=4), [blast(103.0)])
    assert found == Sending(4.0, 13.0, (3.0,), shared=True, beyond=False)
    # of several, what all of them sent: the latest start, the earliest stop
    found = sending(blast(100.0, quiet=4, loud=12), [blast(103.0), blast(102.0), blast(105.0, loud=8)])
    assert found == Sending(6.0, 12.0, (3.0, 2.0, 5.0), shared=True, beyond=False)


@pytest.mark.parametrize(
    ("receiver", "sender", "shift"),
    [(999.5, 0.5, 1.0), (0.5, 999.5, -1.0), (998.0, 6.0, 8.0), (7.0, 7.0, 0.0)],
)
def test_the_stamps_begin_anew_after_a_thousand_seconds(receiver: float, sender: float, shift: float) -> None:
    found = sending(blast(receiver), [blast(sender)])
    assert found is not None and found.shared and found.shifts == pytest.approx((shift,))


@pytest.mark.parametrize(
    ("hosts", "apart", "shared"),
    [
        # old logs name no machine: started by one script, their first lines are within ten seconds
        ((None, None), 10.0, True),
        ((None, None), -10.0, True),
        ((None, None), 10.5, False),
        ((None, None), -10.5, False),
        (("a", None), 10.0, True),
        (("a", None), 10.5, False),
        # one machine's logs of one run are within minutes
        (("a", "a"), 250.0, True),
        (("a", "a"), -250.0, True),
        (("a", "a"), 250.5, False),
        (("a", "b"), 1.0, False),
    ],
)
def test_whether_one_clock_stamped_the_logs(hosts, apart: float, shared: bool) -> None:
    found = sending(blast(300.0, host=hosts[0]), [blast(300.0 + apart, host=hosts[1])])
    assert found is not None and found.shared is shared


def test_one_sender_with_a_clock_of_its_own_is_enough_to_go_by_the_traffic() -> None:
    found = sending(blast(300.0), [blast(300.0), blast(500.0)])
    assert found is not None and not found.shared


def test_logs_of_two_clocks_are_laid_together_where_traffic_begins() -> None:
    receiver = log(100.0, 0, 0, 0, 0, 0, 0.25 * M, *[M] * 9, 0.6 * M)  # it begins at 4.75
    sender = log(500.0, 0, 0, 0.5 * M, *[M] * 9, 0.3 * M)  # at 1.5; its last part of a second begins at 11
    found = sending(receiver, [sender])
    # that is known to an interval only: the stop is the earlier by one
    assert found == Sending(2 + 3.25, 11 + 3.25 - 1.0, (3.25,), shared=False, beyond=False)


@pytest.mark.parametrize(
    ("first", "then", "begin"),
    [(M / 4, M, 0.75), (M, M, 0.0), (1.2 * M, M, 0.0)],  # more than the next one: the whole interval
)
def test_traffic_began_within_the_first_second_at_the_rate_of_the_next(first, then, begin) -> None:
    receiver = log(100.0, 0, *[M] * 9)  # from 0 on
    found = sending(receiver, [log(500.0, 0, first, *[then] * 8)])
    assert found is not None and found.shifts == pytest.approx((-begin,))


def test_of_a_single_second_of_traffic_the_whole_counts() -> None:
    found = sending(log(100.0, 0, M, 0), [log(500.0, 0, 0, M, 0)])
    assert found is not None and found.shifts == (-1.0,)


@pytest.mark.parametrize("seconds", [1.0, 2.0])
@pytest.mark.parametrize(
    ("earlier", "later", "beyond"),
    [
        (0, 2, False),
        (0, 3, False),
        (0, 4, True),
        (3, 0, False),
        (4, 0, False),  # the first of them may have begun at its end
        (5, 0, True),
    ],
)
def test_a_receiver_that_sees_traffic_for_some_intervals_more_has_another_source(
    earlier: int, later: int, beyond: bool, seconds: float
) -> None:
    def moving(quiet: int, count: int) -> PktGenLog:
        return log(100.0, *[0] * quiet, *[M] * count, *[0] * 9, host="a", seconds=seconds)

    found = sending(moving(9 - earlier, earlier + 20 + later), [moving(9, 20)])
    assert found is not None and found.shared and found.beyond is beyond


@pytest.mark.parametrize(("background", "counts"), [(999, False), (1000, False), (1001, True)])
def test_up_to_a_thousandth_of_the_highest_rate_is_no_traffic(background: float, counts: bool) -> None:
    found = sending(blast(100.0), [log(100.0, background, *[M] * 9)])
    assert found is not None and found.start == (0.0 if counts else 1.0)


def test_of_several_senders_each_explains_what_the_receiver_sees() -> None:
    early, late = log(100.0, *[0] * 4, *[M] * 10, host="a"), log(100.0, *[0] * 12, *[M] * 20, host="a")
    found = sending(log(100.0, *[0] * 4, *[M] * 28, host="a"), [early, late])
    assert found is not None and not found.beyond


def test_the_intervals_are_those_of_usual_length_and_not_the_last_shorter_one() -> None:
    receiver = log(100.0, 0, *[M] * 23, host="a")
    lines = receiver.intervals
    receiver = msgspec.structs.replace(
        receiver, intervals=(*lines[:-1], msgspec.structs.replace(lines[-1], usec=100_000))
    )
    found = sending(receiver, [log(100.0, 0, *[M] * 20, host="a")])
    assert found is not None and not found.beyond


def test_a_log_without_traffic_leaves_all_unknown() -> None:
    still = log(100.0, 0, 0, 0)
    assert sending(still, [blast(100.0)]) is None
    assert sending(blast(100.0), [still]) is None
    assert sending(blast(100.0), [blast(100.0), still]) is None
    assert sending(blast(100.0), [blast(100.0), log(100.0)]) is None
    assert sending(blast(100.0), []) is None


def test_the_load_is_the_sum_of_the_newest_rates_from_when_all_have_one() -> None:
    def series(*points: tuple[float, float]) -> list[RateSample]:
        return [RateSample("generator", t, 1.0, rate) for t, rate in points]

    one = series((0.0, 10.0), (1.0, 20.0), (2.0, 30.0))
    other = series((0.0, 1.0), (1.0, 2.0))
    found = offered_by([one, other], [0.0, 0.5])
    assert [(s.t, s.pps, s.interval) for s in found] == [
        (0.5, 11.0, 1.0),
        (1.0, 21.0, 1.0),
        (1.5, 22.0, 1.0),
        (2.0, 32.0, 1.0),
    ]
    assert [s.t for s in offered_by([one], [7.0])] == [7.0, 8.0, 9.0]
    assert offered_by([one, []], [0.0, 0.0]) == []
