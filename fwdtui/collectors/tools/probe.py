"""Asks a host whether it has what a tool needs."""

from dataclasses import dataclass

from fwdtui.collectors.tools.base import Tool
from fwdtui.core.text import clean, decode
from fwdtui.transport.base import Host


@dataclass(frozen=True, slots=True)
class Probed:
    """`found` is one line: a version or a path, else what is missing. `fix` says how to get it."""

    ok: bool
    found: str
    fix: str = ""


async def probe(host: Host, tool: Tool, start: str | None = None, interface: str = "") -> Probed:
    """Ask `host`. `start`: the start command, which may give the program's path. Raises a HostError."""
    done = await host.run(tool.probe_script(start, interface))
    text = decode(done.stdout.strip() or done.stderr.strip())
    line = clean(text.split("\n")[0]).strip()[:200]
    ok = done.status == 0
    return Probed(ok, line or ("" if ok else f"status {done.status}"), "" if ok else tool.install)
