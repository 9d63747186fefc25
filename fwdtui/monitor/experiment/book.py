"""The journal together with the state that its steps add up to: a step is written, then counted."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec

from fwdtui.core.text import clean
from fwdtui.monitor.experiment.known import Known
from fwdtui.store.experiment_journal import Journal, Step


def step(what: str, **more: object) -> Step:
    """A step without a number yet; `more` are fields of Step."""
    return Step(0, "", what, **more)  # type: ignore[arg-type]


def said(error: OSError, folder: Path) -> str:
    """The error as text: ``/the/folder: No space left on device``."""
    return f"{error.filename or folder}: {error.strerror or error}"


class Book:
    """Writes steps to a journal. `known` is the state that all of them add up to."""

    def __init__(self, journal: Journal) -> None:
        self.lenient = False
        """Whether a step is done even if it cannot be written, as at the end; `problem` then says so."""
        self.problem = ""
        self.journal = journal
        self.known = Known.of(journal.steps)

    def write(self, what: str, **more: object) -> Step:
        """Write one step. Raises OSError."""
        return self._write(step(what, **more))

    def _write(self, step: Step) -> Step:
        try:
            step = self.journal.write(step)
        except OSError as error:
            if not self.lenient:
                raise
            self.problem = f"not every step is written down: {said(error, self.journal.folder)}"
        self.known.take(step)
        return step

    @contextmanager
    def taking(self, what: str, **more: object) -> Iterator[dict[str, object]]:
        """Write a step before the block, and again after it: as done, or as failed with the reason.

        Fields that the block puts into the dictionary are in the second record. Raises OSError.
        """
        before = self.write(what, **more)
        outcome: dict[str, object] = {}
        try:
            yield outcome
        except Exception as error:
            self._after(before, failed=clean(str(error))[:1000] or type(error).__name__, **outcome)
            raise
        self._after(before, **outcome)

    def _after(self, before: Step, **more: object) -> None:
        self._write(msgspec.structs.replace(before, done=True, **more))
