"""Lists a folder's sessions, whole or only their headers. Damage is listed with its reason, never hidden."""

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import TypeVar

import msgspec

from fwdtui.core.errors import FwdtuiError
from fwdtui.core.model import Fact, Session
from fwdtui.core.text import clean
from fwdtui.store import annotations, lock
from fwdtui.store.opening import leads_to_folder
from fwdtui.store.reader import (
    cleaned_lab,
    holds_iterations,
    is_lost_and_found,
    is_session,
    read_header,
    read_session,
)
from fwdtui.store.schema import SESSION_FILE

Found = TypeVar("Found")


class Damaged(msgspec.Struct, frozen=True):
    """A folder that should be a session and cannot be read as one."""

    path: str
    reason: str


class Header(msgspec.Struct, frozen=True):
    """A session without its iterations; the fields are those of model.Session."""

    path: str
    label: str
    created: str
    facts: Mapping[str, Fact]
    note: str
    lab: Mapping[str, object] | None
    recording: bool


def session_folders(folder: Path) -> list[Path]:
    """The folders of the sessions in `folder`, by name; [] if it cannot be read. No session is read."""
    try:
        return sorted(path for path in folder.iterdir() if path.name[:1] != "." and is_session(path))
    except (OSError, ValueError):  # ValueError: a NUL in the name
        return []


def list_sessions(folder: Path) -> Iterator[Session | Damaged]:
    """The sessions directly in `folder`, by name, without hidden folders (imports in progress, the trash).

    Raises FwdtuiError if `folder` is not a folder.
    """
    return _each(folder, read_session)


def list_one(path: Path) -> Session | Damaged:
    """The session at `path`, as list_sessions has it."""
    return next(_listed([path], read_session))


def list_headers(folder: Path) -> Iterator[Header | Damaged]:
    """As list_sessions and in the same order, but without reading iterations: under a millisecond each.

    A session that is Damaged here is so there too; others may still turn out to be damaged when they are
    read.
    """
    return _each(folder, _header)


def _header(path: Path) -> Header:
    header = read_header(path)
    said = annotations.read_annotations(path)
    return Header(
        path=str(path),
        label=said.label or clean(header.label),
        created=clean(header.created),
        facts=header.facts,
        note=said.note,
        lab=cleaned_lab(header),
        recording=lock.is_held(path / lock.RECORDING),
    )


def _each(folder: Path, read: Callable[[Path], Found]) -> Iterator[Found | Damaged]:
    """Call `read` for every folder in `folder` that is or was a session."""
    try:
        with os.scandir(folder) as entries:
            names = sorted(e.name for e in entries if not e.name.startswith(".") and leads_to_folder(e))
    except (FileNotFoundError, NotADirectoryError):
        raise FwdtuiError(f"{folder}: no such folder of sessions") from None
    except OSError as error:  # it may be there, with all its sessions
        raise FwdtuiError(f"{folder}: {error.strerror or error}") from None
    paths = (folder / name for name in names)
    yield from _listed((path for path in paths if not is_lost_and_found(path)), read)


def _listed(paths: Iterable[Path], read: Callable[[Path], Found]) -> Iterator[Found | Damaged]:
    for path in paths:
        try:
            if is_session(path):
                yield read(path)
            elif holds_iterations(path):
                yield Damaged(str(path), f"{path}: holds iterations but no {SESSION_FILE}")
        except FwdtuiError as error:
            yield Damaged(str(path), str(error))
        except OSError as error:
            yield Damaged(str(path), f"{path}: {error.strerror or error}")
