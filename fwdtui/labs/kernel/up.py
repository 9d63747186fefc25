"""Brings the lab up. For each step, the journal entry comes first, then the step itself."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from fwdtui.core.errors import FwdtuiError
from fwdtui.labs.kernel import (
    journal,
    labfile,
    needs,
    network,
    place,
    scripts,
    ssh,
    status,
    steering,
    topology,
    traffic,
)
from fwdtui.labs.kernel.commands import Commands
from fwdtui.labs.kernel.down import remove
from fwdtui.labs.kernel.files import write
from fwdtui.labs.kernel.place import Place
from fwdtui.transport import trusted

_SETTLES = 5.0  # seconds


def bring_up(where: Place, mode: str | None = None) -> str:
    """Bring the lab up and return one sentence about it. A lab that is already up stays as it is.

    A lab that a crash left incomplete, or that lacks a part, is removed and rebuilt. Raises FwdtuiError if a
    step fails; then nothing is left behind.
    """
    needs.require()
    steering.require_cpus(mode or topology.MODES[0])
    return in_folder(where, lambda commands, made: _bring_up(commands, where, mode, made))


def in_folder(where: Place, work: Callable[[Commands, bool], str]) -> str:
    """Calls `work` while the lab's folder is locked. Its second argument: whether the folder is new."""
    while True:
        made = place.make_folder(where)
        try:
            with place.locked(where) as lock:
                return work(Commands(lock), made)
        except place.FolderGoneError:  # another command took the lab down, folder and all, while we waited
            continue


def _bring_up(commands: Commands, where: Place, mode: str | None, made: bool) -> str:
    before = ""
    if record := journal.read(where.folder):
        if record.mode in (journal.VM, journal.VM_GENERATOR):
            raise FwdtuiError(f"{where.words} already exists: take it down first, or use --name")
        broken = status.problems(commands, where, record)
        if not broken and mode in (None, record.mode):
            changed = steering.changed(commands, where, record.mode)
            but = f", but was changed since ({changed}): take it down to restore it" if changed else ""
            return f"{where.words} is already up (mode {record.mode}){but}"
        if not broken:
            raise FwdtuiError(
                f"{where.words} is up in mode {record.mode}: take it down first for mode {mode}"
            )
        before = f"; the remains of an earlier one were removed ({broken[0]})"
        made = made or record.made_folder
        mode = mode or record.mode
        remove(commands, where, record, keep_folder=True)
    mode = mode or topology.MODES[0]
    with removed_if_it_fails(commands, where, made):
        _build(commands, where, mode, made)
    return f"{where.words} is up (mode {mode}){before}"


@contextmanager
def removed_if_it_fails(commands: Commands, where: Place, made: bool) -> Iterator[None]:
    """If the block fails or is interrupted, what it has built is removed."""
    try:
        yield
    except BaseException:
        if halfway := journal.read(where.folder):
            remove(commands, where, halfway)
        elif made:
            where.folder.rmdir()
        raise


def _build(commands: Commands, where: Place, mode: str, made_folder: bool) -> None:
    with network.choosing_slot(commands) as slot:
        book = journal.Journal(where.folder / journal.NAME)
        book.begin(where.name, slot, mode, made_folder)
        network.make_namespaces(commands, where, book)
        network.make_management(commands, where, book, slot)
    network.make_links(commands, where)
    steering.steer(commands, where, slot, mode)

    def keep(name: str) -> Path:
        book.will_make_file(name)
        return where.folder / name

    ssh.make_keys(commands, keep)
    ssh.write_client_files(where, slot, keep)
    write(keep("send"), scripts.SEND)
    write(keep("rules"), scripts.RULES)
    for family, ipv6 in (("ipv4", False), ("ipv6", True)):
        write(keep(f"{family}.trafgen"), traffic.trafgen_config(ipv6))
        write(keep(f"{family}.pcap"), traffic.pcap(ipv6))
    ssh.start(commands, where, slot, keep)
    write(keep(where.lab_file.name), labfile.text(labfile.Load(), where.name, mode, where.folder))
    _await_whole(commands, where, book)
    trusted.made(where.folder, until_boot=True)  # these files are ours, so their use needs no question
    book.is_complete()


def _await_whole(commands: Commands, where: Place, book: journal.Journal) -> None:
    """Waits until the lab works: the kernel may open a new link a second late (net/core/link_watch.c)."""
    until = time.monotonic() + _SETTLES
    while broken := status.faults(commands, where, book):
        if time.monotonic() > until:
            raise FwdtuiError(f"kernel lab: it was built but does not work: {broken[0]}")
        time.sleep(0.1)
