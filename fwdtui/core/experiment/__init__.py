"""Experiments: experiment.toml (docs/experiment-toml.md) as a design, its cells, and its trials in order.

The data are here (model.py). The code that reads the file, orders the trials and shows them is in the other
modules, so that code that only needs the data does not load the rest.
"""

from fwdtui.core.experiment.model import (
    AFTER,
    BEFORE,
    DURING,
    INTERLEAVED,
    MOMENTS,
    ORDERS,
    RANDOM,
    SEQUENTIAL,
    Abort,
    Action,
    Cell,
    CellProfile,
    Check,
    DesignFactor,
    Experiment,
    Hook,
    LevelSetup,
    Plan,
    Restore,
    StopRule,
    Traffic,
    Trial,
    Upload,
)

__all__ = [
    "AFTER",
    "BEFORE",
    "DURING",
    "INTERLEAVED",
    "MOMENTS",
    "ORDERS",
    "RANDOM",
    "SEQUENTIAL",
    "Abort",
    "Action",
    "Cell",
    "CellProfile",
    "Check",
    "DesignFactor",
    "Experiment",
    "Hook",
    "LevelSetup",
    "Plan",
    "Restore",
    "StopRule",
    "Traffic",
    "Trial",
    "Upload",
]
