"""Runs whose log is another run's: where a receiver did not start, its last log may have been fetched again.

Two runs never print the same log, since each of its lines has a time stamp.
"""

from collections.abc import Sequence
from pathlib import Path

import msgspec

from fwdtui.store.benchlab_tree import Run
from fwdtui.store.benchlab_work import Outcome, Part, Step


class Copies:
    """The receivers' logs of an import so far, by their checksums."""

    def __init__(self) -> None:
        self._first: dict[tuple[Path, str], str] = {}  # folder and checksum -> the first run with this log

    def marked(self, part: Part, outcomes: Sequence[Outcome]) -> Part | None:
        """The part, with `copy_of` of each run whose log an earlier run of the folder has; None: none has.

        `outcomes` are the part's own, whose logs are added.
        """
        both = zip(part.steps, outcomes, strict=True)
        steps = tuple(self._marked(part, step, outcome) for step, outcome in both)
        return None if steps == part.steps else msgspec.structs.replace(part, steps=steps)

    def _marked(self, part: Part, step: Step, outcome: Outcome) -> Step:
        if not outcome.log or not isinstance(step.of, Run):
            return step
        one = part.described[step.place]
        key, name = (one.tree.folder, outcome.log), f"run {step.of.index} of {one.result.key}"
        first = self._first.setdefault(key, name)
        if first == name:
            return step
        return msgspec.structs.replace(step, of=msgspec.structs.replace(step.of, copy_of=first))
