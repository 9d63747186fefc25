"""`y` copies what is under the cursor, on every screen; where `y` is an answer or text, `ctrl+c` does."""

from collections.abc import Awaitable, Callable
from functools import wraps
from pathlib import Path
from typing import Any

from every_screen import screens
from experiment_rig import TWO, Still, experiment, running
from live_rig import Control, Rig
from preview_rig import settled as drawn
from sessions_rig import EXAMPLES, example
from textual.screen import Screen
from textual.widgets import OptionList, Tabs
from waiting import done, press, rest, until

from fwdtui.collectors.lab_trust import UntrustedError
from fwdtui.report.factor_view import AS_GIVEN
from fwdtui.report.factors_there import Varying
from fwdtui.store.annotations import set_factor
from fwdtui.transport.errors import UnknownHostKey
from fwdtui.transport.ssh_files import TextFile
from fwdtui.ui.common import choosers, dialogs
from fwdtui.ui.common.copying import Copies
from fwdtui.ui.common.errors import TroubleScreen
from fwdtui.ui.common.metric_choice import ChooseMetric
from fwdtui.ui.common.table_screen import TableScreen
from fwdtui.ui.common.trust import TrustScreen
from fwdtui.ui.compare.details import VerdictTabs
from fwdtui.ui.compare.factor_choice import ChooseFactors
from fwdtui.ui.compare.no_comparison import NoComparison
from fwdtui.ui.compare.screen import CompareScreen
from fwdtui.ui.experiment.question import ExperimentQuestion
from fwdtui.ui.experiment.screen import ExperimentScreen
from fwdtui.ui.lab.doctor import DoctorScreen
from fwdtui.ui.lab.new_lab import NewLabScreen
from fwdtui.ui.live.screen import LiveScreen
from fwdtui.ui.replay.choose import ChooseRecording
from fwdtui.ui.replay.screen import ReplayScreen
from fwdtui.ui.report.dialogs import Destination, Writing
from fwdtui.ui.report.preview import PreviewScreen
from fwdtui.ui.sessions.iteration_table import CaseTable
from fwdtui.ui.sessions.session_screen import SessionScreen
from fwdtui.ui.sessions.sessions_screen import SessionsScreen
from fwdtui.ui.sessions.sweep_screen import SweepScreen
from fwdtui.ui.shell.app import FwdtuiApp
from fwdtui.ui.shell.help_panel import Help, HelpPage
from fwdtui.ui.shell.messages import MessagesScreen
from fwdtui.ui.shell.welcome import WelcomeScreen

Test = Callable[..., Awaitable[None]]
BASE, OTHER = EXAMPLES / "no-rules", EXAMPLES / "rules-100"
TYPED = {"ThemePalette"}
"""Screens that consist of a search field: letters are text there."""
SEEN: set[type] = set()
"""The screens on which a key copied something in this test."""
LOOKED_AT: set[type] = set()
"""Those of all tests here."""


def looks_at(*kinds: type) -> Callable[[Test], Test]:
    """The test copies something on exactly these screens."""
    LOOKED_AT.update(kinds)

    def decorated(test: Test) -> Test:
        @wraps(test)
        async def run(*given: Any, **named: Any) -> None:
            SEEN.clear()
            await test(*given, **named)
            assert set(kinds) == SEEN

        return run

    return decorated


async def copied(app: FwdtuiApp, pilot: Any, key: str = "y") -> tuple[str, str]:
    """What is in the clipboard after this key, and what the notice says."""
    app._clipboard = ""
    app.clear_notifications()
    await press(pilot, key)
    told = [notice.message for notice in app._notifications]
    assert len(told) == 1, told
    if app.clipboard:
        assert told[0].startswith("Copied: ")
        SEEN.add(type(app.screen))
    return app.clipboard, told[0]


def measured() -> Control:
    rig = Rig()
    rig.run(3)
    rig.event("tool-started", "pkt-gen on gen: pkt-gen -f tx -i igb0", "gen")
    rig.run(70)
    return Control(rig, EXAMPLES)


@looks_at(LiveScreen, TableScreen, dialogs.Confirm, choosers.ChooseInterfaces, MessagesScreen, HelpPage)
async def test_on_the_live_screen_each_panel_and_without_one_the_numbers():
    app = FwdtuiApp(EXAMPLES, live=measured())
    async with app.run_test(size=(100, 30)) as pilot:
        await done(app)
        text, told = await copied(app, pilot)
        lines = text.split("\n")
        assert lines[0] == "apu2 ▸ n311215-UDP2 ▸ forwarding.on\t01:09" and lines[1] == "offered\t1.460 Mpps"
        assert "loss\t31.6 %\t461.9 kpps" in lines and any(line.startswith("DUT-limited") for line in lines)
        assert told.startswith(f"Copied: the numbers of this moment, {len(lines)} lines\n")
        assert "/fwdtui/copied.txt, since not every terminal supports copying" in told, (
            "the first notice says where"
        )
        wanted = {
            "queues": "igb1 rx q0\t232 k\t\t",
            "cores": "0\t99\t10\t74\t10\t5",
            "iterations": "0\t1 000 168\t0.00 %\tdut-limited\t",
            "events": "00:03\tstarted on gen: pkt-gen -f tx -i igb0",
        }
        for name, row in wanted.items():
            app.screen.query_one(f"#{name}").focus()
            text, told = await copied(app, pilot)
            assert row in text.split("\n") and "OSC 52" not in told
            assert not set(text) & set("│┃▌█▓▒░⣿")
        graph = app.screen.query_one("#graph")
        graph.focus()
        text, told = await copied(app, pilot)
        assert told == "Copied: 60 samples" and "offered  forwarded  received" in text
        await press(pilot, "end")
        text, told = await copied(app, pilot)
        assert told == "Copied: the sample at 01:09"
        assert text.startswith("01:09  −0.8 s  offered 1.460 Mpps  forwarded 997.5 kpps  received")

        # what is opened from here
        await press(pilot, "escape", "T")
        assert isinstance(app.screen, TableScreen)
        text, told = await copied(app, pilot)
        assert told == "Copied: the table, 60 samples" and len(text.split("\n")) == 62
        await press(pilot, "escape", "g")
        assert (await copied(app, pilot, "ctrl+c"))[0] == "pkt-gen -f tx -i igb0 [bold]-l 60[/]"
        assert isinstance(app.screen, dialogs.Confirm) and not app.live.generator_running
        await press(pilot, "escape", "i")
        assert (await copied(app, pilot))[0] == "gen igb0"
        await press(pilot, "escape", "M")
        assert (await copied(app, pilot))[1] == "There is no message to copy."
        await press(pilot, "escape")
        app.notify("No space left on device", title="not saved", severity="error")
        await press(pilot, "M")
        assert (await copied(app, pilot))[0].endswith("✕ not saved: No space left on device")
        await press(pilot, "escape", "question_mark")
        assert isinstance(app.screen, HelpPage)
        text, _ = await copied(app, pilot)
        assert "y\tCopy what is under the cursor, as plain text." in text.split("\n") and "# Live" in text
        await press(pilot, "escape")
        await pilot.resize_terminal(130, 30)
        await press(pilot, "question_mark")
        app.screen.query_one(Help).query_one("VerticalScroll").focus()
        assert (await copied(app, pilot))[1].startswith("Copied: the help, ")


@looks_at(ExperimentScreen, ExperimentQuestion)
async def test_an_experiment_its_cells_its_log_and_the_question(tmp_path):
    plan = experiment(TWO)
    app = FwdtuiApp(tmp_path, live=Still(plan, tmp_path, running(plan, 9)), live_screen=ExperimentScreen)
    async with app.run_test(size=(120, 40)) as pilot:
        await press(pilot, "down", "right")
        text, _ = await copied(app, pilot)
        assert text.startswith("rules=100 af=inet6\tgiven up\t1/5\t568.6 kpps\t−30.8 %\t↻3 ✕1")
        app.screen.query_one("#log").focus()
        assert "does not count: The receiver ended" in (await copied(app, pilot))[0]
        app.screen.set_focus(None)
        assert "8 of 20 trials" in (await copied(app, pilot))[0]
        app.push_screen(ExperimentQuestion(app.live.given))
        await done(app)
        text, _ = await copied(app, pilot, "ctrl+c")
        assert "nft -f /root/100.nft \\x1b[2K#" in text and "every cell" not in text


@looks_at(SessionsScreen, SessionScreen, dialogs.Confirm, dialogs.Prompt)
async def test_sessions_their_iterations_and_tabs(tmp_path, zone):
    zone("UTC")
    for name in ("no-rules", "rules-100"):
        example(name, tmp_path)
    app = FwdtuiApp(tmp_path)
    rows = set()
    async with app.run_test(size=(200, 40)) as pilot:
        for width in (200, 80, 40):
            await pilot.resize_terminal(width, 40)
            await rest(app)  # the verdicts have been judged
            rows.add((await copied(app, pilot))[0])
        (row,) = rows  # nothing of it depends on the width
        values = row.split("\t")
        assert values[:3] == ["rules-100", "candidate", "2026-11-20 18:30"] and values[-1] == str(
            tmp_path / "rules-100"
        )
        assert values[7:9] == ["forwarding.inet4 172.1 k", "▼ −67.8 % !"]
        app.screen.query_one("#detail").focus()
        assert "dut.kernel 6.18.44" in (await copied(app, pilot))[0]
        app.screen.table.focus()
        await press(pilot, "d")
        assert (await copied(app, pilot, "ctrl+c"))[0] == str(tmp_path / "rules-100")
        await press(pilot, "escape", "o")
        assert (await copied(app, pilot, "ctrl+c"))[0] == str(tmp_path)
        await press(pilot, "home")  # nothing is selected: the whole field
        assert (await copied(app, pilot, "ctrl+c"))[0] == str(tmp_path)
        await press(pilot, "escape")

        await press(pilot, "enter")
        await until(lambda: isinstance(app.screen, SessionScreen) and app.screen.behind is not None)
        text, told = await copied(app, pilot)
        assert told.startswith("Copied: row 1 of forwarding.inet4, 8 values")
        assert text.split("\t")[:3] == ["1", "172 061", "0.00 %"] and text.endswith("! in-run-variation")
        shown = (
            "received",
            "packets of the blast",
            "generator.log",
            "kernel message",
            "histogram",
            "dut.kernel",
        )
        for number, wanted in enumerate(shown, 1):
            await press(pilot, str(number))
            app.screen.query_one(Tabs).focus()
            assert wanted in (await copied(app, pilot))[0]
        await press(pilot, "1")
        app.screen.query_one("#series").focus()
        await press(pilot, "home")
        assert (await copied(app, pilot))[0].startswith("−2.5 s  since the blast began  offered 0 pps")


@looks_at(NoComparison, CompareScreen, PreviewScreen, Destination, Writing)
async def test_the_comparison_its_tabs_and_the_report(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    app = FwdtuiApp(EXAMPLES)
    async with app.run_test(size=(100, 30)) as pilot:
        app.push_screen(NoComparison([]))
        await done(app)
        assert (await copied(app, pilot))[1].startswith("There is nothing to copy here")
        app.switch_screen(NoComparison([BASE, tmp_path / "an other"]))
        await done(app)
        assert (await copied(app, pilot))[0] == f"fwdtui compare {BASE} 'an other'"
        app.compare(BASE, [OTHER])
        await drawn(pilot)
        text, told = await copied(app, pilot)
        cells = [
            "forwarding.inet4",
            "5/5",
            "570 734.2",
            "172 061.2",
            "−67.8 % [−72.0, −63.2]",
            "▼ slower !",
            "6",
        ]
        assert text.split("\t") == cells and told.endswith("7 values; m enlarges the tab, y then copies it")
        await press(pilot, "m")
        for number, wanted in enumerate(
            (
                "The bottleneck changed", "4┤", "Student's t", "iterations  x no-rules",
                "# no-rules iteration 4", "drops by stage", "dut.firewall_rules", "! outage", "Welch",
            ),
            1,
        ):  # fmt: skip
            await press(pilot, str(number))
            await drawn(pilot)
            assert wanted in (await copied(app, pilot))[0]
        await press(pilot, "6")
        assert "│" not in (await copied(app, pilot))[0], (
            "two columns beside each other have no line between them"
        )
        await press(pilot, "5", "home")
        assert [line.split("\t")[0] for line in (await copied(app, pilot))[0].split("\n")] == [
            "no-rules",
            "rules-100",
        ]
        assert isinstance(app.screen.query_one(VerdictTabs), Copies)

        await press(pilot, "escape", "escape", "e")
        await drawn(pilot)
        assert isinstance(app.screen, PreviewScreen)
        report, told = await copied(app, pilot)
        assert report == app.screen._plan.text.rstrip("\n") and not list(tmp_path.iterdir()), (
            "nothing is written"
        )
        app.screen.query_one("#below").focus()
        assert (await copied(app, pilot))[0].startswith("fwdtui report ")
        app.screen.query_one("#page").focus()
        await press(pilot, "e")
        assert (await copied(app, pilot, "ctrl+c"))[0] == "no-rules-rules-100.md"
        plan = app.screen._plan(Path("other.md"))
        await press(pilot, "escape")
        monkeypatch.setattr(Writing, "_write", lambda self: None)  # it stands still to be looked at
        app.push_screen(Writing(plan))
        await done(app)
        assert (await copied(app, pilot))[0] == str(tmp_path / "other.md")


@looks_at(SessionScreen, SweepScreen)
async def test_a_sweep_and_the_cases_of_a_session(session, folder):
    path = session("old", {f"q{queues}": [queues * 1e6 + step for step in range(5)] for queues in (1, 2, 4)})
    for queues in (1, 2, 4):
        set_factor(path, f"q{queues}", "queues", queues)
    app = FwdtuiApp(folder)
    async with app.run_test(size=(100, 30)) as pilot:
        app.open_session(path)
        await until(lambda: isinstance(app.screen, SessionScreen) and app.screen.behind is not None)
        app.screen.query_one(CaseTable).focus()
        await press(pilot, "down")
        text, told = await copied(app, pilot)
        assert text == "q2\t2 000 002\t0.00 %\t5" and told.startswith("Copied: row q2, 4 values\n")
        app.push_screen(SweepScreen([str(path)]))
        await done(app)
        text, told = await copied(app, pilot)
        assert "queues  n  median, pps" in text and text.split("\n")[-1].startswith("fwdtui report ")
        assert told.startswith("Copied: tables, charts and the command, ")


@looks_at(ReplayScreen, ChooseRecording)
async def test_a_replay_and_what_is_shown_beside_it():
    app = FwdtuiApp(EXAMPLES)
    async with app.run_test(size=(100, 30)) as pilot:
        app.replay(BASE)
        await until(lambda: isinstance(app.screen, ReplayScreen) and app.screen.player.replay is not None)
        await press(pilot, "space")
        text, _ = await copied(app, pilot)
        assert text.split("\n")[0].startswith("kernel-lab-demo ▸ no-rules\t") and "received\t" in text
        await press(pilot, "v")
        assert (await copied(app, pilot))[0] == str(OTHER)
        await press(pilot, "enter")
        await until(lambda: isinstance(app.screen, ReplayScreen) and app.screen.player.beside is not None)
        await press(pilot, "n", "right", "right")
        graph = app.screen.query_one("#graph")
        graph.focus()
        await press(pilot, "end")
        text, _ = await copied(app, pilot)
        assert f"  {OTHER.name} " in text and not set(text) & set("┉┈╌─")


def untrusted(folder: Path) -> UntrustedError:
    file = TextFile(folder / "lab.toml", b'[generator]\nstart = "pkt-gen -f tx"\n')
    return UntrustedError(folder / "lab.toml", [file], "its start command")


def pushed(tmp_path: Path) -> dict[str, tuple[Screen[Any], str, str]]:
    """Screens that can be looked at on their own: the key, and what is copied."""
    unknown = UnknownHostKey("dut", "10.0.0.1", 22, "ssh-ed25519", "SHA256:abc", "key", "line")
    changed = dialogs.Confirm("dut: not connected", ["THE KEY HAS CHANGED"], None, "close")
    return {
        "welcome": (WelcomeScreen(EXAMPLES), "y", "1  The demo"),
        "doctor": (DoctorScreen(tmp_path / "no-such-lab.toml"), "y", "no-such-lab.toml"),
        "new lab": (NewLabScreen(tmp_path / "lab.toml"), "ctrl+c", ""),
        "trouble": (TroubleScreen("RuntimeError: no picture", "It goes on."), "y", "RuntimeError: no"),
        "host key": (dialogs.host_key(unknown), "ctrl+c", "SHA256:abc"),
        "changed key": (changed, "y", "THE KEY"),
        "note": (dialogs.Prompt("Note", value="a\nb", does="save", many=True), "ctrl+c", "a\nb"),
        "trust": (TrustScreen(untrusted(tmp_path)), "ctrl+c", "pkt-gen -f tx"),
        "baseline": (choosers.ChooseBaseline([("/s/a", "a  (5 iterations)")]), "y", "a  (5 iterations)"),
        "scenario": (choosers.ChooseScenario(["one flow"]), "y", "one flow"),
        "metric": (ChooseMetric(["cpu-per-packet"], ""), "y", "the rate"),
        "factors": (ChooseFactors([Varying("af", ("inet4", "inet6"), "")], AS_GIVEN), "y", "af"),
    }  # fmt: skip


@looks_at(
    WelcomeScreen, DoctorScreen, NewLabScreen, TroubleScreen, dialogs.Confirm, dialogs.Prompt, TrustScreen,
    choosers.ChooseBaseline, choosers.ChooseScenario, ChooseFactors, ChooseMetric,
)  # fmt: skip
async def test_every_other_screen_and_dialog(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    app = FwdtuiApp(EXAMPLES)
    async with app.run_test(size=(100, 30)) as pilot:
        for name, (screen, key, wanted) in pushed(tmp_path).items():
            app.push_screen(screen)
            await done(app)
            if isinstance(screen, NewLabScreen):
                assert (await copied(app, pilot, key))[1] == "Nothing was typed here yet."
                await press(pilot, "y", "e", "s")
                wanted = "yes"
            for found in screen.query(OptionList):
                found.highlighted = 0
            text, _ = await copied(app, pilot, key)
            assert wanted in text, name
            app.pop_screen()
            await done(app)


def test_no_screen_was_left_out():
    left = {kind for kind in screens() if not issubclass(kind, tuple(LOOKED_AT))}
    assert {kind.__name__ for kind in left} == TYPED, "no test here copies anything on these"
