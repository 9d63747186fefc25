"""Takes a profile of a Linux host with perf, and folds it there, so that megabytes do not cross ssh.

Sources: perf-record(1), perf-script(1). perf writes what it records into a file whose name is already
removed, so nothing of it stays, however we end. While perf reads it, it copies the kernel's vDSO to /tmp. So
it reads in a mount namespace with a /tmp of its own, which ends with it, if we are allowed to make one.
"""

import re
import shlex

from fwdtui.collectors.answers import ask, first_line
from fwdtui.collectors.base import Check
from fwdtui.collectors.frames import Frame
from fwdtui.core.parse.fields import decimal, phrase, whole
from fwdtui.core.parse.perf_folded import parse_perf_folded, parse_perf_stats
from fwdtui.core.profile.capture import TIMED, Asked, Capture, silent
from fwdtui.core.profile.folded import DEPTH_MOST, frame
from fwdtui.core.profile_check import LOST
from fwdtui.core.units import grouped
from fwdtui.transport.base import Host

_READING = 90.0  # seconds for perf to read what it has recorded
_LIMIT = 7 << 20  # bytes of an answer: below the largest frame
_FILE = 1 << 19  # blocks of 512 bytes of a recording: POSIX's unit of ulimit -f
_TICK = (
    0.01  # seconds that a throttled event waits at most: to the next tick (perf_event_task_tick), at 100 Hz
)
_STACKS = 5 << 20  # characters of folded stacks; the rarest ones, beyond that, become one stack of their own

VARYING = "the kernel varied the number of {} between two samples: samples are counted, not events"
"""The note on a profile whose samples do not all stand for the same number of events."""
UNKNOWN = "it is not known how many samples perf lost: this version of perf does not report it"

FIELDS = "comm,cpu,time,event,ip,sym,dso"
"""The fields that perf script prints of each sample."""
FOLD = r"""
function sample(   i) {
  if (!there) return
  for (i = n; i > 0; i--) stack = stack ";" frame[i]
  count[stack]++
  n = there = 0
}
$0 == "" { sample(); next }
there {
  sub(/^[ \t]*[0-9a-f]+ /, "")
  sub(/ \(deleted\)\)$/, ")")
  name = $0
  sub(/ \([^()]*\)$/, "", name)
  if (name == "[unknown]") {
    name = $0
    sub("^.*[[(/]", "", name)
    gsub("[])]", "", name)
    name = "[" name "]"
  }
  gsub(/;/, ":", name)
  if (n < MOST) frame[++n] = name
  next
}
$(NF - 1) == "lost" && $(NF - 2) ~ /^PERF_RECORD_LOST/ { lost += $NF; next }
$NF ~ /:$/ && $(NF - 1) ~ /^[0-9]+\.[0-9]+:$/ && $(NF - 2) ~ /^\[[0-9]+\]$/ {
  time = substr($(NF - 1), 1, length($(NF - 1)) - 1)
  if (first == "" || time + 0 < first + 0) first = time
  if (time + 0 > last + 0) last = time
  cpu = substr($(NF - 2), 2) + 0
  cores[cpu]++
  took[substr($NF, 1, length($NF) - 1)]++
  stack = $0
  sub(/ *\[[0-9]+\] +[0-9]+\.[0-9]+: +[^ ]+: *$/, "", stack)
  gsub(/;/, ":", stack)
  there = 1
}
END {
  sample()
  print "first " first
  print "last " last
  if (told != "") print "lost " lost + 0
  for (cpu in cores) print "core " cpu " " cores[cpu]
  for (event in took) print "event " event " " took[event]
  for (stack in count) if (count[stack] > top) top = count[stack]
  for (least = 1; 2 * least <= top; least *= 2) continue
  # the frequent ones first, or what is left out would be any
  for (; least >= 1; least /= 2) for (stack in count) {
    if (count[stack] < least || count[stack] >= 2 * least) continue
    left -= length(stack) + 24
    if (left + most > 0) print "stack " stack " " count[stack]
    else more += count[stack]
  }
  if (more) print "more " more
}
""".replace("MOST", str(DEPTH_MOST))
"""An awk program that turns the text of ``perf script -F FIELDS`` into what `parse_perf_folded` reads.

A sample is a line ``comm [cpu] time: event:``, a line for each function, the leaf first, and a blank line.
The variable `told` is not empty if this perf reports lost samples. `most` bounds the characters of all stacks
together; the rarest stacks beyond it are only counted. Of a deep stack the innermost functions are kept.
"""
# - PERF_CONFIG: a user's own ~/.perfconfig could change what is recorded and how
# - -N, -B: without them the kernel's symbols are copied to ~/.debug
# - -k: with it the samples' times are those of the clock that the counters are read with
# - --no-inline: where a kernel's debug symbols are installed, perf would show inlined functions as frames of
#   their own: the functions of another kernel, without them, would have other names, and stacks that were cut
#   off would be deeper than what perf keeps
# - -c: with -F instead, the kernel changes the number of cycles between two samples until it gets the asked
#   number of samples per second of wall-clock time (perf_adjust_period in kernel/events/core.c): a core that
#   is half as busy has as many samples. The samples of a timer stand for the same time in either case.
_SCRIPT = r"""
export PERF_CONFIG=/dev/null DEBUGINFOD_URLS=
mark online; getconf _NPROCESSORS_ONLN
mark depth; cat /proc/sys/kernel/perf_event_max_stack
mark event
e={event}
if [ -z "$e" ]; then
  case $(perf stat -x, -e cycles true 2>&1) in
  *'<not '*) e=cpu-clock ;; *,cycles*) e=cycles ;; *) e=cpu-clock ;;
  esac
fi
printf '%s\n' "$e"
mark period
case $e in
cycles | cycles:* | cpu-cycles | cpu-cycles:*) echo {cycles}; often='-c {cycles}' ;;
*) often='-F {frequency}' ;;
esac
mark record
d=/dev/shm
[ -d $d ] && [ -w $d ] || d=${{TMPDIR:-/tmp}}
f=$(mktemp "$d/fwdtui-profile.XXXXXX") || exit 1
exec 3<>"$f"
rm -f "$f"
command -v perf >/dev/null || {{ echo 'perf is not installed'; exit 1; }}
( ulimit -f {file}
  exec perf record -q -N -B -k mono -a -g $often -e "$e" -o /proc/self/fd/3 -- sleep {seconds} )
s=$?
mark status; echo $s
[ $s = 0 ] || exit 1
mark limit; cat /proc/sys/kernel/perf_event_max_sample_rate
apart() {{
  if unshare -m true 2>/dev/null; then
    unshare -m sh -c 'mount -t tmpfs fwdtui /tmp 2>/dev/null; exec "$@"' sh "$@"
  else
    "$@"
  fi
}}
mark stats
apart perf report -f -i /proc/self/fd/3 --stats </dev/null
mark stacks
for a in awk mawk gawk original-awk 'busybox awk'; do
  [ "$($a 'BEGIN {{ print 6 * 7 }}' </dev/null 2>/dev/null)" = 42 ] && break
done
l=
perf script -h 2>&1 | grep -q -e --show-lost-events && l=--show-lost-events
i=
perf script -h 2>&1 | grep -q -e --inline && i=--no-inline
{{ apart perf script $l $i -f -i /proc/self/fd/3 -F {fields} </dev/null 2>/dev/null
  echo
}} | $a -v told="$l" -v most={stacks} '
{fold}'
mark done; echo whole
"""


async def capture(host: Host, asked: Asked) -> Capture:
    """Take a profile of all cores now, for `asked.seconds`. Raises a HostError."""
    return read(await ask(host, script(asked), asked.seconds + _READING, _LIMIT), asked)


def script(asked: Asked) -> str:
    """What runs on the host; `mark` begins each part of its answer."""
    return _SCRIPT.format(
        event=shlex.quote(asked.event),
        file=_FILE,
        cycles=asked.cycles,
        frequency=asked.frequency,
        seconds=f"{asked.seconds:g}",
        stacks=_STACKS,
        fields=FIELDS,
        fold=FOLD,
    )


def read(answer: Frame, asked: Asked) -> Capture:
    """Turns the script's answer into a capture. If the profile is not complete, its `problem` says why."""
    profile = parse_perf_folded(answer.text("stacks"))
    events = parse_perf_stats(answer.text("stats")).value
    online = whole(first_line(answer.text("online")))
    seconds = (online or 0) * asked.seconds
    event, period = frame(first_line(answer.text("event"))), whole(first_line(answer.text("period")))
    varying = period is None and not _is_timer(event)
    lost = profile.value.lost
    if lost is None and events and not (events.get("LOST") or events.get("LOST_SAMPLES")):
        lost = 0
    samples, recorded = profile.value.folded.samples, events.get("SAMPLE", 0)
    problem, status = "", first_line(answer.text("status"))
    if status != "0":
        problem = _said(answer.text("record")) or silent(status)
    elif not answer.text("done").strip():
        problem = "perf did not finish reading its own recording"
    elif not _is_timer(event) and (instead := next(filter(_is_timer, profile.value.events), "")):
        problem = f"this host cannot sample {event}, and perf took {instead} instead: ask for that event"
    elif recorded - samples > LOST * recorded:
        problem = f"perf script printed {grouped(samples)} of {grouped(recorded)} samples"
    missing = []
    if lost is None:
        missing.append(UNKNOWN)
    if samples < recorded:
        missing.append(f"perf script printed {grouped(samples)} of {grouped(recorded)} samples")
    if varying:
        missing.append(VARYING.format(event))
    return Capture(
        profiler="perf",
        event=event,
        folded=profile.value.folded,
        began=profile.value.first,
        ended=profile.value.last,
        online=online,
        cores=profile.value.cores,
        lost=lost,
        paused=min(events.get("THROTTLE", 0) * _TICK / seconds, 1.0) if events and seconds else None,
        limit=decimal(first_line(answer.text("limit"))),
        depth=whole(first_line(answer.text("depth"))),
        period=period,
        problem=problem,
        notes=(*([] if problem else missing), *profile.skipped),
    )


def _is_timer(event: str) -> bool:
    """Whether an event is a timer. perf takes one where a host cannot sample cycles (evsel__fallback())."""
    return event.partition(":")[0] in TIMED


_VERSION = re.compile(r"^perf version ", re.MULTILINE)
_ADDRESS = re.compile(r"0*[1-9a-f][0-9a-f]* ")
PROBE = """\
mark perf; command -v perf && perf --version
mark paranoid; cat /proc/sys/kernel/perf_event_paranoid; id -u
mark allowed; command -v perf >/dev/null && { perf stat -a -x, -e cpu-clock true 2>&1; echo "status $?"; }
mark symbols; cat /proc/sys/kernel/kptr_restrict; grep -m 1 -w _stext /proc/kallsyms
"""
"""The section of the doctor's script whose answer `probed` reads."""


def probed(host: str, answer: Frame) -> Check:
    """Whether the host can be profiled. It need not be: `ok` is then None, and `fix` says what is missing."""
    what = "profiler"
    place, _, version = answer.text("perf").strip().partition("\n")
    if not place:
        return Check(host, what, None, "perf is not installed", "for profiles only: install linux-perf")
    if not _VERSION.search(version):  # Debian's and Ubuntu's perf is a script that looks for the kernel's
        state = f"perf does not run: {first_line(version) or 'it says nothing'}"
        return Check(host, what, None, state, "for profiles only: install the perf of the running kernel")
    if refused := _refused(answer):
        return Check(host, what, None, *refused)
    restricted, _, symbol = answer.text("symbols").strip().partition("\n")
    if not _ADDRESS.match(symbol):  # if access is restricted, all addresses are zero
        state = f"the kernel hides its symbols (kernel.kptr_restrict is {first_line(restricted) or '?'})"
        fix = "for profiles only: log in as root, and: sysctl kernel.kptr_restrict=0"
        return Check(host, what, None, state, fix)
    return Check(host, what, True, first_line(version) or "perf")


def _refused(answer: Frame) -> tuple[str, str] | None:
    """Why perf may not sample all cores, and what helps; None: it may. The script has tried it, briefly.

    Root may, users with CAP_PERFMON may, and everyone may where kernel.perf_event_paranoid is 0 or less
    (Documentation/admin-guide/sysctl/kernel.rst); a container takes the right from its root.
    """
    said, tried, status = answer.text("allowed").rpartition("status ")
    said, status = " ".join(said.split()), status.strip()
    if tried and status == "0":
        return None
    if tried and not _LIMITED.search(said):
        why = phrase(said) or silent(status)
        return (
            f"perf cannot sample all cores: {why}",
            "for profiles only: log in as root, or see what perf says",
        )
    paranoid, _, user = answer.text("paranoid").strip().partition("\n")
    level, root = first_line(paranoid) or "not there", user.strip() == "0"
    if root or (level.lstrip("-").isdecimal() and int(level) <= 0):
        whom = "root" if root else "the login"
        state = f"{whom} may not sample all cores: a container or a security module forbids it"
        fix = "for profiles only: give the container CAP_PERFMON, or log in to the host itself"
        return (state, fix) if tried else None
    state = f"the login has no right to sample all cores: kernel.perf_event_paranoid is {level}"
    fix = "for profiles only: log in as root or with CAP_PERFMON, or: sysctl kernel.perf_event_paranoid=0"
    return state, fix


_LIMITED = re.compile(r"Access to performance monitoring .*is limited|[Nn]o permission")
_LEVEL = re.compile(r"perf_event_paranoid setting is (-?[0-9]{1,3})")


def _said(text: str) -> str:
    """What perf says, as one line. Of its twelve lines about rights, only what matters."""
    words = " ".join(text.split())
    level = _LEVEL.search(words) if _LIMITED.search(words) else None
    if level is None:
        return phrase(words) or ""
    return f"it has no right to sample all cores (no CAP_PERFMON; kernel.perf_event_paranoid is {level[1]})"
