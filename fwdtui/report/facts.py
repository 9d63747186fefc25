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
"""The most values of one fact of a session that are listed."""
_RECENT = 8
"""How many of the latest sets of facts an iteration's are compared with.

The iterations of a session mostly change between fewer kernels, levels and so on.
"""
DIFFERS = " (not the same in all iterations)"
"""Written after the values of a fact that a session's iterations do not have in common."""
_OF_A_CASE = frozenset(("command", "host", "role", "image", "uname"))
"""Facts that an import gives for each case (`generator.command.v6`) if its cases differ.

Otherwise it gives them for the session.
"""
TIMES = frozenset(("started", "ended"))
"""Facts that an import always gives for each case."""


@dataclass(frozen=True, slots=True)
class Facts:
    """The facts of several sessions or sides, as people write them.

    `shared`: key and value. `differing`: key and a value for each session or side, in the order of `labels`.
    """

    shared: tuple[tuple[str, str], ...]
    labels: tuple[str, ...]
    differing: tuple[tuple[str, tuple[str, ...]], ...]


def compare(sides: Sequence[Side]) -> Facts:
    """The facts of all sides that are sessions; a session named twice counts once. Keys are as recorded.

    If iterations have facts or findings of their own, as in an experiment, each side has those of its
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
    # findings of hygiene that the sides share are not among their shared facts: they are told separately
    differs = _sorted(list(seen.items())).differing if len(seen) == len(of_sides) else ()
    return replace(common, differing=(*common.differing, *differs))


def of_session(session: Session) -> dict[str, Fact]:
    """The facts of a session; one that its iterations do not have in common lists up to `_MOST` values.

    An iteration that cannot be read adds nothing: its facts are not known.
    """
    own: list[Mapping[str, Fact]] = []
    for one in (one for case in session.cases for one in case.iterations):
        if one.facts not in own[-_RECENT:] and not unread(one):  # most iterations have one of the latest
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
    """The facts of each session; facts of single cases only for the cases that are named with it.

    If one import gives a fact for the whole session and another for each case, because its cases differ, the
    fact is compared case by case. It is given once if it is the same for all of them, or if only one case of
    each session is named.
    """
    split = [
        [(*part, text(fact)) for part, fact in zip(_split(session), session.facts.values(), strict=True)]
        for session, _ in sessions
    ]
    differing = {name for facts in split for name, case, _ in facts if case and name not in TIMES}
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
    """The name of each fact, and the case that it belongs to; "": to the whole session."""
    cases = {case.name for case in session.cases} if session.imported else set()
    for key in session.facts:
        ends = (place for place, mark in enumerate(key) if mark == "." and key[place + 1 :] in cases)
        parts = ((key[:place], key[place + 1 :]) for place in ends)
        named = ((name, case) for name, case in parts if name.rpartition(".")[2] in _OF_A_CASE | TIMES)
        yield next(named, (key, ""))


def _of_iterations(side: Side) -> dict[str, str]:
    """The facts under which a side's values were measured; several texts of one fact are joined by "; ".

    An iteration's own facts replace its session's, such as those of another kernel after a reboot. If some of
    the side's values were measured without a fact, "–" is among its texts.
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
    """The facts as shared and differing ones. `facts_of`: labels, and facts as people write them."""
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
