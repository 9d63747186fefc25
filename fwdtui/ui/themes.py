"""Themes are TOML files: colours of the interface, of the graphs and of the verdicts.

They lie in themes/ beside the package (inside it once installed). A wrong file is an error that names file
and key, and never keeps the app from starting.
"""

import tomllib
from collections.abc import Mapping
from importlib import resources
from pathlib import Path

import msgspec
from textual.theme import Theme

from fwdtui.core.errors import FwdtuiError

DEFAULT = "fwdtui-dark"


class ThemeFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One theme as it stands in its file."""

    name: str
    dark: bool
    colors: Mapping[str, str]
    graph: Mapping[str, str]
    verdict: Mapping[str, str]

    def theme(self) -> Theme:
        """As Textual takes it; meanings become variables: $graph-offered, $verdict-faster ..."""
        variables = {f"graph-{key}": value for key, value in self.graph.items()}
        variables |= {f"verdict-{key}": value for key, value in self.verdict.items()}
        return Theme(name=self.name, dark=self.dark, variables=variables, **self.colors)  # type: ignore[arg-type]


def shipped() -> Path:
    """The folder of themes: in the installed package, else beside it in a checkout."""
    inside = Path(str(resources.files("fwdtui"))) / "themes"
    return inside if inside.is_dir() else inside.parent.parent / "themes"


def load(path: Path) -> Theme:
    """One file. Raises FwdtuiError that names file and key."""
    try:
        return msgspec.convert(tomllib.loads(path.read_text("utf-8")), ThemeFile).theme()
    except (tomllib.TOMLDecodeError, msgspec.ValidationError, TypeError, UnicodeDecodeError) as error:
        raise FwdtuiError(f"{path}: {error}") from None


def load_all() -> list[Theme]:
    """Every shipped theme."""
    return [load(path) for path in sorted(shipped().glob("*.toml"))]
