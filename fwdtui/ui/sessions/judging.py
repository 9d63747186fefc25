"""The verdicts on listed sessions against the baseline, kept while both sessions stay as they are."""

from fwdtui.core.model import Session
from fwdtui.report.against import Against

_MOST = 2000  # verdicts that are kept, unless one list needs more


class Verdicts:
    """Verdicts by the sessions that they were made of, not by their paths: no verdict is ever of old data."""

    def __init__(self) -> None:
        self._known: dict[tuple[str, str], tuple[Session, Session, Against]] = {}
        self._most = _MOST

    def expect(self, sessions: int) -> None:
        """Keep at least the verdicts on a list of so many sessions."""
        self._most = max(sessions, _MOST)

    def find(self, base: Session, other: Session) -> Against | None:
        """The verdict on `other` against `base`; None: not judged yet, or one of them has changed."""
        known = self._known.get((base.path, other.path))
        if known is None:
            return None
        if known[0] is not base or known[1] is not other:
            if known[0] != base or known[1] != other:
                return None
            self._known[base.path, other.path] = base, other, known[2]  # read again, and the same
        return known[2]

    def keep(self, base: Session, other: Session, verdict: Against) -> None:
        """Remember a verdict; the oldest goes when there are very many."""
        self._known.pop((base.path, other.path), None)
        while len(self._known) >= self._most:
            del self._known[next(iter(self._known))]
        self._known[base.path, other.path] = base, other, verdict
