"""A line of a form: pasted lines go on into the lines below it, as if they had been typed."""

from textual import events
from textual.message import Message
from textual.widgets import Input


class Answer(Input):
    """Takes the first line of what is pasted and hands on the others."""

    class More(Message):
        """The lines after the first one that were pasted."""

        def __init__(self, answer: "Answer", lines: list[str]) -> None:
            super().__init__()
            self.answer, self.lines = answer, lines

    def _on_paste(self, event: events.Paste) -> None:
        event.prevent_default()
        event.stop()
        first, *more = event.text.split("\n")
        self.replace(first, *self.selection)
        if more:
            self.post_message(self.More(self, more))
