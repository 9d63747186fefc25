"""Sessions in memory whose cases are the levels of a factor, so that sweeps are tried without a disk."""

from collections.abc import Mapping, Sequence

from fwdtui.core.factors import FactorValue
from fwdtui.core.model import Case, Caution, Fact, Iteration, Session, Summary
from fwdtui.report.cells_of import trials
from fwdtui.report.sweep import Sweep, Sweeps, Wanted, sweeps

Values = Sequence[float | Iteration | None]


def case(name: str, values: Values, offered: float | None = None, **factors: FactorValue) -> Case:
    """A case with its factors; None: an iteration without a value. `offered`: the load of each."""
    made = []
    for index, value in enumerate(values, 1):
        if isinstance(value, Iteration):
            made.append(value)
            continue
        load = {} if offered is None else {"offered": Summary(offered, offered, offered, offered, 9)}
        made.append(Iteration(index, value, complete=value is not None, metrics=load))
    return Case(name, tuple(made), factors)


def session(
    label: str,
    *cases: Case,
    facts: Mapping[str, Fact] | None = None,
    imported: str = "",
    **factors: FactorValue,
) -> Session:
    """A session with its factors."""
    return Session(f"/s/{label}", label, "", facts or {}, cases, factors=factors, imported=imported)


def around(median: float, part: float = 0.001) -> list[float]:
    """Five values with this median; least and greatest differ from it by `part` of it."""
    return [round(median * (1 + part * step), 3) for step in (-1, 0.5, 0, -0.5, 1)]


def queues(label: str, medians: Mapping[FactorValue, float], **factors: FactorValue) -> Session:
    """A sweep over queues in frames of 64 bytes."""
    cases = [case(str(level), around(median), queues=level) for level, median in medians.items()]
    return session(label, *cases, frame_size=64, **factors)


BENT = {1: 1.5e6, 2: 3e6, 4: 6e6, 8: 7e6, 16: 7.2e6}
"""Linear up to 4 queues."""


def swept(*sessions: Session, **wanted: object) -> Sweeps:
    """The sweeps of these sessions; the keywords are those of Wanted."""
    return sweeps(trials(sessions), Wanted(**wanted))  # type: ignore[arg-type]


def one(*sessions: Session, **wanted: object) -> Sweep:
    """The only chart."""
    (chart,) = swept(*sessions, **wanted).charts
    return chart


def warned(value: float, code: str, text: str, index: int = 1) -> Iteration:
    """An iteration with a warning."""
    return Iteration(index, value, warnings=(Caution(code, text),))
