"""Reading sessions: strict about damage, which is told with its place, and never rewriting anything."""

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fwdtui.core.errors import FwdtuiError
from fwdtui.core.model import Case, Iteration, Session
from fwdtui.core.text import clean, clean_lines
from fwdtui.store import annotations, lock
from fwdtui.store.records import NAME as SAMPLES
from fwdtui.store.records import read_samples
from fwdtui.store.schema import ITERATION_FILE, SESSION_FILE, decode_iteration, decode_session


@dataclass(frozen=True, slots=True)
class Damaged:
    """A folder that should be a session and cannot be read as one."""

    path: str
    reason: str


def is_session(path: Path) -> bool:
    """Whether `path` is a session folder (it has a session.toml, readable or not)."""
    return (path / SESSION_FILE).is_file()


def list_sessions(folder: Path) -> Iterator[Session | Damaged]:
    """The sessions directly in `folder`, by name; hidden folders (imports under way) are passed over.

    Raises FwdtuiError when `folder` is not a folder.
    """
    if not folder.is_dir():
        raise FwdtuiError(f"{folder}: no such folder of sessions")
    for path in sorted(folder.iterdir()):
        if path.name.startswith(".") or not path.is_dir():
            continue
        if not is_session(path):
            if any(path.glob(f"*/*/{ITERATION_FILE}")):
                yield Damaged(str(path), f"{path}: holds iterations but no {SESSION_FILE}")
            continue
        try:
            yield read_session(path)
        except (FwdtuiError, OSError) as error:
            yield Damaged(str(path), str(error))


def read_session(path: Path, verify: bool = False) -> Session:
    """One session. `verify` also reads the samples and checks every raw log against its checksum.

    An iteration that is unfinished or damaged is listed with value None and complete False, and
    `problems` says why. What people said of it since is merged in: label, note, dropped iterations.
    Raises FwdtuiError when session.toml itself cannot be read.
    """
    try:
        data = (path / SESSION_FILE).read_bytes()
    except OSError as error:
        raise FwdtuiError(f"{path}: not a session folder ({SESSION_FILE}: {error.strerror})") from None
    header = decode_session(data, path / SESSION_FILE)
    problems: list[str] = []
    recording = lock.is_held(path / lock.RECORDING)
    cases: dict[str, list[Iteration]] = {}
    for folder in _folders(path):
        name = folder.name
        iterations = []
        for entry in _folders(folder):
            if not entry.name.isdecimal():
                continue
            case_name, iteration = _iteration(entry, problems, verify, recording)
            name = name if case_name is None else case_name
            iterations.append(iteration)
        if iterations:
            cases.setdefault(clean(name), []).extend(iterations)
    found = [Case(name, tuple(sorted(cases[name], key=lambda i: i.index))) for name in sorted(cases)]
    said = annotations.read_annotations(path)
    marked, wrong = annotations.applied(said, found, path)
    return Session(
        path=str(path),
        label=said.label or clean(header.label),
        created=clean(header.created),
        facts=header.facts,
        cases=tuple(marked),
        problems=(*problems, *wrong),
        note=said.note,
        lab=None if header.lab is None else _cleaned(header.lab),
        recording=recording,
    )


def _cleaned(found: Any) -> Any:
    """What TOML gives, with its texts cleaned; a command in it may have several lines."""
    if isinstance(found, Mapping):
        return {clean(key): _cleaned(value) for key, value in found.items()}
    if isinstance(found, list):
        return [_cleaned(value) for value in found]
    return clean_lines(found) if isinstance(found, str) else found


def _folders(path: Path) -> list[Path]:
    return sorted(
        p for p in path.iterdir() if p.is_dir() and not p.is_symlink() and not p.name.startswith(".")
    )


def _iteration(
    folder: Path, problems: list[str], verify: bool, recording: bool
) -> tuple[str | None, Iteration]:
    path = folder / ITERATION_FILE
    missing = Iteration(index=int(folder.name), value=None, complete=False)
    try:
        record = decode_iteration(path.read_bytes(), path)
    except FileNotFoundError:
        state = "being recorded" if recording and _since_locked(folder) else "unfinished"
        problems.append(f"{folder}: {state}: it has no {ITERATION_FILE}")
        return None, missing
    except OSError as error:
        problems.append(f"{path}: {error.strerror}")
        return None, missing
    except FwdtuiError as error:
        problems.append(str(error))
        return None, missing
    if verify:
        problems.extend(_verify(folder, record.files))
    return record.case, record.iteration()


def _since_locked(folder: Path) -> bool:
    """Whether an iteration was begun by the one that holds the session's lock, and not by one that died."""
    try:
        return folder.stat().st_mtime_ns >= (folder.parent.parent / lock.RECORDING).stat().st_mtime_ns
    except OSError:
        return False  # it was finished in this moment: the next reading will tell


def _verify(folder: Path, files: Mapping[str, str]) -> Iterator[str]:
    """What differs from what was recorded; the logs' names come from a file, so they are checked first."""
    for name, recorded in files.items():
        path = folder / name
        if Path(name).name != name:
            yield f"{folder / ITERATION_FILE}: the file name {clean(name)!r} leaves the folder"
            continue
        try:
            digest = "sha256:" + hashlib.sha256(path.read_bytes()).hexdigest()
        except OSError as error:
            yield f"{path}: {error.strerror}"
            continue
        if digest != recorded:
            yield f"{path}: checksum does not match: the file was changed after it was recorded"
    if (folder / SAMPLES).exists() and SAMPLES not in files:
        yield from read_samples(folder).problems
