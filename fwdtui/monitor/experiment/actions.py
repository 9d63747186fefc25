"""Commands, checks and files on the hosts of an experiment. Every failure names the host and the command."""

# ruff: noqa: N818  - the names say what happened

import asyncio
import base64
import contextlib
import hashlib
import posixpath
import shlex
from collections.abc import Awaitable, Callable, Collection
from dataclasses import replace
from typing import TypeVar

from fwdtui.core.errors import FwdtuiError
from fwdtui.core.experiment import Action, Check, Restore, Upload
from fwdtui.core.text import clean, decode
from fwdtui.core.units import counted
from fwdtui.store.experiment_journal import BROKEN_OFF
from fwdtui.transport import background
from fwdtui.transport.base import Completed, Host, Phase
from fwdtui.transport.errors import HostError

OUTPUT_MOST = 4000
"""Characters of a command's output that are kept."""
_SHOWN = 200
_BASE64, _OCTAL = 60_000, 18_000  # bytes of an upload in one script
_SUM = (
    "if command -v sha256sum >/dev/null; then sha256sum <{path} | cut -c 1-64;"
    " elif command -v sha256 >/dev/null; then sha256 -q <{path}; else cksum <{path}; fi"
)
_NOT_RUN = (126, 127)  # statuses of /bin/sh: a command that cannot be run, or is not found
_KILLED = range(129, 193)  # 128 and the number of a signal: see transport.base.Exit
_GRACE = 5.0  # seconds that a command may still take when we are in a hurry

T = TypeVar("T")


class StepFailed(FwdtuiError):
    """A step of an experiment did not do what it should."""


class Interrupted(FwdtuiError):
    """The experiment was told to stop while something ran on a host."""


class Hands:
    """Runs an experiment's commands. `stop` ends what is running; while things are undone, `hurry` does."""

    def __init__(self, host: Callable[[str], Awaitable[Host]], stop: asyncio.Event) -> None:
        self.hurry = asyncio.Event()
        self.undoing = False
        """Whether things are being undone: from then on `stop` no longer ends anything."""
        self._host = host
        self._stop = stop
        self._parts: set[Upload] = set()  # uploads that may have left a partial file on their hosts

    async def act(self, action: Action) -> str:
        """Run a command of experiment.toml, which must succeed; returns its output, cleaned.

        A program that it leaves in the background ends with it, so what the command was to bring about is
        not there: that is a failure, too. Raises StepFailed, a HostError.
        """
        done = await self._run(action.host, background.watched(action.run), action.timeout)
        count, stderr = background.left(done.stderr)
        done = _succeeded(action, replace(done, stderr=stderr))
        if count:
            raise StepFailed(
                f"{action.host}: {_short(action.run)!r} left {counted(count, 'program')} in the background,"
                f" which end{'s' * (count == 1)} with the command: use daemon(8) or `setsid -f`"
            )
        return _both(done)

    async def _do(self, host: str, script: str) -> str:
        """Run a command of ours, which must succeed; returns its output, cleaned. Raises like `act`."""
        action = Action(host, script)
        return _both(_succeeded(action, await self._run(host, script, action.timeout)))

    async def differs(self, check: Check) -> str:
        """Why the check does not hold; empty if it does. Raises a HostError."""
        return _difference(check, await self._run(check.host, check.run, check.timeout))

    async def refutes(self, check: Check) -> bool:
        """Whether the host answers something other than what the check expects. Raises a HostError.

        If the command could not run, or was killed, the check does not hold, but there is no answer: False.
        """
        done = await self._run(check.host, check.run, check.timeout)
        return _ran(done) and bool(_difference(check, done))

    async def value(self, restore: Restore) -> str:
        """What `restore.read` prints on stdout. Raises StepFailed, a HostError.

        The value is put back later exactly as it is, so one that would have to be shortened or cleaned is an
        error.
        """
        action = Action(restore.host, restore.read, restore.timeout)
        done = _succeeded(action, await self._run(action.host, action.run, action.timeout))
        text = decode(done.stdout).strip()
        if done.truncated or text != _output(done.stdout):
            why = "is too long, or has control characters: it could not be put back"
            raise StepFailed(f"{restore.host}: what {_short(restore.read)!r} prints {why}")
        return text

    async def put_back(self, restore: Restore, value: str) -> None:
        """Write a value that was read before. Raises StepFailed, a HostError."""
        await self.act(Action(restore.host, restore.command(value), restore.timeout))

    async def check_target(self, upload: Upload) -> None:
        """Raise StepFailed if the target is a folder: the file would get another name in it. Or a HostError.

        It is for use before anything is changed, as an `undo` may remove what is at the target.
        """
        told = await self._do(upload.host, f"[ ! -d {shlex.quote(upload.target)} ] || echo folder")
        if told:
            name = posixpath.basename(upload.source)
            raise StepFailed(
                f"{upload.host}: {upload.target} is a folder; `upload` needs the path of the file:"
                f" {posixpath.join(upload.target, name)}"
            )

    async def upload(self, upload: Upload, data: bytes) -> None:
        """Copy a file unless it is there already; the old one stays until the new one is verified.

        It is sent in pieces, with base64(1) or else with octal escapes of printf(1), which every /bin/sh has.
        If it is broken off, the partial file is removed at once; if the host does not answer, the next upload
        or `tidy` removes it. Raises StepFailed, a HostError.
        """
        host, target, part = upload.host, shlex.quote(upload.target), shlex.quote(upload.part)
        expected = await asyncio.to_thread(_sums, data)
        there = f"rm -f {part} 2>/dev/null; [ -f {target} ] || exit 0; {_SUM.format(path=target)}"
        if await self._do(host, there) in expected:
            return
        self._parts.add(upload)
        try:
            await self._send(upload, data, expected)
        except BaseException:
            await self._remove(upload)
            raise
        self._parts.discard(upload)

    async def tidy(self, gone: Collection[str] = ()) -> None:
        """Remove the partial files of uploads that were broken off. `gone`: hosts that do not answer."""
        for upload in [one for one in self._parts if one.host not in gone]:
            await self._remove(upload)

    async def _remove(self, upload: Upload) -> None:
        """Remove the partial file of an upload, if its host answers soon; even when told to stop."""
        with contextlib.suppress(HostError):
            host = await self._host(upload.host)
            await host.run(f"rm -f {shlex.quote(upload.part)}", timeout=_GRACE)
            self._parts.discard(upload)

    async def _send(self, upload: Upload, data: bytes, expected: Collection[str]) -> None:
        host, target, part = upload.host, shlex.quote(upload.target), shlex.quote(upload.part)
        known = await self._do(host, f": >{part} && command -v base64 || echo none")
        room = _BASE64 if known != "none" else _OCTAL
        for start in range(0, len(data), room):
            piece = data[start : start + room]
            if room == _BASE64:
                text = base64.b64encode(piece).decode()
                script = f"base64 -d <<'.' >>{part}\n{text}\n."
            else:
                script = f"printf '{''.join(f'{chr(92)}{byte:03o}' for byte in piece)}' >>{part}"
            await self._do(host, script)
        if (told := await self._do(host, _SUM.format(path=part))) not in expected:
            raise StepFailed(f"{host}: {upload.target} did not arrive as it was sent: {_short(told)}")
        await self._do(host, f"[ ! -d {target} ] && mv {part} {target}")

    async def answers(self, name: str) -> bool:
        """Whether the host is connected. Raises BadSshConfig."""
        return (await self._host(name)).state.phase in (Phase.UP, Phase.STALE)

    async def _run(self, name: str, script: str, seconds: float) -> Completed:
        host = await self._host(name)
        return await self._unless(host.run(script, timeout=seconds))

    async def _unless(self, running: Awaitable[T]) -> T:
        """The result of `running`. Raises Interrupted if we are told to stop before it is there."""
        task = asyncio.ensure_future(running)
        event = self.hurry if self.undoing else self._stop
        told = asyncio.ensure_future(event.wait())
        try:
            await asyncio.wait((task, told), return_when=asyncio.FIRST_COMPLETED)
            if not task.done() and self.undoing:
                await asyncio.wait((task,), timeout=_GRACE)
            if not task.done():
                raise Interrupted(BROKEN_OFF)
            return task.result()
        finally:
            told.cancel()
            if not task.done():
                task.cancel()
                await asyncio.wait((task,))


def _ran(done: Completed) -> bool:
    """Whether the command ran to its end."""
    return done.status is not None and done.status not in _NOT_RUN and done.status not in _KILLED


def _how(done: Completed) -> str:
    """How the command ended: ``status 1``."""
    if done.status is None:
        return f"SIG{done.signal}"
    return f"status {done.status}" + (f" (signal {done.status - 128})" if done.status in _KILLED else "")


def _succeeded(action: Action, done: Completed) -> Completed:
    """The result of a command that must succeed. Raises StepFailed."""
    if done.status != 0:
        said = _output(done.stderr) or _output(done.stdout)
        told = f": {_short(said)}" if said else ""
        raise StepFailed(f"{action.host}: {_short(action.run)!r} ended with {_how(done)}{told}")
    return done


def _both(done: Completed) -> str:
    """What it has printed on stdout, then on stderr."""
    return _output(b"\n".join(part for part in (done.stdout.rstrip(), done.stderr.rstrip()) if part))


def _difference(check: Check, done: Completed) -> str:
    """Why the check does not hold; empty if it does."""
    output = _output(done.stdout)
    if not output and not _ran(done):
        said = _short(_output(done.stderr))
        return f"{check.host}: {_short(check.run)!r} ended with {_how(done)}{f': {said}' if said else ''}"
    if output == clean(check.expect.strip()):
        return ""
    said = _short(output) or _short(_output(done.stderr)) or "nothing"
    return f"{check.host}: {_short(check.run)!r} says {said!r}, not {_short(check.expect.strip())!r}"


def _output(data: bytes) -> str:
    text = decode(data)[: 2 * OUTPUT_MOST]
    return "\n".join(clean(line) for line in text.splitlines()).strip()[:OUTPUT_MOST]


def _short(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= _SHOWN else f"{text[: _SHOWN - 1]}…"


def _sums(data: bytes) -> tuple[str, str]:
    """What `_SUM` may print for the data, depending on the host: SHA-256, or checksum and length."""
    return hashlib.sha256(data).hexdigest(), f"{cksum(data)} {len(data)}"


def _table() -> tuple[int, ...]:
    made = []
    for byte in range(256):
        value = byte << 24
        for _ in range(8):
            value = (value << 1) ^ (0x04C11DB7 if value & 0x80000000 else 0)
        made.append(value & 0xFFFFFFFF)
    return tuple(made)


_TABLE = _table()


def cksum(data: bytes) -> int:
    """The checksum that cksum(1) prints (POSIX.1-2017, cksum): a CRC over the data and then its length."""
    value = 0
    length = len(data)
    tail = bytes((length >> 8 * n) & 0xFF for n in range((length.bit_length() + 7) // 8))
    for byte in (*data, *tail):
        value = ((value << 8) & 0xFFFFFFFF) ^ _TABLE[(value >> 24) ^ byte]
    return value ^ 0xFFFFFFFF
