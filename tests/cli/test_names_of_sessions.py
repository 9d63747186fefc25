"""A session has the same names in every command: its path, its folder's name, or its label."""

from pathlib import Path

import pytest

from fwdtui.cli import main
from fwdtui.core.model import Iteration
from fwdtui.store import SessionWriter


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with ./sessions: "old" labelled "before", "new" labelled "after"."""
    monkeypatch.chdir(tmp_path)
    made(Path("sessions"))
    return tmp_path


def made(folder: Path, add: float = 0.0) -> None:
    for name, label, value in (("old", "before", 1.0e6), ("new", "after", 2.0e6)):
        created = "2026-01-02T03:04:05+00:00"
        with SessionWriter.create(folder / name, label=label, created=created) as session:
            for noise in (0.0, 100.0, 200.0):
                session.begin("inet4").commit(Iteration(index=0, value=value + add + noise))


def told(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str]:
    """The exit status, and stdout or else stderr."""
    status = main(list(arguments))
    out, err = capsys.readouterr()
    return status, out or err


COMMANDS = {
    "compare": ["compare", "{}", "new"],
    "compare, as the candidate": ["compare", "new", "{}"],
    "compare --format ministat": ["compare", "--format", "ministat", "{}", "new"],
    "report": ["report", "new", "{}", "-o", "out.md", "--without", "charts"],
    "replay": ["replay", "{}"],
    "replay --beside": ["replay", "new", "--beside", "{}"],
    "sessions": ["sessions", "{}"],
}


@pytest.mark.parametrize("command", COMMANDS.values(), ids=COMMANDS)
class TestEveryCommand:
    def asked(self, capsys, command: list[str], name: str, *more: str) -> tuple[int, str]:
        return told(capsys, *(part.format(name) for part in command), *more)

    @pytest.mark.parametrize("name", ["old", "before", "sessions/old"])
    def test_takes_a_path_a_folders_name_and_a_label(self, capsys, command, name):
        status, text = self.asked(capsys, command, name)
        if command[0] == "replay":
            assert "the app needs a terminal" in text  # the name was found
        else:
            assert status == 0 and ("before" in text or "out.md" in text)

    def test_suggests_the_closest_name(self, capsys, command):
        status, text = self.asked(capsys, command, "befor")
        assert status == 2 and text.startswith("fwdtui: befor: no such ")
        assert text.endswith("; did you mean before?\n")

    def test_lists_what_an_ambiguous_name_may_mean(self, capsys, command):
        with SessionWriter.create(
            Path("sessions/older"), label="before", created="2026-01-01T00:00:00+00:00"
        ):
            pass
        status, text = self.asked(capsys, command, "before")
        assert status == 2
        assert "may mean any of 2 sessions: sessions/old (before), sessions/older (before)" in text

    def test_looks_in_the_folder_that_is_given(self, capsys, command, here):
        made(here / "elsewhere")
        (here / "elsewhere" / "old").rename(here / "elsewhere" / "first")
        status, text = self.asked(capsys, command, "first")
        assert status == 2 and "first: no such " in text
        status, text = self.asked(capsys, command, "first", "--sessions", "elsewhere")
        assert status == 0 or "the app needs a terminal" in text


def test_a_case_may_follow_the_name(capsys):
    assert told(capsys, "compare", "before:inet4", "after:inet4")[0] == 0
    status, text = told(capsys, "compare", "before:inet6", "after")
    assert status == 2 and "no case 'inet6'; it has inet4" in text
    assert "no case 'inet6'; there are inet4" in told(capsys, "replay", "before/inet6")[1]
    assert "an iteration is only a number" in told(capsys, "replay", "before/inet4/1/x")[1]


def test_the_values_compared_are_those_of_the_session_that_is_named(capsys, here):
    made(here / "elsewhere", add=5e5)
    elsewhere = told(capsys, "compare", "before", "after", "--sessions", "elsewhere")[1]
    assert "1 500 100" in elsewhere and "2 500 100" in elsewhere
    assert "1 000 100" in told(capsys, "compare", "before", "after")[1]


def test_a_value_file_of_that_name_is_still_a_value_file(capsys):
    Path("old").write_text("1\n2\n3\n")
    status, text = told(capsys, "compare", "old", "old", "--format", "ministat")
    assert status == 0 and "1000100" not in text
    assert "1 000 100" not in told(capsys, "compare", "old", "old")[1]
    assert told(capsys, "replay", "old") == (2, "fwdtui: old: is a file, not a session\n")


def test_one_session_is_listed_alone(capsys):
    text = told(capsys, "sessions", "before")[1]
    assert "old (before)" in text and "new" not in text


def test_a_folder_of_sessions_is_listed_though_a_session_has_its_name(capsys, here):
    made(here / "old")
    assert "new (after)" in told(capsys, "sessions", "old")[1]
