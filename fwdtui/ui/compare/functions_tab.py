"""The tab "functions": where the CPU time of both sides went, read once, when the tab is shown."""

from fwdtui.core.errors import FwdtuiError
from fwdtui.core.text import clean
from fwdtui.report import case_profile
from fwdtui.report.comparison import Compared
from fwdtui.report.flame.trees import Trees
from fwdtui.report.iterations import CaseSet
from fwdtui.stats.results import Judged

_MOST = 20  # pairs kept: some megabytes each

Wanted = tuple[CaseSet, CaseSet]
Found = tuple[Trees | None, str]
"""What is shown, or None if nothing can be; and the text to show with it, or instead of it."""


class FunctionsRead:
    """The profiles of both sides of a verdict."""

    def __init__(self) -> None:
        self._read: dict[tuple[int, int], tuple[Wanted, Found]] = {}

    def of(self, compared: Compared, judged: Judged) -> Found | None:
        """What was read for this verdict; None if it has not been read yet."""
        wanted = self.wanted(compared, judged)
        kept = self._read.get((id(wanted[0]), id(wanted[1])))
        return None if kept is None else kept[1]

    @staticmethod
    def wanted(compared: Compared, judged: Judged) -> Wanted:
        """The sets whose profiles are needed: the baseline's and the candidate's."""
        case = judged.comparison.case
        return compared.sides[0].case(case), compared.side(judged.other.label).case(case)

    @staticmethod
    def read(wanted: Wanted) -> Found:
        """Read the profiles from disk. This is slow, but changes no state, so a thread may call it."""
        try:
            if (both := case_profile.tree_of_both(*wanted)) is not None:
                return both, ""
            lacking = list(dict.fromkeys(text for one in wanted if (text := case_profile.missing(one))))
            for one in wanted:
                if (iteration := case_profile.chosen(one)) is not None:
                    return case_profile.tree(one, iteration), lacking[0]
        except (FwdtuiError, OSError) as error:
            return None, f"The profile cannot be read: {clean(str(error))}"
        return None, "\n".join([*lacking, "", case_profile.TO_HAVE_ONE])

    def keep(self, wanted: Wanted, drawn: Found) -> None:
        """Store what `read` returned."""
        while len(self._read) >= _MOST:
            del self._read[next(iter(self._read))]
        self._read[id(wanted[0]), id(wanted[1])] = wanted, drawn  # keeps the sets alive: ids are reused
