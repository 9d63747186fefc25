"""What a killed recording leaves is told with its session: how much there is, and what replays it."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from fwdtui.cli import main
from fwdtui.core.model import RateSample
from fwdtui.store import SessionWriter, read_session
from fwdtui.ui.sessions.session_view import read_view
from fwdtui.ui.sessions.text import session_text

CREATED = "2026-01-02T03:04:05+00:00"
RECORD = f"""
import sys, time
from pathlib import Path
from fwdtui.core.model import RateSample
from fwdtui.store import SessionWriter
writer = SessionWriter.create(Path(sys.argv[1]), label="cut short", created="{CREATED}")
record = writer.record()
for second in range(42):
    record.append(RateSample("generator", float(second), 1.0, 1e6, at=float(second)))
record.sync()
print("written", flush=True)
time.sleep(60)
"""


@pytest.fixture
def killed(tmp_path: Path) -> Path:
    folder = tmp_path / "sessions" / "killed"
    folder.parent.mkdir()
    with subprocess.Popen([sys.executable, "-c", RECORD, str(folder)], stdout=subprocess.PIPE) as recording:
        assert recording.stdout is not None and recording.stdout.readline() == b"written\n"
        os.kill(recording.pid, signal.SIGKILL)
    until = time.monotonic() + 5
    while read_session(folder).recording and time.monotonic() < until:
        time.sleep(0.01)
    return folder


def test_the_list_says_that_it_broke_off_and_after_how_long(
    killed: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["sessions", str(killed.parent)]) == 0
    assert "the recording broke off after 41 s" in capsys.readouterr().out
    assert main(["sessions", str(killed.parent), "--json"]) == 0
    (found,) = json.loads(capsys.readouterr().out)
    assert list(found) == ["path", "label", "created", "cases"] and found["cases"] == []


def test_the_screens_say_it_and_name_the_key_that_replays_it(killed: Path) -> None:
    for text in (session_text(read_session(killed)).plain, read_view(killed).heading().plain):
        assert "the recording broke off after 41 s. r replays it." in text


def test_one_second_was_recorded_and_two_were(tmp_path: Path) -> None:
    for seconds, told in ((1, "1 s was recorded"), (2, "2 s were recorded")):
        with SessionWriter.create(tmp_path / str(seconds), label="", created=CREATED) as writer:
            record = writer.record()
            for second in range(seconds + 1):
                record.append(RateSample("generator", float(second), 1.0, 1e6, at=float(second)))
            record.close()
        assert told in session_text(read_session(tmp_path / str(seconds))).plain


def test_one_that_was_ended_did_not_break_off_and_one_without_samples_promises_nothing(
    tmp_path: Path,
) -> None:
    with SessionWriter.create(tmp_path / "ended", label="", created=CREATED) as writer:
        record = writer.record()
        for second in range(3):
            record.append(RateSample("generator", float(second), 1.0, 1e6, at=float(second)))
        record.close()
    with SessionWriter.create(tmp_path / "empty", label="", created=CREATED):
        pass
    assert (
        "finished: 2 s were recorded. r replays it." in session_text(read_session(tmp_path / "ended")).plain
    )
    assert "No iteration was finished.\n" in session_text(read_session(tmp_path / "empty")).plain
