"""`fwdtui demo` as a newcomer sees it, in a real terminal of 80 columns and 24 lines."""

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(shutil.which("tmux") is None, reason="tmux is not installed")


class Terminal:
    """A tmux server of its own, with one pane that runs fwdtui."""

    def __init__(self, folder: Path, *arguments: str) -> None:
        self.folder = folder
        self._socket = folder / "tmux"
        self.temporary = folder / "tmp"
        self.temporary.mkdir()
        (folder / "here").mkdir()
        environment = {**os.environ, "TMPDIR": str(self.temporary), "XDG_STATE_HOME": str(folder / "state")}
        environment.pop("TMUX", None)
        command = f"{sys.executable} -m fwdtui {' '.join(arguments)}; echo left with $?; exec cat"
        self._tmux("-f", "/dev/null", "new-session", "-d", "-x", "80", "-y", "24", command, env=environment)

    def _tmux(self, *arguments: str, env: dict[str, str] | None = None) -> str:
        return subprocess.run(
            ["tmux", "-S", str(self._socket), *arguments],
            capture_output=True, text=True, timeout=20, check=True, env=env, cwd=self.folder / "here",
        ).stdout  # fmt: skip

    @property
    def text(self) -> str:
        return self._tmux("capture-pane", "-p")

    def press(self, key: str) -> None:
        self._tmux("send-keys", key)

    def until(self, true: Callable[[str], bool], seconds: float = 30.0) -> str:
        end = time.monotonic() + seconds
        while not true(text := self.text):
            assert time.monotonic() < end, text
            time.sleep(0.1)
        return text

    @property
    def processes(self) -> list[int]:
        """Whatever runs with our temporary folder in its environment, beside the pane's own shell and cat."""
        mark = f"TMPDIR={self.temporary}".encode()
        found = []
        for entry in Path("/proc").glob("[0-9]*"):
            try:
                if mark in (entry / "environ").read_bytes().split(b"\0"):
                    name = (entry / "comm").read_text().strip()
                    found += [] if name in ("cat", "tmux: server", "tmux: client") else [int(entry.name)]
            except OSError:
                continue
        return found

    def end(self) -> None:
        self._tmux("kill-server")


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
    assert demo.processes == [] and list(demo.temporary.iterdir()) == []


@pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="finds processes in /proc")
@pytest.mark.parametrize(
    ("number", "status"),
    # a hangup says that the terminal is gone: no way out is drawn, and the shell is told why
    [(signal.SIGTERM, 0), (signal.SIGHUP, 128 + signal.SIGHUP)],
)
def test_a_signal_in_the_middle_of_a_blast_keeps_the_recording_and_leaves_no_process(
    terminal, number, status
):
    demo = terminal("demo")
    demo.until(lambda text: "Press g to start the generator" in " ".join(text.split()))
    demo.press("Enter")
    demo.until(lambda text: "blast " in text and "One queue takes all" in text)
    os.kill(next(pid for pid in demo.processes if _is_fwdtui(pid)), number)
    demo.until(lambda text: f"left with {status}" in text)
    assert demo.processes == [] and list(demo.temporary.iterdir()) == []
    state = demo.folder / "state/fwdtui/demo-sessions"
    assert len(list(state.glob("*/1-one-tx-queue/forwarding.inet4/*/iteration.json"))) == 1


def _is_fwdtui(pid: int) -> bool:
    return b"fwdtui\0demo" in Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"-m\0", b"")


def test_without_a_lab_toml_there_is_a_welcome(terminal):
    alone = terminal()
    alone.until(lambda text: "There is no lab.toml in this folder" in text and "The demo" in text)
    alone.press("q")
    alone.until(lambda text: "left with 0" in text)
