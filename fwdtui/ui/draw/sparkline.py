"""Values as one row of blocks."""

from collections.abc import Sequence

BLOCKS = "▁▂▃▄▅▆▇█"


def sparkline(values: Sequence[float | None], width: int, *, low: float | None = None) -> str:
    """The newest `width` values as blocks, from `low` (else the least) to the largest. None is a space.

    Equal values are drawn at half height, so that they do not look like a spread. An ellipsis stands for
    older values for which there is no room.
    """
    older = "…" if len(values) > width > 0 else ""
    room = width - len(older)
    shown = list(values)[-room:] if room > 0 else []
    known = [value for value in shown if value is not None]
    if not known:
        return older + " " * len(shown)
    bottom, top = min(known) if low is None else low, max(known)
    return older + "".join(" " if value is None else block(value, bottom, top) for value in shown)


def block(value: float, bottom: float, top: float) -> str:
    """The block for a value between `bottom` and `top`."""
    if top <= bottom:
        return BLOCKS[3]
    place = (value - bottom) / (top - bottom) * (len(BLOCKS) - 1)
    return BLOCKS[min(max(round(place), 0), len(BLOCKS) - 1)]
