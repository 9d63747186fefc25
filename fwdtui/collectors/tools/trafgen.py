"""trafgen of netsniff-ng. It prints nothing while it sends: the interface's counters give the rate.

Its report at the end (on stdout, buffered until then) gives the totals. Several trafgen processes in
parallel, each with its own report, are one generator: their packets are added up.
"""

from fwdtui.collectors.tools.base import Origin, Reader, Tool, ToolSample, ToolVerdict
from fwdtui.collectors.tools.shell import VERSION_PROBE
from fwdtui.core.parse.fields import Skipped
from fwdtui.core.parse.trafgen import parse_trafgen


class TrafgenReader(Reader):
    """Gives no samples, only a verdict. Its `seconds` are those of the CPU that sent longest."""

    def __init__(self, origin: Origin) -> None:
        super().__init__(origin)
        self._skipped = Skipped()
        self._line = 0
        self._packets: int | None = None
        self._seconds: float | None = None
        self._error = ""

    def feed(self, line: str, at: float) -> list[ToolSample]:
        self._line += 1
        parsed = parse_trafgen(line)
        report = parsed.value
        if report.packets is not None:
            self._packets = (self._packets or 0) + report.packets
        for cpu in report.cpus:
            self._seconds = max(self._seconds or 0.0, cpu.seconds)
        self._error = self._error or report.error or ""
        for note in parsed.skipped:
            self._skipped.note(note.replace("line 1:", f"line {self._line}:", 1))
        return []

    def close(self) -> ToolVerdict:
        rate = self._packets / self._seconds if self._packets is not None and self._seconds else None
        return ToolVerdict(
            failure=self._error if not self._packets else "",
            trouble=self._error,
            nothing=self._packets == 0,
            packets=self._packets,
            seconds=self._seconds,
            pps=rate,
            skipped=self._skipped.done(),
        )


TOOL = Tool(
    name="trafgen",
    program="trafgen",
    counted=True,
    frames=True,
    probe=VERSION_PROBE,
    install="Debian: apt install netsniff-ng",
    reader=TrafgenReader,
)
