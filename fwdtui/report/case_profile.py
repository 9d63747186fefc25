"""The profile of a case: which of its iterations shows where the CPU time went, or why none does."""

from collections.abc import Sequence

from fwdtui.core.errors import FwdtuiError
from fwdtui.core.model import Case, Iteration
from fwdtui.core.profile import Idle
from fwdtui.core.profile.comparable import alike
from fwdtui.core.profile.cut_stacks import depth_of
from fwdtui.core.profiled import newest
from fwdtui.core.text import clean
from fwdtui.report.flame import Taken, differential, flame_graph
from fwdtui.report.flame.trees import Trees, trees
from fwdtui.report.functions.sides import ProfileSide, idle_of
from fwdtui.report.iterations import CaseSet

TO_HAVE_ONE = (
    "A profile says in which functions the CPU time of a blast was spent.\n"
    "fwdtui profile capture LAB takes one in a separate blast.\n"
    "fwdtui profile import FILE SESSION --case CASE adds an existing one, from pmcstat, perf or "
    "folded stacks."
)
"""What to do where a case has no profile."""


def chosen(one: CaseSet) -> Iteration | None:
    """The newest iteration of the case with a profile that says something about its blast."""
    return newest(one.profiled)


def missing(one: CaseSet) -> str:
    """Why the case has no profile to show, in a sentence; "" if it has one."""
    if chosen(one) is not None:
        return ""
    where = f"{clean(one.name)} of {clean(one.result.label)}" if one.name else clean(one.result.label)
    if not one.profiled:
        return f"There is no profile of {where}."
    last = one.profiled[-1]
    reason = (last.profile.rejected if last.profile else "").rstrip(".")
    return f"Iteration {last.index} of {where} has a profile, but it is not used: {clean(reason)}."


def note(iteration: Iteration) -> str:
    """What has to be said with the profile of this iteration; "" if it can be used."""
    rejected = iteration.profile.rejected.rstrip(".") if iteration.profile else ""
    return f"This profile is not used: {clean(rejected)}." if rejected else ""


def taken(one: CaseSet, iteration: Iteration, *, packets: bool = True) -> Taken:
    """The profile of one of the case's iterations. `packets` False: without these, to be drawn by shares.

    Raises FwdtuiError if it has none, or if its file is damaged.
    """
    from fwdtui.store import profiles

    if iteration.profile is None or one.session is None:
        raise FwdtuiError(f"iteration {iteration.index} has no profile")
    folded = profiles.stacks(one.session, Case(one.name), iteration)
    label = f"{one.result.label} #{iteration.index}"
    known = iteration.profile.packets if packets else None
    made = iteration.profile
    return Taken(label, folded, known, made.notes, depth_of(made), made.event, made)


def pair(base: CaseSet, other: CaseSet) -> tuple[Taken, Taken] | None:
    """The profiles that are `chosen`; None if a side has none. Raises FwdtuiError if a file is damaged.

    They have their packets only if they were sampled in the same way.
    """
    before, now = chosen(base), chosen(other)
    if before is None or now is None:
        return None
    packets = before.profile is not None and now.profile is not None and alike(before.profile, now.profile)
    return taken(base, before, packets=packets), taken(other, now, packets=packets)


def idle(*sets: CaseSet) -> Idle:
    """What is idle: the functions that fwdtui knows, and those that the labs of these sets add."""
    return Idle.also(name for one in sets if one.session is not None for name in idle_of(one.session))


def tree(one: CaseSet, iteration: Iteration) -> Trees:
    """The profile of one of the case's iterations as trees. Raises FwdtuiError as `taken` does."""
    return trees([taken(one, iteration)], idle(one).covers)


def tree_of_both(base: CaseSet, other: CaseSet) -> Trees | None:
    """Both sides' profiles as trees; None if a side has none. Raises FwdtuiError if a file is damaged."""
    both = pair(base, other)
    return None if both is None else trees(both, idle(base, other).covers)


def damage(one: CaseSet) -> str:
    """Why the profile that is `chosen` cannot be read; "" if it can."""
    iteration = chosen(one)
    try:
        if iteration is not None:
            taken(one, iteration)
    except FwdtuiError as error:
        return f"its profile cannot be read: {clean(str(error))}"
    return ""


def flame(one: CaseSet, title: str) -> bytes:
    """The flame graph of the profile that is `chosen`, as SVG.

    Raises FwdtuiError if there is none, or if its file is damaged.
    """
    iteration = chosen(one)
    if iteration is None:
        raise FwdtuiError(missing(one))
    return flame_graph(taken(one, iteration), idle(one).covers, title)


def flame_difference(base: CaseSet, other: CaseSet, title: str) -> bytes:
    """The differential flame graph of both sides' profiles, as SVG.

    Raises FwdtuiError if a side has none, or if a file is damaged.
    """
    both = pair(base, other)
    if both is None:
        raise FwdtuiError(missing(base) or missing(other))
    return differential(*both, idle(base, other).covers, title)


def of_sides(sides: Sequence[ProfileSide]) -> list[Taken]:
    """One or two profiles that a command names, to be drawn; with packets if both were sampled in one way."""
    packets = len(sides) < 2 or alike(sides[0].profile, sides[1].profile)
    several = len({one.case for one in sides if one.case}) > 1
    return [
        Taken(
            one.label if one.index is None else f"{one.label}{f' {one.case}' * several} #{one.index}",
            one.folded,
            one.profile.packets if packets else None,
            one.profile.notes,
            depth_of(one.profile),
            one.profile.event,
            one.profile,
        )
        for one in sides
    ]
