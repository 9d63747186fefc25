"""Where the demo's sessions are: in the user's state folder, one folder per demo."""

import contextlib
import datetime
import shutil
from pathlib import Path


def root() -> Path:
    """The folder that has the folders of all demos; it need not exist."""
    import platformdirs

    return Path(platformdirs.user_state_dir("fwdtui")) / "demo-sessions"


def new(kind: str) -> Path:
    """A new folder for the sessions of one demo. Raises OSError."""
    name = f"{kind}-{datetime.datetime.now():%Y%m%d-%H%M%S}"
    number = 1
    while True:
        chosen = root() / (name if number == 1 else f"{name}-{number}")
        try:
            chosen.mkdir(parents=True)
            return chosen
        except FileExistsError:
            number += 1


def any_iteration(folder: Path) -> bool:
    """Whether a session in this folder has an iteration."""
    from fwdtui.store.schema import ITERATION_FILE  # not before the first frame

    return any(True for _ in folder.glob(f"*/*/*/{ITERATION_FILE}"))


def last() -> Path | None:
    """The newest demo's folder that has iterations; None if no demo got that far."""
    with contextlib.suppress(OSError):
        newest = sorted(
            ((path.stat().st_mtime, path) for path in root().iterdir() if path.is_dir()), reverse=True
        )
        return next((path for _, path in newest if any_iteration(path)), None)
    return None


def tidy(folder: Path) -> None:
    """Remove a folder made by `new` if nothing was measured in it. Never raises.

    Any other folder is removed only if it is empty.
    """
    with contextlib.suppress(OSError):
        if folder.parent == root() and not any_iteration(folder):
            shutil.rmtree(folder)
        elif not any(folder.iterdir()):
            folder.rmdir()
