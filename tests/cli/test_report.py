"""`fwdtui report`: one command from sessions to a document with its charts and data."""

import subprocess
import sys
from pathlib import Path

import pytest
from fixtures import benchlab

from fwdtui.cli import main
from fwdtui.core.model import Iteration
from fwdtui.store import SessionWriter


def session(folder: Path, label: str, values: list[float]) -> str:
    created = "2026-01-02T03:04:05+00:00"
    with SessionWriter.create(folder, label=label, created=created, facts={"cpu": "Xeon"}) as writer:
        for value in values:
            writer.begin("inet4").commit(Iteration(index=0, value=value))
    return str(folder)


@pytest.fixture
def sides(tmp_path: Path) -> list[str]:
    return [
        session(tmp_path / "r1", "r1", [1.0e6, 1.01e6, 1.02e6, 1.0e6, 1.01e6]),
        session(tmp_path / "r2", "r2", [1.1e6, 1.11e6, 1.12e6, 1.1e6, 1.11e6]),
    ]


def test_it_writes_the_report_and_prints_the_paths_of_its_files(
    tmp_path: Path, sides: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out" / "report.md"
    out.parent.mkdir()
    assert main(["report", *sides, "-o", str(out)]) == 0
    printed, err = capsys.readouterr()
    paths = [Path(line) for line in printed.splitlines()]
    assert [path.name for path in paths] == [
        "r1.inet4.pps",
        "r2.inet4.pps",
        "medians.svg",
        "iterations.inet4.svg",
        "report.md",
    ]
    assert sorted(paths) == sorted(path for path in out.parent.rglob("*") if path.is_file())
    assert "fwdtui:" not in err
    text = out.read_text()
    assert text.startswith(
        "# Comparing r2 with r1: forwarding performance\n\n1 comparison: 1 faster.\n\n| case |"
    )
    assert "\n\n## Lab\n\n- cpu: Xeon\n\n## Data\n" in text
    assert text.index("## Method") < text.index("## Lab")


def test_title_margin_confidence_and_labels_are_taken(tmp_path: Path, sides: list[str]) -> None:
    out = tmp_path / "report.md"
    options = ["--title", "Impact of D1", "--margin", "20%", "--confidence", "99", "--label", "before"]
    assert main(["report", *sides, "-o", str(out), *options]) == 0
    text = out.read_text()
    assert text.startswith("# Impact of D1\n\n1 comparison: 1 equivalent.\n")
    assert "inside ±20 %" in text
    assert "x before: inet4 packets-per-second\n" in text
    assert "Difference at 99.0% confidence\n" in text


def test_sections_are_left_out_by_name_one_or_several_at_a_time(tmp_path: Path, sides: list[str]) -> None:
    out = tmp_path / "report.md"
    assert main(["report", *sides, "-o", str(out), "--without", "charts, facts", "--without", "data"]) == 0
    text = out.read_text()
    assert "- cpu: Xeon" not in text and "## Data" not in text and "## Method" in text
    assert sorted(path.name for path in tmp_path.iterdir() if path.is_file()) == ["report.md"]
    assert main(["check", str(out)]) == 0


def test_our_own_check_passes_it(tmp_path: Path, sides: list[str]) -> None:
    out = tmp_path / "report.md"
    main(["report", *sides, "-o", str(out)])
    assert main(["check", str(out)]) == 0


def test_a_report_says_which_raw_logs_are_not_as_they_were_recorded(
    tmp_path: Path, sides: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    """Of a case that was chosen: its own. A comparison does not look: it would read every byte."""
    for name in ("inet4", "inet6"):
        with SessionWriter(Path(sides[0])) as writer:
            writing = writer.begin(name)
            for log in ("a.log", "b.log", "c.log"):
                writing.attach(log, b"raw")
            writing.commit(Iteration(0, 1.0e6))
            (writing.folder / "a.log").write_bytes(b"edited")
            (writing.folder / "b.log").unlink()
    out = tmp_path / "report.md"
    assert main(["report", f"{sides[0]}:inet4", sides[1], "-o", str(out)]) == 0
    told = [line for line in out.read_text().splitlines() if line.startswith("- `damage`")]
    assert len(told) == 2
    assert "006/a.log: checksum does not match" in told[0] and "006/b.log: No such file" in told[1]
    capsys.readouterr()
    assert main(["compare", *sides]) == 0
    assert "a.log" not in "".join(capsys.readouterr())


def test_a_report_can_be_made_of_value_files(tmp_path: Path) -> None:
    files = []
    for name in ("r1.inet4.pps", "r2.inet4.pps"):
        (tmp_path / name).write_text("1\n2\n3\n")
        files.append(str(tmp_path / name))
    assert main(["report", *files, "-o", str(tmp_path / "report.md")]) == 0
    assert "\n## inet4\n" in (tmp_path / "report.md").read_text()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["-o", "-"], "`fwdtui compare --format markdown` prints a comparison"),
        (["-o", "{folder}/none/report.md"], "none: no such folder"),
        (["-o", "{folder}/mine.md"], "mine.md: exists and was not written by fwdtui report"),
        (
            ["-o", "{folder}/report.md", "--without", "chart"],
            "--without: 'chart' is not one of charts, experiment",
        ),
        (["-o", "{folder}/report.md", "--margin", "lots"], "--margin: 'lots' is not a percentage"),
        (["-o", "{folder}/report.md", "--margin", "100"], "--margin: '100' is not a percentage"),
        (["-o", "{folder}/report.md", "--confidence", "nan"], "--confidence: 'nan' is not a percentage"),
    ],
)
def test_errors_are_one_line_and_status_2(
    tmp_path: Path, sides: list[str], capsys: pytest.CaptureFixture[str], options: list[str], message: str
) -> None:
    (tmp_path / "mine.md").write_text("# mine\n")
    assert main(["report", *sides, *(option.format(folder=tmp_path) for option in options)]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert message in err
    assert err.count("\n") == 1
    assert (tmp_path / "mine.md").read_text() == "# mine\n"


def test_it_loads_neither_the_app_nor_ssh_nor_the_slow_half_of_scipy(
    tmp_path: Path, sides: list[str]
) -> None:
    names = ["textual", "asyncssh", "scipy.stats", "matplotlib"]
    code = (
        "import sys; from fwdtui.cli import main; main(sys.argv[1:]);"
        f"print('loaded:', *(name for name in {names} if name in sys.modules))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, "report", *sides, "-o", str(tmp_path / "report.md")],
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.stdout.splitlines()[-1] == "loaded:"


def test_an_imported_benchmark_becomes_a_report_that_check_passes(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    tree = benchlab.forwarding(tmp_path)
    assert main(["import", str(tree), "--into", str(tmp_path / "s"), "--trim", "netbenches", "--quiet"]) == 0
    sides = capsys.readouterr().out.split()
    out = tmp_path / "report.md"
    assert main(["report", *sides, "-o", str(out)]) == 0
    mean = '{ sum += $1 } END { printf "%.17g", sum / NR }'
    base, other = (
        float(subprocess.run(["awk", mean, tree / name], capture_output=True, check=True).stdout)
        for name in ("r100.inet4.pps", "r100D1.inet4.pps")
    )
    assert f"\t{100 * (other - base) / base:g}% +/- " in out.read_text()
    assert main(["check", str(out)]) == 0


def test_the_published_benchmarks_become_reports_that_check_passes(
    netbenches: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    tree = netbenches / "Xeon_E5-2650_8Cores/Chelsio_T540-CR/firewalls/results/fbsd13-r368287.D27401v2"
    assert main(["import", str(tree), "--into", str(tmp_path / "s"), "--trim", "netbenches", "--quiet"]) == 0
    sides = capsys.readouterr().out.split()
    out = tmp_path / "report.md"
    assert main(["report", *sides, "-o", str(out)]) == 0
    text = out.read_text()
    assert "\t1.77014% +/- 1.22212%\n" in text
    assert "\t1.39407% +/- 0.45121%\n" in text
    assert main(["check", str(out)]) == 0
