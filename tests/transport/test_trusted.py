"""What was allowed is remembered by its content, shows what has changed, and cannot be claimed by a file."""

import os
import stat
from pathlib import Path

import pytest

from fwdtui.transport import trusted
from fwdtui.transport.ssh_files import read


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


def test_what_is_remembered_is_private_and_holds_no_text(lab):
    trusted.allow(lab, [read(lab)])
    assert stat.S_IMODE(trusted.store().stat().st_mode) == 0o600
    assert "secret" not in trusted.store().read_text()


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
    "text", ["", "{", "[]", '{"version": 2}', '{"version": 1, "allowed": {"x": 3}}', "[" * 9999]
)
def test_a_damaged_memory_allows_nothing_and_is_written_anew(lab, text):
    trusted.store().parent.mkdir(parents=True)
    trusted.store().write_text(text)
    assert trusted.allowed() == []
    trusted.allow(lab, [read(lab)])
    assert trusted.is_allowed(lab, [read(lab)])


def test_a_memory_that_others_can_write_allows_nothing(lab):
    trusted.allow(lab, [read(lab)])
    trusted.store().chmod(0o666)
    assert not trusted.is_allowed(lab, [read(lab)])
    trusted.store().chmod(0o600)
    assert trusted.is_allowed(lab, [read(lab)])


def test_a_made_folder_is_that_very_folder(lab):
    folder = lab.parent
    assert not trusted.is_made(folder)
    trusted.made(folder)
    assert trusted.is_made(folder)
    folder.chmod(0o777)
    assert not trusted.is_made(folder), "others can write into it"
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
    trusted.made(lab.parent, until_boot=True)
    monkeypatch.setattr(trusted, "_MADE", set())
    assert trusted.is_made(lab.parent)
    (tmp_path / "run").chmod(0o777)
    assert not trusted.is_made(lab.parent), "anybody could have written that"
    (tmp_path / "run").chmod(0o755)
    trusted.unmade(lab.parent)
    assert not trusted.is_made(lab.parent) and not (tmp_path / "run").exists()
