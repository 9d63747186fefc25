"""Stacks that a profiler cut off: their outermost callers are missing.

hwpmc keeps kern.hwpmc.callchaindepth frames of a stack, 16 as FreeBSD comes (hwpmc(4)), perf
kernel.perf_event_max_stack, 127: the leaf and what is next to it. A forwarded packet's stack is often deeper.
Seen from the root, the same function then stands in several places, and one more call on the way to it looks
as if thread and interrupt handler had lost all their samples: in one published pair 30 % of the samples of
one side are cut, and hardly any of the other.

What is missing is taken from stacks of the same profile that are whole. Leaves never change by it.
"""

from collections import Counter
from collections.abc import Iterable

import msgspec

from fwdtui.core.profile.call_tree import IsIdle
from fwdtui.core.profile.folded import Folded, Stack

_HEAD = 4  # frames by which a cut stack is found in whole ones
_SURE = 0.95  # of their samples: as many must have the same callers


class Mended(msgspec.Struct, frozen=True):
    """`folded`: with the callers put back. `limit`: frames that the profiler kept, None if it cut nothing.

    `mended`, `left`: samples of cut stacks whose callers could be put back, and could not.
    """

    folded: Folded
    limit: int | None = None
    mended: int = 0
    left: int = 0


def mend(folded: Folded, idle: IsIdle) -> Mended:
    """Put the callers back that all the longest stacks lack, where stacks that are whole agree on them.

    A stack is cut if it is as long as the longest, and begins with what other stacks have callers of. Idle
    stacks stay as they are.
    """
    limit = max(map(len, folded.stacks), default=0)
    longest = [stack for stack in folded.stacks if len(stack) == limit and not idle(stack)]
    heads = {stack[:size] for stack in longest for size in range(1, min(_HEAD, limit) + 1)}
    seen = _callers(((stack, n) for stack, n in folded.stacks.items() if len(stack) < limit), heads)
    counted: list[tuple[Stack, int]] = []
    mended = left = 0
    for stack, samples in folded.stacks.items():
        callers: Stack | None = ()
        if len(stack) == limit and not idle(stack):
            callers = _agreed(stack, seen)
        if callers is None:
            left += samples
        elif callers:
            mended += samples
        counted.append(((callers or ()) + stack, samples))
    if not mended and not left:
        return Mended(folded)
    return Mended(Folded.of(counted), limit, mended, left)


def _callers(whole: Iterable[tuple[Stack, int]], heads: set[Stack]) -> dict[Stack, Counter[Stack]]:
    """What called each of the `heads` in these stacks, and in how many samples; () where nothing did."""
    first = {head[0] for head in heads}
    seen: dict[Stack, Counter[Stack]] = {}
    for stack, samples in whole:
        for place, name in enumerate(stack):
            if name not in first:
                continue
            for size in range(1, _HEAD + 1):
                head = stack[place : place + size]
                if len(head) == size and head in heads:
                    seen.setdefault(head, Counter())[stack[:place]] += samples
    return seen


def _agreed(stack: Stack, seen: dict[Stack, Counter[Stack]]) -> Stack | None:
    """The callers of `stack`, () if it is whole, None if whole stacks do not agree on them."""
    for size in range(min(_HEAD, len(stack)), 0, -1):
        if counts := seen.get(stack[:size]):
            callers, samples = counts.most_common(1)[0]
            return callers if samples >= _SURE * counts.total() else None
    return ()  # nothing like it: a root of its own
