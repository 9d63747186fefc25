"""Which warnings bear on a verdict: a reader of "faster" has to see them at the same time.

A warning bears on a verdict if the test and its interval do not allow for what it reports: the two sides
differ in more than the DUT, or the values are not what they seem. Spread, few values and single outliers
widen the interval themselves and are not among them.
"""

from collections.abc import Iterable, Mapping, Sequence

from msgspec.structs import replace

from fwdtui.core import offered, super_packets
from fwdtui.core.model import Caution
from fwdtui.report.iterations import ATTEMPTS_UNREAD, DROPPED, FAILED, SELECTED, UNKNOWN, UNREAD
from fwdtui.stats.results import EXCLUDED, INCONCLUSIVE, Comparison, Interaction, Judged

MARK = "!"

MEANING: Mapping[str, str] = {
    "loads-differ": "the two were offered different loads, so not only the DUT differs",
    "forwarded-differs": "the two forwarded different rates, and what a packet costs depends on the rate",
    "load-unknown": "what a packet costs depends on the load, which is unknown on at least one side",
    "machine-wide": "the work of generator or receiver on the same cores is in the values",
    "few-ticks": "too few ticks of the kernel's clock were counted for an exact time",
    "multiplexed": "events shared their counters, and a part of the counts is extrapolated",
    offered.CODE: "more was received than offered, so a rate or a load is wrong",
    offered.ATTACK_CODE: "an attack was received too, so a value is not that of the wanted traffic",
    super_packets.CODE: "GRO or TSO joins packets that a driver counts as one, so a rate is too low",
    "partly-capped": "some values are lower bounds, so their mean is too low",
    "factors-differ": "the two were not measured under the same conditions, and not only the DUT differs",
    "confounded": "another factor changes along with the compared one, and the difference may be due to it",
    "factor-unknown": "a factor is unknown on at least one side, so the difference may be due to it",
    "units-mixed": "one side's values are in different units",
    "frames-mixed": "one side's values are of frames of different lengths",
    "trim-differs": "the two sides' values were taken by different methods",
    "trim-mixed": "one side's values were taken by different methods",
    "no-unit": "a plain file's values were assumed to be in the other side's unit",
    offered.ABOVE_LINE_RATE: "a value is above line rate, so a rate, or what is known of the link, is wrong",
    "negative-value": "a negative value, which no rate can have, is counted",
    "blocks-apart": "the sides of a block were measured at different times, so not all blocks are pairs",
    "medians-otherwise": "the medians weight blocks or boots differently, and point the other way",
    "two-clusters": "the DUT has two modes, and the verdict may only reflect which of them occurred",
    "drift": "the values follow a trend, so it matters when they were measured",
    "small-but-real": "the difference is proven, though smaller than the margin",
    "same-data": "both sides hold the same values, or nearly, so nothing was compared",
    "repeated-data": "a side holds the same values more than once, so its interval is too narrow",
    "unequal-n": "one side has too few values compared with the other for a reliable test",
    "one-boot": "a side ran on a single boot, so the difference may be one between boots",
    "boot-unknown": "the boot of some iterations is not known, so those that share a boot are not told apart",
    "unplanned-look": "the data were looked at before the planned moment, which makes more false claims",
    "sequential": "one side was measured after the other, so the difference may be a drift of the lab",
    "zero-spread": "values without any spread give an interval that is too narrow",
    EXCLUDED: "recorded iterations have no usable value, so the side is judged by the others alone",
    DROPPED: "the values that count were chosen by hand",
    FAILED: "attempts without a usable rate were repeated until there was a value",
    SELECTED: "the values are those of the attempts that worked, and a third or more did not",
    UNREAD: "what was dropped by hand cannot be read, so iterations may count that should not",
    ATTEMPTS_UNREAD: "it is not known which attempts were sound, so iterations may count that should not",
    "trial-twice": "a trial that was measured again counts with both values",
    "unsteady": "a run never settled, so its value is not a steady rate",
    "level-shift": "the level changed within a run, so its median depends on how long each level lasted",
    "equilibrium-unsteady": "a search forwarded more without loss in another step than its result says",
    "mean-differs": "the mean of a run differs from its median, so its value does not reflect all of it",
    "logs-differ": "a receiver's and a generator's log do not cover the same time",
    "outage": "the traffic stopped within a measured window",
    "no-traffic": "a run in which nothing arrived is counted",
    "not-received": "it is not known what a receiver received, so a value is what the DUT forwarded",
    "others-sent": "somebody else sent at the same time, so a value is not of the load that was meant",
    "generator-idle": "one of several generators sent nothing, so a value covers only what the others sent",
    "port-idle": "one of several ports of the DUT carried nothing, so a value covers only the others",
    "receiver-partial": (
        "the receiver sees only one of several outputs of the DUT, so a value covers only part of the traffic"
    ),
    "fragmented": "the DUT fragments packets, so a rate counts fragments, and losses are not known",
    "value-gap": "a tenth or more of a run has no samples, so its value covers only the rest",
    "damaged-log": "parts of a log could not be read, so a value covers only the rest",
    "crashed": "a tool crashed during a run that is counted",
    "sender-unread": "nothing says what a generator sent, so a value may be all that was offered",
    "receivers-several": "a further receiver's packets are not counted",
    "several-runs": "a log holds several runs, so a value or a load may be that of another run",
    "copied-log": "a log is that of another run, so one measurement counts twice",
    "several-tools": "several tools printed as one, and a rate is that of one of them",
    "hygiene-changed": "governor, frequency or the CPUs of a host changed during a run that is counted",
    "link-down": "a link went down during a run that is counted",
    "host-lost": "a host was lost during a run that is counted, and nobody knows what it did meanwhile",
    "reboot": "a host was rebooted during a run that is counted",
    "tool-failed": "a generator or receiver failed during a run that is counted",
    "pause-frames": "flow control held traffic back, so the offered load is not what was asked for",
    "ended-early": "a run that was cut short is counted",
    "generator-ended": "a generator ended before its time was over, so a value covers less time",
}
"""Code -> why the verdict must not be read without it."""

UNSOUND = frozenset(
    (
        *(
            "same-data",
            "repeated-data",
            "no-traffic",
            "negative-value",
            "units-mixed",
            "frames-mixed",
            "zero-spread",
        ),
        *("factors-differ", "logs-differ", "outage", "crashed", "receivers-several", offered.CODE),
        *(offered.ATTACK_CODE, "receiver-partial", "several-runs", "several-tools", SELECTED, *UNKNOWN),
        "copied-log",
        *(super_packets.CODE, "fragmented"),
    )
)
"""The warnings that the numbers themselves are wrong, so that they prove nothing.

The others report an unfair or narrow comparison of correct numbers, which the reader can judge.
"""

_CLAIMS = ("faster", "slower", "equivalent")  # the other verdicts claim nothing


def codes(comparison: Comparison, not_slower: bool = False) -> tuple[str, ...]:
    """The codes of the warnings that bear on the verdict, each once, in their order; most verdicts have none.

    `not_slower`: that the candidate is not slower is claimed, too, if that is proven.
    """
    if comparison.verdict not in _CLAIMS and not (not_slower and comparison.not_slower.proven):
        return ()
    return _bearing(comparison.warnings)


def unsound(comparison: Comparison) -> tuple[str, ...]:
    """The codes of the warnings that rule out any proof from these data, whatever the verdict is."""
    return tuple(code for code in _bearing(comparison.warnings) if code in UNSOUND)


def _bearing(warnings: Iterable[Caution]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(one.code for one in warnings if one.code in MEANING))


def marked(interactions: Sequence[Interaction], judged: Sequence[Judged]) -> list[Interaction]:
    """The interactions with the warnings on their two comparisons that bear on their verdicts."""
    warnings_of = {(one.comparison.case, one.other.label): one.comparison.warnings for one in judged}
    shown = []
    for one in interactions:
        of_both = [warnings_of[case, one.other] for case in one.cases]
        codes = tuple(dict.fromkeys(code for found_there in of_both for code in _bearing(found_there)))
        claims = one.verdict != INCONCLUSIVE
        # a difference inside the margin casts no doubt on whether the effect depends on the factor
        shown.append(
            replace(one, marked_by=tuple(c for c in codes if c != "small-but-real")) if claims else one
        )
    return shown


def mark(comparison: Comparison) -> str:
    """What follows a verdict wherever one is shown: `` !`` or nothing."""
    return f" {MARK}" if codes(comparison) else ""


def by_code(judged: Iterable[Judged]) -> dict[str, list[str]]:
    """Each code that bears on a verdict, and the cases whose verdict it bears on."""
    cases_of: dict[str, list[str]] = {}
    for one in judged:
        for code in codes(one.comparison):
            cases = cases_of.setdefault(code, [])
            if one.comparison.case not in cases:
                cases.append(one.comparison.case)
    return cases_of
