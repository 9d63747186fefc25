"""Takes a profile of a FreeBSD host with pmcstat(8), which turns it into a call graph on the host.

pmcstat writes and reads its recording through two descriptors (``-O -``, ``-R -``) of a file whose name is
already removed: nothing of it stays, however we end. hwpmc(4) must be loaded already: fwdtui loads no module.
"""

import asyncio
import re
import shlex

from fwdtui.collectors.answers import ask, first_line
from fwdtui.collectors.base import Check
from fwdtui.collectors.frames import Frame
from fwdtui.core.parse import freebsd_clock
from fwdtui.core.parse.fields import lines, phrase, whole
from fwdtui.core.parse.pmc_graph import parse_pmc_graph
from fwdtui.core.profile.capture import Asked, Capture, silent
from fwdtui.core.profile.folded import Folded, frame
from fwdtui.transport.base import Host

_READING = 90.0  # seconds for pmcstat to read what it has recorded
_LIMIT = 48 << 20  # bytes of an answer: published graphs have some 180 KiB for each core
_FULL = re.compile(
    r"WARNING: (?:some (?:samples|events) were|sampling was paused|at least [0-9]+ events? were).{0,300}",
    re.IGNORECASE,
)
"""With -v, pmcstat warns that hwpmc's buffers were full (pmcstat.c). It cannot know all that was lost."""
_FILE = 1 << 19  # blocks of 512 bytes of a recording: the unit of ulimit -f
EVENTS = (
    *("unhalted-cycles", "unhalted-core-cycles", "unhalted_core_cycles", "cpu_clk_unhalted.thread"),
    *("ls_not_halted_cyc", "k8-bu-cpu-clk-unhalted", "cpu_cycles", "cycles"),
)
"""Names of the event "cycles of a running core" in pmc(3) and in Intel's, AMD's and Arm's tables.

The first one that the CPU has is used.
"""

# - -z: without it, callers beyond the sixteenth would be left out
# - -n: a sample after so many cycles, for the events that follow it. hw.clockrate is the nominal clock in
#   MHz, as measured: two boots agree to a hundred only. The kernel takes no less than kern.hwpmc.mincount
_SCRIPT = """\
mark online; sysctl -n hw.ncpu
mark depth; sysctl -n kern.hwpmc.callchaindepth
mark event
why=
for e in {events}; do
  w=$(pmcstat -N -S "$e" -O - true 2>&1 >/dev/null) && break
  e= why=${{why:-$w}}
done
printf '%s\\n' "$e"
mark record
command -v pmcstat >/dev/null || {{ echo 'pmcstat is not installed'; exit 1; }}
if [ -z "$e" ]; then
  if kldstat -q -m hwpmc; then echo "hwpmc counts none of these events ($why): {shown}"
  else echo 'the module hwpmc is not loaded'; fi
  exit 1
fi
case $(date +%N) in
''|*[!0-9]*) clock() {{ {old}; }} ;;
*) clock() {{ {new}; }} ;;
esac
f=$(mktemp "${{TMPDIR:-/tmp}}/fwdtui-profile.XXXXXX") || exit 1
exec 3>"$f" 4<"$f"
rm -f "$f"
n=$(sysctl -n hw.clockrate 2>/dev/null)
n=$(((${{n:-1000}} + 50) / 100 * 100000000 / {frequency}))
mark period; echo "$n"
mark before; clock
mark record
( ulimit -f {file}
  exec pmcstat -v -n $n -S "$e" -O - sleep {seconds} >&3 )
s=$?
mark after; clock
mark status; echo $s
[ $s = 0 ] || exit 1
exec 3>&-
mark graph
pmcstat -R - -z 128 -G - <&4
mark done; echo whole
"""


async def capture(host: Host, asked: Asked) -> Capture:
    """Take a profile of all cores now, for `asked.seconds`. Raises a HostError."""
    answer = await ask(host, script(asked), asked.seconds + _READING, _LIMIT)
    return await asyncio.to_thread(read, answer, asked)  # a graph of many cores has megabytes


def script(asked: Asked) -> str:
    """What runs on the host; `mark` begins each part of its answer."""
    events = (asked.event,) if asked.event else EVENTS
    return _SCRIPT.format(
        events=" ".join(map(shlex.quote, events)),
        shown=" ".join(EVENTS) if not asked.event else "the one that was asked for",
        old=freebsd_clock.READ_OLD,
        new=freebsd_clock.READ,
        file=_FILE,
        frequency=asked.frequency,
        seconds=f"{asked.seconds:g}",
    )


def read(answer: Frame, asked: Asked | None = None) -> Capture:
    """Turns the script's answer into a capture. If the profile is not complete, its `problem` says why.

    A graph has no times and does not name the CPUs. The capture's times are therefore those before and after
    pmcstat ran; pmcstat samples only while `sleep` runs, not while it starts on all CPUs and writes the rest.
    """
    said = [line.strip() for line in lines(answer.text("record")) if line.strip()]
    graph = parse_pmc_graph(answer.text("graph"))
    problem, status = "", first_line(answer.text("status"))
    if status != "0":
        problem = phrase(" ".join(said)) or silent(status)
    elif not answer.text("done").strip():
        problem = "pmcstat did not finish reading its own recording"
    elif not graph.value.sections:
        problem = phrase(" ".join(answer.text("graph").split())) or "the call graph is empty"
    parts = [part for one in graph.value.sections for part in (one.whole, one.inner)]
    return Capture(
        profiler="pmcstat",
        event=frame(first_line(answer.text("event"))),
        folded=Folded.of(row for part in parts for row in part.stacks.items()),
        began=_time(answer.text("before")),
        ended=_time(answer.text("after")),
        online=whole(first_line(answer.text("online"))),
        depth=whole(first_line(answer.text("depth"))),
        period=whole(first_line(answer.text("period"))),
        seconds=asked.seconds if asked else None,
        problem=problem,
        notes=(*(match[0] for line in said if (match := _FULL.search(line))), *graph.skipped),
    )


def _time(text: str) -> float | None:
    nanoseconds = freebsd_clock.parse(text).value.uptime_ns
    return None if nanoseconds is None else nanoseconds / 1e9


PROBE = """\
mark pmcstat; command -v pmcstat
mark hwpmc; kldstat -q -m hwpmc && echo loaded
mark pmc.users; id -u; sysctl -n security.bsd.unprivileged_syspmcs
"""
"""The section of the doctor's script whose answer `probed` reads."""


def probed(host: str, answer: Frame) -> Check:
    """Whether the host can be profiled. It need not be: `ok` is then None, and `fix` says what is missing."""
    what = "profiler"
    place = first_line(answer.text("pmcstat"))
    if not place:
        return Check(
            host, what, None, "pmcstat is missing", "for profiles only: it is part of the base system"
        )
    if "loaded" not in answer.text("hwpmc").split():
        return Check(host, what, None, "hwpmc is not loaded", "for profiles only: kldload hwpmc")
    user, _, anybody = answer.text("pmc.users").strip().partition("\n")
    if user.strip() != "0" and anybody.strip() != "1":
        fix = "for profiles only: log in as root, or: sysctl security.bsd.unprivileged_syspmcs=1"
        return Check(host, what, None, "only root may profile all cores", fix)
    return Check(host, what, True, f"{place}, hwpmc is loaded")
