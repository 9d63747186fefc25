"""Scripts that print what /sys and /proc say about a Linux host's processors, and about its interfaces:
their interrupts, and which CPUs the packets of each queue are for.

They are run by `take` (settings_shell). They need only sh, grep, readlink, head and od, all of which busybox
has. A missing file is not mentioned; one that cannot be read appears in grep's errors, from which
`settings_shell` takes its name.
"""

import shlex
from collections.abc import Iterable

# Programs that run under `sh -c` with the host's root folder as $0, since tests have a tree of their own.
_PROCESSORS = r"""
cd "$0sys/devices/system/cpu" || exit 1
# one grep for all of it: a fork costs an emulated machine a tenth of a second
set -- online present isolated smt/active smt/control cpufreq/boost intel_pstate/no_turbo \
  intel_pstate/status cpuidle/current_driver cpuidle/current_governor vulnerabilities/* \
  ../node/node[0-9]*/cpulist
for f in scaling_governor scaling_driver affected_cpus scaling_max_freq cpuinfo_max_freq bios_limit \
  energy_performance_preference; do set -- "$@" cpufreq/policy[0-9]*/$f; done
for f in core package; do set -- "$@" cpu[0-9]*/thermal_throttle/${f}_throttle_count; done
for f in name latency disable; do set -- "$@" cpu[0-9]*/cpuidle/state[0-9]*/$f; done
# busy: policies of CPUs that are offline, since Linux 5.19; in musl's words "Resource busy"
{ grep "" /dev/null "$@" 2>&1 >&3 | grep -v -e "No such file" -e "esource busy" >&2; } 3>&1
# Amazon is the vendor of its bare metal as well: c6in.metal, m7g.metal-48xl
if grep -q "^flags.* hypervisor" "$0proc/cpuinfo" ||
  { ! grep -qsE "\.metal(-|$)" "$0sys/class/dmi/id/product_name" &&
  grep -qsiE "kvm|qemu|vmware|virtual|bochs|xen|amazon ec2|google compute" "$0sys/class/dmi/id/sys_vendor" \
    "$0sys/class/dmi/id/product_name"; }; then echo "virtual machine:yes"; else echo "virtual machine:no"; fi
if [ -e "$0run/.containerenv" ] || [ -e "$0.dockerenv" ] || [ -e "$0run/systemd/container" ]; then
  echo "container:yes"
fi
# four bytes, for root only; as long as somebody wants it (tuned, cyclictest), no deeper state is entered
d=$0dev/cpu_dma_latency
[ ! -e "$d" ] || [ -r "$d" ] || echo "grep: dev/cpu_dma_latency: Permission denied" >&2 # as of other files
l=$(head -c 4 "$d" 2>/dev/null | od -An -td4 2>/dev/null)
l=${l##* }
case $l in '' | *[!0-9]* | 2000000000) ;; *) echo "idle latency limit:$l" ;; esac
if grep -qsx irqbalance "$0"proc/[0-9]*/comm; then echo "irqbalance:running"
else echo "irqbalance:not running"; fi
"""
_INTERRUPTS = r"""
d=$(readlink -f "$0sys/class/net/$1/device") && [ -d "$d" ] ||
  { echo "not supported: no device of its own" >&2; exit 1; }
[ -e "$d/msi_irqs" ] || [ -e "$d/irq" ] || d=${d%/*} # virtio: the PCI device above
set -- /dev/null
for f in numa_node local_cpulist; do [ ! -e "$d/$f" ] || set -- "$@" "$d/$f"; done
if [ -e "$d/msi_irqs" ]; then l=$(cd "$d/msi_irqs" && echo *); else read l <"$d/irq"; fi
cd "$0proc/irq" || exit 1
for n in $l; do
  for a in "$n"/*/; do
    [ ! -d "$a" ] || { a=${a%/}; echo "irq $n ${a#*/}"; }
  done
  for f in smp_affinity_list effective_affinity_list; do [ ! -e "$n/$f" ] || set -- "$@" "$n/$f"; done
done
grep "" "$@"
"""
# RPS, XPS, threaded NAPI and how long NAPI waits; ethtool shows none of it. A single queue has no XPS
_STEERING = r"""
cd "$0sys/class/net/$1" || exit 1
set -- threaded gro_flush_timeout napi_defer_hard_irqs queues/tx-*/tx_maxrate
for f in rps_cpus rps_flow_cnt; do set -- "$@" queues/rx-*/$f; done
for f in xps_cpus xps_rxqs byte_queue_limits/limit_max byte_queue_limits/limit_min; do
  set -- "$@" queues/tx-*/$f
done
{ grep "" /dev/null "$@" 2>&1 >&3 | grep -v "No such file" >&2; } 3>&1
exit 0
"""
CARDS_MOST = 16
"""At most this many cards below the lab's interfaces are read: a bridge may have hundreds of members."""
_OF_CARDS = r"""
card() {{
  take "interrupts $1" sh -c {interrupts} {root} "$1"
  take "steering $1" sh -c {steering} {root} "$1"
  if command -v ethtool >/dev/null 2>&1; then take "ethtool -n $1" sh -c {flow_hash} "$1"
  else take "ethtool -n $1" ethtool; fi
  for o in {options}; do take "ethtool $o $1" ethtool "$o" "$1"; done
}}
# lower_* are made by netdev_adjacent_sysfs_add() in net/core/dev.c; a bridge's taps are no devices
below() {{
  for l in {root}sys/class/net/"$1"/lower_*; do
    [ -e "$l" ] || continue
    l=${{l##*/lower_}}
    case $seen in *" $l "*) continue;; esac
    seen="$seen$l "
    if [ -e {root}sys/class/net/"$l"/device ] && [ "$left" -gt 0 ]; then
      left=$((left - 1)); cards="$cards $l"
    fi
    below "$l"
  done
}}
set -- {named}
seen=" $* " cards= left={most}
for i; do card "$i"; below "$i"; done
mark cards
echo "$cards"
set -f # a name may have an asterisk
for i in $cards; do card "$i"; done
set +f
"""
_FLOW_HASH = 'for t in udp4 udp6; do ethtool -n "$0" rx-flow-hash $t || exit; done'


def processors(root: str = "/") -> str:
    """The line that takes the source "processors". `root`: the parent of sys and proc, ending in a slash."""
    return f"take processors sh -c {shlex.quote(_PROCESSORS)} {shlex.quote(root)}"


def of_cards(interfaces: Iterable[str], options: Iterable[str], root: str = "/") -> str:
    """The lines that take ``interrupts IF``, ``steering IF``, ``ethtool -n IF`` and ``ethtool OPTION IF``.

    They do so for each interface and for the cards below the interfaces; section "cards" names these cards.
    On a host without ethtool, each of its sections says so.
    """
    named = " ".join(map(shlex.quote, interfaces))
    return _OF_CARDS.format(
        root=shlex.quote(root),
        interrupts=shlex.quote(_INTERRUPTS),
        steering=shlex.quote(_STEERING),
        flow_hash=shlex.quote(_FLOW_HASH),
        options=" ".join(options),
        named=named,
        most=CARDS_MOST,
    )
