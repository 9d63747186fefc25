"""Headless commands never load Textual; a comparison loads neither asyncssh nor scipy.stats.

Proved in fresh processes: what this test runner has loaded does not count.
"""

import subprocess
import sys
from pathlib import Path

import pytest

from fwdtui.cli import COMMANDS

HEADLESS = sorted(set(COMMANDS) - {"demo"})


def loaded(program: str, *arguments: str) -> set[str]:
    """The top modules that a program has loaded when it is done (with scipy's and textual's submodules)."""
    code = f"import sys\n{program}\nprint('LOADED', *sorted(sys.modules))"
    done = subprocess.run(
        [sys.executable, "-c", code, *arguments], capture_output=True, text=True, check=True, timeout=60
    )
    return set(done.stdout.rsplit("LOADED", 1)[1].split())


@pytest.mark.parametrize("command", HEADLESS)
def test_the_help_of_a_headless_command_loads_nothing_heavy(command):
    program = f"from fwdtui.cli import main\ntry: main([{command!r}, '--help'])\nexcept SystemExit: pass"
    heavy = {"textual", "asyncssh", "scipy", "numpy", "plotext", "matplotlib", "rich"}
    assert loaded(program) & heavy == set()


@pytest.fixture
def sets(tmp_path: Path) -> tuple[str, str]:
    for name, values in (("a", (1.0, 2.0, 3.0)), ("b", (4.0, 5.0, 6.5))):
        (tmp_path / name).write_text("".join(f"{value}\n" for value in values))
    return str(tmp_path / "a"), str(tmp_path / "b")


@pytest.mark.parametrize("form", ["table", "json", "markdown", "ministat"])
def test_a_comparison_loads_neither_textual_nor_asyncssh_nor_all_of_scipy(sets, form):
    program = "from fwdtui.cli import main\nmain(['compare', '--format', sys.argv[3], *sys.argv[1:3]])"
    modules = loaded(program, *sets, form)
    assert modules & {"textual", "asyncssh", "scipy.stats", "matplotlib", "rich"} == set()
    if form == "ministat":
        assert modules & {"scipy", "numpy", "msgspec", "plotext"} == set()


def test_the_table_of_two_value_files_loads_nothing_that_only_sessions_need(sets):
    program = "from fwdtui.cli import main\nmain(['compare', *sys.argv[1:]])"
    of_sessions = {
        "fwdtui.core.cost",
        "fwdtui.core.experiment",
        "fwdtui.core.lab",
        "fwdtui.report.by_factor",
        "fwdtui.report.experiment_summary",
        "fwdtui.report.settings_difference",
        "fwdtui.report.settings_wording",
        "fwdtui.store.reader",
        "statistics",
        "tomllib",
    }
    assert loaded(program, *sets) & of_sessions == set()


def test_a_comparison_looks_for_no_garbage_while_it_loads_and_computes(sets):
    program = (
        "import gc\nfrom fwdtui.cli import main\n"
        "def searches(): return gc.get_stats()[1]['collections']\n"  # of more than what is new
        "before = searches()\nmain(['compare', *sys.argv[1:]])\n"
        "print('searched', searches() - before, 'enabled', gc.isenabled())"
    )
    code = f"import sys\n{program}"
    done = subprocess.run(
        [sys.executable, "-c", code, *sets], capture_output=True, text=True, check=True, timeout=60
    )
    assert done.stdout.splitlines()[-1] == "searched 0 enabled True"


def test_the_version_is_told_without_loading_anything(capsys):
    program = "from fwdtui.cli import main\ntry: main(['--version'])\nexcept SystemExit: pass"
    assert loaded(program) & {"msgspec", "textual", "scipy", "numpy"} == set()
