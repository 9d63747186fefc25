"""A host's whole state as files that the stand-ins print: one folder per moment, switched atomically.

Every channel (a shell over ssh) has its own, so everything that one request reads is from one moment: clock
and counters match exactly as in the model.
"""

import os
import shutil
from pathlib import Path

from fwdtui.labs.simulated.text import configuration, facts, interfaces, interrupts, netisr, sysctls
from fwdtui.labs.simulated.view import View

_KEPT = 2  # earlier moments to keep, for a stand-in that has just opened a folder


def texts(view: View) -> dict[str, str]:
    """File name -> what the command of that name prints."""
    seconds, microseconds = divmod(view.wall, 1_000_000)
    files = {
        "date": f"{seconds} {microseconds * 1000:09}\n",
        "uname": facts.uname(view),
        "dmesg": facts.dmesg(view),
        "pciconf": facts.pciconf(view),
        "netstat-r": facts.routes(view),
        "netstat-s": facts.ip_statistics(view),
        "netstat-Q": netisr.netstat(view),
        "vmstat-i": interrupts.vmstat(view),
        "sysctl": sysctls.sysctls(view),
        "rc.conf": configuration.rc_conf(view),
        "loader.conf": configuration.loader_conf(view),
        "sysctl.conf": configuration.sysctl_conf(view),
        "kernel": configuration.kernel(view),
        "ifconfig": "".join(interfaces.ifconfig(port) for port in view.ports),
    }
    for octets in ("", "b"):
        for drops in ("", "d"):
            table = interfaces.netstat(view, octets=bool(octets), drops=bool(drops))
            files[f"netstat-i{octets}{drops}"] = table
    files |= {f"ifconfig.{port.name}": interfaces.ifconfig(port) for port in view.ports}
    return files


class Snapshots:
    """The moments of one channel, in a folder of its own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._number = 0
        self._before: dict[str, str] = {}
        folder.mkdir(mode=0o700)

    def write(self, view: View) -> None:
        """Writes the current moment, to which `folder`/now then points."""
        before = f"{self.folder}/{self._number}"
        self._number += 1
        fresh = self.folder / str(self._number)
        fresh.mkdir(mode=0o700)
        now = texts(view)
        for name, text in now.items():
            if self._before.get(name) == text:  # most never change: the same file, in the new folder too
                os.link(f"{before}/{name}", f"{fresh}/{name}")
            else:
                (fresh / name).write_text(text, encoding="ascii")
        self._before = now
        link = self.folder / "next"
        link.symlink_to(fresh.name)
        link.replace(self.folder / "now")
        shutil.rmtree(self.folder / str(self._number - 1 - _KEPT), ignore_errors=True)

    def remove(self) -> None:
        """Removes all moments, once the channel is closed."""
        shutil.rmtree(self.folder, ignore_errors=True)
