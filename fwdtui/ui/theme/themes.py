"""Themes are TOML files with the colours of the interface, of the graphs and of the verdicts.

They are in themes/ beside the package (inside it once installed), and a user's own are in themes/ of the
config folder; docs/themes-and-keys.md describes the format. A wrong file is an error that names file and key,
and never keeps the app from starting. A user's file is read again when it is saved.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cache, lru_cache
from pathlib import Path

import msgspec
from textual.color import Color, ColorParseError
from textual.theme import Theme

import fwdtui
from fwdtui.core.errors import FwdtuiError
from fwdtui.core.mistakes import mistake
from fwdtui.store import own_files, plain

DEFAULT = "fwdtui-dark"
MONOCHROME = "fwdtui-monochrome"
_PREFIX = "fwdtui-"
WATCH_PERIOD = 1.0
"""Seconds between two checks, each of which costs the listing of a small folder."""

COLORS = (
    *("primary", "secondary", "accent", "foreground", "background", "surface", "panel", "boost"),
    *("success", "warning", "error"),
)
GRAPH = "offered", "forwarded", "received", "drops", "base", "other"
VERDICT = "faster", "slower", "equivalent", "inconclusive", "capped"
_STYLES = {"none", "not", "bold", "b", "dim", "italic", "i", "underline", "u", "reverse", "strike"}
_ANSI = {  # variables that Textual's own stylesheets use, but its ansi colour system does not define
    "ansi-background": "ansi_default",
    "ansi-foreground": "ansi_default",
    "surface-active": "ansi_default",
    "foreground-disabled": "ansi_default",
}
_OF_TEXT = re.compile(r"^text|-foreground$|color")  # the variables that stylesheets use for text alone
_PERCENT = re.compile(r"(\d{1,3}%)?")


class ThemeFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One theme as in its file. Keys missing from a table are taken from the shipped dark or light theme."""

    name: str
    dark: bool
    colors: Mapping[str, str]
    graph: Mapping[str, str] = {}
    verdict: Mapping[str, str] = {}
    ansi: bool = False
    """Whether the terminal's own colours (ansi_red ...) are sent as such, not as numbers."""
    interface: Mapping[str, str] = {}
    """Further variables of Textual: block-cursor-background, footer-key-foreground ..."""

    def theme(self) -> Theme:
        """The theme for Textual; meanings become variables: $graph-offered, $verdict-faster ...

        Raises FwdtuiError that names the key.
        """
        if not self.name.strip() or any(character in self.name for character in ", \t\n"):
            raise FwdtuiError(f"name: {self.name!r} is empty or has a comma or a blank in it")
        if "primary" not in self.colors:
            raise FwdtuiError("colors.primary is missing")
        for table, keys in (("colors", COLORS), ("graph", GRAPH), ("verdict", VERDICT)):
            _check(table, getattr(self, table), keys)
        _check_interface(self.interface)
        variables = {f"graph-{key}": value for key, value in self.graph.items()}
        variables |= {f"verdict-{key}": value for key, value in self.verdict.items()}
        variables |= (_ANSI if self.ansi else {}) | dict(self.interface)
        for key, value in self.interface.items():
            if not self._derives({key: value}):
                raise FwdtuiError(
                    f"interface.{key}: {value!r} is not a colour alone, and others are made from it"
                )
        return self._made(variables)

    def _made(self, variables: dict[str, str]) -> Theme:
        return Theme(name=self.name, dark=self.dark, ansi=self.ansi, variables=variables, **self.colors)  # type: ignore[arg-type]

    def _derives(self, variables: dict[str, str]) -> bool:
        """Whether Textual can make the other variables: some it makes from these, without a percentage."""
        if not any("%" in value for value in variables.values()):
            return True
        try:
            self._made(variables).to_color_system().generate()
        except ColorParseError:
            return False
        return True


def _check(table: str, values: Mapping[str, str], keys: Iterable[str]) -> None:
    for key, value in values.items():
        if key not in keys:
            raise FwdtuiError(f"{table}.{key}: no such key (there are {', '.join(keys)})")
        if value == "auto" or not _is_color(value):
            raise FwdtuiError(f"{table}.{key}: {value!r} is not a colour")


def _check_interface(values: Mapping[str, str]) -> None:
    """Check the variables, as one that a stylesheet cannot parse would leave the app without any style."""
    for key, value in values.items():
        if key not in _variables():
            raise FwdtuiError(f"interface.{key}: no such variable")
        words = value.split()
        if "style" in key:
            good = bool(words) and set(words) <= _STYLES
        else:
            good = _is_color(" ".join(words[:1])) and _PERCENT.fullmatch(" ".join(words[1:])) is not None
        if not good:
            raise FwdtuiError(
                f"interface.{key}: {value!r} is not a {'style' if 'style' in key else 'colour'}"
            )
        if words[0] == "auto" and not _OF_TEXT.search(key):
            raise FwdtuiError(f"interface.{key}: {value!r}: only a colour of text can be auto")


@cache
def _variables() -> frozenset[str]:
    """The names of all variables of an interface, kept because to compute them takes a while."""
    return frozenset(Theme("", "#808080").to_color_system().generate())


def _is_color(text: str) -> bool:
    try:
        Color.parse(text)
    except ColorParseError:
        return text == "auto"
    return True


def shipped() -> Path:
    """The folder of the shipped themes: in the installed package, else beside it in a checkout."""
    inside = Path(fwdtui.__file__).parent / "themes"
    return inside if inside.is_dir() else inside.parent.parent / "themes"


def load(path: Path) -> Theme:
    """Load one file. Raises FwdtuiError that names file and key."""
    try:
        held = plain.toml(own_files.read(path), path)
    except FileNotFoundError:
        raise FwdtuiError(f"{path}: No such file or directory") from None
    try:
        return msgspec.convert(held, ThemeFile).theme()
    except msgspec.ValidationError as error:
        problem = mistake(error, held, path, ThemeFile)
    except FwdtuiError as error:
        problem = str(error)
    raise FwdtuiError(f"{path}: {own_files.short(problem, 300)}")


def load_all() -> list[Theme]:
    """Every shipped theme."""
    return [load(path) for path in sorted(shipped().glob("*.toml"))]


def load_shipped(name: str) -> Theme | None:
    """The shipped theme of this name, read without reading the others; None: there is none."""
    path = shipped() / f"{name.removeprefix(_PREFIX)}.toml"
    return load(path) if name.startswith(_PREFIX) and path.is_file() else None


@lru_cache(maxsize=2)
def meanings(dark: bool) -> dict[str, str]:
    """Colours of graphs and verdicts, as variables, for a theme that does not define them."""
    return dict(load(shipped() / ("dark.toml" if dark else "light.toml")).variables)


class ThemeWatch:
    """Watches a folder of themes, which need not exist."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._seen: dict[Path, tuple[int, int]] = {}

    def changed(self) -> Iterator[Theme | FwdtuiError]:
        """The theme, or the error, of each file that is new or changed since the last check."""
        for path, stamp in sorted(self._stamps().items()):
            if self._seen.get(path) != stamp:
                self._seen[path] = stamp
                try:
                    yield load(path)
                except FwdtuiError as error:
                    yield error

    def _stamps(self) -> dict[Path, tuple[int, int]]:
        stamps = {}
        try:
            for path in self._folder.glob("*.toml"):
                stat = path.stat()
                stamps[path] = stat.st_mtime_ns, stat.st_size
        except OSError:
            pass  # the folder does not exist, or a file has just gone: the next check sees it
        return stamps
