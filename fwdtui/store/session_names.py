"""Which session a name means: a path, else the folder's name or the label of a session in one folder.

Every command that takes a session asks here, so that a name means the same in all of them.
"""

import stat
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from pathlib import Path

from fwdtui.core.errors import FwdtuiError
from fwdtui.core.text import clean
from fwdtui.store.listing import Damaged, list_headers, session_folders
from fwdtui.store.reader import holds_iterations, is_session
from fwdtui.store.schema import SESSION_FILE

SESSIONS = Path("sessions")
"""Where names are looked up unless the user says otherwise: ./sessions."""
_LISTED = 12  # names that an error lists
_LIKE = 0.6  # similarity, 0 to 1, from which a name is suggested: difflib's own default


class SessionNames:
    """The sessions of `folder` by name, which are read once, when a text is not a path. None: only paths."""

    def __init__(self, folder: Path | None = SESSIONS) -> None:
        self._folder = folder

    def readings(self, text: str, separator: str) -> Iterator[tuple[Path, str]]:
        """What `text` can mean: a session, and what follows it after `separator` ("" for nothing).

        Longer sessions come before shorter ones: paths, labels and cases may all hold the separator. Where a
        path is a session, nothing is a name, so that nothing else is found for a mistake in what follows it.
        Nothing is yielded if `text` is a file. Raises FwdtuiError for a name that may mean several sessions.
        """
        parts = list(_splits(text.rstrip("/") or text, separator))
        paths = [(Path(head), rest) for head, rest in parts if is_session(Path(head))]
        yield from paths
        if paths or _is_file(text):
            return
        for head, rest in parts:
            if session := self.named(head):
                yield session, rest

    def named(self, name: str) -> Path | None:
        """The session in the folder with this name or label; None: there is none.

        The folder's name decides, unless that session has another label and `name` is the label of a second
        one. Then, and if no folder but several labels have the name, raises FwdtuiError that lists them.
        """
        labelled = [path for path, label in self._all.items() if label == name]
        folder = next((path for path in self._all if path.name == name), None)
        if folder is not None and (folder in labelled or not labelled):
            return folder
        meant = labelled if folder is None else [folder, *labelled]
        if len(meant) > 1:
            listed = [self._told(path) for path in meant[:_LISTED]]
            more = f" and {len(meant) - _LISTED} more" if len(meant) > _LISTED else ""
            raise FwdtuiError(
                f"{name}: may mean any of {len(meant)} sessions: {', '.join(listed)}{more}; give its path"
            )
        return meant[0] if meant else None

    def unknown(self, text: str, separator: str, what: str) -> FwdtuiError:
        """The error for a text without readings: no such `what`, and the closest name or the known names."""
        if _is_file(text):
            return FwdtuiError(f"{text}: is a file, not a {what}")
        heads = [head for head, _ in _splits(text.rstrip("/") or text, separator)]
        if headless := next(filter(_lacks_its_file, self._places(heads)), None):
            return FwdtuiError(f"{text}: {headless} holds iterations but no {SESSION_FILE}")
        if like := _closest(pair for head in heads for pair in self._like(head)):
            return FwdtuiError(f"{text}: no such {what}; did you mean {clean(like)}?")
        near = session_folders(Path(text)) or [*self._all] or session_folders(_nearest(Path(text)))
        there = [path.name for path in near]
        more = f" and {len(there) - _LISTED} more" if len(there) > _LISTED else ""
        listed = f"; there are {', '.join(map(clean, there[:_LISTED]))}{more}" if there else ""
        if not listed and self._folder not in (None, SESSIONS):
            listed = f"; there are no sessions in {self._folder}"
        return FwdtuiError(f"{text}: no such {what}{listed}")

    def _places(self, heads: Iterable[str]) -> Iterator[Path]:
        """The folders that a text without readings may mean by path or by name."""
        for head in heads:
            yield Path(head)
            if self._folder is not None:
                yield self._folder / head

    def _like(self, head: str) -> Iterator[tuple[str, Mapping[str, str]]]:
        """Parts of `head` that may be wrong, each with what it may mean: name -> how to write it.

        In a path to an existing folder only the last part is compared: all paths in a folder look alike.
        """
        names = [path.name for path in self._all]
        yield head, {name: name for name in (*names, *filter(None, self._all.values()))}
        path = Path(head)
        if path.parent.is_dir():
            yield path.name, {session.name: str(session) for session in session_folders(path.parent)}
        else:
            yield head, {str(session): str(session) for session in self._all}

    def _told(self, path: Path) -> str:
        label = self._all[path]
        return clean(str(path) if label in ("", path.name) else f"{path} ({label})")

    @cached_property
    def _all(self) -> dict[Path, str]:
        """Each session and its label; "" if it cannot be read."""
        if self._folder is None:
            return {}
        try:
            headers = [*list_headers(self._folder)]
        except FwdtuiError:  # there is no such folder
            return {}
        return {Path(one.path): "" if isinstance(one, Damaged) else one.label.strip() for one in headers}


def _splits(text: str, separator: str) -> Iterator[tuple[str, str]]:
    """``a:b:c`` -> (``a:b:c``, ""), (``a:b``, ``c``), (``a``, ``b:c``)."""
    yield text, ""
    position = text.rfind(separator)
    while position > 0:
        yield text[:position], text[position + 1 :]
        position = text.rfind(separator, 0, position)


def _closest(pairs: Iterable[tuple[str, Mapping[str, str]]]) -> str:
    """The name most like what was typed, as it is written; "" if none is. Ignores upper and lower case."""
    from difflib import SequenceMatcher, get_close_matches  # only a mistake needs it

    best, closest = 0.0, ""
    for typed, names in pairs:
        folded = {name.casefold(): written for name, written in names.items()}
        for like in get_close_matches(typed.casefold(), folded, n=1, cutoff=_LIKE):
            score = SequenceMatcher(None, typed.casefold(), like).ratio()
            if score > best:
                best, closest = score, folded[like]
    return closest


def _nearest(path: Path) -> Path:
    """The nearest folder above `path` that exists."""
    return next((parent for parent in path.parents if parent.is_dir()), Path())


def _lacks_its_file(path: Path) -> bool:
    """Whether a folder is a session whose session.toml is missing."""
    try:
        return holds_iterations(path) and not is_session(path)
    except (OSError, ValueError):  # ValueError: a NUL in the name
        return False


def _is_file(text: str) -> bool:
    """Whether `text` is the path of something that is not a folder."""
    try:
        return not stat.S_ISDIR(Path(text).stat().st_mode)
    except (OSError, ValueError):  # ValueError: a NUL in the name
        return False
