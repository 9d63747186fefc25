"""Tools on a real host over a real sshd: started, read and stopped as the user says, each end named.

The pkt-gen here is a stand-in, for netmap needs a kernel of its own: a shell script that prints what
pkt-gen prints, where pkt-gen prints it, at ten lines a second. iperf3 and trafgen are themselves.
"""

import asyncio
import os
import shutil
import signal
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from transport_helpers import free_port, processes_with, run_tool, until

from fwdtui.collectors.clock import Axis
from fwdtui.collectors.source import LabSource
from fwdtui.collectors.tools import netmap_pktgen, plugged
from fwdtui.collectors.tools.base import Origin, Reader, Tool, ToolSample, ToolVerdict
from fwdtui.collectors.tools.counters import SilentReader
from fwdtui.collectors.tools.probe import probe
from fwdtui.collectors.tools.registry import named
from fwdtui.collectors.tools.running import RunningTool
from fwdtui.core.errors import FwdtuiError
from fwdtui.core.lab import Dut, Endpoint, Lab
from fwdtui.core.model import EventSample, RateSample
from fwdtui.core.parse.iperf3 import parse_iperf3_json
from fwdtui.core.parse.iperf3_lines import parse_iperf3_lines
from fwdtui.transport.errors import Unreachable
from fwdtui.transport.ssh import SshHost, SshPool

PKT_GEN = r"""#!/bin/sh
# pkt-gen [tx|rx] [intervals] [packets an interval] [crash]
way=${1:-tx} left=${2:-1000} packets=${3:-100} n=0 sent=0
trap 'left=0' INT
echo "304.739439 main [1753] interface is igb3" >&2
case $way in
tx) echo "309.020485 sender_body [1108] start, fd 4 main_fd 3" >&2 ;;
rx) echo "309.020485 receiver_body [1282] reading from netmap:igb3 fd 4 main_fd 3" >&2
    echo "309.120485 receiver_body [1289] waiting for initial packets, poll returns 0 0" >&2 ;;
esac
while [ $left -gt 0 ]; do
  sleep 0.1
  n=$((n + 1)) left=$((left - 1)) sent=$((sent + packets))
  printf '%d.%d00000 main_thread [2781] %d pps (%d pkts %d bps in 100000 usec) 5.04 avg_batch 0 min_space\n' \
    $((310 + n / 10)) $((n % 10)) $((packets * 10)) $packets $((packets * 4800)) >&2
done
if [ -n "$4" ]; then
  echo "367.173059 receiver_body [1804] poll err" >&2
  echo "368.282046 main_thread [2541] ouch, thread 0 exited with error" >&2
fi
case $way in tx) word=Sent ;; *) word=Received ;; esac
if [ $sent = 0 ]; then
  echo "$word nothing."
else
  echo "$word $sent packets $((sent * 60)) bytes $n events 60 bytes each in $((n / 10)).$((n % 10))0 seconds."
  echo "Speed: 1.000 Kpps Bandwidth: 480.000 Kbps (raw 672.000 Kbps). Average batch: 5.04 pkts"
fi
exit 0
"""


@pytest.fixture
def pkt_gen(tmp_path: Path) -> Path:
    """The stand-in, under a path that only this test's processes have in their arguments."""
    path = tmp_path / "bin" / "pkt-gen"
    path.parent.mkdir()
    path.write_text(PKT_GEN)
    path.chmod(0o755)
    return path


Start = Callable[..., Awaitable[RunningTool]]


@pytest.fixture
async def start(gen: SshHost) -> AsyncIterator[Start]:
    """Starts a tool on the host; none outlives the test."""
    running: list[RunningTool] = []

    async def make(
        command: str, tool: str | Tool = "netmap-pkt-gen", role: str = "generator", stop: str | None = None
    ) -> RunningTool:
        found = tool if isinstance(tool, Tool) else named(tool)
        endpoint = Endpoint("gen", "igb3", found.name, command, stop)
        running.append(await RunningTool.start(gen, endpoint, role, Axis().now, tool=found))
        return running[-1]

    yield make
    for tool in running:
        await tool.aclose()


def rates(samples: Sequence[ToolSample]) -> list[RateSample]:
    return [sample for sample in samples if isinstance(sample, RateSample)]


def events(samples: Sequence[ToolSample]) -> list[tuple[str, str]]:
    return [(sample.code, sample.text) for sample in samples if isinstance(sample, EventSample)]


async def some(tool: RunningTool, count: int) -> list[RateSample]:
    """The first rates, while it runs."""
    found: list[RateSample] = []
    async with asyncio.timeout(10):
        async for sample in tool:
            found += [sample] if isinstance(sample, RateSample) else []
            if len(found) == count:
                break
    return found


async def everything(tool: RunningTool) -> list[ToolSample]:
    async with asyncio.timeout(15):
        return [sample async for sample in tool]


# from start to end


async def test_a_tool_that_ends_by_itself_gives_samples_events_totals_and_its_whole_output(
    start: Start, pkt_gen: Path
) -> None:
    tool = await start(f"{pkt_gen} tx 3")
    samples = await everything(tool)
    assert [(r.role, r.host, r.interface, r.pps, r.interval) for r in rates(samples)] == [
        ("generator", "gen", "igb3", 1000.0, 0.1)
    ] * 3
    assert [r.t for r in rates(samples)] == pytest.approx([0.0, 0.1, 0.2])
    assert events(samples) == [
        ("tool-started", f"pkt-gen on gen: {pkt_gen} tx 3"),
        ("tool-ended", "pkt-gen on gen ended: sent 300 packets in 0.30 s (1.000 kpps)"),
    ]
    assert tool.ended is not None
    assert (tool.ended.exit.status, tool.ended.asked, tool.ended.notes) == (0, False, ())
    expected = run_tool("sh", "-c", f"exec {pkt_gen} tx 3 2>&1")
    assert tool.log.data.decode() == expected


async def test_samples_come_while_it_runs_on_the_recordings_axis(start: Start, pkt_gen: Path) -> None:
    began = time.monotonic()
    tool = await start(f"{pkt_gen} tx")
    places: list[float] = []
    # a line every tenth of a second, and not all of them at the end; some at once where we were held up
    while not places or places[-1] - places[0] <= 0.2:
        places += [rate.at for rate in await some(tool, 1) if rate.at is not None]
    assert tool.ended is None
    passed = time.monotonic() - began
    assert places == sorted(places)
    assert 0 < places[0] < places[-1] < passed


async def test_without_a_stop_command_a_signal_ends_it_and_its_closing_lines_are_read(
    start: Start, pkt_gen: Path
) -> None:
    tool = await start(f"{pkt_gen} tx")
    await some(tool, 3)
    ended = await tool.stop()
    assert ended.text.startswith("pkt-gen on gen was stopped: sent ")
    assert (ended.failed, ended.asked, ended.notes) == (False, True, ())
    assert b"Speed: 1.000 Kpps" in tool.log.data
    await until(lambda: not processes_with(str(pkt_gen)))


@pytest.mark.skipif(not shutil.which("pkill"), reason="needs the Debian package procps")
async def test_the_stop_command_ends_it_where_there_is_one(start: Start, pkt_gen: Path) -> None:
    tool = await start(f"{pkt_gen} tx", stop=f"pkill -INT -f '{pkt_gen} t[x]'")
    await some(tool, 2)
    began = time.monotonic()
    ended = await tool.stop(grace=8)
    assert time.monotonic() - began < 6
    assert ended.text.startswith("pkt-gen on gen was stopped: sent ")
    assert ended.notes == ()
    assert events(await everything(tool))[-1] == ("tool-ended", ended.text)


@pytest.mark.skipif(not shutil.which("pkill"), reason="needs the Debian package procps")
async def test_a_receiver_that_the_generators_stop_command_ends_as_well_was_stopped(
    start: Start, pkt_gen: Path
) -> None:
    receiver = await start(f"{pkt_gen} rx", role="receiver")
    generator = await start(f"{pkt_gen} tx", stop=f"pkill -TERM -f '{pkt_gen} [rt]x'")
    await some(receiver, 1)
    await some(generator, 1)
    receiver.expect_end()
    await generator.stop()
    ended = await receiver.wait()
    assert (ended.code, ended.asked) == ("tool-ended", True)
    receiver.expect_end()
    assert (await receiver.stop()).text == "pkt-gen on gen was stopped"


async def test_what_had_ended_before_it_was_to_be_stopped_ended_by_itself(start: Start) -> None:
    tool = await start("exit 3", "counters")
    await tool.wait()
    tool.expect_end()
    ended = await tool.stop()
    assert (ended.failed, ended.asked) == (True, False)


async def test_a_stop_command_that_does_not_end_it_is_named_and_a_signal_does(
    start: Start, pkt_gen: Path
) -> None:
    tool = await start(f"{pkt_gen} tx", stop="nosuchkill pkt-gen")
    await some(tool, 2)
    ended = await tool.stop(grace=0.5)
    assert not ended.failed
    assert [note.split(":")[0] for note in ended.notes] == [
        "the stop command ended with status 127",
        "it kept running after the stop command",
    ]
    assert "nosuchkill" in ended.notes[0]
    await until(lambda: not processes_with(str(pkt_gen)))


async def test_a_program_that_takes_no_hint_is_ended_all_the_same(start: Start, tmp_path: Path) -> None:
    stubborn = tmp_path / "stubborn"
    stubborn.write_text("#!/bin/sh\ntrap '' INT TERM HUP\nwhile :; do sleep 0.1; done\n")
    stubborn.chmod(0o755)
    tool = await start(str(stubborn), "counters")
    ended = await tool.stop(grace=0.3)
    assert ended.asked
    await until(lambda: not processes_with(str(stubborn)))


async def test_stopping_twice_and_after_the_end_is_the_same_as_once(
    start: Start, pkt_gen: Path, tmp_path: Path
) -> None:
    called = tmp_path / "called"
    tool = await start(f"{pkt_gen} tx", stop=f"echo x >>{called}; pkill -INT -f '{pkt_gen} t[x]'")
    await some(tool, 1)
    first, second = await asyncio.gather(tool.stop(), tool.stop())
    assert first is second is await tool.stop() is await tool.aclose()
    assert called.read_text() == "x\n"


async def test_the_stop_command_of_a_tool_that_has_ended_by_itself_is_not_run(
    start: Start, pkt_gen: Path, tmp_path: Path
) -> None:
    tool = await start(f"{pkt_gen} tx 1", stop=f"touch {tmp_path}/called")
    await tool.wait()
    ended = await tool.stop()
    assert not ended.asked
    assert not (tmp_path / "called").exists()


# what fails


@pytest.mark.parametrize(
    ("tool", "command", "text"),
    [
        (
            "netmap-pkt-gen",
            "pkt-gen -f tx -i igb3",
            "pkt-gen on gen did not start: pkt-gen is not found on gen (FreeBSD: pkg install pkt-gen,"
            " or build tools/tools/netmap; Linux: build netmap, load its module)",
        ),
        (
            "netmap-pkt-gen",
            "timeout 60 /nosuch/pkt-gen -f tx",
            "pkt-gen on gen did not start: /nosuch/pkt-gen is not found on gen (FreeBSD: pkg install pkt-gen,"
            " or build tools/tools/netmap; Linux: build netmap, load its module)",
        ),
        (
            "counters",
            "nosuchtool -x | cat; nosuchtool -x",
            "the start command on gen did not start: nosuchtool is not found on gen"
            " (install it there, or correct the start command in lab.toml)",
        ),
        (
            "netmap-pkt-gen",
            "echo pkt-gen: error while loading shared libraries: libn.so.1: cannot open it; exit 127",
            "pkt-gen on gen did not start: pkt-gen: error while loading shared libraries: libn.so.1: cannot",
        ),
        (
            "counters",
            "timeout 9 sh -c 'echo Error loading shared library libpcap.so.1: No such file; exit 127'",
            "the start command on gen did not start: Error loading shared library libpcap.so.1: No such file",
        ),
        ("counters", "/etc/passwd", "the start command on gen did not start: not executable: "),
        (
            "counters",
            "echo no card; exit 3",
            "the start command on gen ended with status 3: no card",
        ),
        ("counters", "if", "the start command on gen ended with status 2: "),
    ],
)
async def test_a_tool_that_does_not_start_is_named_with_what_mends_it(
    start: Start, tool: str, command: str, text: str
) -> None:
    ended = await (await start(command, tool)).wait()
    assert ended.failed
    assert ended.text.startswith(text)


async def test_a_missing_iperf3_is_named_through_the_shell_that_sets_its_buffering(
    gen: SshHost, tmp_path: Path
) -> None:
    endpoint = Endpoint("gen", "eth0", "iperf3", "PATH=/nosuch; iperf3 -c 192.0.2.1")
    tool = await RunningTool.start(gen, endpoint, "generator", Axis().now)
    ended = await tool.wait()
    assert ended.text.startswith(
        "iperf3 on gen did not start: iperf3 is not found on gen (Debian: apt install"
    )


async def test_a_crash_is_named_although_the_exit_status_is_0(start: Start, pkt_gen: Path) -> None:
    tool = await start(f"{pkt_gen} rx 2 50 crash", role="receiver")
    samples = await everything(tool)
    assert len(rates(samples)) == 2
    assert events(samples)[-1] == (
        "tool-failed",
        "pkt-gen on gen failed: 368.282046 main_thread [2541] ouch, thread 0 exited with error",
    )
    assert tool.ended is not None
    assert tool.ended.exit.status == 0


@pytest.mark.parametrize(
    ("role", "way", "word"), [("generator", "tx", "sent"), ("receiver", "rx", "received")]
)
async def test_a_run_of_0_pps_is_named(start: Start, pkt_gen: Path, role: str, way: str, word: str) -> None:
    tool = await start(f"{pkt_gen} {way} 2 0", role=role)
    ended = await tool.wait()
    assert (ended.failed, ended.text) == (True, f"pkt-gen on gen {word} nothing: 0 pps")


async def test_a_generator_that_sends_nothing_is_named_while_it_runs(start: Start) -> None:
    line = "0 pps (0 pkts 0 bps in 1000000 usec) 0.00 avg_batch 0 min_space"
    tool = await start(f"for i in 1 2 3 4 5 6 7 8; do echo 31$i.0 main_thread [2781] {line}; done; sleep 60")
    async with asyncio.timeout(5):
        async for sample in tool:
            if isinstance(sample, EventSample) and sample.code == "note":
                assert sample.text == "pkt-gen on gen: 0 pps for 5 s"
                break


async def test_what_somebody_else_killed_is_told_from_what_we_stopped(start: Start, pkt_gen: Path) -> None:
    tool = await start(f"{pkt_gen} tx")
    await some(tool, 1)
    for line in processes_with(f"/bin/sh {pkt_gen}"):
        os.kill(int(line.split()[1]), signal.SIGKILL)
    ended = await tool.wait()
    assert (ended.failed, ended.asked) == (True, False)
    assert ended.text == "pkt-gen on gen was killed by signal 9, not by fwdtui"


async def test_the_end_of_the_connection_ends_it_on_the_host_and_is_named(
    start: Start, tool_pool: SshPool, pkt_gen: Path
) -> None:
    tool = await start(f"{pkt_gen} tx")
    await some(tool, 1)
    await tool_pool.aclose()
    ended = await tool.wait()
    assert (ended.failed, ended.exit.lost) == (True, True)
    assert ended.text.startswith("pkt-gen on gen was cut off: ")
    await until(lambda: not processes_with(str(pkt_gen)))


async def test_a_host_that_is_gone_starts_nothing(tool_pool: SshPool, gen: SshHost) -> None:
    await tool_pool.aclose()
    with pytest.raises(Unreachable):
        await RunningTool.start(gen, Endpoint("gen", "eth0", "counters", "true"), "generator", Axis().now)


# what is not ours


async def test_what_the_start_command_leaves_in_the_background_is_not_ours(
    start: Start, tmp_path: Path
) -> None:
    daemon = tmp_path / "daemon-of-its-own"
    daemon.write_text("#!/bin/sh\nsleep 30\n")
    daemon.chmod(0o755)
    tool = await start(f"setsid {daemon} >/dev/null 2>&1 & sleep 0.3", "counters")
    ended = await tool.wait()
    try:
        assert not ended.failed
        assert "a start command must stay in the foreground" in ended.text
        await tool.stop()
        await asyncio.sleep(1.2)  # longer than the shell around the start command lives on
        assert len(processes_with(str(daemon))) == 1
    finally:
        for line in processes_with(f"/bin/sh {daemon}"):
            os.killpg(int(line.split()[1]), signal.SIGKILL)  # setsid made it the leader of its group


async def test_nothing_starts_without_a_start_command(gen: SshHost) -> None:
    with pytest.raises(FwdtuiError, match=r"^lab.toml: receiver.start: missing \(host gen\)"):
        await RunningTool.start(gen, Endpoint("gen", "eth0"), "receiver", Axis().now)


@pytest.mark.parametrize(("stop", "notes"), [(None, 1), ("sudo pkill pkt-gen", 0)])
async def test_what_runs_as_another_user_is_beyond_our_signals_and_needs_a_stop_command(
    gen: SshHost, stop: str | None, notes: int
) -> None:
    endpoint = Endpoint("gen", "igb3", "netmap-pkt-gen", "cd /; : sudo pkt-gen -f tx -i igb3", stop)
    tool = await RunningTool.start(gen, endpoint, "generator", Axis().now)
    texts = [text for code, text in events(await everything(tool)) if code == "note"]
    assert len(texts) == notes
    assert all("runs through sudo" in text and "'sudo pkill ...'" in text for text in texts)


# plug-ins and producers


class Broken(SilentReader):
    def feed(self, line: str, at: float) -> list[ToolSample]:
        raise ZeroDivisionError("a plug-in's mistake")


class WithoutNumber(SilentReader):
    def feed(self, line: str, at: float) -> list[ToolSample]:
        return [self.rate(at, 1.0, 1.0, float("nan"))]

    def close(self) -> ToolVerdict:
        return None  # type: ignore[return-value]


@pytest.mark.parametrize(
    ("reader", "fault", "also"),
    [
        (Broken, "ZeroDivisionError: a plug-in's mistake", ()),
        (WithoutNumber, "ValueError: pps: nan is not a number from 0 on", ("close returned None",)),
    ],
)
async def test_a_plug_in_s_fault_costs_its_samples_and_not_the_log(
    start: Start, reader: type[Reader], fault: str, also: tuple[str, ...]
) -> None:
    tool = Tool(name="mine", program="", counted=True, probe="", install="", reader=reader)
    running = await start("echo one; echo two", tool)
    samples = await everything(running)
    assert not rates(samples)
    assert [text for code, text in events(samples) if code == "note"] == [
        f"the output of mine is no longer read: {fault}"
    ]
    assert running.log.data == b"one\ntwo\n"
    assert running.ended is not None and not running.ended.failed
    assert all(told in note for told, note in zip(also, running.ended.notes, strict=True))


class Unmade(Reader):  # without `close`
    def feed(self, line: str, at: float) -> list[ToolSample]:
        return []


def no_script(endpoint: Endpoint) -> str:
    raise KeyError("rate")


@pytest.mark.parametrize(
    ("fault", "told"),
    [({"reader": Unmade}, "TypeError: .*abstract"), ({"script": no_script}, "KeyError: 'rate'")],
)
async def test_nothing_is_started_whose_output_could_not_be_read(
    start: Start, fault: dict[str, Any], told: str, tmp_path: Path
) -> None:
    """Else nobody would know of the generator, and stop it."""
    tool = Tool(name="mine", program="", counted=True, probe="", install="", reader=SilentReader)
    with pytest.raises(FwdtuiError, match=f"on gen is not started: the tool 'mine' fails: {told}"):
        await start(f"echo > {tmp_path}/started; sleep 20", replace(tool, **fault))
    await asyncio.sleep(0.3)
    assert not (tmp_path / "started").exists()


@pytest.mark.parametrize(
    "sample",
    [
        None,
        "5 pps",
        RateSample("generator", 1.0, 1.0, -1.0),
        RateSample("generator", 1.0, 1.0, "5"),  # type: ignore[arg-type]
        RateSample("generator", float("inf"), 1.0, 5.0),
        RateSample("receiver", 1.0, 1.0, 5.0, lost=float("nan")),
    ],
)
def test_what_is_no_sample_is_refused(sample: object) -> None:
    class Odd(SilentReader):
        def feed(self, line: str, at: float) -> list[ToolSample]:
            return [sample]  # type: ignore[list-item]

    with pytest.raises(ValueError, match=r"is not a number from 0 on|not a sample"):
        plugged.samples(Odd(Origin("generator", "gen", "eth0")), "", 0.0)


@pytest.mark.parametrize("odd", [ToolVerdict(packets=-1), ToolVerdict(pps=float("nan")), "done", None])
def test_what_is_no_verdict_is_refused(odd: object) -> None:
    class Odd(SilentReader):
        def close(self) -> ToolVerdict:
            return odd  # type: ignore[return-value]

    with pytest.raises(ValueError, match=r"is not a number from 0 on|not a ToolVerdict"):
        plugged.verdict(Odd(Origin("generator", "gen", "eth0")))


async def test_any_bytes_are_kept_as_they_came_and_shown_clean(start: Start) -> None:
    running = await start(r"printf 'a\377\033[2Jb\0c\n'; exit 1", "counters")
    ended = await running.wait()
    assert running.log.data == b"a\xff\x1b[2Jb\0c\n"
    assert ended.text == r"the start command on gen ended with status 1: a\xff[2Jbc"


async def test_a_running_tool_feeds_a_lab_beside_its_samplers(gen: SshHost, pkt_gen: Path) -> None:
    class NoHosts:
        async def open(self, name: str, destination: str) -> SshHost:
            return gen

    lab = Lab("l", (Endpoint("gen", "lo", "netmap-pkt-gen", f"{pkt_gen} tx"),), Dut("gen", ("lo",), ("lo",)))
    source = LabSource(lab, NoHosts())
    async with source:
        source.add(await RunningTool.start(gen, lab.generators[0], "generator", source.axis.now))
        found = []
        async with asyncio.timeout(10):
            async for sample in source:
                found.append(sample)
                if len([s for s in found if isinstance(s, RateSample)]) >= 2:
                    break
    await until(lambda: not processes_with(str(pkt_gen)))


# the real ones


async def test_iperf3_at_both_ends_is_read_while_it_runs(start: Start, program: Callable[[str], str]) -> None:
    port = free_port()
    server = await start(f"{program('iperf3')} -s -p {port}", "iperf3", "receiver")
    await until(lambda: b"listening" in server.log.data)
    # 200-byte datagrams at 160 kbit/s: 100 packets a second, in 3 s
    client = await start(f"iperf3 -c 127.0.0.1 -p {port} -u -b 160K -l 200 -t 3", "iperf3", "generator")
    first = (await some(client, 1))[0]
    assert client.ended is None, "the first interval came with the end of the test"
    sent = [first, *rates(await everything(client))]
    (run,) = parse_iperf3_lines(client.log.data.decode()).value
    assert [(rate.packets, rate.interval) for rate in sent] == [
        (item.packets, pytest.approx(item.end - item.start)) for item in run.intervals
    ]
    assert len(sent) >= 3 and first.pps == pytest.approx((first.packets or 0) / first.interval)
    assert client.ended is not None
    assert client.ended.text.startswith("iperf3 on gen ended: sent 30")
    ended = await server.stop()
    received = rates(await everything(server))
    (run,) = parse_iperf3_lines(server.log.data.decode()).value
    assert [rate.packets for rate in received] == [item.arrived for item in run.intervals[:3]]
    assert [rate.lost for rate in received] == [item.lost for item in run.intervals[:3]]
    # a machine under load may lose some of them even on loopback
    assert client.ended.verdict.packets == 300
    assert 0 < sum(rate.packets or 0 for rate in received) <= 300
    assert ended.text.startswith("iperf3 on gen was stopped: received ")


async def test_iperf3_as_json_and_a_refused_one(start: Start, program: Callable[[str], str]) -> None:
    port = free_port()
    server = await start(f"{program('iperf3')} -s -1 -J -p {port}", "iperf3", "receiver")
    await until(lambda: f":{port:04X} " in Path("/proc/net/tcp6").read_text())
    client = await start(f"iperf3 -c 127.0.0.1 -p {port} -u -b 160K -l 200 -t 1 -J", "iperf3")
    for tool in client, server:
        found = rates(await everything(tool))
        (run,) = parse_iperf3_json(tool.log.data.decode()).value
        assert [rate.packets for rate in found] == [item.arrived or item.packets for item in run.intervals]
        assert [rate.pps for rate in found] == pytest.approx(
            [(rate.packets or 0) / rate.interval for rate in found]
        )
    refused = await (await start(f"iperf3 -c 127.0.0.1 -p {port} -J", "iperf3")).wait()
    assert refused.failed
    assert refused.text.startswith("iperf3 on gen failed: unable to connect to server")


TRAFGEN = "{ 0x02, 0, 0, 0, 0, 2, 0x02, 0, 0, 0, 0, 1, 0x88, 0xb5, fill(0, 46) }\n"


@pytest.fixture
def trafgen(namespace: str, program: Callable[[str], str], tmp_path: Path) -> str:
    """The beginning of a command that sends frames of an experimental type from ft0 to ft1."""
    config = tmp_path / "frames.trafgen"
    config.write_text(TRAFGEN)
    program("trafgen")
    return f"ip netns exec {namespace} trafgen --dev ft0 --conf {config} --cpus 1 --no-sock-mem --notouch-irq"


async def test_trafgen_tells_its_totals_and_the_interface_counts_them(
    start: Start, trafgen: str, namespace: str
) -> None:
    tool = await start(f"{trafgen} --num 2000", "trafgen")
    ended = await tool.wait()
    assert (ended.failed, ended.verdict.packets) == (False, 2000), tool.log.data
    assert ended.text.startswith("trafgen on gen ended: sent 2 000 packets in 0.")
    counted = run_tool("ip", "netns", "exec", namespace, "cat", "/sys/class/net/ft0/statistics/tx_packets")
    # what its counters see is what was offered
    assert tool.tool.counted
    assert int(counted) == 2000


async def test_trafgen_is_stopped_by_a_signal_and_still_reports(
    start: Start, trafgen: str, tmp_path: Path
) -> None:
    tool = await start(f"{trafgen} --rate 100pps --num 2000", "trafgen")
    await asyncio.sleep(0.7)
    ended = await tool.stop()
    assert not ended.failed
    assert ended.verdict.packets is not None
    assert 0 < ended.verdict.packets < 2000
    await until(lambda: not processes_with(str(tmp_path / "frames.trafgen")))


async def test_trafgen_on_a_card_that_is_not_there_says_so(start: Start, trafgen: str) -> None:
    ended = await (await start(trafgen.replace("ft0", "nosuch0") + " --num 10", "trafgen")).wait()
    assert ended.text == "trafgen on gen failed: No networking device or pcap file: nosuch0"


async def test_the_probe_finds_what_is_there_and_tells_how_to_get_what_is_not(
    gen: SshHost, program: Callable[[str], str]
) -> None:
    program("iperf3")
    there = await probe(gen, named("iperf3"), "timeout 10 iperf3 -c 192.0.2.1")
    assert there.ok
    assert there.found.startswith("iperf 3.")
    missing = await probe(gen, named("iperf3"), "/nosuch/iperf3 -c 192.0.2.1")
    assert (missing.ok, missing.found) == (False, "no /nosuch/iperf3 here")
    assert "apt install iperf3" in missing.fix
    assert (await probe(gen, named("counters"))).ok


@pytest.mark.skipif(Path("/dev/netmap").exists(), reason="this machine has netmap")
async def test_a_pkt_gen_without_netmap_cannot_run(gen: SshHost, pkt_gen: Path) -> None:
    found = await probe(gen, netmap_pktgen.TOOL, f"{pkt_gen} tx")
    assert (found.ok, found.found) == (
        False,
        f"{pkt_gen} is here, but /dev/netmap is not: load the netmap module",
    )


def test_a_reader_needs_no_more_than_two_methods() -> None:
    class Mine(Reader):
        def feed(self, line: str, at: float) -> list[ToolSample]:
            return [self.rate(at, 0.0, 1.0, float(line))]

        def close(self) -> ToolVerdict:
            return ToolVerdict(packets=5)

    (sample,) = Mine(Origin("generator", "gen", "eth1")).feed("5", 2.0)
    assert sample == RateSample("generator", 0.0, 1.0, 5.0, host="gen", at=2.0, interface="eth1")
