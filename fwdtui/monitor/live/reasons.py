"""Why the DUT drops packets now: its drop reasons as shares of what was dropped in the last seconds."""

from collections.abc import Sequence

import msgspec

from fwdtui.core.drop_reasons import growth, stage_of
from fwdtui.core.model import EventSample
from fwdtui.core.reason_counts import ReasonRow

_OLD = 3.0  # seconds after which counts are no longer of now


class ReasonShares(msgspec.Struct, frozen=True):
    """Rows that explain drops of forwarded traffic, in falling order; `drops` is their sum.

    Shares need no clock: when counts arrive says little about when they were read.
    """

    rows: tuple[ReasonRow, ...]
    drops: int

    def share(self, row: ReasonRow) -> float:
        """0 to 1."""
        return row.count / self.drops if self.drops else 0.0


def shares(
    taken: Sequence[EventSample], now: float, inputs: Sequence[str], outputs: Sequence[str]
) -> ReasonShares | None:
    """From the newest counts of one counting; None if it is over, or has only begun. The ports: the DUT's."""
    if not taken or (new := taken[-1].reasons) is None or now - taken[-1].at > _OLD:
        return None
    mine = [one.reasons for one in taken if one.reasons is not None and one.reasons.since == new.since]
    if len(mine) < 2:
        return None
    rows = tuple(row for row in growth(mine[0], new) if stage_of(row, inputs, outputs))
    return ReasonShares(rows, sum(row.count for row in rows))
