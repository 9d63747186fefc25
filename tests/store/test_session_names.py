"""What a name of a session means: a path, else the folder's name or the label of a session in one folder."""

from pathlib import Path

import pytest

from fwdtui.core.errors import FwdtuiError
from fwdtui.store import SessionWriter, rename
from fwdtui.store.session_names import SessionNames


def made(folder: Path, label: str) -> Path:
    with SessionWriter.create(folder, label=label, created="2026-01-02T03:04:05+00:00"):
        return folder


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """./sessions, with base (label n311215) and patched (label UDP checksum/2)."""
    monkeypatch.chdir(tmp_path)
    made(Path("sessions/base"), "n311215")
    made(Path("sessions/patched"), "UDP checksum/2")
    return Path("sessions")


def meant(text: str, separator: str = "/") -> list[tuple[str, str]]:
    return [(str(path), rest) for path, rest in SessionNames().readings(text, separator)]


@pytest.mark.parametrize(
    ("text", "session", "rest"),
    [
        ("sessions/base", "sessions/base", ""),
        ("./sessions/base/", "sessions/base", ""),
        ("base", "sessions/base", ""),
        ("base/", "sessions/base", ""),
        ("n311215", "sessions/base", ""),
        ("UDP checksum/2", "sessions/patched", ""),
        ("UDP checksum/2/inet4/3", "sessions/patched", "inet4/3"),
        ("base/inet4", "sessions/base", "inet4"),
        ("sessions/base/inet4/3", "sessions/base", "inet4/3"),
    ],
)
def test_a_path_a_folders_name_or_a_label_and_what_follows_it(folder, text, session, rest):
    assert meant(text) == [(session, rest)]


def test_what_follows_may_also_stand_after_a_colon(folder):
    assert meant("n311215:pf:inet4", ":") == [("sessions/base", "pf:inet4")]


def test_a_path_wins_over_a_name(folder):
    made(Path("base"), "another")
    assert meant("base") == [("base", "")]
    assert meant("base/inet4") == [("base", "inet4")], "not the case of the session of that name"


def test_a_file_is_never_a_name(folder):
    Path("base").write_text("1\n2\n3\n")
    assert meant("base") == []


def test_a_folder_that_is_no_session_leaves_its_name_to_the_session(folder):
    Path("base").mkdir()  # a tree of raw results, say, that the session was imported from
    assert meant("base") == [("sessions/base", "")]


def test_a_label_of_two_sessions_lists_both(folder):
    made(folder / "later", "n311215")
    with pytest.raises(FwdtuiError) as refused:
        meant("n311215")
    both = "sessions/base (n311215), sessions/later (n311215)"
    assert str(refused.value) == f"n311215: may mean any of 2 sessions: {both}; give its path"


def test_a_folders_name_that_is_anothers_label_lists_both(folder):
    """The list of sessions shows labels: whoever types the name may well mean the other one."""
    rename(folder / "patched", "base")
    with pytest.raises(FwdtuiError, match=r"2 sessions: sessions/base \(n311215\), sessions/patched"):
        meant("base")


def test_a_folder_of_its_own_label_is_meant_whatever_others_are_labelled(folder):
    """An import made twice: r1, and r1-2 that is labelled r1 too."""
    made(folder / "r1", "r1")
    made(folder / "r1-2", "r1")
    assert meant("r1") == [("sessions/r1", "")]


def test_a_renamed_session_is_found_by_its_new_label_only(folder):
    rename(folder / "base", "before")
    assert meant("before") == [("sessions/base", "")]
    assert meant("n311215") == []


def test_a_damaged_session_is_found_by_its_folder(folder):
    (folder / "base" / "session.toml").write_text("label =")
    assert meant("base") == [("sessions/base", "")]


def test_deleted_sessions_have_no_names(folder):
    made(folder / ".trash" / "gone", "gone")
    assert meant("gone") == meant(".trash") == meant("..") == []


def test_another_folder_of_sessions(folder, tmp_path):
    made(tmp_path / "other" / "base", "x")
    names = SessionNames(tmp_path / "other")
    assert list(names.readings("base", "/")) == [(tmp_path / "other" / "base", "")]
    assert list(names.readings("n311215", "/")) == []
    assert list(SessionNames(None).readings("base", "/")) == []


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("bas", "did you mean base?"),
        ("BASE", "did you mean base?"),
        ("n311251", "did you mean n311215?"),
        ("udp checksum", "did you mean UDP checksum/2?"),
        ("patch/inet4/3", "did you mean patched?"),
        ("sesions/base", "did you mean sessions/base?"),
        ("sessions/pached", "did you mean sessions/patched?"),
        ("elsewhere/one", "did you mean elsewhere/once?"),
        ("zzz", "there are base, patched"),
        ("sessions/zzz", "there are base, patched"),
        ("elsewhere", "there are once"),
    ],
)
def test_an_unknown_name_is_answered_with_the_closest_or_with_what_there_is(folder, text, told):
    made(Path("elsewhere/once"), "once")
    error = SessionNames().unknown(text, "/", "session")
    assert str(error) == f"{text}: no such session; {told}"


def test_a_session_whose_own_file_is_missing_is_not_taken_for_a_mistyped_name(folder: Path) -> None:
    """Another session, with the closest name, was suggested in its place."""
    (folder / "patch" / "inet4" / "001").mkdir(parents=True)
    (folder / "patch" / "inet4" / "001" / "iteration.json").touch()
    for text in ("patch/inet4/1", "sessions/patch/inet4/1", "sessions/patch"):
        assert str(SessionNames().unknown(text, "/", "session")) == (
            f"{text}: sessions/patch holds iterations but no session.toml"
        )


def test_without_sessions_there_is_nothing_to_suggest(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert meant("base") == []
    assert str(SessionNames().unknown("base", "/", "session")) == "base: no such session"
    given = SessionNames(Path("none")).unknown("base", "/", "session")
    assert str(given) == "base: no such session; there are no sessions in none"


def named(folder: Path, count: int, label: str = "") -> None:
    """As many sessions more."""
    for number in range(count):
        (folder / f"s{number:02d}").mkdir(parents=True)
        (folder / f"s{number:02d}/session.toml").write_text(f'schema = 1\nlabel = "{label}"\ncreated = ""\n')


@pytest.mark.parametrize(("count", "more"), [(12, ""), (13, " and 1 more"), (20, " and 8 more")])
def test_twelve_names_are_listed_and_the_others_counted(tmp_path, monkeypatch, count, more):
    monkeypatch.chdir(tmp_path)
    named(Path("sessions"), count, "same")
    listed = [f"s{number:02d}" for number in range(12)]
    error = SessionNames().unknown("zzz", "/", "session")
    assert str(error) == f"zzz: no such session; there are {', '.join(listed)}{more}"
    with pytest.raises(FwdtuiError) as refused:
        meant("same")
    shown = ", ".join(f"sessions/{name} (same)" for name in listed)
    assert str(refused.value) == f"same: may mean any of {count} sessions: {shown}{more}; give its path"


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("abcdxyz", "there are abcdefgh, base, patched"),  # 8 of 15 letters are alike
        ("abcdexyz", "did you mean abcdefgh?"),  # 10 of 16
    ],
)
def test_what_is_less_than_six_tenths_alike_is_no_suggestion(folder, text, told):
    made(folder / "abcdefgh", "")
    assert str(SessionNames().unknown(text, "/", "session")) == f"{text}: no such session; {told}"


def test_the_closest_of_all_names_is_suggested(folder):
    made(folder / "bases", "based")
    assert str(SessionNames().unknown("basee", "/", "session")).endswith("did you mean base?")
    assert str(SessionNames().unknown("bsaed", "/", "session")).endswith("did you mean based?")


def test_a_name_of_one_letter_has_what_follows_it_too(folder):
    made(folder / "b", "")
    assert meant("b/inet4") == [("sessions/b", "inet4")]


def test_what_begins_with_the_separator_names_no_session_before_it(folder, monkeypatch):
    monkeypatch.chdir("sessions/base")
    assert meant("/inet4") == [] == meant(":inet4", ":")


@pytest.mark.parametrize("text", ["x" * 300, "a\0b"])
def test_what_could_be_no_path_is_no_file_either(folder, text):
    assert meant(text) == []
    assert "no such session" in str(SessionNames().unknown(text, "/", "session"))


def test_a_file_is_said_to_be_one(folder):
    Path("values").touch()
    Path("link").symlink_to("values")
    for text in ("values", "link"):
        assert str(SessionNames().unknown(text, "/", "recording")) == f"{text}: is a file, not a recording"
        assert meant(text) == []
