"""Claims that nothing changed: accepted where equivalence is shown by the rule of every verdict."""

import random

import pytest
from ministat_samples import report

from fwdtui.check import Finding, check_text
from fwdtui.check.equivalence import not_shown
from fwdtui.check.results import Result, results
from fwdtui.core.parse.ministat_block import parse_ministat_blocks
from fwdtui.stats import ministat
from fwdtui.stats.results import ResultSet
from fwdtui.stats.verdict import judge


def findings(text: str) -> list[Finding]:
    return list(check_text("x", report(text)).findings)


CANNOT_EXCLUDE = "these 5 against 5 values cannot exclude a loss of 0.5 %."

SAYS_NOTHING_CHANGED = [
    "No impact on forwarding",
    "No difference",
    "No significant difference",
    "No measurable effect on performance",
    "Same performance",
    "Performance is unchanged",
    "Forwarding performance not impacted",
    "No operationally meaningful effect on this platform",
]


@pytest.mark.parametrize("claim", SAYS_NOTHING_CHANGED)
def test_it_takes_more_than_no_difference_proven(claim: str) -> None:
    # ministat proves no difference in any of them; only the first two sets are also shown to be equal
    assert findings(f"{claim}:\n[[none]]\n") == []
    [finding] = findings(f"{claim}:\n[[welch]]\n")
    assert finding.kind == "claim"
    assert finding.message.endswith(
        "does not show it within 1 %: these 5 against 20 values cannot exclude a gain of 1.6 %."
    )


@pytest.mark.parametrize("claim", SAYS_NOTHING_CHANGED)
def test_a_proven_difference_inside_the_margin_is_none_that_matters(claim: str) -> None:
    assert findings(f"{claim}:\n[[small]]\n") == []


@pytest.mark.parametrize("claim", SAYS_NOTHING_CHANGED)
def test_a_proven_difference_is_named(claim: str) -> None:
    [finding] = findings(f"{claim}:\n[[down3]]\n")
    assert finding.message.endswith("proves a difference: −3.00 % ± 0.25 %.")


def test_what_a_test_said_is_true_if_it_said_so() -> None:
    for true in (
        "No difference proven",
        "No statistically significant difference",
        "Inconclusive: no effect",
    ):
        assert findings(f"{true}:\n[[welch]]\n") == [], true
        assert len(findings(f"{true}:\n[[down3]]\n")) == 1, true


def test_no_regression_is_shown_by_one_side_alone() -> None:
    assert findings("No regression:\n[[up3]]\n") == []
    assert findings("No regression:\n[[welch]]\n") == []  # it may have gained 1.6 %, but lost nothing
    [finding] = findings("No improvement:\n[[welch]]\n")
    assert finding.message.endswith("cannot exclude a gain of 1.6 %.")


@pytest.mark.parametrize("words", ["At most", "Less than", "Slower, by less than", "Slower, by at most"])
def test_a_bound_on_a_loss_needs_no_proven_difference(words: str) -> None:
    slower = "" if words.startswith("Slower") else " slower"
    # of the first, losses above 0.5 % are excluded, of the second all
    assert findings(f"{words} 1 %{slower}:\n[[none]]\n") == []
    assert findings(f"{words} 1 %{slower}:\n[[welch]]\n") == []
    [finding] = findings(f"{words} 0.2 %{slower}:\n[[none]]\n")
    assert finding.message.endswith("does not show it within 0.2 %: " + CANNOT_EXCLUDE)
    [finding] = findings(f"{words} 1 %{slower}:\n[[down3]]\n")
    assert finding.message.endswith("gives −3.00 % ± 0.25 %.")


BOUNDS = [
    "At most {} % slower",
    "Less than {} % slower",
    "The patch loses less than {} %",
    "A regression of less than {} %",
    "Slower, by at most {} %",
    "It is slower (< {} %)",
    "The loss of performance is below {} %",
]


@pytest.mark.parametrize("bound", BOUNDS)
def test_a_bound_on_a_proven_loss_is_neither_rounded_nor_widened(bound: str) -> None:
    for which, shown in (("down2", "−1.90 %"), ("down2more", "−2.15 %")):
        for false in (1, 1.5, 1.89):
            [finding] = findings(f"{bound.format(false)}:\n[[{which}]]\n")
            assert finding.message.endswith(f"gives {shown} ± 0.25 %."), (which, false)
        for true in (3, 2.2, "2.20"):
            assert findings(f"{bound.format(true)}:\n[[{which}]]\n") == []
    assert len(findings(f"{bound.format(2)}:\n[[down2more]]\n")) == 1
    assert findings(f"{bound.format(2)}:\n[[down2]]\n") == []
    assert findings(f"{bound.format('1.90')}:\n[[down2]]\n") == []  # as it is shown


@pytest.mark.parametrize("cell", ["< {} %", "<{} %", "≤ {} %", "at most {} %", "less than {} %"])
def test_a_bound_in_a_cell_is_the_same(cell: str) -> None:
    table = "| | regression |\n|---|---|\n| patched | {} |\n\n[[{}]]\n"
    for which in ("down2", "down2more"):
        [finding] = findings(table.format(cell.format(1), which))
        assert (finding.kind, finding.cell) == ("cell", cell.format(1))
        assert findings(table.format(cell.format(3), which)) == []


def test_a_bound_in_a_cell_needs_no_proven_difference_either() -> None:
    table = "| | {} |\n|---|---|\n| patched | {} |\n\n[[{}]]\n"
    assert findings(table.format("regression", "< 1 %", "none")) == []
    assert findings(table.format("regression", "at most 1 %", "up3")) == []
    assert findings(table.format("change", "at most 1 % slower", "none")) == []
    [finding] = findings(table.format("regression", "< 0.2 %", "none"))
    assert finding.message.endswith("does not show it within 0.2 %: " + CANNOT_EXCLUDE)


def test_the_largest_of_several_is_a_rounded_figure() -> None:
    assert findings("Up to 2 % slower:\n[[down2more]]\n") == []


def test_a_bound_on_a_gain_is_judged_in_the_same_way() -> None:
    assert findings("At most 2 % faster:\n[[welch]]\n") == []
    [finding] = findings("At most 1 % faster:\n[[welch]]\n")
    assert finding.message.endswith(
        "does not show it within 1 %: these 5 against 20 values cannot exclude a gain of 1.6 %."
    )
    assert findings("Less than 1 % faster:\n[[small]]\n") == []
    [finding] = findings("At most 1 % slower:\n[[welch | old latency | new latency]]\n")
    assert finding.message.endswith("cannot exclude an increase of 1.6 %.")


def test_only_at_most_is_right_where_the_values_went_the_other_way() -> None:
    assert findings("At most 1 % slower:\n[[up3]]\n") == []
    assert findings("At most 1 % faster:\n[[down3]]\n") == []
    [finding] = findings("Less than 1 % slower:\n[[up3]]\n")
    assert finding.message.endswith("gives +2.99 % ± 0.26 %.")


def test_the_largest_of_several_losses_still_needs_a_proven_difference() -> None:
    [finding] = findings("Up to 1 % slower:\n[[none]]\n")
    assert finding.message.endswith("proves no difference at 95 %.")


def test_a_cost_regresses_upwards() -> None:
    assert findings("No regression:\n[[down3 | old latency | new latency]]\n") == []
    [finding] = findings("No regression:\n[[welch | old latency | new latency]]\n")
    assert finding.message.endswith("cannot exclude an increase of 1.6 %.")


def test_a_margin_of_the_sentence_or_of_the_text_is_the_one_that_counts() -> None:
    assert findings("Same performance within 2 %:\n[[welch]]\n") == []
    assert len(findings("Same performance within 1.5 %:\n[[welch]]\n")) == 1
    assert findings("We use a margin of 2 %.\n\n# Result\n\nSame performance:\n[[welch]]\n") == []


@pytest.mark.parametrize(
    "sentence",
    [
        "No impact on performance, and its iterations agree within 5 %",
        "No impact on performance: iterations agree within 5 %",
        "No impact on performance: all iterations lie within 3 % of their median",
        "No impact on performance within 3 % of their median",
        "No impact on performance; the CPU load is within 5 % of the baseline",
        "No impact on performance; the temperature stayed within 5 % of the baseline",
        "No impact on performance; the temperature stayed inside 5 % of the baseline",
        "The iterations agree within 5 %: no impact on performance",
        "Same performance, its iterations agree within 5 %",
        "No regression (the spread of the iterations is within 10 %)",
        "No regression, iterations are within 10 %",
    ],
)
def test_what_is_within_some_percent_beside_the_claim_is_no_margin_of_it(sentence: str) -> None:
    [finding] = findings(f"{sentence}:\n[[down2]]\n")
    assert finding.message.endswith("proves a difference: −1.90 % ± 0.25 %.")


@pytest.mark.parametrize(
    "claim",
    [
        "The same performance within {} %",
        "The same performance as before, within {} %",
        "Performance is the same (within ±{} %)",
        "Performance is unchanged to within {} % of the baseline",
        "No impact within {} %",
        "No impact on the forwarding performance, within {} %",
        "No impact on routing and firewalling within {} %",
        "No difference on this platform within {} %",
        "No difference: the difference is within {} %",
        "Within {} %, performance is unchanged",
        "Within {} % of the baseline there is no difference",
        "No regression within {} %",
        "No impact within a margin of {} %",
        "No impact, and the margin is {} %",
        "No impact at a {} % margin",
    ],
)
def test_what_touches_the_claim_and_what_is_called_a_margin_is_one(claim: str) -> None:
    assert findings(f"{claim.format(5)}:\n[[down2]]\n") == []
    assert len(findings(f"{claim.format('1.5')}:\n[[down2]]\n")) == 1


@pytest.mark.parametrize(
    "elsewhere",
    [
        "The CPU counters have a 20 % margin of error.",
        "The power supply has a margin of 30 %.",
        "The rings have a 20 % margin, and the generator one of 30 %.",
        "At this load the DUT has a margin of 10 %.",
    ],
)
def test_a_margin_of_something_else_in_the_text_is_no_margin_of_its_claims(elsewhere: str) -> None:
    [finding] = findings(f"{elsewhere}\n\n# Results\n\nNo impact:\n[[down3]]\n")
    assert finding.message.endswith("proves a difference: −3.00 % ± 0.25 %.")
    claim = f"No impact on forwarding; {elsewhere[0].lower()}{elsewhere[1:]}"
    assert len(findings(f"{claim}\n[[down3]]\n")) == 1


@pytest.mark.parametrize(
    "sentence",
    [
        "We use a margin of 5 %.",
        "The margin is 5 %.",
        "All with an equivalence margin of 5 %.",
        "Differences inside a 5 % margin are none that matter.",
        "equivalent: +0.46 % [+0.23, +0.69], inside the 5 % margin",
        "proven to be inside ±5 % of the baseline's mean (two one-sided tests)",
        "A verdict under full load is judged with a margin of 5 %.",
    ],
)
def test_a_margin_for_differences_counts_in_the_whole_text(sentence: str) -> None:
    assert findings(f"{sentence}\n\n# Results\n\nNo impact:\n[[down3]]\n") == []


def test_a_margin_that_is_not_the_usual_one_is_told_where_a_claim_agrees() -> None:
    table = "| | impact |\n|---|---|\n| patched | none |\n\n[[{}]]\n"
    [agreed] = check_text("x", report(f"We use a margin of 5 %.\n\n{table.format('down3')}")).agreeing
    assert agreed.message.endswith(" gives −3.00 % ± 0.25 % (margin 5 %).")
    [agreed] = check_text("x", report(table.format("small"))).agreeing
    assert agreed.message.endswith(" gives +0.46 % ± 0.23 %.")


def test_sets_that_cannot_be_tested_show_nothing() -> None:
    block = (
        "x a\n+ b\n    N           Min           Max        Median           Avg        Stddev\n"
        "x   {n}       1488095       1488095       1488095       1488095             {s}\n"
        "+   {n}       1488095       1488095       1488095       1488095             {s}\n"
        "No difference proven at 95.0% confidence\n"
    )
    for n, why in (
        (2, "2 values are too few for a test."),
        (5, "all values within each set are equal, which a rate limit would also cause"),
    ):
        finding, *rows = findings(f"Same performance:\n```\n{block.format(n=n, s=0)}```\n")
        assert why in finding.message
        assert len(rows) == (2 if n < 3 else 0), "ministat refuses sets of fewer than 3 values"
        assert all("but ministat refuses fewer than 3" in one.message for one in rows)


def test_a_claim_about_all_below_its_heading_needs_all_of_it() -> None:
    below = (
        "### IPv4\n[[small | lro_off.inet4 | lro_on.inet4]]\n### IPv6\n"
        "[[{} | lro_off.inet6 | lro_on.inet6]]\n"
    )
    text = "# LRO\n\n## Result\n\n`lro` has no meaningful effect on this platform.\n\n"
    assert findings(text + below.format("none")) == []
    [finding] = findings(text + below.format("welch"))
    assert (finding.line, finding.kind) == (5, "claim")
    assert [source.first_line for source in finding.sources] == [9, 24]
    # what is below a title, and what is compared by something else, is not meant
    assert findings(f"# Result\n\n`lro` has no effect.\n\n{below.format('welch')}") == []
    families = "### Families\n[[down3 | lro_on.inet4 | lro_on.inet6]]\n"
    assert findings(text + below.format("none") + families) == []


def test_a_claim_without_data_is_not_checked_and_says_so() -> None:
    checked = check_text("x", report("Same performance with D1.\n\n# Other\n\n[[up3]]\n"))
    assert checked.findings == ()
    [one] = checked.unchecked
    assert (one.line, one.kind) == (1, "not-checked")
    assert one.message == "'same performance': no ministat block belongs to it."
    # a test that proved nothing claims nothing
    assert check_text("x", "No difference proven.\n").unchecked == ()


def drawn(chance: random.Random) -> tuple[list[float], list[float]]:
    level, spread = 10.0 ** chance.uniform(0, 7), 10.0 ** chance.uniform(-4, -1.5)
    shift = 1.0 + chance.choice([0.0, 0.005, -0.009, 0.012])
    sizes = chance.choice([(5, 5), (3, 5), (10, 10), (5, 20)])
    return tuple(  # type: ignore[return-value]
        [chance.gauss(level * by, level * spread) for _ in range(size)]
        for by, size in zip((1.0, shift), sizes, strict=True)
    )


def of(sets: tuple[list[float], list[float]]) -> Result:
    named = [ministat.NamedSet(name, values) for name, values in zip("ab", sets, strict=True)]
    [block] = parse_ministat_blocks(ministat.block(named, ministat.MinistatOptions())).value
    [result] = results(block)
    return result


def test_the_rule_is_that_of_every_verdict() -> None:
    chance = random.Random(96)
    seen = set()
    for _ in range(150):
        sets = drawn(chance)
        [judged] = judge([("c", *(ResultSet(name, values) for name, values in zip("ab", sets, strict=True)))])
        result = of(sets)
        equivalent = judged.comparison.verdict == "equivalent"
        assert (not_shown(result, 0, 1.0) is None) == equivalent, sets
        assert (not_shown(result, -1, 1.0) is None) >= judged.comparison.not_slower.proven, sets
        seen.add((equivalent, judged.comparison.not_slower.proven))
    assert seen == {(True, True), (False, True), (False, False)}


def test_what_cannot_be_excluded_is_told_with_its_size() -> None:
    chance = random.Random(5)
    for _ in range(40):
        sets = drawn(chance)
        result = of(sets)
        reason = not_shown(result, -1, 1.0)
        if reason is None or not reason.startswith("does not"):
            continue
        size = float(reason.rpartition("a loss of ")[2].removesuffix(" %"))
        # a loss that large is at the edge of what the one-sided test rejects: a margin beyond it is shown
        assert not_shown(result, -1, size * 1.06 + 0.001) is None
        assert not_shown(result, -1, size * 0.94 - 0.001) is not None


OF_TWO = [
    "There is no difference between r1 and r2.",
    "There is no significant difference between r2 and the baseline.",
    "No difference in throughput between r1 and r2.",
    "No difference between the two kernels.",
    "r1 and r2 perform the same.",
    "On this machine, r1 and r2 are equivalent.",
    "r1 and r2 have about the same throughput.",
]


def beside(
    sentence: str, first: list[float], later: list[float], names: tuple[str, str] = ("r1", "r2")
) -> str:
    sets = [ministat.NamedSet(name, tuple(one)) for name, one in zip(names, (first, later), strict=True)]
    block = ministat.block(sets, ministat.MinistatOptions())
    return f"{sentence}\n\n```\n{block}```\n"


FIRST = [1000e3, 1001e3, 999e3, 1000.5e3, 999.5e3]


@pytest.mark.parametrize("sentence", OF_TWO)
def test_two_sets_are_not_the_same_because_a_sentence_says_so(sentence: str) -> None:
    [finding] = check_text("x", beside(sentence, FIRST, [one * 1.03 for one in FIRST])).findings
    assert finding.message.endswith("proves a difference: +3.00 % ± 0.12 %.")
    same = check_text("x", beside(sentence, FIRST, [one + 40 for one in FIRST]))
    assert (same.findings, same.claims, same.unchecked) == ((), 1, ())


@pytest.mark.parametrize(
    "sentence",
    ["No difference between iterations.", "No difference between the two runs.", "r2 and r3 are the same.",
     "No difference between IPv4 and IPv6.", "There is a difference between r1 and r2."],
)  # fmt: skip
def test_that_others_are_the_same_is_no_claim_about_a_block(sentence: str) -> None:
    found = check_text("x", beside(sentence, FIRST, [one * 1.03 for one in FIRST]))
    assert (found.findings, found.claims) == ((), 0)


def test_two_sets_of_which_one_name_continues_the_other_are_told_apart() -> None:
    text = beside(
        "r1 and r1 with D27401 are equal.", FIRST, [x * 1.03 for x in FIRST], ("r1", "r1 with D27401")
    )
    assert len(check_text("x", text).findings) == 1
    assert check_text("x", text.replace("r1 with D27401 are", "r1 are")).findings == ()


def test_of_several_sets_those_that_are_named_are_the_same_or_not() -> None:
    sets = [
        ministat.NamedSet(f"r{at}", tuple(one * size for one in FIRST))
        for at, size in ((1, 1), (2, 1.03), (3, 1))
    ]
    block = f"```\n{ministat.block(sets, ministat.MinistatOptions())}```\n"
    [finding] = check_text("x", f"There is no difference between r1 and r2.\n\n{block}").findings
    assert "proves a difference: +3.00 %" in finding.message
    assert check_text("x", f"There is no difference between r1 and r3.\n\n{block}").findings == ()


@pytest.mark.parametrize(
    "sentence", ["The difference is not significant.", "The change is insignificant (p > 0.05)."]
)
def test_that_a_difference_is_not_significant_is_false_where_one_is_proven(sentence: str) -> None:
    [finding] = check_text("x", beside(sentence, FIRST, [one * 1.03 for one in FIRST])).findings
    assert finding.message.endswith("proves a difference: +3.00 % ± 0.12 %.")
    noisy = check_text("x", beside(sentence, FIRST, [940e3, 1060e3, 1000.5e3, 980.5e3, 1031e3]))
    assert (noisy.findings, noisy.claims) == ((), 1)
