"""`netstat -i` with -b and -d, and `ifconfig`.

Sources: usr.bin/netstat/if.c, intpr(), of FreeBSD 14 and 15; sbin/ifconfig/ifconfig.c.
"""

from fwdtui.labs.simulated.view import Port, View

_FRAME = 64  # bytes, with the check sequence: what Intel's cards count


def netstat(view: View, *, octets: bool, drops: bool) -> str:
    """`netstat -in`; `octets` is -b, `drops` is -d."""
    head = ["Ipkts", "Ierrs", "Idrop", *(["Ibytes"] if octets else []), "Opkts", "Oerrs"]
    head += [*(["Obytes"] if octets else []), "Coll", *(["Drop"] if drops else [])]
    rows: list[tuple[str, str, str, str, list[str]]] = []
    for port in view.ports:
        mtu = "16384" if port.name == "lo0" else "1500"
        counts = _counts(port, octets, drops)
        rows.append((port.name, mtu, f"<Link#{port.index}>", port.ether, counts))
        rows.append((port.name, "-", port.network, port.address, _of_address(head)))
    name = max(len(row[0]) for row in rows) + 2
    network = max(17, *(len(row[2]) for row in rows))
    address = max(18, *(len(row[3]) for row in rows))
    widths = [max(len(title), 5, *(len(row[4][place]) for row in rows)) for place, title in enumerate(head)]
    lines = [f"{'Name':<{name}}{'Mtu':>5} {'Network':<{network}} {'Address':<{address}} {_row(head, widths)}"]
    for title, mtu, net, host, counts in rows:
        # a row of -d ends in a space, its header does not
        tail = " " if drops else ""
        lines.append(
            f"{title:<{name}}{mtu:>5} {net:<{network}} {host:<{address}} {_row(counts, widths)}{tail}"
        )
    return "\n".join(lines) + "\n"


def _row(cells: list[str], widths: list[int]) -> str:
    return " ".join(f"{cell:>{width}}" for cell, width in zip(cells, widths, strict=True))


def _counts(port: Port, octets: bool, drops: bool) -> list[str]:
    counts = [port.input, 0, port.missed, *([port.input * _FRAME] if octets else []), port.output, 0]
    counts += [*([port.output * _FRAME] if octets else []), 0, *([0] if drops else [])]
    return [str(count) for count in counts]


def _of_address(head: list[str]) -> list[str]:
    """The counts of an address row: an address has few counters, and only for the host's own packets."""
    return ["0" if title in ("Ipkts", "Ibytes", "Opkts", "Obytes") else "-" for title in head]


def ifconfig(port: Port) -> str:
    """One interface."""
    if port.name == "lo0":
        return (
            "lo0: flags=1008049<UP,LOOPBACK,RUNNING,MULTICAST,LOWER_UP> metric 0 mtu 16384\n"
            "\toptions=680003<RXCSUM,TXCSUM,LINKSTATE,RXCSUM_IPV6,TXCSUM_IPV6>\n"
            "\tinet 127.0.0.1 netmask 0xff000000\n"
            "\tgroups: lo\n"
            "\tnd6 options=21<PERFORMNUD,AUTO_LINKLOCAL>\n"
        )
    medium = "1000baseT" if port.name.startswith("igb") else "10Gbase-Twinax"
    media = f"Ethernet autoselect ({medium} <full-duplex>)" if port.carrier else "Ethernet autoselect"
    lower = ",LOWER_UP" if port.carrier else ""
    return (
        f"{port.name}: flags=1008843<UP,BROADCAST,RUNNING,SIMPLEX,MULTICAST{lower}> metric 0 mtu 1500\n"
        "\toptions=48500b8<VLAN_MTU,VLAN_HWTAGGING,JUMBO_MTU,VLAN_HWCSUM,VLAN_HWFILTER,VLAN_HWTSO,HWSTATS,MEXTPG>\n"
        f"\tether {port.ether}\n"
        f"\tinet {port.address} netmask 0xffffff00 broadcast {port.network.rsplit('.', 1)[0]}.255\n"
        f"\tmedia: {media}\n"
        f"\tstatus: {'active' if port.carrier else 'no carrier'}\n"
        "\tnd6 options=29<PERFORMNUD,IFDISABLED,AUTO_LINKLOCAL>\n"
    )
