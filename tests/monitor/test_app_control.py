"""What the live screen's controls say of a real bench, by a clock that jumps."""

import asyncio
from collections.abc import Callable
from pathlib import Path

import pytest
from benches import PLAN, SampledBench, quickly

from fwdtui.core.errors import FwdtuiError
from fwdtui.store import read_session
from fwdtui.ui.live.bench_control import BenchControl
from fwdtui.ui.live.run_control import RunControl


async def _ask(error: Exception) -> bool:
    raise AssertionError(error)


class Watching(BenchControl):
    """Of hosts that are reached at once."""

    bench: SampledBench

    async def _reached(self) -> SampledBench:
        self.bench = SampledBench()
        self.bench.monitor.automatic = True
        return self.bench


class Running(RunControl):
    bench: SampledBench

    async def _reached(self) -> SampledBench:
        self.bench = SampledBench()
        return self.bench


async def until(condition: Callable[[], bool], seconds: float = 120.0) -> None:
    """Wait for it by the clock that jumps, in steps that a float holds exactly."""
    for _ in range(int(seconds * 4)):
        if condition():
            return
        await asyncio.sleep(0.25)
    raise AssertionError("it did not happen")


def logged(told: str) -> str:
    """What is in the file that is named."""
    return Path(told.partition("(details: ")[2].removesuffix(")")).read_text()


def lab_file(folder: Path) -> Path:
    file = folder / "lab.toml"
    file.write_text(PLAN)
    return file


def test_when_the_samples_have_ended_what_was_measured_last_becomes_old(tmp_path: Path) -> None:
    async def main() -> None:
        control = Watching(lab_file(tmp_path), tmp_path / "into", "s", "c")
        control.set_asker(_ask)
        await until(lambda: control.measuring and control.snapshot(0).forwarded.now is not None)
        control.bench.source.over.set()
        await until(
            lambda: "The hosts send no more samples." in [one.text for one in control.snapshot(0).events]
        )
        ended = control.snapshot(0).now
        await asyncio.sleep(30.0)
        snapshot = control.snapshot(0)
        assert 29.0 <= snapshot.now - ended <= 31.0
        assert snapshot.forwarded.now is None and snapshot.forwarded.old is not None
        assert all(host.old is not None and host.old >= 29.0 for host in snapshot.hosts)
        await control.close()

    quickly(main)


def test_an_error_that_nobody_foresaw_ends_the_samples_and_is_said_as_long_as_the_run_is_open(
    tmp_path: Path,
) -> None:
    """A plug-in's reader may raise anything: else the last rates would look live, and nothing be recorded."""

    async def main() -> None:
        control = Watching(lab_file(tmp_path), tmp_path / "into", "s", "c")
        control.set_asker(_ask)
        await until(lambda: control.measuring and control.snapshot(0).forwarded.now is not None)
        assert control.storage == ""
        control.bench.source.error = ValueError("no number")
        await until(lambda: control.storage != "")
        assert control.storage.startswith("RECORDING HAS STOPPED  ValueError: no number (details: ")
        assert logged(control.storage).count("\nValueError: no number\n") == 1
        assert control.snapshot(0).events[-1].text.startswith("ValueError: no number")
        assert not control.measuring
        assert control.unsaved == "", "what was recorded before is saved, and leaving loses nothing"
        with pytest.raises(FwdtuiError, match="not started: the hosts send no more samples"):
            await control.start_generator()
        await asyncio.sleep(30.0)
        assert control.snapshot(0).forwarded.now is None
        await control.close()

    quickly(main)


def test_an_error_that_nobody_foresaw_ends_the_plan_and_stops_its_generator(tmp_path: Path) -> None:
    async def main() -> None:
        control = Running(lab_file(tmp_path), tmp_path / "into", "s", "c", 3)
        control.set_asker(_ask)
        await until(lambda: control.doing.startswith("iteration 1 of 3 · measuring"))
        control.bench.source.error = ValueError("no number")
        await until(lambda: control.finished)
        assert control.doing == "0 of 3 iterations · stopped: ValueError: no number"
        assert len(control.bench.starts) == len(control.bench.stops) == 1 and not control.generator_running
        assert control.storage.startswith("RECORDING HAS STOPPED  ValueError: no number (details: ")
        await control.close()

    quickly(main)


def test_an_error_that_nobody_foresaw_before_the_first_sample_is_told(tmp_path: Path) -> None:
    class Failing(RunControl):
        async def _reached(self) -> None:
            raise ValueError("no facts")

    async def main() -> None:
        control = Failing(lab_file(tmp_path), tmp_path / "into", "s", "c", 3)
        control.set_asker(_ask)
        await until(lambda: control.doing == "3 iterations · not begun: see the events")
        assert control.snapshot(0).events[-1].text.startswith("ValueError: no facts (details: ")
        await control.close()

    quickly(main)


def test_that_nothing_is_recorded_any_more_is_not_said_of_a_run_that_was_left(tmp_path: Path) -> None:
    async def main() -> None:
        control = Watching(lab_file(tmp_path), tmp_path / "into", "s", "c")
        control.set_asker(_ask)
        await until(lambda: control.measuring and control.snapshot(0).forwarded.now is not None)
        await control.close()
        assert control.storage == "" and control.unsaved == ""

    quickly(main)


def test_a_blast_that_was_stopped_by_hand_is_told_beside_the_plans(tmp_path: Path) -> None:
    async def main() -> None:
        control = Running(lab_file(tmp_path), tmp_path / "into", "s", "c", 3)
        control.set_asker(_ask)
        await until(lambda: control.doing.startswith("iteration 2 of 3 · measuring"))
        folder = control.folder
        assert control.told() == f"1 of 3 iterations is recorded in {folder}"
        await asyncio.sleep(5.0)
        await control.stop_generator()
        await until(lambda: len(control.snapshot(0).iterations) == 2)
        assert control.doing == "1 of 3 iterations · stopped by hand, 1 more recorded"
        await control.close()
        (case,) = read_session(folder).cases
        assert [one.value is not None for one in case.iterations] == [True, True]
        more = "and 1 more: from blasts that were stopped or started by hand"
        assert control.told() == f"1 of 3 iterations is recorded in {folder}, {more}"

    quickly(main)


def test_what_was_saved_by_hand_is_not_told_as_a_blast_that_was_stopped(tmp_path: Path) -> None:
    async def main() -> None:
        control = Running(lab_file(tmp_path), tmp_path / "into", "s", "c", 1)
        control.set_asker(_ask)
        await until(lambda: control.doing.startswith("iteration 1 of 1 · measuring"))
        await asyncio.sleep(4.0)
        await control.save_iteration()
        await until(lambda: control.finished)
        line = f"1 of 1 iteration is recorded in {control.folder}"
        assert control.told() == f"{line}, and 1 more: saved by hand"
        await control.start_generator()
        await until(lambda: control.snapshot(0).blast is not None)
        await asyncio.sleep(8.0)
        await control.stop_generator()
        await until(lambda: len(control.snapshot(0).iterations) == 3)
        more = "1 saved by hand, 1 from blasts that were stopped or started by hand"
        assert control.told() == f"{line}, and 2 more: {more}"
        await control.take_back()
        assert control.told() == f"{line}, and 1 more: from blasts that were stopped or started by hand"
        await control.close()

    quickly(main)
