"""What is kept while screens come and go: the marked sessions, and what can be undone."""

from collections.abc import Callable, Container
from dataclasses import dataclass, field
from pathlib import Path

_DEPTH = 100
BASELINE = "This is the baseline: b takes the mark from it, then it can be a candidate."


@dataclass(frozen=True, slots=True)
class Change:
    """Done to a session. `undone` says in a sentence what `undo` brings. Both may raise FwdtuiError."""

    undone: str
    do: Callable[[], object]
    undo: Callable[[], object]


@dataclass(slots=True)
class Marks:
    """The baseline and the candidates, as paths of sessions."""

    base: str | None = None
    candidates: list[str] = field(default_factory=list)
    own: bool = False
    """Whether the user has marked any: from then on nothing is marked by itself."""

    def suggest(self, base: str, candidate: str) -> None:
        """With two sessions there is only one question to ask."""
        if not self.own:
            self.base, self.candidates = base, [candidate]

    def baseline(self, path: str) -> None:
        """Compare the others with this one; again: with none."""
        self.own = True
        self.base = None if self.base == path else path
        self.candidates = [one for one in self.candidates if one != path]

    def candidate(self, path: str) -> None:
        """Into the comparison, or out of it. The baseline stays what it is: b takes that from it."""
        if path == self.base:
            return
        self.own = True
        if path in self.candidates:
            self.candidates.remove(path)
            return
        self.candidates.append(path)

    def word(self, path: str) -> str:
        """How this session is marked: "baseline", "candidate" or not at all."""
        return "baseline" if path == self.base else "candidate" if path in self.candidates else ""

    def keep(self, there: Container[str]) -> None:
        """Forget what is not there any more."""
        if self.base is not None and self.base not in there:
            self.base = None
        self.candidates = [path for path in self.candidates if path in there]

    def missing(self) -> str:
        """What has to be marked before there is something to compare; "" when nothing is."""
        if self.base is None:
            return "a baseline with b"
        return "" if self.candidates else "a candidate with space"


@dataclass(slots=True)
class Selection:
    """Of one app."""

    marks: Marks = field(default_factory=Marks)
    done: list[Change] = field(default_factory=list)
    originals: Path | None = None
    """A folder of sessions in which nothing may be changed: the examples as they were shipped."""

    def remember(self, change: Change) -> None:
        """It was done; the oldest is forgotten when there are very many."""
        self.done = [*self.done[-_DEPTH + 1 :], change]
