"""Finds out whether a script leaves programs in the background, which end with it (`remote_shell`).

What counts is the process group, since that is what the transport ends. A daemon has left it (daemon(8),
``setsid -f``), but ``nohup X &`` and ``(X &)`` have not.
"""

import re
import shlex

_MARK = "fwdtui-left-behind"
_LEFT = re.compile(rb"\n?^" + _MARK.encode() + rb" (\d+)\n?", re.MULTILINE)

# It prints the processes of its group that the script has started: $1 is the script's shell, $2 has those
# that were there before it. New ones that these start are the transport's too (`sleep`), and so are this
# shell and what it runs. Orphans have another parent: whoever adopts them is not of the group. The processes
# are in one line, because FreeBSD's awk takes no newline in -v.
_STARTED = """\
if [ -r /proc/self/stat ]; then cat /proc/[0-9]*/stat; else ps -axo pid= -o ppid= -o pgid= -o state=; fi |
awk -v shell="$1" -v before="$2" -v self=$$ '
  { pid = $1
    if (sub(/.*[)] /, "")) { state = $1; above = $2; of = $3 } else { above = $2; of = $3; state = $4 }
    if (state !~ /^Z/) { parent[pid] = above; group[pid] = of } }
  END {
    for (pid = self; pid != shell && pid in parent; pid = parent[pid]) own[pid]
    n = split(before, known, " "); for (i = 1; i <= n; i++) own[known[i]]
    do { more = 0
      for (pid in group) if (!(pid in own) && parent[pid] != shell && (parent[pid] in own)) {
        own[pid]; more = 1 }
    } while (more)
    for (pid in group) if (group[pid] == group[shell] && !(pid in own)) printf "%s ", pid
  }'
"""

# The script has a subshell: it may call `exit` or `exec`, or have traps of its own. What ends within a
# second, or is about to leave the group, is not left behind.
_WATCHED = """\
fwdtui_started() {{ /bin/sh -c {started} sh $$ "$1" 2>/dev/null; }}
fwdtui_before=$(fwdtui_started '')
( trap : INT
{script}
)
fwdtui_status=$?
set -- $(fwdtui_started "$fwdtui_before")
[ $# -eq 0 ] || {{ sleep 1; set -- $(fwdtui_started "$fwdtui_before"); }}
[ $# -eq 0 ] || printf '\\n%s %s\\n' {mark} $# >&2
exit $fwdtui_status
"""


def watched(script: str) -> str:
    """The script, with a last line on stderr if it leaves programs in the background: see `left`.

    Its output and exit status are as before. A host without awk reports nothing.
    """
    return _WATCHED.format(started=shlex.quote(_STARTED), script=script, mark=_MARK)


def left(stderr: bytes) -> tuple[int, bytes]:
    """How many programs a `watched` script has left in the background, and its own stderr."""
    found = _LEFT.search(stderr)
    if found is None:
        return 0, stderr
    return int(found[1]), stderr[: found.start()] + stderr[found.end() :]
