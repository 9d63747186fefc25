"""Roles of generators that send at once: wanted traffic, which the DUT should forward, and an attack.

Offered, received and loss are those of the wanted traffic. Logs do not name roles: they follow from the loads
that a benchmark's name promises, from what each generator sent, and from the addresses it sent from.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import product

import msgspec

WANTED, ATTACK = "wanted", "attack"
ROLES = (WANTED, ATTACK)

TOLERANCE = 0.02
"""Share by which a measured load may differ from the promised one. In the archive it is 0.001 at most."""
_MOST = 8  # sets of addresses: up to so many, all combinations of roles are tried

_SOURCE = re.compile(r"(?:^|\s)-s\s*([^\s-]\S*)")
_PORT = re.compile(r"(?<=[0-9]):[0-9]+(?=-|$)")  # of an IPv4 address; one of IPv6 is left as it is


class Sent(msgspec.Struct, frozen=True):
    """What one generator sent: its name, the addresses (``-s`` of pkt-gen) and the rate in pps."""

    generator: str
    source: str
    rate: float


class Roles(msgspec.Struct, frozen=True):
    """Each generator's role, and a sentence on how it is known. Not `certain`: other roles fit as well."""

    of: Mapping[str, str]
    why: str
    certain: bool


def source_of(command: str) -> str:
    """``-s 198.18.1.1:2000-198.18.1.255:2200`` -> the addresses, without ports; "" if there are none."""
    match = _SOURCE.search(command)
    if not match:
        return ""
    text = match[1]
    return _PORT.sub("", text) if "." in text else text


def by_loads(
    sent: Sequence[Sent], wanted: float, attack: float, known: Mapping[str, str] | None = None
) -> Roles | None:
    """The roles under which the generators sent what the benchmark's name promises, both in pps.

    Generators that send from the same addresses have one role. If attack and wanted traffic are equally
    large, `known` decides: the roles that addresses have in the benchmarks beside this one. Without it the
    first generator is the attack, as in all of the archive's benchmarks: the offered load is the same either
    way. None: no roles fit, or there are too many addresses.
    """
    sources = dict.fromkeys(one.source or one.generator for one in sent)
    if not 0 < len(sources) <= _MOST:
        return None
    fitting = [roles for roles in _assigned(list(sources)) if _fits(sent, roles, wanted, attack)]
    if not fitting:
        return None
    how = "the loads that the folder's name promises tell which generator sends what"
    chosen, certain = fitting[0], True
    if len(fitting) > 1:
        agreeing = [one for one in fitting if all(one[s] == r for s, r in (known or {}).items() if s in one)]
        if len(agreeing) == 1:
            chosen = agreeing[0]
            how = "its addresses have the same role in the benchmarks beside this one"
        else:
            first = sent[0].source or sent[0].generator
            chosen, certain = next((one for one in fitting if one[first] == ATTACK), chosen), False
            how = (
                "attack and wanted traffic are equally large, so the loads do not tell them apart: the first "
                "generator is taken as the attack, and the offered load is the same either way"
            )
    return Roles({one.generator: chosen[one.source or one.generator] for one in sent}, how, certain)


def _assigned(sources: Sequence[str]) -> Iterator[dict[str, str]]:
    for roles in product(ROLES, repeat=len(sources)):
        yield dict(zip(sources, roles, strict=True))


def _fits(sent: Sequence[Sent], roles: Mapping[str, str], wanted: float, attack: float) -> bool:
    for role, promised in ((WANTED, wanted), (ATTACK, attack)):
        rates = [one.rate for one in sent if roles[one.source or one.generator] == role]
        if not promised and rates:
            return False
        if abs(sum(rates) - promised) > TOLERANCE * promised:
            return False
    return True
