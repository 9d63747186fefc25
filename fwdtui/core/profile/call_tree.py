"""The stacks of one profile, or of several beside each other, as a tree of frames."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from fwdtui.core.profile.folded import Folded, Stack

MOST = 200_000
"""The most frames of a tree. Real profiles have some thousands; beyond it, the rarest stacks are joined."""
TOO_MANY = "[too many to tell apart]"
"""The frame that these are put into, below the last frame of their own."""

IsIdle = Callable[[Stack], bool]
"""Whether a stack belongs to a core that had nothing to do."""


@dataclass(slots=True)
class Frame:
    """A function, at the place that it was called from. `samples` and `own` have a number for each profile.

    `samples`: those of the function and of all that it called; `own`: those of the function itself. In a tree
    from the leaves, a frame's children are its callers, and `own` are the samples whose stack ends there.
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
    """`root` has no name; its samples are those that are not idle. `idle`: each profile's idle samples."""

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
