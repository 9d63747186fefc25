"""A group of sessions in words: its heading in the list, and the lines beside it."""

from collections.abc import Sequence

from rich.text import Text

from fwdtui.report.cells import columns_of, pad, shorten_alike, shorten_apart
from fwdtui.ui.common.own_keys import key
from fwdtui.ui.draw.styles import MARKS, Styles
from fwdtui.ui.draw.view import NONE
from fwdtui.ui.sessions.grouping import Group, Tally

_SHUT, _OPEN = "▸", "▾"
_PENDING = "…"
_BEFORE = 3  # cells before the name: a margin, the triangle and a space
_GAP = 2
_NAME = 24  # cells of a name that matter more than verdicts in words
_ORDER = "slower", "inconclusive", "capped", "equivalent", "faster"


def headings(groups: Sequence[Group], room: int, styles: Styles) -> dict[str, Text]:
    """The heading of each group in a line of `room` cells, by the group's key, all with the same columns.

    The verdicts are in words if the names have room beside them; else they are marks and numbers.
    """
    if not groups:
        return {}
    counts = [count(group) for group in groups]
    wide = max(map(columns_of, counts))
    plain = [Text(f"{text:>{wide}}") for text in counts]
    tails = [_with_tallies(plain, groups, styles, words) for words in (True, False)]
    longest = max(columns_of(group.name) for group in groups)
    left = room - _BEFORE - _GAP
    tail = next((one for one in tails if left - _widest(one) >= min(longest, _NAME)), plain)
    columns = max(min(left - _widest(tail), longest), 1)
    names = _short([group.name for group in groups], columns)
    return {
        group.key: _heading(group, pad(name, columns), text, styles)
        for group, name, text in zip(groups, names, tail, strict=True)
    }


def _short(names: Sequence[str], columns: int) -> list[str]:
    """The names in `columns`, such that different ones stay different.

    If possible, only the path to a tree's folder is shortened.
    """
    above: dict[str, list[str]] = {}
    for name in dict.fromkeys(names):
        above.setdefault(name.rpartition("/")[0], []).append(name)
    shown: dict[str, str] = {}
    for path, alike in above.items():
        together = [*alike, f"{path}/"] if path else alike  # what all have in common ends with the path
        shown |= zip(alike, shorten_alike(together, columns), strict=False)
    if len(set(shown.values())) < len(shown):
        return shorten_apart(names, columns)
    return [shown[name] for name in names]


def _with_tallies(counts: Sequence[Text], groups: Sequence[Group], styles: Styles, words: bool) -> list[Text]:
    return [
        count.copy().append_text(_tally(group.tally, styles, words))
        for count, group in zip(counts, groups, strict=True)
    ]


def _widest(texts: Sequence[Text]) -> int:
    return max(text.cell_len for text in texts)


def _heading(group: Group, name: str, tail: Text, styles: Styles) -> Text:
    text = Text(end="", no_wrap=True)
    text.append(f" {_SHUT if group.folded else _OPEN} ", style=styles["accent"])
    text.append(name, style=styles["bold"] if group.named else "bold italic")
    return text.append(" " * _GAP).append_text(tail)


def count(group: Group) -> str:
    """``24 sessions``, or ``3 of 24 sessions`` if a filter hides the others."""
    there = len(group.rows)
    part = "" if there == group.total else f"{there} of "
    return f"{part}{group.total} session{' ' if group.total == 1 else 's'}"


def _tally(tally: Tally | None, styles: Styles, words: bool) -> Text:
    """``  ▼ 3 slower  = 17 equivalent``, or without `words` ``  ▼ 3  = 17``."""
    text = Text()
    if tally is None:
        return text
    for verdict in _ORDER:
        if number := tally.verdicts.get(verdict):
            text.append(f"  {MARKS[verdict]} {number}", style=styles.bold(f"verdict-{verdict}"))
            text.append(f" {verdict}" if words else "")
    others = (NONE, tally.alone, "not comparable"), (_PENDING, tally.pending, "not judged yet")
    for mark, number, word in others:
        if number:
            text.append(f"  {mark} {number}{f' {word}' if words else ''}")
    if tally.base:
        text.append("  baseline" if words else "  B", style="bold")
    return text


def group_values(group: Group) -> list[str]:
    """The heading as values to copy: the name, how many sessions, and how many have which verdict."""
    tally = _tally(group.tally, Styles({}), words=True).plain
    return [group.name, count(group).strip(), *(part for part in tally.split("  ") if part)]


def group_text(group: Group, styles: Styles, base: str) -> Text:
    """The text beside the list for a group. `base`: the baseline's label."""
    text = Text()
    text.append(f"{group.name}\n", style="bold")
    text.append(f"{count(group).strip()}\n")
    if group.tally is not None:
        text.append("against ", style="bold").append(f"{base}, each session by its worst case\n")
        for part in _tally(group.tally, styles, words=True).split("  "):
            if part.plain:
                text.append_text(part).append("\n")
    keys = f"{key('sessions.open', 'Enter')}, {key('sessions.fold', '←')} and {key('sessions.unfold', '→')}"
    return text.append(f"{keys} fold and unfold the group.", style="dim")
