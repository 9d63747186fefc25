"""Sides by factors: a level is a side, its cells are cases, and nothing is pooled."""

from collections.abc import Sequence

import msgspec
import pytest
from factored import apart, case, cube, session, values

from fwdtui.check import check_text
from fwdtui.core.errors import FwdtuiError
from fwdtui.core.factors import level
from fwdtui.core.model import Session
from fwdtui.report.by_factor import seen
from fwdtui.report.comparison import judge_sides
from fwdtui.report.document import Document
from fwdtui.report.factor_view import FactorView, LevelTexts
from fwdtui.report.factors_there import varying
from fwdtui.report.markdown import render
from fwdtui.report.sides import Side, of_session, sessions_of


def by(sessions: Sequence[Session], *factors: str, **more: object) -> list[Side]:
    return seen([of_session(one) for one in sessions], FactorView(factors, **more))  # type: ignore[arg-type]


def shown(sides: Sequence[Side]) -> dict[str, list[str]]:
    return {side.label: list(side.cases) for side in sides}


# --- sides and cells


@pytest.mark.parametrize("made", [cube, apart])
def test_a_level_is_a_side_whose_cases_are_the_levels_of_the_other_factors(made) -> None:
    assert shown(by(made(), "image")) == {
        "old": ["off inet4", "off inet6", "on inet4", "on inet6"],
        "new": ["off inet4", "off inet6", "on inet4", "on inet6"],
    }


def test_a_side_has_the_sessions_that_its_cells_are_from() -> None:
    base, _ = by(apart(), "image")
    assert [one.label for one in base.sessions] == ["old.off", "old.on"]
    cell = base.cases["on inet6"]
    assert cell.session is base.sessions[1] and cell.name == "inet6"
    assert list(cell.result.values) == values(862e3)
    assert {name: level.shown for name, level in cell.within.items()} == {"config": "on", "af": "inet6"}


def test_one_session_with_both_variants_is_enough() -> None:
    assert shown(by(cube()[:1], "config")) == {"off": ["inet4", "inet6"], "on": ["inet4", "inet6"]}


def test_several_factors_are_compared_jointly() -> None:
    found = shown(by(cube(), "image", "config"))
    assert list(found) == ["old off", "new off", "new on", "old on"]
    assert set(map(tuple, found.values())) == {("inet4", "inet6")}


def test_a_session_that_is_named_twice_counts_once() -> None:
    one = cube()[0]
    (base, _) = by([one, one], "config")
    assert len(base.cases["inet4"].used) == 5


def test_chosen_cases_are_all_that_is_compared() -> None:
    sides = [of_session(one) for one in cube()]
    only = [
        Side(side.spec, side.label, {"on.inet4": side.cases["on.inet4"]}, True, side.sessions)
        for side in sides
    ]
    assert shown(seen(only, FactorView(("image",)))) == {"old": ["on.inet4"], "new": ["on.inet4"]}


# --- what the cells are called


def test_bare_numbers_are_written_with_their_factor() -> None:
    sessions = [
        session(image, {"image": image}, *(case(f"q{n}", {"queues": n}, values(n)) for n in (1, 2, 10)))
        for image in ("old", "new")
    ]
    assert list(by(sessions, "image")[0].cases) == ["queues=1", "queues=2", "queues=10"]
    assert [side.label for side in by(sessions, "queues")] == ["1", "2", "10"]


def test_where_nothing_else_varies_the_case_keeps_its_name_or_gets_that_of_the_filter() -> None:
    sessions = [session(label, {"image": label}, case("forward", {}, values(1.0))) for label in "ab"]
    assert list(by(sessions, "image")[0].cases) == ["forward"]
    only = by(cube(), "image", filters=(("config", "on"), ("af", "inet4")))
    assert list(only[0].cases) == ["on.inet4"]
    assert list(by(cube()[:1], "config", filters=(("af", "inet4"),))[0].cases) == ["inet4"]
    assert list(by(apart()[:1], "af")[0].cases) == ["old off"], "what both have in common"


def test_names_that_would_be_the_same_are_told_apart_by_their_factors() -> None:
    cells = [("a b", "c"), ("a", "b c")]
    sessions = [
        session(
            image,
            {"image": image},
            *(case(f"{x}-{y}", {"config": x, "patch": y}, values(1.0)) for x, y in cells),
        )
        for image in ("old", "new")
    ]
    assert sorted(by(sessions, "image")[0].cases) == [
        "a b c (config=a b, patch=c)",
        "a b c (config=a, patch=b c)",
    ]
    labels = [side.label for side in by(sessions, "config", "patch", filters=(("image", "old"),))]
    assert labels == ["a b c (config=a, patch=b c)", "a b c (config=a b, patch=c)"]


def test_no_cell_takes_the_place_of_another_however_its_levels_are_written() -> None:
    cells = [("a b", "c"), ("a", "b c"), ("a b c (config=a b,", "patch=c)")]
    sessions = [
        session(
            image,
            {"image": image},
            *(case(f"{n}", {"config": x, "patch": y}, values(1.0)) for n, (x, y) in enumerate(cells)),
        )
        for image in ("old", "new")
    ]
    assert sorted(by(sessions, "image")[0].cases) == [
        "a b c (config=a b, patch=c)",
        "a b c (config=a b, patch=c) (2)",
        "a b c (config=a, patch=b c)",
    ]


# --- within


def test_what_is_left_out_of_within_is_never_pooled() -> None:
    with pytest.raises(FwdtuiError, match=r"differ in af \(af: inet4, inet6\), and are not pooled"):
        by(cube(), "image", within=("config",))


def test_what_varies_only_with_the_compared_factor_makes_no_cells() -> None:
    sessions = [
        session(label, {"image": label, "queues": n}, case("forward", {}, values(1.0)))
        for label, n in (("old", 1), ("new", 4))
    ]
    assert shown(by(sessions, "image")) == {"old": ["forward"], "new": ["forward"]}
    with pytest.raises(
        FwdtuiError,
        match=r"queues changes along with image: it is 1 with image=old, and 4 elsewhere.*--by image,queues",
    ):
        by(sessions, "image", within=("queues",))


def test_the_same_conditions_in_two_sessions_are_compared_each_for_itself() -> None:
    """Monday and Tuesday both have off and on: two rows, and nothing pooled."""
    days = [
        session(
            day, {"image": "x"}, *(case(config, {"config": config}, values(1.0)) for config in ("off", "on"))
        )
        for day in ("monday", "tuesday")
    ]
    assert shown(by(days, "config")) == {"off": ["monday", "tuesday"], "on": ["monday", "tuesday"]}


def test_the_same_conditions_in_two_sessions_of_one_level_are_not_pooled() -> None:
    sessions = [
        session(label, {"image": image}, case("forward", {}, values(1.0)))
        for label, image in (("monday", "x"), ("tuesday", "x"), ("wednesday", "y"))
    ]
    with pytest.raises(
        FwdtuiError, match="tuesday forward, and are not pooled: choose one with --filter session="
    ):
        by(sessions, "image")
    assert shown(by(sessions, "image", filters=(("session", "monday"), ("session", "wednesday")))) == {
        "x": ["forward"],
        "y": ["forward"],
    }


@pytest.mark.parametrize("stated", [{}, {"af": "inet4"}], ids=["no factors", "factors"])
def test_two_sessions_of_one_label_are_two_levels_of_session(stated: dict[str, str]) -> None:
    """Their labels get their folders' names, as in a comparison of the sessions."""
    first, second, other = (
        msgspec.structs.replace(session(label, stated, case("inet4", {}, values(mean))), path=f"/s/{folder}")
        for label, folder, mean in (("r1", "monday", 1.0), ("r1", "tuesday", 2.0), ("r2", "r2", 3.0))
    )
    for within in (None, ("case",)):
        assert shown(by([first, second], "session", within=within)) == {
            "r1 (monday)": ["inet4"],
            "r1 (tuesday)": ["inet4"],
        }
    there = by([first, second, other], "session")
    assert [side.label for side in there] == ["r1 (monday)", "r1 (tuesday)", "r2"]
    assert [list(side.cases["inet4"].result.values) for side in there] == [values(n) for n in (1.0, 2.0, 3.0)]
    apart = msgspec.structs.replace(second, cases=(case("inet6", {}, values(2.0)),))
    found = by([other, first, apart], "session")
    assert [side.label for side in found] == ["r2", "r1 (monday)", "r1 (tuesday)"], "cases of their own, too"
    assert [one.name for one in varying([of_session(one) for one in (first, second)])] == (
        [] if stated else ["session"]
    )


def test_sessions_of_one_label_and_one_folder_name_are_told_apart_by_numbers() -> None:
    paths = ("/s/mon/run", "/s/tue/run")
    one = session("r1", {}, *(case(image, {"image": image}, values(1.0)) for image in ("x", "y")))
    same = [msgspec.structs.replace(one, path=path) for path in paths]
    there = by(same, "image", within=("session",))
    labels = {one.path: label for label, one in sessions_of(there)}
    assert labels == dict(zip(paths, ("r1 (run)", "r1 (run) (2)"), strict=True))


def test_a_factor_that_is_not_known_somewhere_makes_no_cells() -> None:
    sessions = [
        session("old", {"image": "old"}, case("inet4", {"af": "inet4"}, values(1.0))),
        session("new", {"image": "new"}, case("inet4", {}, values(1.0))),
    ]
    assert shown(by(sessions, "image")) == {"old": ["inet4"], "new": ["inet4"]}
    with pytest.raises(FwdtuiError, match=r"^af is not known in new inet4"):
        by(sessions, "af")


# --- baseline and order


def test_the_baseline_is_of_the_session_that_was_named_first() -> None:
    old, new = cube()
    assert [side.label for side in by([old, new], "image")] == ["old", "new"]
    assert [side.label for side in by([new, old], "image")] == ["new", "old"]


def test_of_several_levels_of_that_session_it_is_the_first_in_natural_order() -> None:
    one = session("s", {}, *(case(f"q{n}", {"queues": n}, values(1.0)) for n in (10, 2, 1)))
    assert [side.label for side in by([one], "queues")] == ["1", "2", "10"]


def test_the_baseline_can_be_chosen_and_stays_first_in_any_order() -> None:
    one = session("s", {}, *(case(f"q{n}", {"queues": n}, values(1.0)) for n in (1, 2, 10)))
    view = {"baseline": (("queues", "2"),)}
    assert [side.label for side in by([one], "queues", **view)] == ["2", "1", "10"]
    assert [side.label for side in by([one], "queues", order=("10", "1"), **view)] == ["2", "10", "1"]


def test_an_order_puts_the_levels_named_first_and_the_first_is_the_baseline() -> None:
    sides = by(cube(), "image", order=("new", "inet6"))
    assert [side.label for side in sides] == ["new", "old"]
    assert list(sides[0].cases) == ["off inet6", "off inet4", "on inet6", "on inet4"]


def test_a_joint_baseline_may_be_given_by_one_of_its_factors() -> None:
    sides = by(cube(), "image", "config", baseline=(("config", "on"),))
    assert sides[0].label == "new on"


# --- labels


def test_levels_get_the_users_texts_in_sides_and_cells() -> None:
    sides = by(cube(), "image", labels=(("new", "with the patch"), ("off", "tx_abdicate off")))
    assert shown(sides) == {
        "old": ["tx_abdicate off inet4", "tx_abdicate off inet6", "on inet4", "on inet6"],
        "with the patch": ["tx_abdicate off inet4", "tx_abdicate off inet6", "on inet4", "on inet6"],
    }
    assert [one.result.label for one in sides[1].cases.values()] == ["with the patch"] * 4


@pytest.mark.parametrize(("name", "own"), [("frame_size", "64 B"), ("queues", "64")])
def test_a_level_that_is_called_like_another_one_is_followed_by_itself(name: str, own: str) -> None:
    """Beside "128" there was "128 B", or "queues=128"."""
    low, high = level(name, 64), level(name, 128)
    texts = LevelTexts(FactorView((name,), labels=(("64", "128"),)), {name: [low, high]})
    assert texts.joined({name: low}) == texts.label(name, low) == f"128 ({name}={own})"
    assert texts.label(name, high) == high.shown


def test_two_levels_with_the_same_text_are_told_apart() -> None:
    labels = [side.label for side in by(cube(), "image", labels=(("old", "x"), ("new", "x")))]
    assert labels == ["x (image=old)", "x (image=new)"]
    both = by(cube(), "image", "config", labels=(("old", "x"), ("new", "x")))
    assert [side.label for side in both] == [
        *("x off (image=old)", "x off (image=new)", "x on (image=new)", "x on (image=old)")
    ], "by what differs in them, not by what they share"


# --- filters


def test_a_filter_leaves_what_has_the_level_and_two_of_one_factor_leave_both() -> None:
    assert shown(by(cube(), "image", filters=(("af", "inet4"),)))["old"] == ["off", "on"]
    queues = session("s", {}, *(case(f"q{n}", {"queues": n}, values(1.0)) for n in (1, 2, 10)))
    kept = by([queues], "queues", filters=(("queues", "1"), ("queues", "10")))
    assert [side.label for side in kept] == ["1", "10"]


def test_without_by_a_filter_leaves_the_sessions_as_they_are() -> None:
    kept = seen([of_session(one) for one in cube()], FactorView(filters=(("af", "inet4"),)))
    assert shown(kept) == {"old": ["off.inet4", "on.inet4"], "new": ["off.inet4", "on.inet4"]}
    with pytest.raises(FwdtuiError, match=r"^/s/new: no iteration has image=old"):
        seen([of_session(one) for one in cube()], FactorView(filters=(("image", "old"),)))


# --- what cannot be asked for


@pytest.mark.parametrize(
    ("factors", "view", "message"),
    [
        ("patch", {}, "no iteration has the factor patch; there are image, config, af"),
        ("image", {"within": ("config", "speed")}, "no iteration has the factor speed"),
        ("image", {"within": ("config", "af", "image")}, "image is the compared factor: leave it out"),
        ("image", {"baseline": (("config", "on"),)}, "--baseline: config is not a compared factor"),
        (
            "image",
            {"baseline": (("image", "x"),)},
            "no iteration has image=x; there are image=new; image=old",
        ),
        (
            "image",
            {"filters": (("image", "old"),)},
            r"every iteration has image=old, .*config \(off and on\)",
        ),
        ("image", {"order": ("x",)}, "--order: no level is 'x'; there are image: new, old; config: off, on"),
        ("image", {"labels": (("x", "y"),)}, "--label: no level is 'x'"),
        ("image", {"filters": (("af", "ipx"),)}, "no iteration has af=ipx; there are inet4, inet6"),
    ],
)
def test_it_is_an_error_that_names_what_there_is(factors: str, view: dict[str, object], message: str) -> None:
    with pytest.raises(FwdtuiError, match=message):
        by(cube(), factors, **view)


def test_where_nothing_is_left_to_compare_with_what_cannot_be_read_is_told() -> None:
    """A folder that may not be entered, as after a copy by somebody else: the other level is in it."""
    lost = ("/s/new/v4: Permission denied", "x: torn")
    damaged = [msgspec.structs.replace(one, problems=lost) for one in cube()]
    with pytest.raises(
        FwdtuiError, match=r"nothing to compare it with; .*; damaged: /s/new/v4: Permission denied and 1 more"
    ):
        by(damaged, "image", filters=(("image", "old"),))


def test_a_value_file_has_no_factors() -> None:
    side = Side("a.pps", "a.pps", {}, True)
    with pytest.raises(FwdtuiError, match=r"^a\.pps: a value file has no factors: leave out --by"):
        seen([side], FactorView(("image",)))


# --- in a report


def test_tables_head_the_sides_with_the_factors_that_are_compared() -> None:
    def head(*factors: str) -> str:
        return Document(judge_sides([of_session(one) for one in cube()], view=FactorView(factors))).side_word

    assert (head(), head("image"), head("config", "image")) == ("session", "image", "config, image")
    base, other = cube()
    first, *rest = other.cases
    one, *more = first.iterations
    struck = msgspec.structs.replace(one, dropped="the link bounced")
    other = msgspec.structs.replace(
        other, cases=(msgspec.structs.replace(first, iterations=(struck, *more)), *rest)
    )
    sides = [of_session(base), of_session(other)]
    text = render(Document(judge_sides(sides, view=FactorView(("image",)))))
    assert "| image | case | iteration | dropped value | why |\n| --- | --- | ---: |" in text
    assert "| new | off inet4 | 1 |" in text
    assert "| session | case | iteration |" in render(Document(judge_sides(sides)))


def test_a_candidate_without_a_cell_in_common_takes_no_column_of_the_reports_table() -> None:
    """Of 1, 2 and 4 queues only 2 were measured with frames as long as those of the baseline."""
    one = session(
        "r1",
        {},
        case("a", {"queues": 1, "frame_size": 64}, values(1000e3)),
        case("b", {"queues": 2, "frame_size": 64}, values(1500e3)),
        case("c", {"queues": 2, "frame_size": 1500}, values(700e3)),
        case("d", {"queues": 4, "frame_size": 1500}, values(800e3)),
    )
    compared = judge_sides([of_session(one)], view=FactorView(("queues",)))
    assert compared.labels == ("1", "2", "4") and len(compared.judged) == 1
    head, _, row = [line for line in render(Document(compared)).splitlines() if line.startswith("| ")][:3]
    told = dict(zip(head.split(" | "), row.split(" | "), strict=True))
    assert (told["1, median"], told["2, median"], told["verdict |"]) == ("1 000 000", "1 500 000", "faster |")


@pytest.mark.parametrize(("unit", "mean"), [("pps", 1e6), ("us/packet", 3.7), ("us", 31.0), ("Mb/s", 940.0)])
def test_fwdtui_check_finds_nothing_in_a_report_on_several_levels_and_what_was_turned_round(
    unit: str, mean: float
) -> None:
    """The candidates are bare numbers, and of times and costs the smaller value is the faster one."""
    cells = [
        case(f"{queues}.{af}", {"queues": queues, "af": af}, values(mean * factor), unit)
        for queues, factor in ((1, 1.0), (2, 0.9), (4, 0.75))
        for af in ("inet4", "inet6")
    ]
    sides = [of_session(session("r1", {}, *cells))]
    text = render(Document(judge_sides(sides, view=FactorView(("queues",)))))
    checked = check_text("report", text)
    assert (checked.blocks, checked.cells) == (2, 12) and checked.claims and checked.findings == ()
    row = next(line for line in text.splitlines() if line.startswith("| inet6 | 4 |"))
    change = next(cell for cell in row.split(" | ") if "± " in cell or "[" in cell)
    (found,) = check_text("report", text.replace(row, row.replace(change, "−55.5 % ± 0.4 %"))).findings
    assert found.kind == "cell" and found.cell and "55.5 %" in found.cell

    text = render(Document(judge_sides(sides, view=FactorView(("queues",), filters=(("af", "inet4"),)))))
    told = ("less, better", "more, worse") if unit.startswith("us") else ("slowed down by", "improved by")
    assert text.count(told[0]) == 2 and check_text("report", text).findings == ()
    turned = text.replace("faster", "slower") if unit.startswith("us") else text
    assert check_text("report", turned.replace(*told)).findings
