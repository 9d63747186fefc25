"""Drop reasons of the two sides of a comparison, reason by reason, as shares of what was sent."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from fwdtui.core.drop_reasons import UNACCOUNTED, lost_by_stage, unexplained
from fwdtui.core.drop_reasons_text import named, remarks, sent_in_all, where, why_lost
from fwdtui.core.drop_reasons_text import percent as percent_of
from fwdtui.core.model import Iteration, Packets
from fwdtui.core.text import clean
from fwdtui.report import comparison
from fwdtui.report.comparison import Compared
from fwdtui.report.escape import code, inline
from fwdtui.report.markup import table
from fwdtui.stats.figures import NONE
from fwdtui.stats.results import Judged

WITHOUT = "without a reason"
UNKNOWN = "Iterations of which not all that was sent, or not all that came out, is known are left out."
_MOST = 12  # reasons in a table; the others are one row


@dataclass(frozen=True, slots=True)
class SideReasons:
    """One side's lost packets by reason, or by stage if without one, as shares of what was sent (0 to 1).

    They are summed over those of its iterations whose reasons were counted from beginning to end, and of
    which all that was sent is known: `counted` of `of`. `lost`: all of the shares together. `notes`: what
    must be known to read them. What was sent is the offered load, and an attack's packets if there was one
    (`attacked`).
    """

    label: str
    shares: Mapping[str, float]
    lost: float
    counted: int
    of: int
    notes: tuple[str, ...] = ()
    attacked: bool = False


def sides(compared: Compared, judged: Judged) -> tuple[SideReasons, SideReasons]:
    """The reasons of the baseline and of the candidate of one verdict."""
    case = judged.comparison.case
    labels = judged.base.label, judged.other.label
    # verdicts on sets without sessions have no sides
    used = {side.label: comparison.used(side, case) for side in compared.sides if side.label in labels}
    base, other = (side_of(label, used.get(label, ())) for label in labels)
    return base, other


def side_of(label: str, used: Sequence[Iteration]) -> SideReasons:
    """The reasons of iterations that belong together. What has no counted reason is shared out to none."""
    offered = lost = 0
    counts: dict[str, float] = {}
    notes: dict[str, None] = {}
    counted = 0
    attacked = False
    for packets in (one.packets for one in used):
        if packets is None or packets.reasons is None:
            continue
        sent = sent_in_all(packets)
        notes |= {UNKNOWN: None} if sent is None else dict.fromkeys(remarks(packets.reasons))
        if not sent or not packets.reasons.whole:
            continue
        counted += 1
        attacked |= bool(packets.attack)
        offered += sent
        lost += sum(lost_by_stage(packets).values())
        for name, count in _explained(packets):
            counts[name] = counts.get(name, 0.0) + count
        for stage, left in unexplained(packets).items():
            name = f"{stage}, {WITHOUT}"
            counts[name] = counts.get(name, 0.0) + left
    shares = {clean(name): count / offered for name, count in counts.items()} if offered else {}
    whole = lost / offered if offered else 0.0
    return SideReasons(label, shares, whole, counted, len(used), tuple(notes), attacked)


def of_what(both: Sequence[SideReasons]) -> str:
    """What the shares refer to, for a table's head: an attack's packets are sent, but not offered."""
    if any(side.attacked for side in both):
        return "of all that was sent, the attack too"
    return "of what was offered"


def _explained(packets: Packets) -> Iterator[tuple[str, float]]:
    """Each reason, and how many of the account's lost packets it explains: never more than its stage lost."""
    reasons = packets.reasons
    if reasons is None:
        return
    counted = [row for row in reasons.rows if row.count > 0]
    by_stage: dict[str, int] = {}
    for row in counted:
        by_stage[row.stage] = by_stage.get(row.stage, 0) + row.count
    for row in counted:
        if row.stage and (explained := reasons.explained.get(row.stage)):
            place = "" if row.stage == UNACCOUNTED else f" ({row.stage})"
            yield f"{named(row)}{place}", row.count * explained / by_stage[row.stage]


def rows(base: SideReasons, other: SideReasons) -> list[tuple[str, float | None, float | None]]:
    """Each reason of either side with both shares, the largest first; None: that side counted none."""
    names = {name: max(base.shares.get(name, 0.0), other.shares.get(name, 0.0))
             for name in (*base.shares, *other.shares)}  # fmt: skip
    order = sorted(names, key=lambda name: (-names[name], name))
    known = [None if not side.counted else side.shares for side in (base, other)]

    def share(name: str) -> tuple[str, float | None, float | None]:
        a, b = (None if shares is None else shares.get(name, 0.0) for shares in known)
        return name, a, b

    listed = [share(name) for name in order[:_MOST]]
    if rest := order[_MOST:]:
        a, b = (None if s is None else sum(s.get(name, 0.0) for name in rest) for s in known)
        listed.append((f"{len(rest)} other{'s' * (len(rest) != 1)}", a, b))
    return listed


def percent(share: float | None) -> str:
    """``4.204 %``; a dash if nothing was counted."""
    return NONE if share is None else percent_of(share, 3)


def _cell(share: float | None) -> str:
    return inline(percent(share), cell=True)


def told(side: SideReasons) -> str:
    """How many of the side's iterations the shares are from: ``3 of 5 iterations``."""
    return f"{side.counted} of {side.of} iteration{'s' * (side.of != 1)}"


def of_case(compared: Compared, results: Sequence[Judged]) -> Iterator[str]:
    """A case's tables for a report, one for each comparison; nothing if no side counted reasons."""
    for one in results:
        both = sides(compared, one)
        if not any(side.counted or side.notes for side in both):
            continue
        labels = (inline(side.label, cell=True) for side in both)
        head = [f"dropped by the DUT, {of_what(both)}", *labels]
        body = [[code(name, cell=True), _cell(a), _cell(b)] for name, a, b in rows(*both)]
        lost = [_cell(side.lost if side.counted else None) for side in both]
        yield "Why packets were dropped, by the kernel's own reasons and the function that dropped:\n"
        yield table(head, [*body, ["all lost packets", *lost]], right=(1, 2))
        yield f"Counted in {' and '.join(f'{told(side)} of {inline(side.label)}' for side in both)}.\n"
        yield from (f"{inline(note)}\n" for note in dict.fromkeys(n for side in both for n in side.notes))


def compared_json(compared: Compared) -> list[dict[str, Any]]:
    """For each comparison with reasons: both sides' shares of what was sent, by reason."""
    entries = []
    for one in compared.judged:
        both = sides(compared, one)
        if any(side.counted for side in both):
            entries.append(
                {
                    "case": one.comparison.case,
                    "sides": [
                        {
                            "label": side.label,
                            "iterations": side.counted,
                            "lost": side.lost if side.counted else None,
                            "reasons": dict(sorted(side.shares.items(), key=lambda pair: -pair[1])),
                            "notes": list(side.notes),
                        }
                        for side in both
                    ],
                }
            )
    return entries


def plain(packets: Packets) -> dict[str, Any] | None:
    """An iteration's reasons with every field, for JSON; None if they were not asked for."""
    reasons = packets.reasons
    if reasons is None:
        return None
    return {
        "why": why_lost(packets),
        "means": reasons.means,
        "scope": reasons.scope,
        "seconds": reasons.seconds,
        "whole": reasons.whole,
        "missed": reasons.missed,
        "explained": dict(reasons.explained),
        "unexplained": unexplained(packets),
        "rows": [
            {
                "reason": row.reason,
                "location": row.location,
                "device": row.device,
                "count": row.count,
                "stage": row.stage or None,
                "place": row.place or None,
                "where": where(row),
            }
            for row in reasons.rows
        ],
        "notes": remarks(reasons),
    }
