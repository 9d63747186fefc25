"""`fwdtui demo --kernel`: real forwarding in namespaces, of which nothing is left however it ends.

It sends little, and no rate is judged here, so other tests may run meanwhile.
"""

import os
import re
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from kernel_lab_use import LabUnderTest, veths_left
from tmux_terminal import Terminal

from fwdtui.labs.kernel import needs

MISSING = [name for name in (*needs.PACKAGES, "tcpreplay") if needs.find(name) is None]
if shutil.which("tmux") is None:
    MISSING.append("tmux")

pytestmark = [
    pytest.mark.root,
    pytest.mark.skipif(sys.platform != "linux", reason="network namespaces are Linux's"),
    pytest.mark.skipif(os.geteuid() != 0, reason="network namespaces need root"),
    pytest.mark.skipif(bool(MISSING), reason=f"not installed: {', '.join(MISSING)}"),
]
MINE = "fwdtui-walk-"
# the command itself, on a lab whose own load is not all that the machine can send
SLOWLY = """
import sys
from dataclasses import replace
from fwdtui.cli import main
from fwdtui.labs.kernel import labfile

program = labfile._program
labfile._program = lambda load, *more: program(replace(load, rate=5000), *more)
sys.exit(main(sys.argv[1:]))
"""
PATIENCE = 90.0
"""Seconds for a lab to come up and to be sampled beside other tests."""


def told(*command: str) -> list[str]:
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True)
    return sorted(done.stdout.splitlines())


def networks() -> dict[str, object]:
    """What of the lab could be left in the kernel, whoever looks; its links: see `veths`."""
    return {
        "namespaces": [line for line in told("ip", "netns", "list") if line.startswith(MINE)],
        "rules": told("nft", "list", "ruleset"),
        "groups": sorted(str(path) for path in Path("/sys/fs/cgroup").glob("*fwdtui*")),
    }


def nothing_left(
    demo: Terminal, before: dict[str, object], veths: dict[str, str], seconds: float = 20.0
) -> None:
    """sshd's children need a moment to see that they are alone."""
    end = time.monotonic() + seconds
    while (demo.processes or networks() != before or veths_left(veths)) and time.monotonic() < end:
        time.sleep(0.1)
    assert networks() == before
    assert veths_left(veths) == []
    assert demo.processes == []
    assert list(demo.temporary.iterdir()) == []
    assert not (demo.state / "fwdtui" / "kernel-lab-walk").exists()


@pytest.fixture
def demo(tmp_path: Path) -> Iterator[Callable[[str], Terminal]]:
    """demo(name) -> `fwdtui demo --kernel` in another terminal of the same user."""
    made: list[Terminal] = []

    def make(name: str) -> Terminal:
        program, state = ("-c", SLOWLY), tmp_path / "state"
        made.append(Terminal(tmp_path / name, "demo", "--kernel", state=state, program=program))
        return made[-1]

    yield make
    for one in made:
        one.end()


@pytest.fixture
def veths(tmp_path: Path) -> Iterator[dict[str, str]]:
    """The hardware addresses of all links of the demo's labs so far, from the labs' journals."""
    lab = LabUnderTest(tmp_path / "state/fwdtui/kernel-lab-walk", "walk")
    found: dict[str, str] = {}
    over = threading.Event()

    def look() -> None:
        while not over.wait(0.02):
            with suppress(OSError, ValueError):
                found.update({address: address for address in lab.veths().values()})

    looking = threading.Thread(target=look)
    looking.start()
    yield found
    over.set()
    looking.join()


def ready(text: str) -> bool:
    return "Press g to start the generator" in " ".join(text.split())


def test_a_second_one_is_refused_and_what_a_killed_one_left_is_taken_away(demo, veths):
    before = networks()
    killed = demo("first")
    assert "real forwarding" in killed.until(lambda text: "Kernel lab" in text)
    killed.until(ready, PATIENCE)
    second = demo("second")
    refused = second.until(lambda text: "left with" in text)
    assert "left with 2" in refused
    assert "another fwdtui demo --kernel is running" in " ".join(refused.split())

    killed.press("Enter")
    killed.until(lambda text: "blast " in text)
    os.kill(killed.app, signal.SIGKILL)
    killed.until(lambda text: "left with 137" in text or "Killed" in text)
    assert len(networks()["namespaces"]) == 3

    again = demo("again")
    again.until(ready, PATIENCE)
    again.press("Enter")
    again.until(lambda text: "blast " in text)
    again.press("q")
    # it asks while the generator runs: the blast may have begun by now, or be over
    if "left with" not in again.until(lambda text: "Leave while" in text or "left with" in text):
        again.press("y")
    again.until(lambda text: "left with 0" in text)
    assert len(veths) == 6, "two labs were up"
    nothing_left(again, before, veths)
    assert killed.processes == []


def test_q_while_the_lab_comes_up_leaves_nothing(demo, veths):
    before = networks()
    hasty = demo("hasty")
    hasty.until(lambda text: "Kernel lab" in text)
    hasty.press("q")
    hasty.until(lambda text: "left with 0" in text)
    nothing_left(hasty, before, veths)


def test_sigterm_takes_the_lab_away_and_keeps_the_recording(demo, veths):
    before = networks()
    ended = demo("ended")
    ended.until(ready, PATIENCE)
    ended.press("Enter")
    # of the first seconds nothing is saved: they hold no whole sample
    ended.until(lambda text: (shown := re.search(r"blast +([0-9]+) s", text)) and int(shown[1]) >= 5)
    os.kill(ended.app, signal.SIGTERM)
    ended.until(lambda text: "left with " in text)
    assert len(veths) == 3
    nothing_left(ended, before, veths)
    kept = (ended.state / "fwdtui/demo-sessions").glob("*/1-no-rules/forwarding.inet4/*/iteration.json")
    assert len(list(kept)) == 1
