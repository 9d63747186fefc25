"""The real tools of this machine, where they are installed: what they print is read without a remainder."""

import json
import shutil
import socket
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from fwdtui.core.parse.ethtool_info import parse_driver_info, parse_offloads
from fwdtui.core.parse.iperf3 import parse_iperf3_json
from fwdtui.core.parse.iperf3_lines import parse_iperf3_lines
from fwdtui.core.parse.linux_facts import parse_cpuinfo, parse_lscpu, parse_os_release, parse_proc_version
from fwdtui.core.parse.proc_net_dev import parse_proc_net_dev
from fwdtui.core.parse.tc_qdisc import parse_tc_qdisc

if not Path("/proc/net/dev").exists():
    pytest.skip("not Linux", allow_module_level=True)


def output(*command: str) -> str:
    if shutil.which(command[0]) is None:
        pytest.skip(f"{command[0]} is not installed")
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    if done.returncode:
        pytest.skip(f"{' '.join(command)}: {(done.stderr or done.stdout).strip()}")
    return done.stdout


def between(look: Callable[[], object], other: Callable[[], object]) -> tuple[object, object]:
    """What both show of the same interfaces: labs of other tests come and go."""
    for _ in range(50):
        before, found, after = look(), other(), look()
        if before == after:
            return before, found
    pytest.fail("the interfaces change all the time")


def test_ip_and_proc_name_the_same_interfaces() -> None:
    known, links = between(
        lambda: set(parse_proc_net_dev(Path("/proc/net/dev").read_text()).value),
        lambda: {one["ifname"] for one in json.loads(output("ip", "-j", "link"))},
    )
    assert links == known


def test_tc_says_the_same_as_text_and_as_json() -> None:
    def rows(*options: str) -> list[tuple[object, ...]]:
        parsed = parse_tc_qdisc(output("tc", "-s", *options, "qdisc"))
        assert parsed.skipped == ()
        return [(row.interface, row.kind, row.handle, row.parent) for row in parsed.value]

    text, document = between(rows, lambda: rows("-j"))
    assert document == text


def test_ethtool_on_the_loopback_interface() -> None:
    offloads = parse_offloads(output("ethtool", "-k", "lo"))
    assert offloads.skipped == ()
    assert offloads.value["loopback"].active


def test_lscpu_and_cpuinfo_agree_on_the_cpus() -> None:
    found = parse_lscpu(output("lscpu")).value
    assert found == parse_lscpu(output("lscpu", "-J")).value
    assert found.cpus == parse_cpuinfo(Path("/proc/cpuinfo").read_text()).value.cpus


def test_the_kernel_calls_itself_the_same_everywhere() -> None:
    release = parse_proc_version(Path("/proc/version").read_text()).value.release
    assert release == parse_proc_version(output("uname", "-r")).value.release
    assert release == parse_proc_version(output("uname", "-a")).value.release


def test_the_distribution_has_a_name() -> None:
    if not Path("/etc/os-release").exists():
        pytest.skip("no /etc/os-release")
    assert parse_os_release(Path("/etc/os-release").read_text()).skipped == ()


def test_every_interface_names_its_driver_or_is_refused_one() -> None:
    if shutil.which("ethtool") is None:
        pytest.skip("ethtool is not installed")
    for name in parse_proc_net_dev(Path("/proc/net/dev").read_text()).value:
        done = subprocess.run(
            ["ethtool", "-i", name], capture_output=True, text=True, timeout=60, check=False
        )
        found = parse_driver_info(done.stdout)
        assert found.skipped == ()
        # the loopback interface has no driver and says so on stderr
        assert bool(found.value.driver) == (done.returncode == 0), name


def test_both_ends_of_a_real_iperf3_run_tell_their_packets() -> None:
    if shutil.which("iperf3") is None:
        pytest.skip("iperf3 is not installed")
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = str(probe.getsockname()[1])
    server = subprocess.Popen(
        ["iperf3", "-s", "-1", "-J", "-p", port], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    try:
        command = ["iperf3", "-c", "127.0.0.1", "-p", port, "-u", "-b", "2M", "-l", "500", "-t", "1"]
        for _ in range(20):
            client = subprocess.run(
                [*command, "--forceflush"], capture_output=True, text=True, timeout=60, check=False
            )
            if "Connection refused" not in client.stderr:
                break
            time.sleep(0.1)
        printed, _ = server.communicate(timeout=60)
    finally:
        server.kill()
        server.wait()
    text = parse_iperf3_lines(client.stdout + client.stderr)
    assert text.skipped == ()
    (sender,) = text.value
    (receiver,) = parse_iperf3_json(printed).value
    assert sender.complete
    assert receiver.complete
    assert sender.sent is not None
    assert receiver.received is not None
    assert sender.sent.packets == sum(item.packets or 0 for item in sender.intervals)
    # the client tells the server to end: of a busy machine's datagrams the last may not have arrived by then
    assert sender.sent.packets is not None and receiver.received.packets is not None
    assert 0.9 * sender.sent.packets <= receiver.received.packets <= sender.sent.packets
    assert receiver.sent is None
