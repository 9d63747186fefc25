"""The app's themes: one is loaded before the first frame, the others after it.

A user's theme is loaded again when its file changes.
"""

from functools import partial
from typing import TYPE_CHECKING

from textual.css.stylesheet import Stylesheet
from textual.filter import ANSIToTruecolor
from textual.theme import Theme

from fwdtui.ui.theme import themes

if TYPE_CHECKING:
    from fwdtui.ui.shell.screens import Screens


class ParsedOnce(Stylesheet):
    """A stylesheet that is parsed again only when the variables, that is the theme, change.

    Textual parses everything again for each screen with a file of its own, and for the first theme.
    """

    def set_variables(self, variables: dict[str, str]) -> None:
        """Textual's own discards what it parsed even if nothing changed."""
        if variables != self._variables:
            super().set_variables(variables)

    def reparse(self) -> None:
        """As Textual's own, but uses the cache. Raises what `parse` raises."""
        self.parse()


def begin(app: "Screens", theme: Theme) -> None:
    """Set the theme of the first frame; nothing is parsed for it yet."""
    app.register_theme(theme)
    app.set_reactive(type(app).theme, theme.name)
    app.set_class(theme.dark, "-dark-mode", update=False)
    app.set_class(not theme.dark, "-light-mode", update=False)
    for one in app._filters:
        if isinstance(one, ANSIToTruecolor):
            one.enabled = not app.native_ansi_color


def go_on(app: "Screens") -> None:
    """After the first frame: load every theme, watch the user's, and report problems of the settings."""
    register_shipped(app)
    _look(app)
    app.set_interval(themes.WATCH_PERIOD, partial(_look, app))
    if app.settings.config.keys:
        app.run_worker(partial(_check_keys, app), thread=True, group="keys")


def register_shipped(app: "Screens") -> None:
    """Register every shipped theme; a user's own of the same name stays."""
    for theme in themes.load_all():
        if theme.name not in app.available_themes:
            app.register_theme(theme)


def remember(app: "Screens", name: str) -> None:
    """Remember the user's theme for the next start."""
    app.settings.remember(theme=name)
    wanted = app.settings.config.theme
    if wanted and wanted != name:
        app.notify(
            f"{app.settings.file} sets theme = {wanted!r}, which applies at the next start.", markup=False
        )


def tell(app: "Screens") -> None:
    """Report the problems of the settings that have not been reported yet."""
    for problem in app.settings.taken_problems():
        app.notify(problem, title="settings", severity="warning", timeout=15, markup=False)


def _look(app: "Screens") -> None:
    for theme in app.settings.user_themes():
        app.register_theme(theme)
        if theme.name == app.theme:
            app.mutate_reactive(type(app).theme)
    tell(app)


def _check_keys(app: "Screens") -> None:
    """Check the user's keys. This loads every screen, so it runs in a thread."""
    from fwdtui.ui.shell import keymap

    app.settings.problems += keymap.check(app.settings.config.keys, app.settings.file)
