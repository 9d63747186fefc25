"""Which part of a run counts: the steady window, what was left out of it, and what was odd about it.

Nothing within the window is ever removed: an outage in the middle of a run is part of its result and is
flagged. What is left out at both ends is counted and named.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean, median, pstdev

from fwdtui.core.model import Caution, RateSample, Summary, Window

IN_RUN_VARIATION = 0.01
"""Coefficient of variation in a run that is worth a warning. Published runs: median 0.0015, p90 0.0084."""
SHORT_WINDOW = 10
"""Fewer samples than this in the window make its median a weak value."""

_BAND = 0.02  # a sample this near to the level is steady, however small the noise
_BAND_MADS = 5.0  # or within this many scaled median absolute deviations
_RUN_IN = 3  # this many steady samples in a row open (and close) the window
_MAD_TO_SIGMA = 1.4826  # for normal data; Rousseeuw & Croux, JASA 88 (1993)
_OUTAGE = 0.5  # below this share of the level a sample within the window is an outage
_DRIFT = 0.01  # first against last third of the window ...
_DRIFT_ERRORS = 3.0  # ... and this many standard errors of the difference of their medians
_MEDIAN_ERROR = 1.2533  # standard error of a median of normal data, in sigma / sqrt(n): sqrt(pi / 2)


@dataclass(frozen=True, slots=True)
class Steady:
    """`first`..`last` (exclusive) index the samples that count; empty when nothing does."""

    first: int
    last: int
    window: Window
    cautions: tuple[Caution, ...]


def find(samples: Sequence[RateSample]) -> Steady:
    """The steady window of one run.

    The level is the median of the nonzero rates. The window opens at the first of three successive samples
    within max(2 % of the level, 5 scaled MADs) of it and closes after the last such three. The very first
    and very last sample straddle start and stop and never count, unless the run is shorter than five.
    """
    total = len(samples)
    moving = [s.pps for s in samples if s.pps > 0]
    if not moving:
        why = "the log has no rate" if not total else f"all {total} samples are zero"
        caution = Caution("no-traffic", f"Nothing arrived: {why}; repeat this iteration.")
        return Steady(0, 0, Window("steady", None, None, 0, head=total, notes=(f"{why}.",)), (caution,))
    level = median(moving)
    spread = median(abs(rate - level) for rate in moving) * _MAD_TO_SIGMA
    band = max(_BAND * level, _BAND_MADS * spread)
    steady = [abs(s.pps - level) <= band for s in samples]
    low, high = (1, total - 1) if total >= 5 else (0, total)
    run_in = min(_RUN_IN, high - low)
    first = next((i for i in range(low, high - run_in + 1) if all(steady[i : i + run_in])), None)
    if first is None:
        note = "no three successive samples agree: the whole run counts"
        cautions = [Caution("unsteady", f"This run never settles: {note}; look at its series.")]
        first, last, notes = low, high, [note + "."]
    else:
        last = next(i for i in range(high, low + run_in - 1, -1) if all(steady[i - run_in : i]))
        cautions, notes = [], []
    notes += _dropped(samples, first, last, level)
    kept = samples[first:last]
    cautions += _odd(kept, level, offset=first)
    window = Window(
        method="steady",
        start=round(max(kept[0].t - kept[0].interval, 0.0), 6) if first == 0 else samples[first - 1].t,
        end=kept[-1].t,
        kept=len(kept),
        head=first,
        tail=total - last,
        notes=tuple(notes),
    )
    return Steady(first, last, window, tuple(cautions))


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


def _odd(kept: Sequence[RateSample], level: float, offset: int) -> list[Caution]:
    """Warnings about the window itself."""
    cautions = []
    out = [i for i, s in enumerate(kept) if s.pps < level * _OUTAGE]
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
        cautions.append(
            Caution(
                "short-window", f"Only {len(kept)} samples are steady; let the run last longer than a minute."
            )
        )
    rates = [s.pps for s in kept]
    mean = fmean(rates)
    cv = pstdev(rates, mean) / mean if mean > 0 else 0.0
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
        noise = _DRIFT_ERRORS * _MEDIAN_ERROR * pstdev(rates[third:-third]) * (2 / third) ** 0.5
        if abs(end - begin) > max(_DRIFT * level, noise):
            change = (end - begin) / begin * 100
            cautions.append(
                Caution(
                    "in-run-drift",
                    f"The rate moves by {change:+.1f} % from the first to the last third of the run; "
                    "let it warm up longer.",
                )
            )
    return cautions


def summary(rates: Sequence[float]) -> Summary | None:
    """Median (mean of two), mean, min and max of the rates of a window; None when there are none."""
    if not rates:
        return None
    return Summary(
        median=float(median(rates)),
        mean=fmean(rates),
        min=float(min(rates)),
        max=float(max(rates)),
        n=len(rates),
    )
