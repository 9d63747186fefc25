"""Which parts of a VM lab are up and what is broken. It is checked again each time."""

from collections.abc import Sequence

import msgspec

from fwdtui.core.errors import FwdtuiError
from fwdtui.labs.kernel import journal, needs, place, status
from fwdtui.labs.kernel.commands import Commands
from fwdtui.labs.kernel.journal import Journal
from fwdtui.labs.kernel.place import Place
from fwdtui.labs.kernel.status import Status
from fwdtui.labs.vm import entries, guests, running
from fwdtui.labs.vm.guests import Guest
from fwdtui.labs.vm.machine import Machine

MACHINE = "machine.json"


def inspect(where: Place) -> Status:
    """Check the lab. Raises FwdtuiError without the necessary rights or programs."""
    nothing = Status(False, (), (f"{where.words} is not up",))
    if journal.read(where.folder) is None:
        return nothing
    needs.require({name: needs.PACKAGES[name] for name in ("ip", "nft")}, "the VM lab")
    try:
        with place.locked(where) as lock:
            record = journal.read(where.folder)
            return _look(Commands(lock), where, record) if record else nothing
    except place.FolderGoneError:  # the lab was taken down while we waited for the lock
        return nothing


def problems(commands: Commands, where: Place, record: Journal) -> list[str]:
    """What is missing from a complete lab, one line each. If all seems well, a probe is sent through it."""
    return status.incomplete(where, record) or faults(commands, where, record)


def faults(commands: Commands, where: Place, record: Journal) -> list[str]:
    """What does not work in a lab whose namespaces exist."""
    broken = [fault for guest in guests.guests(where) for fault in _of_machine(guest, record.slot)]
    # checked after the machines: without them their taps are down
    broken += status.on_hosts(commands, where, record, guests.namespaces(where))
    if broken or not where.vm_generator:
        return broken or status.probe(commands, where)
    return status.probe(commands, where, lambda targets: _send(Guest(where, guests.GENERATOR), targets))


def _of_machine(guest: Guest, slot: int) -> list[str]:
    keeping, runs = running.pids(guest)
    if keeping is None:
        last = running.last_words(guest, "keeper.log")
        how = " --generator" if guest.host == guests.GENERATOR else ""
        return [f"{guest.host}: its machine was given up ({last}); `fwdtui lab reset{how}` starts it"]
    if runs is None:
        return [f"{guest.host}: its machine is between two boots"]
    if not running.answers(guest, slot):
        last = running.last_words(guest, "serial.log")
        return [f"{guest.host}: no ssh server answers; last line on its serial console: {last}"]
    return []


def _send(generator: Guest, targets: Sequence[str]) -> None:
    """Sends a packet to each address. None is answered, so ping's exit status says nothing."""
    sends = " & ".join(f"ping -c 1 -W 1 {target}" for target in targets)
    running.command(generator, f"{sends} & wait", 30)


def machine(where: Place) -> Machine:
    """The DUT's machine as the lab was brought up with it. Raises FwdtuiError."""
    try:
        return msgspec.json.decode((where.folder / MACHINE).read_bytes(), type=Machine)
    except (OSError, msgspec.DecodeError) as error:
        raise FwdtuiError(f"{where.folder / MACHINE}: {error}") from None


def _look(commands: Commands, where: Place, record: Journal) -> Status:
    broken = problems(commands, where, record)
    lines = [f"{where.words} is {'broken' if broken else 'up'} ({_machine_words(where)})"]
    lines += [f"broken: {problem}" for problem in broken]
    if record.this_boot:
        lines += [status.host_line(where, record, host) for host in guests.namespaces(where)]
        for guest in guests.guests(where):
            lines.append(_machine_line(guest, record))
            lines += _boot_lines(guest)
    if not broken:
        lines.append("forwards IPv4 and IPv6 from gen0 to sink0 (a probe of each arrived)")
        lines.append(f"lab.toml: {where.lab_file}")
    return Status(not broken, tuple(broken), tuple(lines))


def _machine_words(where: Place) -> str:
    try:
        return machine(where).words + ("; the generator is a machine, too" if where.vm_generator else "")
    except FwdtuiError:
        return "machine not known"


def _machine_line(guest: Guest, record: Journal) -> str:
    keeping, runs = running.pids(guest)
    said = f"qemu {runs or '-'}, keeper {keeping or '-'}" if keeping or runs else "no machine"
    return f"  {guest.host:<5} {guest.namespace:<20} {guest.address(record.slot):<15} {said}"


def _boot_lines(guest: Guest) -> list[str]:
    try:
        known, following = entries.read(guest), entries.following(guest)
    except FwdtuiError as error:
        return [f"broken: {error}"]
    return [
        f"  boot entry {name}: {stored.words}{' (next boot)' if name == following else ''}"
        for name, stored in known.items()
    ]
