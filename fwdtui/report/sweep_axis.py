"""The horizontal axis of a sweep: numbers at their places, or names one after another.

An axis is logarithmic if the levels span more than a decade and their spacing is more even on a logarithmic
axis than on a linear one: 64, 128 ... 1518 bytes are, 1 to 24 queues by ones are not. Evenness is measured by
the coefficient of variation of the steps.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import fmean, pstdev

from fwdtui.core.errors import FwdtuiError
from fwdtui.core.factors import Level
from fwdtui.core.text import clean
from fwdtui.report.factor_view import LevelTexts

LINEAR, LOG = "linear", "log"
SCALES = (LINEAR, LOG)
_DECADE = 10.0
_EDGE = 0.04  # share of the axis on either side


@dataclass(frozen=True, slots=True)
class Axis:
    """The levels in the order of the axis, what to call each, and where it is.

    `places` are the numbers themselves, or 0, 1, 2 ... for names. `unit` is what all labels had after them.
    `names_why`: why an axis with levels that are numbers is drawn with names; empty if nothing is odd.
    """

    name: str
    levels: tuple[Level, ...]
    labels: tuple[str, ...]
    places: tuple[float, ...]
    numeric: bool
    log: bool = False
    unit: str = ""
    names_why: str = ""

    @property
    def title(self) -> str:
        """``frame_size (B)``"""
        return f"{self.name} ({self.unit})" if self.unit else self.name

    @property
    def ends(self) -> tuple[float, float]:
        """Where the axis begins and ends, with some room beside the first and last level."""
        low, high = self.places[0], self.places[-1]
        if self.log:
            edge = (high / low if high > low else _DECADE) ** _EDGE
            return low / edge, high * edge
        edge = (high - low or abs(high) or 1.0) * _EDGE
        return low - edge, high + edge

    @property
    def one(self) -> str:
        """What is counted, in the singular: ``queue``; ``one`` if the factor's name does not say it."""
        return self.name.removesuffix("s") if self.name.endswith("s") else "one"

    def named(self, columns: int) -> list[str]:
        """The labels of an axis that is `columns` of text wide; "" for one that has no room."""
        low, high = (math.log(end) if self.log else end for end in self.ends)
        shown: list[str] = []
        taken = -math.inf
        for label, at in zip(self.labels, self.places, strict=True):
            middle = ((math.log(at) if self.log else at) - low) / (high - low) * columns
            free = middle - len(label) / 2 > taken
            taken = middle + len(label) / 2 + 1 if free else taken
            shown.append(label if free else "")
        return shown

    def label(self, level: Level) -> str:
        """The label of one of the levels on the axis."""
        return self.labels[self.levels.index(level)]

    def phrase(self, level: Level) -> str:
        """A level in a sentence: ``7 queues``, ``1 queue``, ``frame_size 64 B``, ``off``."""
        text = clean(level.text)
        if not self.numeric:
            return self.label(level)
        if level.unit or not self.name.endswith("s"):
            return f"{self.name} {text}"
        return f"{text} {self.name.removesuffix('s') if level.number == 1 else self.name}"


def axis_of(name: str, levels: Sequence[Level], texts: LevelTexts, scale: str | None) -> Axis:
    """The axis of a factor's known levels, which are different and in natural order.

    Raises FwdtuiError if a logarithmic axis is wanted and impossible.
    """
    numbers = [one.number for one in levels if one.number is not None]
    units = {one.unit for one in levels if one.number is not None}
    numeric = len(numbers) == len(levels) and len(units) == 1
    if not numeric:
        if scale is not None:
            why = _not_numeric(name, levels, units) or f"the levels of {name} are names"
            raise FwdtuiError(f"--x-scale {scale}: {why}")
        ordered = in_order(name, levels, texts)
        labels = tuple(labels_of(name, ordered, texts))
        why = _not_numeric(name, ordered, units)
        return Axis(
            name, tuple(ordered), labels, tuple(map(float, range(len(ordered)))), False, names_why=why
        )
    if scale == LOG and numbers[0] <= 0:
        raise FwdtuiError(f"--x-scale log: {name} has the level {levels[0].shown}, which has no logarithm")
    labels, unit = _without_unit(labels_of(name, levels, texts))
    log = scale == LOG if scale else logarithmic(numbers)
    return Axis(name, tuple(levels), labels, tuple(numbers), True, log, unit)


def in_order(name: str, levels: Sequence[Level], texts: LevelTexts) -> list[Level]:
    """Levels as the user orders them, then in natural order."""
    return sorted(levels, key=lambda one: texts.rank({name: one}))


def labels_of(name: str, levels: Sequence[Level], texts: LevelTexts) -> list[str]:
    """The labels of different levels, all different: if two have the same text, the level follows it."""
    labels = [texts.label(name, one) for one in levels]
    return [
        clean(text if labels.count(text) == 1 or text == one.shown else f"{text} ({one.shown})")
        for text, one in zip(labels, levels, strict=True)
    ]


def logarithmic(numbers: Sequence[float]) -> bool:
    """Whether levels, in ascending order, are drawn on a logarithmic axis: see the top of this file."""
    if len(numbers) < 3 or numbers[0] <= 0 or numbers[-1] <= _DECADE * numbers[0]:
        return False
    return _uneven([math.log(number) for number in numbers]) < _uneven(numbers)


def _uneven(numbers: Sequence[float]) -> float:
    steps = [after - before for before, after in pairwise(numbers)]
    return pstdev(steps) / fmean(steps)


def _not_numeric(name: str, levels: Sequence[Level], units: set[str]) -> str:
    names = [one.shown for one in levels if one.number is None]
    if names and units:
        verb = "is not a number" if len(names) == 1 else "are not numbers"
        remedy = (
            "give them numbers in annotations.toml" if len(names) > 1 else "give it one in annotations.toml"
        )
        return f"{name} is drawn as names, since {', '.join(names)} {verb}: {remedy}"
    if len(units) > 1:
        shown = ", ".join(sorted(unit or "none" for unit in units))
        return f"{name} is drawn as names, since its levels have different units: {shown}"
    return ""


def _without_unit(labels: Sequence[str]) -> tuple[tuple[str, ...], str]:
    """``("64 B", "128 B")`` -> ``("64", "128")`` and ``B``; unchanged if they have no unit in common."""
    parts = [text.rpartition(" ") for text in labels]
    units = {unit for _, _, unit in parts}
    if len(units) == 1 and all(text.replace(".", "", 1).lstrip("-").isdecimal() for text, _, _ in parts):
        return tuple(text for text, _, _ in parts), units.pop()
    return tuple(labels), ""


def thinned(labels: Sequence[str], room: int) -> list[str]:
    """The labels, with at most `room` of them kept, evenly chosen and always the first; the others are ""."""
    step = max(math.ceil(len(labels) / max(room, 1)), 1)
    return [text if place % step == 0 else "" for place, text in enumerate(labels)]
