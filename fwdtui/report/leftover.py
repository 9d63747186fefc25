"""What is left of a session whose recording made no iteration, in words."""

from pathlib import Path

from fwdtui.core.model import Session
from fwdtui.store.recordings import recorded


def leftover_text(session: Session) -> str:
    """``the recording broke off after 41 s``; empty where there is none, or where it goes on."""
    found = None if session.cases or session.recording else recorded(Path(session.path))
    if found is None:
        return ""
    seconds = f"{found.seconds:.0f} s"
    return (
        f"the recording broke off after {seconds}"
        if found.broken
        else f"{seconds} {'was' if seconds == '1 s' else 'were'} recorded"
    )
