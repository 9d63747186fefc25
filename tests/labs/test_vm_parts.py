"""What of the VM lab needs no machine: archive, modules, QEMU's command line, the guest's files, keeper."""

import gzip
import json
import lzma
import socket
import stat
import subprocess
import sys
import tarfile
from io import BytesIO
from pathlib import Path

import pytest

from fwdtui.core import lab as lab_toml
from fwdtui.core.errors import FwdtuiError
from fwdtui.labs.kernel import journal, labfile, place, topology
from fwdtui.labs.kernel import needs as kernel_needs
from fwdtui.labs.vm import cpio, entries, guest, guests, initramfs, keeper, kernels, modules, needs, pktgen
from fwdtui.labs.vm import up as vm_up
from fwdtui.labs.vm.machine import GENERATOR, Entry, Machine, check, command, options

# -- the archive


def unpacked(archive: bytes) -> dict[str, tuple[int, bytes]]:
    """Path -> mode and content, by the format's description."""
    found, at = {}, 0
    while True:
        assert archive[at : at + 6] == b"070701"
        field = [int(archive[at + 6 + 8 * n : at + 14 + 8 * n], 16) for n in range(13)]
        mode, size, length = field[1], field[6], field[11]
        name = archive[at + 110 : at + 110 + length]
        assert name[-1:] == b"\0"
        content = (at + 110 + length + 3) & ~3
        if name == b"TRAILER!!!\0":
            return found
        assert name[:-1].decode() not in found
        found[name[:-1].decode()] = mode, archive[content : content + size]
        at = (content + size + 3) & ~3


def test_an_archive_has_every_file_once_after_its_folders() -> None:
    written = cpio.archive(
        [
            cpio.file("a/b/c.txt", "odd", 0o640),
            cpio.link("bin/sh", "/bin/dash"),
            cpio.folder("a", 0o700),
            cpio.file("empty", b""),
            cpio.device("dev/console", 5, 1),
        ]
    )
    found = unpacked(written)
    assert list(found) == ["a", "a/b", "a/b/c.txt", "bin", "bin/sh", "dev", "dev/console", "empty"]
    assert found["a"] == (stat.S_IFDIR | 0o700, b"")
    assert found["a/b"] == (stat.S_IFDIR | 0o755, b"")
    assert found["a/b/c.txt"] == (stat.S_IFREG | 0o640, b"odd")
    assert found["bin/sh"] == (stat.S_IFLNK | 0o777, b"/bin/dash")
    assert found["dev/console"] == (stat.S_IFCHR | 0o600, b"")
    assert found["empty"] == (stat.S_IFREG | 0o644, b"")
    assert len(written) % 4 == 0


def test_a_real_cpio_unpacks_it(tmp_path: Path) -> None:
    busybox = kernel_needs.find("busybox")
    if busybox is None:
        pytest.skip("not installed: busybox")
    written = cpio.archive([cpio.file("x/run", "#!/bin/sh\n", 0o755), cpio.link("x/to", "run")])
    subprocess.run(
        [busybox, "cpio", "-i", "-d"], input=written, cwd=tmp_path, check=True, capture_output=True
    )
    assert (tmp_path / "x/to").read_text() == "#!/bin/sh\n"
    assert (tmp_path / "x/run").stat().st_mode & 0o777 == 0o755


# -- modules


def module(*pairs: str) -> bytes:
    return b"\x7fELF ... \0" + b"".join(pair.encode() + b"\0" for pair in pairs) + b"\0\0"


NET = modules.read(
    "kernel/drivers/net/virtio_net.ko.xz", module("depends=net_failover,virtio-ring", "alias=virtio:d1")
)
FAILOVER = modules.read("kernel/net/net_failover.ko", module("depends=", "alias=a b"))
RING = modules.read("kernel/drivers/virtio/virtio-ring.ko", module("softdep=pre: crc32c", "depends=virtio"))
KNOWN = {one.name: one for one in (NET, FAILOVER, RING)}


def test_a_module_says_what_it_needs_and_what_asks_for_it() -> None:
    assert (NET.name, NET.path) == ("virtio_net", "kernel/drivers/net/virtio_net.ko")
    assert NET.depends == ("net_failover", "virtio_ring")
    assert NET.aliases == ("virtio:d1",)
    assert RING.depends == ("virtio", "crc32c")


def test_modules_come_after_what_they_need_and_what_is_built_in_is_left_out() -> None:
    assert [one.name for one in modules.chosen(["virtio_net", "virtio_net"], KNOWN)] == [
        "net_failover",
        "virtio_ring",
        "virtio_net",
    ]
    assert modules.chosen(["no_such"], KNOWN) == []


def test_modules_that_need_each_other_end() -> None:
    one = modules.read("a.ko", module("depends=b"))
    other = modules.read("b.ko", module("depends=a"))
    assert {found.name for found in modules.chosen(["a"], {"a": one, "b": other})} == {"a", "b"}


def test_modprobe_finds_them_by_its_two_files() -> None:
    assert modules.dependency_file(modules.chosen(["virtio_net"], KNOWN)).splitlines() == [
        "kernel/net/net_failover.ko:",
        "kernel/drivers/virtio/virtio-ring.ko:",
        "kernel/drivers/net/virtio_net.ko: kernel/drivers/virtio/virtio-ring.ko kernel/net/net_failover.ko",
    ]
    # a name with a space would be two columns
    assert modules.alias_file([NET, FAILOVER]) == "alias virtio:d1 virtio_net\n"


# -- kernels


def bzimage(version: str) -> bytes:
    head = bytearray(0x1000)
    head[0x1FE:0x200] = b"\x55\xaa"
    head[0x202:0x206] = b"HdrS"
    head[0x20E:0x210] = (0x300).to_bytes(2, "little")
    words = f"{version} (debian@example) #1 SMP\0".encode()
    head[0x500 : 0x500 + len(words)] = words
    return bytes(head)


@pytest.fixture
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return kernels.cache()


def package(
    folder: Path, name: str, version: str, end: str = "xz", packed: bytes = lzma.compress(module("depends="))
) -> Path:
    """A package file as dpkg-deb makes it, with a kernel, a module that is wanted and one that is not."""
    if kernel_needs.find("dpkg-deb") is None:
        pytest.skip("not installed: dpkg-deb (dpkg)")
    root = folder / "tree"
    files = {
        "DEBIAN/control": b"Package: %b\nVersion: 1\nArchitecture: amd64\nMaintainer: x\nDescription: x\n"
        % name.encode(),
        f"boot/vmlinuz-{version}": bzimage(version),
        f"lib/modules/{version}/kernel/drivers/net/virtio_net.ko.{end}": packed,
        f"lib/modules/{version}/kernel/drivers/gpu/drm.ko": module("depends="),
        "usr/share/doc/readme": b"x",
    }
    for path, content in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_bytes(content)
    made = folder / f"{name}_1_amd64.deb"
    subprocess.run(["dpkg-deb", "--build", str(root), str(made)], check=True, capture_output=True)
    return made


def test_of_a_package_the_kernel_and_a_router_s_modules_are_kept(own_cache: Path, tmp_path: Path) -> None:
    found = kernels.find(str(package(tmp_path, "linux-image-9.9-cloud-amd64", "9.9-cloud")))
    assert (found.version, list(found.modules())) == ("9.9-cloud", ["virtio_net"])
    assert kernels.content(found.modules()["virtio_net"]) == module("depends=")
    assert [path.name[:4] for path in own_cache.iterdir()] == ["own-"]


def test_a_package_that_was_built_anew_is_the_new_kernel_although_its_name_is_the_same(
    own_cache: Path, tmp_path: Path
) -> None:
    name = "linux-image-6.12-mine"
    path = package(tmp_path, name, "6.12-mine")
    before = kernels.find(str(path))
    (tmp_path / "tree/boot/vmlinuz-6.12-mine").unlink()
    assert package(tmp_path, name, "6.12-mine-patched") == path
    after = kernels.find(str(path))
    assert (before.version, after.version) == ("6.12-mine", "6.12-mine-patched")
    # an entry that was made of the first one still boots that one, and a list tells the two apart
    assert kernels.release(before.image) == "6.12-mine" and kernels.is_kept(before.image)
    assert before.label != after.label
    assert {one.label.partition(" (SHA-256 ")[0] for one in (before, after)} == {name}


def test_a_package_file_of_one_s_own_does_not_stand_for_the_package_of_its_name(
    own_cache: Path, tmp_path: Path
) -> None:
    name = "linux-image-9.9-cloud-amd64"
    package(tmp_path, name, "9.9-cloud").rename(own_cache / f"{name}_1.deb")
    official = kernels.find(name)
    (tmp_path / "tree/boot/vmlinuz-9.9-cloud").unlink()
    assert kernels.find(str(package(tmp_path, name, "9.9-patched"))).version == "9.9-patched"
    assert kernels.find(name) == official


def test_a_newer_package_file_in_the_cache_folder_replaces_what_was_unpacked_of_the_one_before(
    own_cache: Path, tmp_path: Path
) -> None:
    name = "linux-image-9.9-cloud-amd64"
    for version in ("9.9-1", "9.9-2"):
        package(tmp_path, name, version).rename(own_cache / f"{name}_1.deb")
        assert kernels.find(name).version == version
        (tmp_path / f"tree/boot/vmlinuz-{version}").unlink()


def test_a_package_in_the_cache_folder_is_found_by_its_name_without_a_network(
    own_cache: Path, tmp_path: Path
) -> None:
    package(tmp_path, "linux-image-9.9-cloud-amd64", "9.9-cloud").rename(
        own_cache / "linux-image-9.9-cloud-amd64_1.deb"
    )
    first = kernels.find("linux-image-9.9-cloud-amd64")
    assert first == kernels.find("linux-image-9.9-cloud-amd64")  # unpacked, by now
    assert (first.label, first.version) == ("linux-image-9.9-cloud-amd64", "9.9-cloud")


def test_what_a_package_unpacks_stays_in_its_folder(
    own_cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tar = BytesIO()
    with tarfile.open(fileobj=tar, mode="w") as out:
        for name in (
            "./boot/vmlinuz-1",
            "./lib/modules/1/kernel/net/../../../../../../evil.ko",
            "./boot/../../x",
        ):
            entry = tarfile.TarInfo(name)
            entry.size = len(bzimage("1"))
            out.addfile(entry, BytesIO(bzimage("1")))
    program = tmp_path / "bin/dpkg-deb"
    program.parent.mkdir()
    (tmp_path / "tar").write_bytes(tar.getvalue())
    program.write_text(f"#!/bin/sh\ncat {tmp_path}/tar\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}/bin:/usr/bin:/bin")
    (tmp_path / "one.deb").write_bytes(b"")
    found = kernels.find(str(tmp_path / "one.deb"))
    assert found.version == "1"
    assert [path for path in tmp_path.rglob("*") if path.name in ("evil.ko", "x")] == []


def test_a_kernel_of_one_s_own_brings_its_modules(tmp_path: Path) -> None:
    (tmp_path / "boot").mkdir()
    (tmp_path / "boot/vmlinuz-6.1-mine").write_bytes(bzimage("6.1-mine"))
    assert kernels.find(str(tmp_path)).folder is None
    (tmp_path / "lib/modules/6.1-mine/kernel").mkdir(parents=True)
    for given in (tmp_path, tmp_path / "boot/vmlinuz-6.1-mine"):
        assert kernels.find(str(given)).folder == tmp_path / "lib/modules/6.1-mine"


def test_modules_are_read_as_they_are_packed_or_named(own_cache: Path, tmp_path: Path) -> None:
    net = module("depends=net_failover")
    for name, packed in (("a.ko", net), ("b.ko.xz", lzma.compress(net)), ("c.ko.gz", gzip.compress(net))):
        (tmp_path / name).write_bytes(packed)
        assert kernels.content(tmp_path / name) == net
    for name, packed in (("a.ko.zst", b"\x28\xb5\x2f\xfd"), ("b.ko.gz", b"no gzip"), ("b.ko.xz", b"no xz")):
        (tmp_path / name).write_bytes(packed)
        with pytest.raises(FwdtuiError, match=name):
            kernels.content(tmp_path / name)
    found = kernels.find(str(package(tmp_path, "linux-image-9.9-mine", "9.9-mine", "zst", net)))
    with pytest.raises(FwdtuiError, match="zstd, which is not read"):
        kernels.content(found.modules()["virtio_net"])


def test_of_a_folder_its_one_kernel_is_taken_and_not_the_one_before_it(tmp_path: Path) -> None:
    """As `make install` leaves it after the second build, and Debian's installkernel."""
    boot = tmp_path / "boot"
    boot.mkdir()
    (boot / "vmlinuz.old").write_bytes(bzimage("6.12-first"))
    (boot / "vmlinuz-6.12").write_bytes(bzimage("6.12-second"))
    (boot / "vmlinuz").symlink_to("vmlinuz-6.12")
    assert kernels.find(str(tmp_path)).version == "6.12-second"
    (boot / "vmlinuz-6.9").write_bytes(bzimage("6.9"))
    with pytest.raises(FwdtuiError, match=r"several kernels in it \(vmlinuz-6.12, vmlinuz-6.9\): give"):
        kernels.find(str(tmp_path))
    assert kernels.find(str(boot / "vmlinuz-6.12")).version == "6.12-second"


def test_a_boot_entry_of_an_image_of_one_s_own_stays_the_kernel_that_it_was(
    own_cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of two entries made of one bzImage, before a patch and after it, each boots its own."""
    monkeypatch.setattr(initramfs, "build", lambda *_: b"")  # this machine's programs, which it is not about
    built, lab_folder = tmp_path / "bzImage", tmp_path / "lab"
    lab_folder.mkdir()
    dut, made = guests.Guest(place.Place(lab_folder, vm=True)), []

    def keep(name: str) -> Path:
        made.append(name)
        return lab_folder / name

    for name, version in (("base", "6.12"), ("patched", "6.12-patched")):
        built.write_bytes(bzimage(version))
        entries.add(dut, 0, Machine(), name, str(built), "", keep)
    boots = {name: stored.entry.kernel for name, stored in entries.read(dut).items()}
    assert {name: kernels.release(Path(image)) for name, image in boots.items()} == {
        "base": "6.12",
        "patched": "6.12-patched",
    }
    assert all(image in entries.read(dut)[name].command for name, image in boots.items())
    assert {"kernel-base", "kernel-patched"} < set(made), "taken away with the lab"


def test_a_generator_of_another_kernel_is_not_the_one_that_is_up(
    own_cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(initramfs, "build", lambda *_: b"")
    for name in ("linux-image-9.9-cloud-amd64", "linux-image-9.9-amd64"):
        (own_cache / f"{name}_1" / "boot").mkdir(parents=True)
        (own_cache / f"{name}_1" / "boot/vmlinuz").write_bytes(bzimage(name.removeprefix("linux-image-")))
    (own_cache / "cloud").write_text("linux-image-9.9-cloud-amd64\n")
    (own_cache / "standard").write_text("linux-image-9.9-amd64\n")
    where = place.Place(tmp_path / "lab", vm=True, vm_generator=True)
    generator = guests.Guest(where, guests.GENERATOR)
    assert vm_up.sends_otherwise(where, "cloud"), "there is none"
    generator.folder.mkdir(parents=True)
    entries.add(generator, 0, GENERATOR, entries.DEFAULT, "cloud", "", lambda name: where.folder / name)
    assert not vm_up.sends_otherwise(where, "cloud")
    assert not vm_up.sends_otherwise(where, None), "as it is"
    assert vm_up.sends_otherwise(where, "standard")
    own = tmp_path / "bzImage"
    own.write_bytes(bzimage("9.9-mine"))
    entries.add(generator, 0, GENERATOR, entries.DEFAULT, str(own), "", lambda name: where.folder / name)
    assert not vm_up.sends_otherwise(where, str(own))
    own.write_bytes(bzimage("9.9-patched"))
    assert vm_up.sends_otherwise(where, str(own))


@pytest.mark.parametrize("wanted", ["clod", "linux-image-;rm", "linux-headers-6.1", ""])
def test_what_names_no_kernel_is_refused_in_one_line(own_cache: Path, wanted: str) -> None:
    with pytest.raises(FwdtuiError, match="--kernel"):
        kernels.find(wanted)


def test_a_file_that_is_no_kernel_is_named(tmp_path: Path) -> None:
    (tmp_path / "x").write_bytes(b"#!/bin/sh\n")
    with pytest.raises(FwdtuiError, match="not a Linux kernel"):
        kernels.find(str(tmp_path / "x"))
    with pytest.raises(FwdtuiError, match="no such file"):
        kernels.find(str(tmp_path / "y"))


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
        (Machine("e1000e", queues=2), "only virtio"),
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
