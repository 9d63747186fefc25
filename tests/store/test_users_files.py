"""Settings and saved state: what is read, and how a wrong value is shown."""

from pathlib import Path

import pytest

from fwdtui.core.errors import FwdtuiError
from fwdtui.store import own_files


@pytest.mark.parametrize("name", ["file", "link", "elsewhere/file"])
def test_links_are_followed(tmp_path: Path, name: str) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "real" / "file").write_bytes(b"content")
    (tmp_path / "elsewhere").symlink_to("real")
    (tmp_path / "link").symlink_to("real/file")
    (tmp_path / "file").write_bytes(b"content")
    assert own_files.read(tmp_path / name) == b"content"


@pytest.mark.parametrize("name", ["none", "none/file", "file/in a file", "dangling"])
def test_a_file_that_is_not_there_is_not_damaged(tmp_path: Path, name: str) -> None:
    (tmp_path / "file").touch()
    (tmp_path / "dangling").symlink_to("none")
    with pytest.raises(FileNotFoundError, match=name):
        own_files.read(tmp_path / name)


@pytest.mark.parametrize("more", [0, 1])
def test_a_mebibyte_is_read(tmp_path: Path, more: int) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"x" * ((1 << 20) + more))
    if more:
        with pytest.raises(FwdtuiError, match="/file: larger than the 1 MiB that fwdtui reads"):
            own_files.read(path)
    else:
        assert len(own_files.read(path)) == 1 << 20


def test_what_cannot_be_a_file_is_told_with_its_name(tmp_path: Path) -> None:
    (tmp_path / "loop").symlink_to("loop")
    for path, told in (
        (tmp_path, "a folder, not a regular file"),
        (tmp_path / "loop", "(?i)loop|levels of symbolic links"),
        (Path("a\0b"), "null byte"),
    ):
        with pytest.raises(FwdtuiError, match=told) as refused:
            own_files.read(path)
        assert str(refused.value).startswith(f"{path}: ")


@pytest.mark.parametrize(
    ("length", "shown"),
    [(0, ""), (79, "x" * 79), (80, "x" * 80), (81, "x" * 79 + "…"), (500, "x" * 79 + "…")],
)
def test_a_long_value_is_cut_to_eighty_characters(length: int, shown: str) -> None:
    assert own_files.short("x" * length) == shown


def test_a_wrong_value_is_shown_as_it_was_written() -> None:
    assert own_files.shown("a") == "'a'" and own_files.shown(3) == "3"
    assert own_files.shown("x" * 90) == "'" + "x" * 78 + "…"
    assert own_files.short("abcdef", 6) == "abcdef" and own_files.short("abcdef", 5) == "abcd…"
