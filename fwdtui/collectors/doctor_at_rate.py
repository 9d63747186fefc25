"""Looks for the program of a generator's `at_rate`, which may be another one than `start` runs."""

import re

from fwdtui.collectors.base import Check
from fwdtui.collectors.tools.base import Tool
from fwdtui.collectors.tools.shell import probe_of
from fwdtui.core.at_rate import sending_at
from fwdtui.core.errors import FwdtuiError
from fwdtui.core.lab import Endpoint, Lab
from fwdtui.core.sent_frames import TIMEOUT
from fwdtui.core.text import clean, decode
from fwdtui.transport.base import Host

_BEFORE = re.compile(rf"\s*(?:(?:sudo|doas|exec|nohup)\s+)*(?:{TIMEOUT})?([\w./~+-]+)(?!\S)", re.ASCII)
_OF_SHELL = frozenset(
    ("if", "for", "while", "until", "case", "cd", "set", "export", "test", "true", "exec", ".")
)
_THERE = """\
command -v "$program" || { echo "no $program here"; exit 1; }
"""


def program_of(command: str) -> str:
    """The program that a command runs, by its name or path; "" if only a shell could tell."""
    match = _BEFORE.match(command)
    if match is None or match[1] in _OF_SHELL or match[1].startswith("-"):  # an option, as of sudo
        return ""
    return match[1]


async def tried(host: Host, endpoint: Endpoint, tool: Tool, lab: Lab, path: str) -> list[Check]:
    """The check; none if the tool's own check has looked for this program. Raises a HostError.

    What is missing is no failure: measurements without a profile do not need it.
    """
    if endpoint.at_rate is None:
        return []
    try:
        command = sending_at(endpoint, 1, lab.run, path).start or ""
    except FwdtuiError as error:
        return [Check(endpoint.host, "at_rate", None, str(error), "correct generator.at_rate in lab.toml")]
    program = program_of(command)
    name = program.rpartition("/")[2]
    same = tool.program and name == tool.program
    if not name or (same and tool.probe_script(command) == tool.probe_script(endpoint.start)):
        return []
    relative = "/" in program and not program.startswith(("/", "~/"))  # to the login's home
    done = await host.run(probe_of(program if relative else name, _THERE, command))
    found = clean(decode(done.stdout).split("\n")[0]).strip()[:200]
    if done.status == 0:
        return [Check(endpoint.host, "at_rate", True, found)]
    fix = f"for profiles only: install {name} on {endpoint.host}, or correct generator.at_rate in lab.toml"
    return [Check(endpoint.host, "at_rate", None, found or f"no {name} here", fix)]
