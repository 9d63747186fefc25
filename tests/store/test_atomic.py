"""A file is the old one or the new one, whatever fails when, and it is on disk before it counts."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from fwdtui.store import atomic


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "file"


def test_a_new_file_takes_no_place_of_another(path: Path) -> None:
    atomic.write_new(path, b"first")
    assert path.stat().st_mode & 0o777 == 0o600
    with pytest.raises(FileExistsError):
        atomic.write_new(path, b"second")
    path.with_name("link").symlink_to("none")
    with pytest.raises(FileExistsError):
        atomic.write_new(path.with_name("link"), b"second")
    assert path.read_bytes() == b"first" and not path.with_name("none").exists()


def test_what_a_write_leaves_over_is_written_too(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As on a disk that fills up: write(2) takes a part, and does not fail."""
    real = os.write
    monkeypatch.setattr(os, "write", lambda descriptor, data: real(descriptor, bytes(data)[:3]))
    atomic.replace(path, b"0123456789")
    assert path.read_bytes() == b"0123456789"


def test_a_replaced_file_is_on_disk_before_it_has_the_name_and_then_the_name_is(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Otherwise a power failure could leave an empty file of the right name."""
    calls: list[str] = []

    def logged(name: str, told: Callable[..., str]) -> None:
        real = getattr(os, name)

        def call(*arguments: object, **options: object) -> object:
            calls.append(told(*arguments))
            return real(*arguments, **options)

        monkeypatch.setattr(os, name, call)

    logged("write", lambda descriptor, data: "write")
    logged("fsync", lambda descriptor: f"sync {Path(f'/dev/fd/{descriptor}').resolve().name}")
    logged("rename", lambda old, new: f"{Path(old).name} -> {Path(new).name}")
    atomic.replace(path, b"new")
    temporary = f".file.{os.getpid()}.tmp"
    assert calls == ["write", f"sync {temporary}", f"{temporary} -> file", f"sync {path.parent.name}"]


@pytest.mark.parametrize("name", ["write", "fsync", "rename"])
@pytest.mark.parametrize("error", [OSError(5, "Input/output error"), KeyboardInterrupt()])
def test_what_fails_leaves_the_old_file_alone(
    path: Path, monkeypatch: pytest.MonkeyPatch, name: str, error: BaseException
) -> None:
    atomic.replace(path, b"old")
    before = set(Path("/dev/fd").iterdir())

    def fails(*arguments: object, **options: object) -> int:
        raise error

    with monkeypatch.context() as broken, pytest.raises(type(error)):
        broken.setattr(os, name, fails)
        atomic.replace(path, b"new")
    assert path.read_bytes() == b"old" and [one.name for one in path.parent.iterdir()] == ["file"]
    assert set(Path("/dev/fd").iterdir()) == before


def test_what_a_killed_writer_of_our_number_left_is_in_nobodys_way(path: Path) -> None:
    path.with_name(f".file.{os.getpid()}.tmp").write_text("half")
    atomic.replace(path, b"new")
    assert path.read_bytes() == b"new" and len(list(path.parent.iterdir())) == 1


def test_a_path_may_be_relative_to_an_open_folder(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = os.open(path.parent, os.O_RDONLY)
    for data in (b"old", b"new"):
        atomic.replace("file", data, within=folder)
    assert path.read_bytes() == b"new" and len(list(path.parent.iterdir())) == 1
    with monkeypatch.context() as broken, pytest.raises(OSError, match="odd"):
        broken.setattr(os, "rename", lambda *paths, **options: (_ for _ in ()).throw(OSError("odd")))
        atomic.replace("file", b"other", within=folder)
    assert path.read_bytes() == b"new" and len(list(path.parent.iterdir())) == 1
    os.close(folder)
