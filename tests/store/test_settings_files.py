"""settings/HOST-NNN.json: written once and again when it has changed, read strictly, ignored by others."""

import json
import os
import shutil
import stat
from pathlib import Path

import pytest
from msgspec.structs import replace

from fwdtui.core.errors import FwdtuiError
from fwdtui.core.host_settings import HostSettings, SettingsSource
from fwdtui.core.model import Iteration
from fwdtui.store import SessionWriter, read_session
from fwdtui.store import host_settings as files
from fwdtui.store.listing import list_sessions


def settings(host: str = "dut", **values: str) -> HostSettings:
    source = SettingsSource("sysctl", values, volatile=3, unsteady=("x",), unread=("y",), skipped=("line 1",))
    absent, missing = SettingsSource("pf", absent=True), SettingsSource("nft", missing="refused")
    return HostSettings(
        host, "linux", ("dut",), "2026-01-01T00:00:00+00:00", "", ("v4",), (source, absent, missing)
    )


@pytest.fixture
def session(tmp_path: Path) -> Path:
    with SessionWriter.create(tmp_path / "s", label="s", created="") as writer:
        writing = writer.begin("v4")
        writing.commit(Iteration(0, 1.0))
        assert writer.keep_settings(settings(a="1", b="two\nlines"))
        assert writer.keep_settings(settings(a="2"))
        assert writer.keep_settings(settings("admin@gen:22", a="1"))
    return tmp_path / "s"


def test_what_is_written_is_read_in_its_order(session: Path) -> None:
    found = files.read(session)
    assert found.problems == ()
    assert sorted(found.settings, key=lambda one: one.host) == [
        settings("admin@gen:22", a="1"),
        settings(a="1", b="two\nlines"),
        settings(a="2"),
    ]
    names = sorted(path.name for path in (session / "settings").iterdir())
    assert names[-2:] == ["dut-001.json", "dut-002.json"] and names[0].startswith("admin-gen-22-")
    assert all(stat.S_IMODE(path.stat().st_mode) == 0o600 for path in (session / "settings").iterdir())
    assert stat.S_IMODE((session / "settings").stat().st_mode) == 0o700


def test_a_further_recording_finds_the_newest_of_each_host(session: Path) -> None:
    with SessionWriter(session) as writer:
        assert writer.settings() == {"dut": settings(a="2"), "admin@gen:22": settings("admin@gen:22", a="1")}


def test_readers_of_sessions_see_no_case_in_it(session: Path) -> None:
    found = read_session(session)
    assert [case.name for case in found.cases] == ["v4"] and found.problems == ()
    (listed,) = list_sessions(session.parent)
    assert listed == found


def test_a_case_of_that_name_and_the_settings_do_not_get_into_each_others_way(tmp_path: Path) -> None:
    with SessionWriter.create(tmp_path / "s", label="s", created="") as writer:
        for value in (1.0, 2.0):
            writer.begin("settings").commit(Iteration(0, value))
            assert writer.keep_settings(settings(a=f"{value}"))
    found = read_session(tmp_path / "s")
    assert [iteration.value for iteration in found.cases[0].iterations] == [1.0, 2.0] and found.problems == ()
    assert len(files.read(tmp_path / "s").settings) == 2


def test_a_session_without_settings_has_none(tmp_path: Path) -> None:
    with SessionWriter.create(tmp_path / "s", label="s", created="") as writer:
        assert writer.settings() == {}
    assert files.read(tmp_path / "s") == files.Kept()


def test_a_recording_writes_a_hundred_of_one_host_and_an_import_more(tmp_path: Path) -> None:
    with SessionWriter.create(tmp_path / "s", label="s", created="") as writer:
        kept = [writer.keep_settings(settings(a=str(number))) for number in range(101)]
        assert kept == [True] * 100 + [False]
        assert writer.keep_settings(settings("gen", a="1"))
        assert writer.keep_settings(settings(a="x"), limited=False)
    assert len(files.read(tmp_path / "s").settings) == 102


def test_a_state_that_comes_back_takes_no_further_file(tmp_path: Path) -> None:
    """Three states in turns, as a large interleaved experiment makes them, in two recordings."""
    states = [
        replace(
            settings(a=str(number % 3)), taken=f"2026-01-01T{number // 60:02d}:{number % 60:02d}:00+00:00"
        )
        for number in range(300)
    ]
    with SessionWriter.create(tmp_path / "s", label="s", created="") as writer:
        assert all(writer.keep_settings(one) for one in states[:200])
    with SessionWriter(tmp_path / "s") as writer:
        assert writer.settings() == {"dut": states[199]}
        assert all(writer.keep_settings(one) for one in states[200:])
        assert writer.settings() == {"dut": states[299]}
    assert len(list((tmp_path / "s/settings").iterdir())) == 3
    found = files.read(tmp_path / "s")
    assert found.problems == () and list(found.settings) == states
    assert len({id(one.sources) for one in found.settings}) == 3, "they share what they say"


def test_what_another_state_would_be_for_a_comparison_is_no_return(tmp_path: Path) -> None:
    """Alike in what both show, but one does not show a key that the other has."""
    one = settings(a="1")
    (shown, *rest) = one.sources
    later = "2026-01-01T00:01:00+00:00"
    other = replace(one, taken=later, sources=(replace(shown, unread=("b",)), *rest))
    counted = replace(one, taken=later, sources=(replace(shown, volatile=9), *rest))
    with SessionWriter.create(tmp_path / "s", label="s", created="") as writer:
        for each in (one, other, counted):
            assert writer.keep_settings(each)
    assert len(list((tmp_path / "s/settings").iterdir())) == 2


def test_settings_that_could_not_be_read_again_are_not_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    size = len(files.encode(settings(a="1")))
    monkeypatch.setattr(files, "FILE_MOST", size)
    with SessionWriter.create(tmp_path / "s", label="s", created="") as writer:
        assert writer.keep_settings(settings(a="1"))
        with pytest.raises(FwdtuiError, match="dut: its settings take more than"):
            writer.keep_settings(settings(a="12"))
    assert len(files.read(tmp_path / "s").settings) == 1


DAMAGE = {
    "not JSON": (lambda text: text[:-40], "the JSON ends too early"),
    "changed": (lambda text: text.replace('"a": "1"', '"a": "7"'), "checksum does not match"),
    "wrong type": (lambda text: text.replace('"a": "1"', '"a": 1'), "expected a string"),
    "newer": (
        lambda text: text.replace('"schema": 1', '"schema": 2'),
        "schema 2 is newer than this fwdtui knows",
    ),
}


@pytest.mark.parametrize("name", DAMAGE)
def test_a_damaged_file_is_told_and_the_others_are_used(session: Path, name: str) -> None:
    damage, told = DAMAGE[name]
    path = session / "settings" / "dut-001.json"
    path.write_text(damage(path.read_text()))
    before = path.read_bytes()
    found = files.read(session)
    (problem,) = found.problems
    assert problem.startswith(str(path)) and told in problem
    assert {one.source("sysctl").values["a"] for one in found.settings if one.host == "dut"} == {"2"}
    with SessionWriter(session) as writer:  # it is neither used nor replaced
        assert writer.settings()["dut"] == settings(a="2")
        writer.keep_settings(settings(a="3"))
    assert path.read_bytes() == before and (session / "settings" / "dut-003.json").exists()


def test_nothing_but_regular_files_is_opened(session: Path, tmp_path: Path) -> None:
    folder = session / "settings"
    (tmp_path / "outside.json").write_bytes((folder / "dut-001.json").read_bytes())
    (folder / "dut-003.json").symlink_to(tmp_path / "outside.json")
    os.mkfifo(folder / "dut-004.json")
    (folder / "dut-005.json").mkdir()
    found = files.read(session)
    assert len(found.settings) == 3
    assert [problem.rpartition(": ")[2] for problem in found.problems] == [
        "a link, not a regular file",
        "a named pipe, not a regular file",
        "a folder, not a regular file",
    ]


@pytest.mark.parametrize("count", [400, 401])
def test_four_hundred_files_are_read_and_that_there_are_more_is_told(session: Path, count: int) -> None:
    folder = session / files.FOLDER
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    for number in range(count):
        (folder / f"dut-{number:03d}.json").touch()
    problems = list(files.read(session).problems)
    more = [f"{folder}: only the first 400 of 401 files are read"]
    assert problems[: len(problems) - 400] == (more if count == 401 else [])
    assert problems[-1].startswith(f"{folder / 'dut-399.json'}: "), "each damaged one is named"


def test_a_link_in_place_of_the_folder_is_not_followed(session: Path, tmp_path: Path) -> None:
    (session / "settings").rename(tmp_path / "elsewhere")
    (session / "settings").symlink_to(tmp_path / "elsewhere")
    assert files.read(session).settings == () and "not a folder" in files.read(session).problems[0]
    with SessionWriter(session) as writer:
        assert writer.settings() == {}
        with pytest.raises(NotADirectoryError):
            writer.keep_settings(settings(a="3"))
    assert not (tmp_path / "elsewhere" / "dut-003.json").exists()


def test_what_a_stranger_wrote_into_it_cannot_act_on_a_terminal(session: Path) -> None:
    evil = HostSettings(
        "d\x1b[2Jut", sources=(SettingsSource("s\x1b", {"k\u202e": "v\x1b]0;x\x07\nw"}, missing="\x9b"),)
    )
    with SessionWriter(session) as writer:
        writer.keep_settings(evil)
    found = [one for one in files.read(session).settings if one.host == "d[2Jut"]
    assert found[0].sources == (SettingsSource("s", {"k": "v]0;x\nw"}),)


def test_a_file_is_json_that_other_programs_can_read(session: Path) -> None:
    content = json.loads((session / "settings" / "dut-001.json").read_text())
    assert list(content) == ["schema", "settings", "checksum"] and content["schema"] == 1
    assert content["settings"]["sources"][0]["values"] == {"a": "1", "b": "two\nlines"}
