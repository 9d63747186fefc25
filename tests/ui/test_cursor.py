"""The cursor of the time charts, by mouse and by keys, and the table of the same samples."""

import csv

import pytest
from compare_rig import SHIPPED, comparing
from compare_rig import press as press_there
from compare_rig import settled as settled_there
from compare_rig import shown as shown_there
from live_pilot import blasting, settled, text
from sessions_rig import example, open_first, series
from textual.widgets import Input, Log
from waiting import press, rest, until

from fwdtui.core.errors import FwdtuiError
from fwdtui.ui.common.dialogs import Confirm, Prompt
from fwdtui.ui.common.footer import Footer
from fwdtui.ui.common.table_screen import TableScreen, file_of, free
from fwdtui.ui.compare.time_cursor import TimeChart
from fwdtui.ui.draw.graph import Graph
from fwdtui.ui.draw.reading import rate_text
from fwdtui.ui.draw.view import when_text
from fwdtui.ui.sessions.iteration_graph import IterationGraph
from fwdtui.ui.shell.app import FwdtuiApp


def words(app: FwdtuiApp) -> list[str]:
    """What the keys in the footer are said to do."""
    return [key.description for key in app.screen.query_one(Footer).keys]


def lines(app: FwdtuiApp) -> list[list[str]]:
    """The rows of the table, in cells."""
    return [line.split() for line in app.screen.query_one(Log).lines if line]


async def test_keys_move_the_cursor_of_the_graph_and_the_table_has_the_same_numbers(live):
    control = blasting()
    app, run = live(control, (120, 40))
    async with run as pilot:
        await settled(pilot)
        graph = app.screen.query_one(Graph)
        assert "received" not in text(app, "graph").splitlines()[-1]
        graph.focus()
        await press(pilot, "end", "left", "shift+left")
        reading = text(app, "graph").splitlines()[-1]
        assert reading.split()[0] == "00:58" and "−11.8 s" in reading
        await press(pilot, "T")
        row = next(cells for cells in lines(app) if cells[0] == "58.00")
        offered, forwarded, received, lost, share = (float(cell) for cell in row[1:6])
        assert f"offered {offered / 1e6:.3f} Mpps" in reading
        assert f"received {received / 1e6:.3f} Mpps" in reading and forwarded == received
        assert f"lost {lost / 1e3:.1f} kpps  {share:.1f} %" in reading
        assert offered - received == pytest.approx(lost, abs=1) and row[6:] == ["0", "99.0"]
        await press(pilot, "escape", "home")
        assert graph.cursor == graph.sample_times()[0]
        await press(pilot, "m", "escape")  # the cursor first, then the enlarged panel
        assert graph.cursor is None and app.screen.maximized is graph
        await press(pilot, "escape", "end", "enter")
        assert app.screen.maximized is None
        assert graph.cursor is None and "−50 s" in text(app, "graph")


async def test_without_a_cursor_the_table_begins_with_the_newest_samples_in_view(live):
    app, run = live(blasting(), (80, 24))
    async with run as pilot:
        await settled(pilot)
        await press(pilot, "T")
        log = app.screen.query_one(Log)
        await until(lambda: log.scroll_y > 0)
        assert log.scroll_y == log.max_scroll_y
        assert lines(app)[-1][0] == "69.00"


async def test_on_a_terminal_too_low_for_the_graph_the_table_has_its_samples_all_the_same(live):
    app, run = live(blasting(), (80, 8))
    async with run as pilot:
        await settled(pilot)
        assert not app.screen.query_one(Graph).display
        await press(pilot, "T")
        await until(lambda: lines(app))
        assert len(lines(app)) == 60 and lines(app)[-1][0] == "69.00"


async def test_the_cursor_stays_at_its_moment_while_the_graph_moves_on_and_leaves_with_it(live):
    control = blasting()
    app, run = live(control, (120, 40))
    async with run as pilot:
        await settled(pilot)
        graph = app.screen.query_one(Graph)
        place = graph.content_region.x + 60, graph.content_region.y + 3
        await pilot.hover(offset=place)
        pointed = graph.cursor
        assert pointed is not None and "lost" in text(app, "graph").splitlines()[-1]
        await pilot.hover("#heading-line")
        assert graph.cursor is None  # it came with the mouse and went with it
        await pilot.click(offset=place)
        await pilot.hover("#heading-line")
        assert graph.cursor == pointed
        before = text(app, "graph").splitlines()[-1].split("s", 1)[1]
        control.rig.run(75)
        await settled(pilot)
        assert graph.cursor == pointed and text(app, "graph").splitlines()[-1].split("s", 1)[1] == before
        control.rig.run(pointed + 61)
        await settled(pilot)
        assert graph.cursor is None and "now" in text(app, "graph").splitlines()[-1]


async def test_a_gap_is_a_dash_with_its_cause(live):
    control = blasting(60)
    control.rig.silent = {"sink"}
    control.rig.run(66)
    control.rig.silent = set()
    control.rig.run(70)
    app, run = live(control, (160, 50))
    async with run as pilot:
        await settled(pilot)
        graph = app.screen.query_one(Graph)
        graph.put_cursor(64.0, stays=True)
        reading = text(app, "graph").splitlines()[-1]
        assert "received – (no sample for 7.0 s)" in reading and reading.endswith("lost –")
        assert "offered 1.453 Mpps" in reading  # what the others saw is shown all the same


async def test_arrows_seek_in_a_replay_unless_the_graph_is_focused(tmp_path):
    from fwdtui.ui.replay.screen import ReplayScreen

    app = FwdtuiApp(tmp_path)
    async with app.run_test(size=(120, 40)) as pilot:
        case = SHIPPED / "no-rules" / "forwarding.inet4"
        app.replay(case / "001", case / "002")
        await until(lambda: isinstance(app.screen, ReplayScreen) and app.screen.player.beside)
        screen = app.screen
        await press(pilot, "space", "end")
        at = screen.player.replay.position
        await press(pilot, "left")
        assert screen.player.replay.position == at - 5
        graph = screen.query_one(Graph)
        assert "cursor" not in words(app)
        graph.focus()
        await press(pilot, "left")
        assert "cursor" in words(app), "the arrows mean something else here"
        assert screen.player.replay.position == at - 5 and graph.cursor == graph.sample_times()[-1]
        assert " B " in text(app, "graph").splitlines()[-1]  # the second recording has its value too
        await press(pilot, "escape")  # the cursor goes, the screen stays
        assert graph.cursor is None and app.screen is screen


async def test_the_graph_of_an_iteration_has_a_cursor_and_its_table_is_saved_and_copied(
    tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    example("rules-100", tmp_path)
    app = FwdtuiApp(tmp_path)
    async with app.run_test(size=(120, 40)) as pilot:
        screen = await open_first(pilot)
        graph = screen.query_one(IterationGraph)
        graph.focus()
        await press(pilot, "home", "right")
        await rest(app)  # the graph tells what it drew last
        head = series(screen).splitlines()[0]
        await press(pilot, "T")
        row = lines(app)[1]
        assert f"{row[0][:-1]}" in head.replace("−", "-").split()[0] and "pps" in head
        await press(pilot, "y")
        copied = app.clipboard
        assert copied.splitlines()[2].split() == lines(app)[0] and "│" not in copied

        await press(pilot, "s")
        await until(lambda: isinstance(app.screen, Prompt))
        app.screen.query_one(Input).value = "my run.csv"
        await press(pilot, "enter")
        await until(lambda: isinstance(app.screen, TableScreen))
        (saved,) = tmp_path.glob("my-run-*.csv")
        records = list(csv.DictReader(saved.read_text().splitlines()))
        assert [f"{float(one['s']):.2f}" for one in records] == [cells[0] for cells in lines(app)]

        await press(pilot, "s")
        await until(lambda: isinstance(app.screen, Prompt))
        app.screen.query_one(Input).value = saved.name
        before = saved.read_bytes()
        await press(pilot, "enter")
        await until(lambda: isinstance(app.screen, Confirm))
        await press(pilot, "n")
        assert saved.read_bytes() == before


async def test_the_comparison_shows_both_sides_at_the_cursor():
    async with comparing([SHIPPED / "no-rules", SHIPPED / "rules-100"]) as pilot:
        await press_there(pilot, "5", "m")
        chart = pilot.app.screen.query_one(TimeChart)
        assert pilot.app.screen.focused is chart
        await press_there(pilot, "home", "shift+right")
        rows = shown_there(pilot, "time").splitlines()
        at = f"{chart.cursor:.1f} s"
        told = [row for row in rows if at in row and "received" in row and "lost" in row]
        assert len(told) == 2 and told[0] != told[1]
        await press_there(pilot, "T")
        assert [cells[1] for cells in lines(pilot.app) if cells[0] == "#"] == ["no-rules", "rules-100"]
        await press_there(pilot, "escape", "enter")
        await settled_there(pilot)
        assert chart.cursor is None and "measured" in shown_there(pilot, "time")


async def test_the_table_shows_the_time_series_that_stand_beside_another_tab():
    async with comparing([SHIPPED / "no-rules", SHIPPED / "rules-100"], (170, 40)) as pilot:
        await press_there(pilot, "6")
        await settled_there(pilot)
        assert "time series" in shown_there(pilot, "beside-title")
        await press_there(pilot, "T")
        assert isinstance(pilot.app.screen, TableScreen)
        assert [cells[1] for cells in lines(pilot.app) if cells[0] == "#"] == ["no-rules", "rules-100"]
        await press_there(pilot, "escape", "2", "T")
        assert not isinstance(pilot.app.screen, TableScreen), "no time series are shown"


@pytest.mark.parametrize(
    ("typed", "name"),
    [
        ("a", "a.txt"),
        ("a.csv", "a.csv"),
        ("a.json", "a.json"),
        ("a.dat", "a.dat.txt"),
        ("-rf.txt", "rf-*.txt"),
    ],
)
def test_a_file_name_is_made_safe_and_keeps_a_known_ending(tmp_path, typed, name):
    from fnmatch import fnmatchcase

    path = file_of(str(tmp_path / typed))
    assert path.parent == tmp_path and fnmatchcase(path.name, name)


@pytest.mark.parametrize("typed", ["none/a.txt", ".", ""])
def test_what_is_no_file_name_is_refused(tmp_path, typed, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(FwdtuiError):
        file_of(typed)


@pytest.mark.parametrize(
    ("seconds", "shown"),
    [(12.34, "12.3 s"), (0.0, "0.0 s"), (-0.04, "0.0 s"), (-0.06, "−0.1 s"), (59.96, "60.0 s")],
)
def test_a_moment_at_zero_has_no_sign(seconds, shown):
    assert when_text(seconds) == shown


@pytest.mark.parametrize(
    ("rate", "bits", "shown"),
    [
        (-1234.0, True, "−1.234 kbps"),
        (-1234.0, False, "−1.234 kpps"),
        (-0.0, True, "0 bps"),
        (512e6, True, "512.0 Mbps"),
        (None, True, "–"),
    ],
)
def test_a_rate_below_zero_has_the_same_minus_in_bits_and_in_packets(rate, bits, shown):
    assert rate_text(rate, bits) == shown


def test_a_free_name_is_offered(tmp_path):
    (tmp_path / "a.txt").touch()
    (tmp_path / "a-2.txt").symlink_to(tmp_path / "nothing")
    assert free(tmp_path / "a.txt") == tmp_path / "a-3.txt"
