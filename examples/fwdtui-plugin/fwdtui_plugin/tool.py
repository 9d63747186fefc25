"""The tool `udpblast`: how it is found, started and read."""

import re
from collections.abc import Sequence

from fwdtui.collectors.tools.base import Origin, Reader, Tool, ToolSample, ToolVerdict
from fwdtui.collectors.tools.shell import VERSION_PROBE

_INTERVAL = re.compile(r"(\d{1,9}\.\d+) s: (\d{1,15}) packets in (\d{1,9}\.\d+) s")
_END = re.compile(r"sent (\d{1,15}) packets in (\d{1,9}\.\d+) s")
_ERROR = "udpblast: error: "


class UdpblastReader(Reader):
    """Reads one run: one line per interval, and a last one with the totals."""

    def __init__(self, origin: Origin) -> None:
        super().__init__(origin)
        self._packets: int | None = None
        self._seconds: float | None = None
        self._error = ""

    def feed(self, line: str, at: float) -> Sequence[ToolSample]:
        """An interval's line gives a rate sample, any other line none."""
        if found := _INTERVAL.fullmatch(line):
            t, packets, seconds = float(found[1]), int(found[2]), float(found[3])
            return [self.rate(at, t, seconds, packets / seconds, packets)] if seconds else []
        if found := _END.fullmatch(line):
            self._packets, self._seconds = int(found[1]), float(found[2])
        elif line.startswith(_ERROR):
            self._error = line.removeprefix(_ERROR)
        return []

    def close(self) -> ToolVerdict:
        """The totals of the last line."""
        rate = self._packets / self._seconds if self._packets is not None and self._seconds else None
        return ToolVerdict(
            failure=self._error,
            nothing=self._packets == 0,
            packets=self._packets,
            seconds=self._seconds,
            pps=rate,
        )


TOOL = Tool(
    name="udpblast",
    program="udpblast",
    counted=False,  # its own lines give the rate: other programs may send on its interface
    probe=VERSION_PROBE,
    install="copy udpblast.py from fwdtui-plugin to the host as an executable called udpblast",
    reader=UdpblastReader,
)
