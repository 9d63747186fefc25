"""Kernels and modules of the VM lab: where they are from, and which a guest gets."""

import gzip
import lzma
import os
import signal
import subprocess
import sys
import tarfile
from io import BytesIO
from pathlib import Path

import pytest
from kernel_lab_use import wait_for

from fwdtui.core.errors import FwdtuiError
from fwdtui.labs.kernel import needs as kernel_needs
from fwdtui.labs.kernel import place
from fwdtui.labs.vm import entries, guests, initramfs, kernels, modules
from fwdtui.labs.vm import up as vm_up
from fwdtui.labs.vm.machine import GENERATOR, Machine

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


KILLED_WHILE_APT_GET_DOWNLOADS = """
import os, signal
from fwdtui.labs.vm import kernels

run = kernels.subprocess.run
kernels.subprocess.run = lambda *argv, **options: run(
    ["sh", "-c", 'echo part >x.deb.part; sleep 600 >&- 2>&- & echo $! >pid; kill -9 $PPID'], **options
)
kernels._download("linux-image-9.9-cloud-amd64")
"""


def test_what_a_killed_download_left_is_removed_by_the_next_start_once_nothing_works_on_it(
    own_cache: Path, tmp_path: Path
) -> None:
    done = subprocess.run([sys.executable, "-c", KILLED_WHILE_APT_GET_DOWNLOADS], timeout=60)
    assert done.returncode == -signal.SIGKILL
    (left,) = own_cache.iterdir()
    apt = int((left / "pid").read_text())
    own = str(package(tmp_path, "linux-image-9.9-mine", "9.9-mine"))
    try:
        kernels.find(own)
        assert left.exists(), "what apt-get downloads for somebody who is no more is its own until it ends"
    finally:
        os.kill(apt, signal.SIGKILL)
    wait_for(lambda: kernels.find(own) and not left.exists(), "it is removed")
    assert [path.name[:4] for path in own_cache.iterdir()] == ["own-"]


def test_a_folder_that_a_living_download_works_in_is_left_alone(own_cache: Path, tmp_path: Path) -> None:
    with kernels._fresh() as (fresh, _):
        kernels.find(str(package(tmp_path, "linux-image-9.9-mine", "9.9-mine")))
        assert fresh.is_dir()
    assert not fresh.exists()


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
