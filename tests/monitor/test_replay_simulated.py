"""A run of the simulated lab, recorded over ssh by a real bench, and the replay of that recording."""

import asyncio
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from fwdtui.labs.simulated.lab import SimulatedLab
from fwdtui.monitor.live.snapshot import Snapshot
from fwdtui.monitor.replay.recording import load
from fwdtui.monitor.replay.replay import Replay
from fwdtui.monitor.replay.target import find
from fwdtui.monitor.run.bench import Bench
from fwdtui.store import read_session


async def until(true: Callable[[], bool], seconds: float = 30.0) -> None:
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end, "that did not happen"
        await asyncio.sleep(0.05)


async def test_the_replay_of_a_simulated_run_shows_what_the_run_showed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    seen: list[Snapshot] = []
    async with (
        SimulatedLab("tx-one-queue", wait=0, interval="500ms") as lab,
        await Bench.open(lab.lab_toml) as bench,
    ):
        bench.record(tmp_path / "sessions", "one-queue", "forwarding.inet4")
        bench.start(watchers=[lambda sample: seen.append(bench.monitor.snapshot(40))])
        await until(lambda: len(seen) > 8)
        await bench.start_tools()
        await until(lambda: (blast := seen[-1].blast) is not None and seen[-1].now > blast.began + 4.0)
        await bench.stop_tools()
        await until(lambda: bool(seen[-1].iterations))
    (kept,) = read_session(tmp_path / "sessions/one-queue").cases[0].iterations
    played = Replay(load(find(tmp_path / "sessions/one-queue")))
    # each of these is what the screen could draw at that moment, of all of it
    assert len(seen) == len(played.recording.samples) > 25
    monitor = played.surveyed.states.restored(0)
    for place, live in enumerate(seen):
        played.surveyed.player.push(monitor, place)
        assert monitor.snapshot(40) == live
    assert kept.limit is not None and kept.limit.code == "one-queue"
    for target in ("one-queue", "one-queue/forwarding.inet4/1"):
        played = Replay(load(find(tmp_path / "sessions" / target)))
        played.seek(played.end)
        (again,) = played.snapshot(0).iterations
        assert (again.value, again.window, again.metrics) == (kept.value, kept.window, kept.metrics)
        assert (again.limit, again.packets, again.warnings) == (kept.limit, kept.packets, kept.warnings)
