"""What the user dropped is in no number anywhere, and nobody compares filtered data without being told."""

import json
from pathlib import Path

import pytest
from hand_made import recorded

from fwdtui.cli import main
from fwdtui.core.model import Caution, Iteration, Planned
from fwdtui.report.bearing import codes
from fwdtui.report.comparison import judge_sides
from fwdtui.report.document import Choices, Document
from fwdtui.report.factor_view import FactorView
from fwdtui.report.iterations import CaseSet, case_set
from fwdtui.report.markdown import render
from fwdtui.report.sides import load_sides
from fwdtui.store import annotate, drop, read_session, restore

BASE = (1.00e6, 1.01e6, 0.99e6, 1.02e6, 1.00e6)
OUTLIER = 1.5e6  # the sixth of the base
OTHER = (1.10e6, 1.12e6, 1.11e6, 1.09e6, 1.10e6)


@pytest.fixture
def specs(tmp_path: Path) -> list[str]:
    base = recorded(tmp_path / "r1", "r1", {"inet4": [*BASE, OUTLIER], "inet6": BASE})
    other = recorded(tmp_path / "r2", "r2", {"inet4": OTHER, "inet6": OTHER})
    drop(base, "inet4", 6, "the link bounced")
    return [str(base), str(other)]


def one_set(folder: str | Path, case: int = 0) -> CaseSet:
    session = read_session(Path(folder))
    return case_set(session, session.cases[case], session.label)


def report(specs: list[str], *without: str) -> str:
    return render(Document(judge_sides(load_sides(specs)), Choices(without=frozenset(without))))


def test_a_dropped_iteration_is_not_in_the_set_until_it_is_restored(specs):
    found = one_set(specs[0])
    assert found.result.values == BASE
    assert [i.index for i in found.dropped] == [6] and found.recorded == 6
    restore(Path(specs[0]), "inet4", 6)
    assert one_set(specs[0]).result.values == (*BASE, OUTLIER)


def test_its_own_warnings_say_nothing_about_the_set(tmp_path):
    bounced = Iteration(0, 5.0, warnings=(Caution("link-down", "The link went down."),))
    folder = recorded(tmp_path / "s", "s", {"inet4": [1.0, bounced]})
    drop(folder, "inet4", 2, "bounced")
    assert [caution.code for caution in one_set(folder).result.cautions] == ["dropped"]


def test_a_report_names_the_unit_of_a_dropped_value_that_is_no_rate(tmp_path):
    times = [Iteration(0, value, "us") for value in (31.4, 31.5, 31.3, 99.0)]
    folders = [recorded(tmp_path / name, name, {"rtt": times}) for name in ("r1", "r2")]
    drop(folders[0], "rtt", 4, "the link bounced")
    assert "| r1 | rtt | 4 | ~~99 us~~ | the link bounced |" in report([str(one) for one in folders])


def test_dropping_one_that_has_no_value_is_told_once(tmp_path):
    folder = recorded(tmp_path / "s", "s", {"inet4": [1.0, None]})
    drop(folder, "inet4", 2, "power failed")
    found = one_set(folder)
    assert found.result.excluded == ()
    assert [caution.code for caution in found.result.cautions] == ["dropped"]


def test_the_warning_names_the_iterations_by_reason(tmp_path):
    folder = recorded(tmp_path / "s", "s", {"inet4": [float(value) for value in range(1, 10)]})
    for index, reason in ((1, "warm-up"), (2, "warm-up"), (5, "link"), (6, "fan"), (7, "cat"), (8, "dog")):
        drop(folder, "inet4", index, reason)
    (caution,) = one_set(folder).result.cautions
    assert caution.text == (
        "dropped by hand and not counted: iterations 1 and 2 (warm-up); iteration 5 (link); "
        "iteration 6 (fan); iterations 7 and 8 (other reasons)"
    )


class TestCompare:
    """Every format says it, and none of them counts it."""

    def test_the_table(self, specs, capsys):
        assert main(["compare", *specs]) == 0
        out = capsys.readouterr().out
        row = next(line for line in out.splitlines() if line.startswith("inet4"))
        assert row.split()[1:4] == ["5/5", "1", "000"]
        assert "! dropped (inet4): r1: dropped by hand and not counted: iteration 6" in out

    def test_the_json(self, specs, capsys):
        assert main(["compare", *specs, "--format", "json"]) == 0
        inet4, inet6 = json.loads(capsys.readouterr().out)["comparisons"]
        assert (inet4["base"]["n"], inet4["base"]["max"]) == (5, 1.02e6)
        told = {"code": "dropped", "text": "r1: " + one_set(specs[0]).result.cautions[0].text}
        assert told in inet4["warnings"]
        assert "dropped" not in [warning["code"] for warning in inet6["warnings"]]

    def test_ministats_block_is_that_of_the_values_that_count(self, specs, capsys, tmp_path):
        (tmp_path / "r1: inet4").write_text("".join(f"{value}\n" for value in BASE))
        (tmp_path / "r2: inet4").write_text("".join(f"{value}\n" for value in OTHER))
        plain = [str(tmp_path / "r1: inet4"), str(tmp_path / "r2: inet4")]
        labels = ["--label", "r1: inet4", "--label", "r2: inet4"]
        assert main(["compare", *plain, "--format", "ministat", *labels]) == 0
        expected = capsys.readouterr().out
        assert main(["compare", f"{specs[0]}:inet4", f"{specs[1]}:inet4", "--format", "ministat"]) == 0
        out, err = capsys.readouterr()
        assert out == expected
        assert err == ("fwdtui: r1, inet4: dropped by hand and not counted: iteration 6 (the link bounced)\n")

    def test_one_session_alone_in_ministats_format_says_it_too(self, specs, capsys):
        assert main(["compare", specs[0], "--format", "ministat"]) == 0
        assert capsys.readouterr().err.count("dropped by hand") == 1

    def test_a_case_whose_iterations_were_all_dropped_is_not_judged_and_says_why(self, specs, capsys):
        for index in range(1, 6):
            drop(Path(specs[1]), "inet4", index, "wrong kernel")
        assert main(["compare", *specs]) == 0
        out = " ".join(capsys.readouterr().out.split())
        assert (
            "cannot say, because no iteration of r2 is left for inet4: "
            "restore what was dropped, or measure it again." in out
        )
        assert main(["compare", *specs, "--format", "ministat"]) == 2
        out, err = capsys.readouterr()
        assert "fwdtui: r2, inet4: dropped by hand" in err
        assert "fwdtui: r2: inet4: 0 values, and ministat needs at least 3" in err
        assert report(specs).count("~~") == 2 * 6


class TestReport:
    def test_the_head_says_how_many_and_the_iterations_are_struck_through_with_their_reason(self, specs):
        text = report(specs)
        head, _, rest = text.partition("\n## ")
        assert "\n1 iteration was dropped by hand and does not count: r1, inet4 (1 of 6).\n" in head
        assert "Left out of the statistics:\n" in rest
        assert "\n| r1 | inet4 | 6 | ~~1 500 000~~ | the link bounced |\n" in rest
        assert "| inet4 | 5/5 |" in text

    def test_several_are_summed_up(self, specs):
        drop(Path(specs[0]), "inet6", 1, "warm-up")
        drop(Path(specs[0]), "inet6", 2, "warm-up")
        assert (
            "\n3 iterations were dropped by hand and do not count: "
            "r1, inet4 (1 of 6); r1, inet6 (2 of 5).\n" in report(specs)
        )

    def test_it_is_told_even_where_method_and_warnings_are_left_out(self, specs):
        text = report(specs, "method", "warnings", "windows")
        assert "1 iteration was dropped by hand" in text
        assert "~~1 500 000~~" in text

    def test_of_cases_that_are_not_compared_nothing_is_told(self, specs):
        text = report([f"{specs[0]}:inet6", f"{specs[1]}:inet6"])
        assert "dropped" not in text and "~~" not in text

    def test_a_reason_cannot_break_out_of_its_cell(self, specs):
        drop(Path(specs[0]), "inet4", 6, "a | b\n# c *d* <img src=x> ~~e~~")
        assert r"| a \| b\# c \*d\* \<img src=x\> \~\~e\~\~ |" in report(specs)

    def test_without_a_dropped_iteration_nothing_is_said_of_dropping(self, specs):
        restore(Path(specs[0]), "inet4", 6)
        assert "dropped" not in report(specs)


class TestNote:
    def test_the_note_of_a_session_stands_in_the_head_once(self, specs):
        annotate(Path(specs[0]), "fan # broken\nuntil 14:00")
        head = report([specs[0], specs[1], specs[0]]).partition("\n## ")[0]
        assert head.count("\n> ") == 2
        assert "\n> r1 (r1): fan \\# broken\\\n> until 14:00\n" in head

    def test_without_a_note_there_is_no_quotation(self, specs):
        assert "\n> " not in report(specs)


def test_two_values_of_one_trial_are_told_and_mark_the_verdict(tmp_path: Path) -> None:
    """Somebody dropped an attempt, the experiment repeated its trial, and the drop was undone."""
    factors = {"image": "r1"}, {"image": "r2"}
    cases = {
        f"image={of['image']}": [
            Iteration(0, value, factors=of, planned=Planned("x", trial, trial))
            for trial, value in enumerate(all_, 1)
        ]
        for of, all_ in zip(factors, (BASE, OTHER), strict=True)
    }
    cases["image=r2"].append(Iteration(0, 1.11e6, factors=factors[1], planned=Planned("x", 2, 2, attempt=2)))
    folder = recorded(tmp_path / "night", "night", cases)
    (judged,) = judge_sides(load_sides([str(folder)]), view=FactorView(by=("image",))).judged
    told = {one.code: one.text for one in judged.comparison.warnings}
    assert told["trial-twice"] == "r2: iterations 2 and 6 are values of one trial, and all of them count"
    assert "trial-twice" in codes(judged.comparison)
    drop(folder, "image=r2", 2, "the cable was touched")
    (judged,) = judge_sides(load_sides([str(folder)]), view=FactorView(by=("image",))).judged
    assert "trial-twice" not in {one.code for one in judged.comparison.warnings}
