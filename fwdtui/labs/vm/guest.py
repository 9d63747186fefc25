"""The guest's own files, as text: what it does when it boots, and its command `boot-entry`. Pure."""

from fwdtui.labs.kernel import topology

MANAGEMENT_MAC = "02:00:00:00:00:02"
REQUESTS = "ttyS1"  # the second serial line: commands to the keeper of the machine

_RC = """\
#!/bin/sh
# Written by fwdtui. Called by busybox's init once; what it prints is on the serial console.
export PATH=/usr/sbin:/sbin:/usr/bin:/bin
mount -t proc proc /proc
mount -t sysfs sysfs /sys
mount -t devtmpfs devtmpfs /dev 2>/dev/null
mkdir -p /dev/pts /run /tmp
mount -t devpts devpts /dev/pts
mount -t tmpfs tmpfs /run
mount -t tracefs tracefs /sys/kernel/tracing 2>/dev/null
hostname {host}
echo 4 >/proc/sys/kernel/printk
sysctl -q -w net.ipv4.conf.all.rp_filter=0 net.ipv4.conf.default.rp_filter=0 \\
  net.ipv6.conf.default.mldv2_unsolicited_report_interval=1{forwarding}
for m in {modules}; do modprobe -q "$m"; done
# by hardware address: the order in which drivers find ports is not the order on the command line
for d in /sys/class/net/*; do
  mac=
  read -r mac <"$d/address"
  case $mac in
{names}
  *) continue ;;
  esac
  echo "link set ${{d##*/}} name $name"
done | /sbin/ip -force -batch -
# one program for all: an emulated machine takes long to start one
/sbin/ip -force -batch - <<'END'
link set lo up
{ports}
{neighbours}
{routes}
link set {management} up
address add {address} dev {management}
END
mkdir -p /run/lab
[ -e /etc/rc.local ] && sh /etc/rc.local
echo "fwdtui: the {host} is up"
"""

_FORWARDING = """
sysctl -q -w net.ipv4.ip_forward=1 net.ipv6.conf.all.forwarding=1 \\
  net.ipv4.conf.all.send_redirects=0 net.ipv4.conf.default.send_redirects=0\
"""

INITTAB = """\
::sysinit:/etc/rc
::respawn:/usr/sbin/dropbear -F -E -s -r /etc/dropbear/host_key
::ctrlaltdel:/sbin/reboot
"""

# busybox's init is process 1, so that a plain `reboot` works; the kernel starts /init
INIT = """\
#!/bin/sh
exec /sbin/init
"""

_BOOT_ENTRY = """\
#!/bin/busybox sh
# boot-entry [NAME]: which kernel and command line the next boots use; without a NAME: what there is.
# The keeper of this machine answers on the second serial line.
stty -F /dev/{line} raw -echo 2>/dev/null
exec 3<>/dev/{line} || exit 1
# what was left unread of an earlier answer
while read -r -t 0.05 rest <&3; do :; done
echo "boot-entry $1" >&3
if read -r -t 30 said text <&3; then
  echo "$text"
  [ "$said" = ok ]
else
  echo "boot-entry: the machine's keeper does not answer" >&2
  exit 1
fi
"""


def rc(modules: tuple[str, ...], address: str, host: str = "dut") -> str:
    """The start script of `host`.

    `modules` are loaded in this order. `address`: that of the management port, with its prefix length.
    """
    ports = [port for link in topology.LINKS for port in link if port.host == host]
    macs = [(port.mac, port.name) for port in ports] + [(MANAGEMENT_MAC, topology.MANAGEMENT)]
    names = [f"  {mac}) name={name} ;;" for mac, name in macs]
    neighbours = []
    setup = [
        f"link set {name} addrgenmode none multicast off"
        for name in (*(port.name for port in ports), topology.MANAGEMENT)
    ]
    for port in ports:
        setup += [
            f"address add {port.ipv4}/{topology.PREFIX_IPV4} dev {port.name}",
            f"address add {port.ipv6}/{topology.PREFIX_IPV6} dev {port.name} nodad",
            f"link set {port.name} up",
        ]
    for left, right in topology.LINKS:
        if host not in (left.host, right.host):
            continue
        mine, other = (left, right) if left.host == host else (right, left)
        neighbours += [
            f"neighbour replace {there} lladdr {other.mac} dev {mine.name} nud permanent"
            for there in (other.ipv4, other.ipv6)
        ]
    routes = [
        f"route add {destination} via {hop}" for whose, destination, hop in topology.ROUTES if whose == host
    ]
    return _RC.format(
        host=host,
        forwarding=_FORWARDING if host == "dut" else "",
        modules=" ".join(modules),
        names="\n".join(names),
        ports="\n".join(setup),
        neighbours="\n".join(neighbours),
        routes="\n".join(routes),
        management=topology.MANAGEMENT,
        address=address,
    )


def boot_entry() -> str:
    """The script of the command `boot-entry`, with which the guest chooses its next boot."""
    return _BOOT_ENTRY.format(line=REQUESTS)
