"""Whether a measurement interval lies within bounds: the one definition for samples, rates and points."""

SLACK = 0.01
"""Share of an interval: hosts' clocks are aligned this closely, and a log's own clock is no more precise."""

JOINED = 0.5
"""Share of an interval: a shorter stretch between two samples is jitter of their source, not a gap."""

MUCH = 0.1
"""If this share of a blast or more has no samples, its value may hold only for the rest of the blast."""


def lies_within(at: float, seconds: float, bounds: tuple[float, float]) -> bool:
    """Whether the interval that ends at `at` and lasts `seconds` lies entirely between the bounds.

    All in seconds on one axis. An interval that crosses a bound by more than its slack includes part of what
    came before or after, such as a generator's start.
    """
    start, end = bounds
    slack = SLACK * seconds
    return at - seconds >= start - slack and at <= end + slack
