"""The kernel lab for real: Linux's own forwarding between three namespaces, and a real sshd in each."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path
from statistics import median

import pytest
from kernel_lab_use import HOSTS, LabUnderTest, network_of, processes, run, veths_left

from fwdtui.core import lab as lab_toml
from fwdtui.labs.kernel import journal, needs, topology, traffic

pytestmark = pytest.mark.root

DUT_QUIETS = 3.0  # seconds that a counter may go on moving after the generator has ended


@contextmanager
def sending(lab: LabUnderTest, *load: object) -> Iterator[subprocess.Popen[bytes]]:
    """The generator of a lab.toml as a program would use it: start over ssh, in the end stop over ssh."""
    generator = lab.generator(*load)
    started = subprocess.Popen(
        [*lab.ssh_command("gen"), generator["start"]],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        before = lab.counters()["gen0.tx"]
        wait_for(lambda: lab.counters()["gen0.tx"] > before + 100, "the generator sends")
        yield started
    finally:
        lab.ssh("gen", generator["stop"])
        started.wait(10)


def wait_for(met: object, what: str, seconds: float = 10) -> None:
    until = time.monotonic() + seconds
    while not met():  # type: ignore[operator]
        assert time.monotonic() < until, f"not within {seconds} s: {what}"
        time.sleep(0.05)


def settled(lab: LabUnderTest) -> dict[str, int]:
    """The counters once they stand still."""
    now = lab.counters()
    until = time.monotonic() + DUT_QUIETS
    while True:
        time.sleep(0.1)
        last, now = now, lab.counters()
        if traffic_only(last) == traffic_only(now):
            return now
        assert time.monotonic() < until, "the counters do not come to rest"


def traffic_only(counters: dict[str, int]) -> dict[str, int]:
    return {name: value for name, value in counters.items() if not name.startswith(("mgmt0", "lo"))}


def moved(before: dict[str, int], after: dict[str, int]) -> dict[str, int]:
    return {name: after[name] - before[name] for name in after}


def softnet_dropped() -> int:
    rows = Path("/proc/net/softnet_stat").read_text().splitlines()
    return sum(int(row.split()[1], 16) for row in rows)


def reconcile(delta: dict[str, int]) -> None:
    """Every packet that was handed to gen0 is counted once, somewhere. Drops are never a sum of all columns:
    the same loss stands at both ends of a veth."""
    assert delta["dut0.rx"] == delta["gen0.tx"]
    assert delta["dut0.rx"] == delta["dut1.tx"] + delta["dut1.tx_dropped"]
    assert delta["dut1.tx"] == delta["sink0.rx"] == delta["sink.nft"]
    assert delta["sink0.rx_dropped"] == delta["dut1.tx_dropped"]


# -- a lab that is up


@pytest.mark.parametrize("host", HOSTS)
def test_each_host_answers_over_strictly_checked_ssh(lab: LabUnderTest, host: str) -> None:
    ports = {port["ifname"] for port in json.loads(lab.ssh(host, "ip -j link show"))}
    wanted = {"gen": {"gen0"}, "dut": {"dut0", "dut1"}, "sink": {"sink0"}}[host]
    assert ports == {"lo", "mgmt0"} | wanted


def test_a_host_with_another_key_is_refused(lab: LabUnderTest, tmp_path: Path) -> None:
    known = (lab.folder / "known_hosts").read_text().splitlines()
    address, other = known[0].split()[0], known[1].split()[1:]
    (tmp_path / "known").write_text(" ".join([address, *other]) + "\n")
    command = [*lab.ssh_command("gen", "-o", f"UserKnownHostsFile={tmp_path}/known"), "true"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=20)
    assert done.returncode == 255
    assert "Host key verification failed" in done.stderr


def test_a_password_is_not_asked_for(lab: LabUnderTest) -> None:
    command = [*lab.ssh_command("gen", "-o", "PubkeyAuthentication=no"), "true"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=20)
    assert done.returncode == 255
    assert "Permission denied (publickey)" in done.stderr


@pytest.mark.parametrize("address", [topology.SINK0.ipv4, topology.SINK0.ipv6], ids=["IPv4", "IPv6"])
def test_an_echo_crosses_the_dut_and_comes_back(lab: LabUnderTest, address: str) -> None:
    if needs.find("ping") is None:
        pytest.skip("not installed: ping (iputils-ping)")
    before = lab.counters()
    lab.inside("gen", "ping", "-c", "2", "-i", "0.2", "-W", "2", address)
    delta = moved(before, lab.counters())
    assert delta["dut0.rx"] >= 2 <= delta["dut1.tx"]


def test_lab_toml_is_the_one_that_env_prints(lab: LabUnderTest) -> None:
    path = lab.file()
    assert path == lab.folder / "lab.toml"
    parsed = lab_toml.parse(path.read_text(), str(path))
    assert parsed.hosts() == HOSTS


def test_keys_and_configuration_are_for_their_owner_alone(lab: LabUnderTest) -> None:
    assert lab.folder.stat().st_mode & 0o777 == 0o700
    for name in ("user_key", "host_key_dut", "ssh_config", "lab.toml", "send", "rules"):
        assert (lab.folder / name).stat().st_mode & 0o077 == 0, name


def test_up_again_says_that_it_is_up_and_changes_nothing(lab: LabUnderTest) -> None:
    before = (lab.folder / journal.NAME).read_bytes()
    answer = lab("up")
    assert answer.status == 0
    assert "is up already (mode rps)" in answer.out
    assert (lab.folder / journal.NAME).read_bytes() == before


def test_up_in_another_mode_is_refused(lab: LabUnderTest) -> None:
    answer = lab("up", "--mode", "inline")
    assert answer.status == 2
    assert "is up in mode rps" in answer.err


def test_status_names_hosts_servers_forwarding_and_ruleset(lab: LabUnderTest) -> None:
    answer = lab("status")
    assert answer.status == 0, answer.out
    for host in HOSTS:
        pid = int((lab.folder / f"sshd_{host}.pid").read_text())
        assert f"sshd {pid}" in answer.out
        assert lab.namespace(host) in answer.out
    assert "forwards IPv4 and IPv6" in answer.out
    assert "ruleset of the dut: no rules" in answer.out


def test_rules_come_go_and_are_told_by_status(lab: LabUnderTest) -> None:
    def listed() -> int:
        return lab.ssh("dut", "nft list ruleset").count("udp dport")

    assert lab("rules", 5).out == "5 rules in the dut's forward hook\n"
    assert listed() == 5
    assert "ruleset of the dut: 5 rules" in lab("status").out
    lab.ssh("dut", f"sh {lab.folder}/rules 20")  # as a plain command over ssh
    assert listed() == 20
    assert lab("rules", 0).status == 0
    assert listed() == 0


def test_rules_are_refused_where_they_would_not_be_the_dut_s(lab: LabUnderTest) -> None:
    done = subprocess.run(
        [*lab.ssh_command("sink"), f"sh {lab.folder}/rules 3"], capture_output=True, text=True
    )
    assert done.returncode == 2
    assert "not on the dut" in done.stderr
    assert lab("rules", -1).status == 2
    assert lab("rules", 20001).status == 2


CAPTURE = """
import socket, sys
port, wanted = sys.argv[1], int(sys.argv[2])
with socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(3)) as tap:
    tap.setsockopt(socket.SOL_SOCKET, 33, 1 << 24)  # SO_RCVBUFFORCE
    tap.bind((port, 0))
    tap.settimeout(10)
    print("ready", flush=True)
    for _ in range(wanted):
        print(tap.recv(2048).hex())
"""


@pytest.mark.parametrize("ipv6", [False, True], ids=["IPv4", "IPv6"])
def test_trafgen_sends_the_very_frames_of_the_pcap_file(lab: LabUnderTest, ipv6: bool) -> None:
    namespaced = ["ip", "netns", "exec", lab.namespace("dut"), sys.executable, "-c", CAPTURE]
    with subprocess.Popen(
        [*namespaced, "dut0", str(topology.FLOWS)], stdout=subprocess.PIPE, text=True
    ) as capture:
        assert capture.stdout is not None
        assert capture.stdout.readline() == "ready\n"
        configuration = lab.folder / f"ipv{6 if ipv6 else 4}.trafgen"
        slowly = ("--rate", "10000pps", "--num", topology.FLOWS)
        options = ("--dev", "gen0", "--conf", configuration, "--cpus", "1", "--no-sock-mem", "--notouch-irq")
        lab.inside("gen", "trafgen", *options, *slowly)
        frames = capture.stdout.read().split()
    # trafgen counts up before it sends: it begins with the second flow and ends with the first
    assert frames == [traffic.frame(number + 1, ipv6).hex() for number in range(topology.FLOWS)]


@pytest.mark.parametrize("family", [(), ("--ipv6",)], ids=["IPv4", "IPv6"])
def test_under_overload_every_packet_is_counted_once_and_the_dut_really_drops(
    lab: LabUnderTest, family: tuple[str, ...]
) -> None:
    lab("rules", 300)  # so that the DUT is slower than the generator on any machine
    try:
        before, dropped = settled(lab), softnet_dropped()
        with sending(lab, *family):
            time.sleep(0.8)
        delta = moved(before, settled(lab))
        reconcile(delta)
        assert delta["sink.nft"] > 10_000
        assert delta["dut0.rx_dropped"] > 0
        # The DUT's backlog counts a loss, and the sender's port counts the same loss.
        assert delta["gen0.tx_dropped"] == delta["dut0.rx_dropped"]
        # softnet_stat is the whole machine's: ours are among them
        assert softnet_dropped() - dropped >= delta["dut0.rx_dropped"] + delta["dut1.tx_dropped"]
    finally:
        lab("rules", 0)
    assert not lab.generators()


@pytest.mark.parametrize("load", [(), ("--ipv6",)], ids=["IPv4", "IPv6"])
def test_a_steady_rate_is_exact_and_arrives_whole(lab: LabUnderTest, load: tuple[str, ...]) -> None:
    # slow, so that the backlog of 1000 packets bridges two seconds of a busy machine
    rate = 500
    before = settled(lab)
    with sending(lab, "--rate", "500", *load):
        readings = [clock_and_sent(lab)]
        for _ in range(12):
            time.sleep(0.1)
            readings.append(clock_and_sent(lab))
    rates = [(sent - less) / (now - then) for (then, less), (now, sent) in pairwise(readings)]
    whole = (readings[-1][1] - readings[0][1]) / (readings[-1][0] - readings[0][0])
    assert whole == pytest.approx(rate, rel=0.03)  # the clock counts hundredths of a second
    # evenly within the second, too: a burst a second would have a median of zero
    assert median(rates) == pytest.approx(rate, rel=0.2)
    delta = moved(before, settled(lab))
    reconcile(delta)
    assert delta["gen0.tx"] == delta["sink.nft"] > rate
    assert not any(delta[name] for name in ("gen0.tx_dropped", "dut0.rx_dropped", "dut1.tx_dropped"))


def clock_and_sent(lab: LabUnderTest) -> tuple[float, int]:
    """Seconds and packets, read one right after the other by one process."""
    read = (
        "read up idle < /proc/uptime; read sent < /sys/class/net/gen0/statistics/tx_packets; echo $up $sent"
    )
    clock, sent = lab.inside("gen", "sh", "-c", read).split()
    return float(clock), int(sent)


@pytest.mark.parametrize("load", [(), ("--rate", "20k")], ids=["full", "steady"])
def test_a_generator_ends_by_itself_when_its_time_is_over(lab: LabUnderTest, load: tuple[str, ...]) -> None:
    start = lab.generator(*load)["start"]
    assert start.startswith("timeout --foreground 70 ")
    began = time.monotonic()
    command = [*lab.ssh_command("gen"), start.replace(" 70 ", " 1 ", 1)]
    subprocess.run(command, capture_output=True, timeout=20)
    assert 0.9 < time.monotonic() - began < 8
    assert not lab.generators()


def test_a_generator_ends_with_the_process_group_that_it_was_started_in(lab: LabUnderTest) -> None:
    # how a supervisor over ssh ends what it started: kill -TERM 0
    command = [*lab.ssh_command("gen"), f"( sleep 1; kill -TERM 0 ) & {lab.generator()['start']}"]
    subprocess.run(command, capture_output=True, timeout=20)
    wait_for(lambda: not lab.generators(), "no trafgen is left", 3)


def test_stopping_a_generator_spares_those_of_other_namespaces(
    lab: LabUnderTest, a_lab: LabUnderTest
) -> None:
    assert a_lab("up").status == 0
    with sending(a_lab, "--rate", "1k"):
        lab.ssh("gen", lab.generator("--rate", "1k")["stop"])
        assert a_lab.generators()


def test_a_variant_for_a_lab_that_is_not_up_is_status_1(a_lab: LabUnderTest) -> None:
    answer = a_lab("env", "--rate", "50k")
    assert (answer.status, answer.out) == (1, "")
    assert "is not up" in answer.err


# -- coming and going


def test_before_up_and_after_down_there_is_nothing(a_lab: LabUnderTest) -> None:
    assert a_lab("status").status == 1
    assert a_lab("env").status == 1
    assert a_lab("rules", 1).status == 2
    down = a_lab("down")
    assert (down.status, down.err) == (0, "")
    assert "is not up" in down.out

    assert a_lab("up").status == 0
    veths = a_lab.veths()
    assert len(veths_left(veths)) == 3
    assert a_lab.remains()

    assert a_lab("down").status == 0
    assert not a_lab.remains()
    assert not veths_left(veths)
    assert a_lab("status").status == 1


def test_labs_stand_beside_each_other(lab: LabUnderTest, a_lab: LabUnderTest) -> None:
    assert a_lab("up").status == 0
    assert a_lab("status").status == 0
    assert lab("status").status == 0
    files = [one.folder / "known_hosts" for one in (lab, a_lab)]
    addresses = {line.split()[0] for file in files for line in file.read_text().splitlines()}
    assert len(addresses) == 6
    assert a_lab("down").status == 0
    assert lab("status").status == 0


@pytest.mark.parametrize("mode", ["inline", "napi"])
def test_the_other_modes_forward_and_account_too(a_lab: LabUnderTest, mode: str) -> None:
    up = a_lab("up", "--mode", mode)
    assert up.status == 0, up.err
    before = settled(a_lab)
    with sending(a_lab):
        time.sleep(0.7)
    delta = moved(before, settled(a_lab))
    reconcile(delta)
    assert delta["sink.nft"] > 1000
    # what a napi ring cannot take is counted at the sender alone; inline there is no queue to overflow
    assert delta["dut0.rx_dropped"] == 0
    if mode == "inline":
        assert delta["gen0.tx_dropped"] == delta["dut1.tx_dropped"] == 0


def test_down_ends_sessions_and_generators_too(a_lab: LabUnderTest) -> None:
    assert a_lab("up").status == 0
    veths = a_lab.veths()
    with subprocess.Popen(
        [*a_lab.ssh_command("gen"), a_lab.generator("--rate", "1k")["start"]],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    ) as session:
        wait_for(a_lab.generators, "trafgen runs")
        gen = Path("/run/netns", a_lab.namespace("gen")).stat().st_ino
        assert a_lab("down").status == 0
        assert not [pid for pid in processes() if network_of(pid) == gen]
        assert not a_lab.remains()
        assert not veths_left(veths)
        assert session.wait(10) == 255  # whoever was connected is told so


def test_what_is_broken_is_named_and_up_mends_it(a_lab: LabUnderTest) -> None:
    assert a_lab("up").status == 0
    veths = a_lab.veths()

    run("ip", "-n", a_lab.namespace("dut"), "link", "set", "dut1", "down")
    answer = a_lab("status")
    assert answer.status == 1
    assert "broken: dut: dut1 is DOWN" in answer.out

    os.kill(int((a_lab.folder / "sshd_sink.pid").read_text()), signal.SIGKILL)
    wait_for(lambda: "broken: sink: sshd is not running" in a_lab("status").out, "the lack of sshd is told")

    up = a_lab("up")
    assert up.status == 0
    assert "what was left of an earlier one is gone (sink: sshd is not running)" in up.out
    assert a_lab("status").status == 0
    assert not veths_left(veths)


def test_forwarding_that_was_turned_off_is_named(a_lab: LabUnderTest) -> None:
    assert a_lab("up").status == 0
    a_lab.inside("dut", "sysctl", "-q", "-w", "net.ipv4.ip_forward=0")
    assert "broken: dut: net.ipv4.ip_forward is 0" in a_lab("status").out
    a_lab.inside("dut", "sysctl", "-q", "-w", "net.ipv4.ip_forward=1")
    a_lab.inside("dut", "ip", "-6", "route", "del", topology.FLOWS_IPV6)
    answer = a_lab("status")
    assert answer.status == 1
    assert "broken: IPv6 does not get through from gen0 to sink0" in answer.out


def test_a_namespace_of_the_same_name_that_is_not_ours_is_left_alone(a_lab: LabUnderTest) -> None:
    run("ip", "netns", "add", a_lab.namespace("dut"))
    try:
        answer = a_lab("up")
        assert answer.status == 2
        assert answer.err.count("\n") == 1
        assert f"the namespace {a_lab.namespace('dut')} exists" in answer.err
        assert a_lab("down").status == 0
        assert Path("/run/netns", a_lab.namespace("dut")).exists()
        assert not Path("/run/netns", a_lab.namespace("gen")).exists()
    finally:
        run("ip", "netns", "del", a_lab.namespace("dut"))


def test_a_failing_step_is_one_line_with_the_command_and_leaves_nothing(
    a_lab: LabUnderTest, tmp_path: Path
) -> None:
    broken = tmp_path / "bin"
    broken.mkdir()
    (broken / "ethtool").write_text("#!/bin/sh\necho 'netlink error: no such device' >&2\nexit 75\n")
    (broken / "ethtool").chmod(0o755)
    answer = a_lab("up", env={**os.environ, "PATH": f"{broken}:{os.environ['PATH']}"})
    assert answer.status == 2
    assert answer.err.count("\n") == 1
    assert f"ip netns exec {a_lab.namespace('gen')} ethtool -K gen0" in answer.err
    assert answer.err.endswith(": netlink error: no such device\n")
    assert not a_lab.remains()


def test_without_root_one_line_says_so(kernel_lab_works: None) -> None:
    program = (
        # imported first: the checkout may be readable for root alone
        "import os, sys; import fwdtui.cli.lab, fwdtui.labs.kernel.up, fwdtui.core.text;"
        "from fwdtui.cli import main; os.setgid(65534); os.setuid(65534);"
        "sys.exit(main(['lab', 'up', '--dir', '/tmp/fwdtui-nobody']))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=20)
    assert done.returncode == 2
    assert done.stderr.startswith("fwdtui: the kernel lab needs root")
    assert done.stderr.count("\n") == 1
    assert not Path("/tmp/fwdtui-nobody").exists()


def test_the_command_line_loads_neither_the_app_nor_an_ssh_client(
    kernel_lab_works: None, tmp_path: Path
) -> None:
    program = (
        "import sys; from fwdtui.cli import main; main(['lab', 'up', '--dir', sys.argv[1], '--name', 'zz']);"
        "main(['lab', 'env', '--dir', sys.argv[1]]); main(['lab', 'status', '--dir', sys.argv[1]]);"
        "main(['lab', 'down', '--dir', sys.argv[1]]); print(*sys.modules)"
    )
    modules = run(sys.executable, "-c", program, tmp_path / "lab").splitlines()[-1].split()
    assert "fwdtui.labs.kernel.up" in modules
    assert not {"textual", "asyncssh", "numpy", "scipy"} & set(modules)


# -- killed half-way


def kill_after(lab: LabUnderTest, lines: int) -> dict[str, str]:
    """Start `up` and SIGKILL it once its journal has that many lines; what it had made of veths."""
    argv = [sys.executable, "-m", "fwdtui", "lab", "up", "--dir", str(lab.folder), "--name", lab.name]
    book = lab.folder / journal.NAME
    with subprocess.Popen(argv, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        while process.poll() is None:
            try:
                if book.read_bytes().count(b"\n") >= lines:
                    break
            except FileNotFoundError:
                pass
        assert process.poll() is None, "it was faster than its executioner"
        process.kill()
    return lab.veths()


@pytest.mark.parametrize("lines", [1, 2, 3, 7, 8, 10, 24, 27, 34])
def test_after_a_kill_at_any_point_down_leaves_nothing(a_lab: LabUnderTest, lines: int) -> None:
    veths = kill_after(a_lab, lines)
    assert a_lab("env").status == 1
    down = a_lab("down")
    assert down.status == 0, down.err
    assert not a_lab.remains()
    assert not veths_left(veths)


@pytest.mark.parametrize("lines", [1, 34])
def test_after_a_kill_up_works_at_once(a_lab: LabUnderTest, lines: int) -> None:
    veths = kill_after(a_lab, lines)
    assert a_lab("status").status == 1
    up = a_lab("up")
    assert up.status == 0, up.err
    assert "what was left of an earlier one is gone" in up.out
    assert a_lab("status").status == 0
    assert not veths_left(veths)


def test_ctrl_c_during_up_leaves_nothing(a_lab: LabUnderTest) -> None:
    argv = [sys.executable, "-m", "fwdtui", "lab", "up", "--dir", str(a_lab.folder), "--name", a_lab.name]
    with subprocess.Popen(argv, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as process:
        wait_for(lambda: "fwdtui" in str(a_lab.veths()), "it has begun")
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=20)
    assert (process.returncode, said) == (130, "")
    assert not a_lab.remains()


def test_two_commands_on_one_lab_wait_for_each_other(a_lab: LabUnderTest) -> None:
    def twice(action: str) -> list[str]:
        argv = [
            sys.executable,
            "-m",
            "fwdtui",
            "lab",
            action,
            "--dir",
            str(a_lab.folder),
            "--name",
            a_lab.name,
        ]
        both = [
            subprocess.Popen(argv, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            for _ in range(2)
        ]
        said = [process.communicate(timeout=40) for process in both]
        assert [process.returncode for process in both] == [0, 0], said
        return sorted(out.splitlines()[0].partition("is ")[2] for out, _ in said)

    assert twice("up") == ["up (mode rps)", "up already (mode rps)"]
    assert twice("down") == ["down", "not up; nothing to take down"]


def test_down_after_somebody_took_the_namespaces_away_leaves_nothing(a_lab: LabUnderTest) -> None:
    assert a_lab("up").status == 0
    veths = a_lab.veths()
    for host in HOSTS:
        run("ip", "netns", "del", a_lab.namespace(host))
    answer = a_lab("status")
    assert answer.status == 1
    assert f"the namespace {a_lab.namespace('gen')} is gone" in answer.out
    assert a_lab("down").status == 0
    assert not a_lab.remains()
    assert not veths_left(veths)


def test_an_sshd_that_will_not_start_is_named_with_its_own_words(a_lab: LabUnderTest, tmp_path: Path) -> None:
    picky = tmp_path / "bin"
    picky.mkdir()
    (picky / "sshd").write_text(f'#!/bin/sh\nexec {needs.find("sshd")} -o Ciphers=rot13 "$@"\n')
    (picky / "sshd").chmod(0o755)
    answer = a_lab("up", env={**os.environ, "PATH": f"{picky}:{os.environ['PATH']}"})
    assert answer.status == 2
    assert "rot13" in answer.err
    assert answer.err.count("\n") == 1
    assert not a_lab.remains()


def test_after_up_the_test_path_is_silent(a_lab: LabUnderTest) -> None:
    assert a_lab("up").status == 0
    before = traffic_only(a_lab.counters())
    time.sleep(1)
    assert traffic_only(a_lab.counters()) == before
