"""The guide through the demo: the kind of lab, the step, what to look at, which key to press."""

from rich.console import Console
from rich.text import Text
from textual.geometry import Size
from textual.widget import Widget

from fwdtui.ui.common.own_keys import key
from fwdtui.ui.demo.walk import Walk

_LEAST = 3  # rows: the line with the step, and a text that wraps once


class Guide(Widget):
    """A permanent line with the next thing to do; it wraps if the terminal is narrow."""

    can_focus = False
    ALLOW_MAXIMIZE = False

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._said: tuple[str, str, str, str, str] = ("", "", "", "", "")
        self._tallest = _LEAST
        self._wide = 0

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        """The height of the longest text so far, so that what is below does not jump from step to step."""
        changed = width != self._wide
        self._wide = width
        rows = super().get_content_height(container, viewport, width)
        self._tallest = max(rows, _LEAST if changed else self._tallest)
        return self._tallest

    def show(self, walk: Walk, free: str = "") -> None:
        """Show the walk's step or, if given, `free`: the text of a scenario outside the walk."""
        banner = walk.plan.banner
        go, skip, run_all = key("demo.go", "Enter"), key("demo.skip", "n"), key("demo.run_all", "A")
        other, restart = key("demo.others", "o"), key("demo.walk", "w")
        if free:
            keys = f"{restart} walk · {other} another · {key('demo.compare', 'c')} compare"
            said = banner, "another scenario", free, "", keys
        else:
            where = f"step {walk.step} of {walk.plan.steps}"
            others = f" · {other} others" if walk.control.stage.more else ""
            keys = f"{skip} skip · {run_all} run it all{others}"
            if walk.over or (walk.waiting and walk.step == walk.plan.steps):
                keys = f"{restart} walk again{others}"
            elif walk.automatic:
                keys = f"automatic · {run_all} stops it"
            elif walk.waiting:
                keys = f"{go} do it · {keys}"
            said = banner, where, walk.text, walk.problem, keys
        if said != self._said:
            self._said = said
            self.refresh(layout=True)

    def render(self) -> Text:
        """Banner and step, the text, the keys."""
        banner, where, text, problem, keys = self._said
        shown = Text()
        shown.append(f" {banner} ", style="bold reverse")
        shown.append(f"  {where}\n", style="bold")
        if problem:
            shown.append(f"! {problem}: ", style="bold")
        shown.append(text)
        if keys:
            *_, last = shown.wrap(Console(width=self._wide), self._wide) if self._wide else [shown]
            fits = last.cell_len + 2 + len(keys) <= self._wide
            shown.append(f"  {keys}" if fits or not self._wide else f"\n{keys}", style="bold")
        return shown

    @property
    def plain(self) -> str:
        """The guide's text."""
        return self.render().plain
