"""The simulated lab with short waits in its tools, sampled as often as its short blasts need.

Samples are most of what an experiment costs here. From a third of a second on, a blast would end later.
"""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from fwdtui.labs.simulated.lab import SimulatedLab


@pytest.fixture
async def lab(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[SimulatedLab]:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    async with SimulatedLab("healthy", interval="300ms", wait=0) as lab:
        yield lab
