"""An experiment in a process of its own, which kills itself when a given step is in the journal.

killable.py LAB INTO PLAN.json RESUME WHAT DONE TRIAL     (WHAT "": it goes on to its end)
"""

import asyncio
import os
import signal
import sys
from pathlib import Path

import msgspec

from fwdtui.core.experiment import Plan
from fwdtui.monitor.experiment.opening import opened
from fwdtui.monitor.experiment.subject import Subject
from fwdtui.store.experiment_journal import Step
from fwdtui.transport import trusted


async def main(lab: Path, into: Path, plan: Plan, resume: str, what: str, done: str, trial: str) -> int:
    trusted.made(lab.parent)

    def written(step: Step) -> None:
        if step.what == what and step.done == (done == "done") and step.trial == int(trial):
            os.kill(os.getpid(), signal.SIGKILL)

    subject = Subject(lab, plan, "# an experiment\n")
    async with opened(subject, into, "s", resume=resume == "resume", written=written) as (run, _):
        complete = await run.run()
        if run.problem:
            print(run.problem, file=sys.stderr)
    return 0 if complete and not run.in_doubt else 1


def forked(*arguments: object) -> int:
    """How a run in a process of its own ended, as os.waitstatus_to_exitcode gives it."""
    child = os.fork()
    if child:
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    try:
        os._exit(asyncio.run(main(*arguments)))  # type: ignore[arg-type]
    finally:
        import traceback

        traceback.print_exc()
        os._exit(3)


if __name__ == "__main__":
    import platformdirs.unix  # noqa: F401 - what each run would load again for itself

    from fwdtui.core.volatile import is_volatile

    is_volatile("sysctl", "")  # compiles its patterns

    lab, into, plan = sys.argv[1:]
    read = msgspec.json.decode(Path(plan).read_bytes(), type=Plan)
    for line in sys.stdin:
        print(forked(Path(lab), Path(into), read, *line.split()), flush=True)
