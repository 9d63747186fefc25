"""Whatever is given to a command: an answer, or status 2 and one line on stderr. Never a traceback."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from fwdtui.cli import COMMANDS, main

NUMBERS = ["nan", "-inf", "0", "-1", "", "1e-300", "1e308", "99.999999999", "1e-15", "9" * 5000]
NUMBERS += ["1_0", "²", " ", "1\0", "50", "\udcff"]
MINISTAT = ["--format", "ministat"]
COMPARE = {name: [] for name in ("--margin", "--confidence", "--offered", "-C", "-d", "--label", "--format")}
COMPARE |= {"--fail-if": [], "--fail-unless": [], "-c": MINISTAT, "-w": MINISTAT, "--flavour": MINISTAT}
NAMES = ["", "\udcff", "a" * 300, "nothing", "/dev/null", "/dev/full", ".", "\n", ":", "a:b", "-", "é"]


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a").write_text("1000\n1001\n1003\n1002\n")
    (tmp_path / "b").write_text("1010\n1011\n1013\n1012\n")
    return tmp_path


def answered(
    capfd: pytest.CaptureFixture[str], arguments: list[str], statuses: tuple[int, ...] = (0, 2)
) -> int:
    status = main(arguments)
    err = capfd.readouterr().err
    assert status in statuses, err
    if status == 2:
        assert err.startswith("fwdtui: ") and err.count("\n") == 1 and len(err) < 1200, err[:300]
    return status


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize("number", NUMBERS, ids=range(len(NUMBERS)))
@pytest.mark.parametrize("option", COMPARE)
def test_an_odd_value_of_an_option_of_compare(
    option: str, number: str, capfd: pytest.CaptureFixture[str]
) -> None:
    answered(capfd, ["compare", "a", "b", *COMPARE[option], f"{option}={number}"])


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize(
    "start",
    [["report", "a", "b", "-o", "r.md", "--margin="], ["report", "a", "b", "-o", "r.md", "--confidence="],
     ["report", "a", "b", "-o", "r.md", "--without="], ["live", "lab.toml", "--headless", "--for="],
     ["run", "lab.toml", "--headless", "-n="], ["import", ".", "--into", "x", "--trim="]],
    ids=" ".join,
)  # fmt: skip
@pytest.mark.parametrize("number", ["nan", "inf", "-1", "", "1e308", "99.999999999", "9" * 5000, "\udcff"])
def test_an_odd_value_of_an_option_of_the_others(
    start: list[str], number: str, capfd: pytest.CaptureFixture[str]
) -> None:
    *rest, option = start
    assert answered(capfd, [*rest, option + number], (0, 2)) == 2 or option == "--without="


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize("name", NAMES, ids=range(len(NAMES)))
@pytest.mark.parametrize(
    "start",
    [
        ["compare", "a"],
        ["compare", "b", "a", "--format", "ministat"],
        ["sessions"],
        ["check", "--json"],
        ["replay"],
        ["doctor"],
        ["import", "--into", "x"],
        ["report", "a", "b", "--without=charts", "-o"],
    ],
    ids=" ".join,
)
def test_an_odd_name_of_a_file_or_folder(
    start: list[str], name: str, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    with Path(os.devnull).open() as nothing:
        monkeypatch.setattr("sys.stdin", nothing)
        status = answered(capfd, [*start, "./-" if name == "-" and start[-1] == "-o" else name], (0, 1, 2))
    assert status != 1 or start[0] in ("check", "sessions", "replay", "import")


@pytest.mark.parametrize("form", ["table", "json", "markdown", "ministat"])
def test_a_file_name_that_is_not_utf8(here: Path, form: str) -> None:
    """JSON ended with a traceback and status 1, which is the gate's own."""
    name = os.fsdecode(b"n\xff")
    (here / "a").rename(here / name)
    done = fwdtui("compare", name, "b", "--format", form, "--fail-if", "slower")
    assert (done.returncode, done.stderr) == (0, b"")
    if form == "json":
        assert "n" in json.loads(done.stdout)["comparisons"][0]["base"]["label"]


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize("confidence", ["50", "99.9999"])
def test_the_ends_of_the_confidence_are_written_as_they_are(
    confidence: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["compare", "a", "b", "-c", confidence, "--explain"]) == 0
    assert f"confidence {confidence} %" in capsys.readouterr().out


def test_carriage_returns_are_line_ends_and_other_encodings_are_named(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (here / "crlf").write_bytes(b"1000\r\n1001\r\n1003\r\n")
    assert main(["compare", "crlf", "b"]) == 0
    for name, data, told in (
        ("bom", b"\xef\xbb\xbf1000\n1001\n", "bom:1: begins with a byte order mark"),
        ("utf16", "1000\n1001\n".encode("utf-16"), "utf16:1: UTF-16 text"),
        ("utf16be", b"\xfe\xff\x001\x00\n", "utf16be:1: UTF-16 text"),
        ("binary", b"\x7fELF\0\0", "binary:1: not a value file"),
    ):
        (here / name).write_bytes(data)
        capsys.readouterr()
        for form in ("table", "ministat"):
            assert main(["compare", name, "b", "--format", form]) == 2
            assert capsys.readouterr().err.startswith(f"fwdtui: {told}")


def fwdtui(*arguments: str, wrapped: str = '"$@"') -> "subprocess.CompletedProcess[bytes]":
    command = ["sh", "-c", wrapped, "sh", sys.executable, "-m", "fwdtui", *arguments]
    return subprocess.run(command, capture_output=True, timeout=60, stdin=subprocess.DEVNULL)


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize(
    "arguments",
    [["compare", "a", "b"], ["compare", "a", "b", "--format", "ministat"], ["check", "a"], ["--version"]],
    ids=" ".join,
)  # fmt: skip
@pytest.mark.parametrize(
    ("streams", "said"),
    [('"$@" >/dev/full', "No space left on device"), ('"$@" >&-', "standard output is closed")],
)
def test_output_that_arrives_nowhere_is_an_error(arguments: list[str], streams: str, said: str) -> None:
    done = fwdtui(*arguments, wrapped=streams)
    assert done.returncode == 2
    assert done.stderr.decode() == f"fwdtui: {said}\n"


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize(
    "streams", ['"$@" 2>&-', '"$@" 2>/dev/full', '"$@" 2>&- >&-', '"$@" 2>&- >/dev/full']
)
def test_an_error_that_nobody_can_be_told_has_its_status_all_the_same(streams: str) -> None:
    assert fwdtui("compare", "nothing", "a", wrapped=streams).returncode == 2


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize(
    "arguments", [["compare", "-", "a"], ["check", "-"], ["compare", "-", "--format=ministat"]]
)
def test_standard_input_that_is_closed_is_an_error_and_not_an_empty_file(arguments: list[str]) -> None:
    done = fwdtui(*arguments, wrapped='"$@" <&-')
    assert done.returncode == 2
    assert b"standard input is closed" in done.stderr and done.stderr.count(b"\n") == 1


@pytest.mark.usefixtures("here")
def test_a_reader_that_goes_away_is_no_error_to_speak_of() -> None:
    done = fwdtui("compare", "a", "b", "--explain", wrapped='"$@" | true')
    assert done.stderr == b""


@pytest.mark.parametrize(
    "command", [name for name in COMMANDS if name not in ("demo", "live", "run", "lab", "doctor", "profile")]
)
def test_an_empty_argument_is_no_name(command: str, here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A variable of a script that was never set named the folder in which one stood."""
    more = {"compare": ["a"], "report": ["a", "-o", "r.md"], "import": ["--into", "x"]}.get(command, [])
    assert main([command, "", *more]) == 2
    assert "the argument is empty" in capsys.readouterr().err
    assert not (here / "x").exists()


@pytest.mark.parametrize(
    "arguments", [["show", ""], ["compare", "a", ""], ["fold", ""], ["import", "a", "", "--case", "x"]]
)
def test_nor_is_it_one_of_an_action(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["profile", *arguments]) == 2
    assert "the argument is empty" in capsys.readouterr().err


@pytest.mark.parametrize(
    "arguments",
    [["import", ".", "--into", ""], ["import", ".", "--into="], ["experiment", ".", "--lab", "", "--dry-run"],
     ["check", "a", "--data", ""], ["sessions", "--sessions="], ["run", "--headless", "--session", ""],
     ["live", "--headless", "--case="], ["profile", "capture", "--below", ""], ["lab", "up", "--dir", ""],
     ["compare", "a", "b", "--metric", "", "--fail-unless", "not-slower"], ["report", "a", "--x", ""],
     ["report", "a", "-o", "r.md", "--x", "queues", "--link="], ["lab", "up", "--vm", "--kernel", ""]],
    ids=" ".join,
)  # fmt: skip
def test_nor_does_an_empty_option_name_anything(
    arguments: list[str], here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """`--lab "$(fwdtui lab env)"` of a lab that was not up measured the lab.toml in the current folder."""
    before = sorted(here.iterdir())
    assert main(arguments) == 2
    assert "the argument is empty" in capsys.readouterr().err
    assert sorted(here.iterdir()) == before


@pytest.mark.parametrize("command", ["compare", "report"])
def test_only_what_is_missing_is_asked_for(command: str, capfd: pytest.CaptureFixture[str]) -> None:
    assert main([command]) == 2
    assert capfd.readouterr().err.startswith("fwdtui: the following arguments are required: BASE (see")
