"""Where the frames of a flame graph are: their places and widths, from 0 to 1, and what is not drawn."""

from collections.abc import Sequence
from dataclasses import dataclass

import msgspec

from fwdtui.core.profile import Folded, Profile
from fwdtui.core.profile.call_tree import CallTree, Frame
from fwdtui.core.profile.cut_stacks import Depth
from fwdtui.core.profile.scale import Scale, per_million, share

LEAST = 0.001  # of the whole width: less is about a pixel
MOST = 3000  # frames that are drawn: a browser shows and searches them at once
DEEPEST = 200  # frames above each other


class Taken(msgspec.Struct, frozen=True):
    """A profile as it is drawn: whose it is, and the packets forwarded while it was taken, if known.

    `notes`: what is missing in it, as sentences without a full stop. `depth`: see cut_stacks.mend. `event`:
    what its samples were taken by; "": not known. `made`: how it was taken, None: not known.
    """

    label: str
    folded: Folded
    packets: float | None = None
    notes: tuple[str, ...] = ()
    depth: Depth | None = None
    event: str = ""
    made: Profile | None = None


@dataclass(frozen=True, slots=True)
class Box:
    """A frame, `depth` frames above the lowest ones, from `left` on; `left` and `width` are 0 to 1."""

    frame: Frame
    depth: int
    left: float
    width: float


@dataclass(frozen=True, slots=True)
class Layout:
    """The frames that are drawn, and what is not. Widths are parts of the whole width.

    `least`: frames that are narrower than this are not drawn; `hidden`: the width of these in all. `beyond`:
    the width in all of frames that are wide enough, but would be more than DEEPEST frames high.
    """

    boxes: tuple[Box, ...]
    least: float
    hidden: float
    beyond: float = 0.0

    @property
    def depth(self) -> int:
        """How many frames are above each other."""
        return max((box.depth for box in self.boxes), default=-1) + 1


def scale_of(tree: CallTree, profiles: Sequence[Taken]) -> Scale:
    """Samples per million packets if two profiles are compared and both know their packets, else shares."""
    packets = [one.packets for one in profiles if one.packets]
    if len(profiles) > 1 and len(packets) == len(profiles):
        return per_million(tree.root.samples, packets)
    return share(tree.root.samples)


def layout(tree: CallTree, scale: Scale, *, least: float = LEAST, most: int = MOST) -> Layout:
    """Every frame of at least `least` of the width, and of them the `most` widest.

    The width of a frame is the mean of all profiles, so that a frame that only one of them has is drawn, too,
    and callees are never wider than their caller. Neighbours are in the order of their names: the same
    function is at about the same place in every picture.
    """
    whole = scale.mean(tree.root.samples)
    if not whole:
        return Layout((), least, 0.0)
    widths = sorted((scale.mean(frame.samples) / whole for frame in tree.root.below()), reverse=True)
    if len(widths) > most:
        least = max(least, widths[most] * (1 + 1e-9))  # frames as wide as the first left out go, too
    boxes: list[Box] = []
    hidden = beyond = 0.0
    waiting = [Box(tree.root, -1, 0.0, 1.0)]
    while waiting:
        box = waiting.pop()
        left = box.left
        above: list[Box] = []
        for _, frame in sorted(box.frame.children.items()):
            width = scale.mean(frame.samples) / whole
            if width < least:
                hidden += width
                continue
            if box.depth + 1 >= DEEPEST:
                beyond += width
                continue
            above.append(Box(frame, box.depth + 1, left, width))
            left += width
        boxes += above
        waiting += reversed(above)
    return Layout(tuple(boxes), least, hidden, beyond)
