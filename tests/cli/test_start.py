"""What `fwdtui` without a command opens, by what is in the folder where it is started."""

from pathlib import Path

import pytest

from fwdtui.cli import demo, main, screen
from fwdtui.store import SessionWriter
from fwdtui.ui.sessions import examples


@pytest.fixture
def opened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, Path]]:
    """What was opened, "the sessions", "the welcome" or "the lab", and the folder of sessions or the file."""
    found: list[tuple[str, Path]] = []

    def app(sessions: Path, note: str = "", *, welcome: bool = False) -> int:
        found.append(("the welcome" if welcome else "the sessions", sessions))
        return 0

    def live(lab: Path, *rest: object) -> int:
        found.append(("the lab", lab))
        return 0

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(demo, "open_app", app)
    monkeypatch.setattr(screen, "live_screen", live)
    return found


def made(folder: str) -> None:
    with SessionWriter.create(Path(folder), label="x", created="2026-01-02T03:04:05+00:00"):
        pass


def test_in_an_empty_folder_the_welcome_with_the_examples(opened):
    assert main([]) == 0
    assert opened == [("the welcome", examples.place())]


def test_with_sessions_their_list(opened):
    made("sessions/x")
    assert main([]) == 0
    assert opened == [("the sessions", Path("sessions"))]


def test_with_a_damaged_session_the_list_too_which_says_what_is_wrong(opened):
    made("sessions/x")
    Path("sessions/x/session.toml").write_text("label =")
    assert main([]) == 0
    assert opened == [("the sessions", Path("sessions"))]


@pytest.mark.parametrize("inside", ["", ".trash/gone", "notes/of/mine"])
def test_with_a_folder_without_sessions_the_welcome(opened, inside):
    Path("sessions").mkdir()
    if inside.startswith(".trash"):
        made(f"sessions/{inside}")
    elif inside:
        Path("sessions", inside).mkdir(parents=True)
    assert main([]) == 0
    assert opened == [("the welcome", Path("sessions"))]


def test_with_a_lab_the_lab_whatever_was_recorded(opened):
    made("sessions/x")
    Path("lab.toml").write_text("")
    assert main([]) == 0
    assert opened == [("the lab", Path("lab.toml"))]
