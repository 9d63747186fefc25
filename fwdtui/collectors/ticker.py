"""When to ask for which frame, and which answers are still due."""

import math

from fwdtui.collectors.frames import MESSAGES, PLAIN, SLOW

_OUTSTANDING = 3  # plain ticks that may be unanswered before others are left out


class Ticker:
    """The schedule of one sampler: multiples of `interval` on our monotonic clock.

    So hosts of one lab are asked at the same moments, and a schedule that is late catches up instead of
    drifting. `slow` is how often programs may run, `messages` how often the kernel's messages are looked
    at; seconds, never more often than `interval`.
    """

    def __init__(self, interval: float, slow: float, messages: float) -> None:
        self._interval = interval
        self._every = {
            PLAIN: 1,
            SLOW: max(1, round(slow / interval)),
            MESSAGES: max(1, round(messages / interval)),
        }
        self._last: int | None = None
        self._turn = 0
        self._seq = {False: 0, True: 0}  # of samples, of messages
        self._due: dict[tuple[bool, int], tuple[str, float]] = {}
        self.missed = 0  # plain ticks that were not asked for: the host or we were behind

    def next(self, now: float) -> float:
        """When the next tick is due, by time.monotonic; ticks that have passed are missed."""
        number = math.floor(now / self._interval) + 1
        if self._last is not None:
            self.missed += max(0, number - self._last - 1)
            number = max(number, self._last + 1)
        self._last = number
        return number * self._interval

    def kinds(self) -> list[str]:
        """What to ask for in this tick."""
        turn, self._turn = self._turn, self._turn + 1
        pending = [kind for kind, _ in self._due.values()]
        if pending.count(PLAIN) >= _OUTSTANDING:
            self.missed += 1
            return []
        return [
            kind
            for kind, every in self._every.items()
            if turn % every == 0 and (kind == PLAIN or kind not in pending)
        ]

    def stop(self, kind: str) -> None:
        """Never ask for this kind again."""
        self._every.pop(kind, None)

    def asked(self, kind: str, now: float) -> int:
        """Note a tick that is being sent; its sequence number.

        Messages are numbered by themselves, so that the numbers of samples have no holes.
        """
        stream = kind == MESSAGES
        self._seq[stream] += 1
        self._due[stream, self._seq[stream]] = kind, now
        return self._seq[stream]

    def unsent(self, kind: str, seq: int) -> None:
        """It could not be sent."""
        del self._due[kind == MESSAGES, seq]
        self.missed += kind == PLAIN

    def answered(self, kind: str, seq: int) -> float | None:
        """When the frame was asked for; None if it was not. Older ones that have no answer will have none."""
        stream = kind == MESSAGES
        due = self._due.get((stream, seq))
        if due is None or due[0] != kind:
            return None
        for other, number in list(self._due):
            if other == stream and number <= seq:
                del self._due[other, number]
        return due[1]
