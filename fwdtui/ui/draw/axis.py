"""The upper end of an axis and the places of its ticks."""

from fwdtui.core.units import si

_TOPS = (1.0, 1.2, 1.4, 1.6, 1.8, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 8.0, 10.0)
_STEPS = (1.0, 2.0, 2.5, 5.0, 10.0)
_TIMES = (1, 2, 5, 10, 15, 20, 30, 60, 120, 300, 600, 900, 1800)


def top_of(largest: float) -> float:
    """The upper end of an axis for this largest rate, in steps, so that it stays put while rates jitter."""
    wanted = max(largest, 1.0) * 1.04
    power = 10.0 ** (len(str(int(wanted))) - 1)
    return next(step * power for step in _TOPS if step * power >= wanted)


def ticks(top: float, rows: int) -> list[tuple[int, str]]:
    """The ticks of an axis from 0 to `top` over `rows` rows: (row from the top, label), zero first."""
    if rows < 2:
        return []
    wanted = top / max(1, min(5, round((rows - 1) / 2.6)))
    power = 10.0 ** (len(str(int(wanted))) - 1) if wanted >= 1 else 0.1
    step = next(step * power for step in _STEPS if step * power >= wanted * 0.999)
    labels = []
    value = 0.0
    while value <= top * 1.001:
        dot = round(value * (rows * 4 - 1) / top)
        labels.append((rows - 1 - dot // 4, short(value)))
        value += step
    return labels


def short(value: float) -> str:
    """A number with as few digits as needed: ``1.5 M``, ``0``."""
    number, _, scale = si(value, 3).partition(" ")
    if "." in number:
        number = number.rstrip("0").rstrip(".")
    return f"{number} {scale}".strip()


def time_ticks(span: float, width: int) -> list[tuple[float, str]]:
    """The ticks of a time axis of `span` seconds in `width` cells: (seconds before now, label), now first.

    There is room for each label.
    """
    room = max(int(width // 12), 1)
    steps = [step for step in _TIMES if step >= 60 or span < 240]  # long spans are labelled in minutes
    step = next((step for step in steps if span / step <= room), steps[-1])
    labels = [(0.0, "now")]
    ago = float(step)
    while ago <= span * 0.97:
        text = f"−{ago:g} s" if step < 60 or ago < 60 else f"−{ago / 60:g} min"
        labels.append((ago, text))
        ago += step
    return labels
