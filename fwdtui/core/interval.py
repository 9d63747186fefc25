"""When an interval of measurement lies within bounds: the one definition, for samples, rates and points."""

SLACK = 0.01
"""Of an interval: hosts' clocks are laid together that well, and a log's own clock prints no better."""


def lies_within(at: float, seconds: float, bounds: tuple[float, float]) -> bool:
    """Whether the interval that ends at `at` and lasts `seconds` lies whole between the bounds.

    All in seconds on one axis. One that reaches over an edge by more than its slack holds a part of what was
    before or after, such as a generator's start.
    """
    start, end = bounds
    slack = SLACK * seconds
    return at - seconds >= start - slack and at <= end + slack
