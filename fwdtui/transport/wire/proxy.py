"""ProxyCommand: a local command as the path to the host.

asyncssh could start it, but it would feed the command's stderr into the SSH stream (2.24), and would split
the command into words, while ssh passes it to a shell.
"""

import asyncio
import contextlib
import os
import signal
import socket


async def open_proxy(command: str, way: contextlib.AsyncExitStack) -> socket.socket:
    """Start `command`, and return a socket whose other end is its stdin and stdout.

    `way` ends the command. Raises OSError.
    """
    ours, theirs = socket.socketpair()
    try:
        process = await asyncio.create_subprocess_exec(
            os.environ.get("SHELL") or "/bin/sh",
            "-c",
            f"exec {command}",
            stdin=theirs.fileno(),
            stdout=theirs.fileno(),
            stderr=asyncio.subprocess.DEVNULL,  # the screen belongs to the user interface
            start_new_session=True,
        )
    except BaseException:
        ours.close()
        raise
    finally:
        theirs.close()
    way.push_async_callback(_end, process)
    way.callback(ours.close)
    ours.setblocking(False)
    return ours


async def _end(process: asyncio.subprocess.Process) -> None:
    """End the command and everything it started."""
    for kind, wait in ((signal.SIGTERM, 0.5), (signal.SIGKILL, 0.5)):
        if process.returncode is not None:
            return
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, kind)
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(wait):
                await process.wait()
