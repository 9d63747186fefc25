"""Whether sessions have changed since they were read, for screens that show results computed from them."""

from collections.abc import Callable, Sequence
from pathlib import Path

from fwdtui.report.stamp import stamp

Changed = Callable[[], bool]
"""Whether the sessions have changed since they were read."""


def changed_since(paths: Sequence[Path]) -> Changed:
    """A Changed that compares these sessions with how they are now. Call this before they are read."""
    read, before = list(paths), stamp(paths)
    return lambda: stamp(read) != before
