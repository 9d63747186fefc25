"""Turns a host's text into a SettingsSource: parsed, bounded, without secrets and what changes by itself.

This is the only way from a text to settings that are kept. The text itself is never kept.
"""

import hashlib
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from itertools import islice

from fwdtui.core import redaction
from fwdtui.core.host_settings import SettingsSource
from fwdtui.core.parse import (
    ethtool_settings,
    firewall_rules,
    flow_hash,
    ifconfig_settings,
    ip_addr,
    kernel_cmdline,
    kernel_config,
    loader_conf,
    nic_interrupts,
    packet_steering,
    processors,
    rc_conf,
    sysctl_all,
    sysctl_conf,
)
from fwdtui.core.parse.fields import Parsed
from fwdtui.core.text import clean
from fwdtui.core.volatile import conditions, is_volatile

TEXT_MOST = 8 << 20
"""The most characters of one text; a longer one is not read at all: half a text would look like a difference.
"""
SETTINGS_MOST = 60_000
"""The most settings of one source."""
KEY_MOST, VALUE_MOST = 300, 16 << 10
"""The most characters of a key and of a value. Of a longer value a digest is kept, so it can be compared."""
UNSTEADY_MOST = 500
"""The most keys that a source names as changing, or as not shown."""

_Parser = Callable[[str], Parsed[dict[str, str]]]
PARSERS: Mapping[str, _Parser] = {
    "rc.conf": rc_conf.parse,
    "loader.conf": loader_conf.parse,
    "sysctl.conf": sysctl_conf.parse,
    "sysctl": sysctl_all.parse,
    "ifconfig": ifconfig_settings.parse,
    "ip addr": ip_addr.parse,
    "ethtool": ethtool_settings.parse,
    "processors": processors.parse,
    "interrupts": nic_interrupts.parse,
    "steering": packet_steering.parse,
    "flow hash": flow_hash.parse,
    "cmdline": kernel_cmdline.parse,
    "kernel config, Linux": kernel_config.parse_linux,
    "kernel config, FreeBSD": kernel_config.parse_freebsd,
    "pf": firewall_rules.parse_pf,
    "pf status": firewall_rules.parse_pf_status,
    "ipfw": firewall_rules.parse_ipfw,
    "nft": firewall_rules.parse_nft,
    "iptables": firewall_rules.parse_iptables,
}
"""Kind of text -> its parser."""
_PAIRS = frozenset({"rc.conf", "loader.conf", "sysctl.conf", "sysctl"})
"""Kinds whose parsers keep names, values and other lines whole. Texts of other kinds are searched for secrets
before they are parsed."""
_OPTIONS = frozenset({"kernel config, Linux", "kernel config, FreeBSD"})  # their names sound like secrets


def source(
    kind: str,
    name: str,
    text: str,
    *,
    names: Iterable[str] = (),
    again: str | None = None,
    unread: Iterable[str] = (),
) -> SettingsSource:
    """The settings in `text`, as the source `name`. `kind` is one of PARSERS. Never raises.

    `names`: all names of a FreeBSD host's sysctls. `again`: the same text, read a little later; a value that
    differs in it changes by itself and is left out. `unread`: keys that the host refused to show.
    """
    if len(text) > TEXT_MOST:
        return SettingsSource(name, missing=f"longer than {TEXT_MOST >> 20} MiB")
    parser = partial(sysctl_all.parse, names=tuple(names)) if kind == "sysctl" else PARSERS[kind]
    if kind not in _PAIRS:
        text, again = _hidden(text), None if again is None else _hidden(again[:TEXT_MOST])
    read = parser(text)
    unsteady: tuple[str, ...] = ()
    if again is not None:
        later = parser(again[:TEXT_MOST]).value
        unsteady = tuple(key for key, value in read.value.items() if key in later and later[key] != value)
    left_out, there = frozenset(unsteady), conditions(name, read.value)
    values: dict[str, str] = {}
    volatile = 0
    skipped = list(read.skipped)
    for key, value in read.value.items():
        kept = clean(redaction.in_text(key))
        if is_volatile(name, key, there):
            volatile += 1
        elif key in left_out:
            continue
        elif len(key) > KEY_MOST:
            skipped.append("a name that is too long")
        elif kept in values:
            skipped.append("a second setting of the same name")
        elif len(values) >= SETTINGS_MOST:
            skipped.append("too many settings")
        else:
            values[kept] = _bounded(
                redaction.in_text(value) if kind in _OPTIONS else redaction.value(key, value)
            )
    named = [key for key in unsteady if not is_volatile(name, key, there)]
    return SettingsSource(
        name,
        values,
        volatile=volatile,
        unsteady=_names(named),
        unread=_names(unread),
        skipped=tuple(dict.fromkeys(skipped)),
    )


def _hidden(text: str) -> str:
    return redaction.hide(ethtool_settings.without_key(text))  # a digest of the RSS key stays


def _names(keys: Iterable[str]) -> tuple[str, ...]:
    return tuple(clean(redaction.in_text(key[:KEY_MOST])) for key in islice(keys, UNSTEADY_MOST))


def _bounded(value: str) -> str:
    if len(value) <= VALUE_MOST:
        return value
    digest = hashlib.sha256(value.encode("utf-8", "backslashreplace")).hexdigest()[:24]
    return f"{value.count(chr(10)) + 1:,} lines, too long to keep, digest {digest}"
