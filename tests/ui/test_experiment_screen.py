"""The screen of an experiment: whole ones on the simulated lab, and what it shows at any moment."""

import asyncio
import dataclasses
from collections.abc import AsyncIterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import msgspec
import pytest
from experiment_rig import FORTY, ONE, TEXT, TWO, Still, experiment, running, write
from live_pilot import settled
from live_pilot import text as panel
from live_rig import Rig
from textual.widgets import Static
from waiting import press, until

from fwdtui.collectors.lab_trust import UntrustedError
from fwdtui.collectors.labfile import load
from fwdtui.core.experiment import (
    Abort,
    Action,
    Check,
    DesignFactor,
    Experiment,
    LevelSetup,
    Plan,
    Restore,
    StopRule,
)
from fwdtui.core.experiment.order import aa_plan, plan
from fwdtui.core.experiment.steps import Begun
from fwdtui.core.experiment.text import Resumed
from fwdtui.core.lab import Run
from fwdtui.labs.simulated.lab import SimulatedLab
from fwdtui.monitor.experiment.subject import Subject
from fwdtui.monitor.experiment.view import CellView, ExperimentView
from fwdtui.report.cells import columns_of
from fwdtui.report.comparison import judge_sides
from fwdtui.report.experiment_view import by_design
from fwdtui.report.factor_view import AS_GIVEN
from fwdtui.report.sides import load_sides
from fwdtui.store import drop, read_session
from fwdtui.store.experiment_journal import JUDGED, UNDO, Step, read
from fwdtui.transport import trusted
from fwdtui.transport.ssh_files import TextFile
from fwdtui.ui.common.dialogs import Confirm
from fwdtui.ui.common.ports import MayLeaveRunning
from fwdtui.ui.compare.screen import CompareScreen
from fwdtui.ui.draw.copies import title
from fwdtui.ui.draw.styles import Styles
from fwdtui.ui.draw.view import View
from fwdtui.ui.experiment import cell_text, verdicts
from fwdtui.ui.experiment.blast_screen import BlastScreen
from fwdtui.ui.experiment.cell_text import Verdict
from fwdtui.ui.experiment.control import ExperimentControl, question_on_stopping
from fwdtui.ui.experiment.design import design
from fwdtui.ui.experiment.design_table import DesignTable, list_widths
from fwdtui.ui.experiment.given import Given, Shown, planned
from fwdtui.ui.experiment.heading import now, rule
from fwdtui.ui.experiment.log_lines import REPEATED, SOUND, log_lines, with_days
from fwdtui.ui.experiment.question import ExperimentQuestion
from fwdtui.ui.experiment.screen import ExperimentScreen
from fwdtui.ui.report.preview import PreviewScreen
from fwdtui.ui.sessions.session_screen import SessionScreen
from fwdtui.ui.shell.app import FwdtuiApp

DISPATCH = "net.isr.dispatch"
LONG = 90.0  # seconds that a whole experiment may take on a busy machine


@pytest.fixture
async def lab(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[SimulatedLab]:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    async with SimulatedLab("healthy", interval="300ms", wait=0) as lab:
        yield lab


def dispatch(blocks: int, duration: float = 1.2) -> Plan:
    """Two ways in which the DUT's netisr may work, in turns; blasts of so many seconds."""
    levels = tuple(
        LevelSetup(
            value,
            apply=(Action("dut", f"sysctl {DISPATCH}={value}"),),
            verify=(Check("dut", f"sysctl -n {DISPATCH}", value),),
            restore=(Restore("dut", f"sysctl -n {DISPATCH}", f"sysctl {DISPATCH}={{value}}"),),
        )
        for value in ("direct", "deferred")
    )
    quick = Run(warmup=0.2, duration=duration, settle=0.2)
    factor = DesignFactor("dispatch", levels)
    made = Experiment("e", "lab.toml", (factor,), blocks=blocks, run=quick, abort=Abort(4, 2, 40.0))
    return plan(made, "d" * 64)


def app_on(lab: SimulatedLab, plan: Plan, tmp_path: Path) -> tuple[FwdtuiApp, ExperimentControl]:
    file = tmp_path / "experiment.toml"
    file.write_text(TEXT)
    lab_toml, files = Path(lab.lab_toml), (TextFile(file, TEXT.encode()),)
    given = Given(
        Subject(lab_toml, plan, TEXT), load(lab_toml), file, files, tmp_path / "into", "s",
        untrusted=UntrustedError(file, files, "it runs commands"),
    )  # fmt: skip
    control = ExperimentControl(given)
    return FwdtuiApp(given.into, live=control, live_screen=ExperimentScreen), control


def text(app: FwdtuiApp, where: str) -> str:
    found = app.screen.query_one(where, Static).content
    return getattr(found, "plain", str(found))


def still(plan: Plan, done: int, tmp_path: Path, looks: tuple[str, ...] = ()) -> FwdtuiApp:
    control = Still(plan, tmp_path, running(plan, done, looks))
    return FwdtuiApp(tmp_path, live=control, live_screen=ExperimentScreen)


async def test_a_whole_experiment_from_the_question_to_the_comparison(
    lab: SimulatedLab, tmp_path: Path
) -> None:
    app, control = app_on(lab, dispatch(1), tmp_path)
    async with app.run_test(size=(120, 40)) as pilot:
        await until(lambda: isinstance(app.screen, ExperimentQuestion) and app.screen.query("#listing"))
        shown = text(app, "#listing")
        assert "nft -f /root/100.nft \\x1b[2K# \\u202egnihton" in shown
        assert f"sysctl {DISPATCH}=deferred" in shown, "every step is told"
        assert "2 cells x 1 block = 2 trials" in text(app, "#ask")
        await press(pilot, "escape")  # nothing is begun, or reached
        assert not control.going and not (tmp_path / "into").exists()
        assert not trusted.is_allowed(control.given.path, control.given.files)
        await press(pilot, "g")
        await until(lambda: isinstance(app.screen, ExperimentQuestion))
        await press(pilot, "y")
        assert trusted.is_allowed(control.given.path, control.given.files)
        screen = app.screen
        assert isinstance(screen, ExperimentScreen)
        await until(lambda: control.shown().view.done >= 1, LONG)
        assert "verdict after the last block (1)" in text(app, "#rule")
        assert not screen.check_action("compare", ()), "a comparison now would be a look that is not planned"

        await press(pilot, "l")
        assert isinstance(app.screen, BlastScreen) and app.screen.check_action("save", ()) is False
        await press(pilot, "l")
        assert app.screen is screen

        await press(pilot, "enter")  # on the baseline's cell
        assert isinstance(app.screen, SessionScreen)
        await until(lambda: app.screen._case is not None)
        assert app.screen._case.name == "dispatch=direct"
        await press(pilot, "escape")

        await until(lambda: control.shown().view.over and screen.outcome is not None, LONG)
        await until(lambda: "all trials are done" in text(app, "#heading"))
        assert "✓ over" in text(app, "#heading") and "2 of 2 trials" in text(app, "#heading")
        decided = text(app, "#decided-text")
        assert decided.startswith("by dispatch, against direct:")
        assert "fwdtui report" in decided and "--by dispatch --baseline dispatch=direct" in decided
        log = "\n".join(line.text for line in control.shown().log)
        assert log.count("kpps") + log.count("Mpps") == 2 and log.endswith("ended: all trials are done")

        await press(pilot, "e")
        assert isinstance(app.screen, PreviewScreen)
        await press(pilot, "escape")
        await press(pilot, "c")
        assert isinstance(app.screen, CompareScreen)
        await until(lambda: app.screen._compared is not None)
        compared = app.screen._compared
        assert compared.view.by == ("dispatch",) and compared.labels == ("direct", "deferred")
        await press(pilot, "q")  # nothing runs any more: no question
    assert len(read_session(control.folder).cases) == 2 and app.recorded == [control.folder]


async def test_stopped_by_a_key_it_undoes_what_is_in_force(lab: SimulatedLab, tmp_path: Path) -> None:
    app, control = app_on(lab, dispatch(3, duration=300.0), tmp_path)
    async with app.run_test(size=(80, 24)) as pilot:
        await until(lambda: isinstance(app.screen, ExperimentQuestion))
        await press(pilot, "y")
        await until(lambda: "measuring" in control.shown().view.doing, LONG)
        assert control.in_force == ("dispatch=direct",)
        await press(pilot, "q")
        assert isinstance(app.screen, Confirm), "leaving would stop it"
        await press(pilot, "n", "g", "n")
        assert control.going and not control.shown().stopping
        await press(pilot, "g")
        assert "dispatch=direct" in text(app, "#question")
        await press(pilot, "y")
        assert control._run is not None and not control._run.hands.hurry.is_set()
        await until(lambda: not control.going, LONG)
        await until(lambda: "stopped; to continue: fwdtui experiment FILE --resume" in text(app, "#heading"))
        assert control.in_force == ()
        assert control.told().endswith(f"; to continue: {control.given.again(control.folder)}")
    steps = read(control.folder)[1]
    assert [step.what for step in steps if step.what in (UNDO, JUDGED) and step.done] == [UNDO]


async def test_a_lab_that_cannot_be_reached_says_why_and_can_be_tried_again(tmp_path: Path) -> None:
    file = tmp_path / "lab.toml"
    file.write_text('name = "x"\n[generator]\nhost = "nowhere.invalid"\ninterface = "a"\n[dut]\nhost = "d"\n'
                    'in = "a"\nout = "b"\n')  # fmt: skip
    (tmp_path / "into" / "s").mkdir(parents=True)
    given = Given(Subject(file, dispatch(3), ""), load(file), file, (), tmp_path / "into", "s")
    app = FwdtuiApp(given.into, live=ExperimentControl(given), live_screen=ExperimentScreen)
    async with app.run_test(size=(100, 30)) as pilot:
        await until(lambda: isinstance(app.screen, ExperimentQuestion))
        await press(pilot, "y")
        await until(lambda: "not begun" in text(app, "#heading"))
        assert "exists already" in text(app, "#heading")
        await press(pilot, "g")
        await until(lambda: isinstance(app.screen, ExperimentQuestion))


async def test_what_is_trusted_already_is_shown_without_a_word_of_changes(tmp_path: Path) -> None:
    control = Still(experiment(ONE), tmp_path, running(experiment(ONE), 9))
    app = FwdtuiApp(tmp_path, live=control, live_screen=ExperimentScreen)
    given = control.given
    trusted.allow(given.path, given.files)
    async with app.run_test(size=(100, 30)):
        await app.push_screen(ExperimentQuestion(given))
        assert "changed" not in text(app, "#ask") and " + " not in text(app, "#listing")


async def test_a_short_log_begins_at_the_top_and_a_long_one_shows_its_end(tmp_path: Path) -> None:
    app = still(experiment(ONE), 9, tmp_path)
    async with app.run_test(size=(100, 30)):
        log, control = app.screen.query_one("#log"), app.screen.control
        await until(
            lambda: log.max_scroll_y == 0 and log.query_one("#log-lines").region.y == log.region.y + 1
        )
        shown = control.shown()
        control._still = msgspec.structs.replace(shown, log=shown.log * 20)
        await until(lambda: log.max_scroll_y > 0 and log.scroll_offset.y == log.max_scroll_y)


async def test_only_cells_that_changed_are_drawn(tmp_path: Path) -> None:
    app = still(experiment(FORTY), 57, tmp_path)
    async with app.run_test(size=(200, 60)):
        await until(lambda: app.screen.query_one(DesignTable).drawings)
        table, control = app.screen.query_one(DesignTable), app.screen.control
        app.screen._look()
        before = table.drawings
        shown = control.shown()
        cells = list(shown.view.cells)
        cells[3] = msgspec.structs.replace(cells[3], done=2)
        control._still = msgspec.structs.replace(
            shown, view=msgspec.structs.replace(shown.view, cells=tuple(cells))
        )
        app.screen._look()
        assert table.drawings == before + 1


async def test_table_and_list_keep_the_cell_under_the_cursor(tmp_path: Path) -> None:
    app = still(experiment(TWO), 9, tmp_path)
    async with app.run_test(size=(120, 40)) as pilot:
        table = app.screen.query_one(DesignTable)
        await until(lambda: table.current is not None)
        await press(pilot, "down", "right")
        assert table.current.name == "rules=100 af=inet6"
        await press(pilot, "x")
        assert table.current.name == "rules=100 af=inet6" and table.cursor_type == "row"
        await press(pilot, "x")
        assert table.current.name == "rules=100 af=inet6" and table.cursor_type == "cell"


async def test_while_it_runs_a_verdict_is_only_what_its_rule_allows(
    tmp_path: Path, subtests: pytest.Subtests
) -> None:
    at_looks = StopRule("looks", looks=(2, 4))
    rules: list[tuple[StopRule, tuple[str, ...], str]] = [
        (StopRule(), (), "verdict after the last block (5)"),
        (at_looks, (), "no verdict before the looks after blocks 2, 4"),
        (at_looks, ("Still open: 100.",), "look 1: Still open: 100."),
        (StopRule("precision", precision=0.5), (), "ends when every difference is known to ±0.5 %"),
    ]
    app = still(experiment(ONE), 11, tmp_path)
    async with app.run_test(size=(120, 40)):
        for stop, looks, words in rules:
            with subtests.test(words):
                made = experiment(ONE, stop=stop)
                await app.push_screen(ExperimentScreen(Still(made, tmp_path, running(made, 11, looks))))
                await until(lambda words=words: words in text(app, "#rule"))
                table = app.screen.query_one(DesignTable)
                drawn = "\n".join(" ".join(map(str, table.get_row_at(at))) for at in range(table.row_count))
                assert "−30.9 %" in drawn
                for verdict in ("slower", "faster", "equivalent", "inconclusive"):
                    assert verdict not in drawn
                app.pop_screen()


# the live screen of its run


async def test_what_is_left_of_the_cell_before_is_not_said_to_be_of_the_next_one(tmp_path: Path) -> None:
    """The heading names the next cell before its levels are entered; the numbers are of the last blast."""
    made = experiment(TWO)
    control = Still(made, tmp_path, running(made, 9))
    control._rig = Rig()
    control._rig.monitor.case = "rules=none af=inet4"
    control._rig.run(89.0)  # two blasts are iterations, and nothing is sent
    app = FwdtuiApp(tmp_path, live=control, live_screen=ExperimentScreen)
    async with app.run_test(size=(200, 60)) as pilot:
        await press(pilot, "l")
        await settled(pilot)
        screen = app.screen
        assert isinstance(screen, BlastScreen)
        assert "rules=none af=inet6" in panel(app, "heading-line")
        assert panel(app, "diagnosis").startswith(" · No traffic; last of rules=none af=inet4: 1.00")
        assert panel(app, "iterations").startswith(" rules=none af=inet4  median 1 00")
        copied = screen.to_copy()
        assert copied is not None and "the last numbers are from rules=none af=inet4" in copied.text.split(
            "\n"
        )
        control.case = "rules=none af=inet4"  # the next trial is of the same cell
        await until(lambda: "last: 1.00" in panel(app, "diagnosis"))
        assert panel(app, "iterations").startswith(" median 1 00")


async def test_a_paused_picture_keeps_the_name_of_its_cell(tmp_path: Path) -> None:
    made = experiment(TWO)
    control = Still(made, tmp_path, running(made, 9))
    app = FwdtuiApp(tmp_path, live=control, live_screen=ExperimentScreen)
    async with app.run_test(size=(200, 60)) as pilot:
        await press(pilot, "l")
        await settled(pilot)
        await press(pilot, "space")
        control.case = "rules=100 af=inet4"
        await press(pilot, "B")  # the same picture, drawn once more
        assert "rules=none af=inet6" in panel(app, "heading-line")
        await press(pilot, "space")
        assert "rules=100 af=inet4" in panel(app, "heading-line")


def test_a_table_of_samples_is_named_after_the_cells_whose_blasts_are_in_it() -> None:
    rig = Rig()
    for cell, end in (("rules=none", 45.0), ("rules=100", 89.0)):
        rig.monitor.case = cell
        rig.run(end)
    snapshot, view = rig.monitor.snapshot(100), View(rig.lab, where="s ▸ rules=10", case="rules=10")
    assert title(snapshot, view) == "apu2 ▸ s ▸ rules=none, rules=100"
    assert title(snapshot, msgspec.structs.replace(view, time_span=30.0)) == "apu2 ▸ s ▸ rules=100"
    rig.run(104.0)  # the blast of the next cell
    short = msgspec.structs.replace(view, time_span=10.0)
    assert title(rig.monitor.snapshot(100), short) == "apu2 ▸ s ▸ rules=10"
    assert title(rig.monitor.snapshot(100), View(rig.lab, where="s ▸ c")) == "apu2 ▸ s ▸ c"


# the layout


def test_two_factors_are_a_table_with_the_fewer_levels_across() -> None:
    found = design(experiment({"image": ("r1", "r2"), "queues": (1, 2, 4)}))
    assert (found.heads, found.rows) == (("queues",), (("1",), ("2",), ("4",)))
    assert (found.across, found.columns) == ("image", ("r1", "r2"))
    assert found.base == {3: 0, 4: 1, 5: 2}, "r2 against r1 with as many queues"
    assert found.against == "image=r1 at the same queues"


def test_one_factor_and_three_are_a_list() -> None:
    one, three = design(experiment(ONE)), design(experiment(FORTY))
    assert one.heads == ("rules",) and one.rows[1] == ("10",) and not one.is_table
    assert one.base == {1: 0, 2: 0, 3: 0} and one.against == "rules=none"
    assert three.heads == ("image", "rules", "queues") and three.rows[39] == ("r2", "1000", "16")
    assert three.base[39] == 19 and 19 not in three.base


def test_of_a_list_of_cells_the_first_is_the_baseline_where_there_is_no_nearer_one() -> None:
    full = experiment(TWO).experiment
    cells = ({"rules": "none", "af": "inet4"}, {"rules": "100", "af": "inet6"})
    found = design(plan(msgspec.structs.replace(full, cells=cells)))
    assert found.base == {1: 0}
    assert found.against == "rules=none af=inet4"


@pytest.mark.parametrize("table", [True, False])
def test_of_a_list_that_varies_one_factor_at_a_time_every_cell_is_compared_with_the_first(
    table: bool,
) -> None:
    """As in the verdicts: a cell of the second factor is no baseline of its own."""
    full = experiment(TWO).experiment
    first, *others = (
        {"rules": rules, "af": af} for rules, af in (("none", "inet4"), ("100", "inet4"), ("none", "inet6"))
    )
    made = plan(msgspec.structs.replace(full, cells=(first, *others)))
    layout = design(made, table=table)
    assert (layout.base, layout.against) == ({1: 0, 2: 0}, "rules=none af=inet4")
    cells = tuple(
        CellView(one.number, one.name, 3, 1, 0, 0, False, (value,))
        for one, value in zip(made.cells, (1e6, 8e5, 1.3e6), strict=True)
    )
    view = ExperimentView("e", cells, 9, 3, 4, 1, 2, "measuring", None, (), ())
    told = [cell_text.difference(cell, view, layout, {}) for cell in cells]
    assert told == ["baseline", "−20.0 %", "+30.0 %"]
    (own,) = verdicts.views(made, layout.factors)
    assert own.baseline == (("rules", "none"), ("af", "inet4")), "the comparison's baseline is the same cell"


def test_the_command_that_goes_on_names_the_session_and_repeats_the_options(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It named neither: sessions elsewhere, or of another seed, were not found."""
    monkeypatch.chdir(tmp_path)
    file, into = tmp_path / "my e.toml", tmp_path / "into"
    subject = Subject(file, experiment(ONE), "")
    given = Given(subject, None, file, (), into, "s", options=("--seed", "3"))  # type: ignore[arg-type]
    assert given.again(into / "s-2") == (
        "fwdtui experiment 'my e.toml' --resume --into into --session s-2 --seed 3"
    )


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({}, "! over: in doubt whether undone: rules=100; check the hosts"),
        ({"decided": "a look decided"}, "! over: in doubt whether undone: rules=100; check the hosts"),
        (
            {"stopped": True},
            "■ stopped; in doubt whether undone: rules=100; to continue: fwdtui experiment FILE",
        ),
        ({"done": 2}, "■ stopped; in doubt whether undone: rules=100; to continue: fwdtui experiment FILE"),
        ({"problem": "dut is gone"}, "✕ ended: dut is gone; in doubt whether undone: rules=100"),
    ],
)
def test_once_it_is_over_the_heading_says_what_may_still_be_set_on_a_host(
    more: dict[str, Any], said: str
) -> None:
    made = experiment(ONE)
    view = msgspec.structs.replace(
        planned(made, ""), **{"done": len(made.trials), "over": True, "in_doubt": ("rules=100",)} | more
    )
    assert now(Shown(view, (), begun=True), made, 200, Styles({})).plain.startswith(said)
    sure = msgspec.structs.replace(view, in_doubt=())
    assert "in doubt" not in now(Shown(sure, (), begun=True), made, 200, Styles({})).plain


async def test_the_copy_of_a_cell_has_the_interval_of_its_verdict_and_the_mark_of_its_warning(
    tmp_path: Path,
) -> None:
    app = still(experiment(ONE), 12, tmp_path)
    async with app.run_test(size=(120, 40)) as pilot:
        await pilot.pause()
        table = app.screen.query_one(DesignTable)
        table._verdicts = {0: Verdict("slower", "−20.0 %", "−20.0 % ± 1.0 %", " !")}
        table.move_cursor(row=0)
        copied = table.to_copy()
    assert copied is not None
    assert "\t−20.0 % ± 1.0 % !\tslower\t" in copied.text


@pytest.mark.parametrize("room", [*range(19, 30), 34, 60])
@pytest.mark.parametrize(
    ("figure", "whole"),
    [("−12.34 %", "−12.34 % ± 0.21 %"), ("−0.034 %", "−0.034 % [−0.061, −0.006]"), ("–", "–")],
)
def test_no_figure_of_a_cell_is_cut_whatever_the_room(room: int, figure: str, whole: str) -> None:
    made = experiment(TWO)
    layout = design(made)
    at = max(layout.base)
    cells = [CellView(one.number, one.name, 20, 20, 2, 10, True, (14.88e6,)) for one in made.cells]
    view = ExperimentView("e", tuple(cells), 20, 20, 1, 1, 1, "", None, (), ())
    for word in ("slower", "inconclusive", "cannot say"):
        decided = {at: Verdict(word, figure, whole, " !")}
        drawn = cell_text.in_table(cells[at], view, layout, decided, Styles({}), room).plain.split("\n")
        assert max(map(columns_of, drawn)) <= room
        assert drawn[1].endswith(f"{figure} !") and drawn[0].endswith("↻10 ✕2")
        own = drawn[1].removeprefix("14.88 Mpps ").removeprefix("14.88 M ")
        assert drawn[1].startswith("14.88 Mpps ") == (room >= len("14.88 Mpps ") + len(own))
        told = cell_text.in_list(cells[at], view, layout, decided, Styles({}), room)[3].plain
        assert columns_of(told) <= room and told.endswith((f"{figure} !", f"{whole} !"))
        if room == 60:
            assert told.endswith(f"{word} {whole} !")
    before = cell_text.in_table(cells[at], view, layout, {}, Styles({}), 19).plain.split("\n")[1]
    assert before == "14.88 Mpps 0.0 %"


def test_the_columns_of_the_list_hold_every_state_and_every_number_of_trials() -> None:
    for trials in (5, 20, 120, 1000):
        cell = CellView(0, "c", trials, trials, 2, 10, False, (148.8e6,))
        wide = dict(list_widths([cell]))
        assert len(f"{cell.done}/{cell.planned}") <= wide["done"]
        assert (
            len(cell_text.bad(cell)) <= wide["trouble"] and len(cell_text.mean(cell)) <= wide["mean so far"]
        )
    assert max(len(f"{sign} {word}") for word, sign in cell_text.SIGNS.items()) <= wide["state"]
    assert dict(list_widths(()))["done"] == 5


# the log


def test_the_log_says_what_was_measured_and_what_was_repeated_and_why() -> None:
    made = experiment(ONE)
    when = "2026-01-02T03:04:05+00:00"
    steps = [
        Step(1, when, "level", failed=""),
        Step(2, when, JUDGED, done=True, trial=2, attempt=1, text="It was \x1b[1munsteady."),
        Step(3, when, JUDGED, done=True, trial=2, attempt=2, sound=True),
        Step(4, when, "reboot", done=True, failed="the DUT did not come back", host="dut"),
    ]
    lines = log_lines(steps, made, {2: 612_100.0})
    assert [line.kind for line in lines] == [REPEATED, SOUND, "trouble"]
    assert lines[0].text.startswith("trial 2, rules=10, attempt 1 does not count: It was ")
    assert "\x1b" not in lines[0].text
    assert lines[1].text == "trial 2, rules=10: 612.1 kpps"
    assert lines[2].text == "dut: the DUT did not come back"


def test_the_log_of_several_days_says_where_each_begins(zone) -> None:
    zone("UTC")
    times = ("2026-01-02T23:59:58+00:00", "2026-01-02T23:59:59+00:00", "2026-01-03T00:00:01+00:00", "")
    steps = [Step(n, when, JUDGED, done=True, trial=1, attempt=n) for n, when in enumerate(times, 1)]
    lines = log_lines(steps, experiment(ONE), {}, [(9, 1767484800.0, "a note")])
    told = [line.when or line.text for line in with_days(lines)]
    assert told == ["2026-01-02", "23:59:58", "23:59:59", "2026-01-03", "00:00:01", lines[3].text,
                    "2026-01-04", "00:00:00"]  # fmt: skip
    assert with_days(lines[:2]) == lines[:2], "an experiment of one day has no dates"


def test_the_log_gives_a_value_to_the_attempt_that_it_is_of() -> None:
    """The first one was dropped by hand, and the trial measured again."""
    whens = "", "9999-12-31T23:59:59-14:00"  # neither is a time of day that this computer can show
    steps = [
        Step(n, when, JUDGED, done=True, sound=True, trial=1, attempt=n) for n, when in enumerate(whens, 1)
    ]
    first, second = log_lines(steps, experiment(ONE), {1: 880_400.0})
    assert first.text == "trial 1, rules=none: measured"
    assert second.text == "trial 1, rules=none: 880.4 kpps"
    assert first.when == second.when == ""


def test_the_log_has_what_is_in_no_step_of_the_journal(tmp_path: Path) -> None:
    """That the DUT still runs what the last level booted, for one, is said nowhere else on the screen."""
    steps = [
        Step(1, "", "resumed", done=True),
        Step(2, "", JUDGED, done=True, sound=True, trial=1, attempt=1),
        Step(3, "", "ended", done=True, text="stopped"),
    ]
    notes = [(1, 0.0, "trials whose value no longer counts: 1")]
    run = SimpleNamespace(
        book=SimpleNamespace(journal=SimpleNamespace(steps=steps)), values={}, notes=notes,
        view=planned(experiment(ONE), ""),
    )  # fmt: skip
    control = ExperimentControl(Still(experiment(ONE), tmp_path).given)
    control._run = run  # type: ignore[assignment]

    def told() -> list[str]:
        return [line.text for line in control.shown().log]

    assert told() == ["resumed", notes[0][2], "trial 1, rules=none: measured", "ended: stopped"]
    notes.append((2, 0.0, "dut still runs the system that the last level booted, until it reboots"))
    assert told()[3:] == [notes[1][2], "ended: stopped"], "also if no step follows it"


async def test_a_control_that_was_closed_begins_nothing(tmp_path: Path) -> None:
    given = Given(
        Subject(tmp_path / "lab.toml", experiment(ONE), ""), Still(experiment(ONE), tmp_path).lab,
        tmp_path / "experiment.toml", (), tmp_path, "s",
    )  # fmt: skip
    control = ExperimentControl(given)

    async def ask(error: object) -> bool:
        raise AssertionError(error)

    await control.close()
    control.begin(ask)
    await asyncio.sleep(0)
    assert not control.going


def test_of_an_aa_experiment_only_its_floor_is_told(tmp_path: Path) -> None:
    made = experiment(ONE)
    found = verdicts.outcome(tmp_path, made, design(made), "A and B are the same, and differ by +0.1 %")
    assert verdicts.text(found, Styles({})).plain == "A and B are the same, and differ by +0.1 %"
    assert not found.compared, "there is nothing to decide"


def test_of_an_aa_experiment_no_verdict_is_promised() -> None:
    made = aa_plan(experiment(ONE))
    measured = Shown(planned(made, "measuring"), (), begun=True)
    over = msgspec.structs.replace(measured, view=msgspec.structs.replace(measured.view, over=True))
    told = [rule(shown, made, design(made)).plain for shown in (measured, over)]
    assert told[0].endswith("against aa=A; no verdict, only the lab's floor after the last block (5)")
    assert told[1].endswith("against aa=A; the lab's floor below")


def test_cells_that_vary_one_factor_at_a_time_are_decided_as_the_report_does(tmp_path: Path) -> None:
    """By one factor alone the cells of the other would be left out, and the family would be smaller."""
    full = experiment({"rules": ("none", "100"), "queues": (1, 4)})
    listed = ({"rules": "none", "queues": 1}, {"rules": "100", "queues": 1}, {"rules": "none", "queues": 4})
    made = plan(msgspec.structs.replace(full.experiment, cells=listed), "e" * 64)
    folder = tmp_path / "s"
    write(made, folder)
    found = verdicts.outcome(folder, made, design(made))
    assert not found.problems
    (compared,) = found.compared
    view = by_design(made, AS_GIVEN)
    told = judge_sides(load_sides([str(folder)]), view=view, margin=made.experiment.margin)
    assert [one.comparison for one in compared.judged] == [one.comparison for one in told.judged]
    assert len(compared.judged) == 2 and set(found.verdicts) == {1, 2}, (
        "each cell but the first has a verdict"
    )


def test_an_interaction_has_its_case_and_its_mark_as_in_every_report(tmp_path: Path) -> None:
    """Its comparisons may claim nothing, so that no other line would tell of the warnings."""
    made = experiment({"rules": ("none", "100"), "queues": (1, 4), "image": ("r1", "r2")})
    folder = tmp_path / "s"
    write(made, folder)
    found = verdicts.outcome(folder, made, design(made))
    first, *others = found.compared
    assert len({one.case for one in first.interactions}) > 1, "levels of the third factor"
    one, *more = first.interactions
    marked = msgspec.structs.replace(one, marked_by=("drift",))
    silent = [msgspec.structs.replace(other, marked_by=()) for other in more]
    shown = dataclasses.replace(first, judged=(), interactions=(marked, *silent))
    told = dataclasses.replace(found, compared=(shown, *others))
    lines = verdicts.text(told, Styles({})).plain.splitlines()
    assert f"  {one.case}: {one.sentence} ! (drift)" in lines
    assert all(f"  {other.case}: {other.sentence}" in lines for other in more)
    assert any(line.startswith("! a warning bears on the verdict (drift") for line in lines)
    reason = "a set has fewer than three values"
    none = [
        msgspec.structs.replace(other, case="", cannot_say=reason, sentence=reason, marked_by=())
        for other in first.interactions
    ]
    told = dataclasses.replace(told, compared=(dataclasses.replace(shown, interactions=tuple(none)), *others))
    lines = verdicts.text(told, Styles({})).plain.splitlines()
    assert [line for line in lines if reason in line] == [f"  {reason} ({len(none)} interactions)"]


def test_going_on_says_what_is_left_to_do_and_which_session_was_passed_over(tmp_path: Path) -> None:
    made = experiment(ONE)
    given = dataclasses.replace(
        Still(made, tmp_path).given,
        resume=True,
        resumed=Resumed("rulesets-1", Begun(frozenset(range(1, 13))), 4000.0),
        notes=("bad/plan.json: damaged",),
        left=4000.0,
    )
    question = ExperimentQuestion(given)
    asked = question._asked().plain.splitlines()
    assert asked[0] == "Resume this experiment?"
    assert (
        asked[2]
        == "Resumes rulesets-1: 12 of 20 trials done, about 1:06:40 left at the pace of its trials so far"
    )
    assert question._listing().plain.startswith("! bad/plan.json: damaged\n")


def test_the_steps_that_are_shown_before_going_on_are_those_that_are_left(tmp_path: Path) -> None:
    made = experiment(ONE)
    resumed = Resumed("rulesets-1", Begun(frozenset(range(1, len(made.trials)))), 60.0)
    given = dataclasses.replace(Still(made, tmp_path).given, resume=True, resumed=resumed)
    shown = ExperimentQuestion(given)._listing().plain
    last = len(made.trials)
    assert f"Resumes rulesets-1: {last - 1} of {last} iterations done" in shown
    assert f"iteration {last} of {last}," in shown and f"iteration 1 of {last}," not in shown


async def test_what_was_decided_is_decided_again_once_an_iteration_was_dropped(tmp_path: Path) -> None:
    """On the screen of its cell, which Enter opens: else the report would count it."""
    made = experiment({"rules": ("none", "100")})
    control = Still(made, tmp_path, running(made, 10), going=False)
    write(made, control.folder)
    reread: list[int] = []

    async def again() -> None:
        reread.append(len(read_session(control.folder).cases))

    control.reread = again  # type: ignore[method-assign]
    app = FwdtuiApp(tmp_path, live=control, live_screen=ExperimentScreen)

    def counted(screen: ExperimentScreen) -> list[int]:
        compared = screen.outcome.compared if screen.outcome is not None else ()
        return [one.comparison.base.n for by in compared for one in by.judged]

    async with app.run_test(size=(120, 40)) as pilot:
        screen = app.screen
        assert isinstance(screen, ExperimentScreen)
        await until(lambda: counted(screen) == [5], LONG)
        await press(pilot, "enter")
        assert isinstance(app.screen, SessionScreen)
        drop(control.folder, "rules=none", 3, "the cable was touched")
        await press(pilot, "escape")
        await until(lambda: counted(screen) == [4], 20.0)
        assert reread == [2], "its means and its end are told anew, too"
        assert "dropped" in text(app, "#decided-text"), "it bears on the verdict"


def test_what_may_still_run_on_a_host_when_it_is_over_is_told_as_of_any_run(tmp_path: Path) -> None:
    """A pkt-gen that sudo has started, which no signal of ours reaches."""
    control = Still(experiment({"rules": (0, 10)}), tmp_path)
    assert isinstance(control, MayLeaveRunning) and control.left == ""
    text = "pkt-gen on gen may still run: our signals reach what runs through sudo only if the login is root"
    control._waiter = SimpleNamespace(bench=SimpleNamespace(left=[text]))  # type: ignore[assignment]
    assert control.left == text


def test_the_question_before_it_is_stopped_says_what_is_true_at_that_moment(tmp_path: Path) -> None:
    made = experiment({"rules": (0, 10)})
    during = running(made, 3)

    def lines(shown: Shown | None, **view: object) -> list[str]:
        if shown is not None:
            shown = msgspec.structs.replace(shown, view=msgspec.structs.replace(shown.view, **view))
        control = Still(made, tmp_path, shown)
        return question_on_stopping(control, "Stop?")[1]

    assert lines(None) == ["The hosts are still being reached: nothing is measured or changed yet."]
    trial = "The trial that is not over yet does not count; it is measured again with --resume."
    count = f"{during.view.done} of {during.view.planned} trials are done and saved:"
    assert lines(during)[:2] == [trial, count], "be it measured, or the DUT booted for it"
    assert lines(during, trial=0)[0] == count, "before the first trial, after the last one, and undoing"
    profile = "The profile that is being taken does not count; it is taken again with --resume."
    assert lines(during, profiling=True)[:2] == [profile, count], "its trial is done"
    stopping = msgspec.structs.replace(during, stopping=True)
    assert lines(stopping)[:2] == ["It is being stopped already: leaving waits until that is done.", count]
