"""Which factors a published result had, by the names in its .info, its own name and those of its folders.

The rules are data. Each reads a whole part of a name, some only below a folder that says what the part means,
and each has a sentence that explains it to the user. Parts that no rule reads are the name of a configuration
or a traffic profile; nothing is guessed, and what is not known of one result is never taken from another.
"""

import re
from collections.abc import Mapping, Sequence

import msgspec

from fwdtui.core.factors import FactorValue

IMAGE = "image"
"""The factor for the build: a name, made of any characters."""
CONFIG, TRAFFIC = "config", "traffic"
"""The factors for what no rule reads in the names of a configuration and of a traffic profile."""


class Names(msgspec.Struct, frozen=True):
    """The names of a result that may contain factors; "" where it has no such name.

    `image` is the build according to .info or to the result's name, `config` and `traffic` are the DUT's
    configuration and the traffic profile, `folder` is the name of the result's folder, and `above` are the
    names of the folders above that, the nearest first.
    """

    image: str = ""
    config: str = ""
    traffic: str = ""
    folder: str = ""
    above: tuple[str, ...] = ()


class Rule(msgspec.Struct, frozen=True):
    """If a whole part of a name matches `pattern`, the pattern's groups give the factors of their names.

    `within`: a folder above has to match this, and must not contradict the part. `of_folder`: the part is the
    folder's name instead of a part of the configuration's or the traffic profile's name. `unit` is added to
    each number except in an image. `usual`: if several different parts match, the only one that is among
    these is meant, else none. If `usual` is empty, the first part that matches is meant; but with `within`,
    none is if several parts of the same name match.
    """

    pattern: re.Pattern[str]
    why: str
    within: re.Pattern[str] | None = None
    of_folder: bool = False
    unit: str = ""
    usual: frozenset[str] = frozenset()


RULES = (
    Rule(
        re.compile(r"(?P<image>.+)-(?P<rate>[0-9]{1,4})-(?P<attack_rate>[0-9]{1,4})"),
        "the folder's name ends with wanted and attack load in Mpps, as the folder above says (_leg, _dos)",
        within=re.compile(r".*?(?P<rate>[0-9]{1,4})M_leg-(?P<least>[0-9]{1,4})to(?P<most>[0-9]{1,4})M_dos"),
        of_folder=True,
        unit="Mpps",
    ),
    Rule(re.compile(r"(?P<af>inet[46]?)"), "inet, inet4 and inet6 are address families"),
    Rule(
        re.compile(r"(?P<frame_size>6[4-9]|[7-9][0-9]|[1-9][0-9]{2,3})"),
        "a number of two to four digits below a folder RFC2544 is a frame size in bytes",
        within=re.compile(r"rfc[-_ ]?2544", re.IGNORECASE),
        usual=frozenset(["64", "128", "256", "512", "1024", "1280", "1518"]),  # RFC 2544, section 9.1
    ),
    Rule(
        re.compile(r"(?P<queues>[1-9][0-9]{0,3})(?:-default)?"),
        "the folder above is named after the tunable that sets the number of queues",
        within=re.compile(r"(?:dev|hw)\.[a-z][a-z0-9_.]*\b(?:channels|num_queues)"),
    ),
)
"""They are applied in this order; a part that a rule has read is not read again."""

_IMAGE = "the image that .info or the result's name gives, else the folder's name"
_CONFIG = "the configuration (CFG of .info), or what else the result's name holds"
_TRAFFIC = "the name of the traffic profile (PKTGEN of .info), which no rule explains"


class Inferred(msgspec.Struct, frozen=True):
    """The factors of one result, and for each the sentence that says where it was found."""

    factors: Mapping[str, FactorValue]
    why: Mapping[str, str]


def infer(names: Names) -> Inferred:
    """The factors that `names` give, image first."""
    factors: dict[str, FactorValue] = {}
    why: dict[str, str] = {}
    for rule in RULES:
        if rule.of_folder and (read := _read(rule, names.folder, names.above)):
            factors |= read
            why |= dict.fromkeys(read, rule.why)
    factors[IMAGE] = names.image or str(factors.get(IMAGE, names.folder))
    why[IMAGE] = _IMAGE
    unclear = _unclear(names)
    for factor, text, left_why in ((CONFIG, names.config, _CONFIG), (TRAFFIC, names.traffic, _TRAFFIC)):
        left = []
        for part in text.split(".") if text else []:
            for rule in RULES:
                if (
                    not rule.of_folder
                    and part not in unclear
                    and (read := _read(rule, part, names.above))
                    and not read.keys() & factors
                ):
                    factors |= read
                    why |= dict.fromkeys(read, rule.why)
                    break
            else:
                left.append(part)
        if left:
            factors[factor] = ".".join(left)
            why[factor] = left_why
    first = [name for name in (IMAGE, CONFIG, TRAFFIC) if name in factors]
    return Inferred({name: factors[name] for name in [*first, *(n for n in factors if n not in first)]}, why)


def _unclear(names: Names) -> set[str]:
    """The parts that a rule must not read although they match it, because other parts match it too."""
    unclear: set[str] = set()
    meant: set[str] = set()  # by the rules before
    for rule in RULES:
        if rule.within is None or rule.of_folder:
            continue
        each = [
            {part for part in text.split(".") if part not in meant and _read(rule, part, names.above)}
            for text in (names.config, names.traffic)
        ]
        fitting = each[0] | each[1]
        if rule.usual and len(fitting) > 1:
            usual = fitting & rule.usual
            unclear |= fitting - usual if len(usual) == 1 else fitting
        elif not rule.usual and len(each[0] or each[1]) > 1:
            unclear |= fitting
        meant |= fitting - unclear
    return unclear


def _read(rule: Rule, part: str, above: Sequence[str]) -> dict[str, FactorValue]:
    """What the rule reads in `part`; empty if it does not apply."""
    match = rule.pattern.fullmatch(part)
    if not match:
        return {}
    values = match.groupdict()
    if rule.within is not None:
        folder = next(filter(None, map(rule.within.fullmatch, above)), None)
        if folder is None or not _agrees(values, folder.groupdict()):
            return {}
    return {name: text if name == IMAGE else _value(text, rule.unit) for name, text in values.items()}


def _agrees(values: Mapping[str, str], folder: Mapping[str, str]) -> bool:
    """Whether the part says what the folder above says; least and most bound the attack."""
    if "rate" not in folder:
        return True
    within = int(folder["least"]) <= int(values["attack_rate"]) <= int(folder["most"])
    return int(values["rate"]) == int(folder["rate"]) and within


def _value(text: str, unit: str) -> FactorValue:
    if not text.isdecimal():
        return text
    return f"{int(text)} {unit}" if unit else int(text)


def unknown_beside(results: Sequence[Mapping[str, FactorValue]]) -> list[dict[str, FactorValue]]:
    """For each of several results in one place, the factors that others have and it lacks, as "" (not known):
    a result whose names do not state a factor need not have had the level of the others."""
    names = dict.fromkeys(name for factors in results for name in factors)
    return [{name: "" for name in names if name not in factors} for factors in results]
