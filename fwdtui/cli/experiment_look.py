"""What an experiment that is being measured does at a look: it asks its own report for verdicts."""

from pathlib import Path

from fwdtui.core.errors import FwdtuiError
from fwdtui.core.experiment import Plan
from fwdtui.monitor.experiment.looks import Look


def look(plan: Plan, folder: Path, block: int, number: int) -> Look:
    """See `monitor.experiment.looks.Looker`. Reads the session, and loads scipy."""
    from fwdtui.report.looking import look_now
    from fwdtui.store import read_session

    try:
        decision = look_now(read_session(folder), plan, block, number)
    except (FwdtuiError, OSError) as error:  # the recording is kept, and measuring goes on
        return Look(False, f"Nothing is decided: {error}.", failed=True)
    return Look(decision.ends, decision.reason)
