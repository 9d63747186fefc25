"""The machine while it runs: the processes of its keeper and QEMU, its monitor, and its answers over ssh."""

import os
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import msgspec

from fwdtui.core.errors import FwdtuiError
from fwdtui.core.text import clean, decode
from fwdtui.labs.kernel import place as places
from fwdtui.labs.kernel import ssh
from fwdtui.labs.kernel.commands import SEARCH_PATH
from fwdtui.labs.kernel.down import inhabitants
from fwdtui.labs.kernel.files import write
from fwdtui.labs.vm import guests, keeper
from fwdtui.labs.vm.entries import descriptors
from fwdtui.labs.vm.guests import Guest
from fwdtui.labs.vm.machine import QEMU, Machine

BOOTS = 120.0  # seconds for a boot: it is emulated, and the other CPUs may be busy
KEEPER = "keeper.py"
MONITOR = "monitor.socket"
FILES = ("keeper.log", "keeper.log.1", "serial.log", "serial.log.1", MONITOR)
"""The files that the keeper and QEMU write, besides the one with the process ID."""

Keep = Callable[[str], Path]


def write_keeper(guest: Guest, slot: int, machine: Machine, keep: Keep) -> None:
    """Writes the keeper's program, and the file that tells it what it has to know."""
    requests, own, ports = descriptors(machine, guest.host)
    taps = [{"name": guest.management_tap(slot), "namespace": "", "descriptors": [own]}]
    for (port, other), queues in zip(guests.ports(guest.host), ports, strict=True):
        host, name = guests.tap(guest.where, port, other)
        taps.append({"name": name, "namespace": guest.where.namespace(host), "descriptors": queues})
    plan = {"host": guest.host, "requests": requests, "taps": taps}
    write(keep(guest.file("keeper.json")), msgspec.json.encode(plan))
    write(keep(guest.file(KEEPER)), Path(keeper.__file__).read_bytes())
    for name in (*FILES, f"{guest.host}.pid"):
        keep(guest.file(name))


def start(guest: Guest) -> None:
    """Starts the keeper in the machine's namespace. It starts QEMU; both outlive us."""
    home = os.open("/proc/self/ns/net", os.O_RDONLY | os.O_CLOEXEC)
    try:
        argv = ["setsid", "--fork", "ip", "netns", "exec", guest.namespace, sys.executable, "-I"]
        # unlike other commands it does not inherit the lab's lock, since it stays
        subprocess.run(
            [*argv, str(guest.folder / KEEPER), str(guest.folder), str(home)],
            cwd=guest.folder,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            pass_fds=(home,),
            env={**os.environ, "PATH": SEARCH_PATH},
            check=True,
            timeout=30,
        )
    except (OSError, subprocess.SubprocessError) as error:
        raise FwdtuiError(f"{guest.words}: the machine's keeper does not start: {error}") from None
    finally:
        os.close(home)


def pids(guest: Guest) -> tuple[int | None, int | None]:
    """The process IDs of keeper and QEMU, found in the machine's namespace by their command lines."""
    inode = places.inode(guest.namespace)
    keeping = running = None
    for pid in inhabitants(inode) if inode is not None else []:
        try:
            words = Path(f"/proc/{pid}/cmdline").read_bytes().decode("utf-8", "replace").split("\0")
        except OSError:
            continue
        if str(guest.folder / KEEPER) in words:
            keeping = pid
        elif words[0].endswith(QEMU):
            running = pid
    return keeping, running


def answers(guest: Guest, slot: int) -> bool:
    """Whether the guest's ssh server greets now."""
    return ssh.greets(guest.address(slot))


def boot_id(guest: Guest) -> str | None:
    """The guest's boot identity, asked for over ssh; None if it does not answer."""
    said = command(guest, "cat /proc/sys/kernel/random/boot_id", 15)
    return clean(said).strip()[:64] or None if said is not None else None


def command(guest: Guest, text: str, limit: float) -> str | None:
    """What a command in the machine prints, over ssh; None if it fails or takes more than `limit` seconds."""
    options = ("-F", str(guest.where.folder / "ssh_config"), "-o", "BatchMode=yes", "-o", "ConnectTimeout=5")
    try:
        done = subprocess.run(
            ["ssh", *options, guest.host, text],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="backslashreplace",
            timeout=limit,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout if done.returncode == 0 else None


def await_answer(guest: Guest, slot: int, before: str | None = None) -> str:
    """Waits for an answer over ssh with a boot identity other than `before`, and returns that identity.

    Raises FwdtuiError, with what the machine last said, if it does not answer in time or no longer runs.
    """
    until = time.monotonic() + BOOTS
    gone = 0
    while time.monotonic() < until:
        if answers(guest, slot):
            now = boot_id(guest)
            if now is not None and now != before:
                return now
        # between two boots there is no QEMU, but always a keeper
        gone = gone + 1 if pids(guest)[0] is None else 0
        if gone > 1:
            raise FwdtuiError(f"{guest.words}: the machine does not run: {last_words(guest, 'keeper.log')}")
        time.sleep(0.2)
    raise FwdtuiError(
        f"{guest.words} did not answer within {BOOTS:.0f} s; last line on its serial console: "
        f"{last_words(guest, 'serial.log')}"
    )


def last_words(guest: Guest, name: str) -> str:
    """The last line of a log."""
    try:
        with (guest.folder / name).open("rb") as file:
            file.seek(max(0, file.seek(0, os.SEEK_END) - 4096))
            lines = decode(file.read()).replace("\r", "\n").split("\n")
    except OSError:
        return f"there is no {name}"
    return clean(next((line for line in reversed(lines) if line.strip()), "nothing")).strip()[:300]


def tell_monitor(guest: Guest, text: str) -> None:
    """Gives QEMU's monitor one command. Raises FwdtuiError if no monitor listens."""
    folder = os.open(guest.folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as monitor:
            monitor.settimeout(5)
            # a socket's path has at most 107 bytes, but the folder's path may be longer
            monitor.connect(f"/proc/self/fd/{folder}/{MONITOR}")
            monitor.recv(4096)  # its greeting: before that it may not listen yet
            monitor.sendall(text.encode() + b"\n")
            while monitor.recv(4096):  # until it has ended, or has nothing more to say
                monitor.settimeout(1)
    except (TimeoutError, ConnectionResetError):
        pass
    except OSError as error:
        raise FwdtuiError(f"{guest.words}: the machine's monitor does not answer: {error}") from None
    finally:
        os.close(folder)
