"""From nothing to a report, by keys alone: the demo records two sessions, compares and exports them."""

import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import forked
import pytest
from tmux_terminal import Terminal

from fwdtui.store import read_session

pytestmark = pytest.mark.skipif(shutil.which("tmux") is None, reason="tmux is not installed")


# `fwdtui demo` with blasts as short as they can be: it records, compares and exports six of them alike.
QUICK = """
import sys
from functools import partial
from fwdtui.cli import main
from fwdtui.ui.demo import demo_control

demo_control.simulated = partial(demo_control.simulated, "300ms", 2.5)
sys.exit(main(sys.argv[1:]))
"""


@pytest.fixture
def demo(tmp_path: Path) -> Iterator[Terminal]:
    terminal = Terminal(tmp_path / "user", "demo", program=("-c", QUICK))
    yield terminal
    terminal.end()


def test_run_by_itself_it_records_two_sessions_and_the_exported_report_is_that_of_the_command(demo: Terminal):
    demo.until(lambda text: "Press g to start the generator" in " ".join(text.split()))
    demo.press("A")
    demo.until(lambda text: "▲ faster" in text, seconds=240)
    # back to the lab, to its sessions, and to the comparison again
    demo.press("Escape")
    demo.until(lambda text: "Did the fix change forwarding?" in " ".join(text.split()))
    demo.press("F3")
    demo.until(lambda text: "demo-sessions/simulated-" in "".join(text.split()) and "2-flow-id-kept" in text)
    demo.press("l")
    demo.until(lambda text: "Did the fix change forwarding?" in " ".join(text.split()))
    demo.press("c")
    demo.until(lambda text: "▲ faster" in text)
    demo.press("e")
    demo.until(lambda text: "not written yet" in text and "$ fwdtui report" in text)
    demo.press("e")
    demo.until(lambda text: "Write the report" in text)
    demo.press("Enter")
    # with its time: before, the screen says "not written yet"
    demo.until(lambda text: re.search(r"written \d\d:", text) is not None, seconds=60)
    demo.press("q")
    demo.until(lambda text: "left with 0" in text)
    assert list(demo.temporary.iterdir()) == [], "the lab left something behind"

    base, other = sorted((demo.state / "fwdtui/demo-sessions").glob("simulated-*/*"))
    assert "one-queue" in recorded(base, "1-one-tx-queue", 3.0e6, 3.2e6)
    recorded(other, "2-flow-id-kept", 6.2e6, 6.6e6)

    here = demo.folder / "here"
    exported = written(here)
    report = next(here.glob("*.md"))
    for path in exported:
        (here / path).unlink()
    command = forked.run("report", str(base), str(other), "-o", report.name, cwd=here, timeout=120)
    assert command.returncode == 0, command.stderr
    assert written(here) == exported
    text = exported[report.name].decode()
    assert "| forwarding.inet4 | 3/3 |" in text and "simulated, so not a real measurement" in text


def recorded(session: Path, name: str, low: float, high: float) -> list[str]:
    """What limited its iterations, each of them a blast of its own with a value in between."""
    assert session.name == name
    iterations = read_session(session).cases[0].iterations
    values = [one.value for one in iterations]
    assert len(values) >= 3 and all(value is not None and low < value < high for value in values)
    windows = [one.window for one in iterations]
    assert len({window.start for window in windows if window}) == len(windows), "one blast cut twice"
    return [one.limit.code for one in iterations if one.limit]


def written(folder: Path) -> dict[str, bytes]:
    """Every file below a folder by its relative name."""
    files = (path for path in folder.rglob("*") if path.is_file())
    return {str(path.relative_to(folder)): path.read_bytes() for path in files}
