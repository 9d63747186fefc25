"""Names in a session's folder: the session's own files, and one folder per case."""

import re
from pathlib import Path

from fwdtui.core.model import Session
from fwdtui.core.text import slug
from fwdtui.store.schema import SESSION_FILE

ANNOTATIONS_FILE = "annotations.toml"
HYGIENE_FILE = "hygiene.json"
EXPERIMENT_FILES = ("experiment.jsonl", "experiment.toml", "plan.json")
_OWN_FILES = (SESSION_FILE, ANNOTATIONS_FILE, HYGIENE_FILE, *EXPERIMENT_FILES)
RECORDING = re.compile(r"recording-([0-9]{3,})\.jsonl")


def has_experiment(session: Path) -> bool:
    """Whether the journal of an experiment is in a session's folder, even as a link to nothing."""
    journal = session / EXPERIMENT_FILES[0]
    return journal.is_symlink() or journal.exists()


def is_of_experiment(session: Session) -> bool:
    """Whether a session has an experiment's journal, or iterations of one, so that it should have it."""
    planned = any(one.planned for case in session.cases for one in case.iterations)
    return planned or has_experiment(Path(session.path))


def case_folder(case: str) -> str:
    """The folder of a case's iterations: the slug of its name, but never the name of a session's file."""
    name = slug(case)
    lower = name.lower()  # some file systems ignore case
    if lower in _OWN_FILES or RECORDING.fullmatch(lower):
        return slug(f"{case}/")
    return name
