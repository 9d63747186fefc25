"""Headless commands never load Textual; a comparison loads neither asyncssh nor scipy.stats.

Proved in fresh processes: what this test runner has loaded does not count.
"""

import subprocess
import sys
from pathlib import Path

import pytest

from fwdtui.cli import COMMANDS

HEADLESS = sorted(set(COMMANDS) - {"demo"})


def printed(program: str, *arguments: str) -> str:
    """What a program prints in a process of its own, which has imported sys."""
    command = [sys.executable, "-c", f"import sys\n{program}", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=True, timeout=60).stdout


def loaded(program: str, *arguments: str) -> set[str]:
    """The top modules that a program has loaded when it is done (with scipy's and textual's submodules)."""
    text = printed(f"{program}\nprint('LOADED', *sorted(sys.modules))", *arguments)
    return set(text.rsplit("LOADED", 1)[1].split())


def test_the_help_of_a_headless_command_loads_nothing_heavy():
    """One after another in one process: the first that loads it is named."""
    heavy = {"textual", "asyncssh", "scipy", "numpy", "plotext", "matplotlib", "rich"}
    program = (
        "from fwdtui.cli import main\nfound = {}\n"
        f"for command in {HEADLESS}:\n"
        "    try: main([command, '--help'])\n    except SystemExit: pass\n"
        f"    found[command] = sorted({heavy} & set(sys.modules))\n"
        "print('FOUND', found)"
    )
    assert printed(program).rsplit("FOUND ", 1)[1].strip() == str({command: [] for command in HEADLESS})


@pytest.fixture
def sets(tmp_path: Path) -> tuple[str, str]:
    for name, values in (("a", (1.0, 2.0, 3.0)), ("b", (4.0, 5.0, 6.5))):
        (tmp_path / name).write_text("".join(f"{value}\n" for value in values))
    return str(tmp_path / "a"), str(tmp_path / "b")


def test_a_comparison_loads_neither_textual_nor_asyncssh_nor_all_of_scipy(sets):
    program = (
        "from fwdtui.cli import main\n"
        "for form in sys.argv[3:]: main(['compare', '--format', form, *sys.argv[1:3]])"
    )
    never = {"textual", "asyncssh", "scipy.stats", "matplotlib", "rich"}
    assert loaded(program, *sets, "table", "json", "markdown") & never == set()
    assert loaded(program, *sets, "ministat") & (never | {"scipy", "numpy", "msgspec", "plotext"}) == set()


def test_the_table_of_two_value_files_loads_nothing_that_only_sessions_need(sets):
    program = "from fwdtui.cli import main\nmain(['compare', *sys.argv[1:]])"
    of_sessions = {
        "fwdtui.core.cost",
        "fwdtui.core.experiment",
        "fwdtui.core.lab",
        "fwdtui.report.by_factor",
        "fwdtui.report.experiment_summary",
        "fwdtui.report.link",
        "fwdtui.report.settings_difference",
        "fwdtui.report.settings_wording",
        "fwdtui.store.reader",
        "statistics",
        "tomllib",
    }
    assert loaded(program, *sets) & of_sessions == set()


def test_an_import_loads_nothing_that_only_profiles_configurations_and_factors_need(tmp_path):
    line = "7.000000 main_thread [2277] 1000 pps (1000 pkts 480000 bps in 1000000 usec)"
    for kind in ("receiver", "sender"):
        (tmp_path / f"bench.a.1.{kind}").write_text(f"{line}\n" * 30)
    program = "from fwdtui.cli import main\nmain(['import', sys.argv[1], '--into', sys.argv[2], '--quiet'])"
    modules = loaded(program, str(tmp_path), str(tmp_path / "sessions"))
    assert (tmp_path / "sessions/a/default/001/iteration.json").is_file()
    unneeded = {
        "fwdtui.core.evidence",
        "fwdtui.core.parse.profile_text",
        "fwdtui.core.settings_reading",
        "fwdtui.store.writer",
        "tomllib",
    }
    assert modules & unneeded == set()


def test_a_comparison_looks_for_no_garbage_while_it_loads_and_computes(sets):
    program = (
        "import gc\nfrom fwdtui.cli import main\n"
        "def searches(): return gc.get_stats()[1]['collections']\n"  # of more than what is new
        "gc.collect()\n"  # else the next search is due sooner or later, by what was made before
        "before = searches()\nmain(['compare', *sys.argv[1:]])\n"
        "print('searched', searches() - before, 'enabled', gc.isenabled())"
    )
    assert printed(program, *sets).splitlines()[-1] == "searched 0 enabled True"


def test_the_version_is_told_without_loading_anything(capsys):
    program = "from fwdtui.cli import main\ntry: main(['--version'])\nexcept SystemExit: pass"
    assert loaded(program) & {"msgspec", "textual", "scipy", "numpy"} == set()


FIRST_FRAMES = {
    "the welcome": "app = FwdtuiApp(Path('sessions'), welcome=True)",
    "the demo": """
from fwdtui.ui.demo import demo_control
from fwdtui.ui.demo.screen import DemoScreen
control = demo_control.simulated()
app = FwdtuiApp(control.into, live=control, live_screen=DemoScreen)
""",
    "the live screen": """
from fwdtui.ui.live.bench_control import BenchControl
Path('lab.toml').write_text(LAB)
app = FwdtuiApp(Path('into'), live=BenchControl(Path('lab.toml'), Path('into'), 'session', 'default'))
""",
}
RUN = """
import asyncio, os
from textual.message_pump import MessagePump
MessagePump.set_timer = lambda *arguments, **options: None  # by these begins what follows the first frame
async def first_frame():
    async with app.run_test(size=(120, 40)):
        print('LOADED', *sorted(sys.modules), flush=True)
        os._exit(0)
asyncio.run(first_frame())
"""
LAB = """
[generator]
host = "gen.invalid"
interface = "ix0"
[dut]
host = "dut.invalid"
in = "ix0"
out = "ix1"
"""


@pytest.mark.parametrize("program", FIRST_FRAMES.values(), ids=FIRST_FRAMES.keys())
def test_the_first_frame_waits_for_nothing_that_it_does_not_show(program, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    begin = f"from pathlib import Path\nLAB = {LAB!r}\nfrom fwdtui.ui.shell.app import FwdtuiApp\n"
    modules = loaded(begin + program + RUN)
    heavy = {"asyncssh", "cryptography", "scipy", "numpy", "plotext", "matplotlib"}
    reaching = {"fwdtui.monitor.run.bench", "fwdtui.transport.ssh", "fwdtui.labs.simulated.lab"}
    later = {"csv", "zipfile", "importlib.resources", "fwdtui.monitor.live.iteration"}
    parsers = {f"fwdtui.core.parse.{name}" for name in ("hist_trigger", "dtrace_drops", "proc_interrupts")}
    assert modules & (heavy | reaching | later | parsers) == set()
    assert "fwdtui.ui.common.footer" in modules  # there was a frame
