"""`fwdtui sessions [DIR]`: what has been recorded or imported, for people or as JSON."""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from fwdtui.core.model import Case, Iteration, Session, Summary

_NUMBERS = (3, 4)  # columns of the table
_METRICS = ("offered", "forwarded", "received")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments as the contract has them."""
    parser.add_argument("folder", metavar="DIR", nargs="?", default="sessions", help="default: ./sessions")
    parser.add_argument("--json", action="store_true", help="everything, for programs")


def run(args: argparse.Namespace) -> int:
    """List the sessions; damage is told on stderr, a line each, and never hidden. Raises FwdtuiError."""
    from fwdtui.cli.progress import Progress
    from fwdtui.core.text import clean
    from fwdtui.report import terminal
    from fwdtui.store import list_sessions

    sessions: list[Session] = []
    problems: list[str] = []
    folder = Path(args.folder)
    entries = sum(1 for _ in folder.iterdir()) if folder.is_dir() else 0
    with Progress("reading") as progress:
        for done, found in enumerate(list_sessions(folder), 1):
            progress(done, max(entries, done), clean(Path(found.path).name))
            if isinstance(found, Session):
                sessions.append(found)
                problems += found.problems
            else:
                problems.append(found.reason)
    if args.json:
        terminal.write_document(as_json(sessions))
    else:
        terminal.write(_text(sessions, folder))
    sys.stdout.flush()
    for problem in problems:
        terminal.write(f"fwdtui: {clean(problem)}\n", sys.stderr)
    return 0


def as_json(sessions: Sequence[Session]) -> str:
    """The contract's JSON, with a line end."""
    import msgspec

    data = msgspec.json.encode([_session(one) for one in sessions])
    return msgspec.json.format(data, indent=2).decode() + "\n"


def _session(one: Session) -> dict[str, Any]:
    return {
        "path": one.path,
        "label": one.label,
        "created": one.created,
        "cases": [
            {"name": case.name, "iterations": [_iteration(i) for i in case.iterations]} for case in one.cases
        ],
    }


def _iteration(one: Iteration) -> dict[str, Any]:
    return {
        "index": one.index,
        "value": one.value,
        "unit": one.unit,
        "source": one.source,
        "complete": one.complete,
        "metrics": {name: _summary(one.metrics.get(name)) for name in _METRICS},
        "warnings": [{"code": warning.code, "text": warning.text} for warning in one.warnings],
    }


def _summary(one: Summary | None) -> dict[str, float] | None:
    if one is None:
        return None
    return {"median": one.median, "mean": one.mean, "min": one.min, "max": one.max, "n": one.n}


def _text(sessions: Sequence[Session], folder: Path) -> str:
    from fwdtui.core.text import clean
    from fwdtui.report.cells import pad, width

    if not sessions:
        return f"no sessions in {clean(str(folder))}\n"
    rows: list[tuple[str, ...]] = [("session", "created", "case", "n", "median", "")]
    for one in sessions:
        name = Path(one.path).name
        shown = name if one.label in ("", name) else f"{name} ({one.label})"
        for number, case in enumerate(one.cases or [Case("–")]):
            first = number == 0
            rows.append((shown if first else "", one.created[:16] if first else "", *_case(case)))
    rows = [tuple(map(clean, row)) for row in rows]
    sizes = [max(map(width, column)) for column in zip(*rows, strict=True)]
    lines = [
        "  ".join(
            pad(cell, size, right=place in _NUMBERS)
            for place, (cell, size) in enumerate(zip(row, sizes, strict=True))
        )
        for row in rows
    ]
    return "".join(f"{line.rstrip()}\n" for line in lines)


def _case(case: Case) -> tuple[str, str, str, str]:
    """Name, iterations, median of their values, and what to look at."""
    from statistics import median

    from fwdtui.core.units import si

    values = [one.value for one in case.iterations if one.value is not None and one.complete]
    units = {one.unit for one in case.iterations if one.value is not None}
    unit = units.pop() if len(units) == 1 else ""
    missing = len(case.iterations) - len(values)
    warned = sum(bool(one.warnings) for one in case.iterations)
    remarks = [f"{missing} without a value"] if missing else []
    remarks += [f"{warned} with warnings"] if warned else []
    middle = f"{si(median(values))}{unit}" if values else "–"
    return case.name, str(len(values)), middle, ", ".join(remarks)
