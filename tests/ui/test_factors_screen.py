"""The comparison by factors: chosen in a dialog, drawn as a list and crossed, and kept in the report."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from compare_rig import comparing, press, row, rows, settled, shown
from experiment_rig import experiment, write
from factored import MEANS, case, cube, session, values
from textual.pilot import Pilot
from textual.widgets import SelectionList, Static
from waiting import seen

from fwdtui.core.model import Iteration
from fwdtui.report import export
from fwdtui.report.comparison import judge_sides
from fwdtui.report.document import EVERYTHING
from fwdtui.report.experiment_view import by_design
from fwdtui.report.factor_view import AS_GIVEN, FactorView
from fwdtui.report.factors_there import Varying, varying
from fwdtui.report.sides import of_session
from fwdtui.store import SessionWriter
from fwdtui.ui.common.ports import FirstComparison
from fwdtui.ui.compare.case_table import listing
from fwdtui.ui.compare.cross_table import cross, possible
from fwdtui.ui.compare.factor_choice import ChooseFactors
from fwdtui.ui.compare.screen import CompareScreen
from fwdtui.ui.draw.styles import Styles
from fwdtui.ui.shell.app import FwdtuiApp


@pytest.fixture
def images(folder: Path) -> list[Path]:
    """A session for each image, with four cases: config x af."""

    def written() -> Iterator[Path]:
        for image in ("old", "new"):
            cells = {(config, af): mean for (of, config, af), mean in MEANS.items() if of == image}
            factors = {f"{config}.{af}": {"config": config, "af": af} for config, af in cells}
            with SessionWriter.create(
                folder / image, label=image, created="", factors={"image": image}, case_factors=factors
            ) as writer:
                for (config, af), mean in cells.items():
                    for value in values(mean):
                        writer.begin(f"{config}.{af}").commit(Iteration(index=0, value=value))
            yield folder / image

    return list(written())


def listed(pilot: Pilot[None]) -> list[str]:
    """The lines of the dialog."""
    choices = pilot.app.screen.query_one(SelectionList)
    return [str(choices.get_option_at_index(place).prompt) for place in range(choices.option_count)]


def problem(pilot: Pilot[None]) -> str:
    return str(pilot.app.screen.query_one("#problem", Static).render())


def compared(pilot: Pilot[None]) -> CompareScreen:
    screen = pilot.app.screen
    assert isinstance(screen, CompareScreen)
    return screen


async def test_factors_are_chosen_shown_crossed_turned_round_and_exported(images: list[Path]) -> None:
    async with comparing(images, (120, 40)) as pilot:
        assert [cells[0] for cells in rows(pilot)] == ["off.inet4", "off.inet6", "on.inet4", "on.inet6"]
        await press(pilot, "F")
        assert listed(pilot) == [
            *("compare by image", "   new", "   old"),
            *("compare by config", "   off", "   on"),
            *("compare by af", "   inet4", "   inet6"),
        ]
        box = pilot.app.screen.query_one(SelectionList)
        assert [box.render_line(y).text[:3] for y in range(3)] == ["[ ]", "[x]", "[x]"]
        # what is marked is said in words too, and b makes a level the baseline of what is compared
        await press(pilot, "down", "b")
        assert listed(pilot)[:2] == ["compare by image   compared", "   new   baseline"]
        await press(pilot, "enter")
        assert "by image  baseline new  candidate old" in shown(pilot, "heading")
        await press(pilot, "b")  # the candidate becomes the baseline
        assert "by image  baseline old  candidate new" in shown(pilot, "heading")
        assert row(pilot, 0)["config, af"] == "off inet4" and row(pilot, 0)["verdict"].startswith("▼ slower")
        why = " ".join(shown(pilot, "why").split())
        assert "inet4: new costs 44.8" in why and "with on: it depends (ratio of the ratios 1.99" in why

        await press(pilot, "x")
        assert [cells[0] for cells in rows(pilot)] == ["off", "on"]
        assert [str(column.label) for column in pilot.app.screen.query_one("#cases").ordered_columns] == [  # type: ignore[attr-defined]
            *("config \\ af", "inet4", "inet6")
        ]
        await press(pilot, "down", "right", "right")
        assert shown(pilot, "selected").startswith("on inet6  median ")
        await press(pilot, "x")
        assert row(pilot, 3)["config, af"] == "on inet6"

        current = compared(pilot)._compared
        assert current is not None
        command = export.command(Path("r.md"), current, EVERYTHING)
        assert command.endswith("/old " + f"{images[1]} -o r.md --by image --baseline image=old")


async def test_another_factor_of_an_experiment_has_its_first_level_of_the_design_as_baseline(
    folder: Path,
) -> None:
    """As on the command line, whether the factor is taken up or its baseline taken off."""
    plan = experiment({"rules": ("none", "100"), "dispatch": ("direct", "deferred")})
    write(plan, folder / "s", journal=True)
    app = FwdtuiApp(folder)
    async with app.run_test(size=(120, 40)) as pilot:
        app.compare_by(folder / "s", by_design(plan, AS_GIVEN), 1.0)
        await seen(pilot, lambda: isinstance(app.screen, CompareScreen))
        await settled(pilot)
        assert "by rules  baseline none  candidate 100" in shown(pilot, "heading")
        await press(pilot, "F")
        rules, dispatch = map(listed(pilot).index, ("compare by rules   compared", "compare by dispatch"))
        await press(pilot, "home", *("down",) * rules, "space")
        await press(pilot, "home", *("down",) * dispatch, "space", "enter")
        assert "by dispatch  baseline direct  candidate deferred" in shown(pilot, "heading")
        await press(pilot, "F")
        await press(pilot, "home", *("down",) * listed(pilot).index("   direct   baseline"), "b", "enter")
        assert "by dispatch  baseline direct  candidate deferred" in shown(pilot, "heading")


async def test_a_copied_row_names_the_level_if_one_session_has_several(folder: Path) -> None:
    queues = {f"q{count}": {"queues": count} for count in (1, 2, 4)}
    with SessionWriter.create(folder / "s", label="s", created="", case_factors=queues) as writer:
        for name, levels in queues.items():
            for value in values(1000.0 * levels["queues"]):
                writer.begin(name).commit(Iteration(index=0, value=value))
    app = FwdtuiApp(folder)
    async with app.run_test(size=(120, 40)) as pilot:
        app.compare_by(folder / "s", FactorView(by=("queues",)), 1.0)
        await seen(pilot, lambda: isinstance(app.screen, CompareScreen))
        await settled(pilot)
        assert [cells[1] for cells in rows(pilot)] == ["2", "4"]
        await press(pilot, "down", "y")
        assert app.clipboard.split("\t")[1] == "4"


async def test_what_cannot_be_shown_is_said_and_the_comparison_stays(images: list[Path]) -> None:
    async with comparing(images, (80, 24)) as pilot:
        await press(pilot, "F", "escape")
        assert "baseline old" in shown(pilot, "heading"), "Esc changes nothing"
        await press(pilot, "F", "down", "space", "down", "space", "enter")
        assert problem(pilot) == "Include at least one level of image."
        assert listed(pilot)[1] == "   new   left out"
        await press(pilot, "space", "up", "up", "space", "enter")  # by image, of which only old is included
        assert isinstance(pilot.app.screen, ChooseFactors)
        told = " ".join(problem(pilot).split())
        assert told.startswith("Cannot compare these: every iteration has image=old")
        assert listed(pilot)[:3] == ["compare by image   compared", "   new   left out", "   old"]
        await press(pilot, "escape")
        assert "baseline old  candidate new" in shown(pilot, "heading")
        assert row(pilot, 0)["case"] == "off.inet4"
        # only one address family, without factors: the sessions stay the sides
        await press(pilot, "F", "end", "space", "enter")
        assert "only af=inet4" in shown(pilot, "heading")
        assert [cells[0] for cells in rows(pilot)] == ["off.inet4", "on.inet4"]


async def test_what_the_command_line_has_chosen_stays_chosen_in_the_dialog(images: list[Path]) -> None:
    """`session` is no factor of these, and is offered since it is filtered by: that can be taken back."""
    view = FactorView(("af", "config"), ("image",), filters=(("image", "old"), ("session", "old")))
    first = FirstComparison([], images, lambda: CompareScreen(images[0], images[1:], view=view))
    app = FwdtuiApp(images[0].parent, comparison=first)
    async with app.run_test(size=(120, 40)) as pilot:
        await seen(pilot, lambda: isinstance(app.screen, CompareScreen))
        await settled(pilot)
        assert "only image=old, session=old" in shown(pilot, "heading")
        await press(pilot, "F")
        assert listed(pilot)[-3:] == ["compare by session", "   new   left out", "   old"]
        await press(pilot, "enter")
        assert compared(pilot)._view == view
        await press(pilot, "F", "end", "up", "space", "enter")
        assert compared(pilot)._view.filters == (("image", "old"),)
        assert compared(pilot)._view.by == ("af", "config") and compared(pilot)._view.within == ("image",)


@pytest.mark.parametrize("width", [78, 118])
def test_the_names_of_factors_leave_the_verdicts_their_room(width: int) -> None:
    long = {"config": "image_that_was_booted_on_the_dut", "af": "address_family_of_the_flows"}
    sessions = [
        session(
            one.label,
            one.factors,
            *(
                case(each.name, {long[name]: level for name, level in each.factors.items()}, values(870e3))
                for each in one.cases
            ),
        )
        for one in cube()
    ]
    found = judge_sides([of_session(one) for one in sessions], view=FactorView(("image",)))
    grid = listing(found, 5.0, width, Styles({}))
    heads = [head.plain for head in grid.heads]
    assert sum(grid.widths) + 2 * len(grid.widths) <= width and "verdict" in heads and "…" in heads[0]


def test_the_factors_offered_are_those_that_vary() -> None:
    one = session("a", {"image": "x"}, case("1", {"queues": 10}, [1.0]), case("2", {"queues": 2}, [1.0, 2.0]))
    two = session("b", {}, case("1", {"queues": 2}, [1.0]))
    assert varying([of_session(one), of_session(two)]) == [Varying("queues", ("2", "10"))]
    three = session("c", {"image": "y"}, case("1", {}, [1.0]))
    assert varying([of_session(one), of_session(three)]) == [
        Varying("image", ("x", "y")),
        Varying("queues", ("2", "10"), "not known of 1 iteration"),
    ]


def test_levels_are_the_same_however_they_are_written() -> None:
    rate = Varying("rate", ("300 kpps",))
    assert rate.has("300 kpps", ["300000"]) and not rate.has("300 kpps", ["301000"])


@pytest.mark.parametrize("width", [40, 80, 200])
def test_a_cross_table_fits_and_has_every_cell(width: int) -> None:
    found = judge_sides([of_session(one) for one in cube()], view=FactorView(("image",)))
    grid = cross(found, width, Styles({}))
    assert [cells[0].plain for cells in grid.rows] == ["off", "on"]
    assert sum(grid.widths) + 2 * len(grid.widths) <= width
    assert [one.comparison.case for line in grid.entries for one in line[1:]] == [  # type: ignore[union-attr]
        *("off inet4", "off inet6", "on inet4", "on inet6")
    ]


def test_two_levels_with_one_label_are_two_rows_of_the_cross_table_and_two_columns() -> None:
    labels = (("off", "any"), ("on", "any"), ("inet4", "ip"), ("inet6", "ip"))
    view = FactorView(("image",), labels=labels)
    grid = cross(judge_sides([of_session(one) for one in cube()], view=view), 120, Styles({}))
    assert [cells[0].plain for cells in grid.rows] == ["any (config=off)", "any (config=on)"]
    assert [head.plain for head in grid.heads[1:]] == ["ip (af=inet4)", "ip (af=inet6)"]
    assert len({one.comparison.case for line in grid.entries for one in line[1:]}) == 4  # type: ignore[union-attr]


def test_there_is_something_to_cross_with_one_candidate_and_two_other_factors() -> None:
    sides = [of_session(one) for one in cube()]
    assert possible(judge_sides(sides, view=FactorView(("image",))))
    assert not possible(judge_sides(sides, view=FactorView(("image",), filters=(("af", "inet4"),))))
    assert not possible(judge_sides(sides, view=FactorView(("image", "config"))))
    assert not possible(judge_sides(sides))


def test_a_cell_that_is_missing_is_not_comparable() -> None:
    old, new = cube()
    less = session("new", {"image": "new"}, *new.cases[:-1])
    grid = cross(
        judge_sides([of_session(old), of_session(less)], view=FactorView(("image",))), 100, Styles({})
    )
    assert grid.rows[1][2].plain == "∅ not comparable"
