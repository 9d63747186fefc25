"""Where a lab keeps its files, what its namespaces are called, and who may work on it at a time."""

import fcntl
import os
import re
import stat
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from fwdtui.core.errors import FwdtuiError
from fwdtui.labs.kernel import journal

_PREFIX = "fwdtui"
_NETNS = Path("/run/netns")  # ip-netns(8)
_NAME = re.compile(r"[a-z0-9]{1,16}")
_PATIENCE = 20.0  # seconds that a command waits for another one at work on the same lab


class FolderGoneError(FileNotFoundError):
    """There is no such folder, or it went while we waited for its lock."""


@dataclass(frozen=True)
class Place:
    """One lab: its folder (absolute) and its name ("" for the usual one)."""

    folder: Path
    name: str = ""

    def namespace(self, host: str) -> str:
        """``fwdtui-gen``; with a name ``fwdtui-NAME-gen``."""
        return "-".join(filter(None, (_PREFIX, self.name, host)))

    @property
    def lab_file(self) -> Path:
        """The lab.toml that `fwdtui lab env` prints."""
        return self.folder / "lab.toml"

    @property
    def words(self) -> str:
        """How messages call it."""
        return f"the kernel lab {self.name!r}" if self.name else "the kernel lab"


def find(folder: str | None = None, name: str | None = None) -> Place:
    """The lab that the options mean. Without a folder: the user's state folder, one folder a name.

    Raises FwdtuiError on a name or a folder that cannot work.
    """
    if name and not _NAME.fullmatch(name):
        raise FwdtuiError(f"--name {name!r}: expected up to 16 small letters and digits")
    if folder is None:
        import platformdirs

        path = Path(platformdirs.user_state_dir("fwdtui")) / "-".join(filter(None, ("kernel-lab", name)))
    else:
        path = Path(folder)
    path = Path(os.path.abspath(path))  # noqa: PTH100 - a symbolic link stays as the user wrote it
    # The path stands in ssh_config, sshd_config and in shell commands, each with its own idea of quoting.
    if not re.fullmatch(r"[A-Za-z0-9/._+,:@=-]+", str(path)):
        raise FwdtuiError(f"{path}: the lab's folder needs a path of plain letters, digits and ._+,:@=-")
    known = journal.read(path)
    if known and name is not None and known.name != name:
        raise FwdtuiError(f"{path}: holds the lab named {known.name!r}, not {name!r}")
    return Place(path, known.name if known else name or "")


def inode(namespace: str) -> int | None:
    """The namespace's inode number, which names it in the whole machine; None where there is none."""
    try:
        return (_NETNS / namespace).stat().st_ino
    except FileNotFoundError:
        return None


def make_folder(place: Place) -> bool:
    """True where it had to be made. Raises FwdtuiError on a folder of other things or of somebody else."""
    try:
        place.folder.mkdir(mode=0o700, parents=True)
        return True
    except FileExistsError:
        pass
    found = place.folder.lstat()
    if not stat.S_ISDIR(found.st_mode):
        raise FwdtuiError(f"{place.folder}: not a folder")
    if found.st_uid != os.geteuid() or found.st_mode & 0o022:
        raise FwdtuiError(f"{place.folder}: the lab's keys need a folder that only you can write to")
    if not (place.folder / journal.NAME).exists() and any(place.folder.iterdir()):
        raise FwdtuiError(f"{place.folder}: not empty and not a lab's folder")
    return False


@contextmanager
def locked(place: Place) -> Iterator[int]:
    """The folder's lock (flock on the folder itself, so no file is left over), as a descriptor to pass on.

    Raises FwdtuiError when another command keeps it, FolderGoneError where there is no folder (any more).
    """
    until = time.monotonic() + _PATIENCE
    while (descriptor := _try_lock(place.folder)) is None:
        if time.monotonic() > until:
            raise FwdtuiError(f"{place.folder}: another fwdtui lab command is at work here")
        time.sleep(0.05)
    try:
        yield descriptor
    finally:
        # not closed alone: a child may still hold a copy, and an orderly end frees the lab at once
        fcntl.flock(descriptor, fcntl.LOCK_UN)
        os.close(descriptor)


def _try_lock(folder: Path) -> int | None:
    try:
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    except FileNotFoundError as error:
        raise FolderGoneError(error.errno, error.strerror, error.filename) from None
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        # the one before us may have taken the folder away, and somebody made another one, while we waited
        if os.fstat(descriptor).st_ino == folder.stat().st_ino:
            return descriptor
    except (BlockingIOError, FileNotFoundError):
        pass
    os.close(descriptor)
    return None
