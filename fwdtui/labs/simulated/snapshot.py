"""A host's whole state as files that the stand-ins print: a folder for each moment, switched atomically.

Every channel (a shell over ssh) has its own files, so everything that one request reads is from one moment:
clock and counters match exactly, as they do in the model.

Most texts that are printed unchanged are in a file of shell code, `text=...`: a stand-in reads that with `.`
and prints it itself. cat would be one more program, which costs as much as the stand-in. The same holds for
the names of which a sampler asks sysctl(8) in each tick: the stand-in notes them, and later moments have the
answer.
"""

import os
import shlex
import shutil
from collections.abc import Mapping
from pathlib import Path

from fwdtui.labs.simulated.text import configuration, facts, interfaces, interrupts, netisr, sysctls
from fwdtui.labs.simulated.view import View

# for the current moment, the next one, and the two before, which a stand-in may still be reading
_FOLDERS = 4
_READ = ("date", "uname")
"""Files that stand-ins read line by line, and that are not shell code."""
_ASKED, _AGAIN = "asked.", "again."
"""Beginnings of names: of the files in which the stand-in of sysctl(8) notes its arguments, and of those with
the answers, which are shell code."""
_MOST = 4  # answers that are kept ready


def texts(view: View, lines: Mapping[str, str] | None = None) -> dict[str, str]:
    """File name -> what the command of that name prints. `lines`: the host's sysctls, if they are known."""
    lines = sysctls.sysctls(view) if lines is None else lines
    ports = {port.name: interfaces.ifconfig(port) for port in view.ports}
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
        "sysctl": "".join(lines.values()),
        "sysctl-N": "\n".join((*lines, "")),
        "rc.conf": configuration.rc_conf(view),
        "loader.conf": configuration.loader_conf(view),
        "sysctl.conf": configuration.sysctl_conf(view),
        "kernel": configuration.kernel(view),
        "ifconfig": "".join(ports.values()),
    }
    files |= {f"netstat-{options}": table for options, table in interfaces.netstats(view).items()}
    files |= {f"ifconfig.{name}": text for name, text in ports.items()}
    return files


class Snapshots:
    """The moments of one channel, in a folder of its own.

    Moments use a few folders in turn, in which only what has changed is written: making and removing a folder
    of twenty files for each moment took a large part of a simulated host's time.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._number = 0
        self._moments = [_Moment(folder / str(number)) for number in range(_FOLDERS)]
        self._next, self._now = folder / "next", folder / "now"
        folder.mkdir(mode=0o700)

    def write(self, view: View) -> None:
        """Writes the current moment. `folder`/now then points to it."""
        self._number = (self._number + 1) % _FOLDERS
        lines = sysctls.sysctls(view)
        self._moments[self._number].write(texts(view, lines) | self._again(lines))
        self._next.symlink_to(str(self._number))
        self._next.replace(self._now)

    def _again(self, lines: Mapping[str, str]) -> dict[str, str]:
        """The answers to what sysctl(8) was asked for; not to what takes more than exact names."""
        found: dict[str, str] = {}
        there = os.listdir(self.folder)  # noqa: PTH208 - a tenth of the time of pathlib's
        asked = sorted(name for name in there if name.startswith(_ASKED))[:_MOST]
        for file in asked:
            arguments = (self.folder / file).read_bytes().decode("ascii", "replace")
            names = arguments.split(" ")[1:]
            if lines.keys() >= set(names):
                text = "".join(lines[name] for name in names)
                code = f"again={shlex.quote(arguments)}\ntext={shlex.quote(text)}\n"
                found[_AGAIN + file.removeprefix(_ASKED)] = code
        return found

    def remove(self) -> None:
        """Removes all moments, once the channel is closed."""
        shutil.rmtree(self.folder, ignore_errors=True)


class _Moment:
    """One folder. Its paths are kept, and system calls write its files: all else took more than these do."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._paths: dict[str, str] = {}
        self._held: dict[str, str] = {}  # the files' texts

    def write(self, now: dict[str, str]) -> None:
        """Brings the files up to date."""
        held = self._held
        if not held:
            self._folder.mkdir(mode=0o700, exist_ok=True)
        for name in [name for name, text in held.items() if now.get(name) != text]:
            # a program that has it open can still read it to its end
            os.unlink(self._paths[name])  # noqa: PTH108
            del held[name]
        for name, text in now.items():
            if name not in held:
                path = self._paths.get(name) or self._paths.setdefault(name, str(self._folder / name))
                is_read = name in _READ or name.startswith(_AGAIN)
                content = text if is_read else f"text={shlex.quote(text)}\n"
                _write(path, content.encode("ascii"))
                held[name] = text


def _write(path: str, data: bytes) -> None:
    """Makes a file of this content. Raises OSError if it cannot be written whole."""
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
    try:
        while data:
            data = data[os.write(descriptor, data) :]
    finally:
        os.close(descriptor)
