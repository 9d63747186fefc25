"""Seconds of a blast that are in no line of a pkt-gen, whose packets no counter sees."""

from collections.abc import Callable, Iterator

import pytest
from machines import LAB, Machines, blast
from msgspec.structs import replace

from fwdtui.core.counters import InterfaceCounters
from fwdtui.core.lab import parse
from fwdtui.core.model import EventSample, HostSample, Iteration, RateSample, Sample
from fwdtui.monitor.live.monitor import Monitor

BEGAN, ENDED = 10, 50
TOOL = '\ntool = "netmap-pkt-gen"'
RECEIVES = LAB.replace('interface = "s0"', f'interface = "s0"{TOOL}')
SENDS = LAB.replace('interface = "g0"', f'interface = "g0"{TOOL}')
GAP, MUCH = "gap", "value-gap"
LOAD = blast(BEGAN, ENDED, 10_000)


def paused(since: int, until: int) -> Callable[[int], float]:
    return lambda second: 0.0 if since <= second < until else LOAD(second)


def heard(
    host: str,
    printed: Callable[[float], bool],
    *,
    load: Callable[[int], float] = LOAD,
    late: Callable[[float], float] = lambda at: 0.0,
    clock: Callable[[float], float] = lambda at: at,
) -> Iterator[Sample]:
    """A lab whose `host` counts nothing: its tool prints a line each second, if it is `printed`.

    `late`: the seconds by which a line arrives late; `clock`: what the tool's own clock shows.
    """
    role, port = ("receiver", "s0") if host == "sink" else ("generator", "g0")
    lines: list[RateSample] = []
    before = 0
    for sample in Machines(load).run(70):
        assert isinstance(sample, HostSample)
        while lines and (lines[0].at or 0.0) <= sample.at:
            yield lines.pop(0)
        if sample.host != host:
            yield sample
            continue
        row = sample.interfaces[0]
        total = (row.rx_packets if host == "sink" else row.tx_packets) or 0
        if printed(sample.at):
            came = sample.at + late(sample.at)
            rate, before = float(total - before), total
            lines.append(RateSample(role, clock(sample.at), 1.0, rate, rate, None, host, came, None, port))
        before = total
        yield replace(sample, interfaces=(InterfaceCounters("lo"),))


def only(lab: str, samples: Iterator[Sample]) -> Iteration:
    monitor = Monitor(parse(lab), uncounted=["netmap-pkt-gen"])
    for sample in samples:
        monitor.push(sample)
    (iteration,) = monitor.snapshot().iterations
    return iteration


def told(iteration: Iteration) -> list[tuple[str, str]]:
    gaps = [one for one in iteration.warnings if one.code in (GAP, MUCH)]
    return [(one.code, one.text.partition(" of the blast")[0]) for one in gaps]


def always(at: float) -> bool:
    return True


@pytest.mark.parametrize(
    ("silent", "code", "seconds"),
    [
        ((BEGAN, 25), MUCH, "15.0 s"),  # it waited for its link, or was started late
        ((25, 40), MUCH, "15.0 s"),
        ((30, 32), GAP, "2.0 s"),
    ],
)
def test_what_is_in_no_line_of_the_receiver_is_told_and_its_packets_are_not_known(
    silent: tuple[int, int], code: str, seconds: str
) -> None:
    found = only(RECEIVES, heard("sink", lambda at: not silent[0] < at < silent[1]))
    assert found.value == pytest.approx(10_000, rel=0.02)
    assert told(found) == [(code, seconds)]
    assert found.packets is not None and found.packets.received is None
    assert found.packets.forwarded == 400_000


def test_a_receiver_that_prints_all_the_time_has_seen_all() -> None:
    found = only(RECEIVES, heard("sink", always))
    assert told(found) == [] and found.packets is not None and found.packets.received == 400_000


def test_nor_does_one_miss_anything_while_the_dut_forwards_nothing() -> None:
    found = only(RECEIVES, heard("sink", lambda at: not 26.5 < at < 28.5, load=paused(25, 29)))
    assert told(found) == []


def test_lines_that_come_late_are_not_missing() -> None:
    found = only(RECEIVES, heard("sink", always, late=lambda at: max(33.0 - at, 0.0) if at > 29.0 else 0.0))
    assert told(found) == []


def test_a_clock_that_is_set_ahead_makes_no_hole() -> None:
    found = only(RECEIVES, heard("sink", always, clock=lambda at: at + 7.0 if at > 30.0 else at))
    assert told(found) == []


def test_a_receiver_that_was_started_again_has_missed_what_came_meanwhile() -> None:
    """Its clock begins with its first line."""
    again = heard("sink", lambda at: not 20 < at < 26, clock=lambda at: at - 26.0 if at > 26.0 else at)
    assert told(only(RECEIVES, again)) == [(MUCH, "6.0 s")]


def test_the_load_is_not_known_where_lines_of_its_generator_are_missing() -> None:
    found = only(SENDS, heard("gen", lambda at: not 25 < at < 30))
    text = (
        "The offered load is not known for 5.0 s of the blast (lines are missing); its rate is of the rest."
    )
    assert [one.text for one in found.warnings if one.code == GAP] == [text]
    assert found.packets is not None and found.packets.offered is found.packets.unaccounted is None


def test_a_generator_that_was_started_again_has_sent_nothing_meanwhile() -> None:
    again = heard("gen", lambda at: not 25.5 < at < 27.1, load=paused(25, 27), clock=lambda at: at % 27.1)
    found = only(SENDS, again)
    assert told(found) == [] and found.packets is not None
    assert found.packets.offered == pytest.approx(380_000, rel=0.01)


def end(at: float, code: str) -> EventSample:
    return EventSample(at, code, "pkt-gen on gen", "gen", role="generator", interface="g0")


@pytest.mark.parametrize(
    ("events", "known"),
    [
        ([], False),
        ([EventSample(40.0, "host-lost", "no answer", "gen"), end(40.1, "tool-failed")], False),
        ([end(30.6, "tool-ended")], True),
        ([end(30.6, "tool-failed")], True),
    ],
)
def test_a_generator_that_is_no_longer_heard_may_go_on_unless_it_ended(
    events: list[EventSample], known: bool
) -> None:
    """Its tool is not ended at once when the connection to its host is lost."""
    samples = sorted([*heard("gen", lambda at: at < 30.5), *events], key=lambda sample: sample.at or 0.0)
    found = only(SENDS, iter(samples))
    assert found.packets is not None
    assert found.packets.offered == (pytest.approx(200_000, rel=0.02) if known else None)
    assert told(found) == ([] if known else [(GAP, "The offered load is not known for 20.3 s")])


# a generator that nothing counts


UNREAD = (
    "It is not known what gen sent, so the value may be all that was offered, and what was lost before the"
    " DUT is not known."
)


def unread(iteration: Iteration) -> list[str]:
    return [one.text for one in iteration.warnings if one.code == "sender-unread"]


def never(at: float) -> bool:
    return False


def test_a_value_whose_load_nobody_knows_may_be_that_of_the_generator() -> None:
    found = only(SENDS, heard("gen", never))
    assert found.value is not None and "offered" not in found.metrics
    assert unread(found) == [UNREAD]


def test_so_it_may_be_if_one_of_two_generators_is_unread() -> None:
    two = SENDS.replace("[generator]", "[[generator]]").replace(
        "[dut]", '[[generator]]\nhost = "gen"\ninterface = "g1"\n[dut]'
    )
    assert unread(only(two, heard("gen", always))) == [UNREAD]


def test_a_lab_without_a_generator_does_not_ask_for_its_load() -> None:
    alone = SENDS[SENDS.index("[dut]") :]
    assert unread(only(alone, heard("gen", never))) == []


def test_nor_is_the_load_unknown_if_only_that_of_an_attack_is() -> None:
    attacked = LAB.replace("[generator]", "[[generator]]").replace(
        "[dut]", f'[[generator]]\nhost = "gen2"\ninterface = "g1"{TOOL}\nrole = "attack"\n[dut]'
    )
    assert unread(only(attacked, Machines(LOAD).run(70))) == []
