"""The boot entries of a VM lab: each is a kernel and a command line under a name. One of them is next."""

import re
from collections.abc import Callable
from pathlib import Path

import msgspec

from fwdtui.core.errors import FwdtuiError
from fwdtui.labs.kernel.files import write
from fwdtui.labs.vm import guests, initramfs, kernels
from fwdtui.labs.vm.guests import Guest
from fwdtui.labs.vm.machine import Entry, Machine, command, options

DEFAULT = "default"
NEXT = "boot-next"

# the numbers of the descriptors in QEMU; the keeper opens them under these numbers
_REQUESTS = 20
_MANAGEMENT = 21
_FIRST = 22

_NAME = re.compile(r"[a-z0-9][a-z0-9.-]{0,31}")

Keep = Callable[[str], Path]
"""Records a file of the lab in the journal before it is written, and returns its path."""


class Stored(msgspec.Struct, frozen=True):
    """A boot entry as it is in its file: the entry itself, and QEMU's command line for the keeper."""

    entry: Entry
    command: list[str]

    @property
    def words(self) -> str:
        """The entry in words: ``linux-image-6.1.0-49-cloud-amd64, mitigations=off``."""
        return ", ".join(filter(None, (self.entry.label, self.entry.append)))


def descriptors(machine: Machine, host: str = "dut") -> tuple[int, int, list[list[int]]]:
    """The descriptors of the requests' socket, the management tap, and the queues of each test port."""
    numbers = range(len(guests.ports(host)))
    ports = [[_FIRST + port * machine.queues + queue for queue in range(machine.queues)] for port in numbers]
    return _REQUESTS, _MANAGEMENT, ports


def add(guest: Guest, slot: int, machine: Machine, name: str, kernel: str, append: str, keep: Keep) -> Stored:
    """Makes or replaces a boot entry, with an initramfs for its kernel. Raises FwdtuiError."""
    if not _NAME.fullmatch(name):
        raise FwdtuiError(
            f"boot entry {name!r}: expected up to 32 lower-case letters, digits, dots and dashes"
        )
    append = options(append)
    wanted = kernels.find(kernel)
    keys = (guest.folder / "dropbear_key", guest.where.folder / "authorized_keys")
    image = initramfs.build(wanted, machine.driver, f"{guest.address(slot)}/30", keys, guest.host)
    path = write(keep(guest.file(f"initramfs-{name}")), image)
    bootable = wanted.image
    if not kernels.is_kept(bootable):  # if it is built again, it would be another kernel at the next boot
        bootable = write(keep(guest.file(f"kernel-{name}")), bootable.read_bytes())
    entry = Entry(str(bootable), str(path), append, wanted.label)
    requests, own, ports = descriptors(machine, guest.host)
    stored = Stored(entry, command(machine, entry, own, ports, requests, "monitor.socket", guest.host))
    write(keep(guest.file(_file(name))), msgspec.json.format(msgspec.json.encode(stored)))
    return stored


def read(guest: Guest) -> dict[str, Stored]:
    """All boot entries by name, in order. Raises FwdtuiError for a file that is not as it was written."""
    entries = {}
    for path in sorted(guest.folder.glob("boot-*.json")):
        try:
            entries[path.name.removeprefix("boot-").removesuffix(".json")] = msgspec.json.decode(
                path.read_bytes(), type=Stored
            )
        except (OSError, msgspec.DecodeError) as error:
            raise FwdtuiError(f"{path}: {error}") from None
    return entries


def following(guest: Guest) -> str:
    """The entry of the next boot; "" if that is not known."""
    try:
        return (guest.folder / NEXT).read_text()[:64].strip()
    except OSError:
        return ""


def choose(guest: Guest, name: str) -> None:
    """Use this entry from the next boot on. Raises FwdtuiError if there is no entry of that name."""
    known = read(guest)
    if name not in known:
        raise FwdtuiError(f"no boot entry {name!r}; there are {', '.join(known)}")
    write(guest.folder / NEXT, name + "\n")


def _file(name: str) -> str:
    return f"boot-{name}.json"
