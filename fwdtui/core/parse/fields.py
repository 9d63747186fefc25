"""Reading one line or one number of hostile text, and saying what was left out."""

import re

from fwdtui.core.text import clean, clean_lines

_DIGITS = re.compile(r"[0-9]{1,20}")  # 20 digits hold any 64-bit counter; more is no counter
_SHOWN = 80
_KEPT = 40


def lines(text: str) -> list[str]:
    """The lines of `text` without control characters; only LF and CR LF end a line."""
    return clean_lines(text).split("\n")


def whole(text: str) -> int | None:
    """``"4204"`` -> 4204; anything else than 1 to 20 ASCII digits -> None (``"-"``, ``"46M"``)."""
    return int(text) if _DIGITS.fullmatch(text) else None


def shown(text: str) -> str:
    """`text` quoted for a note, cut to 80 characters after what is not printable became an escape."""
    quoted = repr(clean(text.strip()[: _SHOWN + 1]))
    return quoted if len(quoted) <= _SHOWN + 2 else quoted[: _SHOWN + 1] + "…'"


class Skipped:
    """Collects what a parser left out, each entry one short line, at most 40 of them and a count."""

    def __init__(self) -> None:
        self._notes: list[str] = []
        self._more = 0

    def line(self, number: int, why: str, line: str) -> None:
        """`number` is 1-based; `line` is shown cut to 80 characters, what is not printable as an escape."""
        self.note(f"line {number}: {why}: {shown(line)}")

    def note(self, why: str) -> None:
        """Something that is not about one line."""
        if len(self._notes) < _KEPT:
            self._notes.append(clean(why))
        else:
            self._more += 1

    def done(self) -> tuple[str, ...]:
        """The notes, in order, and how many more there were."""
        return (*self._notes, *((f"and {self._more} more",) if self._more else ()))
