"""Starts and stops the generator for a screen, one at a time, and says so for as long as it takes.

Both take time: before a start the hosts' settings are read, and a tool that is told to stop gets some seconds
to end by itself. The screen says so meanwhile, and again if the user presses the key again.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from fwdtui.ui.common.ports import LiveControl


class Switching:
    """The starts and stops of one run. A second `start_or_stop` during another does nothing."""

    def __init__(self, control: "LiveControl") -> None:
        self._control = control
        self._tool = self._done = ""  # ``generator`` and ``started``; "": nothing is under way

    @property
    def text(self) -> str:
        """What the heading says about the generator; "" if neither it nor the receiver runs."""
        if self._done:
            return f"{self._tool} being {self._done}"
        return f"{self._what_runs} running" if self._control.generator_running else ""

    @property
    def under_way(self) -> str:
        """What is being done now, in a sentence; "" if nothing is."""
        until = "runs" if self._done == "started" else "has ended"
        return f"The {self._tool} is being {self._done}. Wait until it {until}." if self._done else ""

    @property
    def _what_runs(self) -> str:
        return "receiver" if self._control.only_receiver else "generator"

    async def start_or_stop(self, start: bool) -> None:
        """Start or stop the generator. Raises FwdtuiError or OSError, as the control does."""
        if self._done:
            return
        self._tool, self._done = ("generator", "started") if start else (self._what_runs, "stopped")
        try:
            await (self._control.start_generator() if start else self._control.stop_generator())
        finally:
            self._done = ""
