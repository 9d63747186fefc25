"""When a host is asked for what, and what becomes an event."""

from typing import cast

import pytest

from fwdtui.collectors import clock
from fwdtui.collectors.base import Followed, Readout
from fwdtui.collectors.events import LinkWatch, MessageClock, MessageWatch, PortWatch
from fwdtui.collectors.frames import MESSAGES, PLAIN, SLOW
from fwdtui.collectors.sampler import HostSampler
from fwdtui.collectors.schedule import Ticker
from fwdtui.collectors.watch import Watch
from fwdtui.core.counters import InterfaceCounters
from fwdtui.core.model import EventSample, HostSample
from fwdtui.core.rates import Gap, Rate, Reading, Reason, rate
from fwdtui.transport.base import Host


def test_ticks_are_multiples_of_the_interval_on_everybodys_clock() -> None:
    one, other = Ticker(0.1, 1.0, 5.0), Ticker(0.1, 1.0, 5.0)
    assert one.next(1000.03) == pytest.approx(1000.1)
    assert other.next(1000.07) == pytest.approx(1000.1)
    assert one.next(1000.101) == pytest.approx(1000.2)
    assert one.missed == 0


def test_a_timer_that_fires_a_little_early_does_not_tick_twice() -> None:
    ticker = Ticker(1.0, 1.0, 5.0)
    assert [ticker.next(9.5), ticker.next(9.9999), ticker.next(11.0)] == [10.0, 11.0, 12.0]
    assert ticker.missed == 0


def test_ticks_that_passed_while_we_slept_are_counted_and_not_made_up() -> None:
    ticker = Ticker(1.0, 1.0, 5.0)
    ticker.next(9.5)
    assert ticker.next(15.2) == 16.0
    assert ticker.missed == 5


def test_programs_run_as_often_as_they_may_and_never_more_often_than_the_interval() -> None:
    ticker = Ticker(0.1, 1.0, 5.0)
    asked = []
    for _ in range(100):
        for kind in ticker.kinds():
            asked.append(kind)
            ticker.answered(kind, ticker.asked(kind, 0.0))
    assert {kind: asked.count(kind) for kind in (PLAIN, SLOW, MESSAGES)} == {
        PLAIN: 100,
        SLOW: 10,
        MESSAGES: 2,
    }
    slow = Ticker(10.0, 1.0, 5.0)
    assert [slow.kinds() for _ in range(2)] == [[PLAIN, SLOW, MESSAGES]] * 2


def test_a_host_that_does_not_answer_is_not_buried_in_ticks() -> None:
    ticker = Ticker(0.1, 1.0, 5.0)
    sent = 0
    for _ in range(100):
        for kind in ticker.kinds():
            ticker.asked(kind, 0.0)
            sent += 1
    assert sent == 5  # three plain ones, and one that runs programs, and one for messages
    assert ticker.missed == 97


@pytest.mark.parametrize(("interval", "unanswered"), [(1.0, 3), (0.1, 3), (0.05, 6), (0.01, 30)])
def test_a_slow_round_trip_skips_no_ticks_however_short_the_interval(
    interval: float, unanswered: int
) -> None:
    """Three tenths of a second at least: at a hundred samples a second three ticks are soon on the way."""
    ticker = Ticker(interval, 10.0, 10.0)
    sent = 0
    for _ in range(unanswered + 1):
        for kind in ticker.kinds():
            ticker.asked(kind, 0.0)
            sent += kind == PLAIN
    assert sent == unanswered and ticker.missed == 1


def test_samples_are_numbered_without_holes_and_messages_by_themselves() -> None:
    ticker = Ticker(1.0, 1.0, 1.0)
    assert [ticker.asked(kind, 0.0) for kind in (PLAIN, SLOW, MESSAGES, PLAIN, SLOW, MESSAGES)] == [
        1,
        2,
        1,
        3,
        4,
        2,
    ]


def test_an_answer_is_taken_once_and_only_for_what_was_asked() -> None:
    ticker = Ticker(1.0, 1.0, 1.0)
    first, second = ticker.asked(PLAIN, 1.0), ticker.asked(PLAIN, 2.0)
    assert ticker.answered(SLOW, first) is None
    assert ticker.answered(PLAIN, 99) is None
    assert ticker.answered(PLAIN, second) == 2.0
    assert ticker.answered(PLAIN, second) is None
    assert ticker.answered(PLAIN, first) is None  # a later one has come: this one was lost


def test_a_tick_that_could_not_be_sent_is_missed() -> None:
    ticker = Ticker(1.0, 1.0, 1.0)
    ticker.unsent(PLAIN, ticker.asked(PLAIN, 1.0))
    ticker.unsent(SLOW, ticker.asked(SLOW, 1.0))
    assert ticker.missed == 1
    assert ticker.kinds() == [PLAIN, SLOW, MESSAGES]


def test_what_is_no_longer_asked_for_can_be_asked_for_again() -> None:
    ticker = Ticker(1.0, 1.0, 3.0)
    ticker.stop(MESSAGES)
    ticker.stop(MESSAGES)
    assert [ticker.kinds() for _ in range(4)] == [[PLAIN, SLOW]] * 4
    ticker.resume(MESSAGES)
    ticker.resume(MESSAGES)
    assert [MESSAGES in ticker.kinds() for _ in range(6)] == [False, False, True, False, False, True]


def test_the_first_state_of_a_link_is_no_news() -> None:
    links = LinkWatch("dut")
    assert list(links.changes({"ix0": False, "ix1": True}, 1.0)) == []
    assert list(links.changes({"ix0": False}, 2.0)) == []
    (event,) = links.changes({"ix0": True, "ix1": True}, 3.0)
    assert (event.code, event.host, event.at, event.text) == ("link-up", "dut", 3.0, "ix0: link is up")


def test_a_link_that_was_down_between_two_looks_went_down_and_came_up() -> None:
    links = LinkWatch("dut")
    assert list(links.changes({"eth0": True}, 10.0, {"eth0": 4})) == []
    assert list(links.changes({}, 11.0)) == [], "a frame without links"
    found = list(links.changes({"eth0": True}, 12.0, {"eth0": 5}))
    assert [(one.code, one.at, one.text) for one in found] == [
        ("link-down", 11.0, "eth0: link is down"),
        ("link-up", 12.0, "eth0: link is up"),
    ]
    assert list(links.changes({"eth0": True}, 14.0, {"eth0": 5})) == []


def test_a_link_that_is_seen_down_is_told_once() -> None:
    links = LinkWatch("dut")
    list(links.changes({"eth0": True}, 1.0, {"eth0": 4}))
    seen = [(False, 5), (False, 5), (True, 5), (True, 5)]
    told = [
        event.code
        for at, (up, downs) in enumerate(seen, 2)
        for event in links.changes({"eth0": up}, float(at), {"eth0": downs})
    ]
    assert told == ["link-down", "link-up"]


def test_what_a_new_boot_or_a_new_card_has_counted_is_no_news() -> None:
    links = LinkWatch("dut")
    list(links.changes({"eth0": True, "eth1": True}, 1.0, {"eth0": 0, "eth1": 3}))
    assert list(links.changes({"eth1": True}, 2.0, {"eth1": 0})) == []
    assert list(links.changes({"eth0": True, "eth1": True}, 3.0, {"eth0": 2, "eth1": 0})) == []
    links.rebooted()
    assert list(links.changes({"eth0": True, "eth1": True}, 4.0, {"eth0": 3, "eth1": 1})) == []


def test_a_port_that_is_not_there_is_told_once_and_so_is_its_return() -> None:
    ports = PortWatch("dut", ("in0", "out0"))
    had = ["in0 out0", "in0", "in0 out0", "in0", "in0", "in0", "in0 out0", "in0 out0"]
    told = []
    for at, names in enumerate(had, 1):
        rows = tuple(InterfaceCounters(name) for name in names.split())
        told += ports.changes(HostSample("dut", at, float(at), at=float(at), interfaces=rows))
    text = "out0: there is no such interface, so what it counts is not known"
    assert [(one.code, one.at) for one in told] == [("port-gone", 5.0), ("port-back", 7.0)]
    assert told[0].text == text and told[0].host == "dut"

    mistyped = PortWatch("dut", ("in9",))
    empty = HostSample("dut", 1, 1.0, at=1.0)
    assert [one.code for _ in range(4) for one in mistyped.changes(empty)] == ["port-gone"]


def test_messages_that_were_there_before_are_no_news() -> None:
    messages = MessageWatch("dut")
    assert list(messages.news("a\nb\n", 1.0)) == []
    assert [event.text for _, event in messages.news("a\nb\nc\n", 2.0)] == ["c"]
    assert list(messages.news("a\nb\nc\n", 3.0)) == []


def test_the_kernels_own_time_of_a_message_is_kept_for_placing_it() -> None:
    messages = MessageWatch("dut")
    list(messages.news("", 0.0))
    ((when, event),) = messages.news("[   12.345678] ixgbe 0000:01:00.0 eth0: NIC Link is Down\n", 2.0)
    assert when == 12.345678
    assert (event.code, event.text) == ("dmesg", "ixgbe 0000:01:00.0 eth0: NIC Link is Down")


def test_a_flood_of_messages_is_told_by_its_number() -> None:
    messages = MessageWatch("dut")
    list(messages.news("x\n", 0.0))
    told = [event.text for _, event in messages.news("x\n" + "".join(f"line {n}\n" for n in range(59)), 1.0)]
    assert told[:-1] == [f"line {n}" for n in range(39, 59)]
    assert told[-1] == "kernel messages before these: 39 more"


def test_links_are_told_in_a_flood_of_other_messages_too() -> None:
    """The news that one is up again would be among those that are left out, and it would stay down."""
    messages = MessageWatch("dut")
    list(messages.news("boot\n", 1.0))
    flood = [f"sonewconn: overflow {n}" for n in range(30)]
    flood[2], flood[5] = "igb1: link state changed to DOWN", "igb1: link state changed to UP"
    told = [event for _, event in messages.news("\n".join(["boot", *flood, ""]), 2.0)]
    assert [event.code for event in told[:2]] == ["link-down", "link-up"]
    assert [event.text for event in told[2:-1]] == flood[-20:]
    assert told[-1].text == "kernel messages before these: 8 more"


def test_a_buffer_that_rolled_over_is_said() -> None:
    messages = MessageWatch("dut")
    list(messages.news("a\nb\n", 0.0))
    told = [event.text for _, event in messages.news("y\nz\n", 1.0)]
    assert told == ["y", "z", "kernel messages before these: others may be lost"]


def test_a_message_that_came_by_itself_is_no_news_of_a_later_reading() -> None:
    messages = MessageWatch("dut")
    list(messages.news("[    1.000000] a\n", 0.0))
    ((when, event),) = messages.came(Followed("b", when=2.5), 3.0)
    assert (when, event) == (2.5, EventSample(3.0, "dmesg", "b", "dut"))
    told = messages.news("[    1.000000] a\n[    2.500000] b\n[    2.500001] c\n", 4.0)
    assert [event.text for _, event in told] == ["c"]


def test_what_was_left_out_before_a_message_is_said() -> None:
    told = [event.text for _, event in MessageWatch("dut").came(Followed("b", when=2.5, left=7), 3.0)]
    assert told == ["kernel messages before this one: 7 more", "b"]


def test_a_host_that_sends_a_flood_all_the_same_fills_no_recording() -> None:
    messages = MessageWatch("dut")
    told = [event for n in range(1000) for event in messages.came(Followed(f"x{n}", when=1.0), 5.5)]
    assert len(told) == 100
    told = list(messages.came(Followed("y", when=2.0, left=3), 6.0))
    assert [event.text for _, event in told] == ["kernel messages before this one: 903 more", "y"]


def test_what_is_said_about_the_messages_has_no_time() -> None:
    ((when, event),) = MessageWatch("dut").came(Followed("more than\x1b[2J 20"), 3.0)
    assert (when, event.text) == (None, "more than[2J 20")


def test_freebsds_link_messages_are_link_events() -> None:
    messages = MessageWatch("dut")
    list(messages.news("x\n", 0.0))
    ((_, event),) = messages.news("x\nix0: link state changed to DOWN\n", 5.0)
    assert (event.code, event.text, event.at) == ("link-down", "ix0: link is down", 5.0)


@pytest.mark.parametrize("ahead", [70.0, 4000.0, 8.0, -60.0, -7200.0])
def test_a_message_of_a_kernel_with_another_clock_is_placed_when_it_arrives(ahead: float) -> None:
    messages = MessageClock()
    placed = [messages.place(at + ahead, at + 0.1) for at in (5.0, 25.0, 40.0)]
    assert placed == pytest.approx([5.1, 25.1, 40.1])


def test_a_message_that_was_held_up_is_placed_when_it_was_said() -> None:
    messages = MessageClock()
    assert messages.place(5.0, 5.1) == 5.0
    assert messages.place(25.0, 31.0) == 25.0
    other = MessageClock()
    assert other.place(75.0, 5.1) == pytest.approx(5.1)
    assert other.place(95.0, 31.0) == pytest.approx(25.1)


def test_the_clock_of_a_kernel_that_was_suspended_is_another_one() -> None:
    messages = MessageClock()
    assert messages.place(5.0, 5.1) == 5.0
    assert messages.place(25.0, 325.1) == pytest.approx(325.1)
    assert messages.place(30.0, 330.2) == pytest.approx(330.1)


def test_a_message_that_dmesg_prints_was_said_since_the_last_reading() -> None:
    said: list[EventSample] = []
    sampler = HostSampler(cast(Host, None), Watch("dut", ("d0",)), 1.0)
    sampler._emit = lambda sample: said.append(cast(EventSample, sample))
    sampler._axis.at(1000.0)
    sampler._clock.exchange(1000.0, 1000.001, 5000.0, 5000.001)
    told = ""
    for at, stamp in ((10.0, 5004.0), (20.0, 5015.0), (30.0, 5099.0), (40.0, 4000.0)):
        told += f"[{stamp:.6f}] said at {stamp}\n"
        sampler._tell(Readout(cast(HostSample, None), 0.0, 0.0, messages=told), Ticker(1.0, 1.0, 1.0), at)
    assert [round(event.at, 2) for event in said] == [15.0, 30.0, 30.0]


def boots(*uptimes: float) -> list[str]:
    """The names of a host's boots, whose kernel names none: what its clock showed, a reading a minute."""
    sampler = HostSampler(cast(Host, None), Watch("dut", ("d0",)), 1.0)
    names = []
    for place, uptime in enumerate(uptimes):
        sampler._heed_boot("", uptime, 0.0, (1000.0 + 60 * place, 1000.01 + 60 * place))
        names.append(sampler._boot)
    return names


def test_boots_without_a_name_have_one_of_their_own_in_every_recording() -> None:
    first, again, second, third = boots(5000.0, 5060.0, 30.0, 20.0)
    assert first == again == "", "nobody knows which one it is"
    assert len({second, third, *boots(7000.0, 30.0)[1:]}) == 3


def test_no_rate_is_computed_across_a_reboot_after_which_a_host_is_up_for_as_long() -> None:
    before, after = boots(30.0, 31.0)
    assert rate(Reading(100, 30, before), Reading(200, 31, after)) == Gap(Reason.REBOOT)
    assert isinstance(rate(Reading(100, 30, after), Reading(200, 31, after)), Rate)


@pytest.mark.parametrize(
    ("slept", "said"),
    [
        (90.0, "this machine was suspended for 90 s: no rate is computed across that"),
        (0.0, "its monotonic clock jumped ahead by 90.000 s: no rate is computed across that"),
    ],
)
def test_if_this_machine_was_suspended_it_is_not_the_hosts_clock_that_jumped(
    monkeypatch: pytest.MonkeyPatch, slept: float, said: str
) -> None:
    monkeypatch.setattr(clock, "asleep", lambda: 1000.0)
    told: list[EventSample] = []
    sampler = HostSampler(cast(Host, None), Watch("dut", ("d0",)), 1.0)
    sampler._emit = lambda sample: told.append(cast(EventSample, sample))
    monkeypatch.setattr(clock, "asleep", lambda: 1000.0 + slept)
    sampler._heed_step(90.0)
    assert [event.text for event in told] == [said]
