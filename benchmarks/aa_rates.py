"""Counts how often an A/A experiment claims a difference: a lab is compared with itself, so a claim is false.

    python benchmarks/aa_rates.py [--draws 1000] [--blocks 10] [--engine 0 [--first 1]]

Two ways, told apart in what is printed:

- *drawn*: a session as the engine would leave it, its values drawn from the noise of the simulated lab
  (labs/simulated/scenario.py: from run to run, and the median over the seconds of a run), and compared as
  `fwdtui report SESSION` does. Some hundred a minute. With --drift the lab also becomes slower meanwhile.
- *measured* (--engine N): the engine itself measures N whole A/A experiments on the simulated lab, with
  blasts of 1.2 s; about a minute for 6 blocks.
"""

import argparse
import asyncio
import statistics
import sys
import tempfile
from collections import Counter
from pathlib import Path

import msgspec

from fwdtui.core.experiment import SEQUENTIAL, Abort, DesignFactor, Experiment, LevelSetup, Plan
from fwdtui.core.experiment.order import AA, aa_plan, plan
from fwdtui.core.lab import Run
from fwdtui.core.model import Case, Iteration, Planned, Session
from fwdtui.labs.simulated import scenario
from fwdtui.labs.simulated.lab import SimulatedLab
from fwdtui.labs.simulated.noise import factor
from fwdtui.labs.simulated.scenario import Noise
from fwdtui.monitor.experiment.opening import opened
from fwdtui.monitor.experiment.subject import Subject
from fwdtui.report.comparison import judge_sides
from fwdtui.report.experiment_view import by_design
from fwdtui.report.factor_view import AS_GIVEN
from fwdtui.report.sides import of_session
from fwdtui.store import read_session

MOST = 0.05
"""The share of A/A experiments that may claim a difference."""
RATE, SECONDS = 6.4e6, 30
NOISE = Noise()


def design(blocks: int) -> Plan:
    """The A/A experiment of an experiment that varies nothing but a name."""
    one = DesignFactor("level", (LevelSetup("a"), LevelSetup("b")))
    run = Run(warmup=0.2, duration=1.2, settle=0.2)
    return aa_plan(
        plan(Experiment("aa", "lab.toml", (one,), blocks=blocks, run=run, abort=Abort()), "a" * 64)
    )


def drawn(aa: Plan, number: int, drift: float, order: str) -> Session:
    """The session of one A/A experiment. `drift`: by how much the lab is slower at the end, as a share."""
    trials = list(aa.trials)
    if order == SEQUENTIAL:
        trials.sort(key=lambda one: (one.cell, one.block))
    found: dict[int, list[Iteration]] = {}
    for place, trial in enumerate(trials):
        seed = f"{number}"
        within = [factor(NOISE.within, seed, "dut", place, second) for second in range(SECONDS)]
        slower = 1.0 - drift * place / (len(trials) - 1)
        value = RATE * slower * factor(NOISE.between, seed, "run", place) * statistics.median(within)
        planned = Planned(aa.digest[:16], place + 1, trial.block, order=order)
        mine = found.setdefault(trial.cell, [])
        mine.append(Iteration(index=len(mine) + 1, value=value, planned=planned, boot="the only one"))
    cases = [Case(cell.name, tuple(found[cell.number]), cell.factors) for cell in aa.cells]
    return Session(f"/nowhere/{number}", "aa", "2026-01-01T00:00:00+00:00", cases=cases)


def verdict(session: Session, aa: Plan) -> str:
    """The report's verdict on A and B at a margin of 0: with a larger one, a false claim is "equivalent"."""
    compared = judge_sides([of_session(session)], margin=0.0, view=by_design(aa, AS_GIVEN), settings=False)
    assert compared.view.by == (AA,)
    (one,) = compared.judged
    return one.comparison.verdict


async def measured(aa: Plan, times: int, first: int) -> Counter[str]:
    """The verdicts on A/A experiments that the engine measures, each on a lab of its own.

    The seed is different each time: with the same seed the lab would draw the same noise again, and all
    experiments would be the same one.
    """
    found: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as folder:
        for number in range(first, first + times):
            healthy = msgspec.structs.replace(scenario.load("healthy"), seed=number)
            async with SimulatedLab(healthy, interval="200ms", wait=0) as lab:
                subject = Subject(lab.lab_toml, aa, "# an A/A experiment\n")
                async with opened(subject, Path(folder), f"s{number}") as (run, _):
                    assert await run.run(), run.problem
            found[verdict(read_session(Path(folder) / f"s{number}"), aa)] += 1
    return found


def told(what: str, found: Counter[str], most: float | None) -> bool:
    """Print a row; returns whether it keeps the promise, allowing for three standard errors of the count."""
    total = found.total()
    claims = found["faster"] + found["slower"]
    error = (MOST * (1.0 - MOST) / total) ** 0.5
    kept = most is None or claims / total <= most + 3.0 * error
    rest = ", ".join(f"{count} {name}" for name, count in sorted(found.items()))
    limit = "a known limit" if most is None else f"at most {most:.0%}{'' if kept else ': BROKEN'}"
    print(
        f"{what}: {claims} of {total} claim a difference ({claims / total:.1%}; {limit}): {rest}", flush=True
    )
    return kept


def main() -> int:
    """Returns 1 if a promise is broken."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--draws", type=int, default=1000)
    parser.add_argument("--blocks", type=int, default=10)
    parser.add_argument("--engine", type=int, default=0, metavar="N", help="also measure N by the engine")
    parser.add_argument("--first", type=int, default=1, metavar="N", help="the seed of the first of them")
    parser.add_argument("--drift", type=float, default=0.008, help="share; default: two standard deviations")
    args = parser.parse_args()
    aa = design(args.blocks)
    kept = True
    if not args.draws and not args.engine:
        parser.error("nothing to count")
    ways = (("no drift", 0.0, "interleaved"), ("drift", args.drift, "interleaved"))
    for what, drift, order in (*ways, ("drift, in sequence", args.drift, SEQUENTIAL)):
        found = Counter(verdict(drawn(aa, number, drift, order), aa) for number in range(args.draws))
        if not found:
            continue
        name = f"drawn, {args.blocks} blocks, {what}"
        kept &= told(name, found, None if order == SEQUENTIAL else MOST)
    if args.engine:
        found = asyncio.run(measured(aa, args.engine, args.first))
        kept &= told(f"measured by the engine, {args.blocks} blocks", found, MOST)
    return 0 if kept else 1


if __name__ == "__main__":
    sys.exit(main())
