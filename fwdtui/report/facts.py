"""Which facts the sessions have in common, and which differ."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from fwdtui.core.model import Fact, Session
from fwdtui.core.own_facts import GONE
from fwdtui.core.text import clean
from fwdtui.report import hygiene_of
from fwdtui.report.sides import Side, sessions_of

_MOST = 12
"""Values of one fact of a session that are told."""


@dataclass(frozen=True, slots=True)
class Facts:
    """`shared`: key and value. `differing`: key and a value for each session or side, ordered as `labels`."""

    shared: tuple[tuple[str, str], ...]
    labels: tuple[str, ...]
    differing: tuple[tuple[str, tuple[str, ...]], ...]


def compare(sides: Sequence[Side]) -> Facts:
    """The facts of all sides that are sessions; a session named twice counts once. Keys as recorded.

    Where iterations have facts or findings of their own, as in an experiment, each side has those of its
    iterations.
    """
    own = any(iteration.facts for side in sides for case in side.cases.values() for iteration in case.used)
    if own or hygiene_of.is_by_side(sides):
        seen = hygiene_of.facts_of_sides(sides)
        of_sides = [(side.label, _of_iterations(side)) for side in sides if side.sessions]
    else:
        sessions = {session.path: (label, session) for label, session in sessions_of(sides)}
        seen = hygiene_of.facts_of_sessions(dict(sessions.values()))
        of_sides = [
            (label, {key: text(one) for key, one in session.facts.items()})
            for label, session in sessions.values()
        ]
    common = _sorted(of_sides)
    # what is alike in hygiene is no fact that the sides share, but told by itself
    differs = _sorted(list(seen.items())).differing if len(seen) == len(of_sides) else ()
    return replace(common, differing=(*common.differing, *differs))


def of_session(session: Session) -> dict[str, Fact]:
    """The facts of a session; those that its iterations do not have in common with all their values."""
    iterations = [one for case in session.cases for one in case.iterations]
    told = dict(session.facts)
    for key in dict.fromkeys(key for one in iterations for key in one.facts):
        values: set[str] = set()
        last: Fact | None = None
        for one in iterations:
            fact = one.facts.get(key, session.facts.get(key, GONE))
            if fact != last:  # the next ten thousand are mostly alike
                values.add(text(fact))
            last = fact
        shown = sorted(values)[:_MOST]
        more = [f"{len(values) - _MOST} more"] if len(values) > _MOST else []
        differs = " (not the same in all iterations)" if len(values) > 1 else ""
        told[key] = f"{'; '.join(shown + more)}{differs}"
    return told


def _of_iterations(side: Side) -> dict[str, str]:
    """The facts under which the values of a side were measured; several of one key stand beside each other.

    An iteration's own facts replace its session's: of another kernel, after a reboot. What some of the side's
    values were measured without is "–" beside what the others had.
    """
    texts: dict[str, dict[str, None]] = {}
    counted: dict[str, int] = {}
    measured = 0
    for case in side.cases.values():
        session = case.session.facts if case.session is not None else {}
        for own in {id(one.facts): one.facts for one in case.used}.values():
            measured += 1
            for key, fact in {**session, **own}.items():
                texts.setdefault(key, {})[text(fact)] = None
                counted[key] = counted.get(key, 0) + 1
    for key, told in texts.items():
        if counted[key] < measured:
            told[GONE] = None
    return {key: "; ".join(sorted(told)) for key, told in texts.items() if told.keys() != {GONE}}


def _sorted(facts_of: Sequence[tuple[str, Mapping[str, str]]]) -> Facts:
    """`facts_of`: a label and its facts as people write them."""
    keys = list(dict.fromkeys(key for _, facts in facts_of for key in facts))
    shared: list[tuple[str, str]] = []
    differing: list[tuple[str, tuple[str, ...]]] = []
    for key in keys:
        values = tuple(facts.get(key, GONE) for _, facts in facts_of)
        if len(set(values)) == 1:
            shared.append((clean(key), values[0]))
        else:
            differing.append((clean(key), values))
    return Facts(tuple(shared), tuple(label for label, _ in facts_of), tuple(differing))


def text(fact: Fact) -> str:
    """A fact as people write it."""
    if isinstance(fact, list):
        return ", ".join(clean(item) for item in fact)
    if isinstance(fact, bool):
        return "yes" if fact else "no"
    return clean(f"{fact:.12g}" if isinstance(fact, float) else str(fact))
