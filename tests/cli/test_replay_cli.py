"""`fwdtui replay`: what it refuses, in one line, before anything of a screen is loaded."""

import subprocess
import sys
from pathlib import Path

import pytest

SHIPPED = Path(__file__).resolve().parents[2] / "sessions"


def run(*arguments: str, cwd: Path = SHIPPED) -> subprocess.CompletedProcess:
    return subprocess.run(
        [sys.executable, "-m", "fwdtui", "replay", *arguments],
        capture_output=True, text=True, timeout=60, stdin=subprocess.DEVNULL, cwd=cwd,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["nothing"], "no such session; there are no-rules, rules-100"),
        (["no-rules/pf.inet4"], "no case 'pf.inet4'; there are forwarding.inet4"),
        (["no-rules/forwarding.inet4/17"], "no iteration '17'; there are 1, 2, 3, 4, 5"),
        (["no-rules", "--beside", "rules-100/pf"], "no case 'pf'; there are forwarding.inet4"),
        (["no-rules"], "the app needs a terminal"),
        (["no-rules/forwarding.inet4/003", "--beside", "rules-100"], "the app needs a terminal"),
        ([], "SESSION[/CASE[/ITERATION]]"),
    ],
)
def test_it_is_refused_in_one_line_with_status_2(arguments, told):
    done = run(*arguments)
    assert done.returncode == 2 and done.stdout == ""
    assert len(done.stderr.splitlines()) == 1 and told in done.stderr


def test_a_session_is_found_by_its_name_in_the_folder_of_sessions():
    assert "needs a terminal" in run("no-rules/forwarding.inet4", cwd=SHIPPED.parent).stderr
    assert "no case 'x'" in run("no-rules/x", cwd=SHIPPED.parent).stderr


def test_the_refusals_load_no_screen():
    code = (
        "import sys\nfrom fwdtui.cli import main\nassert main(['replay', 'no-rules']) == 2\n"
        "print(sorted(sys.modules))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True, text=True, timeout=60, stdin=subprocess.DEVNULL, cwd=SHIPPED, check=True,
    )  # fmt: skip
    assert "'textual'" not in done.stdout and "'asyncssh'" not in done.stdout
