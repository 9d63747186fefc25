"""The verdicts on listed sessions against the baseline, kept while both sessions stay as they are."""

from fwdtui.core.model import Session
from fwdtui.report.against import Against

_MOST = 2000  # verdicts that are kept, unless one list needs more


class Verdicts:
    """Verdicts, each kept with the two sessions it was made from, so that none is ever about old data."""

    def __init__(self) -> None:
        self._known: dict[tuple[str, str], tuple[Session, Session, Against]] = {}
        self._most = _MOST

    def expect(self, sessions: int) -> None:
        """Keep at least as many verdicts as a list of `sessions` sessions needs."""
        self._most = max(sessions, _MOST)

    def find(self, base: Session, other: Session) -> Against | None:
        """The verdict on `other` against `base`; None: not judged yet, or one of them has changed."""
        known = self._known.get((base.path, other.path))
        if known is None:
            return None
        if known[0] is not base or known[1] is not other:
            if known[0] != base or known[1] != other:
                return None
            self._known[base.path, other.path] = base, other, known[2]  # read again, but not changed
        return known[2]

    def keep(self, base: Session, other: Session, verdict: Against) -> None:
        """Remember a verdict. If there are very many, the oldest is forgotten."""
        self._known.pop((base.path, other.path), None)
        while len(self._known) >= self._most:
            del self._known[next(iter(self._known))]
        self._known[base.path, other.path] = base, other, verdict
