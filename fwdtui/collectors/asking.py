"""Asking a host many things at once: one script, one answer in sections."""

import secrets

from fwdtui.collectors.frames import Frame, FrameReader
from fwdtui.core.parse.fields import lines
from fwdtui.transport.base import Host

_LIMIT = 4 << 20  # bytes: a large ruleset


async def ask(host: Host, body: str, seconds: float = 30.0) -> Frame:
    """Run a /bin/sh script that prints ``mark NAME`` before each section; stderr joins the section.

    Sections that it could not finish in time, or that are past 4 MiB, are missing. Raises a HostError.
    """
    token = secrets.token_hex(8)
    script = f"exec 2>&1\nmark() {{ printf '\\n@{token} %s\\n' \"$1\"; }}\nmark 'B 0 F'\n{body}\nmark 'E 0'\n"
    done = await host.run(script, timeout=seconds, limit=_LIMIT)
    reader = FrameReader(token)
    for line in (*done.stdout.split(b"\n"), f"@{token} E 0".encode()):
        if frame := reader.feed(line):
            return frame
    return Frame(0, "F")


def first_line(text: str) -> str:
    """The first line that is not blank, cleaned; nothing where there is none."""
    return next((line.strip() for line in lines(text) if line.strip()), "")[:200]
