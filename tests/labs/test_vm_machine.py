"""QEMU's command line, the guest's files, and the keeper that starts it again."""

import json
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from fwdtui.core import lab as lab_toml
from fwdtui.core.errors import FwdtuiError
from fwdtui.labs.kernel import journal, labfile, place, topology
from fwdtui.labs.kernel import needs as kernel_needs
from fwdtui.labs.vm import entries, guest, guests, keeper, needs, pktgen
from fwdtui.labs.vm.machine import GENERATOR, Entry, Machine, check, command, options

# -- the machine


ENTRY = Entry("/k/vmlinuz", "/l/initramfs", "mitigations=off quiet", "a kernel")


def words(machine: Machine) -> str:
    requests, own, ports = entries.descriptors(machine)
    return " ".join(command(machine, ENTRY, own, ports, requests, "m"))


def test_the_command_line_of_one_boot() -> None:
    said = words(Machine())
    assert "-kernel /k/vmlinuz -initrd /l/initramfs" in said
    cheaper = "norandmaps nokaslr no5lvl cryptomgr.notests"
    assert f"-append console=ttyS0 quiet {cheaper} mitigations=off quiet" in said
    assert "-no-reboot" in said  # a reboot ends it, so that the next boot may be another kernel's
    assert f"virtio-net-pci,netdev=n0,mac={topology.DUT0.mac},romfile= " in said
    assert "-netdev tap,id=n0,fd=22,vhost=off" in said


def test_each_queue_is_a_descriptor_of_its_own() -> None:
    machine = Machine("virtio", 4, 4)
    requests, own, ports = entries.descriptors(machine)
    numbers = [requests, own, *ports[0], *ports[1]]
    assert len(set(numbers)) == 10
    said = words(machine)
    assert f"id=n1,fds={':'.join(map(str, ports[1]))}" in said
    assert "mq=on,vectors=10" in said
    assert "-smp 4" in said


@pytest.mark.parametrize("driver", ["vmxnet3", "e1000e"])
def test_other_cards_are_devices_of_their_name_and_ssh_keeps_its_own(driver: str) -> None:
    said = words(check(Machine(driver)))
    assert said.count(f"-device {driver},netdev=n") == 2
    assert said.count("-device virtio-net-pci,netdev=mgmt") == 1


@pytest.mark.parametrize(
    ("machine", "complaint"),
    [
        (Machine("ixgbe"), "--driver ixgbe"),
        (Machine(queues=0), "--queues 0"),
        (Machine(cpus=99), "--cpus 99"),
        (Machine("e1000e", queues=2), "only with --driver virtio"),
        (Machine(queues=4, cpus=2), "add --cpus 4"),
    ],
)
def test_a_machine_that_cannot_be_is_refused(machine: Machine, complaint: str) -> None:
    with pytest.raises(FwdtuiError, match=complaint):
        check(machine)


@pytest.mark.parametrize("append", ["a\nb", " a", "é", "x" * 2000])
def test_options_that_are_no_line_of_plain_text_are_refused(append: str) -> None:
    with pytest.raises(FwdtuiError, match="--append"):
        options(append)


def test_the_guest_is_the_dut_of_the_kernel_lab() -> None:
    said = guest.rc(("virtio_net",), "169.254.100.6/30")
    for port in (topology.DUT0, topology.DUT1):
        assert f"{port.mac}) name={port.name} ;;" in said
        assert f"\naddress add {port.ipv4}/24 dev {port.name}" in said
        assert f"\naddress add {port.ipv6}/64 dev {port.name} nodad" in said
    assert f"lladdr {topology.SINK0.mac} dev dut1 nud permanent" in said
    assert f"\nroute add {topology.FLOWS_IPV4} via {topology.SINK0.ipv4}" in said
    assert "\naddress add 169.254.100.6/30 dev mgmt0" in said
    for script in (said, guest.boot_entry()):
        done = subprocess.run(["sh", "-n"], input=script, text=True, capture_output=True)
        assert (done.returncode, done.stderr) == (0, "")


def test_a_generator_s_guest_sends_and_does_not_forward() -> None:
    said = guest.rc(("virtio_net", "pktgen"), "169.254.100.2/30", "gen")
    assert "for m in virtio_net pktgen;" in said
    assert "forward" not in said and "dut" not in said
    assert f"{topology.GEN0.mac}) name=gen0 ;;" in said
    assert f"lladdr {topology.DUT0.mac} dev gen0 nud permanent" in said
    assert f"\nroute add 198.19.0.0/16 via {topology.DUT0.ipv4}" in said
    for script in (said, pktgen.SEND):
        done = subprocess.run(["sh", "-n"], input=script, text=True, capture_output=True)
        assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize(
    "given",
    ["inet6 full 10", "IPv6 full 10", "ipv4 0500 10", "ipv4 0 10", "ipv4 1k 10", "ipv4 '' 10", "ipv4 500"],
)
def test_pktgen_send_sends_nothing_else_than_it_was_asked_for(given: str) -> None:
    """It sent IPv4 for any family but ipv6, and 320 packets for 0500, as the shell counts to eight."""
    done = subprocess.run(
        ["sh", "-c", f"set -- {given}\n{pktgen.SEND}"], capture_output=True, text=True, timeout=10
    )
    assert (done.returncode, done.stderr.partition(":")[0]) == (2, "usage")


@pytest.mark.parametrize(
    ("given", "told", "rates"),
    [
        ("ipv4 3 10", "", ["ratep 1", "ratep 2"]),
        ("ipv4 16 10 'burst 8'", "", ["ratep 1", "ratep 1"]),
        ("ipv4 1 10", "pktgen-send: 1 packets a second are less than one burst of 1 on each of 2 queues", []),
        ("ipv4 15 10 'burst 8'", "pktgen-send: 15 packets a second are less than one burst of 8", []),
    ],
)
def test_pktgen_send_says_which_rate_is_too_low(
    tmp_path: Path, given: str, told: str, rates: list[str]
) -> None:
    """pktgen takes a part of `ratep 0`, and says of the rest that there is no parameter `atep`."""
    folder, queues = tmp_path / "pktgen", tmp_path / "net" / "gen0" / "queues"
    for one in (folder / "kpktgend_0", folder / "kpktgend_1", queues / "tx-0", queues / "tx-1"):
        one.mkdir(parents=True)
    script = pktgen.SEND.replace("/proc/net/pktgen", str(folder)).replace(
        "/sys/class/net", str(tmp_path / "net")
    )
    told_to = script.replace('echo "$2" >"$folder/$1"', f'echo "$2" >>"{tmp_path}/log"')
    assert told_to != script
    done = subprocess.run(
        ["sh", "-c", f"set -- {given}\n{told_to}"], capture_output=True, text=True, timeout=10
    )
    assert done.stderr.startswith(told) and (done.returncode == 2) == bool(told), done.stderr
    log = (tmp_path / "log").read_text().splitlines() if (tmp_path / "log").exists() else []
    assert [line for line in log if line.startswith("ratep")] == rates


def test_a_machine_s_ports_end_at_namespaces_or_at_the_other_machine_s_tap() -> None:
    one, both = place.Place(Path("/x"), vm=True), place.Place(Path("/x"), vm=True, vm_generator=True)
    assert [guests.tap(one, *pair) for pair in guests.ports("dut")] == [("gen", "gen0"), ("sink", "sink0")]
    assert [guests.tap(both, *pair) for pair in guests.ports("dut")] == [
        ("gen", "to-dut0"),
        ("sink", "sink0"),
    ]
    assert [guests.tap(both, *pair) for pair in guests.ports("gen")] == [("gen", "to-gen0")]
    assert (guests.namespaces(one), guests.namespaces(both)) == (("gen", "sink"), ("sink",))
    generator = guests.guests(both)[1]
    assert (generator.folder, generator.file("serial.log")) == (Path("/x/generator"), "generator/serial.log")
    requests, own, ports = entries.descriptors(GENERATOR, "gen")
    said = " ".join(command(GENERATOR, ENTRY, own, ports, requests, "m", "gen"))
    assert f"netdev=n0,mac={topology.GEN0.mac}" in said and "netdev=n1" not in said


def test_its_lab_toml_is_pktgen_s_where_the_generator_is_a_machine() -> None:
    load = labfile.read_load(None, True, None, vm=True, vm_generator=True)
    (sends,) = lab_toml.parse(labfile.text(load, "", journal.VM_GENERATOR, Path("/lab"))).generators
    assert (sends.tool, sends.start, sends.stop) == ("linux-pktgen", "pktgen-send ipv6 5000 70", None)
    assert sends.at_rate == "pktgen-send ipv6 {rate} {time_limit}"
    full = labfile.read_load("full", False, "60s", vm=True, vm_generator=True)
    (sends,) = lab_toml.parse(labfile.text(full, "", journal.VM_GENERATOR, Path("/lab"))).generators
    assert sends.start == "pktgen-send ipv4 full 94"


def test_its_lab_toml_offers_what_an_emulated_machine_forwards() -> None:
    load = labfile.read_load(None, False, None, vm=True)
    lab = lab_toml.parse(labfile.text(load, "", journal.VM, Path("/lab")))
    assert (lab.name, lab.generators[0].tool) == ("vm-lab", "counters")
    assert "--pps=20000 " in (lab.generators[0].start or "")
    full = labfile.read_load("full", False, None, vm=True)
    assert full.rate is None
    assert lab_toml.parse(labfile.text(full, "", journal.VM, Path("/lab"))).generators[0].tool == "trafgen"


def test_everything_that_is_missing_is_in_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kernel_needs, "find", lambda name: None if "qemu" in name or "drop" in name else "/x")
    monkeypatch.setattr("os.geteuid", lambda: 0)
    monkeypatch.setattr(sys, "platform", "linux")
    with pytest.raises(FwdtuiError) as found:
        needs.require()
    assert str(found.value) == (
        "the VM lab needs qemu-system-x86_64, dropbear, dropbearkey "
        "(Debian: apt-get install dropbear-bin qemu-system-x86)"
    )


def test_a_place_says_which_lab_it_is() -> None:
    assert place.Place(Path("/x"), "two", vm=True).words == "the VM lab 'two'"
    assert place.Place(Path("/x")).words == "the kernel lab"


# -- the keeper


@pytest.fixture
def kept(tmp_path: Path) -> keeper.Keeper:
    (tmp_path / "keeper.json").write_text(json.dumps({"taps": [], "requests": 9}))
    for name in ("default", "other"):
        (tmp_path / f"boot-{name}.json").write_text(json.dumps({"command": ["true"]}))
    (tmp_path / "boot-next").write_text("default\n")
    return keeper.Keeper(tmp_path, 0)


def asked(kept: keeper.Keeper, text: str) -> str:
    ours, theirs = socket.socketpair()
    with ours, theirs:
        kept.request(text, ours)
        ours.close()
        return theirs.recv(4096).decode()


def test_the_guest_chooses_its_next_boot(kept: keeper.Keeper) -> None:
    assert asked(kept, "boot-entry other") == "ok next boot: other (of default, other)\n"
    assert (kept.folder / "boot-next").read_text() == "other\n"
    assert asked(kept, "boot-entry") == "ok next boot: other (of default, other)\n"
    assert "next boot: other" in (kept.folder / "keeper.log").read_text()


@pytest.mark.parametrize("name", ["none", "../default", "default.json", "*"])
def test_a_boot_entry_that_is_not_there_is_refused(kept: keeper.Keeper, name: str) -> None:
    assert asked(kept, f"boot-entry {name}").startswith("no there is no boot entry")
    assert kept.next_entry() == "default"


@pytest.mark.parametrize("text", ["", "ok next boot: other", "boot-entry a b", "login:", "\x00"])
def test_noise_on_the_line_and_our_own_echo_get_no_answer(kept: keeper.Keeper, text: str) -> None:
    assert asked(kept, text) == ""


def test_a_log_is_bounded_and_keeps_the_latest(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(keeper, "MOST", 1000)
    log = keeper.Log(tmp_path / "serial.log")
    for number in range(1000):
        log.write(f"line {number}\n".encode())
    assert sum(path.stat().st_size for path in tmp_path.iterdir()) <= 2000
    assert (tmp_path / "serial.log").read_text().endswith("line 999\n")


def test_it_starts_the_machine_again_after_each_reboot_and_gives_up_when_it_fails(
    kept: keeper.Keeper,
) -> None:
    """A stand-in for QEMU that chooses the other entry and reboots; the other one fails."""
    script = "echo hello; echo boot-entry other >&9; read -r said <&9; echo $said"
    (kept.folder / "boot-default.json").write_text(json.dumps({"command": ["sh", "-c", script]}))
    (kept.folder / "boot-other.json").write_text(
        json.dumps({"command": ["sh", "-c", "echo bad >&2; exit 3"]})
    )
    # as it is run, since it uses fixed numbers of descriptors
    done = subprocess.run([sys.executable, "-I", keeper.__file__, str(kept.folder), "0"], timeout=30)
    assert done.returncode == 1
    serial = (kept.folder / "serial.log").read_text()
    assert "hello\nok next boot: other (of default, other)\n" in serial
    log = (kept.folder / "keeper.log").read_text()
    assert [line.partition("Z ")[2].partition(":")[0] for line in log.splitlines() if " boot" in line] == [
        "boot default",
        "next boot",
        "boot other",
    ]
    assert "bad\n" in log
    assert "qemu ended with status 3" in log
    assert not (kept.folder / "dut.pid").exists()
