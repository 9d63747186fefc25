"""What a report checks and a comparison does not: whether raw logs are as they were recorded."""

from dataclasses import replace
from typing import TypeVar

import msgspec

from fwdtui.core.model import Caution, Session
from fwdtui.core.text import clean
from fwdtui.report.comparison import Compared
from fwdtui.report.sweep_input import Loaded

Reported = TypeVar("Reported", Compared, Loaded)


def verified(reported: Reported) -> Reported:
    """A comparison or a sweep, with a note on each raw log that differs or is missing. Reads all raw logs."""
    sessions: dict[tuple[str, tuple[str, ...]], Session] = {}
    for side in reported.sides:
        for session in side.sessions:
            chosen = [case for case in session.cases if not side.chosen or case.name in side.cases]
            names = tuple(case.name for case in chosen)
            sessions[session.path, names] = msgspec.structs.replace(session, cases=tuple(chosen))
    if not sessions:
        return reported
    from fwdtui.store.verifying import verify  # late: value files need no checksums

    texts = dict.fromkeys(clean(text) for session in sessions.values() for text in verify(session))
    told = {note.text for note in reported.notes}
    found: tuple[Caution, ...] = tuple(Caution("damage", text) for text in texts if text not in told)
    return replace(reported, notes=(*reported.notes, *found))
