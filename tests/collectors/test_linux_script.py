"""The awk that samples a Linux host, run directly: every awk there is gives the same frames."""

import os
import random
import select
import shutil
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from collectors_helpers import AWKS, Wire, awk_path, environment
from fixtures import hardware

from fwdtui.collectors import linux_script
from fwdtui.collectors.frames import SLOW, Frame, FrameReader
from fwdtui.collectors.linux_sampler import LinuxHello, read_frame, read_hello

pytestmark = pytest.mark.skipif(not Path("/proc/net/dev").exists(), reason="needs Linux's /proc")


class Running:
    """One sampler; `ask` sends a tick and waits for its frame."""

    def __init__(
        self,
        path: str,
        interfaces: tuple[str, ...] = ("lo",),
        command: tuple[str, ...] = (),
        cpus: str = linux_script.CPUS,
        root: str = "",
    ) -> None:
        script = linux_script.script(interfaces, "TOKEN", 1.0, cpus, root)
        self.interfaces = interfaces
        self.process = subprocess.Popen(
            [*command, "sh", "-c", script],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=environment(path),
            bufsize=0,
        )
        self.reader = FrameReader("TOKEN")
        self._rest = b""
        self.hello: LinuxHello = read_hello(self.frame())

    def frame(self, seconds: float = 5.0) -> Frame:
        assert self.process.stdout is not None and self.process.stderr is not None
        deadline = time.monotonic() + seconds
        while True:
            while b"\n" in self._rest:
                line, _, self._rest = self._rest.partition(b"\n")
                if frame := self.reader.feed(line):
                    return frame
            ready, _, _ = select.select([self.process.stdout], [], [], max(0, deadline - time.monotonic()))
            data = os.read(self.process.stdout.fileno(), 65536) if ready else b""
            assert data, (
                self.process.stderr.read1() if self.process.poll() is not None else "no frame in time"
            )  # type: ignore[attr-defined]
            self._rest += data

    def write(self, text: str) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(text.encode())

    def ask(self, kind: str, seq: int) -> Frame:
        self.write(f"{kind} {seq}\n")
        return self.frame()

    def end(self) -> int:
        assert self.process.stdin is not None and self.process.stdout is not None
        self.process.stdin.close()
        try:
            return self.process.wait(5)
        finally:
            self.process.kill()
            self.process.stdout.close()
            self.process.stderr.close()  # type: ignore[union-attr]


@pytest.fixture(params=sorted(AWKS))
def path(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    found = awk_path(request.param, tmp_path / "bin")
    if found is None:
        pytest.skip(f"needs the Debian package {request.param}")
    return found


@pytest.fixture
def running(path: str) -> Iterator[Running]:
    one = Running(path)
    yield one
    one.end()


def _loopback() -> dict[str, str]:
    folder = Path("/sys/class/net/lo")
    names = ("statistics/rx_dropped", "statistics/rx_missed_errors", "ifindex")
    return {name.rpartition("/")[2]: (folder / name).read_text().strip() for name in names}


def test_a_plain_frame_says_what_the_files_say(running: Running) -> None:
    files = ("/proc/net/dev", "/proc/stat")
    before = {name: Path(name).read_text() for name in files}
    frame = running.ask("P", 1)
    after = {name: Path(name).read_text() for name in files}
    sample = read_frame(frame, running.hello, ("lo",)).sample

    def packets(text: str) -> int:
        return int(next(line for line in text.splitlines() if line.strip().startswith("lo:")).split()[2])

    (row,) = sample.interfaces
    assert packets(before["/proc/net/dev"]) <= (row.rx_packets or -1) <= packets(after["/proc/net/dev"])
    assert str(row.link) == _loopback()["ifindex"]

    def idle(text: str) -> list[int]:
        return [
            int(line.split()[4]) for line in text.splitlines() if line.startswith("cpu") and line[3] != " "
        ]

    cores = [core.idle for core in sample.cpus]
    assert len(cores) == os.cpu_count()
    for low, core, high in zip(idle(before["/proc/stat"]), cores, idle(after["/proc/stat"]), strict=True):
        assert low <= core <= high
    assert len(sample.softnet) == len(Path("/proc/net/softnet_stat").read_text().splitlines())
    assert sample.wall == pytest.approx(time.time(), abs=1.5)
    assert sample.skipped == ()


def test_the_clock_is_the_monotonic_clock(running: Running) -> None:
    low = time.clock_gettime(time.CLOCK_MONOTONIC if os.geteuid() == 0 else time.CLOCK_BOOTTIME)
    readout = read_frame(running.ask("P", 1), running.hello, ("lo",))
    high = time.clock_gettime(time.CLOCK_MONOTONIC if os.geteuid() == 0 else time.CLOCK_BOOTTIME)
    grain = readout.sample.resolution
    assert readout.begin is not None and readout.end is not None
    assert low - grain <= readout.begin <= readout.sample.t <= readout.end <= high
    assert grain == (1e-9 if os.geteuid() == 0 else 1e-2)


def test_the_boot_is_the_kernels_own_identity(running: Running) -> None:
    assert running.hello.boot == Path("/proc/sys/kernel/random/boot_id").read_text().strip()


def test_each_line_is_answered_at_once_and_by_its_number(running: Running) -> None:
    for seq in (1, 2, 9, 10**15):
        frame = running.ask("P", seq)
        assert (frame.kind, frame.seq) == ("P", seq)


def test_ticks_that_come_together_are_answered_one_by_one(running: Running) -> None:
    running.write("P 1\nS 2\nM 1\nP 3\n")
    assert [(f.kind, f.seq) for f in (running.frame() for _ in range(4))] == [
        ("P", 1),
        ("S", 2),
        ("M", 1),
        ("P", 3),
    ]


def test_it_ends_with_its_stdin(running: Running) -> None:
    running.ask("P", 1)
    assert running.end() == 0


def test_files_that_are_not_there_are_left_out_and_do_not_end_it(path: str) -> None:
    one = Running(path, ("lo", "nosuch0"))
    try:
        for seq in (1, 2):
            sample = read_frame(one.ask("P", seq), one.hello, one.interfaces).sample
            assert [row.name for row in sample.interfaces] == ["lo"]
            assert sample.skipped == ("no interface nosuch0",)
        slow = read_frame(one.ask("S", 3), one.hello, one.interfaces)
        assert set(slow.links) <= {"lo"}
    finally:
        one.end()


def test_a_link_that_is_down_ends_no_awk(path: str, wire: Wire) -> None:
    # /sys/class/net/IF/carrier of such an interface cannot be read (EINVAL), which ends mawk and original-awk
    subprocess.run(["ip", "link", "set", wire.name, "down"], check=True)
    one = Running(path, (wire.name, wire.far))
    try:
        for seq in (1, 2):
            assert read_frame(one.ask("S", seq), one.hello, one.interfaces).links[wire.name] is False
        subprocess.run(["ip", "link", "set", wire.name, "up"], check=True)
        deadline = time.monotonic() + 3  # the kernel's link watch takes up to a second
        while not read_frame(one.ask("S", 3), one.hello, one.interfaces).links[wire.name]:
            assert time.monotonic() < deadline
            time.sleep(0.05)
    finally:
        one.end()


def test_a_link_that_was_down_between_two_looks_is_counted(path: str, wire: Wire) -> None:
    if not Path(f"/sys/class/net/{wire.name}/carrier_down_count").exists():
        pytest.skip("this kernel does not count it")
    one = Running(path, (wire.name, "nosuch0"))
    try:
        before = read_frame(one.ask("S", 1), one.hello, one.interfaces)
        subprocess.run(["ip", "link", "set", wire.far, "down"], check=True)
        subprocess.run(["ip", "link", "set", wire.far, "up"], check=True)
        after = read_frame(one.ask("S", 2), one.hello, one.interfaces)
        assert after.downs[wire.name] == before.downs[wire.name] + 1
        assert set(after.downs) == {wire.name}
    finally:
        one.end()


def test_slow_frames_carry_what_programs_print(path: str, wire: Wire) -> None:
    if not shutil.which("ethtool") or not shutil.which("tc"):
        pytest.skip("needs the Debian packages ethtool and iproute2")
    subprocess.run(["tc", "qdisc", "add", "dev", wire.name, "root", "pfifo", "limit", "9"], check=True)
    one = Running(path, (wire.name, wire.far))
    try:
        wire.send(7)
        sample = read_frame(one.ask("S", 1), one.hello, one.interfaces).sample
        assert {queue.interface for queue in sample.queues} == {wire.name, wire.far}
        (qdisc,) = [row for row in sample.qdiscs if row.kind == "pfifo"]
        assert (qdisc.interface, qdisc.sent_packets) == (wire.name, 7)
        forwarded = int(Path("/proc/net/snmp").read_text().splitlines()[1].split()[6])
        assert 0 <= (sample.forwarded or 0) <= forwarded + 10**6  # of IPv4 and IPv6 together
        assert sample.interfaces == ()  # not sampled in this tick
    finally:
        one.end()


def cpu_seconds(pid: int) -> float:
    """User and system time of one process (proc(5))."""
    user, system = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[11:13]
    return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")


def test_what_a_driver_prints_is_passed_on_to_the_letter_and_costs_no_more_a_line_where_it_is_long(
    path: str, tmp_path: Path
) -> None:
    """Two ports of mlx5 with 64 channels print 15,000 lines. Appended one by one they took seconds."""
    told = tmp_path / "told"
    program = Path(path, "ethtool")
    program.unlink(missing_ok=True)
    program.write_text(f"#!/bin/sh\nexec cat {told}\n")
    program.chmod(0o755)
    told.write_text("NIC statistics:\n")
    one = Running(path)
    try:
        for lines in (0, 1, 127, 128, 129, 256, 16_000):
            told.write_text("".join(f"     rx{n}_xdp_drop: {n * n}\n" for n in range(lines)))
            before = cpu_seconds(one.process.pid)
            frame = one.ask("S", lines + 1)
            assert frame.text("ethtool lo") == told.read_text().removesuffix("\n")
        assert cpu_seconds(one.process.pid) - before < 0.5
    finally:
        one.end()


SENT = " Sent 0 bytes 0 pkt (dropped 0, overlimits 0 requeues 0) \n backlog 0b 0p requeues 0"


def tc(kind: str) -> str:
    """A program that prints what tc does of such a qdisc."""
    return f"echo 'qdisc {kind} root refcnt 2 '; if [ $1 = -s ]; then echo '{SENT}'; fi"


class Reticent:
    """A host with one card and programs that say nothing of it until they are told to."""

    def __init__(self, path: str, folder: Path) -> None:
        self.folder = folder
        (folder / "sys/class/net/eth0").mkdir(parents=True)
        self.link("down")
        for tool, silence, said in (
            ("ethtool", "exit 94", "echo 'NIC statistics:\n     rx_missed_errors: 5'"),
            ("tc", tc("noqueue 0:"), tc("fq 1:")),
        ):
            program = Path(path, tool)
            program.unlink(missing_ok=True)
            asked, ready = folder / tool, folder / f"{tool}-ready"
            program.write_text(
                f"#!/bin/sh\necho >>{asked}\n[ -e {ready} ] || {{ {silence}; exit; }}\n{said}\n"
            )
            program.chmod(0o755)
        self.running = Running(path, ("eth0",), root=str(folder))

    def link(self, state: str) -> None:
        (self.folder / "sys/class/net/eth0/operstate").write_text(f"{state}\n")

    def ready(self, tool: str) -> None:
        (self.folder / f"{tool}-ready").touch()

    def asked(self, tool: str) -> int:
        return len((self.folder / tool).read_text().splitlines())

    def said(self, first: int, last: int) -> list[tuple[str, str]]:
        """What each of these slow frames has of ethtool and of tc."""
        frames = [self.running.ask("S", seq) for seq in range(first, last + 1)]
        return [(one.text("ethtool eth0"), one.text("qdisc eth0")) for one in frames]


@pytest.fixture
def reticent(path: str, tmp_path: Path) -> Iterator[Reticent]:
    one = Reticent(path, tmp_path / "root")
    yield one
    one.running.end()


def test_a_program_that_said_nothing_at_the_start_is_asked_again(reticent: Reticent) -> None:
    """A driver that was busy or being loaded: its drops were unknown for as long as the sampler ran."""
    assert reticent.said(1, 1) == [("", "")]
    reticent.ready("ethtool")
    texts = reticent.said(2, 4)
    statistics = "NIC statistics:\n     rx_missed_errors: 5"
    assert texts[0] == (statistics, "") == texts[-1], "once it has answered, each slow tick asks it"
    reticent.ready("tc")
    assert reticent.said(5, 6) == [(statistics, f"qdisc fq 1: root refcnt 2 \n{SENT}")] * 2


def test_a_program_that_never_says_anything_is_asked_ever_more_seldom(reticent: Reticent) -> None:
    at_start = reticent.asked("ethtool"), reticent.asked("tc")
    for first, last, times in ((1, 5, 3), (6, 32, 5), (33, 64, 6), (65, 96, 7)):
        assert set(reticent.said(first, last)) == {("", "")}
        assert reticent.asked("ethtool") - at_start[0] == times == reticent.asked("tc") - at_start[1]


def test_once_its_link_has_changed_a_program_is_asked_at_once(reticent: Reticent) -> None:
    reticent.said(1, 5)
    reticent.ready("ethtool")
    assert reticent.said(6, 6) == [("", "")]
    reticent.link("up")
    assert reticent.said(7, 7) == [("NIC statistics:\n     rx_missed_errors: 5", "")]


def test_programs_that_have_nothing_to_say_leave_no_trace_in_a_frame(path: str, wire: Wire) -> None:
    if not shutil.which("ethtool") or not shutil.which("tc"):
        pytest.skip("needs the Debian packages ethtool and iproute2")
    one = Running(path, ("lo", wire.name, "nosuch0"))
    try:
        for seq in range(1, 5):  # all are asked again at the second and the third
            asked = set(one.ask("S", seq).sections)
            # lo has no driver statistics; no qdisc but noqueue on either; what is not there yet may have both
            assert {name for name in asked if name.startswith(("ethtool", "qdisc"))} == {
                f"ethtool {wire.name}",
                "ethtool nosuch0",
                "qdisc nosuch0",
            }
    finally:
        one.end()


def test_a_card_that_is_up_only_after_the_start_has_its_qdisc_all_the_same(path: str, wire: Wire) -> None:
    """As after a boot, where sshd may answer before the ports under test are up."""
    if not shutil.which("tc"):
        pytest.skip("needs the Debian package iproute2")
    fresh = f"{wire.name[:-1]}c"
    if subprocess.run(["ip", "link", "add", fresh, "type", "ifb"], capture_output=True).returncode:
        pytest.skip("this kernel has no ifb, whose qdisc is the default one")
    try:
        one = Running(path, (fresh,))
        try:
            assert read_frame(one.ask("S", 1), one.hello, one.interfaces).sample.qdiscs == ()
            subprocess.run(["ip", "link", "set", fresh, "up"], check=True)
            sample = read_frame(one.ask("S", 2), one.hello, one.interfaces).sample
            root = sample.qdiscs[0]
            assert (root.interface, root.parent, root.dropped) == (fresh, "root", 0)
        finally:
            one.end()
    finally:
        subprocess.run(["ip", "link", "delete", fresh], check=True)


def test_missed_frames_are_told_apart_from_dropped_ones(running: Running) -> None:
    (row,) = read_frame(running.ask("P", 1), running.hello, ("lo",)).sample.interfaces
    assert row.rx_missed == int(_loopback()["rx_missed_errors"])


def test_a_plain_tick_forks_nothing(path: str) -> None:
    if os.geteuid() != 0 or not shutil.which("unshare"):
        pytest.skip("needs root and util-linux to count processes in a namespace of its own")
    unshare = (shutil.which("unshare") or "", "--pid", "--fork", "--kill-child", "--mount-proc")
    one = Running(path, ("lo", "nosuch0"), unshare)
    try:
        # the kernel numbers this namespace's processes one by one
        (inside,) = Path(f"/proc/{one.process.pid}/task/{one.process.pid}/children").read_text().split()

        def newest() -> int:
            command = ["nsenter", "-t", inside, "-p", "-m", "cat", "/proc/sys/kernel/ns_last_pid"]
            return int(subprocess.run(command, check=True, capture_output=True).stdout)

        first = newest()
        for seq in range(1, 31):
            one.ask("P", seq)
        assert newest() - first <= 2  # the second nsenter's own
        if shutil.which("tc") and shutil.which("ethtool"):
            one.ask("S", 31)
            assert newest() - first >= 5  # a shell and two programs, and what is ours
    finally:
        one.end()


def test_a_sampler_held_up_within_a_reading_reads_again(path: str) -> None:
    """Stopped for 60 ms again and again: no frame has that between its clock and its counters."""
    one = Running(path)
    try:
        pid = one.process.pid
        for seq in range(1, 9):
            one.write(f"P {seq}\n")
            time.sleep(0.0001 * (seq % 4))
            os.kill(pid, signal.SIGSTOP)
            time.sleep(0.06)
            os.kill(pid, signal.SIGCONT)
            readout = read_frame(one.frame(), one.hello, ("lo",))
            assert readout.begin is not None and readout.end is not None
            assert readout.end - readout.begin < 0.05
    finally:
        one.end()


def test_without_any_awk_it_says_so(tmp_path: Path) -> None:
    for tool in ("sh", "cat", "readlink"):
        (tmp_path / tool).symlink_to(shutil.which(tool) or "/bin/sh")
    script = linux_script.script(("lo",), "TOKEN", 1.0)
    done = subprocess.run(
        ["sh", "-c", script], capture_output=True, env=environment(str(tmp_path)), timeout=5
    )
    assert done.returncode == 127
    assert b"install mawk, gawk or busybox" in done.stderr


def test_a_slow_tick_says_what_has_changed_since_the_one_before(path: str, tmp_path: Path) -> None:
    hardware.machine(tmp_path / "tree")
    cpus = tmp_path / "tree/sys/devices/system/cpu"
    running = Running(path, cpus=str(cpus))
    try:

        def changes(seq: int) -> tuple[str, ...]:
            return read_frame(running.ask(SLOW, seq), running.hello, running.interfaces).changes

        assert changes(1) == ()  # nothing came before it
        hardware.write(
            cpus,
            {
                "online": "0-2",
                "cpufreq/policy1/scaling_governor": "powersave",
                "cpu2/thermal_throttle/core_throttle_count": 3,
            },
        )
        assert changes(2) == (
            "the CPUs online were 0-3 and are 0-2",
            "the governor of CPU 1 changed from performance to powersave",
            "CPU 2 was throttled 3 times",
        )
        assert changes(3) == ()
        (cpus / "cpufreq/policy1/scaling_governor").unlink()  # its CPU went away
        assert changes(4) == ()
    finally:
        running.end()


class Machine:
    """A copy of /proc and /sys in which anything may happen between two ticks, and what its files say."""

    def __init__(self, folder: Path, seed: int) -> None:
        self.folder = folder
        self.draw = random.Random(seed)
        self.next_index = 1
        self.present: dict[str, tuple[str, list[int]]] = {}
        self.cores: dict[int, list[int]] = {core: [0] * 10 for core in range(4)}
        self.backlog = [2**32 - 50] * 4
        for name in ("eth0", "eth1"):
            self.plug(name)

    def plug(self, name: str) -> None:
        """A new interface, with counters that begin anywhere: a driver may keep them."""
        counters = [self.draw.choice((0, 3, 2**32 - 2, 2**53 - 2, 2**63)) for _ in range(16)]
        self.present[name] = str(self.next_index), counters
        self.next_index += 1

    def happen(self) -> None:
        draw = self.draw
        what = draw.randrange(12)
        if what == 0:
            self.present.pop("eth1", None)
        elif what == 1:
            self.plug("eth1")  # replaced, or back
        elif what == 2:
            self.cores.pop(max(self.cores)) if len(self.cores) > 1 else None
        elif what == 3:
            self.cores[max(self.cores) + 1] = [draw.randrange(10**6)] * 10
        elif what == 4:  # replaced by one that lost as many packets at other places
            _, counters = self.present["eth0"]
            counters[2], counters[3] = counters[3] // 2, counters[2] + counters[3] - counters[3] // 2
            self.present["eth0"] = str(self.next_index), counters
            self.next_index += 1
            return
        for _, counters in self.present.values():
            for column in range(16):
                counters[column] += draw.choice((0, 0, 0, 1, 10**6))
            if draw.randrange(20) == 0:
                counters[:] = [0] * 16  # reset
        for row in self.cores.values():
            row[draw.randrange(10)] += draw.randrange(100)
        self.backlog = [(value + draw.randrange(40)) % 2**32 for value in self.backlog]

    def sections(self) -> dict[str, str]:
        """Writes the files; returns what a frame must say. Column 2 is what was missed, 3 dropped."""
        found, dev = {}, ["Inter-|   Receive | Transmit", " face |bytes"]
        for name, (index, counters) in self.present.items():
            missed, dropped = counters[2], counters[3]
            shown = [*counters[:2], 0, missed + dropped, *counters[4:]]
            dev.append(f"{name:>6}:{' '.join(map(str, shown))}")
            found[f"sys {name}"] = f"rx_dropped {dropped}\nrx_missed_errors {missed}\nifindex {index}"
            base = f"sys/class/net/{name}"
            self.write(f"{base}/statistics/rx_dropped", f"{dropped}\n")
            self.write(f"{base}/statistics/rx_missed_errors", f"{missed}\n")
            self.write(f"{base}/ifindex", f"{index}\n")
        soft = [f"{value:08x}" + " 00000000" * 11 + f" {core:08x}" for core, value in enumerate(self.backlog)]
        cores = [f"cpu{core} {' '.join(map(str, row))}" for core, row in self.cores.items()]
        found |= {"dev": "\n".join(dev), "softnet": "\n".join(soft), "stat": "\n".join(cores)}
        self.write("proc/net/dev", found["dev"] + "\n")
        self.write("proc/net/softnet_stat", found["softnet"] + "\n")
        self.write("proc/stat", f"cpu  0 0 0 0 0 0 0\n{found['stat']}\nintr 9 9\n")
        return found

    def write(self, name: str, text: str) -> None:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


@pytest.mark.parametrize("seed", [1, 2])
def test_a_sample_is_what_the_files_say_whatever_happens_between_two_ticks(
    seed: int, path: str, tmp_path: Path
) -> None:
    """Drops that stand still are not read again: nothing may differ from reading everything each time."""
    machine = Machine(tmp_path / "copy", seed)
    machine.sections()
    one = Running(path, ("eth0", "eth1"), root=str(machine.folder))
    try:
        for seq in range(1, 200):
            if seq == 100:  # a sampler that begins in the middle
                one.end()
                one = Running(path, ("eth0", "eth1"), root=str(machine.folder))
            machine.happen()
            expected = read_frame(Frame(seq, "P", machine.sections()), one.hello, one.interfaces).sample
            sample = read_frame(one.ask("P", seq), one.hello, one.interfaces).sample
            assert sample.interfaces == expected.interfaces
            assert (sample.softnet, sample.cpus) == (expected.softnet, expected.cpus)
            assert [note for note in sample.skipped if "interface" in note] == [
                f"no interface {name}" for name in one.interfaces if name not in machine.present
            ]
    finally:
        one.end()
