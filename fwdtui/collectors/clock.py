"""Where a host's clock stands on the recording's axis: to draw hosts above each other, never for rates.

Every tick is an exchange of times: sent and received by our clock, begun and ended by the host's. Whatever
the two ways took, the reading was made in between, so the offset lies within [sent - begin, received - end]
and half its width bounds the error (F. Cristian, Probabilistic clock synchronization, Distributed
Computing 3, 1989; the on-wire protocol of RFC 5905 section 8 takes the same middle). Of many exchanges the
quickest knows best; an old one is trusted less, for clocks drift apart (RFC 5905 section 10 filters so).
"""

import time
from collections import deque

_WINDOW = 64  # exchanges
_ROUNDING = 1e-6  # seconds
_DRIFT = 500e-6  # the most that ntpd slews, and more than quartz is off


class Axis:
    """The recording's time: seconds since its first sample, by our monotonic clock."""

    def __init__(self) -> None:
        self.origin: float | None = None

    def at(self, local: float) -> float:
        """`local` is seconds of time.monotonic; the first time that anything is placed becomes 0."""
        if self.origin is None:
            self.origin = local
        return local - self.origin

    def now(self) -> float:
        """This moment."""
        return self.at(time.monotonic())


class HostClock:
    """One boot's clock of one host; all times in seconds."""

    def __init__(self) -> None:
        # when, offset, half the width of its bounds
        self._exchanges: deque[tuple[float, float, float]] = deque(maxlen=_WINDOW)
        self._offset: float | None = None
        self.error = float("inf")  # how far off `local` may be

    def exchange(self, sent: float, received: float, begin: float, end: float, grain: float = 0.0) -> float:
        """One tick: `sent` and `received` by time.monotonic here, `begin` and `end` by the host's clock.

        `grain` is what that clock's readings are cut down to. Returns by how many seconds at least the clock
        was set ahead since (negative: back, or it stood still), 0 where it may have run evenly. A clock that
        was set is another clock: this exchange is not taken into account.
        """
        low, high = sent - (begin + grain), received - end
        if high < low - _ROUNDING:
            return 0.0  # the host's clock cannot have run like that: it was stopped or set meanwhile
        for when, offset, width in self._exchanges:
            # both say where the offset lies; that they contradict each other is no matter of delays
            error = width + _DRIFT * (received - when) + _ROUNDING
            if low > offset + error:
                return offset + error - low
            if high < offset - error:
                return offset - error - high
        self._exchanges.append((received, (low + high) / 2, max(0.0, high - low) / 2))
        self.error, self._offset = min(
            (width + _DRIFT * (received - when), offset) for when, offset, width in self._exchanges
        )
        return 0.0

    @property
    def known(self) -> bool:
        return self._offset is not None

    def local(self, t: float) -> float:
        """The host's time `t` by time.monotonic here. Only after an exchange."""
        assert self._offset is not None
        return t + self._offset
