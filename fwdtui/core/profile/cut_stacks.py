"""Stacks that a profiler cut off: their outermost callers are missing.

hwpmc keeps kern.hwpmc.callchaindepth frames of a stack, by default 16 (hwpmc(4)), and perf keeps
kernel.perf_event_max_stack, by default 127: the leaf and the frames next to it. A forwarded packet's stack is
often deeper. Seen from the root, the same function is then in several places, and one more call on the way to
it looks as if thread and interrupt handler had lost all their samples: in one published pair 30 % of the
samples of one side are cut, and hardly any of the other.

What is missing is taken from stacks of the same profile that are whole. This never changes a leaf. A stack
does not count as cut just because it is the longest: it must have as many frames as the profiler keeps.
"""

from collections import Counter
from collections.abc import Iterable

import msgspec

from fwdtui.core.profile.call_tree import IsIdle
from fwdtui.core.profile.folded import Folded, Stack
from fwdtui.core.profile.record import Profile

HWPMC_DEFAULT, PERF_DEFAULT = 16, 127
_HEAD = 4  # frames by which a cut stack is found in whole ones
_SURE = 0.95  # share of their samples that must have the same callers
_STARTS = 3  # functions that begin only the longest stacks; at least five in published profiles


class Depth(msgspec.Struct, frozen=True):
    """How many frames of a stack a profiler keeps.

    `assumed`: whose default it is; "": it was recorded. `command`: a stack begins with the command's name, as
    perf's do, and it is not one of the frames.
    """

    frames: int
    assumed: str = ""
    command: bool = False

    @property
    def text(self) -> str:
        """``the profiler cut stacks at 16 frames``: the beginning of a sentence."""
        assumed = f" (assumed: the default of {self.assumed})" if self.assumed else ""
        return f"the profiler cut stacks at {self.frames} frames{assumed}"


def depth_of(profile: Profile) -> Depth:
    """The depth that was recorded with a profile, or its profiler's default.

    Folded stacks do not name their profiler: those with a depth that matters here are hwpmc's.
    """
    perf = profile.tool == "perf"
    if profile.depth is not None:
        return Depth(profile.depth, command=perf)
    return Depth(PERF_DEFAULT, "perf", command=True) if perf else Depth(HWPMC_DEFAULT, "hwpmc")


class Mended(msgspec.Struct, frozen=True):
    """`folded`: with the callers put back. `depth`: at which the profiler cut, None if it cut nothing.

    `mended`, `left`: samples of cut stacks whose callers could be put back, and could not.
    """

    folded: Folded
    depth: Depth | None = None
    mended: int = 0
    left: int = 0


def callers(mended: int, left: str) -> str:
    """What the missing callers are, as a sentence. `mended`: as in `Mended`; `left`: their share, or ""."""
    if not mended:
        return "no complete stack shows their callers"
    return f"their callers are taken from complete stacks{left and f', except for {left}'}"


def mend(folded: Folded, idle: IsIdle, depth: Depth | None) -> Mended:
    """Puts back the callers that stacks of the profiler's `depth` lack, where whole stacks agree on them.

    A stack is cut if it has as many frames as the profiler keeps, and begins with functions that have callers
    in other stacks. If the depth is only assumed, the profile itself must show it, see `_shows`. Nothing is
    added if the depth is None, or if any stack is deeper. Idle stacks stay as they are.
    """
    if depth is None:
        return Mended(folded)
    root = int(depth.command)
    limit = depth.frames + root
    if max(map(len, folded.stacks), default=0) != limit:
        return Mended(folded)
    longest = [stack for stack in folded.stacks if len(stack) == limit and not idle(stack)]
    heads = {stack[: root + size] for stack in longest for size in range(1, _HEAD + 1)}
    seen = _callers(((stack, n) for stack, n in folded.stacks.items() if len(stack) < limit), heads, root)
    if depth.assumed and not _shows(longest, seen, root):
        return Mended(folded)
    counted: list[tuple[Stack, int]] = []
    mended = left = 0
    for stack, samples in folded.stacks.items():
        callers: Stack | None = ()
        if len(stack) == limit and not idle(stack):
            callers = _agreed(stack, seen, root)
        if callers is None:
            left += samples
        elif callers:
            mended += samples
        counted.append((stack[:root] + (callers or ()) + stack[root:], samples))
    if not mended and not left:
        return Mended(folded)
    return Mended(Folded.of(counted), depth, mended, left)


def _shows(longest: Iterable[Stack], seen: dict[Stack, Counter[Stack]], root: int) -> bool:
    """Whether the longest stacks of a profile must have been cut.

    Every stack of an uncut profile begins with one of a few entry points. So several functions that always
    have a caller, except in stacks of the profiler's depth, show that these stacks were cut.
    """
    firsts = {stack[: root + 1] for stack in longest}
    return sum(first in seen and () not in seen[first] for first in firsts) >= _STARTS


def _callers(whole: Iterable[tuple[Stack, int]], heads: set[Stack], root: int) -> dict[Stack, Counter[Stack]]:
    """What called each of the `heads` in these stacks, and in how many samples; () where nothing did.

    A head begins with the command, if the stacks do: another command may have got there by another way.
    """
    first = {head[root] for head in heads}
    seen: dict[Stack, Counter[Stack]] = {}
    for stack, samples in whole:
        for place in range(root, len(stack)):
            if stack[place] not in first:
                continue
            for size in range(1, _HEAD + 1):
                head = stack[:root] + stack[place : place + size]
                if place + size <= len(stack) and head in heads:
                    seen.setdefault(head, Counter())[stack[root:place]] += samples
    return seen


def _agreed(stack: Stack, seen: dict[Stack, Counter[Stack]], root: int) -> Stack | None:
    """The callers of `stack`, () if it is whole, None if whole stacks do not agree on them."""
    for size in range(min(_HEAD, len(stack) - root), 0, -1):
        if counts := seen.get(stack[: root + size]):
            callers, samples = counts.most_common(1)[0]
            return callers if samples >= _SURE * counts.total() else None
    return ()  # nothing like it: a root of its own
