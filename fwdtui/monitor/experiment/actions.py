"""Commands, checks and files on the hosts of an experiment. Every failure names the host and the command."""

# ruff: noqa: N818  - the names say what happened

import asyncio
import base64
import contextlib
import hashlib
import shlex
from collections.abc import Awaitable, Callable, Collection
from typing import TypeVar

from fwdtui.core.errors import FwdtuiError
from fwdtui.core.experiment import Action, Check, Restore, Upload
from fwdtui.core.text import clean, decode
from fwdtui.store.experiment_journal import BROKEN_OFF
from fwdtui.transport.base import Completed, Host
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
        """Run a command that must succeed; returns its output, cleaned. Raises StepFailed, a HostError."""
        done = await self._succeeded(action)
        both = b"\n".join(part for part in (done.stdout.rstrip(), done.stderr.rstrip()) if part)
        return _output(both)

    async def _succeeded(self, action: Action) -> Completed:
        done = await self._run(action.host, action.run, action.timeout)
        if done.status != 0:
            said = _output(done.stderr) or _output(done.stdout)
            how = f"status {done.status}" if done.status is not None else f"SIG{done.signal}"
            told = f": {_short(said)}" if said else ""
            raise StepFailed(f"{action.host}: {_short(action.run)!r} ended with {how}{told}")
        return done

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
        done = await self._succeeded(Action(restore.host, restore.read, restore.timeout))
        text = decode(done.stdout).strip()
        if done.truncated or text != _output(done.stdout):
            why = "is too long, or has control characters: it could not be put back"
            raise StepFailed(f"{restore.host}: what {_short(restore.read)!r} prints {why}")
        return text

    async def put_back(self, restore: Restore, value: str) -> None:
        """Write a value that was read before. Raises StepFailed, a HostError."""
        await self.act(Action(restore.host, restore.command(value), restore.timeout))

    async def upload(self, upload: Upload, data: bytes) -> None:
        """Copy a file unless it is there already; the old one stays until the new one is verified.

        It is sent in pieces, with base64(1) or else with octal escapes of printf(1), which every /bin/sh has.
        If it is broken off, the partial file is removed at once; if the host does not answer, the next upload
        or `tidy` removes it. Raises StepFailed, a HostError.
        """
        host, target, part = upload.host, shlex.quote(upload.target), shlex.quote(upload.part)
        expected = await asyncio.to_thread(_sums, data)
        there = f"rm -f {part} 2>/dev/null; [ -f {target} ] || exit 0; {_SUM.format(path=target)}"
        if await self.act(Action(host, there)) in expected:
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
        known = await self.act(Action(host, f": >{part} && command -v base64 || echo none"))
        room = _BASE64 if known != "none" else _OCTAL
        for start in range(0, len(data), room):
            piece = data[start : start + room]
            if room == _BASE64:
                text = base64.b64encode(piece).decode()
                script = f"base64 -d <<'.' >>{part}\n{text}\n."
            else:
                script = f"printf '{''.join(f'{chr(92)}{byte:03o}' for byte in piece)}' >>{part}"
            await self.act(Action(host, script))
        if (told := await self.act(Action(host, _SUM.format(path=part)))) not in expected:
            raise StepFailed(f"{host}: {upload.target} did not arrive as it was sent: {_short(told)}")
        await self.act(Action(host, f"mv {part} {target}"))

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
    return done.status is not None and done.status not in _NOT_RUN


def _difference(check: Check, done: Completed) -> str:
    """Why the check does not hold; empty if it does."""
    output = _output(done.stdout)
    if not output and not _ran(done):
        how = f"status {done.status}" if done.status is not None else f"SIG{done.signal}"
        said = _short(_output(done.stderr))
        return f"{check.host}: {_short(check.run)!r} ended with {how}{f': {said}' if said else ''}"
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
