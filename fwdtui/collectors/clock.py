"""Maps a host's clock to the recording's axis: to draw hosts above each other, never for rates.

Every tick is an exchange of times: sent and received by our clock, begun and ended by the host's. However
long each direction took, the reading was made in between, so the offset between the clocks lies within
[sent - begin, received - end], and half the width of that interval bounds the error of its middle
(F. Cristian, Probabilistic clock synchronization, Distributed Computing 3, 1989; the on-wire protocol of
RFC 5905 section 8 takes the same middle). The quickest of many exchanges is the most precise; old ones are
trusted less, because clocks drift apart (RFC 5905 section 10 filters in the same way).
"""

import time
from collections import deque

_WINDOW = 64  # exchanges
_ROUNDING = 1e-6  # seconds
_DRIFT = 500e-6  # the most that ntpd slews, and more than the error of a quartz


def asleep() -> float:
    """Seconds for which this machine has been suspended, while time.monotonic stood still; 0 if unknown."""
    if not hasattr(time, "CLOCK_BOOTTIME"):
        return 0.0
    return time.clock_gettime(time.CLOCK_BOOTTIME) - time.monotonic()


class Axis:
    """The recording's time: seconds since its first sample, by our monotonic clock."""

    def __init__(self) -> None:
        self.origin: float | None = None

    def at(self, local: float) -> float:
        """The place of `local` (seconds of time.monotonic); the first call defines 0."""
        if self.origin is None:
            self.origin = local
        return local - self.origin

    def now(self) -> float:
        """The current time on the axis."""
        return self.at(time.monotonic())


class HostClock:
    """The clock of one host within one boot; all times in seconds."""

    def __init__(self) -> None:
        # of each exchange: when it was, its offset, and half the width of the offset's bounds
        self._exchanges: deque[tuple[float, float, float]] = deque(maxlen=_WINDOW)
        self._offset: float | None = None
        self.error = float("inf")  # seconds that `local` may be off by

    def exchange(self, sent: float, received: float, begin: float, end: float, grain: float = 0.0) -> float:
        """Adds one tick: `sent` and `received` by our time.monotonic, `begin` and `end` by the host's clock.

        `grain` is the granularity of that clock's readings. Returns by how many seconds, at least, the host's
        clock was set ahead since an earlier exchange (negative: it was set back, or stood still); 0 if it may
        have run evenly. A clock that was set is another clock: this exchange is then ignored.
        """
        low, high = sent - (begin + grain), received - end
        if high < low - _ROUNDING:
            return 0.0  # impossible for a running clock: it was stopped or set in the meantime
        for when, offset, width in self._exchanges:
            # both exchanges bound the offset: if the bounds do not overlap, delays cannot explain it
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
        """The host's time `t`, converted to our time.monotonic. Needs an exchange first (`known`)."""
        assert self._offset is not None
        return t + self._offset
