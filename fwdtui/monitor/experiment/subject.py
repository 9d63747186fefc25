"""What an experiment is run from: its file as it was read and trusted, and the files that it uploads."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from fwdtui.core.experiment import Plan
from fwdtui.core.lab import Lab


@dataclass(frozen=True)
class Subject:
    """An experiment to run. `lab` is the path of lab.toml, `text` the content of experiment.toml.

    `uploads`: `Upload.source` -> a function that reads it, and raises FwdtuiError if it has changed since.
    `read` is the lab from which the plan was made; None: not known.
    """

    lab: Path
    plan: Plan
    text: str
    uploads: Mapping[str, Callable[[], bytes]] = field(default_factory=dict)
    read: Lab | None = None
