"""What kernel modules say of themselves, and the files with which busybox's modprobe finds them. Pure.

A module's section .modinfo is a row of NUL-terminated ``key=value`` texts (include/linux/moduleinfo.h):
`depends` names other modules, separated by commas, `alias` what else loads it.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

_INFO = re.compile(rb"(?<=\0)(depends|alias)=([^\0]{0,4096})\0")
_SOFT = re.compile(rb"(?<=\0)softdep=pre: ([^\0]{0,4096})\0")


@dataclass(frozen=True)
class Module:
    """A module by its name with underscores.

    `path` is relative to lib/modules/VERSION, without .xz or .zst.
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
    # loaded before, if there: crc32c, without which libcrc32c cannot be used
    soft = [word for match in _SOFT.finditer(content) for word in match[1].decode("utf-8", "replace").split()]
    return Module(
        name_of(path),
        re.sub(r"\.(xz|zst|gz)$", "", path),
        tuple(dict.fromkeys(word.replace("-", "_") for word in (*depends, *soft))),
        tuple(text for key, text in pairs if key == b"alias"),
    )


def chosen(wanted: Iterable[str], known: Mapping[str, Module]) -> list[Module]:
    """The modules of these names and what they depend on, each after its dependencies.

    Unknown ones are built in.
    """
    order: dict[str, Module] = {}
    # a stack, not recursion: what modules say of themselves is not checked for circles
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
    """modules.alias: what the kernel asks for when it needs a driver or a kind of rule."""
    return "".join(
        f"alias {alias} {module.name}\n"
        for module in modules
        for alias in module.aliases
        if not re.search(r"\s", alias)
    )
