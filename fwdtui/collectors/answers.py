"""Asks a host many things at once, with one script whose answer comes in sections, and collects facts."""

import re
import secrets

from fwdtui.collectors.base import Check, Facts
from fwdtui.collectors.frames import Frame, FrameReader
from fwdtui.core.model import Fact
from fwdtui.core.parse.fields import lines, whole
from fwdtui.transport.base import Host

_LIMIT = 4 << 20  # bytes: a large ruleset
_TROUBLE = re.compile(
    r"tim(?:ed|e) ?out|temporar|busy|denied|not permitted|be root|: not found|can(?:no|')t (?:allocate|fork)|"
    r"out of memory|input/output error|interrupted|\bkilled\b|buffer space|too many open",
    re.IGNORECASE,
)  # in a section: its command failed just this time, or the login may not run it


async def ask(host: Host, body: str, seconds: float = 30.0, limit: int = _LIMIT) -> Frame:
    """Run a /bin/sh script that calls ``mark NAME`` before each section. stderr goes into the section too.

    Sections that were not finished in time, or exceed `limit` bytes, are missing. Raises a HostError.
    """
    token = secrets.token_hex(8)
    script = f"exec 2>&1\nmark() {{ printf '\\n@{token} %s\\n' \"$1\"; }}\nmark 'B 0 F'\n{body}\nmark 'E 0'\n"
    done = await host.run(script, timeout=seconds, limit=limit)
    said = done.stdout
    if done.truncated:  # drop the last section: half of a ruleset would look like a small one
        said = said[: max(said.rfind(f"\n@{token} ".encode()), 0)]
    reader = FrameReader(token, limit)  # a frame may be as large as all that was read
    for line in (*said.split(b"\n"), f"@{token} E 0".encode()):
        if frame := reader.feed(line):
            return frame
    return Frame(0, "F")


def first_line(text: str) -> str:
    """The first line that is not blank, cleaned; "" if there is none."""
    return next((line.strip() for line in lines(text) if line.strip()), "")[:200]


class FactList:
    """Collects facts with `put`. If a fact that was needed is missing, a note has the host's answer instead.

    The script must end with a section that nothing is read from: the last section of an answer may be
    unfinished, and so it never counts as answered.
    """

    def __init__(self, answer: Frame) -> None:
        self._answer = answer
        self._values: dict[str, Fact] = {}
        self._notes: list[str] = []
        self._absent: set[str] = set()

    def put(self, key: str, value: Fact | None, needs: str = "", of: str = "") -> None:
        """Adds a fact. None or "": it is missing.

        `needs` names the section that should contain the value; without it, a missing value gets no note.
        `of` names a section: if the host answered it and there is still no value, the fact is absent.
        """
        if value is not None and value != "":
            self._values[key] = value
            return
        if needs:
            said = first_line(self._answer.text(needs))
            self._notes.append(f"{key} ({said or 'no answer'})")
        if of and self.answered(of):
            self._absent.add(key)

    def others_absent(self, prefix: str) -> None:
        """Declares that there are no facts with `prefix`, which ends with a dot, but those that were put."""
        self._absent.add(prefix)

    def answered(self, section: str) -> bool:
        """Whether the host answered a section completely, even if the answer is "no such file"."""
        text = self._answer.text(section)
        ended = [*self._answer.sections][-1:] != [section]
        return ended and bool(text.strip()) and not _TROUBLE.search(text)

    def number(self, section: str) -> int | None:
        """The whole number with which a section begins; None if its first line is anything else."""
        return whole(first_line(self._answer.text(section)))

    def done(self) -> Facts:
        return Facts(self._values, tuple(self._notes), frozenset(self._absent))


def kernel_messages(host: str, answer: Frame, allow: str) -> Check:
    """The check of the section `messages`: "readable" or why not; `allow` is the command that permits it."""
    said = answer.text("messages")
    if "readable" in said.split():
        return Check(host, "kernel messages", True, "readable")
    refused = first_line(said) or "dmesg printed nothing"
    return Check(host, "kernel messages", None, refused, f"log in as root, or: {allow}")
