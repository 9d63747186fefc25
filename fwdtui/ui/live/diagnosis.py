"""The diagnosis in a plain sentence, with its evidence below."""

import re
from collections.abc import Iterable
from typing import ClassVar

from rich.cells import cell_len
from textual.geometry import Size
from textual.strip import Strip

from fwdtui.monitor.live.snapshot import Snapshot
from fwdtui.ui.draw.palette import Palette
from fwdtui.ui.draw.panel import Line, Panel, wrapped
from fwdtui.ui.draw.view import View

_UNIT = re.compile(r"(?<=[0-9]) (?=[kMGT]?(?:pps|bps)\b|%|m?s\b)")
_GOOD = ("generator-limited", "line-limited")
_BAD = ("host-lost", "host-silent", "dut-starved", "link-flapped", "nothing-arrives", "generator-silent")


def sign(code: str) -> tuple[str, str]:
    """The mark of a diagnosis with this code, and its meaning in the palette."""
    if code in _GOOD:
        return "✓", "good"
    if code in _BAD:
        return "✕", "error"
    return ("·", "dim") if code in ("idle", "unknown") else ("!", "warning")


class DiagnosisLine(Panel, can_focus=False):
    """The sentence, wrapped, and the evidence in the rows that are left."""

    ALLOW_MAXIMIZE: ClassVar[bool] = False

    _needed = 0
    """Rows that the sentence took when last drawn."""

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        """As many rows as the sentence needs: it is never cut off."""
        return len(_rows(*self._shown, width)) if self._shown is not None else 1

    def _grows(self, snapshot: Snapshot, view: View) -> bool:
        return len(_rows(snapshot, view, self.size.width)) != self._needed

    def part(self, snapshot: Snapshot, view: View) -> object:
        """What is drawn: the diagnosis, or without traffic the last result."""
        said = view.baseline, view.bits, view.frame, view.other(snapshot.case)
        return snapshot.diagnosis, snapshot.last, said

    def draw(self, snapshot: Snapshot, view: View, size: Size, colors: Palette) -> Iterable[Strip | Line]:
        """Draw the whole sentence if it fits; evidence never displaces it and is never cut."""
        diagnosis = snapshot.diagnosis
        mark, meaning = sign(diagnosis.code)
        room = max(size.width - 4, 1)
        rows = _rows(snapshot, view, size.width)
        self._needed = len(rows)
        if len(rows) > size.height:
            rest = " ".join(rows[size.height - 1 :])
            rows = [*rows[: size.height - 1], rest]
        head, stop, _ = sentence(snapshot, view).partition(":")
        for number, row in enumerate(rows):
            lead = f" {mark} " if number == 0 else "   "
            if number == 0 and stop and len(head) < 48 and row.startswith(head):
                rest_of_row = row[len(head) :]
                yield [(lead + head, colors.bold(meaning)), (rest_of_row, colors["bold"])]
            else:
                yield [(lead, colors.bold(meaning)), (row, colors["bold"])]
        for row in packed(_more(snapshot), room, size.height - len(rows)):
            yield [("   ", colors["dim"]), (row, colors["dim"])]


def sentence(snapshot: Snapshot, view: View) -> str:
    """What limits the run, or without traffic the last result."""
    last = snapshot.last
    if last is None:
        return snapshot.diagnosis.dated
    case = view.other(snapshot.case)
    return f"No traffic; {last.in_words(view.baseline, bits=view.bits, frame=view.frame, case=case)}"


def _more(snapshot: Snapshot) -> list[str]:
    """The evidence that the sentence does not name itself; rates of zero say nothing more."""
    diagnosis = snapshot.diagnosis
    if snapshot.last is not None or diagnosis.code == "idle":
        return []
    return [one for one in diagnosis.evidence if one not in diagnosis.sentence]


def _rows(snapshot: Snapshot, view: View, width: int) -> list[str]:
    held = _UNIT.sub("\N{NO-BREAK SPACE}", sentence(snapshot, view))  # a number keeps its unit on its line
    rows = wrapped(held, width - 4)
    return [row.replace("\N{NO-BREAK SPACE}", " ") for row in rows]


def packed(items: Iterable[str], room: int, most: int) -> list[str]:
    """Items side by side in at most `most` rows of `room` cells. Items that do not fit are left out."""
    rows: list[str] = []
    for item in items:
        longer = f"{rows[-1]} · {item}" if rows else item
        if rows and cell_len(longer) <= room:
            rows[-1] = longer
        elif len(rows) < most and cell_len(item) <= room:
            rows.append(item)
        else:
            break
    return rows
