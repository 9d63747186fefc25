"""rc.conf and its kin: shell assignments, as /etc/rc reads them.

Source: rc.conf(5), sh(1). A file is a shell script: what is more than an assignment (a condition, a command)
is not run here, but kept as text under OTHER, so that a difference in it is not lost. Notes never quote a
line, since it may contain a password.
"""

import re

from fwdtui.core.parse.fields import Parsed, Skipped, lines

OTHER = "other lines"
"""The key of all lines that are not assignments, in the order of the file."""

_ASSIGNS = re.compile(r"[ \t]*(?:(?:export|readonly)[ \t]+)?([A-Za-z_][A-Za-z0-9_]*)=")
_OPENS = frozenset({"if", "case", "for", "while", "until", "{"})
_CLOSES = frozenset({"fi", "esac", "done", "}"})
_WORDS = re.compile(r"[^\s;]+")
_ENDS = frozenset(" \t\n;")


def parse(text: str) -> Parsed[dict[str, str]]:
    """Name -> value without its quotes; the last assignment counts. Never raises.

    A value may extend over several lines, in quotes or with a backslash at the end of a line. What follows a
    quotation that does not end is not read.
    """
    text = "\n".join(lines(text))
    variables: dict[str, str] = {}
    other: list[str] = []
    skipped = Skipped()
    depth = place = 0
    while place < len(text):
        values, after = ([], place) if depth else _assignments(text, place)
        if after < 0:
            number = text.count("\n", 0, place) + 1
            skipped.note(f"line {number}: a quotation that does not end, and all that follows")
            break
        end = text.find("\n", after)
        end = len(text) if end < 0 else end
        if values and (after == end or text[after] == "#"):
            for name, value in values:
                variables.pop(name, None)  # it counts where it is set last
                variables[name] = value
        else:  # a command, perhaps with assignments before it that hold for it alone
            for raw in text[place:end].split("\n"):
                line = raw.strip()
                if line and not line.startswith("#"):
                    other.append(line)
                    depth = max(depth + _opened(line), 0)
        place = end + 1
    if other:
        variables[OTHER] = "\n".join(other)
    return Parsed(variables, skipped.done())


def _assignments(text: str, place: int) -> tuple[list[tuple[str, str]], int]:
    """The assignments that begin at `place`, and the place after them, in their last line.

    The place is -1 if a quotation does not end.
    """
    assignments: list[tuple[str, str]] = []
    while match := _ASSIGNS.match(text, place):
        value, place = _word(text, match.end())
        if place < 0:
            return assignments, -1
        assignments.append((match[1], value))
        while place < len(text) and text[place] in " \t;":
            place += 1
    return assignments, place


def _word(text: str, place: int) -> tuple[str, int]:
    """A shell word from `place` on, without quotes, and where it ends; -1 if a quotation in it has no end."""
    parts: list[str] = []
    while place < len(text) and text[place] not in _ENDS:
        mark = text[place]
        if mark == "'":
            end = text.find("'", place + 1)
            if end < 0:
                return "", -1
            parts.append(text[place + 1 : end])
            place = end + 1
        elif mark == '"':
            place += 1
            while place < len(text) and text[place] != '"':
                step = 2 if text[place] == "\\" else 1
                parts.append(_escaped(text[place : place + step]))
                place += step
            if place >= len(text):
                return "", -1
            place += 1
        elif mark == "\\":
            parts.append(_escaped(text[place : place + 2], any_character=True))
            place += 2
        else:
            parts.append(mark)
            place += 1
    return "".join(parts), min(place, len(text))


def _escaped(pair: str, any_character: bool = False) -> str:
    """What a backslash and the character after it mean; a line that continues is one line."""
    if pair == "\\\n":
        return ""
    if len(pair) == 2 and (any_character or pair[1] in '"\\$`'):
        return pair[1]
    return pair


def _opened(line: str) -> int:
    """How many compound commands this line leaves open."""
    words = _WORDS.findall(line.partition(" #")[0])
    return sum((word in _OPENS) - (word in _CLOSES) for word in words)
