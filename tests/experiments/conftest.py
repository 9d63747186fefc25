"""The simulated lab, sampled often, with short waits in its tools."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from fwdtui.labs.simulated.lab import SimulatedLab


@pytest.fixture
async def lab(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[SimulatedLab]:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    async with SimulatedLab("healthy", interval="200ms", wait=0) as lab:
        yield lab
