"""Value files among other files: found by what is in them, and nothing hangs or leads outside."""

import errno
import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from fixtures import Agree

from fwdtui.core.errors import FwdtuiError
from fwdtui.store import opening, value_folder
from fwdtui.store.value_folder import MOST_BYTES, read_value_folder


def made(folder: Path, **files: str) -> Path:
    for name, text in files.items():
        path = folder / name.replace("__", "/").replace("_dot_", ".")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return folder


def found(folder: Path) -> dict[str, tuple[float, ...]]:
    return {file.path: file.values for file in read_value_folder(folder).files}


IS_ONE = {
    "numbers": ("1\n2.5\n-3e2\n", (1.0, 2.5, -300.0)),
    "no line end": ("1\n2", (1.0, 2.0)),
    "comments and blank lines": ("# by fwdtui\n\n1\n\t\n# x\n2\n", (1.0, 2.0)),
    "CR LF and blanks": (" 1 \r\n2\r\n", (1.0, 2.0)),
    "a long comment first": (f"# {'x' * 2000}\n1\n", (1.0,)),
}
IS_NONE = {
    "several columns": "64 152694\n128 152707\n",
    "a heading": "pps\n1\n2\n",
    "a log": "1.0 main_thread [1] 1 pps\n",
    "a word at the end": "1\n2\nabc\n",
    "nothing": "",
    "comments only": "# a\n",
    "grouped": "1 000 100\n",
    "too large a number": "1e999\n",
    "a NUL": "1\0\n",
}


@pytest.mark.parametrize(("text", "values"), IS_ONE.values(), ids=IS_ONE.keys())
def test_what_is_a_value_file(text: str, values: tuple[float, ...], tmp_path: Path) -> None:
    (tmp_path / "any.name").write_bytes(text.encode())
    assert found(tmp_path) == {"any.name": values}


@pytest.mark.parametrize("text", IS_NONE.values(), ids=IS_NONE.keys())
def test_what_is_none(text: str, tmp_path: Path) -> None:
    (tmp_path / "any.pps").write_bytes(text.encode())
    assert found(tmp_path) == {}


def test_folders_are_looked_into_and_files_come_in_order(tmp_path: Path) -> None:
    made(tmp_path, b_dot_pps="2\n", a_dot_pps="1\n", sub__deep__c_dot_pps="3\n")
    assert list(found(tmp_path)) == ["a.pps", "b.pps", "sub/deep/c.pps"]


def test_links_pipes_and_devices_are_left_alone(tmp_path: Path) -> None:
    outside, inside = tmp_path / "outside", tmp_path / "inside"
    made(outside, a_dot_pps="1\n")
    made(inside, b_dot_pps="2\n")
    (inside / "file.pps").symlink_to(outside / "a.pps")
    (inside / "folder").symlink_to(outside)
    (inside / "zero").symlink_to("/dev/zero")
    os.mkfifo(inside / "pipe.pps")
    assert found(inside) == {"b.pps": (2.0,)}


@pytest.mark.parametrize("line", ["1\n", "# by fwdtui\n1\n", "14880952.125 \r\n"])
def test_a_large_file_that_begins_as_a_value_file_is_not_read_and_told(line: str, tmp_path: Path) -> None:
    (tmp_path / "fits.pps").write_bytes(line.encode() * (MOST_BYTES // len(line)))
    (tmp_path / "large.pps").write_bytes(line.encode() * (MOST_BYTES // len(line) + 1))
    read = read_value_folder(tmp_path)
    assert [file.path for file in read.files] == ["fits.pps"]
    why = "larger than the 256 KiB that fwdtui reads of such a file: it may be a value file"
    assert read.skipped == (f"{tmp_path}/large.pps: {why}",)


@pytest.mark.parametrize("line", ["1.0 main 1 pps\n", "64 152694\n", "# a comment only\n", "\n", "1" * 9])
def test_a_large_log_is_left_out_without_a_word(line: str, tmp_path: Path) -> None:
    (tmp_path / "log").write_text(line * (MOST_BYTES // len(line) + 1))
    assert read_value_folder(tmp_path) == value_folder.ValueFolder(())


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16-le", "utf-16-be"])
def test_one_behind_a_byte_order_mark_is_told(encoding: str, tmp_path: Path) -> None:
    mark = "" if encoding == "utf-8-sig" else "\ufeff"
    (tmp_path / "a.pps").write_bytes(f"{mark}1\n2\n".encode(encoding))
    (tmp_path / "prose").write_bytes(f"{mark}Hello.\n".encode(encoding))
    why = "begins with a byte order mark; save it as UTF-8 without one: it may be a value file"
    assert read_value_folder(tmp_path) == value_folder.ValueFolder((), (f"{tmp_path}/a.pps: {why}",))


def test_one_with_units_is_told_and_a_log_is_not(tmp_path: Path) -> None:
    (tmp_path / "rates").write_text("# r1\n1.12 Mpps\n1020 kpps\n")
    (tmp_path / "log").write_text("10 s of warm-up\n12 s of traffic\n")
    (tmp_path / "names").write_text("10 first\n12 second\n")
    read = read_value_folder(tmp_path)
    told = f"{tmp_path}/rates: '1.12 Mpps': the unit Mpps is not read: it may be a value file"
    assert (read.files, read.skipped) == ((), (told,))


def test_too_many_are_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made(tmp_path, **{f"{name}_dot_pps": "1\n" for name in "abc"})
    monkeypatch.setattr(value_folder, "MOST_FILES", 3)
    assert read_value_folder(tmp_path).skipped == ()
    monkeypatch.setattr(value_folder, "MOST_FILES", 2)
    cut = read_value_folder(tmp_path)
    assert len(cut.files) == 2
    assert cut.skipped == (f"{tmp_path}: more than 2 value files: the rest was not looked at",)


def test_folders_that_are_too_deep_are_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made(tmp_path, one__two__a_dot_pps="1\n")
    monkeypatch.setattr(value_folder, "DEEPEST", 2)
    assert len(read_value_folder(tmp_path).files) == 1
    monkeypatch.setattr(value_folder, "DEEPEST", 1)
    cut = read_value_folder(tmp_path)
    assert cut.files == ()
    assert cut.skipped == (f"{tmp_path / 'one'}: more than 1 folders deep: not looked into",)


def test_files_that_cannot_be_read_are_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Root may read everything, so the kernel's refusal is put in."""
    pieces = opening.pieces

    def refused(path: Path, most: int) -> Iterator[bytes]:
        if path.name.startswith("private"):
            raise PermissionError(errno.EACCES, "Permission denied", str(path))
        return pieces(path, most)

    monkeypatch.setattr(opening, "pieces", refused)
    made(tmp_path, a_dot_pps="1\n", private_dot_pps="2\n")
    read = read_value_folder(tmp_path)
    assert [file.path for file in read.files] == ["a.pps"]
    told = f"{tmp_path}/private.pps: Permission denied: it may be a value file"
    assert read.skipped == (told,)
    made(tmp_path, **{f"private{number:02d}": "2\n" for number in range(11)})
    assert read_value_folder(tmp_path).skipped[-1] == f"{tmp_path}: 2 more files were not read"


def test_names_are_cleaned(tmp_path: Path) -> None:
    (tmp_path / os.fsdecode(b"r\xe9\x1b[31m.pps")).write_text("1\n")
    assert list(found(tmp_path)) == ["r\\udce9[31m.pps"]


@pytest.mark.parametrize("name", ["none", "file", "nul\0"])
def test_what_is_no_folder_is_an_error(name: str, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("1\n")
    with pytest.raises(FwdtuiError):
        read_value_folder(tmp_path / name)


def real_value_files_of_the_archive(archive: Path) -> None:
    names = [file.path for file in read_value_folder(archive).files]
    assert len(names) == 332
    assert sum(name.endswith(".pps") for name in names) == 256
    assert not [name for name in names if name.endswith((".sender", ".receiver", "gnuplot.data", ".md"))]


def test_published_folders_say_the_same(agree: Agree) -> None:
    agree(real_value_files_of_the_archive)
