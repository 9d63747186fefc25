"""A blast begins when every side is busy and ends when none has been for a while."""

import pytest

from fwdtui.monitor.live.blast import Blast, BlastDetector


def feed(detector: BlastDetector, side: str, rates: dict[int, float | None]) -> list[Blast]:
    found = [detector.feed(side, second - 1.0, float(second), rate) for second, rate in rates.items()]
    return [blast for blast in found if blast]


def both(offered: list[float | None], dut: list[float | None], settle: float = 2.0) -> list[Blast]:
    detector = BlastDetector(settle)
    found = []
    for second, (one, other) in enumerate(zip(offered, dut, strict=True), 1):
        for side, rate in (("offered", one), ("dut in", other)):
            blast = detector.feed(side, second - 1.0, float(second), rate)
            if blast:
                found.append(blast)
    return found


def test_a_blast_begins_with_both_sides_and_ends_when_both_are_quiet():
    rates = [0, 0, 1e6, 1e6, 1e6, 0, 0, 0, 0]
    assert both(rates, rates) == [Blast(2.0), Blast(2.0, 5.0)]


def test_a_dut_that_drops_out_in_the_middle_does_not_end_it():
    offered = [0, 1e6, 1e6, 1e6, 1e6, 1e6, 1e6, 0, 0, 0]
    dut = [0, 1e6, 1e6, 0, 0, 0, 1e6, 0, 0, 0]
    assert both(offered, dut)[-1] == Blast(1.0, 7.0)


def test_a_generator_whose_packets_never_arrive_begins_no_blast():
    assert both([0, 1e6, 1e6, 1e6], [0, 0, 0, 0]) == []


def test_background_noise_is_no_blast():
    assert both([50, 60, 70], [50, 60, 70]) == []


def test_a_gap_is_neither_busy_nor_quiet():
    offered = [0, 1e6, None, None, None, 1e6, 0, 0, 0]
    dut = [0, 1e6, None, None, None, 1e6, 0, 0, 0]
    assert both(offered, dut)[-1] == Blast(1.0, 6.0)


def test_a_side_that_cannot_tell_is_not_waited_for():
    detector = BlastDetector(2.0)
    found = feed(detector, "dut in", {1: 0, 2: 1e6, 3: 1e6, 4: 0, 5: 0, 6: 0})
    assert found == [Blast(1.0), Blast(1.0, 3.0)]


def test_a_tool_that_ends_prints_no_zeros_and_the_blast_still_ends():
    detector = BlastDetector(2.0)
    found = []
    for second in range(1, 20):
        if 3 <= second <= 8:
            found.append(detector.feed("offered", second - 1.0, float(second), 1e6))
        rate = 1e6 if 3 <= second <= 8 else 0.0
        found.append(detector.feed("dut in", second - 1.0, float(second), rate))
    assert [blast for blast in found if blast] == [Blast(2.0), Blast(2.0, 8.0)]


def test_the_tail_of_a_blast_is_not_a_blast_of_its_own():
    rates = [0, 1e6, 1e6, 5e4, 0, 0, 0, 0]
    assert both(rates, rates)[-1] == Blast(1.0, 3.0)


def test_a_blast_after_a_tool_that_ended_without_a_zero_begins_at_its_own_time():
    detector = BlastDetector(2.0)
    found = []
    for second in range(1, 40):
        busy = 3 <= second <= 8 or 20 <= second <= 28
        if busy:
            found.append(detector.feed("offered", second - 1.0, float(second), 1e6))
        found.append(detector.feed("dut in", second - 1.0, float(second), 1e6 if busy else 0.0))
    blasts = [blast for blast in found if blast]
    assert blasts == [Blast(2.0), Blast(2.0, 8.0), Blast(19.0), Blast(19.0, 28.0)]


@pytest.mark.parametrize(("rate", "ended"), [(1.001e5, 4.0), (1e5, 4.0), (9.99e4, 3.0), (3e4, 3.0)])
def test_a_tenth_of_the_peak_is_still_the_blast(rate: float, ended: float):
    """Less is the interval in which it stopped, or what a link carries by itself; more is a low load."""
    rates = [0, 1e6, 1e6, rate, 0, 0, 0, 0]
    assert both(rates, rates) == [Blast(1.0), Blast(1.0, ended)]


@pytest.mark.parametrize(
    ("over", "now", "ended"),
    [
        (False, 62.99, None),  # a lab that is out of reach for a while may come back within the blast
        (False, 63.0, Blast(1.0, 3.0, unseen=True)),
        (True, 6.49, None),  # two seconds to settle, and one and a half for a line that is still to come
        (True, 6.5, Blast(1.0, 3.0)),
    ],
)
def test_nothing_from_any_side_ends_a_blast_soon_where_its_tool_has_ended_and_late_where_nobody_knows(
    over: bool, now: float, ended: Blast | None
):
    detector = BlastDetector(2.0)
    feed(detector, "dut in", {1: 0, 2: 1e6, 3: 1e6})
    detector.over = over
    assert detector.passed(now) == ended
    assert (detector.current is None) == (ended is not None)


def test_that_the_tool_has_ended_tells_nothing_of_a_later_blast_that_fell_silent() -> None:
    """Somebody else sends it, so no tool was started since."""
    detector = BlastDetector(2.0)
    detector.all_said = True
    feed(detector, "dut in", {1: 0, 30: 1e6, 31: 1e6})
    assert detector.passed(99.0) == Blast(29.0, 31.0, unseen=True)


@pytest.mark.parametrize(("now", "ended"), [(6.49, None), (6.5, Blast(1.0, 3.0))])
def test_a_side_without_a_line_for_three_and_a_half_seconds_is_quiet(now: float, ended: Blast | None):
    """Tools print a line every one or two seconds: a shorter silence is none."""
    detector = BlastDetector(2.0)
    both_busy = [detector.feed(side, 1.0, 2.0, 1e6) for side in ("offered", "dut in")]
    both_busy += [detector.feed(side, 2.0, 3.0, 1e6) for side in ("offered", "dut in")]
    assert any(both_busy)
    found = [detector.feed("dut in", at - 1.0, at, 0.0) for at in (4.0, 5.0, 6.0, now)]
    assert found == [None, None, None, ended]


@pytest.mark.parametrize(("now", "ended"), [(4.99, None), (5.0, Blast(1.0, 3.0))])
def test_a_generator_that_has_said_everything_is_quiet_without_that_silence(now: float, ended: Blast | None):
    """Its tool has ended, and its lines came before its end: none is on its way."""
    detector = BlastDetector(2.0)
    for side in ("offered", "dut in"):
        feed(detector, side, {2: 1e6, 3: 1e6})
    detector.all_said = True
    assert [detector.feed("dut in", 3.0, 4.0, 0.0), detector.feed("dut in", 4.0, now, 0.0)] == [None, ended]


def test_what_the_generator_has_said_is_nothing_about_a_dut_that_is_not_heard() -> None:
    detector = BlastDetector(2.0)
    for side in ("offered", "dut in"):
        feed(detector, side, {2: 1e6, 3: 1e6})
    detector.all_said = True
    assert feed(detector, "offered", {4: 0, 5: 0, 6: 0}) == []
    assert detector.feed("offered", 6.0, 6.5, 0.0) == Blast(1.0, 3.0)


def test_tools_are_given_two_seconds_to_settle_where_nothing_else_is_said() -> None:
    assert BlastDetector().longest_end == BlastDetector(2.0).longest_end == 3.5
    assert BlastDetector(5.0).longest_end == 6.5


@pytest.mark.parametrize(("quiet_until", "ended"), [(4.99, None), (5.0, Blast(1.0, 3.0))])
def test_a_blast_ends_once_every_side_has_been_seen_quiet_for_the_time_to_settle(
    quiet_until: float, ended: Blast | None
) -> None:
    detector = BlastDetector(2.0)
    feed(detector, "dut in", {1: 0, 2: 1e6, 3: 1e6})
    assert detector.feed("dut in", 3.0, quiet_until, 0.0) == ended


def test_a_side_that_is_busy_again_within_that_time_continues_the_blast() -> None:
    rates = [0, 1e6, 1e6, 0, 1e6, 0, 0, 0]
    assert both(rates, rates) == [Blast(1.0), Blast(1.0, 5.0)]


def test_since_when_there_was_surely_traffic_is_known_before_and_during_a_blast() -> None:
    """The interval in which a side began is partly quiet: its end counts."""
    detector = BlastDetector(2.0)
    assert detector.surely is None
    detector.feed("dut in", 0.0, 1.0, 0.0)
    feed(detector, "offered", {1: 0, 2: 1e6, 3: 1e6})
    assert detector.current is None and detector.surely == 2.0
    detector.feed("dut in", 2.5, 3.5, 1e6)
    assert detector.current == Blast(1.0) and detector.surely == 2.0
    feed(detector, "offered", {4: 0, 5: 0})
    assert detector.current is not None and detector.surely == 2.0, "of the blast, although one side is quiet"


def test_a_generator_that_has_ended_and_sends_again_has_not_ended() -> None:
    detector = BlastDetector(2.0)
    assert detector.over is False
    feed(detector, "offered", {1: 0, 2: 1e6})
    detector.over = True
    feed(detector, "offered", {3: 0})
    assert detector.over, "a quiet second says nothing"
    feed(detector, "offered", {4: 1e6})
    assert not detector.over and detector.passed(9.0) is None


def test_after_a_blast_that_fell_silent_the_next_one_begins_anew() -> None:
    """The peak of the last one does not count, nor that its generator had ended."""
    detector = BlastDetector(2.0)
    feed(detector, "offered", {1: 0, 2: 1e9})
    detector.over = True
    assert detector.passed(3.0) is None
    assert detector.passed(99.0) == Blast(1.0, 2.0)
    assert not detector.over and detector.surely is None
    assert feed(detector, "offered", {100: 0, 101: 1e6}) == [Blast(100.0)]
    assert detector.passed(110.0) is None


@pytest.mark.parametrize(("rate", "busy"), [(99.9, False), (100.0, True)])
def test_a_hundred_packets_per_second_are_traffic(rate: float, busy: bool) -> None:
    detector = BlastDetector(2.0)
    assert bool(feed(detector, "offered", {1: 0, 2: rate})) is busy


def test_a_fork_goes_on_by_itself() -> None:
    detector = BlastDetector(1.0)
    feed(detector, "offered", {1: 0, 2: 1e6})
    detector.over = detector.all_said = True
    twin = detector.fork()
    assert (twin.current, twin.over, twin.surely, twin.longest_end) == (Blast(1.0), True, 2.0, 2.5)
    assert twin.all_said
    feed(twin, "offered", {3: 0, 4: 0, 5: 0})
    assert twin.current is None and detector.current == Blast(1.0) and detector.over
    assert detector.passed(4.5) == Blast(1.0, 2.0)


@pytest.mark.parametrize("interval", [0.1, 0.25, 0.5])
def test_sides_whose_cards_count_once_a_second_make_one_blast_however_often_they_are_read(
    interval: float,
) -> None:
    """bnxt, sfc and tg3: no packet in most intervals, and never in the same one on two hosts."""
    detector = BlastDetector(max(1.0, 3 * interval))
    found = []
    for tick in range(1, round(20 / interval)):
        end = tick * interval
        for side, phase in (("offered", 0.0), ("dut in", 0.55)):
            refreshed = int(end + phase + 1e-9) - int(end - interval + phase + 1e-9)
            rate = 1e6 / interval if refreshed and 3.0 < end < 12.0 else 0.0
            if blast := detector.feed(side, end - interval, end, rate):
                found.append(blast)
    begun, ended = found
    assert begun.began == ended.began <= 4.0
    assert ended.ended is not None and 11.0 <= ended.ended <= 12.0


# packets of others, and attacks


@pytest.mark.parametrize("phase", [0.1, 0.5, 0.9])
@pytest.mark.parametrize("start", [30.02, 30.3, 30.6, 30.97])
@pytest.mark.parametrize("noisy", ["offered", "dut in"])
def test_what_a_side_heard_of_others_is_no_begin(noisy: str, start: float, phase: float) -> None:
    """Whichever side is read first, and however much of the interval in which it began is quiet.

    Others alone pass for a blast as long as only one side was heard at all.
    """
    detector = BlastDetector(3.0)
    found = []
    for second in range(1, 45):
        for side, moment in sorted({"offered": 0.4, "dut in": phase}.items(), key=lambda pair: pair[1]):
            end = second + moment
            rate = 1e5 * min(max(end - start, 0.0), 1.0) + (150.0 if side == noisy else 0.0)
            if blast := detector.feed(side, end - 1.0, end, rate):
                found.append((end, blast.began))
    *before, (told, began) = found
    assert len(before) <= 1 and all(told < 2.0 for told, _ in before)
    assert start - 1.0 <= began <= start + 0.1 and told <= start + 5.0


def test_a_side_that_is_heard_late_makes_no_later_begin() -> None:
    """A DUT that is busy beyond answering may say nothing for a while of what the generator sends."""
    detector = BlastDetector(3.0)
    detector.feed("dut in", 0.0, 1.0, 0.0)
    found = [detector.feed("offered", at - 1.0, at, 1e6) for at in map(float, range(3, 12))]
    assert not any(found)
    for at in map(float, range(12, 18)):
        found += [
            detector.feed("dut in", at - 1.5, at - 0.5, 1e6),
            detector.feed("offered", at - 1.0, at, 1e6),
        ]
    assert [blast for blast in found if blast] == [Blast(2.0)]


@pytest.mark.parametrize("alone", ["offered", "dut in"])
@pytest.mark.parametrize("pause", [0, 1, 9])
def test_traffic_that_was_no_blast_does_not_hide_one_of_less_than_a_tenth_of_its_rate(
    alone: str, pause: int
) -> None:
    """Line rate to a wrong MAC address, or from another sender."""
    first, later = [0.0, *[14.88e6] * 9, *[0.0] * pause], [*[1e6] * 9, 0.0, 0.0, 0.0]
    rates = {"offered": [0.0] * len(first), "dut in": [0.0] * len(first), alone: first}
    began = float(len(first))
    found = both(rates["offered"] + later, rates["dut in"] + later)
    assert found == [Blast(began), Blast(began, began + 9.0)]


def test_what_a_receiver_heard_of_others_does_not_keep_it_from_standing_in_for_the_dut() -> None:
    detector = BlastDetector(2.0)
    for second in range(1, 20):
        sent = 1e6 if second > 10 else 0.0
        detector.received(second - 1.0, float(second), 14.88e6 if second < 8 else sent)
        for side, rate in (("offered", sent), ("dut in", 0.0)):
            detector.feed(side, second - 1.0, float(second), rate)
    assert detector.current == Blast(10.0)


@pytest.mark.parametrize("rate", [1e6, 1e8])
def test_what_a_tool_sent_that_nobody_heard_is_no_begin_of_what_another_one_sends_later(rate: float) -> None:
    detector = BlastDetector(2.0)
    found = []
    for second in range(1, 30):
        sends, heard = 3 <= second <= 8 or second >= 20, second >= 20
        detector.all_said = not sends and second > 8
        if sends:
            sent = 1e6 if heard else rate
            found.append(detector.feed("offered", second - 1.0, float(second), sent))
        found.append(detector.feed("dut in", second - 1.0, float(second), 1e6 if heard else 0.0))
    assert [blast for blast in found if blast] == [Blast(19.0)]


def test_a_tool_that_is_not_heard_before_it_sends_tells_when_a_blast_began() -> None:
    """Until it prints its first line others alone pass for a blast."""
    for attack, attacked in ((150.0, False), (3e5, True)):
        detector, found = BlastDetector(3.0, attacked=attacked), []
        for second in range(1, 60):
            sends = 30 < second <= 50
            if sends:
                found.append(detector.feed("offered", second - 1.0, float(second), 1e6))
            rate = attack + (1e6 if sends else 0.0)
            found.append(detector.feed("dut in", second - 1.0, float(second), rate))
            detector.all_said = second > 50
        assert [blast for blast in found if blast] == [Blast(0.0), Blast(30.0), Blast(30.0, 50.0)]


def under_attack(
    attack: tuple[int, int], *wanted: tuple[int, int], attacked: bool = True, attacking: float = 3e5
) -> list[Blast]:
    """The blasts of a lab whose DUT hears both; each is sent from one second to another.

    `attacking`: the rate of the attack.
    """
    detector = BlastDetector(3.0, attacked=attacked)
    found = []
    for second in range(1, 120):
        sent = 1e6 if any(begin < second <= end for begin, end in wanted) else 0.0
        heard = sent + (attacking if attack[0] < second <= attack[1] else 0.0)
        for side, rate in (("offered", sent), ("dut in", heard)):
            if (blast := detector.feed(side, second - 1.0, float(second), rate)) and blast.ended:
                found.append(blast)
    return found


def test_an_attack_that_goes_on_neither_begins_nor_ends_the_blasts_of_the_wanted_traffic() -> None:
    wanted = ((30, 50), (57, 80))
    assert under_attack((10, 100), *wanted) == [Blast(30.0, 50.0), Blast(57.0, 80.0)]
    assert under_attack((30, 100), *wanted) == [Blast(30.0, 50.0), Blast(57.0, 80.0)]
    assert under_attack((0, 100), (4, 20)) == [Blast(4.0, 20.0)], "it was on when recording began"
    assert under_attack((10, 100), *wanted, attacked=False) == [Blast(10.0, 100.0)], "nobody says what it is"


def test_an_attack_that_outlasts_a_blast_does_not_hide_a_later_one_of_a_tenth_of_its_rate() -> None:
    assert under_attack((10, 60), (30, 50), (80, 99), attacking=3e7) == [Blast(30.0, 50.0), Blast(80.0, 99.0)]


@pytest.mark.parametrize(
    ("attack", "expected"),
    [
        ((30, 50), Blast(30.0, 50.0)),
        ((26, 54), Blast(26.0, 54.0)),  # tools start and stop one after the other, and some wait for a link
        ((25, 50), Blast(30.0, 50.0)),
        ((30, 55), Blast(30.0, 50.0)),
    ],
)
def test_an_attack_that_is_sent_with_the_wanted_traffic_is_of_its_blast(
    attack: tuple[int, int], expected: Blast
) -> None:
    assert under_attack(attack, (30, 50)) == [expected]


def test_a_pause_of_the_wanted_traffic_under_an_attack_is_one_blast_still() -> None:
    assert under_attack((30, 60), (30, 40), (44, 60)) == [Blast(30.0, 60.0)]


def test_a_generator_that_is_not_heard_under_an_attack_has_not_ended() -> None:
    """Its host may be lost while it sends, until its tool is known to have ended."""
    for said, expected in ((False, None), (True, Blast(4.0, 10.0))):
        detector = BlastDetector(3.0, attacked=True)
        for second in range(1, 20):
            if second <= 10:
                detector.feed("offered", second - 1.0, float(second), 1e6 if second > 4 else 0.0)
            detector.all_said = said and second > 10
            blast = detector.feed("dut in", second - 1.0, float(second), 3e5 if second > 4 else 0.0)
            if second > 8 and blast:
                break
        assert blast == expected
