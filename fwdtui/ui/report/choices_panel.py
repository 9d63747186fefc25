"""The choices of the report's title and sections, beside the page, which follows them."""

from dataclasses import replace

from rich.text import Text
from textual import events
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.message import Message
from textual.widgets import Input, Label, SelectionList, Static
from textual.widgets.selection_list import Selection

from fwdtui.core.text import clean
from fwdtui.report.document import PARTS_OF, SECTIONS, Choices
from fwdtui.ui.common.line import Line
from fwdtui.ui.common.marked_list import MarkedList


class ChoicesPanel(Vertical):
    """The panel of choices. `own_title` is the report's default title."""

    class Changed(Message):
        """The choices changed."""

        def __init__(self, choices: Choices) -> None:
            super().__init__()
            self.choices = choices

    class Done(Message):
        """The typed title was accepted."""

    def __init__(self, own_title: str, *, id: str) -> None:
        super().__init__(id=id)
        self._own_title = own_title
        self._choices = Choices()
        self._title_before = own_title  # the title before the user edited it

    def compose(self) -> ComposeResult:
        yield Label("title")
        yield Line(self._own_title, id="title", compact=True, select_on_focus=False)
        yield Label("included")
        yield MarkedList(
            *(Selection(_named(name), name, True) for name in SECTIONS),
            id="sections",
            compact=True,
        )
        yield Static(id="about", markup=False)

    def use(self, name: str) -> None:
        """Show the panel and focus "title" or "sections"."""
        self.add_class("-open")
        self.query_one(f"#{name}").focus()

    def restore_title(self) -> None:
        """If the title is being typed, restore the previous one."""
        title = self.query_one(Input)
        if title.has_focus:
            title.value = self._title_before

    def _change(self, choices: Choices) -> None:
        if choices != self._choices:
            self._choices = choices
            self.post_message(self.Changed(choices))

    def on_descendant_focus(self, event: events.DescendantFocus) -> None:
        """Remember the title when it gets the focus, for Esc to restore."""
        if isinstance(event.widget, Input):
            self._title_before = event.widget.value

    def on_input_changed(self, event: Input.Changed) -> None:
        """Follow the typed title; the default title does not count as a choice."""
        title = clean(event.value).strip()
        self._change(replace(self._choices, title="" if title == self._own_title else title))

    def on_input_submitted(self) -> None:
        """Accept the title with Enter."""
        self.post_message(self.Done())

    def on_selection_list_selected_changed(self) -> None:
        """Follow the chosen sections; parts of a section that is left out cannot be chosen."""
        sections = self.query_one(SelectionList)
        without = frozenset(SECTIONS) - frozenset(sections.selected)
        for place, name in enumerate(SECTIONS):
            gone = PARTS_OF.get(name) in without
            sections.replace_option_prompt_at_index(place, _named(name, name in without or gone))
            if sections.get_option_at_index(place).disabled != gone:  # otherwise the cursor would jump
                (sections.disable_option_at_index if gone else sections.enable_option_at_index)(place)
        self._change(replace(self._choices, without=without))

    def on_selection_list_selection_highlighted(self, event: SelectionList.SelectionHighlighted[str]) -> None:
        """Describe the section under the cursor."""
        self.query_one("#about", Static).update(SECTIONS[event.selection.value])


def _named(section: str, left_out: bool = False) -> Text:
    """A section's label: parts are indented, and "left out" is a word, not a colour."""
    name = f"  {section}" if section in PARTS_OF else section
    return Text(f"{name:<13}left out" if left_out else name)
