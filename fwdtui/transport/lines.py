"""Splits a byte stream into lines, even if the other side never sends an end of line."""

LIMIT = 64 * 1024


class LineSplitter:
    """Turns chunks into complete lines without their LF.

    A line longer than `limit` bytes is discarded up to its LF and counted in `oversize`: half a line could
    look like a smaller number.
    """

    def __init__(self, limit: int = LIMIT) -> None:
        self.limit = limit
        self.oversize = 0
        self._tail = bytearray()
        self._discarding = False

    def feed(self, data: bytes) -> list[bytes]:
        """The lines that `data` completes."""
        if self._discarding:
            end = data.find(b"\n")
            if end < 0:
                return []
            self._discarding = False
            data = data[end + 1 :]
        lines = data.split(b"\n")
        last = lines.pop()
        if lines and self._tail:
            lines[0] = bytes(self._tail) + lines[0]
            self._tail.clear()
        self._tail += last
        if len(self._tail) > self.limit:
            self._tail.clear()
            self._discarding = True
            self.oversize += 1
        if any(len(line) > self.limit for line in lines):
            kept = [line for line in lines if len(line) <= self.limit]
            self.oversize += len(lines) - len(kept)
            return kept
        return lines

    def finish(self) -> list[bytes]:
        """At the end of the stream: a last line without LF, if there is one."""
        rest = bytes(self._tail)
        self._tail.clear()
        return [rest] if rest else []
