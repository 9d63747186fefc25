"""The command with which a generator that is a virtual machine sends, by the kernel's own pktgen. Pure.

Source: Documentation/networking/pktgen.rst. Each of pktgen's threads belongs to a CPU and sends through the
devices that were added to it, here one for each transmit queue of the card.
"""

from fwdtui.labs.kernel.topology import DUT0, FLOWS_IPV6, GEN0
from fwdtui.labs.kernel.traffic import DISCARD

COMMAND = "pktgen-send"

# About as many flows as the labs' other generators send, in the same two networks. pktgen counts IPv4
# destinations up. For IPv6 it takes any address between two, as (random | least) & most: there are 2048. Its
# own header of 16 bytes makes the shortest IPv6 packet 78 bytes long without FCS.
_PREFIX = FLOWS_IPV6.partition("::")[0]
SEND = f"""\
#!/bin/sh
# {COMMAND} FAMILY RATE SECONDS [SETTING ...]: sends the lab's flows for so long, or until this is ended.
# FAMILY: ipv4 or ipv6; RATE: packets per second of all threads together, or full. A SETTING is pktgen's own,
# such as "burst 8" or "clone_skb 10", for each device.
folder=/proc/net/pktgen
usage() {{ echo "usage: {COMMAND} ipv4|ipv6 RATE|full SECONDS [SETTING ...]" >&2; exit 2; }}
[ $# -ge 3 ] || usage
family=$1 rate=$2 seconds=$3
case $family in ipv4 | ipv6) ;; *) usage ;; esac
case $rate in full) ;; '' | *[!0-9]* | 0*) usage ;; esac # 0500 would be 320 in the shell's arithmetic
shift 3
tell() {{ # FILE SETTING
  echo "$2" >"$folder/$1" || {{ echo "pktgen: $1: $2: $(grep '^Result' "$folder/$1")" >&2; exit 1; }}
}}
tell pgctrl reset
burst=1
for setting; do case $setting in 'burst '*) burst=${{setting#burst }} ;; esac; done
set -- 'count 0' 'dst_mac {DUT0.mac}' 'src_mac {GEN0.mac}' \\
  'udp_src_min {DISCARD}' 'udp_src_max {DISCARD}' 'udp_dst_min {DISCARD}' 'udp_dst_max {DISCARD}' "$@"
if [ "$family" = ipv6 ]; then
  set -- 'pkt_size 78' 'src6 {GEN0.ipv6}' 'dst6_min {_PREFIX}::' 'dst6_max {_PREFIX}::7ff' 'flag UDPCSUM' "$@"
else
  set -- 'pkt_size 60' 'src_min {GEN0.ipv4}' 'src_max {GEN0.ipv4}' \\
    'dst_min 198.19.16.0' 'dst_max 198.19.23.207' "$@"
fi
threads=$(ls -d $folder/kpktgend_* | wc -l)
queues=$(ls -d /sys/class/net/{GEN0.name}/queues/tx-* | wc -l)
[ "$queues" -le "$threads" ] || queues=$threads
if [ "$rate" != full ] && [ $((rate / queues / burst)) -eq 0 ]; then # pktgen does not take 0
  echo "{COMMAND}: $rate packets a second are less than one burst of $burst on each of $queues queues" >&2
  exit 2
fi
queue=0
while [ $queue -lt $queues ]; do
  device={GEN0.name}@$queue
  tell kpktgend_$queue "add_device $device"
  tell $device "queue_map_min $queue"
  tell $device "queue_map_max $queue"
  for setting; do tell $device "$setting"; done
  [ "$rate" = full ] || tell $device "ratep $(((rate + queue) / queues / burst))"  # it counts bursts
  queue=$((queue + 1))
done
# the write returns when the threads have ended, or on a signal, which ends them
exec timeout "$seconds" sh -c "echo start >$folder/pgctrl"
"""
