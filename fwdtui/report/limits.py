"""What limited the iterations of each side of a comparison: a change of the bottleneck explains a verdict."""

from collections import Counter
from dataclasses import dataclass

from fwdtui.core.drop_reasons_text import why_lost
from fwdtui.core.text import clean
from fwdtui.report import comparison
from fwdtui.report.comparison import Compared
from fwdtui.stats.figures import listing
from fwdtui.stats.results import Judged


@dataclass(frozen=True, slots=True)
class Limits:
    """One side: how many of its iterations had which limit, the most frequent first.

    `of`: the iterations that count. `sentence`: the diagnosis of the iteration nearest to the median, "" if
    it has none. `why_lost`: why that one's packets were dropped, "" if the DUT's reasons were not counted.
    """

    label: str
    counts: tuple[tuple[str, int], ...]
    of: int
    sentence: str = ""
    why_lost: str = ""

    @property
    def main(self) -> str:
        """The limit of more than half of the iterations, "" if there is none."""
        return next((code for code, count in self.counts if 2 * count > self.of), "")

    def in_words(self) -> str:
        """``DUT-limited in 4 of 5 iterations, generator-limited in 1``"""
        if not self.of:
            return "no iteration that counts"
        if not self.counts:
            return "what limited it was not recorded"
        parts = [f"{name(code)} in {count}" for code, count in self.counts]
        parts[0] += f" of {self.of} iteration{'s' * (self.of != 1)}"
        return ", ".join(parts)


def limits(compared: Compared, judged: Judged) -> tuple[Limits, Limits]:
    """The limits of the baseline and of the candidate of one verdict."""
    case = judged.comparison.case
    base, other = (_of_side(compared, label, case) for label in (judged.base.label, judged.other.label))
    return base, other


def _of_side(compared: Compared, label: str, case: str) -> Limits:
    used = comparison.used(compared.side(label), case)
    packets = used[comparison.middle(used)].packets if used else None
    why = clean(why_lost(packets)) if packets is not None else ""
    counted = Counter(clean(one.limit.code) for one in used if one.limit is not None)
    if not counted:
        return Limits(label, (), len(used), why_lost=why)
    middle = used[comparison.middle(used)].limit
    return Limits(label, tuple(counted.most_common()), len(used), clean(middle.text) if middle else "", why)


def changed(base: Limits, other: Limits) -> str:
    """Whether the bottleneck changed, in a sentence; "" if that is not known."""
    if not base.main or not other.main:
        unclear = [one.label for one in (base, other) if one.counts and not one.main]
        return f"The iterations of {listing(unclear)} do not agree on their limit." if unclear else ""
    if base.main == other.main:
        return f"The bottleneck is the same: both are {name(base.main)}."
    return f"The bottleneck changed: {base.label} is {name(base.main)}, {other.label} is {name(other.main)}."


def name(code: str) -> str:
    """``dut-limited`` as people write it."""
    return code.replace("dut-", "DUT-")
