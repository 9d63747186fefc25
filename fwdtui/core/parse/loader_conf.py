"""loader.conf of FreeBSD, and kenv(1), which prints the loader's variables: NAME="value", one per line.

Source: loader.conf(5), stand/lua/config.lua; bin/kenv/kenv.c. Values are in quotes with backslash escapes;
without quotes they end at white space. kenv(1) quotes but escapes nothing. Notes never quote a line.
"""

import re

from fwdtui.core.parse.fields import Parsed, Skipped, lines
from fwdtui.core.parse.rc_conf import OTHER

_NAME = re.compile(r"[A-Za-z0-9_.%/@:+-]+")
_ESCAPE = re.compile(r"\\(.)")


def parse(text: str) -> Parsed[dict[str, str]]:
    """Name -> value; the last one counts. Lines of another form are under OTHER. Never raises."""
    variables: dict[str, str] = {}
    other: list[str] = []
    skipped = Skipped()
    for number, raw in enumerate(lines(text), 1):
        line = raw.strip()
        if not line or line.startswith("#"):
            continue
        name, equals, rest = line.partition("=")
        name = name.strip()
        value = _value(rest.strip()) if equals and _NAME.fullmatch(name) else None
        if value is None:
            other.append(line)
            skipped.note(f"line {number}: not a variable")
            continue
        variables.pop(name, None)
        variables[name] = value
    if other:
        variables[OTHER] = "\n".join(other)
    return Parsed(variables, skipped.done())


def _value(rest: str) -> str | None:
    """The value after the equals sign; None if it has another form."""
    if not rest.startswith(('"', "'")):
        return rest.partition("#")[0].rstrip()
    mark = rest[0]
    end = 1
    while end < len(rest) and rest[end] != mark:
        end += 2 if rest[end] == "\\" else 1
    after = rest[end + 1 :].strip()
    if end < len(rest) and (not after or after.startswith("#")):
        return _ESCAPE.sub(r"\1", rest[1:end])
    if len(rest) > 1 and rest.endswith(mark):  # kenv: marks within the value
        return rest[1:-1]
    return None
