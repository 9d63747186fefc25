"""Names in a session's folder: the session's own files, and one folder per case."""

import re

from fwdtui.core.text import slug
from fwdtui.store.schema import SESSION_FILE

ANNOTATIONS_FILE = "annotations.toml"
EXPERIMENT_FILES = ("experiment.jsonl", "experiment.toml", "plan.json")
RECORDING = re.compile(r"recording-([0-9]{3,})\.jsonl")


def case_folder(case: str) -> str:
    """The folder of a case's iterations: the slug of its name, but never the name of a session's file."""
    name = slug(case)
    lower = name.lower()  # some file systems ignore case
    if lower in (SESSION_FILE, ANNOTATIONS_FILE, *EXPERIMENT_FILES) or RECORDING.fullmatch(lower):
        return slug(f"{case}/")
    return name
