"""In a browser there is no terminal: textual-serve runs the app behind Textual's own web driver."""

import json
import os
import select
import subprocess
import sys
import time

WEB = "textual.drivers.web_driver:WebDriver"


def packet(kind: bytes, data: bytes) -> bytes:
    """As textual-serve sends it: a letter, the length, the data."""
    return kind + len(data).to_bytes(4, "big") + data


def test_the_app_draws_for_a_browser_answers_its_keys_and_ends_with_it():
    environment = {**os.environ, "TEXTUAL_DRIVER": WEB, "COLUMNS": "100", "ROWS": "30"}
    process = subprocess.Popen(
        [sys.executable, "-m", "fwdtui", "demo", "--examples"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment,
    )
    assert process.stdin is not None and process.stdout is not None
    seen = b""

    def until(words: bytes, seconds: float = 60.0) -> None:
        nonlocal seen
        end = time.monotonic() + seconds
        while words not in seen:
            assert time.monotonic() < end, seen[-2000:]
            assert process.poll() is None, process.stderr.read() if process.stderr else ""
            if select.select([process.stdout], [], [], 0.5)[0]:
                seen += os.read(process.stdout.fileno(), 65536)

    try:
        until(b"rules-100")
        process.stdin.write(packet(b"D", b"\x1b[14~"))  # F4
        process.stdin.flush()
        until(b"Nothing is compared yet")
        process.stdin.write(packet(b"M", json.dumps({"type": "quit"}).encode()))
        process.stdin.flush()
        assert process.wait(20) == 0
    finally:
        process.kill()
        process.communicate()


def test_without_a_terminal_and_without_a_browser_it_refuses_with_a_reason():
    done = subprocess.run(
        [sys.executable, "-m", "fwdtui", "demo", "--examples"],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=30,
        env={**os.environ, "TERM": "xterm"},
    )
    assert done.returncode == 2 and "the app needs a terminal" in done.stderr
