"""The kernel lab under load: Linux's own forwarding between three namespaces, every packet accounted for."""

import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path
from statistics import median

import pytest
from kernel_lab_use import LabUnderTest, traffic_only, wait_for

from fwdtui.labs.kernel import topology, traffic

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
