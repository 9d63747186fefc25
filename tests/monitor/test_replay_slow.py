"""Hosts that are sampled every few seconds: an iteration is what it was live, replayed alone too."""

from pathlib import Path

import msgspec
import pytest
from machines import LAB, Machines, blast

from fwdtui.core.lab import parse, plain
from fwdtui.core.model import Iteration
from fwdtui.monitor.live.monitor import Monitor
from fwdtui.monitor.replay.recording import load
from fwdtui.monitor.replay.replay import Replay
from fwdtui.monitor.replay.target import find
from fwdtui.monitor.run.beginning import open_session
from fwdtui.monitor.run.recorder import Recorder
from fwdtui.store import read_session


def recorded(folder: Path, interval: int, began: int, seed: int) -> tuple[Iteration, ...]:
    """Two blasts of twenty intervals, sampled every `interval` seconds; returns what was cut live."""
    lab = parse(LAB + f'[sampling]\ninterval = "{interval}s"\n')
    recorder = Recorder(open_session(folder, "slow", lab=plain(lab)), "forwarding")
    monitor = Monitor(lab, finished=recorder.finished)
    long, period = 20 * interval, 30 * interval

    def offered(second: int) -> float:
        return blast(began, began + long, 10_000.0)(second % period)

    for sample in Machines(offered, capacity=8_000.0, seed=seed).run(2 * period + began):
        if sample.seq % interval == 0:
            recorder.take(sample)
            monitor.push(sample)
    recorder.close()
    return monitor.snapshot(0).iterations


@pytest.mark.parametrize(("interval", "began"), [(2, 5), (5, 10), (5, 12), (5, 14), (10, 23)])
@pytest.mark.parametrize("seed", [1, 2])
def test_an_iteration_of_a_slowly_sampled_lab_is_whole_and_the_same_replayed_alone(
    tmp_path, interval, began, seed
):
    live = recorded(tmp_path, interval, began, seed)
    assert len(live) == 2 and all(one.packets is not None for one in live)
    kept = read_session(tmp_path / "slow").cases[0].iterations
    for number in (1, 2):
        played = Replay(load(find(tmp_path / "slow" / "forwarding" / str(number))))
        played.seek(played.end)
        (again,) = played.snapshot(0).iterations
        one = kept[number - 1]
        assert msgspec.structs.replace(again, files={}) == msgspec.structs.replace(one, files={})
        assert not [event.text for event in played.snapshot(0).events if event.code == "note"]
