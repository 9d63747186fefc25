"""How long a job of known length will still take, estimated from its finished steps, by the caller's clock.

The first step is not counted: it loads modules and fills caches, and may take a thousand times longer than
the others. Of the others, recent ones count more. Nothing is estimated from too little.
"""

import math

_FEWEST = 2  # finished steps before there is an estimate
_SHARE = 0.01  # of the job: this much must be finished, or
_MEASURED = 10.0  # this many seconds must have been measured
_MEMORY = 0.1  # share of the job: after so many further steps a step counts only half, but
_MEMORY_LEAST = 5.0  # never after fewer steps than this
_MINUTE, _HOUR = 60.0, 3600.0


class TimeLeft:
    """Call `step` with what is finished; `seconds` and `text` estimate the rest."""

    def __init__(self) -> None:
        self._finished = 0.0
        self._total = 0.0
        self._at = 0.0  # when `_finished` was reached
        self._steps = 0.0  # weighted, as are the seconds that they took
        self._seconds = 0.0
        self._measured = 0.0

    def step(self, finished: float, total: float, now: float) -> None:
        """`finished` of `total` steps (or bytes) are done at `now`, in seconds of a clock that does not jump.

        A call in which nothing more is finished changes nothing. `total` may change; 0: it is not known.
        """
        self._total = total
        new, seconds = finished - self._finished, now - self._at
        if new <= 0:
            return
        if self._finished > 0:
            memory = max(_MEMORY * total, _MEMORY_LEAST)
            fading = 0.5 ** (new / memory)
            self._steps = self._steps * fading + new
            self._seconds = self._seconds * fading + seconds
            self._measured += seconds
        self._finished, self._at = finished, now

    @property
    def seconds(self) -> float | None:
        """The estimate; None while it would mean nothing, and when the total is not known or reached."""
        left = self._total - self._finished
        if self._steps <= 0 or self._finished < _FEWEST or left <= 0:
            return None
        if self._finished < _SHARE * self._total and self._measured < _MEASURED:
            return None
        return left * self._seconds / self._steps

    def seconds_at(self, now: float) -> float | None:
        """The estimate, counted down since the last step; None also once that time is over."""
        seconds = self.seconds
        if seconds is None or now - self._at >= seconds:
            return None
        return seconds - (now - self._at)

    @property
    def text(self) -> str:
        """The estimate as `told` says it."""
        return told(self.seconds)


def told(seconds: float | None) -> str:
    """``12 s left``, ``4 min left``, ``2 h 10 min left``; "" without an estimate."""
    if seconds is None:
        return ""
    if seconds < 1.5 * _MINUTE:
        return f"{max(math.ceil(seconds), 1)} s left"
    minutes = round(seconds / _MINUTE)
    if seconds < 1.5 * _HOUR:
        return f"{minutes} min left"
    return f"{minutes // 60} h {minutes % 60} min left"
