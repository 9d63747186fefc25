"""Lab hygiene of a session: what was found, and what changed meanwhile. `hygiene_of` says whose it is."""

from collections.abc import Sequence
from itertools import groupby, pairwise

from fwdtui.core.findings import HostFindings
from fwdtui.core.model import Caution, Session
from fwdtui.core.sentences import after_colon
from fwdtui.core.text import clean
from fwdtui.report.sides import Side, sessions_of

CHANGED = "hygiene-changed"
"""The code of the warning that something changed on a host while a session was recorded."""
_ABSENT, _UNREAD = "–", "not read"
_TOLD = 6
"""The most states, one after another, that are told in full; a reading may be made after each blast."""


def is_experiment(session: Session) -> bool:
    """Whether a session is that of an experiment, which changes its hosts itself."""
    return any(iteration.planned is not None for case in session.cases for iteration in case.iterations)


def by_host(session: Session) -> dict[str, list[HostFindings]]:
    """Host -> its readings, in the order in which they were made."""
    readings: dict[str, list[HostFindings]] = {}
    for reading in session.hygiene:
        readings.setdefault(reading.host, []).append(reading)
    return readings


def known(session: Session) -> dict[str, list[HostFindings]]:
    """Host -> what was known of it after each reading: what one could not read is as it was before."""
    told: dict[str, list[HostFindings]] = {}
    for reading in session.hygiene:
        earlier = told.setdefault(reading.host, [])
        earlier.append(reading.after(earlier[-1] if earlier else None))
    return told


def latest(session: Session) -> tuple[HostFindings, ...]:
    """What was known of each host at the end."""
    return tuple(readings[-1] for readings in known(session).values())


def facts(session: Session) -> dict[str, str]:
    """``"dut.hygiene.eth0 pause"`` -> what was seen; several if it changed while the session was recorded."""
    return {
        fact(host, place): text(readings, True, place)
        for host, readings in known(session).items()
        for place in dict.fromkeys(place for one in readings for place in one.seen)
    }


def fact(host: str, place: str) -> str:
    """The name of what was seen in a place, as a fact."""
    return f"{host}.hygiene.{place}"


def text(readings: Sequence[HostFindings | None], in_turn: bool, place: str) -> str:
    """What was seen in a place, from several readings; None among them: the host was not read.

    `in_turn`: they followed one another, and so do the texts; else the texts are sorted.
    """
    each = [_text(one, place) for one in readings]
    if not in_turn:
        return "; ".join(sorted(set(each)))
    told = [one for one, _ in groupby(each)]  # on, off, and on again is three
    if told[0] == _UNREAD and len(told) > 1:
        del told[0]  # later readings say it
    if len(told) > _TOLD:
        return f"{told[0]}; then {told[1]}; and so on, {len(told) - 1} changes; at last {told[-1]}"
    return "; then ".join(told)


def _text(reading: HostFindings | None, place: str) -> str:
    if reading is None:
        return _UNREAD
    return reading.seen.get(place, _UNREAD if reading.is_unread(place) else _ABSENT)


def changes(session: Session) -> list[Caution]:
    """A warning for each host whose findings changed while the session was recorded.

    Not for an experiment, which changes its hosts itself.
    """
    if is_experiment(session):
        return []
    told = {
        host: [one for before, after in pairwise(readings) for one in after.changes(before)]
        for host, readings in known(session).items()
    }
    return [
        Caution(CHANGED, clean(f"{host} changed while it was recorded: {'; '.join(dict.fromkeys(texts))}"))
        for host, texts in told.items()
        if texts
    ]


def cautions(sides: Sequence[Side]) -> list[Caution]:
    """The warnings of `changes` for all sessions of these sides, each with the session's label."""
    by_path: dict[str, list[Caution]] = {}
    for label, session in sessions_of(sides):
        by_path.setdefault(
            session.path, [Caution(one.code, f"{label}: {after_colon(one.text)}") for one in changes(session)]
        )
    return [caution for those in by_path.values() for caution in those]


def plain(session: Session) -> list[dict[str, object]]:
    """For JSON: a host's findings, from each reading that the session has."""
    return [
        {
            "host": reading.host,
            "roles": list(reading.roles),
            "taken": reading.taken,
            "findings": [
                {
                    "code": one.code,
                    "severity": one.severity,
                    "interface": one.where,
                    "seen": one.seen,
                    "why": one.why,
                    "source": one.source,
                    "do": one.do,
                }
                for one in reading.findings
            ],
            **({"unread": list(reading.unread)} if reading.unread else {}),
        }
        for reading in session.hygiene
    ]
