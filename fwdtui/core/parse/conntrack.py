"""Connection tracking: how many entries it holds, and what each core found, dropped or failed to insert.

Source: ct_cpu_seq_show() in net/netfilter/nf_conntrack_standalone.c, conntrack(8). Namespaced; counters
are unsigned ints, so they wrap at 2**32 (WIDTH).
"""

from dataclasses import dataclass, field

from fwdtui.core.parse.fields import Skipped, lines, whole
from fwdtui.core.parse.result import Parsed
from fwdtui.core.parse.words import hexadecimal, identifier

WIDTH = 32  # bits of every counter here


@dataclass(frozen=True, slots=True)
class ConntrackStats:
    """`entries` is a gauge of the whole table, None where the source has none; `cores` by CPU."""

    entries: int | None = None
    cores: dict[int, dict[str, int]] = field(default_factory=dict)


def parse_nf_conntrack_stat(text: str) -> Parsed[ConntrackStats]:
    """/proc/net/stat/nf_conntrack: a header and a row of hexadecimal counters per possible CPU.

    Every row repeats the same number of entries: it is taken once, never summed. The rows have no CPU
    number: `cores` has them by position.
    """
    skipped = Skipped()
    names: list[str] = []
    entries: int | None = None
    cores: dict[int, dict[str, int]] = {}
    for number, line in enumerate(lines(text), 1):
        words = line.split()
        if not words:
            continue
        if not names:
            if words[0] != "entries":
                skipped.line(number, "no header", line)
            else:
                names = words
            continue
        values = [hexadecimal(word) for word in words]
        if len(values) != len(names) or None in values:
            skipped.line(number, f"not {len(names)} hexadecimal counters", line)
            continue
        row = {name: value for name, value in zip(names, values, strict=True) if value is not None}
        entries = row.pop("entries", entries)
        cores[len(cores)] = row
    return Parsed(ConntrackStats(entries, cores), skipped.done())


def parse_conntrack_statistics(text: str) -> Parsed[ConntrackStats]:
    """``conntrack -S``: a row of name=value per CPU. Names vary: `ignore` went, `clash_resolve` came."""
    skipped = Skipped()
    cores: dict[int, dict[str, int]] = {}
    for number, line in enumerate(lines(text), 1):
        row: dict[str, int] = {}
        for word in line.split():
            name, equals, value = word.partition("=")
            amount, key = whole(value), identifier(name)
            if not equals or amount is None or key is None or key in row:
                skipped.line(number, "no counter", word)
            else:
                row[key] = amount
        cpu = row.pop("cpu", None)
        if cpu is not None and cpu not in cores:
            cores[cpu] = row
        elif row:
            skipped.line(number, "no CPU or a second row of it", line)
    return Parsed(ConntrackStats(None, cores), skipped.done())


def parse_conntrack_count(text: str) -> Parsed[ConntrackStats]:
    """``conntrack -C`` or /proc/sys/net/netfilter/nf_conntrack_count: one number."""
    skipped = Skipped()
    word = lines(text)[0].strip()
    entries = whole(word)
    if entries is None:
        skipped.line(1, "no number", word)
    return Parsed(ConntrackStats(entries), skipped.done())
