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
