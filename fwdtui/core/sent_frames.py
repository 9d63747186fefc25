"""The length of the frames that a generator's start command sends, where the command says so for certain.

Only netmap's pkt-gen is read. trafgen takes its frames from a file, the kernel's pktgen from a script, and
what iperf3 sends depends on the IP version and on the path's MTU.
"""

import getopt
import re
import shlex
from functools import lru_cache

from fwdtui.core.framing import FCS, LONGEST, SHORTEST

# as pkt-gen.c passes them to getopt, with the options U, e, E and m of other versions
PKT_GEN_OPTIONS = "46a:f:F:Nn:i:Il:d:s:D:S:b:c:o:p:T:w:WvR:UXC:H:e:E:m:rP:zZAhBM:"
_OTHER_LENGTH = {"-F", "-H", "-M", "-P"}  # several slots, a virtio header, a fragment's size, a pcap file
_SHELL = re.compile(r"[;&|<>(){}`$#\\\n\r]")  # more than one command, or words that only the shell knows
TIMEOUT = (  # with the options of GNU's timeout(1) and of FreeBSD's
    r"timeout\s+(?:(?:-[fpv]+|--(?:foreground|preserve-status|verbose)"
    r"|-[sk]\s*[\w.]+|--(?:signal|kill-after)[=\s]\s*[\w.]+)\s+)*[0-9.]+[smhd]?\s+"
)
_BEFORE = re.compile(rf"(?:(?:sudo|doas|exec)\s+)*(?:{TIMEOUT})?(?:\S*/)?pkt-gen\s+(.*)")


@lru_cache(maxsize=64)
def frame_of(command: str) -> int | None:
    """Bytes with FCS: ``pkt-gen -f tx -i igb2 -l 60`` sends frames of 64. None: the command does not say.

    pkt-gen's ``-l`` leaves the FCS out. Given twice, it means random lengths. Cards pad frames that are
    shorter than Ethernet's shortest, but virtual interfaces do not, so those lengths are not known.
    """
    match = None if _SHELL.search(command) else _BEFORE.fullmatch(command.strip())
    if not match:
        return None
    try:
        options, rest = getopt.getopt(shlex.split(match[1]), PKT_GEN_OPTIONS)
    except (getopt.GetoptError, ValueError):
        return None
    lengths = [value for option, value in options if option == "-l"]
    other = any(option in _OTHER_LENGTH for option, _ in options)
    if other or rest or len(lengths) != 1 or not re.fullmatch("[0-9]{1,5}", lengths[0], re.ASCII):
        return None
    frame = int(lengths[0]) + FCS
    return frame if SHORTEST <= frame <= LONGEST else None
