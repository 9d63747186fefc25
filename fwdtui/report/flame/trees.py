"""One profile or two as trees from both ends, for a list that opens and folds."""

from collections.abc import Sequence
from dataclasses import dataclass

from fwdtui.core.profile.call_tree import CallTree, IsIdle, call_tree
from fwdtui.core.profile.cut_stacks import Mended, callers, mend
from fwdtui.core.profile.scale import SHARE, Scale
from fwdtui.core.profile.suffixes import aligned
from fwdtui.core.units import grouped
from fwdtui.report.flame import words
from fwdtui.report.flame.layout import Taken, scale_of
from fwdtui.stats.figures import NONE, number


@dataclass(frozen=True, slots=True)
class Trees:
    """`leaves`: the functions that ran, their callers below them; `root`: from thread and interrupt on.

    Callers that the profiler cut off are put back in both, so that a search finds as much in either. `shares`
    says in a line what the figures are and how much was idle; `sides` says whose they are. `cut`: of how many
    samples the callers were put back. `notes`: what is missing in the profiles, or makes two of them hard to
    compare.
    """

    leaves: CallTree
    root: CallTree
    scale: Scale
    shares: str
    sides: str
    cut: str
    notes: tuple[str, ...]

    @property
    def pair(self) -> bool:
        """Whether two profiles are beside each other."""
        return len(self.scale.each) > 1


def trees(profiles: Sequence[Taken], idle: IsIdle) -> Trees:
    """The trees of one profile, or of two: A and B.

    Slow for many stacks; changes nothing, so it may be called in a thread.
    """
    named = aligned([one.folded for one in profiles])
    mended = [mend(folded, idle, one.depth) for folded, one in zip(named.profiles, profiles, strict=True)]
    root = call_tree([one.folded for one in mended], idle)
    leaves = call_tree([one.folded for one in mended], idle, from_leaves=True)
    scale = scale_of(root, profiles)
    return Trees(
        leaves,
        root,
        scale,
        _shares(root, scale),
        _sides(root, profiles, scale),
        _cut(mended, root),
        (*words.noted(profiles, root), *words.renamed(named)),
    )


def _shares(tree: CallTree, scale: Scale) -> str:
    """``% of non-idle samples (idle: A 31.6 %, B 57.3 %); ~: counting noise``: fits 80 columns."""
    idle = []
    for place in range(len(scale.each)):
        part = tree.idle_share(place)
        idle.append(f"{_side(scale, place)}{NONE if part is None else number(100 * part, 1)} %")
    what = "% of non-idle samples" if scale.unit == SHARE else "samples per million packets"
    counting = "; ~: counting noise" if len(idle) > 1 else ""
    return f"{what} (idle: {', '.join(idle)}){counting}"


def _sides(tree: CallTree, profiles: Sequence[Taken], scale: Scale) -> str:
    """Whose profiles they are, and how many samples are not idle."""
    told = []
    for place, one in enumerate(profiles):
        packets = "" if scale.unit == SHARE else f", {grouped(one.packets or 0)} packets"
        busy = words.counted(tree.root.samples[place])
        told.append(f"{_side(scale, place)}{words.plain(one.label, 60)}: {busy}{packets}")
    return "; ".join(told)


def _cut(mended: Sequence[Mended], tree: CallTree) -> str:
    """``Stacks were cut at 16 frames, 36.9 % of A, 1.6 % of B; no complete stack shows their callers.``"""
    depths = {one.depth for one in mended if one.depth is not None}
    if not depths:
        return ""
    parts, left = [], []
    for place, one in enumerate(mended):
        whole = tree.root.samples[place]
        side = f" of {words.SIDES[place]}" if len(mended) > 1 else ""
        if one.depth is not None and whole:
            parts.append(f"{words.few(100 * (one.mended + one.left) / whole)} %{side}")
            left += [f"{words.few(100 * one.left / whole)} %{side}"] if one.left else []
    frames = " and ".join(map(str, sorted({one.frames for one in depths})))
    defaults = " and ".join(sorted({one.assumed for one in depths if one.assumed}))
    assumed = f" (assumed: the default of {defaults})" if defaults else ""
    told = callers(sum(one.mended for one in mended), " and ".join(left))
    return f"Stacks were cut at {frames} frames{assumed}, {', '.join(parts)}; {told}."


def _side(scale: Scale, place: int) -> str:
    return f"{words.SIDES[place]} " if len(scale.each) > 1 else ""
