"""Who is asked to trust a lab is told every command of it that may run on the hosts."""

import io
from pathlib import Path

from textual.widgets import Static

from fwdtui.cli import trust
from fwdtui.collectors.lab_trust import UntrustedError
from fwdtui.transport.ssh_files import TextFile
from fwdtui.ui.common.trust import TrustScreen
from fwdtui.ui.shell.app import FwdtuiApp

COMMANDS = "start", "stop", "at_rate"


def named(text: str) -> list[str]:
    return [command for command in COMMANDS if command in text]


async def test_the_screen_and_its_help(tmp_path):
    path = Path("lab.toml")
    app = FwdtuiApp(tmp_path)
    async with app.run_test(size=(100, 30)):
        await app.push_screen(TrustScreen(UntrustedError(path, [TextFile(path, b"")], "its start command")))
        asked = str(app.screen.query_one("#ask", Static).render())
    assert named(asked) == named(TrustScreen.HELP) == [*COMMANDS]


def test_the_command(monkeypatch, capsys):
    monkeypatch.setattr("sys.stdin", io.StringIO("n\n"))
    assert not trust._agreed(1)
    assert named(capsys.readouterr().out) == [*COMMANDS]
