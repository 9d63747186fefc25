"""Sessions on disk: written crash-safely, read strictly, and imported from other programs' results.

The format is documented in docs/session-format.md. The names are loaded when they are first used, so that a
comparison of two value files starts without importing msgspec and the rest.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from fwdtui.store.annotations import (
        annotate,
        drop,
        read_annotations,
        rename,
        restore,
        write_annotations,
    )
    from fwdtui.store.annotations_text import Annotations, Dropped
    from fwdtui.store.iteration_writer import IterationWriter
    from fwdtui.store.listing import Damaged, Header, list_headers, list_sessions
    from fwdtui.store.reader import is_session, read_session
    from fwdtui.store.records import SampleLog, index_samples, read_samples
    from fwdtui.store.trash import bring_back, discard, list_trash
    from fwdtui.store.writer import SessionWriter

__all__ = [
    "Annotations",
    "Damaged",
    "Dropped",
    "Header",
    "IterationWriter",
    "SampleLog",
    "SessionWriter",
    "annotate",
    "bring_back",
    "discard",
    "drop",
    "index_samples",
    "is_session",
    "list_headers",
    "list_sessions",
    "list_trash",
    "read_annotations",
    "read_samples",
    "read_session",
    "rename",
    "restore",
    "write_annotations",
]

_HOME = {  # name -> the module that defines it
    "Annotations": "annotations_text",
    "Dropped": "annotations_text",
    "annotate": "annotations",
    "drop": "annotations",
    "read_annotations": "annotations",
    "rename": "annotations",
    "restore": "annotations",
    "write_annotations": "annotations",
    "bring_back": "trash",
    "discard": "trash",
    "list_trash": "trash",
    "Damaged": "listing",
    "Header": "listing",
    "list_headers": "listing",
    "is_session": "reader",
    "list_sessions": "listing",
    "read_session": "reader",
    "SampleLog": "records",
    "index_samples": "records",
    "read_samples": "records",
    "IterationWriter": "iteration_writer",
    "SessionWriter": "writer",
}


def __getattr__(name: str) -> object:
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOME[name]}"), name)
