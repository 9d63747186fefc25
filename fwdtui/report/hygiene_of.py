"""Whose a finding of lab hygiene is: that of which sides or cases, and of all their iterations or a part.

An experiment changes its hosts itself: a finding belongs to those iterations for which the reading that has
it holds (`held`). For other sessions the newest findings count, and a warning says what changed.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from fwdtui.core.findings import Finding, HostFindings, rank
from fwdtui.core.model import Session
from fwdtui.core.text import clean
from fwdtui.report import held, hygiene
from fwdtui.report.iterations import CaseSet
from fwdtui.report.sides import Side, sessions_of
from fwdtui.stats.figures import listing

_NAMED = 3
"""The most cases of a side that are named."""

Told = tuple[Finding, tuple[str, ...]]
"""A finding and the names of those that have it; () if all have it."""
_Found = tuple[str, HostFindings | None]
"""A case, "" for a whole session, and what was found in one of its iterations; None: that is not known."""
_NOTHING_KNOWN: Sequence[_Found] = (("", None),)


class _Group(NamedTuple):
    """What has one name: a plain session, or a side or a case of an experiment."""

    label: str
    found: Mapping[str, Sequence[_Found]]  # by host


def by_host(sides: Sequence[Side]) -> Iterator[tuple[str, list[Told]]]:
    """Each host with its findings, worst first, and in which sessions or sides of experiments they were seen.

    Hosts without a finding are left out.
    """
    groups: list[_Group] = []
    plain: set[str] = set()
    for label, session in sessions_of(sides):
        if session.path not in plain and not hygiene.is_experiment(session):
            plain.add(session.path)
            groups.append(_Group(label, {one.host: [("", one)] for one in hygiene.latest(session)}))
    groups += [
        _Group(side.label, _in_experiment(session, side.cases.values()))
        for side in sides
        for session in side.sessions
        if hygiene.is_experiment(session)
    ]
    return _told(groups)


def by_case(session: Session, sets: Iterable[CaseSet]) -> Iterator[tuple[str, list[Told]]]:
    """The same for one session, whose cases are `sets`: in an experiment with the cases, if not for all.

    Before an experiment has an iteration that counts, these are its newest findings.
    """
    counting = [one for one in sets if one.used] if hygiene.is_experiment(session) else []
    groups = [
        _Group(
            clean(one.name), {host: [("", reading) for _, reading in mine] for host, mine in found.items()}
        )
        for one in counting
        if (found := _in_experiment(session, [one]))
    ]
    newest = {one.host: [("", one)] for one in hygiene.latest(session)}
    return _told(groups or [_Group("", newest)])


def _in_experiment(session: Session, sets: Iterable[CaseSet]) -> dict[str, list[_Found]]:
    """Host -> what was found on it for each iteration that counts of these cases of the session."""
    mine = [one for one in sets if one.session is not None and one.session.path == session.path]
    interval = held.interval_of(session)
    return {
        host: [
            (clean(one.name), reading)
            for one in mine
            for holding in held.by_iteration(readings, one.used, interval)
            for reading in holding or (None,)
        ]
        for host, readings in hygiene.by_host(session).items()
    }


def _told(groups: Sequence[_Group]) -> Iterator[tuple[str, list[Told]]]:
    for host in dict.fromkeys(host for group in groups for host in group.found):
        each = [
            (group.label, case, one)
            for group in groups
            for case, one in group.found.get(host, _NOTHING_KNOWN)
        ]
        # readings share their findings, which are compared once
        known = {id(one.findings): set(map(_state, one.findings)) for _, _, one in each if one is not None}
        findings = {
            _state(finding): finding for _, _, one in each if one is not None for finding in one.findings
        }
        worst = sorted(findings.items(), key=lambda item: rank(item[1].severity))
        if worst:
            yield (
                host,
                [
                    (
                        finding,
                        _whose(
                            (label, case, one is not None and state in known[id(one.findings)])
                            for label, case, one in each
                        ),
                    )
                    for state, finding in worst
                ],
            )


def _state(finding: Finding) -> tuple[str, str, str]:
    """What was seen and where. Reason and command depend on the version of fwdtui that saw it."""
    return finding.code, finding.where, finding.seen


def _whose(each: Iterable[tuple[str, str, bool]]) -> tuple[str, ...]:
    """The names of those that have a finding. `each`: label, case, and whether it was seen there."""
    by_label: dict[str, dict[str, set[bool]]] = {}
    for label, case, seen in each:
        by_label.setdefault(label, {}).setdefault(case, set()).add(seen)
    told: list[str] = []
    everywhere = True
    for label, cases in by_label.items():
        whole = [case for case, seen in cases.items() if seen == {True}]
        partly = any(len(seen) > 1 for seen in cases.values())
        everywhere &= len(whole) == len(cases)
        if len(whole) == len(cases):
            told.append(label)
        elif whole and not partly and len(whole) <= _NAMED:
            told.append(f"{listing(whole)} of {label}")
        elif whole or partly:
            told.append(f"part of {label}")
    return () if everywhere else tuple(told)


# among the facts that differ


def facts_of_sides(sides: Sequence[Side]) -> dict[str, dict[str, str]]:
    """Label -> fact -> text, for those hosts of which every side has readings."""
    return _facts(
        {
            side.label: [_readings(session, side.cases.values()) for session in side.sessions]
            for side in sides
            if side.sessions
        }
    )


def facts_of_sessions(sessions: Mapping[str, Session]) -> dict[str, dict[str, str]]:
    """The same for plain sessions by their labels."""
    return _facts({label: [_readings(session, ())] for label, session in sessions.items()})


def is_by_side(sides: Sequence[Side]) -> bool:
    """Whether findings belong to sides: an experiment may have another state of its hosts for each side."""
    return any(one.hygiene and hygiene.is_experiment(one) for side in sides for one in side.sessions)


class _Readings(NamedTuple):
    """The readings of a host. `in_turn`: they follow one another, in a plain session."""

    each: Sequence[HostFindings | None]
    in_turn: bool


def _readings(session: Session, sets: Iterable[CaseSet]) -> dict[str, _Readings]:
    if not hygiene.is_experiment(session):
        return {host: _Readings(each, True) for host, each in hygiene.known(session).items()}
    found = _in_experiment(session, sets)
    distinct = {
        host: {(id(one.findings), one.unread): one for _, one in mine if one is not None}
        for host, mine in found.items()
    }
    return {
        host: _Readings([*distinct[host].values(), *[None] * any(one is None for _, one in mine)], False)
        for host, mine in found.items()
        if distinct[host]
    }


def _facts(of: Mapping[str, Sequence[Mapping[str, _Readings]]]) -> dict[str, dict[str, str]]:
    hosts = [dict.fromkeys(host for one in each for host in one) for each in of.values()]
    known = [host for host in (hosts[0] if hosts else ()) if all(host in those for those in hosts)]
    places: dict[tuple[str, str], None] = {}
    for each in of.values():
        for one in each:
            for host in known:
                for reading in one[host].each if host in one else ():
                    places |= dict.fromkeys((host, place) for place in (reading.seen if reading else ()))
    return {
        label: {
            hygiene.fact(host, place): "; ".join(
                dict.fromkeys(hygiene.text(*one[host], place) for one in each if host in one)
            )
            for host, place in places
        }
        for label, each in of.items()
    }
