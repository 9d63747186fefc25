"""The user's settings and the app's memory, read once before the first frame, and the user's themes.

Themes are read again when they change.
"""

from collections.abc import Iterable, Iterator

from textual.theme import BUILTIN_THEMES, Theme

from fwdtui.core.errors import FwdtuiError
from fwdtui.ui.common import config, state
from fwdtui.ui.theme import themes


class Settings:
    """config.toml, state.json and the user's themes. Never raises: see `problems`."""

    def __init__(self) -> None:
        self.file = config.folder() / "config.toml"
        self.config = config.read(self.file)
        self.memory = state.Memory(state.folder() / "state.json")
        self.problems: list[str] = [*self.config.problems]
        if self.memory.problem:
            self.problems.append(self.memory.problem)
        self._watch = themes.ThemeWatch(config.themes_folder())
        self._read_first: list[Theme] = []
        """The user's themes that were read to find the first one: they still have to be registered."""
        self._told = self.memory.problem

    def first_theme(self, no_color: bool) -> Theme:
        """The theme of the first frame. A shipped one is read without reading the others.

        `no_color` takes precedence over config.toml, which takes precedence over the last choice. Either may
        be any theme of the app's list, so also one of Textual's.
        """
        wanted = themes.MONOCHROME if no_color else self.config.theme or self.memory.state.theme
        chosen = None
        try:
            chosen = themes.load_shipped(wanted)
            if wanted and chosen is None:
                self._read_first = [*self.user_themes()]
                ours = {theme.name: theme for theme in self._read_first}
                chosen = ours.get(wanted) or BUILTIN_THEMES.get(wanted)
        except FwdtuiError as error:
            self.problems.append(str(error))
        if wanted and chosen is None and self.config.theme == wanted:
            self.problems.append(f"{self.file}: theme: there is no theme {wanted!r}")
        return chosen or themes.load_shipped(themes.DEFAULT) or themes.load_all()[0]

    def user_themes(self) -> Iterator[Theme]:
        """The user's new or changed themes; one that cannot be read becomes a problem."""
        read, self._read_first = self._read_first, []
        yield from read
        for theme_or_error in self._watch.changed():
            if isinstance(theme_or_error, FwdtuiError):
                self.problems.append(str(theme_or_error))
            else:
                yield theme_or_error

    def remember(self, **values: object) -> None:
        """Set these values in state.json. A failure to write it is reported once."""
        self.memory.change(**values)
        if self.memory.problem and self.memory.problem != self._told:
            self._told = self.memory.problem
            self.problems.append(self.memory.problem)

    def taken_problems(self) -> Iterable[str]:
        """The problems that have not been reported yet."""
        new, self.problems = self.problems, []
        return new
