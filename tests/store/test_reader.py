"""What of a session's folder is read, and that one damaged part hides no other."""

from pathlib import Path

import pytest

from fwdtui.core.errors import FwdtuiError
from fwdtui.core.model import Caution, Iteration, Window
from fwdtui.store import SessionWriter, lock, opening, read_samples, read_session
from fwdtui.store.reader import is_number, read_header
from fwdtui.store.schema import encode_iteration
from fwdtui.store.verifying import verify

CREATED = "2026-01-02T03:04:05+00:00"


@pytest.fixture
def session(tmp_path: Path) -> Path:
    folder = tmp_path / "s"
    with SessionWriter.create(folder, label="s", created=CREATED, lab={"name": "a\x07", "n": 3}) as writer:
        for value in (1.0, 2.0):
            writing = writer.begin("v4")
            for name in ("a.log", "b.log", "c.log"):
                writing.attach(name, b"raw")
            writing.commit(Iteration(0, value))
    return folder


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("1", True),
        ("001", True),
        ("123456789", True),
        ("1234567890", False),  # no number that a writer gives
        ("", False),
        ("x1", False),
        ("-1", False),
        ("1.5", False),
        ("\u0661", False),  # a digit, but not one of ours
        ("\u00b2", False),
    ],
)
def test_a_folder_of_digits_is_an_iteration(name: str, expected: bool) -> None:
    assert is_number(name) is expected


def test_what_is_no_iteration_or_hidden_hides_none(session: Path) -> None:
    for name in (".hidden", "v4/.hidden", "v4/000-notes", "v4/0000000001", "empty"):
        (session / name).mkdir()
    (session / "v4" / "000").write_text("a file")
    (session / "v4" / "gone").symlink_to(session / "none")
    (session / "v4" / "file").symlink_to(session / "session.toml")
    found = read_session(session, verify=True)
    assert [(case.name, [i.value for i in case.iterations]) for case in found.cases] == [("v4", [1.0, 2.0])]
    assert found.problems == ()


def test_texts_of_the_lab_are_cleaned_and_its_numbers_left(session: Path) -> None:
    assert read_session(session).lab == {"name": "a", "n": 3}


def test_every_log_is_verified_whatever_is_wrong_with_the_one_before(session: Path) -> None:
    folder = session / "v4" / "001"
    record = read_session(session).cases[0].iterations[0]
    (folder / "a.log").unlink()
    (folder / "b.log").write_bytes(b"other")
    with (folder / "c.log").open("wb") as file:
        file.truncate((256 << 20) + 1)
    (folder / "d.log").write_bytes(b"raw")
    files = {"../x": "sha256:0", **record.files, "d.log": "sha256:0"}
    (folder / "iteration.json").write_bytes(encode_iteration("v4", Iteration(1, 1.0, files=files)))
    changed = "checksum does not match: the file was changed after it was recorded"
    assert read_session(session, verify=True).problems == (
        f"{folder}/iteration.json: the file name '../x' leaves the folder",
        f"{folder}/a.log: No such file or directory",
        f"{folder}/b.log: {changed}",
        f"{folder}/c.log: larger than 256 MiB: not checked",
        f"{folder}/d.log: {changed}",
    )
    assert read_session(session).problems == ()


def test_an_iteration_that_could_not_be_read_is_not_written(session: Path) -> None:
    long = Caution("crashed", "x" * (1 << 20))
    with SessionWriter(session) as writer:
        writing = writer.begin("v4")
        with pytest.raises(FwdtuiError, match=r"its iteration\.json would be larger than 1 MiB"):
            writing.commit(Iteration(0, 1.0, warnings=(long,)))
        writing.withdraw()
    assert read_session(session).problems == ()


@pytest.mark.parametrize(("start", "told"), [(0.0, True), (None, False)])
def test_samples_that_a_value_was_taken_from_are_missed_when_verifying(
    session: Path, start: float | None, told: bool
) -> None:
    with SessionWriter(session) as writer:
        writing = writer.begin("v4")
        writing.commit(Iteration(0, 1.0, window=Window("steady", start, start, 0)))
    found = read_session(session, verify=True)
    missing = f"{writing.folder}/samples.jsonl: No such file or directory"
    assert list(found.problems) == ([f"{missing}: the samples of this iteration are missing"] if told else [])
    assert list(verify(found)) == list(found.problems)
    (writing.folder / "samples.jsonl").touch()
    (problem,) = read_session(session, verify=True).problems
    assert problem.startswith(f"{writing.folder}/samples.jsonl: is empty")
    assert list(verify(found)) == ([problem] if told else [])


def test_a_folder_without_a_session_file_is_none(tmp_path: Path) -> None:
    with pytest.raises(
        FwdtuiError, match=r"not a session folder \(session\.toml: No such file or directory\)"
    ):
        read_header(tmp_path)


def test_samples_of_a_newer_version_are_told_when_verifying(session: Path) -> None:
    from fwdtui.store.records import NAME, Header, line

    folder = session / "v4" / "002"
    (folder / NAME).write_bytes(line(Header(schema=2)))
    (problem,) = read_session(session, verify=True).problems
    assert "schema 2 is newer" in problem
    with pytest.raises(FwdtuiError):
        read_samples(folder)


@pytest.mark.parametrize(("most", "checked"), [(3, True), (2, False)])
def test_a_log_of_the_largest_size_is_still_checked(
    session: Path, monkeypatch: pytest.MonkeyPatch, most: int, checked: bool
) -> None:
    monkeypatch.setattr(opening, "LOG_MOST", most)
    problems = read_session(session, verify=True).problems
    assert len(problems) == (0 if checked else 6)
    assert all(problem.endswith(".log: larger than 2 bytes: not checked") for problem in problems)


def test_an_iterations_factors_are_checked_as_the_sessions_are(session: Path) -> None:
    path = session / "v4" / "001" / "iteration.json"
    path.write_bytes(encode_iteration("v4", Iteration(1, 1.0, factors={"AF": "inet4", "4 queues": 2})))
    found = read_session(session)
    assert found.cases[0].iterations[0].factors == {"af": "inet4"}
    (problem,) = found.problems
    assert str(path) in problem and "'4 queues' is not the name of a factor" in problem


def test_an_iteration_whose_recorder_has_just_ended_is_unfinished(
    session: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The lock was held when it was looked at, and its file is gone."""
    monkeypatch.setattr(lock, "is_held", lambda path: True)
    (session / "v4" / "001" / "iteration.json").unlink()
    assert read_session(session).problems == (f"{session}/v4/001: unfinished: it has no iteration.json",)


def test_what_is_written_is_easy_to_read(session: Path) -> None:
    lines = (session / "v4" / "001" / "iteration.json").read_text().splitlines()
    assert lines[:3] == ["{", '  "schema": 1,', '  "case": "v4",'] and lines[-1] == "}"
