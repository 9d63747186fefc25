"""`fwdtui experiment FILE --headless`: progress on stderr; for programs a line of JSON per step on stdout.

Exit status: 0, all trials have a sound value, or a planned look decided the experiment; 1, trials are
missing, something could not be undone or saved, or it is in doubt whether it is undone; 2, an error before
anything was measured; 128 plus the number of the signal that ended it. A signal ends the current blast, which
does not count, and undoes what is in force on the hosts; a second signal leaves less time for that.
"""

import asyncio
import contextlib
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from fwdtui.cli.detached import draw, ending, tell
from fwdtui.cli.experiment_look import look
from fwdtui.cli.parting import following
from fwdtui.cli.progress import in_one_line
from fwdtui.collectors.experiment_file import ReadExperiment
from fwdtui.core.errors import FwdtuiError
from fwdtui.core.event_text import OF_TROUBLE, told
from fwdtui.core.experiment.order import aa_plan
from fwdtui.core.model import EventSample, Sample
from fwdtui.core.units import counted, pps
from fwdtui.monitor.experiment.opening import find_begun, new_name, opened
from fwdtui.monitor.experiment.run import ExperimentRun
from fwdtui.monitor.experiment.subject import Subject
from fwdtui.monitor.run.waiting import Waiter
from fwdtui.store.experiment_journal import Step

if TYPE_CHECKING:
    from fwdtui.stats.aa import Floor

_REPORT = 60.0  # seconds between lines of progress if stderr is not a terminal
_TWICE = 0.5  # seconds in which a second signal is the same one: a terminal's signal may reach us twice


def run(
    read: ReadExperiment,
    into: Path,
    session: str | None = None,
    resume: bool = False,
    aa: bool = False,
    json_lines: bool = False,
) -> int:
    """Run the experiment to its end; returns the exit status. Raises FwdtuiError before anything is measured.

    `session`: None is a new name, or with `resume` the newest session that was begun with this file.
    """
    plan = aa_plan(read.plan) if aa else read.plan
    uploads = {source: file.content for source, file in read.uploads.items()}
    subject = Subject(read.lab_path, plan, read.text, uploads, read.lab)
    if session is None:
        session = find_begun(into, subject, tell) if resume else new_name(subject)
    return asyncio.run(_run(subject, into, session, resume, aa, json_lines))


async def _run(
    subject: Subject,
    into: Path,
    session: str,
    resume: bool,
    aa: bool,
    json_lines: bool,
) -> int:
    headless = _Headless(json_lines)
    async with opened(
        subject,
        into,
        session,
        resume=resume,
        looker=look,
        say=headless.say,
        watchers=[headless.sample],
        tick=headless.tick,
        written=headless.step,
    ) as (experiment, waiter):
        headless.begin(experiment, waiter)
        complete = await experiment.run()
        headless.tick()
        recorder = experiment.recorder
    unsaved, left = recorder.unsaved_text, waiter.bench.left
    headless.say(*left)  # printed before the result, which may have no reader
    headless.end(complete, unsaved, str(recorder.folder), aa)
    if headless.signals:
        return 128 + headless.signals[0]
    return 0 if complete and not (unsaved or left or experiment.in_doubt) else 1


class _Headless:
    """Prints the progress of one experiment, and passes signals on to it."""

    def __init__(self, json_lines: bool) -> None:
        self.signals: list[int] = []
        self._json = json_lines
        self._experiment: ExperimentRun | None = None
        self._waiter: Waiter | None = None
        self._terminal = sys.stderr.isatty()
        self._drawn = False
        self._next = time.monotonic() + _REPORT
        self._first_signal = 0.0

    def begin(self, experiment: ExperimentRun, waiter: Waiter) -> None:
        """Says what begins. From now on signals are passed on."""
        self._experiment, self._waiter = experiment, waiter
        loop = asyncio.get_running_loop()
        for number in ending():
            loop.add_signal_handler(number, self._signalled, number)
        view = experiment.view
        what = f"{counted(view.planned, 'trial')} of {counted(len(view.cells), 'cell')}"
        self.say(
            f"recording {experiment.recorder.folder}: {what}, {view.done} of them done, about"
            f" {_duration(view.left or 0.0)}"
        )

    def _signalled(self, number: int) -> None:
        assert self._experiment is not None and self._waiter is not None
        now = time.monotonic()
        if not self.signals:
            self.say("stopping: undoing the changes on the hosts; interrupt again to stop waiting")
            self._first_signal = now
        elif now - self._first_signal > _TWICE:
            self._experiment.hands.hurry.set()
        self.signals.append(number)
        self._waiter.stop.set()

    def sample(self, sample: Sample) -> None:
        """Prints events that bear on the values."""
        if isinstance(sample, EventSample) and sample.code in OF_TROUBLE:
            self.say(f"{sample.at:8.1f} s  {told(sample)}")

    def step(self, step: Step) -> None:
        """Prints a step that has been written to the journal, with --json."""
        if self._json:
            with contextlib.suppress(OSError):  # a missing reader must not leave levels in force on the hosts
                self._print(msgspec.to_builtins(step))

    def tick(self) -> None:
        """Draws the line of progress: each time on a terminal, else once in a while."""
        if self._experiment is None:
            return
        if not self._terminal and time.monotonic() < self._next:
            return
        self._next = time.monotonic() + _REPORT
        view = self._experiment.view
        left = "" if view.left is None else f" · {_duration(view.left)} left"
        cell = next((cell.name for cell in view.cells if cell.running), "")
        text = f"{view.done}/{view.planned} trials · {cell} · {view.doing}{left}".replace(" ·  · ", " · ")
        if self._terminal:
            draw(f"\r\x1b[K{in_one_line(text)}")
            self._drawn = True
        else:
            tell(text)

    def say(self, *lines: str) -> None:
        """Prints lines of progress on stderr."""
        if self._drawn:
            draw("\r\x1b[K")
            self._drawn = False
        tell(*lines)

    def end(self, complete: bool, unsaved: str, folder: str, aa: bool) -> None:
        """Prints the results."""
        assert self._experiment is not None
        view = self._experiment.view
        for cell in view.cells:
            mean = "no value" if cell.mean is None else f"mean {pps(cell.mean)}"
            more = [f"{cell.repeated} repeated"] * (cell.repeated > 0) + [f"{cell.failed} given up"] * (
                cell.failed > 0
            )
            done = f"{cell.done} of {counted(cell.planned, 'trial')}"
            self.say("  ".join([f"{cell.name}: {done}", mean, *more]))
        floor, said = self._floor() if aa else (None, "")
        if aa:
            self.say(said)
        doubt = (
            f"in doubt whether undone: {', '.join(view.in_doubt)}; check the hosts" if view.in_doubt else ""
        )
        for text in (view.decided, view.problem, doubt, unsaved):
            if text:
                self.say(text)
        if not complete and not view.problem:
            self.say(f"{view.done} of {view.planned} trials are done; continue with --resume")
        if self._json:
            self._print(
                {
                    "kind": "result",
                    "complete": complete,
                    "session": folder,
                    "problem": view.problem,
                    "in_doubt": view.in_doubt,
                    "decided": view.decided,
                    "unsaved": unsaved,
                    "cells": [{**msgspec.to_builtins(cell), "mean": cell.mean} for cell in view.cells],
                    **({"floor": msgspec.to_builtins(floor)} if floor else {}),
                }
            )
        # else what comes next is --resume, or a look at the hosts or the disk: lines above say so
        if complete and not (unsaved or doubt) and (then := following(Path(folder))):
            self.say(then)

    def _floor(self) -> "tuple[Floor | None, str]":
        """The lab's floor (None: there is none), and a sentence about it or about why there is none."""
        from fwdtui.report.lab_floor import own_floor  # late: loads scipy
        from fwdtui.store import read_session

        assert self._experiment is not None
        try:
            return own_floor(read_session(self._experiment.recorder.folder), self._experiment.plan)
        except FwdtuiError as error:
            return None, f"the lab's floor is not known: {error}"

    def _print(self, record: object) -> None:
        print(msgspec.json.encode(record).decode(), flush=True)


def _duration(seconds: float) -> str:
    if seconds < 90.0:
        return f"{max(round(seconds), 0)} s"
    minutes = round(seconds / 60.0)
    return f"{minutes} min" if minutes < 90 else f"{minutes // 60} h {minutes % 60:02d} min"
