"""`fwdtui live --headless` where nobody sends: there is nothing to show, and that is said."""

from pathlib import Path

import pytest

from fwdtui.cli import headless
from fwdtui.labs.simulated.lab import SimulatedLab


async def test_who_watches_a_quiet_lab_is_told_why_there_is_no_iteration(
    lab: SimulatedLab, tmp_path_factory: pytest.TempPathFactory, capsys: pytest.CaptureFixture[str]
) -> None:
    async def body(run: headless._HeadlessRun) -> int:
        return await headless._watched(run, 0.5)

    sessions = tmp_path_factory.mktemp("sessions")
    assert await headless._measured(Path(lab.lab_toml), sessions, "s", "c", {}, body) == 0
    told = capsys.readouterr().err
    assert "no iteration: no blast began and ended" in told and "fwdtui run does" in told
