"""Which facts the sessions have in common, and which differ."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from fwdtui.core.model import Fact, Session
from fwdtui.core.own_facts import GONE
from fwdtui.core.text import clean
from fwdtui.report import hygiene_of
from fwdtui.report.iterations import unread
from fwdtui.report.sides import Side, sessions_of

_MOST = 12
"""Values of one fact of a session that are told."""
_RECENT = 8
"""Kernels, levels and so on between which the iterations of a session mostly change."""
DIFFERS = " (not the same in all iterations)"
"""Said behind the values of a fact that a session's iterations do not have in common."""
_OF_A_CASE = frozenset(("command", "host", "role", "image", "uname"))
"""What an import tells of each case, where its cases differ (`generator.command.v6`), else of the session."""
_TIMES = frozenset(("started", "ended"))
"""What it tells of each case always."""


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
        told = _of_sessions([(session, _cases(sides, session)) for _, session in sessions.values()])
        of_sides = [(label, facts) for (label, _), facts in zip(sessions.values(), told, strict=True)]
    common = _sorted(of_sides)
    # what is alike in hygiene is no fact that the sides share, but told by itself
    differs = _sorted(list(seen.items())).differing if len(seen) == len(of_sides) else ()
    return replace(common, differing=(*common.differing, *differs))


def of_session(session: Session) -> dict[str, Fact]:
    """The facts of a session; those that its iterations do not have in common with all their values.

    What facts an iteration had that cannot be read, nobody knows: it says nothing of them.
    """
    own: list[Mapping[str, Fact]] = []
    for one in (one for case in session.cases for one in case.iterations):
        if one.facts not in own[-_RECENT:] and not unread(one):  # the next are mostly like one of these
            own.append(one.facts)
    told = dict(session.facts)
    for key in dict.fromkeys(key for facts in own for key in facts):
        recorded = session.facts.get(key, GONE)
        values = {text(facts.get(key, recorded)) for facts in own}
        shown = sorted(values)[:_MOST]
        more = [f"{len(values) - _MOST} more"] if len(values) > _MOST else []
        differs = DIFFERS if len(values) > 1 else ""
        told[key] = f"{'; '.join(shown + more)}{differs}"
    return told


def _cases(sides: Sequence[Side], session: Session) -> list[str]:
    """The cases of a session that are among the sides'."""
    all_cases = (one for side in sides for one in side.cases.values())
    return list(
        dict.fromkeys(one.name for one in all_cases if one.session and one.session.path == session.path)
    )


def _of_sessions(sessions: Sequence[tuple[Session, Sequence[str]]]) -> list[dict[str, str]]:
    """The facts of each session, of its cases only those of the ones that are named.

    What one import tells of the session and another of each case, since its cases differ, is compared case by
    case. It is told once if it is the same of all of them, or of one case each.
    """
    split = [
        [(*part, text(fact)) for part, fact in zip(_split(session), session.facts.values(), strict=True)]
        for session, _ in sessions
    ]
    differing = {name for facts in split for name, case, _ in facts if case and name not in _TIMES}
    found: list[dict[str, dict[str, str]]] = []  # name -> case -> text; "": of the session
    for (_, cases), facts in zip(sessions, split, strict=True):
        told: dict[str, dict[str, str]] = {}
        for name, case, value in facts:
            of = cases if name in differing and not case else [case]
            if there := {one: value for one in of if one in ("", *cases)}:
                told.setdefault(name, {}).update(there)
        found.append(told)
    alone = all(len(cases) == 1 for _, cases in sessions)
    once = {
        name
        for name in differing
        if alone
        or (
            len({value for told in found for value in told.get(name, {}).values()}) == 1
            and all(
                len(told.get(name, {})) == len(cases)
                for told, (_, cases) in zip(found, sessions, strict=True)
            )
        )
    }
    return [
        {
            f"{name}.{case}" if case and name not in once else name: value
            for name, of in told.items()
            for case, value in of.items()
        }
        for told in found
    ]


def _split(session: Session) -> Iterator[tuple[str, str]]:
    """The name of each fact, and the case that it is of; "": of the whole session."""
    cases = {case.name for case in session.cases} if session.imported else set()
    for key in session.facts:
        ends = (place for place, mark in enumerate(key) if mark == "." and key[place + 1 :] in cases)
        parts = ((key[:place], key[place + 1 :]) for place in ends)
        named = ((name, case) for name, case in parts if name.rpartition(".")[2] in _OF_A_CASE | _TIMES)
        yield next(named, (key, ""))


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
