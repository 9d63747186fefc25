"""Patterns that say which part of a result's name is which factor: ``{image}/{config}.{af}``.

A pattern is matched with the end of FOLDER/.../NAME, component by component. ``{name}`` matches one or more
characters of a component and gives the factor; ``*`` matches the same and gives none. Where a name can be
divided in several ways, the first part is as long as possible, since images have dots in their names:
``{image}.{af}`` divides ``n1.D2.inet4`` into ``n1.D2`` and ``inet4``.
"""

import re

import msgspec

from fwdtui.core.errors import FwdtuiError
from fwdtui.core.factors import factor_name
from fwdtui.core.text import clean
from fwdtui.core.units import quoted

_PART = re.compile(r"\{([^{}]*)\}|(\*)|([^{}*]+)|(.)", re.DOTALL)
_LONGEST = 1000  # characters


class _Component(msgspec.Struct, frozen=True):
    """`texts` come before the first part, between two, and after the last. `names`: "" for ``*``."""

    texts: tuple[str, ...]
    names: tuple[str, ...]

    def match(self, text: str) -> dict[str, str] | None:
        if not self.names:
            return {} if text == self.texts[0] else None
        head, tail = self.texts[0], self.texts[-1]
        stop = len(text) - len(tail)
        if not text.startswith(head) or not text.endswith(tail) or stop - len(head) < 1:
            return None
        matched: dict[str, str] = {}
        # from the end, each text as far right as it can be: that leaves the parts before it the most
        for between, name in zip(reversed(self.texts[1:-1]), reversed(self.names[1:]), strict=True):
            at = text.rfind(between, len(head) + 1, stop - 1)
            if at < 0:
                return None
            matched[name] = text[at + len(between) : stop]
            stop = at
        matched[self.names[0]] = text[len(head) : stop]
        return {name: value for name, value in matched.items() if name}


class FactorPattern(msgspec.Struct, frozen=True):
    """A pattern that was read; `names` are its factors."""

    text: str
    names: tuple[str, ...]
    components: tuple[_Component, ...]

    def match(self, place: str) -> dict[str, str] | None:
        """The factors of the result at `place`, FOLDER/.../NAME; None if the pattern does not fit it."""
        parts = place.split("/")[-len(self.components) :]
        if len(parts) < len(self.components):
            return None
        factors: dict[str, str] = {}
        for component, part in zip(self.components, parts, strict=True):
            values = component.match(part)
            if values is None:
                return None
            factors |= values
        return {name: factors[name] for name in self.names}


def parse(text: str) -> FactorPattern:
    """Reads a pattern. Raises FwdtuiError if `text` is not one, and says why."""
    if len(text) > _LONGEST:
        raise FwdtuiError(f"{quoted(text)} is too long for a pattern")
    components = tuple(_component(part, text) for part in text.split("/"))
    names = [name for one in components for name in one.names if name]
    if twice := next((name for name in names if names.count(name) > 1), None):
        raise FwdtuiError(f"{quoted(text)} names {twice} twice")
    if not names:
        raise FwdtuiError(f"{quoted(text)} names no factor: write it as {{image}}.{{config}}.{{af}}")
    return FactorPattern(text, tuple(names), components)


def _component(text: str, whole: str) -> _Component:
    texts = [""]
    names: list[str] = []
    for match in _PART.finditer(text):
        name, star, between, odd = match.groups()
        if odd:
            raise FwdtuiError(f"{quoted(whole)}: unmatched brace")
        if between:
            texts[-1] = clean(between)
            continue
        if names and not texts[-1]:
            before = names[-1] or "*"
            raise FwdtuiError(f"{quoted(whole)}: nothing separates {{{before}}} from what follows it")
        names.append("" if star else factor_name(name))
        texts.append("")
    return _Component(tuple(texts), tuple(names))
