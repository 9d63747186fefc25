"""hygiene.json of a session: what was found on its hosts when the recording began, and after each change.

The file is replaced in one step, and has a checksum over its content like iteration.json.
"""

import os
from collections.abc import Iterable
from itertools import count
from pathlib import Path

import msgspec

from fwdtui.core.errors import FwdtuiError
from fwdtui.core.findings import Finding, HostFindings
from fwdtui.core.model import SCHEMA
from fwdtui.core.text import clean
from fwdtui.store import opening
from fwdtui.store.atomic import replace
from fwdtui.store.names import HYGIENE_FILE
from fwdtui.store.schema import checked, checksum

FILE = HYGIENE_FILE
MOST = 100
"""Most readings of one host: what changes more often is told by events only."""
FILE_MOST = 16 * opening.MIB
"""Largest such file in bytes: that many readings of four hosts with sixty findings each."""


ASIDE = f"{FILE}.damaged"
"""A damaged file that a further recording has set aside; the next ones have a number after it."""


class UnreachedError(FwdtuiError):
    """The file cannot be read at the moment, or is no regular file: what is in it is not known."""


class _File(msgspec.Struct, frozen=True):
    schema: int
    hosts: tuple[HostFindings, ...]
    checksum: str = ""


def write(session: int, readings: Iterable[HostFindings]) -> None:
    """Replace the file of the session whose folder has the descriptor `session`. Raises OSError."""
    content = msgspec.to_builtins(_File(SCHEMA, tuple(readings)))
    content["checksum"] = checksum(content)
    replace(FILE, msgspec.json.format(msgspec.json.encode(content), indent=1) + b"\n", within=session)


def set_aside(session: int) -> str:
    """Give the session's file a name that there is not yet, and return it. Raises OSError."""
    there = set(opening.names(session))
    free = next(name for n in count(1) if (name := ASIDE if n == 1 else f"{ASIDE}-{n}") not in there)
    os.rename(FILE, free, src_dir_fd=session, dst_dir_fd=session)
    return free


def read(path: Path, within: int | None = None) -> tuple[HostFindings, ...]:
    """All readings of a session's file at `path`, in their order; () if there is none.

    Raises FwdtuiError naming file and position. A NewerSchemaError and an UnreachedError must keep the file
    from being replaced.
    """
    try:
        data = opening.read(path, FILE_MOST, within=within)
    except FileNotFoundError:
        return ()
    except OSError as error:
        raise UnreachedError(f"{path}: {error.strerror}") from None
    return tuple(map(_cleaned, checked(data, path, _File).hosts))


def _cleaned(reading: HostFindings) -> HostFindings:
    """A file may come from anybody: its texts are cleaned as those of a host are."""
    findings = tuple(
        Finding(*(clean(getattr(one, name)) for name in Finding.__struct_fields__))
        for one in reading.findings
    )
    return HostFindings(clean(reading.host), tuple(map(clean, reading.roles)), clean(reading.taken), findings)
