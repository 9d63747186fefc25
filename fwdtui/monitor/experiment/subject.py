"""What an experiment is run from: its file as it was read and trusted, and what it uploads."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from fwdtui.core.experiment import Plan
from fwdtui.core.lab import Lab


@dataclass(frozen=True)
class Subject:
    """`lab` is the path of lab.toml, `text` what is in experiment.toml.

    `uploads`: `Upload.source` -> a function that reads it, and raises FwdtuiError if it has changed since.
    `read` is lab.toml as the plan was made of it; None: nobody knows.
    """

    lab: Path
    plan: Plan
    text: str
    uploads: Mapping[str, Callable[[], bytes]] = field(default_factory=dict)
    read: Lab | None = None
