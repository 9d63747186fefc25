"""The report of a sweep on disk: every link leads to a file, and only what a report wrote is replaced."""

from pathlib import Path
from urllib.parse import unquote

import pytest
from hand_made import recorded
from markdown_it import MarkdownIt
from swept import BENT, around, case, queues, session

from fwdtui.core.errors import FwdtuiError
from fwdtui.core.model import Iteration, Session
from fwdtui.report import bundle, sweep_input, sweep_report
from fwdtui.report.document import Choices
from fwdtui.report.factor_view import AS_GIVEN, FactorView
from fwdtui.report.link import Link
from fwdtui.report.markdown import is_untouched
from fwdtui.report.sides import labelled, of_session
from fwdtui.report.sweep import Wanted, sweeps
from fwdtui.report.sweep_input import Loaded, of_sides

BOTH = queues("old", BENT, af="inet4"), queues("new", BENT, af="inet6")


def planned(out: Path, *sessions: Session, without: frozenset[str] = frozenset()) -> bundle.Plan:
    loaded = load(*sessions)
    found = sweeps(loaded.trials, Wanted("queues", link=Link(10e9)))
    return sweep_report.plan(out, loaded, found, Choices("", without))


def load(*sessions: Session, filters: tuple[tuple[str, str], ...] = ()) -> Loaded:
    return of_sides(labelled([of_session(one) for one in sessions]), FactorView(filters=filters))


def test_beside_each_chart_lie_a_csv_and_a_script_with_its_data_and_all_are_linked(tmp_path: Path) -> None:
    out = tmp_path / "my sweep (1).md"
    paths = bundle.carry_out(planned(out, *BOTH))
    names = sorted(path.name for path in paths)
    assert names == sorted(
        [f"queues.{af}.{kind}" for af in ("inet4", "inet6") for kind in ("csv", "dat", "plt", "svg")]
        + [out.name]
    )
    tokens = [c for t in MarkdownIt().parse(out.read_text()) for c in t.children or ()]
    links = [t.attrs.get("href") or t.attrs.get("src") for t in tokens if t.type in ("link_open", "image")]
    assert sorted(Path(unquote(str(link))).name for link in links) == names[1:]
    assert all((tmp_path / unquote(str(link))).is_file() for link in links)
    assert is_untouched(out.read_text())


def test_a_second_report_replaces_the_first_and_removes_what_it_no_longer_has(tmp_path: Path) -> None:
    out = tmp_path / "report.md"
    bundle.carry_out(planned(out, *BOTH))
    bundle.carry_out(planned(out, BOTH[0], without=frozenset({"charts"})))
    assert sorted(path.name for path in (tmp_path / "report.d").iterdir()) == [
        "queues.csv",
        "queues.dat",
        "queues.plt",
    ]


@pytest.mark.parametrize("name", ["queues.csv", "queues.plt", "queues.dat"])
def test_a_file_that_no_report_wrote_is_not_overwritten(tmp_path: Path, name: str) -> None:
    (tmp_path / "report.d").mkdir()
    (tmp_path / "report.d" / name).write_text("level,mine\n1,2\n")
    with pytest.raises(FwdtuiError, match=rf"{name}: exists and was not written by fwdtui report"):
        bundle.carry_out(planned(tmp_path / "report.md", BOTH[0]))


def test_findings_come_first_then_the_table_and_what_it_all_rests_on() -> None:
    text = planned(Path("r.md"), BOTH[0]).text
    parts = ["# Forwarding over queues: old", "- scales to 4 queues", "](r.d/queues.svg)", "| queues | n |"]
    parts += ["Data: [CSV](r.d/queues.csv)", "## Method", "Linear: ", "## Lab"]
    places = [text.find(part) for part in parts]
    assert -1 not in places[:-1] and places[:-1] == sorted(places[:-1])


def test_sections_can_be_left_out_but_not_what_qualifies_the_figures() -> None:
    lost = case("9", [1e6, None, Iteration(3, 2e6, dropped="link bounced")], queues=32)
    one = session("s", *queues("x", BENT).cases, lost, frame_size=64)
    text = planned(Path("r.md"), one, without=frozenset({"charts", "data", "method", "facts"})).text
    assert ".svg" not in text and "CSV" not in text and "## Method" not in text
    assert "Linear: from zero" in text
    assert "- queues=32: iteration 2: no value" in text
    assert "link bounced" in text


def test_a_section_that_it_does_not_have_is_an_error() -> None:
    with pytest.raises(FwdtuiError, match="--without ministat: a sweep has only charts, warnings"):
        planned(Path("r.md"), BOTH[0], without=frozenset({"ministat"}))


def test_names_from_files_are_text_in_the_document() -> None:
    image = "r1|**x** <b>![y](z)"
    cases = [case(f"{q}", around(q * 1e6), queues=q) for q in (1, 2)]
    cases += [case(f"{q}x", around(q * 1e6), queues=q, image="b") for q in (1, 2)]
    found = session("s", *cases[:2], image=image), session("t", *cases[2:])
    text = planned(Path("r.md"), *found).text
    tokens = [c for t in MarkdownIt("gfm-like", {"linkify": False}).parse(text) for c in t.children or ()]
    assert not [t for t in tokens if t.type in ("strong_open", "html_inline")]
    assert len([t for t in tokens if t.type == "image"]) == 2
    assert any(image in t.content for t in tokens)


class TestInput:
    def test_a_session_or_case_named_twice_counts_once(self) -> None:
        assert len(load(BOTH[0], BOTH[0]).trials) == 25

    def test_several_values_of_one_factor_leave_those_with_any_of_them(self) -> None:
        filters = (("queues", "1"), ("queues", "2"), ("af", "inet4"))
        left = load(*BOTH, filters=filters).trials
        assert {(trial.level("queues").text, trial.level("af").text) for trial in left} == {
            ("1", "inet4"),
            ("2", "inet4"),
        }

    def test_sessions_of_one_label_of_which_cases_are_chosen_are_two_sessions(self, tmp_path: Path) -> None:
        """They were one level of `session`: one line of a sweep went through both."""
        folders = [
            recorded(tmp_path / name, "r1", {case: [Iteration(0, 1e6, factors={"queues": queues})]})
            for name, case, queues in (("a", "one", 1), ("b", "two", 2), ("c", "two", 4))
        ]
        specs = [f"{folders[0]}:one", f"{folders[1]}:two", str(folders[2])]
        found = sweep_input.load(specs, AS_GIVEN, None).trials
        assert [trial.level("session").text for trial in found] == ["r1 (a)", "r1 (b)", "r1 (c)"]
        alone = sweep_input.load([f"{folders[0]}:one"] * 2, AS_GIVEN, None).trials
        assert [trial.level("session").text for trial in alone] == ["r1"]
        (tmp_path / "d").mkdir()
        same = folders[0].rename(tmp_path / "d" / "b")
        found = sweep_input.load([f"{same}:one", specs[1]], AS_GIVEN, None).trials
        assert [trial.level("session").text for trial in found] == ["r1 (b)", "r1 (b) (2)"]

    def test_simulated_sessions_and_damage_are_noted(self) -> None:
        one = session("s", *BOTH[0].cases, facts={"dut.kernel_config": "SIMULATED"})
        assert [note.code for note in load(one).notes] == ["simulated"]
        text = planned(Path("r.md"), one).text
        assert "**simulated, so not a real measurement: s**" in text
