"""What kernel modules say about themselves, and the files with which busybox's modprobe finds them. Pure.

A module's section .modinfo is a row of NUL-terminated ``key=value`` texts (include/linux/moduleinfo.h):
`depends` names the modules that it needs, separated by commas; `alias` is another name that loads it.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

_INFO = re.compile(rb"(?<=\0)(depends|alias)=([^\0]{0,4096})\0")
_SOFT = re.compile(rb"(?<=\0)softdep=pre: ([^\0]{0,4096})\0")


@dataclass(frozen=True)
class Module:
    """A module. Its name has underscores instead of dashes.

    `path` is relative to lib/modules/VERSION, without .xz, .zst or .gz.
    """

    name: str
    path: str
    depends: tuple[str, ...]
    aliases: tuple[str, ...]


def name_of(path: str) -> str:
    """``virtio_net`` for ``kernel/drivers/net/virtio_net.ko.xz``: dashes and underscores are the same."""
    return path.rpartition("/")[2].partition(".ko")[0].replace("-", "_")


def read(path: str, content: bytes) -> Module:
    """Reads an uncompressed module."""
    pairs = [(match[1], match[2].decode("utf-8", "replace")) for match in _INFO.finditer(content)]
    depends = [word for key, text in pairs if key == b"depends" for word in text.split(",") if word]
    # soft dependencies are loaded first if they exist: crc32c, without which libcrc32c cannot be used
    soft = [word for match in _SOFT.finditer(content) for word in match[1].decode("utf-8", "replace").split()]
    return Module(
        name_of(path),
        re.sub(r"\.(xz|zst|gz)$", "", path),
        tuple(dict.fromkeys(word.replace("-", "_") for word in (*depends, *soft))),
        tuple(text for key, text in pairs if key == b"alias"),
    )


def chosen(wanted: Iterable[str], known: Mapping[str, Module]) -> list[Module]:
    """The modules of these names and those that they depend on, each after its dependencies.

    Unknown names are taken to be built into the kernel.
    """
    order: dict[str, Module] = {}
    # a stack, not recursion: the dependencies that modules name are not checked for circles
    todo = [(name, False) for name in reversed(list(wanted))]
    seen: set[str] = set()
    while todo:
        name, ready = todo.pop()
        module = known.get(name)
        if module is None or name in order:
            continue
        if ready:
            order[name] = module
        elif name not in seen:
            seen.add(name)
            todo.append((name, True))
            todo += [(other, False) for other in reversed(module.depends)]
    return list(order.values())


def dependency_file(modules: Iterable[Module]) -> str:
    """modules.dep(5): each module's path, a colon, and the paths of all that it needs, nearest first."""
    there = {module.name: module for module in modules}
    rows = []
    for module in there.values():
        before = [other.path for other in chosen([module.name], there) if other is not module]
        rows.append(" ".join((f"{module.path}:", *reversed(before))) + "\n")
    return "".join(rows)


def alias_file(modules: Iterable[Module]) -> str:
    """modules.alias: the names by which the kernel asks for a driver or a kind of rule, and their modules."""
    return "".join(
        f"alias {alias} {module.name}\n"
        for module in modules
        for alias in module.aliases
        if not re.search(r"\s", alias)
    )
