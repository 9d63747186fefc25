"""What a user wants to compare by factors: the options that compare, report and the app have in common."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from fwdtui.core.errors import FwdtuiError
from fwdtui.core.factors import Level, factor_name, level, natural
from fwdtui.core.units import quoted

Pairs = tuple[tuple[str, str], ...]
Identity = tuple[str, float | str]
Rank = tuple[tuple[int, tuple[int, str, float, tuple[tuple[int, int, str], ...]]], ...]


@dataclass(frozen=True, slots=True)
class FactorView:
    """What a user wants to compare, and how it is shown.

    `by`: the factors compared; empty: sessions are compared as they are, but only the iterations that the
    filters leave. `within` None: every other factor that varies. `baseline` and `filters`: factor and value;
    if one factor is filtered by several values, an iteration must have one of them. `order` and `labels` are
    about levels: values in the order wanted, and value and text. `metric` is what the values are; "": the
    rate.
    """

    by: tuple[str, ...] = ()
    within: tuple[str, ...] | None = None
    baseline: Pairs = ()
    filters: Pairs = ()
    order: tuple[str, ...] = ()
    labels: Pairs = ()
    metric: str = ""

    def options(self) -> Iterator[str]:
        """The arguments of the command line that ask for this."""
        if self.by:
            yield from ("--by", ",".join(self.by))
        if self.within is not None:
            yield from ("--within", ",".join(self.within))
        for option, pairs in (("--baseline", self.baseline), ("--filter", self.filters)):
            for name, value in pairs:
                yield from (option, f"{name}={value}")
        if self.order:
            yield f"--order={','.join(self.order)}"
        if self.metric:
            yield from ("--metric", self.metric)
        for value, text in self.labels:
            yield f"--label={value}={text}"

    def only(self) -> str:
        """``frame_size=64, af=inet4 or inet6``: what the filters leave; "" if there are none."""
        values: dict[str, list[str]] = {}
        for name, value in self.filters:
            values.setdefault(name, []).append(value)
        return ", ".join(f"{name}={' or '.join(given)}" for name, given in values.items())


AS_GIVEN = FactorView()
"""Sessions as they are, case by case."""


def names(texts: Iterable[str], option: str) -> tuple[str, ...]:
    """``"config,af"``, ``"queues"`` -> names of factors, each once.

    Raises FwdtuiError that names the `option` if one is not a valid name.
    """
    parts = [part for text in texts for part in text.split(",") if part.strip()]
    try:
        return tuple(dict.fromkeys(map(factor_name, parts)))
    except FwdtuiError as error:
        raise FwdtuiError(f"{option}: {error}") from None


class LevelTexts:
    """What the levels of the factors that are compared and varied are called, and their order."""

    def __init__(
        self, view: FactorView, levels: Mapping[str, Iterable[Level]], *, strict: bool = True
    ) -> None:
        """`levels`: every level of each of these factors.

        Raises FwdtuiError if the view names any other; not if `strict` is False, as it was checked before.
        """
        known = {name: {one.identity: one for one in those} for name, those in levels.items()}
        self._texts: dict[tuple[str, Identity], str] = {}
        self._places: dict[tuple[str, Identity], int] = {}
        for value, text in view.labels:
            for key in _matching(known, value, "--label" if strict else ""):
                self._texts[key] = self._unlike_others(text, key, known[key[0]])
        for place, value in enumerate(view.order):
            for key in _matching(known, value, "--order" if strict else ""):
                self._places.setdefault(key, place)
        self._called = {
            name: Counter(self.label(name, one) for one in levels.values()) for name, levels in known.items()
        }

    @staticmethod
    def _unlike_others(text: str, key: tuple[str, Identity], levels: Mapping[Identity, Level]) -> str:
        """The user's text for a level, with the level itself if the text means another one: 64 called 128."""
        name, own = key
        meant = level(name, text).identity
        return f"{text} ({name}={levels[own].shown})" if meant != own and meant in levels else text

    def ordered(self, name: str) -> bool:
        """Whether the user has given an order for levels of this factor."""
        return any(of == name for of, _ in self._places)

    def rank(self, levels: Mapping[str, Level]) -> Rank:
        """A key to sort combinations of levels by: first as the user wants them, then in natural order."""
        last = len(self._places)
        places = [self._places.get((name, one.identity), last) for name, one in levels.items()]
        return tuple(zip(places, map(natural, levels.values()), strict=True))

    def label(self, name: str, one: Level) -> str:
        """A level as it is shown: the user's text for it, else its own."""
        return self._texts.get((name, one.identity), one.shown)

    def apart(self, name: str, one: Level) -> str:
        """A level as it is shown, with the level itself if another one has the same text."""
        text = self.label(name, one)
        return f"{text} ({name}={one.shown})" if self._called.get(name, Counter())[text] > 1 else text

    def in_words(self, name: str, one: Level) -> str:
        """A level that says what it is: a bare number with its factor, ``queues=4``."""
        text = self._texts.get((name, one.identity))
        if text is not None or one.number is None or one.unit:
            return text or one.shown
        return f"{name}={one.shown}"

    def words_apart(self, name: str, one: Level) -> str:
        """As `in_words`, but different from the text of every other level of the factor."""
        apart = self.apart(name, one)
        return self.in_words(name, one) if apart == self.label(name, one) else apart

    def joined(self, levels: Mapping[str, Level]) -> str:
        """``txabdicate_off inet4``: a combination of levels, as a name."""
        return " ".join(self.in_words(name, one) for name, one in levels.items())


def _matching(
    known: Mapping[str, Mapping[Identity, Level]], value: str, option: str
) -> list[tuple[str, Identity]]:
    """The factors that have this level. Raises FwdtuiError if none has, unless `option` is empty."""
    wanted = {name: level(name, value).identity for name in known}
    fitting = [(name, identity) for name, identity in wanted.items() if identity in known[name]]
    if not fitting and option:
        there = [
            f"{name}: {', '.join(one.shown for one in sorted(levels.values(), key=natural))}"
            for name, levels in known.items()
        ]
        raise FwdtuiError(f"{option}: no level is {quoted(value)}; there are {'; '.join(there)}")
    return fitting
