"""The differences of settings as a unified diff, as diff -u writes it: a hunk for each source."""

import difflib
from collections import Counter
from collections.abc import Iterator

from fwdtui.report.settings_difference import Difference, SettingsDifference, in_sources
from fwdtui.report.settings_wording import place

MOST = 600
"""The most lines of one comparison; more are only counted."""
_CONTEXT = 2
_LONGEST = 2000  # lines: a longer value is not aligned, and only what is on one side alone is shown of it


def unified(difference: SettingsDifference) -> list[str]:
    """The lines without their ends, [] if nothing differs. Values are as the host prints them."""
    if not difference.differences:
        return []
    lines = [f"--- {difference.base}", f"+++ {difference.other}"]
    for role, source, differences in in_sources(difference.differences):
        lines.append(f"@@ {place(role, source)} @@")
        for one in differences:
            lines += _setting(one)
    if len(lines) > MOST:
        return [*lines[:MOST], f"... and {len(lines) - MOST:,} more lines"]
    return lines


def _setting(one: Difference) -> Iterator[str]:
    if "\n" not in f"{one.base or ''}{one.other or ''}":
        if one.base is not None:
            yield f"-{_line(one.key, one.base)}"
        if one.other is not None:
            yield f"+{_line(one.key, one.other)}"
        return
    yield f" {one.key}:"
    before, after = ([] if text is None else text.split("\n") for text in (one.base, one.other))
    if max(len(before), len(after)) > _LONGEST:
        counted = Counter(before), Counter(after)
        yield from (f"-{line}" for line in (counted[0] - counted[1]).elements())
        yield from (f"+{line}" for line in (counted[1] - counted[0]).elements())
        return
    for line in list(difflib.unified_diff(before, after, n=_CONTEXT, lineterm=""))[2:]:
        yield " ..." if line.startswith("@@") else line


def _line(key: str, value: str) -> str:
    return f"{key}: {value}" if value else key
