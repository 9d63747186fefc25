"""Folded stacks: the form that every profiler's output is turned into (stackcollapse-*.pl of FlameGraph)."""

import re
from collections.abc import Iterable, Mapping

import msgspec

from fwdtui.core.text import clean

Stack = tuple[str, ...]
"""Function names from the root (first) to the leaf (last), the function that was running."""
NAME_MOST = 200
"""The most characters of a function's name; longer ones, such as those of templates, are cut."""
DEPTH_MOST = 512
"""The most frames of a stack: perf records 127 unless it is told otherwise, pmcstat 16 to 128."""


_OWN_CODE = re.compile(r"\[perf-[0-9]{1,10}\.map\]")


class Folded(msgspec.Struct, frozen=True):
    """How many samples each stack has. Stacks without samples are left out."""

    stacks: Mapping[Stack, int] = {}

    @property
    def samples(self) -> int:
        """The samples of all stacks together, idle ones included."""
        return sum(self.stacks.values())

    @classmethod
    def of(cls, counted: Iterable[tuple[Stack, int]]) -> "Folded":
        """Made of stacks and their numbers of samples; equal stacks are added up."""
        stacks: dict[Stack, int] = {}
        for stack, samples in counted:
            if samples > 0:
                stacks[stack] = stacks.get(stack, 0) + samples
        return cls(stacks)

    def text(self) -> str:
        """One line per stack, ``root;...;leaf SAMPLES``, the most samples first: flamegraph.pl reads it."""
        rows = sorted(self.stacks.items(), key=lambda row: (-row[1], row[0]))
        return "".join(f"{';'.join(stack)} {samples}\n" for stack, samples in rows)


def frame(name: str) -> str:
    """A function's name as it may be in a stack: one line, bounded, without the separator.

    Code that a process made itself, ``[perf-4711.map]``, is named without the number of the process: it would
    be another function in each profile.
    """
    if _OWN_CODE.fullmatch(name):
        return "[perf.map]"
    name = clean(name[: 2 * NAME_MOST]).replace("\t", " ").replace(";", ":").strip()
    return (name if len(name) <= NAME_MOST else f"{name[: NAME_MOST - 1]}…") or "[unknown]"
