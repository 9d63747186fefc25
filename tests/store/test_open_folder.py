"""A folder that is open is found again, whatever its name is now."""

import os
import shutil
import sys
from pathlib import Path

import pytest

from fwdtui.store import open_folder
from fwdtui.store.open_folder import OpenFolder


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    path = tmp_path / "sessions" / "base"
    path.mkdir(parents=True)
    (path.parent / "another").mkdir()
    return path


@pytest.fixture(params=["/proc", "no /proc"])
def proc(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> bool:
    """Whether the system knows the path of an open folder."""
    if request.param == "no /proc":
        monkeypatch.setattr(open_folder, "_PROC", tmp_path / "none")
    return request.param == "/proc" and sys.platform == "linux"


def test_a_folder_that_is_where_it_was_is_there(folder: Path, proc: bool) -> None:
    one = OpenFolder(folder)
    assert one.is_at(folder) and one.find(folder) == folder
    assert not one.is_at(folder.parent) and not one.is_at(folder / "none") and not one.is_at(Path("a\0b"))
    one.close()


@pytest.mark.parametrize("taken", [False, True])
def test_a_renamed_folder_is_found_beside_its_old_name(folder: Path, proc: bool, taken: bool) -> None:
    one = OpenFolder(folder)
    renamed = folder.rename(folder.with_name("renamed"))
    if taken:
        folder.mkdir()
    assert one.find(folder) == renamed and one.is_at(renamed)
    one.close()


def test_a_folder_that_was_moved_is_found_where_the_system_knows(folder: Path, proc: bool) -> None:
    one = OpenFolder(folder)
    moved = folder.rename(folder.parent.with_name("moved"))
    assert one.find(folder) == (moved if proc else None)
    one.close()


@pytest.mark.parametrize("gone", ["it", "and the folder around it"])
@pytest.mark.parametrize("taken", [False, True])
def test_a_deleted_folder_is_nowhere(folder: Path, proc: bool, gone: str, taken: bool) -> None:
    one = OpenFolder(folder)
    shutil.rmtree(folder if gone == "it" else folder.parent)
    if taken:
        folder.mkdir(parents=True)
    assert one.find(folder) is None
    one.close()


def test_it_is_closed_once(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    one, closed = OpenFolder(folder), list[int]()
    number, real = one.descriptor, os.close
    monkeypatch.setattr(os, "close", lambda descriptor: closed.append(descriptor) or real(descriptor))
    one.close()
    one.close()
    assert closed == [number]
