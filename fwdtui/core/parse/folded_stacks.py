"""Folded stacks: ``root;...;leaf SAMPLES``, one per line, as stackcollapse-*.pl of FlameGraph prints them.

What the scripts add to a name to say where its code is (``_[k]`` kernel, ``_[j]`` just-in-time, ``_[i]``
inlined, ``_[w]`` waking) is removed, so that profiles folded with and without it have the same functions.
perf's stacks begin with a command's name, which loses the number of its CPU (``ksoftirqd/1``), as it does
where fwdtui folds them itself. Older versions of fwdtui kept some of these numbers.
"""

import re

from fwdtui.core.parse.fields import Parsed, Skipped, lines
from fwdtui.core.parse.perf_script import command_name
from fwdtui.core.profile.folded import DEPTH_MOST, Folded, Stack, frame

_LINE = re.compile(r"(\S.*) ([0-9]{1,15})\s*")
_TWO = re.compile(r".* [0-9]{1,15}")  # the start of a line with two counts
_MARK = re.compile(r"_\[[kjiw]\]$")


def parse_folded(text: str, *, ours: bool = False) -> Parsed[Folded]:
    """Reads folded stacks. A line with two counts is from a differential (difffolded.pl), and is skipped.

    `ours`: `Folded.text` wrote them. A stack of one name may then end in a number, such as that of a
    hypervisor's thread (``fc_vcpu 0``), which would otherwise look like a count.
    """
    skipped = Skipped()
    counted: list[tuple[Stack, int]] = []
    deep = 0
    for number, line in enumerate(lines(text), 1):
        match = _LINE.fullmatch(line)
        if match is None:
            if line.strip():
                skipped.line(number, "no stack with a count", line)
        elif not ours and _TWO.fullmatch(match[1]):
            skipped.line(number, "two counts: the difference of two profiles, not a profile", line)
        else:
            names = match[1].split(";")
            if len(names) > DEPTH_MOST:
                deep += 1
                names = names[-DEPTH_MOST:]
            root, *above = names if ours else [_MARK.sub("", name) for name in names]
            counted.append(((command_name(root), *map(frame, above)), int(match[2])))
    if deep:
        skipped.note(
            f"{deep} stacks have more than {DEPTH_MOST} frames: their outermost callers are left out"
        )
    return Parsed(Folded.of(counted), skipped.done())
