"""What a flame graph says in words: its heading, and the title of each frame."""

from collections.abc import Sequence

from fwdtui.core.profile.call_tree import CallTree, Frame
from fwdtui.core.profile.comparable import loads, mostly_idle, why_not_per_packet
from fwdtui.core.profile.cut_stacks import Mended, callers
from fwdtui.core.profile.scale import SHARE, Scale
from fwdtui.core.profile.suffixes import Aligned
from fwdtui.core.text import ended
from fwdtui.core.units import grouped
from fwdtui.report.cells import shorten
from fwdtui.report.flame.layout import DEEPEST, Layout, Taken
from fwdtui.report.svgfile import drawable
from fwdtui.stats.figures import NONE, number

ALL = "all that is not idle"
"""The lowest frame, on which the others stand."""
SIDES = ("A", "B")
_NAME_MOST = 300  # columns of a function's name; those of C++ are long
_NOTES, _NOTE_MOST = 3, 200


def plain(text: str, most: int = _NAME_MOST) -> str:
    """Text of a host or a file as one line that XML can hold."""
    return shorten(drawable(text).replace("\t", " "), most)


def amount(value: float, unit: str, *, sign: bool = False) -> str:
    """``12.30 %``, ``1.52 samples per million packets``; a `sign` is that of a difference."""
    if unit == SHARE:
        return f"{number(value, 2, sign)} {'percentage points' if sign else '%'}"
    return f"{number(value, decimals(value), sign)} {unit}"


def decimals(value: float) -> int:
    """Decimals for a number of samples per million packets."""
    return 0 if abs(value) >= 1000 else 1 if abs(value) >= 100 else 2


def counted(samples: int) -> str:
    """``1 234 samples``"""
    return f"{grouped(samples)} sample{'s' * (samples != 1)}"


def idle(tree: CallTree, profile: int) -> str:
    """``31.6 % of all samples were idle``"""
    part = tree.idle_share(profile)
    return f"{NONE if part is None else number(100 * part, 1)} % of all samples were idle"


def of_one(tree: CallTree, one: Taken, mended: Mended, layout: Layout) -> list[str]:
    """What the picture of one profile shows, in sentences."""
    lines = [
        f"Width: share of the {counted(tree.root.samples[0])} that were not idle. "
        f"{idle(tree, 0)} and are left out.",
        "A frame stands on the function that called it. Colours only tell neighbours apart.",
    ]
    return lines + noted([one], tree) + put_back([mended], tree) + not_drawn(layout)


def of_two(
    tree: CallTree, profiles: Sequence[Taken], mended: Sequence[Mended], scale: Scale, layout: Layout
) -> list[str]:
    """What the differential shows, in sentences."""
    lines = [
        f"{side}: {plain(one.label, 80)}, {counted(tree.root.samples[place])} that were not idle"
        f"{'' if scale.unit == SHARE else f', {grouped(one.packets or 0)} packets'}. "
        f"{idle(tree, place)} and are left out."
        for place, (side, one) in enumerate(zip(SIDES, profiles, strict=True))
    ]
    if scale.unit == SHARE:
        lines.append(
            "Width: the mean of both shares of samples that were not idle. "
            "Colour: B minus A, in percentage points."
        )
    else:
        a, b = (amount(value, "") for value in scale.values(tree.root.samples))
        lines.append(
            "Width: the mean of both, in samples per million packets forwarded. Colour: B minus A. "
            f"In all: A {a.strip()}, B {b.strip()}."
        )
    return lines + noted(profiles, tree) + put_back(mended, tree) + not_drawn(layout)


def put_back(mended: Sequence[Mended], tree: CallTree) -> list[str]:
    """From how many samples the profiler cut off the callers, and from where these were taken instead."""
    told = []
    for place, mending in enumerate(mended):
        whole = tree.root.samples[place]
        if mending.depth is None or not whole:
            continue
        side = f"{SIDES[place]}: " if len(mended) > 1 else ""
        cut = number(100 * (mending.mended + mending.left) / whole, 1)
        then = callers(mending.mended, f"{few(100 * mending.left / whole)} %" if mending.left else "")
        told.append(f"{side}{mending.depth.text} in {cut} % of these samples. {then[0].upper()}{then[1:]}.")
    return [text[0].upper() + text[1:] for text in told]


def noted(profiles: Sequence[Taken], tree: CallTree) -> list[str]:
    """What is missing in the profiles, the first few of each; and what makes two of them hard to compare."""
    events = sorted({plain(one.event, 60) for one in profiles if one.event})
    told = [f"They count different events ({', '.join(events)}), so comparing them says little."]
    told *= len(events) > 1
    made = [one.made for one in profiles if one.made is not None]
    if len(profiles) == len(made) > 1:  # one alone is drawn by shares
        told += filter(None, (why_not_per_packet(made, SIDES), loads(made, SIDES)))
    for place, one in enumerate(profiles):
        side = f"{SIDES[place]}: " if len(profiles) > 1 else ""
        told += [f"{side}{mostly}" for mostly in [mostly_idle(tree.idle_share(place))] if mostly]
        told += [f"{side}{ended(plain(note, _NOTE_MOST))}" for note in one.notes[:_NOTES]]
        if more := len(one.notes) - _NOTES:
            told += [f"{side}{more} more note{'s' * (more > 1)} on what is missing."] * (more > 0)
    return told


def renamed(named: Aligned) -> list[str]:
    """The note that functions are named without the compiler's suffix, if any are."""
    return [plain(named.told, 2 * _NAME_MOST)] if named.told else []


def few(percent: float) -> str:
    """A share above zero that may be small: never shown as none."""
    return number(percent, 1) if percent >= 0.05 else "less than 0.1"


def not_drawn(layout: Layout) -> list[str]:
    """How much is in frames that are too narrow or too high above the lowest, if anything is."""
    told = []
    if layout.hidden:
        least = number(100 * layout.least, 1 if round(100 * layout.least, 1) >= 0.1 else 3)
        told.append(
            f"Frames below {least} % of the width are not drawn: {few(100 * layout.hidden)} % in all."
        )
    if layout.beyond:
        told.append(
            f"Stacks are drawn {DEEPEST} frames high: "
            f"the callees above that height, in stacks with {few(100 * layout.beyond)} % of the samples, are "
            "not shown."
        )
    return told


def title_of_one(frame: Frame, scale: Scale, name: str) -> str:
    """What a reader without scripts sees when pointing at a frame."""
    (value,), (own,) = scale.values(frame.samples), scale.values(frame.own)
    shown = f"{name}\n{counted(frame.samples[0])}, {amount(value, scale.unit)} of those not idle"
    return f"{shown}\nin the function itself: {amount(own, scale.unit)}"


def title_of_two(frame: Frame, scale: Scale, name: str) -> str:
    """As `title_of_one`, for the differential."""
    lines = [name]
    for side, value, samples in zip(SIDES, scale.values(frame.samples), frame.samples, strict=True):
        lines.append(f"{side}: {amount(value, scale.unit)}, {counted(samples)}")
    told = "" if scale.differs(frame.samples) else ", within counting noise"
    lines.append(f"B minus A: {amount(scale.difference(frame.samples), scale.unit, sign=True)}{told}")
    lines.append(f"in the function itself: {amount(scale.difference(frame.own), scale.unit, sign=True)}")
    return "\n".join(lines)
