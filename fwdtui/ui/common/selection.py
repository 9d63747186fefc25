"""State shared by screens: the marked sessions, and what can be undone."""

from collections.abc import Callable, Container
from dataclasses import dataclass, field
from pathlib import Path

from fwdtui.ui.common.own_keys import key

_DEPTH = 100


@dataclass(frozen=True, slots=True)
class Change:
    """A change to a session. `do` and `undo` may raise FwdtuiError.

    `undone` is the sentence that reports `undo`, unless `undo` returns another one. `remark` is added after a
    comma to the report of the change itself.
    """

    undone: str
    do: Callable[[], object]
    undo: Callable[[], object]
    remark: str = ""


@dataclass(slots=True)
class Marks:
    """The baseline and the candidates: paths of sessions, or PATH:CASE for one of a session's cases."""

    base: str | None = None
    candidates: list[str] = field(default_factory=list)
    own: bool = False
    """Whether the user has marked any: from then on nothing is marked automatically."""

    def suggest(self, base: str, candidate: str) -> None:
        """Mark the only two sessions there are, unless the user has marked any."""
        if not self.own:
            self.base, self.candidates = base, [candidate]

    def suggest_none(self) -> None:
        """Remove the marks of `suggest`, as there are no longer just two sessions."""
        if not self.own:
            self.base, self.candidates = None, []

    def baseline(self, path: str) -> None:
        """Mark `path` as the baseline, or unmark it if it is."""
        self.own = True
        self.base = None if self.base == path else path
        self.candidates = [one for one in self.candidates if one != path]

    def candidate(self, path: str) -> None:
        """Mark `path` as a candidate, or unmark it if it is one. The baseline stays: only b unmarks it."""
        if path == self.base:
            return
        self.own = True
        if path in self.candidates:
            self.candidates.remove(path)
            return
        self.candidates.append(path)

    def none(self) -> int:
        """Remove all marks; returns how many there were."""
        count = (self.base is not None) + len(self.candidates)
        self.own, self.base, self.candidates = True, None, []
        return count

    def word(self, path: str) -> str:
        """This session's mark: "baseline", "candidate" or ""."""
        return "baseline" if path == self.base else "candidate" if path in self.candidates else ""

    def keep(self, there: Container[str]) -> None:
        """Unmark sessions that no longer exist, and their cases."""

        if self.base is not None and not _is_of(self.base, there):
            self.base = None
        self.candidates = [mark for mark in self.candidates if _is_of(mark, there)]

    def of(self, path: str) -> "Marks":
        """The marks of this session and of its cases."""
        base = self.base if self.base is not None and _is_of(self.base, (path,)) else None
        return Marks(base, [mark for mark in self.candidates if _is_of(mark, (path,))])

    def again(self, gone: "Marks") -> None:
        """Mark again what was removed, but no second baseline if another was marked meanwhile."""
        if self.base is None and gone.base not in self.candidates:
            self.base = gone.base
        self.candidates += [one for one in gone.candidates if one not in (self.base, *self.candidates)]

    def missing(self) -> str:
        """What has to be marked before comparing; "" if nothing."""
        if self.base is None:
            return f"a baseline with {key('sessions.baseline', 'b')}"
        return "" if self.candidates else f"a candidate with {key('sessions.candidate', 'space')}"


def _is_of(mark: str, sessions: Container[str]) -> bool:
    """Whether a mark is on one of the sessions, or on one of their cases, whose names may have a colon."""
    ends = (place for place, character in enumerate(mark) if character == ":")
    return mark in sessions or any(mark[:end] in sessions for end in ends)


@dataclass(slots=True)
class Selection:
    """The selection of one app."""

    marks: Marks = field(default_factory=Marks)
    done: list[Change] = field(default_factory=list)
    originals: Path | None = None
    """A read-only folder of sessions: the examples as shipped."""

    def remember(self, change: Change) -> None:
        """Add a change that can be undone. Only the latest 100 are kept."""
        self.done = [*self.done[-_DEPTH + 1 :], change]
