"""Sessions on disk: write crash-safely, read strictly, import what others recorded.

The format is documented in docs/session-format.md.
"""

from fwdtui.store.reader import Damaged, is_session, list_sessions, read_session
from fwdtui.store.records import SampleLog, read_samples
from fwdtui.store.writer import IterationWriter, SessionWriter

__all__ = [
    "Damaged",
    "IterationWriter",
    "SampleLog",
    "SessionWriter",
    "is_session",
    "list_sessions",
    "read_samples",
    "read_session",
]
