"""Writes the lab's own files."""

import os
from pathlib import Path


def write(path: Path, content: str | bytes) -> Path:
    """Writes a file atomically, readable by its owner only, and never through a symbolic link."""
    fresh = unfinished(path)
    fresh.unlink(missing_ok=True)
    descriptor = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600)
    with os.fdopen(descriptor, "wb") as file:
        file.write(content.encode() if isinstance(content, str) else content)
    fresh.replace(path)
    return path


def unfinished(path: Path) -> Path:
    """The temporary name under which a file is written. A crash may leave such a file behind."""
    return path.with_name(f".{path.name}.new")
