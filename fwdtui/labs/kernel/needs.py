"""Checks what the kernel lab needs from the machine; the error says in one line what is missing."""

import os
import shutil
import sys
from collections.abc import Mapping

from fwdtui.core.errors import FwdtuiError
from fwdtui.labs.kernel.commands import SEARCH_PATH

PACKAGES = {
    "ip": "iproute2",
    "nft": "nftables",
    "ethtool": "ethtool",
    "sysctl": "procps",
    "pkill": "procps",
    "sshd": "openssh-server",
    "ssh-keygen": "openssh-client",
    "trafgen": "netsniff-ng",
    "taskset": "util-linux",
    "timeout": "coreutils",
}
"""Command -> the Debian package that contains it."""


def require(packages: Mapping[str, str] = PACKAGES, lab: str = "the kernel lab") -> None:
    """Raises FwdtuiError unless this is Linux, we are root, and every command is installed."""
    if sys.platform != "linux":
        raise FwdtuiError(f"{lab} needs Linux's network namespaces; this is {sys.platform}")
    if os.geteuid() != 0:
        raise FwdtuiError(f"{lab} needs root: it makes network namespaces and starts sshd in them")
    missing = [name for name in packages if find(name) is None]
    if missing:
        wanted = sorted({packages[name] for name in missing})
        raise FwdtuiError(f"{lab} needs {', '.join(missing)} (Debian: apt-get install {' '.join(wanted)})")


def find(command: str) -> str | None:
    """The full path of a command. The system directories are searched even if they are not in PATH."""
    return shutil.which(command, path=SEARCH_PATH)
