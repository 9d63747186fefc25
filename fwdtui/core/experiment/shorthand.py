"""Shorthands of experiment.toml as plain commands, which run on both FreeBSD and Linux.

``sysctl = {name = value}`` sets, verifies and puts back. ``module = "name"`` loads, verifies, and unloads
what was not loaded before.
"""

import re
import shlex
from collections.abc import Mapping
from typing import Any

import msgspec

from fwdtui.core.errors import FwdtuiError
from fwdtui.core.experiment.model import Action, Check, Restore

_SYSCTL = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_./%:-]{0,254}")
_MODULE = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,99}")
_LONGEST = 1000  # characters of a value
_NONE = "(no such sysctl)"
_WAS_LOADED = "[ {value} = loaded ]"


class Shorthand(msgspec.Struct, frozen=True):
    """The commands that one key stands for."""

    apply: tuple[Action, ...] = ()
    verify: tuple[Check, ...] = ()
    restore: tuple[Restore, ...] = ()

    def __add__(self, other: "Shorthand") -> "Shorthand":
        return Shorthand(self.apply + other.apply, self.verify + other.verify, self.restore + other.restore)


def settings(tables: Mapping[str, Any]) -> dict[str, str]:
    """sysctl names and values. ``net.inet.ip.x = 1`` without quotation marks is nested tables in TOML.

    Raises FwdtuiError, without a place: ``net.inet.ip.x: expected a whole number or a string, got True``.
    """
    sysctls: dict[str, str] = {}
    waiting: list[tuple[str, Any]] = list(tables.items())[::-1]
    while waiting:
        name, value = waiting.pop()
        if isinstance(value, Mapping):
            waiting += [(f"{name}.{key}", one) for key, one in list(value.items())[::-1]]
            continue
        if not _SYSCTL.fullmatch(name):
            raise FwdtuiError(f"expected the name of a sysctl, got {name[:300]!r}")
        if isinstance(value, bool) or not isinstance(value, str | int):
            raise FwdtuiError(f"{name}: expected a whole number or a string, got {value!r}")
        text = " ".join(str(value).split())
        if not text or len(text) > _LONGEST or not text.isprintable():
            raise FwdtuiError(f"{name}: expected a value in one line, got {value!r}")
        if name in sysctls:
            raise FwdtuiError(f"{name}: given twice")
        sysctls[name] = text
    return sysctls


def sysctl(host: str, name: str, value: str) -> Shorthand:
    """Set one sysctl. Both systems' sysctl(8) take ``name=value``; -w is needed by neither.

    Linux separates several values by tabs: echo of the unquoted words separates them by one space instead. A
    sysctl that comes with a module of the same level is not there before it, so there is nothing to put back.
    """
    read = f"sysctl -n {shlex.quote(name)}"
    keep = f"set -f; if old=$({read}); then echo $old; else echo '{_NONE}'; fi"
    return Shorthand(
        (Action(host, f"sysctl {shlex.quote(f'{name}={value}')}"),),
        (Check(host, f"set -f; echo $({read})", value),),
        (Restore(host, keep, f"[ {{value}} = '{_NONE}' ] || sysctl {shlex.quote(name)}={{value}}"),),
    )


def module(host: str, name: str) -> Shorthand:
    """Load a kernel module. Raises FwdtuiError, without a place, if `name` cannot be one."""
    if not _MODULE.fullmatch(name):
        raise FwdtuiError(f"expected the name of a kernel module, got {name[:300]!r}")
    # Linux lists a module with underscores, whichever way it was named
    listed = name.replace("-", "_")
    freebsd = "command -v kldload >/dev/null"
    state = (
        f"if {freebsd}; then kldstat -q -n {name}; else [ -d /sys/module/{listed} ]; fi"
        " && echo loaded || echo absent"
    )
    unload = f"if {freebsd}; then kldunload {name}; else modprobe -r {name}; fi"
    return Shorthand(
        (Action(host, f"if {freebsd}; then kldload -n {name}; else modprobe {name}; fi"),),
        (Check(host, state, "loaded"),),
        (Restore(host, state, f"{_WAS_LOADED} || {{ {unload}; }}"),),
    )


def unloads(restore: Restore) -> bool:
    """Whether `restore` unloads a module, and so undoes everything that was done to the module."""
    return restore.write.startswith(_WAS_LOADED)
