"""The report before it is written: seen as it will be, and changed by what is left out of it."""

import shutil
import threading
from dataclasses import replace
from pathlib import Path

import pytest
from preview_rig import page, previewed, settled, told
from textual.widgets import Input, SelectionList
from waiting import press, seen

from fwdtui.report import comparison, export
from fwdtui.report.document import SECTIONS, Choices
from fwdtui.ui.report.choices_panel import ChoicesPanel
from fwdtui.ui.report.page import Page
from fwdtui.ui.report.preview import PreviewScreen
from fwdtui.ui.shell.app import FwdtuiApp


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder in which the app was started."""
    made = tmp_path / "here"
    made.mkdir()
    monkeypatch.chdir(made)
    return made


@pytest.mark.parametrize("size", [(80, 24), (200, 60)])
async def test_the_verdicts_are_the_first_thing_that_is_seen(folder, pair, size):
    async with previewed(folder, pair, size) as pilot:
        shown = pilot.app.screen.query_one(Page)
        for case, verdict in (("off", "slower"), ("on", "faster"), ("pf", "inconclusive")):

            def there(case: str = case, verdict: str = verdict) -> bool:
                return any(case in line and verdict in line for line in shown.plain[: shown.size.height])

            await seen(pilot, there)
        assert shown.max_scroll_y > 0
        assert "margin 1 %   confidence 95 %" in told(pilot, "heading")


async def test_the_page_is_the_markdown_with_its_title_and_without_what_is_left_out(folder, pair):
    async with previewed(folder, pair) as pilot:
        assert "forwarding.off" in page(pilot) and "## forwarding.off" not in page(pilot)
        assert "x n311215: forwarding.off packets-per-second" in page(pilot)
        await pilot.press("x")  # its source
        await seen(pilot, lambda: "## forwarding.off" in page(pilot))
        assert page(pilot)[0].startswith("# Comparing n311215-UDP2 with n311215")
        assert page(pilot)[-1].startswith("<!-- written by fwdtui report")
        await pilot.press("x")
        await seen(pilot, lambda: "## forwarding.off" not in page(pilot))

        await pilot.press("t", "ctrl+u", *"D4306 e")
        await seen(pilot, lambda: page(pilot)[0] == "D4306 e")
        assert told(pilot, "command").endswith("--title 'D4306 e'")
        await pilot.press("ctrl+u")  # emptied, the title comes back
        await seen(pilot, lambda: page(pilot)[0].startswith("Comparing n311215-UDP2"))
        assert "--title" not in told(pilot, "command")

        await press(pilot, "escape", "i")
        await pilot.press("space")
        await seen(pilot, lambda: not any("▦" in line for line in page(pilot)))
        await pilot.press("down", "down", "space")
        await seen(pilot, lambda: "forwarding.off" not in page(pilot))
        await seen(pilot, lambda: told(pilot, "command").endswith(" --without charts,cases"))
        sections = pilot.app.screen.query_one(SelectionList)
        prompts = [str(sections.get_option_at_index(place).prompt) for place in range(len(SECTIONS))]
        assert [name.split()[0] for name in prompts if name.endswith("left out")] == [
            "charts",
            "cases",
            "ministat",
            "profiles",
        ]
        assert told(pilot, "about") == SECTIONS["cases"]
        await pilot.press("space")
        await seen(pilot, lambda: "forwarding.off" in page(pilot))
        assert told(pilot, "command").endswith(" --without charts")


async def test_another_theme_draws_the_page_in_its_colours_and_another_width_breaks_its_lines_anew(
    folder, pair
):
    async with previewed(folder, pair, (160, 40)) as pilot:

        def colours() -> set[str]:
            styles = [s.style for line in pilot.app.screen.query_one(Page)._lines for s in line]
            return {style.color.name for style in styles if style is not None and style.color is not None}

        before = colours()
        assert pilot.app.theme_variables["verdict-slower"].lower() in before
        pilot.app.theme = "fwdtui-light"
        await seen(pilot, lambda: colours() != before)
        await settled(pilot)
        assert pilot.app.theme_variables["verdict-slower"].lower() in colours()

        wide = len(page(pilot))
        await pilot.resize_terminal(60, 40)
        await seen(pilot, lambda: len(page(pilot)) > wide)


async def test_margin_and_confidence_are_those_of_the_comparison(folder, pair):
    async with previewed(folder, pair, margin=10.0, confidence=99.0) as pilot:
        assert "margin 10 %   confidence 99 %" in told(pilot, "heading")
        assert any("equivalent" in line for line in page(pilot)[:12])
        assert told(pilot, "command").endswith(" --margin 10% --confidence 99")


async def test_at_a_planned_look_the_heading_has_its_confidence_too(folder, pair):
    judged = comparison.judge(comparison.load(pair), 1.0, 98.6)
    app = FwdtuiApp(folder)
    async with app.run_test(size=(120, 40)) as pilot:
        app.preview(replace(judged, confidence=95.0))  # what all looks share
        await seen(pilot, lambda: "confidence 95 % (98.6 % at this look)" in told(pilot, "heading"))


async def test_choices_that_take_longer_do_not_replace_those_that_were_made_after_them(
    folder, pair, monkeypatch
):
    longer, later, plan = threading.Event(), threading.Event(), export.plan

    def planned(out, compared, choices):
        made = plan(out, compared, choices)
        if choices.without == {"charts"}:
            longer.set()
            later.wait(30.0)
        return made

    async with previewed(folder, pair) as pilot:
        screen, posted = pilot.app.screen, []
        post = screen.post_message

        def noted(message):
            posted.append(type(message))
            return post(message)

        monkeypatch.setattr(screen, "post_message", noted)
        monkeypatch.setattr(export, "plan", planned)
        for without in ({"charts"}, {"charts", "cases"}):
            screen.on_choices_panel_changed(ChoicesPanel.Changed(Choices(without=frozenset(without))))
            await seen(pilot, longer.is_set)
        await seen(pilot, lambda: told(pilot, "command").endswith(" --without charts,cases"))
        later.set()
        await seen(pilot, lambda: posted.count(PreviewScreen.Planned) == 2)
        assert told(pilot, "command").endswith(" --without charts,cases")
        assert "## forwarding.off" not in screen.to_copy().text, "what is copied is what the page shows"


async def test_the_place_on_the_page_is_kept_when_the_choice_changes(folder, pair):
    async with previewed(folder, pair, (120, 24)) as pilot:
        await pilot.press("pagedown", "pagedown")
        shown = pilot.app.screen.query_one(Page)
        await seen(
            pilot, lambda: shown.scroll_offset.y > 10 and shown.scroll_offset.y == shown.scroll_target_y
        )
        before = shown.scroll_offset.y
        await pilot.press("i", "end", "space")
        await seen(pilot, lambda: "--without data" in told(pilot, "command") and "Data" not in page(pilot))
        await pilot.pause()
        assert shown.scroll_offset.y == before


async def test_escape_goes_from_the_choices_to_the_page_and_from_there_back(folder, pair):
    async with previewed(folder, pair, (80, 24)) as pilot:
        screen = pilot.app.screen
        assert not screen.query_one("#choices").display, "no room for both"
        await press(pilot, "t")
        assert screen.query_one("#choices").display and isinstance(screen.focused, Input)
        await press(pilot, "escape")
        assert not screen.query_one("#choices").display and isinstance(screen.focused, Page)
        await pilot.press("escape")
        await seen(pilot, lambda: not isinstance(pilot.app.screen, PreviewScreen))


async def test_what_was_compared_is_not_read_again(folder, session):
    paths = [session(name, {"x": [1.0, 2.0, 3.0]}) for name in ("a", "b")]
    compared = comparison.judge(comparison.load(paths), 1.0, 95.0)
    for path in paths:
        shutil.rmtree(path)
    app = FwdtuiApp(folder)
    async with app.run_test(size=(100, 30)) as pilot:
        app.preview(compared)
        await seen(pilot, lambda: any("1 comparison" in line for line in page(pilot)))


async def test_a_session_that_cannot_be_read_is_in_the_report_as_little_as_in_the_command(folder, session):
    paths = [session(name, {"x": [1.0, 2.0, 3.0]}) for name in ("a", "b", "broken")]
    (paths[-1] / "session.toml").write_text("[")
    async with previewed(folder, paths) as pilot:
        assert not any("left-out" in line for line in page(pilot))
        assert "broken" not in told(pilot, "command")


@pytest.mark.parametrize("size", [(20, 5), (250, 70)])
async def test_it_stands_in_windows_of_any_size(folder, pair, size):
    async with previewed(folder, pair, size) as pilot:
        await pilot.press("i", "escape", "x", "e")
        await pilot.pause()
        await pilot.resize_terminal(100, 30)
        await pilot.press("escape")
        await seen(pilot, lambda: isinstance(pilot.app.screen, PreviewScreen))
        await seen(pilot, lambda: any("forwarding" in line for line in page(pilot)))


async def test_a_long_path_leaves_no_line_of_the_command_empty(folder, session):
    long = [session(f"{name}-{'x' * 90}", {"inet4": [1e6, 1.1e6, 1e6]}) for name in ("old", "new")]
    async with previewed(folder, long, (80, 24)) as pilot:
        below = pilot.app.screen.query_one("#below")
        rows = str(pilot.app.screen.query_one("#command").render()).split("\n")
        assert rows[0].startswith("$ fwdtui report /") and len({len(row) for row in rows[:-1]}) == 1
        assert below.size.width - 1 <= len(rows[0]) <= below.size.width
        assert "".join(rows) == f"$ {below.command}"
        await pilot.resize_terminal(60, 24)
        await seen(
            pilot, lambda: len(str(pilot.app.screen.query_one("#command").render()).split("\n")[0]) < 60
        )
