"""Folded stacks: the form that every profiler's output is brought to (stackcollapse-*.pl of FlameGraph)."""

from collections.abc import Iterable, Mapping

import msgspec

Stack = tuple[str, ...]
"""Function names from the root (first) to the leaf (last), the function that was running."""


class Folded(msgspec.Struct, frozen=True):
    """How many samples each stack has. Stacks without samples are left out."""

    stacks: Mapping[Stack, int] = {}

    @property
    def samples(self) -> int:
        """Of all stacks together, idle ones too."""
        return sum(self.stacks.values())

    @classmethod
    def of(cls, counted: Iterable[tuple[Stack, int]]) -> "Folded":
        """Equal stacks are added up."""
        stacks: dict[Stack, int] = {}
        for stack, samples in counted:
            if samples > 0:
                stacks[stack] = stacks.get(stack, 0) + samples
        return cls(stacks)
