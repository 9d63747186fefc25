"""`fwdtui replay` in a real terminal of 80 columns and 24 lines."""

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(shutil.which("tmux") is None, reason="tmux is not installed")
SHIPPED = Path(__file__).resolve().parents[2] / "sessions"


def test_a_shipped_session_is_played_sought_and_left(tmp_path):
    socket = str(tmp_path / "tmux")
    environment = {**os.environ, "XDG_STATE_HOME": str(tmp_path / "state"), "XDG_CONFIG_HOME": str(tmp_path)}
    environment.pop("TMUX", None)

    def tmux(*arguments: str) -> str:
        return subprocess.run(
            ["tmux", "-S", socket, *arguments],
            capture_output=True, text=True, timeout=60, check=True, env=environment, cwd=tmp_path,
        ).stdout  # fmt: skip

    def until(true: Callable[[str], bool], seconds: float = 30.0) -> str:
        end = time.monotonic() + seconds
        while not true(text := tmux("capture-pane", "-p")):
            assert time.monotonic() < end, text
            time.sleep(0.1)
        return text

    replay = f"{sys.executable} -m fwdtui replay {SHIPPED / 'no-rules'} --beside {SHIPPED / 'rules-100'}"
    tmux("-f", "/dev/null", "new-session", "-d", "-x", "80", "-y", "24", f"{replay}; echo left with $?; cat")
    try:
        first = until(lambda text: "▶ replay 1×" in text and "┉ B rules-100" in text)
        assert "02:02" in first and len(first.rstrip("\n").splitlines()) <= 24
        tmux("send-keys", "Space", "End")
        until(lambda text: "‖ replay 1× 02:02/02:02" in text and "median 594 945 pps" in text)
        tmux("send-keys", "Home", "n", "Right", "Right")
        until(lambda text: "00:14/02:02" in text and "none up to" in text and "┉ B rules-100 ▸ 1" in text)
        tmux("resize-window", "-x", "20", "-y", "5")
        until(lambda text: "replay" in text and "loss" in text)
        tmux("send-keys", "q")
        until(lambda text: "left with 0" in text)
    finally:
        tmux("kill-server")
