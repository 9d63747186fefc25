"""A host's whole state as files that the stand-ins print: a folder for each moment, switched atomically.

Every channel (a shell over ssh) has its own, so everything that one request reads is from one moment: clock
and counters match exactly as in the model.
"""

import shutil
from pathlib import Path

from fwdtui.labs.simulated.text import configuration, facts, interfaces, interrupts, netisr, sysctls
from fwdtui.labs.simulated.view import View

# one for this moment, the next one, and two before, for a stand-in that has just opened a folder
_FOLDERS = 4


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
    """The moments of one channel, in a folder of its own.

    Moments take turns in a few folders, where only what has changed is written: making and removing a folder
    of twenty files for each moment took a large part of a simulated host's time.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._number = 0
        self._held: list[dict[str, str]] = [{} for _ in range(_FOLDERS)]  # what each folder's files say
        folder.mkdir(mode=0o700)

    def write(self, view: View) -> None:
        """Writes the current moment, to which `folder`/now then points."""
        self._number = (self._number + 1) % _FOLDERS
        held, now = self._held[self._number], texts(view)
        place = f"{self.folder}/{self._number}/"
        if not held:
            Path(place).mkdir(mode=0o700, exist_ok=True)
        for name in [name for name, text in held.items() if now.get(name) != text]:
            Path(place + name).unlink()  # who reads it at present reads it to its end
            del held[name]
        for name, text in now.items():
            if name not in held:
                Path(place + name).write_text(text, encoding="ascii")
                held[name] = text
        link = self.folder / "next"
        link.symlink_to(str(self._number))
        link.replace(self.folder / "now")

    def remove(self) -> None:
        """Removes all moments, once the channel is closed."""
        shutil.rmtree(self.folder, ignore_errors=True)
