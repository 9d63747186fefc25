"""The user's settings: config.toml in the user's config folder. A wrong entry is reported and ignored.

docs/themes-and-keys.md describes the file. Only the file itself is checked here. Whether a key id exists is
known only once every screen is loaded: see ui/shell/keymap.py.
"""

from collections.abc import Mapping
from pathlib import Path

import msgspec

from fwdtui.core.errors import FwdtuiError
from fwdtui.store import own_files, plain


class Config(msgspec.Struct, frozen=True):
    """The settings, and what was wrong with them: one line each, naming file and key."""

    theme: str = ""
    keys: Mapping[str, str] = {}
    """Binding id -> keys, separated by commas."""
    confirm_quit: bool = True
    """Whether leaving asks first while a generator runs that was started from here."""
    problems: tuple[str, ...] = ()


def folder() -> Path:
    """The user's config folder; XDG_CONFIG_HOME is respected. It need not exist."""
    from platformdirs import user_config_path

    return user_config_path("fwdtui", appauthor=False)


def themes_folder() -> Path:
    """The folder of the user's own themes. It need not exist."""
    return folder() / "themes"


def read(path: Path) -> Config:
    """The file's settings, or the defaults if there is no file. Never raises: see `Config.problems`."""
    try:
        values = plain.toml(own_files.read(path), path)
    except FileNotFoundError:
        return Config()
    except FwdtuiError as error:
        return Config(problems=(f"{error}; the defaults are used",))
    problems: list[str] = []

    def taken(name: str, kind: type, default: object, expected: str) -> object:
        value = values.pop(name, default)
        if isinstance(value, kind):
            return value
        problems.append(f"{path}: {name}: expected {expected}, got {own_files.shown(value)}")
        return default

    theme = taken("theme", str, "", "the name of a theme")
    confirm = taken("confirm_quit", bool, True, "true or false")
    keys = taken("keys", dict, {}, "a table: [keys]")
    assert isinstance(theme, str) and isinstance(confirm, bool) and isinstance(keys, dict)
    good = {}
    for name, value in keys.items():
        if isinstance(value, str) and all(key.strip() for key in value.split(",")):
            good[name] = value
        elif isinstance(value, dict) and value:  # TOML reads a dotted name as tables
            inner = f'"{own_files.short(name)}.{own_files.short(next(iter(value)))}"'
            problems.append(f"{path}: keys.{own_files.short(name)}: write the id in quotes: {inner}")
        else:
            place = f'{path}: keys."{own_files.short(name)}"'
            problems.append(f'{place}: expected keys such as "x,ctrl+s", got {own_files.shown(value)}')
    problems += [f"{path}: {own_files.short(name)}: no such setting" for name in values]
    return Config(theme, good, confirm, tuple(problems))
