"""A sweep: natural order, nothing pooled, nothing left out without being said, and its references."""

import pytest
from swept import BENT, around, case, one, queues, session, swept

from fwdtui.core.errors import FwdtuiError
from fwdtui.core.model import Iteration
from fwdtui.report import sweep_words as words
from fwdtui.report.factor_view import FactorView
from fwdtui.report.link import Link
from fwdtui.report.sweep import Sweep, line_rate_fits

TEN_GIGABIT = Link(speed=10e9)


def medians(sweep: Sweep) -> dict[str, dict[str, float | None]]:
    return {
        line.label: {sweep.axis.label(point.level): point.described.median for point in line.points}
        for line in sweep.lines
    }


class TestLevels:
    def test_numbers_are_in_the_order_of_their_size_and_at_their_places(self) -> None:
        found = one(queues("r1", {10: 3e6, 9: 2e6, "24": 4e6, 1: 1e6}), x="queues")
        assert list(medians(found)[""]) == ["1", "9", "10", "24"]
        assert found.axis.places == (1, 9, 10, 24)

    def test_names_are_in_natural_order_one_after_the_other(self) -> None:
        revisions = [case(name, around(1e6), image=name) for name in ("r10", "r9", "r100", "n1")]
        found = one(session("s", *revisions), x="image")
        assert found.axis.labels == ("n1", "r9", "r10", "r100")
        assert found.axis.places == (0, 1, 2, 3)

    def test_names_are_in_the_order_and_with_the_labels_that_the_user_gives(self) -> None:
        found = one(
            session("s", *(case(name, around(1e6), config=name) for name in ("a", "b", "c"))),
            x="config",
            view=FactorView(order=("c", "a"), labels=(("a", "before"),)),
        )
        assert found.axis.labels == ("c", "before", "b")

    def test_numbers_stay_in_their_order_but_may_have_names(self) -> None:
        sweep = queues("r1", {1: 1e6, 2: 2e6, 24: 3e6})
        assert (
            one(sweep, x="queues", view=FactorView(labels=(("24", "default"),))).axis.labels[2] == "default"
        )
        with pytest.raises(
            FwdtuiError,
            match="--order: the levels of queues are numbers, which are always shown in numeric order",
        ):
            swept(sweep, x="queues", view=FactorView(order=("24",)))

    def test_what_is_no_level_is_refused(self) -> None:
        with pytest.raises(FwdtuiError, match="--order: no level is '5'; there are queues: 1, 2"):
            swept(queues("r1", {1: 1e6, 2: 2e6}), x="queues", view=FactorView(order=("5",)))

    def test_one_level_that_is_a_name_makes_all_of_them_names_and_is_said_with_a_remedy(self) -> None:
        found = one(queues("r1", {1: 1e6, 2: 2e6, "24-default": 3e6}), x="queues")
        assert found.axis.labels == ("1", "2", "24-default")
        assert not found.axis.numeric and not found.has_linear
        assert "24-default is not a number: give it one in annotations.toml" in found.axis.names_why

    def test_a_level_without_a_known_value_is_left_out_and_named(self) -> None:
        known = queues("r1", {1: 1e6, 2: 2e6})
        other = session("r2", case("lost", around(1e6), queues=""), case("c", around(9e6)))
        found = swept(known, other, x="queues")
        assert list(medians(found.charts[0])[""]) == ["1", "2"]
        assert [note.text for note in found.notes] == [
            "not drawn, since queues is not known there: r2 lost, r2 c; set it in annotations.toml"
        ]

    def test_a_single_level_is_no_sweep(self) -> None:
        with pytest.raises(FwdtuiError, match="a sweep needs two levels of it, and there is only 4"):
            swept(queues("r1", {4: 1e6}), x="queues")


class TestIterations:
    def test_those_that_do_not_count_are_in_no_median_and_told(self) -> None:
        dropped = Iteration(3, 9e6, dropped="link bounced")
        found = one(
            session("s", case("1", [1e6, None, dropped], queues=1), case("2", [2e6], queues=2)), x="queues"
        )
        first = found.lines[0].points[0]
        assert (first.described.n, first.described.median) == (1, 1e6)
        assert [text for text in first.values.result.excluded if "iteration 2" in text]
        assert "link bounced" in first.values.result.cautions[0].text

    def test_a_level_of_which_none_counts_keeps_its_place_without_a_number(self) -> None:
        found = one(
            session("s", *(case(str(q), [None] if q == 2 else [q * 1e6], queues=q) for q in (1, 2, 3))),
            x="queues",
        )
        assert medians(found)[""] == {"1": 1e6, "2": None, "3": 3e6}
        assert len(found.lines[0].measured) == 2


class TestSeries:
    def test_each_level_of_the_series_is_a_line(self) -> None:
        found = one(
            queues("new", {1: 1e6, 2: 2e6}, image="r10"),
            queues("old", {1: 3e6, 2: 4e6}, image="r9"),
            x="queues",
            series="image",
        )
        assert medians(found) == {"r9": {"1": 3e6, "2": 4e6}, "r10": {"1": 1e6, "2": 2e6}}

    def test_the_user_orders_and_names_the_lines_and_one_name_twice_is_told_apart_by_the_level(self) -> None:
        found = one(
            *(queues(image, {1: 1e6, 2: 2e6}, image=image) for image in ("a", "b", "c")),
            x="queues",
            series="image",
            view=FactorView(order=("b",), labels=(("a", "patched"), ("b", "patched"))),
        )
        assert [line.label for line in found.lines] == ["patched (b)", "patched (a)", "c"]

    def test_sessions_and_cases_can_be_series_without_any_factor(self) -> None:
        revisions = [session(r, case("fw", around(1e6)), case("pf", around(2e6))) for r in ("309857", "99")]
        found = one(*revisions, x="session", series="case")
        assert found.axis.labels == ("99", "309857")
        assert list(medians(found)) == ["fw", "pf"]

    def test_x_cannot_be_its_own_series(self) -> None:
        with pytest.raises(FwdtuiError, match="--series and --x are both queues"):
            swept(queues("r1", BENT), x="queues", series="queues")


class TestOtherFactors:
    def test_what_else_differs_makes_a_chart_for_each_level_and_is_never_pooled(self) -> None:
        cases = [
            case(f"{q}.{af}", around(q * 1e6), queues=q, af=af) for af in ("inet6", "inet4") for q in (1, 2)
        ]
        found = swept(session("s", *cases), x="queues")
        assert [chart.fixed for chart in found.charts] == [{"af": "inet4"}, {"af": "inet6"}]
        assert all(point.described.n == 5 for chart in found.charts for point in chart.points)

    def test_a_line_is_not_drawn_through_levels_of_another_factor(self) -> None:
        """Two queue counts of each image: one line would mix the images."""
        found = swept(
            queues("old", {1: 1e6, 2: 2e6}, image="old"),
            queues("new", {3: 9e6, 4: 9e6}, image="new"),
            x="queues",
        )
        assert [chart.fixed for chart in found.charts] == [{"image": "new"}, {"image": "old"}]

    def test_a_factor_that_changes_with_every_level_is_said_and_splits_nothing(self) -> None:
        cases = [case(str(q), around(q * 1e6), queues=q, config=f"q{q}") for q in (1, 2, 3)]
        found = one(session("s", *cases), x="queues")
        assert found.along == ("config",)

    def test_one_that_is_known_at_some_levels_only_is_noted(self) -> None:
        cases = [case("1", around(1e6), queues=1, flows=5), case("2", around(2e6), queues=2)]
        found = swept(session("s", *cases), x="queues")
        assert [note.text for note in found.notes] == ["flows is known at some levels of queues only"]

    def test_sessions_that_are_sweeps_by_themselves_get_charts_of_their_own(self) -> None:
        found = swept(queues("a", {1: 1e6, 2: 2e6}), queues("b", {1: 3e6, 2: 4e6}), x="queues")
        assert [chart.fixed for chart in found.charts] == [{"session": "a"}, {"session": "b"}]

    def test_one_sweep_over_several_sessions_is_one_line_and_says_so(self) -> None:
        found = swept(queues("monday", {1: 1e6, 2: 2e6}), queues("tuesday", {3: 3e6, 4: 4e6}), x="queues")
        assert list(medians(found.charts[0])[""]) == ["1", "2", "3", "4"]
        assert [note.text for note in found.notes] == [
            "the points of a line are from several sessions: monday, tuesday"
        ]

    def test_sessions_of_one_level_each_need_no_note(self) -> None:
        assert swept(*(queues(f"q{q}", {q: q * 1e6}) for q in (1, 2, 3)), x="queues").notes == ()

    def test_cases_that_nothing_tells_apart_are_an_error_that_names_them(self) -> None:
        cases = [case(name, around(1e6), queues=1) for name in ("a", "b")]
        with pytest.raises(FwdtuiError, match="with queues=1 are in s a, s b, and are not pooled"):
            swept(session("s", *cases, case("c", around(1e6), queues=2)), x="queues")

    def test_too_many_charts_are_an_error_that_names_the_factor(self) -> None:
        cases = [case(f"{f}.{q}", around(1e6), queues=q, flows=f) for f in range(13) for q in (1, 2)]
        with pytest.raises(FwdtuiError, match="flows would make 13 charts: choose with --filter flows="):
            swept(session("s", *cases), x="queues")
        assert len(swept(session("s", *cases[2:]), x="queues").charts) == 12

    def test_an_iteration_without_a_value_has_no_unit_to_disagree(self) -> None:
        lost = Iteration(2, None, complete=False)
        cases = [case(str(q), [Iteration(1, 9.0, unit="Mb/s"), lost], queues=q) for q in (1, 2)]
        assert one(session("s", *cases), x="queues").unit == "Mb/s"

    def test_values_in_different_units_are_never_on_one_axis(self) -> None:
        rates = [Iteration(1, 1e6), Iteration(1, 900.0, unit="Mb/s")]
        cases = [case(str(q), [rate], queues=q) for q, rate in enumerate(rates, 1)]
        with pytest.raises(FwdtuiError, match="queues=1 is in pps and queues=2 in Mb/s"):
            swept(session("s", *cases), x="queues")


class TestLinear:
    def test_it_goes_from_zero_through_the_first_level(self) -> None:
        points = one(queues("r1", BENT), x="queues").points
        assert [point.linear for point in points] == pytest.approx([1.5e6, 3e6, 6e6, 12e6, 24e6])
        assert [point.efficiency for point in points] == pytest.approx([1, 1, 1, 7 / 12, 0.3])

    def test_the_first_level_with_a_value_is_where_it_starts(self) -> None:
        cases = [case(str(q), [None] if q == 1 else around(q * 1e6), queues=q) for q in (1, 2, 4)]
        points = one(session("s", *cases), x="queues").points
        assert [point.efficiency for point in points] == pytest.approx([None, 1, 1])

    def test_what_is_only_a_lower_bound_makes_the_efficiency_one_or_an_upper_one_or_none(self) -> None:
        def bounds(*values: float) -> list[str]:
            cases = [case(str(q), [value] * 5, 1e6 * q, queues=q) for q, value in enumerate(values, 1)]
            return [words.efficiency(p) for p in one(session("s", *cases), x="queues").points]

        assert bounds(0.5e6, 0.8e6, 2.999e6) == ["100 %", "80 %", "≥ 200 %"]
        assert bounds(1e6, 1.5e6, 3e6) == ["100 %", "≤ 75 %", "–"]

    @pytest.mark.parametrize(
        ("name", "asked", "drawn"),
        [
            ("queues", None, True),
            ("cores", None, True),
            ("flows", None, False),
            ("frame_size", None, False),
            ("dev.mce.conf.channels", None, False),
            ("dev.mce.conf.channels", True, True),
            ("queues", False, False),
        ],
    )
    def test_it_is_drawn_for_resources_or_if_the_user_says_so(
        self, name: str, asked: bool | None, drawn: bool
    ) -> None:
        cases = [case(str(n), around(n * 1e6), **{name: n}) for n in (64, 128)]
        found = one(session("s", *cases), x=name, linear=asked)
        assert found.has_linear is drawn
        assert (found.lines[0].knee is not None) is drawn

    def test_names_and_units_where_less_is_better_have_none(self) -> None:
        with pytest.raises(FwdtuiError, match=r"--linear: config has levels that are names$"):
            named = [case(c, around(1e6), config=c) for c in "ab"]
            one(session("s", *named), x="config", linear=True)
        # asked for and impossible is an error; where nobody asked there is none
        zero = [case(str(q), around(1e6), queues=q) for q in (0, 1)]
        assert not one(session("s", *zero), x="queues").has_linear
        with pytest.raises(FwdtuiError, match="--linear: queues has the level 0, from which nothing scales"):
            one(session("s", *zero), x="queues", linear=True)
        slow = [case(str(q), [Iteration(1, 5.0, unit="us")], queues=q) for q in (1, 2)]
        with pytest.raises(FwdtuiError, match="--linear: for values in us, less is better"):
            one(session("s", *slow), x="queues", linear=True)
        assert not one(session("s", *slow), x="queues").has_linear
        each = [case(str(q), [Iteration(1, 1e6, unit="pps/core")], queues=q) for q in (1, 2, 4)]
        assert not one(session("s", *each), x="queues").has_linear, "a core forwards as much as alone"
        with pytest.raises(FwdtuiError, match="--linear: values in pps/core are those of a single core"):
            one(session("s", *each), x="queues", linear=True)


class TestLink:
    def test_line_rate_is_that_of_the_frames_of_each_level(self) -> None:
        cases = [case(str(size), around(1e5), frame_size=size) for size in (64, 1518)]
        found = one(session("s", *cases), x="frame_size", link=Link(1e9))
        assert [int(point.line_rate or 0) for point in found.points] == [1_488_095, 81_274]

    def test_a_value_at_line_rate_of_its_frames_is_a_lower_bound(self) -> None:
        """0.5 % below it and more; 1 % below it is the DUT's own limit."""
        cases = [case("64", [14.81e6] * 5, frame_size=64), case("128", [8.36e6] * 5, frame_size=128)]
        caps = [point.cap for point in one(session("s", *cases), x="frame_size", link=TEN_GIGABIT).points]
        assert caps[0] is not None and caps[0].kind == "line-rate" and caps[0].whole
        assert caps[1] is None

    def test_a_median_above_line_rate_is_said_to_be_impossible(self) -> None:
        """1 % above is within what two clocks may differ by."""
        cases = [case("64", [15.0e6] * 5, frame_size=64), case("128", [9.29e6] * 5, frame_size=128)]
        first, second = one(session("s", *cases), x="frame_size", link=TEN_GIGABIT).points
        assert not first.own
        (told,) = second.own
        assert told.code == "above-line-rate" and "110 % of line rate, which is impossible" in told.text

    def test_a_value_at_the_offered_load_is_one_too(self) -> None:
        cases = [case("1", [0.999e6] * 5, 1e6, queues=1), case("2", [0.9e6] * 5, 1e6, queues=2)]
        caps = [point.cap for point in one(session("s", *cases), x="queues").points]
        assert caps[0] is not None and caps[0].kind == "generator"
        assert caps[1] is None

    def test_line_rate_flattens_the_values_only_up_to_half_of_the_chart(self) -> None:
        def sweep(highest: float) -> Sweep:
            return one(queues("s", {1: highest / 2, 2: highest / 1.001}), x="queues", link=TEN_GIGABIT)

        assert line_rate_fits(sweep(7_440_477))
        assert not line_rate_fits(sweep(7_440_476))


class TestImix:
    def test_it_is_there_only_for_packets_per_second_of_the_shortest_frames(self) -> None:
        assert one(queues("s", BENT), x="queues").has_imix
        sizes = [case(str(size), around(1e5), frame_size=size) for size in (64, 128)]
        assert not one(session("s", *sizes), x="frame_size").has_imix
        bits = [case(str(q), [Iteration(1, 1e3, unit="Mb/s")], queues=q) for q in (1, 2)]
        assert not one(session("s", *bits, frame_size=64), x="queues").has_imix

    def test_not_where_the_length_is_not_known_unless_the_user_says_it(self) -> None:
        unknown = session("s", *(case(str(q), around(q * 1e6), queues=q) for q in (1, 2)))
        assert not one(unknown, x="queues").has_imix
        assert one(unknown, x="queues", link=Link(frame=64)).has_imix
