"""An experiment in words: its design, its order, what stopped it, and what a level does on which host."""

from collections.abc import Iterator

from fwdtui.core.experiment import INTERLEAVED, RANDOM, SEQUENTIAL, Hook, LevelSetup, Plan
from fwdtui.core.experiment.model import FIRST_PRECISE, LOOKS, PRECISION
from fwdtui.core.experiment.order import boots, share_boots
from fwdtui.core.text import clean
from fwdtui.core.units import counted
from fwdtui.report.experiment_summary import ExperimentSummary, HookCount
from fwdtui.report.lab_floor import LabFloor
from fwdtui.stats.figures import arm_of, decimals_for, ends, listing
from fwdtui.stats.looks import planned_looks
from fwdtui.store.experiment_journal import JOURNAL
from fwdtui.store.experiment_record import TORN

_SHORT = 60  # characters of a command in a table


def sentence(summary: ExperimentSummary) -> str:
    """``Experiment e: 8 of 8 planned trials measured, 1 attempt without a sound value; interleaved ...``"""
    told = f"Experiment {summary.name}: {trials(summary)}; {order(summary.plan)}. {end(summary)}"
    return f"{told} {bearing(summary)}".rstrip()


def trials(summary: ExperimentSummary) -> str:
    """``8 of 8 planned trials measured, 1 attempt without a sound value``"""
    parts = [f"{summary.done} of {counted(summary.planned, 'planned trial')} measured"]
    if judged := sum(one.judged for one in summary.repeated):
        parts.append(f"{counted(judged, 'attempt')} without a sound value")
    if broken := len(summary.repeated) - judged:
        parts.append(f"{counted(broken, 'attempt')} interrupted")
    if summary.given_up:
        parts.append(f"{counted(len(summary.given_up), 'trial')} given up")
    return ", ".join(parts)


def order(plan: Plan) -> str:
    """How cells follow each other, with the seed if it decides."""
    seed = plan.experiment.seed
    return {
        INTERLEAVED: "interleaved (ABBA: odd blocks forwards, even blocks backwards)",
        RANDOM: f"in random order within each block, seed {seed}",
    }.get(plan.experiment.order, "one cell after another, so that a drift of the lab looks like a difference")


def size(plan: Plan) -> str:
    """``2 cells in 4 blocks: 8 trials``"""
    blocks = len({trial.block for trial in plan.trials})
    each = "" if plan.experiment.iterations == 1 else f", {plan.experiment.iterations} iterations in a row"
    cells, trials = counted(len(plan.cells), "cell"), counted(len(plan.trials), "trial")
    return f"{cells} in {counted(blocks, 'block')}{each}: {trials}"


def rebooted(summary: ExperimentSummary) -> str:
    """How often the DUT was booted, and by which command."""
    planned = boots(summary.plan)
    if not planned and not summary.reboots and not summary.failed_reboots:
        if summary.known_boots > 1:
            several = f"{'at least ' if summary.boots is None else ''}{summary.known_boots} boots"
            return f"none by the experiment, but the DUT has booted: the values come from {several}"
        if summary.boots != 1:
            return "none by the experiment; whether the DUT has booted meanwhile is not known"
        return "none: the DUT was not rebooted, so differences between boots are not measured"
    times = f"{counted(summary.reboots, 'reboot')} of the DUT, {planned} planned"
    if summary.failed_reboots:
        times += f", {summary.failed_reboots} failed"
    where = ["before each cell of each block"] if summary.plan.experiment.reboot else []
    if planned > sum(trial.boot for trial in summary.plan.trials):
        where.append("one to leave the last level")
    return f"{times} ({', '.join(where)})" if where else times


def run_times(plan: Plan) -> str:
    """``warm-up 5 s, measured for 30 s, 10 s of quiet before it``"""
    run = plan.experiment.run
    parts = [f"warm-up {run.warmup:g} s"] if run.warmup else []
    parts.append(f"measured for {run.duration:g} s")
    parts += [f"{run.settle:g} s of quiet before it"] if run.settle else []
    return ", ".join(parts)


def stop_rule(plan: Plan) -> str:
    """When enough was measured."""
    stop = plan.experiment.stop
    if stop.rule == LOOKS:
        blocks = [str(block) for block in planned_looks(plan)]
        return f"planned looks at the data after {listing(blocks)} blocks, which share the error rate"
    if stop.rule == PRECISION and stop.precision is not None:
        looked = f"looked at after block {FIRST_PRECISE} and each later one"
        return f"until every interval is at most ±{stop.precision:g} %, {looked}"
    return "a fixed number of trials"


def repeats(plan: Plan) -> str:
    """What happens to a trial without a sound value."""
    abort = plan.experiment.abort
    return (
        f"a trial has at most {counted(abort.attempts, 'attempt')}; {counted(abort.failed, 'trial')} in a "
        f"row without a sound value, or a boot of more than {abort.boot:g} s, end the experiment"
    )


def end(summary: ExperimentSummary) -> str:
    """Why it ended, in a sentence."""
    if summary.running:
        return "It is being measured."
    if not summary.ended and any(one.startswith(JOURNAL) and one != TORN for one in summary.problems):
        return f"Why it ended is not known, because {JOURNAL} is damaged."
    if not summary.ended:
        return "Why it ended is not recorded: it was interrupted and can be resumed."
    return f"It ended: {summary.ended.removesuffix('.')}."


def floor(known: LabFloor, plan: Plan) -> str:
    """What the lab can prove, as an A/A experiment measured it, and when."""
    of = f"of {known.cell}" if known.same else f"in another experiment, of {known.cell}"
    less = ""
    if plan.experiment.order == SEQUENTIAL:
        less = ", in turns: in sequence less can be proved"
    elif known.same and share_boots(plan):
        less = ", each block on boots of its own: with fewer boots less can be proved"
    when = f"measured {known.measured} (session {known.session}){less}"
    arm = arm_of(known.difference, (known.low, known.high))
    low, high = ends((known.low, known.high), max(decimals_for(arm), 1))
    doubt = f"; its own interval leaves out 0 ({low} to {high} %)"
    odd = known.low > 0.0 or known.high < 0.0
    return f"{known.proves} with a probability of 80 %; A/A {of}, {when}{doubt if odd else ''}"


def bearing(summary: ExperimentSummary) -> str:
    """What it means for an experiment's intervals that a stop rule ended it early; "" if none did.

    The figures are those of benchmarks/design_rates.py, `--table looks`; that an early stop overstates an
    effect: Jennison & Turnbull, "Group Sequential Methods", 2000, section 8.2.
    """
    if summary.stopped_by == PRECISION:
        return (
            "Stopping once the intervals are narrow makes them a little too narrow: 93 to 94 % of them, "
            "instead of 95 %, contain the true value, and up to 7.2 %, instead of 5 %, of the comparisons "
            "without a difference claim one."
        )
    if summary.stopped_by == LOOKS:
        return (
            "Verdicts and intervals are at the confidence of the look that ended it, which keeps the error "
            "of all looks together; a difference that ends a measurement early is on average shown a little "
            "too large."
        )
    return ""


def level(setup: LevelSetup) -> Iterator[tuple[str, str, str, str, str]]:
    """What sets a level, step by step: host, purpose, command, and what goes with it: a word and a text.

    For example ``root@dut``, "verified", ``sysctl -n x``, "prints", ``1``. A part that a step lacks is "".
    """
    for upload in setup.uploads:
        yield upload.host, "copied", upload.source, "to", upload.target
    for action in setup.apply:
        yield action.host, "", action.run, "", ""
    if setup.reboot:
        yield "", "the DUT reboots", "", "", ""
    for check in setup.verify:
        yield check.host, "verified", check.run, "prints", check.expect
    for action in setup.undo:
        yield action.host, "undone", action.run, "", ""
    for restore in setup.restore:
        yield restore.host, "put back", restore.write, "with the value of", restore.read


def short(text: str) -> str:
    """A command in one line of a table, cut if it is too long: such commands are in full below the table."""
    line = " ".join(text.split())
    return line if len(line) <= _SHORT else f"{line[: _SHORT - 1]}…"


def is_short(text: str) -> bool:
    """Whether a table has the command in full."""
    return short(text) == text


def hook(one: HookCount | Hook) -> str:
    """``after each trial on gen``"""
    whole, host = one.whole, one.host if isinstance(one, HookCount) else one.action.host
    when = one.when if not whole else f"{one.when} the experiment"
    return f"{when}{'' if whole else ' each trial'} on {clean(host)}"


def ran(count: HookCount) -> str:
    """``ran 9 times, 1 of them failed``"""
    times = f"ran {counted(count.ran, 'time')}"
    return f"{times}, {count.failed} of them failed" if count.failed else times


def steps(summary: ExperimentSummary) -> Iterator[str]:
    """The journal as text: a line for each record, what a hook printed indented below it."""
    for step in summary.steps:
        where = f"trial {step.trial}, attempt {step.attempt}: " if step.trial else ""
        state = "begins" if not step.done else f"failed: {step.failed}" if step.failed else "done"
        what = f"{step.what} {step.factor}" if step.factor else step.what
        host = f" on {step.host}" if step.host else ""
        boot = f" boot {step.boot}" if step.boot else ""
        first, *rest = step.text.split("\n")
        told = f"; {first}" if first else ""
        yield clean(f"{step.number} {step.when} {where}{what}{host}{boot} {state}{told}")
        yield from (clean(f"    {line}") for line in rest)
