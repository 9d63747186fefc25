"""What is judged together: the sides as a view asks for them, the pairs compared, and the interactions."""

from collections.abc import Container, Sequence
from dataclasses import replace
from operator import is_
from typing import NamedTuple

import msgspec

from fwdtui.core.errors import FwdtuiError
from fwdtui.core.model import Caution
from fwdtui.core.units import pps, si
from fwdtui.report.crossing import crosses
from fwdtui.report.factor_view import AS_GIVEN, FactorView
from fwdtui.report.pairing import Pair, pair
from fwdtui.report.sides import Side
from fwdtui.stats.interaction_verdict import Cross
from fwdtui.stats.results import ResultSet

_UNIT = "pps"  # of a load that the user states
_FAR_BELOW = 10.0  # a load so many times below the values is a wrong unit, not a bad bench


class Matched(NamedTuple):
    """What is compared. `sides`: the baseline first. `notes` belong to none of the pairs."""

    sides: tuple[Side, ...]
    pairs: tuple[Pair, ...]
    crosses: tuple[Cross, ...]
    notes: tuple[Caution, ...]


def matched(sides: Sequence[Side], view: FactorView = AS_GIVEN, *, offered: float | None = None) -> Matched:
    """Everything that a comparison of these sides tests. A stop rule tests the same (`report/looking.py`).

    `offered`, in pps, is the offered load of every set of rates that has none of its own. Raises FwdtuiError
    if that load is impossible, or if the sides have no case in common.
    """
    if view != AS_GIVEN:
        from fwdtui.report.by_factor import seen

        sides = seen(sides, view)
    if any(one.result.placed and one.result.placed.looks for side in sides for one in side.cases.values()):
        from fwdtui.report.blocks_over import with_blocks_over

        sides = with_blocks_over(sides)
    own = sides
    if offered is not None:  # before the pairing, which warns of different loads
        units = {one.unit for side in sides for one in side.cases.values()}
        # the values of a plain file are taken to be in the unit that another set names
        in_pps = {"", _UNIT} if units <= {"", _UNIT} else {_UNIT}
        sides = [_under_load(side, offered, in_pps) for side in sides]
    pairing = pair(sides)
    notes = pairing.notes
    if offered is not None and all(map(is_, sides, own)):
        text = "--offered changes nothing: every set has its own offered load, or values that are not in pps"
        notes = (*notes, Caution("offered-unused", text))
    crossed = crosses(sides, pairing.pairs, view)
    return Matched(tuple(sides), pairing.pairs, tuple(crossed.crosses), (*notes, *crossed.notes))


def _under_load(side: Side, load: float, units: Container[str]) -> Side:
    """The side with sets under `load`, or itself if none changes. `units`: those of sets that may have it."""
    loaded = {
        name: _with_load(one.result, load) if one.unit in units else one.result
        for name, one in side.cases.items()
    }
    if all(loaded[name] is one.result for name, one in side.cases.items()):
        return side
    cases = {name: replace(one, result=loaded[name]) for name, one in side.cases.items()}
    return replace(side, cases=cases)


def _with_load(results: ResultSet, load: float) -> ResultSet:
    """The set under a load; itself if it has its own, or no values."""
    if any(rate is not None for rate in results.offered) or not results.values:
        return results
    from fwdtui.stats.describe import describe

    middle = describe(results).median
    if middle is not None and middle > _FAR_BELOW * load:
        raise FwdtuiError(
            f"--offered: {pps(load)} is far below what {results.label} received ({pps(middle)}), "
            f"which is impossible: add the unit, such as {si(middle).replace(' ', '')}"
        )
    return msgspec.structs.replace(results, offered=(load,) * len(results.values))
