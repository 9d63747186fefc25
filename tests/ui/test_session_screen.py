"""One session opened: its iterations, what stands behind each, and taking one out of the statistics."""

import re
import shutil
import threading
from dataclasses import replace
from pathlib import Path

import pytest
from sessions_rig import (
    EXAMPLES,
    example,
    iterations,
    looked,
    open_first,
    opened,
    read,
    said,
    series,
    type_text,
)
from textual.widgets import Button, Input, Log, Tab, TabbedContent
from waiting import press, seen

from fwdtui.core.experiment import DesignFactor, Experiment, LevelSetup
from fwdtui.core.experiment.order import plan as made_plan
from fwdtui.core.model import Case, Caution, Iteration, Packets, Planned, RateSample
from fwdtui.store import SessionWriter, annotations, lock
from fwdtui.store.experiment_journal import Journal, Step
from fwdtui.store.reader import read_session
from fwdtui.ui.common.dialogs import Prompt
from fwdtui.ui.common.table_screen import TableScreen
from fwdtui.ui.compare.no_comparison import NoComparison
from fwdtui.ui.replay.screen import ReplayScreen
from fwdtui.ui.sessions import raw_logs, reading_screen
from fwdtui.ui.sessions.iteration_table import CaseTable, IterationTable
from fwdtui.ui.sessions.keys import TABS
from fwdtui.ui.sessions.session_screen import SessionScreen
from fwdtui.ui.shell.app import FwdtuiApp

CASE = "forwarding.inet4"
TWO_CASES = {"fwd.inet4": [1000, 1010, 1020, 990], "pf.inet4": [500, 510, 505, 503]}


def dropped(path: Path, case: str = CASE) -> dict[int, str]:
    found = next(one for one in read_session(path).cases if one.name == case)
    return {one.index: one.dropped for one in found.iterations if one.dropped}


async def test_a_recorded_session_shows_what_stands_behind_the_iteration_under_the_cursor(tmp_path):
    path = example("rules-100", tmp_path)
    app = FwdtuiApp(tmp_path)
    async with app.run_test(size=(120, 40)) as pilot:
        screen = await open_first(pilot)
        assert "rules-100" in said(screen, "where") and "172 061 pps" in said(screen, "where")
        first = iterations(screen)[0]
        assert first[:4] == ["1", "172 061", "0.00 %", "354 600"]
        assert "dut-limited" in first and first[-1] == "! in-run-variation"
        drawn = series(screen)
        assert "offered 354.6 k" in drawn and "received 172.1 k" in drawn
        assert "measured window, 13 s" in drawn and "╵0 s" in drawn and "!" not in drawn

        await pilot.press("end")
        await seen(pilot, lambda: looked(screen) and screen.iteration.index == 5)
        assert "! outage" in said(screen, "account") and "193 370 pps" in said(screen, "account")
        packets = read_session(path).cases[0].iterations[4].packets
        assert f"{packets.offered:,}".replace(",", " ") in said(screen, "account")
        # one clock: the outage that is warned of stands in the chart and in the account
        await seen(pilot, lambda: "! outage: " in series(screen))
        place = re.search(r"! outage: ([0-9.]+) s to ([0-9.]+) s of the blast", series(screen))
        account = said(screen, "account").partition("window  ")[2]
        window = re.search(r"from ([0-9.]+) s to ([0-9.]+) s of the blast", account)
        first, low, high, last = (float(at) for at in (window[1], place[1], place[2], window[2]))
        assert 0 <= first <= low < high <= last < 20 and high - low == pytest.approx(1.0, abs=0.11)
        assert f"In the chart: {place[1]} s to {place[2]} s" in said(screen, "account")
        assert any("═" in line and "!" in line for line in series(screen).splitlines())

        await pilot.press("p")
        await seen(pilot, lambda: looked(screen) and screen.iteration.index == 4)

        await pilot.resize_terminal(160, 40)
        known = ["offered, pps", "limit", "window", "began"]
        assert heads(screen) == ["#", "value, pps", "to median", *known, "warnings"]


def heads(screen: SessionScreen) -> list[str]:
    return [str(column.label) for column in screen.query_one(IterationTable).ordered_columns]


async def test_each_tab_has_its_number_and_shows_logs_messages_distribution_and_facts(tmp_path):
    path = example("no-rules", tmp_path)
    app = FwdtuiApp(tmp_path)
    async with app.run_test(size=(120, 40)) as pilot:
        screen = await open_first(pilot)
        tabs = screen.query_one(TabbedContent)
        opened = []
        for key in "1234567":
            await press(pilot, key)
            opened.append(tabs.active)
        assert [str(tab.label)[:2] for tab in screen.query(Tab)] == [f"{key} " for key in "1234567"]
        names = ["series", "account", "logs", "dmesg", "distribution", "facts", "functions"]
        assert opened == [f"tab-{name}" for name in names]
        kept = (path / CASE / "001" / "generator.log").read_text().splitlines()
        log = screen.query_one("#logs", Log)
        assert list(log.lines)[:3] == [f"── generator.log   {log_size(path)} bytes", *kept[:2]]
        assert "No kernel message was recorded" in screen.query_one("#dmesg", Log).lines[0]
        assert "histogram   x forwarding.inet4 (5)" in said(screen, "distribution")
        assert "iterations  x forwarding.inet4 (5)" in said(screen, "distribution")

        await press(pilot, "1", "slash")  # facts are searched by name and value, from any tab but functions
        await type_text(pilot, "dut kernel")
        await seen(pilot, lambda: "of 125 facts" in said(screen, "facts"))
        assert tabs.active == "tab-facts"
        shown = said(screen, "facts").splitlines()[1:]
        assert "dut.kernel 6.18.44-fc-v669" in shown
        assert all("dut" in line and "kernel" in line for line in shown)
        await pilot.press("escape")
        await seen(pilot, lambda: "gen.cpu AMD EPYC" in said(screen, "facts"))

        for size in ((20, 5), (40, 12), (250, 70)):
            await pilot.resize_terminal(*size)
            await press(pilot, "2", "down")
            await pilot.resize_terminal(90, 30)
            await seen(pilot, lambda: looked(screen) and len(iterations(screen)[0]) == 6)
        assert isinstance(read_session(path).cases[0], Case)


def test_a_raw_log_that_was_changed_is_shown_as_such(tmp_path):
    path = example("no-rules", tmp_path)
    (first, *_) = read_session(path).cases[0].iterations
    folder = path / CASE / "001"
    assert not any(line.startswith("── !") for line in raw_logs.logs(folder, first))
    (folder / "generator.log").write_text("edited\n")
    shown = list(raw_logs.logs(folder, first))
    changed = "── ! checksum does not match: the file was changed after it was recorded"
    assert shown[shown.index("── generator.log   7 bytes") + 1 :][:2] == [changed, "edited"]


def log_size(path: Path) -> int:
    return (path / CASE / "001" / "generator.log").stat().st_size


async def test_an_iteration_that_is_marked_is_dropped_for_a_reason_and_counts_again(folder, session):
    path = session("a", {CASE: [100.0, 101.0, 100.5, 101.2, 100.2, 900.0]})
    app = FwdtuiApp(folder)
    async with app.run_test(size=(160, 40)) as pilot:
        screen = await open_first(pilot)
        assert heads(screen) == ["#", "value, pps", "to median", "warnings"], "of which something is known"
        await pilot.resize_terminal(80, 24)
        # an outlier is marked with a word, and told of in numbers
        assert [row[-1] for row in iterations(screen)] == ["", "", "", "", "", "! outlier"]
        await pilot.press("end")
        await seen(pilot, lambda: looked(screen) and "! outlier  It is far" in said(screen, "account"))
        assert "t against the others" in said(screen, "account")

        await pilot.resize_terminal(120, 40)
        assert " 101 pps " in said(screen, "where")
        await pilot.press("d")
        await seen(pilot, lambda: isinstance(app.screen, Prompt))
        await press(pilot, "enter", "space", "enter")
        assert isinstance(app.screen, Prompt) and "it is required" in said(app.screen, "problem")
        assert str(app.screen.query_one("#yes", Button).label) == "Enter  drop it"
        await type_text(pilot, "link bounced")
        await pilot.press("enter")
        await seen(pilot, lambda: "n 5 of 6" in said(screen, "where"))
        assert dropped(path) == {6: "link bounced"}
        assert " 100 pps " in said(screen, "where"), "the median of the others"
        table = screen.query_one(IterationTable)
        row = table.get_row_at(5)
        assert str(row[-1]) == "dropped: link bounced"
        assert any(span.style.strike for span in row[1].spans), "struck through, not only told by colour"
        assert table.cursor_row == 5, "the cursor stays on it"
        await seen(pilot, lambda: looked(screen) and "dropped  link bounced" in said(screen, "account"))

        await pilot.press("u")
        await seen(pilot, lambda: "n 6 " in said(screen, "where"))
        assert dropped(path) == {}


async def test_what_was_dropped_elsewhere_does_not_count_once_the_screen_is_back(folder, session):
    """Else d would ask for a reason again, which would replace the first one."""
    path = session("a", {CASE: [100.0, 101.0, 900.0]})
    annotations.drop(path, CASE, 1, "cold cache")
    app = FwdtuiApp(folder)
    async with app.run_test(size=(120, 40)) as pilot:
        screen = await open_first(pilot)
        assert "dropped  cold cache" in said(screen, "account")
        await pilot.press("d")  # the same key lets it count again, and undo drops it again
        await seen(pilot, lambda: dropped(path) == {})
        await seen(pilot, lambda: iterations(screen)[0][-1] == "")
        await pilot.press("u")
        await seen(pilot, lambda: dropped(path) == {1: "cold cache"})
        await seen(pilot, lambda: iterations(screen)[0][-1] == "dropped: cold cache")

        await press(pilot, "end", "f4")
        assert app.screen is not screen
        annotations.drop(path, CASE, 3, "the cable was touched")
        await press(pilot, "f3")
        await seen(pilot, lambda: app.screen is screen and "n 1 of 3" in said(screen, "where"))
        assert str(screen.query_one(IterationTable).get_row_at(2)[-1]) == "dropped: the cable was touched"
        await seen(pilot, lambda: looked(screen))
        await press(pilot, "d")
        await seen(pilot, lambda: dropped(path) == {1: "cold cache"})


async def test_a_session_is_no_longer_being_recorded_once_the_screen_is_back_after_its_end(folder, session):
    path = session("a", {CASE: [100.0, 101.0]})
    app = FwdtuiApp(folder)
    held = lock.take(path / lock.RECORDING)
    assert held is not None
    try:
        async with app.run_test(size=(120, 40)) as pilot:
            screen = await open_first(pilot)
            assert "being recorded" in said(screen, "where")
            await press(pilot, "f4")
            held.release()
            await press(pilot, "f3")
            await seen(pilot, lambda: app.screen is screen and "being recorded" not in said(screen, "where"))
    finally:
        held.release()


async def test_what_its_experiment_did_not_find_sound_cannot_be_made_to_count(tmp_path, folder):
    plan = made_plan(
        Experiment("e", "lab.toml", (DesignFactor("x", (LevelSetup(0), LevelSetup(1))),)), "d" * 64
    )
    path = folder / "a"
    with SessionWriter.create(path, label="a", created="2026-01-02T03:04:05+00:00") as writer:
        for trial, value in ((1, 100.0), (3, 101.0)):
            writer.begin(CASE).commit(Iteration(0, value, planned=Planned("d" * 16, trial, trial)))
        journal = Journal.begin(path, plan, "")
        journal.write(Step(0, "", "judged", done=True, text="x=0 is not in force.", trial=1, attempt=1))
        journal.write(Step(0, "", "judged", done=True, sound=True, trial=3, attempt=1))
        journal.close()
    app = FwdtuiApp(folder)
    async with app.run_test(size=(120, 40)) as pilot:
        screen = await open_first(pilot)
        assert "n 1 of 2" in said(screen, "where")
        assert "dropped  x=0 is not in force.   (by its experiment)" in said(screen, "account")
        await pilot.press("d")
        cannot = "Iteration 1 of forwarding.inet4 cannot be restored: its experiment rejected it."
        await seen(pilot, lambda: [note.message for note in app._notifications] == [cannot])
        assert dropped(path) == {1: "x=0 is not in force."}


async def test_a_change_made_here_is_undone_in_the_browser(folder, session, monkeypatch):
    """From here the session is also marked and compared."""
    path = session("a", {CASE: [100.0, 101.0, 900.0]})
    for name in ("b", "c"):
        session(name, {CASE: [100.0, 101.0]})
    app = FwdtuiApp(folder)
    asked: list[object] = []
    monkeypatch.setattr(
        app, "compare", lambda base, others: asked.append((base.name, [o.name for o in others]))
    )
    async with app.run_test(size=(120, 40)) as pilot:
        screen = await open_first(pilot)
        await pilot.press("d")
        await seen(pilot, lambda: isinstance(app.screen, Prompt))
        app.screen.query_one(Input).value = "spoiled"
        await pilot.press("enter")
        await seen(pilot, lambda: dropped(path) == {1: "spoiled"} and not isinstance(app.screen, Prompt))
        await seen(pilot, lambda: any("u takes it back" in note.message for note in app._notifications))
        await pilot.press("f4")
        await seen(pilot, lambda: isinstance(app.screen, NoComparison))
        await seen(pilot, lambda: not app._notifications)  # there u does nothing
        await pilot.press("f3")
        await seen(pilot, lambda: isinstance(app.screen, SessionScreen))
        await press(pilot, "b")
        assert "[baseline] a" in said(screen, "where")
        app.selection.marks.candidate(str(folder / "c"))
        await press(pilot, "c")
        assert asked == [("a", ["c"])]
        await pilot.press("escape", "u")
        await seen(pilot, lambda: dropped(path) == {})
        told = f"Undone: iteration 1 of {CASE} counts again."
        await seen(pilot, lambda: [note.message for note in app._notifications] == [told])


async def test_several_cases_are_a_table_and_the_chosen_one_fills_the_iterations(
    folder, session, monkeypatch
):
    path = session("a", TWO_CASES)
    app = FwdtuiApp(folder)
    asked: list[Path] = []
    monkeypatch.setattr(app, "replay", lambda target, beside=None: asked.append(target))
    async with app.run_test(size=(120, 40)) as pilot:
        screen = await open_first(pilot)
        cases, table = screen.query_one(CaseTable), screen.query_one(IterationTable)
        assert [[str(cell) for cell in cases.get_row_at(row)][1:5] for row in range(2)] == [
            ["fwd.inet4", "1 005", "2.99 %", "4"],
            ["pf.inet4", "504", "1.98 %", "4"],
        ]
        await press(pilot, "down", "enter")  # replay is asked for the iteration, or for the case
        cases.focus()
        await press(pilot, "r")
        assert asked == [path / "fwd.inet4" / "002", path / "fwd.inet4"]
        await pilot.press("down")
        await seen(pilot, lambda: [row[1] for row in iterations(screen)] == ["500", "510", "505", "503"])
        await press(pilot, "enter")
        assert screen.focused is table

        await press(pilot, "down", "down")
        for key in ("b", "space", "f5"):  # the cursor stays on its iteration
            await press(pilot, key)
            await seen(pilot, lambda: looked(screen))
            assert (screen._case.name, screen.iteration.index) == ("pf.inet4", 3)
            assert table.cursor_row == 2
        await press(pilot, "d")
        await type_text(pilot, "cable")
        await press(pilot, "enter")
        await seen(pilot, lambda: looked(screen) and dropped(path, "pf.inet4") == {3: "cable"})
        assert screen.iteration.index == 3
        await press(pilot, "d")  # a second one restores what the first one dropped
        await seen(pilot, lambda: looked(screen) and not dropped(path, "pf.inet4"))


async def test_an_unfinished_iteration_is_listed_with_its_reason_and_a_copied_case_beside_its_original(
    folder, session
):
    path = session("a", {CASE: [100.0, 101.0, 102.0]})
    (path / CASE / "002" / "iteration.json").unlink()
    app = FwdtuiApp(folder)
    async with app.run_test(size=(120, 40)) as pilot:
        screen = await open_first(pilot)
        assert iterations(screen)[1][1] == "–"
        assert "! unfinished: it has no" in iterations(screen)[1][-1]
        await pilot.press("down")
        await seen(pilot, lambda: looked(screen) and "unfinished" in said(screen, "account"))

        shutil.rmtree(path / CASE / "002")
        shutil.copytree(path / CASE, path / f"{CASE}.bak")
        await pilot.press("f5")
        await seen(pilot, lambda: [row[0] for row in iterations(screen)] == ["1", "1", "3", "3"])
        assert [row[1] for row in iterations(screen)] == ["100", "–", "102", "–"]


async def test_values_and_medians_in_several_units_have_their_own_beside_them(folder):
    with SessionWriter.create(folder / "a", label="a", created="") as writer:
        for case, value, unit in (("inet4", 1e6, "pps"), ("vpn", 9412.0, "Mb/s")):
            writer.begin(case).commit(Iteration(0, value, unit=unit))
    with SessionWriter.create(folder / "s", label="s", created="2026-01-02T03:04:05+00:00") as writer:
        for unit, value in (("pps", 1_874_000.0), ("Mb/s", 874.0)):
            writer.begin("x").commit(Iteration(0, value, unit=unit))
        writer.begin("x").commit(Iteration(0, None, incomplete="it was stopped"))
    app = FwdtuiApp(folder)
    async with app.run_test(size=(120, 40)) as pilot:
        await read(pilot)
        app.push_screen(SessionScreen(folder / "a"))
        await seen(pilot, lambda: isinstance(app.screen, SessionScreen) and looked(app.screen))
        table = app.screen.query_one(CaseTable)
        assert "median, pps" in [str(column.label) for column in table.ordered_columns]
        medians = [str(table.get_row_at(place)[2]) for place in range(2)]
        assert medians == ["1 000 000", "9 412 Mb/s"]

        app.push_screen(SessionScreen(folder / "s"))
        for size in ((80, 24), (200, 60)):
            await pilot.resize_terminal(*size)
            await seen(pilot, lambda: [one.row_count for one in app.screen.query(IterationTable)] == [3])
            table = app.screen.query_one(IterationTable)
            assert str(table.ordered_columns[1].label) == "value"
            values = [table.get_row_at(row)[1].plain for row in range(3)]
            assert values == ["1 874 000 pps", "874 Mb/s", "–"]


async def test_a_session_that_vanishes_is_a_readable_message_with_a_way_back(folder, session):
    path = session("a", {CASE: [100.0]})
    app = FwdtuiApp(folder)
    async with app.run_test(size=(80, 24)) as pilot:
        screen = await open_first(pilot)
        path.rename(folder / "elsewhere")
        await pilot.press("f5")
        await seen(pilot, lambda: "cannot be read" in said(screen, "where"))
        await pilot.press("escape")
        await seen(pilot, lambda: app.screen is not screen)


def rows(app: FwdtuiApp) -> list[str]:
    """What stands on the screen."""
    return [strip.text for strip in app.screen._compositor.render_strips()]


async def test_a_session_without_iterations_says_so(folder, session):
    session("a", {})
    app = FwdtuiApp(folder)
    async with app.run_test(size=(80, 24)) as pilot:
        await seen(pilot, lambda: "No iteration" in said(app.screen, "session"))
        await pilot.press("enter")
        await seen(pilot, lambda: "No iteration was finished" in said(app.screen, "where"))
        await press(pilot, "d", "r", "enter", "n", "p", "2")
        assert opened(app).iteration is None
        for key, name in enumerate(TABS, 1):
            await press(pilot, str(key))
            told = "No fact was recorded" if name == "facts" else "There is no iteration to show."
            await seen(pilot, lambda: any(told in row for row in rows(app)))  # noqa: B023


async def test_what_broke_off_before_its_first_iteration_is_replayed_by_the_key_that_is_named(folder):
    with SessionWriter.create(folder / "a", label="a", created="") as writer:
        record = writer.record()
        for second in range(3):
            record.append(RateSample("generator", float(second), 1.0, 1e6, at=float(second)))
        record.close()
    app = FwdtuiApp(folder)
    async with app.run_test(size=(80, 24)) as pilot:
        await seen(pilot, lambda: "2 s were recorded. r replays it." in said(app.screen, "session"))
        await pilot.press("enter")
        await seen(pilot, lambda: "2 s were recorded. r replays it." in said(app.screen, "where"))
        await pilot.press("r")
        await seen(pilot, lambda: isinstance(app.screen, ReplayScreen))


async def test_hostile_names_and_logs_are_shown_and_do_nothing(folder):
    evil = "[/]\x1b]0;owned\x07[bold]x"
    with SessionWriter.create(folder / "a", label=evil, created=evil, facts={evil: evil}) as writer:
        writing = writer.begin("[/]case[bold]")
        writing.attach("tool.log", f"{evil}\n\x1b[2Jgone\r\n".encode())
        writing.attach("dmesg.txt", evil.encode())
        caution = Caution(evil, evil)
        packets = Packets(drops={evil: 3})
        writing.commit(
            Iteration(0, 5.0, unit=evil, warnings=(caution,), limit=caution, packets=packets, began=evil)
        )
    app = FwdtuiApp(folder)
    async with app.run_test(size=(120, 40)) as pilot:
        screen = await open_first(pilot)
        for key in "123456":
            await press(pilot, key)
            assert "\x1b" not in app.export_screenshot()
        assert "[/]]0;owned[bold]x" in said(screen, "where")
        assert "[2Jgone" in "\n".join(screen.query_one("#logs", Log).lines)


@pytest.fixture
def slow_case(monkeypatch):
    """Reading an iteration of the case pf.inet4 ends when it is told to."""
    from fwdtui.monitor.replay.iteration_series import read_series

    go_on = threading.Event()
    recorded = EXAMPLES / "no-rules"
    samples = read_series(recorded / CASE / "001", read_session(recorded))
    read = reading_screen.read_iteration

    def waits(view, case, iteration):
        if case.name == "pf.inet4":
            go_on.wait(30)
        return replace(read(view, case, iteration), series=samples)

    monkeypatch.setattr(reading_screen, "read_iteration", waits)
    yield go_on
    go_on.set()


async def test_while_an_iteration_is_read_that_takes_long_no_other_stands_for_it(folder, session, slow_case):
    session("a", TWO_CASES)
    app = FwdtuiApp(folder)
    async with app.run_test(size=(120, 40)) as pilot:
        screen = await open_first(pilot)
        assert "offered" in series(screen)
        await pilot.press("shift+tab", "down")
        await seen(pilot, lambda: "reading iteration 1 of pf.inet4" in said(screen, "account"))
        assert "reading iteration 1 of pf.inet4" in series(screen) and "offered" not in series(screen)
        slow_case.set()
        await seen(pilot, lambda: looked(screen))
        assert "offered" in series(screen)


async def test_a_table_is_named_after_the_iteration_whose_samples_it_has(
    folder, session, slow_case, monkeypatch
):
    session("a", TWO_CASES)
    monkeypatch.setattr(reading_screen, "_LONG", 30.0)  # the previous samples are still there
    app = FwdtuiApp(folder)
    async with app.run_test(size=(120, 40)) as pilot:
        screen = await open_first(pilot)
        await pilot.press("shift+tab", "down")
        await seen(pilot, lambda: screen._case.name == "pf.inet4")
        screen.action_table()
        await seen(pilot, lambda: isinstance(app.screen, TableScreen))
        assert "a ▸ fwd.inet4 ▸ 1" in said(app.screen, "title")
        slow_case.set()
