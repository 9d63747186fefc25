"""What of a VM lab is up and what is broken, always checked anew."""

import msgspec

from fwdtui.core.errors import FwdtuiError
from fwdtui.labs.kernel import journal, needs, network, place, status
from fwdtui.labs.kernel.commands import Commands
from fwdtui.labs.kernel.journal import Journal
from fwdtui.labs.kernel.place import Place
from fwdtui.labs.kernel.status import Status
from fwdtui.labs.vm import entries, running
from fwdtui.labs.vm.machine import Machine

NAMESPACES = ("gen", "sink")
"""The hosts that are not the machine."""

MACHINE = "machine.json"


def inspect(where: Place) -> Status:
    """Check the lab. Raises FwdtuiError without the necessary rights or programs."""
    nothing = Status(False, (), (f"{where.words} is not up",))
    if journal.read(where.folder) is None:
        return nothing
    needs.require({name: needs.PACKAGES[name] for name in ("ip", "nft")}, "the VM lab")
    try:
        with place.locked(where) as lock:
            found = journal.read(where.folder)
            return _look(Commands(lock), where, found) if found else nothing
    except place.FolderGoneError:  # it was taken down while we waited for the lock
        return nothing


def problems(commands: Commands, where: Place, found: Journal) -> list[str]:
    """What is missing from a complete lab. If all seems well, a probe is sent through it."""
    return status.incomplete(where, found) or faults(commands, where, found)


def faults(commands: Commands, where: Place, found: Journal) -> list[str]:
    """What does not work in a lab whose namespaces exist."""
    broken = []
    keeping, runs = running.pids(where)
    if keeping is None:
        last = running.last_words(where, "keeper.log")
        broken.append(f"dut: its machine was given up ({last}); `fwdtui lab reset` starts it")
    elif runs is None:
        broken.append("dut: its machine is between two boots")
    elif not running.answers(found.slot):
        last = running.last_words(where, "serial.log")
        broken.append(f"dut: no ssh server answers; the serial line's last: {last}")
    # after the machine, without which its taps are down
    broken += status.on_hosts(commands, where, found, NAMESPACES)
    return broken or status.probe(commands, where)


def machine(where: Place) -> Machine:
    """As it was brought up. Raises FwdtuiError."""
    try:
        return msgspec.json.decode((where.folder / MACHINE).read_bytes(), type=Machine)
    except (OSError, msgspec.DecodeError) as error:
        raise FwdtuiError(f"{where.folder / MACHINE}: {error}") from None


def _look(commands: Commands, where: Place, found: Journal) -> Status:
    broken = problems(commands, where, found)
    lines = [f"{where.words} is {'broken' if broken else 'up'} ({_machine_words(where)})"]
    lines += [f"broken: {problem}" for problem in broken]
    if found.this_boot:
        lines += [status.host_line(where, found, host) for host in NAMESPACES]
        lines.append(_machine_line(where, found))
        lines += _boot_lines(where)
    if not broken:
        lines.append("forwards IPv4 and IPv6 from gen0 to sink0 (a probe of each arrived)")
        lines.append(f"lab.toml: {where.lab_file}")
    return Status(not broken, tuple(broken), tuple(lines))


def _machine_words(where: Place) -> str:
    try:
        return machine(where).words
    except FwdtuiError:
        return "machine not known"


def _machine_line(where: Place, found: Journal) -> str:
    keeping, runs = running.pids(where)
    said = f"qemu {runs or '-'}, keeper {keeping or '-'}" if keeping or runs else "no machine"
    address = network.management(found.slot, "dut")[1]
    return f"  {'dut':<5} {where.namespace('dut'):<20} {address:<15} {said}"


def _boot_lines(where: Place) -> list[str]:
    try:
        known, following = entries.read(where), entries.following(where)
    except FwdtuiError as error:
        return [f"broken: {error}"]
    return [
        f"  boot entry {name}: {stored.words}{' (next boot)' if name == following else ''}"
        for name, stored in known.items()
    ]
