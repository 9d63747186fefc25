"""The parts around a running tool: which tools there are, its log, its silence, what shells say."""

import os
import signal
import subprocess
import time
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fwdtui.collectors import facts
from fwdtui.collectors.tools import linux_pktgen, registry
from fwdtui.collectors.tools.base import Origin, ToolVerdict
from fwdtui.collectors.tools.ending import judge
from fwdtui.collectors.tools.linux_pktgen import PktgenReader
from fwdtui.collectors.tools.rawlog import RawLog
from fwdtui.collectors.tools.running import Silence
from fwdtui.collectors.tools.shell import VERSION_PROBE, line_buffered, missing_program, probe_of
from fwdtui.core.errors import FwdtuiError
from fwdtui.core.lab import Dut, Endpoint, Lab
from fwdtui.core.model import RateSample
from fwdtui.transport.base import Exit

OWN = ("counters", "iperf3", "linux-pktgen", "netmap-pkt-gen", "trafgen")

# which tools there are


def test_the_built_in_tools_come_through_the_entry_points_and_are_those_of_lab_toml() -> None:
    assert set(OWN) <= set(registry.known())
    assert tuple(registry.named(name).name for name in OWN) == OWN


def test_only_netmap_passes_the_interface_counters_by() -> None:
    assert [name for name in OWN if not registry.named(name).counted] == ["netmap-pkt-gen"]
    lab = Lab(
        "l",
        (Endpoint("gen", "igb2", "netmap-pkt-gen"), Endpoint("gen", "eth1", "trafgen")),
        Dut("dut", ("igb1",), ("igb2",)),
        Endpoint("gen", "igb3"),
    )
    assert registry.uncounted(lab) == {"netmap-pkt-gen"}


def test_an_unknown_tool_is_an_error_that_names_file_key_host_and_the_known_ones() -> None:
    with pytest.raises(FwdtuiError) as error:
        registry.tool_of(Endpoint("gen", "eth0", "pkt-gen"), "generator", "apu2/lab.toml")
    assert str(error.value) == (
        f"apu2/lab.toml: generator.tool: no tool 'pkt-gen' (host gen); known: {', '.join(registry.known())}"
    )


PLUGIN = """
from fwdtui.collectors.tools.base import Tool
from fwdtui.collectors.tools.counters import SilentReader
MINE = Tool(name="warp17", program="warp17", counted=False, probe="true", install="", reader=SilentReader)
WORD = "no tool"
"""


def test_anybody_can_add_a_tool(installed) -> None:
    installed("warp17 = plugged:MINE", PLUGIN)
    assert registry.named("warp17").program == "warp17"
    assert "warp17" in registry.known()
    # where the session is replayed, it may not be installed
    ends = Endpoint("gen", "eth0", "warp17"), Endpoint("gen", "eth1", "netmap-pkt-gen")
    told = facts._lab(Lab("l", ends, Dut("dut", ("a",), ("b",)), Endpoint("gen", "eth2", "warp17")))
    counted = {name: value for name, value in told.items() if name.endswith(".counted")}
    assert counted == {"generator.counted": False, "receiver.counted": False}


@pytest.mark.parametrize(
    ("point", "name", "message"),
    [
        (
            "broken = plugged:ABSENT",
            "broken",
            "cannot be loaded from plugged:ABSENT: AttributeError",
        ),
        ("word = plugged:WORD", "word", "plugged:WORD is not a Tool but str"),
        (
            "iperf3 = plugged:MINE",
            "iperf3",
            "fwdtui.collectors.tools.iperf3:TOOL and plugged:MINE",
        ),
    ],
)
def test_a_plug_in_that_does_not_fit_is_one_line_that_names_it(
    installed, point: str, name: str, message: str
) -> None:
    installed(point, PLUGIN)
    with pytest.raises(FwdtuiError) as error:
        registry.named(name)
    assert message in str(error.value)
    assert registry.named("trafgen").name == "trafgen"


# the log


def test_a_log_within_its_size_is_kept_to_the_byte() -> None:
    log = RawLog(beginning=100, end=50)
    for line in (b"one", b"\xff\x00\r", b""):
        log.add(line)
    assert (log.data, log.omitted, log.lines) == (b"one\n\xff\x00\r\n\n", 0, 3)


def test_of_a_log_that_is_too_long_beginning_and_end_are_kept_and_the_gap_is_named() -> None:
    log = RawLog(beginning=10, end=10)
    for number in range(100):
        log.add(b"%04d" % number)
    assert log.data == b"0000\n0001\n[fwdtui: 480 bytes are left out here]\n0098\n0099\n"


@given(st.lists(st.binary(max_size=30).map(lambda line: line.replace(b"\n", b"")), max_size=60))
def test_no_byte_of_a_log_is_lost_uncounted(lines: list[bytes]) -> None:
    log = RawLog(beginning=200, end=100)
    for line in lines:
        log.add(line)
    whole = b"".join(line + b"\n" for line in lines)
    if not log.omitted:
        assert log.data == whole
        return
    gap = f"[fwdtui: {log.omitted} bytes are left out here]\n".encode()
    head, _, tail = log.data.partition(gap)
    assert whole.startswith(head)
    assert whole.endswith(tail)
    assert len(head) + len(tail) + log.omitted == len(whole)


# silence


def test_a_generator_is_silent_after_five_seconds_of_0_pps_and_told_so_once_each_time() -> None:
    silence = Silence()

    def said(pps: float, count: int) -> list[str]:
        found = [silence.saw(RateSample("generator", 0.0, 1.0, pps)) for _ in range(count)]
        return [text for text in found if text]

    assert said(0.0, 4) == []
    assert said(0.0, 20) == ["0 pps for 5 s"]
    assert said(10.0, 1) == []
    assert said(0.0, 9) == ["0 pps for 5 s"]


@pytest.mark.parametrize(
    ("interval", "lines"), [(0.0625, 80), (0.125, 40), (0.5, 10), (1.0, 5), (2.0, 3), (5.0, 1), (9.0, 1)]
)
def test_what_counts_is_the_time_that_the_silent_lines_cover_and_not_their_number(
    interval: float, lines: int
) -> None:
    """Tools print a line every one or two seconds, some ten a second: five seconds are no pause of theirs."""
    silence = Silence()
    found = [silence.saw(RateSample("generator", 0.0, interval, 0.0)) for _ in range(lines)]
    assert found == [None] * (lines - 1) + [f"0 pps for {interval * lines:.0f} s"]


# how it ended


@pytest.mark.parametrize(
    ("start", "status", "told"),
    [
        ("timeout 60 pkt-gen -f tx", 124, "pkt-gen on gen reached its time limit"),
        ("cd /x; /usr/bin/timeout -s INT 60 pkt-gen", 124, "pkt-gen on gen reached its time limit"),
        ("./pkt-gen-timeout", 124, "pkt-gen on gen ended with status 124"),
        ("timeout 60 pkt-gen -f tx", 1, "pkt-gen on gen ended with status 1"),
        ("timeout 60 pkt-gen -f tx", 0, "pkt-gen on gen ended"),
        # busybox
        ("timeout 60 pkt-gen -f tx", 143, "pkt-gen on gen reached its time limit"),
        ("cd /x; timeout -s INT -k 5 1m pkt-gen", 130, "pkt-gen on gen reached its time limit"),
        ("timeout --preserve-status -s SIGHUP 60s pkt-gen", 129, "pkt-gen on gen reached its time limit"),
        ("timeout --signal=KILL 60 pkt-gen", 137, "pkt-gen on gen reached its time limit"),
        # of another signal, or before the limit, it was somebody else
        ("timeout 60 pkt-gen -f tx", 137, "pkt-gen on gen was killed by signal 9, not by fwdtui"),
        ("timeout 90 pkt-gen -f tx", 143, "pkt-gen on gen was killed by signal 15, not by fwdtui"),
        ("pkt-gen -f tx", 143, "pkt-gen on gen was killed by signal 15, not by fwdtui"),
    ],
)
def test_a_time_limit_that_the_start_command_sets_is_no_failure(start: str, status: int, told: str) -> None:
    ended = judge(
        registry.named("netmap-pkt-gen"),
        Origin("generator", "gen", "igb2"),
        start,
        Exit(status),
        ToolVerdict(),
        asked=False,
        seconds=60.0,
    )
    failed = "status" in told or "killed" in told
    assert (ended.text, ended.failed, ended.asked) == (told, failed, False)


@pytest.mark.parametrize(
    ("start", "exit", "signalled", "unsure"),
    [
        ("timeout 60 trafgen", Exit(143), True, True),
        ("cd /x && timeout -s INT -k 5 1m trafgen", Exit(None, "KILL"), True, True),
        ("timeout 60 trafgen", Exit(None, lost=True), False, True),
        # it ended at its own signal, or nobody knows whether it would have
        ("timeout 60 trafgen", Exit(130), True, False),
        ("timeout 60 trafgen", Exit(143), False, False),
        ("timeout --foreground 60 trafgen", Exit(143), True, False),
        ("timeout -f -s INT 60 trafgen", Exit(143), True, False),
        ("trafgen", Exit(143), True, False),
    ],
)
def test_what_leaves_the_process_group_is_not_said_to_be_stopped(
    start: str, exit: Exit, signalled: bool, unsure: bool
) -> None:
    """GNU's timeout does so with the tool, which went on sending after "was stopped"."""
    ended = judge(
        registry.named("counters"),
        Origin("generator", "gen", "igb2"),
        start,
        exit,
        ToolVerdict(),
        asked=True,
        seconds=9.0,
        forced=True,
        signalled=signalled,
    )
    assert bool(ended.doubt) is unsure
    assert ("may still run: on Linux" in ended.text) is unsure and ("was stopped" in ended.text) is not unsure


@pytest.mark.parametrize(("system", "unsure"), [("freebsd", False), ("linux", True), ("", True)])
def test_what_timeout_runs_on_freebsd_stays_in_the_process_group(system: str, unsure: bool) -> None:
    """A lost connection ends it there, so that it is not said to send on, with status 1."""
    ended = judge(
        registry.named("counters"),
        Origin("generator", "gen", "igb2"),
        "timeout -s INT 60 pkt-gen -f tx",
        Exit(None, lost=True),
        ToolVerdict(),
        asked=True,
        seconds=9.0,
        system=system,
    )
    assert bool(ended.doubt) is unsure
    assert ("the host ends it on its own" in ended.text) is not unsure


def test_nothing_sent_until_the_time_limit_is_a_failure() -> None:
    origin, start = Origin("generator", "gen", "igb2"), "timeout 60 pkt-gen"
    ended = judge(
        registry.named("netmap-pkt-gen"),
        origin,
        start,
        Exit(124),
        ToolVerdict(nothing=True),
        asked=False,
        seconds=60.0,
    )
    assert ended.failed and ended.text == "pkt-gen on gen sent nothing: 0 pps"


# what shells say


@pytest.mark.parametrize(
    "line",
    [
        "/bin/sh: 2: pkt-gen: not found",  # dash
        "sh: pkt-gen: not found",  # FreeBSD, busybox
        "pkt-gen: not found",  # older FreeBSD
        "/bin/sh: line 2: pkt-gen: command not found",  # bash
        "ksh: 1: pkt-gen: not found [No such file or directory]",
        "mksh: pkt-gen: inaccessible or not found",
        "zsh:1: command not found: pkt-gen",
        "timeout: failed to run command 'pkt-gen': No such file or directory",
        "stdbuf: failed to run command 'pkt-gen': No such file or directory",
        "env: 'pkt-gen': No such file or directory",  # GNU
        "env: pkt-gen: No such file or directory",  # FreeBSD
        "nice: 'pkt-gen': No such file or directory",
        "sudo: pkt-gen: command not found",
    ],
)
def test_every_shells_word_for_a_missing_program_is_understood(line: str) -> None:
    assert missing_program(line) == "pkt-gen"


@pytest.mark.parametrize(
    "line", ["", "not found", "interface igb9 not found", "cat: frames.trafgen: No such file or directory"]
)
def test_other_things_that_are_missing_are_no_programs(line: str) -> None:
    assert missing_program(line) is None


@pytest.mark.parametrize("shell", ["dash", "bash", "busybox sh", "ksh", "mksh", "zsh"])
def test_a_shell_of_this_machine_is_understood(shell: str) -> None:
    command = [*shell.split(), "-c", "nosuchtool-42 -x"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    except FileNotFoundError:
        pytest.skip(f"{shell} is not installed")
    assert done.returncode == 127
    assert missing_program(done.stderr.strip()) == "nosuchtool-42"


def test_a_probe_asks_for_the_program_that_the_start_command_names() -> None:
    probe = 'echo "$program"'
    for start, program in (
        (None, "iperf3"),
        ("iperf3 -s", "iperf3"),
        ("cd /x; timeout 60 /opt/it's/iperf3 -s", "iperf3"),
        ("cd /x;/opt/bin/iperf3 -s", "/opt/bin/iperf3"),
        ("cd /x; bin/iperf3 -s", "iperf3"),
        ("nice ~/bin/iperf3 -s", "/root/it's/bin/iperf3"),
        ("myiperf3 -s", "iperf3"),
    ):
        script = probe_of("iperf3", probe, start)
        said = subprocess.check_output(["sh", "-c", script], text=True, env={"HOME": "/root/it's"})
        assert said == program + "\n"


@pytest.mark.parametrize(
    ("program", "status", "said"),
    [
        ("echo iperf 3.12; echo more", 0, "iperf 3.12"),
        ("echo trafgen 0.6.8; exit 1", 0, "trafgen 0.6.8"),  # as it ends with --version
        ("echo iperf3: error while loading shared libraries: l.so.0 >&2; exit 127", 1, "iperf3: error"),
        ("exit 126", 1, "iperf3 cannot run here (status 126)"),
    ],
)
def test_a_program_that_is_there_and_cannot_run_is_not_called_well(
    tmp_path: Path, program: str, status: int, said: str
) -> None:
    (tmp_path / "iperf3").write_text(f"#!/bin/sh\n{program}\n")
    (tmp_path / "iperf3").chmod(0o755)
    script = probe_of("iperf3", VERSION_PROBE, None)
    path = {"PATH": f"{tmp_path}:/usr/bin:/bin"}
    done = subprocess.run(["/bin/sh", "-c", script], capture_output=True, text=True, env=path)
    assert done.returncode == status
    assert done.stdout.startswith(said) and done.stdout.count("\n") == 1


def test_line_buffering_changes_neither_quoting_nor_exit_status_nor_a_missing_stdbuf(tmp_path: Path) -> None:
    script = line_buffered(Endpoint("gen", "eth0", "iperf3", "echo 'a  \"b' \\\n  $((1 + 1)); exit 7"))
    for path in ("/usr/bin:/bin", str(tmp_path)):
        done = subprocess.run(["/bin/sh", "-c", script], capture_output=True, text=True, env={"PATH": path})
        assert (done.stdout, done.returncode) == ('a  "b 2\n', 7)


@pytest.mark.parametrize(
    ("start", "missing"),
    [
        ("tcpreplay-none -i eth1 a.pcap", "tcpreplay-none"),
        ("/opt/none/gen", "/opt/none/gen"),
        ("sh -c true", ""),
        ("cd /tmp && ./gen", ""),
        ("while sleep 1; do ./gen; done", ""),
        # what only the shell can tell is not judged
        ("RATE=5 tcpreplay-none", ""),
        ('"$HOME"/gen -x', ""),
        ("~/gen", ""),
        ("gen() { true; }; gen", ""),
        ("# mine\ntcpreplay-none", ""),
        (None, ""),
    ],
)
def test_the_doctor_misses_the_program_of_a_generator_that_is_only_counted(
    start: str | None, missing: str
) -> None:
    script = registry.named("counters").probe_script(start, "eth1")
    done = subprocess.run(["/bin/sh", "-c", script], capture_output=True, text=True, check=False)
    told = f"no {missing} here" if missing else "the counters of the interface"
    assert (done.returncode, done.stdout.strip()) == (bool(missing), told)


# the looks at /proc/net/pktgen, on files of the same text: this needs no kernel with pktgen, only a shell

FILE = """\
Params: count 1000  min_pkt_size: 60  max_pkt_size: 60
     frags: 0  delay: 0  clone_skb: 0  ifname: eth4@0
     Flags: NO_TIMESTAMP
Current:
     pkts-sofar: {}  errors: 0
     started: {}us  stopped: {}us idle: 0us
Result: {}
"""
BEFORE = FILE.format(0, 0, 0, "Idle")
DURING = FILE.format(600, 7_000_000, 7_600_000, "Starting")
DONE = "OK: 1000000(c999000+d1000) usec, 1000 (60byte,0frags)\n  1000pps 0Mb/sec (480000bps) errors: 0"
AFTER = FILE.format(1000, 7_000_000, 8_000_000, DONE)


def looked(folder: Path, start: str) -> tuple[int, str]:
    """Exit status and output of the script that is started, with `folder` for /proc/net/pktgen."""
    script = linux_pktgen.script(Endpoint("gen", "eth4", "linux-pktgen", start), str(folder))
    done = subprocess.run(["/bin/sh", "-c", script], capture_output=True, text=True, timeout=60, check=False)
    assert done.stderr == ""
    return done.returncode, done.stdout


def test_pktgen_is_looked_at_before_during_and_after_and_its_status_is_the_start_commands(
    tmp_path: Path,
) -> None:
    folder = tmp_path / "pktgen"
    folder.mkdir()
    for name, text in (("during", DURING), ("after", AFTER)):
        (tmp_path / name).write_text(text)
    (folder / "eth4@0").write_text(BEFORE)
    (folder / "eth40@0").write_text(AFTER)  # another interface
    file = f"'{folder}/eth4@0'"
    status, output = looked(
        folder, f"cat {tmp_path}/during >{file}; sleep 1.3; cat {tmp_path}/after >{file}; exit 5"
    )
    assert status == 5
    assert "eth40" not in output
    reader = PktgenReader(Origin("generator", "gen", "eth4"))
    samples = [s for line in output.rstrip("\n").split("\n") for s in reader.feed(line, 0.0)]
    found = [(s.interval, s.pps) for s in samples if isinstance(s, RateSample)]
    assert found == [(0.6, pytest.approx(1000.0)), (0.4, pytest.approx(1000.0))]
    assert reader.close().packets == 1000


def test_pktgen_is_looked_at_once_more_after_the_signal_that_stops_it(tmp_path: Path) -> None:
    folder = tmp_path / "pktgen"
    folder.mkdir()
    for name, text in (("during", DURING), ("after", AFTER)):
        (tmp_path / name).write_text(text)
    device = folder / "eth4@0"
    device.write_text(BEFORE)
    start = f"cat {tmp_path}/during >'{device}'; sleep 5; cat {tmp_path}/after >'{device}'"
    script = linux_pktgen.script(Endpoint("gen", "eth4", "linux-pktgen", start), str(folder))
    shell = subprocess.Popen(
        ["/bin/sh", "-c", script],
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # as in a shell on the host
    )
    while device.read_text() != DURING:
        time.sleep(0.05)
    os.killpg(shell.pid, signal.SIGINT)
    output, _ = shell.communicate(timeout=60)
    reader = PktgenReader(Origin("generator", "gen", "eth4"))
    for line in output.rstrip("\n").split("\n"):
        reader.feed(line, 0.0)
    verdict = reader.close()
    assert (verdict.packets, verdict.seconds, shell.returncode) == (1000, 1.0, 0)


def test_a_start_command_without_a_device_is_explained_by_the_module_or_by_a_thread(tmp_path: Path) -> None:
    def why(folder: Path) -> str:
        _, output = looked(folder, "exit 1")
        reader = PktgenReader(Origin("generator", "gen", "eth4"))
        for line in output.rstrip("\n").split("\n"):
            reader.feed(line, 0.0)
        return reader.close().failure

    assert why(tmp_path / "none") == "the pktgen module is not loaded (modprobe pktgen)"
    (tmp_path / "pktgen").mkdir()
    assert why(tmp_path / "pktgen").endswith("does the start command use that interface?")
    thread = tmp_path / "pktgen/kpktgend_1"
    thread.write_text("Running: \nStopped: \nResult: ERROR: can not add device eth9@1\n")
    assert why(tmp_path / "pktgen") == (
        "no device for eth4 in /proc/net/pktgen: a thread says 'ERROR: can not add device eth9@1'"
    )


def test_the_doctor_tells_pktgen_s_version_its_threads_the_card_s_queues_and_what_it_sends(
    tmp_path: Path,
) -> None:
    folder, cards = tmp_path / "pktgen", tmp_path / "net"

    def told() -> tuple[int, str]:
        tool = replace(linux_pktgen.TOOL, probe=linux_pktgen.probe_script(str(folder), str(cards)))
        script = tool.probe_script("pktgen-send", "eth4")
        done = subprocess.run(["/bin/sh", "-c", script], capture_output=True, text=True, timeout=60)
        assert done.stderr == ""
        return done.returncode, done.stdout.strip()

    assert told() == (1, "the pktgen module is not loaded")
    folder.mkdir()
    (folder / "pgctrl").write_text("Packet Generator for packet performance testing. Version: 2.75\n")
    assert told() == (1, "pktgen version 2.75, but it has no thread")
    (folder / "kpktgend_0").write_text("Running: \nStopped: \nResult: NA\n")
    assert told() == (0, "version 2.75, 1 thread")
    (folder / "kpktgend_1").write_text(
        "Running: eth4@1 eth5@1 \nStopped: \nResult: OK: max_before_softirq=1\n"
    )
    for queue in ("tx-0", "tx-1", "tx-2", "rx-0"):
        (cards / "eth4/queues" / queue).mkdir(parents=True)
    assert told() == (
        0, "version 2.75, 2 threads; eth4 has 3 transmit queues; sends already: eth4@1 eth5@1"
    )  # fmt: skip


def test_the_last_look_waits_for_the_result_of_a_thread_that_is_still_ending(tmp_path: Path) -> None:
    folder = tmp_path / "pktgen"
    folder.mkdir()
    (tmp_path / "after").write_text(AFTER)
    (folder / "eth4@0").write_text(DURING)
    later = f"( sleep 0.7; cat {tmp_path}/after >'{folder}/eth4@0' ) >/dev/null 2>&1 &"
    status, output = looked(folder, later)
    assert status == 0
    assert output.rstrip().rsplit("fwdtui-pktgen", 2)[1].count("1000pps") == 1
