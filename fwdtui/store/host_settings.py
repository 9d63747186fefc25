"""settings/HOST-NNN.json of a session: the settings of a host, written once and again when they have changed.

Each file is whole in itself, written in one step, and has a checksum over its content like iteration.json.
"""

import contextlib
import os
import re
from pathlib import Path
from typing import NamedTuple

import msgspec

from fwdtui.core.errors import FwdtuiError
from fwdtui.core.host_settings import HostSettings
from fwdtui.core.model import SCHEMA
from fwdtui.core.text import clean, clean_lines, slug
from fwdtui.store import opening
from fwdtui.store.atomic import replace, sync_folder
from fwdtui.store.schema import checked, checksum

FOLDER = "settings"
FILE_MOST = 16 * opening.MIB
"""Largest such file in bytes; typical ones have 100 KB to 1 MB."""
MOST = 100
"""Most files of one host that a recording writes: what changes more often is no setting."""
FILES_MOST = 400
"""Most files that are read, and that an import writes."""
_NAME = re.compile(r"(.{1,64})-([0-9]{3})\.json")


class _File(msgspec.Struct, frozen=True):
    schema: int
    settings: HostSettings
    checksum: str = ""


class Kept(NamedTuple):
    """The settings files of a session, in the order in which they were written; and what is damaged."""

    settings: tuple[HostSettings, ...] = ()
    problems: tuple[str, ...] = ()


def encode(settings: HostSettings) -> bytes:
    """The file's content, with its checksum. Raises FwdtuiError if it is too large to be read."""
    content = msgspec.to_builtins(_File(SCHEMA, settings))
    content["checksum"] = checksum(content)
    data = msgspec.json.format(msgspec.json.encode(content), indent=1) + b"\n"
    if len(data) > FILE_MOST:
        raise FwdtuiError(f"{settings.host}: its settings take more than {opening.shown(FILE_MOST)}")
    return data


def decode(data: bytes, path: Path | str) -> HostSettings:
    """Raises FwdtuiError naming file and position: not JSON, wrong type, wrong checksum, newer schema."""
    return _cleaned(checked(data, path, _File).settings)


def _cleaned(found: HostSettings) -> HostSettings:
    """A file may come from anybody: its texts are cleaned as those of a host are."""
    sources = tuple(
        msgspec.structs.replace(
            source,
            name=clean(source.name),
            values={clean(key): clean_lines(value) for key, value in source.values.items()},
            missing=clean(source.missing),
            unsteady=tuple(map(clean, source.unsteady)),
            unread=tuple(map(clean, source.unread)),
            skipped=tuple(map(clean, source.skipped)),
        )
        for source in found.sources
    )
    return HostSettings(
        host=clean(found.host),
        system=clean(found.system),
        roles=tuple(map(clean, found.roles)),
        taken=clean(found.taken),
        origin=clean(found.origin),
        cases=tuple(map(clean, found.cases)),
        sources=sources,
    )


def write(session: int, settings: HostSettings, most: int = MOST) -> str:
    """Write a new file into the session whose folder has the descriptor `session`; returns its name.

    Returns "" if the host has `most` files already. Raises OSError, or FwdtuiError if it is too large.
    """
    data = encode(settings)
    with contextlib.suppress(FileExistsError):
        os.mkdir(FOLDER, 0o700, dir_fd=session)
        sync_folder(".", within=session)
    folder = opening.open_folder(FOLDER, within=session)
    try:
        stem = slug(settings.host)
        taken = [int(m[2]) for name in opening.names(folder) if (m := _NAME.fullmatch(name)) and m[1] == stem]
        number = max(taken, default=0) + 1
        if number > most:
            return ""
        name = f"{stem}-{number:03d}.json"
        replace(name, data, within=folder)
    finally:
        os.close(folder)
    return f"{FOLDER}/{name}"


def latest(session: int) -> dict[str, HostSettings]:
    """Host -> its newest settings in the session with this descriptor; what cannot be read is left out."""
    found: dict[str, HostSettings] = {}
    try:
        folder = opening.open_folder(FOLDER, within=session)
    except OSError:
        return found
    try:
        with contextlib.suppress(OSError):
            for name in _names(opening.names(folder)):
                with contextlib.suppress(OSError, FwdtuiError):
                    one = decode(opening.read(name, FILE_MOST, within=folder), name)
                    found[one.host] = one
    finally:
        os.close(folder)
    return found


def read(session: Path) -> Kept:
    """All settings of the session in the folder `session`. Damage is told, not raised."""
    path = session / FOLDER
    try:
        folder = opening.open_folder(path)
    except FileNotFoundError:
        return Kept()
    except OSError as error:
        return Kept(problems=(f"{path}: {error.strerror}",))
    found: list[HostSettings] = []
    problems: list[str] = []
    try:
        names = _names(opening.names(folder))
        if len(names) > FILES_MOST:
            problems.append(f"{path}: only the first {FILES_MOST} of {len(names)} files are read")
        for name in names[:FILES_MOST]:
            try:
                found.append(decode(opening.read(name, FILE_MOST, within=folder), path / name))
            except OSError as error:
                problems.append(f"{path / name}: {error.strerror}")
            except FwdtuiError as error:
                problems.append(str(error))
    finally:
        os.close(folder)
    return Kept(tuple(found), tuple(problems))


def _names(names: list[str]) -> list[str]:
    """The files of settings, each host's in its order."""
    return sorted(name for name in names if _NAME.fullmatch(name))
