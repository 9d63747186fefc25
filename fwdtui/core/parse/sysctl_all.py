"""All of `sysctl -a`: FreeBSD's ``name: value`` or ``name=value``, Linux's ``name = value``.

Source: sbin/sysctl/sysctl.c, show_var(); procps-ng's sysctl(8). FreeBSD prints the further lines of a value
after the first, and they may look like settings themselves, so names are asked for first (`sysctl -aN`).
procps repeats the name in each line. Without a sysctl program, ``grep -rs '' .`` in /proc/sys prints
``./net/ipv4/ip_forward:1``. Notes never quote a line.
"""

import re
from collections.abc import Iterable

from fwdtui.core.parse.fields import Parsed, Skipped, lines
from fwdtui.core.parse.sysctl_conf import dotted

_LINUX = re.compile(r"([A-Za-z_][^\s=]*+) = ?(.*)")
_FREEBSD = re.compile(r"([A-Za-z_][^\s=:.]*+\.[^\s=:]++)(?:=|: ?)(.*)")
_FILE = re.compile(r"(?:\./)?([a-z_]++/[^\s:]*+(?::[0-9]++/[^\s:]*+)?):(.*)")


def parse(text: str, names: Iterable[str] = ()) -> Parsed[dict[str, str]]:
    """Name -> value, its lines joined by LF. Never raises.

    `names`: all names that the host has; then only these begin a value.
    """
    known = frozenset(names)
    settings: dict[str, list[str]] = {}
    current = ""
    skipped = Skipped()
    start = _style(text)
    for number, line in enumerate(lines(text), 1):
        match = start.fullmatch(line)
        if match and (not known or match[1] in known):
            name = dotted(match[1]) if start is _FILE else match[1]
            if name == current and start is not _FREEBSD:
                settings[name].append(match[2])
            else:
                current = name
                settings[name] = [match[2]]
        elif current:
            settings[current].append(line)
        elif line.strip():
            skipped.note(f"line {number}: not part of any setting")
    return Parsed({name: _joined(value) for name, value in settings.items()}, skipped.done())


def _style(text: str) -> re.Pattern[str]:
    """The pattern of the first line that has one of the three forms."""
    for line in text.split("\n", 50)[:50]:
        for pattern in (_LINUX, _FREEBSD, _FILE):
            if pattern.fullmatch(line.rstrip("\r")):
                return pattern
    return _FREEBSD


def _joined(value: list[str]) -> str:
    """A value of one line has single blanks, since kernels separate numbers by tabs or by blanks."""
    return " ".join(value[0].split()) if len(value) == 1 else "\n".join(value).strip("\n\t ")
