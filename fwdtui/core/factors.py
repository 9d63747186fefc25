"""Factors: what was varied in a benchmark, by name: image, config, af, frame_size, queues.

An iteration has the factors of its session, of its case and its own, in this order; a later one replaces an
earlier one. One whose value is given as unknown ("") is equal to nothing, not even to another unknown one.
An iteration without any factors has the two factors `session` and `case`.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal

import msgspec

from fwdtui.core.errors import FwdtuiError
from fwdtui.core.text import clean
from fwdtui.core.units import quoted

FactorValue = str | int | float
"""A factor's value as files hold it: ``"inet4"``, ``24``, ``"300 kpps"``; "" where it is not known."""

SESSION, CASE = "session", "case"
"""The factors of an iteration that has no others: its session's label and its case's name."""

ORDER = "order"
"""The running number of an iteration, or a place in an order: not a condition of the test."""

FIELD = ("image", "config", "af", "frame_size", "flows", "queues", "cores", "rate", "attack_rate", ORDER)
"""The usual names of factors, in the order in which tables show them. Other names come after them."""

_NAMED = frozenset({SESSION, CASE, "image", "config", "af", ORDER})
"""Factors whose values are names, even if they look like numbers: image 6.1 is not image 6.10."""
_UNIT_OF = {"frame_size": "B", "rate": "pps", "attack_rate": "pps"}
"""The unit of a bare number."""

_SCALES = {"": 0, "k": 3, "M": 6, "G": 9}
# powers of ten, multiplied as decimals: 1.005 kpps as a float times 1000 is not 1005 pps
_UNITS: Mapping[str, tuple[str, int]] = {
    **{f"{multiple}{unit}": (unit, power) for unit in ("pps", "b/s") for multiple, power in _SCALES.items()},
    "B": ("B", 0),
    "bytes": ("B", 0),
    "us": ("s", -6),
    "ms": ("s", -3),
    "s": ("s", 0),
    "%": ("%", 0),
}
UNITS = tuple(_UNITS)
"""The units that a number can have."""
_MOST_DIGITS = 15
"""Significant digits that a float keeps. With more, two different identifiers would be the same number."""
_LONGEST_NAME = 64
_NAME = re.compile(r"[a-z][a-z0-9_.]*")
# without leading and trailing zeros: 007 and 6.10 are identifiers
_BARE = re.compile(r"-?(?:0|[1-9][0-9]{0,17})(?:\.[0-9]{0,17}[1-9])?")
_WITH_UNIT = re.compile(r"(-?[0-9]{1,18}(?:\.[0-9]{1,18})?) ?([A-Za-z%/]{1,6})")
_PARTS = re.compile(r"([0-9]+)")


class Level(msgspec.Struct, frozen=True):
    """One value of a factor. `number` is in `unit` (b/s, not Mb/s); None: the value is a name."""

    text: str  # as it was written; "": not known
    number: float | None = None
    unit: str = ""

    @property
    def known(self) -> bool:
        """Whether the value is known; an unknown one is equal to nothing."""
        return bool(self.text)

    @property
    def identity(self) -> tuple[str, float | str]:
        """What makes two levels of a factor the same one: ``300 kpps`` and ``300000 pps`` are."""
        return ("", self.text) if self.number is None else (self.unit, self.number)

    @property
    def shown(self) -> str:
        """For people: as it was written, ``unknown`` if it is not known."""
        return self.text or "unknown"


def level(name: str, value: FactorValue) -> Level:
    """The level for a stored value of the factor `name`.

    Numbers and texts such as ``24``, ``64 B`` and ``300 kpps`` are quantities, except for factors whose
    values are names (image, config, af, order, session, case). Never raises: other text is a name.
    """
    if isinstance(value, str):
        text = clean(value).strip()
        return Level(text) if name in _NAMED or not text else _quantity(name, text)
    text = repr(value).removesuffix(".0")
    return Level(text) if name in _NAMED else _quantity(name, text)


def _quantity(name: str, text: str) -> Level:
    unit = _UNIT_OF.get(name, "")
    if sum(map(str.isdecimal, text)) > _MOST_DIGITS:
        return Level(text)
    if _BARE.fullmatch(text):
        return Level(f"{text} {unit}".strip(), float(text), unit)
    match = _WITH_UNIT.fullmatch(text)
    if match and match[2] in _UNITS:
        unit, power = _UNITS[match[2]]
        return Level(text, float(Decimal(match[1]).scaleb(power)), unit)
    return Level(text)


def is_named(name: str) -> bool:
    """Whether the values of this factor are names, even if they look like numbers."""
    return name in _NAMED


def unit_of(value: FactorValue) -> str:
    """The unit that may be meant, whether known or not: ``5 minutes`` -> ``minutes``; "" if there is none.

    A number and letters without a space between them may be a name (``82599ES``), unless the unit is known.
    """
    match = re.fullmatch(r"-?[0-9.]+(\s*)([A-Za-z%/]+)", value) if isinstance(value, str) else None
    return match[2] if match and (match[1] or match[2] in _UNITS) else ""


def plain(one: Level) -> FactorValue | None:
    """A level in JSON: a number without a unit as such, anything else as text, null if it is not known."""
    if one.number is None or one.unit:
        return one.text or None
    return int(one.number) if one.number.is_integer() else one.number


def accepted(factors: Mapping[str, FactorValue], where: str) -> tuple[dict[str, FactorValue], list[str]]:
    """Factors from a file under the names that everything uses, and a problem for each that is not used.

    A factor is not used if its name is not valid, or is another spelling of one that is there already.
    """
    good: dict[str, FactorValue] = {}
    problems: list[str] = []
    for name, value in factors.items():
        try:
            known = factor_name(name)
        except FwdtuiError as error:
            problems.append(f"{where}: {error}; it is not used")
            continue
        if known in good:
            problems.append(
                f"{where}: {quoted(name)} is another spelling of {known}, which is already given; it is not"
                " used"
            )
            continue
        good[known] = clean(value).strip() if isinstance(value, str) else value
    return good, problems


def factor_name(text: str) -> str:
    """The name of a factor as everything uses it: ``Frame-Size`` -> ``frame_size``.

    Raises FwdtuiError if it is not valid: letters, digits, ``_`` and ``.``, a letter first, 64 characters.
    """
    name = clean(text).strip().lower().replace("-", "_").replace(" ", "_")
    if len(name) > _LONGEST_NAME or not _NAME.fullmatch(name):
        raise FwdtuiError(f"{quoted(text)} is not the name of a factor: write it as frame_size")
    return name


def assignment(text: str) -> tuple[str, str]:
    """``"af=inet4"`` -> ``("af", "inet4")``. Raises FwdtuiError if it is not a factor's name and a value."""
    name, equals, value = text.partition("=")
    if not equals or not value.strip():
        raise FwdtuiError(f"{quoted(text)} does not give a factor a value: write it as af=inet4")
    return factor_name(name), clean(value).strip()


def merged(*layers: Mapping[str, FactorValue]) -> dict[str, Level]:
    """The factors of an iteration from those of its session, of its case and its own.

    Each is at the place where it was first named; its value is that of the last layer that has it.
    """
    values: dict[str, FactorValue] = {}
    for layer in layers:
        values.update(layer)
    return {name: level(name, value) for name, value in values.items()}


def of_iteration(session: str, case: str, *layers: Mapping[str, FactorValue]) -> dict[str, Level]:
    """The factors of an iteration of the session labelled `session`; without any, its session and case."""
    return merged(*layers) or {SESSION: Level(session), CASE: Level(case)}


def spelled(levels: Mapping[str, Level]) -> str:
    """``config=off, af=inet4``: a combination of levels as text."""
    return ", ".join(f"{name}={one.shown}" for name, one in levels.items())


def in_order(names: Iterable[str]) -> list[str]:
    """Names of factors, each once: those of FIELD in its order, then the others as they come."""
    distinct = list(dict.fromkeys(names))
    return [name for name in FIELD if name in distinct] + [name for name in distinct if name not in FIELD]


def levels_of(name: str, results: Iterable[Mapping[str, Level]]) -> list[Level]:
    """The different levels of a factor in `results`, in natural order; unknown ones last, each alone."""
    known: dict[tuple[str, float | str], Level] = {}
    unknown: list[Level] = []
    for factors in results:
        one = factors.get(name, Level(""))
        if one.known:
            known.setdefault(one.identity, one)
        else:
            unknown.append(one)
    return [*sorted(known.values(), key=natural), *unknown]


def may_differ(name: str, results: Sequence[Mapping[str, Level]]) -> bool:
    """Whether a factor has, or may have, several levels in `results`; if no level is known, it does not."""
    levels = levels_of(name, results)
    return sum(one.known for one in levels) + any(not one.known for one in levels) > 1


def varying(results: Sequence[Mapping[str, Level]]) -> list[str]:
    """The factors that are not the same in all of `results`, in order.

    One that is missing somewhere, or unknown in two places, may differ there, so it varies.
    """
    names = in_order(name for factors in results for name in factors)
    return [name for name in names if len(levels_of(name, results)) > 1]


def natural(one: Level) -> tuple[int, str, float, tuple[tuple[int, int, str], ...]]:
    """A key to sort levels as people do: quantities by size, names by the numbers in them (r9, r10)."""
    if one.number is not None:
        return (0, one.unit, one.number, ())
    parts = tuple(
        (0, int(part), part) if part.isascii() and part.isdecimal() else (1, 0, part.casefold())
        for part in _PARTS.split(one.text)
        if part
    )
    return (1 if one.known else 2, "", 0.0, parts)
