"""Which functions of one profile or two are shown, in which unit and order, and what is said of them."""

from collections.abc import Mapping, Sequence
from typing import TypeVar

import msgspec

from fwdtui.core.errors import FwdtuiError
from fwdtui.core.profile import Folded, Idle
from fwdtui.core.profile.comparable import loads, mostly_idle, why_not_per_packet
from fwdtui.core.profile.cut_stacks import Mended, callers, depth_of
from fwdtui.core.profile.functions import (
    Functions,
    Row,
    by_difference,
    by_size,
    counted,
    functions,
    listed,
    rows,
)
from fwdtui.core.profile.scale import Scale, per_million, share
from fwdtui.core.profile.suffixes import aligned
from fwdtui.core.text import clean, ended
from fwdtui.core.units import grouped
from fwdtui.report.functions.sides import ProfileSide, cases_of
from fwdtui.stats.figures import number

T = TypeVar("T")

BUSY, ALL = "busy", "all"
"""What shares refer to: the samples that are not idle, or all."""
OWN, INCLUSIVE = "own", "inclusive"
"""The two tables: functions that were running, and functions that were running or had called what was."""
SIDES = ("A", "B")
NOTHING_IDLE = Idle(frozenset())


class Table(msgspec.Struct, frozen=True):
    """The rows of one table (`kind`: OWN or INCLUSIVE). `others`: the sum of rows not listed, for OWN only.

    `whole`: for each profile, the samples that shares refer to; `rows` and `others` of OWN add up to it.
    """

    kind: str
    rows: tuple[Row, ...]
    others: Row | None
    whole: tuple[int, ...]


class Shown(msgspec.Struct, frozen=True):
    """The tables of one profile (one side) or of two.

    `of`: BUSY or ALL. `under`: only stacks with this function are counted; "": all. `share` and `packets`
    are the units of the figures; `packets`, samples per million packets, is None if it is not known. `notes`:
    sentences that belong to the tables.
    """

    case: str
    sides: tuple[ProfileSide, ...]
    functions: tuple[Functions, ...]
    of: str
    under: str
    share: Scale
    packets: Scale | None
    tables: tuple[Table, ...]
    notes: tuple[str, ...]

    @property
    def idle_shares(self) -> tuple[float | None, ...]:
        """The idle share of all samples of each profile, 0 to 1."""
        return tuple(one.idle_share for one in self.functions)

    @property
    def basis(self) -> str:
        """What the shares refer to, in every table that is shown."""
        if self.under:
            return f"the samples that are in {self.under} or below it"
        return "all samples, idle ones too" if self.of == ALL else "the samples that are not idle"


def shown(
    sides: Sequence[ProfileSide],
    idle: Idle,
    *,
    of: str = BUSY,
    under: str = "",
    most: int | None = None,
) -> Shown:
    """The tables of one side, or of two, with what moved most first.

    `of`, `under`: see Shown. `most`: how many functions are listed in each table; None: all. Raises
    FwdtuiError if a side has no sample to show.
    """
    named = aligned([one.folded for one in sides])
    under = named.renamed.get(under, under)
    every = [
        functions(folded, idle, depth_of(one.profile))
        for folded, one in zip(named.profiles, sides, strict=True)
    ]
    used = every
    if of == ALL:
        used = [counted(one.mended, NOTHING_IDLE) for one in every]
    if under:
        used = [_under(one, under, idle) for one in every]
    for one, of_side in zip(sides, used, strict=True):
        if not of_side.busy:
            what = f"no sample in {under}" if under else "no sample that is not idle"
            raise FwdtuiError(f"{one.title}: {clean(what)}")
    whole = tuple(one.busy for one in used)
    shares = share(whole)
    packets, why_not = _packets(sides, whole)
    order = packets or shares
    tables = []
    for kind in (OWN, INCLUSIVE):
        each: list[Mapping[str, int]] = [one.own if kind == OWN else one.inclusive for one in used]
        found_rows = rows(each)
        ordered = by_difference(found_rows, order) if len(sides) > 1 else by_size(found_rows, order)
        first, others = listed(ordered, most)
        tables.append(Table(kind, tuple(first), others if kind == OWN else None, whole))
    return Shown(
        case=cases_of(sides),
        sides=tuple(sides),
        functions=tuple(every),
        of=of,
        under=clean(under),
        share=shares,
        packets=packets,
        tables=tuple(tables),
        notes=(
            *_notes(sides, every, of),
            *why_not,
            *((named.told,) if named.told else ()),
            *_incomplete(sides),
        ),
    )


def _under(one: Functions, name: str, idle: Idle) -> Functions:
    """The stacks with a function in them, from its outermost call on."""
    kept = (
        (stack[stack.index(name) :], samples)
        for stack, samples in one.mended.folded.stacks.items()
        if name in stack and not idle.covers(stack)
    )
    return counted(Mended(Folded.of(kept)), NOTHING_IDLE)


def _packets(sides: Sequence[ProfileSide], whole: tuple[int, ...]) -> tuple[Scale | None, list[str]]:
    """The scale of samples per million packets, None if there is none; and notes on why not, and on loads."""
    profiles, titles = [one.profile for one in sides], [one.title for one in sides]
    said = [load] if (load := loads(profiles, SIDES)) else []
    if why_not := why_not_per_packet(profiles, titles):
        return None, [why_not, *said]
    return per_million(whole, [one.packets or 0 for one in profiles]), said


def _notes(sides: Sequence[ProfileSide], every: Sequence[Functions], of: str) -> list[str]:
    """What the reader must know before the numbers mean anything."""
    notes = []
    events = {one.profile.event for one in sides if one.profile.event}
    if len(events) > 1:
        both = ", ".join(sorted(events))
        notes.append(f"The two count different events ({both}), so comparing them says little.")
    for side, one in _named(sides, every):
        if mostly := mostly_idle(one.idle_share):
            notes.append(f"{side}{mostly} --under FUNCTION looks at the forwarding alone.")
    shares = [one.idle_share for one in every]
    if of == ALL and len(shares) > 1 and None not in shares:
        parts = " and ".join(f"{number(100 * (one or 0), 1)} %" for one in shares)
        notes.append(
            f"{parts} are idle: for the same work, a side that idles more has smaller shares of all samples."
        )
    for side, one in _named(sides, every):
        if one.mended.depth is not None:
            cut = number(100 * (one.mended.mended + one.mended.left) / one.busy, 1)
            left = 100 * one.mended.left / one.busy
            few = number(left, 1) if left >= 0.05 else "less than 0.1"
            then = callers(one.mended.mended, f"{few} %" if left else "")
            notes.append(f"{side}{one.mended.depth.text} in {cut} % of the busy samples; {then}.")
    return [f"{note[0].upper()}{note[1:]}" for note in notes]


def _incomplete(sides: Sequence[ProfileSide]) -> list[str]:
    """What was skipped when the profiles were read."""
    lines = []
    for side, one in _named(sides, sides):
        lines += [f"{side}{ended(clean(note))}" for note in one.profile.notes[:3]]
        if len(one.profile.notes) > 3:
            lines.append(f"{side}and {grouped(len(one.profile.notes) - 3)} more notes.")
    return lines


def _named(sides: Sequence[ProfileSide], things: Sequence[T]) -> list[tuple[str, T]]:
    """Each of `things`, with the prefix that names its side if there are two."""
    return [(f"{SIDES[n]}: " if len(sides) > 1 else "", one) for n, one in enumerate(things)]
