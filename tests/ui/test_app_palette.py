"""Whatever a key does can also be found by name; the help says what the keys do at this moment."""

from pathlib import Path

from live_rig import Control, Rig
from textual.command import CommandList, CommandPalette
from textual.widgets import Input, Markdown, Static
from waiting import done, press, until

from fwdtui.ui.common.dialogs import Confirm, Prompt
from fwdtui.ui.compare.screen import CompareScreen
from fwdtui.ui.live.screen import LiveScreen
from fwdtui.ui.sessions.sessions_screen import SessionsScreen
from fwdtui.ui.shell.app import FwdtuiApp
from fwdtui.ui.shell.commands import ThemePalette
from fwdtui.ui.shell.help_panel import Help, HelpPage, Keys, key_rows


def listed(app: FwdtuiApp) -> list[str]:
    if not isinstance(app.screen, CommandPalette) or not app.screen.query(CommandList):
        return []
    return [str(option.prompt).split("\n")[0] for option in app.screen.query_one(CommandList).options]


async def palette(app: FwdtuiApp, pilot, wanted: str = "") -> list[str]:
    await pilot.press("ctrl+p")
    await until(lambda: len(listed(app)) > 3)
    if wanted:
        await pilot.press(*("space" if character == " " else character for character in wanted))
        await until(lambda: bool(listed(app)) and all(wanted[:3] in text.lower() for text in listed(app)[:1]))
    return listed(app)


def live(folder: Path) -> tuple[FwdtuiApp, Control]:
    rig = Rig()
    rig.run(70)
    control = Control(rig, folder)
    return FwdtuiApp(folder, live=control), control


async def test_it_lists_every_key_of_the_screen_and_does_what_is_chosen_on_the_screen_below(folder):
    """Hidden keys too, each with its key."""
    app, control = live(folder)
    async with app.run_test(size=(100, 40)) as pilot:
        await pilot.pause()
        found = await palette(app, pilot)
        for binding in LiveScreen.BINDINGS:
            assert any(text.startswith(f"{binding.description}  (") for text in found), binding.id
        for text in ("save  (s)", "quit  (q)", "mode: Sessions  (F3)", "theme ...", "screenshot"):
            assert text in found
        assert not any(text.startswith("mode: Live") for text in found), "one is there already"
        await press(pilot, "escape")
        assert isinstance(app.screen, LiveScreen) and control.rig.monitor.automatic
        await palette(app, pilot, "auto")
        await pilot.press("enter")
        await until(lambda: not control.rig.monitor.automatic)
        assert isinstance(app.screen, LiveScreen)


async def test_an_action_that_is_off_is_not_offered_and_a_session_is_opened_by_its_name(folder, pair):
    app = FwdtuiApp(folder)
    opened = []
    app.open_session = opened.append  # type: ignore[method-assign, assignment]
    async with app.run_test(size=(100, 40)) as pilot:
        await app.workers.wait_for_complete()
        assert not any(text.startswith("live  (") for text in await palette(app, pilot))
        await press(pilot, "escape")
        assert isinstance(app.screen, SessionsScreen)
        found = await palette(app, pilot, "session: n311215-udp2")
        assert found[0] == "session: n311215-UDP2"
        await pilot.press("enter")
        await until(lambda: opened == [pair[1]])


async def test_the_sessions_are_those_of_the_folder_that_was_opened_last(folder, pair, tmp_path):
    app = FwdtuiApp(tmp_path / "other")
    async with app.run_test(size=(100, 40)) as pilot:
        await app.workers.wait_for_complete()
        assert not any(text.startswith("session:") for text in await palette(app, pilot))
        await press(pilot, "escape")
        await pilot.press("o")
        await until(lambda: isinstance(app.screen, Prompt))
        app.screen.query_one(Input).value = str(folder)
        await press(pilot, "enter")
        await until(lambda: isinstance(app.screen, SessionsScreen) and not app.screen.reading)
        found = [text for text in await palette(app, pilot) if text.startswith("session:")]
        assert found == [f"session: {path.name}" for path in sorted(pair)]


async def test_a_theme_is_shown_while_one_looks_at_it_and_escape_brings_the_old_one_back(folder, pair):
    app = FwdtuiApp(folder)
    async with app.run_test(size=(100, 40)) as pilot:
        await app.workers.wait_for_complete()
        await until(lambda: "fwdtui-light" in app.available_themes)
        app.search_themes()
        await until(lambda: len(listed(app)) > 5)
        assert isinstance(app.screen, ThemePalette)
        before = "fwdtui-dark"
        await until(lambda: app.theme == listed(app)[0])
        await pilot.press("down", "down")
        await until(lambda: app.theme == listed(app)[2])
        await pilot.press("escape", "escape")
        await until(lambda: app.theme == before)
        assert app.settings.memory.state.theme == ""
        app.search_themes()
        await until(lambda: "fwdtui-light" in listed(app))
        await pilot.press(*"light")
        await until(lambda: listed(app)[:1] == ["fwdtui-light"])
        await pilot.press("enter")
        await until(lambda: app.settings.memory.state.theme == "fwdtui-light")
        await until(lambda: not isinstance(app.screen, CommandPalette))
        assert app.theme == "fwdtui-light"


async def test_a_screenshot_is_a_file_and_its_place_is_told(folder, pair, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    app = FwdtuiApp(folder)
    async with app.run_test(size=(100, 40)) as pilot:
        await app.workers.wait_for_complete()
        await palette(app, pilot, "screenshot")
        await pilot.press("enter")
        await until(lambda: bool(list(tmp_path.glob("fwdtui-*.svg"))))
        written = next(tmp_path.glob("fwdtui-*.svg"))
        await until(lambda: any(str(written) in notice.message for notice in app._notifications))
        assert "n311215" in written.read_text()


async def test_palette_and_help_open_at_every_size(folder, pair):
    app = FwdtuiApp(folder)
    async with app.run_test(size=(20, 5)) as pilot:
        for size in ((20, 5), (1, 1), (250, 70)):
            await pilot.resize_terminal(*size)
            await press(pilot, "question_mark")
            assert isinstance(app.screen, HelpPage) or app.screen.query(Help), size
            await pilot.press("escape", "ctrl+p")
            await until(lambda: len(listed(app)) > 3)
            await press(pilot, "escape", "escape")
            await pilot.resize_terminal(90, 30)
            await until(lambda: not isinstance(app.screen, CommandPalette))
            assert app.is_running and not app.screen.query(Help)


# help


async def test_help_shows_the_keys_of_this_moment_and_what_the_screen_is_about(folder):
    app, _ = live(folder)
    async with app.run_test(size=(120, 40)) as pilot:
        await pilot.press("question_mark")
        await until(lambda: bool(app.screen.query(Help)))
        await pilot.pause()
        table = app.screen.query_one(Keys).render()
        told = [str(cell) for column in table.columns for cell in column.cells]
        assert any(one.startswith("Save the current window as an iteration") for one in told) and "s" in told
        assert "# Live" in app.screen.query_one(Help).query_one(Markdown).source


async def test_help_has_each_key_with_what_it_does_though_the_footer_shows_several_together(folder, pair):
    app, _ = live(folder)
    async with app.run_test(size=(200, 60)) as pilot:
        app.compare(pair[0], [pair[1]])
        await app.workers.wait_for_complete()
        await pilot.pause()
        rows = dict(key_rows(app.screen))
        assert rows["tab"] == "tab: the next of the tabs below the table"
        assert rows["n"].endswith("the candidate's next iteration") and "previous" in rows["p"]
        assert (rows["1"], rows["9"]) == ("tab: why", "tab: statistics")
        assert not {"1-9", "n/p", "z/Z"} & set(rows)


async def test_the_same_key_or_escape_closes_the_help_on_every_screen(folder, pair):
    app, _ = live(folder)
    async with app.run_test(size=(120, 40)) as pilot:
        app.compare(pair[0], [pair[1]])
        await app.workers.wait_for_complete()
        # Escape is a key of each screen; the question mark is the same one of the app everywhere
        for mode, closing in (("f2", ("question_mark", "escape")), ("f3", ("escape",)), ("f4", ("escape",))):
            await press(pilot, mode)
            screen = app.screen
            for close in closing:
                await pilot.press("question_mark")
                await until(lambda: bool(app.screen.query(Help)))
                await press(pilot, close)
                await until(lambda: not app.screen.query(Help))
                assert app.screen is screen, "and nothing else happens"
        assert isinstance(app.screen, CompareScreen)


async def test_on_a_narrow_terminal_the_help_is_a_page_that_says_how_to_close_it(folder, subtests):
    app, control = live(folder)
    async with app.run_test(size=(40, 24)) as pilot:
        await done(app)
        screen = app.screen
        # two widths for each of the keys that close it, the narrowest and the widest among them
        for columns, close in ((40, "question_mark"), (60, "escape"), (80, "question_mark"), (109, "escape")):
            with subtests.test(columns=columns):
                await pilot.resize_terminal(columns, 24)
                await press(pilot, "question_mark")
                page = app.screen
                assert isinstance(page, HelpPage) and not screen.query(Help)
                assert "? or Esc closes it" in str(page.query_one("#title", Static).render())
                assert "# Live" in page.query_one(Markdown).source
                widths = [region.width for region in (page.query_one("#title").region, page.region)]
                assert widths == [columns] * 2
                saved = len(control.rig.monitor.snapshot(0).iterations)
                await press(pilot, "s", "m", "g", "q")  # keys of the screen below, which cannot be seen
                assert app.screen is page and len(control.rig.monitor.snapshot(0).iterations) == saved
                await press(pilot, "pagedown")
                assert page.query_one("VerticalScroll").scroll_y > 0
                await press(pilot, close)
                assert app.screen is screen


async def test_the_panel_leaves_the_screen_most_of_the_width_and_gives_way_when_it_cannot(folder):
    app, _ = live(folder)
    async with app.run_test(size=(110, 30)) as pilot:
        await done(app)
        screen = app.screen
        await press(pilot, "question_mark")
        assert screen.query_one(Help).region.width <= 37 and screen.query_one("#graph").region.width >= 73
        await pilot.resize_terminal(109, 30)
        await until(lambda: isinstance(app.screen, HelpPage))
        assert not screen.query(Help)
        await pilot.resize_terminal(200, 50)  # what is being read stays
        await done(app)
        assert isinstance(app.screen, HelpPage)
        await press(pilot, "escape")
        assert app.screen is screen and screen.query_one("#graph").region.width == 200


async def test_whoever_wants_other_keys_is_told_which_file_and_what_to_write_there(folder, session):
    session("a", {"inet4": [1.0, 2.0]})
    app = FwdtuiApp(folder)
    async with app.run_test(size=(100, 40)) as pilot:
        await until(lambda: not app.screen.workers)
        for wanted in ("config", "bind"):
            await pilot.press("ctrl+p", *wanted)
            await until(lambda: any(text.startswith("change keys") for text in listed(app)))
            await press(pilot, "escape")
            assert not listed(app)
        await pilot.press("ctrl+p", *"changekeys")
        await until(lambda: listed(app)[:1] == ["change keys ..."])
        await pilot.press("enter")
        await until(lambda: isinstance(app.screen, Confirm))
        told = str(app.screen.query_one("#question", Static).render())
        assert str(app.settings.file) in told and "[keys]" in told and "sessions.baseline (b)" in told


async def test_the_palette_leaves_the_app_in_view_and_says_whose_a_theme_is(folder, pair):
    app = FwdtuiApp(folder)
    async with app.run_test(size=(120, 40)):
        await done(app)
        app.search_themes()
        await until(lambda: isinstance(app.screen, ThemePalette) and app.screen.query(CommandList))
        listed = app.screen.query_one(CommandList)
        await until(lambda: listed.option_count > 6)
        await until(lambda: listed.region.width > 0)
        assert listed.region.width <= 44 and listed.region.right == 120
        # what is below is not drawn with the screen on top: it is seen where that one is transparent
        assert app.screen.styles.background.a == 0 and app.screen_stack[-2].styles.background.a == 1
        texts = [str(listed.get_option_at_index(number).prompt) for number in range(listed.option_count)]
        own = [text for text in texts if text.startswith("fwdtui-")]
        assert own and all("fwdtui's own" in text for text in own)
        assert [text.split("\n")[0] for text in texts if "in use" in text] == [app.theme], "as it was"
        assert "in use" in texts[0], "opening the list changes nothing"
        assert all("Textual's" in text for text in texts if not text.startswith("fwdtui-"))
