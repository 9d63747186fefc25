"""`fwdtui compare` as a process: table, JSON and Markdown; what it imports; what it says of real results."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from fwdtui.cli import main
from fwdtui.store import SessionWriter

BASE = [9658584, 9909120, 9920131, 9909500, 9905000]
FASTER = [10003670, 10049670, 10047306, 10020000, 10049000]


@pytest.fixture
def base(tmp_path: Path) -> str:
    return values(tmp_path / "r1.inet4.pps", BASE)


@pytest.fixture
def other(tmp_path: Path) -> str:
    return values(tmp_path / "r2.inet4.pps", FASTER)


def values(path: Path, numbers: list[float]) -> str:
    path.write_text("".join(f"{number}\n" for number in numbers))
    return str(path)


def session(folder: Path, label: str, cases: dict[str, list[float]]) -> str:
    from fwdtui.core.model import Iteration

    with SessionWriter.create(folder, label=label, created="2026-01-02T03:04:05+00:00") as writer:
        for case, numbers in cases.items():
            for number in numbers:
                writer.begin(case).commit(Iteration(index=0, value=number))
    return str(folder)


def test_the_table_is_the_default(base: str, other: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["compare", base, other]) == 0
    out, err = capsys.readouterr()
    assert out.startswith(
        "baseline r1.inet4.pps   candidate r2.inet4.pps   margin 1 %   confidence 95 %\n\ncase "
    )
    assert "\ninet4  5/5    9 909 120    10 047 306  +1.8 % ± 1.5 %  faster\n" in out
    assert "\x1b" not in out, "no colour where standard output is no terminal"
    assert err == ""


def test_a_pipe_is_not_cut_to_the_terminals_width(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    name = "a-very-long-case-name-" * 6
    files = [values(tmp_path / f"{side}.{name}.pps", BASE) for side in ("r1", "r2")]
    assert main(["compare", *files]) == 0
    assert name in capsys.readouterr().out


def on_terminal(*arguments: str, columns: int = 80, **environment: str) -> str:
    """What the command prints on a real (pseudo) terminal of that width."""
    import pty
    import termios

    ours, theirs = pty.openpty()
    termios.tcsetwinsize(theirs, (24, columns))
    done = subprocess.run(
        [sys.executable, "-m", "fwdtui", *arguments],
        stdout=theirs,
        stdin=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        env={**os.environ, "TERM": "xterm", **environment},
        timeout=60,
        check=True,
    )
    os.close(theirs)
    parts = []
    try:
        while part := os.read(ours, 65536):
            parts.append(part)
    except OSError:  # Linux: EIO at the end
        pass
    os.close(ours)
    assert done.stderr == b""
    return b"".join(parts).decode().replace("\r\n", "\n")


class TestOnATerminal:
    def test_verdicts_are_coloured(self, base: str, other: str) -> None:
        assert "\x1b[32mfaster\x1b[0m" in on_terminal("compare", base, other)

    @pytest.mark.parametrize("environment", [{"NO_COLOR": "1"}, {"TERM": "dumb"}], ids=["NO_COLOR", "dumb"])
    def test_but_not_where_the_user_or_the_terminal_says_no(
        self, base: str, other: str, environment: dict[str, str]
    ) -> None:
        assert "\x1b" not in on_terminal("compare", base, other, **environment)

    def test_lines_fit_its_width(self, tmp_path: Path) -> None:
        name = "a-very-long-case-name-" * 6
        files = [values(tmp_path / f"{side}.{name}.pps", BASE) for side in ("r1", "r2")]
        labels = ["--label", "r1", "--label", "r2"]
        shown = on_terminal("compare", *files, *labels, "--plot", columns=72, NO_COLOR="1")
        table, _, charts = shown.partition("\n! ")
        assert "…" in table
        assert max(map(len, table.splitlines())) <= 72
        assert max(len(line) for line in charts.splitlines() if "│" in line) <= 72


def test_explain_and_plot_add_to_the_table(base: str, other: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["compare", base, other, "--explain", "--plot"]) == 0
    out = capsys.readouterr().out
    assert "Welch: difference of the means" in out
    assert "histogram   x r1.inet4.pps (5)   + r2.inet4.pps (5)\n" in out
    assert "iterations  x r1.inet4.pps (5)   + r2.inet4.pps (5)\n" in out


def test_labels_are_used_everywhere(base: str, other: str, capsys: pytest.CaptureFixture[str]) -> None:
    main(["compare", base, other, "--label", "before", "--label", "after", "--format", "json"])
    (comparison,) = json.loads(capsys.readouterr().out)["comparisons"]
    assert (comparison["base"]["label"], comparison["other"]["label"]) == ("before", "after")
    assert "r1.inet4.pps" not in json.dumps(comparison)


def test_the_margin_decides_between_a_difference_and_an_equivalence(
    base: str, other: str, capsys: pytest.CaptureFixture[str]
) -> None:
    main(["compare", base, other, "--margin", "5%", "--format", "json"])
    (comparison,) = json.loads(capsys.readouterr().out)["comparisons"]
    assert (comparison["verdict"], comparison["margin_percent"]) == ("equivalent", 5.0)


def test_values_at_the_offered_load_are_capped(
    base: str, other: str, capsys: pytest.CaptureFixture[str]
) -> None:
    main(["compare", base, other, "--offered", "10.03M", "--format", "json"])
    (comparison,) = json.loads(capsys.readouterr().out)["comparisons"]
    assert "capped-by-generator" in [warning["code"] for warning in comparison["warnings"]]


class TestFailIf:
    def test_slower_is_status_1_and_says_which(
        self, base: str, other: str, capsys: pytest.CaptureFixture[str]
    ) -> None:
        assert main(["compare", other, base, "--fail-if", "slower"]) == 1
        assert capsys.readouterr().err == "fwdtui: slower: inet4 (r1.inet4.pps against r2.inet4.pps)\n"

    def test_anything_else_is_status_0(self, base: str, other: str) -> None:
        assert main(["compare", base, other, "--fail-if", "slower"]) == 0
        assert main(["compare", base, base, "--fail-if", "slower"]) == 0

    def test_one_slower_case_of_many_is_enough(
        self, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        one = session(tmp_path / "s1", "r1", {"inet4": [1.0, 1.01, 1.02], "inet6": [2.0, 2.01, 2.02]})
        two = session(tmp_path / "s2", "r2", {"inet4": [2.0, 2.01, 2.02], "inet6": [1.0, 1.01, 1.02]})
        assert main(["compare", one, two, "--fail-if", "slower", "--format", "json"]) == 1
        out, err = capsys.readouterr()
        assert [c["verdict"] for c in json.loads(out)["comparisons"]] == ["faster", "slower"]
        assert err == "fwdtui: slower: inet6 (r2 against r1)\n"


class TestSessions:
    def test_cases_of_one_side_only_are_told_below_the_table(
        self, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        one = session(tmp_path / "s1", "r1", {"inet4": BASE, "pf": BASE})
        two = session(tmp_path / "s2", "r2", {"inet4": FASTER})
        assert main(["compare", one, two]) == 0
        assert "! unpaired-case: only in r1, not in r2, and so not compared: pf\n" in capsys.readouterr().out

    def test_and_on_stderr_beside_json(self, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        one = session(tmp_path / "s1", "r1", {"inet4": BASE, "pf": BASE})
        two = session(tmp_path / "s2", "r2", {"inet4": FASTER})
        assert main(["compare", one, two, "--format", "json"]) == 0
        out, err = capsys.readouterr()
        assert [c["case"] for c in json.loads(out)["comparisons"]] == ["inet4"]
        assert err == "fwdtui: only in r1, not in r2, and so not compared: pf\n"

    def test_markdown_is_the_report_without_files(
        self, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        one = session(tmp_path / "s1", "r1", {"inet4": BASE})
        two = session(tmp_path / "s2", "r2", {"inet4": FASTER})
        assert main(["compare", one, two, "--format", "markdown"]) == 0
        out = capsys.readouterr().out
        assert out.startswith("# Comparing r2 with r1: forwarding performance\n")
        assert "x r1: inet4 packets-per-second\n" in out
        assert "](" not in out

    def test_two_candidates_are_grouped_by_case(
        self, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        folders = [
            session(tmp_path / label, label, {"inet4": BASE, "pf": FASTER}) for label in ("r1", "r2", "r3")
        ]
        assert main(["compare", *folders]) == 0
        lines = [line.split()[0] for line in capsys.readouterr().out.splitlines()[2:9]]
        assert lines == ["case,", "inet4", "r2", "r3", "pf", "r2", "r3"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["{base}", "nowhere"], "nowhere: no such value file or session folder"),
        (["{base}", "{folder}"], "a folder, but not a session"),
        (["{base}"], "compare needs a BASE and at least one OTHER"),
        (["{base}", "{words}"], "words:1: not a number: 'words'"),
        (
            ["{base}", "{base}", "--plot", "--format", "json"],
            "--plot goes with the table, not with --format json",
        ),
        (["{base}", "{base}", "--explain", "--format", "markdown"], "--explain goes with the table"),
        (["{base}", "{base}", "--margin", "x"], "--margin: 'x' is no percentage"),
        (["{base}", "{base}", "--margin=-1%"], "--margin: '-1%' is no percentage from 0 to below 100"),
        (["{base}", "{base}", "--margin", "-1%"], "where -1% is meant as one, write --margin=-1%"),
    ],
)
def test_errors_are_one_line_and_status_2(
    base: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], message: str
) -> None:
    (tmp_path / "words").write_text("words\n")
    names = {"base": base, "folder": str(tmp_path), "words": str(tmp_path / "words")}
    assert main(["compare", *(argument.format(**names) for argument in arguments)]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert message in err
    assert err.count("\n") == 1


def process(*arguments: str, code: str = "", **environment: str) -> subprocess.CompletedProcess[bytes]:
    """The command in a process of its own; `code` runs after it."""
    run = "import sys; from fwdtui.cli import main; status = main(sys.argv[1:])"
    script = f"{run}; {code or 'pass'}; sys.exit(status)"
    return subprocess.run(
        [sys.executable, "-c", script, *arguments],
        capture_output=True,
        env={**os.environ, **environment},
        timeout=60,
        check=False,
    )


LOADED = "print(*(name for name in {} if name in sys.modules), file=sys.stderr)"
HEAVY = ["textual", "rich", "asyncssh", "scipy.stats", "plotext", "matplotlib", "fwdtui.ui", "asyncio"]


@pytest.mark.parametrize("options", [[], ["--explain"], ["--format", "json"]])
def test_a_comparison_loads_nothing_that_it_does_not_need(base: str, other: str, options: list[str]) -> None:
    done = process("compare", base, other, *options, code=LOADED.format(HEAVY))
    assert done.returncode == 0
    assert done.stderr.decode().split() == []


def test_a_plot_loads_plotext_and_still_nothing_else(base: str, other: str) -> None:
    done = process("compare", base, other, "--plot", code=LOADED.format(HEAVY))
    assert done.stderr.decode().split() == ["plotext"]


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "utf-8"])
def test_a_terminal_that_is_not_utf8_gets_what_it_can_show(base: str, other: str, encoding: str) -> None:
    done = process("compare", base, other, "--plot", PYTHONIOENCODING=f"{encoding}:strict", PYTHONUTF8="0")
    assert done.returncode == 0, done.stderr
    shown = done.stdout.decode(encoding)
    assert ("+1.8 % +/- 1.5 %" if encoding == "ascii" else "+1.8 % ± 1.5 %") in shown
    assert ("│" if encoding == "utf-8" else "|") in shown


def test_json_is_utf8_whatever_the_locale(tmp_path: Path, base: str) -> None:
    other = values(tmp_path / "日本.inet4.pps", FASTER)
    done = process(
        "compare", base, other, "--format", "json", PYTHONIOENCODING="ascii:strict", PYTHONUTF8="0"
    )
    assert json.loads(done.stdout.decode("utf-8"))["comparisons"][0]["other"]["label"] == "日本.inet4.pps"


# the seeds whose blocks today's ministat printed, and the folder that their values are in
PUBLISHED = [
    (
        "000_4df0ac7286045386.txt",
        "Xeon_E5-2650_8Cores/Chelsio_T540-CR/firewalls/results/fbsd13-r368287.D27401v2",
    ),
    (
        "001_3664861cbf693376.txt",
        "Xeon_E5-2697Av4_16Cores/Chelsio_T580/firewalls/results/fbsd13-r368606.D27401v3",
    ),
    (
        "002_e056830f86d01898.txt",
        "AMD_GX-412TC_4Cores/Intel_i210AT/firewalls/results/fbsd12-head.r320657.D11476",
    ),
    (
        "003_e3909989667126d0.txt",
        "Xeon_E5-2697Av4_16Cores/Chelsio_T580/fullview/results/fbsd13-r368766D27401",
    ),
]
_BLOCK = re.compile(
    r"^\+ +5 +(?P<numbers>[\d. ]+)\n"
    r"(?:Difference at 95.0% confidence\n\s+(?P<absolute>\S+) \+/- (?P<error>\S+)\n"
    r"\s+(?P<percent>\S+)% \+/- (?P<percent_error>\S+)%\n\s+\(Student's t, pooled s = (?P<pooled_s>\S+)\)"
    r"|(?P<same>No difference proven at 95.0% confidence))",
    re.MULTILINE,
)


@pytest.mark.parametrize(
    ("seed", "folder"), PUBLISHED, ids=[folder.rpartition("/")[2] for _, folder in PUBLISHED]
)
def test_ministats_numbers_in_the_json_are_those_that_were_published(
    netbenches: Path, seeds: Path, capsys: pytest.CaptureFixture[str], seed: str, folder: str
) -> None:
    blocks = list(_BLOCK.finditer((seeds / seed).read_text()))[:2]
    files = sorted((netbenches / folder).glob("*.pps"))
    for block, family in zip(blocks, ("inet4", "inet6"), strict=True):
        base, other = sorted((path for path in files if family in path.name), key=lambda path: len(path.name))
        assert main(["compare", str(base), str(other), "--format", "json"]) == 0
        (comparison,) = json.loads(capsys.readouterr().out)["comparisons"]
        found = comparison["ministat"]
        printed = [f"{comparison['other'][key]:.8g}" for key in ("min", "max", "median", "mean", "stddev")]
        assert printed == block["numbers"].split()
        assert found["differs"] is (block["same"] is None)
        if found["differs"]:
            for key in ("absolute", "error", "percent", "percent_error", "pooled_s"):
                assert f"{found[key]:g}" == block[key]
