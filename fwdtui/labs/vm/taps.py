"""The machine's taps: its test ports end at generator and sink, its ssh port in the namespace of us all."""

from fwdtui.labs.kernel import network, topology
from fwdtui.labs.kernel.commands import Commands
from fwdtui.labs.kernel.journal import Journal
from fwdtui.labs.kernel.place import Place


def make(commands: Commands, place: Place, book: Journal, slot: int) -> None:
    """Makes them, with addresses, fixed neighbours and routes of generator and sink."""
    outside = network.root_side(slot, "dut")
    mac = network.random_mac()
    book.will_make_veth(outside, mac)
    _tap(commands, (), outside, mac)
    network.quiet(commands, (), outside)
    address = network.management(slot, "dut")[0]
    commands.run("ip", "address", "add", f"{address}/30", "dev", outside)
    commands.run("ip", "link", "set", outside, "up")
    for left, right in topology.LINKS:
        mine, other = (right, left) if left.host == "dut" else (left, right)
        _tap(commands, ("-netns", place.namespace(mine.host)), mine.name, mine.mac)
        network.set_up_port(commands, place, mine)
        network.know_neighbour(commands, place, mine, other)
    network.add_routes(commands, place, ("gen", "sink"))
    network.count_and_drop(commands, place)


def _tap(commands: Commands, where: tuple[str, ...], name: str, mac: str) -> None:
    # each descriptor of QEMU is a queue of its own, however many there are
    commands.run("ip", *where, "tuntap", "add", "dev", name, "mode", "tap", "multi_queue", "vnet_hdr")
    commands.run("ip", *where, "link", "set", name, "address", mac)
    # A queue, as a card has one: without it the tap tells a sender of each loss, and tcpreplay sends the
    # packet again at once, with a whole CPU. What the machine does not take is in the tap's tx_dropped.
    if where:
        commands.run("tc", *where, "qdisc", "replace", "dev", name, "root", "pfifo", "limit", "1000")
