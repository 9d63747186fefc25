"""`fwdtui demo` as a newcomer sees it, in a real terminal of 80 columns and 24 lines."""

import os
import shutil
import signal
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from tmux_terminal import Terminal

pytestmark = pytest.mark.skipif(shutil.which("tmux") is None, reason="tmux is not installed")


@pytest.fixture
def terminal(tmp_path: Path) -> Iterator[Callable[..., Terminal]]:
    made: list[Terminal] = []

    def make(*arguments: str) -> Terminal:
        made.append(Terminal(tmp_path, *arguments))
        return made[-1]

    yield make
    for one in made:
        one.end()


def test_the_demo_says_what_it_is_and_q_leaves_nothing_behind(terminal):
    demo = terminal("demo")
    first = demo.until(lambda text: "Simulated lab" in text)
    assert "nothing here is a real measurement" in first and "step 1 of 5" in first
    assert len(first.rstrip("\n").splitlines()) <= 24
    demo.until(lambda text: "Press g to start the generator" in " ".join(text.split()))
    assert [path.name[:6] for path in demo.temporary.iterdir()] == ["fwdtui"]
    demo.press("q")
    demo.until(lambda text: "left with 0" in text)
    assert demo.left() == [] and list(demo.temporary.iterdir()) == []


@pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="finds processes in /proc")
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_signal_in_the_middle_of_a_blast_keeps_the_recording_and_leaves_no_process(terminal, number):
    demo = terminal("demo")
    demo.until(lambda text: "Press g to start the generator" in " ".join(text.split()))
    demo.press("Enter")
    demo.until(lambda text: "blast " in text and "One queue takes all" in text)
    os.kill(demo.app, number)
    demo.until(lambda text: f"left with {128 + number}" in text)
    assert demo.left() == [] and list(demo.temporary.iterdir()) == []
    state = demo.state / "fwdtui/demo-sessions"
    assert len(list(state.glob("*/1-one-tx-queue/forwarding.inet4/*/iteration.json"))) == 1


def test_without_a_lab_toml_there_is_a_welcome(terminal):
    alone = terminal()
    alone.until(lambda text: "There is no lab.toml in this folder" in text and "The demo" in text)
    alone.press("q")
    alone.until(lambda text: "left with 0" in text)
