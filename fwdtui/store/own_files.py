"""Reading the user's settings and the app's saved state: regular files of bounded size.

Links are followed, as settings are often stored elsewhere; the target must be a regular file.
"""

from pathlib import Path

from fwdtui.core.errors import FwdtuiError
from fwdtui.store import opening

MOST = opening.MIB
"""Largest such file in bytes; typical ones have a few thousand."""
_SHOWN = 80  # characters of a wrong value, in a message


def read(path: Path) -> bytes:
    """Read the file. Raises FileNotFoundError, or FwdtuiError that names the file and the reason."""
    try:
        return opening.read(path.resolve(), MOST)
    except (FileNotFoundError, NotADirectoryError):
        raise FileNotFoundError(str(path)) from None
    except (OSError, RuntimeError, ValueError) as error:  # a loop of links, a NUL in the name
        raise FwdtuiError(f"{path}: {getattr(error, 'strerror', None) or error}") from None


def shown(value: object) -> str:
    """A wrong value, shortened for a one-line message."""
    return short(repr(value))


def short(text: str, most: int = _SHOWN) -> str:
    """`text` shortened to `most` characters."""
    return text if len(text) <= most else f"{text[: most - 1]}…"
