"""A profile in a blast of its own, on the simulated FreeBSD DUT: pmcstat's call graph, checked and saved."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import msgspec
import pytest
from benches import PLAN, SampledBench, Switch, ended, quickly
from quick_lab import lab_file

from fwdtui.core.at_rate import at_rate
from fwdtui.core.parse.folded_stacks import parse_folded
from fwdtui.core.profile import Folded
from fwdtui.core.profile.capture import Asked, Capture
from fwdtui.core.profile_check import Checked
from fwdtui.monitor.run.bench import Bench
from fwdtui.monitor.run.captured import recorded
from fwdtui.monitor.run.profiling import Profiling, around
from fwdtui.monitor.run.waiting import Waiter
from fwdtui.store import read_session

__all__ = ["lab_file"]
RATE = 600_000.0
ASKED = Asked(seconds=1.0)


@asynccontextmanager
async def benched(path: Path, into: Path) -> AsyncIterator[Waiter]:
    """The lab at RATE, recorded as iterations of the case c."""
    async with await Bench.open(path, unattended=True) as bench:
        run = around(bench.lab.run, ASKED, bench.lab.interval)
        bench.lab = at_rate(msgspec.structs.replace(bench.lab, run=run), RATE)
        bench.record(into, "s", "c")
        yield Waiter(bench, bench.start())


async def test_a_profile_of_a_freebsd_dut_is_saved_with_its_blast_and_is_no_value(lab_file, tmp_path):
    """And no drop reasons are traced beside the profiler."""
    lab_file.write_text(lab_file.read_text().replace("[dut]\n", "[dut]\ndrop_reasons = true\n"))
    async with benched(lab_file, tmp_path) as waiter:
        profiling = Profiling(waiter, ASKED, rate=RATE)
        assert await profiling.run()
    assert profiling.problem == ""
    (case,) = read_session(tmp_path / "s", verify=True).cases
    iteration = case.iterations[-1]
    profile = iteration.profile
    assert iteration.value is None and iteration.metrics["offered"].median == pytest.approx(RATE, rel=0.05)
    assert (profile.tool, profile.event, profile.host, profile.rejected) == (
        "pmcstat",
        "unhalted-cycles",
        "dut",
        "",
    )
    # one sample for so many cycles of a host that does not tell its clock: it is taken for 1 GHz
    assert (profile.period, profile.rate) == (2_004_008, None)
    assert profile.samples * profile.period < 8e9, "four cores have 4e9 cycles in its second"
    assert profile.packets == pytest.approx(RATE * (profile.end - profile.start), rel=0.1)
    folded = parse_folded((tmp_path / "s" / iteration.place("c") / "profile.folded").read_text()).value
    assert folded.samples == profile.samples and 0 < profile.idle < profile.samples
    assert any(stack[0] == "fork_exit" and "ip_tryforward" in stack for stack in folded.stacks)
    assert iteration.packets is not None and iteration.packets.reasons is None


async def test_an_attempt_that_gives_no_profile_says_why(lab_file, tmp_path, monkeypatch):
    """Three on one bench: a load other than the one asked for, no such event, and traffic that ends early."""
    monkeypatch.setattr("fwdtui.monitor.run.profiling.ATTEMPTS", 1)
    async with benched(lab_file, tmp_path) as waiter:

        async def problem(asked: Asked, rate: float) -> str:
            profiling = Profiling(waiter, asked, rate=rate)
            assert not await profiling.run()
            return profiling.problem

        other = await problem(ASKED, 2 * RATE)
        assert other.startswith("The offered load was 6")
        assert "where 1.200 Mpps was asked for: give a rate that the generator can send." in other
        assert await problem(Asked(seconds=1.0, event="l2-misses"), RATE) == (
            "pmcstat gave no profile: hwpmc counts none of these events (pmcstat: ERROR: Cannot allocate "
            'system-mode pmc with specification "l2-misses": Invalid argument): the one that was asked for.'
        )
        (generator,) = waiter.bench.lab.generators
        shortly = msgspec.structs.replace(generator, start=f"{generator.start} -n 600000")  # a second of it
        waiter.bench.lab = msgspec.structs.replace(waiter.bench.lab, generators=(shortly,))
        early = await problem(ASKED, RATE)
        assert early == "The traffic was over before the profile was."
    (case,) = read_session(tmp_path / "s").cases
    assert len(case.iterations) == 3
    iteration = case.iterations[-1]
    assert iteration.profile.rejected == early and iteration.profile.samples == 0
    assert {one.code for one in iteration.warnings} >= {"profiled", "profile-rejected"}


def test_no_events_are_counted_beside_a_profiler(tmp_path, monkeypatch):
    """`fwdtui run --profile` with [dut] count: both would share the CPU's counters."""
    monkeypatch.setattr("fwdtui.monitor.run.profiling.ATTEMPTS", 1)
    counting: list[str] = []

    class Counts:
        def __init__(self, host: object, events: tuple[str, ...], *more: object) -> None:
            counting.extend(events)

        def seen(self, sample: object) -> None:
            pass

        async def stop(self) -> None:
            counting.clear()

    class Profiler(Timeless):
        async def profile(self, host: object, asked: Asked) -> Capture:
            beside.append(list(counting))
            return await super().profile(host, asked)

    beside: list[list[str]] = []
    monkeypatch.setattr("fwdtui.collectors.counting.Counting", Counts)

    async def main() -> None:
        counted = PLAN.replace("[dut]\n", '[dut]\ncount = ["cycles"]\n')
        async with SampledBench(counted) as bench:

            async def opened(name: str, destination: str) -> None:
                return None

            monkeypatch.setattr(bench._pool, "open", opened)
            monkeypatch.setattr(bench.source, "add", lambda producer: None, raising=False)
            bench.record(tmp_path, "s", "c")
            waiter = Waiter(bench, bench.start())
            profiling = Profiling(waiter, Asked(5.0))

            async def system() -> Profiler:
                return Profiler()

            async def host(name: str) -> None:
                return None

            monkeypatch.setattr(profiling, "_system", system)
            monkeypatch.setattr(bench, "host", host)
            await waiter.wait(5.0)
            assert counting == ["cycles"]
            await profiling.run()

    quickly(main)
    assert beside == [[]]


class Timeless:
    """A profiler that does not say when it took its samples, so that no profile of it is used."""

    async def profile(self, host: object, asked: Asked) -> Capture:
        return Capture("pmcstat", "cycles", Folded({("main",): 5}))


@pytest.mark.parametrize(("period", "rate"), [(None, 499.0), (5_010_020, None)])
def test_a_profiler_samples_by_a_rate_or_by_the_number_of_events(period, rate):
    kept = recorded(Capture("perf", "cycles", Folded(), period=period), Asked(), Checked(""), [])
    assert (kept.period, kept.rate) == (period, rate)


def test_an_attempt_without_a_capture_has_no_stacks_of_the_attempt_before_it(tmp_path, monkeypatch):
    monkeypatch.setattr("fwdtui.monitor.run.profiling.ATTEMPTS", 2)

    async def main() -> Profiling:
        async with SampledBench() as bench:
            bench.record(tmp_path, "s", "c")
            profiling = Profiling(Waiter(bench, bench.start()), Asked(5.0))

            async def profiler() -> Timeless:
                return Timeless()

            async def host(name: str) -> None:
                return None

            def started(switch: Switch) -> None:
                def end() -> None:
                    bench.source.rate, switch.ended = 0.0, ended("done", failed=False)

                if len(bench.starts) == 2:
                    asyncio.get_running_loop().call_later(6.0, end)

            monkeypatch.setattr(profiling, "_system", profiler)
            monkeypatch.setattr(bench, "host", host)
            bench.started = started
            await profiling.run()
            return profiling

    assert quickly(main).problem == "The traffic was over before the profile was."
    (case,) = read_session(tmp_path / "s").cases
    assert [one.profile.rejected for one in case.iterations] == [
        "pmcstat did not say when it took its samples.",
        "The traffic was over before the profile was.",
    ]
    assert ["profile.folded" in one.files for one in case.iterations] == [True, False]


def test_a_profiler_that_takes_longer_has_traffic_after_its_samples_all_the_same(monkeypatch):
    monkeypatch.setattr("fwdtui.monitor.run.profiling.ATTEMPTS", 1)
    ended: list[float] = []

    async def main() -> float:
        async with SampledBench() as bench:
            profiling = Profiling(Waiter(bench, bench.start()), Asked(5.0))

            class Slow:
                async def profile(self, host: object, asked: Asked) -> Capture:
                    await asyncio.sleep(20.0)
                    ended.append(bench.source.now)
                    return Capture(problem="slow")

            async def profiler() -> Slow:
                return Slow()

            async def host(name: str) -> None:
                return None

            monkeypatch.setattr(profiling, "_system", profiler)
            monkeypatch.setattr(bench, "host", host)
            await profiling.run()
            return bench.stops[0]

    assert quickly(main) == pytest.approx(ended[0] + 3.0, abs=0.3), "three intervals, as before it"
