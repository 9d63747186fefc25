"""What the app remembers from one start to the next: theme, lab, sessions, the last comparison, views.

state.json is in the user's state folder. It is replaced in one step, and each change starts from its current
content, so that two instances neither damage it nor undo each other's changes. What cannot be read is
ignored with a notice: nothing here is worth a crash.
"""

import contextlib
import fcntl
import os
import tempfile
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import msgspec

from fwdtui.core.errors import FwdtuiError
from fwdtui.core.mistakes import mistake
from fwdtui.store import own_files, plain
from fwdtui.ui.common.compared_how import AS_USUAL, ComparedHow

VERSION = 1


class State(msgspec.Struct, frozen=True):
    """Everything is optional, and a path may no longer exist."""

    version: int = VERSION
    theme: str = ""
    lab: str = ""
    """The lab.toml that was opened last."""
    sessions: str = ""
    """The folder of sessions that was opened last."""
    comparison: tuple[str, ...] = ()
    """The sessions that were compared last, the baseline first."""
    compared_how: ComparedHow = AS_USUAL
    """The settings of that comparison."""
    choices: Mapping[str, float | str] = {}
    """The settings of screens, by screen and name, as in ``live.span``."""
    folded: tuple[str, ...] = ()
    """The groups that are folded in lists of sessions, as digests, the last one folded last."""


def folder() -> Path:
    """The user's state folder; XDG_STATE_HOME is respected. It need not exist."""
    from platformdirs import user_state_path

    return user_state_path("fwdtui", appauthor=False)


class Memory:
    """One state file. `problem` is the last problem with it, in one line."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.problem = ""
        self._newer = False  # whether the file was written by a newer version
        self.state = self._read()

    def change(self, **values: object) -> None:
        """Set these and write the file, merged with what another instance has written meanwhile."""
        self.update(lambda now: msgspec.structs.replace(now, **values))

    def choose(self, name: str, value: float | str) -> None:
        """Remember a setting of a screen, as in ``choose("live.span", 120.0)``."""
        self.update(lambda now: msgspec.structs.replace(now, choices={**now.choices, name: value}))

    def update(self, change: Callable[[State], State]) -> None:
        """Change the state, and write the file if that changes anything.

        `change` is called again with what the file contains by now, so it must keep what it does not set.
        """
        after = change(self.state)
        if after == self.state:
            return
        self.state = after
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with _locked(self.path.with_suffix(".lock")):
                now = self._read()
                if not self._newer:
                    self._write(msgspec.json.encode(change(now)))
        except OSError as error:
            self.problem = f"{self.path}: {error.strerror or error}; nothing is remembered"

    def _read(self) -> State:
        self._newer = False
        try:
            held = plain.json(own_files.read(self.path), self.path)
            version = held.get("version") if isinstance(held, dict) else None
            if isinstance(version, int) and version > VERSION:  # first: a newer version may have other fields
                self._newer = True
                self.problem = (
                    f"{self.path}: version {version} is newer than this fwdtui knows ({VERSION}): it is left "
                    "alone, and nothing is remembered"
                )
                return State()
            state = msgspec.convert(held, State)
        except FileNotFoundError:
            return State()
        except msgspec.ValidationError as error:
            self.problem = (
                f"{self.path}: {mistake(error, held, self.path)}; what was remembered there is left out"
            )
            return State()
        except FwdtuiError as error:
            self.problem = f"{error}; what was remembered there is left out"
            return State()
        if state.version != VERSION:
            self.problem = f"{self.path}: version {state.version} is not {VERSION}; it is left out"
            return State()
        return state

    def _write(self, data: bytes) -> None:
        handle, name = tempfile.mkstemp(dir=self.path.parent, prefix=".state-")
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(data)
            Path(name).replace(self.path)
        except OSError:
            with contextlib.suppress(OSError):
                Path(name).unlink()
            raise


@contextlib.contextmanager
def _locked(path: Path) -> Iterator[None]:
    """Let one writer in at a time. Where locks do not work (some network folders), there is no lock."""
    # non-blocking: if the file is a named pipe, opening it would wait for a reader
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NONBLOCK | os.O_CLOEXEC, 0o666)
    try:
        with contextlib.suppress(OSError):
            fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)
