"""Which set a claim holds against which: true one way round is not true the other.

A claim that does not say which way it means is not checked, and says so; it never passes.
"""

import pytest
from checking_cells import files
from ministat_samples import report

from fwdtui.check import Checked, check_text

SWITCHES = [
    "tx_abdicate_off.inet4.pps | tx_abdicate_on.inet4.pps",
    "r1: txabdicate_off.inet4 packets-per-second | r1: txabdicate_on.inet4 packets-per-second",
    "off.inet4.pps | on.inet4.pps",
    "without-x.pps | with-x.pps",
    "x=0.pps | x=1.pps",
    "no pf | pf enabled",
    "no pf | pf",
]
"""A feature that is off in the first set and on in the later one."""
DENIES_A_LOSS = [
    "There is no regression:",
    "No regression with the new driver:",
    "Forwarding is not slower:",
    "It does not degrade:",
    "Without any performance loss:",
    "No performance loss:",
]
UNDECIDED = "it is not clear which of the two sets is the baseline, and the claim holds only one way round."


def checked(text: str) -> Checked:
    return check_text("x", report(text))


def told(checked: Checked) -> list[str]:
    return [
        *(one.message.rpartition(" ± ")[0] for one in checked.findings),
        *(o.kind for o in checked.unchecked),
    ]


@pytest.mark.parametrize("sentence", DENIES_A_LOSS)
@pytest.mark.parametrize("names", SWITCHES)
def test_the_no_of_a_claim_is_not_the_off_of_a_switch(names: str, sentence: str) -> None:
    [finding] = checked(f"{sentence}\n[[down3 | {names}]]\n").findings
    assert "proves a difference: −3.00 % ± 0.25 %" in finding.message
    assert told(checked(f"{sentence}\n[[up3 | {names}]]\n")) == []


def test_nor_is_it_in_value_files() -> None:
    low, high = (1e6, 1.001e6, 1.002e6, 1.001e6, 1e6), (1.3e6, 1.301e6, 1.302e6, 1.301e6, 1.3e6)
    text = "# tx_abdicate off and on\n\nThere is no regression from off to on.\n"
    worse = check_text("x", text, files(off_dot_inet4_dot_pps=high, on_dot_inet4_dot_pps=low))
    assert [one.kind for one in (*worse.findings, *worse.agreeing)] == ["claim"]
    better = check_text("x", text, files(off_dot_inet4_dot_pps=low, on_dot_inet4_dot_pps=high))
    assert [one.kind for one in (*better.findings, *better.agreeing)] == ["agrees"]


@pytest.mark.parametrize(
    "sentence",
    [
        "Gain of 3.09 % ± 0.27 %: r1 over r2:",
        "+3.09 % ± 0.27 %: r1 is faster than r2:",
        "+3.09 % ± 0.27 %: r1 is faster than r2, which is at line rate:",
        "Faster by 3.09 % ± 0.27 %: r1 compared to r2:",
        "slowed down by at least 3.00 % ± 0.27 %: r1 is at its offered load:",
        "slowed down by 3.00 % ± 0.27 % at this offered load: 2 of 5 iterations of r1 are at line rate:",
    ],
)
def test_behind_a_colon_sets_are_compared_or_one_is_at_its_limit(sentence: str) -> None:
    assert told(checked(f"{sentence}\n[[down3 | r1 | r2]]\n")) == []


@pytest.mark.parametrize(
    "sentence",
    [
        "improved by at least 3.00 % ± 0.27 %: r1 is at its offered load:",
        "improved by 3.00 % ± 0.27 % at this offered load: 2 of 5 iterations of r1 are at line rate:",
    ],
)
def test_which_set_is_at_its_limit_is_not_which_one_changed(sentence: str) -> None:
    assert told(checked(f"{sentence}\n[[down3 | r1 | r2]]\n")) == [
        "The sentence says '3.00 %' (better), but the block at lines 3–14 gives −3.00 %"
    ]


@pytest.mark.parametrize(
    "sentence", ["Slower by 3 % ± 0.27 %: r2 than line rate:", "Gain of 3.09 % ± 0.27 %: r1 is faster:"]
)
def test_what_the_words_behind_a_colon_leave_open_is_not_checked(sentence: str) -> None:
    assert told(checked(f"{sentence}\n[[down3 | r1 | r2]]\n")) == ["not-checked"]


@pytest.mark.parametrize(
    "sentence",
    [
        "There is no doubt that it is 3 % faster:",
        "No doubt, it is 3 % faster:",
        "It is 3 % faster, not slower:",
        "Even without tuning, tx_abdicate is 3 % faster:",
        "Without pf it is 3 % faster:",
        "Without loss of generality, tx_abdicate is 3 % faster:",
        "With tx_abdicate enabled it is 3 % faster than with tx_abdicate off:",
        "With flow control off and pf disabled, it is 3 % faster:",
        "From off to on it is 3 % faster:",
    ],
)
def test_words_that_deny_something_else_do_not_turn_a_claim_round(sentence: str) -> None:
    names = "tx_abdicate_off.inet4.pps | tx_abdicate_on.inet4.pps"
    [finding] = checked(f"{sentence}\n[[down3 | {names}]]\n").findings
    assert "gives −3.00 %" in finding.message
    assert told(checked(f"{sentence}\n[[up3 | {names}]]\n")) == []


@pytest.mark.parametrize(
    "sentence",
    [
        "Without tx_abdicate it is 3 % faster:",
        "Without enabling tx_abdicate it is 3 % faster:",
        "When tx_abdicate is not enabled it is 3 % faster:",
        "No tx_abdicate is 3 % faster than tx_abdicate:",
        "With tx_abdicate off, forwarding is 3 % faster:",
        "Disabling tx_abdicate improves forwarding by 3 %:",
        "Turning off tx_abdicate improves forwarding:",
        "tx_abdicate is 3 % slower than without it:",
        "From on to off it is 3 % faster:",
        "It is 3 % slower than with tx_abdicate off:",
        "Setting tx_abdicate to 0 makes forwarding 3 % faster:",
        "It is 3 % faster while tx_abdicate is off:",
        "It is 3 % faster because tx_abdicate is disabled:",
        "From 1 to 0 it is 3 % faster:",
        "It is 3 % faster with tx_abdicate=0.",
    ],
)
def test_a_feature_that_is_off_is_held_against_the_one_that_is_on(sentence: str) -> None:
    names = "tx_abdicate_off.inet4.pps | tx_abdicate_on.inet4.pps"
    assert told(checked(f"{sentence}\n[[down3 | {names}]]\n")) == []
    assert len(checked(f"{sentence}\n[[up3 | {names}]]\n").findings) == 1


@pytest.mark.parametrize(
    ("names", "sentence"),
    [
        # of the step from on to off, or of the feature?
        ("on.inet4.pps | off.inet4.pps", "There is no regression:"),
        ("LRO on | LRO off", "LRO brings no regression:"),
        ("LRO on | LRO off", "Forwarding is faster:"),
        # what is switched is not said: it may be the firewall, or something else
        ("off.inet4.pps | on.inet4.pps", "Even without tuning, tx_abdicate is 3 % faster:"),
        ("off.inet4.pps | on.inet4.pps", "With it disabled, forwarding is 3 % faster:"),
        *(
            ("tx_abdicate_off.inet4.pps | tx_abdicate_on.inet4.pps", sentence)
            for sentence in (
                "IPv4 is 3 % faster when disabled:",
                "When turned off, IPv4 forwarding is 3 % faster:",
                "It is faster when off:",
                "IPv4 is 3 % faster if turned off:",
                "IPv4 gains 3 % once disabled:",
                "IPv4 is 3 % faster in the off case:",
                "The off case is 3 % faster:",
                "Setting it to 0 gains 3 %:",
                "IPv4 gains 3 % while off:",
                "IPv4 gains 3 % while it is off:",
                "IPv4 is 3 % faster when left disabled:",
                "IPv4 is 3 % faster when deactivated:",
            )
        ),
        ("LRO off | LRO on", "No regression with LRO off:"),
        ("LRO off | LRO on", "No regression between LRO off and on:"),
        # the base, or all that is measured?
        ("r1 | r1 with D1", "On the stock kernel it is 3 % faster:"),
        ("r1 | r2", "Stable is 3 % faster:"),
        ("r1 | r1 with D1", "The old driver is 3 % faster:"),
        # what is undone: the patch that is measured, or another one?
        ("r1 | r1 with D1", "Without it, forwarding is 3 % faster:"),
        ("r1 | r1 with D1", "Backing it out improves performance:"),
        ("r1 | r2", "Reverting D58513 improves forwarding by 3 %:"),
    ],
)
def test_a_claim_that_may_mean_either_way_is_not_checked(names: str, sentence: str) -> None:
    for block in ("down3", "up3"):
        found = checked(f"{sentence}\n[[{block} | {names}]]\n")
        assert (found.findings, found.claims) == ((), 0)
        [left] = found.unchecked
        assert left.message.endswith(f": {UNDECIDED}")


@pytest.mark.parametrize("names", ["LRO on | LRO off", "r1 on | r1 off", "pf enabled | pf disabled"])
def test_a_sentence_that_quotes_a_block_with_its_error_is_read_as_the_block_is(names: str) -> None:
    base, later = names.split(" | ")
    for subject in ("", f"{later}: "):
        for said in ("slowed down by 3.00 % ± 0.26 %", "equivalent: −3.00 % ± 0.26 %"):
            assert told(checked(f"{subject}{said}.\n\n[[down3 | {names}]]\n")) == [], base
            assert len(checked(f"{subject}{said}.\n\n[[up3 | {names}]]\n").findings) == 1


def test_what_is_false_both_ways_is_a_finding_all_the_same() -> None:
    [finding] = checked("LRO off: 30 % faster\n[[down3 | LRO on | LRO off]]\n").findings
    assert "gives −3.00 %" in finding.message
    [finding] = checked("It is 30 % faster:\n[[down3 | LRO on | LRO off]]\n").findings
    assert "gives −3.00 %" in finding.message


@pytest.mark.parametrize(
    "sentence",
    [
        "There is no regression on FreeBSD head:",
        "No regression on 13.0-RELEASE:",
        "No regression on stable/13:",
        "On head it is 3 % faster:",
        "The main result is a 3 % improvement:",
        "On a default install the patch is 3 % faster:",
        "With a generic kernel, it is 3 % faster:",
        "Forwarding is faster with the default configuration:",
        "On our master branch, forwarding is faster:",
        "Without pf it is 3 % faster:",
    ],
)
def test_where_it_was_measured_is_not_what_it_is_compared_with(sentence: str) -> None:
    names = "r368287.inet4.pps | r368606.inet4.pps"
    [finding] = checked(f"{sentence}\n[[down3 | {names}]]\n").findings
    assert "−3.00 % ± 0.25 %" in finding.message
    assert told(checked(f"{sentence}\n[[up3 | {names}]]\n")) == []


@pytest.mark.parametrize(
    "sentence",
    [
        "The baseline is 3 % slower:",
        "The unpatched kernel forwards 3 % less:",
        "Stock is slower:",
        "Without the patch it is 2.9 % slower:",
        "Without D1 it is 2.9 % slower:",
        "Before the patch it was 2.9 % slower:",
        "Reverting D1 costs 2.9 %:",
        "Removing the patch costs 2.9 %:",
        "Backing out the patch reduces throughput by 2.9 %:",
        "With the patch reverted, forwarding is 2.9 % slower:",
        "After D1 was removed, forwarding is 2.9 % slower:",
    ],
)
def test_a_base_that_is_the_subject_is_held_against_the_other(sentence: str) -> None:
    names = "r1 | r1 with D1"
    assert told(checked(f"{sentence}\n[[up3 | {names}]]\n")) == []
    assert len(checked(f"{sentence}\n[[down3 | {names}]]\n").findings) == 1


@pytest.mark.parametrize(
    "sentence", ["ipfw is 30 % slower than plain forwarding:", "There is no regression against line rate:"]
)
def test_what_is_compared_with_something_else_is_not_checked(sentence: str) -> None:
    found = checked(f"{sentence}\n[[down3 | r1 | r2]]\n")
    assert (found.findings, found.claims) == ((), 0)
    [left] = found.unchecked
    assert left.message.endswith(": it compares with neither set of the block.")


def test_a_patch_that_removed_something_is_not_the_one_that_is_removed() -> None:
    sentence = "The patch removed a lookup and improved forwarding by 3 %:"
    assert told(checked(f"{sentence}\n[[up3 | r1 | r1 with D1]]\n")) == []
    assert len(checked(f"{sentence}\n[[down3 | r1 | r1 with D1]]\n").findings) == 1


THREE = "[[up3 down3 | r1 | r2 | r3]]"
"""r2 is 3 % faster than r1, r3 is 3 % slower than r1 and 5.8 % slower than r2."""


@pytest.mark.parametrize(
    ("true", "false"),
    [
        ("r2 is faster than r3:", "r3 is faster than r2:"),
        ("r2 is 6.2 % faster than r3:", "r2 is 3 % faster than r3:"),
        ("r3 is 5.8 % slower than r2:", "r3 is 3 % slower than r2:"),
        ("r3: 5.8 % slower than r2:", "r3: 3 % slower than r2:"),
        ("Compared with r2, r3 is 5.8 % slower:", "Compared with r2, r3 is 3 % slower:"),
        ("From r2 to r3 we lose 5.8 %:", "From r2 to r3 we gain 5.8 %:"),
        ("From r3 to r2 we gain 6.2 %:", "From r3 to r2 we lose 6.2 %:"),
        ("r3 has one queue, and is 5.8 % slower than r2:", "r3 has one queue, and is 3 % slower than r2:"),
        ("r2 is faster than r1 and r3:", "r3 is faster than r1 and r2:"),
        (
            "r2 is 3 % faster, but r3 is 3 % slower than r1:",
            "r2 is 3 % slower, but r3 is 3 % faster than r1:",
        ),
        ("r2 is 3 % faster than r1, unlike r3:", "r3 is 3 % faster than r1, unlike r2:"),
    ],
)
def test_sets_of_one_block_are_held_against_those_that_the_clause_names(true: str, false: str) -> None:
    right = checked(f"{true}\n{THREE}\n")
    assert (told(right), right.claims) == ([], 1)
    assert len(checked(f"{false}\n{THREE}\n").findings) == 1


def test_a_finding_on_two_later_sets_names_them() -> None:
    [finding] = checked(f"r2 is 44.6 % faster than r3:\n{THREE}\n").findings
    assert "but in the block at lines 3–20, r3 against r2 gives −5.8" in finding.message


def test_of_sets_without_names_any_may_be_meant() -> None:
    nameless = report(f"\n{THREE}\n").replace("x r1\n+ r2\n* r3\n", "")
    assert "r2" not in nameless
    for figure, findings in ((3, 0), (30, 1)):
        found = check_text("x", f"It is {figure} % slower:\n{nameless}\n")
        assert (len(found.findings), found.claims) == (findings, 1)


@pytest.mark.parametrize(
    ("sentence", "why"),
    [
        (
            "r2 and r3 are faster:",
            "it names several sets of the block, and the claim does not hold for all of them",
        ),
        ("r2 is faster than line rate:", "it compares with neither set of the block"),
    ],
)
def test_what_holds_for_one_of_the_named_sets_or_for_none_is_not_checked(sentence: str, why: str) -> None:
    found = checked(f"{sentence}\n{THREE}\n")
    assert (found.findings, found.claims) == ((), 0)
    assert [one.message.partition(": ")[2] for one in found.unchecked] == [f"{why}."]


def test_over_ten_runs_is_no_comparison() -> None:
    for sentence in ("There is no regression over ten runs:", "It is 3 % faster over all these iterations:"):
        assert len(checked(f"{sentence}\n[[down3 | r1 | r2]]\n").findings) == 1


def test_a_condition_of_what_it_is_compared_with_is_not_the_base() -> None:
    for sentence in (
        "It is 30 % slower than line rate on head:",
        "pf is 30 % slower than plain routing on stable:",
    ):
        assert checked(f"{sentence}\n[[up3 | r1 | r2]]\n").findings == ()
    for sentence in ("It is 30 % slower than on head:", "It is 30 % slower than the stable kernel:"):
        assert len(checked(f"{sentence}\n[[up3 | r1 | r2]]\n").findings) == 1


def test_what_it_is_compared_with_may_come_first() -> None:
    sentence = "Compared to stable, it is 3 % faster:"
    assert told(checked(f"{sentence}\n[[up3 | stable | current]]\n")) == []
    assert len(checked(f"{sentence}\n[[down3 | stable | current]]\n").findings) == 1


def test_a_right_figure_that_may_mean_either_way_still_tells_that_another_one_is_quoted() -> None:
    text = "LRO: +3 %. Some saw an improvement of 12 %.\n\n[[down3 | LRO on | LRO off]]\n"
    assert checked(text).findings == ()


def test_of_two_value_files_of_which_either_may_be_the_base_no_denial_is_confirmed() -> None:
    """One of both ways is always right."""
    low, high = (1e6, 1.001e6, 1.002e6, 1.001e6, 1e6), (1.3e6, 1.301e6, 1.302e6, 1.301e6, 1.3e6)
    data = files(r320656_dot_pps=high, r320657_dot_pps=low)
    for sentence in ("There is no regression.", "Forwarding is faster."):
        found = check_text("x", f"# r320656 and r320657\n\n{sentence}\n", data)
        assert (found.findings, found.agreeing) == ((), ())
        assert [one.message.endswith(f"; for two value files {UNDECIDED}") for one in found.unchecked] == [
            True
        ]
    named = check_text("x", "# r320656 and r320657\n\nr320657 is faster than r320656.\n", data)
    assert len(named.findings) == 1


@pytest.mark.parametrize(("cell", "agree"), [("+3.0 %", False), ("-3.0 %", True)])
def test_the_values_beside_a_change_say_which_way_it_goes(cell: str, agree: bool) -> None:
    block = "\n[[down3 | LRO on | LRO off]]\n"
    found = checked(
        f"| | LRO on | LRO off | change |\n|---|---|---|---|\n| pps | 1000500 | 970100 | {cell} |\n{block}"
    )
    assert [one.cell for one in (found.agreeing if agree else found.findings)][-1:] == [cell]
    alone = checked(f"| feature | change |\n|---|---|\n| LRO | {cell} |\n{block}")
    assert (alone.findings, alone.agreeing) == ((), ())
    assert [one.message.lower().endswith(UNDECIDED) for one in alone.unchecked] == [True]
