"""What counts as evidence is never cut off: verdicts, drops and the sentence on the limit stand whole."""

import re

import msgspec
import pytest
from live_pilot import blasting, settled, text
from sessions_rig import EXAMPLES, iterations, open_first, series
from textual.widgets import DataTable
from waiting import rest, seen

from fwdtui.core.drop_stages import STAGES
from fwdtui.core.model import Caution
from fwdtui.report.cells import columns_of, shorten_apart
from fwdtui.report.comparison import judge_sides
from fwdtui.report.sides import load_sides
from fwdtui.ui.common.bars import ModeBar
from fwdtui.ui.compare.screen import CompareScreen
from fwdtui.ui.compare.tab_texts import remarked
from fwdtui.ui.draw.interval import interval_bar
from fwdtui.ui.draw.palette import Palette
from fwdtui.ui.draw.panel import length
from fwdtui.ui.live.drops import drops_rows
from fwdtui.ui.replay.screen import ReplayScreen
from fwdtui.ui.sessions.sessions_screen import SessionsScreen
from fwdtui.ui.shell.app import FwdtuiApp

SIZES = [(80, 24), (120, 40), (200, 60)]
LONG = "stable-14-n268123-e1000-netisr-direct"


def screen_text(app: FwdtuiApp) -> str:
    """The screen as one line, so that a sentence that wraps is found."""
    rows = (strip.text for strip in app.screen._compositor.render_strips())
    return " ".join(" ".join(rows).split())


# the live screen


async def test_the_sentence_on_the_limit_and_the_difference_so_far(live, subtests):
    control = blasting()
    whole = (
        "DUT-limited: one core of the DUT, cpu 3, is 99 % busy in softirq while the others are 4 % busy: the"
        " receive hash puts all traffic into queue 3 of enp130s0f1np1; output queue of enp130s0f0np0 drops"
        " 455.2 kpps, which is all of the loss"
    )
    look = control.snapshot

    def snapshot(points: int):
        found = look(points)
        diagnosis = msgspec.structs.replace(found.diagnosis, sentence=whole, span="")
        return msgspec.structs.replace(found, diagnosis=diagnosis)

    control.snapshot = snapshot  # type: ignore[method-assign]
    app, run = live(control, SIZES[0])
    async with run as pilot:
        await settled(pilot)
        told = f"so far +0.52 % ± 2.61 %, inconclusive: about 44 more iterations; against {LONG}-base"
        app.screen._change(interim=told)
        for size in SIZES:
            with subtests.test(size=size):
                await pilot.resize_terminal(*size)
                await settled(pilot)
                assert whole in " ".join(text(app, "diagnosis").split())
                assert "inconclusive: about 44 more iterations" in " ".join(text(app, "iterations").split())


@pytest.mark.parametrize("columns", [38, 58, 78, 98, 198])
@pytest.mark.parametrize("most", [1, 2, 4])
def test_what_a_stage_drops_is_whole_or_left_out_and_losses_come_first(columns, most):
    from textual.app import App
    from textual.color import Color

    colors = Palette(App().theme_variables, Color.parse("black"))
    drops = dict.fromkeys(STAGES, 0.0) | {STAGES[0]: 462_197.0, STAGES[-1]: 455_210.0}
    rows = drops_rows(drops, colors, columns, {}, most)
    told = ["".join(piece for piece, _ in row) for row in rows]
    assert len(rows) <= most and all(length(row) <= columns for row in rows)
    assert "✕ 462 k" in " ".join(told)
    if most > 1 or columns >= 58:
        assert "✕ 455 k" in " ".join(told)


# the comparison


def long_pair(session):
    values = [400_000.0, 404_000.0, 398_000.0, 409_000.0, 391_000.0]
    cases = {
        "forwarding.inet4.smallpkt.one-flow.rss": (values, [v * 1.001 for v in values]),
        "forwarding.inet6.smallpkt.one-flow.rss": (values, [v * 1.5 for v in values]),
        "pf-stateful.inet4.2000flows.smallpkt": (values, [v * 0.5 for v in values]),
    }
    paths = []
    for place, name in enumerate(
        (f"{LONG}-A-with-patches-from-review", f"{LONG}-B-with-patches-from-review")
    ):
        paths.append(session(name, {case: both[place] for case, both in cases.items()}, name=f"s{place}"))
    return paths


async def test_verdicts_stand_whole_and_equal_looking_labels_are_told_apart(folder, session, subtests):
    base, other = long_pair(session)
    app = FwdtuiApp(folder)
    async with app.run_test(size=SIZES[0]) as pilot:
        app.compare(base, [other])
        await seen(pilot, lambda: isinstance(app.screen, CompareScreen) and app.screen._compared)
        table = app.screen.query_one(DataTable)
        for size in SIZES:
            with subtests.test(size=size):
                await pilot.resize_terminal(*size)
                await rest(app)
                heading = re.search(r"baseline (\S+) +candidate (\S+)", screen_text(app))
                assert heading and heading[1] != heading[2] and "A" in heading[1] and "B" in heading[2]
                assert sum(column.get_render_width(table) for column in table.ordered_columns) <= size[0]
                for row in range(table.row_count):
                    table.move_cursor(row=row)
                    await rest(app)
                    entry = app.screen._entry()
                    assert " ".join(remarked(entry).split()) in screen_text(app)
                    told = str(app.screen.query_one("#selected").render())
                    names = re.findall(r"(\S+…\S*|stable\S+)", told)
                    assert len(set(names)) == len(names)


CODES = "in-run-variation", "mean-differs", "received-above-offered"


async def test_a_warning_of_an_iteration_is_named_whole_or_counted(session, folder, subtests):
    session("a", {"inet4": [100.0, 102.0]}, warnings=[Caution(code, "It is so.") for code in CODES])
    app = FwdtuiApp(folder)
    async with app.run_test(size=(80, 24)) as pilot:
        screen = await open_first(pilot)
        shown = set()
        for columns in (80, 100, 120, 200):
            with subtests.test(columns=columns):
                await pilot.resize_terminal(columns, 24)
                await rest(app)
                found = [row[-1] for row in iterations(screen)]
                assert found and all(map(told_whole, found))
                shown.add(found[0])
        assert len(shown) > 1, "it follows the width"


def told_whole(text: str) -> bool:
    """Every warning is named whole, or counted."""
    names, more = re.findall(r"! ([a-z][a-z-]+)", text), re.search(r"(?:\+|! )(\d)", text)
    return set(names) <= set(CODES) and len(names) + (int(more[1]) if more else 0) == len(CODES)


async def test_a_warning_of_an_iteration_is_whole_or_counted_on_the_live_screen_too(live, subtests):
    control = blasting()
    look = control.snapshot

    def snapshot(points: int):
        found = look(points)
        told = tuple(Caution(code, "It is so.") for code in CODES)
        doubted = tuple(msgspec.structs.replace(one, warnings=told) for one in found.iterations)
        return msgspec.structs.replace(found, iterations=doubted)

    control.snapshot = snapshot  # type: ignore[method-assign]
    app, run = live(control, SIZES[1])
    async with run as pilot:
        for size in SIZES[1:]:
            with subtests.test(size=size):
                await pilot.resize_terminal(*size)
                await settled(pilot)
                assert told_whole(text(app, "iterations").split("\n")[1])


async def test_the_run_that_goes_on_is_named_whole_or_cut_with_a_mark(live):
    control = blasting()
    control.generator_running = True
    app, run = live(control, (80, 24))
    async with run as pilot:
        await settled(pilot)
        await pilot.press("f3")
        await seen(pilot, lambda: "● running: n311215-UDP2 ▸ forwarding.on" in screen_text(app))
        app.live.where = "1-one-tx-queue ▸ forwarding.inet4"
        app.screen.query_one(ModeBar).refresh()
        await seen(pilot, lambda: "● 1-one-tx-queue ▸ forwarding.inet4" in screen_text(app))
        app.live.where = f"{LONG} ▸ forwarding.inet4"
        app.screen.query_one(ModeBar).refresh()
        await seen(pilot, lambda: re.search(r"● stable\S+…\S* ?▸ forwarding.inet4", screen_text(app)))


async def test_what_is_recorded_is_named_above_the_live_screen_however_long_it_is(live, subtests):
    control = blasting()
    control.where = f"{LONG}-with-patches-from-review ▸ forwarding.inet4.smallpkt.one-flow.rss"
    app, run = live(control, SIZES[0])
    async with run as pilot:
        for size in SIZES[:2]:
            with subtests.test(size=size):
                await pilot.resize_terminal(*size)
                await settled(pilot)
                heading = text(app, "heading-line")
                assert re.search(r" stable-\S*…\S*\.rss  ▶ blast .*● gen  ● dut  ● sink", heading)


async def test_the_legend_of_an_iterations_series_is_not_cut_off(subtests):
    app = FwdtuiApp(EXAMPLES)
    async with app.run_test(size=SIZES[0]) as pilot:
        screen = await open_first(pilot)
        for size in SIZES:
            with subtests.test(size=size):
                await pilot.resize_terminal(*size)
                await rest(app)
                legend = series(screen).split("\n")[0]
                assert "…" not in legend and "pps, medians" in legend


@pytest.mark.parametrize("reach", [1.0, 2.0, 5.0, 10.0, 50.0, 200.0])
@pytest.mark.parametrize("columns", [11, 13, 21, 41])
def test_an_interval_is_drawn_with_both_ends_or_none_and_over_zero_only_when_it_holds_zero(reach, columns):
    for percent in (-45.2, -1.3, -0.2, 0.02, 0.3, 0.9, 4.0, 46.0):
        for half in (0.01, 0.1, 0.25, 0.6, 1.0, 6.0):
            interval = percent - half, percent + half
            bar = interval_bar(percent, interval, reach, columns).plain
            middle = len(bar) // 2
            if all(abs(end) < reach for end in (*interval, percent)):
                assert ("├" in bar) == ("┤" in bar), (bar, interval)
            crosses = interval[0] <= 0 <= interval[1]
            assert crosses or bar[middle] == "│", (bar, interval)
            if "●" in bar and not crosses:
                assert (bar.index("●") > middle) == (percent > 0), (bar, interval)


@pytest.mark.parametrize("columns", [8, 12, 20, 40])
def test_names_that_differ_look_different_when_they_are_cut(columns):
    for texts in (
        [f"{LONG}-A-with-patches-from-review", f"{LONG}-B-with-patches-from-review"],
        ["a" * 60 + "1" + "b" * 60, "a" * 60 + "2" + "b" * 60, "a" * 60 + "3" + "b" * 60],
        [f"n311215 (sessions/{'x' * 50}/one)", f"n311215 (sessions/{'x' * 50}/two)"],
        ["日本語" * 20 + "甲" + "日本語" * 20, "日本語" * 20 + "乙" + "日本語" * 20],
        ["same", "same", "short"],
    ):
        shown = shorten_apart(texts, columns)
        assert len(set(shown)) == len(set(texts)) and all(columns_of(one) <= columns for one in shown), shown


# the sessions, the replay, the report


async def test_every_line_above_the_sessions_of_the_demo_is_whole(session, folder):
    session("healthy", {"forwarding": [1.0, 2.0]})
    session("tx-one-queue", {"forwarding": [1.0, 2.0]})
    note = "The sessions of the demo: a simulated lab of 3 hosts, in a folder that stays until it is removed."
    app = FwdtuiApp(folder, note=note)
    async with app.run_test(size=(80, 24)) as pilot:
        await seen(pilot, lambda: isinstance(app.screen, SessionsScreen) and note in screen_text(app))
        found = screen_text(app)
        assert "baseline healthy candidate tx-one-queue the only two: c compares" in found


async def test_the_footer_of_the_replay_says_what_the_space_key_does_now():
    app = FwdtuiApp(EXAMPLES)
    async with app.run_test(size=(80, 24)) as pilot:
        app.replay(EXAMPLES / "no-rules")
        await seen(
            pilot, lambda: isinstance(app.screen, ReplayScreen) and app.screen.player.replay is not None
        )
        await seen(pilot, lambda: "space stop" in screen_text(app))
        await pilot.press("space")
        await seen(pilot, lambda: "space play" in screen_text(app))
        assert not app.screen.player.playing


async def test_a_notice_covers_neither_the_seek_bar_nor_the_command_of_the_report(folder, pair, subtests):
    app = FwdtuiApp(folder)
    async with app.run_test(size=SIZES[0], notifications=True) as pilot:

        async def covers(what: str) -> None:
            for size in SIZES:
                with subtests.test(what, size=size):
                    await pilot.resize_terminal(*size)
                    app.notify("a notice of some length, which wraps in its box " * 3)
                    await seen(pilot, lambda: [toast for toast in app.screen.query("Toast") if toast.region])
                    await pilot.pause(0.1)
                    kept = app.screen.query_one(what).region
                    assert kept and kept.bottom <= size[1]
                    toasts = [toast.region for toast in app.screen.query("Toast")]
                    assert toasts and not any(toast.overlaps(kept) for toast in toasts)
                    app.clear_notifications()
                    await seen(pilot, lambda: not app.screen.query("Toast"))

        app.replay(EXAMPLES / "no-rules")
        await seen(
            pilot, lambda: isinstance(app.screen, ReplayScreen) and app.screen.player.replay is not None
        )
        await covers("#timeline")
        app.pop_screen()
        app.preview(judge_sides(load_sides([str(path) for path in pair])))
        await seen(pilot, lambda: app.screen.query("#command") and "report" in screen_text(app))
        await covers("#below")


async def test_a_notice_on_the_live_screen_covers_the_graphs_oldest_part_and_no_number(folder, subtests):
    app = FwdtuiApp(folder, live=blasting())
    async with app.run_test(size=SIZES[0], notifications=True) as pilot:
        for size in SIZES:
            with subtests.test(size=size):
                await pilot.resize_terminal(*size)
                await settled(pilot)
                app.notify("995.4 kpps; u takes it back", title="iteration 3 saved")
                await seen(pilot, lambda: app.screen.query("Toast"))
                await settled(pilot)
                (toast,) = (one.region for one in app.screen.query("Toast"))
                graph = app.screen.query_one("#graph").region
                assert graph.contains_region(toast) and toast.right <= graph.x + graph.width // 2
                await pilot.press("m")  # the graph alone
                await settled(pilot)
                assert app.screen.maximized is not None
                (toast,) = (one.region for one in app.screen.query("Toast"))
                assert toast.height and toast.bottom <= size[1] - 1
                await pilot.press("m")
                app.clear_notifications()
                await seen(pilot, lambda: not app.screen.query("Toast") and app.screen.maximized is None)


async def test_a_picture_from_the_palette_has_its_footer(folder, pair, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    app = FwdtuiApp(folder)
    async with app.run_test(size=(100, 30)) as pilot:
        await seen(pilot, lambda: isinstance(app.screen, SessionsScreen) and not app.screen.reading)
        for key in ("ctrl+p", *"screenshot", "enter"):
            await pilot.press(key)
        await seen(pilot, lambda: list(tmp_path.glob("fwdtui-*.svg")))
        picture = next(tmp_path.glob("fwdtui-*.svg")).read_text().replace("&#160;", " ")
        assert "baseline" in picture and "compare" in picture and "quit" in picture.rpartition("sessions")[2]
