"""ministat's whole output, character for character."""

from collections.abc import Callable, Iterator, Sequence

from fwdtui.core.errors import FwdtuiError
from fwdtui.stats.ministat.inputs import FLAVOURS, MOST_SETS, SYMBOLS, MinistatOptions, NamedSet
from fwdtui.stats.ministat.plot import plot
from fwdtui.stats.ministat.t_test import TTest, t_test
from fwdtui.stats.ministat.tables import CONFIDENCES
from fwdtui.stats.ministat.vitals import Vitals, vitals

Write = Callable[[str], object]

WIDEST = 1_000_000
_HEAD = "    N           Min           Max        Median           Avg        Stddev\n"


def render(sets: Sequence[NamedSet], options: MinistatOptions, write: Write) -> None:
    """Write what ministat prints for 1 to 7 sets, the first of them the baseline.

    Raises FwdtuiError, before anything is written, where ministat refuses or misbehaves.
    """
    check(options, len(sets))
    render_vitals([vitals(one, options.flavour) for one in sets], options, write)


def block(sets: Sequence[NamedSet], options: MinistatOptions | None = None) -> str:
    """What render writes, as one string."""
    parts: list[str] = []
    render(sets, options or MinistatOptions(), parts.append)
    return "".join(parts)


def check(options: MinistatOptions, sets: int) -> None:
    """Raise FwdtuiError for options, or a number of sets, that ministat does not take."""
    if options.flavour not in FLAVOURS:
        raise FwdtuiError(f"no ministat flavour {options.flavour!r}; there are {', '.join(FLAVOURS)}")
    if options.confidence not in CONFIDENCES:
        levels = ", ".join(f"{level:g}" for level in CONFIDENCES)
        raise FwdtuiError(
            f"ministat has no confidence level {options.confidence:g}; it has {levels} (percent)"
        )
    if not 2 <= options.width <= WIDEST:
        raise FwdtuiError(f"a plot cannot be {options.width} characters wide: 2 to {WIDEST}")
    if not 1 <= sets <= MOST_SETS:
        raise FwdtuiError(f"ministat takes 1 to {MOST_SETS} sets, not {sets}")


def render_vitals(sets: Sequence[Vitals], options: MinistatOptions, write: Write) -> None:
    """As render, for sets whose vitals are known; `options` and the number of sets have been checked."""
    kind = FLAVOURS[options.flavour]
    drawn: Iterator[str] = iter(())
    first = ""
    if options.plot and options.relative:
        drawn = plot(sets, options.width, separate_bars=options.separate_bars)
        first = next(drawn)  # raises, before anything is printed, if the sets cannot be plotted
    if not options.quiet:
        write("".join(f"{SYMBOLS[number]} {one.name}\n" for number, one in enumerate(sets, 1)))
    write(first)
    for chunk in drawn:
        write(chunk)
    lines = [] if options.quiet else [_HEAD]
    for number, one in enumerate(sets, 1):
        lines.append(_row(SYMBOLS[number], one, kind.nan))
        if number > 1 and options.relative:
            lines.append(_words(t_test(sets[0], one, options.confidence, options.flavour), options, kind.nan))
    write("".join(lines))


def _row(symbol: str, one: Vitals, nan: str) -> str:
    figures = (one.minimum, one.maximum, one.median, one.mean, one.stddev)
    shown = "".join(f" {_shown('%.8g', figure, nan):>13}" for figure in figures)
    return f"{symbol} {one.n:3d}{shown}\n"


def _words(result: TTest, options: MinistatOptions, nan: str) -> str:
    if not result.differs:
        return f"No difference proven at {options.confidence:.1f}% confidence\n"
    absolute, error, percent, percent_error, pooled = (_shown("%g", number, nan) for number in result[1:])
    return (
        f"Difference at {options.confidence:.1f}% confidence\n"
        f"\t{absolute} +/- {error}\n"
        f"\t{percent}% +/- {percent_error}%\n"
        f"\t(Student's t, pooled s = {pooled})\n"
    )


def _shown(form: str, number: float, nan: str) -> str:
    return form % number if number == number else nan
