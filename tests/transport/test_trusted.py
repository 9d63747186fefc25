"""What was allowed is remembered by its content, shows what has changed, and cannot be claimed by a file."""

import json
import os
import re
import stat
from pathlib import Path

import pytest

from fwdtui.core.errors import FwdtuiError
from fwdtui.transport import trusted
from fwdtui.transport.ssh_files import TextFile, read


@pytest.fixture
def lab(tmp_path: Path) -> Path:
    folder = tmp_path / "clone"
    folder.mkdir(mode=0o700)
    (folder / "lab.toml").write_text("one\nsecret two\nthree\n")
    return folder / "lab.toml"


def test_a_file_is_allowed_as_it_stands_and_under_its_own_path(lab, tmp_path):
    file = read(lab)
    assert not trusted.is_allowed(lab, [file]) and trusted.changes(lab, file) is None
    trusted.allow(lab, [file])
    assert trusted.is_allowed(lab, [file]) and [one.root for one in trusted.allowed()] == [lab]
    lab.write_text("one\nsecret two\nthree!\n")
    assert not trusted.is_allowed(lab, [read(lab)])
    other = tmp_path / "other.toml"
    other.write_bytes(file.data)
    assert not trusted.is_allowed(other, [read(other)]), "a relative command means something else elsewhere"


def test_a_change_is_shown_line_by_line(lab):
    trusted.allow(lab, [read(lab)])
    lab.write_text("zero\none\nthree\nfour\n")
    assert trusted.changes(lab, read(lab)) == [
        ("+", "zero"),
        (" ", "one"),
        ("-", "1 line is gone here"),
        (" ", "three"),
        ("+", "four"),
    ]


def text(path: Path, *lines: str) -> TextFile:
    return TextFile(path, "".join(f"{line}\n" for line in lines).encode())


def test_how_many_lines_are_gone_is_told_and_an_unchanged_or_new_file_is_shown_whole(lab):
    trusted.allow(lab, [text(lab, "a", "b", "c", "d")])
    assert trusted.changes(lab, text(lab, "a", "d")) == [
        (" ", "a"),
        ("-", "2 lines are gone here"),
        (" ", "d"),
    ]
    assert trusted.changes(lab, text(lab, "a", "x", "c", "d"))[1:3] == [
        ("-", "1 line is gone here"),
        ("+", "x"),
    ]
    assert trusted.changes(lab, text(lab, "a", "b", "c", "d")) == [(" ", line) for line in "abcd"]
    assert trusted.changes(lab, text(lab.with_name("new"), "a", "b")) == [("+", "a"), ("+", "b")]


def test_lines_that_occur_often_are_recognised_too(lab):
    often = ["same"] * 300
    trusted.allow(lab, [text(lab, *often, "x")])
    assert trusted.changes(lab, text(lab, "y", *often)) == [
        ("+", "y"),
        *[(" ", "same")] * 300,
        ("-", "1 line is gone here"),
    ]


@pytest.mark.parametrize(
    ("before", "after", "compared"),
    [(5000, 5000, True), (5001, 2, False), (2, 5001, False)],
)
def test_a_file_of_more_than_five_thousand_lines_is_all_new(lab, before, after, compared):
    lines = [f"line {n}" for n in range(max(before, after))]
    trusted.allow(lab, [text(lab, *lines[:before])])
    shown = trusted.changes(lab, text(lab, *lines[: after - 1], "changed"))
    assert shown is not None and {mark for mark, _ in shown} == ({" ", "-", "+"} if compared else {"+"})


def test_what_is_remembered_is_private_and_holds_no_text(lab):
    trusted.allow(lab, [read(lab)])
    assert stat.S_IMODE(trusted.store().stat().st_mode) == 0o600
    assert stat.S_IMODE(trusted.store().parent.stat().st_mode) == 0o700
    assert "secret" not in trusted.store().read_text()
    (held,) = json.loads(trusted.store().read_text())["allowed"].values()
    (marks,) = (file["lines"] for file in held["files"].values())
    assert len(marks) == 3 and all(re.fullmatch("[0-9a-f]{16}", mark) for mark in marks)


def test_a_folder_whose_name_is_no_utf8_is_remembered_as_any_other(tmp_path):
    odd = tmp_path / os.fsdecode(b"lab-\xff")
    odd.mkdir()
    (odd / "lab.toml").write_text("[dut]\n")
    trusted.allow(odd / "lab.toml", [read(odd / "lab.toml")])
    assert trusted.is_allowed(odd / "lab.toml", [read(odd / "lab.toml")])


def test_forgetting_takes_a_file_or_a_folder(lab):
    trusted.allow(lab, [read(lab)])
    assert trusted.forget(lab.parent) == 1 and trusted.forget(lab.parent) == 0
    trusted.allow(lab, [read(lab)])
    assert trusted.forget(lab) == 1 and not trusted.is_allowed(lab, [read(lab)])


@pytest.mark.parametrize(
    "text", ["", "{", "[]", '{"version": 0}', '{"version": 1, "allowed": {"x": 3}}', "[" * 9999]
)
def test_a_damaged_memory_allows_nothing_and_is_written_anew(lab, text):
    trusted.store().parent.mkdir(parents=True)
    trusted.store().write_text(text)
    assert trusted.allowed() == []
    trusted.allow(lab, [read(lab)])
    assert trusted.is_allowed(lab, [read(lab)])


@pytest.mark.parametrize(
    ("mode", "counts"),
    [(0o600, True), (0o755, True), (0o620, False), (0o602, False), (0o666, False)],
)
def test_a_memory_that_others_can_write_allows_nothing(lab, mode, counts):
    trusted.allow(lab, [read(lab)])
    trusted.store().chmod(mode)
    assert trusted.is_allowed(lab, [read(lab)]) is counts
    assert (trusted.changes(lab, read(lab)) is not None) is counts


@pytest.mark.root
@pytest.mark.skipif(os.geteuid() != 0, reason="only root gives a file away")
def test_a_memory_that_somebody_else_wrote_allows_nothing(lab):
    trusted.allow(lab, [read(lab)])
    os.chown(trusted.store(), 12345, -1)
    assert not trusted.is_allowed(lab, [read(lab)])


def test_a_memory_behind_a_link_allows_nothing(lab, tmp_path):
    trusted.allow(lab, [read(lab)])
    trusted.store().rename(tmp_path / "memory")
    trusted.store().symlink_to(tmp_path / "memory")
    assert trusted.allowed() == []


@pytest.mark.parametrize(("version", "counts"), [(0, False), (1, True), (2, False)])
def test_a_memory_of_another_version_allows_nothing(lab, version, counts):
    trusted.allow(lab, [read(lab)])
    held = json.loads(trusted.store().read_text())
    assert held["version"] == 1
    trusted.store().write_text(json.dumps(held | {"version": version}))
    assert trusted.is_allowed(lab, [read(lab)]) is counts


def test_the_memory_of_a_newer_fwdtui_stays_as_it_is(lab):
    trusted.store().parent.mkdir(parents=True)
    newer = '{"version": 2, "allowed": ["what this one does not know"]}'
    trusted.store().write_text(newer)
    for change in (lambda: trusted.allow(lab, [read(lab)]), lambda: trusted.forget(lab), trusted.allowed):
        with pytest.raises(FwdtuiError, match="written by a newer fwdtui"):
            change()
    assert trusted.store().read_text() == newer and not trusted.is_allowed(lab, [read(lab)])


def test_all_files_are_allowed_together_and_each_difference_ends_that(lab):
    other, third = lab.with_name("ssh_config"), lab.with_name("known_hosts")
    for file in (other, third):
        file.write_text("x\n")
    trusted.allow(lab, [read(lab), read(other)])
    assert trusted.is_allowed(lab, [read(lab), read(other)])
    gone = trusted.difference(lab, [read(lab)])
    assert gone == trusted.Difference((), (), (other,)) and not trusted.is_allowed(lab, [read(lab)])
    new = trusted.difference(lab, [read(lab), read(other), read(third)])
    assert new == trusted.Difference((), (third,), ())
    assert not trusted.is_allowed(lab, [read(lab), read(other), read(third)])
    other.write_text("y\n")
    changed = trusted.difference(lab, [read(lab), read(other)])
    assert changed == trusted.Difference((other,), (), ())
    assert not trusted.is_allowed(lab, [read(lab), read(other)])


def test_what_cannot_be_saved_is_an_error_and_leaves_nothing(lab, monkeypatch):
    trusted.allow(lab, [read(lab)])
    before = trusted.store().read_text()

    def full(descriptor):
        raise OSError(28, "No space left on device")

    with (
        monkeypatch.context() as broken,
        pytest.raises(FwdtuiError, match=r"trusted\.json: cannot be written: No space left on device"),
    ):
        broken.setattr(os, "fsync", full)
        trusted.allow(lab.with_name("other.toml"), [read(lab)])
    assert {path.name for path in trusted.store().parent.iterdir()} == {"trusted.json", ".trusted.lock"}
    assert trusted.store().read_text() == before


def test_where_its_folder_cannot_be_made_nothing_is_allowed_silently(lab):
    trusted.store().parent.parent.mkdir(parents=True, exist_ok=True)
    trusted.store().parent.write_text("a file")
    with pytest.raises(FwdtuiError, match="cannot be written"):
        trusted.allow(lab, [read(lab)])
    assert not trusted.is_allowed(lab, [read(lab)])


def test_a_made_folder_is_that_very_folder(lab):
    folder = lab.parent
    assert not trusted.is_made(folder)
    trusted.made(folder)
    assert trusted.is_made(folder)
    for mode, still in ((0o777, False), (0o720, False), (0o702, False), (0o755, True), (0o711, True)):
        folder.chmod(mode)
        assert trusted.is_made(folder) is still, "others can write into it"
    folder.chmod(0o700)
    folder.rename(folder.with_name("moved"))
    folder.mkdir(mode=0o700)
    assert not trusted.is_made(folder)
    trusted.unmade(folder.with_name("moved"))
    assert not trusted.is_made(folder.with_name("moved"))


@pytest.mark.root
@pytest.mark.skipif(os.geteuid() != 0, reason="/run is root's")
def test_other_processes_know_a_folder_that_root_has_made(lab, monkeypatch, tmp_path):
    monkeypatch.setattr(trusted, "_RUN", tmp_path / "run")
    other = tmp_path / "other"
    other.mkdir(mode=0o700)
    trusted.made(other)
    assert not (tmp_path / "run").exists(), "this process alone knows of it"
    for folder in (other, lab.parent):
        trusted.made(folder, until_boot=True)
    monkeypatch.setattr(trusted, "_MADE", set())
    assert trusted.is_made(lab.parent) and trusted.is_made(other)
    entries = list((tmp_path / "run").iterdir())
    assert [stat.S_IMODE(path.stat().st_mode) for path in [tmp_path / "run", *entries]] == [
        0o755,
        0o644,
        0o644,
    ]
    for path in (tmp_path / "run", *entries):
        usual = stat.S_IMODE(path.stat().st_mode)
        for mode in (0o722, 0o720, 0o702):
            path.chmod(mode)
            assert not (trusted.is_made(lab.parent) and trusted.is_made(other)), (
                "anybody could have written that"
            )
        path.chmod(usual)
        os.chown(path, 12345, -1)
        assert not (trusted.is_made(lab.parent) and trusted.is_made(other)), "somebody else wrote that"
        os.chown(path, 0, -1)
    assert trusted.is_made(lab.parent) and trusted.is_made(other)
    trusted.unmade(other)
    assert not trusted.is_made(other) and trusted.is_made(lab.parent)
    trusted.unmade(lab.parent)
    assert not trusted.is_made(lab.parent) and not (tmp_path / "run").exists()
