"""Which part of a run counts: the window of the traffic, what was left out of it, and what was odd about it.

The traffic decides, not its level: everything counts from when the generator was certainly sending to when it
stopped, except a run-in of at most three samples. So a level that changes, or an outage, is part of the
result wherever in the run it is, and is reported. What is left out at both ends is counted and named.
"""

from collections.abc import Sequence
from statistics import fmean, median, pstdev

import msgspec

from fwdtui.core import shift
from fwdtui.core.interval import SLACK
from fwdtui.core.model import Caution, RateSample, Summary, Window
from fwdtui.core.noise import MAD_TO_SIGMA, around_line, median_error
from fwdtui.core.units import counted, pps

IN_RUN_VARIATION = 0.01
"""Coefficient of variation in a run that is worth a warning. Published runs: median 0.0015, p90 0.0084."""
MEAN_CODE = "mean-differs"
MEAN_DIFFERS = 0.01
"""A larger difference between the mean of the whole run and the median of its window is reported."""
SHORT_WINDOW = 10
"""Fewer samples than this in the window make its median a weak value."""
RUN_IN = 3
"""At most this many samples are left out at an end because of their rates."""
OUTAGE = 0.5
"""A sample within the window below this share of the level is an outage."""
TOO_SHORT = 5
"""A run with fewer samples than this has none to leave out."""
CHATTER = 0.001
"""Share of the highest rate: up to this, a link's own packets before and after a run are not traffic."""

_BAND = 0.02  # a sample this near to the level is steady, however small the noise
_BAND_MADS = 5.0  # or within this many scaled median absolute deviations
_SETTLED = 3  # this many steady samples in a row end the run-in
_DRIFT = 0.01  # how far apart the first and the last third of the window must be, as a share of the level ...
# ... and how many standard errors apart: the first number plus the second divided by the number of samples
_DRIFT_ERRORS = 4.0, 60.0
_MEAN_ERRORS = 3.0  # standard errors by which mean and median of a run may differ by chance
_MEAN_ALWAYS = 0.03  # a larger difference is reported however noisy the run is
_MEAN_TO_MEDIAN = 0.7555  # that standard error for normal data, in sigma / sqrt(n): sqrt(pi / 2 - 1)


class Steady(msgspec.Struct, frozen=True):
    """`first`..`last` (exclusive) index the samples that count; an empty range if none do.

    `run`: the same range for the whole run, with the run-in.
    """

    first: int
    last: int
    window: Window
    cautions: tuple[Caution, ...]
    run: tuple[int, int] = (0, 0)


def find(samples: Sequence[RateSample], sent: tuple[float, float] | None = None) -> Steady:
    """The window of one run.

    `sent`: when the generator was certainly sending (start, stop), on the samples' own axis. The whole
    samples within it count. If it is unknown, the samples between the first and the last one above the
    link's background traffic count, without these two, which straddle start and stop. A run-in of at most
    three samples (without `sent` also an odd end) is left out if the window's level follows it immediately.
    """
    total = len(samples)
    rates = [sample.pps for sample in samples]
    least = CHATTER * max(rates, default=0.0)
    moving = [i for i, rate in enumerate(rates) if rate > least]
    if not moving:
        return nothing("the log has no rate" if not total else f"all {total} samples are zero", total)
    low, high = _within(samples, sent) if sent else (0, 0)
    told = high - low >= TOO_SHORT
    if not told:
        low, high = moving[0], moving[-1] + 1
        if high - low >= TOO_SHORT:
            low, high = low + 1, high - 1
    level, steady = _steady(rates[low:high])
    first = low + _run_in(steady, RUN_IN if told else RUN_IN - 1)
    last = high if told else high - _run_in(steady[::-1], RUN_IN - 1)
    kept = samples[first:last]
    cautions = []
    if not any(all(steady[i : i + _SETTLED]) for i in range(max(len(steady) - _SETTLED + 1, 1))):
        text = "This run never settles: no three successive samples agree; look at its series."
        cautions.append(Caution("unsteady", text))
    cautions += _odd(kept, rates[first:last], level, offset=first)
    cautions += mean_differs(samples[low:high], rates[first:last])
    window = Window(
        method="steady",
        start=round(max(kept[0].t - kept[0].interval, 0.0), 6) if first == 0 else samples[first - 1].t,
        end=kept[-1].t,
        kept=len(kept),
        head=first,
        tail=total - last,
        notes=tuple(_dropped(samples, first, last, level)),
    )
    return Steady(first, last, window, tuple(cautions), (low, high))


def nothing(why: str, total: int) -> Steady:
    """The result for a run in which no traffic arrived; `why` without a full stop."""
    caution = Caution("no-traffic", f"Nothing arrived: {why}; repeat this iteration.")
    return Steady(0, 0, Window("steady", None, None, 0, head=total, notes=(f"{why}.",)), (caution,))


def _within(samples: Sequence[RateSample], sent: tuple[float, float]) -> tuple[int, int]:
    """The samples that lie completely within `sent`: the index of the first, and that after the last."""
    start, stop = sent
    low = sum([s.t - s.interval < start - SLACK * s.interval for s in samples])
    return low, len(samples) - sum([s.t > stop + SLACK * s.interval for s in samples])


def _steady(rates: Sequence[float]) -> tuple[float, list[bool]]:
    """The level (the median of the nonzero rates), and which rates are near it."""
    moving = [rate for rate in rates if rate > 0]
    level = median(moving) if moving else 0.0
    spread = median([abs(rate - level) for rate in moving]) * MAD_TO_SIGMA if moving else 0.0
    band = max(_BAND * level, _BAND_MADS * spread)
    return level, [abs(rate - level) <= band for rate in rates]


def _run_in(steady: Sequence[bool], most: int) -> int:
    """How many samples come before the level at this end; 0 if there are more than `most`."""
    for count in range(min(most, len(steady) - _SETTLED) + 1):
        if all(steady[count : count + _SETTLED]):
            return count
    return 0


def _dropped(samples: Sequence[RateSample], first: int, last: int, level: float) -> list[str]:
    notes = []
    if first:
        zeros = sum(s.pps == 0 for s in samples[:first])
        ramp = sum(0 < s.pps < level * (1 - _BAND) for s in samples[:first])
        what = [f"{zeros} of them zero" if zeros else "", f"{ramp} below the level" if ramp else ""]
        notes.append(_sentence(f"{first} leading sample{'s' * (first > 1)} dropped", what, "start-up"))
    if tail := len(samples) - last:
        partial = samples[-1].pps < level * (1 - _BAND)
        what = [f"the last one partial at {samples[-1].pps:.0f} pps" if partial else ""]
        notes.append(_sentence(f"{tail} trailing sample{'s' * (tail > 1)} dropped", what, "stop"))
    return notes


def _sentence(begin: str, parts: list[str], reason: str) -> str:
    inner = ", ".join(part for part in parts if part)
    return f"{begin} ({reason}{': ' + inner if inner else ''})."


def _odd(kept: Sequence[RateSample], rates: Sequence[float], level: float, offset: int) -> list[Caution]:
    """Warnings about the window itself; `rates` are those of the samples in it."""
    cautions = []
    outage = level * OUTAGE
    out = [i for i, rate in enumerate(rates) if rate < outage]
    if out:
        seconds = sum(kept[i].interval for i in out)
        cautions.append(
            Caution(
                "outage",
                f"The rate fell below half of its level for {seconds:.1f} s (first at sample "
                f"{offset + out[0] + 1}); find out why before you trust this iteration.",
            )
        )
    if len(kept) < SHORT_WINDOW:
        are = "is" if len(kept) == 1 else "are"
        cautions.append(
            Caution(
                "short-window",
                f"Only {counted(len(kept), 'sample')} {are} steady, fewer than {SHORT_WINDOW}; "
                "let the run last longer.",
            )
        )
    if not out and (moved := shift.find(rates)):
        cautions.append(_level_shift(kept, moved))
    elif not out and (levels := shift.several(rates)):
        cautions.append(_levels(*levels))
    mean = fmean(rates)
    # pstdev computes in fractions, which takes as long as all the rest: only if its result may be reported
    rough = (sum([(rate - mean) * (rate - mean) for rate in rates]) / len(rates)) ** 0.5
    cv = pstdev(rates, mean) / mean if rough > 0.99 * IN_RUN_VARIATION * mean > 0 else 0.0
    if cv > IN_RUN_VARIATION and not out:
        cautions.append(
            Caution(
                "in-run-variation",
                f"The rate varies by {cv * 100:.1f} % within the run (quiet runs stay below 1 %); "
                "look at its series.",
            )
        )
    third = len(rates) // 3
    if third >= 5 and not out:
        begin, end = median(rates[:third]), median(rates[-third:])
        errors = _DRIFT_ERRORS[0] + _DRIFT_ERRORS[1] / len(rates)
        apart = abs(end - begin)
        if apart > _DRIFT * level and apart > errors * median_error(around_line(rates), third, third):
            change = (end - begin) / begin * 100
            cautions.append(
                Caution(
                    "in-run-drift",
                    f"The rate moves by {_signed(change)} % from the first to the last third of the run; "
                    "let it warm up longer.",
                )
            )
    return cautions


def _level_shift(kept: Sequence[RateSample], moved: shift.Shift) -> Caution:
    """The warning about a run with two levels. The one that lasted longer counts as the usual one.

    The other is reported with its length. If both lasted for half of the run, neither is the usual one.
    """
    ours = range(moved.first, moved.last)
    if 2 * len(ours) > len(kept):
        stretch = [s for i, s in enumerate(kept) if i not in ours]
        there, elsewhere = moved.elsewhere, moved.there
    else:
        stretch, there, elsewhere = list(kept[moved.first : moved.last]), moved.there, moved.elsewhere
    follows = "follows the level that lasted longer"
    if 2 * len(ours) == len(kept):
        follows = "lies between the two"
    text = (
        f"The level changes within the run: {pps(there)} for {sum(s.interval for s in stretch):.1f} s, "
        f"{pps(elsewhere)} for the rest ({_signed((there - elsewhere) / elsewhere * 100)} %); the median "
        f"{follows}, so find out why before you trust this iteration."
    )
    return Caution("level-shift", text)


def _levels(low: float, high: float) -> Caution:
    text = (
        f"The level changes more than once within the run, between {pps(low)} and {pps(high)} "
        f"({_signed((low - high) / high * 100)} %); the median depends on how long each of them lasted, so "
        "find out why before you trust this iteration."
    )
    return Caution("level-shift", text)


def _signed(percent: float) -> str:
    """A percentage with its sign, and with a real minus sign, as in the tables."""
    return f"{percent:+.1f}".replace("-", "−")


def mean_differs(whole: Sequence[RateSample], rates: Sequence[float]) -> list[Caution]:
    """A warning if the mean of the `whole` run differs from the median of `rates`, those of its window.

    Then part of the run was at another rate, or the run-in was slow. An empty list if they agree.
    """
    mean = sum([s.pps * s.interval for s in whole]) / sum([s.interval for s in whole])
    middle = median(rates)
    if abs(mean - middle) <= MEAN_DIFFERS * middle:
        return []
    # if most samples are noisy, mean and median differ by chance; a part at another rate leaves the median
    # absolute deviation unchanged
    noise = MAD_TO_SIGMA * median([abs(rate - middle) for rate in rates]) / len(rates) ** 0.5
    if abs(mean - middle) <= min(_MEAN_ERRORS * _MEAN_TO_MEDIAN * noise, _MEAN_ALWAYS * middle):
        return []
    apart = f"{abs(mean - middle) / middle * 100:.1f} % " if middle > 0 else ""
    text = (
        f"The mean of the whole run, {pps(mean)}, is {apart}{'below' if mean < middle else 'above'} the "
        f"median of its window, {pps(middle)}: the value hides a part of this run; look at its series."
    )
    return [Caution(MEAN_CODE, text)]


def summary(rates: Sequence[float]) -> Summary | None:
    """Median (mean of the middle two), mean, min and max of a window's rates; None if there are none."""
    if not rates:
        return None
    return Summary(
        median=float(median(rates)),
        mean=fmean(rates),
        min=float(min(rates)),
        max=float(max(rates)),
        n=len(rates),
    )
