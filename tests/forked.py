"""fwdtui as a process of its own, without the third of a second in which a new Python imports it.

A server is started with the first command, or before the processes of the tests are forked, which then share
it. It has imported what commands need, and forks for each of them: a process with its own arguments,
environment, folder, standard streams and session, that runs `main` and ends as a Python does. Everything that
is looked at from outside is the same. What depends on how Python itself starts (its encodings, what a command
imports) is tested with `sys.executable`.
"""

import atexit
import fcntl
import json
import os
import runpy
import select
import signal
import socket
import subprocess
import sys
import termios
import threading
import time
import traceback
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, NoReturn

LIBRARIES = (
    *("concurrent.futures.thread", "encodings.idna", "tomllib", "xml.etree.ElementTree"),
    *("asyncssh", "numpy", "scipy.special", "tomli_w"),
    *("textual.drivers.linux_driver", "textual.pilot", "textual.widgets.data_table"),
    *("textual.widgets.tabbed_content", "textual.widgets.text_area"),
)
"""What commands import late. The server imports these and all of fwdtui."""
OF_PYTHON = "PYTHON", "LANG", "LC_", "TEXTUAL", "PATH"
"""Read when Python starts or a module is imported: the server has those that it was started with."""
_LONGEST = 1 << 20  # bytes of a request


class Forked:
    """A command that runs: like `subprocess.Popen`, as far as tests of commands need it."""

    def __init__(
        self,
        arguments: Sequence[str | bytes],
        streams: tuple[int, int, int],
        cwd: str | Path | None = None,
        environment: Mapping[str, str] | None = None,
        session: bool = False,
        controlling: bool = False,
        program: Path | None = None,
    ) -> None:
        """`streams`: standard input, output and error. `session`: it leads a new one.

        `controlling`: standard input is its session's terminal. `program`: a file that Python runs instead.
        """
        asked = {
            "arguments": [os.fsdecode(one) for one in arguments],
            "cwd": os.fsdecode(cwd or Path.cwd()),
            "environment": dict(environment if environment is not None else os.environ),
            "session": session,
            "controlling": controlling,
            "program": str(program) if program else "",
        }
        self._status, theirs = socket.socketpair()
        with theirs:
            socket.send_fds(_server(), [json.dumps(asked).encode()], [*streams, theirs.fileno()])
        self._answers = self._status.makefile("r")
        self.pid = int(self._answers.readline())
        self.returncode: int | None = None

    def poll(self) -> int | None:
        """Its status, as `subprocess` has it; None while it runs."""
        return self.wait(0.0) if self.returncode is None else self.returncode

    def wait(self, seconds: float) -> int | None:
        """Its status, or None if it still runs after so long."""
        if self.returncode is None and select.select([self._status], [], [], seconds)[0]:
            self.returncode = os.waitstatus_to_exitcode(int(self._answers.readline()))
            self._answers.close()
            self._status.close()
        return self.returncode


def run(
    *arguments: str,
    cwd: str | Path | None = None,
    env: Mapping[str, str] | None = None,
    input: str = "",
    timeout: float = 60.0,
) -> "subprocess.CompletedProcess[str]":
    """What it prints, as text. `env` is all of its environment, `input` (at most 64 KB) what it can read."""
    environment = dict(os.environ if env is None else env)
    if {name: value for name, value in environment.items() if _early(name)} != _EARLY:
        return subprocess.run(
            [sys.executable, "-m", "fwdtui", *arguments],
            capture_output=True, text=True, timeout=timeout, input=input, cwd=cwd, env=environment,
        )  # fmt: skip
    given, out, err = os.pipe(), os.pipe(), os.pipe()
    os.write(given[1], input.encode())
    os.close(given[1])
    process = Forked(arguments, (given[0], out[1], err[1]), cwd, environment)
    for descriptor in (given[0], out[1], err[1]):
        os.close(descriptor)
    end = time.monotonic() + timeout
    try:
        texts = _read((out[0], err[0]), end)
        status = process.wait(max(1.0, end - time.monotonic()))
    finally:
        if process.poll() is None:
            os.kill(process.pid, signal.SIGKILL)
    assert status is not None, "it closed its output and goes on"
    return subprocess.CompletedProcess(arguments, status, *texts)


def _read(pipes: tuple[int, ...], end: float) -> list[str]:
    """What comes from each of them, until nobody has it open any more."""
    texts, opened = dict.fromkeys(pipes, b""), set(pipes)
    try:
        while opened:
            ready, _, _ = select.select(list(opened), [], [], max(0.0, end - time.monotonic()))
            assert ready, f"it goes on: {texts}"
            for pipe in ready:
                data = os.read(pipe, 1 << 16)
                texts[pipe] += data
                if not data:
                    opened.discard(pipe)
    finally:
        for pipe in pipes:
            os.close(pipe)
    return [text.decode() for text in texts.values()]


def _early(name: str) -> bool:
    return name.startswith(OF_PYTHON)


_STARTED = dict(os.environ)
_EARLY = {name: value for name, value in _STARTED.items() if _early(name)}
_lines: list[socket.socket] = []


def start() -> None:
    """Start the server now: processes that are forked later share it, and it imports once for all of them."""
    _server()


def _server() -> socket.socket:
    """The line to the server, which is started with the first command."""
    if not _lines:
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        ours.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, _LONGEST)
        with theirs:
            process = subprocess.Popen(
                [sys.executable, __file__, str(theirs.fileno())],
                pass_fds=[theirs.fileno()], stdin=subprocess.DEVNULL,
                env={**_STARTED, "OPENBLAS_NUM_THREADS": "1"},
            )  # fmt: skip
        _lines.append(ours)

        def end() -> None:
            ours.close()
            process.wait(10)

        atexit.register(end)
    return _lines[0]


# the server


def _serve(line: socket.socket) -> None:
    import gc
    import importlib
    import pkgutil

    import fwdtui

    ours = [one.name for one in pkgutil.walk_packages(fwdtui.__path__, "fwdtui.")]
    for name in (*LIBRARIES, *ours):
        if not name.endswith("__main__"):
            importlib.import_module(name)
    gc.freeze()
    waiting: dict[int, socket.socket] = {}
    woken, wakes = os.pipe()
    os.set_blocking(wakes, False)
    signal.set_wakeup_fd(wakes)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    while True:
        ready, _, _ = select.select([line.fileno(), woken], [], [])
        if woken in ready:
            os.read(woken, 4096)
            for pid in list(waiting):
                ended, status = os.waitpid(pid, os.WNOHANG)
                if ended:
                    with waiting.pop(pid) as asker, suppress(OSError):
                        asker.sendall(f"{status}\n".encode())
        if line.fileno() in ready:
            request, descriptors, _, _ = socket.recv_fds(line, _LONGEST, 4)
            if not request:
                return
            *streams, answers = descriptors
            if (pid := os.fork()) == 0:
                signal.set_wakeup_fd(-1)
                signal.signal(signal.SIGCHLD, signal.SIG_DFL)
                for one in (line, *waiting.values()):
                    one.close()
                for descriptor in (woken, wakes, answers):
                    os.close(descriptor)
                _become(json.loads(request), streams)
            for stream in streams:
                os.close(stream)
            waiting[pid] = socket.socket(fileno=answers)
            waiting[pid].sendall(f"{pid}\n".encode())


def _become(asked: dict[str, Any], streams: list[int]) -> NoReturn:
    """Run the command as `python -m fwdtui` does, and end."""
    status = 1
    try:
        if asked["session"]:
            os.setsid()
        for number, stream in enumerate(streams):
            os.dup2(stream, number)
            os.close(stream)
        if asked["controlling"]:
            fcntl.ioctl(0, termios.TIOCSCTTY, 0)
        os.chdir(asked["cwd"])
        os.environ.clear()
        os.environ.update(asked["environment"])
        time.tzset()
        _open_streams()
        import fwdtui
        from fwdtui.cli import main

        own = asked["program"]
        sys.argv = [own or str(Path(fwdtui.__file__).with_name("__main__.py")), *asked["arguments"]]
        if own:
            runpy.run_path(own, run_name="__main__")
        status = 0 if own else main()
    except SystemExit as ended:
        status = ended.code if isinstance(ended.code, int) else int(ended.code is not None)
    except BaseException:
        traceback.print_exc()
    with suppress(BaseException):
        threading._shutdown()  # type: ignore[attr-defined]  # waits for threads, as the end of a Python does
        atexit._run_exitfuncs()
    for written in (sys.stdout, sys.stderr):
        with suppress(Exception):
            written.flush()
    os._exit(status)


def _open_streams() -> None:
    """Standard streams on what the descriptors are now."""
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        old = getattr(sys, name)
        made = open(  # noqa: SIM115 - a descriptor, open until the end
            number, "r" if number == 0 else "w", encoding=old.encoding, errors=old.errors,
            buffering=1 if number == 2 or os.isatty(number) else -1, closefd=False,
        )  # fmt: skip
        setattr(sys, name, made)
        setattr(sys, f"__{name}__", made)


if __name__ == "__main__":
    # not those of the one who asks: they are the command's own, or nobody's
    signal.signal(signal.SIGINT, signal.default_int_handler)
    with suppress(KeyboardInterrupt):
        _serve(socket.socket(fileno=int(sys.argv[1])))
