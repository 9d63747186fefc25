"""A comparison that is made in a thread, and made again when a setting or the sessions change."""

from dataclasses import replace
from pathlib import Path
from typing import Self

from textual import work
from textual.screen import Screen

from fwdtui.report import comparison
from fwdtui.report.comparison import Compared, Loaded, Unpaired
from fwdtui.report.experiment_view import with_baseline
from fwdtui.report.factor_view import AS_GIVEN, FactorView
from fwdtui.stats.results import Judged
from fwdtui.ui.common import errors
from fwdtui.ui.common.compared_how import ComparedHow
from fwdtui.ui.common.ports import BACKGROUND, shell
from fwdtui.ui.common.styled_once import StyledOnce
from fwdtui.ui.common.threads import from_thread
from fwdtui.ui.compare import keys
from fwdtui.ui.report.since import Changed, changed_since


class ComparingScreen(StyledOnce, Screen[None]):
    """What is compared, with which settings, and the result. A subclass draws it."""

    def __init__(
        self,
        base: Path,
        others: list[Path],
        margin: float = comparison.MARGIN,
        confidence: float = comparison.CONFIDENCE,
        loaded: Loaded | None = None,
        view: FactorView = AS_GIVEN,
    ) -> None:
        """`base`, `others`: paths of sessions, or ``PATH:CASE`` with the same case for all.

        `margin` and `confidence` are in percent. `loaded`: the same sessions, if they have been read already.
        `view`: what is compared by factors.
        """
        super().__init__()
        self._paths = [base, *others]
        self._margin = margin
        self._confidence = confidence
        self._view = view
        self._loaded = loaded
        self._compared: Compared | None = None
        self._unswapped: tuple[Loaded, list[Path]] | None = None  # while it is not known whether a swap works
        # what was not read yet cannot have changed since
        self._changed: Changed = (lambda: False) if loaded is None else changed_since(self._paths)

    @classmethod
    def again(cls, base: Path, others: list[Path], how: ComparedHow) -> Self:
        """Compare these with the settings of an earlier comparison."""
        margin = comparison.MARGIN if how.margin is None else how.margin
        confidence = comparison.CONFIDENCE if how.confidence is None else how.confidence
        return cls(base, others, margin, confidence, view=how.view)

    # of the subclass

    def _entry(self) -> Judged | Unpaired | None:
        """The entry under the cursor."""
        raise NotImplementedError

    def _draw(self) -> None:
        """Draw the result."""
        raise NotImplementedError

    def _failed(self, reason: str) -> None:
        """Say why the sessions cannot be compared."""
        raise NotImplementedError

    def _other_pairs(self) -> None:
        """Called when other sets are going to be compared with each other."""
        raise NotImplementedError

    def _forget(self) -> None:
        """Discard what was read of the sessions, as they may have changed."""
        raise NotImplementedError

    # comparing

    @work(thread=True, exclusive=True, group="compare")
    def _compare(self) -> None:
        changed, loaded = self._changed, self._loaded
        try:
            if loaded is None:
                paths = list(self._paths)  # another session may become the baseline meanwhile
                changed = changed_since(paths)  # first: what is written while they are read is a change, too
                loaded = comparison.load(paths)
            view = with_baseline(loaded.sides, self._view)
            compared = comparison.judge(loaded, self._margin, self._confidence, view)
        except Exception as error:  # otherwise the spinner would never end
            reason = errors.in_place(error)
            from_thread(self, self._refused, reason)
            return
        from_thread(self, self._show, loaded, compared, changed)

    def on_screen_resume(self) -> None:
        """Compare again if the sessions have changed meanwhile."""
        if self._loaded is not None and self._changed():
            self.action_again()

    def _refused(self, reason: str) -> None:
        """Say why these cannot be compared; the previous comparison stays as it is.

        If the factors were changed, ask for them again.
        """
        wanted, before = self._view, self._unswapped
        if self._loaded is not None and self._compared is not None and before is not None:
            (self._loaded, self._paths), self._unswapped = before, None
            self.notify(f"Not the baseline: {reason}", severity="warning", markup=False)
            return
        if self._loaded is None or self._compared is None or wanted == self._compared.view:
            self._failed(reason)
            return
        self._view = self._compared.view
        if wanted.metric != self._view.metric:
            from fwdtui.report.in_metric import OPTION

            self.notify(reason.removeprefix(OPTION), severity="warning", markup=False)
            return
        problem = f"Cannot compare these: {reason}"
        if self.app.screen is self:
            self.action_factors(wanted, problem)
        else:
            self._ask_again(wanted, problem)

    @work(group=BACKGROUND)
    async def _ask_again(self, wanted: FactorView, problem: str) -> None:
        """Ask once this screen is on top again: another mode's screen may have the keys now."""
        before = self._compared
        if await shell(self).turn_of(self, "These factors cannot be compared") and self._compared is before:
            self.action_factors(wanted, problem)

    def _show(self, loaded: Loaded, compared: Compared, changed: Changed) -> None:
        self.remove_class("-failed")
        self._loaded, self._compared, self._changed = loaded, compared, changed
        self._unswapped = None
        self._view = compared.view  # it has a baseline if an experiment's design sets one
        if len(self._paths) > 1:
            shell(self).has_compared(self._paths, self._how(compared))
        self._draw()
        self.refresh_bindings()

    def _how(self, compared: Compared) -> ComparedHow:
        usual = comparison.MARGIN, comparison.CONFIDENCE
        margin, confidence = (
            None if value == default else value
            for value, default in zip((compared.margin, compared.confidence), usual, strict=True)
        )
        return ComparedHow(margin, confidence, compared.view)

    # what compares again

    def action_margin(self, step: int) -> None:
        """A wider or narrower margin of equivalence."""
        self._margin = keys.stepped(keys.MARGINS, self._margin, step)
        self._compare()

    def action_confidence(self, step: int) -> None:
        """More or less confidence."""
        self._confidence = keys.stepped(keys.CONFIDENCES, self._confidence, step)
        self._compare()

    def action_swap(self) -> None:
        """Make the selected candidate the baseline."""
        entry = self._entry()
        if self._loaded is None or entry is None:
            return
        label = entry.other.label if isinstance(entry, Judged) else entry.candidate
        if self._view.by and self._compared is not None:
            levels = self._compared.side(label).levels
            chosen_levels = tuple((name, level.text) for name, level in levels.items())
            self._view = replace(self._view, baseline=chosen_levels)
            self._other_pairs()
            self._compare()
            return
        self._unswapped = self._unswapped or (self._loaded, list(self._paths))
        self._loaded = comparison.swapped(self._loaded, label)
        chosen = Path(self._loaded.sides[0].spec)  # so that it stays the baseline when read again
        place = self._paths.index(chosen)
        self._paths[0], self._paths[place] = self._paths[place], self._paths[0]
        self._other_pairs()
        self._compare()

    def action_again(self) -> None:
        """Read the sessions again: one may have been repaired, or an iteration dropped."""
        self._loaded = None
        self._forget()
        self._compare()

    def action_metric(self) -> None:
        """Choose what is compared: the rate, or what a packet costs."""
        from fwdtui.report.in_metric import offered
        from fwdtui.ui.common.metric_choice import NO_COSTS, ChooseMetric

        def chosen(answer: str | None) -> None:
            if answer is not None and answer != self._view.metric:
                self._view = replace(self._view, metric=answer)
                self._other_pairs()
                self._compare()

        if self._loaded is None:
            return
        metrics = offered(self._loaded.sides)
        if metrics or self._view.metric:
            self.app.push_screen(ChooseMetric(metrics, self._view.metric), chosen)
        else:
            self.notify(NO_COSTS, severity="warning", markup=False)

    def action_factors(self, view: FactorView | None = None, problem: str = "") -> None:
        """Choose the factors to compare by, what is included, and the baseline."""
        from fwdtui.report.factors_there import varying
        from fwdtui.ui.compare.factor_choice import ChooseFactors

        def chosen(answer: FactorView | None) -> None:
            if answer is not None and answer != self._view:
                self._view = answer
                self._other_pairs()
                self._forget()
                self._compare()

        if self._loaded is not None:
            marked = view or self._view
            factors = varying(self._loaded.sides, marked)
            self.app.push_screen(ChooseFactors(factors, marked, problem), chosen)
