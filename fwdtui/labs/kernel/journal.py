"""What a lab has made, written before it is made, so that whoever comes after a crash can take it away.

One JSON object a line in `journal.jsonl`. Things that other programs could make under the same name carry a
proof that they are ours: a namespace its inode number, the root side of a veth a random hardware address.
A journal of another boot proves nothing: everything in it went with that boot.
"""

import json
import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

NAME = "journal.jsonl"


@dataclass
class Journal:
    """The journal as read. Namespaces map to their inode, None where the crash came before it was known."""

    path: Path
    name: str = ""
    slot: int = 0
    mode: str = ""
    made_folder: bool = False
    this_boot: bool = True
    namespaces: dict[str, int | None] = field(default_factory=dict)
    veths: dict[str, str] = field(default_factory=dict)
    files: list[str] = field(default_factory=list)
    complete: bool = False

    def begin(self, name: str, slot: int, mode: str, made_folder: bool) -> None:
        """The first line: which lab this is."""
        facts = {"name": name, "slot": slot, "mode": mode, "made_folder": made_folder}
        self._write(os.O_EXCL, what="lab", boot=boot_id(), **facts)

    def will_make_namespace(self, name: str) -> None:
        """Before it exists."""
        self._write(what="namespace", name=name)

    def made_namespace(self, name: str, inode: int) -> None:
        """The proof, once there is one."""
        self._write(what="namespace", name=name, inode=inode)

    def will_make_veth(self, name: str, mac: str) -> None:
        """The side in the machine's own namespace; the other side goes with its namespace."""
        self._write(what="veth", name=name, mac=mac)

    def will_make_file(self, name: str) -> None:
        """Relative to the lab's folder."""
        if name not in self.files:
            self._write(what="file", name=name)

    def is_complete(self) -> None:
        """Everything stands."""
        self._write(what="up")

    def _write(self, flags: int = 0, **entry: Any) -> None:
        line = json.dumps(entry).encode() + b"\n"
        mode = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC | flags
        descriptor = os.open(self.path, mode, 0o600)
        try:
            while line:
                line = line[os.write(descriptor, line) :]
        finally:
            os.close(descriptor)
        self._take(entry)

    def _take(self, entry: dict[str, Any]) -> None:
        match entry.get("what"):
            case "lab":
                self.name, self.slot, self.mode = entry["name"], entry["slot"], entry["mode"]
                self.made_folder, self.this_boot = entry["made_folder"], entry["boot"] == boot_id()
            case "namespace":
                self.namespaces[entry["name"]] = entry.get("inode")
            case "veth":
                self.veths[entry["name"]] = entry["mac"]
            case "file":
                self.files.append(entry["name"])
            case "up":
                self.complete = True


def read(folder: Path) -> Journal | None:
    """The folder's journal; None where no lab was ever begun here. A line that a crash cut is left out."""
    path = folder / NAME
    try:
        lines = path.read_bytes().split(b"\n")
    except (FileNotFoundError, NotADirectoryError):
        return None
    journal = Journal(path)
    for line in lines[:-1]:  # after the last newline stands nothing, or what a crash left of a line
        try:
            journal._take(json.loads(line))
        except (ValueError, KeyError, TypeError, AttributeError):
            continue
    return journal


def boot_id() -> str:
    """Differs after every boot (proc(5))."""
    return Path("/proc/sys/kernel/random/boot_id").read_text().strip()
