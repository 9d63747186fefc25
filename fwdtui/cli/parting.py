"""What is printed after the user has left the app: where the sessions are, and a command to go on."""

from collections.abc import Sequence
from pathlib import Path

from fwdtui.core.errors import FwdtuiError
from fwdtui.core.text import clean


def parting(recorded: Sequence[Path], compared: Sequence[Path], how: Sequence[str] = ()) -> list[str]:
    """The lines; none if nothing was recorded or compared.

    `recorded`: the sessions that the app recorded, the latest last; some may be empty or gone. `compared`:
    what was last compared in it, the baseline first, and `how`: the command-line options for that. This
    comparison is the next command, unless it is without the session that was recorded last.
    """
    from fwdtui.core.shell_words import quote
    from fwdtui.report import next_command
    from fwdtui.report.comparison import session_folder

    there = [path for path in recorded if _holds_anything(path)]
    shown = [session_folder(path) for path in compared]
    again = bool(shown) and all(path.is_dir() for path in shown)
    if not there and not again:
        return []
    latest = there[-1] if there else shown[0]
    lines = [f"The sessions are in {clean(str(latest.parent.absolute()))}"]
    try:
        if again and latest.resolve() in [path.resolve() for path in shown]:
            then = " ".join([next_command.command("compare", compared), *map(quote, how)])
        else:
            then = _by_factor(latest) or next_command.after(latest)
    except (FwdtuiError, OSError):  # what is wrong with a session is reported when it is opened
        return lines
    return [*lines, f"Next: {then}"]


def following(session: Path) -> str:
    """``Next: fwdtui compare ...`` for a session that was recorded without a screen; "" if it is empty."""
    from fwdtui.report import next_command

    if not _holds_anything(session):
        return ""
    try:
        return f"Next: {_by_factor(session) or next_command.after(session)}"
    except (FwdtuiError, OSError):
        return ""


def _by_factor(session: Path) -> str:
    """The command that compares an experiment's own cells; "" for other sessions, or nothing to compare.

    It is the design's comparison, with its baseline, if that was measured: the screen showed its verdicts.
    """
    from fwdtui.report.next_by_factor import after_import
    from fwdtui.store.experiment_journal import is_experiment

    if not is_experiment(session):
        return ""
    first = next(iter(after_import([session])), "")
    return _by_design(session) or first if first.startswith("fwdtui compare ") else first


def _by_design(session: Path) -> str:
    """The command that compares as the design says; "" if that command would fail."""
    from fwdtui.report import next_command
    from fwdtui.report.by_factor import seen
    from fwdtui.report.experiment_view import asked
    from fwdtui.report.pairing import pair
    from fwdtui.report.sides import load_sides

    sides = load_sides([str(session)])
    view, _ = asked(sides, None, None)
    try:
        return next_command.command("compare", [session]) if view.by and pair(seen(sides, view)).pairs else ""
    except FwdtuiError:
        return ""


def _holds_anything(session: Path) -> bool:
    """Whether there is something to replay or to compare in a session's folder."""
    from fwdtui.store.recordings import recorded
    from fwdtui.store.schema import ITERATION_FILE

    return recorded(session) is not None or any(session.glob(f"*/*/{ITERATION_FILE}"))
