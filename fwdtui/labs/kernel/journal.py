"""The journal of what a lab makes, written before each step, so that it can be removed after a crash.

`journal.jsonl` has one JSON object per line. For things that other programs could make under the same name,
it has a proof that they are ours: a namespace's inode number, and a random hardware address for the machine's
end of a veth. A journal from another boot proves nothing: everything in it went with that boot.
"""

import json
import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

NAME = "journal.jsonl"
VM = "vm"
"""The mode of a lab whose DUT is a virtual machine (labs/vm)."""
VM_GENERATOR = "vm-generator"
"""The mode of a lab whose generator is a virtual machine as well."""


@dataclass
class Journal:
    """The journal. Namespaces map to their inode number; None if a crash came before it was recorded."""

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
        """Writes the first line, which identifies the lab."""
        facts = {"name": name, "slot": slot, "mode": mode, "made_folder": made_folder}
        self._write(os.O_EXCL, what="lab", boot=boot_id(), **facts)

    def will_make_namespace(self, name: str) -> None:
        """Records a namespace before it exists."""
        self._write(what="namespace", name=name)

    def made_namespace(self, name: str, inode: int) -> None:
        """Records a namespace's inode once it exists."""
        self._write(what="namespace", name=name, inode=inode)

    def will_make_veth(self, name: str, mac: str) -> None:
        """Records the end in the machine's own namespace. The other end goes with its namespace."""
        self._write(what="veth", name=name, mac=mac)

    def will_make_file(self, name: str) -> None:
        """Records a file; `name` is relative to the lab's folder."""
        if name not in self.files:
            self._write(what="file", name=name)

    def is_complete(self) -> None:
        """Records that the lab is complete."""
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
    """The folder's journal; None if there is none. A last line that a crash cut off is left out."""
    path = folder / NAME
    try:
        lines = path.read_bytes().split(b"\n")
    except (FileNotFoundError, NotADirectoryError):
        return None
    journal = Journal(path)
    for line in lines[:-1]:  # after the last newline there is nothing, or a line that a crash cut off
        try:
            journal._take(json.loads(line))
        except (ValueError, KeyError, TypeError, AttributeError):
            continue
    return journal


def boot_id() -> str:
    """The machine's boot ID, which differs after every boot (proc(5))."""
    return Path("/proc/sys/kernel/random/boot_id").read_text().strip()
