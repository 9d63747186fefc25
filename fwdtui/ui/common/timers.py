"""Makes sure that a timer that rings once does ring.

Textual's timers skip what is late, so that a repeating one does not try to catch up. One that rings once has
nothing to catch up with, but is skipped, too, if the process gets no processor for longer than the timer's
interval at the moment when it begins (`textual.timer.Timer._run`). A terminal's new size is handled by such a
timer, of 8 ms: if it was lost on a busy machine, the screen kept its old size, and took no later size either.
"""

from typing import Any

from textual.timer import Timer


def ring() -> None:
    """From now on a timer that rings once is never skipped, in the whole process.

    A second call does nothing.
    """
    original = Timer.__init__
    if getattr(original, "rings", False):
        return

    def begin(self: Timer, *args: Any, repeat: int | None = None, skip: bool = True, **more: Any) -> None:
        original(self, *args, repeat=repeat, skip=skip and repeat != 0, **more)

    begin.rings = True  # type: ignore[attr-defined]
    Timer.__init__ = begin  # type: ignore[method-assign]
