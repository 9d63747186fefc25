"""When to ask for which frame, which answers are still due, and which readings may become samples.

A reading takes time, and on a starved host much time may pass between reading the clock and reading the
counters: then the time of the counters is uncertain. And after a stall several ticks are answered at once: a
rate over a fraction of an interval is noise. Counters are totals, so skipping a reading loses no packets: the
next rate covers the skipped time as well, and is exact.
"""

import math

from fwdtui.collectors.frames import MESSAGES, PLAIN, SLOW

_OUTSTANDING = 3  # plain ticks that may be unanswered before further ones are skipped ...
_ON_THE_WAY = 0.3  # seconds: ... or as many as fall into this time, a slow round trip


class Ticker:
    """The schedule of one sampler: a tick at each multiple of `interval` on our monotonic clock.

    So all hosts of a lab are asked at the same moments, and a late schedule catches up instead of drifting.
    `slow` is how often programs may run, `messages` how often the kernel's messages are read; both are in
    seconds, and neither happens more often than once per `interval`.
    """

    def __init__(self, interval: float, slow: float, messages: float) -> None:
        self._interval = interval
        self._every = {
            PLAIN: 1,
            SLOW: max(1, round(slow / interval)),
            MESSAGES: max(1, round(messages / interval)),
        }
        self._stopped: dict[str, int] = {}
        self._outstanding = max(_OUTSTANDING, round(_ON_THE_WAY / interval))
        self._last: int | None = None
        self._turn = 0
        self._seq = {False: 0, True: 0}  # the last number of samples (False) and of messages (True)
        self._due: dict[tuple[bool, int], tuple[str, float]] = {}
        self.missed = 0  # plain ticks that were not asked for because the host or we were behind

    def next(self, now: float) -> float:
        """When the next tick is due, by time.monotonic. Ticks that have passed are counted as missed."""
        number = math.floor(now / self._interval) + 1
        if self._last is not None:
            self.missed += max(0, number - self._last - 1)
            number = max(number, self._last + 1)
        self._last = number
        return number * self._interval

    def kinds(self) -> list[str]:
        """The kinds of frames to ask for in this tick; none if too many answers are still due."""
        turn, self._turn = self._turn, self._turn + 1
        pending = [kind for kind, _ in self._due.values()]
        if pending.count(PLAIN) >= self._outstanding:
            self.missed += 1
            return []
        return [
            kind
            for kind, every in self._every.items()
            if turn % every == 0 and (kind == PLAIN or kind not in pending)
        ]

    def stop(self, kind: str) -> None:
        """Stops asking for this kind."""
        if kind in self._every:
            self._stopped[kind] = self._every.pop(kind)

    def resume(self, kind: str) -> None:
        """Asks for this kind again, as often as before."""
        if kind in self._stopped:
            self._every[kind] = self._stopped.pop(kind)

    def asked(self, kind: str, now: float) -> int:
        """Records a tick that is being sent and returns its sequence number.

        Messages are numbered separately, so the numbers of samples have no gaps.
        """
        stream = kind == MESSAGES
        self._seq[stream] += 1
        self._due[stream, self._seq[stream]] = kind, now
        return self._seq[stream]

    def unsent(self, kind: str, seq: int) -> None:
        """Records that a tick could not be sent."""
        del self._due[kind == MESSAGES, seq]
        self.missed += kind == PLAIN

    def answered(self, kind: str, seq: int) -> float | None:
        """When the frame was asked for; None if it was not. Older frames that are still due are given up."""
        stream = kind == MESSAGES
        due = self._due.get((stream, seq))
        if due is None or due[0] != kind:
            return None
        for other, number in list(self._due):
            if other == stream and number <= seq:
                del self._due[other, number]
        return due[1]


_ERROR = 0.1  # the largest relative error of a rate that the uncertain times of its two readings may cause
_CLOSEST = 0.25  # of the interval: the least time between two readings


class Pace:
    """Judges the readings of one kind, in order. `interval` is the requested one, in seconds."""

    def __init__(self, interval: float) -> None:
        self._interval = interval
        self._last: float | None = None
        self._began: float | None = None
        self._width = 0.0

    def refuses(self, begin: float, end: float, grain: float) -> str | None:
        """Why a reading between `begin` and `end` of the host's clock does not count; None: it counts."""
        t = (begin + end) / 2
        if self._began is None:
            self._began = t - self._interval
        # measured from the first attempt: so even where every reading takes long, one counts after a while
        since = t - (self._began if self._last is None else self._last)
        if since < _CLOSEST * self._interval:
            return "too soon after the one before"
        # each reading was made at some moment between begin and end; the clock's granularity is not a delay
        width = max(0.0, end - begin - 2 * grain)
        if (self._width + width) / 2 > _ERROR * since:
            return f"the host was held up {end - begin:.3f} s while it read its counters"
        self._last, self._width = t, width
        return None
