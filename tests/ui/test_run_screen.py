"""`fwdtui run` on the screen: the headless plan, seen; on the simulated lab with real shells."""

from pathlib import Path

import quick_lab
from waiting import until

from fwdtui.store import read_session
from fwdtui.ui.common.dialogs import Confirm
from fwdtui.ui.live.heading import Heading
from fwdtui.ui.live.run_control import RunControl
from fwdtui.ui.live.run_screen import RunScreen
from fwdtui.ui.shell.app import FwdtuiApp


def run_app(lab_file: Path, into: Path, iterations: int | None = None) -> tuple[FwdtuiApp, RunControl]:
    control = RunControl(lab_file, into, "s", "c", iterations, {"af": "inet4"})
    return FwdtuiApp(into, live=control, live_screen=RunScreen), control


async def test_the_heading_tells_where_the_plan_is_and_pause_stops_the_picture_alone(lab_file, tmp_path):
    app, control = run_app(lab_file, tmp_path / "sessions", 2)
    seen: set[str] = set()
    async with app.run_test(size=(80, 24)) as pilot:
        heading = app.screen.query_one(Heading)

        def look() -> bool:
            seen.add(heading.plain())
            return "iteration 2 of 2 · mea" in heading.plain()

        await until(look, 120.0)
        await pilot.press("space")
        await until(lambda: control.finished, 120.0)
        assert "paused" in heading.plain() and "are recorded" not in heading.plain()
        await pilot.press("space")
        await until(lambda: "2 of 2 iterations are recorded" in heading.plain())
        await pilot.press("q")  # nothing runs any more: no question
    assert control.kept == 2 and app.recorded == [tmp_path / "sessions/s"]
    told = "\n".join(seen)
    for words in (
        "iteration 1 of 2 · warm-up",
        "iteration 1 of 2 · settle 1 s left",
    ):
        assert words in told, told
    (case,) = read_session(tmp_path / "sessions/s").cases
    # a busy machine may starve a blast, which is then repeated
    assert sum(one.value is not None for one in case.iterations) == 2 and case.factors == {"af": "inet4"}
    assert "Recorded with af=inet4." in [event.text for event in control.snapshot(0).events]


async def test_a_run_that_could_not_begin_is_not_said_to_be_reaching_its_hosts(tmp_path):
    """Its files were not trusted, for one: nothing is tried again."""

    class Refused(RunControl):
        async def _reached(self) -> None:
            return None

    async def ask(error: object) -> bool:
        return False

    file = tmp_path / "lab.toml"
    file.write_text(
        '[generator]\nhost = "gen"\ninterface = "g0"\n[dut]\nhost = "dut"\nin = "d0"\nout = "d1"\n'
    )
    assert Refused(file, tmp_path / "sessions", "s", "c", 1).doing == "1 iteration · reaching the hosts"
    control = Refused(file, tmp_path / "sessions", "s", "c", 3)
    assert control.doing == "3 iterations · reaching the hosts"
    control.set_asker(ask)
    await until(lambda: control.doing == "3 iterations · not begun: see the events")


async def test_leaving_asks_while_it_runs_keeps_what_there_is_and_stops_the_generator(lab_file, tmp_path):
    quick_lab.quick(lab_file, "60s")  # longer than any machine takes to press the keys
    app, control = run_app(lab_file, tmp_path / "sessions")
    async with app.run_test(size=(80, 24)) as pilot:
        await until(lambda: "measuring" in control.doing and control.snapshot(0).blast is not None)
        await pilot.press("q")
        await until(lambda: isinstance(app.screen, Confirm))
        await pilot.press("n")
        await until(lambda: isinstance(app.screen, RunScreen))
        assert control.generator_running
        await pilot.press("q")
        await until(lambda: isinstance(app.screen, Confirm))
        await pilot.press("y")
        await until(lambda: not app.is_running)
    assert not control.generator_running
    (case,) = read_session(tmp_path / "sessions/s").cases
    (iteration,) = case.iterations
    assert "ended-early" in {one.code for one in iteration.warnings}


async def test_g_ends_the_plan_and_the_blast_that_is_on_is_the_last_iteration(lab_file, tmp_path):
    quick_lab.quick(lab_file, "60s")  # longer than any machine takes to press the keys
    app, control = run_app(lab_file, tmp_path / "sessions")
    async with app.run_test(size=(80, 24)) as pilot:
        await until(lambda: "measuring" in control.doing and control.snapshot(0).blast is not None)
        await pilot.press("g")
        await until(lambda: isinstance(app.screen, Confirm))
        await pilot.press("y")
        await until(lambda: len(control.snapshot(0).iterations) == 1 and not control.generator_running)
        assert "stopped by hand" in control.doing
        await app.close_live()
    (case,) = read_session(tmp_path / "sessions/s").cases
    assert len(case.iterations) == 1
