"""What two sides have in common, and what differs, where iterations have facts of their own."""

from collections.abc import Mapping
from pathlib import Path

import pytest
from hand_made import recorded

from fwdtui.cli import main
from fwdtui.core.model import Case, Fact, Iteration, Session
from fwdtui.report.comparison import judge_sides
from fwdtui.report.document import Choices, Document
from fwdtui.report.facts import Facts, compare, of_session
from fwdtui.report.facts_wording import sentence
from fwdtui.report.frames import line_rate
from fwdtui.report.markdown import render
from fwdtui.report.sides import Side, load_sides
from fwdtui.report.sides import of_session as side_of

PLAIN: dict[str, Fact] = {"dut.kernel": "15.0"}
PATCHED: dict[str, Fact] = {**PLAIN, "dut.kernel_modified": True, "dut.sysctl.net.new": "1"}
DIFFERS = (("dut.kernel_modified", ("–", "yes")), ("dut.sysctl.net.new", ("–", "1")))


def facts_of(folder: Path, session: Mapping[str, Fact], *cases: tuple[str, dict[str, Fact]]) -> Facts:
    """Of two sides, the cases a and b of one session, whose iterations have these facts of their own."""
    iterations: dict[str, list[Iteration]] = {}
    for image, own in cases:
        iterations.setdefault(image, []).append(Iteration(0, 1e6, facts=own))
    path = recorded(folder / "night", "night", iterations, session)
    return compare(load_sides([f"{path}:{image}" for image in ("a", "b")]))


def test_a_fact_that_only_the_other_image_has_differs_whichever_the_session_began_on(tmp_path: Path) -> None:
    new: dict[str, Fact] = {key: fact for key, fact in PATCHED.items() if key not in PLAIN}
    began_on_a = facts_of(tmp_path / "a", PLAIN, ("a", {}), ("b", new))
    began_on_b = facts_of(tmp_path / "b", PATCHED, ("a", dict.fromkeys(new, "–")), ("b", {}))
    for found in (began_on_a, began_on_b):
        assert tuple(sorted(found.differing)) == DIFFERS
        assert found.shared == (("dut.kernel", "15.0"),)


def test_what_some_values_of_a_side_were_measured_without_is_told_beside_it(tmp_path: Path) -> None:
    found = facts_of(tmp_path, {}, ("a", {}), ("a", {"x": "1"}), ("b", {"x": "1"}))
    assert found.differing == (("x", ("1; –", "1")),)


def test_what_a_case_was_measured_with_that_only_one_side_has_is_no_difference(tmp_path: Path) -> None:
    """It is not compared. In an experiment's session each case has its own generator.command."""

    def night(name: str, **commands: str) -> str:
        own = {case: {"generator.command": command} for case, command in commands.items()}
        cases = {case: [Iteration(0, 1e6 + n, facts=fact) for n in range(3)] for case, fact in own.items()}
        return str(recorded(tmp_path / name, name, cases, {}))

    paths = [night("a", v4="send -4", v6="send -6"), night("b", v4="send -4")]
    compared = judge_sides(load_sides(paths))
    found = compared.facts(compared.judged[0])
    assert (found.shared, found.differing) == ((("generator.command", "send -4"),), ())
    text = render(Document(compared, Choices(), None))
    assert "only in a, not in b, so not compared: v6" in text
    assert "## Lab: what differs" not in text and "- generator.command: `send -4`" in text


V4, V6 = "send -4", "send -6"


@pytest.mark.parametrize(
    ("base", "other", "shared", "differing"),
    [
        # v6 is of one side alone, and not compared
        ({"v4": V4, "v6": V6}, {"v4": V4}, {"command": V4}, {}),
        ({"v4": V4, "v6": V6}, {"v4": V6}, {}, {"command": (V4, V6)}),
        ({"v4": V4, "v6": V6}, {"v4": V4, "v6": V6}, {"command.v4": V4, "command.v6": V6}, {}),
        ({"v4": V4, "v6": V6}, {"v4": V4, "v6": V4}, {"command.v4": V4}, {"command.v6": (V6, V4)}),
        ({"v4": V4, "v6": V4, "pf": V6}, {"v4": V4, "v6": V4}, {"command": V4}, {}),
        ({"v4": V4, "v6": ""}, {"v4": V4, "v6": V4}, {"command.v4": V4}, {"command.v6": ("–", V4)}),
    ],
)
def test_what_an_import_tells_of_each_case_is_compared_case_by_case(
    tmp_path: Path,
    base: Mapping[str, str],
    other: Mapping[str, str],
    shared: Mapping[str, str],
    differing: Mapping[str, tuple[str, str]],
) -> None:
    """If the cases of a session have one command, that is a fact of the session, else of each case."""

    def imported(name: str, commands: Mapping[str, str]) -> Side:
        facts: dict[str, Fact] = {"trim": "steady", "generator.command": next(iter(commands.values()))}
        if len(set(commands.values())) > 1:
            of_cases = {f"generator.command.{case}": command for case, command in commands.items() if command}
            facts = {"trim": "steady", **of_cases, **{f"started.{case}": "today" for case in commands}}
        cases = tuple(Case(case, tuple(Iteration(n, 1e6 + n) for n in range(3))) for case in commands)
        return side_of(Session(str(tmp_path / name), name, "", facts, cases, imported="today"))

    compared = judge_sides([imported("a", base), imported("b", other)])
    found = compared.facts(compared.judged[0])
    told = {key: fact for key, fact in found.shared if not key.startswith("started.")}
    assert told == {"trim": "steady", **{f"generator.{key}": fact for key, fact in shared.items()}}
    differs = {key: facts for key, facts in found.differing if not key.startswith("started.")}
    assert differs == {f"generator.{key}": facts for key, facts in differing.items()}
    started = {key for key, _ in (*found.shared, *found.differing) if key.startswith("started.")}
    assert started <= {f"started.{one.comparison.case}" for one in compared.judged}


def test_a_fact_of_the_session_that_no_side_has_is_not_told(tmp_path: Path) -> None:
    found = facts_of(tmp_path, {"x": "1"}, ("a", {"x": "–"}), ("b", {"x": "–"}))
    assert (found.shared, found.differing) == ((), ())


@pytest.mark.parametrize(
    ("read", "found"), [("fwdtui.report.facts.text", "8"), ("fwdtui.core.sent_frames.frame_of", 64)]
)
def test_what_thousands_of_iterations_have_alike_is_looked_at_once(
    monkeypatch: pytest.MonkeyPatch, read: str, found: object
) -> None:
    """The list of sessions reads it of each: it would be held up by an experiment on two kernels."""
    seen: list[object] = []

    def reading(told: object) -> object:
        seen.append(told)
        return found

    monkeypatch.setattr(read, reading)
    lab: dict[str, Fact] = {"generator.host": "g", "generator.command": "x -l 60", "generator.line_rate": 1e7}
    own: list[dict[str, Fact]] = [{"dut.kernel": kernel, "dut.cpus": 8} for kernel in "ab"]
    some = [Iteration(number, 1e6, facts={**own[number % 2]}) for number in range(1000)]
    session = Session("/s", "s", "", facts=lab, cases=(Case("c", tuple(some)),))
    of_session(session)
    assert line_rate(session, some, {}) == 1e7
    assert 0 < len(seen) < 10


def test_the_facts_of_a_session_are_those_of_all_its_iterations() -> None:
    own: list[dict[str, Fact]] = [{}, {"kernel": "15.1", "new": True}, {"old": "–", "kernel": "15.0"}]
    some = [Iteration(number, 1e6, facts=one) for number, one in enumerate(own, 1)]
    session = Session("/s", "s", "", {"kernel": "15.0", "old": 1, "cpus": 4}, (Case("c", some),))
    differs = "(not the same in all iterations)"
    assert of_session(session) == {
        "kernel": f"15.0; 15.1 {differs}",
        "old": f"1; – {differs}",
        "cpus": 4,
        "new": f"yes; – {differs}",
    }
    many = [Iteration(number, 1e6, facts={"conntrack": 100 + number}) for number in range(1, 31)]
    (told,) = of_session(Session("/s", "s", "", {}, (Case("c", many),))).values()
    assert str(told).startswith("101; 102; 103; ") and str(told).endswith(f"; 112; 18 more {differs}")


def test_an_iteration_that_cannot_be_read_says_nothing_of_the_facts_of_a_session() -> None:
    some = [Iteration(1, 1e6, facts={"kernel": "15.1"}), Iteration(2, None, complete=False)]
    for recorded_facts in ({}, {"kernel": "15.0"}):
        told = of_session(Session("/s", "s", "", recorded_facts, (Case("c", some),)))
        assert told == {"kernel": "15.1"}
    nothing_read = Session("/s", "s", "", {"kernel": "15.0"}, (Case("c", some[1:]),))
    assert of_session(nothing_read) == {"kernel": "15.0"}


@pytest.mark.parametrize(
    ("differing", "told"),
    [
        ([], ""),
        ([("dut.kernel", ("15.0", "15.1"))], "1 fact of the lab differs: dut.kernel: 15.0 -> 15.1."),
        (
            [("dut.firewall", ("none", "nft: inet x")), ("dut.x", ("–", "1"))],
            '2 facts of the lab differ: dut.firewall: none -> "nft: inet x"; dut.x: not recorded -> 1.',
        ),
        (
            [("started.inet4", ("Monday", "Friday")), *((f"f{n}", ("a", "b")) for n in range(6))],
            "7 facts of the lab differ: f0: a -> b; f1: a -> b; f2: a -> b; f3: a -> b; "
            "and 3 more, which the report lists.",
        ),
        ([("started", ("Monday", "Friday"))], "1 fact of the lab differs: started: Monday -> Friday."),
        ([("dut.kernel", ("1", "2", "2"))], "1 fact of the lab differs: dut.kernel: 2 values."),
    ],
    ids=["none", "one", "not recorded", "the rest is counted", "only times", "three sides"],
)
def test_a_sentence_names_the_first_facts_that_differ(
    differing: list[tuple[str, tuple[str, ...]]], told: str
) -> None:
    assert sentence(Facts((), ("a", "b"), tuple(differing))) == told


def test_long_values_are_shortened_and_what_differs_in_them_stays() -> None:
    told = sentence(Facts((), ("a", "b"), (("uname", (f"{'x' * 90} #1 amd64", f"{'x' * 90} #2 amd64")),)))
    assert "#1 amd64" in told and "#2 amd64" in told and len(told) < 200


def test_below_the_table_of_compare_stands_what_else_differs(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """It has the rows of the report; between plain files of values nothing is known."""
    rules: tuple[dict[str, Fact], ...] = ({"dut.firewall_rules": 0}, {"dut.firewall_rules": 100})
    values = {"inet4": [Iteration(0, 1e6 + n) for n in range(3)]}
    paths = [str(recorded(tmp_path / f"r{n}", f"r{n}", values, facts)) for n, facts in enumerate(rules)]
    assert main(["compare", *paths]) == 0
    assert capsys.readouterr().out.endswith("\n\n1 fact of the lab differs: dut.firewall_rules: 0 -> 100.\n")
    (tmp_path / "plain").write_text("1\n2\n3\n")
    assert main(["compare", str(tmp_path / "plain"), str(tmp_path / "plain")]) == 0
    assert "of the lab" not in capsys.readouterr().out
