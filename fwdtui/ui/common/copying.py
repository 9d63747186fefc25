"""What `y` copies: what is under the cursor, as the focused widget says, or else what contains it.

The text is plain, without frames or markup. The cells of a table are separated by tabs, and numbers are those
that the screen shows.
"""

from collections.abc import Iterable, Sequence
from typing import NamedTuple, Protocol, runtime_checkable

from textual.binding import Binding

from fwdtui.core.text import clean

IN_LIST = Binding(
    "y,ctrl+c", "app.copy", "copy", show=False, id="list.copy", tooltip="The entry under the cursor"
)
"""The key for a dialog with a list, which the app's own key does not reach."""
IN_DIALOG = Binding(
    "ctrl+c", "app.copy", "copy", show=False, id="dialog.copy", tooltip="What the dialog shows"
)
"""The key for a dialog in which `y` says yes, or is text."""
COPIED = "Copied: "
"""The beginning of the notice that says what was copied."""


class Copy(NamedTuple):
    """A text to copy. `what` names it in the notice: ``row n311215, 9 values``.

    `text` is empty if nothing can be copied; `what` then says why, in a sentence.
    """

    what: str
    text: str


@runtime_checkable
class Copies(Protocol):
    """A widget or a screen that knows what is under its cursor."""

    def to_copy(self) -> Copy | None:
        """What is under the cursor; None: ask what contains this widget."""


def row(name: str, values: Sequence[str]) -> Copy:
    """A row of a table: its values as they are shown, none of them shortened."""
    some = f"{len(values)} value{'s' * (len(values) != 1)}"
    return Copy(f"row {clean(name)}, {some}", line(values))


def lines(name: str, text: str) -> Copy:
    """A text of several lines. `name` is what the notice calls it."""
    count = len(text.strip("\n").split("\n"))
    return Copy(f"{name}, {count} line{'s' * (count != 1)}", text)


def table(name: str, rows: Iterable[Sequence[str]]) -> Copy:
    """The rows of a table, with its heads as the first row. `name` is what the notice calls it."""
    return lines(name, "\n".join(map(line, rows)))


def line(values: Sequence[str]) -> str:
    """Cells separated by tabs; a tab or a line end inside a cell becomes a space."""
    return "\t".join(" ".join(value.replace("\t", " ").splitlines()) for value in values)
