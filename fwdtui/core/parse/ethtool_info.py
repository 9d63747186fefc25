"""ethtool without -S: driver, rings, channels, offloads, link speed, for a report's facts about an interface.

Source: ethtool(8). The layout is the same from ethtool 3 to 6: a title, then ``Name: value`` with spaces or
tabs, "n/a" for what a driver does not have. A device without the whole feature prints an error line.
"""

import re
from dataclasses import dataclass

from fwdtui.core.parse.fields import Parsed, Skipped, identifier, lines, phrase, shown, whole
from fwdtui.core.parse.json_text import load_json, mapping, sequence, truth

_NOTHING = frozenset({"", "n/a", "N/A", "-"})
_SPEED = re.compile(r"([0-9]{1,9})Mb/s")
_STATE = re.compile(r"(on|off)(?: \[([a-z ]{1,40})\])?")


@dataclass(frozen=True, slots=True)
class DriverInfo:
    """`version` is the kernel's own release for drivers inside the kernel; None: nothing was printed."""

    driver: str | None = None
    version: str | None = None
    firmware: str | None = None
    bus: str | None = None  # PCI address


@dataclass(frozen=True, slots=True)
class RingSizes:
    """Descriptors per ring."""

    rx: int | None = None
    tx: int | None = None
    rx_max: int | None = None
    tx_max: int | None = None


@dataclass(frozen=True, slots=True)
class Channels:
    """Queues in use and possible; combined channels carry both directions."""

    rx: int | None = None
    tx: int | None = None
    other: int | None = None
    combined: int | None = None
    rx_max: int | None = None
    tx_max: int | None = None
    other_max: int | None = None
    combined_max: int | None = None


@dataclass(frozen=True, slots=True)
class Offload:
    """One feature of ``ethtool -k``. `fixed`: not changeable. `requested`: the wanted state if different."""

    active: bool
    fixed: bool = False
    requested: bool | None = None


@dataclass(frozen=True, slots=True)
class LinkSettings:
    """`speed` in bits per second, None if the driver does not know it (virtio, a link that is down)."""

    speed: int | None = None
    duplex: str | None = None
    autonegotiation: bool | None = None
    link: bool | None = None


def parse_driver_info(text: str) -> Parsed[DriverInfo]:
    """The output of ``ethtool -i IF``."""
    pairs, skipped = _pairs(text)
    wanted = {
        name: phrase(pairs.get(name, "")) for name in ("driver", "version", "firmware-version", "bus-info")
    }
    known = {name: None if value in _NOTHING else value for name, value in wanted.items()}
    return Parsed(
        DriverInfo(known["driver"], known["version"], known["firmware-version"], known["bus-info"]),
        skipped.done(),
    )


def parse_ring_sizes(text: str) -> Parsed[RingSizes]:
    """The output of ``ethtool -g IF``; the mini and jumbo rings are ignored."""
    most, now, skipped = _sections(text)
    return Parsed(RingSizes(now.get("RX"), now.get("TX"), most.get("RX"), most.get("TX")), skipped.done())


def parse_channels(text: str) -> Parsed[Channels]:
    """The output of ``ethtool -l IF``."""
    most, now, skipped = _sections(text)
    names = ("RX", "TX", "Other", "Combined")
    values = [now.get(name) for name in names] + [most.get(name) for name in names]
    return Parsed(Channels(*values), skipped.done())


def parse_offloads(text: str) -> Parsed[dict[str, Offload]]:
    """``ethtool -k IF``, or ``ethtool --json -k IF`` where that works: feature name -> Offload."""
    if text.lstrip()[:1] in ("[", "{"):
        return _offloads_json(text)
    offloads: dict[str, Offload] = {}
    pairs, skipped = _pairs(text)
    for name, value in pairs.items():
        match = _STATE.fullmatch(value)
        if not match:
            skipped.note(f"{name} is neither on nor off: {shown(value)}")
            continue
        hint = match[2] or ""
        requested = hint.removeprefix("requested ") == "on" if hint.startswith("requested ") else None
        offloads[name] = Offload(match[1] == "on", hint == "fixed", requested)
    return Parsed(offloads, skipped.done())


def parse_link_settings(text: str) -> Parsed[LinkSettings]:
    """The output of ``ethtool IF``."""
    pairs, skipped = _pairs(text)
    speed = _SPEED.fullmatch(pairs.get("Speed", ""))
    duplex = pairs.get("Duplex", "").lower()
    settings = LinkSettings(
        speed=int(speed[1]) * 1_000_000 if speed else None,
        duplex=duplex if duplex in ("full", "half") else None,
        autonegotiation={"on": True, "off": False}.get(pairs.get("Auto-negotiation", "")),
        link={"yes": True, "no": False}.get(pairs.get("Link detected", "")),
    )
    return Parsed(settings, skipped.done())


def _pairs(text: str) -> tuple[dict[str, str], Skipped]:
    """``Name: value`` lines; the first value of a name counts. Titles ("Features for eth0:") are left out."""
    skipped = Skipped()
    values: dict[str, str] = {}
    for number, line in enumerate(lines(text), 1):
        name, colon, value = line.strip().partition(":")
        if colon and not value and name.startswith(("Features for ", "Settings for ")):
            continue
        key = phrase(name, 60)
        if line[:1].isspace() and (not colon or key is None):
            continue  # a list of link modes continues over several lines
        if not line.strip():
            continue
        if not colon or key is None or key.endswith("error"):
            skipped.line(number, "not a setting", line)
        else:
            values.setdefault(key, phrase(value) or "")
    return values, skipped


def _sections(text: str) -> tuple[dict[str, int], dict[str, int], Skipped]:
    """The numbers of "Pre-set maximums" and of "Current hardware settings"; n/a and on/off are left out."""
    skipped = Skipped()
    most: dict[str, int] = {}
    now: dict[str, int] = {}
    section: dict[str, int] | None = None
    for number, line in enumerate(lines(text), 1):
        name, colon, value = line.strip().partition(":")
        value = value.strip()
        if name == "Pre-set maximums":
            section = most
        elif name == "Current hardware settings":
            section = now
        elif section is None:
            if name and (value or not colon):
                skipped.line(number, "not a setting", line)
        elif colon and value and value not in _NOTHING and value not in ("on", "off", "auto"):
            size = whole(value)
            key = phrase(name, 60)
            if size is None or key is None:
                skipped.line(number, "not a number", line)
            else:
                section.setdefault(key, size)
    return most, now, skipped


def _offloads_json(text: str) -> Parsed[dict[str, Offload]]:
    skipped = Skipped()
    document, why = load_json(text)
    if why:
        skipped.note(why)
    offloads: dict[str, Offload] = {}
    for name, value in mapping(next(iter(sequence(document)), None)).items():
        key = identifier(name)
        active = truth(mapping(value).get("active"))
        if key is None or active is None:
            if name != "ifname":
                skipped.note(f"not a feature: {shown(str(name))}")
            continue
        wanted = truth(mapping(value).get("requested"))
        fixed = truth(mapping(value).get("fixed")) or False
        offloads[key] = Offload(active, fixed, wanted if not fixed and wanted != active else None)
    return Parsed(offloads, skipped.done())
