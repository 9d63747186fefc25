"""The report's part on profiles: for each case of which both sides have a profile, which functions moved."""

from collections.abc import Iterator, Sequence

import msgspec

from fwdtui.core.errors import FwdtuiError
from fwdtui.core.text import clean
from fwdtui.report.case_profile import idle
from fwdtui.report.comparison import Compared
from fwdtui.report.escape import inline
from fwdtui.report.functions.sides import ProfileSide, newest
from fwdtui.report.functions.tables import Shown, shown
from fwdtui.report.functions.text import NOISE, heading, noise, table_markdown
from fwdtui.report.iterations import CaseSet
from fwdtui.stats.results import Judged

MOST = 10
"""Functions in each table; `fwdtui profile compare` lists all."""


def of_case(compared: Compared, results: Sequence[Judged]) -> Iterator[str]:
    """The tables of a case against the baseline, for each candidate; nothing if a side has no profile.

    Reads the profiles. If one is damaged, a sentence says so instead of the table.
    """
    for judged in results:
        try:
            listing = moved(compared, judged)
        except FwdtuiError as error:
            yield f"Profiles are not compared: {inline(str(error))}.\n"
            continue
        if listing is not None:
            yield from _section(listing, judged.comparison.other.label if len(results) > 1 else "")


def moved(compared: Compared, one: Judged, most: int | None = MOST) -> Shown | None:
    """What moved from the baseline's profile to the candidate's; None: one of them has no profile.

    Raises FwdtuiError if a profile's file is damaged.
    """
    case = one.comparison.case
    labels = one.base.label, one.other.label
    sets = [side.case(case) for label in labels for side in compared.sides if side.label == label]
    if len(sets) < len(labels):
        return None
    base, other = map(_profile, sets)
    if base is None or other is None:
        return None
    return shown([base, other], idle(*sets), most=most)


def _profile(one: CaseSet) -> ProfileSide | None:
    if one.session is None or not one.profiled:
        return None
    profiled = newest(one.session, one.name, one.profiled)[0]
    # labelled as in this report, where no two sessions share a label
    return profiled and msgspec.structs.replace(profiled, label=clean(one.result.label))


def _section(listing: Shown, candidate: str) -> Iterator[str]:
    yield f"### Where the CPU time went{f': {inline(candidate)}' if candidate else ''}\n"
    yield "".join(f"- {inline(line)}\n" for line in (*heading(listing), *listing.notes))
    for table in listing.tables:
        yield f"{table_markdown(listing, table)}\n"
    if told := noise(listing):
        yield f"{NOISE} {inline(told)}\n"
