"""The demo on the simulated lab: real shells and a real recording, driven by keys."""

import asyncio
import tempfile
from pathlib import Path

import msgspec
import pytest
from textual.geometry import Size
from waiting import press, until

from fwdtui.core.model import Iteration
from fwdtui.store import SessionWriter, drop, read_session
from fwdtui.ui.common.choosers import ChooseScenario
from fwdtui.ui.compare.screen import CompareScreen
from fwdtui.ui.demo import demo_control, demo_plan
from fwdtui.ui.demo.demo_control import DemoControl
from fwdtui.ui.demo.guide import Guide
from fwdtui.ui.demo.screen import DemoScreen
from fwdtui.ui.demo.walk import Walk
from fwdtui.ui.sessions.sessions_screen import SessionsScreen
from fwdtui.ui.shell.app import FwdtuiApp


@pytest.fixture
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder that the simulated lab makes its own one in."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return tmp_path


def demo(into: Path, blast: float = 4.0) -> tuple[FwdtuiApp, DemoControl]:
    control = demo_control.simulated("300ms", blast, into)
    return FwdtuiApp(into, note=control.note, live=control, live_screen=DemoScreen), control


def traffic(control: DemoControl) -> bool:
    """Whether a blast is under way, or was: on a busy machine it may be over already.

    What limits it is tested where samples are not late: tests/labs_simulated/test_simulated_diagnosis.py.
    """
    snapshot = control.snapshot(0)
    return snapshot.blast is not None or bool(snapshot.iterations)


def guide(app: FwdtuiApp) -> str:
    return " ".join(app.screen.query_one(Guide).plain.split())


def test_the_walk_measures_again_what_was_taken_back(temporary):
    """A comparison of fewer iterations that count could not say anything."""
    control = demo_control.simulated(into=temporary)
    found = Iteration(1, 5.0), Iteration(2, 5.0, dropped="taken back"), Iteration(3, None)
    seen = msgspec.structs.replace(control.snapshot(0), iterations=found)
    control.snapshot = lambda points: seen
    assert Walk(control)._kept == 1


def test_before_the_second_session_the_guide_says_what_the_first_one_has():
    told = [demo_plan.simulated().before(1, kept) for kept in range(4)]
    partly = ["Session 1 has 1 of 3 iterations. ", "Session 1 has 2 of 3 iterations. "]
    assert told == ["Session 1 was skipped. ", *partly, "Session 1 is recorded. "]


async def test_unasked_it_starts_no_traffic_and_without_any_it_is_walked_through_to_its_end(temporary):
    """It says that it is simulated. Any step can be skipped; at the end the guide says what leads on."""
    app, control = demo(temporary / "sessions")
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        assert "Simulated lab – nothing here is a real measurement" in guide(app)
        await until(lambda: "Press g to start the generator" in guide(app))
        await asyncio.sleep(1.0)
        assert "step 1 of 5" in guide(app)
        assert control.snapshot(0).blast is None and not control.generator_running
        await pilot.press("n")
        await until(lambda: "step 3 of 5" in guide(app))
        await pilot.press("n")
        await until(lambda: "step 5 of 5" in guide(app))
        await pilot.press("n")
        await until(lambda: isinstance(app.screen, SessionsScreen))
        await pilot.press("l")
        await until(lambda: isinstance(app.screen, DemoScreen))
        await until(lambda: guide(app).endswith("nothing to compare. w walk again · o others"))
        await pilot.press("w")  # it can also be skipped while the lab is brought up
        await until(lambda: "being brought up. n skip" in guide(app))
        await pilot.press("n")
        await until(lambda: "step 3 of 5 Session 1 was skipped. Session 2 is" in guide(app))
        await pilot.press("A")
        await until(lambda: "automatic · A stops it" in guide(app) and "step 5" not in guide(app))
        await app.close_live()


async def test_g_starts_a_blast_that_ends_by_itself_and_becomes_an_iteration(temporary):
    app, control = demo(temporary / "sessions", blast=3.0)
    async with app.run_test(size=(80, 24)) as pilot:
        await until(lambda: "Press g" in guide(app))
        await pilot.press("g")
        await until(lambda: "pkt-gen" in str(app.screen.query_one("#question").render()))
        await pilot.press("y")
        await until(lambda: "step 2 of 5" in guide(app))
        await until(lambda: traffic(control))
        await until(lambda: len(control.snapshot(0).iterations) == 1)
        await app.close_live()
    assert len(read_session(temporary / "sessions" / "1-one-tx-queue").cases[0].iterations) >= 1


async def test_at_the_end_the_guide_says_how_many_sessions_there_are_and_where(temporary, subtests):
    """It spoke of two that are recorded, although both had been skipped."""
    into, names = temporary / "s", ("1-one-tx-queue", "2-flow-id-kept")
    for name in names:
        with SessionWriter.create(into / name, label=name, created="2026-01-02T03:04:05+00:00") as writer:
            writer.begin("forwarding.inet4").commit(Iteration(0, 1e6))
    app, _ = demo(into)
    async with app.run_test(size=(200, 24)) as pilot:
        for dropped, told, shown in (
            (
                "",
                "Two sessions are recorded. Did the fix change forwarding? c compares them. They are in {}.",
                CompareScreen,
            ),
            (
                names[0],
                "Only one of the two sessions has iterations: 2-flow-id-kept, in {}."
                " A comparison needs both.",
                SessionsScreen,
            ),
            (
                names[1],
                "Neither session has an iteration, so there is nothing to compare.",
                SessionsScreen,
            ),
        ):
            if dropped:
                drop(into / dropped, "forwarding.inet4", 1, "taken back")
                await press(pilot, "f2", "w")
                assert isinstance(app.screen, DemoScreen)
            with subtests.test(told):
                await until(lambda: "Press g" in guide(app))
                await pilot.press("n")
                await until(lambda: "step 3 of 5" in guide(app))
                await pilot.press("n")
                await until(lambda: "step 5 of 5" in guide(app))
                assert told.format(into) in guide(app)
                assert "w walk again" in guide(app)
                await pilot.press("c")
                await until(lambda shown=shown: isinstance(app.screen, shown))
        await app.close_live()


def test_an_iteration_that_does_not_count_makes_no_session_that_can_be_compared(temporary):
    control = demo_control.simulated(into=temporary)
    with SessionWriter.create(
        temporary / "1-one-tx-queue", label="1", created="2026-01-02T03:04:05+00:00"
    ) as w:
        for value in (None, 1e6):
            w.begin("forwarding.inet4").commit(Iteration(0, value))
    assert [path.name for path in control.measured] == ["1-one-tx-queue"]
    drop(temporary / "1-one-tx-queue", "forwarding.inet4", 2, "taken back")
    assert control.measured == []


async def test_another_scenario_has_a_session_of_its_own_and_a_new_time_axis(temporary):
    app, control = demo(temporary / "sessions")
    async with app.run_test(size=(80, 24)) as pilot:
        await until(lambda: "Press g" in guide(app))
        await pilot.press("o")
        await until(lambda: isinstance(app.screen, ChooseScenario))
        await pilot.press("enter")
        await until(lambda: control.part.session == "healthy")
        await until(lambda: "Healthy: every core carries its share. g starts the generator." in guide(app))
        await until(lambda: control.ready)
        await pilot.press("enter")
        await until(lambda: traffic(control))
        await pilot.press("w")
        await until(lambda: "Press g" in guide(app))
        assert control.part.session == "1-one-tx-queue" and not control.generator_running
        await app.close_live()


async def test_leaving_while_the_lab_is_being_brought_up_leaves_nothing(temporary):
    app, control = demo(temporary / "sessions")
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("q")
    await control.close()
    assert list(temporary.iterdir()) == []


@pytest.mark.parametrize("width", [40, 80, 200])
async def test_the_guide_never_becomes_lower_until_the_terminal_gets_another_width(temporary, width):
    app, _ = demo(temporary / "sessions")
    async with app.run_test(size=(width, 30)):
        guide = app.screen.query_one(Guide)
        size = Size(width, 30)

        def height(text: str, wide: int = width) -> int:
            guide._said = "simulated lab", "step 1 of 5", text, "", "Enter do it"
            guide.refresh(layout=True)
            return guide.get_content_height(size, size, wide)

        short = height("Begin.")
        long = height("Look at the sentence below the rates, and at the queues. " * 12)
        assert 3 <= short < long
        assert height("Begin.") == long
        assert height("Begin.", wide=width - 1) == short
        await app.close_live()


async def test_at_its_end_nobody_is_taken_out_of_another_mode(temporary, monkeypatch):
    monkeypatch.setattr(DemoScreen, "_go_on", lambda self, do: None)  # no lab is needed
    app, _ = demo(temporary)
    shown = []
    async with app.run_test(size=(120, 40)) as pilot:
        screen = app.screen
        monkeypatch.setattr(screen, "_show_comparison", lambda: shown.append(app.current_mode))
        await press(pilot, "f3")
        screen.walk.finished = True
        await until(
            lambda: [note.message for note in app._notifications] == ["The dialog is in Live: press F2."]
        )
        await pilot.pause(0.7)
        assert app.current_mode == "sessions" and shown == []
        await press(pilot, "f2")
        await until(lambda: shown == ["live"])
