"""The example sessions, in a copy of the user's own: everything may be tried on them, the originals stay."""

import errno
import os
import shutil
import tempfile
from importlib import resources
from pathlib import Path

from fwdtui import __version__
from fwdtui.ui.common import state


def shipped() -> Path:
    """The originals: in the installed package, else in the checkout."""
    package = Path(str(resources.files("fwdtui")))
    inside = package / "examples"
    return inside if inside.is_dir() else package.parent / "sessions"


def place() -> Path:
    """Where the copy lies, or will: a new version brings its own examples. It need not exist."""
    return state.folder() / f"examples-{__version__}"


def at_hand(folder: Path) -> tuple[Path, str]:
    """The folder to read, and why it is another one than `folder`; "" where it is not.

    The copy is made where `folder` is its place and it is not there yet. Where that cannot be done, the
    originals are the folder to read. Reads and writes files: call it in a thread.
    """
    if folder != place() or folder.is_dir():
        return folder, ""
    try:
        _copy(shipped(), folder)
    except OSError as error:
        reason = error.strerror or str(error)
        return shipped(), f"{folder}: the examples could not be copied to it: {reason}"
    return folder, ""


def _copy(originals: Path, into: Path) -> None:
    """It is there whole or not at all; another instance that was faster is as good."""
    into.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=into.parent, prefix=".examples-") as making:
        made = Path(making) / into.name
        try:
            shutil.copytree(originals, made, ignore=shutil.ignore_patterns(".*"))
        except shutil.Error as error:  # one sentence of many
            raise OSError(errno.EIO, str(error.args[0][0][2])) from None
        for root, _, files in os.walk(made):  # a packager may have made the originals read-only
            Path(root).chmod(0o755)
            for name in files:
                Path(root, name).chmod(0o644)
        try:
            made.rename(into)
        except OSError:
            if not into.is_dir():
                raise
