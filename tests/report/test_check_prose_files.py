"""Sentences that no block belongs to, against value files: where exactly two can be meant, never guessed."""

import pytest

from fwdtui.check import Checked, check_text
from fwdtui.check.cells.files import Data, data_of
from fwdtui.store.value_folder import NamedValues, ValueFolder

NOISE = (-0.002, 0.001, 0.0, 0.003, -0.002)


def data(report: str | None = None, **means: float) -> Data:
    """Value files of five values around a mean each; `__` stands for a dot in a path, `_in_` for a slash."""
    files = [
        NamedValues(name, tuple(mean * (1 + noise) for noise in NOISE))
        for name, mean in ((path, mean) for path, mean in _paths(means))
    ]
    return data_of(ValueFolder(tuple(files), ()), "results", ("results",), report)


def _paths(means: dict[str, float]) -> list[tuple[str, float]]:
    return [(key.replace("_in_", "/").replace("__", ".") + ".pps", mean) for key, mean in means.items()]


CUBE = {
    "r1_in_txabdicate_off__inet4": 874e3,
    "r1_in_txabdicate_off__inet6": 869e3,
    "r1_in_txabdicate_on__inet4": 871e3,
    "r1_in_txabdicate_on__inet6": 878e3,
    "r1__D58513_in_txabdicate_off__inet4": 484e3,
    "r1__D58513_in_txabdicate_off__inet6": 460e3,
    "r1__D58513_in_txabdicate_on__inet4": 960e3,
    "r1__D58513_in_txabdicate_on__inet6": 836e3,
}
"""A patch that costs 44.6 and 47.1 % with a switch off, and with it on gains 10.2 % and costs 4.8 %."""
TITLE = "# Impact of D58513\n\n"


def checked(sentence: str, found: Data | None = None, title: str = TITLE) -> Checked:
    return check_text("README.md", f"{title}{sentence}\n", found or data(**CUBE))


def told(checked: Checked) -> list[str]:
    """What became of each claim: its kind, and the two files where it was held against any."""
    every = [*checked.findings, *checked.agreeing, *checked.unchecked]
    return [" ".join([one.kind, *(source.file for source in one.sources)]) for one in every]


OFF4 = "results/r1/txabdicate_off.inet4.pps results/r1.D58513/txabdicate_off.inet4.pps"
ON6 = "results/r1/txabdicate_on.inet6.pps results/r1.D58513/txabdicate_on.inet6.pps"


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("With tx_abdicate disabled, D58513 is 44.6 % slower (inet4).", f"agrees {OFF4}"),
        ("With tx_abdicate disabled, D58513 is 4.6 % slower (inet4).", f"claim {OFF4}"),
        ("With tx_abdicate disabled, D58513 is 44.6 % faster (inet4).", f"claim {OFF4}"),
        ("There is a 4.8 % drop with IPv6 when tx_abdicate is on.", f"agrees {ON6}"),
        ("IPv4 is slower with tx_abdicate off.", f"agrees {OFF4}"),
        ("IPv4 is faster with tx_abdicate off.", f"claim {OFF4}"),
        ("No regression with IPv6 (tx_abdicate enabled).", f"claim {ON6}"),
        ("No improvement with IPv6 (tx_abdicate enabled).", f"agrees {ON6}"),
        ("No impact on IPv6 with tx_abdicate enabled.", f"claim {ON6}"),
        (
            "r1/txabdicate_off.inet4.pps against r1/txabdicate_on.inet4.pps shows no difference.",
            "agrees results/r1/txabdicate_off.inet4.pps results/r1/txabdicate_on.inet4.pps",
        ),
    ],
)
def test_a_sentence_that_can_only_be_about_two_files_is_held_against_them(
    sentence: str, expected: str
) -> None:
    assert told(checked(sentence)) == [expected]


@pytest.mark.parametrize(
    ("first", "second", "sentence"),
    [
        ("generic", "lowlatency", "lowlatency is {} % faster than generic."),
        ("r1", "r1-D1", "r1-D1 is {} % faster than r1."),
        ("rss-disabled", "rss-four", "{} % faster with rss-four than with rss-disabled."),
    ],
)
def test_long_words_and_words_with_a_hyphen_tell_files_apart(first: str, second: str, sentence: str) -> None:
    two = data(**{f"{first}__inet4": 1e6, f"{second}__inet4": 1.03e6})
    both = f"results/{first}.inet4.pps results/{second}.inet4.pps"
    assert told(checked(sentence.format(3), two, "")) == [f"agrees {both}"]
    assert told(checked(sentence.format(30), two, "")) == [f"claim {both}"]


def test_what_only_the_title_compares_may_be_meant_too() -> None:
    """The packet's length is not the only thing that tells these files apart."""
    four = data(main__64=1e6, main__1500=8e5, **{"main-D1__64": 1.003e6, "main-D1__1500": 8.02e5})
    found = checked(
        "The difference of +0.25 % is real with 1500 B.", four, "# Comparing main-D1 with main\n\n"
    )
    assert told(found) == ["not-checked"]


WITH_D1 = "results/r1.D58513/txabdicate_off.inet4.pps results/r1.D58513/txabdicate_on.inet4.pps"
EITHER = (
    "it may be about r1.D58513/txabdicate_{0}.pps against r1/txabdicate_{0}.pps "
    "or r1.D58513/txabdicate_on.{1}.pps against r1.D58513/txabdicate_off.{1}.pps"
)


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("With D58513, IPv4 is twice as fast with tx_abdicate on as with it off.", f"agrees {WITH_D1}"),
        ("With D58513, IPv4 is 2x faster with tx_abdicate on than with it off.", f"agrees {WITH_D1}"),
        ("With D58513, IPv4 is 30 % faster with tx_abdicate on than with it off.", f"claim {WITH_D1}"),
        # either the patch is compared, or the switch: true of one of both is not decided, of none is false
        ("With D58513, IPv4 is twice as fast with tx_abdicate on.", EITHER.format("on.inet4", "inet4")),
        ("With D58513, IPv6 is 45 % slower with tx_abdicate off.", EITHER.format("off.inet6", "inet6")),
        ("With D58513, IPv4 is 25 % slower with tx_abdicate off.", f"claim {OFF4}"),
        ("With tx_abdicate off, IPv4 is 44.6 % slower with D58513.", f"agrees {OFF4}"),
    ],
)
def test_a_sentence_on_a_patch_may_compare_the_states_of_a_switch(sentence: str, expected: str) -> None:
    found = checked(sentence)
    if expected.startswith("it may be"):
        assert told(found) == ["not-checked"]
        assert found.unchecked[0].message.endswith(f", and {expected}.")
    else:
        assert told(found) == [expected]


def test_all_right_figures_of_a_paragraph_agree() -> None:
    off = "With tx_abdicate off, D58513 is 44.6 % slower (IPv4)."
    assert told(checked(f"{off} There is a 4.8 % drop with IPv6 when tx_abdicate is on.")) == [
        f"agrees {OFF4}", f"agrees {ON6}",
    ]  # fmt: skip


NOT_DECIDED = {
    "the switch on or off": (
        "No regression with IPv6.",
        "it may be about r1.D58513/txabdicate_off.inet6.pps against r1/txabdicate_off.inet6.pps and ",
    ),
    "the patch or the switch": ("tx_abdicate has no impact on inet4.", "it may be about "),
    "another firewall": ("No regression with pf when tx_abdicate is on (inet6).", "it is about 'pf'"),
    "another patch": ("D12345 is 3 % faster with tx_abdicate on (inet6).", "it is about 'd12345'"),
    "what no file lacks": (
        "Without the patch, tx_abdicate has no impact on inet4.", "it is about 'without the patch'",
    ),
    "what no file is called": (
        "On the stock kernel there is no impact on inet6 with tx_abdicate on.", "it is about 'stock'",
    ),
    "compared with something else": (
        "D58513 is 5 % slower than line rate with inet6 and tx_abdicate enabled.", "it is about 'line'",
    ),
    "one file by its path": (
        "r1/txabdicate_off.inet4.pps is 3 % faster.", "it names 1 value file, not two",
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", NOT_DECIDED)
def test_what_can_be_about_others_is_not_checked_and_says_why(case: str) -> None:
    sentence, reason = NOT_DECIDED[case]
    found = checked(sentence)
    assert told(found) == ["not-checked"], "never a finding"
    assert f": no ministat block belongs to it, and {reason}" in found.unchecked[0].message


def test_only_what_the_text_says_tells_two_files_apart() -> None:
    two = data(before__inet4=1e6, after__inet4=9e5)
    assert told(checked("The patch has no impact on forwarding after all.", two)) == [
        "claim results/before.inet4.pps results/after.inet4.pps"
    ]
    two = data(r1__inet4=1e6, r2__inet4=9e5)
    assert told(checked("It has no impact on forwarding.", two, title="# Results\n\n")) == ["not-checked"]
    assert told(checked("r2 has no impact on forwarding.", two, title="# Results\n\n")) == [
        "claim results/r1.inet4.pps results/r2.inet4.pps"
    ]
    families = data(inet4=1e6, inet6=9e5)
    assert told(checked("The patch has no impact on IPv4 forwarding.", families)) == ["not-checked"]
    assert told(checked("IPv4 is 11 % faster than IPv6.", families)) == [
        "agrees results/inet4.pps results/inet6.pps"
    ]


def test_of_the_same_two_in_several_folders_those_beside_the_report_are_meant() -> None:
    folders = {"a_in_off": 1e6, "a_in_on": 1.1e6, "b_in_off": 1e6, "b_in_on": 1.2e6}
    sentence, title = "The switch on is 20 % faster than off.", "# The switch\n\n"
    assert told(checked(sentence, data("b", **folders), title)) == [
        "agrees results/b/off.pps results/b/on.pps"
    ]
    assert told(checked(sentence, data("a", **folders), title)) == [
        "claim results/a/off.pps results/a/on.pps"
    ]
    assert told(checked(sentence, data(None, **folders), title)) == ["not-checked"]


def test_dozens_of_revisions_are_told_apart_by_the_two_that_are_named() -> None:
    many = data(**{f"r{300000 + number}__pf": 1e6 + number for number in range(99)}, r309257__pf=1.4e6)
    title = "# A year of revisions\n\n"
    assert told(checked("r309257 is 40 % faster than r300007 with pf.", many, title)) == [
        "agrees results/r300007.pf.pps results/r309257.pf.pps"
    ]
    assert told(checked("r309257 is 40 % faster with pf.", many, title)) == ["not-checked"]


def test_where_nothing_says_which_is_the_base_only_what_neither_supports_is_a_finding() -> None:
    two = data(r320656=1e6, r320657=1.1e6)
    title = "# r320656 and r320657\n\n"
    assert told(checked("It is 10 % faster.", two, title)) == [
        "agrees results/r320656.pps results/r320657.pps"
    ]
    assert told(checked("It is 9.1 % slower.", two, title)) == [
        "agrees results/r320656.pps results/r320657.pps"
    ]
    assert told(checked("It is 30 % faster.", two, title)) == [
        "claim results/r320656.pps results/r320657.pps"
    ]


def test_a_finding_has_the_words_of_one_against_a_block() -> None:
    [finding] = checked("No impact on IPv6 with tx_abdicate enabled.").findings
    assert finding.message.startswith(
        "The sentence says 'no impact', but r1.D58513/txabdicate_on.inet6.pps against "
        "r1/txabdicate_on.inet6.pps proves a difference: −4.78 %"
    )
    assert [(one.first_line, one.last_line) for one in finding.sources] == [(None, None)] * 2
    assert finding.data in finding.message


def test_few_values_show_no_equality() -> None:
    """The same mean in two scattered sets: no difference proven, and nothing shown."""
    scattered = tuple(1e6 * (1 + 10 * noise) for noise in NOISE)
    files = [NamedValues("off.pps", scattered), NamedValues("on.pps", (*scattered[::-1][:4], 1.001e6))]
    found = data_of(ValueFolder(tuple(files), ()), "results", ("results",), None)
    [finding] = checked("Turning it off has no impact on performance.", found).findings
    assert "does not show it within 1 %: these 5 against 5 values cannot exclude a " in finding.message


def test_without_data_only_claims_of_no_change_are_said_to_be_unchecked() -> None:
    text = f"{TITLE}No regression with IPv6.\n\nD58513 is 44.6 % slower.\n"
    [one] = check_text("README.md", text).unchecked
    assert one.message == "'no regression': no ministat block belongs to it."


def test_a_block_that_a_sentence_belongs_to_goes_before_files() -> None:
    from ministat_samples import report

    text = report("tx_abdicate on is 3 % faster on inet4:\n\n[[up3]]\n")
    found = check_text("README.md", text, data(**CUBE))
    assert found.findings == () and found.claims == 1 and found.agreeing == ()


def test_files_that_differ_only_in_words_that_tell_nothing_are_not_told_apart() -> None:
    """A second run of r1 is no r2, and it leaves open which of both runs r2 is held against."""
    runs = {"r1__inet4": 1e6, "r1__inet4__test": 1.004e6, "r2__inet4": 0.95e6}
    found = checked("IPv4 forwarding is 5 % slower.", data(**runs), "# Impact of r2\n\n")
    assert told(found) == ["not-checked"]
    (left,) = found.unchecked
    assert (
        "it may be about r2.inet4.pps against r1.inet4.pps and r2.inet4.pps against r1.inet4.test.pps"
        in left.message
    )
    del runs["r1__inet4__test"]
    found = checked("IPv4 forwarding is 5 % slower.", data(**runs), "# Impact of r2\n\n")
    assert told(found) == ["agrees results/r1.inet4.pps results/r2.inet4.pps"]
    del runs["r2__inet4"]
    runs["r1__inet4__test"] = 0.95e6
    assert not checked("IPv4 is 5 % slower.", data(**runs), "").agreeing, "even if there are no others"
