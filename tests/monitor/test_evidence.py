"""What the diagnosis may use: which seconds, of which flows, and what was odd in them."""

from collections.abc import Iterable, Mapping, Sequence

import msgspec
import pytest
from machines import LAB, Machines, blast

from fwdtui.core.counters import InterfaceCounters
from fwdtui.core.diagnosis import diagnose
from fwdtui.core.lab import parse
from fwdtui.core.model import TICK, CountSample, EventSample, HostSample, Sample
from fwdtui.monitor.live import evidence
from fwdtui.monitor.live.evidence import agreed_end, diagnosis_now, evidence_of
from fwdtui.monitor.live.series import Point
from fwdtui.monitor.live.state import State


def points(first: int, last: float, value: float | None = 1e6) -> list[Point]:
    """A point a second up to `last`, of which the oldest ends near `first`."""
    count = int(last - first) + 1
    return [Point(last - back, 1.0, value) for back in range(count)][::-1]


def end(flows: dict[str, list[Point]], now: float = 20.0, longest: float = 5.0) -> float:
    return agreed_end(flows, now, stale=3.0, interval=1.0, longest=longest)


@pytest.mark.parametrize(
    ("last", "expected"),
    [
        (19.5, 19.5),  # it has not been sampled yet
        (17.0, 17.0),
        (16.5, 20.0),  # it is silent: the others say what they know
    ],
)
def test_the_end_is_that_of_the_flow_that_was_sampled_first_unless_it_is_silent(
    last: float, expected: float
) -> None:
    assert end({"offered": points(8, 20), "dut in": points(8, 20), "received": points(8, last)}) == expected


def test_without_flows_everything_is_covered_up_to_now() -> None:
    assert end({}) == 20.0
    assert end({"received": [], "forwarded": [Point(20.0, 1.0, None)]}) == 20.0


def test_a_gap_at_the_end_of_a_flow_is_not_covered() -> None:
    assert end({"offered": points(8, 20), "received": [*points(8, 19), Point(20.0, 1.0, None)]}) == 19.0


@pytest.mark.parametrize("fallen", ["offered", "dut in"])
@pytest.mark.parametrize(("last", "expected"), [(19.0, 18.0), (19.9, 18.0), (20.0, 20.0)])
def test_a_fall_of_one_side_counts_once_the_other_goes_on_for_a_whole_interval_after_it(
    fallen: str, last: float, expected: float
) -> None:
    """It fell in the second from 18 to 19: the other's next whole second begins at 19."""
    other = {"offered": "dut in", "dut in": "offered"}[fallen]
    assert end({fallen: [*points(8, 18), *points(19, 20, 5e5)], other: points(8, last)}) == expected


def test_a_long_interval_that_began_before_the_fall_does_not_show_that_it_goes_on() -> None:
    low = [*points(8, 18), *points(19, 20, 5e5)]
    for seconds, expected in ((1.0, 20.0), (1.1, 18.0), (2.0, 18.0)):
        other = [*points(8, 18), Point(20.0, seconds, 1e6)]
        assert end({"offered": low, "dut in": other}) == expected


def test_a_trickle_falls_as_a_flood_does() -> None:
    low = [*points(8, 18, 1.0), *points(19, 20, 0.5)]
    assert end({"offered": low, "dut in": points(8, 18, 1.0)}) == 18.0


def test_while_nothing_is_known_of_the_other_side_a_fall_may_be_the_end() -> None:
    flows = {"offered": [*points(8, 18), *points(19, 20, 5e5)]}
    assert end(flows) == 18.0 == end({**flows, "dut in": []})


def test_the_earlier_of_two_falls_is_the_end() -> None:
    low = [*points(8, 18), *points(19, 20, 5e5)]
    lower = [*points(8, 17), *points(18, 20, 5e5)]
    assert end({"offered": low, "dut in": lower}) == 17.0 == end({"offered": lower, "dut in": low})


@pytest.mark.parametrize(("longest", "expected"), [(5.1, 15.0), (5.0, 15.0), (4.9, 20.0)])
def test_a_fall_that_lasts_is_evidence_like_any_other(longest: float, expected: float) -> None:
    flows = {
        "offered": [*points(5, 15), *points(16, 20, 5e5)],
        "dut in": [*points(5, 15), *points(16, 20, 5e5)],
    }
    assert end(flows, longest=longest) == expected


def test_the_usual_rate_is_that_of_the_seconds_with_traffic() -> None:
    """Before the blast there was none."""
    flows = {
        "offered": [*points(1, 15, 0.0), *points(16, 19), Point(20.0, 1.0, 9e5)],
        "dut in": points(16, 20),
    }
    assert end(flows) == 19.0
    quiet = {"offered": points(1, 20, 0.0), "dut in": points(1, 20, 0.0)}
    assert end(quiet) == 20.0, "nothing falls where nothing was"


def test_a_fall_of_what_is_received_ends_nothing() -> None:
    low = [*points(8, 18), *points(19, 20, 0.0)]
    assert end({"offered": points(8, 20), "dut in": points(8, 20), "received": low, "forwarded": low}) == 20.0


def test_where_the_dut_counts_nothing_the_fall_of_the_generator_is_looked_for_at_the_receiver() -> None:
    low = [*points(8, 18), *points(19, 20, 5e5)]
    none = points(8, 20, 0.0)
    assert end({"offered": low, "dut in": none, "received": points(8, 18)}) == 18.0
    assert end({"offered": low, "dut in": none, "received": points(8, 20)}) == 20.0


# of a running lab


def state_after(samples: Iterable[Sample], lab: str = LAB) -> State:
    state = State(parse(lab), (), (), 30.0)
    for sample in samples:
        state.push(sample)
    return state


@pytest.mark.parametrize(
    ("interval", "span"),
    [("500ms", "last 5 s"), ("1s", "last 5 s"), ("2s", "last 6 s"), ("4s", "last 12 s")],
)
def test_the_sentence_covers_five_seconds_and_three_intervals(interval: str, span: str) -> None:
    lab = f'{LAB}[sampling]\ninterval = "{interval}"\n'
    assert diagnosis_now(state_after(Machines(blast(2, 90, 10_000)).run(40), lab)).span == span


@pytest.mark.parametrize("interval", [1.0, 2.0])
@pytest.mark.parametrize(("more", "told"), [(-0.01, ""), (0.0, ""), (0.01, " of the blast")])
def test_what_ended_more_than_two_intervals_ago_is_told_as_the_past(
    monkeypatch: pytest.MonkeyPatch, interval: float, more: float, told: str
) -> None:
    state = state_after(
        Machines(blast(2, 90, 10_000)).run(40), f'{LAB}[sampling]\ninterval = "{interval:g}s"\n'
    )
    state.now = 40.0
    monkeypatch.setattr(evidence, "agreed_end", lambda *bounds: 40.0 - 2 * interval - more)
    span = diagnosis_now(state).span
    assert span.removesuffix(" of the blast") + told == span


@pytest.mark.parametrize(("interval", "recent"), [(0.5, 5.0), (1.0, 5.0), (2.0, 6.0)])
def test_the_end_is_looked_for_in_twice_the_time_and_as_long_as_a_blast_may_end(
    monkeypatch: pytest.MonkeyPatch, interval: float, recent: float
) -> None:
    seen: list[tuple[float, float, float]] = []

    def watched(
        flows: Mapping[str, Sequence[Point]], now: float, stale: float, interval: float, longest: float
    ) -> float:
        seen.append((min(points[0].at for points in flows.values() if points), interval, longest))
        return now

    monkeypatch.setattr(evidence, "agreed_end", watched)
    state = state_after(
        Machines(blast(2, 90, 10_000)).run(60), f'{LAB}[sampling]\ninterval = "{interval:g}s"\n'
    )
    diagnosis_now(state)
    ((first, used, longest),) = seen
    assert used == interval and longest == state.blasts.longest_end + 2 * interval
    since = state.now - 2 * recent - longest
    assert since < first <= since + 1.0  # the hosts are sampled each second


def test_a_flow_that_has_no_rate_yet_settles_only_while_the_blast_is_young() -> None:
    state = state_after(Machines(blast(5, 90, 10_000)).run(9))
    surely = state.blasts.surely
    assert surely is not None
    whole = msgspec.structs.replace(
        evidence_of(state, 8.0, 9.0), offered=1.0, dut_in=1.0, forwarded=1.0, received=1.0
    )
    assert not evidence._settling(state, whole, surely), "nobody sends an attack, so nobody waits for one"
    for name in ("offered", "dut_in", "forwarded", "received"):
        lacking = msgspec.structs.replace(whole, **{name: None})  # type: ignore[arg-type]
        assert evidence._settling(state, lacking, surely + state.late - 0.01)
        assert not evidence._settling(state, lacking, surely + state.late)
    quiet = state_after(Machines(blast(50, 90, 10_000)).run(9))
    assert quiet.blasts.current is None and not evidence._settling(quiet, lacking, 0.0)


def test_no_time_before_the_blast_or_after_it_is_covered() -> None:
    state = state_after(Machines(blast(5, 90, 10_000)).run(9))
    assert diagnosis_now(state).span == "last 3 s"  # what of it is older may have been partly quiet
    state = state_after(Machines(blast(5, 20, 10_000)).run(26))
    assert state.quiet_since is not None
    assert diagnosis_now(state).code == "idle"


@pytest.mark.parametrize("interval", ["1s", "4s"])
def test_neither_links_nor_rates_of_one_recording_are_of_the_next_one(interval: str) -> None:
    """They were of another day, three seconds before in the replay."""
    state = state_after(Machines(blast(5, 90, 10_000)).run(30), f'{LAB}[sampling]\ninterval = "{interval}"\n')
    state.push(EventSample(29.5, "link-down", "d0: link is down", "dut"))
    state.push(CountSample("dut", 29.6, 0.0, missing={"cycles": "no counters"}))
    assert diagnosis_now(state).code == "link-flapped"
    state.interrupt()
    assert state.not_counted == {}
    for sample in Machines(lambda second: 0.0).run(6):
        assert isinstance(sample, HostSample)
        state.push(msgspec.structs.replace(sample, at=sample.at + 33.0, t=sample.t + 9000.0))
        assert diagnosis_now(state).code in ("unknown", "idle")


DEAF = (InterfaceCounters("s0", rx_packets=0),)


def test_a_link_that_went_down_when_the_blast_began_is_no_flap_unless_nothing_passes() -> None:
    """netmap's pkt-gen resets its card two seconds before it sends, and the news of it take two more."""

    def with_links(*ats: float, passes: bool = True) -> State:
        samples: list[Sample] = [
            one if passes or one.host != "sink" else msgspec.structs.replace(one, interfaces=DEAF)
            for one in Machines(blast(5, 90, 10_000)).run(20)
            if isinstance(one, HostSample)
        ]
        for at in ats:
            place = next(n for n, s in enumerate(samples) if s.at is not None and s.at > at)
            samples.insert(place, EventSample(at, "link-down", "g0: link is down", "gen"))
        return state_after(samples)

    current = with_links().blasts.current
    assert current is not None
    for early, told, stuck in (
        (1.05, False, False),  # of what was before
        (0.95, False, True),
        (-1.0, False, True),
        (-2.45, False, True),
        (-2.55, True, True),
    ):
        at = current.began - early
        for passes, counted in ((True, told), (False, stuck)):
            found = evidence_of(with_links(at, passes=passes), 15.0, 18.0).link_down
            assert list(found) == ([("g0 of gen", pytest.approx(18.0 - at))] if counted else [])
    assert evidence_of(with_links(18.0), 15.0, 18.0).link_down
    assert not evidence_of(with_links(18.1), 15.0, 18.0).link_down, "it happened after this window"


@pytest.mark.parametrize("code", ["tool-started", "tool-ended"])
@pytest.mark.parametrize(
    ("after", "tool", "told"),
    [(0.5, "netmap-pkt-gen", False), (2.6, "netmap-pkt-gen", True), (0.5, "trafgen", True)],
)
def test_a_card_that_a_tool_opens_or_gives_back_does_not_flap(
    code: str, after: float, tool: str, told: bool
) -> None:
    """Around the blast, too, when nothing passes."""
    lab = parse(LAB.replace('interface = "g0"', f'interface = "g0"\ntool = "{tool}"'))
    state = State(lab, ["netmap-pkt-gen"], (), 30.0)
    ours = [EventSample(10.0, code, "pkt-gen", "gen", role="generator", interface="g0")]
    ours.append(EventSample(10.0 + after, "link-down", "g0: link is down", "gen"))
    for sample in sorted([*Machines(blast(50, 90, 0)).run(20), *ours], key=lambda one: one.at or 0.0):
        state.push(sample)
    assert bool(evidence_of(state, 10.0, 15.0).link_down) == told


def test_a_window_before_the_present_blast_has_the_links_of_its_own_time() -> None:
    def with_link(at: float) -> State:
        samples: list[Sample] = list(Machines(lambda s: 10_000 if s in (5, 6, 7, 8, 20, 21) else 0).run(22))
        place = next(n for n, s in enumerate(samples) if s.at is not None and s.at > at)
        samples.insert(place, EventSample(at, "link-down", "g0: link is down", "gen"))
        return state_after(samples)

    assert with_link(4.0).blasts.current is not None
    assert [bool(evidence_of(with_link(at), 6.0, 8.0).link_down) for at in (4.9, 5.1)] == [False, True]


def test_without_a_blast_links_of_the_window_and_the_second_before_count() -> None:
    def with_link(at: float) -> State:
        samples: list[Sample] = list(Machines(blast(50, 90, 0)).run(20))
        place = next(n for n, s in enumerate(samples) if s.at is not None and s.at > at)
        samples.insert(place, EventSample(at, "link-down", "g0: link is down", "gen"))
        return state_after(samples)

    assert [bool(evidence_of(with_link(at), 10.0, 15.0).link_down) for at in (8.9, 9.0, 9.1)] == [
        False,
        True,
        True,
    ]


def gone(host: str, after: float) -> list[Sample]:
    return [
        sample
        for sample in Machines(blast(2, 90, 10_000)).run(20)
        if not isinstance(sample, HostSample) or sample.host not in host.split() or sample.at < after
    ]


def test_hosts_that_are_silent_are_so_now_and_not_in_a_window_that_is_over() -> None:
    state = state_after(gone("sink", 10.0))
    assert diagnosis_now(state).code == "host-silent"
    assert list(evidence_of(state, 12.0, state.now).silent) == ["sink"]
    over = evidence_of(state, 4.0, 9.0)
    assert over.silent == {} and not over.silent_all


def test_all_hosts_are_silent_where_none_of_the_lab_is_heard() -> None:
    samples = gone("gen dut sink", 10.0)
    state = state_after([*samples, EventSample(30.0, TICK, "")])
    assert evidence_of(state, 25.0, 30.0).silent_all
    one_is_left = state_after([*gone("gen dut", 10.0), EventSample(20.0, TICK, "")])
    found = evidence_of(one_is_left, 15.0, 20.0)
    assert len(found.silent) == 2 and not found.silent_all


def test_lost_hosts_are_named_with_their_reasons() -> None:
    samples = gone("sink", 10.0)
    found = evidence_of(
        state_after([*samples, EventSample(20.0, "host-lost", "timed out", "sink")]), 15.0, 20.0
    )
    assert found.lost_hosts == ["sink"] and found.reasons == {"sink": "timed out"} and found.sampled
    never = state_after([EventSample(20.0, "host-lost", "timed out", "sink")])
    assert not evidence_of(never, 15.0, 20.0).sampled


def test_something_was_measured_once_any_flow_has_a_point() -> None:
    assert not evidence_of(state_after([]), 0.0, 5.0).measured
    assert evidence_of(state_after(Machines(blast(50, 90, 0)).run(4)), 0.0, 3.0).measured


def test_a_window_has_its_own_rates_and_length() -> None:
    found = evidence_of(state_after(Machines(blast(5, 90, 10_000), capacity=4_000).run(20)), 10.0, 18.0)
    assert found.seconds == 8.0 and found.line_rate == 20_000 and found.blast
    rates = (found.offered, found.dut_in, found.forwarded, found.received)
    assert rates == pytest.approx((10_000, 4_000, 4_000, 4_000), rel=0.01)
    assert found.drops["input queue"] == pytest.approx(6_000, rel=0.01) and found.starved is None


def test_a_gap_in_the_duts_samples_starves_the_window_that_it_ends_in() -> None:
    def late() -> Iterable[Sample]:
        return (
            s
            for s in Machines(blast(2, 90, 10_000)).run(30)
            if not isinstance(s, HostSample) or s.host != "dut" or not 10.0 < s.at < 14.0
        )

    state = state_after(late())
    ended = next(one.at for one in state.ticks.dut[()] if one.gap)
    assert state.starved(ended - 1.0, ended).seconds == pytest.approx(5.0, abs=0.1)
    assert state.starved(ended, ended + 9.0) is None and state.starved(0.0, ended - 0.01) is None
    found = evidence_of(state, ended - 1.0, ended + 1.0)
    assert found.starved == pytest.approx(5.0, abs=0.1)
    assert found.starved_in == pytest.approx(10_000, rel=0.02), "from the counters before and after"
    told = diagnose(found).sentence
    assert told.startswith("DUT starved: no sample for 5.0 s, in which it took in 10.0"), told
    assert evidence_of(state, ended, ended + 1.0).starved is None
    assert diagnosis_now(state).code != "dut-starved", "long ago"


@pytest.mark.parametrize("phase", [0.2, 0.5, 0.8])
def test_generators_on_several_hosts_never_seem_to_send_less_than_is_received(phase: float) -> None:
    """When they begin, the newest rate of one may be of the quiet before."""
    text = LAB.replace("[generator]", "[[generator]]").replace(
        "[dut]\n", '[[generator]]\nhost = "gen2"\ninterface = "g2"\n[dut]\n'
    )
    state, said = State(parse(text), (), (), 60.0), set()
    for second in range(40):
        for host, late, ports in (
            ("dut", 0.0, {"d0": 2, "d1": 2}),
            ("gen", 0.005, {"g0": 1}),
            ("gen2", 0.01, {"g2": 1}),
            ("sink", 0.015, {"s0": 2}),
        ):
            at = second + late
            sent = max(min(at, 30.0) - 8.0 - phase, 0.0) * 1e5
            rows = (
                InterfaceCounters(name, rx_packets=round(sent * share), tx_packets=round(sent * share))
                for name, share in ports.items()
            )
            state.push(HostSample(host, second, at, at, boot=host, interfaces=tuple(rows)))
            said.add(diagnosis_now(state).code)
    assert said <= {"unknown", "idle", "generator-limited", "line-limited"}
