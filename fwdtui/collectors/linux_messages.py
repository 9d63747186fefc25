"""Kernel messages of a Linux host as they come: one reader of /dev/kmsg that runs beside the sampler.

dmesg prints the whole buffer each time. With the programs around it, that takes some twenty times the CPU
time of a plain tick. Reading /dev/kmsg costs nothing until the kernel says something. The reader prints to
stderr, so that none of its lines gets into a frame, however the pipe is filled.

- `cat` does the reading: it reads one record at a time, into a buffer that is large enough for any record. An
  awk reads in pieces that may be too short for a record, which the kernel refuses (EINVAL).
- The awk of the sampler opens the reader as a pipe to which it never writes. The shell's `read` returns when
  that awk ends, however it ends, and `cat` is then killed. The group's own stdout is redirected away from the
  pipe, or the filter would not notice the end of `cat`.
- A new reader of /dev/kmsg begins with the oldest record. What is older than the last line that dmesg printed
  is already known: records carry their time in microseconds, which dmesg prints. Times of several processors
  are not in order, so what follows the record with that time is new even if its own time is earlier.
- A line and its newline are printed as one string, since mawk -W interactive writes each string by itself: a
  shell's "Killed", on the same stderr, once got between a line and its newline.
- The kernel numbers records: a gap is what was overwritten before it was read. read(2) then fails with EPIPE,
  `cat` ends, and dmesg is asked again every ten seconds.

Source: Documentation/ABI/testing/dev-kmsg.
"""

import re
import shlex

from fwdtui.collectors.base import Followed
from fwdtui.core.text import decode

KMSG = "/dev/kmsg"
MOST = 20
"""How many messages of one second are passed on. The others are only counted."""

_FILTER = r"""
/^ / { next }
{
  end = index($0, ";")
  if (!end || split(substr($0, 1, end - 1), head, ",") < 3) { why = $0; next }
  if (seq != "" && head[2] - seq > 1) left += head[2] - seq - 1
  seq = head[2]
  if (!past) {
    if (head[3] + 0 == since) { known = 1; next }
    if (head[3] + 0 < since && !known) next
    past = 1
  }
  if (int(head[3] / 1000000) != second) { second = int(head[3] / 1000000); told = 0 }
  if (++told > MOST) {
    if (told == MOST + 1) { print M "more\n"; fflush() }
    left++
    next
  }
  print M left + 0 " " head[3] " " substr($0, end + 1, 1000) "\n"
  fflush()
  left = 0
}
BEGIN { MOST = ENVIRON["MOST"] + 0; since = ENVIRON["SINCE"] + 0; M = "@" ENVIRON["TOKEN"] " K "; ORS = "" }
END { print M "end " why "\n" }
"""

_READER = """\
{ cat "$KMSG" 2>&1 & exec >/dev/null; read -r end; kill $!; wait; } 2>/dev/null | $AWK "$FILTER" >&2"""

_STAMP = re.compile(r"(?:<[0-9]{1,3}>)?\[ *([0-9]{1,12})\.([0-9]{6})\].*")
_SAID = re.compile(r"([0-9]{1,15}) ([0-9]{1,18}) (.*)")


def variables(kmsg: str = KMSG) -> str:
    """Shell code that exports what the reader needs. `kmsg`: the file to read; tests use another one."""
    return (
        f"KMSG={shlex.quote(kmsg)} MOST={MOST} READER={shlex.quote(_READER)} "
        f"FILTER={shlex.quote(_FILTER.strip())}\nexport KMSG MOST READER FILTER"
    )


def last_time(messages: str) -> int | None:
    """The time, in microseconds, of the newest line that dmesg printed; None if the lines have no times."""
    newest = _STAMP.fullmatch(messages.rstrip().rpartition("\n")[2])
    return None if newest is None else int(newest[1]) * 1_000_000 + int(newest[2])


def said(line: bytes, token: str) -> Followed | None:
    """What a line of stderr says; None if the line is not from the reader. Never raises."""
    mark = f"@{token} K ".encode()
    if not line.startswith(mark):
        return None
    text = decode(line[len(mark) :])
    if text.startswith("end"):
        return Followed(text[4:], ended=True)
    if text == "more":
        return Followed(f"more than {MOST} kernel messages in a second: the others are left out")
    parts = _SAID.fullmatch(text)
    if parts is None:
        return Followed("a kernel message that cannot be read")
    return Followed(parts[3], when=int(parts[2]) / 1e6, left=int(parts[1]))
