"""What is under the cursor of Textual's own widgets. Imported with the first copy."""

from textual.containers import ScrollableContainer
from textual.dom import DOMNode
from textual.screen import Screen
from textual.widgets import Input, Log, OptionList, Static, TextArea, Tree

from fwdtui.ui.common.copying import Copies, Copy, lines


def usual(node: DOMNode) -> Copy | None:
    """What to copy of a widget of Textual's; None if it has no cursor and no text of its own."""
    if isinstance(node, OptionList):
        if node.highlighted is None:
            return None
        return lines("the entry", plain(node.get_option_at_index(node.highlighted).prompt))
    if isinstance(node, Tree):
        return None if node.cursor_node is None else lines("the entry", plain(node.cursor_node.label))
    if isinstance(node, Log):
        return lines("the log", "\n".join(node.lines))
    if isinstance(node, (Input, TextArea)):
        text = node.value if isinstance(node, Input) else node.text
        return Copy("what was typed", text) if text else Copy("Nothing was typed here yet.", "")
    if isinstance(node, Static):
        text = plain(node.content)
        return lines("the text", text) if text.strip() else None
    if isinstance(node, ScrollableContainer) and not isinstance(node, Screen):
        texts = [plain(one.content) for one in node.query(Static) if one.display]
        text = "\n".join(text for text in texts if text.strip())
        return lines("the text", text) if text else None
    return None


def within(container: DOMNode) -> Copy | None:
    """The first part of a container that can be copied, except input fields."""
    for node in container.walk_children():
        if isinstance(node, Input):
            continue
        copied = node.to_copy() if isinstance(node, Copies) else usual(node)
        if copied is not None:
            return copied
    return None


def plain(shown: object) -> str:
    """What a widget shows, without its styles."""
    return str(getattr(shown, "plain", shown))
