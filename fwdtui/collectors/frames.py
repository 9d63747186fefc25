"""Frames: how a sampler's answers are separated from each other and from any other output.

A frame is what one tick read:

    @TOKEN B 12 P           it begins: the requested sequence number, and its kind
    @TOKEN dev              a section, up to the next mark
    eth0: 99 2 0 ...
    @TOKEN E 12             it is complete

TOKEN is 64 random bits, new for every sampler: no file and no message contains it by accident. An incomplete
frame (the sampler was killed, a line was too long) is counted and dropped: half a reading is useless.
"""

import re
import time
from collections.abc import Mapping
from dataclasses import dataclass, field

from fwdtui.core.text import clean, decode

HELLO = "H"  # printed once, before the first tick is read
PLAIN = "P"  # counters that are files (Linux), or need few programs (FreeBSD)
SLOW = "S"  # counters that need programs of their own
MESSAGES = "M"  # the end of the kernel's messages

_BEGIN = re.compile(r"B ([0-9]{1,18}) ([A-Z])")
_END = re.compile(r"E ([0-9]{1,18})")
_LARGEST = 8 << 20  # bytes of one frame
_STRAY = 5  # lines outside frames to keep


@dataclass(frozen=True, slots=True)
class Frame:
    """One complete frame. `sections`: texts by name; `received`: when its end arrived, by time.monotonic."""

    seq: int
    kind: str
    sections: Mapping[str, str] = field(default_factory=dict)
    received: float = 0.0

    def text(self, name: str) -> str:
        """The text of a section; "" if it is missing."""
        return self.sections.get(name, "")


class FrameReader:
    """Lines in, frames out."""

    def __init__(self, token: str, largest: int = _LARGEST) -> None:
        """`largest`: bytes of one frame; a larger one is broken."""
        self._mark = f"@{token} ".encode()
        self._open: tuple[int, str] | None = None
        self._sections: dict[str, list[bytes]] = {}
        self._section: list[bytes] | None = None
        self._size = 0
        self._largest = largest
        self.broken = 0  # incomplete frames
        self.stray: list[str] = []  # the first lines outside frames, which may say what went wrong

    def feed(self, line: bytes) -> Frame | None:
        """The frame that `line` completes, or None."""
        if not line.startswith(self._mark):
            self._content(line)
            return None
        mark = decode(line[len(self._mark) :])
        if begins := _BEGIN.fullmatch(mark):
            self.broken += self._open is not None
            self._open = int(begins[1]), begins[2]
            self._sections = {}
            self._section = None
            self._size = 0
        elif ends := _END.fullmatch(mark):
            return self._close(int(ends[1]))
        elif self._open is not None:
            self._section = self._sections.setdefault(clean(mark), [])
        return None

    def _content(self, line: bytes) -> None:
        if self._section is None:
            if len(self.stray) < _STRAY and line.strip():
                self.stray.append(clean(decode(line[:200])))
            return
        self._size += len(line) + 1
        if self._size > self._largest:
            self.broken += 1
            self._open = self._section = None
            self._sections = {}
            return
        self._section.append(line)

    def _close(self, seq: int) -> Frame | None:
        opened, self._open, self._section = self._open, None, None
        if opened is None or opened[0] != seq:
            self.broken += 1
            return None
        sections = {name: decode(b"\n".join(parts)) for name, parts in self._sections.items()}
        return Frame(*opened, sections, time.monotonic())
