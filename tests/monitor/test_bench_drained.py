"""Leaving in the moment after a blast: its last samples are waited for, and it becomes an iteration."""

import asyncio
from pathlib import Path

import pytest
from benches import SampledBench, quickly
from machines import LAB, Machines
from recorded import recorded

from fwdtui.cli import headless
from fwdtui.core.lab import Lab, parse
from fwdtui.core.model import HostSample, Iteration, Sample
from fwdtui.monitor.replay.recording import Kept
from fwdtui.monitor.replay.survey import survey
from fwdtui.monitor.run.bench import Bench
from fwdtui.monitor.run.profiling import Prepared
from fwdtui.store.records import NAME, line
from fwdtui.transport.settings import SshSettings
from fwdtui.transport.ssh import SshPool


async def test_leaving_waits_for_the_host_whose_last_samples_are_late():
    async with Bench(parse(LAB), SshPool(SshSettings()), Path("lab.toml"), {}) as bench:
        late: list[HostSample] = []
        for sample in Machines(lambda second: 10_000.0 if 5 <= second < 35 else 0.0).run(45):
            if isinstance(sample, HostSample) and sample.host == "sink" and sample.at > 34:
                late.append(sample)
            else:
                bench.monitor.push(sample)
        assert bench.monitor.ending and not bench.monitor.snapshot().iterations
        leaving = asyncio.create_task(bench.drained())
        await asyncio.sleep(0.2)
        assert not leaving.done()
        for sample in late:
            bench.monitor.push(sample)
        await asyncio.wait_for(leaving, 5)
        assert len(bench.monitor.snapshot().iterations) == 1


async def test_a_host_that_is_gone_is_not_waited_for_for_ever():
    async with Bench(parse(LAB), SshPool(SshSettings()), Path("lab.toml"), {}) as bench:
        for sample in Machines(lambda second: 10_000.0 if 5 <= second < 35 else 0.0).run(45):
            if not isinstance(sample, HostSample) or sample.host != "sink" or sample.at <= 34:
                bench.monitor.push(sample)
        assert bench.monitor.ending
        await asyncio.wait_for(bench.drained(0.2), 5)
        (one,) = bench.monitor.snapshot().iterations
        assert one.value == pytest.approx(10_000.0, rel=1e-3) and not bench.monitor.ending


async def test_a_replay_makes_the_iteration_that_was_saved_without_a_silent_hosts_last_samples(
    tmp_path: Path,
):
    samples: list[Sample] = []
    async with Bench(parse(LAB), SshPool(SshSettings()), Path("lab.toml"), {}) as bench:
        for sample in Machines(lambda second: 10_000.0 if 5 <= second < 35 else 0.0).run(45):
            if isinstance(sample, HostSample) and (sample.host != "sink" or sample.at <= 34):
                bench.monitor.push(sample)
                samples.append(sample)
        await bench.drained(0.0)
        (saved,) = bench.monitor.snapshot().iterations
    folder = tmp_path / "001"
    folder.mkdir()
    (folder / NAME).write_bytes(b"".join(map(line, samples)))
    found = survey(recorded(samples, parse(LAB), kept=[Kept("v4", saved, folder)]))
    assert found.iterations == (saved,) and saved.value is not None


# without a screen, by a clock that jumps


def left(when: float, *, stopped: float | None, silent: str = "") -> tuple[Iteration, float]:
    """The iteration that there is when watching ends at `when`, and how many seconds that took.

    The traffic begins at 5 s, and ends in the second after it was stopped. From then on a host may be silent.
    """

    async def main() -> tuple[Iteration, float]:
        async with SampledBench() as bench:
            watching = asyncio.create_task(headless._watched(headless._HeadlessRun(bench), when))
            await asyncio.sleep(4.0)
            await bench.start_tools()
            if stopped is not None:
                await asyncio.sleep(stopped - 4.0)
                await bench.stop_tools()
                bench.source.silent = {silent}
            assert await watching == 0
            (one,) = bench.monitor.snapshot(0).iterations
            return one, bench.source.now - when

    return quickly(main)


@pytest.mark.parametrize("when", [25.3, 26.5, 27.5, 28.5, 29.5, 30.5])
def test_leaving_in_the_moment_after_a_blast_cuts_nothing_short(when: float):
    """That it has ended shows after some seconds of quiet, which are waited for."""
    one, took = left(when, stopped=25.0)
    assert "ended-early" not in {caution.code for caution in one.warnings}
    assert one.packets is not None and one.packets.received == one.packets.offered is not None
    assert took < 9.0


def test_leaving_while_it_is_sent_saves_what_there_is_at_once():
    one, took = left(25.0, stopped=None)
    assert "ended-early" in {caution.code for caution in one.warnings} and took < 1.0


@pytest.mark.parametrize("when", [29.5, 35.0])
def test_a_host_that_falls_silent_after_a_blast_loses_it_to_nobody_who_leaves(when: float):
    one, took = left(when, stopped=25.0, silent="gen")
    assert one.value == pytest.approx(10_000.0, rel=1e-3)
    assert "ended-early" not in {caution.code for caution in one.warnings} and took < 13.0


def test_where_iterations_are_missing_no_profile_is_taken_and_that_is_said(
    capsys: pytest.CaptureFixture[str],
) -> None:
    def then(lab: Lab) -> Prepared:
        raise AssertionError("nothing is profiled")

    async def main() -> int:
        async with SampledBench() as bench:
            run = headless._HeadlessRun(bench)
            bench.started = lambda switch: setattr(bench.source, "rate", 0.0)
            return await headless._iterated(run, 1, then)

    assert quickly(main) == 1
    assert "no profile is taken: not every iteration has a sound value" in capsys.readouterr().err


@pytest.mark.parametrize("later", [0.5, 2.5, 4.0])
def test_a_run_that_is_stopped_while_it_waits_for_the_last_samples_keeps_what_was_measured(later: float):
    async def main() -> tuple[Iteration, ...]:
        async with SampledBench() as bench:
            run, stopped = headless._HeadlessRun(bench), asyncio.Event()
            bench.stopped = stopped.set
            running = asyncio.create_task(headless._iterated(run, 1))
            await stopped.wait()
            await asyncio.sleep(later)
            assert not running.done()
            run._signalled(2)
            assert await running == 1
            return bench.monitor.snapshot(0).iterations

    (one,) = quickly(main)
    assert one.value == pytest.approx(10_000.0, rel=1e-3)
    assert "ended-early" not in {caution.code for caution in one.warnings}
