"""Which values count, and the rate that was asked for."""

from types import SimpleNamespace
from typing import Any

import msgspec
import pytest
from experimental import LAB

from fwdtui.core.counters import InterfaceCounters
from fwdtui.core.errors import FwdtuiError
from fwdtui.core.experiment import (
    Cell,
    DesignFactor,
    Experiment,
    LevelSetup,
    Traffic,
)
from fwdtui.core.factors import FactorValue
from fwdtui.core.lab import Endpoint
from fwdtui.core.model import Caution, EventSample, HostSample, Iteration, Summary, Window
from fwdtui.core.profile.record import Profile
from fwdtui.core.profiled import newest, without_value
from fwdtui.monitor.experiment.judging import flaw
from fwdtui.monitor.experiment.traffic import check, wanted_rate
from fwdtui.monitor.run.soundness import NOT_SOUND, spoilt

# what counts


def iteration(**more: Any) -> Iteration:
    whole: dict[str, Any] = {
        "value": 1e6,
        "window": Window("steady", 10.0, 18.0, 16),
        "metrics": {name: Summary(1e6, 1e6, 1e6, 1e6, 16) for name in ("offered", "received")},
    }
    return Iteration(1, **(whole | more))


def tool(role: str, seconds: float = 3.0, asked: bool = False, start: str | None = "send") -> Any:
    ended = SimpleNamespace(asked=asked, seconds=seconds, text=f"{role} ended")
    endpoint = SimpleNamespace(start=start)
    return SimpleNamespace(ended=ended, origin=SimpleNamespace(role=role), endpoint=endpoint)


def samples(host: str, *times: float) -> list[HostSample]:
    ports = (InterfaceCounters("d0"),)
    return [HostSample(host, n, 100.0 + at, at, interfaces=ports) for n, at in enumerate(times)]


def test_a_sound_iteration_counts() -> None:
    every = samples("dut", *(n / 2 for n in range(15, 42)))
    assert flaw(LAB, iteration(), every, [tool("generator", 3.0, asked=True)], 1.02e6) == ""


SPOILS = "link-down host-lost reboot tool-failed unsteady level-shift ended-early several-tools"


@pytest.mark.parametrize("code", SPOILS.split())
def test_what_spoils_a_value_is_told_in_its_own_words(code: str) -> None:
    assert flaw(LAB, iteration(warnings=(Caution(code, "Why."),)), [], [], None) == "Why."


def test_other_warnings_do_not_spoil_it() -> None:
    assert flaw(LAB, iteration(warnings=(Caution("short-window", "Only 16."),)), [], [], None) == ""


def test_tools_that_ended_by_themselves() -> None:
    assert flaw(LAB, iteration(), [], [tool("receiver", 99.0)], None).startswith("The receiver ended")
    assert flaw(LAB, iteration(), [], [tool("generator", 3.0)], None).startswith(
        "The generator ended after 3.0 s"
    )
    assert flaw(LAB, iteration(), [], [tool("generator", 12.0)], None) == "", "it had sent for long enough"


@pytest.mark.parametrize(
    ("start", "seconds", "early"),
    [
        ("pkt-gen -f tx -i ix0 -n 1000", 12.0, False),
        ("pkt-gen -f tx -i ix0 -n 1000 -w 35", 43.0, True),  # it sent for 8 s of 11
        ("pkt-gen -f tx -i ix0 -n 1000 -w 35", 44.5, False),
        (None, 10.0, True),
    ],
)
def test_a_generators_wait_for_its_link_is_no_part_of_what_it_sent(
    start: str | None, seconds: float, early: bool
) -> None:
    why = flaw(LAB, iteration(), [], [tool("generator", seconds, start=start)], None)
    assert why == (f"The generator ended after {seconds:.1f} s: generator ended." if early else "")


@pytest.mark.parametrize(("wanted", "wrong"), [(1e6, False), (1.04e6, False), (1.1e6, True), (0.9e6, True)])
def test_the_offered_load_is_the_one_that_was_asked_for(wanted: float, wrong: bool) -> None:
    assert bool(flaw(LAB, iteration(), [], [], wanted)) == wrong


def test_a_load_that_was_asked_for_and_is_not_known_does_not_count() -> None:
    """A profile of such a cell is refused, too."""
    unknown = iteration(metrics={})
    why = "The offered load is not known where 1.000 Mpps was asked for."
    assert flaw(LAB, unknown, [], [], 1e6) == why
    assert flaw(LAB, unknown, [], [], None) == "", "nothing was asked for"


GAP = (9.0, 10.0, 11.0, 15.0, 16.0, 17.0, 18.0)
ALONE = msgspec.structs.replace(LAB, receiver=None)


def test_a_host_that_measures_must_not_be_starved() -> None:
    for lab, host in ((LAB, "sink"), (ALONE, "dut")):
        told = f"{host} gave no counters for 4.0 s: it was starved."
        assert flaw(lab, iteration(), samples(host, *GAP), [], None) == told
        assert flaw(lab, iteration(), samples("gen", 9.0, 18.0), [], None) == "", "nothing is measured there"


@pytest.mark.parametrize(
    ("at", "code", "text", "host", "why"),
    [
        (15.0, "held-up", "fwdtui itself did not run, so", "sink", "fwdtui itself did not run"),
        (12.0, "note", "the sampler ended", "sink", "the sampler ended"),
        (12.0, "note", "iperf3 on sink runs through sudo", "sink", "it was starved"),
        (15.0, "starved", "the host was busy", "sink", "it was starved"),
        (15.0, "held-up", "fwdtui itself did not run", "dut", "it was starved"),
        (18.0, "held-up", "fwdtui itself did not run", "sink", "it was starved"),  # a later gap
    ],
)
def test_a_host_was_not_starved_if_its_events_tell_another_cause(
    at: float, code: str, text: str, host: str, why: str
) -> None:
    every = [*samples("sink", *GAP), EventSample(at, code, text, host)]
    assert flaw(LAB, iteration(), every, [], None) == f"sink gave no counters for 4.0 s: {why}."


def test_a_dut_that_its_load_starves_does_not_spoil_what_the_receiver_measures() -> None:
    """An APU2 at 1.49 Mpps answered nothing for 53 s: no attempt at such a load would ever count."""
    every = samples("sink", *(n / 2 for n in range(15, 42)))
    assert flaw(LAB, iteration(), [*every, *samples("dut", 0.0, 60.0)], [], None) == ""
    forwarded = iteration(metrics={"forwarded": Summary(1e6, 1e6, 1e6, 1e6, 16)})
    why = "dut gave no counters for 4.0 s: it was starved."
    assert flaw(LAB, forwarded, [*every, *samples("dut", *GAP)], [], None) == why, "the value is its own"


@pytest.mark.parametrize(
    ("times", "seconds"),
    [
        ((0.0, 1.0, 21.0, 22.0), 20.0),  # from the warm-up until after the blast
        ((0.0, 1.0, 17.0, 18.0), 16.0),
        ((0.0, 1.0, 2.0), 8.0),  # and nothing of it has come yet
        ((9.0, 10.0, 11.0), 7.0),
        ((17.5, 18.0, 19.0), 7.5),
    ],
)
def test_a_host_that_was_starved_before_the_window_or_after_it_too(
    times: tuple[float, ...], seconds: float
) -> None:
    told = f"sink gave no counters for {seconds:.1f} s: it was starved."
    assert flaw(LAB, iteration(), samples("sink", *times), [], None) == told


def test_a_gap_beside_the_window_is_none_in_it() -> None:
    every = samples("sink", 0.0, 8.0, *(n / 2 for n in range(18, 38)), 30.0)
    assert flaw(LAB, iteration(), every, [], None) == ""


def test_a_monotonic_clock_that_jumps_in_the_window_spoils_it_and_one_before_it_does_not() -> None:
    every = samples("dut", *(n / 2 for n in range(15, 42)))
    for at, spoils in ((9.0, False), (12.0, True)):
        step = EventSample(at, "clock-step", "its monotonic clock went back", "gen")
        why = flaw(LAB, iteration(), [*every, step], [], None)
        assert bool(why) == spoils
        assert why in ("", "The clock of gen did not run evenly: its monotonic clock went back.")


def test_what_does_not_count_keeps_what_was_seen() -> None:
    found = spoilt(iteration(), "Why.")
    assert (found.value, found.complete, found.incomplete) == (None, False, "Why.")
    assert found.warnings[0].code == NOT_SOUND and found.metrics and found.window
    cut = iteration(value=None, incomplete="Cut.", complete=False, warnings=(Caution("incomplete", "Cut."),))
    both = spoilt(cut, "Why.")
    assert both.incomplete == "Why. Cut." and [one.code for one in both.warnings] == [NOT_SOUND]
    assert spoilt(cut, "Cut.") is cut


def test_a_profile_that_does_not_count_before_it_is_saved_is_not_used() -> None:
    """It waits for room on the disk while the experiment is stopped: nobody verifies its levels any more."""
    profiled = without_value(iteration(profile=Profile(7)))
    assert newest([profiled]) is profiled
    found = without_value(spoilt(profiled, "The experiment was stopped."))
    assert newest([found]) is None
    assert found.profile is not None and found.profile.rejected.startswith("The experiment was stopped.")


# what is sent

RATES = Traffic("udp", ("send {rate} {frame_size}",), variables={"rate": "300 kpps"})
CELL = Cell(0, "c", {"frame_size": 0}, {"frame_size": "64 B"}, "udp")
DESIGN = Experiment("e", "lab.toml", (DesignFactor("frame_size", (LevelSetup("64 B"),)),), (RATES,))


def test_a_generator_without_a_start_command_is_refused_before_anything_runs() -> None:
    check(LAB, DESIGN, CELL)
    own = msgspec.structs.replace(CELL, traffic="")
    check(LAB, msgspec.structs.replace(DESIGN, traffic=()), own)
    silent = msgspec.structs.replace(LAB, generators=(Endpoint("gen", "g0"),))
    with pytest.raises(FwdtuiError, match="c: the generator on gen has no start command"):
        check(silent, msgspec.structs.replace(DESIGN, traffic=()), own)


def test_one_program_may_send_on_the_ports_of_several_generators() -> None:
    own, plain = msgspec.structs.replace(CELL, traffic=""), msgspec.structs.replace(DESIGN, traffic=())
    silent, attack = Endpoint("gen", "g1"), Endpoint("gen", "g2", start="attack", role="attack")
    check(msgspec.structs.replace(LAB, generators=(*LAB.generators, silent)), plain, own)
    with pytest.raises(FwdtuiError, match="c: the generator on gen has no start command"):
        check(msgspec.structs.replace(LAB, generators=(silent, attack)), plain, own)


def test_the_rate_that_was_asked_for() -> None:
    assert wanted_rate(LAB, DESIGN, CELL) == 300_000.0
    unused = msgspec.structs.replace(RATES, generators=("send",))
    assert wanted_rate(LAB, msgspec.structs.replace(DESIGN, traffic=(unused,)), CELL) is None
    two = msgspec.structs.replace(LAB, generators=LAB.generators * 2)
    assert wanted_rate(two, DESIGN, CELL) is None, "whose rate it is cannot be told"


@pytest.mark.parametrize(
    ("rate", "wanted"), [("1 Gb/s", None), ("1.5 Mpps", 1.5e6), (200_000, 2e5), ("fast", None), (0, None)]
)
def test_a_rate_in_bits_is_not_taken_for_packets(rate: FactorValue, wanted: float | None) -> None:
    """iperf3's ``-b {rate}`` takes bits per second, which no offered load in packets can be held against."""
    profile = msgspec.structs.replace(RATES, variables={"rate": rate})
    asked = msgspec.structs.replace(DESIGN, traffic=(profile,))
    assert wanted_rate(LAB, asked, CELL) == wanted, "of a profile's variable"
    varied = msgspec.structs.replace(CELL, factors={"rate": rate})
    assert wanted_rate(LAB, DESIGN, varied) == wanted, "of a level, which goes before it"
