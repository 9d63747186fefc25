"""When the trials of an experiment were measured, for the pairs of its blocks (stats/sittings.py)."""

import math
from collections.abc import Iterable, Sequence
from itertools import chain

from msgspec.structs import replace

from fwdtui.core.model import Iteration, Session, moment
from fwdtui.stats.results import Attempt, Placed


def with_times(placed: Placed, session: Session, used: Sequence[Iteration]) -> Placed:
    """`placed` with the times at which these iterations were measured; unchanged if one is not known."""
    times, planned = began(used), used[-1].planned
    if not times or planned is None:
        return placed
    return replace(placed, began=times, attempts=attempts(session, used, planned.experiment))


def began(iterations: Iterable[Iteration]) -> tuple[float, ...]:
    """When each iteration began, in seconds since 1970; empty unless that is known of all."""
    times = tuple(moment(one.began) for one in iterations)
    return times if all(map(math.isfinite, times)) else ()


def attempts(session: Session, used: Sequence[Iteration], experiment: str) -> tuple[Attempt, ...]:
    """Every attempt of an experiment's trials that a session has, by time, including those that do not count.

    `used` are among them, even if they form a cell that is not a case of the session.
    """
    every = chain(used, *(case.iterations for case in session.cases))
    found = {
        Attempt(moment(one.began), planned.block, planned.trial)
        for one in every
        if (planned := one.planned) is not None and planned.experiment == experiment and one.profile is None
    }
    return tuple(sorted(one for one in found if math.isfinite(one.began)))
