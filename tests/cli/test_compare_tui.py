"""`fwdtui compare --tui`: what it refuses before a screen is loaded, and what the screen opens with."""

import re
import subprocess
import sys
from pathlib import Path

import pytest
from forked import run
from in_terminal import run as in_terminal

from fwdtui.core.model import Iteration
from fwdtui.store import SessionWriter

BASE, OTHER = (1.0e6, 1.01e6, 1.02e6), (2.0e6, 2.01e6, 2.02e6)


@pytest.fixture
def here(tmp_path: Path) -> Path:
    """A folder with ./sessions: r1 and r2, of two cases each, and r3 of one."""
    both = ("inet4", "pf")
    for name, values, cases in (("r1", BASE, both), ("r2", OTHER, both), ("r3", OTHER, ("pf",))):
        created = "2026-01-02T03:04:05+00:00"
        with SessionWriter.create(tmp_path / "sessions" / name, label=name, created=created) as session:
            for case in cases:
                for value in values:
                    session.begin(case).commit(Iteration(index=0, value=value))
    (tmp_path / "values").write_text("1\n2\n3\n")
    return tmp_path


def refused(here: Path, *arguments: str) -> str:
    """The line on stderr, of a process in a terminal: nothing was drawn."""
    status, written = in_terminal("compare", *arguments, "--tui", cwd=here)
    assert status == 2 and b"\x1b" not in written
    (line,) = written.decode().splitlines()
    return line


def test_without_a_terminal_it_is_refused_in_one_line(here):
    done = run("compare", "r1", "r2", "--tui", cwd=here)
    assert done.returncode == 2 and done.stdout == ""
    assert done.stderr == "fwdtui: the app needs a terminal; without one use: fwdtui compare without --tui\n"


@pytest.mark.parametrize(
    ("arguments", "option"),
    [
        (["--format", "table"], "--format"),
        (["--format", "json"], "--format"),
        (["--fail-if", "slower"], "--fail-if"),
        (["--fail-unless", "equivalent"], "--fail-unless"),
        (["--plot"], "--plot"),
        (["--explain"], "--explain"),
        (["--offered", "14.88M"], "--offered"),
        (["--label", "x"], "--label"),
        (["-C", "2"], "-C"),
        (["-d", ","], "-d"),
        (["--flavour", "debian"], "--flavour"),
        (["-A"], "-A"),
        (["-n"], "-n"),
        (["-q"], "-q"),
        (["-s"], "-s"),
        (["-w", "80"], "-w"),
    ],
)
def test_options_that_the_screen_does_not_have_are_refused_and_not_ignored(capsys, arguments, option):
    from fwdtui.cli import main

    assert main(["compare", "r1", "r2", "--tui", *arguments]) == 2
    assert capsys.readouterr().err == f"fwdtui: {option} cannot be combined with --tui\n"


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (
            ["r1"],
            "compare needs a BASE and at least one OTHER, or --by FACTOR, or the session of an experiment",
        ),
        (["r1", "rr2"], "rr2: no such value file or session; did you mean r2?"),
        (["r1", "values"], "values: a value file; --tui compares sessions"),
        (
            ["r1:inet4", "r2:pf", "r2"],
            "to compare the cases inet4 and pf with each other, write every session as SESSION:CASE",
        ),
        (["r1:inet4", "r3"], "sessions/r3: no case 'inet4'; it has pf"),
        (["r1:inet4", "r2:inet5"], "sessions/r2: no case 'inet5'; it has inet4, pf"),
    ],
)
def test_what_cannot_be_shown_is_refused_before_anything_is_drawn(here, arguments, told):
    assert refused(here, *arguments) == f"fwdtui: {told}"


def test_it_opens_by_factors_on_one_session_too(here):
    """Two cases of one session are the two levels of the factor `case`."""
    _, written = in_terminal(
        "compare", "r1", "--tui", "--by", "case", cwd=here, keys=[("inconclusive", b"q")]
    )
    shown = re.sub(r"\x1b\[[0-9;]*m", "", written.decode())
    assert "by case" in shown and "baseline inet4" in shown and "candidate pf" in shown


@pytest.mark.parametrize("cases", [("", ""), (":pf", ""), ("", ":pf"), (":pf", ":pf")])
def test_it_opens_on_the_comparison_with_the_options_of_the_command(here, cases):
    """Every case of both, or the one that is chosen for either, and no line about the others."""
    _, written = in_terminal(
        "compare", f"r1{cases[0]}", f"r2{cases[1]}", "--tui", "--margin", "2%", "-c", "99",
        cwd=here, keys=[("faster", b"q")],
    )  # fmt: skip
    shown = re.sub(r"\x1b\[[0-9;]*m", "", written.decode())
    assert "r1" in shown and "‹ 2 % ›" in shown and "‹ 99 % ›" in shown
    assert ("inet4" in shown) == (cases == ("", "")) and "pf" in shown


def test_it_opens_on_a_case_against_another_of_the_same_session(here):
    _, written = in_terminal("compare", "r1:inet4", "r1:pf", "--tui", cwd=here, keys=[("inconclusive", b"q")])
    shown = re.sub(r"\x1b\[[0-9;]*m", "", written.decode())
    assert "inet4 / pf" in shown and "r1:inet4" in shown and "r1:pf" in shown


def test_the_refusals_load_no_screen(here):
    code = (
        "import sys\nfrom fwdtui.cli import main\nassert main(['compare', 'r1', 'r2', '--tui']) == 2\n"
        "print(*sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True, text=True, timeout=60, stdin=subprocess.DEVNULL, cwd=here, check=True,
    )  # fmt: skip
    assert {"textual", "asyncssh"} & set(done.stdout.split()) == set()
