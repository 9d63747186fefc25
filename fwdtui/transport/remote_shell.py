"""Runs a script on a host so that any login shell will do and nothing outlives the connection.

The ssh command is the constant `COMMAND`, which is safe in csh, tcsh, fish and every sh; everything else goes
through stdin. There is no pty, so there is no SIGHUP: a silent program would keep running after the
connection has ended. Measured with OpenSSH 9.2 and dropbear 2022: signals sent through ssh are ignored for
root, and only the end of stdin is always noticed. Therefore the script runs next to a reader of stdin, which
is the program's lifeline:

* end of stdin (channel or connection closed, client killed): TERM to the process group, KILL a second later;
* an empty line is a heartbeat. If none comes for `deadman` seconds (a half-open link, a suspended client),
  the group is ended in the same way, so a forgotten generator cannot keep sending;
* ``!INT`` sends that signal to the group; any other line goes to the program's stdin.

The answer to a heartbeat is the mark, on stderr: so the client can tell a stalled link from a silent program.

The process group is ours only if the shell leads it. OpenSSH ensures that; dropbear does not (its sessions
share the group of the connection's server process), so setsid is used there.

After the script, the client must send nothing more until the mark has appeared: FreeBSD's sh, busybox and
older versions of dash read ahead while they read their script, and would swallow it.

A login shell's start-up file may read from stdin too (a question about the terminal, a menu) and would
swallow the script's first line. Therefore the client knocks first, and again every few seconds, and sends the
script only when a shell has answered. `COMMAND` itself cannot answer: it must be plain words for any shell.
"""

import secrets
import shlex
from collections.abc import Iterable

from fwdtui.core.errors import FwdtuiError

COMMAND = "exec /bin/sh -s"
HEARTBEAT = b"\n"
SIGNALS = ("HUP", "INT", "QUIT", "TERM", "USR1", "USR2")
# Linux allows no argument longer than 128 KiB, and a script is quoted twice, which makes it longer
_SCRIPT_LIMIT = 100_000

# Parts that are not obvious:
# - `trap :` (not '') is reset in programs: they get the signal, while the shells around them go on waiting.
#   A ksh keeps it in subshells
# - the first line through the pipe holds the program back until the reader's traps are set. It is the
#   reader's process ID ($$ is the outer shell's), since the shell waits for the whole pipeline, and `read`
#   in a ksh ignores TERM
# - exec does the redirecting, because a ksh keeps copies of what `( ... ) >file` replaces, and then the
#   channel stays open
# - shells report killed children on stderr: so theirs goes to /dev/null, and the program's is descriptor 3
# - with PIPE ignored, the reader survives a program that has closed its stdin
# - a heartbeat that comes before the watch has set its trap (on a busy host) ends the watch; the next
#   heartbeat starts another one. The shell cannot ignore USR1 until then: a ksh would then not let the watch
#   trap it
_GUARDED = """\
trap : TERM INT
reap() {{ exec </dev/null >/dev/null 3>&-; trap '' TERM; kill -TERM 0; sleep 1; kill -KILL 0; }}
printf '\\n%s\\n' {mark}
printf '\\n%s\\n' {mark} >&2
exec 3>&2 2>/dev/null
watch() {{
  ( exec </dev/null >/dev/null 3>&-
    trap - TERM INT
    trap 'n=0' USR1
    n=0
    while [ $n -lt 6 ]; do sleep {pause}; n=$((n+1)); done
    reap ) &
  t=$!
}}
watch
( trap '' PIPE INT HUP QUIT USR2
  trap 'exit 0' TERM
  /bin/sh -c 'echo $PPID'
  while IFS= read -r line; do
    case $line in
    '') kill -USR1 $t || watch; printf '%s\\n' {mark} >&3 ;;
    '!'*) kill -"${{line#?}}" 0 ;;
    *) printf '%s\\n' "$line" ;;
    esac
  done
  ( reap ) &
  exit 0 ) | {{
  trap : INT HUP QUIT USR1 USR2
  read -r reader
  /bin/sh -c {program}{redirect} 3>&-
  s=$?
  trap : TERM
  kill -KILL $reader
  ( reap ) &
  exit $s
}}
"""

_LAUNCH = """\
{{ LC_ALL=C PATH=$PATH:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
export LC_ALL PATH
p=
if [ -r /proc/$$/stat ]; then
read -r a b c d g e </proc/$$/stat
if [ "$g" != $$ ]; then
command -v setsid >/dev/null || {{ echo 'no setsid here to give a command its own process group'; exit 125; }}
p=setsid
fi
fi
exec $p /bin/sh -c {guarded}
}}
"""

# The group's shells have their mark in their arguments. This script must not find itself: in its own
# arguments the marks are in two parts, and it passes no program a whole one as an argument. It sends CONT,
# because a stopped process reacts to TERM only then. A program has a second to clean up, as in `reap`.
_ENDING = """\
marks() {{ for m in {halves}; do printf 'fwdtui-%s\\n' "${{m%:*}}${{m#*:}}"; done; }}
groups() {{
  if [ -r /proc/self/stat ]; then
    for f in $(marks | grep -lsF -f - /proc/[0-9]*/cmdline); do
      read -r l <"${{f%cmdline}}stat" && l=${{l##*\\)}} && set -- $l && echo "$3"
    done
  else
    marks | {{ IFS=; all=; while read -r m; do all="$all$m "; done
      ps -axww -o pgid= -o args= | MARKS=$all awk '
        BEGIN {{ n = split(ENVIRON["MARKS"], mark, " ") }}
        {{ for (i = 1; i <= n; i++) if (index($0, mark[i])) print $1 }}'; }}
  fi 2>/dev/null
}}
found=$(groups | sort -u)
[ -n "$found" ] || exit 0
for g in $found; do kill -s TERM -- -"$g"; kill -s CONT -- -"$g"; done 2>/dev/null
sleep 1
for g in $found; do kill -s KILL -- -"$g"; done 2>/dev/null
exit 0
"""


def new_mark() -> str:
    """A random word that a shell's start-up files do not print by accident."""
    return f"fwdtui-{secrets.token_hex(8)}"


def knock(mark: str) -> bytes:
    """A line that any sh answers with `answer`, and that does not contain the answer itself."""
    return f"printf '\\n%s-%s\\n' {mark} here\n".encode()


def answer(mark: str) -> str:
    """What `knock` prints on a line of its own."""
    return f"{mark}-here"


def signal_line(name: str) -> bytes:
    """The line that signals the process group."""
    if name not in SIGNALS:
        raise ValueError(f"not one of {SIGNALS}: {name!r}")
    return f"!{name}\n".encode()


def program_line(line: bytes) -> bytes:
    """A line for the program's stdin."""
    if not line or line.startswith(b"!") or b"\n" in line or b"\0" in line:
        raise ValueError(f"not a line that a program can be sent: {line[:80]!r}")
    return line + b"\n"


def launch(script: str, mark: str, *, stdin: bool, merge_stderr: bool, deadman: float) -> bytes:
    """What to write to `COMMAND`'s stdin to run `script` (POSIX sh, up to 100 kB).

    After the mark, stdout and the exit status are the script's own. With `merge_stderr` its stderr goes to
    stdout as well, in the order of the writes. `deadman`: seconds without a heartbeat after which the script
    is ended. It runs with LC_ALL=C and the sbin folders in PATH.
    """
    if "\0" in script:
        raise FwdtuiError("a script for a remote host contains a NUL character")
    # without the trap, INT would kill the script's shell before the program has printed its summary
    program = shlex.quote(f"trap : INT\n{script}")
    redirect = ("" if stdin else " </dev/null") + (" 2>&1" if merge_stderr else " 2>&3")
    guarded = _GUARDED.format(mark=mark, pause=f"{deadman / 6:g}", program=program, redirect=redirect)
    text = _LAUNCH.format(guarded=shlex.quote(guarded)).encode("utf-8", "surrogateescape")
    if len(text) > _SCRIPT_LIMIT:
        raise FwdtuiError(f"a script for a remote host is too long ({len(script)} characters)")
    return text


def ending(marks: Iterable[str]) -> str:
    """A script that ends what was launched with these marks, including stopped processes, in a second."""
    words = [mark.removeprefix("fwdtui-") for mark in marks]
    halves = " ".join(f"{word[: len(word) // 2]}:{word[len(word) // 2 :]}" for word in words)
    return _ENDING.format(halves=halves)
