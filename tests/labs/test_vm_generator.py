"""A generator that is a virtual machine: the kernel's real pktgen, driven by the plug-in as on a user's host.

An emulated machine sends as fast as others leave it time for, so a rate is held to what it may not exceed,
and packets to each other: what pktgen, the cards, the cable between them and the sink count is the same.
"""

import asyncio
import json
import multiprocessing
import os
import re
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
from kernel_lab_use import HOSTS, LabUnderTest, run, run_undisturbed, running, veths_left, wait_for
from vm_lab_use import up

from fwdtui.collectors.clock import Axis
from fwdtui.collectors.lab_trust import open_lab
from fwdtui.collectors.tools import linux_pktgen
from fwdtui.collectors.tools.base import ToolSample
from fwdtui.collectors.tools.ending import Ended
from fwdtui.collectors.tools.probe import probe
from fwdtui.collectors.tools.running import RunningTool
from fwdtui.core.model import EventSample, RateSample
from fwdtui.core.parse.linux_pktgen import PktgenResult, parse_pktgen_device
from fwdtui.core.units import grouped
from fwdtui.labs.vm import kernels
from fwdtui.transport.base import Host

pytestmark = pytest.mark.root

RATE = 1000  # packets per second: a fifth of what got through without loss at a load of 8
DEVICES = ("gen0@0", "gen0@1")


@pytest.fixture(scope="module")
def lab(kernel: kernels.Kernel, tmp_path_factory: pytest.TempPathFactory) -> Iterator[LabUnderTest]:
    """A lab of two machines, up for all tests here. They are killed at the end, and then it is taken down."""
    folder = tmp_path_factory.mktemp("vms") / "lab"
    with up(folder, f"g{os.getpid()}", kernel, "--vm-generator", kernel.image.parent.parent) as lab:
        yield lab


def counted(lab: LabUnderTest) -> dict[str, int]:
    """The packets at every place between pktgen and the sink's rules."""

    def of(host: str, *names: str) -> list[int]:
        files = " ".join(f"/sys/class/net/{name}" for name in names)
        return [int(line) for line in lab.ssh(host, f"cd / && cat {files}").split()]

    sent, refused = of("gen", "gen0/statistics/tx_packets", "gen0/statistics/tx_dropped")
    arrived, forwarded = of("dut", "dut0/statistics/rx_packets", "dut1/statistics/tx_packets")
    here = lab.counters()  # of the namespaces: the machines' taps, and the sink
    return {
        "offered": sent + refused,
        "on the cable": here["to-dut0.tx"] + here["to-dut0.tx_dropped"] + refused,
        "at the dut": arrived + here["to-dut0.tx_dropped"] + refused,
        "forwarded": forwarded,
        "arrived": arrived,
        "at the sink": here["sink.nft"],
    }


def results(lab: LabUnderTest) -> list[PktgenResult]:
    found = []
    for device in DEVICES:
        parsed = parse_pktgen_device(lab.ssh("gen", f"cat /proc/net/pktgen/{device}"))
        assert parsed.skipped == (), "the real file is read in full"
        assert parsed.value.interface == device and parsed.value.result is not None
        found.append(parsed.value.result)
    return found


@pytest.mark.parametrize(
    ("family", "settings", "size"),
    [("ipv6", "", 78), ("ipv4", "'burst 8' 'clone_skb 16'", 60)],
)
def test_each_packet_that_pktgen_says_it_sent_is_counted_on_its_way(
    lab: LabUnderTest, family: str, settings: str, size: int
) -> None:
    before = counted(lab)
    run(*lab.ssh_command("gen"), f"pktgen-send {family} {RATE} 2 {settings} || true")
    found = results(lab)
    sent = sum(one.packets for one in found)
    assert sent > 100, "too little to show anything"

    def since() -> dict[str, int]:
        return {place: count - before[place] for place, count in counted(lab).items()}

    wait_for(lambda: since()["at the dut"] == sent == since()["offered"], "all that was sent is counted", 20)
    wait_for(lambda: since()["at the sink"] == since()["arrived"], "what arrived is forwarded", 20)
    now = since()
    assert now["on the cable"] == sent
    # neighbour or multicast chatter would be seen here too: there is none
    assert now["forwarded"] == now["arrived"]
    for one in found:
        assert (one.packet_size, one.errors) == (size, 0)
        assert one.packets > sent / 10, "both threads send, by a queue each"
        # the schedule is caught up with, but never overtaken by more than a burst
        assert one.packets <= RATE / len(DEVICES) * one.microseconds / 1e6 + 16
        assert one.pps == pytest.approx(one.packets * 1e6 / one.microseconds, abs=1)


async def started(host: Host, file: Path) -> tuple[RunningTool, list[ToolSample]]:
    """The lab's own generator, once two looks have found packets sent; and what it has said."""
    from fwdtui.collectors.labfile import load

    tool = await RunningTool.start(host, load(file).generators[0], "generator", Axis().now)
    said: list[ToolSample] = []
    async for sample in tool:
        said.append(sample)
        if isinstance(sample, EventSample) and sample.code == "tool-failed":
            break
        if sum(isinstance(one, RateSample) and one.pps > 0 for one in said) == 2:
            break
    return tool, said


def test_the_plug_in_starts_reads_and_stops_it_and_the_doctor_knows_it(lab: LabUnderTest) -> None:
    file = lab.file("--rate", RATE)
    start = "pktgen-send ipv4 1000 70"
    assert f'start = "{start}"' in file.read_text()
    before = counted(lab)

    async def use() -> tuple[Ended, Ended, list[str], list[ToolSample], Ended]:
        _, pool = open_lab(file)
        async with pool:
            host = await pool.open("gen", "gen")

            async def doctor() -> str:
                return (await probe(host, linux_pktgen.TOOL, start, "gen0")).found

            told = [await doctor()]
            tool, said = await started(host, file)
            told.append(await doctor())
            stopped = await tool.stop()
            # pktgen's own command, by somebody else
            tool, _ = await started(host, file)
            await host.run("echo stop >/proc/net/pktgen/pgctrl", timeout=30)
            other = await tool.wait()
            await host.run("rmmod pktgen", timeout=30)
            told.append(await doctor())
            tool, _ = await started(host, file)
            without = await tool.wait()
            await host.run("modprobe pktgen", timeout=30)
            return stopped, other, told, said, without

    stopped, other, told, said, without = asyncio.run(use())
    has = "version 2.75, 2 threads; gen0 has 2 transmit queues"
    assert told == [has, f"{has}; sends already: gen0@0 gen0@1", "the pktgen module is not loaded"]
    rates = [one for one in said if isinstance(one, RateSample)]
    assert all(one.interface == "gen0" and one.pps > 0 for one in rates), rates
    for ended, how in ((stopped, "was stopped"), (other, "ended")):
        assert re.fullmatch(rf"pktgen on gen {how}: sent [0-9 \u202f]+ packets in .* s \(.*\)", ended.text), (
            ended
        )
        assert ended.verdict.skipped == () and not ended.failed
    sent = (stopped.verdict.packets or 0) + (other.verdict.packets or 0)
    wait_for(lambda: counted(lab)["offered"] - before["offered"] == sent, "its packets are the card's", 20)
    assert without.failed and "failed: the pktgen module is not loaded (modprobe pktgen)" in without.text


def test_it_ends_when_fwdtui_is_killed(lab: LabUnderTest) -> None:
    file = lab.file("--rate", RATE)

    async def use() -> None:
        _, pool = open_lab(file)
        async with pool:
            await started(await pool.open("gen", "gen"), file)
            await asyncio.sleep(600)

    def at_work() -> list[str]:
        """What pktgen sends, and the processes of the start command."""
        return lab.ssh(
            "gen", "grep -h 'Running: *gen0' /proc/net/pktgen/*; ps | grep [p]gctrl || true"
        ).split()

    process = multiprocessing.get_context("fork").Process(target=lambda: asyncio.run(use()), daemon=True)
    process.start()
    try:
        wait_for(lambda: len([one for one in at_work() if one in DEVICES]) == 2, "both threads send", 60)
    finally:
        process.kill()
        process.join()
    wait_for(lambda: at_work() == [], "its connection has ended, and so it ends", 30)


def test_a_run_s_account_has_pktgen_s_own_packets(lab: LabUnderTest, tmp_path: Path) -> None:
    done = run_undisturbed(lab.quick_file("--rate", RATE, interval="1s"), tmp_path, "s", "-n", "1")
    assert done.status == 0, done.err
    folder = tmp_path / "s/c/001"
    packets = json.loads((folder / "iteration.json").read_text())["packets"]
    # the last look, after the end, has each device's Result
    log = (folder / "generator.log").read_text().rpartition("fwdtui-pktgen /proc/net/pktgen/gen0@0")[2]
    sent = sum(int(count) for count in re.findall(r"usec, ([0-9]+) \(60byte", log))
    assert sent <= packets["offered"] <= sent + 10, "the lab itself sends next to nothing"
    assert f"sent {grouped(sent)} packets" in done.err
    # what the cable lost is in no counter of the three hosts
    assert packets["unaccounted"] == packets["offered"] - packets["dut_in"]
    assert packets["received"] == packets["forwarded"] == packets["dut_in"]


def test_status_tells_who_sends_and_which_machine_was_killed(lab: LabUnderTest) -> None:
    status = lab("status")
    assert status.status == 0, status.out
    assert "the generator is a machine, too" in status.out
    assert "is already up" in lab("up", "--vm").out
    keepers = {
        host: next(
            int(pid)
            for pid in run("ip", "netns", "pids", lab.namespace(host)).split()
            if b"keeper.py" in Path(f"/proc/{pid}/cmdline").read_bytes()
        )
        for host in ("gen", "dut")
    }
    for host, how in (("gen", "reset --generator"), ("dut", "reset")):
        os.kill(keepers[host], signal.SIGKILL)
        wait_for(lambda host=host: run("ip", "netns", "pids", lab.namespace(host)) == "", "QEMU ends too", 10)
        assert f"broken: {host}: its machine was given up" in (said := lab("status")).out
        assert (said.status, f"`fwdtui lab {how}` starts it" in said.out) == (1, True), said.out


def test_after_up_was_killed_half_way_down_removes_both_machines(
    a_lab: LabUnderTest, kernel: kernels.Kernel
) -> None:
    folder = kernel.image.parent.parent
    options = ("--dir", a_lab.folder, "--name", a_lab.name, "--kernel", folder, "--vm-generator", folder)
    with running("lab", "up", "--vm", *options) as process:
        wait_for((a_lab.folder / "generator/gen.pid").exists, "the generator has been started", 60)
        assert (a_lab.folder / "dut.pid").exists()
        process.kill()
        process.communicate()
    assert "only partly built" in a_lab("status").out
    veths = a_lab.veths()
    assert a_lab("down").status == 0
    assert not a_lab.remains()
    assert not veths_left(veths)
    assert not [one for host in HOSTS for one in Path("/run/netns").glob(a_lab.namespace(host))]


def test_a_generator_s_options_need_a_lab_that_has_the_machine(a_lab: LabUnderTest) -> None:
    assert "add --vm" in a_lab("up", "--vm-generator").err
    answer = a_lab("reset", "--generator")
    assert (answer.status, "is not up" in answer.err) == (2, True)
