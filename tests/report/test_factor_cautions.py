"""What two sets differ in besides what is compared marks their verdict: nobody reads it silently."""

import msgspec
import pytest
from factored import Given, case, session, values

from fwdtui.core.errors import FwdtuiError
from fwdtui.core.factors import FactorValue
from fwdtui.core.model import Session, Summary
from fwdtui.report import bearing
from fwdtui.report.comparison import Compared, judge_sides
from fwdtui.report.factor_cautions import GUARDED, UNLIKE
from fwdtui.report.factor_view import AS_GIVEN, FactorView
from fwdtui.report.gates import answer
from fwdtui.report.sides import of_session


def one(label: str, factors: Given) -> Session:
    return session(label, {}, case("forward", factors, values(1e6 if label == "old" else 1.2e6)))


def compared(base: Given, other: Given, view: FactorView = AS_GIVEN) -> Compared:
    return judge_sides([of_session(one("old", base)), of_session(one("new", other))], view=view)


def marks(base: Given, other: Given, view: FactorView = AS_GIVEN) -> tuple[str, ...]:
    (judged,) = compared(base, other, view).judged
    assert judged.comparison.verdict == "faster"
    return bearing.codes(judged.comparison)


def texts(found: Compared) -> dict[str, str]:
    return {warning.code: warning.text for warning in found.judged[0].comparison.warnings}


# --- without --by


@pytest.mark.parametrize("name", [name for name in GUARDED if name not in UNLIKE])
def test_another_test_gets_no_verdict_without_a_mark(name: str) -> None:
    assert marks({name: 64}, {name: 1024}) == ("factors-differ",)
    assert marks({name: 64}, {name: "64"}) == ()


@pytest.mark.parametrize("name", ["image", "config", "patch", "order"])
def test_builds_and_settings_are_what_sessions_are_compared_for(name: str) -> None:
    assert marks({name: "a"}, {name: "b"}) == ()


def test_what_one_side_does_not_say_is_no_difference() -> None:
    for name in ("queues", "frame_size"):
        assert marks({name: 64}, {}) == marks({}, {name: 64}) == ()


@pytest.mark.parametrize("name", GUARDED)
@pytest.mark.parametrize("there", ["inet4", ""])
def test_what_is_said_to_be_unknown_is_never_guessed_equal(name: str, there: str) -> None:
    assert marks({name: ""}, {name: there}) == ("factor-unknown",)
    assert marks({name: there}, {name: ""}) == ("factor-unknown",)
    assert marks({name: ""}, {}) == ("factor-unknown",)


def test_an_unknown_build_is_what_sessions_are_compared_for_all_the_same() -> None:
    assert marks({"image": ""}, {"image": "new"}) == ()


def test_the_warning_names_the_factors_their_levels_and_the_remedy() -> None:
    found = compared({"flows": 64, "queues": 1}, {"flows": 1024, "queues": 24})
    assert texts(found)["factors-differ"] == (
        "new: not the same test: flows is 64 in the baseline and 1024 in the candidate, "
        "queues is 1 in the baseline and 24 in the candidate; compare with --by flows,queues, "
        "or choose with --filter flows=..."
    )


def test_no_gate_takes_it_for_proof() -> None:
    found = compared({"queues": 1}, {"queues": 24})
    answered = answer(found.judged, found.sides, [], ["not-slower"])
    assert answered.status == 2 and "(factors-differ)" in answered.lines[0]


# --- frames of different lengths: no verdict unless --by names them


def why_not(base: Given, other: Given, view: FactorView = AS_GIVEN) -> str | None:
    (judged,) = compared(base, other, view).judged
    assert (judged.comparison.verdict == "inconclusive") == (judged.comparison.cannot_say is not None)
    assert not (judged.comparison.not_slower.proven and judged.comparison.cannot_say)
    return judged.comparison.cannot_say


def test_between_frames_of_different_lengths_there_is_no_verdict() -> None:
    assert why_not({"frame_size": 64}, {"frame_size": 1024}) == (
        "cannot say, because it is not the same test: frame_size is 64 B in the baseline and 1024 B in the "
        "candidate; choose with --filter frame_size=... or compare with --by frame_size."
    )
    assert why_not({"frame_size": 64}, {"frame_size": "64 B"}) is None
    assert why_not({"frame_size": 64}, {}) is None


def recorded(label: str, frame: int | None, imported: str = "", **factors: FactorValue) -> Session:
    """As lab.toml's `frame` is recorded; None: it is not known."""
    lab = {"generator.host": "gen", "generator.command": "send"} | (
        {"generator.frame": frame} if frame else {}
    )
    return msgspec.structs.replace(one(label, factors), facts=lab, imported=imported)


def test_so_it_is_if_no_factor_says_it_but_the_recorded_labs_do() -> None:
    def why(*sessions: Session, view: FactorView = AS_GIVEN) -> str | None:
        (judged,) = judge_sides(list(map(of_session, sessions)), view=view).judged
        return judged.comparison.cannot_say

    short = recorded("old", 64)
    assert why(short, recorded("new", 1518)) == (
        "cannot say, because it is not the same test: according to the recorded labs, frames have 64 B in "
        "the baseline and 1518 B in the candidate; to compare them all the same, set frame_size in "
        "annotations.toml of both, and --by frame_size."
    )
    assert why(short, recorded("new", 64)) is None
    assert why(short, recorded("new", None)) is None, "what is not known is no difference"
    assert why(short, recorded("new", 1518, imported="2026-01-01T00:00:00+00:00")) is None
    images = recorded("old", 64, image="a"), recorded("new", 1518, image="b")
    assert str(why(*images, view=FactorView(("image",)))).endswith(
        "set frame_size in annotations.toml of both, and --by image,frame_size."
    )
    # what is said of the frames counts more than lab.toml
    assert why(recorded("old", 64, frame_size=64), recorded("new", 1518, frame_size=64)) is None
    asked = recorded("old", 64, frame_size=64), recorded("new", 1518, frame_size=1518)
    assert why(*asked, view=FactorView(("frame_size",))) is None


def test_within_a_session_a_level_may_have_frames_of_its_own() -> None:
    """An experiment over two traffic profiles."""
    cases = []
    for name, frame, mean in (("short", 64, 1e6), ("long", 1518, 1.2e6)):
        made = case(name, {"traffic": name}, values(mean))
        sent = [msgspec.structs.replace(one, facts={"generator.frame": frame}) for one in made.iterations]
        cases.append(msgspec.structs.replace(made, iterations=tuple(sent)))
    both = msgspec.structs.replace(
        session("night", {}, *cases), facts={"generator.host": "gen", "generator.command": "send"}
    )
    (judged,) = judge_sides([of_session(both)], view=FactorView(("traffic",))).judged
    assert judged.comparison.cannot_say is None


def test_what_else_differs_is_a_warning_beside_it() -> None:
    found = compared({"frame_size": 64, "queues": 1}, {"frame_size": 1024, "queues": 24})
    assert "queues" not in str(found.judged[0].comparison.cannot_say)
    assert "frame_size" not in texts(found)["factors-differ"].partition(";")[0]


def test_asked_by_that_factor_there_is_one() -> None:
    assert why_not({"frame_size": 64}, {"frame_size": 1024}, FactorView(("frame_size",))) is None
    other = {"image": "a", "frame_size": 64}, {"image": "b", "frame_size": 1024}
    assert "compare with --by image,frame_size." in str(why_not(*other, FactorView(("image",))))
    assert why_not(*other, FactorView(("image", "frame_size"))) is None


def test_a_limit_that_both_sides_are_at_is_no_better_reason() -> None:
    at_limit = []
    for size, rate in ((1024, 119_730.0), (1280, 96_152.0)):
        made = case("forward", {"frame_size": size}, [rate] * 5)
        load = {"offered": Summary(rate, rate, rate, rate, 9)}
        each_at = tuple(msgspec.structs.replace(one, metrics=load) for one in made.iterations)
        at_limit.append(session(str(size), {}, msgspec.structs.replace(made, iterations=each_at)))
    (judged,) = judge_sides([of_session(each) for each in at_limit]).judged
    assert (judged.comparison.verdict, judged.comparison.cannot_say is None) == ("inconclusive", False)


def test_a_gate_has_no_answer_for_it() -> None:
    found = compared({"frame_size": 64}, {"frame_size": 1024})
    assert answer(found.judged, found.sides, ["slower"], []).status == 2
    assert answer(found.judged, found.sides, ["inconclusive"], []).status == 1


def mixed(*levels: int) -> Session:
    made = one("mixed", {})
    (found,) = made.cases
    iterations = [
        msgspec.structs.replace(iteration, factors={"rate": levels[place % len(levels)]})
        for place, iteration in enumerate(found.iterations)
    ]
    return msgspec.structs.replace(made, cases=(msgspec.structs.replace(found, iterations=iterations),))


def test_iterations_of_one_case_that_differ_are_an_error() -> None:
    sides = [of_session(one("old", {})), of_session(mixed(300_000, 600_000))]
    with pytest.raises(
        FwdtuiError, match=r"mixed forward differ in rate, and are not pooled: compare with --by"
    ):
        judge_sides(sides)
    judge_sides([of_session(one("old", {})), of_session(mixed(300_000))])


# --- with --by

IMAGE = FactorView(("image",))


def test_a_factor_that_changes_along_with_the_compared_one_marks_the_verdict() -> None:
    base, other = {"image": "a", "queues": 1}, {"image": "b", "queues": 4}
    assert marks(base, other, IMAGE) == ("confounded",)
    assert texts(compared(base, other, IMAGE))["confounded"] == (
        "b: not only image differs: queues is 1 in the baseline and 4 in the candidate; "
        "compare them together with --by image,queues"
    )
    assert marks(base, other, FactorView(("image", "queues"))) == ()


@pytest.mark.parametrize(
    ("here", "there"), [({"af": "inet4"}, {}), ({"af": "inet4"}, {"af": ""}), ({"af": ""},) * 2]
)
def test_a_factor_that_is_not_known_of_both_marks_it_too(here: Given, there: Given) -> None:
    assert marks({"image": "a", **here}, {"image": "b", **there}, IMAGE) == ("factor-unknown",)


def test_of_several_candidates_only_those_that_differ_are_marked() -> None:
    sessions = [
        session(name, {}, case("forward", {"image": name, "queues": queues}, values(mean)))
        for name, queues, mean in (("a", 1, 1e6), ("b", 1, 1.2e6), ("c", 2, 1.2e6))
    ]
    found = judge_sides([of_session(each) for each in sessions], view=IMAGE)
    assert [(each.other.label, bearing.codes(each.comparison)) for each in found.judged] == [
        ("b", ()),
        ("c", ("confounded",)),
    ]
