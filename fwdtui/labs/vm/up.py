"""Brings a VM lab up. For each step, the journal entry comes first, then the step itself."""

import filecmp
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import msgspec

from fwdtui.core.errors import FwdtuiError
from fwdtui.labs.kernel import journal, labfile, network, scripts, ssh, traffic, up
from fwdtui.labs.kernel.commands import Commands
from fwdtui.labs.kernel.down import remove
from fwdtui.labs.kernel.files import write
from fwdtui.labs.kernel.journal import VM, VM_GENERATOR, Journal
from fwdtui.labs.kernel.place import Place
from fwdtui.labs.vm import entries, guests, kernels, needs, running, status, taps
from fwdtui.labs.vm.guests import Guest
from fwdtui.labs.vm.machine import GENERATOR, Machine, check, options
from fwdtui.transport import trusted

_SETTLES = 30.0  # seconds from the first answer until packets get through: e1000e's link comes 2.5 s late


def bring_up(
    where: Place,
    machine: Machine | None = None,
    kernel: str | None = None,
    append: str = "",
    generator: str | None = None,
    say: Callable[[str], None] = lambda text: None,
) -> str:
    """Bring the lab up and return one sentence about it. A lab that is already up stays as it is.

    `machine`, `kernel`: None for the default. `append`: the user's options for the kernel. `generator`: the
    kernel of a generator that is a virtual machine as well; None for one that is a namespace. `say` is told
    when something boots. Raises FwdtuiError if a step fails; then nothing is left behind.
    """
    needs.require()
    if machine is not None:
        check(machine)
    options(append)
    if kernel is not None or journal.read(where.folder) is None:
        # found before anything is made: a download may take long, or fail
        kernels.find(kernel or kernels.default((machine or Machine()).driver))
    if generator is not None:
        kernels.find(generator)
    wanted = Wanted(machine, kernel, append, generator)
    return up.in_folder(where, lambda commands, made: _bring_up(commands, where, wanted, made, say))


@dataclass(frozen=True)
class Wanted:
    """What `bring_up` was asked for."""

    machine: Machine | None
    kernel: str | None
    append: str
    generator: str | None


def _bring_up(
    commands: Commands, where: Place, wanted: Wanted, made: bool, say: Callable[[str], None]
) -> str:
    before = ""
    if record := journal.read(where.folder):
        if record.mode not in (VM, VM_GENERATOR):
            raise FwdtuiError(f"{where.words} already exists: take it down first, or use --name")
        broken = status.problems(commands, where, record)
        if not broken:
            there = status.machine(where)
            other = wanted.machine not in (None, there) or wanted.kernel or wanted.append
            if other or sends_otherwise(where, wanted.generator):
                raise FwdtuiError(f"{where.words} is up ({there.words}): take it down first for another one")
            return f"{where.words} is already up ({there.words})"
        # Found before anything is removed, but only once it is known that the lab is broken: for a machine
        # that is refused no kernel is needed, and it may have to be downloaded.
        kernels.find(wanted.kernel or kernels.default((wanted.machine or Machine()).driver))
        before = f"; the remains of an earlier one were removed ({broken[0]})"
        made = made or record.made_folder
        remove(commands, where, record, keep_folder=True)
    # from here on `where` describes the new lab, not the earlier one that was removed
    where = replace(where, vm=True, vm_generator=wanted.generator is not None)
    machine = wanted.machine or Machine()
    several = "two virtual machines" if where.vm_generator else "a virtual machine"
    say(f"booting {several} (emulated: some seconds)")
    with up.removed_if_it_fails(commands, where, made):
        default = _build(commands, where, machine, wanted, made)
    sends = f"; the generator: {GENERATOR.words}" if where.vm_generator else ""
    return f"{where.words} is up ({machine.words}; {default.words}{sends}){before}"


def sends_otherwise(where: Place, kernel: str | None) -> bool:
    """Whether a generator with this kernel was asked for, but the lab has another. Raises FwdtuiError."""
    if kernel is None:
        return False
    there = entries.read(Guest(where, guests.GENERATOR)).get(entries.DEFAULT)
    # compared by content, since for the user's own image the entry has a copy
    return there is None or not filecmp.cmp(there.entry.kernel, kernels.find(kernel).image, shallow=False)


def _build(
    commands: Commands, where: Place, machine: Machine, wanted: Wanted, made_folder: bool
) -> entries.Stored:
    namespaces, mode = guests.namespaces(where), VM_GENERATOR if where.vm_generator else VM
    with network.choosing_slot(commands) as slot:
        book = Journal(where.folder / journal.NAME)
        book.begin(where.name, slot, mode, made_folder)
        network.make_namespaces(commands, where, book)
        network.make_management(commands, where, book, slot, namespaces)
        taps.make(commands, where, book, slot)

    def keep(name: str) -> Path:
        book.will_make_file(name)
        path = where.folder / name
        path.parent.mkdir(mode=0o700, exist_ok=True)
        return path

    machines = guests.guests(where)
    write(keep(status.MACHINE), msgspec.json.encode(machine))
    ssh.make_keys(commands, keep, namespaces)
    for guest in machines:
        _make_guest_key(commands, guest, keep)
    ssh.write_client_files(where, slot, keep)

    def boot(guest: Guest, machine: Machine, kernel: str, append: str) -> entries.Stored:
        running.write_keeper(guest, slot, machine, keep)
        stored = entries.add(guest, slot, machine, entries.DEFAULT, kernel, append, keep)
        write(keep(guest.file(entries.NEXT)), entries.DEFAULT + "\n")
        running.start(guest)  # the guest boots while the rest is made
        return stored

    default = boot(machines[0], machine, wanted.kernel or kernels.default(machine.driver), wanted.append)
    for guest in machines[1:]:
        boot(guest, GENERATOR, wanted.generator or kernels.default(GENERATOR.driver), "")
    write(keep("send"), scripts.SEND)
    for family, ipv6 in (("ipv4", False), ("ipv6", True)):
        write(keep(f"{family}.trafgen"), traffic.trafgen_config(ipv6))
        write(keep(f"{family}.pcap"), traffic.pcap(ipv6))
    ssh.start(commands, where, slot, keep, namespaces)
    load = labfile.own_load(True, where.vm_generator)
    write(keep(where.lab_file.name), labfile.text(load, where.name, mode, where.folder))
    for guest in machines:
        running.await_answer(guest, slot)
    _await_whole(commands, where, book)
    trusted.made(where.folder, until_boot=True)  # these files are ours, so their use needs no question
    book.is_complete()
    return default


def _make_guest_key(commands: Commands, guest: Guest, keep: entries.Keep) -> None:
    """Makes the host key. dropbear has its own format for the private key; the public one is usual."""
    key = keep(guest.file("dropbear_key"))
    commands.run("dropbearkey", "-t", "ed25519", "-f", str(key))
    said = commands.run("dropbearkey", "-y", "-f", str(key))
    public = next((line for line in said.splitlines() if line.startswith("ssh-ed25519 ")), None)
    if public is None:
        raise FwdtuiError("the VM lab: dropbearkey printed no public key")
    write(keep(f"host_key_{guest.host}.pub"), public + "\n")


def _await_whole(commands: Commands, where: Place, book: Journal) -> None:
    until = time.monotonic() + _SETTLES
    while broken := status.faults(commands, where, book):
        if time.monotonic() > until:
            raise FwdtuiError(f"{where.words}: it was built but does not work: {broken[0]}")
        time.sleep(0.2)
