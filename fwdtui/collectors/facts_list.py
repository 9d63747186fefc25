"""Facts being gathered from the sections of one answer, and why others are not known."""

from fwdtui.collectors.asking import first_line
from fwdtui.collectors.base import Facts
from fwdtui.collectors.frames import Frame
from fwdtui.core.model import Fact
from fwdtui.core.parse.fields import whole


class FactList:
    """`put` what was found; what was not, but should have been, becomes a note with what the host said."""

    def __init__(self, answer: Frame) -> None:
        self._answer = answer
        self._values: dict[str, Fact] = {}
        self._notes: list[str] = []

    def put(self, key: str, value: Fact | None, needs: str = "") -> None:
        """`needs` names the section that must tell it; without, its absence is not worth a note."""
        if value is not None and value != "":
            self._values[key] = value
        elif needs:
            said = first_line(self._answer.text(needs))
            self._notes.append(f"{key} ({said or 'nothing was said'})")

    def number(self, section: str) -> int | None:
        """A section that is one whole number; None for anything else."""
        return whole(first_line(self._answer.text(section)))

    def done(self) -> Facts:
        return Facts(self._values, tuple(self._notes))
