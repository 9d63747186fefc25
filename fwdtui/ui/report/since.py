"""Whether sessions have changed since they were read, for screens that show what was made of them."""

from collections.abc import Callable, Sequence
from pathlib import Path

from fwdtui.report.stamp import stamp

Changed = Callable[[], bool]
"""Whether the sessions have changed since they were read."""


def changed_since(paths: Sequence[Path]) -> Changed:
    """For these sessions as they are now: to be called before they are read."""
    read, before = list(paths), stamp(paths)
    return lambda: stamp(read) != before
