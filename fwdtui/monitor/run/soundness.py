"""What becomes of an iteration that turns out not to count: all that was seen stays, with the reason."""

import msgspec

from fwdtui.core.model import Caution, Iteration
from fwdtui.monitor.run.recorder import Recorder

NOT_SOUND = "not-sound"
"""The code of the warning that says why an iteration does not count."""


def spoilt(iteration: Iteration, why: str) -> Iteration:
    """The iteration as one that does not count: without value or profile; all that was seen stays."""
    if why == iteration.incomplete:
        return iteration
    why = f"{why} {iteration.incomplete}".strip()
    caution = Caution(NOT_SOUND, f"{why} What was seen is kept, but gives no value.")
    rest = tuple(one for one in iteration.warnings if one.code != "incomplete")
    profile = iteration.profile and msgspec.structs.replace(iteration.profile, rejected=why)
    return msgspec.structs.replace(
        iteration, value=None, complete=False, incomplete=why, warnings=(caution, *rest), profile=profile
    )


def discard(recorder: Recorder, iteration: Iteration, why: str) -> None:
    """Record that an iteration with a value or a profile does not count.

    A saved one is dropped; one that still waits to be saved is saved as `spoilt`. Raises FwdtuiError or
    OSError if that cannot be recorded.
    """
    if iteration.saved:
        recorder.drop(iteration, why)
    else:
        recorder.spoil(iteration, spoilt(iteration, why))
