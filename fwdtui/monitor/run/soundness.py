"""An iteration that is found not to count: all that was seen of it stays, with the reason."""

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
    """An iteration with a value or a profile does not count. While it waits to be saved, it is spoilt.

    Raises FwdtuiError, OSError if that cannot be written down.
    """
    if iteration.saved:
        recorder.drop(iteration, why)
    else:
        recorder.spoil(iteration, spoilt(iteration, why))
