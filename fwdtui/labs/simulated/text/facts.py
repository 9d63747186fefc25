"""Commands that run once: `dmesg`, `pciconf -lv`, `pfctl -si`, `ipfw show`, `netstat -rn`, `uname`.

Formats: sbin/dmesg, usr.sbin/pciconf/pciconf.c, sbin/pfctl/pfctl_parser.c, usr.bin/uname. The kernel calls
itself SIMULATED, so that a session recorded here is never mistaken for a measurement.
"""

from fwdtui.labs.simulated.hosts import DUT
from fwdtui.labs.simulated.view import View

RELEASE = "15.0-RELEASE"


def uname(view: View) -> str:
    """One part per line, in the order of `uname -snrvm`."""
    revision = f"{view.setup.revision} " if view.name == DUT and view.setup.revision else ""
    return f"FreeBSD\n{view.name}\n{RELEASE}\nFreeBSD {RELEASE} {revision}SIMULATED\namd64\n"


def dmesg(view: View) -> str:
    """The message buffer."""
    lines = [
        "---<<BOOT>>---",
        f"FreeBSD {RELEASE} SIMULATED amd64",
        f"FreeBSD/SMP: Multiprocessor System Detected: {len(view.cores)} CPUs",
    ]
    for port in view.ports:
        if port.irqs:
            queues = len(port.irqs)
            lines += [
                f"{port.name}: <Intel(R) {port.model}> at device 0.{port.index - 1} on pci1",
                f"{port.name}: Using 2048 TX descriptors and 2048 RX descriptors",
                f"{port.name}: Using {queues} RX queues {queues} TX queues",
                f"{port.name}: Using MSI-X interrupts with {queues + 1} vectors",
                f"{port.name}: Ethernet address: {port.ether}",
                f"{port.name}: netmap queues/slots: TX {queues}/2048, RX {queues}/2048",
            ]
    lines += [f"{port.name}: link state changed to UP" for port in view.ports if port.name != "lo0"]
    return "\n".join([*lines, *view.messages]) + "\n"


def pciconf(view: View) -> str:
    """`pciconf -lv`, the network cards."""
    return "".join(
        f"{port.name}@pci0:1:0:{port.index - 1}:\tclass=0x020000 rev=0x01 hdr=0x00 vendor=0x8086 "
        f"device=0x{port.device_id} subvendor=0x8086 subdevice=0x0000\n"
        "    vendor     = 'Intel Corporation'\n"
        f"    device     = '{port.model}'\n"
        "    class      = network\n"
        "    subclass   = ethernet\n"
        for port in view.ports
        if port.irqs
    )


def routes(view: View) -> str:
    """`netstat -rn4`."""
    rows = [f"{'127.0.0.1':<18} {'link#4':<18} UH           lo0"]
    for port in view.ports[:3]:
        rows.append(f"{port.network:<18} {'link#' + str(port.index):<18} U           {port.name}")
        rows.append(f"{port.address:<18} {'link#4':<18} UHS          lo0")
    head = f"Routing tables\n\nInternet:\n{'Destination':<18} {'Gateway':<18} Flags     Netif Expire\n"
    return head + "\n".join(sorted(rows)) + "\n"


def ip_statistics(view: View) -> str:
    """`netstat -s -p ip`, the lines about forwarding. Source: usr.bin/netstat/inet.c, ip_stats()."""
    handled = sum(view.directly) + sum(line.passed for line in view.netisr)
    return (
        "ip:\n"
        f"\t{handled} total packets received\n"
        f"\t{handled} packets forwarded ({handled} packets fast forwarded)\n"
        "\t0 packets not forwardable\n"
    )
