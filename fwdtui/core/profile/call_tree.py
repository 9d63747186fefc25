"""The stacks of one profile, or of several beside each other, as a tree of frames."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from fwdtui.core.profile.folded import Folded, Stack

MOST = 200_000
"""Frames of a tree. Real profiles have some thousands; of more the rarest stacks are put together."""
TOO_MANY = "[too many to tell apart]"
"""The frame in which they are, below the last one that is their own."""

IsIdle = Callable[[Stack], bool]
"""Whether a stack is of a core that had nothing to do."""


@dataclass(slots=True)
class Frame:
    """A function where it was called from. `samples` and `own` have a number for each profile.

    `samples`: of the function and all that it called; `own`: of the function itself. In a tree from the
    leaves, the children of a frame are its callers, and `own` are the samples whose stack ends there.
    """

    name: str
    samples: list[int]
    own: list[int]
    children: dict[str, "Frame"] = field(default_factory=dict)

    def below(self) -> Iterator["Frame"]:
        """All frames below this one, a frame before its children. No recursion: stacks may be deep."""
        waiting = list(self.children.values())
        while waiting:
            frame = waiting.pop()
            yield frame
            waiting.extend(frame.children.values())


@dataclass(frozen=True, slots=True)
class CallTree:
    """`root` has no name; its samples are those that are not idle. `idle`: how many are, of each profile."""

    root: Frame
    idle: tuple[int, ...]

    def idle_share(self, profile: int) -> float | None:
        """The part of all samples that is idle, 0 to 1; None without samples."""
        every = self.idle[profile] + self.root.samples[profile]
        return self.idle[profile] / every if every else None


def call_tree(profiles: Sequence[Folded], idle: IsIdle, *, from_leaves: bool = False) -> CallTree:
    """One tree of all `profiles`, without their idle stacks.

    `from_leaves`: the functions that were running are the root's children, and callers are below them.
    """
    many = len(profiles)
    root = Frame("", [0] * many, [0] * many)
    idled = [0] * many
    busy: list[tuple[int, Stack, int]] = []
    for place, profile in enumerate(profiles):
        for stack, samples in profile.stacks.items():
            if idle(stack):
                idled[place] += samples
            else:
                busy.append((samples, stack, place))
    if sum(len(stack) for _, stack, _ in busy) > MOST:
        busy.sort(key=lambda one: (-one[0], one[1:]))
    left = MOST
    for samples, stack, place in busy:
        frame = root
        frame.samples[place] += samples
        for name in reversed(stack) if from_leaves else stack:
            below = frame.children.get(name)
            if below is None and left <= 0:
                name, below = TOO_MANY, frame.children.get(TOO_MANY)
            if below is None:
                below = frame.children[name] = Frame(name, [0] * many, [0] * many)
                left -= 1
            frame = below
            frame.samples[place] += samples
            if name is TOO_MANY:
                break
        frame.own[place] += samples
    return CallTree(root, tuple(idled))
