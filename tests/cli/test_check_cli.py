"""`fwdtui check` from the outside: what it prints, and its exit status."""

import io
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from fixtures import reports

from fwdtui.cli import main

BLOCK = """\
```
x r1 (pps)
+ r1 with D2 (pps)
    N           Min           Max        Median           Avg        Stddev
x   5        998000       1003000       1000500       1000400     1850.6756
+   5       1028000       1032500       1030400       1030280      1728.294
Difference at 95.0% confidence
\t29880 +/- 2611.39
\t2.98681% +/- 0.261034%
\t(Student's t, pooled s = 1790.53)
```
"""
TRUE = "Forwarding is improved (+3%):\n" + BLOCK
FALSE = "About -3% with D2:\n" + BLOCK.replace("1790.53", "1970.53")


def written(folder: Path, name: str, text: str) -> str:
    path = folder / name
    path.write_text(text)
    return str(path)


def test_nothing_found_is_status_0_with_counts(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", written(tmp_path, "a.md", TRUE), written(tmp_path, "b.txt", TRUE)]) == 0
    out = capsys.readouterr()
    assert out.out == "nothing found: 2 ministat blocks and 2 claims about them in 2 files\n"
    assert out.err == ""


def test_findings_are_status_1_with_file_line_kind_and_reason(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = written(tmp_path, "a.md", FALSE)
    assert main(["check", path]) == 1
    claim, table, closing = capsys.readouterr().out.splitlines()
    assert claim.startswith(
        f"{path}:1: claim: The sentence says '−3%', but the block at lines 3–11 gives +2.99 %"
    )
    assert table == f"{path}:11: table: The pooled s is printed as 1970.53, but the rows give 1790.53."
    assert closing == "2 findings: 1 ministat block and 1 claim about them in 1 file"


def test_json_is_the_array_of_the_contract(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    written(tmp_path, "a.md", FALSE)
    assert main(["check", "--json", "./a.md"]) == 1
    found = json.loads(capsys.readouterr().out)
    assert [list(finding) for finding in found] == [["file", "line", "kind", "text", "message"]] * 2
    assert [(one["file"], one["line"], one["kind"]) for one in found] == [
        ("./a.md", 1, "claim"),
        ("./a.md", 11, "table"),
    ]
    assert found[0]["text"] == "About -3% with D2:"
    assert found[1]["text"] == "(Student's t, pooled s = 1970.53)"


def test_json_without_findings_is_an_empty_array(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "--json", written(tmp_path, "a.md", TRUE)]) == 0
    assert json.loads(capsys.readouterr().out) == []


def test_a_file_without_a_block_says_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = written(tmp_path, "a.md", "# Nothing\n\n50 % faster.\n")
    assert main(["check", path]) == 0
    assert capsys.readouterr().out == (
        f"{path}: no ministat block\nnothing found: 0 ministat blocks and 0 claims about them in 1 file\n"
    )


def test_an_unreadable_file_is_status_2_and_the_others_are_checked_all_the_same(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = written(tmp_path, "a.md", FALSE)
    assert main(["check", "--json", str(tmp_path / "none.md"), path, str(tmp_path)]) == 2
    out = capsys.readouterr()
    assert len(json.loads(out.out)) == 2
    assert out.err.splitlines() == [
        f"fwdtui: {tmp_path / 'none.md'}: No such file or directory",
        f"fwdtui: {tmp_path}: Is a directory",
    ]


def test_what_was_skipped_is_said_on_stderr(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = written(tmp_path, "a.md", TRUE.replace("2.98681%", "2.9B681%"))
    assert main(["check", path]) == 0
    assert capsys.readouterr().err.startswith(f"fwdtui: {path}: line 10: a verdict with a damaged number")


def test_a_dash_is_standard_input(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(FALSE.encode())))
    assert main(["check", "--json", "-"]) == 1
    assert {finding["file"] for finding in json.loads(capsys.readouterr().out)} == {"-"}


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "latin-1"])
def test_other_encodings_are_read(encoding: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "a.md"
    path.write_bytes(
        ("Débit : +3 %\n\n" + FALSE.replace("+/-", "±" if encoding != "latin-1" else "+/-")).encode(encoding)
    )
    assert main(["check", "--json", str(path)]) == 1
    assert [finding["line"] for finding in json.loads(capsys.readouterr().out)] == [3, 13]


def test_no_file_is_a_usage_error(tmp_path: Path) -> None:
    run = subprocess.run(
        [sys.executable, "-m", "fwdtui", "check"], cwd=tmp_path, capture_output=True, text=True
    )
    assert (run.returncode, run.stdout) == (2, "")
    assert "FILE" in run.stderr


def test_findings_of_two_reports_among_true_ones(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    old = reports.old()
    files = [written(tmp_path, "today.md", reports.today()), written(tmp_path, "old.md", old)]
    assert main(["check", *files]) == 1
    lines = capsys.readouterr().out.splitlines()
    places = [old[: old.index(wrong)].count("\n") + 1 for wrong in reports.WRONG]
    assert [line.split(": ")[0] for line in lines[:-1]] == [f"{files[1]}:{place}" for place in places]
    assert lines[-1] == "2 findings: 7 ministat blocks and 7 claims about them in 2 files"


def test_the_published_reports(seeds: Path, capsys: pytest.CaptureFixture[str]) -> None:
    files = sorted(str(file) for file in seeds.glob("*.txt"))
    assert main(["check", *files]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert [line.split(": ")[0] for line in lines[:-1]] == [f"{files[4]}:27", f"{files[4]}:47"]
    assert lines[-1] == "2 findings: 13 ministat blocks and 9 claims about them in 5 files"


def test_names_and_terminals_that_are_not_utf_8(tmp_path: Path) -> None:
    name = os.fsdecode(b"r\xe9sultat\x1b[31m.md")
    (tmp_path / name).write_text(FALSE)
    environment = {**os.environ, "PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"}
    run = subprocess.run(
        [sys.executable, "-m", "fwdtui", "check", name], cwd=tmp_path, env=environment, capture_output=True
    )
    assert run.returncode == 1, run.stderr
    assert run.stdout.startswith(b"r\\udce9sultat[31m.md:1: claim: The sentence says '-3%'")
    assert b"Traceback" not in run.stderr
