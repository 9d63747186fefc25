"""Uses a VM lab that is up: boot entries, reboots, resets, rules."""

from pathlib import Path

from fwdtui.core.errors import FwdtuiError
from fwdtui.labs.kernel import journal, place, status
from fwdtui.labs.kernel.place import Place
from fwdtui.labs.kernel.scripts import MOST_RULES
from fwdtui.labs.vm import entries, kernels, running
from fwdtui.labs.vm.guests import DUT, Guest
from fwdtui.labs.vm.status import machine


def add_entry(where: Place, name: str, kernel: str | None, append: str) -> str:
    """Make or change the boot entry `name`; returns a sentence. It is used only when a boot chooses it."""
    _require_up(where)
    if kernel:
        kernels.find(kernel)  # done before locking: a download may take long
    with place.locked(where):
        book = journal.read(where.folder)
        if book is None:
            raise FwdtuiError(f"{where.words} is not up")

        def keep(file: str) -> Path:
            book.will_make_file(file)
            return where.folder / file

        made = machine(where)
        stored = entries.add(
            Guest(where), book.slot, made, name, kernel or kernels.default(made.driver), append, keep
        )
    return f"boot entry {name}: {stored.words}"


def entries_told(where: Place) -> list[str]:
    """A line for each boot entry."""
    _require_up(where)
    following = entries.following(Guest(where))
    return [
        f"{name}: {stored.words}{' (next boot)' if name == following else ''}"
        for name, stored in entries.read(Guest(where)).items()
    ]


def reboot(where: Place, entry: str | None = None, host: str = DUT) -> str:
    """Reboot a machine by its own command, into `entry` if given, and wait until it is back."""
    slot = _require_up(where)
    guest = _machine_of(where, host)
    before = running.boot_id(guest)
    if before is None:
        how = " --generator" if host != DUT else ""
        raise FwdtuiError(f"{guest.words} does not answer; `fwdtui lab reset{how}` resets it")
    if entry:
        entries.choose(guest, entry)
    running.command(guest, "reboot", 15)  # the connection may end before its status arrives
    return _back(guest, slot, before)


def reset(where: Place, entry: str | None = None, host: str = DUT) -> str:
    """Reset a machine whatever it is doing, into `entry` if given, and wait until it is back."""
    slot = _require_up(where)
    guest = _machine_of(where, host)
    if entry:
        entries.choose(guest, entry)
    before = running.boot_id(guest) if running.answers(guest, slot) else None
    with place.locked(where):
        if running.pids(guest)[0] is None:
            running.start(guest)
        else:
            running.tell_monitor(guest, "system_reset")
    return _back(guest, slot, before)


def set_rules(where: Place, count: int) -> str:
    """Put `count` rules that match none of the traffic into the DUT's forward hook; 0 removes them."""
    if not 0 <= count <= MOST_RULES:
        raise FwdtuiError(f"{count} rules: expected 0 to {MOST_RULES}")
    _require_up(where)
    if running.command(Guest(where), f"rules {count}", 60) is None:
        raise FwdtuiError(f"{where.words}: the dut did not take the rules")
    return f"{count} rules in the dut's forward hook" if count else "no rules in the dut"


def _back(guest: Guest, slot: int, before: str | None) -> str:
    now = running.await_answer(guest, slot, before)
    return f"the {guest.host} is back with boot entry {entries.following(guest)}, boot identity {now}"


def _machine_of(where: Place, host: str) -> Guest:
    if host != DUT and not where.vm_generator:
        raise FwdtuiError(
            f"{where.words}: its generator is a namespace (`fwdtui lab up --vm --vm-generator`)"
        )
    return Guest(where, host)


def _require_up(where: Place) -> int:
    """The lab's slot (network.choosing_slot). Raises FwdtuiError if it is not up, or has no machine."""
    if not status.is_up(where):
        raise FwdtuiError(f"{where.words} is not up: run `fwdtui lab up --vm` first")
    book = journal.read(where.folder)
    if book is None or book.mode not in (journal.VM, journal.VM_GENERATOR):
        raise FwdtuiError(
            f"{where.words} has no virtual machine: its dut is a namespace (`fwdtui lab up --vm`)"
        )
    return book.slot
