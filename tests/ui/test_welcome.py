"""The first screen without a lab.toml, and the way from there to a lab of one's own."""

from textual.widgets import Input, OptionList, Static
from waiting import press, until

from fwdtui.collectors.base import Check
from fwdtui.core.lab import parse
from fwdtui.labs.simulated.lab import SimulatedLab
from fwdtui.ui.common.dialogs import Confirm
from fwdtui.ui.demo.screen import DemoScreen
from fwdtui.ui.lab.doctor import DoctorScreen, shown
from fwdtui.ui.lab.new_lab import NewLabScreen
from fwdtui.ui.live.screen import LiveScreen
from fwdtui.ui.sessions.sessions_screen import SessionsScreen
from fwdtui.ui.shell.app import FwdtuiApp
from fwdtui.ui.shell.welcome import WelcomeScreen


def said(app: FwdtuiApp, name: str) -> str:
    return str(app.screen.query_one(f"#{name}").render())


def answer(app: FwdtuiApp, **values: str) -> None:
    for name, value in values.items():
        app.screen.query_one(f"#{name}", Input).value = value


GOOD = {
    "name": "apu2",
    "generator_host": "gen",
    "generator_interface": "ix0",
    "dut_host": "dut",
    "dut_in": "ix0",
    "dut_out": "ix1",
}

TOOL = """
from fwdtui.collectors.tools.base import Tool
from fwdtui.collectors.tools.counters import SilentReader
WARP17 = Tool(name="warp17", program="warp17", counted=False, probe="true", install="", reader=SilentReader)
"""


async def test_it_offers_the_demo_the_sessions_and_a_new_lab(tmp_path):
    app = FwdtuiApp(tmp_path, welcome=True)
    async with app.run_test(size=(80, 24)):
        assert isinstance(app.screen, WelcomeScreen)
        offered = [option.id for option in app.screen.query_one(OptionList).options]
        assert offered[:3] == ["demo", "sessions", "lab"]


async def test_sessions_are_one_key_away(tmp_path):
    app = FwdtuiApp(tmp_path, note="examples", welcome=True)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("2")
        await until(lambda: isinstance(app.screen, SessionsScreen) and "examples" in said(app, "where"))


async def test_the_demo_is_one_enter_away(tmp_path):
    app = FwdtuiApp(tmp_path, welcome=True)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("enter")
        await until(lambda: isinstance(app.screen, DemoScreen))
        await app.close_live()


async def test_a_wrong_answer_is_named_and_nothing_is_written(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    app = FwdtuiApp(tmp_path, welcome=True)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("3")
        await until(lambda: isinstance(app.screen, NewLabScreen))
        await pilot.pause()
        answer(app, **{**GOOD, "dut_in": "[b]ix 0/"})
        await pilot.press("ctrl+s")
        await until(lambda: "dut.in" in said(app, "problem"))
        assert not (tmp_path / "lab.toml").exists()


async def test_enter_goes_through_every_field_and_what_is_left_out_is_named_as_the_form_does(
    tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    app = FwdtuiApp(tmp_path, welcome=True)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("3")
        await until(lambda: isinstance(app.screen, NewLabScreen))
        await pilot.pause()
        # name, generator's host, no interface, its tool, no command, the DUT
        await press(pilot, "x", "enter", "g", "enter", "enter", "enter", "enter", "d", "enter")
        assert app.screen.query_one("#dut_host", Input).value == "d"
        await pilot.press("ctrl+s")
        await until(lambda: "generator: sends on: required" in said(app, "problem"))
        assert app.focused is app.screen.query_one("#generator_interface")
        await pilot.press("escape")
        await until(lambda: isinstance(app.screen, Confirm))
        await pilot.press("n")
        await until(lambda: isinstance(app.screen, NewLabScreen))
        assert app.screen.query_one("#dut_host", Input).value == "d", "nothing typed is lost"
        await pilot.press("escape")
        await until(lambda: isinstance(app.screen, Confirm))
        await pilot.press("y")
        await until(lambda: isinstance(app.screen, WelcomeScreen))


async def test_the_form_offers_the_tools_and_systems_that_are_installed_and_takes_no_others(
    tmp_path, monkeypatch, installed
):
    monkeypatch.chdir(tmp_path)
    installed("warp17 = plugged:WARP17\nbroken = plugged:ABSENT", TOOL)
    app = FwdtuiApp(tmp_path, welcome=True)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("3")
        await until(lambda: isinstance(app.screen, NewLabScreen))
        await pilot.pause()
        offered = [str(static.content) for static in app.screen.query(".offered").results(Static)]
        assert offered == [
            "broken, counters, iperf3, linux-pktgen, netmap-pkt-gen, trafgen, warp17",
            "freebsd, linux",
        ]
        answer(app, **{**GOOD, "generator_tool": "warp18"})
        await pilot.press("ctrl+s")
        await until(lambda: "generator: tool: no tool 'warp18'" in said(app, "problem"))
        assert app.focused is app.screen.query_one("#generator_tool")
        answer(app, generator_tool="broken")
        await pilot.press("ctrl+s")
        await until(lambda: "cannot be loaded from plugged:ABSENT" in said(app, "problem"))
        answer(app, generator_tool="warp17", dut_os="openbsd")
        await pilot.press("ctrl+s")
        await until(lambda: "DUT: system: no system 'openbsd'" in said(app, "problem"))
        host = str(GOOD["dut_host"])
        answer(app, dut_os="freebsd", dut_host="u@h:99999")
        await pilot.press("ctrl+s")
        await until(
            lambda: "DUT: ssh host: not an ssh destination: '99999' is not a port" in said(app, "problem")
        )
        assert app.focused is app.screen.query_one("#dut_host")
        assert not (tmp_path / "lab.toml").exists()
        answer(app, dut_host=host)
        await pilot.press("ctrl+s")
        await until(lambda: isinstance(app.screen, DoctorScreen))
        lab = parse((tmp_path / "lab.toml").read_text())
        assert (lab.generators[0].tool, lab.dut.os) == ("warp17", "freebsd")


async def test_a_lab_toml_that_is_there_is_never_overwritten(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    app = FwdtuiApp(tmp_path, welcome=True)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("3")
        await until(lambda: isinstance(app.screen, NewLabScreen))
        await pilot.pause()
        answer(app, **GOOD)
        (tmp_path / "lab.toml").write_text("# mine\n")
        await pilot.press("ctrl+s")
        await until(lambda: "already exists" in said(app, "problem"))
        assert (tmp_path / "lab.toml").read_text() == "# mine\n"
        await app.push_screen(NewLabScreen(tmp_path / "lab.toml"))  # told before any answer
        await until(lambda: "already exists; move it away first" in said(app, "problem"))


async def test_a_disk_that_is_full_leaves_no_empty_lab_toml_in_the_way(small_disk, monkeypatch):
    monkeypatch.chdir(small_disk.folder)
    app = FwdtuiApp(small_disk.folder, welcome=True)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("3")
        await until(lambda: isinstance(app.screen, NewLabScreen))
        await pilot.pause()
        answer(app, **GOOD)
        small_disk.fill()
        await pilot.press("ctrl+s")
        await until(lambda: "lab.toml: No space left on device" in said(app, "problem"))
        assert not (small_disk.folder / "lab.toml").exists()
        small_disk.empty()
        await pilot.press("ctrl+s")
        await until(lambda: isinstance(app.screen, DoctorScreen))
        assert parse((small_disk.folder / "lab.toml").read_text()).name == "apu2"


async def test_typed_answers_become_lab_toml_and_the_doctor_tells_of_hosts_that_cannot_be_reached(
    tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    app = FwdtuiApp(tmp_path, welcome=True)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("3")
        await until(lambda: isinstance(app.screen, NewLabScreen))
        await pilot.pause()
        # the keys that mean something elsewhere are letters here
        await pilot.press(*"qlab", "enter", *"127.0.0.1:1", "enter", *"ix0", "enter")
        answer(app, dut_host="127.0.0.1:1", dut_in="ix0", dut_out="ix1")
        await pilot.press("ctrl+s")
        await until(lambda: isinstance(app.screen, DoctorScreen))
        lab = parse((tmp_path / "lab.toml").read_text())
        assert lab.name == "qlab" and lab.generators[0].host == "127.0.0.1:1"
        await until(lambda: "to fix" in said(app, "where"))
        assert "! reachable" in said(app, "found")
        await pilot.press("escape")
        await until(lambda: isinstance(app.screen, WelcomeScreen))
        # the lab that was written is there now, and its hosts can be checked again
        await until(lambda: "no lab.toml" not in said(app, "hello"))
        options = app.screen.query_one(OptionList).options
        assert [option.id for option in options].count("last") == 1
        place = next(number for number, option in enumerate(options, 1) if option.id == "last")
        assert "The lab in this folder" in str(options[place - 1].prompt)
        await pilot.press(str(place))
        await until(lambda: isinstance(app.screen, DoctorScreen))


async def test_the_doctor_looks_at_every_host_and_enter_watches_the_lab(tmp_path):
    app = FwdtuiApp(tmp_path, welcome=True)
    async with SimulatedLab() as lab, app.run_test(size=(80, 24)) as pilot:
        await app.push_screen(DoctorScreen(lab.lab_toml))
        await until(lambda: "trial sample" in said(app, "found"), 30.0)
        for host in ("gen", "dut"):
            assert host in said(app, "found").split()
        assert "nothing is missing" in said(app, "where")
        await pilot.press("enter")
        await until(lambda: isinstance(app.screen, LiveScreen))
        await app.close_live()


def test_what_a_host_says_is_shown_as_it_is_without_markup_or_control_characters():
    text = shown([Check("gen", "system", False, "[red]x[/]\x1b[2J", "do\x07 it")], 80)
    assert "[red]x[/]" in text.plain and "\x1b" not in text.plain and "→ do it" in text.plain


def test_what_a_host_lacks_stands_before_what_it_has():
    checks = [
        Check("gen", "system", True, "FreeBSD"),
        Check("dut", "system", True, "FreeBSD"),
        Check("dut", "clock", False, "none", "install one"),
    ]
    lines = [line.strip() for line in shown(checks, 80).plain.splitlines() if line.strip()]
    assert lines == ["dut", "! clock: none", "→ install one", "✓ system: FreeBSD", "gen", "✓ system: FreeBSD"]
