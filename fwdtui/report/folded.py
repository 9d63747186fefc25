"""Sentences that differ only in their figures, told once."""

import re
from collections.abc import Iterable, Sequence

_NUMBER = re.compile(r"(?<![\w.])[-+−]?[0-9]+(?:\.[0-9]+)?(?![\w.]*[0-9])")


def template(text: str) -> str:
    """`text` with its figures left out: equal for sentences that differ only in them."""
    return _NUMBER.sub("\0", text)


def folded(texts: Sequence[str]) -> str:
    """One sentence for several of one template: ``by 1.8 %``, ``by 2.0 %`` -> ``by 1.8 to 2.0 %``."""
    figures = zip(*(_NUMBER.findall(text) for text in texts), strict=True)
    shown = iter([_range(at_place) for at_place in figures])
    return _NUMBER.sub(lambda _: next(shown), texts[0])


def _range(figures: Iterable[str]) -> str:
    ordered = sorted(set(figures), key=lambda figure: float(figure.replace("−", "-")))
    return ordered[0] if len(ordered) == 1 else f"{ordered[0]} to {ordered[-1]}"
