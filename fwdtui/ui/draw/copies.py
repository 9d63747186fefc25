"""What `y` copies of a time chart: the sample under its cursor, or all samples shown, with their title."""

from collections.abc import Sequence

from rich.style import Style

from fwdtui.monitor.live.moment import Moment
from fwdtui.monitor.live.sample_table import SampleTable, text
from fwdtui.monitor.live.snapshot import Snapshot
from fwdtui.ui.common.copying import Copy
from fwdtui.ui.draw.marks import marks
from fwdtui.ui.draw.reading import reading_line
from fwdtui.ui.draw.view import View

_WIDE = 10_000  # columns: nothing is left out
_NAMED = 3  # cells that a title names; more of them are counted


class _Plain:
    """Colors without any style."""

    def __getitem__(self, name: str) -> Style:
        return Style.null()

    def bold(self, name: str) -> Style:
        """No style."""
        return Style.null()


def reading(moment: Moment, when: str, ago: str, bits: bool = False, frame: int | None = None) -> str:
    """The line that the cursor shows, with every name and without signs. `frame`: as in View."""
    line = reading_line(moment, when, ago, _WIDE, _Plain(), bits=bits, frame=frame, signs=False)
    return "".join(piece for piece, _ in line).strip()


def samples(tables: Sequence[SampleTable], bits: bool = False) -> Copy:
    """All samples, as the table of samples shows them."""
    some = sum(len(table.rows) for table in tables)
    if not some:
        return Copy("There are no samples to copy.", "")
    return Copy(f"{some} sample{'s' * (some != 1)}", text(tables, bits=bits))


def title(snapshot: Snapshot, view: View) -> str:
    """Lab, session and case of the samples that are drawn.

    If cases follow each other, as in an experiment, the samples may belong to other cases than the one that
    is being measured now: the title names the cases of their blasts.
    """
    where = view.where
    if view.case is not None:
        session, cases = where.removesuffix(view.case).removesuffix(" ▸ "), _cases(snapshot, view)
        named = f"{len(cases)} cells" if len(cases) > _NAMED else ", ".join(cases)
        where = " ▸ ".join(filter(None, (session, named)))
    return " ▸ ".join(filter(None, (snapshot.lab, where)))


def _cases(snapshot: Snapshot, view: View) -> list[str]:
    """The cases whose blasts may be among the samples, in their order."""
    begin = snapshot.now - view.time_span
    blasts = [mark for mark in marks(snapshot) if mark.kind == "blast"]
    # a window ends before its blast does: if a blast is drawn in part, its window may be out of view
    begin = min([begin, *(one.start for one in blasts if one.end is None or one.end >= begin)])
    cases = [view.case] if view.case and snapshot.blast is not None else []
    for one, case in zip(reversed(snapshot.iterations), reversed(snapshot.cases), strict=False):
        if one.window is not None and one.window.end is not None and one.window.end < begin:
            break
        cases.append(case)
    return list(dict.fromkeys(filter(None, reversed(cases))))
