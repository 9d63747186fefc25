"""`--beside N` gives the results that a single process gives, whatever becomes of its processes."""

import os
import re
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import pytest

HERE = Path(__file__).parent
CONFTEST = """
import pytest, side_by_side
def pytest_addoption(parser):
    parser.addoption("--beside", type=int, default=0)
def pytest_runtestloop(session):
    side_by_side.SideBySide(session, session.config.option.beside, kind, together).run()
    return True
def kind(item):
    word = item.path.stem.split("_")[1].upper()
    return side_by_side.Kind.__members__.get(word, side_by_side.Kind.COMPUTES)
def together(item):
    return item if kind(item) is side_by_side.Kind.WAITS and not side_by_side.shares(item) else item.path
@pytest.fixture(scope="session")
def kept(tmp_path_factory):
    yield tmp_path_factory.mktemp("kept")
    assert False, "what was kept cannot be put away"
"""
FILES = {
    "test_shared.py": """
import os, pytest
@pytest.fixture(scope="module")
def made():
    print("MADE BY", os.getpid())
    return os.getpid()
@pytest.mark.parametrize("n", range(20))
def test_of_one_process(made, n):
    assert made == os.getpid()
""",
    "test_waits_a_lot.py": """
import pytest, time
@pytest.mark.parametrize("n", range(4))
def test_waits(n):
    time.sleep(0.3)
""",
    "test_odd.py": """
import os, pathlib, pytest, sys, warnings
def test_fails():
    (pathlib.Path(__file__).parent / "odd").touch()
    print("printed before it failed")
    assert 1 == 2
def test_skips():
    pytest.skip("for a reason")
def test_kills_its_process():
    os.kill(os.getpid(), 9)
def test_the_rest_of_the_file_runs(tmp_path):
    warnings.warn("be careful")
    assert list(tmp_path.iterdir()) == []
@pytest.mark.parametrize("n", range(3))
def test_parts(subtests, n):
    with subtests.test("part"):
        assert n != 1
""",
    "test_kept.py": """
import pathlib, time
def test_keeps(kept):
    assert kept.exists()
    while not (pathlib.Path(__file__).parent / "odd").exists():  # in a process that is not killed afterwards
        time.sleep(0.01)
""",
}  # fmt: skip


def folder(into: Path, **more: str) -> list[str]:
    """These tests in a folder of their own, and the command that runs them in three processes."""
    (into / "conftest.py").write_text(CONFTEST)
    for name, text in {**FILES, **{f"{name}.py": text for name, text in more.items()}}.items():
        (into / name).write_text(text)
    options = ("-p", "no:cacheprovider", "-p", "pytest_timeout", "-c", os.devnull, "--rootdir", str(into))
    return [sys.executable, "-m", "pytest", "-rA", "--beside", "3", *options, str(into)]


def environment() -> dict[str, str]:
    """Without the plug-ins that these tests need not: importing them takes longer than running the tests."""
    env = {**os.environ, "PYTHONPATH": str(HERE), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    env.pop("PYTEST_XDIST_WORKER", None)
    return env


def run(command: list[str]) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        command, capture_output=True, text=True, timeout=200, env=environment(), cwd=command[-1]
    )


def test_every_test_is_reported_once_as_it_ended(tmp_path: Path) -> None:
    done = run(folder(tmp_path))
    assert done.returncode == pytest.ExitCode.TESTS_FAILED, done.stdout + done.stderr
    said = done.stdout.rpartition("short test summary")[2]
    assert "4 failed, 28 passed, 1 skipped, 1 warning, 1 error" in said
    told = re.findall(r"^([A-Z]+)\S* (?:\[1\] |\[part\] )?(\S+\.py(?:::\w+)?)", said, re.M)
    (late,) = [one for one in told if one[0] == "ERROR"]  # with the last test of its process
    told.remove(late)
    assert Counter(told) == {
        ("PASSED", "test_shared.py::test_of_one_process"): 20,
        ("PASSED", "test_waits_a_lot.py::test_waits"): 4,
        ("FAILED", "test_odd.py::test_fails"): 1,
        ("FAILED", "test_odd.py::test_kills_its_process"): 1,
        ("PASSED", "test_odd.py::test_the_rest_of_the_file_runs"): 1,
        ("PASSED", "test_odd.py::test_parts"): 2,
        ("FAILED", "test_odd.py::test_parts"): 1,
        ("SUBFAILED", "test_odd.py::test_parts"): 1,
        ("PASSED", "test_kept.py::test_keeps"): 1,
        ("SKIPPED", "test_odd.py"): 1,
    }
    assert "printed before it failed" in done.stdout
    assert "the process that ran it ended with status -9" in done.stdout
    assert "UserWarning: be careful" in done.stdout
    assert "what was kept cannot be put away" in done.stdout


def test_the_first_failure_ends_it_if_that_is_asked_for(tmp_path: Path) -> None:
    long = (
        "import pytest, time\n@pytest.mark.parametrize('n', range(200))\ndef test_long(n): time.sleep(0.1)\n"
    )
    began = time.monotonic()
    done = run([*folder(tmp_path, test_long=long)[:-1], "-x", str(tmp_path)])
    assert done.returncode == pytest.ExitCode.TESTS_FAILED
    assert re.search(r"stopping after \d failures", done.stdout), done.stdout
    assert time.monotonic() - began < 15


def test_a_test_that_hangs_fails_with_the_line_where_it_waits(tmp_path: Path) -> None:
    hangs = """
import asyncio, threading
def test_hangs():
    asyncio.run(asyncio.Event().wait())
def test_hangs_beside_a_thread():
    threading.Thread(target=threading.Event().wait, daemon=True).start()
    threading.Event().wait()
def test_goes_on():
    pass
"""
    options = ("--timeout", "2", "-k", "test_hangs.py")
    ended = run([*folder(tmp_path, test_hangs=hangs)[:-1], *options, str(tmp_path)])
    assert "2 failed, 1 passed" in ended.stdout, ended.stdout + ended.stderr
    assert ended.stdout.count("Failed: Timeout (>2.0s) from pytest-timeout") >= 2
    assert ended.stdout.count(".Event().wait()") >= 2


def test_an_interrupt_takes_down_what_is_up(tmp_path: Path) -> None:
    up = """
import pathlib, pytest, time
@pytest.fixture(scope="module")
def up():
    here = pathlib.Path(__file__).with_name("up")
    here.touch()
    yield
    time.sleep(0.5)
    here.unlink()
def test_long(up):
    print("more than fits into a pipe\\n" * 10_000)
    time.sleep(60)
"""
    command = folder(tmp_path, test_up=up)
    with subprocess.Popen(
        command, stdout=subprocess.DEVNULL, env=environment(), cwd=tmp_path, start_new_session=True
    ) as process:
        end = time.monotonic() + 40
        while not (tmp_path / "up").exists():
            assert time.monotonic() < end and process.poll() is None
            time.sleep(0.05)
        os.killpg(process.pid, signal.SIGINT)  # as a terminal does
        assert process.wait(30) == pytest.ExitCode.INTERRUPTED
    assert not (tmp_path / "up").exists()


def test_what_takes_the_whole_machine_comes_last_and_only_what_yields_runs_beside_it(tmp_path: Path) -> None:
    told = """
import os, pathlib, pytest, time
here = pathlib.Path(__file__).parent
def began(name):
    (here / f".{name}").write_text(f"{time.monotonic()} {os.getpid()} {os.nice(0)}")
    (here / f".{name}").rename(here / name)
def until(holds):
    end = time.monotonic() + 60
    while not holds() and time.monotonic() < end:
        time.sleep(0.01)
"""
    alone = f"""{told}
@pytest.mark.parametrize("n", range(2))
def test_alone(n):
    began(f"alone{{n}}")
    time.sleep(0.2)
    began(f"over{{n}}")
"""
    meanwhile = f"""{told}
def test_begins():
    began("meanwhile")
def test_ends():
    until((here / "over1").exists)
    usual = int((here / "first").read_text().split()[2])
    until(lambda: os.nice(0) == usual)
    began("after")
"""
    waits = f"""{told}
def test_first():
    time.sleep(1.0)
    until((here / "meanwhile").exists)
    began("first")
"""
    command = folder(tmp_path, test_alone=alone, test_meanwhile=meanwhile, test_waits=waits)
    done = run(command)
    assert "4 failed, 33 passed" in done.stdout, done.stdout + done.stderr
    names = ("first", "alone0", "over0", "alone1", "meanwhile", "after")
    began = {name: [float(part) for part in (tmp_path / name).read_text().split()] for name in names}
    at, pid, nice = ({name: one[place] for name, one in began.items()} for place in range(3))
    assert at["first"] <= at["alone0"], "everything else is over"
    assert at["over0"] <= at["alone1"] and pid["alone0"] == pid["alone1"], "one after another"
    assert at["meanwhile"] <= at["first"], "beside the last of the others already"
    assert at["over0"] <= at["after"] and pid["meanwhile"] != pid["alone0"], "and beside it"
    assert nice["alone0"] == nice["after"] == nice["first"]
    assert (nice["meanwhile"] > nice["first"]) is (os.geteuid() == 0)
