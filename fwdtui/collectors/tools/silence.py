"""A generator that runs and sends nothing."""

from fwdtui.core.model import RateSample

_SECONDS = 5.0


class Silence:
    """Watches the samples of one generator; says so once when nothing has left for five seconds."""

    def __init__(self) -> None:
        self._seconds = 0.0
        self._said = False

    def saw(self, sample: RateSample) -> str | None:
        """A text when the silence has become long, else None."""
        if sample.pps > 0:
            self._seconds = 0.0
            self._said = False
            return None
        self._seconds += sample.interval
        if self._seconds < _SECONDS or self._said:
            return None
        self._said = True
        return f"0 pps for {self._seconds:.0f} s"
