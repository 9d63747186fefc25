"""The model's time, which follows the real time."""

import math
import time

from fwdtui.labs.simulated.world import STEP, World


class Clock:
    """Seconds since the lab began, by our monotonic clock. The hosts' wall clock began with ours."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.began = time.time()
        self._origin = time.monotonic()

    def now(self) -> float:
        """Seconds since the lab began."""
        return time.monotonic() - self._origin

    def until_step(self) -> float:
        """Seconds until the end of the model's next step."""
        now = self.now()
        return (math.floor(now / STEP + 1e-9) + 1) * STEP - now

    def catch_up(self) -> float:
        """Advances the model to now; returns the model's time, which is the end of its last step."""
        return self.world.advance(self.now())

    def wall(self) -> float:
        """Seconds since 1970 at the model's time."""
        return self.began + self.world.now
