"""A call tree as the rows of a list: which are open, their order, what a search finds, what is left out."""

from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

from fwdtui.core.profile.call_tree import CallTree, Frame
from fwdtui.core.profile.folded import Stack
from fwdtui.core.profile.scale import Scale
from fwdtui.report.flame.layout import LEAST

MOST = 2000
"""The most rows that are listed; one more says how many are left out."""
SEEN = 0.1
"""A part of LEAST: small frames that together have less than this get no row. Most would say 0.00 %."""
HOT = 0.1
"""A part of the whole: in a tree from the root, frames with at least this much are open at first."""
SIZE, MOVED = "size", "difference"
"""Orders: by the mean of all profiles, or by how much a frame changed. A profile's number is one, too."""


@dataclass(frozen=True, slots=True)
class Row:
    """A frame, or with `frame` None those that are too small to be listed: `many` of them.

    `path`: the names of the rows that it is below, then its own. `samples`: those of each profile.
    """

    path: Stack
    name: str
    samples: tuple[int, ...]
    frame: Frame | None = None
    open: bool = False
    found: bool = False
    many: int = 0

    @property
    def depth(self) -> int:
        """How many rows it is below."""
        return len(self.path) - 1

    @property
    def folds(self) -> bool:
        """Whether there is anything below it."""
        return self.frame is not None and bool(self.frame.children)


def rows(
    tree: CallTree,
    scale: Scale,
    opened: AbstractSet[Stack],
    order: str | int = SIZE,
    wanted: str = "",
) -> list[Row]:
    """The rows from the top. `opened`: paths of the open ones. `order`: SIZE, MOVED or a profile's number.

    `wanted`: a part of a name, upper or lower case. Then only frames are listed that match, or that have a
    match below them; these are open. Frames with less than LEAST of the whole are put together in a row,
    unless they are wanted.
    """
    least = LEAST * scale.mean(tree.root.samples)
    holds = _holding(tree, wanted.casefold()) if wanted else None
    listed: list[Row] = []
    waiting: list[Row | tuple[Stack, Frame]] = [*reversed(_below((), tree.root, scale, order, least, holds))]
    while waiting and len(listed) < MOST:
        one = waiting.pop()
        if isinstance(one, Row):
            listed.append(one)
            continue
        path, frame = one
        within = holds is not None and any(id(child) in holds for child in frame.children.values())
        is_open = bool(frame.children) and (path in opened or within)
        matches = bool(wanted) and wanted.casefold() in frame.name.casefold()
        listed.append(Row(path, frame.name, tuple(frame.samples), frame, is_open, matches))
        if is_open:
            # below a match everything is shown, else only what leads to one
            shown = None if matches and not within else holds
            waiting += reversed(_below(path, frame, scale, order, least, shown))
    if waiting:
        listed.append(Row(("",), "", (), many=len(waiting)))
    return listed


def hot(tree: CallTree, scale: Scale, part: float = HOT) -> set[Stack]:
    """The paths of the frames with at least this part of the whole."""
    least = part * scale.mean(tree.root.samples)
    opened: set[Stack] = set()
    waiting: list[tuple[Stack, Frame]] = [((), tree.root)] if least else []
    while waiting:
        path, frame = waiting.pop()
        for name, child in frame.children.items():
            if scale.mean(child.samples) >= least:
                opened.add((*path, name))
                waiting.append(((*path, name), child))
    return opened


def matched(tree: CallTree, wanted: str) -> tuple[int, ...]:
    """For each profile, the samples in whose stacks a function matches, each counted once."""
    part = wanted.casefold()
    total = [0] * len(tree.idle)
    waiting = list(tree.root.children.values())
    while waiting:
        frame = waiting.pop()
        if part in frame.name.casefold():
            total = [one + more for one, more in zip(total, frame.samples, strict=True)]
        else:
            waiting.extend(frame.children.values())
    return tuple(total)


def _below(
    path: Stack,
    frame: Frame,
    scale: Scale,
    order: str | int,
    least: float,
    holds: AbstractSet[int] | None,
) -> list[Row | tuple[Stack, Frame]]:
    """What is listed directly below a frame, in order; at the end, frames too small for that in one row."""
    children = [child for child in frame.children.values() if holds is None or id(child) in holds]
    shown = [child for child in children if holds is not None or scale.mean(child.samples) >= least]
    shown.sort(key=lambda child: (-_rank(child.samples, scale, order), child.name))
    listed: list[Row | tuple[Stack, Frame]] = [((*path, child.name), child) for child in shown]
    small = len(children) - len(shown)
    if small:
        left = tuple(_sums(child.samples for child in children if scale.mean(child.samples) < least))
        if scale.mean(left) >= least * SEEN:
            listed.append(Row((*path, ""), "", left, many=small))
    return listed


def _sums(samples: Iterator[Sequence[int]]) -> Iterator[int]:
    return map(sum, zip(*samples, strict=True))


def _rank(samples: Sequence[int], scale: Scale, order: str | int) -> float:
    if isinstance(order, int):
        return scale.values(samples)[order]
    if order == SIZE:
        return scale.mean(samples)
    return abs(scale.difference(samples))


def _holding(tree: CallTree, part: str) -> set[int]:
    """The ids of the frames that match, and of those above them."""
    holding: set[int] = set()
    trail: list[Frame] = []
    waiting: list[tuple[int, Frame]] = [(0, child) for child in tree.root.children.values()]
    while waiting:
        depth, frame = waiting.pop()
        del trail[depth:]
        trail.append(frame)
        if part in frame.name.casefold():
            for one in reversed(trail):
                if id(one) in holding:
                    break  # so are those above it
                holding.add(id(one))
        waiting += [(depth + 1, child) for child in frame.children.values()]
    return holding
