"""Runs the system's own tools. If one fails, the error is one line: the command and its error message."""

import os
import shlex
import subprocess

from fwdtui.core.errors import FwdtuiError
from fwdtui.core.text import clean

SEARCH_PATH = f"{os.environ.get('PATH', os.defpath)}:/usr/local/sbin:/usr/sbin:/sbin"
_LIMIT = 30.0  # seconds; none of these steps takes one


class Commands:
    """Runs commands one after the other. `hold` is a descriptor that each of them inherits.

    The descriptor holds the lab's lock. If we are killed, the command in progress still holds the lock until
    it has ended, so the next cleanup does not race with it.
    """

    def __init__(self, hold: int) -> None:
        self._hold = hold

    def run(self, *argv: str, text: str = "") -> str:
        """Runs `argv` with `text` as its stdin, and returns its stdout.

        Raises FwdtuiError with the command and the first line of its error.
        """
        shown = shlex.join(argv)
        try:
            done = subprocess.run(
                argv,
                input=text,
                capture_output=True,
                text=True,
                errors="backslashreplace",
                timeout=_LIMIT,
                pass_fds=(self._hold,),
                env={**os.environ, "PATH": SEARCH_PATH, "LC_ALL": "C"},
            )
        except FileNotFoundError:
            raise FwdtuiError(f"kernel lab: {shown}: no such command") from None
        except subprocess.TimeoutExpired:
            raise FwdtuiError(f"kernel lab: {shown}: still running after {_LIMIT:.0f} s") from None
        if done.returncode:
            said = done.stderr.strip() or done.stdout.strip() or f"exit status {done.returncode}"
            complaint = clean(said.partition("\n")[0])
            raise FwdtuiError(f"kernel lab: {shown}: {complaint}")
        return done.stdout

    def inside(self, namespace: str, *argv: str, text: str = "") -> str:
        """Like `run`, but within a network namespace, with that namespace's /sys."""
        return self.run("ip", "netns", "exec", namespace, *argv, text=text)
