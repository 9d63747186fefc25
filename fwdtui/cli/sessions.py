"""`fwdtui sessions [DIR|SESSION]`: the recorded and imported sessions, as a table or as JSON."""

import argparse
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fwdtui.cli import sessions_folder
from fwdtui.core.errors import FwdtuiError
from fwdtui.core.factors import of_iteration, plain
from fwdtui.core.metrics import better
from fwdtui.core.model import (
    Case,
    Caution,
    Cost,
    EventSample,
    Iteration,
    Packets,
    Session,
    Summary,
)
from fwdtui.core.profile.record import Profile

if TYPE_CHECKING:
    from fwdtui.store import Damaged

_METRICS = ("offered", "forwarded", "received")
_LISTABLE = "session or folder of sessions"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument(
        "folder",
        metavar="DIR",
        nargs="?",
        help="a folder of sessions, or one session by its folder, name or label; default: ./sessions",
    )
    sessions_folder.add_option(parser)
    parser.add_argument("--json", action="store_true", help="print everything as JSON")
    parser.add_argument("--tui", action="store_true", help="open the list of a folder in the app")


def run(args: argparse.Namespace) -> int:
    """List the sessions. Damage is reported on stderr, one line each. Raises FwdtuiError."""
    if args.tui:
        return _in_app(args)
    from fwdtui.cli.progress import Progress
    from fwdtui.cli.sessions_table import table
    from fwdtui.core.text import clean
    from fwdtui.report import terminal

    sessions: list[Session | Damaged] = []
    problems: list[str] = []
    folder = Path(args.folder or args.sessions)
    wanted, entries = _wanted(args.folder, Path(args.sessions))
    with Progress("reading") as progress:
        for done, entry in enumerate(wanted, 1):
            progress(done, max(entries, done), clean(Path(entry.path).name))
            sessions.append(entry)
            if isinstance(entry, Session):
                problems += entry.problems
            else:
                problems.append(entry.reason)
    if args.json:
        terminal.write_document(as_json(sessions))
    else:
        terminal.write(table(sessions, folder, terminal.columns(sys.stdout)))
    sys.stdout.flush()
    for problem in problems:
        terminal.write(f"fwdtui: {clean(problem)}\n", sys.stderr)
    return 0


def _in_app(args: argparse.Namespace) -> int:
    from fwdtui.cli.demo import open_app
    from fwdtui.core.text import clean
    from fwdtui.store import is_session
    from fwdtui.store.session_names import SessionNames

    folder = Path(args.folder or args.sessions)
    if args.json:
        raise FwdtuiError("--tui cannot be combined with --json")
    if is_session(folder) or not folder.is_dir():
        names = SessionNames(Path(args.sessions))
        if not any(not rest for _, rest in names.readings(str(folder), "/")):
            raise names.unknown(str(folder), "/", _LISTABLE)
        raise FwdtuiError(f"{clean(str(folder))}: --tui opens a folder of sessions")
    return open_app(folder)


def _wanted(given: str | None, folder: Path) -> "tuple[Iterable[Session | Damaged], int]":
    """The sessions to list, one or all of a folder, and the most that there can be. Raises FwdtuiError."""
    from fwdtui.store import is_session
    from fwdtui.store.listing import list_one, list_sessions
    from fwdtui.store.reader import holds_iterations
    from fwdtui.store.session_names import SessionNames

    place = folder if given is None else Path(given)
    if given is not None and place.is_dir() and not is_session(place) and holds_iterations(place):
        return [list_one(place)], 1  # a session without its session.toml
    if given is not None and (is_session(place) or not place.is_dir()):
        names = SessionNames(folder)
        for path, rest in names.readings(given, "/"):
            if not rest:
                return [list_one(path)], 1
        raise names.unknown(given, "/", _LISTABLE)
    return list_sessions(place), sum(1 for _ in place.iterdir()) if place.is_dir() else 0


def as_json(sessions: "Sequence[Session | Damaged]", events: Sequence[EventSample] | None = None) -> str:
    """The command's JSON, with a newline. A damaged session has no label and no cases, but has `damage`.

    `events`: what happened while the one session was recorded.
    """
    from fwdtui.core.text import clean
    from fwdtui.report.json_format import document

    documents = [_session(one) if isinstance(one, Session) else _damaged(one) for one in sessions]
    if events is not None:
        event_objects = [{"at": e.at, "code": e.code, "host": e.host, "text": clean(e.text)} for e in events]
        documents = [{**one, "events": event_objects} for one in documents]
    return document(documents)


def _damaged(one: "Damaged") -> dict[str, Any]:
    from fwdtui.cli.sessions_table import reason
    from fwdtui.core.text import clean

    return {"path": one.path, "label": "", "created": "", "cases": [], "damage": clean(reason(one))}


def _session(one: Session) -> dict[str, Any]:
    from fwdtui.report import hygiene

    return {
        "path": one.path,
        "label": one.label,
        "created": one.created,
        "cases": [
            {"name": case.name, "iterations": [_iteration(i, one, case) for i in case.iterations]}
            for case in one.cases
        ],
        **({"hygiene": hygiene.plain(one)} if one.hygiene else {}),
    }


def _iteration(one: Iteration, session: Session, case: Case) -> dict[str, Any]:
    factors = of_iteration(session.label, case.name, session.factors, case.factors, one.factors)
    return {
        "index": one.index,
        "value": one.value,
        "unit": one.unit,
        "source": one.source,
        "complete": one.complete,
        "factors": {name: plain(level) for name, level in factors.items()},
        "metrics": {
            name: _summary(one.metrics.get(name), one.unit)
            for name in dict.fromkeys((*_METRICS, *one.metrics))
        }
        | {name: _summary(cost.summary, cost.unit) for name, cost in one.costs.items()},
        "costs": {name: _cost(cost) for name, cost in one.costs.items()},
        "warnings": [
            {"code": warning.code, "text": warning.text} for warning in (*one.warnings, *_dropped(one))
        ],
        "packets": None if one.packets is None else _packets(one.packets),
        "limit": None if one.limit is None else {"code": one.limit.code, "text": one.limit.text},
        **({} if one.profile is None else {"profile": _profile(one.profile)}),
    }


def _cost(one: Cost) -> dict[str, Any]:
    """A cost's further fields. Its figures are among the metrics."""
    return {
        "scope": one.scope,
        "not_counted": one.why or None,
        "seconds": one.seconds,
        "packets": one.packets,
        "cores": one.cores or None,
        "parts": dict(one.parts),
        "ticks": one.ticks,
        "enabled": one.enabled,
    }


def _profile(one: Profile) -> dict[str, Any]:
    """Every field, as in iteration.json. Unknown ones are null, "" or empty."""
    return {name: getattr(one, name) for name in one.__struct_fields__}


def _packets(one: Packets) -> dict[str, Any]:
    """Every field, as in iteration.json. Unknown counts are null; if there was no attack, it is absent."""
    from fwdtui.report.drop_reasons import plain as reasons_plain

    return {
        "offered": one.offered,
        "at_nic": one.at_nic,
        "dut_in": one.dut_in,
        "forwarded": one.forwarded,
        "received": one.received,
        "drops": dict(one.drops),
        "unread": dict(one.unread),
        "unaccounted": one.unaccounted,
        "nic": dict(one.nic),
        **({} if one.attack is None else {"attack": one.attack}),
        **({} if one.reasons is None else {"reasons": reasons_plain(one)}),
    }


def _dropped(one: Iteration) -> list[Caution]:
    """A warning if the iteration was dropped: the JSON has no field for that, and its readers must know."""
    return [Caution("dropped", one.dropped)] if one.dropped else []


def _summary(one: Summary | None, unit: str) -> dict[str, float | str] | None:
    if one is None:
        return None
    figures = {"median": one.median, "mean": one.mean, "min": one.min, "max": one.max, "n": one.n}
    return {**figures, "unit": unit, "better": better(unit)}
