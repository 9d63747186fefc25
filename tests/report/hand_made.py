"""Comparisons made by hand, so that what shows them is tried without what computes them."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import mean, median, stdev

from fwdtui.core.model import Caution, Fact, Iteration
from fwdtui.stats.results import Comparison, Description, Difference, Judged, MinistatResult, Plan, ResultSet
from fwdtui.store import SessionWriter
from fwdtui.store.experiment_journal import JOURNAL, JUDGED, PLAN, Step, _line

BASE = (9658584.0, 9909120.0, 9920131.0, 9909500.0, 9905000.0)
FASTER = (10003670.0, 10049670.0, 10047306.0, 10020000.0, 10049000.0)


def described(one: ResultSet) -> Description:
    v = one.values
    if not v:
        return Description(one.label, 0, None, None, None, None, None)
    return Description(
        one.label, len(v), min(v), max(v), median(v), mean(v), stdev(v) if len(v) > 1 else None
    )


def judged(
    case: str = "inet4",
    base: tuple[float, ...] = BASE,
    other: tuple[float, ...] = FASTER,
    *,
    labels: tuple[str, str] = ("r368287", "r368287 with D27401"),
    percent: float | None = 1.77,
    arm: float | None = 1.42,
    verdict: str = "faster",
    needed: int | None = None,
    warnings: tuple[Caution, ...] = (),
    explanation: tuple[str, ...] = (),
    sentence: str = "improved by 1.77 % ± 1.42 %",
    differs: bool | None = True,
    unit: str | None = None,
) -> Judged:
    """One comparison whose verdict and interval are whatever the test says."""
    mine, theirs = ResultSet(labels[0], base), ResultSet(labels[1], other)
    a, b = described(mine), described(theirs)
    absolute = None if a.mean is None or b.mean is None else b.mean - a.mean
    ci = None if percent is None or arm is None else (percent - arm, percent + arm)
    scale = (a.mean or 0) / 100
    difference = Difference(
        absolute, percent, ci and (ci[0] * scale, ci[1] * scale), ci, 95.0, 0.026, 0.052, "Welch's t"
    )
    ministat = MinistatResult(differs, 174548.0, 118475.0, 1.77014, 1.22212, 81233.9)
    plan = None if needed is None else Plan(needed, needed, needed)
    detectable = None if percent is None else 1.9
    comparison = Comparison(
        case,
        a,
        b,
        difference,
        ministat,
        verdict,
        1.0,
        detectable,
        needed,
        warnings,
        to_decide=plan,
        unit=unit,
    )
    return Judged(comparison, mine, theirs, sentence, explanation)


def recorded(
    folder: Path,
    label: str,
    cases: Mapping[str, Sequence[float | Iteration | None]],
    facts: Mapping[str, Fact] | None = None,
    created: str = "2026-01-02T03:04:05+00:00",
) -> Path:
    """A session on disk. None: an iteration that was begun and never committed.

    All attempts of an experiment that have a value were found sound.
    """
    with SessionWriter.create(folder, label=label, created=created, facts=facts) as session:
        for case, iterations in cases.items():
            for one in iterations:
                writer = session.begin(case)
                if isinstance(one, Iteration):
                    writer.commit(one)
                elif one is not None:
                    writer.commit(Iteration(index=0, value=one))
                writer.close()
    made = [one for some in cases.values() for one in some if isinstance(one, Iteration)]
    if planned := [one.planned for one in made if one.planned is not None and one.value is not None]:
        (folder / PLAN).write_text(json.dumps({"digest": planned[0].experiment}))
        judged = [
            Step(n, "", JUDGED, done=True, trial=one.trial, attempt=one.attempt, sound=True)
            for n, one in enumerate(planned, 1)
        ]
        (folder / JOURNAL).write_bytes(b"".join(map(_line, judged)))
    return folder


def value_file(path: Path, values: Sequence[float] = BASE) -> Path:
    """A plain value file in ministat's input format."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(f"{value:g}\n" if value < 1e5 else f"{value:.1f}\n" for value in values))
    return path
