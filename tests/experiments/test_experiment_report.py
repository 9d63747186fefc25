"""What the engine leaves behind is reported without a word by hand, and with the numbers of the screen."""

import asyncio
import json
import re
from pathlib import Path

import pytest
from experimental import at_step, done, plan_of, sysctl
from test_experiment_run import kill_pktgen

from fwdtui.cli import main
from fwdtui.core.experiment import Action, Hook
from fwdtui.labs.simulated.lab import SimulatedLab
from fwdtui.monitor.experiment.run import ExperimentRun
from fwdtui.monitor.run.waiting import Waiter

SECTION = Path(__file__).parent.parent / "fixtures" / "experiment_section.md"
_CHANGING = (
    (r"\d{4}-\d\d-\d\dT[\d:.]+\+00:00", "TIME"),
    (r"-[0-9a-f]{12}/", "-HASH/"),
    (r"(not by fwdtui\.) .* \| repeated", r"\1 REST | repeated"),
)


async def test_a_session_of_the_engine_is_reported_as_it_was_measured(
    lab: SimulatedLab, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def during(run: ExperimentRun, waiter: Waiter) -> None:
        loop = asyncio.get_running_loop()
        at_step(run, "tools", lambda: loop.call_later(0.8, kill_pktgen, lab, "rx"))

    levels = [sysctl("direct"), sysctl("deferred")]
    hooks = (Hook("after", Action("dut", "uname")),)
    plan = plan_of(levels, (0, 1, 1, 0, 0, 1), blocks=3, hooks=hooks)
    found = await done(lab.lab_toml, plan, tmp_path / "into", during=during)
    assert found.complete, found.said
    out = tmp_path / "report.md"
    capsys.readouterr()
    assert main(["report", str(found.folder), "-o", str(out), "--without", "charts"]) == 0
    text = out.read_text()
    section = text[text.index("## Experiment") : text.index("## ", text.index("## Experiment") + 3)]
    for pattern, what in _CHANGING:
        section = re.sub(pattern, what, section)
    assert section == SECTION.read_text()
    assert text.startswith(
        "# e: comparing deferred with direct: forwarding performance\n\n1 comparison: 1 slower."
    )
    assert "net.isr.dispatch: direct -\\> deferred" in text, "the settings differ, and nothing else"
    assert "trial-repeated" not in text and "dropped by hand" not in text, "told once"
    assert main(["check", str(out), "--data", str(tmp_path / "report.d")]) == 0

    capsys.readouterr()
    assert main(["compare", str(found.folder), "--format", "json"]) == 0
    (plain,) = json.loads(capsys.readouterr().out)["experiments"]
    assert (plain["planned"], plain["done"]) == (found.view.planned, found.view.done)
    for mine, shown in zip(plain["cells"], found.view.cells, strict=True):
        numbers = [mine[name] for name in ("number", "name", "planned", "done", "failed", "repeated")]
        assert numbers == [shown.number, shown.name, shown.planned, shown.done, shown.failed, shown.repeated]
