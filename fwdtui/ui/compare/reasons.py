"""Why packets were dropped, on both sides, reason by reason."""

from collections.abc import Sequence

from rich.text import Text

from fwdtui.core.model import Iteration
from fwdtui.report.cells import pad, shorten, wrap
from fwdtui.report.drop_reasons import of_what, percent, rows, side_of, told
from fwdtui.ui.draw.styles import Styles

_FIGURE = 11
_NAMES = 64  # columns of the longest name


def reasons(
    labels: Sequence[str], sets: Sequence[Sequence[Iteration]], width: int, styles: Styles
) -> Text | None:
    """The table of drop reasons; None if neither side counted them.

    `labels` and `sets`: the names and the iterations of the baseline and of the candidate.
    """
    both = [side_of(label, iterations) for label, iterations in zip(labels, sets, strict=True)]
    if not any(side.counted or side.notes for side in both):
        return None
    base, other = both
    wide = min(max(width - 2 * _FIGURE - 3, 12), _NAMES)
    text = Text().append(pad(f"why dropped, {of_what(both)}", wide), style=styles["bold"])
    for name in ("base", "other"):
        word = "baseline" if name == "base" else "candidate"
        text.append(pad(word, _FIGURE, right=True), style=styles.bold(name))
    text.append("\n")
    shares = rows(base, other)
    lost = [side.lost if side.counted else None for side in both]
    for reason, before, now in (*shares, ("all lost packets", lost[0], lost[1])):
        text.append(pad(shorten(reason, wide), wide))
        for share in (before, now):
            text.append(pad(percent(share), _FIGURE, right=True), style=styles["drops" if share else "dim"])
        text.append("\n")
    of = " and ".join(f"{told(side)} of {side.label}" for side in both)
    notes = [f"Counted in {of}.", *dict.fromkeys(note for side in both for note in side.notes)]
    for line in wrap(" ".join(notes), width - 1):
        text.append(f"{line}\n", style=styles["dim"])
    return text
