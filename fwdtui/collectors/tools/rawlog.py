"""The unmodified output of a tool, for the record: all of it, or its beginning and its end."""

from collections import deque

BEGINNING = 16 << 20  # bytes
END = 1 << 20


class RawLog:
    """Takes lines and returns bytes. A log longer than `beginning` + `end` bytes loses its middle.

    A line then says so.
    """

    def __init__(self, beginning: int = BEGINNING, end: int = END) -> None:
        self._head = bytearray()
        self._tail: deque[bytes] = deque()
        self._tail_size = 0
        self._room = beginning
        self._end = end
        self.omitted = 0  # bytes
        self.lines = 0

    def add(self, line: bytes) -> None:
        """Adds a line, given without its LF."""
        self.lines += 1
        whole = line + b"\n"
        if not self._tail and len(self._head) + len(whole) <= self._room:
            self._head += whole
            return
        self._tail.append(whole)
        self._tail_size += len(whole)
        while self._tail_size > self._end and len(self._tail) > 1:
            gone = len(self._tail.popleft())
            self._tail_size -= gone
            self.omitted += gone

    @property
    def data(self) -> bytes:
        """What was printed. If bytes are left out, a line in their place says how many."""
        gap = f"[fwdtui: {self.omitted} bytes are left out here]\n".encode() if self.omitted else b""
        return bytes(self._head) + gap + b"".join(self._tail)
