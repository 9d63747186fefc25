"""Several traffic profiles in one experiment, on the simulated lab."""

from pathlib import Path

import pytest
from experimental import QUICK, done

from fwdtui.core.experiment import Abort, Experiment, Traffic
from fwdtui.core.experiment.order import plan
from fwdtui.labs.simulated.lab import SimulatedLab
from fwdtui.store import read_session

SEND = (
    "pkt-gen -N -f tx -i ix0 -l {frame_size-4} -4 -s 198.18.10.1:2000-198.18.10.20"
    " -d 198.19.10.1:2000-198.19.10.100 -D 00:1b:21:00:00:01 -w 0 -T 300 -R {rate}"
)


async def test_each_profile_sends_its_own_and_is_recorded_with_what_it_sent(
    lab: SimulatedLab, tmp_path: Path
) -> None:
    profiles = tuple(
        Traffic(name, (SEND,), variables={"frame_size": f"{size} B", "rate": rate}, frame=size)
        for name, size, rate in (("small", 64, "200 kpps"), ("large", 512, "400 kpps"))
    )
    design = Experiment("e", "lab.toml", (), profiles, blocks=2, run=QUICK, abort=Abort(attempts=4, failed=2))
    found = await done(lab.lab_toml, plan(design, "d" * 64), tmp_path / "into")
    assert found.complete and found.view.problem == "", (found.view.problem, found.said)
    large, small = read_session(found.folder).cases
    assert (small.name, large.name) == ("traffic=small", "traffic=large")
    for case, size, rate in ((small, 64, 200_000.0), (large, 512, 400_000.0)):
        assert dict(case.factors)["traffic"] == case.name.partition("=")[2]
        assert dict(case.factors)["frame_size"] == f"{size} B"
        for one in (one for one in found.counted if one in case.iterations):
            assert one.metrics["offered"].median == pytest.approx(rate, rel=0.05), "{rate} is what was sent"
            assert one.value == pytest.approx(rate, rel=0.05)
            assert f" -l {size - 4} " in str(one.facts["generator.command"])
            assert one.facts["generator.frame"] == size
    assert found.trials == {1: [small.name], 2: [large.name], 3: [large.name], 4: [small.name]}
