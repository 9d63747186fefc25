"""Handles the bytes of a channel that are not lines of the program's stdout."""

from collections.abc import Callable

_NOISE = 2048
_NEWEST = 200
_TAIL = 64 * 1024


class Preamble:
    """The output of the login shell's start-up files, up to the line that marks the start of our script."""

    def __init__(self, mark: str) -> None:
        self._needle = f"\n{mark}\n".encode()
        self._window = b""
        self.found = False
        self.noise = b""  # the beginning of that output, to tell the user why no script began
        self.newest = b""  # its end: perhaps a question that waits for an answer
        self.size = 0  # its size in bytes

    def feed(self, data: bytes) -> bytes:
        """Takes `data`; returns the script's own output in it, once the mark has been seen."""
        window = self._window + data
        end = window.find(self._needle)
        if end < 0:
            self.noise += data[: _NOISE - len(self.noise)]
            self.newest = (self.newest + data)[-_NEWEST:]
            self.size += len(data)
            self._window = window[-(len(self._needle) - 1) :]
            return b""
        self.found = True
        self._window = b""
        return window[end + len(self._needle) :]


class StderrTail:
    """The end of stderr, without the shell's preamble, the answers to heartbeats, and what `heed` takes."""

    def __init__(self, mark: str, heed: Callable[[bytes], bool] | None = None) -> None:
        self._preamble = Preamble(mark)
        self._answer = f"{mark}\n".encode()
        self._tail = b""
        self._heed = heed
        self._open = b""  # with `heed`: the beginning of a line that has not ended

    def feed(self, data: bytes) -> None:
        if not self._preamble.found:
            data = self._preamble.feed(data)
        if self._heed is not None and self._preamble.found:
            data = self._unheeded(data, self._heed)
        # an answer may be split between two chunks: the tail still has its beginning
        self._tail = (self._tail + data).replace(self._answer, b"")[-_TAIL:]

    def _unheeded(self, data: bytes, heed: Callable[[bytes], bool]) -> bytes:
        """The complete lines that `heed` does not take."""
        *lines, rest = (self._open + data).split(b"\n")
        self._open = rest[-_TAIL:]
        return b"".join(line + b"\n" for line in lines if not heed(line))

    @property
    def value(self) -> bytes:
        return self._tail + self._open if self._preamble.found else self._preamble.noise
