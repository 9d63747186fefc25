"""Any other generator or receiver: its output is saved, but not read. Interface counters give the rate."""

from fwdtui.collectors.tools.base import Reader, Tool, ToolSample, ToolVerdict


class SilentReader(Reader):
    """Reads nothing."""

    def feed(self, line: str, at: float) -> list[ToolSample]:
        return []

    def close(self) -> ToolVerdict:
        return ToolVerdict()


TOOL = Tool(
    name="counters",
    program="",
    counted=True,
    probe="""\
[ -z "$program" ] || command -v "$program" >/dev/null || { echo "no $program here"; exit 1; }
echo 'the counters of the interface'
""",
    install="install it on the host, or correct the start command in lab.toml",
    reader=SilentReader,
    label="the start command",
)
