"""The virtual machines' taps: test ports end at generator and sink, ssh ports outside, where fwdtui runs.

If both ends of a link are machines, each has a tap in the generator's namespace, and nftables passes what
comes out of one on to the other (``fwd``, nft(8)), as a cable would: no bridge, no learning of addresses.
"""

import os

from fwdtui.labs.kernel import network, topology
from fwdtui.labs.kernel.commands import Commands
from fwdtui.labs.kernel.journal import Journal
from fwdtui.labs.kernel.place import Place
from fwdtui.labs.vm import guests

_CABLE = """
table netdev cable {{
  chain there {{ type filter hook ingress device "{one}" priority 0; policy accept; fwd to "{other}"; }};
  chain back {{ type filter hook ingress device "{other}" priority 0; policy accept; fwd to "{one}"; }};
}}
"""


def make(commands: Commands, place: Place, book: Journal, slot: int) -> None:
    """Makes the taps, with the addresses, fixed neighbours and routes of generator and sink."""
    for guest in guests.guests(place):
        outside = guest.management_tap(slot)
        mac = network.random_mac()
        book.will_make_veth(outside, mac)
        # No command makes a tap that has its address already. So the tap gets its address in the machine's
        # namespace, which is removed with all that is in it: outside, a kill between the two steps would
        # leave a tap that nothing proves to be ours.
        inside = ("-netns", place.namespace(guest.host))
        _tap(commands, inside, outside, mac)
        commands.run("ip", *inside, "link", "set", outside, "netns", str(os.getpid()))
        network.quiet(commands, (), outside)
        address = network.management(slot, guest.host)[0]
        commands.run("ip", "address", "add", f"{address}/30", "dev", outside)
        commands.run("ip", "link", "set", outside, "up")
    others = guests.namespaces(place)
    for link in topology.LINKS:
        mine = next((port for port in link if port.host in others), None)
        if mine is None:
            _cable(commands, place, *link)
            continue
        other = next(port for port in link if port is not mine)
        _test_tap(commands, ("-netns", place.namespace(mine.host)), mine.name, mine.mac)
        network.set_up_port(commands, place, mine)
        network.know_neighbour(commands, place, mine, other)
    network.add_routes(commands, place, others)
    network.count_and_drop(commands, place)


def _cable(commands: Commands, place: Place, left: topology.Port, right: topology.Port) -> None:
    host, tap = guests.tap(place, left, right)
    _, other = guests.tap(place, right, left)
    where = ("-netns", place.namespace(host))
    for name in (tap, other):
        _test_tap(commands, where, name, network.random_mac())
        network.quiet(commands, where, name)
        commands.run("ip", *where, "link", "set", name, "up")
    commands.inside(place.namespace(host), "nft", "-f", "-", text=_CABLE.format(one=tap, other=other))


def _test_tap(commands: Commands, where: tuple[str, ...], name: str, mac: str) -> None:
    _tap(commands, where, name, mac)
    # The tap needs a queue, as a card has one: without it the tap reports each loss to the sender, and
    # tcpreplay sends the packet again at once, which takes a whole CPU. What the machine does not take is in
    # the tap's tx_dropped.
    commands.run("tc", *where, "qdisc", "replace", "dev", name, "root", "pfifo", "limit", "1000")


def _tap(commands: Commands, where: tuple[str, ...], name: str, mac: str) -> None:
    # multi_queue: each descriptor of QEMU is a queue of its own, however many there are
    commands.run("ip", *where, "tuntap", "add", "dev", name, "mode", "tap", "multi_queue", "vnet_hdr")
    commands.run("ip", *where, "link", "set", name, "address", mac)
