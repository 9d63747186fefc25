"""`fwdtui compare` as a process: table, JSON and Markdown; what it imports; what it says of real results."""

import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest
from forked import Forked

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


def session(folder: Path, label: str, cases: dict[str, list[float]], offered: float | None = None) -> str:
    from fwdtui.core.model import Iteration, Summary

    metrics = {"offered": Summary(offered, offered, offered, offered, 9)} if offered else {}

    with SessionWriter.create(folder, label=label, created="2026-01-02T03:04:05+00:00") as writer:
        for case, numbers in cases.items():
            for number in numbers:
                writer.begin(case).commit(Iteration(index=0, value=number, metrics=metrics))
    return str(folder)


def test_the_table_is_the_default(base: str, other: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["compare", base, other]) == 0
    out, err = capsys.readouterr()
    assert out.startswith(
        "baseline r1.inet4.pps   candidate r2.inet4.pps   margin 1 %   confidence 95 %\n\ncase "
    )
    assert "\ninet4  5/5    9 909 120    10 047 306  +1.8 % [+0.3, +3.2]  faster\n" in out
    assert "\x1b" not in out, "no colour where standard output is no terminal"
    assert err == ""


@pytest.mark.parametrize("form", ["table", "ministat"])
@pytest.mark.parametrize("option", [("-C", "2"), ("-d", ",")])
def test_a_column_is_of_value_files_and_refused_for_sessions(
    tmp_path: Path, base: str, capsys: pytest.CaptureFixture[str], form: str, option: tuple[str, str]
) -> None:
    one, two = (session(tmp_path / name, name, {"inet4": BASE}) for name in ("one", "two"))
    assert main(["compare", one, two, "--format", form, *option]) == 2
    told = f"fwdtui: {option[0]} is about value files, and these are sessions\n"
    assert capsys.readouterr() == ("", told)
    assert main(["compare", one, base, "--format", form, "-d", ", \t"]) == 0, "one of them is a value file"


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
    environment = {**os.environ, "TERM": "xterm", **environment}
    with tempfile.TemporaryFile() as errors, Path(os.devnull).open() as nothing:
        process = Forked(arguments, (nothing.fileno(), theirs, errors.fileno()), environment=environment)
        os.close(theirs)
        assert process.wait(60.0) == 0
        errors.seek(0)
        assert errors.read() == b""
    parts = []
    try:
        while part := os.read(ours, 65536):
            parts.append(part)
    except OSError:  # Linux: EIO at the end
        pass
    os.close(ours)
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
        table, _, charts = shown.partition("\n- ")
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


def test_a_load_below_what_was_received_marks_the_verdict(
    base: str, other: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["compare", base, other, "--offered", "9M"]) == 0
    out = capsys.readouterr().out
    assert "faster !\n" in out
    assert "! received-above-offered (inet4): r2.inet4.pps: 5 of 5 values are above the offered load" in out


def test_a_load_with_a_slip_of_the_unit_is_an_error_that_names_both(
    base: str, other: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["compare", base, other, "--offered", "600"]) == 2
    out, err = capsys.readouterr()
    assert out == "" and err.count("\n") == 1
    assert "600 pps" in err and "r1.inet4.pps" in err and "9.909 Mpps" in err and "such as 9.909M" in err


@pytest.mark.parametrize("load", ["0", "10Gbps", "nan", "-5", "1e999", ""])
def test_a_load_that_none_is_is_refused(
    base: str, other: str, load: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["compare", base, other, f"--offered={load}"]) == 2
    err = capsys.readouterr().err
    assert err.startswith("fwdtui: --offered: ") and err.count("\n") == 1


def test_a_load_that_no_session_needs_is_said_to_change_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    both = [session(tmp_path / name, name, {"inet4": BASE}, offered=1.5e7) for name in ("r1", "r2")]
    assert main(["compare", *both, "--offered", "14.88M"]) == 0
    assert "- offered-unused: --offered changes nothing" in capsys.readouterr().out


def test_a_load_that_is_said_of_one_side_is_held_against_the_others_own(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    known = session(tmp_path / "s1", "r1", {"inet4": BASE}, offered=1.2e7)
    silent = session(tmp_path / "s2", "r2", {"inet4": FASTER})
    assert main(["compare", known, silent, "--offered", "15M"]) == 0
    out = capsys.readouterr().out
    assert "faster !\n" in out
    assert "the baseline was offered 12.00 Mpps and the candidate 15.00 Mpps" in " ".join(out.split())
    assert main(["compare", known, silent, "--offered", "12M"]) == 0
    assert "loads-differ" not in capsys.readouterr().out


def test_negative_rates_mark_the_verdict(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    first = values(tmp_path / "a", [100.0, 101, 102, 100, -1])
    second = values(tmp_path / "b", [1000.0, 1001, 1002, 1001, 999])
    assert main(["compare", first, second]) == 0
    out = capsys.readouterr().out
    assert "faster !\n" in out and "! negative-value (values): a: 1 of 5 values is negative" in out


def test_a_load_in_packets_is_not_held_against_values_in_another_unit(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """941 Mb/s are not capped by 942 pps, nor impossible with 80. The plain file is in Mb/s, too."""
    for name, unit in (("a", "# in Mb/s\n"), ("b", "# in Mb/s\n"), ("plain", "")):
        lines = "".join(f"{941 + step / 100}\n" for step in range(5))
        (tmp_path / name).write_text(f"# fwdtui report\n{unit}{lines}")
    for other in ("b", "plain"):
        for load in ("14.88M", "942", "80"):
            assert main(["compare", str(tmp_path / "a"), str(tmp_path / other), "--offered", load]) == 0
            out = capsys.readouterr().out
            assert "- offered-unused: --offered changes nothing" in out and "capped" not in out


def test_a_load_is_not_taken_for_that_of_costs_which_it_does_not_bound(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """50 ns are no 50 pps, and what a packet costs at a load that nobody recorded is not known."""
    costs = []
    for name, mean in (("a", 50.0), ("b", 45.0)):
        lines = "".join(f"{mean + step / 10}\n" for step in range(5))
        (tmp_path / name).write_text(f"# fwdtui report\n# in ns/packet\n{lines}")
        costs.append(str(tmp_path / name))
    for load in ("1M", "50", "4"):
        assert main(["compare", *costs, "--offered", load]) == 0
        out = capsys.readouterr().out
        assert "faster !" in out and "! load-unknown" in out and "- offered-unused" in out
    plain = values(tmp_path / "plain", [50.0, 50.1, 50.2, 50.3, 50.4])
    for one, other in ((plain, costs[1]), (costs[1], plain)):
        assert main(["compare", one, other]) == 0
        assert "! load-unknown" in capsys.readouterr().out, "a plain file is taken as costs, too"


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

    @pytest.mark.parametrize(
        ("verdict", "status"),
        [("faster", 1), ("slower,faster", 1), ("slower", 0), ("inconclusive, capped", 0)],
    )
    def test_each_verdict_can_be_asked_for(self, base: str, other: str, verdict: str, status: int) -> None:
        assert main(["compare", base, other, "--fail-if", verdict]) == status
        assert main(["compare", base, other, *(f"--fail-if={v}" for v in verdict.split(","))]) == status

    @pytest.mark.parametrize("what", ["", "slow", "slower,", "equivalent", "slower;faster"])
    def test_a_verdict_that_there_is_not_is_refused(
        self, base: str, other: str, what: str, capsys: pytest.CaptureFixture[str]
    ) -> None:
        assert main(["compare", base, other, f"--fail-if={what}"]) == 2
        assert capsys.readouterr().err.startswith("fwdtui: --fail-if: '")

    def test_what_nothing_can_be_said_of_never_passes(
        self, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        """Half the rate in two values against five: passed as not slower."""
        two, five = values(tmp_path / "a", [1000, 1001]), values(tmp_path / "b", [500, 501, 502, 499, 500])
        for gate in ("--fail-if=slower", "--fail-unless=not-slower", "--fail-unless=equivalent"):
            assert main(["compare", two, five, gate]) == 2
            err = capsys.readouterr().err
            assert err.startswith(
                "fwdtui: no verdict: values (b against a): cannot say, because a has only 2"
            )
            assert err.count("\n") == 1
        assert main(["compare", two, five, "--fail-if=inconclusive"]) == 1

    @pytest.mark.parametrize("numbers", [[1000.0], [1000.0, 1000.0, 1000.0]], ids=["one value", "no spread"])
    def test_neither_does_a_set_without_spread(self, tmp_path: Path, numbers: list[float]) -> None:
        one, two = (values(tmp_path / name, numbers) for name in "ab")
        assert main(["compare", one, two, "--fail-if", "slower"]) == 2

    def test_a_case_that_the_candidate_lacks_never_passes_but_a_new_one_may(
        self, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        both = session(tmp_path / "s1", "r1", {"inet4": BASE, "pf": BASE})
        one = session(tmp_path / "s2", "r2", {"inet4": FASTER})
        assert main(["compare", both, one, "--fail-if", "slower"]) == 2
        assert capsys.readouterr().err == "fwdtui: no verdict: pf: r1 has it and r2 does not\n"
        assert main(["compare", f"{both}:inet4", one, "--fail-if", "slower"]) == 0
        assert main(["compare", both, one, "--fail-if", "faster"]) == 1, "a no stays a no"
        capsys.readouterr()
        assert main(["compare", one, both, "--fail-if", "faster"]) == 0
        assert capsys.readouterr().err == "fwdtui: not judged: pf: r1 has it and r2 does not\n"
        assert main(["compare", both, one, "--format", "ministat", "--fail-if", "slower"]) == 2
        assert main(["compare", both, one, "--format", "ministat"]) == 0

    def test_a_chosen_case_that_one_of_the_candidates_lacks_does_not_pass_either(
        self, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        both = session(tmp_path / "s1", "r1", {"inet4": BASE, "pf": BASE})
        good = session(tmp_path / "s2", "r2", {"inet4": FASTER, "pf": FASTER})
        poor = session(tmp_path / "s3", "r3", {"inet4": FASTER, "ipfw": FASTER})
        told = "fwdtui: no verdict: pf: r1 has it and r3 does not\n"
        for form in ([], ["--format", "ministat"]):
            assert main(["compare", f"{both}:pf", good, poor, "--fail-if", "slower", *form]) == 2
            assert told in capsys.readouterr().err
        assert main(["compare", both, good, f"{poor}:ipfw", "--fail-if", "slower"]) == 2
        assert "fwdtui: no verdict: ipfw: r3 has it and r1 does not\n" in capsys.readouterr().err
        assert main(["compare", both, good, f"{poor}:inet4", "--fail-if", "slower"]) == 0
        assert main(["compare", f"{both}:pf", f"{good}:pf", f"{poor}:ipfw", "--fail-if", "slower"]) == 0

    def test_a_gate_without_anything_to_compare_is_an_error(self, base: str) -> None:
        for options in ([], ["--format", "ministat"]):
            assert main(["compare", base, "--fail-if", "slower", *options]) == 2

    def test_a_pass_on_which_a_warning_bears_says_so(
        self, base: str, other: str, capsys: pytest.CaptureFixture[str]
    ) -> None:
        assert main(["compare", base, other, "--fail-if", "slower", "--offered", "9M"]) == 0
        err = capsys.readouterr().err
        assert err.startswith("fwdtui: faster: inet4") and "(received-above-offered)" in err


class TestFailUnless:
    NOISY = (1000.0, 1010.0, 990.0, 1005.0, 995.0)
    QUIET = (1000.0, 1002.0, 998.0, 1001.0, 999.0)

    def test_not_slower_is_a_loss_ruled_out_and_not_one_that_was_not_found(
        self, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        noisy = values(tmp_path / "noisy", list(self.NOISY))
        worse = values(tmp_path / "worse", [value - 3 for value in self.NOISY])
        assert main(["compare", noisy, worse, "--fail-if", "slower"]) == 0, "inconclusive"
        assert main(["compare", noisy, worse, "--fail-unless", "not-slower"]) == 1
        err = capsys.readouterr().err
        assert err.startswith("fwdtui: not-slower is not proven: values (worse against noisy): a loss of 1 %")
        assert main(["compare", noisy, worse, "--fail-unless", "not-slower", "--margin", "5%"]) == 0

    def test_faster_and_equivalent_are_not_slower_but_only_one_is_equivalent(self, tmp_path: Path) -> None:
        quiet = values(tmp_path / "a", list(self.QUIET))
        alike = values(tmp_path / "b", [value + 1 for value in self.QUIET])
        faster = values(tmp_path / "c", [value * 2 for value in self.QUIET])
        assert main(["compare", quiet, alike, faster, "--fail-unless", "not-slower"]) == 0
        assert main(["compare", quiet, alike, "--fail-unless", "equivalent,not-slower"]) == 0
        assert main(["compare", quiet, alike, faster, "--fail-unless", "equivalent"]) == 1
        assert main(["compare", faster, quiet, "--fail-unless", "not-slower"]) == 1

    def test_every_case_must_satisfy(self, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        one = session(tmp_path / "s1", "r1", {"inet4": list(self.QUIET), "inet6": list(self.QUIET)})
        two = session(
            tmp_path / "s2", "r2", {"inet4": list(self.QUIET), "inet6": [v * 0.9 for v in self.QUIET]}
        )
        assert main(["compare", one, two, "--fail-unless", "not-slower"]) == 1
        assert "not-slower is not proven: inet6 (r2 against r1): a loss is proven" in capsys.readouterr().err

    def test_the_same_data_twice_prove_nothing(
        self, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        one = values(tmp_path / "a", [14712345, 14719876, 14705432, 14716789, 14710987])
        two = values(tmp_path / "b", [14719876, 14705432, 14716789, 14710987])
        for claim in ("not-slower", "equivalent"):
            assert main(["compare", one, two, "--fail-unless", claim]) == 2
            err = capsys.readouterr().err
            assert err.startswith("fwdtui: not proven: values (b against a): both sides hold the same values")
        assert main(["compare", one, two, "--fail-if", "slower"]) == 0
        assert main(["compare", one, two, "--fail-if", "marked"]) == 1

    def test_it_is_no_question_for_ministat(self, base: str, other: str) -> None:
        assert main(["compare", base, other, "--format=ministat", "--fail-unless=not-slower"]) == 2
        assert main(["compare", base, other, "--format=ministat", "--fail-if=capped"]) == 2
        assert main(["compare", base, other, "--format=ministat", "--fail-if=marked"]) == 2
        assert main(["compare", base, other, "--format=ministat", "--fail-if=slower,faster"]) == 1


class TestSessions:
    def test_cases_of_one_side_only_are_told_below_the_table(
        self, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        one = session(tmp_path / "s1", "r1", {"inet4": BASE, "pf": BASE})
        two = session(tmp_path / "s2", "r2", {"inet4": FASTER})
        assert main(["compare", one, two]) == 0
        assert "- unpaired-case: only in r1, not in r2, so not compared: pf\n" in capsys.readouterr().out

    def test_and_on_stderr_beside_json(self, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        one = session(tmp_path / "s1", "r1", {"inet4": BASE, "pf": BASE})
        two = session(tmp_path / "s2", "r2", {"inet4": FASTER})
        assert main(["compare", one, two, "--format", "json"]) == 0
        out, err = capsys.readouterr()
        assert [c["case"] for c in json.loads(out)["comparisons"]] == ["inet4"]
        assert err == "fwdtui: only in r1, not in r2, so not compared: pf\n"

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
        (["{base}", "nowhere"], "nowhere: no such value file or session"),
        (["{base}", "{folder}"], "a folder, but not a session"),
        (["{base}"], "compare needs a BASE and at least one OTHER"),
        (["{base}", "{words}"], "words:1: not a number: 'words'"),
        (
            ["{base}", "{base}", "--plot", "--format", "json"],
            "--plot cannot be combined with --format json",
        ),
        (
            ["{base}", "{base}", "--explain", "--format", "markdown"],
            "--explain cannot be combined with --format markdown",
        ),
        (["{base}", "{base}", "--margin", "x"], "--margin: 'x' is not a percentage"),
        (["{base}", "{base}", "--margin=-1%"], "--margin: '-1%' is not a percentage from 0 to 99.9999"),
        (["{base}", "{base}", "--margin", "-1%"], "if -1% is its value, write --margin=-1%"),
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
    done = process(
        "compare", base, other, "--plot", "--explain", PYTHONIOENCODING=f"{encoding}:strict", PYTHONUTF8="0"
    )
    assert done.returncode == 0, done.stderr
    shown = done.stdout.decode(encoding)
    assert ("within +/-1 %" if encoding == "ascii" else "within ±1 %") in shown
    assert ("│" if encoding == "utf-8" else "|") in shown


def test_json_is_utf8_whatever_the_locale(tmp_path: Path, base: str) -> None:
    other = values(tmp_path / "日本.inet4.pps", FASTER)
    done = process(
        "compare", base, other, "--format", "json", PYTHONIOENCODING="ascii:strict", PYTHONUTF8="0"
    )
    assert json.loads(done.stdout.decode("utf-8"))["comparisons"][0]["other"]["label"] == "日本.inet4.pps"


def test_ministats_numbers_in_the_json_are_those_of_the_formulas(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """By hand: both deviations are 10, so is the pooled one; t of 4 degrees is 2.776.

    The error is 2.776 * 10 * sqrt(2/3); that in percent 2.776 * sqrt((200 + 200 * (1110/1010)^2) / 6) / 10.1.
    """
    base = values(tmp_path / "a.pps", (1000, 1010, 1020))
    other = values(tmp_path / "b.pps", (1100, 1110, 1120))
    assert main(["compare", base, other, "--format", "json"]) == 0
    (comparison,) = json.loads(capsys.readouterr().out)["comparisons"]
    found = comparison["ministat"]
    assert {key: comparison["other"][key] for key in ("min", "max", "median", "mean", "stddev")} == {
        "min": 1100, "max": 1120, "median": 1110, "mean": 1110, "stddev": 10,
    }  # fmt: skip
    assert found["differs"] is True
    assert [f"{found[key]:g}" for key in ("absolute", "error", "percent", "percent_error", "pooled_s")] == [
        "100", "22.6659", "9.90099", "2.35787", "10",
    ]  # fmt: skip


def test_ministat_proves_nothing_of_sets_that_overlap(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """By hand: the error is 2.776 * 10 * sqrt(2/3) = 22.7, more than the difference of 5."""
    base = values(tmp_path / "a.pps", (1000, 1010, 1020))
    other = values(tmp_path / "b.pps", (1005, 1015, 1025))
    assert main(["compare", base, other, "--format", "json"]) == 0
    assert json.loads(capsys.readouterr().out)["comparisons"][0]["ministat"]["differs"] is False


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
