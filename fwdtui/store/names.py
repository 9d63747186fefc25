"""What lies in a session's folder under which name: files of the session's own, and a folder a case."""

import re

from fwdtui.core.text import slug
from fwdtui.store.schema import SESSION_FILE

ANNOTATIONS_FILE = "annotations.toml"
RECORDING = re.compile(r"recording-([0-9]{3,})\.jsonl")


def case_folder(case: str) -> str:
    """The folder of a case's iterations: the slug of its name, and never a file of the session's own."""
    name = slug(case)
    lower = name.lower()  # a file system may not tell them apart
    if lower in (SESSION_FILE, ANNOTATIONS_FILE) or RECORDING.fullmatch(lower):
        return slug(f"{case}/")
    return name
