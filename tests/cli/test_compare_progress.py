"""Files of millions of values take seconds to read: on a terminal that is shown, and nowhere else."""

import os
import pty
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

# the line appears after a second: here at once, so that no test has to wait for a slow disk
CODE = """
import sys
from fwdtui.cli import main, progress
progress._PATIENCE = progress._EVERY = 0.0
status = main(sys.argv[1:])
sys.exit(status)
"""


@pytest.fixture
def files(tmp_path: Path) -> list[str]:
    """Two value files of 2.4 MB: their reading comes in three blocks."""
    for name, step in (("a", 7), ("b", 11)):
        lines = "".join(f"{1_000_000 + step * number % 1000}\n" for number in range(300_000))
        (tmp_path / name).write_text(lines)
    return [str(tmp_path / "a"), str(tmp_path / "b")]


def on_terminal(*arguments: str) -> tuple[int, str, str]:
    """Status, standard output (a file) and standard error (a terminal)."""
    leader, follower = pty.openpty()
    environment = {**os.environ, "COLUMNS": "200"}
    command = [sys.executable, "-c", CODE, *arguments]
    with (
        tempfile.TemporaryFile() as out,
        subprocess.Popen(command, stdout=out, stderr=follower, env=environment) as child,
    ):
        os.close(follower)
        parts = []
        while True:
            try:
                part = os.read(leader, 4096)
            except OSError:  # Linux: the other side is closed
                break
            if not part:
                break
            parts.append(part)
        os.close(leader)
        status = child.wait(60)
        out.seek(0)
        return status, out.read().decode(), b"".join(parts).decode()


@pytest.mark.parametrize("form", ["ministat", "table"])
def test_the_megabytes_read_are_shown_and_taken_back(files: list[str], form: str) -> None:
    plain = ["-A"] if form == "ministat" else []
    status, out, err = on_terminal("compare", *files, "--format", form, *plain)
    quiet = subprocess.run(
        [sys.executable, "-c", CODE, "compare", *files, "--format", form, *plain],
        capture_output=True,
        text=True,
        env={**os.environ, "COLUMNS": "200"},
    )
    assert (status, out) == (0, quiet.stdout)
    assert quiet.stderr == "", "not where nobody looks"
    told = [line for line in err.split("\r\x1b[K") if line]
    assert told[0].startswith(f"reading 1/4  MB, {files[0]}")
    assert any(line.startswith(f"reading 4/4  MB, {files[1]}") for line in told)
    assert ("comparing" in told) == (form == "table")
    assert err.endswith("\r\x1b[K")


def test_an_error_stands_on_a_line_of_its_own(files: list[str]) -> None:
    with Path(files[1]).open("a") as file:
        file.write("words\n")
    status, _, err = on_terminal("compare", *files)
    assert status == 2
    assert err.rpartition("\r\x1b[K")[2].rstrip("\r\n") == f"fwdtui: {files[1]}:300001: not a number: 'words'"


def test_of_small_files_nothing_is_shown(tmp_path: Path) -> None:
    (tmp_path / "small").write_text("1\n2\n3\n")
    assert on_terminal("compare", str(tmp_path / "small"), "--format", "ministat")[2] == ""
