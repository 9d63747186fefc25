"""A terminal that a test types into: a tmux server of its own, with one pane that runs fwdtui."""

import os
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path


class Terminal:
    """`folder` holds its socket, its temporary files and the folder it runs in.

    `state` is XDG_STATE_HOME: terminals of one user share it. `size` is in columns and rows. `program` is
    what Python runs, where that is not the command as a user types it.
    """

    def __init__(
        self,
        folder: Path,
        *arguments: str,
        state: Path | None = None,
        size: tuple[int, int] = (80, 24),
        program: tuple[str, ...] = ("-m", "fwdtui"),
    ) -> None:
        folder.mkdir(exist_ok=True)
        self.folder = folder
        self.state = state or folder / "state"
        self._socket = folder / "tmux"
        self.temporary = folder / "tmp"
        self.temporary.mkdir()
        (folder / "here").mkdir()
        self._tasks = folder / "tasks"
        self._program = "\0".join(program).encode()
        environment = {
            **os.environ,
            "TMPDIR": str(self.temporary),
            "XDG_STATE_HOME": str(self.state),
            "PYTHONPATH": str(Path(__file__).parent / "watched"),
            "FWDTUI_TASKS": str(self._tasks),
        }
        environment.pop("TMUX", None)
        words = shlex.join([sys.executable, *program, *arguments])
        command = f"{words}; echo left with $?; exec cat"
        self._tmux(
            "-f",
            "/dev/null",
            "new-session",
            "-d",
            "-x",
            str(size[0]),
            "-y",
            str(size[1]),
            command,
            env=environment,
        )

    def _tmux(self, *arguments: str, env: dict[str, str] | None = None) -> str:
        return subprocess.run(
            ["tmux", "-S", str(self._socket), *arguments],
            capture_output=True, text=True, timeout=60, check=True, env=env, cwd=self.folder / "here",
        ).stdout  # fmt: skip

    @property
    def text(self) -> str:
        return self._tmux("capture-pane", "-p")

    def press(self, key: str) -> None:
        self._tmux("send-keys", key)

    def until(self, true: Callable[[str], bool], seconds: float = 30.0) -> str:
        """The screen once this is true of it. Each look starts a tmux: they become fewer while it waits."""
        begun = time.monotonic()
        while not true(text := self.text):
            waited = time.monotonic() - begun
            assert waited < seconds, f"{text}\n{self._awaited()}"
            time.sleep(min(max(0.1, 0.1 * waited), 0.5))
        return text

    def _awaited(self) -> str:
        """What each task of the app waits for: for whoever reads that it did not come so far."""
        try:
            os.kill(self.app, signal.SIGUSR2)
        except (AssertionError, OSError):
            return "the app has ended"
        end = time.monotonic() + 5.0
        while not self._tasks.exists() and time.monotonic() < end:
            time.sleep(0.05)
        return self._tasks.read_text() if self._tasks.exists() else "the event loop is blocked"

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

    def left(self) -> list[int]:
        """The processes that stay: on a busy machine a killed one takes a moment to end."""
        end = time.monotonic() + 5.0
        while (there := self.processes) and time.monotonic() < end:
            time.sleep(0.05)
        return there

    @property
    def app(self) -> int:
        """The process that runs fwdtui."""
        for pid in self.processes:
            if self._program in Path(f"/proc/{pid}/cmdline").read_bytes():
                return pid
        raise AssertionError("fwdtui does not run")

    def end(self) -> None:
        self._tmux("kill-server")
