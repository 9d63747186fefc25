"""`ethtool -S`: a driver's own counters, sorted into queues and into stages.

Source: ethtool(8), get_ethtool_stats of each driver. Names and meaning depend on the driver and its version;
ethtool_names.py has the ones known here. Values are printed as 64 bits; some devices count in only 32 or 48.

Device counters, queue counters and the totals of /proc/net/dev count the same packets at different
places (mlx5: rx_packets, rx_packets_phy and all rxN_packets): they overlap and are never summed.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

from fwdtui.core.counters import QueueCounters, StageCounter
from fwdtui.core.parse.ethtool_names import DEVICE, OFFERED, QUEUES, VETH, Alternatives, QueueNames
from fwdtui.core.parse.fields import Parsed, Skipped, lines, whole

_MAX_NAME = 120
_DEEPEST = 4
_HEADERS = frozenset({"NIC statistics:"})
_NEST = ("Tx Queue#", "Rx Queue#")
_DIRECTION = {"in": "rx", "out": "tx", "rcv": "rx", "xmit": "tx"}
_PEER = "peer_ifindex"  # veth: the other end's number, not a counter


@dataclass(frozen=True, slots=True)
class EthtoolStats:
    """`raw` is every counter by its name as printed, nested names joined with a slash.

    `queues` and `stages` are readings of `raw`; a queue counter that the driver does not have is None.
    """

    raw: dict[str, int] = field(default_factory=dict)
    queues: tuple[QueueCounters, ...] = ()
    stages: tuple[StageCounter, ...] = ()


def parse_ethtool_stats(text: str, interface: str) -> Parsed[EthtoolStats]:
    """The text of ``ethtool -S INTERFACE`` (which does not name it) -> EthtoolStats.

    With or without its header and indent; names may hold spaces and colons ("VF 0 Tx Packets",
    "[0]: rx_discards", "rxq0: rx_pkts"). vmxnet3 nests by indent and repeats names in each queue. veth
    counts only in NAPI mode and shows zeros otherwise, so where all its queues show 0 packets, packets,
    bytes and drops are None.
    """
    skipped = Skipped()
    raw: dict[str, int] = {}
    path: list[tuple[int, str]] = []  # open levels of a nested text: indent and name
    nested = False
    for number, line in enumerate(lines(text), 1):
        bare = line.strip()
        if not bare or bare in _HEADERS:
            continue
        name, _, value = bare.rpartition(":")
        count = whole(value.strip())
        key = name.strip()[:_MAX_NAME]
        if not key or count is None:
            skipped.line(number, "not a counter", line)
            continue
        indent = len(line) - len(line.lstrip())
        while path and path[-1][0] >= indent:
            path.pop()
        if key in _NEST:
            # the number after this name is the queue's, the lines below are its counters
            path, nested = [(indent, f"{key}: {count}")], True
            continue
        full = "/".join([*(level for _, level in path), key])
        if nested and 0 < len(path) < _DEEPEST:
            path.append((indent, key))
        if full in raw:
            skipped.line(number, "a second value", line)
        else:
            raw[full] = count
    return Parsed(EthtoolStats(raw, _queues(raw, interface), _stages(raw, interface)), skipped.done())


def offered(raw: Mapping[str, int]) -> int | None:
    """Packets that arrived at the port, including those the device dropped; None: no such counter."""
    for names in OFFERED:
        if all(name in raw for name in names):
            return sum(raw[name] for name in names)
    return None


def _stages(raw: Mapping[str, int], interface: str) -> tuple[StageCounter, ...]:
    return tuple(
        StageCounter(interface, *DEVICE[name], name, value) for name, value in raw.items() if name in DEVICE
    )


def _queues(raw: dict[str, int], interface: str) -> tuple[QueueCounters, ...]:
    """The queues, ordered by direction and number."""
    families = (VETH,) if _PEER in raw else QUEUES
    fields: dict[tuple[str, int], dict[str, int]] = {}
    family_of: dict[tuple[str, int], QueueNames] = {}
    for name, value in raw.items():
        for family in families:
            match = family.pattern.fullmatch(name)
            if match:
                way = match["dir"].lower()
                key = (_DIRECTION.get(way, way), int(match["queue"]))
                if family_of.setdefault(key, family) is family:
                    counts = fields.setdefault(key, {})
                    # traffic classes may share a queue's number, and do not overlap
                    counts[match["field"]] = counts.get(match["field"], 0) + value
                break
    silent = families == (VETH,) and not any(
        values.get("xdp_packets") for (direction, _), values in fields.items() if direction == "rx"
    )
    return tuple(
        _queue(interface, key, values, family_of[key], silent)
        for key, values in sorted(fields.items())
        if not family_of[key].proof or family_of[key].proof & values.keys()
    )


def _queue(
    interface: str, key: tuple[str, int], values: dict[str, int], family: QueueNames, silent: bool
) -> QueueCounters:
    used: set[str] = set()

    def take(alternatives: Alternatives) -> int | None:
        for names in alternatives:
            if all(name in values for name in names):
                if len(names) == 1:  # the parts of a sum also stay in `extra`
                    used.update(names)
                return None if silent else sum(values[name] for name in names)
        return None

    packets, size, drops = take(family.packets), take(family.bytes), take(family.drops)
    extra = {name: value for name, value in values.items() if name not in used}
    return QueueCounters(interface, key[0], key[1], packets, size, drops, extra=extra)
