"""Lab hygiene of sessions: what was found, which of it differs between sides, and what changed meanwhile."""

from collections.abc import Iterator, Mapping, Sequence

from fwdtui.core.findings import SEVERITIES, Finding, HostFindings
from fwdtui.core.model import Caution, Session
from fwdtui.core.text import clean
from fwdtui.report.sides import Side, sessions_of

CHANGED = "hygiene-changed"
"""The code of what changed on a host while a session was recorded."""
_ABSENT = "–"


def latest(session: Session) -> tuple[HostFindings, ...]:
    """The newest findings of each host."""
    return tuple({one.host: one for one in session.hygiene}.values())


def facts(session: Session) -> dict[str, str]:
    """``"dut.hygiene.eth0 pause"`` -> what was seen; several if it changed while the session was recorded."""
    seen: dict[str, list[str]] = {}
    by_host: dict[str, list[HostFindings]] = {}
    for reading in session.hygiene:
        by_host.setdefault(reading.host, []).append(reading)
    for host, readings in by_host.items():
        each = [reading.seen for reading in readings]
        for place in dict.fromkeys(place for one in each for place in one):
            for one in each:
                told = seen.setdefault(f"{host}.hygiene.{place}", [])
                text = one.get(place, _ABSENT)
                if told[-1:] != [text]:  # on, off, and on again is three
                    told.append(text)
    return {key: "; then ".join(told) for key, told in seen.items()}


def changes(session: Session) -> list[Caution]:
    """A warning for each host whose findings changed while the session was recorded.

    Not for an experiment, which changes its hosts itself.
    """
    if any(iteration.planned is not None for case in session.cases for iteration in case.iterations):
        return []
    told: dict[str, list[str]] = {}
    before: dict[str, HostFindings] = {}
    for reading in session.hygiene:
        if reading.host in before:
            told.setdefault(reading.host, []).extend(reading.changes(before[reading.host]))
        before[reading.host] = reading
    return [
        Caution(CHANGED, clean(f"{host} changed while it was recorded: {'; '.join(dict.fromkeys(texts))}"))
        for host, texts in told.items()
    ]


def cautions(sides: Sequence[Side]) -> list[Caution]:
    """Those of all sessions of these sides, each with its label."""
    by_path: dict[str, list[Caution]] = {}
    for label, session in sessions_of(sides):
        by_path.setdefault(
            session.path, [Caution(one.code, f"{label}: {one.text}") for one in changes(session)]
        )
    return [caution for those in by_path.values() for caution in those]


def plain(session: Session) -> list[dict[str, object]]:
    """For JSON: a host's findings, each time they were new."""
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
        }
        for reading in session.hygiene
    ]


def by_host(sides: Sequence[Side]) -> Iterator[tuple[str, list[tuple[Finding, tuple[str, ...]]]]]:
    """Each host with its findings, worst first, and in which sessions of these sides it was seen.

    () where all of them saw it. Nothing of hosts about which no session has any.
    """
    sessions: dict[str, tuple[str, Session]] = {}
    for label, session in sessions_of(sides):
        sessions.setdefault(session.path, (label, session))
    by_finding: dict[str, dict[Finding, list[str]]] = {}
    for label, session in sessions.values():
        for reading in latest(session):
            for one in reading.findings:
                by_finding.setdefault(reading.host, {}).setdefault(one, []).append(label)
    for host, findings in by_finding.items():
        worst = sorted(findings.items(), key=lambda told: _rank(told[0].severity))
        yield (
            host,
            [(one, () if len(seen) == len(sessions) else tuple(seen)) for one, seen in worst],
        )


def _rank(severity: str) -> int:
    return SEVERITIES.index(severity) if severity in SEVERITIES else len(SEVERITIES)


def differing(sessions: Mapping[str, Sequence[Session]]) -> dict[str, dict[str, str]]:
    """Label -> fact -> text, of those hosts of which the sessions of every label have findings."""
    hosts = [{one.host for session in those for one in session.hygiene} for those in sessions.values()]
    known = set.intersection(*hosts) if hosts else set()
    told: dict[str, dict[str, str]] = {}
    for label, those in sessions.items():
        merged: dict[str, dict[str, None]] = {}
        for session in those:
            for key, text in facts(session).items():
                if key.partition(".hygiene.")[0] in known:
                    merged.setdefault(key, {})[text] = None
        told[label] = {key: "; ".join(texts) for key, texts in merged.items()}
    return told
