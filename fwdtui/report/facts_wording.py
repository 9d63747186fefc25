"""Which facts of the lab differ, in one sentence: the rows of the report's "Lab: what differs"."""

from fwdtui.core.own_facts import GONE
from fwdtui.report.cells import shorten_apart
from fwdtui.report.facts import TIMES, Facts

_NAMED = 4
"""The most facts that the sentence names."""
_VALUE = 60  # the most characters of a value


def sentence(common: Facts) -> str:
    """``2 facts of the lab differ: dut.firewall_rules: 0 -> 100; ...``; empty if no recorded fact differs.

    If there are more than two sides, only how many values a fact has is told.
    """
    rows = common.differing
    if not rows:
        return ""
    # the times of an import's logs always differ
    telling = [row for row in rows if row[0].partition(".")[0] not in TIMES] or rows
    told = [f"{key}: {_values(values)}" for key, values in telling[:_NAMED]]
    more = len(rows) - len(told)
    left = [f"and {more:,} more, which the report lists"] if more else []
    count = "1 fact of the lab differs" if len(rows) == 1 else f"{len(rows):,} facts of the lab differ"
    return f"{count}: {'; '.join([*told, *left])}."


def _values(values: tuple[str, ...]) -> str:
    if len(values) > 2:
        return f"{len(set(values))} values"
    return " -> ".join(shorten_apart([_shown(value) for value in values], _VALUE))


def _shown(value: str) -> str:
    if value == GONE:
        return "not recorded"
    return f'"{value}"' if any(character in value for character in ' ",;') else value
