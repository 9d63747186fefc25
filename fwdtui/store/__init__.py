"""Sessions on disk: write crash-safely, read strictly, import what others recorded.

The format is documented in docs/session-format.md. The names are loaded when they are first used: a
comparison of two value files starts without msgspec and the rest.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
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

_HOME = {
    "Damaged": "reader",
    "is_session": "reader",
    "list_sessions": "reader",
    "read_session": "reader",
    "SampleLog": "records",
    "read_samples": "records",
    "IterationWriter": "writer",
    "SessionWriter": "writer",
}


def __getattr__(name: str) -> object:
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOME[name]}"), name)
