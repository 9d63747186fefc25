"""Host keys that the user has accepted in fwdtui, in a file of its own, besides the user's and the system's.

The user's known_hosts is read, but never written.
"""

import fcntl
import os
import stat
from pathlib import Path

from fwdtui.core.errors import FwdtuiError
from fwdtui.transport.errors import UnknownHostKey

_OPEN = os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW | os.O_CLOEXEC


def accepted_path() -> Path:
    """The file of accepted keys, in OpenSSH's known_hosts format."""
    import platformdirs

    return platformdirs.user_state_path("fwdtui") / "known_hosts"


def accept(error: UnknownHostKey, path: Path | None = None) -> Path:
    """Trust the key of `error` from now on; returns the file it was written to.

    Appends one line under a lock, in one write, to a file of mode 0600 that is never reached through a
    symbolic link. There is no way to accept a ChangedHostKey. Raises FwdtuiError if it cannot be saved.
    """
    if not isinstance(error, UnknownHostKey):
        raise TypeError(f"only an unknown key can be accepted, not {type(error).__name__}")
    target = accepted_path() if path is None else path
    try:
        target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        descriptor = os.open(target, _OPEN, 0o600)
    except OSError as problem:
        raise FwdtuiError(f"{target}: cannot save the host key: {problem.strerror}") from problem
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            raise FwdtuiError(f"{target}: cannot save the host key: not a regular file")
        if stat.S_IMODE(status.st_mode) != 0o600:
            os.fchmod(descriptor, 0o600)
        size = status.st_size
        # a full disk may have cut off the last line: it must not swallow this one
        torn = size > 0 and os.pread(descriptor, 1, size - 1) != b"\n"
        line = ("\n" if torn else "") + f"{error.pattern} {error.public_key}\n"
        data = line.encode()
        if os.write(descriptor, data) != len(data):
            os.ftruncate(descriptor, size)
            raise FwdtuiError(f"{target}: cannot save the host key: the disk is full")
        os.fsync(descriptor)
    except OSError as problem:
        raise FwdtuiError(f"{target}: cannot save the host key: {problem.strerror}") from problem
    finally:
        os.close(descriptor)
    return target
