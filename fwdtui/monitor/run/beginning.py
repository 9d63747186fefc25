"""Begins a recording, in a new session or in an existing one."""

import datetime
from collections.abc import Collection, Mapping
from pathlib import Path

from fwdtui.core.errors import FwdtuiError
from fwdtui.core.factors import FactorValue
from fwdtui.core.lab import Lab, plain
from fwdtui.core.model import Fact
from fwdtui.core.own_facts import own_facts
from fwdtui.core.rewired import rewired
from fwdtui.core.text import clean, slug
from fwdtui.monitor.run.recorder import RawLogs, Recorder
from fwdtui.monitor.run.unsaved import Saved
from fwdtui.store import SessionWriter
from fwdtui.store.reader import is_session, read_header


def begun(
    into: Path,
    session: str,
    case: str,
    *,
    lab: Lab,
    facts: Mapping[str, Fact],
    absent: Collection[str],
    logs: RawLogs,
    saved: Saved,
    factors: Mapping[str, FactorValue] | None = None,
    cases: Mapping[str, Mapping[str, FactorValue]] | None = None,
) -> Recorder:
    """A recorder of one case. Raises FwdtuiError if nothing can be recorded there.

    `facts` are the hosts' present facts, `absent` the facts that the hosts do not have. `factors` are those
    of this case; they replace lab.toml's, which are the session's. `cases` are other cases that will follow,
    with their factors (`Recorder.go_on`).
    """
    of_case = dict(factors or {})
    try:
        writer = open_session(
            into,
            session,
            facts=facts,
            lab=plain(lab),
            factors=lab.factors,
            case_factors={
                **{clean(name): dict(given) for name, given in (cases or {}).items()},
                clean(case): of_case,
            },
        )
        try:
            # an existing session has the facts of its first recording: the kernel and commands may differ now
            header = read_header(writer.folder)
            recorder = Recorder(writer, case, logs=logs, saved=saved, factors={**lab.factors, **of_case})
            recorder.facts = own_facts(header.facts, facts, absent)
            if header.lab is not None and (changes := rewired(header.lab, plain(lab))):
                recorder.note(
                    f"This session was begun with another lab ({clean('; '.join(changes))}), and all of it "
                    "will be replayed with that one: record this lab into a session of its own (--session)"
                )
        except BaseException:
            writer.close()
            raise
    except OSError as error:
        where = into / slug(session)
        raise FwdtuiError(f"{where}: nothing can be recorded: {error.strerror or error}") from None
    return recorder


def open_session(
    into: Path,
    session: str,
    *,
    facts: Mapping[str, Fact] | None = None,
    lab: Mapping[str, object] | None = None,
    factors: Mapping[str, FactorValue] | None = None,
    case_factors: Mapping[str, Mapping[str, FactorValue]] | None = None,
) -> SessionWriter:
    """Open the session to record into: a new one, or an existing one for another recording.

    `lab` is what fwdtui.core.lab.plain returns; `factors` are those of all iterations, `case_factors` those
    of each case. An existing session's session.toml stays unchanged. Raises FwdtuiError if the folder exists
    and is not a session, or if another fwdtui is writing to it; OSError if the folder cannot be written.
    """
    folder = into / slug(session)
    if is_session(folder):
        return SessionWriter(folder)
    if folder.exists():
        raise FwdtuiError(f"{folder}: exists and is not a session")
    created = datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")
    return SessionWriter.create(
        folder,
        label=session,
        created=created,
        facts=facts,
        lab=lab,
        factors=factors,
        case_factors=case_factors,
    )
