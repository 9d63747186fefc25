"""What an experiment's journal says of its iterations: an attempt that it did not find sound does not count.

annotations.toml says so too, as a rule. But a copy may lack it, and a program that was killed between an
iteration and its verdict could not write it.
"""

from collections.abc import Sequence
from pathlib import Path

import msgspec

from fwdtui.core.model import Case, Iteration
from fwdtui.core.text import clean

UNJUDGED = "nobody verified that its levels still held"
"""Why an iteration whose attempt ended before it was judged does not count."""


def applied(folder: Path, cases: Sequence[Case]) -> tuple[list[Case], list[str]]:
    """The cases of the session in `folder`, with what its experiment found of each iteration; and problems.

    If the journal or the plan is missing or cannot be read, that is a problem, and the cases are unchanged.
    An iteration is also unchanged if the verdict on its attempt may have been in a damaged line.
    """
    if not any(one.planned for case in cases for one in case.iterations):
        return list(cases), []
    from fwdtui.store.experiment_record import Verdicts, verdicts  # late: most sessions are no experiment's

    def judged(one: Iteration, found: Verdicts) -> Iteration:
        if one.planned is None or one.planned.experiment != found.experiment or one.profile is not None:
            return one
        step = found.steps.get((one.planned.trial, one.planned.attempt))
        if step is None and not found.whole:
            return one
        dropped, sound = one.dropped, step is not None and step.sound
        if not sound and not dropped and one.value is not None:
            dropped = clean(step.text) if step is not None and step.text else UNJUDGED
        return msgspec.structs.replace(one, judged=sound, dropped=dropped)

    found = verdicts(folder)
    if isinstance(found, str):
        return list(cases), [found]
    return [
        msgspec.structs.replace(case, iterations=tuple(judged(one, found) for one in case.iterations))
        for case in cases
    ], []
