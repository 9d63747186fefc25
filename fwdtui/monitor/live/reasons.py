"""Why the DUT drops packets now: each reason's share of the drops that have one, in the last seconds."""

from collections.abc import Sequence

import msgspec

from fwdtui.core.drop_reasons import growth, stage_of
from fwdtui.core.model import EventSample
from fwdtui.core.reason_counts import MACHINE, ReasonRow

_OLD = 3.0  # seconds after which counts are no longer current


class ReasonShares(msgspec.Struct, frozen=True):
    """Drop reasons of forwarded traffic in falling order of their counts; `drops` is the sum of the counts.

    They are given as shares and not as rates, because when counts arrive says little about when they were
    read.
    """

    rows: tuple[ReasonRow, ...]
    drops: int
    stages: frozenset[str] = frozenset()
    """The stages that the rows explain; what another stage drops has no reason and is in no share."""
    machine: bool = False
    """Whether they are those of the whole machine, of which the DUT's cannot be told apart."""

    def share(self, row: ReasonRow) -> float:
        """The row's share of the drops that have a reason, 0 to 1."""
        return row.count / self.drops if self.drops else 0.0


def shares(
    taken: Sequence[EventSample], now: float, inputs: Sequence[str], outputs: Sequence[str]
) -> ReasonShares | None:
    """Shares from the newest counts since the counting was started; None if it is over or has only begun.

    `taken`: the newest events with counts, oldest first. `inputs`, `outputs`: the DUT's ports.
    """
    if not taken or (new := taken[-1].reasons) is None or now - taken[-1].at > _OLD:
        return None
    mine = [one.reasons for one in taken if one.reasons is not None and one.reasons.since == new.since]
    if len(mine) < 2:
        return None
    placed = [(row, stage_of(row, inputs, outputs)) for row in growth(mine[0], new)]
    rows = tuple(row for row, stage in placed if stage)
    stages = frozenset(stage for row, stage in placed if stage and row.count)
    return ReasonShares(rows, sum(row.count for row in rows), stages, new.scope == MACHINE)
