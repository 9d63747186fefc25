"""The sweep on the screen: what the marked sessions offer, every chart and line, and the report's command."""

import shlex
import threading
from collections.abc import Mapping
from pathlib import Path

import pytest
from compare_rig import comparing
from sessions_rig import read, said, type_text
from waiting import press, seen, until

from fwdtui.cli import main
from fwdtui.core.errors import FwdtuiError
from fwdtui.core.model import Cost, Fact, Iteration, Summary
from fwdtui.report import sweep_choice
from fwdtui.report.factor_view import FactorView
from fwdtui.store import SessionWriter
from fwdtui.store.annotations import drop, set_factor
from fwdtui.ui.common.compared_how import ComparedHow
from fwdtui.ui.common.footer import Footer
from fwdtui.ui.compare.screen import CompareScreen
from fwdtui.ui.report.dialogs import Destination
from fwdtui.ui.sessions import sweep_screen
from fwdtui.ui.sessions.sweep_screen import SweepScreen
from fwdtui.ui.shell.app import FwdtuiApp

pytestmark = pytest.mark.usefixtures("folder")


@pytest.fixture
def swept(session):
    """Two images: queues 1, 2, 4 and 8 with inet4 and inet6, linear up to 4."""

    def make(label: str, image: str, scale: float, facts: Mapping[str, Fact] | None = None) -> Path:
        rates = {1: 1e6, 2: 2e6, 4: 4e6, 8: 4.4e6}
        cases = {
            f"q{q}.{af}": [round(scale * rate) + step for step in range(5)]
            for af in ("inet4", "inet6")
            for q, rate in rates.items()
        }
        path = session(label, cases, facts)
        set_factor(path, "", "image", image)
        for af in ("inet4", "inet6"):
            for q in rates:
                set_factor(path, f"q{q}.{af}", "queues", q)
                set_factor(path, f"q{q}.{af}", "af", af)
        return path

    return make


async def shown(pilot, app) -> SweepScreen:
    await seen(pilot, lambda: isinstance(app.screen, SweepScreen) and "queues" in said(app.screen, "heading"))
    return app.screen


async def test_a_session_with_factors_shows_its_sweep_chart_and_table(folder, swept, session):
    swept("old", "r1", 1.0)
    session("plain", {"inet4": [1.0, 2.0]})
    app = FwdtuiApp(folder)
    async with app.run_test(size=(80, 24)) as pilot:
        await read(pilot)
        # the two are marked by themselves: mark only the one
        await press(pilot, "slash")
        await type_text(pilot, "old")
        await press(pilot, "enter", "enter")
        await seen(pilot, lambda: not app.screen.query("SessionTable"))
        await press(pilot, "S")
        screen = await shown(pilot, app)
        assert said(screen, "heading").startswith("sweep over queues   lines af\ninet4: scales to 4 queues")
        assert "o inet4   x inet6" in said(screen, "sweep") and "┤" in said(screen, "sweep")
        assert screen.query_one("#body").max_scroll_y == 0, "the chart fits"
        assert "--x queues --series af -o queues.md" in said(screen, "command")
        await press(pilot, "x")
        assert "queues  n  median, pps" in said(screen, "sweep")
        assert "each further queue adds 10 % of what the first does" in said(screen, "sweep").replace(
            "\n    ", " "
        )
        await press(pilot, "x", "K")
        assert said(screen, "heading").startswith("sweep over queues   chart 1 of 2 af=inet4\n")
        await press(pilot, "tab")
        assert "chart 2 of 2 af=inet6" in said(screen, "heading")
        await press(pilot, "y")
        assert app.clipboard.count("queues  n  median, pps") == 2
        assert app.clipboard.splitlines()[-1].startswith("fwdtui report ")
        # what the sessions do not say about the link is given here, and the command repeats it
        await press(pilot, "W")
        await type_text(pilot, "10")
        await press(pilot, "enter")
        assert "not a length of frames" in said(app.screen, "problem")
        await press(pilot, "backspace", "backspace")
        await type_text(pilot, "10G 64")
        await press(pilot, "enter")
        await seen(pilot, lambda: app.screen is screen)
        assert "link, frames 10G 64   chart 2 of 2" in said(screen, "heading"), "the chart stays"
        assert "line rate is beyond the top   right: IMIX, b/s" in said(screen, "sweep")
        assert "--x queues --link 10G --frame 64 -o queues.md" in said(screen, "command")
        before = said(screen, "sweep")
        await press(pilot, "f")
        assert "--x queues --x-scale log --link 10G --frame 64 -o queues.md" in said(screen, "command")
        assert said(screen, "sweep") != before
        await press(pilot, "f")
        assert "--x-scale linear --link 10G --frame 64 -o queues.md" in said(screen, "command")
        assert said(screen, "sweep") == before
        await press(pilot, "W", "ctrl+u", "enter")
        await seen(pilot, lambda: app.screen is screen)
        assert "link" not in said(screen, "heading") + said(screen, "command")
        await press(pilot, "escape")
        assert not isinstance(app.screen, SweepScreen)


async def test_e_writes_what_the_command_at_the_bottom_writes(folder, swept, monkeypatch, tmp_path):
    path = swept("old", "r1", 1.0)
    here = tmp_path / "here"
    here.mkdir()
    monkeypatch.chdir(here)
    app = FwdtuiApp(folder)
    async with app.run_test(size=(120, 40)) as pilot:
        await read(pilot)
        await press(pilot, "S")
        screen = await shown(pilot, app)
        await press(pilot, "K", "W")  # what was chosen here is in the report
        await type_text(pilot, "10G 64")
        await press(pilot, "enter", "e")
        await seen(pilot, lambda: isinstance(app.screen, Destination))
        await press(pilot, "enter")
        await until(lambda: app.screen is screen and (here / "queues.md").exists())
        command = screen._command()
    there = tmp_path / "there"
    there.mkdir()
    monkeypatch.chdir(there)
    assert command.startswith(f"fwdtui report {path} --x queues --link 10G --frame 64")
    assert main(shlex.split(command)[1:]) == 0
    by_key, by_command = (
        {file.relative_to(place): file.read_bytes() for file in place.rglob("*") if file.is_file()}
        for place in (here, there)
    )
    assert len(by_key) > 4 and Path("queues.md") in by_key
    assert by_key == by_command


async def test_a_sweep_of_sessions_that_have_changed_is_read_again_and_till_then_not_written_or_copied(
    folder, swept
):
    """The command below it would write another one."""
    path = swept("old", "r1", 1.0, {"dut.kernel_config": "SIMULATED"})
    simulated = "simulated, so not a real measurement: old"
    app = FwdtuiApp(folder)
    async with app.run_test(size=(120, 40)) as pilot:
        await read(pilot)
        await press(pilot, "S")
        screen = await shown(pilot, app)
        await press(pilot, "K", "x")  # what was found is said once, above the chart or the table
        assert "scales to 4 queues" in said(screen, "heading")
        table = said(screen, "sweep")
        assert "Linear: from zero" in table and "scales to 4 queues" not in table
        # what a report says of the sessions, such as what could not be read
        assert f"! {simulated}" in said(screen, "heading") and simulated in table
        copy = screen.to_copy()
        assert copy is not None and simulated in copy.text

        await press(pilot, "K")
        assert "1  5    1 000 002" in said(screen, "sweep")
        await press(pilot, "f4")  # on another screen
        for index in (3, 4, 5):
            drop(path, "q1.inet4", index, "the cable was touched")
        await press(pilot, "f3")
        await seen(pilot, lambda: app.screen is screen and "1  2  1 000 000.5" in said(screen, "sweep"))

        drop(path, "q2.inet4", 3, "the cable was touched")
        await press(pilot, "e")
        await seen(pilot, lambda: list(app._notifications) or isinstance(app.screen, Destination))
        assert app.screen is screen, "it does not ask for a file"
        (note,) = app._notifications
        assert (note.title, note.severity) == ("not written", "warning")
        assert note.message == "The sessions have changed since they were read. F5 reads them again."
        assert screen.to_copy().text == "", "nor is it copied"
        await press(pilot, "f5")
        await seen(pilot, lambda: not screen.workers and screen.to_copy().text)
        await press(pilot, "e")
        await seen(pilot, lambda: isinstance(app.screen, Destination))


async def test_a_comparison_shows_the_sweep_of_what_is_compared_and_its_filters_leave(folder, swept):
    paths = [swept("old", "r1", 1.0), swept("new", "r2", 2.0)]
    async with comparing(paths) as pilot:
        app = pilot.app
        await press(pilot, "S")
        screen = await shown(pilot, app)
        assert screen._paths == [str(path) for path in paths]
        await press(pilot, "escape")
        assert isinstance(app.screen, CompareScreen)

        view = FactorView(by=("image",), filters=(("af", "inet4"),))
        app.compare(paths[0], paths[1:], ComparedHow(view=view))
        await seen(pilot, lambda: isinstance(app.screen, CompareScreen) and app.screen._compared)
        await press(pilot, "S")
        await seen(pilot, lambda: app.screen is not screen)
        screen = await shown(pilot, app)
        assert "only af=inet4" in said(screen, "heading")
        assert "inet6" not in said(screen, "sweep")
        command = screen._command()
        assert "--filter af=inet4" in command
    assert main([*shlex.split(command)[1:-1], str(folder / "q.md")]) == 0


async def test_one_session_without_a_sweep_stands_for_all_that_are_listed_and_this_is_said(folder, session):
    for queues in (1, 2, 4):
        set_factor(session(f"q{queues}", {"inet4": [1e6 * queues] * 3}), "", "queues", queues)
    app = FwdtuiApp(folder)
    async with app.run_test(size=(120, 40)) as pilot:
        screen = await read(pilot)
        screen.stay(str(folder / "q2"))
        await press(pilot, "S")
        swept = await shown(pilot, app)
        told = said(swept, "heading")
        assert told.startswith("Of all 3 listed sessions: q2 alone offers no sweep.\nsweep over queues")
        assert all(f"q{queues}" in swept._command() for queues in (1, 2, 4))
        await press(pilot, "escape", "slash")
        await type_text(pilot, "q2")
        await press(pilot, "enter")
        await seen(pilot, lambda: screen.table.row_count == 1)
        await press(pilot, "S")
        await seen(pilot, lambda: isinstance(app.screen, SweepScreen) and app.screen.has_class("-failed"))
        told = said(app.screen, "heading")
        assert told.startswith("! No sweep of q2: no factor has three levels or more")
        assert told.splitlines()[0].endswith("annotations.toml."), "the window breaks it, once"
        assert "mark them with b and space, or filter the list, then press S" in told


async def test_marked_sessions_are_swept_together_else_what_the_filter_shows_else_the_one_under_the_cursor(
    folder, swept, session
):
    swept("old", "r1", 1.0)
    swept("new", "r2", 2.0)
    session("plain", {"inet4": [1.0, 2.0]})
    app = FwdtuiApp(folder)
    async with app.run_test(size=(120, 40)) as pilot:
        screen = await read(pilot)
        screen.stay(str(folder / "old"))
        await press(pilot, "S")
        one = await shown(pilot, app)
        assert said(one, "heading").startswith("sweep over queues   lines af\n")
        await press(pilot, "escape", "slash")
        await type_text(pilot, "inet6")
        await press(pilot, "enter")
        await seen(pilot, lambda: screen.table.row_count == 2)
        await press(pilot, "S")
        both = await shown(pilot, app)
        assert "chart 1 of 4 image=r1, af=inet4" in said(both, "heading")
        await press(pilot, "K")
        assert "lines image   chart 1 of 2 af=inet4" in said(both, "heading")
        assert "o r1   x r2" in said(both, "sweep")
        await press(pilot, "escape", "escape")
        screen.stay(str(folder / "new"))
        await seen(pilot, lambda: screen.table.row_count == 3)
        await press(pilot, "b", "S")
        one = await shown(pilot, app)
        assert said(one, "heading").startswith("sweep over queues   lines af\n")


async def test_the_command_is_that_of_the_sweep_that_is_shown_though_another_was_tried(folder):
    factors = {f"{q}.{n}": {"queues": q, "rules": n} for q in range(1, 14) for n in (10, 20, 30)}
    with SessionWriter.create(folder / "s", label="s", created="", case_factors=factors) as writer:
        for name, levels in factors.items():
            writer.begin(name).commit(Iteration(0, 1e6 * levels["queues"]))
    app = FwdtuiApp(folder)
    async with app.run_test(size=(120, 40)) as pilot:
        await read(pilot)
        await press(pilot, "S")
        screen = await shown(pilot, app)
        command = said(screen, "command")
        assert command.endswith("--x queues --series rules -o queues.md")
        offered = keys_shown(screen)
        await press(pilot, "F", "x")  # over rules there would be 13 charts; then the table is drawn
        (note,) = app._notifications
        assert note.message == "over rules: queues would make 13 charts", "no option of the command line"
        assert set(offered) - {"linear/log"} <= set(keys_shown(screen))
        assert said(screen, "heading").startswith("sweep over queues   lines rules")
        assert said(screen, "command") == command
        assert screen._command().endswith(command.rpartition(" --x ")[2])


@pytest.fixture
def costly(folder):
    """A session with a rate and a cost for each of queues 1, 2 and 4, which have bursts of 8, 16 and 32."""
    path = folder / "costly"
    with SessionWriter.create(path, label="costly", created="2026-01-02T03:04:05+00:00") as writer:
        for queues in (1, 2, 4):
            for _ in range(3):
                rate = Summary(1e6 * queues, 1e6 * queues, 1e6 * queues, 1e6 * queues, 60)
                cost = Summary(1.5 * queues, 1.5 * queues, 1.5 * queues, 1.5 * queues, 60)
                writer.begin(f"q{queues}").commit(
                    Iteration(
                        0,
                        1e6 * queues,
                        source="r",
                        metrics={"received": rate},
                        costs={"cpu-per-packet": Cost(unit="us/packet", summary=cost)},
                    )
                )
    for queues in (1, 2, 4):
        set_factor(path, f"q{queues}", "queues", queues)
        set_factor(path, f"q{queues}", "burst", 8 * queues)
    return path


async def test_while_another_metric_is_read_rates_are_called_rates(folder, costly, monkeypatch):
    go_on, load = threading.Event(), sweep_screen.load_sides

    def waits(*given):
        go_on.wait(30)
        return load(*given)

    app = FwdtuiApp(folder)
    async with app.run_test(size=(100, 30)) as pilot:
        await read(pilot)
        await press(pilot, "S")
        await seen(pilot, lambda: isinstance(app.screen, SweepScreen) and app.screen._found is not None)
        screen = app.screen
        monkeypatch.setattr(sweep_screen, "load_sides", waits)
        screen._metric = "cpu-per-packet"
        screen.action_reload()
        screen.action_factor()
        assert screen._found.wanted.view.metric == "" and "--metric" not in screen._command()
        go_on.set()
        await seen(pilot, lambda: screen._found.wanted.view.metric == "cpu-per-packet")
        assert "--metric cpu-per-packet" in screen._command()


async def test_a_factor_that_cannot_be_drawn_is_skipped(folder, session, monkeypatch):
    real = sweep_screen.sweeps
    path = session("s", {f"c{n}": [1e6 + n] * 3 for n in (1, 2, 4)})
    for n in (1, 2, 4):
        for name in ("queues", "burst", "rules"):
            set_factor(path, f"c{n}", name, n)

    def not_over_every_one(trials, wanted, missing):
        if wanted.x in undrawn:
            raise FwdtuiError(f"{wanted.x} cannot be drawn")
        return real(trials, wanted, missing)

    monkeypatch.setattr(sweep_screen, "sweeps", not_over_every_one)
    undrawn: set[str] = set()
    app = FwdtuiApp(folder)
    async with app.run_test(size=(120, 40)) as pilot:
        await read(pilot)
        await press(pilot, "S")
        screen = await shown(pilot, app)
        first, second, third = sweep_choice.axes(screen._loaded.trials)
        assert screen._x == first
        undrawn |= {second}
        await press(pilot, "F")
        assert said(screen, "heading").startswith(f"sweep over {third}") and not list(app._notifications)
        undrawn |= {first}
        await press(pilot, "F")
        assert screen._x == third and f"sweep over {third}" in said(screen, "heading")
        (note,) = app._notifications
        assert note.message == f"over {first}: {first} cannot be drawn"


async def test_after_a_factor_that_cannot_be_drawn_f5_is_no_dead_end(folder, costly, monkeypatch):
    real = sweep_screen.sweeps

    def not_over_queues(trials, wanted, missing):
        if wanted.x == "queues":
            raise FwdtuiError("no sweep over queues")
        return real(trials, wanted, missing)

    app = FwdtuiApp(folder)
    async with app.run_test(size=(100, 30)) as pilot:
        await read(pilot)
        monkeypatch.setattr(sweep_screen, "sweeps", not_over_queues)
        await press(pilot, "S")
        await seen(pilot, lambda: isinstance(app.screen, SweepScreen) and app.screen._found is not None)
        screen = app.screen
        assert "sweep over burst" in said(screen, "heading")
        await press(pilot, "F")
        assert [note.title for note in app._notifications] == ["no such sweep"]
        await press(pilot, "f5")
        await seen(pilot, lambda: "sweep over burst" in said(screen, "heading"))
        assert screen.check_action("factor", ())


def keys_shown(screen) -> list[str]:
    return [key.description for key in screen.query_one(Footer).keys]


async def test_after_a_factor_that_cannot_be_drawn_the_scale_is_still_that_of_the_chart_shown(
    folder, costly, monkeypatch
):
    real = sweep_screen.sweeps

    def not_over_burst(trials, wanted, missing):
        if wanted.x == "burst":
            raise FwdtuiError("no sweep over burst")
        return real(trials, wanted, missing)

    monkeypatch.setattr(sweep_screen, "sweeps", not_over_burst)
    app = FwdtuiApp(folder)
    async with app.run_test(size=(100, 30)) as pilot:
        await read(pilot)
        await press(pilot, "S")
        screen = await shown(pilot, app)
        await press(pilot, "F", "f")
        assert [note.title for note in app._notifications] == ["no such sweep"], "of F alone"
        assert screen._found.charts[0].axis.log and "--x queues --x-scale log" in screen._command()


async def test_linear_or_logarithmic_is_offered_where_a_chart_can_be_both(folder, session):
    for label, levels in (("numbers", (1, 2, 4)), ("zero", (0, 2, 4))):
        path = session(label, {f"r{level}": [1e6 + level] * 3 for level in levels})
        for level in levels:
            set_factor(path, f"r{level}", "rules", level)
    app = FwdtuiApp(folder)
    async with app.run_test(size=(160, 40)) as pilot:
        await read(pilot)
        for label, offered in (("numbers", True), ("zero", False)):
            app.push_screen(SweepScreen([str(folder / label)]))
            await seen(pilot, lambda: isinstance(app.screen, SweepScreen) and app.screen._found is not None)
            screen = app.screen
            await press(pilot, "x", "x")
            await seen(pilot, lambda: ("linear/log" in keys_shown(screen)) == offered)  # noqa: B023
            await press(pilot, "x")
            await seen(pilot, lambda: "linear/log" not in keys_shown(screen))  # noqa: B023
            await press(pilot, "escape")
