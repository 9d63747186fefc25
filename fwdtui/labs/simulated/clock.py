"""The model's time, tied to ours."""

import time

from fwdtui.labs.simulated.world import World


class Clock:
    """Seconds since the lab began, by our monotonic clock; the hosts' wall clock is ours at that moment."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.began = time.time()
        self._origin = time.monotonic()

    def now(self) -> float:
        """Seconds since the lab began."""
        return time.monotonic() - self._origin

    def catch_up(self) -> float:
        """Advance the model to now; returns its time, the end of its last step."""
        return self.world.advance(self.now())

    def wall(self) -> float:
        """Seconds since 1970 at the model's time."""
        return self.began + self.world.now
