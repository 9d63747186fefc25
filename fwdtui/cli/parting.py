"""What is printed when the app was left: where the sessions are, and the command that goes on with them."""

from collections.abc import Sequence
from pathlib import Path

from fwdtui.core.errors import FwdtuiError
from fwdtui.core.text import clean


def parting(recorded: Sequence[Path], compared: Sequence[Path], how: Sequence[str] = ()) -> list[str]:
    """The lines; none if nothing was recorded or compared.

    `recorded`: the sessions that this app recorded, the latest last; some may be empty or gone. `compared`:
    what was compared in it last, the baseline first, and `how`: the options of the command line.
    """
    from fwdtui.report import next_command
    from fwdtui.report.comparison import session_folder
    from fwdtui.report.shell_words import quote

    there = [path for path in recorded if _holds_anything(path)]
    if not there and not (compared and all(session_folder(path).is_dir() for path in compared)):
        return []
    latest = there[-1] if there else session_folder(compared[0])
    lines = [f"The sessions are in {clean(str(latest.parent.absolute()))}"]
    try:
        if there:
            then = _by_factor(latest) or next_command.after(latest)
        else:
            then = " ".join([next_command.command("compare", compared), *map(quote, how)])
    except (FwdtuiError, OSError):  # what is wrong with a session is told where it is opened
        return lines
    return [*lines, f"Next: {then}"]


def _by_factor(session: Path) -> str:
    """The comparison of an experiment's own cells; "" if it is none, or has nothing to compare."""
    from fwdtui.report.next_by_factor import after_import
    from fwdtui.store.experiment_journal import is_experiment

    return next(iter(after_import([session])), "") if is_experiment(session) else ""


def _holds_anything(session: Path) -> bool:
    """Whether there is something to replay or to compare in a session's folder."""
    from fwdtui.store.recordings import recorded
    from fwdtui.store.schema import ITERATION_FILE

    return recorded(session) is not None or any(session.glob(f"*/*/{ITERATION_FILE}"))
