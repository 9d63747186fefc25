"""Recompute the iterations of recorded sessions from their samples, and write the results.

    python scripts/recut_examples.py sessions/no-rules sessions/rules-100

This is for the shipped examples, after a change in how a window is found: samples and raw logs stay as they
were recorded; value, window, metrics, packets, limit and warnings become those of this version. It refuses a
session whose samples are damaged. Never use it on users' own sessions.
"""

import sys
from pathlib import Path

import msgspec

from fwdtui.monitor.replay.recording import load
from fwdtui.monitor.replay.survey import survey
from fwdtui.monitor.replay.target import find
from fwdtui.store import read_session
from fwdtui.store.atomic import replace
from fwdtui.store.schema import ITERATION_FILE, encode_iteration


def recut(session: Path) -> None:
    """Rewrite each iteration of the session. Its number, its files and the time when it began stay."""
    if problems := read_session(session, verify=True).problems:
        sys.exit("\n".join(problems))
    (case,) = read_session(session).cases
    found = {one.index: one for one in survey(load(find(session))).iterations}
    for old in case.iterations:
        new = msgspec.structs.replace(
            old,
            value=found[old.index].value,
            window=found[old.index].window,
            metrics=found[old.index].metrics,
            warnings=found[old.index].warnings,
            packets=found[old.index].packets,
            limit=found[old.index].limit,
        )
        replace(session / old.place(case.name) / ITERATION_FILE, encode_iteration(case.name, new))
        sys.stdout.write(f"{session.name} {old.index}: {old.value} -> {new.value}\n")


if __name__ == "__main__":
    for name in sys.argv[1:]:
        recut(Path(name))
