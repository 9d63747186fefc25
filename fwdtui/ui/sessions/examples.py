"""The example sessions, copied for the user, who may change the copy; the originals stay as they are."""

import errno
import os
import shutil
import tempfile
from importlib import resources
from pathlib import Path

from fwdtui import __version__
from fwdtui.ui.common import state


def shipped() -> Path:
    """The folder of the originals: in the installed package, else in the checkout."""
    package = Path(str(resources.files("fwdtui")))
    inside = package / "examples"
    return inside if inside.is_dir() else package.parent / "sessions"


def place() -> Path:
    """Where the copy is or will be; each version has its own. It need not exist."""
    return state.folder() / f"examples-{__version__}"


def at_hand(folder: Path) -> tuple[Path, str]:
    """The folder to read, and why it is not `folder` ("" if it is).

    If `folder` is the place of the copy and does not exist yet, the copy is made. If that fails, the
    originals are read. Reads and writes files: call it in a thread.
    """
    if folder != place() or folder.is_dir():
        return folder, ""
    try:
        _copy(shipped(), folder)
    except OSError as error:
        reason = error.strerror or str(error)
        return shipped(), f"{folder}: the examples could not be copied here: {reason}"
    return folder, ""


def _copy(originals: Path, into: Path) -> None:
    """Copy everything or nothing. If another instance made the copy meanwhile, that is fine, too."""
    into.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=into.parent, prefix=".examples-") as making:
        made = Path(making) / into.name
        try:
            shutil.copytree(originals, made, ignore=shutil.ignore_patterns(".*"))
        except shutil.Error as error:  # the first of many errors
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
