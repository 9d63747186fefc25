"""What the live screen's controls say of a real bench, by a clock that jumps."""

import asyncio
from collections.abc import Callable
from pathlib import Path

from benches import PLAN, SampledBench, quickly

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
        await until(lambda: "The samples ended." in [one.text for one in control.snapshot(0).events])
        ended = control.snapshot(0).now
        await asyncio.sleep(30.0)
        snapshot = control.snapshot(0)
        assert 29.0 <= snapshot.now - ended <= 31.0
        assert snapshot.forwarded.now is None and snapshot.forwarded.old is not None
        assert all(host.old is not None and host.old >= 29.0 for host in snapshot.hosts)
        await control.close()

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
        more = "and 1 more: of blasts that were stopped or started by hand"
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
        more = "1 saved by hand, 1 of blasts that were stopped or started by hand"
        assert control.told() == f"{line}, and 2 more: {more}"
        await control.take_back()
        assert control.told() == f"{line}, and 1 more: of blasts that were stopped or started by hand"
        await control.close()

    quickly(main)
