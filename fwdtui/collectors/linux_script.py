"""The program that samples a Linux host: one awk that reads /proc and /sys at each line of its stdin.

It is started once, forks nothing for a plain tick, installs nothing and ends with its stdin. Whatever the
awk, nearly all of a plain tick's CPU time is the kernel's. It is three to four times that of a C program that
keeps the files open (benchmarks/sampling_cost.py), because an awk cannot rewind a file and has to open it
again each time. A third of it is the two readings of timer_list, for each of which the kernel formats a page
of timers. No other file has a monotonic clock finer than 10 ms.

What is not obvious:
- mawk reads stdin in blocks unless given `-W interactive`, and without that exits when a file that it opened
  cannot be read. Its output is then unbuffered, so a frame is assembled first and printed at once.
  /sys/class/net/IF/carrier gives EINVAL on an interface that is down: operstate never does.
- Files are read line by line, not whole with another RS: mawk's interactive mode reads lines whatever RS is.
- The clock is read before and after the counters. If more than `longest` lies between them, the reading is
  repeated, at most twice: the process was stopped or preempted in between.
- Long texts are joined in pieces of 128 lines, since appending a line may copy all the text so far. Line by
  line, 8,000 lines of `ethtool -S` took mawk 280 ms, and 4,000 took busybox 600. Two ports of mlx5 have
  15,000, which take 40 to 100 ms in pieces.
- srand() returns the previous seed. After an srand() without an argument, that is the wall clock, in every
  awk and without a fork. Newer mawk has nanoseconds; only a printf format reliably prints all their digits.
- /proc/timer_list is for root only and has nanoseconds in its third line; /proc/uptime has 10 ms.
- A link that is down for just a second may be up whenever operstate is read; carrier_down_count (Linux 4.16)
  shows that it was down.
- Programs that report nothing about an interface at the start (no driver statistics, noqueue) each cost more
  than a plain tick. But a driver may have been busy, and a qdisc may take the place of noqueue: they are
  asked again when the link has changed, and at ever longer pauses, of at most 32 slow ticks. A card that has
  not been up since the boot has no qdisc yet, and tc prints nothing.
- /proc/net/dev adds what the device missed to the drops; /sys has the two separately, in a file each. Both
  only grow, so while their sum does not change neither do they, and their files are not read again.
- A slow tick is a frame of its own with its own clock, so a slow driver does not delay a plain tick's frame.
"""

import shlex
from collections.abc import Sequence

from fwdtui.collectors import linux_messages

_AWK = r"""
function now(  line) {
  line = ""
  if (precise) { getline line < TIMERS; getline line < TIMERS; getline line < TIMERS; close(TIMERS) }
  else { getline line < UPTIME; close(UPTIME) }
  return line
}
function nanoseconds(line,  word) {
  split(line, word, " ")
  return precise ? word[3] + 0 : word[1] * 1000000000
}
function put(line) {
  piece = piece line "\n"
  if (++held == 128) { joined = joined piece; piece = ""; held = 0 }
}
function taken(  text) {
  text = joined piece
  joined = ""; piece = ""; held = 0
  return text
}
function pair(key, file,  line) {
  line = ""
  if ((getline line < file) > 0) key = key " " line "\n"; else key = ""
  close(file)
  return key
}
function tail(command, most,  line, last, n, i, text) {
  text = ""
  for (n = 0; (command | getline line) > 0; n++) last[n % most] = line
  close(command)
  for (i = n > most ? n - most : 0; i < n; i++) text = text last[i % most] "\n"
  return text
}
function whole(file,  line) {
  while ((getline line < file) > 0) put(line)
  close(file)
  return taken()
}
function head(file, count,  line, text) {
  text = ""
  while (count-- > 0 && (getline line < file) > 0) text = text line "\n"
  close(file)
  return text
}
function devices(  line, text, name, colon, field) {
  text = ""
  for (name in watched) drops[name] = ""
  while ((getline line < DEV) > 0) {
    colon = index(line, ":")
    name = substr(line, 1, colon - 1)
    sub(/^ +/, "", name)
    if (name in watched) {
      text = text line "\n"
      split(substr(line, colon + 1), field, " ")
      drops[name] = "D" field[4]
    }
  }
  close(DEV)
  return text
}
function cores(  line) {
  while ((getline line < STAT) > 0 && substr(line, 1, 3) == "cpu") put(line)
  close(STAT)
  return taken()
}
function forwarded6(  line) {
  line = ""
  while ((getline line < SNMP6) > 0 && index(line, "Ip6OutForwDatagrams") != 1) line = ""
  close(SNMP6)
  return line == "" ? "" : line "\n"
}
function interrupts(  line, i) {
  if ((getline line < INTERRUPTS) > 0) put(line)
  while ((getline line < INTERRUPTS) > 0)
    for (i = 1; i <= words; i++) if (index(line, word[i])) { put(line); break }
  close(INTERRUPTS)
  return taken()
}
function programs(command,  line) {
  if (command == "") return ""
  while ((command | getline line) > 0) put(line)
  close(command)
  return taken()
}
function retried(  i, line, said, text) {
  text = ""
  for (i = 1; i <= silent; i++) {
    if (!(i in unheard)) continue
    if (!(i in due)) { due[i] = turn + 1; pause[i] = 1; seen[i] = look[port[i]] }
    if (seen[i] != look[port[i]]) { due[i] = turn; pause[i] = 1; seen[i] = look[port[i]] }
    if (turn < due[i]) continue
    due[i] = turn + pause[i]
    if (pause[i] < 32) pause[i] *= 2
    said = 0
    while ((unheard[i] | getline line) > 0) {
      put(line)
      # indented lines are details of the one before: of noqueue, that it sent nothing
      if (index(line, M) != 1 && index(line, "qdisc no") != 1 && line !~ /^[ \t]/) said = 1
    }
    close(unheard[i])
    line = taken()
    if (said) { text = text line; SLOW = SLOW unheard[i]; delete unheard[i] }
  }
  return text
}
function apart(name,  index_, known) {
  if (drops[name] == "") return ""
  index_ = pair("ifindex", SYS name "/ifindex")
  known = drops[name] index_
  if (split_at[name] != known) {
    parts[name] = pair("rx_dropped", SYS name "/statistics/rx_dropped") \
      pair("rx_missed_errors", SYS name "/statistics/rx_missed_errors")
    split_at[name] = known
  }
  return parts[name] index_
}
function plain(  text, i) {
  text = M "dev\n" devices()
  for (i = 1; i <= count; i++) text = text M "sys " name[i] "\n" apart(name[i])
  return text M "softnet\n" whole(SOFTNET) M "stat\n" cores()
}
function slow(  text, i) {
  turn++
  text = M "links\n"
  for (i = 1; i <= count; i++) {
    look[name[i]] = pair(name[i], SYS name[i] "/operstate") \
      pair("down " name[i], SYS name[i] "/carrier_down_count")
    text = text look[name[i]]
  }
  text = text M "snmp\n" head(SNMP, 2) M "snmp6\n" forwarded6() M "interrupts\n" interrupts() \
    M "changes\n" changes() programs(SLOW)
  return text retried()
}
function changes(  i, line, file, text) {
  text = ""
  for (i = 1; i <= files; i++) {
    line = ""
    file = CPUS "/" state[i]
    if ((getline line < file) > 0) {
      if ((i in known) && known[i] != line) text = text state[i] ":" known[i] ":" line "\n"
      known[i] = line
    }
    close(file)
  }
  return text
}
function answer(seq, kind,  before, after, text, tries) {
  srand()
  for (tries = 1; ; tries++) {
    before = now()
    text = kind == "P" ? plain() : kind == "S" ? slow() : M "messages\n" tail(MESSAGES, 60)
    after = now()
    if (kind != "P" || tries == 3 || nanoseconds(after) - nanoseconds(before) < longest) break
  }
  # a host so large that reading always takes this long
  if (kind == "P" && tries == 3 && longest < 100000000) longest *= 2
  print M "B " seq " " kind "\n" M "wall\n" sprintf("%.0f", srand()) "\n" M "before\n" before "\n" text \
    M "after\n" after "\n" M "E " seq
  fflush()
}
BEGIN {
  TIMERS = "/proc/timer_list"; UPTIME = "/proc/uptime"
  PROC = ENVIRON["ROOT"] "/proc/"; SYS = ENVIRON["ROOT"] "/sys/class/net/"
  DEV = PROC "net/dev"; STAT = PROC "stat"; SOFTNET = PROC "net/softnet_stat"
  SNMP = PROC "net/snmp"; SNMP6 = PROC "net/snmp6"; INTERRUPTS = PROC "interrupts"
  M = "@" ENVIRON["TOKEN"] " "
  SLOW = ENVIRON["SLOW"]; MESSAGES = ENVIRON["MESSAGES"]
  silent = split(ENVIRON["SILENT"], unheard, "\n") - 1  # each line ends in one
  delete unheard[silent + 1]
  for (i = 1; i <= silent; i++) {
    port[i] = substr(unheard[i], 1, index(unheard[i], " ") - 1)
    unheard[i] = substr(unheard[i], index(unheard[i], " ") + 1)
  }
  CPUS = ENVIRON["CPUS"]; files = split(ENVIRON["STATE"], state, " ")
  count = split(ENVIRON["INTERFACES"], name, " ")
  for (i = 1; i <= count; i++) watched[name[i]] = 1
  words = split(ENVIRON["INTERFACES"] " " ENVIRON["OWNERS"], word, " ")
  precise = 1
  if (now() !~ /^now at [0-9]+ nsecs/) precise = 0
  longest = ENVIRON["LONGEST"] * 1000000000
  if (!precise && longest < 20000000) longest = 20000000
  print M "clock\n" (precise ? TIMERS : UPTIME) "\n" M "E 0"
  fflush()
}
# a pipe to which nothing is written: it lasts as long as this awk (linux_messages)
$1 == "K" { printf "" | ("SINCE=" $2 "; export SINCE; " ENVIRON["READER"]); next }
{ answer($2, $1) }
"""

# mawk if there is one, else any awk. Only mawk needs the flag, to read stdin by lines; others do not know it.
_WRAPPER = """\
TOKEN={token} INTERFACES={interfaces} LONGEST={longest} CPUS={cpus} ROOT={root}
mark() {{ printf '@%s %s\\n' "$TOKEN" "$1"; }}
mark 'B 0 H'
mark boot_id
cat /proc/sys/kernel/random/boot_id 2>/dev/null
mark owners
OWNERS=
for i in $INTERFACES; do
  o=$(readlink "$ROOT/sys/class/net/$i/device" 2>/dev/null) || continue
  o=${{o##*/}} OWNERS="$OWNERS ${{o##*/}}"
  echo "$o $i"
done
mark tools
SLOW= SILENT=
has() {{ command -v "$1" >/dev/null 2>&1 && echo "$1"; }}
e= q=
has ethtool && e=1
has tc && q=1
has dmesg
MESSAGES='exec dmesg 2>&1'
dmesg -S >/dev/null 2>&1 && MESSAGES='exec dmesg -S 2>&1'
tells() {{ # TOOL INTERFACE: whether it reports anything about it, or might once the interface exists
  [ -d "$ROOT/sys/class/net/$2" ] || return 0
  case $1 in
  ethtool) ethtool -S "$2" >/dev/null 2>&1 ;;
  tc) said=$(tc qdisc show dev "$2" 2>/dev/null) # nothing: it has not been up yet, and gets one when it is
    case $said in 'qdisc no'*) printf '%s\\n' "$said" | grep -qv 'qdisc no' ;; esac ;;
  esac
}}
ask() {{ # TOOL INTERFACE COMMAND: with each slow tick, or now and then
  if tells "$1" "$2"; then SLOW="$SLOW $3"; else SILENT="$SILENT$2 $3
"; fi
}}
for i in $INTERFACES; do
  [ -n "$e" ] && ask ethtool "$i" "echo '@$TOKEN ethtool $i'; ethtool -S $i 2>/dev/null;"
  [ -n "$q" ] && ask tc "$i" "echo '@$TOKEN qdisc $i'; tc -s qdisc show dev $i 2>/dev/null;"
done
STATE=$(cd "$CPUS" 2>/dev/null || exit 0
n=0
for f in online intel_pstate/no_turbo cpufreq/boost cpufreq/policy[0-9]*/scaling_governor \
  cpufreq/policy[0-9]*/scaling_max_freq cpu[0-9]*/thermal_throttle/core_throttle_count \
  cpu[0-9]*/thermal_throttle/package_throttle_count; do
  [ $n -lt {files} ] && [ -r "$f" ] && printf '%s ' "$f" && n=$((n + 1))
done)
mark awk
awk= flags=
for a in mawk awk gawk original-awk 'busybox awk'; do
  [ "$($a 'BEGIN {{ print 6 * 7 }}' </dev/null 2>/dev/null)" = 42 ] && awk=$a && break
done
[ -n "$awk" ] || {{ echo 'no awk here: install mawk, gawk or busybox' >&2; exit 127; }}
case $($awk -W version </dev/null 2>&1) in mawk*) flags='-W interactive' ;; esac
echo "$awk $flags"
AWK="$awk $flags"
{reader}
export TOKEN INTERFACES OWNERS SLOW SILENT MESSAGES LONGEST CPUS STATE ROOT AWK
exec $awk $flags {program}
"""


CPUS = "/sys/devices/system/cpu"
STATE_FILES = 1000
"""At most this many files below CPUS are read at each slow tick.

Measured with mawk on files in memory: 0.1 ms of CPU a tick with 4 processors, 1.5 with 64, 7 with 250.
"""


def script(
    interfaces: Sequence[str],
    token: str,
    interval: float,
    cpus: str = CPUS,
    root: str = "",
    kmsg: str = linux_messages.KMSG,
) -> str:
    """The whole /bin/sh script. `interfaces` are names without white space or quotes (watch.Watch).

    `cpus`: the folder of the processors, in which a slow tick looks for changes. `root`: the parent of a copy
    of /proc and /sys to read the counters from; the clock and the boot are still the host's own. `kmsg`: the
    file of kernel messages, which a line ``K MICROSECONDS`` on stdin begins to read: what is newer than that.
    """
    return _WRAPPER.format(
        token=token,
        interfaces=shlex.quote(" ".join(interfaces)),
        cpus=shlex.quote(cpus),
        root=shlex.quote(root),
        reader=linux_messages.variables(kmsg),
        files=STATE_FILES,
        longest=f"{min(max(interval / 20, 0.005), 0.05):g}",
        program=shlex.quote(_AWK.strip("\n")),
    )
