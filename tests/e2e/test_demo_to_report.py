"""From nothing to a report, by keys alone: the demo records two sessions, compares and exports them."""

import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from tmux_terminal import Terminal

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


def test_the_exported_report_is_that_of_the_command(demo: Terminal):
    demo.until(lambda text: "Press g to start the generator" in " ".join(text.split()))
    demo.press("A")
    demo.until(lambda text: "▲ faster" in text, seconds=240)
    demo.press("e")
    demo.until(lambda text: "not written yet" in text and "$ fwdtui report" in text)
    demo.press("e")
    demo.until(lambda text: "Write the report" in text)
    demo.press("Enter")
    # with its time: before, the screen says "not written yet"
    demo.until(lambda text: re.search(r"written \d\d:", text) is not None, seconds=60)
    demo.press("q")
    demo.until(lambda text: "left with 0" in text)

    here = demo.folder / "here"
    exported = written(here)
    base, other = sorted((demo.state / "fwdtui/demo-sessions").glob("simulated-*/*"))
    report = next(here.glob("*.md"))
    for path in exported:
        (here / path).unlink()
    command = [sys.executable, "-m", "fwdtui", "report", str(base), str(other), "-o", report.name]
    subprocess.run(command, cwd=here, check=True, capture_output=True, timeout=120)
    assert written(here) == exported
    text = exported[report.name].decode()
    assert "| forwarding.inet4 | 3/3 |" in text and "simulated, so not a real measurement" in text


def written(folder: Path) -> dict[str, bytes]:
    """Every file below a folder by its relative name."""
    files = (path for path in folder.rglob("*") if path.is_file())
    return {str(path.relative_to(folder)): path.read_bytes() for path in files}
