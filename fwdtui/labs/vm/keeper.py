"""Keeps the lab's virtual machine running: starts QEMU again when the guest reboots. A program of its own.

It is copied into the lab's folder and runs there with the standard library alone. It runs in the virtual
machine's namespace, so that taking the lab down finds it and its QEMU there. QEMU ends with it, and it ends
when QEMU fails.

    keeper.py FOLDER DESCRIPTOR

DESCRIPTOR is one of the network namespace of the machine that the lab runs on, where the management tap is.
In FOLDER, keeper.json lists the taps, with the numbers that QEMU's command line has for the descriptors of
their queues. boot-NAME.json are the boot entries with their command lines; boot-next has the name of the one
to use. serial.log gets what the guest prints, keeper.log what happens here and what QEMU says; both are
bounded. HOST.pid (dut.pid) has the process ID of QEMU.
"""

import contextlib
import ctypes
import fcntl
import json
import os
import re
import select
import signal
import socket
import struct
import subprocess
import sys
import time
from pathlib import Path

MOST = 256 * 1024  # bytes of a log; older output is in a second file
LINE = 200  # bytes of a request

# linux/if_tun.h
TUNSETIFF = 0x400454CA
TUNSETQUEUE = 0x400454D9
IFF_TAP, IFF_NO_PI, IFF_VNET_HDR, IFF_MULTI_QUEUE, IFF_DETACH_QUEUE = 0x2, 0x1000, 0x4000, 0x100, 0x400
CLONE_NEWNET = 0x40000000
PR_SET_PDEATHSIG = 1
ENTRY = re.compile(r"[a-z0-9][a-z0-9.-]{0,31}")


class Log:
    """A file of at most MOST bytes. When it is full, it replaces an older one beside it."""

    def __init__(self, path: Path) -> None:
        self.path = path
        path.touch()

    def write(self, data: bytes) -> None:
        """Adds bytes. They are written at once."""
        if self.path.stat().st_size + len(data) > MOST:
            self.path.replace(self.path.with_name(self.path.name + ".1"))
        with self.path.open("ab") as file:
            file.write(data[-MOST:])

    def say(self, text: str) -> None:
        """Adds a line with the time."""
        self.write(f"{time.strftime('%Y-%m-%dT%H:%M:%SZ', time.gmtime())} {text}\n".encode())


class Keeper:
    """Keeps the machine of one folder running. `home`: descriptor of the namespace outside (see above)."""

    def __init__(self, folder: Path, home: int) -> None:
        self.folder = folder
        self.home = home
        self.libc = ctypes.CDLL(None, use_errno=True)
        self.log = Log(folder / "keeper.log")
        self.serial = Log(folder / "serial.log")
        self.plan = json.loads((folder / "keeper.json").read_text())
        self.holding: list[int] = []
        self.pid = folder / f"{self.plan.get('host', 'dut')}.pid"

    def run(self) -> int:
        """Boots the machine again and again until QEMU fails; returns an exit status."""
        # A detached queue keeps the taps' carrier on while no machine runs: a generator goes on sending, as
        # it would behind a switch.
        for tap in self.plan["taps"]:
            queue = self.queue(tap["name"], tap["namespace"])
            request = struct.pack("16sH22x", b"", IFF_DETACH_QUEUE)
            fcntl.ioctl(queue, TUNSETQUEUE, request)
            self.holding.append(queue)
        while True:
            began = time.monotonic()
            status = self.boot()
            if status:
                self.log.say(f"qemu ended with status {status}; nothing starts it again")
                return 1
            # at most one boot per second: a guest that keeps rebooting must not use up the whole machine
            time.sleep(max(0.0, 1 - (time.monotonic() - began)))

    def boot(self) -> int:
        """Starts QEMU and serves it until it ends; returns its exit status."""
        name = self.next_entry()
        command = json.loads((self.folder / f"boot-{name}.json").read_text())["command"]
        descriptors = []
        for tap in self.plan["taps"]:
            for wanted in tap["descriptors"]:
                self.place(self.queue(tap["name"], tap["namespace"]), wanted)
                descriptors.append(wanted)
        ours, theirs = socket.socketpair()
        self.place(theirs.detach(), self.plan["requests"])
        descriptors.append(self.plan["requests"])
        (self.folder / "monitor.socket").unlink(missing_ok=True)
        process = subprocess.Popen(
            command,
            cwd=self.folder,  # the folder of the monitor's socket
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            pass_fds=descriptors,
            preexec_fn=lambda: self.libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL),
        )
        for one in descriptors:
            os.close(one)
        self.pid.write_text(f"{process.pid}\n")
        self.log.say(f"boot {name}: qemu {process.pid}")
        self.serial.write(f"--- boot {name}: qemu {process.pid}\n".encode())
        with ours:
            self.serve(process, ours)
        status = process.wait()
        self.pid.unlink(missing_ok=True)
        return status

    def serve(self, process: "subprocess.Popen[bytes]", requests: socket.socket) -> None:
        """Passes on what QEMU prints and answers the guest, until QEMU's output ends."""
        assert process.stdout is not None
        assert process.stderr is not None
        console, errors = process.stdout.fileno(), process.stderr.fileno()
        watched = {console, errors, requests.fileno()}
        line = b""
        while watched & {console, errors}:
            for descriptor in select.select(list(watched), [], [])[0]:
                try:
                    data = os.read(descriptor, 65536)
                except OSError:
                    data = b""
                if not data:
                    watched.discard(descriptor)
                elif descriptor == console:
                    self.serial.write(data)
                elif descriptor == errors:
                    self.log.write(data)
                else:
                    *whole, line = (line + data).replace(b"\r", b"\n").split(b"\n")
                    line = line[-LINE:]
                    for text in whole:
                        self.request(text[:LINE].decode("ascii", "replace"), requests)
        process.stdout.close()
        process.stderr.close()

    def request(self, text: str, requests: socket.socket) -> None:
        """Answers ``boot-entry [NAME]`` from the guest; not anything else (an echo, noise on the line)."""
        words = text.split()
        if not words or words[0] != "boot-entry" or len(words) > 2:
            return
        entries = sorted(path.name[5:-5] for path in self.folder.glob("boot-*.json"))
        if len(words) == 2 and words[1] not in entries:
            answer = f"no there is no boot entry {words[1]!r}; there are {', '.join(entries)}"
        else:
            if len(words) == 2:
                self.choose(words[1])
            answer = f"ok next boot: {self.next_entry()} (of {', '.join(entries)})"
        with contextlib.suppress(OSError):  # QEMU may be ending
            requests.settimeout(1)
            requests.sendall(answer.encode() + b"\n")

    def choose(self, name: str) -> None:
        """Use this entry from the next boot on."""
        fresh = self.folder / ".boot-next.new"
        fresh.write_text(name + "\n")
        fresh.replace(self.folder / "boot-next")
        self.log.say(f"next boot: {name}")

    def next_entry(self) -> str:
        """The name in boot-next."""
        name = (self.folder / "boot-next").read_text().strip()
        if not ENTRY.fullmatch(name):
            raise ValueError(f"boot-next: {name!r}")
        return name

    def queue(self, name: str, namespace: str) -> int:
        """Opens a new queue of an existing tap in a namespace; "" is the one outside (`home`)."""
        mine = os.open("/proc/self/ns/net", os.O_RDONLY)
        there = os.open(f"/run/netns/{namespace}", os.O_RDONLY) if namespace else os.dup(self.home)
        try:
            self.enter(there)
            try:
                queue = os.open("/dev/net/tun", os.O_RDWR | os.O_NONBLOCK)
            finally:
                self.enter(mine)
        finally:
            os.close(there)
            os.close(mine)
        # the descriptor belongs to the namespace in which it was opened
        flags = IFF_TAP | IFF_NO_PI | IFF_VNET_HDR | IFF_MULTI_QUEUE
        fcntl.ioctl(queue, TUNSETIFF, struct.pack("16sH22x", name.encode(), flags))
        return queue

    def enter(self, namespace: int) -> None:
        """Enters a network namespace, given by a descriptor. Python 3.11 has no os.setns."""
        if self.libc.setns(namespace, CLONE_NEWNET):
            raise OSError(ctypes.get_errno(), "setns")

    @staticmethod
    def place(descriptor: int, wanted: int) -> None:
        """Gives a descriptor the number that it has on QEMU's command line."""
        os.dup2(descriptor, wanted, inheritable=True)
        os.close(descriptor)


def main() -> int:
    """Runs the keeper; if it fails, keeper.log says why."""
    keeper = Keeper(Path(sys.argv[1]), int(sys.argv[2]))
    try:
        return keeper.run()
    except (OSError, ValueError, KeyError) as error:
        keeper.log.say(f"cannot go on: {error}")
        return 1


if __name__ == "__main__":
    sys.exit(main())
