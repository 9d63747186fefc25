"""Merges sentences about several iterations: those that differ only in their figures become one.

A figure is a quantity. A number that names something, such as a signal or a line, is none: no range of such
numbers is true, so sentences with different ones stay apart.
"""

import re
from collections.abc import Iterable, Sequence

from fwdtui.core.model import Caution, Iteration
from fwdtui.core.sentences import after_colon
from fwdtui.core.text import clean

MOST_KINDS = 3
"""The most kinds of sentence of one code that are given in full; of others, only the iterations are named."""

_NAMED = (
    r"\b(?:signal|status|line|cpu|core|node|irq|queue|port|pid|vlan|revision|boot|trial|attempt|block|look"
    r"|cell|iteration|run)s? [0-9]++(?:(?:, | and | to |[-–])[0-9]++)*\b(?!\.[0-9]| %)"
)
_DATE_OR_TIME = r"(?<![\w.:-])[0-9]++(?:-[0-9]{2}-[0-9]{2}(?:T[0-9:.+]++)?|(?::[0-9]++)+)"
_FIGURE = (
    r"(?<![\w.])(?<![0-9]:)[-+−]?(?:[0-9]{1,3}(?: [0-9]{3})+|[0-9]+)(?:\.[0-9]+)?(?![\w.]*[0-9])"
    # digits in groups of three, or not
)
_NUMBER = re.compile(rf"{_NAMED}|{_DATE_OR_TIME}|({_FIGURE})", re.IGNORECASE)
"""A number that is no figure, or (the only group) a figure."""


def without_figures(text: str) -> str:
    """`text` with its figures left out: equal for sentences that differ only in them."""
    return _NUMBER.sub(lambda match: match[0] if match[1] is None else "\0", text)


def in_ranges(texts: Sequence[str]) -> str:
    """``by 1.8 %``, ``by 2.0 %`` -> ``by 1.8 to 2.0 %``: one sentence for several that differ in figures."""
    figures = zip(*(_figures(text) for text in texts), strict=True)
    shown = iter([_range(at_place) for at_place in figures])
    return _NUMBER.sub(lambda match: match[0] if match[1] is None else next(shown), texts[0])


def _figures(text: str) -> list[tuple[str, bool]]:
    """The figures, and of each whether it is the number of a folder: ``inet4/002``."""
    found = (match for match in _NUMBER.finditer(text) if match[1] is not None)
    return [(match[1], text[match.start() - 1 : match.start()] == "/") for match in found]


def _range(figures: Sequence[tuple[str, bool]]) -> str:
    numbers = {figure: float(figure.replace("−", "-").replace(" ", "")) for figure, _ in figures}
    ordered = sorted(numbers, key=numbers.__getitem__)
    if len(ordered) == 1:
        return ordered[0]
    if figures[0][1] and numbers[ordered[-1]] - numbers[ordered[0]] >= len(ordered):
        return f"{', '.join(ordered[:-1])} and {ordered[-1]}"  # a range would name folders in between
    return f"{ordered[0]} to {ordered[-1]}"


def by_reason(excluded: Iterable[tuple[int, str]]) -> tuple[str, ...]:
    """What was left out, one line for all iterations whose reasons differ only in their figures."""
    kinds: dict[str, list[tuple[int, str]]] = {}
    for index, reason in excluded:
        kinds.setdefault(without_figures(reason), []).append((index, reason))
    return tuple(
        f"{numbered([index for index, _ in alike])}: {after_colon(in_ranges([why for _, why in alike]))}"
        for alike in kinds.values()
    )


def merged(iterations: Iterable[Iteration]) -> tuple[Caution, ...]:
    """The warnings of the iterations, one per code, each naming the iterations that it is about."""
    codes: dict[str, dict[str, list[tuple[int, str]]]] = {}
    for iteration in iterations:
        for warning in iteration.warnings:
            text = clean(warning.text)
            alike = codes.setdefault(clean(warning.code), {}).setdefault(without_figures(text), [])
            alike.append((iteration.index, text))
    return tuple(Caution(code, _in_full(list(kinds.values()))) for code, kinds in codes.items())


def _in_full(kinds: Sequence[Sequence[tuple[int, str]]]) -> str:
    parts = [
        f"{numbered([index for index, _ in alike])}: {after_colon(in_ranges([text for _, text in alike]))}"
        for alike in kinds[:MOST_KINDS]
    ]
    rest = [index for alike in kinds[MOST_KINDS:] for index, _ in alike]
    if rest:
        parts.append(f"other such warnings in {numbered(rest)}")
    ended = [part if part.endswith(".") else f"{part}." for part in parts]
    return " ".join([ended[0], *(f"{part[0].upper()}{part[1:]}" for part in ended[1:])])


def numbered(indexes: Sequence[int]) -> str:
    """``iteration 2``, ``iterations 2 and 4``, ``iterations 1 to 5``."""
    ordered = sorted(set(indexes))
    if len(ordered) == 1:
        return f"iteration {ordered[0]}"
    if len(ordered) > 2 and ordered == list(range(ordered[0], ordered[-1] + 1)):
        return f"iterations {ordered[0]} to {ordered[-1]}"
    return f"iterations {', '.join(map(str, ordered[:-1]))} and {ordered[-1]}"
