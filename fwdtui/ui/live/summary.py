"""The run in a few lines of text: what is copied if no panel is in focus."""

from fwdtui.monitor.live.snapshot import Snapshot
from fwdtui.ui.common.copying import Copy, table
from fwdtui.ui.draw.view import View
from fwdtui.ui.live.big_numbers import numbers
from fwdtui.ui.live.diagnosis import sentence


def summary(snapshot: Snapshot, view: View) -> Copy:
    """Lab and case, the moment, the numbers, and what limits the run, in a line each."""
    rows = [[" ▸ ".join(filter(None, (snapshot.lab, view.where))), view.clock(snapshot.now)]]
    if snapshot.last is not None and (case := view.other(snapshot.case)):
        rows.append([f"the last numbers are from {case}"])
    for number in numbers(snapshot, view):
        more = [text for text in (number.note, number.more) if text]
        rows.append([number.label, f"{number.figures} {number.unit}".rstrip(), *more])
    rows.append([sentence(snapshot, view)])
    if snapshot.last is None:
        rows += [[evidence] for evidence in snapshot.diagnosis.evidence]
    if view.interim:
        rows.append([view.interim])
    return table("the numbers of this moment", rows)
