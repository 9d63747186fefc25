"""Asks where a report goes, writes it, and says what came of it."""

from pathlib import Path

from textual.screen import Screen

from fwdtui.report import bundle, export
from fwdtui.ui.common.own_keys import key
from fwdtui.ui.report.dialogs import Destination, MakePlan, Writing


async def written(screen: Screen[None], title: str, default: Path, plan: MakePlan) -> bundle.Plan | None:
    """Ask for a file, write the report there, and report that. Must be called in a worker of the screen.

    Returns what was written. None: nothing was, as the user cancelled or as a notice has said.
    """
    chosen = await screen.app.push_screen_wait(Destination(title, default, plan))
    if chosen is None:
        return None
    answer = await screen.app.push_screen_wait(Writing(chosen))
    if isinstance(answer, list):
        # a preview's last line says where, and stays: this must not cover it for long
        screen.notify(export.shown(chosen.out), title="report written", timeout=3, markup=False)
        return chosen
    if answer is not None:
        told = f"{answer}. {key('preview.export', 'e')} chooses another file name."
        screen.notify(told, title="not written", severity="error", markup=False)
    else:
        screen.notify("Stopped: nothing was written.", markup=False)
    return None
