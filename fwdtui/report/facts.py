"""Which facts the sessions have in common, and which differ."""

from collections.abc import Sequence
from dataclasses import dataclass

from fwdtui.core.model import Fact
from fwdtui.core.text import clean
from fwdtui.report.sides import Side, sessions_of

_ABSENT = "–"


@dataclass(frozen=True, slots=True)
class Facts:
    """`shared`: key and value. `differing`: key and one value per session, in the order of `labels`."""

    shared: tuple[tuple[str, str], ...]
    labels: tuple[str, ...]
    differing: tuple[tuple[str, tuple[str, ...]], ...]


def compare(sides: Sequence[Side]) -> Facts:
    """The facts of all sides that are sessions; a session named twice counts once. Keys as recorded."""
    sessions = {session.path: (label, session.facts) for label, session in sessions_of(sides)}
    facts_of = list(sessions.values())
    keys = list(dict.fromkeys(key for _, facts in facts_of for key in facts))
    shared: list[tuple[str, str]] = []
    differing: list[tuple[str, tuple[str, ...]]] = []
    for key in keys:
        values = tuple(text(facts[key]) if key in facts else _ABSENT for _, facts in facts_of)
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
