"""What can be done to a recorded session, each with the way back. Nothing that was recorded is rewritten."""

from pathlib import Path

from fwdtui.store import annotations, trash
from fwdtui.ui.common.selection import Change


def rename(session: Path, label: str) -> Change:
    """Call it something else; "" goes back to the recorded label."""
    before = annotations.read_annotations(session).label
    return Change(
        f"Undone: {session.name} has the label that it had before",
        lambda: annotations.rename(session, label),
        lambda: annotations.rename(session, before),
    )


def annotate(session: Path, note: str) -> Change:
    """Write a note on it; "" removes it."""
    before = annotations.read_annotations(session).note
    return Change(
        f"Undone: {session.name} has the note that it had before" if before else "Undone: the note is gone",
        lambda: annotations.annotate(session, note),
        lambda: annotations.annotate(session, before),
    )


def drop(session: Path, case: str, index: int, reason: str) -> Change:
    """Take an iteration out of the statistics."""
    return Change(
        f"Undone: iteration {index} of {case} counts again",
        lambda: annotations.drop(session, case, index, reason),
        lambda: annotations.restore(session, case, index),
    )


def restore(session: Path, case: str, index: int, reason: str) -> Change:
    """Let it count again; `reason` is why it was dropped."""
    return Change(
        f"Undone: iteration {index} of {case} is dropped again, and does not count",
        lambda: annotations.restore(session, case, index),
        lambda: annotations.drop(session, case, index, reason),
    )


def delete(session: Path) -> Change:
    """Move it to the trash beside it."""
    trashed: list[Path] = []
    return Change(
        f"Undone: {session.name} is back from the trash",
        lambda: trashed.append(trash.discard(session)),
        lambda: trash.bring_back(trashed.pop()),
    )
