"""The design of a comparison in words: ``3 boots of 5 iterations; compared by the means of boots``."""

from fwdtui.core.units import counted
from fwdtui.stats.design import SEQUENTIAL, Design, Units
from fwdtui.stats.looks import in_words as looked_in_words
from fwdtui.stats.results import BLOCK, Analysis, Look, Plan

_ORDERS = {"interleaved": "interleaved (ABBA)", "random": "random within blocks", "sequential": "in sequence"}


def order_in_words(order: str) -> str:
    """``interleaved (ABBA)``"""
    return _ORDERS.get(order, order)


def analysis_of(
    design: Design, plan: Plan | None, labels: tuple[str, str], look: Look | None = None
) -> Analysis:
    """What the JSON says of the design. `plan`: what would decide, in its units. `labels`: both sides'."""
    told = [in_words(design, labels), looked_in_words(look) if look else ""]
    return Analysis(
        unit=design.unit,
        paired=design.paired,
        rebooted=design.rebooted,
        base=() if design.by_iteration else _sizes(design.base),
        other=() if design.by_iteration else _sizes(design.other),
        order=design.order or None,
        left_out=design.left_out,
        to_decide=plan,
        look=look,
        text="; ".join(text for text in told if text),
    )


def _sizes(units: Units) -> tuple[int, ...]:
    return units.sizes or (1,) * len(units.values)


def in_words(design: Design, labels: tuple[str, str]) -> str:
    """The design in a line, without a full stop; "" for iterations of no experiment, compared as they are."""
    # the order in words says that it was measured in sequence
    why = f", because {design.unpaired}" if design.unpaired and design.order != SEQUENTIAL else ""
    if design.by_iteration:
        return f"measured {order_in_words(design.order)}; not paired{why}" if design.order else ""
    base, other = (_side(units, design) for units in (design.base, design.other))
    both = base if base == other else f"{labels[0]}: {base}, {labels[1]}: {other}"
    if design.unit != BLOCK:
        single = all(size == 1 for units in (design.base, design.other) for size in units.sizes)
        order = f", {order_in_words(design.order)}" if design.order else ""
        by = f"{both}{order}; compared by {'boot' if single else 'the means of boots'}"
        return f"{by}, not paired{why}" if why else by
    boots = ", each on a boot of its own" if design.rebooted else ""
    text = f"{both}{boots}, {order_in_words(design.order)}"
    if not design.paired:
        return f"{text}; compared by the means of blocks, not paired{why}"
    return f"{text}; paired by block on logarithms"


def _side(units: Units, design: Design) -> str:
    """``3 boots of 5 iterations``; of a side that ran on one boot ``5 iterations on one boot``."""
    if not units.sizes:
        where = " on one boot" if len(units.boots) == 1 else ""
        return f"{counted(len(units.values), 'iteration')}{where}"
    low, high = min(units.sizes), max(units.sizes)
    each = counted(low, "iteration") if low == high else f"{low} to {high} iterations"
    return f"{counted(len(units.values), design.unit)} of {each}"
