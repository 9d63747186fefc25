"""The simulated lab with short iterations, for tests that run it as a user does."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest


def quick(path: Path, duration: str = "2s") -> Path:
    """The same lab.toml, with a plan that a test has time for."""
    head, _, _ = path.read_text().partition("[run]")
    plan = f'iterations = 2\nwarmup = "500ms"\nduration = "{duration}"\nsettle = "1s"\n'
    path.write_text(f"{head}[run]\n{plan}")
    return path


@pytest.fixture
async def lab_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Path]:
    """Its lab.toml, while the lab is up."""
    from fwdtui.labs.simulated.lab import SimulatedLab  # most tests need none of it

    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    async with SimulatedLab("healthy", interval="500ms", wait=1) as lab:
        yield quick(Path(lab.lab_toml))
