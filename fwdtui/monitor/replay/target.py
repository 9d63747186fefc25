"""Finds the recording that a path or name refers to: SESSION, SESSION/CASE or SESSION/CASE/ITERATION."""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from fwdtui.core.errors import FwdtuiError
from fwdtui.core.text import clean
from fwdtui.store.names import case_folder
from fwdtui.store.reader import is_number
from fwdtui.store.session_names import SessionNames

_SHOWN = 12  # names that an error lists
_DEPTH = 2  # a case and an iteration


@dataclass(frozen=True, slots=True)
class Target:
    """What to play. `case`: the folder of a case; None: the whole session. `iteration`: None: all."""

    session: Path
    case: Path | None = None
    iteration: int | None = None

    @property
    def path(self) -> Path:
        """The folder of the session, the case or the iteration."""
        if self.case is None:
            return self.session
        return self.case if self.iteration is None else self.case / str(self.iteration)

    @property
    def name(self) -> str:
        """The folders' names in a row: ``no-rules ▸ forwarding.inet4 ▸ 3``."""
        parts = [self.session.name]
        if self.case is not None:
            parts.append(self.case.name)
        if self.iteration is not None:
            parts.append(str(self.iteration))
        return clean(" ▸ ".join(parts))


def find(path: Path) -> Target:
    """Resolve a path, with cases by folder or name. Raises FwdtuiError, which lists what exists."""
    return find_named(str(path.absolute()), SessionNames(None))


def find_named(text: str, names: SessionNames) -> Target:
    """Like `find`, but the session may also be given by its name. Raises FwdtuiError."""
    refused = []
    for session, rest in names.readings(text, "/"):
        parts = tuple(filter(None, rest.split("/")))
        try:
            return _within(session.absolute(), parts)
        except FwdtuiError as error:
            refused.append(error)
    raise refused[0] if refused else names.unknown(text, "/", "session")


def _within(session: Path, names: tuple[str, ...]) -> Target:
    if not names:
        return Target(session)
    cases = [entry for entry in _folders(session) if numbers(entry)]
    case = next((entry for entry in cases if entry.name in (names[0], case_folder(names[0]))), None)
    if case is None:
        told = _there_are("cases", [entry.name for entry in cases], session)
        raise FwdtuiError(f"{session}: no case {clean(names[0])!r}; {told}")
    if len(names) == 1:
        return Target(session, case)
    if len(names) > _DEPTH:
        raise FwdtuiError(f"{case}: no {clean('/'.join(names[1:]))!r}; an iteration is only a number")
    there = numbers(case)
    wanted = int(names[1]) if names[1].isascii() and names[1].isdecimal() else None
    if wanted not in there:
        told = _there_are("iterations", map(str, there), case)
        raise FwdtuiError(f"{case}: no iteration {clean(names[1])!r}; {told}")
    return Target(session, case, wanted)


def numbers(case: Path) -> list[int]:
    """The numbers of a case's iterations, finished or not."""
    return sorted(int(entry.name) for entry in _folders(case) if is_number(entry.name))


def _folders(path: Path) -> list[Path]:
    try:
        folders = [
            p for p in path.iterdir() if not p.name.startswith(".") and not p.is_symlink() and p.is_dir()
        ]
    except OSError as error:
        raise FwdtuiError(f"{path}: {error.strerror}") from None
    return sorted(folders)


def _there_are(what: str, names: Iterable[str], folder: Path) -> str:
    shown = [clean(name) for name in names]
    if not shown:
        return f"there are no {what} in {folder}"
    more = f" and {len(shown) - _SHOWN} more" if len(shown) > _SHOWN else ""
    return f"there are {', '.join(shown[:_SHOWN])}{more}"
