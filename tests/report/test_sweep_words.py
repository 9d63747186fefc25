"""What a sweep says in words: the knee where it is supported, what was left out, and every warning."""

import re
from collections.abc import Mapping, Sequence

import pytest
from swept import BENT, around, case, one, queues, session, swept, warned

from fwdtui.core.model import Fact, Iteration, Planned, Session, Summary
from fwdtui.report import sweep_words as words
from fwdtui.report.cells import columns_of
from fwdtui.report.link import Link
from fwdtui.report.sweep import Sweep, Sweeps, measured
from fwdtui.ui.draw.styles import Styles
from fwdtui.ui.sessions.sweep_view import heading


def told(medians: dict[int, float], part: float = 0.001, link: Link | None = None) -> str:
    cases = [case(str(level), around(median, part), queues=level) for level, median in medians.items()]
    (sentence,) = words.findings(one(session("s", *cases, frame_size=64), x="queues", link=link or Link()))
    return sentence


def test_the_knee_with_its_efficiency_and_what_more_adds() -> None:
    """Beyond 4 queues, 12 more add 1.2 M: 0.1 M each, of the 1.5 M that the first does."""
    assert told(BENT) == (
        "scales to 4 queues (100 % of linear); from there to 16 queues each further queue adds 7 % of what "
        "the first does"
    )


def test_the_range_of_the_efficiency_is_said_where_the_spread_changes_the_figure() -> None:
    assert "scales to 4 queues (100 % of linear, 98 to 102 % with the spread)" in told(BENT, 0.01)


def test_the_first_level_need_not_be_one() -> None:
    found = told({2: 2e6, 4: 4e6, 8: 4.4e6})
    assert found.endswith("each further queue adds 10 % of what one of the first 2 does")


def test_levels_of_different_frames_are_not_judged_against_each_other() -> None:
    """Two days with another lab.toml: no factor says how long the frames were, but the recordings do."""

    def day(frame: int, *levels: int) -> Session:
        facts: Mapping[str, Fact] = {"generator.frame": frame}
        return session(str(frame), *(case(str(q), around(q * 1e6), queues=q) for q in levels), facts=facts)

    found = one(day(64, 1, 2), day(1518, 4, 8), x="queues")
    assert words.findings(found) == ["no knee is named: the frames of its levels have different lengths"]
    (alike,) = words.findings(one(day(64, 1, 2), day(64, 4, 8), x="queues"))
    assert alike == "no knee up to 8 queues: 100 % of linear there"


@pytest.mark.parametrize(
    ("medians", "part", "sentence"),
    [
        ({1: 1e6, 2: 2e6, 3: 2.44e6, 4: 2.4e6}, 0.02, "scales to 2 or 3 queues (100 or 81 % of linear; the"),
        (
            {1: 1e6, 2: 1.41e6, 3: 1.72e6, 9: 1.7e6},
            0.03,
            "scales to somewhere from 1 to 3 queues (100 to 57 %",
        ),
        ({1: 1e6, 2: 2e6, 3: 3e6}, 0.001, "no knee up to 3 queues: 100 % of linear there"),
        ({1: 1e6, 2: 2e6, 4: 2.83e6}, 0.01, "no knee can be named: it may be at 2 queues or anywhere beyond"),
        ({1: 1e6, 2: 1.05e6, 4: 1e6}, 0.03, "does not scale: 2 queues forward 1.05 times what 1 queue does"),
        ({1: 1e6, 2: 0.97e6, 4: 0.9e6}, 0.001, "does not scale: 2 queues forward 0.97 times what 1 queue"),
        (
            {1: 1e6, 2: 1.36e6, 4: 1.9e6, 8: 2.7e6},
            0.001,
            "scales worse than with the square root from the first level on: 8 queues forward 2.70 times "
            "what 1 queue does (34 % of linear)",
        ),
        ({1: 1e6, 2: 2e6}, 0.001, "no knee is named: that takes 3 levels that nothing caps"),
        ({1: 1e6, 2: 2e6, 8: 1.9e6}, 0.001, "; 8 queues forward 95 % of what 2 queues do"),
    ],
)
def test_each_way_in_which_a_line_may_bend(medians: dict[int, float], part: float, sentence: str) -> None:
    assert sentence in told(medians, part)


def test_capped_levels_are_named_as_not_judged() -> None:
    capped = {1: 3.6e6, 2: 7.2e6, 4: 8e6, 8: 14.85e6}
    assert told(capped, link=Link(10e9)).endswith("; capped and not judged: 8")
    assert "capped" not in told(capped)


def test_how_badly_a_line_scales_is_told_by_what_nothing_caps() -> None:
    found = told({1: 5e6, 2: 5.001e6, 4: 5e6, 8: 14.85e6}, link=Link(10e9))
    assert found == "does not scale: 2 queues forward 1.00 times what 1 queue does; capped and not judged: 8"


MODES = [2.9e6, 3.1e6, 2.9005e6, 3.1005e6, 2.8995e6, 3.0995e6, 2.901e6, 3.101e6]
RISING = [2.95e6 + 1e4 * step + step % 3 for step in range(10)]


def bent_with(values: Sequence[float | Iteration], **more: object) -> Sweeps:
    """BENT, with these values at 2 queues."""
    cases = [
        case(str(level), values if level == 2 else around(of), queues=level) for level, of in BENT.items()
    ]
    return swept(session("s", *cases, frame_size=64), x="queues", **more)


@pytest.mark.parametrize(
    ("values", "code", "says"),
    [
        (MODES, "two-clusters", "the values fall into two groups, 4 up to 2.901 M and 4 from 3.100 M"),
        (RISING, "drift", "the values rise from iteration to iteration"),
        ([3e6] * 5, "zero-spread", "all 5 values are exactly 3.000 M"),
        ([Iteration(n, v, boot="b") for n, v in enumerate(around(3e6), 1)], "one-boot", "ran on one boot"),
        (
            [warned(v, "outage", "the traffic stopped.", n) for n, v in enumerate(around(3e6), 1)],
            "outage",
            "",
        ),
    ],
)
def test_what_a_comparison_would_warn_of_marks_the_knee_and_names_its_level(
    values: Sequence[float | Iteration], code: str, says: str
) -> None:
    found = bent_with(values)
    (sentence,) = words.findings(found.charts[0])
    assert sentence.startswith("scales to 4 queues") and sentence.endswith(f" ! ({code})")
    (brief,) = words.findings(found.charts[0], brief=True)
    assert brief.endswith(f" ! ({code})")
    ((named, text),) = words.warnings(found)
    assert named == code and says in text and text.endswith("(queues=2)")


def test_a_trend_from_block_to_block_is_one_of_its_level() -> None:
    """A comparison pairs the blocks, and a drift cancels there; the median of one side has all of it."""
    blocks = [Iteration(n, v, planned=Planned("x", n, n), judged=True) for n, v in enumerate(RISING, 1)]
    assert words.findings(bent_with(blocks).charts[0])[0].endswith(" ! (drift)")


def test_what_is_not_judged_for_a_knee_marks_none() -> None:
    capped = {level: values for level, values in BENT.items() if level < 16}
    cases = [case(str(level), around(of), queues=level) for level, of in capped.items()]
    rising = case("16", [14.82e6 + 5e3 * step + step % 3 for step in range(10)], queues=16)
    found = swept(session("s", *cases, rising, frame_size=64), x="queues", link=Link(10e9))
    assert words.findings(found.charts[0])[0].endswith("capped and not judged: 16")
    assert words.warnings(found) == []
    few = swept(session("s", case("1", MODES, queues=1), case("2", MODES, queues=2)), x="queues")
    assert words.findings(few.charts[0]) == ["no knee is named: that takes 3 levels that nothing caps"]
    assert words.warnings(few) == []


def test_fewer_than_five_iterations_name_no_knee() -> None:
    cases = [case(str(q), [q * 1e6] * 4, queues=q) for q in (1, 2, 3)]
    (sentence,) = words.findings(one(session("s", *cases), x="queues"))
    assert sentence.startswith("no knee is named: fewer than 5 iterations a level")


def on_boots(medians: Mapping[int, float], boots: int, each: int) -> Sweep:
    """A sweep over queues, with iterations that differ by their boots and little on one boot."""
    cases = [
        case(
            str(level),
            [
                Iteration(n, around(median, 0.01)[n // each] * (1 + n % each / 1000), boot=f"{n // each}")
                for n in range(boots * each)
            ],
            queues=level,
        )
        for level, median in medians.items()
    ]
    return one(session("s", *cases), x="queues")


def test_iterations_on_one_boot_are_one_value_of_the_knee_if_there_are_several_boots() -> None:
    found = on_boots(BENT, 5, 3)
    (sentence,) = words.findings(found)
    assert sentence.startswith("scales to 4 queues (100 % of linear, 98 to 102 % with the spread)")
    means = [1.001 * value for value in around(BENT[1], 0.01)]
    told = measured(found.points[0])
    assert told.n == 5 and told.interval == pytest.approx((min(means), max(means)))
    assert any("the interval is that of the boots' means" in line for line in words.references(found))
    assert not any("boot" in line for line in words.references(one(queues("s", BENT), x="queues")))


def test_fewer_than_five_of_several_boots_name_no_knee() -> None:
    assert words.findings(on_boots(BENT, 3, 5)) == [
        "no knee is named: fewer than 5 boots a level say too little about the spread, and iterations on one "
        "boot share its level"
    ]


def test_the_median_that_is_shown_is_within_the_interval_of_boots_of_unlike_sizes() -> None:
    boots = ("a", "b", "c", "d", "e", *("a",) * 20)
    values = [Iteration(n, 2e6 if n < 5 else 1e6, boot=boot) for n, boot in enumerate(boots)]
    (point, _) = one(
        session("s", case("1", values, queues=1), case("2", around(3e6), queues=2)), x="queues"
    ).points
    assert measured(point).interval == (1e6, 2e6)


def test_growth_that_one_level_shows_is_not_denied_since_another_one_varies_more() -> None:
    cases = [case(str(q), around(of, 0.01), queues=q) for q, of in ((1, 1e6), (2, 1.3e6))]
    varies = case("4", [1e6, 1.2e6, 1.35e6, 1.4e6, 1.45e6], queues=4)
    assert words.findings(one(session("s", *cases, varies), x="queues")) == [
        "scales worse than with the square root from the first level on: 2 queues forward 1.30 times what "
        "1 queue does (65 % of linear)"
    ]


def test_each_line_has_a_sentence_of_its_own() -> None:
    both = queues("a", BENT, image="old"), queues("b", {1: 1e6, 2: 2e6, 3: 3e6}, image="new")
    found = words.findings(one(*both, x="queues", series="image"))
    assert [sentence.split(":")[0] for sentence in found] == ["new", "old"]


def test_series_that_are_numbers_are_said_with_their_factor() -> None:
    cases = [
        case(f"{q}.{f}", around(1e6), queues=q, flows=f, config=c)
        for q in (1, 2)
        for f, c in ((1, "x"), (2000, "y"))
    ]
    found = one(session("s", *cases), x="queues", series="flows")
    assert [words.series_label(found, line) for line in found.lines] == ["flows 1", "flows 2000"]


def test_what_the_references_assume_is_always_said() -> None:
    told = " ".join(words.references(one(queues("s", BENT), x="queues", link=Link(10e9))))
    assert "from zero through the rate at 1 queue" in told
    assert "efficiency times speed-up (Eager, Zahorjan and Lazowska, 1989)" in told
    assert "lower bound" in told
    assert "packets of every size at the rate of the shortest ones" in told


def test_iterations_left_out_are_told_with_their_place_and_reason() -> None:
    values = [1e6, None, Iteration(3, 2e6, dropped="link bounced")]
    found = swept(session("s", case("1", values, queues=1), case("2", [2e6], queues=2)), x="queues")
    assert words.left_out(found) == [
        "queues=1: iteration 2: no value",
        "queues=1: dropped by hand and not counted: iteration 3 (link bounced)",
    ]
    assert words.warnings(found) == [], "what was dropped is told once"


def test_where_points_are_from_is_said_apart_from_what_was_left_out() -> None:
    found = swept(queues("monday", {1: 1e6, 2: 2e6}), queues("tuesday", {3: 3e6, 4: 4e6}), x="queues")
    assert words.left_out(found) == []
    assert words.notes(found) == ["The points of a line are from several sessions: monday, tuesday."]


def test_warnings_of_one_code_are_one_entry_with_their_places() -> None:
    shift = "the level changes by {} %."
    cases = [
        case(str(q), [warned(q * 1e6, "level-shift", shift.format(q + 1))], queues=q) for q in range(1, 9)
    ]
    odd = case("9", [warned(9e6, "level-shift", "something else.")], queues=9)
    assert words.warnings(swept(session("s", *cases, odd), x="queues")) == [
        (
            "level-shift",
            "the level changes by 2 to 9 % (queues=1; queues=2; queues=3; queues=4 and 4 more); "
            "other such warnings: queues=9",
        )
    ]


def test_line_rate_is_said_of_each_length_of_the_frames() -> None:
    cases = [case(str(size), [1e5], frame_size=f"{size} B") for size in (64, 1518)]
    found = one(session("s", *cases), x="frame_size", link=Link(1e9))
    assert words.line_rates(found) == "1.488 M of 64 B, 81.27 k of 1518 B"
    assert words.line_rates(one(queues("s", BENT), x="queues", link=Link(10e9))) == "14.88 M of 64 B"
    assert words.line_rates(one(queues("s", BENT), x="queues")) == ""


def test_a_line_rate_from_the_lab_is_said_where_the_length_is_not_known() -> None:
    def rated(label: str, rate: float) -> Session:
        cases = [case(f"{label}{q}", [1e5], queues=q) for q in (1, 2)]
        return session(label, *cases, facts={"line_rate": rate}, image=label)

    same = one(rated("a", 1e6), rated("b", 1e6), x="queues", series="image")
    assert words.line_rates(same) == "1.000 M"
    other = one(rated("a", 1e6), rated("b", 2e6), x="queues", series="image")
    assert words.line_rates(other) == "1.000 M of a, 2.000 M of b"


def costs(*loads: tuple[float | None, float], x: str = "queues") -> list[str]:
    """The notes of a sweep of costs whose levels were offered, and forwarded, so much."""
    cases = []
    for level, (offered, forwarded) in enumerate(loads, 1):
        rates = {"offered": offered, "forwarded": forwarded}
        known = {name: Summary(rate, rate, rate, rate, 9) for name, rate in rates.items() if rate is not None}
        used = [
            Iteration(n, value, unit="us/packet", metrics=known) for n, value in enumerate(around(2.0), 1)
        ]
        cases.append(case(str(level), used, **{x: level}))
    return words.notes(swept(session("s", *cases, frame_size=64), x=x))


def test_costs_at_different_loads_are_told_to_be_hard_to_compare() -> None:
    assert costs((1e6, 1e6), (1.01e6, 1.01e6)) == []
    assert costs((1e6, 1e6), (2e6, 1e6)) == [
        "The levels of a line were offered different loads, 1.000 Mpps to 2.000 Mpps: a packet's cost "
        "depends on that."
    ]
    (told,) = costs((3e6, 1e6), (3e6, 2e6))
    assert told.startswith("The levels of a line forwarded different rates, 1.000 Mpps to 2.000 Mpps: a ")
    (told,) = costs((1e6, 1e6), (None, 1e6))
    assert told.endswith("depends on the load, and what was offered is unknown on at least one level.")


def test_costs_over_the_load_itself_are_what_was_asked_for() -> None:
    assert costs((1e6, 1e6), (2e6, 2e6), x="rate") == []


def test_linear_scaling_is_said_to_be_from_the_first_level_that_has_a_rate() -> None:
    """Nothing counts at 1 queue: the line goes through the rate at 2."""
    cases = [case("1", [None], queues=1)]
    cases += [case(str(level), around(median), queues=level) for level, median in {2: 2e6, 4: 4e6}.items()]
    (sentence,) = [text for text in words.references(one(session("s", *cases), x="queues")) if "zero" in text]
    assert sentence.startswith("Linear: from zero through the rate at 2 queues.")


@pytest.mark.parametrize("width", [78, 118])
@pytest.mark.parametrize("series", [None, "address_family_of_the_flows"])
def test_the_charts_of_a_sweep_are_told_apart_above_them(width: int, series: str | None) -> None:
    """Two images with long names: the heading of the screen has little room for them beside the factors."""
    images = {
        name: f"stable-14-n268123-e1000-netisr-direct-{name}-with-patches-from-the-review" for name in "AB"
    }
    sessions = [
        session(
            name,
            *(
                case(f"{q}.{af}", around(q * 1e6), queues=q, address_family_of_the_flows=af)
                for af in ("inet4", "inet6")
                for q in (1, 2)
            ),
            image_that_was_booted=image,
        )
        for name, image in images.items()
    ]
    found = swept(*sessions, x="queues", series=series)
    assert len(found.charts) == (2 if series else 4)
    heads = [heading(found, place, width, Styles({})).plain for place in range(len(found.charts))]
    names = [re.split(r"chart \d of \d\s+", head)[1].splitlines()[0] for head in heads]
    assert len(set(names)) == len(names)
    assert all(columns_of(line) <= width for head in heads for line in head.splitlines())


def test_the_heading_of_a_chart_names_no_warning_of_another_chart() -> None:
    cases = [case(f"{q}.inet4", around(q * 1e6), queues=q, af="inet4") for q in (1, 2)]
    cases += [
        case(f"{q}.inet6", [warned(q * 1e6, "outage", "stopped.")], queues=q, af="inet6") for q in (1, 2)
    ]
    found = swept(session("s", *cases), x="queues")
    heads = [heading(found, place, 78, Styles({})).plain for place in range(2)]
    assert ["warning outage" in head for head in heads] == [False, True]


@pytest.mark.parametrize(
    ("loads", "says"),
    [
        ({"1 Mpps": 1e6, "2 Mpps": 2.01e6, "3 Mpps": 2.97e6}, ""),
        ({"1 Mpps": 2e6, "2 Mpps": 4e6}, ""),  # of two generators
        ({"1 Mpps": 1e6, "2 Mpps": 2e6, "full": 9e6}, ""),
        ({"1 Mpps": 1e6, "2 Mpps": None}, ""),
        (
            {"1 Mpps": 1e6, "2 Mpps": 1.4e6, "3 Mpps": 1.4e6},
            "1.000 Mpps was offered at rate 1 Mpps and 1.400 Mpps at rate 3 Mpps, which is not the ratio of"
            " the two: a generator did not send the requested load.",
        ),
    ],
)
def test_a_load_that_was_not_sent_is_told_over_the_rates_that_were_asked_for(
    loads: dict[str, float | None], says: str
) -> None:
    """The points of both rates would be taken for what the DUT does at them."""
    cases = [case(name, around(0.9e6), load, rate=name) for name, load in loads.items()]
    assert words.notes(swept(session("s", *cases, frame_size=64), x="rate")) == [says] * bool(says)
