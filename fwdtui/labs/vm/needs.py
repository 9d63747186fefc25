"""Checks what the VM lab needs from the machine beyond what the kernel lab does."""

from pathlib import Path

from fwdtui.core.errors import FwdtuiError
from fwdtui.labs.kernel import needs
from fwdtui.labs.vm.machine import QEMU

PACKAGES = {
    **needs.PACKAGES,
    QEMU: "qemu-system-x86",
    "busybox": "busybox-static",
    "dropbear": "dropbear-bin",
    "dropbearkey": "dropbear-bin",
    "tc": "iproute2",
    "dash": "dash",
    "ldd": "libc-bin",
    "dpkg-deb": "dpkg",
    "ssh": "openssh-client",
    "tcpreplay": "tcpreplay",
    "setsid": "util-linux",
}
"""Command -> the Debian package that contains it. The package busybox will do instead of busybox-static."""


def require() -> None:
    """Raises FwdtuiError with everything that is missing, in one sentence."""
    needs.require(PACKAGES, "the VM lab")
    if not Path("/dev/net/tun").exists():
        raise FwdtuiError("the VM lab needs tap devices: there is no /dev/net/tun here (modprobe tun)")
