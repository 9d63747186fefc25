"""A plan of iterations that runs by itself: what it waits for, what it repeats, when it gives up."""

import asyncio
import re
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from pathlib import Path

import msgspec
import pytest
from benches import PLAN, RATE, SampledBench, Switch, ended, quickly

from fwdtui.collectors.tools.base import ToolVerdict
from fwdtui.core.counters import InterfaceCounters
from fwdtui.core.errors import FwdtuiError
from fwdtui.core.model import CEASED, PAUSED, HostSample, Iteration
from fwdtui.core.roles import ATTACK
from fwdtui.core.sentences import after_colon
from fwdtui.monitor.run import unsaved
from fwdtui.monitor.run.blasting import LOST
from fwdtui.monitor.run.soundness import NOT_SOUND
from fwdtui.monitor.run.unattended import Unattended
from fwdtui.monitor.run.waiting import Waiter
from fwdtui.store import read_session


@dataclass
class Run:
    """What a plan did: `doing` are its phases as they were shown, each with when it was first seen."""

    bench: SampledBench
    plan: Unattended
    waiter: Waiter
    whole: bool | None = None
    error: Exception | None = None
    said: list[str] = field(default_factory=list)
    doing: list[str] = field(default_factory=list)
    ended: float = 0.0

    @property
    def iterations(self) -> list[bool]:
        return [one.complete for one in self.bench.monitor.snapshot(0).iterations]


def planned(
    before: Callable[[Run], Awaitable[None] | None] = lambda run: None,
    lab: str = PLAN,
    iterations: int | None = None,
    into: Path | None = None,
    at_end: float | None = None,
) -> Run:
    async def main() -> Run:
        async with SampledBench(lab) as bench:
            if into is not None:
                bench.record(into, "s", "v4")
            said: list[str] = []
            doing: list[str] = []
            waiter = Waiter(bench, bench.start(), lambda: doing.append(plan.doing))
            plan = Unattended(waiter, iterations, said.append, patience_at_end=at_end)
            run = Run(bench, plan, waiter, said=said, doing=doing)
            if (more := before(run)) is not None:
                await more
            try:
                run.whole = await plan.run()
            except (FwdtuiError, OSError) as error:
                run.error = error
            run.ended = bench.source.now
            return run

    return quickly(main)


def test_a_warm_up_that_is_too_long_for_its_blast_is_told_once_before_the_first_one():
    run = planned(lab=PLAN.replace('duration = "10s"', 'duration = "4s"'))
    assert run.whole
    told = [line for line in run.said if line.startswith("The warm-up of 2 s is more than a quarter")]
    assert told == run.said[:1]
    assert not [line for line in planned().said if "warm-up" in line]


def after(run: Run, seconds: float, do: Callable[[], None]) -> None:
    asyncio.get_running_loop().call_later(seconds, do)


ONE = PLAN.replace("iterations = 2", "iterations = 1")


# what it does


def test_a_blast_of_two_senders_that_began_together_is_marked() -> None:
    def before(run: Run) -> None:
        def started(switch: Switch) -> None:
            switch.tool.frames = True
            said = ToolVerdict(packets=int(RATE))  # a second's packets: the others are somebody else's
            stop = ended("stopped", 12.0, asked=True)
            stop.verdict = said  # type: ignore[attr-defined]
            after(run, 14.0, lambda: setattr(switch, "ended", stop))

        run.bench.started = started

    (one,) = planned(before, ONE).bench.monitor.snapshot(0).iterations
    assert one.value is not None and "others-sent" in {warning.code for warning in one.warnings}


def test_each_iteration_is_started_measured_stopped_and_settled() -> None:
    run = planned()
    assert run.whole is True and run.plan.problem == "" and run.error is None
    assert run.iterations == [True, True] and (run.plan.kept, run.plan.number, run.plan.wanted) == (2, 2, 2)
    whole = " (about 31 s in all)"
    assert run.said == [f"iteration {n} of 2: starting the generator{'' if n > 1 else whole}" for n in (1, 2)]
    assert run.plan.doing == "2 of 2 iterations are recorded"
    (first, second), (stop, last) = run.bench.starts, run.bench.stops
    # the generator sends from the next second on and is seen a second later; then 2 s of warm-up, 10 s to
    # measure and two intervals
    assert stop - first == pytest.approx(2.0 + 2.0 + 10.0 + 2.0, abs=1.0)
    # the blast's end is seen after 3 s of quiet, and its last samples are awaited; then 3 s to settle
    assert second - stop == pytest.approx(3.0 + 1.0 + 3.0, abs=1.5)
    assert run.ended - last < 6.0, "after the last one there is nothing to settle for"


@pytest.mark.parametrize(("others", "kept"), [(2_500.0, False), (900.0, True)])
def test_what_somebody_else_sends_already_is_no_part_of_an_iteration_that_counts(
    others: float, kept: bool
) -> None:
    """An earlier run had left its generator, which the stop command of this run then ended, too."""

    def before(run: Run) -> None:
        source = run.bench.source
        source.rate = others

        def started(_: Switch) -> None:
            source.rate = RATE + (others if len(run.bench.starts) == 1 else 0.0)

        run.bench.started = started

    run = planned(before)
    assert run.whole is True and run.plan.kept == 2
    assert run.iterations == ([True, True] if kept else [False, True, True])
    told = (
        r"iteration 1 of 2 has no sound value: 2\.[45]\d\d kpps were sent already when the generator was "
        r"started, and are part of what was measured: stop the other sender\. It is repeated, at most 2 more "
        r"times\."
    )
    assert any(re.fullmatch(told, line) for line in run.said) is not kept


def test_a_single_iteration_is_not_told_in_the_plural() -> None:
    run = planned(iterations=1)
    assert run.doing[0].startswith("1 iteration · waiting")
    assert run.plan.doing == "1 of 1 iteration is recorded"


def test_what_it_is_doing_is_told_with_what_is_left() -> None:
    run = planned()
    phases = dict.fromkeys(text.rsplit(" s left", 1)[0].rstrip("0123456789").strip() for text in run.doing)
    assert list(phases) == [
        "2 iterations · waiting for the hosts' first samples",
        "iteration 1 of 2 · starting the generator",
        "iteration 1 of 2 · warm-up",
        "iteration 1 of 2 · measuring",
        "iteration 1 of 2 · waiting for the last samples",
        "iteration 1 of 2 · settle",
        "iteration 2 of 2 · starting the generator",
        "iteration 2 of 2 · warm-up",
        "iteration 2 of 2 · measuring",
        "iteration 2 of 2 · waiting for the last samples",
    ]
    measuring = [text for text in run.doing if "1 of 2 · measuring" in text]
    assert measuring[0].endswith("measuring 12 s left") and measuring[-1].endswith("measuring 0 s left")
    assert any(text.endswith("settle 3 s left") for text in run.doing)


def test_from_the_third_iteration_on_it_tells_how_long_the_whole_run_still_takes() -> None:
    seen: list[tuple[float, str]] = []

    def before(run: Run) -> None:
        def look() -> None:
            seen.append((run.bench.source.now, run.plan.doing))
            after(run, 1.0, look)

        look()

    run = planned(before, iterations=5)
    told = [(at, text.split(" · run ")) for at, text in seen if " · run " in text]
    assert told[0][1][0].startswith("iteration 2 of 5 · settle"), "not before two are over"
    assert not any("run" in text for at, text in seen if at < told[0][0])
    for at, (_, left) in told:
        assert float(left.removesuffix(" s left")) == pytest.approx(run.ended - at, abs=5.0), (at, left)
    assert "starting the generator (" in run.said[2] and "(" not in run.said[1]


def test_the_number_of_iterations_may_be_given_instead_of_the_labs() -> None:
    assert planned(iterations=3).plan.kept == 3


def test_without_a_warm_up_there_is_no_such_phase() -> None:
    run = planned(lab=ONE.replace('warmup = "2s"', 'warmup = "0s"'))
    assert run.whole and not any("warm-up" in text for text in run.doing)
    assert run.bench.stops[0] - run.bench.starts[0] == pytest.approx(2.0 + 10.0 + 2.0, abs=1.0)


def test_the_interval_of_the_lab_is_measured_twice_beyond_the_plan() -> None:
    run = planned(lab=ONE + '[sampling]\ninterval = "3s"\n')
    assert run.whole and run.bench.stops[0] - run.bench.starts[0] == pytest.approx(2 + 2 + 10 + 6, abs=1.0)


def test_what_may_not_run_without_asking_does_not() -> None:
    def before(run: Run) -> None:
        run.bench.unattended = False

    run = planned(before)
    assert str(run.error) == run.plan.problem == "these commands may not run without asking first"
    assert run.bench.starts == []
    assert run.plan.doing == f"0 of 2 iterations · stopped: {run.plan.problem}"


def test_an_error_that_ends_the_samples_ends_the_plan_with_it() -> None:
    run = planned(lambda run: after(run, 12.0, run.bench.source.over.set))
    assert str(run.error) == run.plan.problem == "the hosts send no more samples"
    assert len(run.bench.stops) == len(run.bench.starts) == 1, "nothing goes on sending on an open screen"


# stopping it


@pytest.mark.parametrize(
    ("seconds", "starts", "stops", "said"),
    [
        (2.0, 0, 0, None),  # in the quiet before
        (5.75, 1, 1, "the blast has no whole sample yet, so none of it is saved"),
        (12.0, 1, 1, "the blast is still on: what was recorded so far becomes an iteration"),
        (25.0, 1, 1, None),  # while it settles
    ],
)
def test_stopping_it_ends_what_it_is_doing_and_is_no_problem(
    seconds: float, starts: int, stops: int, said: str | None
) -> None:
    run = planned(lambda run: after(run, seconds, run.waiter.stop.set))
    assert run.whole is False and run.plan.problem == "" and run.error is None
    assert (len(run.bench.starts), len(run.bench.stops)) == (starts, stops)
    assert run.ended == pytest.approx(seconds, abs=0.3) and run.bench.source.rate == 0.0
    assert [text for text in run.said if "blast" in text or "traffic" in text] == ([said] if said else [])


# a generator that fails


def tool_fails(text: str, after_seconds: float = 1.0, failed: bool = True) -> Callable[[Run], None]:
    def before(run: Run) -> None:
        def started(switch: Switch) -> None:
            def end() -> None:
                switch.ended = ended(text, after_seconds, failed)
                run.bench.source.rate = 0.0

            run.bench.source.rate = 0.0
            after(run, after_seconds, end)

        run.bench.started = started

    return before


@pytest.mark.parametrize(
    ("failed", "problem"),
    [
        (True, "pkt-gen: no such interface"),
        (False, "no blast was seen at the generator and the DUT"),
    ],
)
def test_a_generator_that_ends_at_once_ends_the_plan_with_its_own_words(failed: bool, problem: str) -> None:
    run = planned(tool_fails("pkt-gen: no such interface", failed=failed))
    assert run.whole is False and run.plan.problem == problem
    assert len(run.bench.starts) == 1, "the fault is not the connection's, so it is not tried again"
    # not the time of the plan, but its end is looked for, and 6 s its samples
    assert run.ended - run.bench.starts[0] == pytest.approx(1.0 + 6.0, abs=0.5)


def test_a_generator_that_sends_nothing_is_given_twenty_seconds() -> None:
    def before(run: Run) -> None:
        run.bench.started = lambda switch: setattr(run.bench.source, "rate", 0.0)

    run = planned(before)
    assert run.plan.problem == "no blast was seen at the generator and the DUT"
    without = planned(before, PLAN[PLAN.index("[dut]") :])
    assert without.plan.problem == "no blast was seen at the DUT, and lab.toml has no generator to start"
    assert run.bench.stops[0] - run.bench.starts[0] == pytest.approx(20.0, abs=0.3)
    assert run.ended - run.bench.stops[0] == pytest.approx(6.0, abs=0.3)


def test_a_generator_that_waits_for_its_link_is_given_that_time_as_well() -> None:
    """A switch with the spanning tree protocol forwards nothing for half a minute after a card's reset."""

    def before(run: Run) -> None:
        run.bench.started = lambda switch: setattr(run.bench.source, "rate", 0.0)

    start = 'interface = "g0"\nstart = "pkt-gen -f tx -i g0 -w 35"'
    run = planned(before, lab=PLAN.replace('interface = "g0"', start))
    assert run.bench.stops[0] - run.bench.starts[0] == pytest.approx(55.0, abs=0.3)


def test_traffic_that_goes_on_after_the_stop_is_waited_for_for_a_minute_and_a_half() -> None:
    def before(run: Run) -> None:
        run.bench.stopped = lambda: setattr(run.bench.source, "rate", RATE)

    run = planned(before)
    assert run.whole is False
    assert run.plan.problem == "the traffic continued after the generator was stopped"
    assert run.said[-1] == "traffic still comes 6 s after the generator was stopped"
    assert any("waiting for the traffic to end 89 s left" in one for one in run.doing)
    assert run.ended - run.bench.stops[0] == pytest.approx(6.0 + 90.0, abs=0.5)


def test_where_samples_are_far_apart_the_end_of_a_blast_is_seen_later_and_is_no_traffic() -> None:
    run = planned(lab=f'{ONE}[sampling]\ninterval = "3s"\n')
    assert run.whole is True and run.ended - run.bench.stops[0] > 6.0
    assert not [line for line in run.said if "traffic" in line]


def test_where_blasts_are_not_saved_automatically_the_plan_ends() -> None:
    def before(run: Run) -> None:
        run.bench.monitor.automatic = False

    run = planned(before)
    assert run.plan.problem == "blasts do not become iterations automatically now (key a)"
    assert len(run.bench.starts) == 1


# hosts that give no samples


def silent(run: Run, start: float, end: float, *hosts: str, attempts: int = 99) -> None:
    """In each of the first `attempts` blasts the hosts are silent from `start` to `end` after its start."""

    def started(switch: Switch) -> None:
        if len(run.bench.starts) <= attempts:
            after(run, start, lambda: run.bench.source.silent.update(hosts))
            after(run, end, run.bench.source.silent.clear)

    run.bench.started = started


def test_an_iteration_without_a_sound_value_is_repeated_and_the_repetition_counts() -> None:
    run = planned(lambda run: silent(run, 6.0, 45.0, "sink", attempts=1))
    assert run.whole is True and run.plan.kept == 2 and run.iterations == [False, True, True]
    (told,) = [text for text in run.said if "no sound value" in text]
    assert told.startswith("iteration 1 of 2 has no sound value: no samples from sink for the last ")
    assert told.endswith("It is repeated, at most 2 more times.")


def test_a_blast_with_a_pause_in_it_is_repeated_and_none_of_its_parts_counts(tmp_path: Path) -> None:
    """Five seconds without a packet: three are the end of a blast."""

    def before(run: Run) -> None:
        def started(switch: Switch) -> None:
            if len(run.bench.starts) == 1:
                after(run, 7.0, lambda: setattr(run.bench.source, "rate", 0.0))
                after(run, 12.0, lambda: setattr(run.bench.source, "rate", RATE))

        run.bench.started = started

    run = planned(before, lab=ONE, into=tmp_path)
    assert run.whole is True and (run.plan.kept, len(run.bench.starts)) == (1, 2)
    (case,) = read_session(tmp_path / "s").cases
    for parts in (run.bench.monitor.snapshot(0).iterations, case.iterations):
        assert [one.dropped for one in parts] == [PAUSED, PAUSED, ""]
    events = [one.text for one in run.bench.monitor.snapshot(0).events if "does not count" in one.text]
    assert events == [f"Iteration {index} does not count: {PAUSED}" for index in (1, 2)]
    (told,) = [text for text in run.said if "no sound value" in text]
    assert told.startswith(f"iteration 1 of 1 has no sound value: {after_colon(PAUSED)} It is repeated")


LONG = ONE.replace('duration = "10s"', 'duration = "40s"')


@pytest.mark.parametrize(
    ("begun", "seconds", "problem"),
    [(12.0, 30.0, PAUSED), (99.0, 16.0, CEASED)],
    ids=["in its next part", "after its last packet"],
)
def test_a_blast_that_paused_or_ceased_before_it_was_stopped_does_not_count(
    tmp_path: Path, begun: float, seconds: float, problem: str
) -> None:
    """What is measured of one that is stopped in its only part counts, and says that it is of less."""

    def before(run: Run) -> None:
        def started(switch: Switch) -> None:
            after(run, 7.0, lambda: setattr(run.bench.source, "rate", 0.0))
            after(run, begun, lambda: setattr(run.bench.source, "rate", RATE))
            after(run, seconds + 0.3, run.waiter.stop.set)

        run.bench.started = started

    run = planned(before, lab=LONG, into=tmp_path)
    assert run.whole is False and run.plan.problem == "" and len(run.bench.starts) == 1
    (case,) = read_session(tmp_path / "s").cases
    for parts in (run.bench.monitor.snapshot(0).iterations, case.iterations):
        assert {one.dropped for one in parts if one.value is not None} == {problem}
    assert run.said[-1] == f"iteration 1 of 1 has no sound value: {after_colon(problem)}"


@pytest.mark.parametrize(
    ("rates", "seconds", "problem"),
    [({7.0: 0.0, 12.0: RATE}, 30.0, PAUSED), ({7.0: 0.0}, 16.0, CEASED), ({}, 30.0, "")],
    ids=["in its next part", "after its last packet", "without a pause"],
)
def test_a_blast_of_which_the_screen_is_left_does_not_count_if_it_paused_or_ceased(
    tmp_path: Path, rates: dict[float, float], seconds: float, problem: str
) -> None:
    """There the plan is cancelled; what is still to come of the blast becomes an iteration without it."""

    async def main() -> list[Iteration]:
        async with SampledBench(LONG) as bench:
            bench.record(tmp_path, "s", "v4")
            begun = asyncio.Event()
            bench.started = lambda switch: begun.set()
            plan = asyncio.create_task(Unattended(Waiter(bench, bench.start())).run())
            await begun.wait()
            for at, rate in rates.items():
                asyncio.get_running_loop().call_later(at, setattr, bench.source, "rate", rate)
            await asyncio.sleep(seconds)
            plan.cancel()
            await asyncio.wait((plan,))
            await bench.stop_tools()
            await bench.faded()
            await bench.drained()
            return list(bench.monitor.snapshot(0).iterations)

    parts = quickly(main)
    (case,) = read_session(tmp_path / "s").cases
    assert len(parts) == 2 if problem == PAUSED else len(parts) == 1
    for seen in (parts, case.iterations):
        assert [one.dropped or one.incomplete for one in seen] == [problem] * len(parts)


@pytest.mark.parametrize("taken_back", [False, True])
def test_what_is_saved_by_hand_within_a_blast_is_no_part_of_it(tmp_path: Path, taken_back: bool) -> None:
    """The traffic did not pause, so nothing is repeated, and both stay as they were saved."""

    def before(run: Run) -> None:
        def save() -> None:
            saved = run.bench.monitor.save_by_hand()
            if taken_back:
                run.bench.recorder.drop(saved, "a slip")  # type: ignore[union-attr]
                run.bench.monitor.take_back(saved, "a slip")

        run.bench.started = lambda switch: after(run, 9.0, save)

    run = planned(before, lab=ONE, into=tmp_path)
    assert run.whole is True and (run.plan.kept, len(run.bench.starts)) == (1, 1)
    (case,) = read_session(tmp_path / "s").cases
    for both in (run.bench.monitor.snapshot(0).iterations, case.iterations):
        assert [one.dropped for one in both] == ["a slip" if taken_back else "", ""]
        assert both[1].window.kept > both[0].window.kept  # type: ignore[union-attr]
    assert run.said == ["iteration 1 of 1: starting the generator (about 14 s in all)"]


def test_where_only_a_part_was_saved_by_hand_the_blast_is_no_iteration() -> None:
    def before(run: Run) -> None:
        run.bench.monitor.automatic = False
        run.bench.started = lambda switch: after(run, 9.0, run.bench.monitor.save_by_hand)

    run = planned(before, lab=ONE)
    assert run.plan.problem == "blasts do not become iterations automatically now (key a)"
    assert run.plan.kept == 0 and run.iterations == [True]


def test_a_blast_whose_generator_goes_quiet_for_good_is_repeated_and_does_not_count(tmp_path: Path) -> None:
    """Its tool runs until it is stopped, as one does that hangs: what was measured is of half the time."""

    def before(run: Run) -> None:
        def started(switch: Switch) -> None:
            if len(run.bench.starts) == 1:
                after(run, 8.0, lambda: setattr(run.bench.source, "rate", 0.0))

        run.bench.started = started

    run = planned(before, lab=ONE, into=tmp_path)
    assert run.whole is True and (run.plan.kept, len(run.bench.starts)) == (1, 2)
    (case,) = read_session(tmp_path / "s").cases
    for blasts in (run.bench.monitor.snapshot(0).iterations, case.iterations):
        assert [one.dropped for one in blasts] == [CEASED, ""]
    (told,) = [text for text in run.said if "no sound value" in text]
    assert told.startswith(f"iteration 1 of 1 has no sound value: {after_colon(CEASED)} It is repeated")


@pytest.mark.parametrize(
    ("seconds", "short"),
    [(8, True), (12, False)],
)
def test_a_blast_whose_generator_ended_by_itself_is_as_long_as_its_command_says_and_says_so_if_that_is_short(
    tmp_path: Path, seconds: float, short: bool
) -> None:
    """Twelve seconds are asked for: two of warm-up, and ten."""

    def before(run: Run) -> None:
        def started(switch: Switch) -> None:
            def end() -> None:
                run.bench.source.rate, switch.ended = 0.0, ended("it is done", seconds)

            after(run, seconds, end)

        run.bench.started = started

    run = planned(before, lab=ONE, into=tmp_path)
    assert run.whole is True and len(run.bench.starts) == 1
    text = (
        "A generator ended by itself after 8.0 s of 12 s, so the value covers less time: it is done. Let"
        " it send for longer, or give a shorter `duration`."
    )
    (kept,) = read_session(tmp_path / "s").cases[0].iterations
    told = [one.text for one in kept.warnings if one.code == "generator-ended"]
    assert kept.value is not None and told == [text] * short


FAILED = "it was killed by signal 9"


@pytest.mark.parametrize(
    ("code", "text", "host", "why"),
    [
        ("tool-failed", FAILED, "gen", f"A tool failed during the iteration (gen: {FAILED})."),
        ("", FAILED, "", f"The generator failed after 8.0 s of 12 s: {FAILED}."),  # not told by then
        ("link-down", "g0: link down", "gen", "A link went down during the iteration (gen: g0: link down)."),
        ("host-lost", "no answer", "gen", "A host was lost during the iteration (gen: no answer)."),
        ("reboot", "it booted", "sink", "A host was rebooted during the iteration (sink: it booted)."),
        ("tool-ended", "it is done", "gen", ""),
        ("not-stopped", "it may still run", "gen", ""),  # what it did until then is not in doubt
    ],
)
def test_a_value_during_which_something_failed_is_repeated_as_in_an_experiment(
    code: str, text: str, host: str, why: str, tmp_path: Path
) -> None:
    def before(run: Run) -> None:
        def started(switch: Switch) -> None:
            def fail() -> None:
                if code:
                    run.bench.source.say(code, text, host)
                if text == FAILED:
                    run.bench.source.rate, switch.ended = 0.0, ended(text, 8.0, True)
                if code == "host-lost":
                    run.bench.source.say("host-back", "connected again", host)

            if len(run.bench.starts) == 1:
                after(run, 8.0, fail)

        run.bench.started = started

    run = planned(before, lab=ONE, into=tmp_path)
    assert run.whole is True and run.plan.kept == 1
    told = f"iteration 1 of 1 has no sound value: {after_colon(why)} It is repeated, at most 2 more times."
    assert [line for line in run.said if "sound" in line] == [told] * bool(why)
    kept = read_session(tmp_path / "s").cases[0].iterations
    assert [one.value is not None for one in kept] == ([False, True] if why else [True])
    assert kept[0].incomplete == why


@pytest.mark.parametrize(
    ("back", "why"),
    [
        ("same boot", ""),
        ("named late", ""),
        ("rebooted", "dut has rebooted during this iteration."),
        ("not", "dut was not sampled again: the cause is not known."),
    ],
)
def test_a_dut_that_is_away_when_its_blast_ends_may_have_rebooted(
    back: str, why: str, tmp_path: Path
) -> None:
    """The receiver measures, so the value seems whole; a load that starved the DUT is no flaw."""

    def before(run: Run) -> None:
        silent(run, 9.0, 45.0 if back != "not" else 9999.0, "dut", attempts=1)
        sampled = run.bench.source._machines._sample

        def booted(host: str, at: float, seq: int) -> HostSample:
            sample = sampled(host, at, seq)
            if host != "dut" or back not in ("rebooted", "named late"):
                return sample
            first = "dut" if back == "rebooted" else ""
            return msgspec.structs.replace(sample, boot="dut again" if at > 30.0 else first)

        run.bench.source._machines._sample = booted  # type: ignore[method-assign]

    run = planned(before, lab=ONE, into=tmp_path)
    kept = read_session(tmp_path / "s").cases[0].iterations
    assert kept[0].value is not None and kept[0].dropped == why
    assert (run.whole, run.plan.kept, len(kept)) == {
        "same boot": (True, 1, 1),
        "named late": (True, 1, 1),
        "rebooted": (True, 1, 2),
        "not": (False, 0, 1),
    }[back]
    assert any(f"has no sound value: {after_colon(why)}" in line for line in run.said) is bool(why)
    if back == "not":  # it was waited for once, and nothing more can be measured
        assert run.plan.problem.startswith("no samples for 300 s") and run.ended < 360.0


@pytest.mark.parametrize("back", [False, True])
def test_without_the_port_by_which_values_are_counted_nothing_more_is_started(back: bool) -> None:
    gone_until = 70.0 if back else 9999.0

    def before(run: Run) -> None:
        sampled = run.bench.source._machines._sample

        def without(host: str, at: float, seq: int) -> HostSample:
            sample = sampled(host, at, seq)
            gone = host == "sink" and 12.0 < at < gone_until
            return msgspec.structs.replace(sample, interfaces=()) if gone else sample

        run.bench.source._machines._sample = without  # type: ignore[method-assign]
        after(run, 13.0, lambda: run.bench.source.say("port-gone", "s0: it is gone", "sink"))
        after(run, 13.0, lambda: run.bench.source.say("port-gone", "g0: it is gone", "gen"))  # no matter
        after(run, gone_until, lambda: run.bench.source.say("port-back", "s0: it is back", "sink"))

    run = planned(before)
    assert "waiting for a port: sink has no interface s0" in run.said
    assert any("waiting: sink has no interface s0" in text for text in run.doing)
    if back:
        assert run.whole is True and run.plan.kept == 2 and len(run.bench.starts) == 3
    else:
        assert run.whole is False and len(run.bench.starts) == 1
        assert run.ended - run.bench.stops[0] < 60.0 + 30.0, "it waits once"
        assert run.plan.problem == "sink has no interface s0, for 60 s, so nothing more was started"


def test_if_something_fails_in_each_attempt_the_plan_is_not_whole() -> None:
    def before(run: Run) -> None:
        run.bench.started = lambda switch: after(
            run, 8.0, lambda: run.bench.source.say("tool-failed", FAILED, "gen")
        )

    run = planned(before, lab=ONE)
    assert run.whole is False and run.plan.kept == 0 and len(run.bench.starts) == 3
    why = f"A tool failed during the iteration (gen: {FAILED})."
    assert run.plan.problem == f"no sound value after 3 attempts: iteration 1: {after_colon(why)}"


def test_a_generator_that_ended_by_itself_is_a_short_one_also_if_an_attack_outlasts_it() -> None:
    def before(run: Run) -> None:
        def started(switch: Switch) -> None:
            def end() -> None:
                run.bench.source.rate, switch.ended = 0.0, ended("it is done", 8.0)

            attack = Switch(run.bench.source)
            attack.endpoint = msgspec.structs.replace(attack.endpoint, role=ATTACK)
            run.bench.tools.running.append(attack)  # type: ignore[arg-type]
            after(run, 8.0, end)

        run.bench.started = started

    run = planned(before, lab=ONE)
    assert run.whole is True and len(run.bench.starts) == 1
    (kept,) = run.bench.monitor.snapshot(0).iterations
    assert kept.dropped == "" and kept.warnings[-1].code == "generator-ended"


def test_a_generator_that_is_stopped_is_no_short_one() -> None:
    (kept,) = planned(lab=ONE).bench.monitor.snapshot(0).iterations
    assert kept.warnings == ()


def test_a_blast_of_which_nothing_arrives_is_no_iteration_of_the_plan() -> None:
    """All hosts are sampled, so it is whole; but it has no value."""

    def before(run: Run) -> None:
        sampled = run.bench.source._machines._sample

        def lost(host: str, at: float, seq: int) -> HostSample:
            sample = sampled(host, at, seq)
            ports = sample.interfaces if host != "sink" else (InterfaceCounters("s0", rx_packets=0),)
            return msgspec.structs.replace(sample, interfaces=ports)

        run.bench.source._machines._sample = lost  # type: ignore[method-assign]

    run = planned(before, lab=ONE)
    assert run.whole is False and run.plan.kept == 0 and run.iterations == [True] * 3
    (told, *_) = [text for text in run.said if "no sound value" in text]
    assert told.startswith("iteration 1 of 1 has no sound value: nothing arrived: ")
    assert run.plan.problem.startswith("no sound value after 3 attempts: iteration 1: nothing arrived: ")


def test_stopping_between_two_attempts_is_no_problem() -> None:
    def before(run: Run) -> None:
        silent(run, 6.0, 45.0, "sink", attempts=1)
        after(run, 44.5, run.waiter.stop.set)

    run = planned(before)
    assert "settle" in run.doing[-1] and len(run.iterations) == 1
    assert run.whole is False and run.plan.problem == "" and len(run.bench.starts) == 1


def test_it_is_repeated_twice_and_then_the_plan_goes_on_without_it() -> None:
    run = planned(lambda run: silent(run, 6.0, 45.0, "sink", attempts=3))
    assert run.whole is False and run.plan.kept == 1 and run.iterations == [False] * 3 + [True]
    told = [text.rpartition(") ")[2] for text in run.said if "no sound value" in text]
    assert [text.rpartition(". ")[2] for text in told] == [
        "It is repeated, at most 2 more times.",
        "It is repeated, at most 1 more time.",
        "It is not repeated again.",
    ]
    assert run.plan.problem.startswith("no sound value after 3 attempts: iteration 1: no samples from sink")
    assert "iteration 2" not in run.plan.problem
    assert run.plan.doing.startswith("1 of 2 iterations · stopped: no sound value")
    # between two attempts it settles, too
    for stop, start in zip(run.bench.stops, run.bench.starts[1:], strict=False):
        assert start - stop > 3.0


def test_a_host_that_stays_away_is_waited_for_for_five_minutes_before_the_next_blast() -> None:
    run = planned(lambda run: silent(run, 6.0, 9999.0, "sink"))
    assert run.whole is False and len(run.bench.starts) == 1
    assert run.plan.problem == (
        "no samples for 300 s, so nothing more was started (sink: the cause is not known)"
    )
    assert run.said[-1] == "waiting for samples from sink" and run.bench.source.revived == 1
    waited = [text for text in run.doing if "waiting for samples from sink" in text]
    assert waited[0].startswith("iteration 1 of 2 · waiting for samples from sink 300 s left")
    assert len(waited) == pytest.approx(300 * 4, abs=2)


def test_why_a_lost_host_is_lost_is_part_of_the_problem() -> None:
    def before(run: Run) -> None:
        silent(run, 6.0, 9999.0, "sink")
        after(run, 14.0, lambda: run.bench.source.say("host-lost", "timed out", "sink"))

    run = planned(before)
    assert run.plan.problem == "no samples for 300 s, so nothing more was started (sink: timed out)"


@pytest.mark.parametrize(("interval", "back"), [(1, 1.0), (3, 1.0)])
def test_a_host_that_comes_back_is_given_two_intervals_of_quiet_before_the_next_blast(
    interval: int, back: float
) -> None:
    """It is back with its first sample, a second later at most."""
    lab = f'{ONE}[sampling]\ninterval = "{interval}s"\n'
    run = planned(lambda run: silent(run, 6.0, 120.0, "sink", attempts=1), lab=lab)
    assert run.whole is True
    quiet = run.bench.starts[1] - run.bench.starts[0] - 120.0 - back
    assert quiet == pytest.approx(2 * interval, abs=0.5)


def test_a_blast_that_nobody_could_see_is_told_with_the_hosts_that_were_silent() -> None:
    run = planned(lambda run: silent(run, 0.0, 100.0, "gen", "dut", "sink", attempts=1), lab=ONE)
    assert run.whole is True and run.plan.kept == 1
    (told,) = [text for text in run.said if "no blast was seen" in text]
    silent_hosts = "; ".join(f"{name}: the cause is not known" for name in ("gen", "dut", "sink"))
    assert told == (
        "iteration 1 of 1 has no sound value: no blast was seen, because samples were missing "
        f"({silent_hosts}). It is repeated, at most 2 more times."
    )


# a disk that cannot be written


def test_nothing_is_started_while_its_result_could_not_be_saved(tmp_path: Path) -> None:
    def before(run: Run) -> None:
        run.bench.savable = False
        after(run, 60.0, lambda: setattr(run.bench, "savable", True))

    run = planned(before, lab=ONE, into=tmp_path)
    assert run.whole is True and run.bench.starts[0] == pytest.approx(60.0, abs=0.3)
    assert run.said[0] == "paused: ; the run goes on automatically once it can be saved"
    assert any(text.endswith("paused: cannot save") for text in run.doing)


def test_without_a_recorder_there_is_nothing_to_pause_for() -> None:
    def before(run: Run) -> None:
        run.bench.savable = False

    assert planned(before, lab=ONE).whole is True


def test_stopping_while_it_is_paused_is_no_problem(tmp_path: Path) -> None:
    def before(run: Run) -> None:
        run.bench.savable = False
        after(run, 30.0, run.waiter.stop.set)

    run = planned(before, into=tmp_path)
    assert run.whole is False and run.plan.problem == "" and run.bench.starts == []


def refuses(run: Run, folder: Path, until: float) -> None:
    """Once a generator has been started, the case's folder is a link: no iteration can be saved there."""
    (folder / "outside").mkdir()

    def started(switch: Switch) -> None:
        (folder / "s/v4").symlink_to(folder / "outside")
        after(run, until, (folder / "s/v4").unlink)

    run.bench.started = started


@pytest.mark.parametrize(
    ("at_end", "until", "kept"),
    [(None, 300.0, True), (30.0, 40.0, True), (30.0, 90.0, False)],
)
def test_the_last_iteration_is_waited_for_as_long_as_was_asked(
    tmp_path: Path, at_end: float | None, until: float, kept: bool
) -> None:
    run = planned(lambda run: refuses(run, tmp_path, until), lab=ONE, into=tmp_path, at_end=at_end)
    assert run.whole is kept
    paused = [text for text in run.said if text.startswith("paused: ")]
    assert len(paused) == 1 and "a link, not a folder: not everything is saved" in paused[0]
    if kept:
        assert run.plan.problem == "" and run.ended == pytest.approx(run.bench.starts[0] + until, abs=2.5)
        assert len(read_session(tmp_path / "s").cases[0].iterations) == 1
    else:
        assert "a link, not a folder: not everything is saved" in run.plan.problem
        assert run.ended - run.bench.stops[0] == pytest.approx(4.0 + 30.0, abs=1.5)


def test_parts_of_a_blast_that_are_saved_only_as_all_is_closed_do_not_count(tmp_path: Path) -> None:
    """It is stopped while they wait for room, and there is room again before all is closed."""

    def before(run: Run) -> None:
        (tmp_path / "outside").mkdir()

        def ended() -> None:
            run.waiter.stop.set()
            (tmp_path / "s/v4").unlink()

        def started(switch: Switch) -> None:
            (tmp_path / "s/v4").symlink_to(tmp_path / "outside")
            after(run, 7.0, lambda: setattr(run.bench.source, "rate", 0.0))
            after(run, 12.0, lambda: setattr(run.bench.source, "rate", RATE))
            after(run, 60.3, ended)

        run.bench.started = started

    run = planned(before, lab=ONE, into=tmp_path)
    (case,) = read_session(tmp_path / "s").cases
    for parts in (run.bench.monitor.snapshot(0).iterations, case.iterations):
        assert [(one.saved, one.value, one.incomplete) for one in parts] == [(True, None, PAUSED)] * 2
        assert {one.warnings[0].code for one in parts} == {NOT_SOUND}
    assert run.said[-1] == f"iteration 1 of 1 has no sound value: {after_colon(PAUSED)}"


def test_an_iteration_that_neither_disk_nor_memory_holds_is_not_recorded_but_repeated(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """At a hundred samples a second a minute's are more than what may wait in memory for a full disk."""
    monkeypatch.setattr(unsaved, "MOST", 1000)

    def before(run: Run) -> None:
        refuses(run, tmp_path, 30.0)
        first = run.bench.started

        def started(switch: Switch) -> None:
            if len(run.bench.starts) == 1:
                first(switch)

        run.bench.started = started

    run = planned(before, lab=ONE, into=tmp_path)
    assert run.whole is True and (run.plan.kept, len(run.bench.starts)) == (1, 2)
    (told,) = [text for text in run.said if "no sound value" in text]
    assert told.startswith(f"iteration 1 of 1 has no sound value: {after_colon(LOST)} It is repeated")
    assert len(read_session(tmp_path / "s").cases[0].iterations) == 1


def test_between_iterations_saving_is_waited_for_however_long(tmp_path: Path) -> None:
    """The patience at the end is for the end alone."""

    def before(run: Run) -> None:
        refuses(run, tmp_path, 200.0)
        first = run.bench.started

        def started(switch: Switch) -> None:
            if len(run.bench.starts) == 1:
                first(switch)

        run.bench.started = started

    run = planned(before, into=tmp_path, at_end=5.0)
    assert run.whole is True and run.bench.starts[1] - run.bench.starts[0] > 200.0
    assert len(read_session(tmp_path / "s").cases[0].iterations) == 2
