"""Reading what a user has set and what the app remembers: regular files of a bounded size.

A link is followed, as settings are often kept elsewhere; what it leads to must be a regular file.
"""

from pathlib import Path

from fwdtui.core.errors import FwdtuiError
from fwdtui.store import opening

MOST = opening.MIB
"""Bytes of such a file: they have a few thousand."""
_SHOWN = 80  # characters of a wrong value, in a message


def read(path: Path) -> bytes:
    """The whole file. Raises FileNotFoundError, or FwdtuiError that names the file and the reason."""
    try:
        return opening.read(path.resolve(), MOST)
    except (FileNotFoundError, NotADirectoryError):
        raise FileNotFoundError(str(path)) from None
    except (OSError, RuntimeError, ValueError) as error:  # a loop of links, a NUL in the name
        raise FwdtuiError(f"{path}: {getattr(error, 'strerror', None) or error}") from None


def shown(value: object) -> str:
    """A wrong value for a message of one line."""
    return short(repr(value))


def short(text: str, most: int = _SHOWN) -> str:
    """A key or a value, not at any length."""
    return text if len(text) <= most else f"{text[: most - 1]}…"
