"""The tab "functions" of a session: where the CPU time of one case went, read when the tab is open."""

from rich.text import Text
from textual import work

from fwdtui.core.errors import FwdtuiError
from fwdtui.core.model import Iteration
from fwdtui.core.text import clean
from fwdtui.report import case_profile
from fwdtui.report.flame.trees import Trees
from fwdtui.report.iterations import CaseSet
from fwdtui.ui.common.threads import from_thread
from fwdtui.ui.draw.profile_panel import ProfilePanel


class SessionFunctions(ProfilePanel):
    """The profile of one iteration.

    `choose` says which iteration; `look` reads its profile, and shows it or why there is none.
    """

    _chosen: tuple[CaseSet, Iteration] | None = None
    _shown: tuple[CaseSet, Iteration] | None = None

    def choose(self, one: CaseSet, iteration: Iteration) -> None:
        """Choose an iteration of a case; if it has no profile, the newest one of the case is shown."""
        if iteration.profile is None:
            iteration = case_profile.chosen(one) or iteration
        self._chosen = one, iteration

    def look(self) -> None:
        """Read the chosen profile, unless it is shown already."""
        if self._chosen is None or (self._shown is not None and self._same(self._shown, self._chosen)):
            return
        self._shown = self._chosen
        # what is still being read belongs to another iteration, even if this one has nothing to read
        self.workers.cancel_group(self, "functions")
        one, iteration = self._chosen
        if iteration.profile is None:
            self.say(f"{case_profile.missing(one)}\n\n{case_profile.TO_HAVE_ONE}")
            return
        self.say(Text("reading the profile …", style="dim"))
        self._read(one, iteration)

    @staticmethod
    def _same(shown: tuple[CaseSet, Iteration], chosen: tuple[CaseSet, Iteration]) -> bool:
        """Whether both show the same: all iterations of a case without a profile do."""
        return shown[0] is chosen[0] and (
            shown[1] is chosen[1] or not (shown[1].profile or chosen[1].profile)
        )

    @work(thread=True, exclusive=True, group="functions")
    def _read(self, one: CaseSet, iteration: Iteration) -> None:
        trees: Trees | str
        try:
            trees = case_profile.tree(one, iteration)
        except (FwdtuiError, OSError) as error:
            trees = f"The profile cannot be read: {clean(str(error))}"
        from_thread(self, self._tell, trees, case_profile.note(iteration))

    def _tell(self, trees: Trees | str, note: str) -> None:
        if isinstance(trees, str):
            self.say(trees)
        else:
            self.show(trees, note)
