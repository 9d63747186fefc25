"""The VM lab for real: one emulated machine, booted twice. Its rates say little, its counters all.

Other programs may slow it down as they like: what is waited for are conditions.
"""

import asyncio
import contextlib
import json
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from kernel_lab_use import (
    HOSTS,
    LabUnderTest,
    run,
    running,
    wait_for,
)

from fwdtui.collectors import settings, settings_shell
from fwdtui.collectors.lab_trust import open_lab
from fwdtui.core.errors import FwdtuiError
from fwdtui.core.findings import Finding, HostFindings
from fwdtui.core.hygiene import rules
from fwdtui.labs.kernel import topology
from fwdtui.labs.vm import kernels, up

pytestmark = pytest.mark.root

BOOTS = 150.0  # seconds, on a machine that does other things as well
RATE = 1500  # packets per second, a tenth of what it forwards when nothing else runs
OPTIONS = "fwdtui.other=1"
GOES_AWAY = ("-o", "ServerAliveInterval=1", "-o", "ServerAliveCountMax=2")  # a host that says no good-bye


def boot_id(lab: LabUnderTest) -> str:
    return lab.ssh("dut", "cat /proc/sys/kernel/random/boot_id").strip()


def samples(folder: Path) -> list[dict[str, Any]]:
    """Everything recorded in a session so far, but for a line that is being written."""
    found = []
    for path in sorted(folder.glob("**/*.jsonl")):
        for line in path.read_text().splitlines():
            with contextlib.suppress(ValueError):
                found.append(json.loads(line)["d"])
    return found


def blasts(folder: Path) -> list[dict[str, Any]]:
    """The packets of each iteration so far; the first has number 1."""
    files = sorted(folder.glob("s/*/*/iteration.json"))
    return [{}, *(json.loads(file.read_text()).get("packets") or {} for file in files)]


def sent_and_received(lab: LabUnderTest) -> tuple[int, int]:
    now = lab.counters()
    return now["gen0.tx"] + now["gen0.tx_dropped"], now["sink.nft"]


def test_the_dut_is_a_machine_of_its_own(vm: LabUnderTest, kernel: kernels.Kernel) -> None:
    assert vm.ssh("dut", "uname -r").strip() == kernel.version
    assert boot_id(vm) != Path("/proc/sys/kernel/random/boot_id").read_text().strip()
    ports = {port["ifname"]: port for port in json.loads(vm.ssh("dut", "ip -json link show"))}
    assert set(ports) == {"lo", "mgmt0", "dut0", "dut1"}
    assert ports["dut0"]["address"] == topology.DUT0.mac
    assert "driver: virtio_net" in vm.ssh("dut", "ethtool -i dut0")
    assert vm.ssh("dut", "ethtool -l dut0").rsplit("Combined:", 1)[1].split()[0] == "2"
    # what a sampler will find there, and nothing better
    assert "BusyBox" in vm.ssh("dut", "awk 2>&1 || true")


def test_its_host_key_is_checked_as_always(vm: LabUnderTest, tmp_path: Path) -> None:
    known = {line.split()[0]: line for line in (vm.folder / "known_hosts").read_text().splitlines()}
    address = next(one for one in known if vm.ssh("dut", "ip address show mgmt0").find(f"{one}/") > 0)
    other = next(line for one, line in known.items() if one != address)
    (tmp_path / "known").write_text(" ".join([address, *other.split()[1:]]) + "\n")
    command = [*vm.ssh_command("dut", "-o", f"UserKnownHostsFile={tmp_path}/known"), "true"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=30)
    assert done.returncode == 255
    assert "Host key verification failed" in done.stderr


def test_status_doctor_and_a_second_up_find_nothing_wrong(vm: LabUnderTest, kernel: kernels.Kernel) -> None:
    status = vm("status")
    assert status.status == 0, status.out
    assert "the VM lab" in status.out
    assert "is up (virtio, 2 queues, 2 CPUs)" in status.out
    assert "(next boot)" in status.out
    again = vm("up", "--vm")
    assert (again.status, "is already up" in again.out) == (0, True), again.err
    assert "booting" not in again.err
    assert "take it down first" in vm("up", "--vm", "--driver", "vmxnet3").err
    assert "take it down first" in vm("up").err
    doctor = run(sys.executable, "-m", "fwdtui", "doctor", vm.file(), timeout=120)
    assert "nothing is missing" in doctor


def hygiene(vm: LabUnderTest, monkeypatch: pytest.MonkeyPatch) -> dict[str, Finding]:
    """What is found on the DUT, by place; the machine may be busier than one that records."""
    monkeypatch.setattr("fwdtui.collectors.settings_linux.SECONDS", BOOTS)
    monkeypatch.setattr(
        "fwdtui.collectors.settings_linux.PRELUDE", settings_shell.PRELUDE.replace("timeout 10", "timeout 60")
    )

    async def read() -> HostFindings:
        lab, pool = open_lab(vm.file())
        async with pool:
            found = [rules.of_host(lab, one) for one in await settings.read(lab, pool)]
        return next(one for one in found if one.host == "dut")

    return {one.place: one for one in asyncio.run(read()).findings}


def test_what_makes_the_dut_lie_is_seen_and_the_commands_that_are_named_change_it(
    vm: LabUnderTest, monkeypatch: pytest.MonkeyPatch
) -> None:
    # GRO and TSO on, the interrupts of both queues on one core, one queue of two
    owner = vm.ssh("dut", "basename $(readlink -f /sys/class/net/dut0/device)").strip()
    vm.ssh(
        "dut",
        "ethtool -K dut0 gro on tso on; ethtool -K dut1 gro off rx-gro-hw off tso off; "
        "ethtool -L dut1 combined 1; "
        f"for i in $(grep -F {owner}-input /proc/interrupts | cut -d: -f1); "
        "do echo 1 >/proc/irq/$i/smp_affinity_list; done",
    )
    told = hygiene(vm, monkeypatch)
    assert told["dut0 gro"].seen.startswith("GRO is on") and told["dut0 gro"].severity == "note"
    assert "TSO is on" in told["dut0 tso"].seen
    assert told["dut0 irq-affinity"].seen == (
        "2 of its 2 receive interrupts are served by CPU 1, although there are 2 CPUs"
    )
    assert told["dut1 queues"].seen == "it has 1 receive queue; the card could have 2, and there are 2 CPUs"
    assert told["virtual-machine"].seen.startswith("cannot be read in a virtual machine: governor, turbo")
    for place in ("dut0 gro", "dut0 irq-affinity", "dut1 queues"):
        vm.ssh("dut", told[place].do)
    after = hygiene(vm, monkeypatch)
    assert not {"dut0 gro", "dut0 tso", "dut0 irq-affinity", "dut1 queues", "dut1 gro"} & after.keys()


def test_both_queues_take_their_share_and_what_they_count_is_what_was_sent(vm: LabUnderTest) -> None:
    def received() -> list[int]:
        text = vm.ssh("dut", "ethtool -S dut0")
        rows = dict(line.strip().split(": ") for line in text.splitlines()[1:])
        return [int(rows[f"rx_queue_{queue}_packets"]) for queue in (0, 1)]

    before, (sent, arrived) = received(), sent_and_received(vm)
    vm.ssh("gen", f"tcpreplay --intf1=gen0 --pps={RATE} --limit={RATE} {vm.folder}/ipv4.pcap")
    wait_for(lambda: sent_and_received(vm)[0] >= sent + RATE, "everything is sent", 30)
    refused = vm.counters()["gen0.tx_dropped"]
    wait_for(lambda: sum(received()) - sum(before) >= RATE - refused, "everything arrived", 30)
    each = [now - then for now, then in zip(received(), before, strict=True)]
    assert min(each) > RATE / 10
    assert sent_and_received(vm)[1] - arrived == sum(each)


def test_rules_go_into_the_dut_s_own_kernel(vm: LabUnderTest) -> None:
    assert vm("rules", 100).status == 0
    assert vm.ssh("dut", "nft list ruleset").count("udp dport") == 100
    assert vm("rules", 0).status == 0
    assert "udp" not in vm.ssh("dut", "nft list ruleset")


def test_a_recording_has_every_packet_the_queues_and_a_reboot(
    vm: LabUnderTest, kernel: kernels.Kernel, tmp_path: Path
) -> None:
    added = vm("boot-entry", "other", "--kernel", kernel.image.parent.parent, "--append", OPTIONS)
    assert added.status == 0, added.err
    assert OPTIONS in vm("boot-entry").out
    before = boot_id(vm)
    into = ("--into", tmp_path, "--session", "s")
    with running("live", vm.quick_file(interval="1s"), "--headless", "--for", "10m", *into) as recording:

        def of_dut(key: str) -> list[Any]:
            return [one[key] for one in samples(tmp_path) if one.get("host") == "dut" and one.get(key)]

        def sampled() -> set[str]:
            return {one["host"] for one in samples(tmp_path) if one.get("interfaces")}

        wait_for(lambda: before in of_dut("boot") and of_dut("queues"), "the dut is sampled", 60)
        wait_for(lambda: sampled() == set(HOSTS), "all hosts are sampled", 60)
        send = f"tcpreplay -q --intf1=gen0 --pps={RATE} --loop=5 --limit={6 * RATE} {vm.folder}/ipv4.pcap"
        for index in (1, 2, 3):  # again if others took the processors and a host could not be sampled
            vm.ssh("gen", send)
            wait_for(lambda index=index: blasts(tmp_path)[index:], "the blast is an iteration", 60)
            packets = blasts(tmp_path)[index]
            if packets.keys() >= {"offered", "forwarded", "received"}:
                break
        # a core goes away and comes back: told within the recording
        cpu1 = "/sys/devices/system/cpu/cpu1/online"
        for state, told in (
            (0, "the CPUs online were 0-1 and are 0"),
            (1, "the CPUs online were 0 and are 0-1"),
        ):
            vm.ssh("dut", f"echo {state} >{cpu1}")
            wait_for(lambda told=told: told in of_dut("text"), told, 60)
        # chosen by the guest itself, as a level of an experiment would; then its own command
        refused = subprocess.run(
            [*vm.ssh_command("dut"), "boot-entry no-such"], capture_output=True, text=True
        )
        there = refused.stdout.partition("; there are ")[2].strip().split(", ")
        assert {"default", "other"} <= set(there), refused  # and those of other tests of this lab
        assert refused.returncode == 1
        assert "next boot: other" in vm.ssh("dut", "boot-entry other")
        queues, interrupts = of_dut("queues")[-1], of_dut("interrupts")[-1]
        subprocess.run([*vm.ssh_command("dut", *GOES_AWAY), "reboot"], capture_output=True, timeout=30)
        wait_for(lambda: "reboot" in of_dut("code"), "the reboot is recorded", BOOTS)
        wait_for(lambda: len(set(of_dut("boot"))) == 2, "the new boot is sampled", 60)
        recording.send_signal(signal.SIGINT)
        recording.communicate(timeout=30)
    assert set(of_dut("boot")) == {before, boot_id(vm)}
    assert OPTIONS in vm.ssh("dut", "cat /proc/cmdline")
    # all that was sent, and what the lab itself sends meanwhile; what the tap had to refuse was offered
    assert 6 * RATE <= packets["offered"] <= 6 * RATE + 10
    assert packets["offered"] == packets["forwarded"] + packets["drops"]["input queue"]
    assert packets["received"] == packets["forwarded"] == packets["dut_in"]
    rows = {(one["interface"], one["direction"], one["index"]): one for one in queues}
    assert set(rows) == {(port, way, n) for port in ("dut0", "dut1") for way in ("rx", "tx") for n in (0, 1)}
    assert all("packets" in one and "bytes" in one for one in rows.values())
    served = {(one["interface"], one["queue"], one["direction"]) for one in interrupts if "queue" in one}
    assert served >= {("dut0", 0, "rx"), ("dut0", 1, "rx"), ("dut1", 0, "tx"), ("dut1", 1, "tx")}


def test_what_is_only_about_the_other_kind_of_lab_is_refused(a_lab: LabUnderTest) -> None:
    assert "add --vm" in a_lab("up", "--driver", "virtio").err
    assert "--mode works only without --vm" in a_lab("up", "--vm", "--mode", "rps").err
    for action in ("reset", "reboot", "boot-entry"):
        answer = a_lab(action)
        assert (answer.status, "is not up" in answer.err) == (2, True)


def test_a_machine_that_does_not_start_is_removed_and_says_why(
    kernel: kernels.Kernel, a_lab: LabUnderTest, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("fwdtui.labs.vm.machine.QEMU", "false")
    from fwdtui.labs.kernel.place import Place

    with pytest.raises(FwdtuiError, match=r"does not run.*qemu ended with status 1"):
        up.bring_up(Place(a_lab.folder, a_lab.name, vm=True), kernel=str(kernel.image.parent.parent))
    assert not a_lab.remains()
