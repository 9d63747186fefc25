"""What is missing of a tool's output is told, for nothing else would tell of it."""

from typing import Any

import pytest

from fwdtui.collectors.tools.registry import named
from fwdtui.collectors.tools.running import RunningTool
from fwdtui.collectors.tools.shell import printed_through
from fwdtui.core.lab import Endpoint
from fwdtui.core.model import EventSample
from fwdtui.transport.base import Exit

TOTAL = b"Sent 300 packets 18000 bytes 3 events 60 bytes each in 0.30 seconds."


@pytest.mark.parametrize(
    ("command", "behind"),
    [
        ("pkt-gen -i igb3 -f tx", ""),
        ("pkt-gen -i igb3 -f tx; true", ""),
        ("sysctl -n x | grep 1 || exit 1; pkt-gen -i igb3", ""),
        ("ulimit -n 9 && { pkt-gen -i igb3 2>&1 | cat; }", "cat"),
        ("script that | starts it", ""),
        ("yes | /usr/local/bin/pkt-gen -i igb3", ""),
        ("yes | timeout -s INT 60 pkt-gen -i igb3", ""),
        ("pkt-gen -i igb3 2>&1 | tee /tmp/log", "tee"),
        ("pkt-gen -i igb3 2>&1 | /usr/bin/grep -v x | cat", "grep"),
        ("pkt-gen -i igb3 |& tee -i /tmp/log", ""),
        ("pkt-gen -i igb3 | tee -ai /tmp/log", ""),
        ("pkt-gen -i igb3 | tee --ignore-interrupts /tmp/log | cat", "cat"),
        ("pkt-gen -i igb3 >| /tmp/log", ""),
        ("echo 'a | b'; pkt-gen -f 'x|y' || echo \\| none", ""),
    ],
)
def test_what_a_tool_prints_through(command: str, behind: str) -> None:
    assert printed_through(command, "pkt-gen") == behind


class Printing:
    """A program that has printed these lines and ended."""

    host, stderr = "gen", b""

    def __init__(self, lines: list[bytes], oversize: int = 0, truncated: bool = False) -> None:
        self.lines, self.oversize, self.truncated = lines, oversize, truncated
        self.exit: Exit | None = None

    async def readline(self) -> bytes | None:
        return self.lines.pop(0) if self.lines else None

    async def wait(self) -> Exit:
        self.exit = Exit(0)
        return self.exit


async def notes(start: str, process: Any, tool: str = "netmap-pkt-gen", asked: bool = True) -> list[str]:
    endpoint = Endpoint("gen", "igb3", tool, start)
    running = RunningTool(object(), endpoint, named(tool), "generator", process, lambda: 1.0)  # type: ignore[arg-type]
    if asked:
        running.expect_end()
    ended = await running.wait()
    told = [one.text async for one in running if isinstance(one, EventSample) and one.code == "note"]
    assert len(ended.notes) == len(told)
    return told


async def test_a_pkt_gen_whose_last_line_is_lost_with_a_pipe_says_so() -> None:
    piped = "pkt-gen -i igb3 2>&1 | tee log"
    (told,) = await notes(piped, Printing([]))
    assert told.startswith("pkt-gen on gen: its last line (up to a second of packets) may be missing: ")
    assert "also ends tee, which" in told and "tee -i" in told
    assert await notes(piped, Printing([TOTAL])) == [], "it came all the same"
    assert await notes(piped, Printing([]), asked=False) == [], "it ended by itself"
    assert await notes(piped, Printing([]), "trafgen") == [], "the kernel counts its packets"
    assert await notes("pkt-gen -i igb3; true", Printing([])) == []


async def test_of_a_tool_that_alone_counts_its_packets_a_line_that_is_not_understood_is_told() -> None:
    """Of two pkt-gens that print at once one may break the line of the other."""
    torn = b"311.000000 main_thread [2781] 1000 pps (100 pk"
    (told,) = await notes("pkt-gen", Printing([torn, TOTAL]))
    assert told.startswith(
        "pkt-gen on gen: its packet counts may be too low, because fwdtui could not read "
        "part of its output: line 1"
    )


async def test_lines_that_were_not_saved_are_told() -> None:
    assert await notes("pkt-gen", Printing([], 2)) == [
        "pkt-gen on gen: 2 lines longer than 64 KiB were not saved"
    ]
    assert await notes("pkt-gen", Printing([], truncated=True)) == [
        "pkt-gen on gen: it was still printing when fwdtui stopped reading; later lines were not saved"
    ]
