"""`tc -s qdisc`: what each queueing discipline sent, dropped and has queued.

Source: tc(8); tc/tc_qdisc.c and tc_util.c of iproute2. Bytes and packets are 64 bits wide in newer kernels,
drops and requeues 32 (struct gnet_stats_queue). Namespaced. A classful root repeats the drops of its
leaves: use roots only, or leaves only.
"""

import re

from fwdtui.core.counters import QdiscRow
from fwdtui.core.parse.fields import Parsed, Skipped, identifier, lines, whole
from fwdtui.core.parse.json_text import count, load_json, mapping, truth

WIDTH_OF_DROPS = 32
_SENT = re.compile(
    r"Sent ([0-9]{1,20}) bytes ([0-9]{1,20}) pkt \(dropped ([0-9]{1,20}), "
    r"overlimits [0-9]{1,20} requeues ([0-9]{1,20})\)"
)
_BACKLOG = re.compile(r"backlog ([0-9]{1,20})(b|Kb|Mb) ([0-9]{1,20})p requeues [0-9]{1,20}")
_TINS = re.compile(r"backlog(?: [0-9]{1,20}(?:b|Kb|Mb))+")  # cake's tins, one for each: parts of the backlog
_SCALE = {"b": 1, "Kb": 1024, "Mb": 1024 * 1024}
# these have no queue, and the kernel bypasses them: their zeros say nothing about traffic
_UNCOUNTED = frozenset({"noqueue", "noop"})


def parse_tc_qdisc(text: str, interface: str = "") -> Parsed[tuple[QdiscRow, ...]]:
    """``tc -s qdisc [show dev IF]``, text or JSON (-j), in the order printed.

    `interface` names the rows if tc does not (it omits "dev" when asked for one device). A noqueue row has
    None for every count. Backlogs of 1 kB and more are rounded in tc's text (Kb, Mb).
    """
    if text.lstrip()[:1] in ("[", "{"):
        return _parse_json(text, interface)
    skipped = Skipped()
    rows: list[QdiscRow] = []
    head: tuple[str, str, str, str] | None = None  # interface, kind, handle, parent
    counts: dict[str, int] = {}

    def close() -> None:
        if head is not None:
            rows.append(_row(*head, counts))
            counts.clear()

    for number, line in enumerate(lines(text), 1):
        words = line.split()
        if not words:
            continue
        if not line[0].isspace():
            close()
            head = _head(words, interface)
            if head is None:
                skipped.line(number, "not a qdisc", line)
            continue
        if head is None:
            continue
        bare = " ".join(words)
        if match := _SENT.fullmatch(bare):
            values = [whole(value) for value in match.groups()]
            names = ("sent_bytes", "sent_packets", "dropped", "requeues")
            counts.update(
                {name: value for name, value in zip(names, values, strict=True) if value is not None}
            )
        elif match := _BACKLOG.fullmatch(bare):
            counts["backlog_bytes"] = int(match[1]) * _SCALE[match[2]]
            counts["backlog_packets"] = int(match[3])
        elif words[0] in ("Sent", "backlog") and not _TINS.fullmatch(bare):
            skipped.line(number, "no counts", line)
    close()
    return Parsed(tuple(rows), skipped.done())


def _head(words: list[str], interface: str) -> tuple[str, str, str, str] | None:
    if len(words) < 3 or words[0] != "qdisc":
        return None
    kind, handle, rest = identifier(words[1]), identifier(words[2]), words[3:]
    if rest[:1] == ["dev"]:
        interface = identifier(rest[1]) or "" if len(rest) > 1 else ""
        rest = rest[2:]
    if kind is None or handle is None or not rest:
        return None
    parent = rest[1] if rest[0] == "parent" and len(rest) > 1 else rest[0]
    if rest[0] not in ("root", "parent", "ingress") or identifier(parent) is None:
        return None
    return interface, kind, handle, parent


def _row(interface: str, kind: str, handle: str, parent: str, counts: dict[str, int]) -> QdiscRow:
    if kind in _UNCOUNTED:
        return QdiscRow(interface, kind, handle, parent)
    return QdiscRow(
        interface,
        kind,
        handle,
        parent,
        sent_packets=counts.get("sent_packets"),
        sent_bytes=counts.get("sent_bytes"),
        dropped=counts.get("dropped"),
        requeues=counts.get("requeues"),
        backlog_packets=counts.get("backlog_packets"),
        backlog_bytes=counts.get("backlog_bytes"),
    )


_JSON = {
    "bytes": "sent_bytes",
    "packets": "sent_packets",
    "drops": "dropped",
    "requeues": "requeues",
    "backlog": "backlog_bytes",
    "qlen": "backlog_packets",
}


def _parse_json(text: str, interface: str) -> Parsed[tuple[QdiscRow, ...]]:
    skipped = Skipped()
    document, why = load_json(text)
    if why:
        skipped.note(why)
        return Parsed((), skipped.done())
    rows: list[QdiscRow] = []
    for entry in document if isinstance(document, list) else [document]:
        item = mapping(entry)
        kind, handle = identifier(item.get("kind")), identifier(item.get("handle"))
        parent = "root" if truth(item.get("root")) else identifier(item.get("parent"))
        if truth(item.get("ingress")):
            parent = "ingress"
        if kind is None or handle is None or parent is None:
            skipped.note("a qdisc without kind, handle or parent")
            continue
        counts: dict[str, int] = {}
        for name, field in _JSON.items():
            if name not in item:
                continue
            value = count(item[name])
            if value is None:
                skipped.note(f"{name} of {kind} {handle} is not a counter")
            else:
                counts[field] = value
        rows.append(_row(identifier(item.get("dev")) or interface, kind, handle, parent, counts))
    return Parsed(tuple(rows), skipped.done())
