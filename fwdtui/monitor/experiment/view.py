"""The immutable picture of an experiment, for screens and for the output of runs without a screen."""

import msgspec


class CellView(msgspec.Struct, frozen=True):
    """One cell of the design. `repeated` counts bad attempts; `failed` trials that were given up."""

    number: int
    name: str
    planned: int
    done: int
    failed: int
    repeated: int
    running: bool
    values: tuple[float, ...]  # those of its sound trials, in the order of the plan

    @property
    def mean(self) -> float | None:
        """The mean of its values so far, in packets per second."""
        return sum(self.values) / len(self.values) if self.values else None


class ExperimentView(msgspec.Struct, frozen=True):
    """An experiment at one moment. `left` is in seconds; None while nothing more is measured."""

    name: str
    cells: tuple[CellView, ...]
    planned: int  # trials
    done: int
    trial: int  # the current one, from 1; 0: none
    attempt: int
    block: int
    doing: str  # ``measuring 12 s left``
    left: float | None
    looks: tuple[str, ...]
    log: tuple[str, ...]  # the newest lines
    decided: str = ""  # why nothing more is measured, if that is before the last trial
    problem: str = ""  # why it ended without all trials
    over: bool = False
    stopped: bool = False  # whether it was told to stop before the last trial, profile or hook
    in_doubt: tuple[str, ...] = ()  # ``factor=value`` of what it may have left set on a host, once it is over
    profiling: bool = False  # the profile of a cell is taken; the current trial, if there is one, is done
