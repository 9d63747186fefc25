"""What is undone is undone to the session that was changed, and never to another one of its name."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from sessions_rig import read
from waiting import press, seen

from fwdtui.core.errors import FwdtuiError
from fwdtui.core.model import Iteration
from fwdtui.store import SessionWriter, annotate, annotations, drop, lock, read_annotations, rename, trash
from fwdtui.ui.common.selection import Change
from fwdtui.ui.sessions import session_changes
from fwdtui.ui.shell.app import FwdtuiApp


def recorded(folder: Path, value: float) -> Path:
    with SessionWriter.create(folder, label="r1", created="2026-01-02T03:04:05+00:00") as writer:
        writer.begin("inet4").commit(Iteration(0, value))
    return folder


CHANGES: dict[str, Callable[[Path], Change]] = {
    "a label": lambda session: session_changes.rename(session, "base"),
    "a note": lambda session: session_changes.annotate(session, "warm"),
    "a drop": lambda session: session_changes.drop(session, "inet4", 1, "cold"),
    "a drop taken back": lambda session: session_changes.restore(session, "inet4", 1),
}


@pytest.mark.parametrize("make", CHANGES.values(), ids=CHANGES)
def test_a_session_recorded_again_under_the_same_name_is_not_changed(
    tmp_path: Path, make: Callable[[Path], Change]
) -> None:
    path = recorded(tmp_path / "r1", 100.0)
    drop(path, "inet4", 1, "cold")
    change = make(path)
    change.do()
    marked: list[str] = []
    deleted = session_changes.delete(path, lambda: marked.append("again"))
    deleted.do()

    recorded(path, 200.0)
    rename(path, "new")
    annotate(path, "mine")
    drop(path, "inet4", 1, "loud")
    before = read_annotations(path)
    assert deleted.undo() == "Undone: r1 is back from the trash as r1-2: another session has its name now"
    assert not marked, "the mark would be that of the other session"
    with pytest.raises(FwdtuiError, match="another session now has this name"):
        change.undo()
    assert read_annotations(path) == before


@pytest.mark.parametrize("what", CHANGES)
def test_a_session_that_was_in_the_trash_meanwhile_is_still_the_same(tmp_path: Path, what: str) -> None:
    path = recorded(tmp_path / "r1", 100.0)
    if what == "a drop taken back":
        drop(path, "inet4", 1, "cold")
    before = read_annotations(path)
    change = CHANGES[what](path)
    change.do()
    deleted = session_changes.delete(path)
    deleted.do()
    assert deleted.undo() == "Undone: r1 is back from the trash"
    change.undo()
    after = read_annotations(path)
    assert (after.label, after.note) == (before.label, before.note)
    assert [one.reason for one in after.dropped] == [one.reason for one in before.dropped]


def test_a_note_or_label_that_somebody_else_has_written_meanwhile_is_told_when_it_is_replaced(
    tmp_path: Path,
) -> None:
    path = recorded(tmp_path / "r1", 100.0)
    assert session_changes.annotate(path, "mine", "").remark == ""
    assert session_changes.rename(path, "a", "r1").remark == ""
    annotate(path, "the fan was broken,\nso all of it is too slow")
    rename(path, "base")
    change = session_changes.annotate(path, "mine", "")
    assert (
        change.remark
        == "; it replaces “the fan was broken, …l of it is too slow”, which was written in the meantime"
    )
    change.do()
    change.undo()
    assert read_annotations(path).note == "the fan was broken,\nso all of it is too slow"
    replaced = session_changes.rename(path, "a", "r1").remark
    assert replaced == "; it replaces “base”, which was written in the meantime"
    # what was seen is replaced without another word
    assert session_changes.annotate(path, "mine", read_annotations(path).note).remark == ""


def test_a_drop_is_undone_to_the_reason_that_there_was(tmp_path: Path) -> None:
    """It may have been dropped elsewhere since the screen was read."""
    path = recorded(tmp_path / "r1", 100.0)
    drop(path, "inet4", 1, "the cable was touched")
    change = session_changes.drop(path, "inet4", 1, "x")
    change.do()
    change.undo()
    assert [one.reason for one in read_annotations(path).dropped] == ["the cable was touched"]
    assert change.undone == "Undone: iteration 1 of inet4 has its previous reason"


def test_what_counts_again_is_dropped_again_with_the_reason_that_it_had_last(tmp_path: Path) -> None:
    path = recorded(tmp_path / "r1", 100.0)
    drop(path, "inet4", 1, "another reason, given elsewhere")
    change = session_changes.restore(path, "inet4", 1)
    change.do()
    assert not read_annotations(path).dropped
    change.undo()
    assert [one.reason for one in read_annotations(path).dropped] == ["another reason, given elsewhere"]


@pytest.mark.parametrize("what", ["a drop", "a drop taken back"])
def test_an_undone_drop_has_its_date_again_and_what_a_later_fwdtui_has_noted(
    tmp_path: Path, what: str
) -> None:
    path = recorded(tmp_path / "r1", 100.0)
    text = '[[dropped]]\ncase = "inet4"\nindex = 1\nreason = "a cable"\nwhen = "2026-01-02"\nby = "olivier"\n'
    (path / "annotations.toml").write_text(f"schema = 1\n\n{text}")
    change = CHANGES[what](path)
    change.do()
    assert text not in (path / "annotations.toml").read_text()
    change.undo()
    assert text in (path / "annotations.toml").read_text()


async def test_an_undo_that_failed_is_tried_again_before_any_other(tmp_path: Path) -> None:
    path = recorded(tmp_path / "r1", 100.0)
    app = FwdtuiApp(tmp_path)
    async with app.run_test(size=(120, 40)) as pilot:
        await read(pilot)
        selection = app.selection
        for change in (session_changes.rename(path, "base"), session_changes.annotate(path, "warm")):
            change.do()
            selection.remember(change)
        taken = lock.take(path / annotations.LOCK)
        assert taken is not None
        await press(pilot, "u")
        await seen(pilot, lambda: any("try again" in note.message for note in app._notifications))
        taken.release()
        await press(pilot, "u")
        await seen(pilot, lambda: read_annotations(path).note == "")
        assert read_annotations(path).label == "base"


async def test_an_undo_of_a_session_that_is_gone_does_not_stand_in_the_way_of_others(tmp_path: Path) -> None:
    kept, gone = recorded(tmp_path / "r1", 100.0), recorded(tmp_path / "r2", 100.0)
    app = FwdtuiApp(tmp_path)
    async with app.run_test(size=(120, 40)) as pilot:
        await read(pilot)
        for change in (session_changes.rename(kept, "base"), session_changes.rename(gone, "other")):
            change.do()
            app.selection.remember(change)
        shutil.rmtree(gone)
        await press(pilot, "u")
        await seen(pilot, lambda: any("No such file" in note.message for note in app._notifications))
        await press(pilot, "u")
        await seen(pilot, lambda: read_annotations(kept).label != "base")


def test_a_session_that_could_not_be_brought_back_is_brought_back_by_the_next_try(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = recorded(tmp_path / "r1", 100.0)
    deleted = session_changes.delete(path)
    deleted.do()

    def full(_: Path) -> Path:
        raise FwdtuiError("not restored: No space left on device")

    with monkeypatch.context() as once:
        once.setattr(trash, "bring_back", full)
        with pytest.raises(FwdtuiError, match="No space"):
            deleted.undo()
    assert deleted.undo() == "Undone: r1 is back from the trash"
