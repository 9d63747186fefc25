"""The program that samples a FreeBSD host: one sh that blocks in `read` until a line asks for a frame.

The base system prints counters only through programs, so a plain tick costs four of them: netstat for the
interfaces, one sysctl for cores and driver queues, and the clock before and after both. The two clock
readings are worth their price: on a router that starves its userland, seconds may pass between two programs,
and counters of uncertain time must not become rates (schedule.Pace). The script never sleeps: it is fwdtui
that sends the ticks.

`sysctl -N` lists the drivers' OIDs at the start; fwdtui selects from them and sends its choice in an `O`
line. A slow tick whose line says `names` lists them again. The line of a plain tick may contain another
choice, which applies from then on.
"""

import shlex
from collections.abc import Sequence

from fwdtui.core.parse import freebsd_clock, sysctl_oids

ALWAYS = sysctl_oids.SAMPLE

_CLOCKS = [read.partition(";")[0] for read in (freebsd_clock.READ, freebsd_clock.READ_OLD)]

_SCRIPT = """\
set -f
TOKEN={token}
mark() {{ printf '@%s %s\\n' "$TOKEN" "$1"; }}
mark 'B 0 H'
mark clock
case $(date +%N) in
''|*[!0-9]*) clock() {{ {old}; }}; echo stat ;;
*) clock() {{ {new}; }}; echo date ;;
esac
mark boot
sysctl -ie kern.boot_id kern.clockrate 2>&1
names() {{ [ -z '{nodes}' ] || sysctl -iN {nodes} 2>/dev/null; }}
mark names
names
mark soft
sysctl -ie net.iflib.prefer_mpring {soft} 2>/dev/null
mark ports
dmesg 2>/dev/null | grep '> on t[4-9]nex'
mark 'E 0'
oids='{always}'
while read -r kind seq rest; do
  if [ "$kind" = O ]; then
    oids="$oids $rest"
    continue
  fi
  mark "B $seq $kind"
  mark before
  clock
  case $kind in
  P) [ -z "$rest" ] || oids="{always} $rest"
    mark netstat
    netstat -ibdnW {one} 2>&1
    mark sysctl
    sysctl -ie $oids 2>&1 ;;
  S) mark sysctl
    sysctl -ie kern.boottime 2>&1
    mark netisr
    netstat -Q 2>&1
    mark vmstat
    vmstat -i 2>&1
    [ "$rest" = names ] && mark names && names ;;
  M) mark messages
    dmesg 2>&1 | tail -n 60 ;;
  esac
  mark after
  clock
  mark "E $seq"
done
"""


def script(interfaces: Sequence[str], token: str) -> str:
    """The whole /bin/sh script. `interfaces` are names without white space or quotes (watch.Watch)."""
    nodes = [node for name in interfaces if (node := sysctl_oids.node(name))]
    # netstat takes only one -I: for several interfaces, the whole table is cheaper than several programs
    only = f"-I {shlex.quote(interfaces[0])}" if len(interfaces) == 1 else ""
    return _SCRIPT.format(
        token=token,
        new=_CLOCKS[0],
        old=_CLOCKS[1],
        nodes=" ".join(nodes),
        soft=" ".join(f"{node}.iflib.simple_tx" for node in nodes),
        always=" ".join(ALWAYS),
        one=only,
    )
