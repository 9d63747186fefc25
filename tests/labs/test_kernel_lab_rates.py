"""The kernel lab's generators at small rates: the very frames, exactly so many, and none is lost.

So little is sent that other tests may run meanwhile.
"""

import subprocess
import sys
import time
from itertools import pairwise
from statistics import median

import pytest
from kernel_lab_use import LabUnderTest
from kernel_sending import ends_by_itself, moved, reconcile, sending, settled

from fwdtui.labs.kernel import topology, traffic

pytestmark = pytest.mark.root

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


@pytest.mark.parametrize("load", [(), ("--ipv6",)], ids=["IPv4", "IPv6"])
def test_a_steady_rate_is_exact_and_arrives_whole(lab: LabUnderTest, load: tuple[str, ...]) -> None:
    # slow, so that the backlog of 1000 packets bridges two seconds of a busy machine
    rate = 500
    before = settled(lab)
    with sending(lab, "--rate", "500", *load):
        readings = [clock_and_sent(lab)]
        for _ in range(25):
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


def test_a_steady_generator_ends_by_itself_when_its_time_is_over(lab: LabUnderTest) -> None:
    ends_by_itself(lab, "--rate", "2k")


def test_stopping_a_generator_spares_those_of_other_namespaces(
    lab: LabUnderTest, a_lab: LabUnderTest
) -> None:
    assert a_lab("up").status == 0
    with sending(a_lab, "--rate", "1k"):
        lab.ssh("gen", lab.generator("--rate", "1k")["stop"])
        assert a_lab.generators()
