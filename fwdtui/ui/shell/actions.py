"""The actions of keys that mean the same on every screen: help, copying, messages, themes."""

from collections import deque

from textual import events

from fwdtui.ui.common.own_keys import key
from fwdtui.ui.shell import theming
from fwdtui.ui.shell.screens import Screens

Notices = deque[tuple[float, str, str, str]]
"""The newest notices of this run: when (seconds since 1970), severity, title, text."""


class Actions(Screens):
    """The app's own actions. A module that only one of them needs is imported when that action runs."""

    told_of_copies = False
    """Whether a notice has said which file the copies are in, for terminals that do not take them."""
    notices: Notices

    def action_help_quit(self) -> None:
        """Say how to quit; ctrl+c does this where nothing can be copied."""
        bindings = [one.binding for one in self.screen.active_bindings.values()]
        keys = [self.get_key_display(one) for one in bindings if one.action == "quit"]
        self.notify(f"{keys[0] if keys else key('app.quit_always', 'ctrl+q')} quits fwdtui.")

    def action_copy(self) -> None:
        """Copy what is under the cursor, as plain text."""
        from fwdtui.ui.shell import copy_key

        copy_key.copy(self, copy_key.under_cursor(self.screen))

    def action_toggle_help(self) -> None:
        """Open or close the help: what this screen is about, and its keys."""
        from fwdtui.ui.shell import help_panel  # it loads a Markdown parser

        help_panel.toggle(self)

    def copy_to_clipboard(self, text: str) -> None:
        """Copy selected text, for which Textual's widgets call this; it gets a notice, too."""
        from fwdtui.ui.common.copying import lines
        from fwdtui.ui.shell import copy_key

        copy_key.copy(self, lines("the selected text", text))

    def put_into_clipboard(self, text: str) -> None:
        """Send `text` to the terminal's clipboard."""
        super().copy_to_clipboard(text)

    def on_resize(self, event: events.Resize) -> None:
        """Turn an open help panel into a page if the terminal has become too narrow for it."""
        if self.screen_stack and self.screen.query("HelpPanel"):
            from fwdtui.ui.shell import help_panel

            self.call_later(help_panel.fit, self)

    def action_messages(self) -> None:
        """Show the messages of this run once more, to read or copy."""
        from fwdtui.ui.shell.messages import MessagesScreen

        self.push_screen(MessagesScreen(tuple(self.notices)))

    def action_hide_help(self) -> None:
        """Close the help."""
        from fwdtui.ui.shell import help_panel

        help_panel.hide(self.screen)

    def search_themes(self) -> None:
        """Choose a theme, with previews."""
        from fwdtui.ui.shell.commands import ThemePalette

        self.push_screen(ThemePalette(self.theme))

    def choose_theme(self, name: str) -> None:
        """Use a theme now and at the next start."""
        self.theme = name
        theming.remember(self, name)
