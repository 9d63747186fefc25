"""A deleted session is moved aside, whole, and comes back; nothing is overwritten on either way."""

from pathlib import Path

import pytest

from fwdtui.core.errors import FwdtuiError
from fwdtui.core.model import Iteration
from fwdtui.store import (
    SessionWriter,
    annotate,
    bring_back,
    discard,
    list_sessions,
    list_trash,
    lock,
    read_session,
)
from fwdtui.store.annotations import LOCK


def recorded(folder: Path, label: str = "r1") -> Path:
    with SessionWriter.create(folder, label=label, created="2026-01-02T03:04:05+00:00") as writer:
        writer.begin("inet4").commit(Iteration(0, 1.0))
    return folder


@pytest.fixture
def session(tmp_path: Path) -> Path:
    return recorded(tmp_path / "sessions" / "base")


def contents(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_a_discarded_session_is_not_listed_and_nothing_of_it_is_lost(session):
    before = contents(session)
    trashed = discard(session)
    assert trashed.parent == session.parent / ".trash"
    assert list(list_sessions(session.parent)) == []
    assert list_trash(session.parent) == [trashed]
    assert contents(trashed) == before, "and no lock file lies in it"


def test_it_comes_back_to_the_name_it_had(session):
    before = contents(session)
    assert bring_back(discard(session)) == session
    assert contents(session) == before
    assert list_trash(session.parent) == []


def test_a_name_with_a_line_end_comes_back_too(session):
    odd = session.rename(session.with_name("base\n2"))
    trashed = discard(odd)
    assert list_trash(odd.parent) == [trashed]
    assert bring_back(trashed) == odd


def test_it_comes_back_beside_one_that_has_taken_its_name(session):
    trashed = discard(session)
    recorded(session, "newer")
    back = bring_back(trashed)
    assert back == session.with_name("base-2")
    assert (read_session(session).label, read_session(back).label) == ("newer", "r1")


@pytest.mark.parametrize("taken", ["an empty folder", "a file"])
def test_whatever_has_its_name_is_left_alone(session, taken):
    trashed = discard(session)
    session.mkdir() if taken == "an empty folder" else session.write_text("mine")
    assert bring_back(trashed) == session.with_name("base-2")
    assert session.is_dir() if taken == "an empty folder" else session.read_text() == "mine"


def test_two_of_one_name_discarded_in_the_same_second_are_both_kept(session):
    first = discard(session)
    recorded(session, "second")
    second = discard(session)
    assert first != second
    assert {read_session(path).label for path in list_trash(session.parent)} == {"r1", "second"}
    assert {bring_back(first), bring_back(second)} == {session, session.with_name("base-2")}


def test_the_latest_is_the_first_of_the_list(session, tmp_path):
    trash = session.parent / ".trash"
    for name in ("z.deleted-20260101T000000Z", "a.deleted-20270101T000000Z", "b.deleted-20260601T000000Z-2"):
        (trash / name).mkdir(parents=True)
    (trash / "something else").mkdir()
    assert [path.name[0] for path in list_trash(session.parent)] == ["a", "b", "z"]


def test_a_session_that_is_being_recorded_is_not_discarded(session):
    with (
        SessionWriter(session) as writer,
        pytest.raises(FwdtuiError, match="not deleted: another fwdtui is recording into it"),
    ):
        discard(session)
    assert writer.folder.is_dir() and read_session(session).label == "r1"
    discard(session)


def test_a_session_whose_annotations_are_being_changed_is_not_discarded(session):
    held = lock.take(session / LOCK)
    assert held is not None
    with pytest.raises(FwdtuiError, match="another fwdtui is changing it"):
        discard(session)
    held.release()
    annotate(discard(session), "of no use any more")


def test_a_damaged_session_can_be_discarded_and_brought_back(session):
    (session / "session.toml").write_text("label = ")
    assert bring_back(discard(session)) == session
    (session / "session.toml").unlink()
    assert bring_back(discard(session)) == session


def test_what_is_no_session_is_not_discarded(session, tmp_path):
    (tmp_path / "link").symlink_to(session)
    (tmp_path / "work").mkdir()
    (tmp_path / "work" / "paper.tex").write_text("x")
    for path, told in (
        (tmp_path / "link", "no such session folder"),
        (tmp_path / "none", "no such session folder"),
        (tmp_path / "work", "not a session"),
        (session.parent, "not a session"),
    ):
        with pytest.raises(FwdtuiError, match=told):
            discard(path)
    trashed = discard(session)
    with pytest.raises(FwdtuiError, match="already in the trash"):
        discard(trashed)


def test_only_what_was_discarded_is_brought_back(session):
    with pytest.raises(FwdtuiError, match="no such session in the trash"):
        bring_back(session)
    with pytest.raises(FwdtuiError, match="no such session in the trash"):
        bring_back(session.parent / ".trash" / "base.deleted-20260101T000000Z")


def test_each_of_several_that_come_back_has_a_number_of_its_own(session):
    trashed = [discard(session)]
    for label in ("second", "third"):
        recorded(session, label)
        trashed.append(discard(session))
    found = [bring_back(path).name for path in trashed]
    assert found == ["base", "base-2", "base-3"]


def test_the_trash_is_the_users_own(session):
    trashed = discard(session)
    assert [path.stat().st_mode & 0o777 for path in (trashed.parent, trashed)] == [0o700, 0o700]


def test_without_a_trash_there_is_nothing_in_it(tmp_path):
    assert list_trash(tmp_path) == [] == list_trash(tmp_path / "none")


@pytest.mark.parametrize("what", ["a file", "a link", "another name", "another folder"])
def test_what_is_in_the_trash_but_is_no_discarded_session_is_left_there(session, what):
    trash = session.parent / (".trash" if what != "another folder" else "other")
    trash.mkdir(exist_ok=True)
    path = trash / ("base.deleted-20260101T000000Z" if what != "another name" else "base")
    if what == "a file":
        path.write_text("x")
    elif what == "a link":
        path.symlink_to(session)
    else:
        path.mkdir()
    with pytest.raises(FwdtuiError, match="no such session in the trash"):
        bring_back(path)
    assert path.exists()


def test_a_name_that_another_program_takes_at_the_last_moment_is_left_to_it(session, monkeypatch):
    """Between our taking the name and our moving the session there."""
    trashed = discard(session)
    real = Path.rename

    def late(self, target):
        if Path(target).name == "base":
            (Path(target) / "theirs").write_text("x")
        return real(self, target)

    monkeypatch.setattr(Path, "rename", late)
    assert bring_back(trashed) == session.with_name("base-2")
    assert (session / "theirs").read_text() == "x"


def test_a_move_that_fails_is_told_and_leaves_everything_where_it_was(session, monkeypatch):
    trashed = discard(session)

    def fails(self, target):
        raise OSError(5, "Input/output error")

    monkeypatch.setattr(Path, "rename", fails)
    with pytest.raises(FwdtuiError, match=r"not restored: Input/output error$"):
        bring_back(trashed)
    assert not session.exists() and trashed.is_dir()
    recorded(session, "other")
    with pytest.raises(FwdtuiError, match=r"base: not deleted: Input/output error$"):
        discard(session)
    assert read_session(session).label == "other" and list_trash(session.parent) == [trashed]
