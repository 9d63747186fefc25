"""The command line's door: exit statuses, one clear line, never a traceback."""

import os
import subprocess
import sys

import pytest
from fixtures import benchlab
from forked import run

from fwdtui.cli import COMMANDS, main


@pytest.mark.parametrize("command", sorted(COMMANDS))
def test_every_command_has_help_that_fits_80_columns(command, monkeypatch, capsys):
    monkeypatch.setenv("COLUMNS", "80")
    assert main([command, "--help"]) == 0
    assert max(map(len, capsys.readouterr().out.splitlines())) <= 80


def test_an_unknown_command_is_a_usage_error_that_names_the_others():
    done = run("compair")
    assert done.returncode == 2
    assert "no such command: 'compair'" in done.stderr and "compare" in done.stderr


@pytest.mark.parametrize(
    "arguments", [("compare",), ("compare", "a", "--nonsense"), ("report", "a", "b"), ("import",), ("--x",)]
)
def test_a_usage_error_is_one_line_too(arguments):
    done = run(*arguments)
    assert done.returncode == 2
    assert len(done.stderr.splitlines()) == 1 and "--help" in done.stderr


@pytest.mark.parametrize(
    "arguments",
    [
        ("compare", "no-such-a", "no-such-b"),
        ("compare", "--format", "ministat", "no-such-a"),
        ("report", "no-such-a", "no-such-b", "-o", "x.md"),
        ("import", "no-such-dir", "--into", "x"),
        ("sessions", "no-such-dir"),
        ("check", "no-such.md"),
    ],
)
def test_a_missing_file_is_one_line_on_stderr_that_names_it_and_status_2(arguments, tmp_path):
    done = run(*arguments, cwd=tmp_path)
    assert done.returncode == 2
    assert len(done.stderr.splitlines()) == 1 and "no-such" in done.stderr
    assert "Traceback" not in done.stderr and done.stdout == ""
    assert list(tmp_path.iterdir()) == []


def test_the_app_refuses_to_draw_without_a_terminal():
    done = run("demo")
    assert done.returncode == 2
    assert done.stderr.startswith("fwdtui: the app needs a terminal")
    assert "\x1b" not in done.stdout + done.stderr


def test_a_control_character_of_a_name_does_not_reach_the_terminal(tmp_path):
    done = run("compare", "a\x1b]0;owned\x07", "b", cwd=tmp_path)
    assert done.returncode == 2 and "\x1b" not in done.stderr


def test_a_reader_that_goes_away_is_no_error(tmp_path):
    values = tmp_path / "v"
    values.write_text("1\n2\n3\n" * 5000)
    command = f"{sys.executable} -m fwdtui compare --format ministat {values} {values} | head -1"
    done = subprocess.run(["/bin/sh", "-c", command], capture_output=True, text=True, timeout=60)
    assert done.stderr == "" and done.stdout.startswith("x ")


def test_import_tells_what_it_made_and_what_comes_next(tmp_path):
    tree = benchlab.forwarding(tmp_path)
    done = run("import", str(tree), "--into", "s", cwd=tmp_path, env={**os.environ, "COLUMNS": "200"})
    assert done.returncode == 0
    assert "s/r100  r100: 2 cases, 10 iterations" in done.stdout
    assert "Next: fwdtui compare s/* --by image --baseline image=r100\n" in done.stderr
    again = run("import", str(tree), "--into", "s", cwd=tmp_path)
    assert again.returncode == 2 and "exists already" in again.stderr


def test_the_command_that_comes_next_is_quoted_for_the_shell(tmp_path):
    tree = benchlab.forwarding(tmp_path)
    done = run("import", str(tree), "--into", "my sessions", cwd=tmp_path)
    assert "Next: fwdtui compare 'my sessions'/* --by image --baseline image=r100\n" in done.stderr
