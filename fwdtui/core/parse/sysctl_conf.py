"""sysctl.conf of FreeBSD and Linux: ``name=value``, one per line.

Source: sysctl.conf(5) of both. Linux allows ``-`` before a name (errors are ignored), ``;`` before a comment
and ``/`` as separator. FreeBSD allows a comment after the value. Notes never quote a line.
"""

import re

from fwdtui.core.parse.fields import Parsed, Skipped, lines
from fwdtui.core.parse.rc_conf import OTHER

_NAME = re.compile(r"[A-Za-z0-9_.%/*@:+-]+")
_COMMENT = re.compile(r"\s#")
_SWAP = str.maketrans("./", "/.")


def parse(text: str) -> Parsed[dict[str, str]]:
    """Name with dots -> value; the last one counts. Lines of another form are under OTHER. Never raises."""
    settings: dict[str, str] = {}
    other: list[str] = []
    skipped = Skipped()
    for number, raw in enumerate(lines(text), 1):
        line = raw.strip()
        if not line or line[0] in "#;":
            continue
        name, equals, rest = line.partition("=")
        name = name.strip().removeprefix("-")
        if not equals or not _NAME.fullmatch(name):
            other.append(line)
            skipped.note(f"line {number}: not a setting")
            continue
        name = dotted(name)
        settings.pop(name, None)
        settings[name] = _value(rest)
    if other:
        settings[OTHER] = "\n".join(other)
    return Parsed(settings, skipped.done())


def dotted(name: str) -> str:
    """A name with its parts separated by dots: ``net/ipv4/conf/eth0.1/rp_filter`` has slashes first."""
    slash, dot = name.find("/"), name.find(".")
    return name.translate(_SWAP) if slash >= 0 and (dot < 0 or slash < dot) else name


def _value(rest: str) -> str:
    if comment := _COMMENT.search(rest):
        rest = rest[: comment.start()]
    rest = " ".join(rest.split())
    return rest[1:-1] if len(rest) > 1 and rest[0] == rest[-1] == '"' else rest
