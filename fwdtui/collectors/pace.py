"""Which readings may become samples, so that no reading gives a rate that the traffic did not have.

A reading takes time, and a starved host may take much of it between its clock and its counters: then the
counters belong to no certain moment. And after a stall several ticks are answered at once: a rate over a
fraction of an interval is noise. Counters are totals, so leaving a reading out loses no packet: the next
rate covers the time, and is exact.
"""

_ERROR = 0.1  # the most that a rate may be off because of when its two readings were made
_CLOSEST = 0.25  # of the interval


class Pace:
    """The readings of one kind, in order. `interval` is what was asked for, in seconds."""

    def __init__(self, interval: float) -> None:
        self._interval = interval
        self._last: float | None = None
        self._width = 0.0

    def refuses(self, begin: float, end: float, grain: float) -> str | None:
        """Why a reading between `begin` and `end` of the host's clock is none, or None; then it counts."""
        t = (begin + end) / 2
        since = self._interval if self._last is None else t - self._last
        if since < _CLOSEST * self._interval:
            return "too soon after the one before"
        # either reading was made somewhere within its width; what the clock's grain adds is no delay
        width = max(0.0, end - begin - 2 * grain)
        if (self._width + width) / 2 > _ERROR * since:
            return f"the host was held up {end - begin:.3f} s while it read its counters"
        self._last, self._width = t, width
        return None
