"""`netstat -i` with -b and -d, and `ifconfig`.

Sources: usr.bin/netstat/if.c, intpr(), of FreeBSD 14 and 15; sbin/ifconfig/ifconfig.c.
"""

from fwdtui.labs.simulated.view import Port, View

_FRAME = 64  # bytes, with the check sequence: what Intel's cards count
# column -> the option that shows it
_TITLES = {
    "Ipkts": "",
    "Ierrs": "",
    "Idrop": "",
    "Ibytes": "b",
    "Opkts": "",
    "Oerrs": "",
    "Obytes": "b",
    "Coll": "",
    "Drop": "d",
}
# the row of an address has few counters, and only for the host's own packets
_OF_ADDRESS = {"Ipkts": 0, "Ibytes": 0, "Opkts": 0, "Obytes": 0}


def netstats(view: View) -> dict[str, str]:
    """`netstat -in` by its further options: "i", "ib", "id" and "ibd"."""
    rows: list[tuple[str, str, str, str, dict[str, int]]] = []
    for port in view.ports:
        mtu = "16384" if port.name == "lo0" else "1500"
        rows.append((port.name, mtu, f"<Link#{port.index}>", port.ether, _counts(port)))
        rows.append((port.name, "-", port.network, port.address, _OF_ADDRESS))
    name = max(len(row[0]) for row in rows) + 2
    network = max(17, *(len(row[2]) for row in rows))
    address = max(18, *(len(row[3]) for row in rows))
    starts = [f"{'Name':<{name}}{'Mtu':>5} {'Network':<{network}} {'Address':<{address}}"]
    starts += [f"{row[0]:<{name}}{row[1]:>5} {row[2]:<{network}} {row[3]:<{address}}" for row in rows]
    columns = {title: _column(title, [str(row[4].get(title, "-")) for row in rows]) for title in _TITLES}
    return {
        f"i{octets}{drops}": _table(starts, columns, octets, drops)
        for octets in ("", "b")
        for drops in ("", "d")
    }


def _column(title: str, cells: list[str]) -> list[str]:
    width = max(len(title), 5, *map(len, cells))
    return [cell.rjust(width) for cell in (title, *cells)]


def _table(starts: list[str], columns: dict[str, list[str]], octets: str, drops: str) -> str:
    shown = [column for title, column in columns.items() if _TITLES[title] in ("", octets, drops)]
    head, *rows = map(" ".join, zip(starts, *shown, strict=True))
    # a row of -d ends in a space, its header does not
    tail = " \n" if drops else "\n"
    return "".join([head, "\n", *(f"{row}{tail}" for row in rows)])


def _counts(port: Port) -> dict[str, int]:
    return {
        "Ipkts": port.input,
        "Ierrs": 0,
        "Idrop": port.missed,
        "Ibytes": port.input * _FRAME,
        "Opkts": port.output,
        "Oerrs": 0,
        "Obytes": port.output * _FRAME,
        "Coll": 0,
        "Drop": 0,
    }


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
