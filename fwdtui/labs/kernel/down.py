"""Takes the lab down: removes exactly what the journal says we made, and ends all that runs in there."""

import contextlib
import errno
import json
import os
import signal
import time
from pathlib import Path

from fwdtui.core.errors import FwdtuiError
from fwdtui.labs.kernel import journal, needs, place, ssh, topology
from fwdtui.labs.kernel.commands import Commands
from fwdtui.labs.kernel.files import unfinished
from fwdtui.labs.kernel.journal import Journal
from fwdtui.labs.kernel.place import Place
from fwdtui.transport import trusted

_GENTLE = 2.0  # seconds between SIGTERM and SIGKILL


def take_down(where: Place) -> str:
    """Take the lab down, and return a sentence about that, even if there was no lab. Raises FwdtuiError."""
    nothing = f"{where.words} is not up; nothing to take down"
    if journal.read(where.folder) is None:
        return nothing
    needs.require({"ip": needs.PACKAGES["ip"]})
    try:
        with place.locked(where) as lock:
            record = journal.read(where.folder)
            if record is None:
                return nothing
            remove(Commands(lock), where, record)
    except place.FolderGoneError:  # another command took it down while we waited for the lock
        return nothing
    return f"{where.words} is down"


def remove(commands: Commands, where: Place, record: Journal, keep_folder: bool = False) -> None:
    """Removes everything in this journal: processes, veths, namespaces and files, and the journal last."""
    if record.this_boot:
        ours = [name for name, known in record.namespaces.items() if _is_ours(commands, name, known)]
        # processes before links: so a client elsewhere learns at once that its connection has ended
        for name in ours:
            _end_processes(place.inode(name) or 0, name)
        for host in topology.HOSTS:
            # even if another program removed the name, the server still keeps its namespace alive
            known = record.namespaces.get(where.namespace(host))
            if known and ssh.server_pid(where, host, known):
                _end_processes(known, where.namespace(host))
        for name, mac in record.veths.items():
            _remove_veth(commands, name, mac)
        for name in ours:
            _remove_namespace(commands, where, record, name)
    trusted.unmade(where.folder)
    for name in record.files:
        (where.folder / name).unlink(missing_ok=True)
        unfinished(where.folder / name).unlink(missing_ok=True)
    for folder in {(where.folder / name).parent for name in record.files} - {where.folder}:
        with contextlib.suppress(OSError):  # see below
            folder.rmdir()
    (where.folder / journal.NAME).unlink(missing_ok=True)
    if record.made_folder and not keep_folder:
        with contextlib.suppress(OSError):  # there are files in it that are not ours: keep them
            where.folder.rmdir()


def _is_ours(commands: Commands, name: str, known: int | None) -> bool:
    """Whether we made the namespace. Its inode number proves that.

    If no inode is known, there was a crash right before or right after the namespace was made. We had not put
    anything in it by then, so if something is in it, another program has made it since.
    """
    there = place.inode(name)
    if there is None or known is not None:
        return there is not None and there == known
    ports = json.loads(commands.run("ip", "-netns", name, "-json", "link", "show"))
    return not inhabitants(there) and not any("UP" in port["flags"] for port in ports)


def _remove_veth(commands: Commands, name: str, mac: str) -> None:
    """Removes a veth with its far end, unless its hardware address shows that it is not ours.

    The kernel may be removing it at this moment, along with a namespace that another program deleted. Until
    it is gone, its address cannot be read: EINVAL (net/core/net-sysfs.c, netdev_show), or ENODEV by kernfs.
    """
    address = Path("/sys/class/net") / name / "address"
    try:
        if address.read_text().strip() == mac:
            commands.run("ip", "link", "delete", name)
    except FileNotFoundError:
        pass
    except FwdtuiError:
        if address.exists():
            raise
    except OSError as error:
        if error.errno not in (errno.EINVAL, errno.ENODEV):
            raise
        until = time.monotonic() + _GENTLE
        while address.exists():
            if time.monotonic() > until:
                raise FwdtuiError(
                    f"kernel lab: the kernel is removing {name} but has not finished: try again in a moment"
                ) from error
            time.sleep(0.02)


def _remove_namespace(commands: Commands, where: Place, record: Journal, name: str) -> None:
    ports = json.loads(commands.run("ip", "-netns", name, "-json", "link", "show"))
    here = {port["ifname"] for port in ports}
    ends = [port for link in topology.LINKS for port in link]
    ours = [port.name for port in ends if where.namespace(port.host) == name]
    ours += [f"{topology.TOWARDS}{port.name}" for port in ends]
    ours += record.veths  # a tap is in the namespace until it has its address (labs/vm/taps.py)
    # the kernel removes a namespace's ports only some time after the namespace; we want them gone now
    for port in here.intersection(ours):
        commands.run("ip", "-netns", name, "link", "delete", port)
    commands.run("ip", "netns", "delete", name)


def _end_processes(inode: int, name: str) -> None:
    """Ends everything in the namespace: servers, sessions, generators. If we run in it, we do not end."""
    spared = _ancestors()
    until = time.monotonic() + _GENTLE
    kind = signal.SIGTERM
    while pids := [pid for pid in inhabitants(inode) if pid not in spared]:
        for pid in pids:
            _signal(pid, inode, kind)
        time.sleep(0.02)
        if time.monotonic() > until:
            if kind == signal.SIGKILL:
                raise FwdtuiError(f"kernel lab: process {pids[0]} in {name} cannot be ended")
            kind, until = signal.SIGKILL, time.monotonic() + _GENTLE


def _signal(pid: int, inode: int, kind: signal.Signals) -> None:
    """Sends a signal through a pidfd, so that it cannot hit another process that has the same ID by now."""
    try:
        process = os.pidfd_open(pid)
    except ProcessLookupError:
        return
    try:
        if Path(f"/proc/{pid}/ns/net").stat().st_ino == inode:
            signal.pidfd_send_signal(process, kind)
    except (FileNotFoundError, ProcessLookupError):
        pass
    finally:
        os.close(process)


def inhabitants(inode: int) -> list[int]:
    """The processes in a namespace."""
    pids = []
    for entry in Path("/proc").iterdir():
        with contextlib.suppress(OSError):  # the process ended while we looked
            if entry.name.isdigit() and (entry / "ns/net").stat().st_ino == inode:
                pids.append(int(entry.name))
    return pids


def _ancestors() -> set[int]:
    pid, pids = os.getpid(), set()
    while pid > 0:
        pids.add(pid)
        # /proc/PID/stat, field 4, after the name in parentheses (proc(5))
        pid = int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])
    return pids
