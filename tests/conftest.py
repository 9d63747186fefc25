"""Where the shared real results are, a user's own configuration kept out of the tests, and their order."""

import gc
import inspect
import os
import signal
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from functools import cache
from itertools import count
from pathlib import Path

import fixtures
import forked
import hypothesis
import kernel_lab_use
import pytest
import quick_lab
import side_by_side
from small_disk import SmallDisk, mounted

from fwdtui.collectors import plugins

# The suite gives the same answer each time, from a part of the examples that each test asks for.
# FWDTUI_RANDOM=20 searches at random, with 20 times as many as asked for; what it finds becomes an @example.
RANDOM = int(os.environ.get("FWDTUI_RANDOM", "0"))
PART, LEAST = 0.3, 25
hypothesis.settings.register_profile("same", derandomize=True, deadline=None)
hypothesis.settings.register_profile("search", deadline=None, print_blob=True)
hypothesis.settings.load_profile("search" if RANDOM else "same")

# A shell's background job ignores SIGINT, and so would all programs under test that are sent one.
signal.signal(signal.SIGINT, signal.default_int_handler)

# An app under test makes and drops thousands of small objects. Looking for circles among them at the usual
# pace took a fifth of the suite's time. Taking apart what is found costs most of what is left, 7 % of
# the ui's time, if that is done after a million new objects. Where all processes have memory, it can wait.
MILLION, PLENTY = 10_000_000, 16 << 30


def _memory() -> int:
    """Bytes that are available; 0 if that is not known, as on other systems than Linux."""
    try:
        lines = Path("/proc/meminfo").read_text().splitlines()
    except OSError:
        return 0
    return next((int(line.split()[1]) << 10 for line in lines if line.startswith("MemAvailable:")), 0)


gc.set_threshold((5 if _memory() >= PLENTY else 1) * MILLION, 5, 5)

# Thousands of small sessions are written and synced: a disk makes the tests wait, and tests nothing more.
# TMPDIR=/tmp brings the disk back; so does a machine whose memory disk is small or runs no programs.
MEMORY_DISK, ENOUGH = Path("/dev/shm"), 4 << 30


def _has_room() -> bool:
    try:
        found = os.statvfs(MEMORY_DISK)
    except OSError:
        return False
    return found.f_bavail * found.f_frsize >= ENOUGH and not found.f_flag & (os.ST_NOEXEC | os.ST_RDONLY)


if _has_room():
    os.environ.setdefault("TMPDIR", str(MEMORY_DISK))
    tempfile.tempdir = None  # pytest has asked for the folder already, and the answer was remembered

lab_file = quick_lab.lab_file
kernel_lab_works = kernel_lab_use.kernel_lab_works
a_lab = kernel_lab_use.a_lab
lab = kernel_lab_use.lab

REPOSITORY = Path(__file__).resolve().parent.parent
SHARED = REPOSITORY.parent / "shared"

# These wait most of their time, for labs and terminals that are as slow as real ones. The longest come first,
# and those of one kind not all at once: a processor was idle for a fifth of half a minute.
WAITING = (
    "tests/labs/test_vm_experiment.py",
    "tests/labs/test_vm_lab.py",
    "tests/labs/test_vm_drop_reasons.py",
    "tests/labs/test_vm_generator.py",
    "tests/experiments/test_experiment_killed.py",
    "tests/experiments/test_experiment_boot_choice.py",
    "tests/e2e/test_demo_to_report.py",
    "tests/experiments/test_experiment_trouble.py",
    "tests/ui/test_experiment_screen.py",
    "tests/experiments/test_experiment_turns.py",
    "tests/experiments/test_experiment_headless.py",
    "tests/ui/test_demo.py",
    "tests/experiments/test_experiment_run.py",
    "tests/ui/test_run_screen.py",
    "tests/experiments/test_experiment_profiles.py",
    "tests/ui/test_full_disk_screen.py",
    "tests/experiments/test_experiment_traffic.py",
    "tests/e2e/test_full_disk_run.py",
    "tests/experiments/test_experiment_unjudged.py",
    "tests/e2e/test_run_profile.py",
    "tests/experiments/test_experiment_hooks.py",
    "tests/e2e/test_plugin_example.py",
    "tests/experiments/test_experiment_dropped.py",
    "tests/e2e/test_app_signals.py",
    "tests/experiments/test_experiment_settle.py",
    "tests/experiments/test_experiment_hosts.py",
    "tests/labs_simulated/test_simulated_faults.py",
    "tests/labs_simulated/test_simulated_diagnosis.py",
    "tests/labs_simulated/test_simulated_lab.py",
    "tests/labs_simulated/test_simulated_standins.py",
    "tests/monitor/test_profiling.py",
    "tests/monitor/test_replay_simulated.py",
    "tests/e2e/test_kernel_lab_ends.py",
    "tests/e2e/test_kernel_lab_capped.py",
    "tests/e2e/test_kernel_lab_steady.py",
    "tests/e2e/test_kernel_drop_reasons_ends.py",
    "tests/e2e/test_demo_kernel.py",
    "tests/e2e/test_demo_tmux.py",
    "tests/labs/test_kernel_lab_comes_and_goes.py",
    "tests/labs/test_kernel_lab_rates.py",
    "tests/collectors/test_sampler_silent.py",
    "tests/collectors/test_sampler_linux.py",
    "tests/collectors/test_sampler_freebsd.py",
    "tests/collectors/test_doctor.py",
    "tests/collectors/test_counting.py",
    "tests/collectors/test_hardware_read.py",
    "tests/collectors_tools/test_tool_running.py",
    "tests/transport/test_ssh_commands.py",
    "tests/transport/test_ssh_stopped.py",
    "tests/transport/test_ssh_link.py",
    "tests/transport/test_ssh_stalls.py",
    "tests/transport/test_ssh_unanswered.py",
    "tests/transport/test_remote_shell.py",
    "tests/monitor/test_full_disk.py",
    "tests/cli/test_trust_command.py",
)
# These compute for longer than others, so they begin first.
LONGEST = (
    "tests/ui/test_gallery.py",
    "tests/stats/test_simulation.py",
    "tests/ui/test_contrast.py",
    "tests/ui/test_session_screen.py",
    "tests/ui/test_functions_tab.py",
    "tests/ui/test_whole.py",
    "tests/ui/test_compare_screen.py",
    "tests/ui/test_compare_tabs.py",
    "tests/ui/test_markup.py",
    "tests/ui/test_in_turn.py",
    "tests/report/test_check_time.py",
    "tests/ui/test_preview_export.py",
    "tests/ui/test_app_palette.py",
    "tests/ui/test_sessions_screen.py",
    "tests/ui/test_app_sizes.py",
    "tests/ui/test_replay_screen.py",
    "tests/ui/test_live_sizes.py",
    "tests/ui/test_copying.py",
    "tests/ui/test_live_keys.py",
    "tests/ui/test_live_asks.py",
    "tests/monitor/test_even.py",
    "tests/ui/test_sweep_screen.py",
    "tests/stats/test_simulation_interaction.py",
    "tests/ui/test_bits_screen.py",
    "tests/ui/test_app_modes.py",
    "tests/ui/test_session_groups.py",
    "tests/stats/test_ministat_debian.py",
    "tests/collectors/test_linux_script.py",
    "tests/ui/test_esc_changes_nothing.py",
    "tests/ui/test_preview.py",
)

# Kernel labs at full load take all that the machine has: only what yields to them runs beside these.
ALONE = (
    "tests/labs/test_kernel_lab.py",
    "tests/e2e/test_kernel_lab_runs.py",
    "tests/e2e/test_kernel_drops.py",
    "tests/e2e/test_kernel_drop_reasons.py",
    "tests/e2e/test_kernel_profile.py",
    "tests/e2e/test_kernel_experiment.py",
)
# What is in these folders only computes, but for a file that looks at the machine; and so do these files.
MEANWHILE = ("tests/core", "tests/core_profile", "tests/report", "tests/stats")
MEANWHILE_TOO = (
    "tests/monitor/test_even.py",
    "tests/monitor/test_iteration.py",
    "tests/monitor/test_iteration_series.py",
    "tests/monitor/test_refreshes.py",
    "tests/monitor/test_refreshes_of_sums.py",
    "tests/monitor/test_survey.py",
    "tests/store/test_import_benchlab.py",
)
OF_THE_MACHINE = ("tests/core/test_parse_linux_here.py",)

# These use one machine, or one name. Two emulate machines: after the VM lab's other tests, not beside them.
# The experiment on the VM lab, which waits most of its time, has a machine of its own and runs beside both.
TOGETHER = {
    "tests/labs/test_vm_drop_reasons.py": "tests/labs/test_vm_lab.py",
    "tests/labs/test_vm_generator.py": "tests/labs/test_vm_lab.py",
    "tests/e2e/test_demo_kernel.py": "tests/e2e/test_demo_kernel.py",
}


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--beside", type=int, default=0, metavar="N", help="run the tests in N processes")


@pytest.hookimpl(tryfirst=True)
def pytest_runtestloop(session: pytest.Session) -> bool | None:
    """Side by side, if that is asked for."""
    config = session.config
    if not config.option.beside or config.option.collectonly or session.testsfailed:
        return None
    forked.start()
    side_by_side.SideBySide(session, config.option.beside, kind, together).run()
    return True


def kind(item: pytest.Item) -> side_by_side.Kind:
    """When it is run, and beside what."""
    name = _name(item)
    if name in ALONE:
        return side_by_side.Kind.ALONE
    if name in WAITING:
        return side_by_side.Kind.WAITS
    folder = item.path.parent.relative_to(REPOSITORY).as_posix()
    meanwhile = name in MEANWHILE_TOO or (folder in MEANWHILE and name not in OF_THE_MACHINE)
    return side_by_side.Kind.MEANWHILE if meanwhile else side_by_side.Kind.COMPUTES


def together(item: pytest.Item) -> object:
    """The file that it is run with; of a file that waits, a test that shares nothing is run by itself."""
    name = _name(item)
    alone = name in WAITING and name not in TOGETHER and not side_by_side.shares(item)
    return item if alone else TOGETHER.get(name, name)


def _name(item: pytest.Item) -> str:
    return item.path.relative_to(REPOSITORY).as_posix()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The files that wait come first, and the longest ones of each kind."""
    files: dict[str, list[pytest.Item]] = {name: [] for name in (*WAITING, *LONGEST)}
    for item in items:
        files.setdefault(_name(item), []).append(item)
    items[:] = [item for name in files for item in files[name]]
    for test in {getattr(item.obj, "__func__", item.obj) for item in items if hasattr(item, "obj")}:
        if chosen := getattr(test, "_hypothesis_internal_use_settings", None):
            asked = chosen.max_examples
            count = RANDOM * asked if RANDOM else min(asked, max(LEAST, round(PART * asked)))
            test._hypothesis_internal_use_settings = hypothesis.settings(chosen, max_examples=count)


def pytest_collection_finish() -> None:
    """The tests themselves stay until the end: no search for circles looks through them again."""
    gc.collect()
    gc.freeze()


def _shared(part: str) -> Path:
    folder = SHARED / part if part else SHARED
    if not folder.is_dir():
        pytest.skip(f"the shared folder {part or 'shared'} is not beside this checkout")
    return folder


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of real results and reference texts beside the checkout."""
    return _shared("")


@pytest.fixture(scope="session")
def netbenches() -> Path:
    """Raw results of published benchmarks."""
    return _shared("netbenches")


@pytest.fixture(scope="session")
def archive() -> Path:
    """Raw results of published benchmarks that are not one build against another."""
    return _shared("archive")


@pytest.fixture(scope="session")
def captures() -> Path:
    """Real output of the commands that the collectors parse."""
    return _shared("captures")


@pytest.fixture(scope="session")
def texts() -> Callable[[str, str], dict[str, str]]:
    """A function from a system and a shell pattern to texts by name: our own, and captures where they are."""

    @cache
    def find(system: str, pattern: str) -> dict[str, str]:
        files = sorted((SHARED / "captures" / system).glob(pattern)) if pattern else []
        shared = {file.stem: file.read_text(encoding="utf-8", errors="backslashreplace") for file in files}
        return {**fixtures.matching(system, pattern), **shared}

    return find


@pytest.fixture(scope="session")
def seeds() -> Path:
    """Five published reports."""
    return _shared("seeds")


@pytest.fixture
def agree(request: pytest.FixtureRequest, subtests: pytest.Subtests) -> fixtures.Agree:
    """Runs checks of real results as parts of one test, which is skipped where their folder is missing."""

    def run(*checks: fixtures.Check) -> None:
        folders = ("captures", "netbenches", "archive", "seeds", "shared")
        needed = [
            [name for name in inspect.signature(check).parameters if name in folders] for check in checks
        ]
        found = {name: request.getfixturevalue(name) for names in needed for name in names}
        for check, names in zip(checks, needed, strict=True):
            for case in getattr(check, "cases", [{}]):
                with subtests.test(check.__name__, **case):
                    check(**{name: found[name] for name in names}, **case)

    return run


@pytest.fixture(scope="session")
def homes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """New empty folders. `mktemp` would look at all that it made before."""
    folder = tmp_path_factory.mktemp("homes")

    def make() -> Iterator[str]:
        for number in count():
            os.mkdir(home := f"{folder}/{number}")  # noqa: PTH102 - thousands of them
            yield home

    return make()


@pytest.fixture(autouse=True)
def _own_home(homes: Iterator[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """The developer's own configuration and terminal never reach a test."""
    home = next(homes)
    monkeypatch.setenv("HOME", home)
    for name in ("XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME"):
        monkeypatch.setenv(name, f"{home}/{name.lower()}")
    for name in ("NO_COLOR", "FORCE_COLOR", "COLUMNS", "LINES", "SSH_AUTH_SOCK"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def installed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Callable[..., None]]:
    """Installs a package with a module `plugged` and entry points: real metadata on sys.path."""

    def install(points: str, module: str = "", group: str = "fwdtui.tools") -> None:
        folder = tmp_path / "installed"
        info = folder / "plugged-1.0.dist-info"
        info.mkdir(parents=True)
        (folder / "plugged.py").write_text(module)
        (info / "METADATA").write_text("Metadata-Version: 2.1\nName: plugged\nVersion: 1.0\n")
        (info / "entry_points.txt").write_text(f"[{group}]\n{points}\n")
        monkeypatch.syspath_prepend(str(folder))
        monkeypatch.delitem(sys.modules, "plugged", raising=False)
        plugins._found.cache_clear()

    yield install
    plugins._found.cache_clear()


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[SmallDisk]:
    """A real disk of four megabytes, that can be filled."""
    with mounted(tmp_path / "disk") as disk:
        yield disk


@pytest.fixture
def zone(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[str], None]]:
    """Sets the computer's time zone: ``UTC``, ``PST8``."""

    def become(name: str) -> None:
        monkeypatch.setenv("TZ", name)
        time.tzset()

    yield become
    monkeypatch.undo()
    time.tzset()
