"""FreeBSD `uname -a`: which kernel ran, down to its revision and configuration.

Source: uname(1); sys/conf/newvers.sh builds the version string. Forms seen:

    FreeBSD HOST 12.0-CURRENT FreeBSD 12.0-CURRENT #21 r312988M: DATE     USER@HOST:/usr/obj/…/GENERIC  amd64
    FreeBSD HOST 15.0-CURRENT FreeBSD 15.0-CURRENT #8 main-n266813-4b92c7721dee: DATE     USER@HOST:/… amd64
    FreeBSD HOST 14.1-RELEASE FreeBSD 14.1-RELEASE releng/14.1-n267679-10e31f0946d8 GENERIC amd64
    FreeBSD HOST 16.0-CURRENT FreeBSD 16.0-CURRENT BSDRP-AMD64 amd64

The last two are from reproducible builds. An M after a Subversion revision means a modified source tree.
"""

import re
from dataclasses import dataclass

from fwdtui.core.parse.fields import Parsed, lines, shown

_LINE = re.compile(r"(?:UNAME=\"?)?FreeBSD (\S+) ([0-9]+\.[0-9]\S*) FreeBSD \S+ +(.*)", re.ASCII)
_GIT = re.compile(r"(?:(\S+)-)?(n[0-9]+)-([0-9a-f]{7,40})((?:-dirty)?)")
_SUBVERSION = re.compile(r"r[0-9]+(?::[0-9]+)?M?S?P?")
_BUILD = re.compile(r"#([0-9]+)")
_PATH = re.compile(r"\S+@\S+:(/\S+)")


@dataclass(frozen=True, slots=True)
class FreebsdKernel:
    """What uname reports; "" for what it does not."""

    host: str = ""
    release: str = ""  # "16.0-CURRENT"
    revision: str = ""  # "r312988M" or "n266813-4b92c7721dee"
    branch: str = ""  # "main", "stable/14", "releng/14.1"; git only
    modified: bool = False  # built from a modified source tree
    build: int | None = None  # the counter after #
    config: str = ""  # the kernel configuration: GENERIC, GENERIC-NODEBUG...
    machine: str = ""


def parse(text: str) -> Parsed[FreebsdKernel]:
    """The first FreeBSD uname line in `text`, also ``UNAME="…"`` of a bench-lab info file. Never raises."""
    for line in lines(text):
        if match := _LINE.fullmatch(line.strip()):
            version, _, machine = match[3].rstrip('" ').rpartition(" ")
            return Parsed(_kernel(match[1], match[2], version.strip(), machine))
    return Parsed(FreebsdKernel(), (f"no uname line of FreeBSD: {shown(lines(text.strip())[0])}",))


def _kernel(host: str, release: str, version: str, machine: str) -> FreebsdKernel:
    """`version` is the text between the second release and the machine."""
    revision = branch = config = ""
    modified = False
    head, _, tail = version.partition(": ")  # the date follows the colon
    words = head.rstrip(":").split()
    build = next((int(match[1][:9]) for word in words if (match := _BUILD.fullmatch(word))), None)
    for word in words:
        if git := _GIT.fullmatch(word):
            branch, revision, modified = git[1] or "", f"{git[2]}-{git[3]}", bool(git[4])
        elif _SUBVERSION.fullmatch(word):
            revision, modified = word, "M" in word
    if path := _PATH.search(tail or head):
        config = path[1].rstrip("/").rpartition("/")[2]
    elif not tail and words and not words[-1].startswith("#") and not _GIT.fullmatch(words[-1]):
        config = words[-1]
    return FreebsdKernel(host, release, revision, branch, modified, build, config, machine)
