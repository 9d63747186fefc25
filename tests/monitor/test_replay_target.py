"""Which recording a path or a name means, and what is said where it means none."""

from pathlib import Path

import pytest

from fwdtui.core.errors import FwdtuiError
from fwdtui.monitor.replay.target import Target, find, find_named, numbers
from fwdtui.store.names import case_folder
from fwdtui.store.session_names import SessionNames


@pytest.fixture
def session(tmp_path: Path) -> Path:
    """Cases v4, "IPv4, 64 bytes" and "session.toml"; beside them what is no case."""
    path = tmp_path / "sessions" / "rules"
    for case in ("v4", case_folder("IPv4, 64 bytes"), case_folder("session.toml")):
        for number in ("001", "2", "010", "notes", "1234567890"):
            (path / case / number).mkdir(parents=True)
    for folder in ("empty", ".hidden/001", "my case!/2"):
        (path / folder).mkdir(parents=True)
    (path / "link").symlink_to("v4")
    (path / "v4" / "003").write_text("a file")
    (path / "v4" / ".004").mkdir()
    (path / "v4" / "005").symlink_to("001")
    (path / "session.toml").write_text('schema = 1\nlabel = "UDP/2"\ncreated = ""\n')
    return path


@pytest.mark.parametrize(
    ("text", "case", "iteration", "name"),
    [
        ("", None, None, "rules"),
        ("v4", "v4", None, "rules ▸ v4"),
        ("v4/", "v4", None, "rules ▸ v4"),
        ("v4//1", "v4", 1, "rules ▸ v4 ▸ 1"),
        ("v4/001", "v4", 1, "rules ▸ v4 ▸ 1"),
        ("v4/2", "v4", 2, "rules ▸ v4 ▸ 2"),
        ("v4/0010", "v4", 10, "rules ▸ v4 ▸ 10"),
        ("IPv4, 64 bytes/2", case_folder("IPv4, 64 bytes"), 2, None),
        ("session.toml/2", case_folder("session.toml"), 2, None),
        ("my case!/2", "my case!", 2, "rules ▸ my case! ▸ 2"),
    ],
)
def test_a_case_is_named_by_its_folder_or_its_name_and_an_iteration_by_its_number(
    session: Path, monkeypatch: pytest.MonkeyPatch, text: str, case: str, iteration: int, name: str | None
) -> None:
    found = Target(session, None if case is None else session / case, iteration)
    assert find(session / text) == found
    assert name is None or found.name == name
    monkeypatch.chdir(session.parent.parent)
    for meant in ("rules", "UDP/2", "sessions/rules"):
        assert find_named(f"{meant}/{text}", SessionNames()) == found


def test_the_path_of_a_target_is_its_folder() -> None:
    session = Path("s/rules")
    assert Target(session).path == session
    assert Target(session, session / "v4").path == session / "v4"
    assert Target(session, session / "v4", 3).path == session / "v4" / "3"
    assert Target(Path("s/a\x1b[2J"), Path("s/a\x1b[2J/b\nc")).name == "a[2J ▸ bc"


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("v6/1", f"no case 'v6'; there are {case_folder('IPv4, 64 bytes')}, my case!, "),
        ("empty", f"no case 'empty'; there are {case_folder('IPv4, 64 bytes')}, "),
        ("link", "no case 'link'; there are "),
        (".hidden", "no case '.hidden'; there are "),
        ("v4/3", "no iteration '3'; there are 1, 2, 10"),
        ("v4/5", "no iteration '5'; there are 1, 2, 10"),
        ("v4/1234567890", "no iteration '1234567890'; there are 1, 2, 10"),
        ("v4/\u0661", "no iteration '\u0661'; there are 1, 2, 10"),
        ("v4/\u00b2", "no iteration '\u00b2'; there are 1, 2, 10"),
        ("v4/-1", "no iteration '-1'; there are 1, 2, 10"),
        ("v4/1/2", "no '1/2'; an iteration is only a number"),
    ],
)
def test_what_is_not_there_is_answered_with_what_is(session: Path, text: str, told: str) -> None:
    with pytest.raises(FwdtuiError) as refused:
        find(session / text)
    place = session if "no case" in told else session / "v4"
    assert str(refused.value).startswith(f"{place}: {told}")


@pytest.mark.parametrize(("count", "more"), [(12, ""), (13, " and 1 more"), (15, " and 3 more")])
def test_twelve_are_listed_and_the_others_counted(tmp_path: Path, count: int, more: str) -> None:
    (tmp_path / "session.toml").touch()
    with pytest.raises(FwdtuiError, match=rf"no case 'x'; there are no cases in {tmp_path}$"):
        find(tmp_path / "x")
    for number in range(1, count + 1):
        (tmp_path / "v4" / f"{number:03d}").mkdir(parents=True)
    with pytest.raises(FwdtuiError, match=r"/none: No such file or directory$"):
        numbers(tmp_path / "none")
    assert numbers(tmp_path / "v4") == list(range(1, count + 1))
    listed = ", ".join(str(number) for number in range(1, 13))
    with pytest.raises(FwdtuiError) as refused:
        find(tmp_path / "v4" / "99")
    assert str(refused.value) == f"{tmp_path}/v4: no iteration '99'; there are {listed}{more}"


def test_of_several_readings_the_first_that_fits_is_meant_and_else_the_first_is_told(
    session: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A label may hold the separator: UDP/2 may be a session of its own, or case 2 of the session UDP."""
    monkeypatch.chdir(session.parent.parent)
    udp = session.parent / "UDP"
    (udp / "v4" / "001").mkdir(parents=True)
    (udp / "session.toml").write_text('schema = 1\nlabel = ""\ncreated = ""\n')
    names = SessionNames()
    assert find_named("UDP/2", names).session == session
    assert find_named("UDP/v4", names) == Target(udp, udp / "v4")
    with pytest.raises(FwdtuiError, match="rules: no case '7'"):
        find_named("UDP/2/7", names)
    with pytest.raises(FwdtuiError, match=r"^UDB: no such session; did you mean UDP"):
        find_named("UDB", names)
