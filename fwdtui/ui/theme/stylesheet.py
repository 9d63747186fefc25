"""Textual parses everything again for each screen that brings a file of its own, and for the first theme."""

from textual.css.stylesheet import Stylesheet


class ParsedOnce(Stylesheet):
    """What was parsed is parsed again only when the variables, that is the theme, changed."""

    def set_variables(self, variables: dict[str, str]) -> None:
        """Textual's own forgets what it parsed even where nothing changed."""
        if variables != self._variables:
            super().set_variables(variables)

    def reparse(self) -> None:
        """As Textual's own, but what is known already is taken from its cache. Raises what `parse` raises."""
        self.parse()
