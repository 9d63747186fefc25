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
    assert out.out == "nothing found in 2 ministat blocks and 2 claims about them (2 files)\n"
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
    assert closing == "2 findings in 1 ministat block and 1 claim about them (1 file)"


def test_json_is_the_array_of_the_contract(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    written(tmp_path, "a.md", FALSE)
    assert main(["check", "--json", "./a.md"]) == 1
    found = json.loads(capsys.readouterr().out)
    keys = ["file", "line", "kind", "text", "message", "cell", "data", "sources"]
    assert [list(finding) for finding in found] == [keys] * 2
    assert [(one["file"], one["line"], one["kind"]) for one in found] == [
        ("./a.md", 1, "claim"),
        ("./a.md", 11, "table"),
    ]
    assert found[0]["text"] == "About -3% with D2:"
    assert found[1]["text"] == "(Student's t, pooled s = 1970.53)"
    assert [one["cell"] for one in found] == [None, None]
    assert found[0]["data"] == "the block at lines 3–11 gives +2.99 % ± 0.26 %"
    assert found[0]["sources"] == [{"file": "./a.md", "first_line": 3, "last_line": 11}]


def test_json_without_findings_is_an_empty_array(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "--json", written(tmp_path, "a.md", TRUE)]) == 0
    assert json.loads(capsys.readouterr().out) == []


def test_a_file_without_a_block_says_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = written(tmp_path, "a.md", "# Nothing\n\n50 % faster.\n")
    assert main(["check", path]) == 0
    assert capsys.readouterr().out == (
        f"{path}: no ministat block\nnothing found in 0 ministat blocks and 0 claims about them (1 file)\n"
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
    assert lines[-1] == "2 findings in 7 ministat blocks and 7 claims about them (2 files)"


def test_the_published_reports(seeds: Path, capsys: pytest.CaptureFixture[str]) -> None:
    files = sorted(str(file) for file in seeds.glob("*.txt"))
    assert main(["check", *files]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert [line.removeprefix(str(seeds)).split(": ")[:2] for line in lines[:-1]] == [
        *([f"/{Path(files[1]).name}:{line}", "revision"] for line in (48, 49, 50, 51)),
        [f"/{Path(files[2]).name}:13", "revision"],
        [f"/{Path(files[2]).name}:30", "claim"],
        [f"/{Path(files[2]).name}:53", "revision"],
        *([f"/{Path(files[4]).name}:{line}", "claim"] for line in (10, 27, 47)),
    ]
    assert lines[-1] == "10 findings in 13 ministat blocks and 9 claims about them (5 files)"


TABLE = """\
| AF | median | change |
|---|---|---|
| IPv4 | 1000500 | {} |
| flows | 2000 | 6.3 % |

"""


def with_data(folder: Path, change: str) -> str:
    """A report with a table beside the value files that its block is of."""
    (folder / "data").mkdir(exist_ok=True)
    for name, values in (("r1", (998000, 1000500, 1003000, 999500, 1001000)), ("r2", (1, 2, 3, 4, 5))):
        (folder / "data" / f"{name}.inet4.pps").write_text("".join(f"{value}\n" for value in values))
    block = BLOCK.replace("r1 (pps)", "inet4 r1").replace("r1 with D2 (pps)", "inet4 D2")
    return written(folder, "a.md", TABLE.format(change) + block)


def test_cells_are_counted_and_what_was_not_checked_is_said_in_a_line_for_each_reason(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = with_data(tmp_path, "+2.99 %")
    assert main(["check", path]) == 0
    assert capsys.readouterr().out.splitlines() == [
        f"{path}:3: not checked: '1000500': it may be about the block at lines 7–15 (x inet4 r1) and the "
        "block at lines 7–15 (+ inet4 D2).",
        f"{path}:4: not checked: 2 cells ('2000', '6.3 %'): no ministat block is called 'flows'.",
        "nothing found in 1 ministat block, 0 claims and 1 table cell about them (1 file); 3 not checked",
    ]


def test_a_wrong_cell_is_status_1_with_its_text_and_what_the_data_say(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = with_data(tmp_path, "+9.92 %")
    assert main(["check", "--json", path]) == 1
    out = capsys.readouterr()
    [finding] = json.loads(out.out)
    assert finding == {
        "file": path,
        "line": 3,
        "kind": "cell",
        "text": "| IPv4 | 1000500 | +9.92 % |",
        "message": "The cell says '+9.92 %', but the block at lines 7–15 gives +2.99 % ± 0.26 %.",
        "cell": "+9.92 %",
        "data": "the block at lines 7–15 gives +2.99 % ± 0.26 %",
        "sources": [{"file": path, "first_line": 7, "last_line": 15}],
    }
    assert out.err == f"fwdtui: {path}: 3 not checked: --all lists them\n"


def test_all_lists_what_agrees_and_each_cell_that_was_not_checked(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = with_data(tmp_path, "+2.99 %")
    assert main(["check", "--all", "--json", path]) == 0
    out = capsys.readouterr()
    assert [(one["line"], one["kind"], one["cell"]) for one in json.loads(out.out)] == [
        (3, "agrees", "+2.99 %"),
        (3, "not-checked", "1000500"),
        (4, "not-checked", "2000"),
        (4, "not-checked", "6.3 %"),
    ]
    assert out.err == ""
    assert main(["check", "--all", path]) == 0
    assert f"{path}:4: not-checked: '2000': No ministat block is called 'flows'.\n" in capsys.readouterr().out


def test_data_holds_tables_and_blocks_against_value_files(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    path = written(tmp_path, "b.md", "| kernel | median |\n|---|---|\n| r1 | 1000500 |\n| r2 | 30 |\n")
    with_data(tmp_path, "+2.99 %")
    assert main(["check", path, "--data", "data/"]) == 1
    finding, none, closing = capsys.readouterr().out.splitlines()
    assert finding == f"{path}:4: cell: The cell says '30', but r2.inet4.pps has the median 3."
    assert none == f"{path}: no ministat block"
    assert closing == "1 finding in 0 ministat blocks, 0 claims and 2 table cells about them (1 file)"
    assert main(["check", path, "--data", "data", "--json"]) == 1
    [found] = json.loads(capsys.readouterr().out)
    assert found["sources"] == [{"file": "data/r2.inet4.pps", "first_line": None, "last_line": None}]


def test_of_alike_folders_the_one_that_a_report_lies_in_counts(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in (("before", 100), ("after", 200)):
        folder = tmp_path / name
        folder.mkdir()
        written(folder, "64.pps", f"{value}\n")
        written(folder, "README.md", "| frame size | median |\n|---|---|\n| 64 | 200 |\n")
    reports_ = [str(tmp_path / name / "README.md") for name in ("before", "after")]
    assert main(["check", *reports_, "--data", str(tmp_path)]) == 1
    out = capsys.readouterr().out.splitlines()
    assert out[0] == f"{reports_[0]}:3: cell: The cell says '200', but before/64.pps has the median 100."
    assert out[-1].startswith("1 finding in 0 ministat blocks, 0 claims and 2 table cells")
    # what comes from elsewhere lies in none of them
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(Path(reports_[0]).read_bytes())))
    assert main(["check", "-", "--data", str(tmp_path)]) == 0
    assert "it may be about after/64.pps and before/64.pps" in capsys.readouterr().out


@pytest.mark.parametrize("labels", [[], ["--label", "296935", "--label", "296935D4304"]])
def test_the_windows_and_the_facts_in_a_report_of_our_own_are_no_results(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], labels: list[str]
) -> None:
    """Windows stand below "before" and "after", facts below the names of the sides."""
    path = str(tmp_path / "README.md")
    examples = Path(__file__).resolve().parents[2] / "sessions"
    assert main(["report", str(examples / "no-rules"), str(examples / "rules-100"), "-o", path, *labels]) == 0
    text = Path(path).read_text()
    assert "| samples kept | before | after | within |" in text and "\n| differs | " in text
    capsys.readouterr()
    assert main(["check", path, "--data", str(tmp_path / "README.d")]) == 0
    out = capsys.readouterr()
    assert "not checked" not in out.out + out.err
    assert out.out.startswith("nothing found in 1 ministat block, 2 claims and 3 table cells")


def test_a_folder_of_data_that_is_none_is_status_2(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = written(tmp_path, "a.md", TRUE)
    assert main(["check", path, "--data", str(tmp_path / "none")]) == 2
    out = capsys.readouterr()
    assert (out.out, out.err) == ("", f"fwdtui: {tmp_path / 'none'}: No such file or directory\n")


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
