"""The command that goes on with recorded sessions, as a user would type it in the current folder."""

from collections.abc import Sequence
from pathlib import Path

from fwdtui.core.errors import FwdtuiError
from fwdtui.core.model import Session, moment
from fwdtui.core.shell_words import quote
from fwdtui.report.comparison import session_folder
from fwdtui.report.iterations import counts
from fwdtui.report.shell_words import argument
from fwdtui.store import Header, list_headers, read_session
from fwdtui.store.session_names import SESSIONS, SessionNames

_READ_MOST = 20  # the most sessions in which a case in common is looked for: the user waits


def after(session: Path) -> str:
    """The command that compares the session with the newest other one that shares a case; else replays it.

    The one that was created first is the baseline, whichever was recorded last: an older session may have got
    further iterations. Raises FwdtuiError if the session cannot be read.
    """
    latest = read_session(session)
    other = _newest_other(latest)
    if other is None:
        return command("replay", [session])
    both = [Path(other.path), session]
    return command("compare", both if moment(other.created) <= moment(latest.created) else both[::-1])


def command(verb: str, specs: Sequence[Path]) -> str:
    """``fwdtui compare base new``, quoted for the shell.

    `specs` are paths of sessions, or ``PATH:CASE``. They are written as names if these mean the same and are
    shorter.
    """
    by_path = [argument(spec) for spec in specs]
    by_name = _by_name(specs)
    lines = [" ".join(map(quote, ["fwdtui", verb, *words])) for words in (by_path, by_name) if words]
    return min(lines, key=len)


def _by_name(specs: Sequence[Path]) -> list[str]:
    """The sessions by name, with the option that says where; [] if a name does not mean the same session."""
    sessions = [session_folder(spec) for spec in specs]
    folder = sessions[0].parent
    names = SessionNames(folder)
    if any(session.parent != folder or not _means(names, session) for session in sessions):
        return []
    words = [
        f"{session.name}{str(spec).removeprefix(str(session))}"
        for session, spec in zip(sessions, specs, strict=True)
    ]
    here = folder.absolute() == SESSIONS.absolute()
    return words if here else [*words, "--sessions", argument(folder)]


def _means(names: SessionNames, session: Path) -> bool:
    """Whether the name alone means this session, and not an option, a path or another session."""
    if session.name.startswith("-"):
        return False
    try:
        return all(next(names.readings(session.name, mark), None) == (session, "") for mark in ":/")
    except FwdtuiError:
        return False


def _newest_other(latest: Session) -> Header | None:
    """The newest other session of the folder with iterations of a case in common."""
    cases = _measured(latest)
    path = Path(latest.path)
    if not cases:
        return None
    others = [
        one
        for one in list_headers(path.parent)
        if isinstance(one, Header) and Path(one.path) != path and not one.recording
    ]
    others.sort(key=lambda one: moment(one.created), reverse=True)
    for other in others[:_READ_MOST]:
        try:
            if cases & _measured(read_session(Path(other.path))):
                return other
        except FwdtuiError:
            continue
    return None


def _measured(session: Session) -> set[str]:
    """The cases with iterations that count."""
    return {case.name for case in session.cases if any(map(counts, case.iterations))}
