"""Whether an effect depends on another factor: which interactions are shown, and where."""

import json
import re

import pytest
from factored import MEANS, case, cube, session, values

from fwdtui.report import json_format, table
from fwdtui.report.comparison import Compared, judge_sides
from fwdtui.report.document import Document
from fwdtui.report.factor_view import FactorView
from fwdtui.report.markdown import render
from fwdtui.report.sides import of_session


def by(*factors: str, **more: object) -> Compared:
    return judge_sides([of_session(one) for one in cube()], view=FactorView(factors, **more))  # type: ignore[arg-type]


def test_each_factor_with_two_levels_is_crossed_within_the_levels_of_the_others() -> None:
    found = [(one.factor, one.case, one.levels, one.cases) for one in by("image").interactions]
    assert found == [
        ("config", "inet4", ("off", "on"), ("off inet4", "on inet4")),
        ("config", "inet6", ("off", "on"), ("off inet6", "on inet6")),
        ("af", "off", ("inet4", "inet6"), ("off inet4", "off inet6")),
        ("af", "on", ("inet4", "inet6"), ("on inet4", "on inet6")),
    ]


def test_it_depends_or_it_is_the_same_or_nothing_is_shown() -> None:
    depends, _, same, _ = by("image").interactions
    assert (depends.verdict, same.verdict) == ("depends", "same")
    strict = judge_sides([of_session(one) for one in cube()], view=FactorView(("image",)), margin=0.1)
    assert [one.verdict for one in strict.interactions] == [
        "depends",
        "depends",
        "inconclusive",
        "inconclusive",
    ]
    first, second = depends.effects_percent
    assert first is not None and second is not None and depends.ratio is not None
    assert depends.ratio == pytest.approx((100 + second) / (100 + first)), (
        "of the very effects that are shown"
    )
    truth = MEANS["new", "on", "inet4"] * MEANS["old", "off", "inet4"]
    truth /= MEANS["old", "on", "inet4"] * MEANS["new", "off", "inet4"]
    assert depends.ratio == pytest.approx(truth)


def test_the_sentence_says_what_it_costs_and_what_it_gains() -> None:
    sentences = [one.sentence for one in by("image").interactions]
    assert re.fullmatch(
        r"new costs 44\.8\d* % with off and gains 10\.\d+ % with on: it depends", sentences[0]
    )
    assert re.fullmatch(
        r"new: −44\.8\d* % with inet4, −44\.8\d* % with inet6: the same within the 1 % margin", sentences[2]
    )
    strict = judge_sides([of_session(one) for one in cube()], view=FactorView(("image",)), margin=0.1)
    assert strict.interactions[2].sentence.endswith(" with inet6: no interaction shown")


def test_two_losses_have_one_verb() -> None:
    sessions = [
        session(
            image,
            {"image": image},
            *(case(f"q{n}", {"queues": n}, values(1e6 - 1e5 * n * (image == "new"))) for n in (1, 4)),
        )
        for image in ("old", "new")
    ]
    (found,) = judge_sides([of_session(one) for one in sessions], view=FactorView(("image",))).interactions
    assert re.fullmatch(
        r"new costs 10\.\d+ % with queues=1 and 40\.\d+ % with queues=4: it depends", found.sentence
    )


def test_an_effect_that_is_not_proven_is_not_told_as_one() -> None:
    (found,) = by("config", filters=(("af", "inet4"),)).interactions
    assert re.fullmatch(
        r"on gains 100\.0\d* % with new and has no proven effect \(\+0\.2\d* %\) with old: it depends",
        found.sentence,
    )


def test_with_several_candidates_there_are_none() -> None:
    assert by("image", "config").interactions == ()


def test_a_cell_that_was_not_measured_leaves_out_its_interaction() -> None:
    old, new = cube()
    less = session("new", {"image": "new"}, *new.cases[:-1])
    found = judge_sides([of_session(old), of_session(less)], view=FactorView(("image",)))
    assert [(one.factor, one.case) for one in found.interactions] == [("config", "inet4"), ("af", "off")]


def test_they_share_the_error_rate_with_everything_shown() -> None:
    compared = by("image")
    assert {one.comparison.difference.family for one in compared.judged} == {8}
    assert {one.family for one in compared.interactions} == {8}
    assert "Holm over 4 comparisons and 4 interactions" in compared.interactions[0].method
    alone = judge_sides([of_session(one) for one in cube()])
    assert {one.comparison.difference.family for one in alone.judged} == {4}


def test_what_bears_on_a_comparison_bears_on_its_interaction() -> None:
    sessions = [
        session(
            image,
            {"image": image, "queues": queues},
            *(
                case(f"{config}", {"config": config}, values(MEANS[image, config, "inet4"]))
                for config in ("off", "on")
            ),
        )
        for image, queues in (("old", 1), ("new", 4))
    ]
    (found,) = judge_sides([of_session(one) for one in sessions], view=FactorView(("image",))).interactions
    assert (found.verdict, found.marked_by) == ("depends", ("confounded",))


def test_the_table_has_them_below_its_rows() -> None:
    compared = by("image")
    text = table.render(
        compared.judged,
        compared.notes,
        interactions=compared.interactions,
        view=compared.view,
        within=compared.within,
    )
    assert text.startswith(
        "by image   baseline old   candidate new   margin 1 %   confidence 95 %\n\nconfig, af "
    )
    rows, _, below = text.partition("\n\ninet4: new costs ")
    assert rows.count("slower") == 2 and rows.count("faster") == 2
    assert re.match(
        r"44\.8\d* % with off and gains 10\.\d+ % with on: it depends \(ratio of the ratios 1\.99\d* "
        r"\[1\.9\d+, 2\.0\d+\], p < 0\.0001\) ",
        " ".join(below.split()),
    )


def test_the_json_has_them_field_by_field() -> None:
    compared = by("image")
    found = json.loads(json_format.render([one.comparison for one in compared.judged], compared.interactions))
    first = found["interactions"][0]
    assert list(first) == [
        *("by", "base", "other", "factor", "levels", "within", "case", "cases", "effects_percent", "ratio"),
        *("ci_ratio", "confidence", "p", "p_adjusted", "method", "family", "verdict", "margin_percent"),
        *("sentence", "cannot_say", "marked_by"),
    ]
    assert (first["by"], first["base"], first["other"]) == (["image"], "old", "new")
    assert (first["factor"], first["levels"], first["within"]) == ("config", ["off", "on"], {"af": "inet4"})
    assert (first["verdict"], first["cannot_say"]) == ("depends", None)
    assert found["comparisons"][0]["factors"] == {
        "base": {"image": "old", "config": "off", "af": "inet4"},
        "other": {"image": "new", "config": "off", "af": "inet4"},
    }


def test_where_no_test_is_possible_the_json_has_null_and_the_reason() -> None:
    sessions = [
        session(
            image,
            {"image": image},
            case("off", {"config": "off"}, values(1.0)),
            case("on", {"config": "on"}, [1.0] if image == "new" else values(1.0)),
        )
        for image in ("old", "new")
    ]
    compared = judge_sides([of_session(one) for one in sessions], view=FactorView(("image",)))
    found = json.loads(json_format.render([], compared.interactions))["interactions"][0]
    assert (found["ratio"], found["ci_ratio"], found["p"]) == (None, [None, None], None)
    assert found["verdict"] == "inconclusive"
    assert found["cannot_say"].startswith("cannot say, because new has a single value")
    assert compared.judged[0].comparison.difference.family == 1, "what is not tested takes nothing"


def test_the_report_has_the_rows_of_a_published_one_and_the_interactions_below() -> None:
    text = render(Document(by("image", labels=(("old", "pre-patch"), ("new", "post-patch")))))
    assert "# Comparing post-patch with pre-patch: forwarding performance\n" in text
    assert "| config | af | n | pre-patch, median | post-patch, median | change of the mean | p, " in text
    assert "| off | inet4 | 5/5 | 870 000 | 480 000 | −44.8" in text
    assert re.search(
        r"^- inet4: post-patch costs .* with on: \*\*it depends\*\* \(ratio of", text, re.MULTILINE
    )


def test_a_level_that_is_a_bare_number_is_named_in_the_title() -> None:
    one = session("s", {}, *(case(f"q{n}", {"queues": n}, values(1e6)) for n in (1, 24)))
    text = render(Document(judge_sides([of_session(one)], view=FactorView(("queues",)))))
    assert text.startswith("# Comparing queues 24 with 1: forwarding performance\n")
