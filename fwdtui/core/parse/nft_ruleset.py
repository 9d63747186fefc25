"""`nft list ruleset` and `nft -j list ruleset`: the size of the firewall and its counters.

Source: nft(8), libnftables-json(5). Counters are 64 bits wide and namespaced. Bytes are those of the
network layer for inet, ip and ip6 tables (46 for a frame of 60), of the frame for netdev and bridge.
"""

import re
from dataclasses import dataclass

from fwdtui.core.parse.fields import Parsed, Skipped, identifier, lines, phrase, shown
from fwdtui.core.parse.json_text import count, load_json, mapping, sequence

_COUNTER = re.compile(r"\bcounter packets ([0-9]{1,20}) bytes ([0-9]{1,20})")
_NAMED = re.compile(r"packets ([0-9]{1,20}) bytes ([0-9]{1,20})")
_HOOK = re.compile(r"type [a-z]+ hook ([a-z]+)")
_POLICY = re.compile(r"\bpolicy ([a-z]+);")
_HANDLE = re.compile(r" # handle ([0-9]{1,12})$")
_QUOTED = re.compile(r'"[^"]*"')
_OBJECTS = frozenset({"chain", "counter", "set", "map", "flowtable", "quota", "limit", "synproxy", "secmark"})


@dataclass(frozen=True, slots=True)
class NftCounter:
    """A rule's counter (`chain` set; `rule` is the rule's text, None in JSON) or a named one (`name` set)."""

    family: str
    table: str
    chain: str | None
    name: str | None
    packets: int
    bytes: int
    handle: int | None = None
    rule: str | None = None


@dataclass(frozen=True, slots=True)
class NftChain:
    """A chain and how many rules it has; `hook` and `policy` only for base chains."""

    family: str
    table: str
    name: str
    rules: int = 0
    hook: str | None = None
    policy: str | None = None


@dataclass(frozen=True, slots=True)
class NftRuleset:
    """`tables` as "family name"; sets and maps are counted, their elements are not."""

    tables: tuple[str, ...] = ()
    chains: tuple[NftChain, ...] = ()
    counters: tuple[NftCounter, ...] = ()
    sets: int = 0

    @property
    def rules(self) -> int:
        """Rules in all chains."""
        return sum(chain.rules for chain in self.chains)


def parse_nft_ruleset(text: str) -> Parsed[NftRuleset]:
    """Either form, recognised by the first character. A rule is one line of a chain."""
    return _parse_json(text) if text.lstrip()[:1] in ("{", "[") else _Text().parse(text)


class _Text:
    """Depth 1 is a table, depth 2 an object in it, deeper levels are sets over several lines."""

    def __init__(self) -> None:
        self.skipped = Skipped()
        self.tables: list[str] = []
        self.chains: list[NftChain] = []
        self.counters: list[NftCounter] = []
        self.sets = 0
        self.depth = 0
        self.table = ("", "")
        self.object = ("", "")  # what is open at depth 2 and its name
        self.hook: str | None = None
        self.policy: str | None = None
        self.rules = 0

    def parse(self, text: str) -> Parsed[NftRuleset]:
        for number, line in enumerate(lines(text), 1):
            bare = line.strip()
            if bare and not bare.startswith("#"):
                self._line(number, bare)
        if self.depth:
            self.skipped.note("the ruleset ends in the middle")
            self._close()
        ruleset = NftRuleset(tuple(self.tables), tuple(self.chains), tuple(self.counters), self.sets)
        return Parsed(ruleset, self.skipped.done())

    def _line(self, number: int, bare: str) -> None:
        handle = _HANDLE.search(bare)
        bare = bare[: handle.start()] if handle else bare
        outside = _QUOTED.sub('""', bare)
        opened, closed = outside.count("{"), outside.count("}")
        words = bare.split()
        if self.depth == 0:
            family, name = (identifier(word) for word in (*words[1:3], "", "")[:2])
            if words[0] != "table" or opened != 1 or family is None or name is None:
                self.skipped.line(number, "not a table", bare)
                return
            self.table = (family, name)
            self.tables.append(f"{family} {name}")
        elif self.depth == 1 and opened > closed:
            kind = words[0] if words[0] in _OBJECTS or words[:1] == ["ct"] else "other"
            name = identifier(words[1].rstrip("{")) if len(words) > 1 else None
            self.object = (kind, name or "")
            self.hook, self.policy, self.rules = None, None, 0
            self.sets += kind in ("set", "map")
        elif self.depth == 2 and bare != "}":
            self._inside(bare, int(handle[1]) if handle else None)
        elif self.depth > 2 and closed > opened + self.depth - 2:
            self.skipped.line(number, "more braces closed than opened", bare)
        before, self.depth = self.depth, max(0, self.depth + opened - closed)
        if before >= 2 > self.depth:
            self._close()

    def _inside(self, bare: str, handle: int | None) -> None:
        kind, name = self.object
        if kind == "chain":
            if hook := _HOOK.match(bare):
                policy = _POLICY.search(bare)
                self.hook, self.policy = hook[1], policy[1] if policy else None
            elif not bare.startswith(('comment "', "policy ", "devices = ", "flags ")):
                self.rules += 1
                if match := _COUNTER.search(_QUOTED.sub('""', bare)):
                    self._count(match, name, None, handle, phrase(bare))
        elif kind == "counter" and (match := _NAMED.fullmatch(bare)):
            self._count(match, None, name, handle, None)

    def _count(
        self, match: re.Match[str], chain: str | None, name: str | None, handle: int | None, rule: str | None
    ) -> None:
        self.counters.append(NftCounter(*self.table, chain, name, int(match[1]), int(match[2]), handle, rule))

    def _close(self) -> None:
        kind, name = self.object
        if kind == "chain" and name:
            self.chains.append(NftChain(*self.table, name, self.rules, self.hook, self.policy))
        self.object = ("", "")


def _parse_json(text: str) -> Parsed[NftRuleset]:
    skipped = Skipped()
    document, why = load_json(text)
    if why:
        skipped.note(why)
    tables: list[str] = []
    chains: dict[tuple[str, str, str], NftChain] = {}
    rules: dict[tuple[str, str, str], int] = {}
    counters: list[NftCounter] = []
    sets = 0
    for entry in sequence(mapping(document).get("nftables")):
        for kind, body in mapping(entry).items():
            item = mapping(body)
            if kind == "metainfo":
                continue
            family = identifier(item.get("family")) or ""
            table = identifier(item.get("name" if kind == "table" else "table")) or ""
            name = identifier(item.get("name"))
            chain = identifier(item.get("chain"))
            if not family or not table:
                skipped.note(f"{shown(str(kind))} without a table")
            elif kind == "table":
                tables.append(f"{family} {table}")
            elif kind == "chain" and name:
                hook, policy = phrase(item.get("hook")), phrase(item.get("policy"))
                chains[family, table, name] = NftChain(family, table, name, 0, hook, policy)
            elif kind == "rule" and chain:
                rules[family, table, chain] = rules.get((family, table, chain), 0) + 1
                for part in sequence(item.get("expr")):
                    counter = mapping(mapping(part).get("counter"))
                    _put(counters, counter, (family, table), chain, None, count(item.get("handle")))
            elif kind == "counter" and name:
                _put(counters, item, (family, table), None, name, count(item.get("handle")))
            elif kind in ("set", "map"):
                sets += 1
    for key, amount in rules.items():
        known = chains.get(key, NftChain(*key))
        chains[key] = NftChain(*key, amount, known.hook, known.policy)
    return Parsed(NftRuleset(tuple(tables), tuple(chains.values()), tuple(counters), sets), skipped.done())


def _put(
    counters: list[NftCounter],
    item: dict[str, object],
    table: tuple[str, str],
    chain: str | None,
    name: str | None,
    handle: int | None,
) -> None:
    packets, size = count(item.get("packets")), count(item.get("bytes"))
    if packets is not None and size is not None:
        counters.append(NftCounter(*table, chain, name, packets, size, handle))
