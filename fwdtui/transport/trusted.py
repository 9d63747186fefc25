"""Which files the user has allowed to run commands, and which labs this program has made itself.

A file is trusted only with the content that was allowed. Its digest is saved, and a digest of each line, so
that a later question can show what has changed; the content itself is not saved. `trusted.json` is in the
user's state folder and counts only if no other user could have written it.

A folder is *made* if fwdtui made it. For the simulated lab's folder, this process knows that. The kernel
lab's folder is made by root, so an entry in a folder that belongs to root says so until the next boot.
Nothing inside a folder can claim that fwdtui made it.
"""

import contextlib
import datetime
import fcntl
import hashlib
import json
import os
import stat
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

import msgspec

from fwdtui.core.errors import FwdtuiError
from fwdtui.transport.ssh_files import TextFile

_VERSION = 1
_COMPARED = 5000  # changes are shown line by line only in files of up to this many lines
_MADE: set[tuple[int, int]] = set()
_RUN = Path("/run/fwdtui")  # gone with the next boot, as a kernel lab is


@dataclass(frozen=True)
class Allowed:
    """What was allowed for one lab.toml or experiment.toml, at `root`.

    `files`: path -> the file's digest, and those of its lines.
    """

    root: Path
    when: str  # ISO 8601
    files: dict[str, tuple[str, tuple[str, ...]]]


def store() -> Path:
    """The path of trusted.json, which may not exist."""
    from platformdirs import user_state_path

    return user_state_path("fwdtui", appauthor=False) / "trusted.json"


def allowed() -> list[Allowed]:
    """Everything that was allowed, sorted by path. Unreadable entries count as not allowed.

    Raises FwdtuiError if a newer fwdtui has written the file.
    """
    return sorted(_own().values(), key=lambda one: str(one.root))


@dataclass(frozen=True)
class Difference:
    """The paths of files that differ from the allowed ones. It is false if there are none."""

    changed: tuple[Path, ...]
    new: tuple[Path, ...]
    gone: tuple[Path, ...]

    def __bool__(self) -> bool:
        return bool(self.changed or self.new or self.gone)


def difference(root: Path, files: Sequence[TextFile]) -> Difference | None:
    """How `files`, which must be all of the lab's files, differ from the allowed ones; None: none allowed.

    A missing file is a difference too: its content may have kept another line from taking effect.
    """
    known = _known(root)
    if known is None:
        return None
    now = {str(file.path.resolve()): file for file in files}
    return Difference(
        changed=tuple(
            file.path for name, file in now.items() if known.files.get(name, (file.digest,))[0] != file.digest
        ),
        new=tuple(file.path for name, file in now.items() if name not in known.files),
        gone=tuple(Path(name) for name in known.files if name not in now),
    )


def is_allowed(root: Path, files: Sequence[TextFile]) -> bool:
    """Whether exactly these files were allowed with their current content."""
    changed = difference(root, files)
    return changed is not None and not changed


def allow(root: Path, files: Sequence[TextFile]) -> None:
    """Allow these files until one of them changes.

    Raises FwdtuiError if that cannot be saved, or if it would overwrite what a newer fwdtui has saved.
    """
    now = datetime.datetime.now().astimezone().isoformat(timespec="seconds")
    held = {str(file.path.resolve()): (file.digest, _marks(file)) for file in files}
    with _changing() as entries:
        entries[str(root.resolve())] = Allowed(root.resolve(), now, held)


def forget(root: Path) -> int:
    """Forget what was allowed for this path, or for the files in this folder; returns how many entries.

    Raises FwdtuiError as `allow` does.
    """
    path = Path(os.path.realpath(root))  # like resolve(), but that raises if links lead in a circle
    with _changing() as entries:
        gone = [name for name in entries if Path(name) == path or Path(name).parent == path]
        for name in gone:
            del entries[name]
    return len(gone)


def changes(root: Path, file: TextFile) -> list[tuple[str, str]] | None:
    """(mark, line) for each line, with the mark "+" if the line is new since `root` was allowed.

    None if `root` was never allowed. All lines of a new file are new. Removed lines are only counted, since
    their text was not saved: ("-", "3 lines are gone here").
    """
    known = _known(root)
    if known is None:
        return None
    before = known.files.get(str(file.path.resolve()))
    if before is None:
        return [("+", line) for line in file.lines]
    if before[0] == file.digest:
        return [(" ", line) for line in file.lines]
    marks = _marks(file)
    if max(len(marks), len(before[1])) > _COMPARED:
        return [("+", line) for line in file.lines]  # too long to compare: every line counts as new
    import difflib  # late: only a question needs it

    shown: list[tuple[str, str]] = []
    matcher = difflib.SequenceMatcher(None, before[1], marks, autojunk=False)
    for kind, gone_from, gone_to, first, last in matcher.get_opcodes():
        gone = gone_to - gone_from
        if kind in ("delete", "replace"):
            shown.append(("-", f"{gone} line{'s are' if gone > 1 else ' is'} gone here"))
        shown += [(" " if kind == "equal" else "+", line) for line in file.lines[first:last]]
    return shown


# labs that the program makes


def made(folder: Path, until_boot: bool = False) -> None:
    """Record that this program made this folder.

    `until_boot`: record it for other processes too, until the next boot. Only root can.
    """
    status = folder.stat()
    _MADE.add((status.st_dev, status.st_ino))
    if not until_boot:
        return
    with contextlib.suppress(OSError):  # without the entry, the user has to allow the lab
        _RUN.mkdir(mode=0o755, exist_ok=True)
        target = _RUN / _name(folder)
        target.unlink(missing_ok=True)
        descriptor = os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o644)
        with os.fdopen(descriptor, "w") as file:
            file.write(f"{status.st_dev} {status.st_ino}\n")


def unmade(folder: Path) -> None:
    """Remove the record of a folder that is being removed; may be called again."""
    with contextlib.suppress(OSError):
        status = folder.stat()
        _MADE.discard((status.st_dev, status.st_ino))
    with contextlib.suppress(OSError):
        (_RUN / _name(folder)).unlink()
        _RUN.rmdir()


def is_made(folder: Path) -> bool:
    """Whether fwdtui made this very folder and no other user can write to it."""
    try:
        own = folder.stat()
        if own.st_uid != os.geteuid() or own.st_mode & 0o022:
            return False
        proof = (own.st_dev, own.st_ino)
        if proof in _MADE:
            return True
        entry = _RUN / _name(folder)
        for place in (_RUN, entry):
            status = place.lstat()
            if status.st_uid != 0 or status.st_mode & 0o022:
                return False
        return tuple(map(int, entry.read_text().split())) == proof
    except (OSError, ValueError):
        return False


def _name(folder: Path) -> str:
    return hashlib.sha256(str(folder.resolve()).encode("utf-8", "surrogateescape")).hexdigest()[:32]


# the file


class _Lines(msgspec.Struct, frozen=True):
    sha256: str
    lines: tuple[str, ...]


class _Entry(msgspec.Struct, frozen=True):
    when: str
    files: Mapping[str, _Lines]


class _Store(msgspec.Struct, frozen=True):
    """trusted.json; `allowed` maps the path of a lab.toml to its entry."""

    version: int
    allowed: Mapping[str, _Entry] = {}


class _Version(msgspec.Struct, frozen=True):
    """What every version of trusted.json has."""

    version: int


_V = TypeVar("_V", _Store, _Version)


def _marks(file: TextFile) -> tuple[str, ...]:
    return tuple(hashlib.sha256(line.encode()).hexdigest()[:16] for line in file.lines)


def _known(root: Path) -> Allowed | None:
    return _read().get(str(root.resolve()))


def _read() -> dict[str, Allowed]:
    """The entries, if this version of fwdtui wrote the file; else none."""
    held = _held(_Store)
    if held is None or held.version != _VERSION:
        return {}
    return {
        root: Allowed(
            Path(root), entry.when, {path: (one.sha256, one.lines) for path, one in entry.files.items()}
        )
        for root, entry in held.allowed.items()
    }


def _own() -> dict[str, Allowed]:
    """As `_read`, but raises FwdtuiError if a newer fwdtui has written the file: it must not be replaced."""
    held = _held(_Version)
    if held is not None and held.version > _VERSION:
        raise FwdtuiError(
            f"{store()}: written by a newer fwdtui, so this version does not use or change the list of "
            "trusted files; use the newer version, or remove the file and run fwdtui trust again"
        )
    return _read()


def _held(kind: type[_V]) -> _V | None:
    """The content of trusted.json; None if there is no such file, or if it cannot be read or trusted."""
    try:
        descriptor = os.open(store(), os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
    except OSError:
        return None
    with os.fdopen(descriptor, "rb") as file:
        status = os.fstat(file.fileno())
        if not stat.S_ISREG(status.st_mode) or status.st_uid != os.geteuid() or status.st_mode & 0o022:
            return None
        try:
            return msgspec.convert(json.load(file), kind)  # json: a path may contain bytes that are not UTF-8
        except (ValueError, RecursionError):  # not JSON, or the wrong structure (msgspec.ValidationError)
            return None


@contextlib.contextmanager
def _changing() -> Iterator[dict[str, Allowed]]:
    """The current entries, under a lock; written atomically when the block ends."""
    target = store()
    try:
        target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with (target.parent / ".trusted.lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            entries = _own()
            yield entries
            _write(target, entries)
    except OSError as error:
        raise FwdtuiError(f"{target}: cannot be written: {error.strerror or error}") from None


def _write(target: Path, entries: dict[str, Allowed]) -> None:
    allowed = {
        root: _Entry(one.when, {path: _Lines(*digests) for path, digests in one.files.items()})
        for root, one in entries.items()
    }
    import tempfile

    descriptor, name = tempfile.mkstemp(dir=target.parent, prefix=".trusted-")  # mkstemp makes it 0600
    try:
        with os.fdopen(descriptor, "w", encoding="ascii") as file:
            json.dump(msgspec.to_builtins(_Store(_VERSION, allowed)), file, indent=1)
            file.flush()
            os.fsync(file.fileno())
        Path(name).replace(target)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
