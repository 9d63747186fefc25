"""Two small shell scripts for the hosts, in the lab's folder. They are run over ssh as plain commands."""

from fwdtui.labs.kernel.topology import DUT0

MOST_RULES = 20000
RULES_TABLE = "fwdtui"

SEND = """\
#!/bin/sh
# send SENDERS TRAFGEN-ARGUMENTS: runs that many trafgen in parallel, until they end or this is stopped.
# Stopping reaches only this host's trafgen: they are found by their network namespace.
stop() { pkill -TERM --ns $$ --nslist net -x trafgen; }
trap stop TERM INT HUP
senders=$1
shift
while [ "$senders" -gt 0 ]; do
  trafgen "$@" &
  senders=$((senders - 1))
done
wait || wait
"""

RULES = f"""\
#!/bin/sh
# rules N, run on the dut: N rules in the forward hook that match none of the lab's traffic; 0 removes them.
# not 0100 either: the shell would count to 64
case $1 in '' | *[!0-9]* | 0?* | ??????*) echo "usage: rules N (0 to {MOST_RULES})" >&2; exit 2 ;; esac
[ "$1" -le {MOST_RULES} ] || {{ echo "rules: at most {MOST_RULES}" >&2; exit 2; }}
[ -e /sys/class/net/{DUT0.name} ] || {{ echo "rules: not on the dut (no {DUT0.name} here)" >&2; exit 2; }}
{{
  # one transaction: the old rules apply until the new ones do
  echo 'table inet {RULES_TABLE}'
  echo 'delete table inet {RULES_TABLE}'
  if [ "$1" -gt 0 ]; then
    echo 'table inet {RULES_TABLE} {{ chain forward {{ type filter hook forward priority 0; policy accept;'
    port=20000
    while [ "$port" -lt $((20000 + $1)) ]; do
      echo "udp dport $port drop"
      port=$((port + 1))
    done
    echo '}}'
    echo '}}'
  fi
}} | nft -f -
"""
