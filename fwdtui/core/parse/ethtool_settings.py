"""ethtool's -k, -c, -l, -g, -x and -a as settings of an interface.

Source: ethtool(8), versions 3 to 6. A title, then ``Name: value`` with blanks or tabs; two columns for
adaptive coalescing; two sections where a maximum exists. Of the RSS key only a short digest is kept: keys are
compared, not published. Notes never quote a line.
"""

import hashlib
import re

from fwdtui.core.parse.fields import Parsed, Skipped, lines

_TWO = re.compile(r"(.*\bRX): (\S+)\s+TX: (\S+)")
_ROW = re.compile(r"[0-9]+:((?:\s+[0-9]+)+)")
_KEY = re.compile(r"^[ \t]*([0-9a-fA-F]{2}(?::[0-9a-fA-F]{2}){7,})[ \t\r]*$", re.MULTILINE)
_DIGEST = re.compile(r"digest [0-9a-f]{12}")
_SECTIONS = {"Pre-set maximums:": "maximum ", "Current hardware settings:": ""}
_TABLE, _RSS_KEY, _FUNCTION = "indirection table", "RSS key, digest", "RSS hash function"
_INPUT = "RSS input transformation"
_OF_RSS = {"RSS hash key:": _RSS_KEY, f"{_FUNCTION}:": _FUNCTION, f"{_INPUT}:": _INPUT}
_NO_COLON = re.compile(r"(tx-aggr-time-usecs)\s+(\S+)")  # ethtool 6.2 to 6.14


def parse(text: str) -> Parsed[dict[str, str]]:
    """``"rx-usecs"`` -> ``"3"``; "n/a" is what a driver does not have. Never raises."""
    text = without_key(text)
    settings: dict[str, str] = {}
    skipped = Skipped()
    prefix = ""
    inside = ""  # of the sections of -x
    table: list[str] = []
    for number, raw in enumerate(lines(text), 1):
        line = raw.strip()
        if not line:
            continue
        if line in _SECTIONS:
            prefix = _SECTIONS[line]
        elif (section := _section(line)) is not None:
            inside = section
        elif inside and _in_section(settings, table, inside, line):
            continue
        elif two := _TWO.fullmatch(line):
            settings[two[1]], settings[f"{two[1][:-2]}TX"] = two[2], two[3]
        elif odd := _NO_COLON.fullmatch(line):
            settings[odd[1]] = odd[2]
        else:
            name, colon, value = line.partition(":")
            if colon and name:
                settings[f"{prefix}{name.strip()}"] = " ".join(value.split())
            else:
                skipped.note(f"line {number}: neither a title nor a value")
    if table:
        settings[_TABLE] = " ".join(table)
    return Parsed(settings, skipped.done())


def without_key(text: str) -> str:
    """The text with a short digest instead of the RSS key."""
    return _KEY.sub(_digest, text)


def _digest(match: re.Match[str]) -> str:
    return f"digest {hashlib.sha256(match[1].lower().encode()).hexdigest()[:12]}"


def _section(line: str) -> str | None:
    """The section that a title begins; "" for any other title; None if the line is not a title."""
    if line.startswith("RX flow hash indirection table"):
        return _TABLE
    if line in _OF_RSS:
        return _OF_RSS[line]
    return "" if line.endswith(":") and " for " in line else None


def _in_section(settings: dict[str, str], table: list[str], inside: str, line: str) -> bool:
    """Stores a line of a section of -x; False if it is not one."""
    if inside == _TABLE and (row := _ROW.fullmatch(line)):
        table += row[1].split()
    elif inside == _RSS_KEY and _DIGEST.fullmatch(line):
        settings[_RSS_KEY] = line.removeprefix("digest ")
    elif line == "Operation not supported":
        settings[inside] = "not supported"
    elif inside in (_FUNCTION, _INPUT) and ": " in line:
        name, _, value = line.partition(": ")
        settings[f"{inside} {name}"] = value.strip()
    else:
        return False
    return True
