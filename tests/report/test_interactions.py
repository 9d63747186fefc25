"""Whether an effect depends on another factor: which interactions are shown, and where."""

import json
import re
import shlex
from collections.abc import Sequence

import msgspec
import pytest
from factored import MEANS, case, cube, session, values

from fwdtui.core.model import Session, Summary
from fwdtui.report import json_format, table
from fwdtui.report.comparison import Compared, judge_sides
from fwdtui.report.crossing import NOT_SHOWN
from fwdtui.report.document import Document
from fwdtui.report.factor_view import FactorView
from fwdtui.report.markdown import render
from fwdtui.report.sides import of_session
from fwdtui.stats.interaction_verdict import shared


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


def test_of_several_candidates_that_differ_in_several_ways_there_are_none() -> None:
    assert by("image", "config").interactions == ()


def grown(images: int, levels: int, loss: float = 0.02) -> list[Session]:
    """Each image loses `loss` more per level than the one before it."""
    return [
        session(
            f"r{image}",
            {"image": f"r{image}"},
            *(
                case(f"q{n}", {"queues": n}, values(1e6 * n * (1.0 - loss * (image - 1) * n)))
                for n in range(1, levels + 1)
            ),
        )
        for image in range(1, images + 1)
    ]


def seen(sessions: Sequence[Session], *factors: str, **more: object) -> Compared:
    return judge_sides([of_session(one) for one in sessions], view=FactorView(factors, **more))  # type: ignore[arg-type]


def test_of_several_levels_each_is_held_against_the_first_and_each_candidate_against_the_baseline() -> None:
    found = seen(grown(3, 3), "image")
    assert [(one.other, one.levels, one.cases) for one in found.interactions] == [
        ("r2", ("1", "2"), ("queues=1", "queues=2")),
        ("r2", ("1", "3"), ("queues=1", "queues=3")),
        ("r3", ("1", "2"), ("queues=1", "queues=2")),
        ("r3", ("1", "3"), ("queues=1", "queues=3")),
    ]
    truth = [(1 - 0.02 * by * n) / (1 - 0.02 * by) for by in (1, 2) for n in (2, 3)]
    assert [one.ratio for one in found.interactions] == pytest.approx(truth)
    # all of it shares the error rate, and says so
    assert {one.family for one in found.interactions} == {6 + 4}
    assert {one.comparison.difference.family for one in found.judged} == {6 + 4}
    told = (
        "4 interactions, each candidate against r1, each level against queues 1. Holm's correction "
        "is over all 10 comparisons and interactions that are tested."
    )
    assert shared(found.interactions) == told
    text = table.render(found.judged, interactions=found.interactions, view=found.view, within=found.within)
    assert told in " ".join(text.split()) and told in render(Document(found))


def test_the_first_level_is_the_users_or_the_first_that_both_sides_have() -> None:
    ordered = seen(grown(2, 3), "image", order=("3",)).interactions
    assert [one.levels for one in ordered] == [("3", "1"), ("3", "2")]
    assert shared(ordered).startswith("2 interactions, each level against queues 3. ")
    first, second = grown(2, 3)
    less = session(second.label, second.factors, *second.cases[1:])
    assert [one.levels for one in seen([first, less], "image").interactions] == [("2", "3")]


def test_a_warning_on_another_candidate_marks_none_of_this_one() -> None:
    first, second, third = grown(3, 2)
    third = session("r3", {**third.factors, "cores": 4}, *third.cases)
    first, second = (session(one.label, {**one.factors, "cores": 1}, *one.cases) for one in (first, second))
    found = seen([first, second, third], "image", within=("queues",)).interactions
    assert [(one.other, one.marked_by) for one in found] == [("r2", ()), ("r3", ("confounded",))]


@pytest.mark.parametrize(("images", "levels", "shown"), [(2, 13, 12), (2, 14, 0), (4, 5, 12), (4, 6, 0)])
def test_too_many_are_not_shown_and_weaken_nothing_and_the_command_that_shows_one_works(
    images: int, levels: int, shown: int
) -> None:
    found = seen(grown(images, levels, loss=0.002), "image")
    count = (images - 1) * (levels - 1)
    assert len(found.interactions) == shown
    assert {one.comparison.difference.family for one in found.judged} == {(images - 1) * levels + shown}
    notes = [note.text for note in found.notes if note.code == NOT_SHOWN]
    assert len(notes) == (shown == 0)
    for text in notes:
        assert text.startswith(f"{count} interactions of image with queues are not shown, as ")
        words = shlex.split(text.rpartition("to see one: ")[2])
        filters = tuple((name, value) for name, _, value in (word.partition("=") for word in words[1::2]))
        (one,) = seen(grown(images, levels, loss=0.002), "image", filters=filters).interactions
        assert (one.other, one.levels) == (f"r{images}", ("1", str(levels)))


def test_one_reason_why_nothing_can_be_said_is_told_once() -> None:
    first, second = grown(2, 4)
    one, *rest = second.cases
    capped = tuple(
        msgspec.structs.replace(i, metrics={"offered": Summary(i.value or 0, i.value or 0, 0, 0, 9)})
        for i in one.iterations
    )
    second = session("r2", second.factors, msgspec.structs.replace(one, iterations=capped), *rest)
    found = seen([first, second], "image")
    assert len(found.interactions) == 3 and all(one.cannot_say for one in found.interactions)
    for text in (
        table.render(found.judged, interactions=found.interactions, view=found.view),
        render(Document(found)),
    ):
        assert text.count("the ratio is only a bound.") == text.count("the ratio is only a bound. (3 ") == 1


def test_a_cell_that_was_not_measured_leaves_out_its_interaction() -> None:
    old, new = cube()
    less = session("new", {"image": "new"}, *new.cases[:-1])
    found = judge_sides([of_session(old), of_session(less)], view=FactorView(("image",)))
    assert [(one.factor, one.case) for one in found.interactions] == [("config", "inet4"), ("af", "off")]


def test_a_rate_and_a_latency_have_no_interaction() -> None:
    """A latency that rises by 70 % beside a rate that rises by 20 % is no larger gain."""
    sessions = [
        session(
            image,
            {"image": image},
            case("fwd", {"traffic": "fwd"}, values(1e6 * times)),
            case("lat", {"traffic": "lat"}, values(12 * times**3), unit="us"),
            case("vpn", {"traffic": "vpn"}, values(1e6 * times)),
        )
        for image, times in (("old", 1.0), ("new", 1.2))
    ]
    found = judge_sides([of_session(one) for one in sessions], view=FactorView(("image",)))
    assert [one.levels for one in found.interactions] == [("fwd", "vpn")]
    assert {one.comparison.difference.family for one in found.judged} == {4}


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


def test_levels_that_the_user_calls_the_same_are_told_apart_in_interactions_and_in_the_table() -> None:
    compared = by("image", labels=(("off", "any"), ("on", "any")))
    depends, _, same, other = compared.interactions
    assert depends.levels == ("any (config=off)", "any (config=on)")
    assert "with any (config=off) and gains" in depends.sentence
    assert (same.case, other.case) == depends.levels, "two headings, not one"
    assert "| any (config=off) | inet4 |" in render(Document(compared))


def test_sides_that_the_user_calls_the_same_are_told_apart_in_the_sentence_too() -> None:
    sentence = by("image", labels=(("old", "kernel"), ("new", "kernel"))).interactions[0].sentence
    assert sentence.startswith("kernel (image=new) costs 44."), sentence
