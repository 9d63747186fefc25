"""A lab's folder, the names of its namespaces, and the lock that lets one command work on it at a time."""

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
_PATIENCE = 20.0  # seconds that a command waits for another one that works on the same lab


class FolderGoneError(FileNotFoundError):
    """The folder does not exist, or disappeared while we waited for its lock."""


@dataclass(frozen=True)
class Place:
    """One lab: its folder (an absolute path) and its name ("" for the default lab).

    `vm`: its DUT is a virtual machine (labs/vm); `vm_generator`: its generator is one as well.
    """

    folder: Path
    name: str = ""
    vm: bool = False
    vm_generator: bool = False

    def namespace(self, host: str) -> str:
        """The name of a host's namespace: ``fwdtui-gen``; if the lab has a name, ``fwdtui-NAME-gen``."""
        return "-".join(filter(None, (_PREFIX, self.name, host)))

    @property
    def lab_file(self) -> Path:
        """The lab.toml that `fwdtui lab env` prints."""
        return self.folder / "lab.toml"

    @property
    def words(self) -> str:
        """The lab's name in messages."""
        kind = "the VM lab" if self.vm else "the kernel lab"
        return f"{kind} {self.name!r}" if self.name else kind


def find(
    folder: str | None = None, name: str | None = None, vm: bool = False, vm_generator: bool = False
) -> Place:
    """The lab that the options select. Without a folder: one folder per name in the user's state folder.

    `vm`, `vm_generator`: what a new lab should be; the journal of an existing one says what that is.
    Raises FwdtuiError for an invalid name or folder.
    """
    if name and not _NAME.fullmatch(name):
        raise FwdtuiError(f"--name {name!r}: expected up to 16 lower-case letters and digits")
    if folder is None:
        import platformdirs

        path = Path(platformdirs.user_state_dir("fwdtui")) / "-".join(filter(None, ("kernel-lab", name)))
    else:
        path = Path(folder)
    path = Path(os.path.abspath(path))  # noqa: PTH100 - a symbolic link stays as the user wrote it
    # The path is used in ssh_config, sshd_config and shell commands, each with its own quoting rules.
    if not re.fullmatch(r"[A-Za-z0-9/._+,:@=-]+", str(path)):
        raise FwdtuiError(f"{path}: the lab's folder needs a path of plain letters, digits and ._+,:@=-")
    known = journal.read(path)
    if known and name is not None and known.name != name:
        raise FwdtuiError(f"{path}: holds the lab named {known.name!r}, not {name!r}")
    if known:
        both = known.mode == journal.VM_GENERATOR
        return Place(path, known.name, both or known.mode == journal.VM, both)
    return Place(path, name or "", vm, vm_generator)


def inode(namespace: str) -> int | None:
    """The namespace's inode number, unique on the machine; None if there is no such namespace."""
    try:
        return (_NETNS / namespace).stat().st_ino
    except FileNotFoundError:
        return None


def make_folder(place: Place) -> bool:
    """Makes the lab's folder; returns whether that was necessary.

    Raises FwdtuiError if the folder contains other things or belongs to another user.
    """
    try:
        place.folder.mkdir(mode=0o700, parents=True)
        return True
    except FileExistsError:
        pass
    status = place.folder.lstat()
    if not stat.S_ISDIR(status.st_mode):
        raise FwdtuiError(f"{place.folder}: not a folder")
    if status.st_uid != os.geteuid() or status.st_mode & 0o022:
        raise FwdtuiError(f"{place.folder}: the lab's keys need a folder that only you can write to")
    if not (place.folder / journal.NAME).exists() and any(place.folder.iterdir()):
        raise FwdtuiError(f"{place.folder}: not empty and not a lab's folder")
    return False


@contextmanager
def locked(place: Place) -> Iterator[int]:
    """Locks the folder (by flock on the folder itself, so no file is left over); yields the descriptor.

    Commands inherit the descriptor and so hold the lock as well (`Commands`).

    Raises FwdtuiError if another command holds it for too long, FolderGoneError if the folder is missing.
    """
    until = time.monotonic() + _PATIENCE
    while (descriptor := _try_lock(place.folder)) is None:
        if time.monotonic() > until:
            raise FwdtuiError(f"{place.folder}: another fwdtui lab command is running here")
        time.sleep(0.05)
    try:
        yield descriptor
    finally:
        # closing is not enough: a child may still have a copy, and after a normal end the lab should be free
        fcntl.flock(descriptor, fcntl.LOCK_UN)
        os.close(descriptor)


def _try_lock(folder: Path) -> int | None:
    try:
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    except FileNotFoundError as error:
        raise FolderGoneError(error.errno, error.strerror, error.filename) from None
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        # while we waited, the previous holder may have removed the folder, and a new one may have been made
        if os.fstat(descriptor).st_ino == folder.stat().st_ino:
            return descriptor
    except (BlockingIOError, FileNotFoundError):
        pass
    os.close(descriptor)
    return None
