"""Which factors vary among the sessions of a comparison, for a user who chooses what to compare by."""

from collections.abc import Sequence
from dataclasses import dataclass

from fwdtui.core.factors import level
from fwdtui.report.cells_of import all_levels, compared_of
from fwdtui.report.factor_view import AS_GIVEN, FactorView
from fwdtui.report.side_trials import trials_of
from fwdtui.report.sides import Side


@dataclass(frozen=True, slots=True)
class Varying:
    """A factor with its known levels in natural order, as they are written.

    `remark` says of how many iterations it is not known; "" if it is known of all.
    """

    name: str
    levels: tuple[str, ...]
    remark: str = ""

    def has(self, text: str, values: Sequence[str]) -> bool:
        """Whether the level written as `text` is one of `values`, however they are written."""
        identity = level(self.name, text).identity
        return any(level(self.name, value).identity == identity for value in values)


def varying(sides: Sequence[Side], view: FactorView = AS_GIVEN) -> list[Varying]:
    """The factors with more than one known level in these sessions, or in the cases chosen of them.

    Factors by which `view` compares or filters, such as `session`, are also among them: otherwise the user
    could not take that back.
    """
    measured = trials_of(sides)
    asked = [*view.by, *(name for name, _ in view.filters)]
    made = []
    for name in dict.fromkeys([*compared_of(measured), *asked]):
        known = [one.shown for one in all_levels(measured, name) if one.known]
        unknown = sum(not trial.level(name).known for trial in measured)
        remark = f"not known of {unknown} iteration{'s' * (unknown > 1)}" if unknown else ""
        if len(known) > 1 or (known and name in asked):
            made.append(Varying(name, tuple(known), remark))
    return made
