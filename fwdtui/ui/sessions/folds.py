"""Which groups of a list are folded, remembered from one start to the next."""

import hashlib
from collections.abc import Iterable
from pathlib import Path

import msgspec

from fwdtui.ui.common.state import Memory, State

_MOST = 1000  # groups that are remembered, of all folders together


class Folds:
    """The folded groups of one folder of sessions, by their keys.

    Digests are saved, because a group may have any name, of any length.
    """

    def __init__(self, memory: Memory, folder: Path) -> None:
        self._memory, self._folder = memory, folder.absolute()

    def __contains__(self, key: object) -> bool:
        return self._digest(str(key)) in self._memory.state.folded

    def fold(self, keys: Iterable[str], shut: bool) -> None:
        """Fold these groups, or unfold them."""
        digests = dict.fromkeys(map(self._digest, keys))

        def folded(now: State) -> State:
            others = [one for one in now.folded if one not in digests]
            return msgspec.structs.replace(
                now, folded=(*others, *digests)[-_MOST:] if shut else tuple(others)
            )

        self._memory.update(folded)

    def _digest(self, key: str) -> str:
        text = f"{self._folder}\0{key}".encode(errors="surrogateescape")
        return hashlib.sha256(text).hexdigest()[:16]
