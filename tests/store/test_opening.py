"""How files in a session are opened: what they may be, how much is read, and what is said of the rest."""

import errno
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from fwdtui.store import opening


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "file"
    path.write_bytes(b"0123456789")
    return path


def descriptors() -> set[Path]:
    return set(Path("/dev/fd").iterdir())


def link(path: Path) -> None:
    (path.parent / "other").write_bytes(b"other")
    path.symlink_to("other")


ODD: dict[str, Callable[[Path], None]] = {"a link": link, "a named pipe": os.mkfifo, "a folder": Path.mkdir}


# what it may be


@pytest.mark.parametrize("odd", ODD)
def test_only_a_regular_file_is_one(path: Path, odd: str) -> None:
    assert opening.is_file(path) and not opening.is_file(path.with_name("none"))
    path.unlink()
    ODD[odd](path)
    assert not opening.is_file(path)
    with pytest.raises(OSError) as refused:
        opening.read(path)
    assert refused.value.strerror == f"{odd}, not a regular file"
    assert (refused.value.errno, refused.value.filename) == (errno.EINVAL, str(path))


def test_a_name_that_cannot_exist_is_no_file() -> None:
    assert not opening.is_file("a\0b")


@pytest.mark.parametrize("odd", ODD)
def test_what_takes_the_files_place_at_the_last_moment_is_not_read_either(
    path: Path, odd: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Between our looking at it and our opening it: a pipe must not block us, nor a link lead elsewhere."""
    real, before = os.open, descriptors()

    def late(name: Path, *more: int, **options: int | None) -> int:
        path.unlink()
        ODD[odd](path)
        return real(name, *more, **options)

    monkeypatch.setattr(os, "open", late)
    with pytest.raises(OSError, match="Too many levels" if odd == "a link" else f"{odd}, not a regular file"):
        opening.open_file(path)
    monkeypatch.undo()
    assert descriptors() == before


@pytest.mark.parametrize(
    ("what", "told"),
    [
        (link, "a link, not a folder"),
        (lambda path: path.symlink_to("none"), "a link, not a folder"),
        (os.mkfifo, "a named pipe, not a folder"),
        (Path.touch, "a file, not a folder"),
    ],
)
def test_what_is_no_folder_is_named(path: Path, what: Callable[[Path], None], told: str) -> None:
    path.unlink()
    what(path)
    with pytest.raises(NotADirectoryError) as refused:
        opening.open_folder(path)
    assert (refused.value.strerror, refused.value.filename) == (told, str(path))


@pytest.mark.parametrize("number", [errno.ENOENT, errno.EACCES])
def test_another_error_of_a_folder_is_told_as_it_is(
    path: Path, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    def refused(*arguments: object, **options: object) -> int:
        raise OSError(number, "as it is")

    monkeypatch.setattr(os, "open", refused)
    with pytest.raises(OSError, match="as it is") as found:
        opening.open_folder(path)
    assert found.value.errno == number


def test_a_path_may_be_relative_to_an_open_folder(path: Path) -> None:
    folder = opening.open_folder(path.parent)
    (path.parent / "inner").mkdir()
    assert opening.is_file("file", within=folder) and not opening.is_file("inner", within=folder)
    assert opening.read("file", within=folder) == b"".join(opening.pieces("file", 99, within=folder))
    assert sorted(opening.names(folder)) == ["file", "inner"]
    os.close(opening.open_folder("inner", within=folder))
    with pytest.raises(NotADirectoryError, match="a file, not a folder"):
        opening.open_folder("file", within=folder)
    os.close(folder)


# how much of it is read


@pytest.mark.parametrize("size", [0, 1, 1023, 1024, 1025, 5000])
@pytest.mark.parametrize("told", [None, 0], ids=["", "of a size that is not told"])
def test_a_file_is_read_whole_or_not_at_all(
    path: Path, monkeypatch: pytest.MonkeyPatch, size: int, told: int | None
) -> None:
    """A file may also grow while it is read, and some (those in /proc) tell no size."""
    content = bytes(number % 251 for number in range(size))
    path.write_bytes(content)
    if told is not None:
        real = os.fstat
        monkeypatch.setattr(
            os, "fstat", lambda open: os.stat_result((*real(open)[:6], told, *real(open)[7:]))
        )
    before = descriptors()
    if size <= 1024:
        assert opening.read(path, 1024) == content
    else:
        with pytest.raises(OSError) as refused:
            opening.read(path, 1024)
        assert refused.value.strerror == "larger than the 1 KiB that fwdtui reads of such a file"
        assert (refused.value.errno, refused.value.filename) == (errno.EFBIG, str(path))
    assert descriptors() == before


def test_a_big_file_is_read_a_piece_at_a_time(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(opening, "PIECE", 4)
    assert list(opening.pieces(path, 99, at_once=4)) == [b"0123", b"4567", b"89"]
    assert opening.read(path) == b"0123456789"


@pytest.mark.parametrize("most", [0, 1, 4, 9, 10, 11])
def test_of_a_file_that_is_longer_the_first_bytes_are_read(path: Path, most: int) -> None:
    before = descriptors()
    assert b"".join(opening.pieces(path, most)) == b"0123456789"[:most]
    assert descriptors() == before


def test_what_is_read_of_each_kind_of_file() -> None:
    kinds = (opening.TEXT_MOST, opening.LOG_MOST, opening.SAMPLES_MOST)
    assert [opening.shown(most) for most in kinds] == ["1 MiB", "256 MiB", "512 MiB"]


@pytest.mark.parametrize(
    ("size", "shown"),
    [
        (0, "0 bytes"),
        (1023, "1023 bytes"),
        (1024, "1 KiB"),
        (1536, "1.5 KiB"),
        (1000 << 10, "1000 KiB"),
        ((1 << 20) - 1, "1024 KiB"),
        (1 << 20, "1 MiB"),
        (1023 << 20, "1023 MiB"),
        (1 << 30, "1 GiB"),
        (5 << 40, "5120 GiB"),
    ],
)
def test_a_size_is_shown_in_the_largest_unit_that_it_fills(size: int, shown: str) -> None:
    assert opening.shown(size) == shown
