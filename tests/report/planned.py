"""Sessions of experiments, with a journal, as the engine leaves them; values and times are made by hand."""

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec

from fwdtui.core.experiment import (
    Abort,
    Action,
    Check,
    DesignFactor,
    Experiment,
    LevelSetup,
    Plan,
    Restore,
    Trial,
)
from fwdtui.core.experiment.order import plan
from fwdtui.core.lab import Run
from fwdtui.core.model import Caution, Fact, Iteration, Planned, Summary
from fwdtui.stats.looks import planned_looks
from fwdtui.store import SessionWriter, drop
from fwdtui.store.experiment_journal import Journal, Step

LONG = (
    "nft -f - <<'END'\n"
    + "\n".join(f"add rule inet t c udp dport {port} drop" for port in range(3))
    + "\nEND"
)
NONE = LevelSetup("none")
RULES = LevelSetup(
    "100 rules",
    apply=(Action("root@dut", LONG),),
    verify=(Check("root@dut", "nft list ruleset | grep -c dport", "100"),),
    undo=(Action("root@dut", "nft flush ruleset"),),
)
DIRECT = LevelSetup("direct")
DEFERRED = LevelSetup(
    "deferred",
    apply=(Action("root@dut", "sysctl net.isr.dispatch=deferred"),),
    restore=(Restore("root@dut", "sysctl -n net.isr.dispatch", "sysctl net.isr.dispatch={value}"),),
)
DIGEST = "0123456789abcdef" * 4


def design(
    blocks: int = 4, *, two: bool = False, levels: Sequence[LevelSetup] = (NONE, RULES), **more: Any
) -> Plan:
    """An experiment over rules, or over rules and dispatch. `levels`: of the rules."""
    factors = (DesignFactor("rules", tuple(levels)),)
    factors += (DesignFactor("dispatch", (DIRECT, DEFERRED)),) if two else ()
    more = {"run": Run(warmup=2.0, duration=20.0, settle=5.0), "abort": Abort(attempts=2)} | more
    return plan(Experiment("night", "lab.toml", factors, blocks=blocks, **more), DIGEST)


@dataclass
class Bad:
    """An attempt that does not count. `saved`: as an iteration; `judged` False: it was broken off.

    `codes`: of the iteration's warnings.
    """

    why: str
    saved: bool = True
    judged: bool = True
    dropped: bool = False
    codes: tuple[str, ...] = ()


@dataclass
class Measured:
    """A session of an experiment. `bad`: trial -> attempts before the sound one; `lost`: there is none."""

    plan: Plan
    bad: dict[int, list[Bad]] = field(default_factory=dict)
    lost: tuple[int, ...] = ()
    facts: dict[str, Fact] = field(default_factory=dict)  # of the trials with rules
    before: dict[int, list[Step]] = field(default_factory=dict)  # steps written before a trial
    end: Sequence[Step] = ()
    text: str = 'name = "night"\n'
    created: str = "2026-01-02T03:04:05+00:00"
    lab: dict[str, object] | None = None
    sent: bool = False  # each value is all that was offered
    seen: tuple[int, ...] = ()  # trials in whose sound attempt the DUT's output was measured, too
    boots: Sequence[str] = ()  # of each trial, "": not known; empty: each cell has its own in each block
    noise: float = 0.0  # what the number of a trial adds to its value, besides what all have

    def write(self, folder: Path) -> Path:
        """Write the session. The journal's clock is a second a step."""
        with SessionWriter.create(
            folder,
            label="night",
            created=self.created,
            lab=self.lab,
            facts={"dut.kernel": "6.1"},
            case_factors={cell.name: cell.factors for cell in self.plan.cells},
        ) as session:
            journal = Journal.begin(folder, self.plan, self.text)
            seconds = itertools.count(1)
            journal.now = lambda: f"2026-01-02T03:{(n := next(seconds)) // 60:02d}:{n % 60:02d}+00:00"
            self._write(session, journal, folder)
            journal.close()
        return folder

    def _write(self, session: SessionWriter, journal: Journal, folder: Path) -> None:
        journal.write(step("begun", done=True))
        for trial in self.plan.trials:
            for one in self.before.get(trial.number, ()):
                journal.write(one)
            cell = self.plan.cells[trial.cell]
            attempts = self.bad.get(trial.number, [])
            for number, bad in enumerate(attempts, 1):
                where = {"trial": trial.number, "attempt": number}
                planned = self._planned(trial, number)
                journal.write(step("tools", **where))
                if bad.saved:
                    value = 1.0 if bad.dropped else None
                    why = "" if bad.dropped else bad.why
                    index = self._save(session, cell, planned, value, why, bad.codes)
                    if bad.dropped:
                        drop(folder, cell.name, index, bad.why)
                if bad.judged:
                    journal.write(step("judged", done=True, text=bad.why, **where))
            if trial.number in self.lost:
                continue
            where = {"trial": trial.number, "attempt": len(attempts) + 1}
            planned = self._planned(trial, where["attempt"])
            value = 1e6 * (0.9 if cell.levels.get("rules") else 1.0) + 100.0 * (trial.number % 5)
            value += self.noise * (trial.number * trial.number % 7)
            self._save(session, cell, planned, value)
            journal.write(step("judged", done=True, sound=True, **where))
        for one in self.end:
            journal.write(one)

    def _planned(self, trial: Trial, attempt: int) -> Planned:
        order, looks = self.plan.experiment.order, planned_looks(self.plan)
        return Planned(self.plan.digest[:16], trial.number, trial.block, attempt, order, looks=looks)

    def _save(
        self,
        session: SessionWriter,
        cell: Any,
        planned: Planned,
        value: float | None,
        why: str = "",
        codes: Sequence[str] = (),
    ) -> int:
        writer = session.begin(cell.name)
        warnings = tuple(Caution(code, "It is spoilt.") for code in codes)
        boot = self.boots[planned.trial - 1] if self.boots else f"boot-{planned.block}-{cell.number}"
        one = Iteration(0, value, planned=planned, boot=boot, warnings=warnings)
        if value is not None:
            rate = Summary(value, value, value, value, 20)
            known = {"offered": self.sent, "forwarded": planned.trial in self.seen and not codes}
            one = msgspec.structs.replace(one, metrics={name: rate for name, yes in known.items() if yes})
        one = msgspec.structs.replace(
            one, incomplete=why, complete=not why, facts=self.facts if cell.levels.get("rules") else {}
        )
        writer.commit(one)
        writer.close()
        return writer.index


def step(what: str, **more: Any) -> Step:
    """A step, not yet numbered."""
    return Step(0, "", what, **more)
