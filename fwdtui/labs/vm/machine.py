"""The virtual machine as data, and the command line of QEMU for one boot of it. Pure."""

import re
from collections.abc import Sequence

import msgspec

from fwdtui.core.errors import FwdtuiError
from fwdtui.labs.kernel import topology
from fwdtui.labs.vm.guest import MANAGEMENT_MAC

DRIVERS = ("virtio", "vmxnet3", "e1000e")
QEMU = "qemu-system-x86_64"
MEMORY = 256  # megabytes: 128 are enough to boot, and the files of modules need some
MOST = 16  # the most queues, and the most CPUs
_OPTIONS = re.compile(r"[\x21-\x7e]([\x20-\x7e]{0,1022}[\x21-\x7e])?")
_CONSOLE = "console=ttyS0 quiet"
# The emulator translates code for each address at which it runs, and so again for each process that has it
# elsewhere: with fixed addresses a boot takes half of the processor time, and a new process a third.
# Neither fixed addresses nor page tables of four levels nor the missing self-tests of ciphers affect the path
# of a packet.
_CHEAPER = "norandmaps nokaslr no5lvl cryptomgr.notests"
# The emulator does `rep stosb` and `rep movsb` a byte at a time, which is how a kernel clears and copies
# pages on a CPU that is said to be quick at it. Without that, a new process takes a ninth less processor
# time, and `sysctl -a` a quarter less.
_CPU = "max,-erms,-fsrm"
_MULTIQUEUE = ("virtio",)  # vmxnet3 takes as many queues as there are CPUs by itself; e1000e has one


class Machine(msgspec.Struct, frozen=True):
    """What stays the same from boot to boot.

    `driver`: that of both test ports; `queues`: receive queues of each port; `memory`: in megabytes.
    """

    driver: str = DRIVERS[0]
    queues: int = 1
    cpus: int = 2
    memory: int = MEMORY

    @property
    def words(self) -> str:
        """The machine in words: ``virtio, 2 queues, 2 CPUs``."""
        queues = f", {self.queues} queues" if self.queues > 1 else ""
        return f"{self.driver}{queues}, {self.cpus} CPU{'s' * (self.cpus > 1)}"


GENERATOR = Machine(queues=2)
"""The machine of a generator, whatever the DUT's is. pktgen has a thread for each CPU, and so each queue."""


class Entry(msgspec.Struct, frozen=True):
    """A boot entry: absolute paths of kernel and initramfs, the user's part of the command line, a label."""

    kernel: str
    initramfs: str
    append: str = ""
    label: str = ""


def check(machine: Machine) -> Machine:
    """Returns `machine`. Raises FwdtuiError if there can be no such machine."""
    if machine.driver not in DRIVERS:
        raise FwdtuiError(f"--driver {machine.driver}: expected {', '.join(DRIVERS)}")
    for option, value in (("--queues", machine.queues), ("--cpus", machine.cpus)):
        if not 1 <= value <= MOST:
            raise FwdtuiError(f"{option} {value}: expected 1 to {MOST}")
    if machine.queues > 1 and machine.driver not in _MULTIQUEUE:
        raise FwdtuiError(
            f"--queues {machine.queues}: works only with --driver virtio, not with {machine.driver}"
        )
    if machine.queues > machine.cpus:
        # the driver uses one pair of queues per CPU, even if the device has more
        raise FwdtuiError(
            f"--queues {machine.queues}: more queues than CPUs ({machine.cpus}); add --cpus {machine.queues}"
        )
    return machine


def options(append: str) -> str:
    """Checks the user's kernel options and returns them. Raises FwdtuiError."""
    if append and not _OPTIONS.fullmatch(append):
        raise FwdtuiError("--append: expected up to 1024 plain characters in one line")
    return append


def command(
    machine: Machine,
    entry: Entry,
    management: int,
    ports: Sequence[Sequence[int]],
    requests: int,
    monitor: str,
    host: str = "dut",
) -> list[str]:
    """The command line for one boot of `host`.

    `management` and `ports` are descriptors of open taps (one per queue of each port), `requests` is that of
    a connected socket to the keeper, and `monitor` the path of the monitor's socket. A reboot ends QEMU: the
    keeper starts it again, perhaps with another entry.
    """
    device = {"virtio": "virtio-net-pci", "vmxnet3": "vmxnet3", "e1000e": "e1000e"}[machine.driver]
    argv = [
        *(QEMU, "-name", f"fwdtui-{host}", "-M", "q35", "-cpu", _CPU),
        *("-accel", "tcg,thread=multi,tb-size=128"),
        *("-smp", str(machine.cpus), "-m", str(machine.memory), "-nodefaults", "-no-user-config"),
        *("-display", "none", "-no-reboot", "-serial", "stdio"),
        *("-chardev", f"socket,id=requests,fd={requests}", "-serial", "chardev:requests"),
        *("-monitor", f"unix:{monitor},server=on,wait=off"),
        *("-kernel", entry.kernel, "-initrd", entry.initramfs),
        *("-append", " ".join(filter(None, (_CONSOLE, _CHEAPER, entry.append)))),
        *("-netdev", f"tap,id=mgmt,fd={management},vhost=off"),
        *("-device", f"virtio-net-pci,netdev=mgmt,mac={MANAGEMENT_MAC},romfile="),
    ]
    cards = [port for link in topology.LINKS for port in link if port.host == host]
    for number, (port, taps) in enumerate(zip(cards, ports, strict=True)):
        several = len(taps) > 1
        descriptors = f"fds={':'.join(map(str, taps))}" if several else f"fd={taps[0]}"
        # vectors: one for each queue of either direction, one for the configuration, one for control
        more = f",mq=on,vectors={2 * len(taps) + 2}" if several else ""
        argv += ["-netdev", f"tap,id=n{number},{descriptors},vhost=off"]
        argv += ["-device", f"{device},netdev=n{number},mac={port.mac},romfile={more}"]
    return argv
