"""`fwdtui report --x FACTOR`: printed, or written as a report; a wrong option is one clear line."""

from pathlib import Path

import pytest

from fwdtui.cli import main
from fwdtui.core.model import Iteration
from fwdtui.store import SessionWriter
from fwdtui.store.annotations import set_factor


@pytest.fixture
def swept(tmp_path: Path) -> str:
    """Queues 1, 2 and 4 with af inet4 and inet6."""
    folder = tmp_path / "r1"
    with SessionWriter.create(folder, label="r1", created="2026-01-02T03:04:05+00:00", facts={}) as writer:
        for af in ("inet4", "inet6"):
            for queues in (1, 2, 4):
                for step in range(5):
                    writer.begin(f"q{queues}.{af}").commit(Iteration(0, 1e6 * min(queues, 2) + step))
    for af in ("inet4", "inet6"):
        for queues in (1, 2, 4):
            set_factor(folder, f"q{queues}.{af}", "queues", queues)
            set_factor(folder, f"q{queues}.{af}", "af", af)
    return str(folder)


def test_without_a_file_it_is_printed(swept: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["report", swept, "--x", "queues", "--series", "af", "--label", "inet4=v4"]) == 0
    printed = capsys.readouterr().out
    assert printed.startswith("queues, by af\n\nqueues  n  median, pps")
    assert "v4: scales to 2 queues (100 % of linear)" in printed
    assert "o v4   x inet6" in printed


def test_with_a_file_it_is_a_report(swept: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "sweep.md"
    command = ["report", swept, "--x", "queues", "--filter", "af=inet4", "--title", "My queues"]
    assert main([*command, "--without", "charts", "-o", str(out)]) == 0
    names = [Path(line).name for line in capsys.readouterr().out.splitlines()]
    assert names == ["queues.csv", "queues.plt", "queues.dat", "sweep.md"]
    told = "Only iterations with af=inet4 are shown."  # nothing else of the text says it
    assert out.read_text().startswith(f"# My queues\n\n{told}\n\n- scales to 2 queues")
    assert main(["report", swept, "--x", "queues", "--filter", "af=inet4"]) == 0
    assert capsys.readouterr().out.startswith("only af=inet4\nqueues\n\nqueues  n  median, pps")


def test_a_report_says_which_raw_logs_are_not_as_they_were_recorded(
    swept: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with SessionWriter(Path(swept)) as writer:
        writing = writer.begin("q1.inet4")
        writing.attach("a.log", b"raw")
        writing.commit(Iteration(0, 1e6))
        (writing.folder / "a.log").write_bytes(b"edited")
    out = tmp_path / "sweep.md"
    command = ["report", swept, "--x", "queues", "--series", "af"]
    assert main([*command, "-o", str(out)]) == 0
    assert "006/a.log: checksum does not match" in out.read_text()
    capsys.readouterr()
    assert main(command) == 0
    printed = capsys.readouterr()
    assert "checksum" not in printed.out
    (told,) = printed.err.splitlines()
    assert told.startswith("fwdtui: ") and "006/a.log: checksum does not match" in told


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--x", "flows"], "no iteration has the factor flows; there are af, queues"),
        (["--x", "queues", "--margin", "2%"], "--margin cannot be combined with --x"),
        (["--x", "queues", "-c", "99"], "--confidence cannot be combined with --x"),
        (["--x", "queues", "--title", "T"], "--title works only with -o"),
        (["--x", "queues", "--x-scale", "cubic"], "--x-scale: 'cubic' is not one of linear, log"),
        (["--x", "queues", "--order", "4,2"], "--order: the levels of queues are numbers"),
        (["--x", "queues", "--label", "v4"], "--label: 'v4' names no level; with --by write VALUE=TEXT"),
        (["--x", "queues", "--filter", "af"], "--filter: 'af' does not give a factor a value"),
        (["--x", "queues", "--link", "fast"], "--link: 'fast' is not the speed of a link"),
        (["--x", "queues", "--frame", "6"], "--frame: '6' is not a length of frames"),
        (["--series", "af", "-o", "r.md"], "--series works only with --x"),
        (["--order", "inet4", "-o", "r.md"], "--order needs --by FACTOR or --x FACTOR"),
        (["--x", "queues", "--by", "af"], "--by cannot be combined with --x"),
        (["--x", "queues", "--within", "af"], "--within needs --by FACTOR"),
        (["-o", "r.md"], "report needs a BASE and at least one OTHER, or --by FACTOR, or --x FACTOR"),
        ([], "the following arguments are required: -o"),
    ],
)
def test_what_does_not_belong_together_is_refused(
    swept: str, options: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["report", swept, *options]) == 2
    err = capsys.readouterr().err
    assert err.startswith(f"fwdtui: {message}") and err.count("\n") == 1


def test_value_files_have_no_factors(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "a.pps"
    file.write_text("1\n2\n3\n")
    assert main(["report", str(file), "--x", "queues"]) == 2
    assert "a value file has no factors: --x takes sessions" in capsys.readouterr().err
