"""Firewall rules as settings: pf, ipfw, nft, iptables. Their order matters, so a chain is one value.

Sources: pfctl(8) -s rules and -s nat, pf.conf(5); ipfw(8) list; nft(8) list ruleset; iptables-save(8).
Counters, handles and dates are removed. Notes never quote a line.
"""

import re
from itertools import takewhile

from fwdtui.core.parse import pfctl
from fwdtui.core.parse.fields import Parsed, Skipped, lines

RULES = "rules"
"""The key of the rules of a firewall that has only one list."""
STATUS = "status"
"""The key that says whether pf is enabled."""

_PF_COUNTERS = re.compile(r"\[ .*\]")
# pfctl turns long lists of addresses into tables, whose names have a random number (pfctl_optimize.c)
_PF_TABLE = re.compile(r"<__automatic_[0-9a-f]{1,8}_([0-9]{1,9})>")
_IPFW = re.compile(r"([0-9]{5})[ \t]+(?:[0-9]+[ \t]+[0-9]+[ \t]+)?(\S.*)")
_NFT_COUNTED = re.compile(r"\b(counter|quota)((?: name)?) packets [0-9]+ bytes [0-9]+")
_NFT_COUNTER = re.compile(r"packets [0-9]+ bytes [0-9]+")
_NFT_STATE = re.compile(r" (?:expires|used|last used) (?:[0-9a-z]+|never)(?: [a-z]?bytes)?")
_NFT_DYNAMIC = re.compile(r"flags (?:[a-z]+, ?)*dynamic(?:,.*)?")
# after the brace of a table nft prints the program that owns it, if one does (table_print() in nft's rule.c)
_HANDLE = re.compile(r" ?# handle [0-9]+(?: progname \S.{0,15})?$|(?<=\{) # progname \S.{0,15}$")
_CHAIN = re.compile(r"(:\S+ \S+) \[[0-9]+:[0-9]+\]")
_RULE = re.compile(r"(?:\[[0-9]+:[0-9]+\] )?(-.*)")


def parse_pf(text: str) -> Parsed[dict[str, str]]:
    """pfctl's list, or pf.conf without its comments: one list. Never raises."""
    rules = []
    for raw in lines(text):
        line = raw.strip()
        if line and not line.startswith("#") and not _PF_COUNTERS.fullmatch(line):
            rules.append(_PF_TABLE.sub(r"<__automatic_\1>", " ".join(line.split())))
    return Parsed({RULES: "\n".join(rules)} if rules else {})


def parse_pf_status(text: str) -> Parsed[dict[str, str]]:
    """`pfctl -si`: ``"enabled"`` or ``"disabled"``; pf lists its rules in both states. Never raises."""
    enabled = pfctl.parse(text).value.enabled
    if enabled is None:
        return Parsed({}, ("no line that says whether pf is enabled",))
    return Parsed({STATUS: "enabled" if enabled else "disabled"})


def parse_ipfw(text: str) -> Parsed[dict[str, str]]:
    """``00100 allow ip from any to any``, with or without counters: one list. Never raises."""
    rules = []
    skipped = Skipped()
    for number, raw in enumerate(lines(text), 1):
        line = raw.strip()
        if rule := _IPFW.fullmatch(line):
            rules.append(f"{rule[1]} {rule[2]}")
        elif line and not line.startswith("#"):
            rules.append(line)
            skipped.note(f"line {number}: not a rule")
    return Parsed({RULES: "\n".join(rules)} if rules else {}, skipped.done())


def parse_nft(text: str) -> Parsed[dict[str, str]]:
    """``"inet filter, chain input"`` -> its lines; a table's own lines are under its name. Never raises."""
    blocks: dict[str, list[str]] = {}
    table = chain = ""
    depth = 0
    skipped = Skipped()
    for number, raw in enumerate(lines(text), 1):
        line = _HANDLE.sub("", raw).strip()
        line = _NFT_STATE.sub("", _NFT_COUNTED.sub(r"\1\2", line))
        if not line or line.startswith("#") or _NFT_COUNTER.fullmatch(line):
            continue
        words = line.split()
        opens, closes = words[-1] == "{", words[0] == "}"
        if depth == 0 and words[0] == "table" and opens:
            table, chain, depth = " ".join(words[1:-1]), "", 1
            blocks.setdefault(table, [])
        elif depth == 0:
            skipped.note(f"line {number}: not part of any table")
        elif closes and depth <= 2:
            depth -= 1
            chain = ""
        elif depth == 1 and opens:
            chain, depth = f"{table}, {' '.join(words[:-1])}", 2
            blocks.setdefault(chain, [])
        else:
            depth += opens - closes
            blocks[chain or table].append(" ".join(words))
    return Parsed({name: "\n".join(_settled(rules)) for name, rules in blocks.items()}, skipped.done())


def _settled(block: list[str]) -> list[str]:
    """The lines of an object; without the elements, which come last, if it is a set that packets fill."""
    if not any(map(_NFT_DYNAMIC.fullmatch, block)):
        return block
    return list(takewhile(lambda line: not line.startswith("elements = "), block))


def parse_iptables(text: str) -> Parsed[dict[str, str]]:
    """iptables-save: table -> its chains and rules. Never raises."""
    tables: dict[str, list[str]] = {}
    table = ""
    skipped = Skipped()
    for number, raw in enumerate(lines(text), 1):
        line = raw.strip()
        if not line or line[0] == "#" or line == "COMMIT":
            continue
        if line[0] == "*":
            table = line[1:]
            tables.setdefault(table, [])
        elif not table:
            skipped.note(f"line {number}: not part of any table")
        elif chain := _CHAIN.fullmatch(line):
            tables[table].append(chain[1])
        else:
            rule = _RULE.fullmatch(line)
            tables[table].append(rule[1] if rule else line)
    return Parsed({name: "\n".join(rules) for name, rules in tables.items()}, skipped.done())
