"""What a fresh clone and an installed wheel need to have."""

import os
import shutil
import subprocess
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent


def test_what_the_wheel_takes_in_by_force_is_there():
    forced = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["hatch"]["build"]["targets"][
        "wheel"
    ]
    for folder in forced["force-include"]:
        assert any((ROOT / folder).iterdir()), (
            f"{folder} is empty: git does not keep it, and pip cannot build"
        )


def test_the_examples_are_whole_sessions_and_small():
    from fwdtui.store import read_session

    folders = [path for path in (ROOT / "sessions").iterdir() if path.is_dir()]
    assert len(folders) in (2, 3)
    for folder in folders:
        session = read_session(folder, verify=True)
        assert session.problems == ()
        assert all(iteration.value for case in session.cases for iteration in case.iterations)
    assert sum(path.stat().st_size for path in (ROOT / "sessions").rglob("*") if path.is_file()) < 3_000_000


def test_the_examples_name_no_place_of_the_machine_they_were_made_on():
    for path in (ROOT / "sessions").rglob("*"):
        if path.is_file():
            data = path.read_bytes()
            assert b"/root/" not in data and b"/home/" not in data and b"/work/" not in data, path


def test_every_picture_and_page_that_the_readme_shows_is_there():
    import re

    text = (ROOT / "README.md").read_text()
    links = re.findall(r"\]\((?!https?:)([^)#]+)\)", text)
    assert links
    for link in links:
        assert (ROOT / link).exists(), link


def test_the_tables_of_the_readme_are_what_the_tool_prints(netbenches):
    import importlib.util

    spec = importlib.util.spec_from_file_location("readme_tables", ROOT / "scripts" / "readme_tables.py")
    assert spec is not None and spec.loader is not None
    tables = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(tables)
    text = (ROOT / "README.md").read_text()
    assert tables.regenerated(text) == text, "run scripts/readme_tables.py"


@pytest.mark.parametrize("target", ["demo", "test", "check", "clean"])
def test_the_make_of_freebsd_does_what_that_of_linux_does(target):
    """Debian's bmake is the same program: https://www.crufty.net/help/sjg/bmake.html."""
    if not (shutil.which("bmake") and shutil.which("make")):
        pytest.skip("needs make and bmake")
    # of the make that runs the tests nothing is taken over
    own = {name: value for name, value in os.environ.items() if not name.startswith(("MAKE", "MFLAGS"))}
    told = [
        subprocess.run([make, "-n", target], cwd=ROOT, env=own, capture_output=True, text=True, check=True)
        for make in ("make", "bmake")
    ]
    assert told[0].stdout == told[1].stdout != ""


@pytest.mark.parametrize("name", ["constraints.txt", "pyproject.toml", ".ci/run", "Makefile"])
def test_no_registry_is_named(name):
    assert "://" not in (ROOT / name).read_text()
