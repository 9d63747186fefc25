"""Uses a lab that is up: finds its lab.toml, or writes a variant of it, and changes the DUT's rules."""

from pathlib import Path

from fwdtui.core.errors import FwdtuiError
from fwdtui.labs.kernel import journal, labfile, needs, place, status
from fwdtui.labs.kernel.commands import Commands
from fwdtui.labs.kernel.files import write
from fwdtui.labs.kernel.place import Place
from fwdtui.labs.kernel.scripts import MOST_RULES


def lab_file(where: Place, load: labfile.Load) -> Path | None:
    """The path of the lab.toml for a load. A variant is written first. None: the lab is not up.

    Raises FwdtuiError if the file is gone, or if the load needs a program that is missing.
    """
    if not status.is_up(where):
        return None
    if load == labfile.own_load(where.vm, where.vm_generator):
        if not where.lab_file.exists():
            again = "fwdtui lab up --vm" if where.vm else "fwdtui lab up"
            raise FwdtuiError(f"{where.lab_file} is gone: `{again}` builds the lab anew")
        return where.lab_file
    if load.rate is not None and not where.vm_generator:
        needs.require({"tcpreplay": "tcpreplay"})
    with place.locked(where):
        book = journal.read(where.folder)
        if book is None:
            return None
        path = where.folder / f"lab-{load.name}.toml"
        book.will_make_file(path.name)
        return write(path, labfile.text(load, where.name, book.mode, where.folder))


def set_rules(where: Place, count: int) -> str:
    """Put `count` rules that match none of the traffic into the DUT's forward hook; 0 removes them."""
    if not 0 <= count <= MOST_RULES:
        raise FwdtuiError(f"{count} rules: expected 0 to {MOST_RULES}")
    if not status.is_up(where):
        raise FwdtuiError(f"{where.words} is not up: run `fwdtui lab up` first")
    needs.require({"nft": needs.PACKAGES["nft"]})
    with place.locked(where) as lock:
        Commands(lock).inside(where.namespace("dut"), "sh", str(where.folder / "rules"), str(count))
    return f"{count} rules in the dut's forward hook" if count else "no rules in the dut"
