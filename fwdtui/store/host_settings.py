"""settings/HOST-NNN.json of a session: the settings of a host, in a further file whenever they are new.

Each file is whole in itself, written in one step, and has a checksum over its content like iteration.json.
"""

import contextlib
import os
import re
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import msgspec

from fwdtui.core.errors import FwdtuiError
from fwdtui.core.host_settings import HostSettings
from fwdtui.core.model import SCHEMA, moment
from fwdtui.core.text import clean, clean_lines, slug
from fwdtui.store import opening
from fwdtui.store.atomic import replace, sync_folder
from fwdtui.store.schema import checked, checksum

FOLDER = "settings"
FILE_MOST = 16 * opening.MIB
"""Largest such file in bytes; typical ones have 100 KB to 1 MB."""
MOST = 100
"""Most files of one host that a recording writes: what has more different values is no setting."""
AGAIN_MOST = 20_000
"""Most times that one file lists: as many as an experiment may have iterations."""
FILES_MOST = 400
"""Most files that are read, and that an import writes."""
_NAME = re.compile(r"(.{1,64})-([0-9]{3})\.json")


class _File(msgspec.Struct, frozen=True):
    """`again`: when the host was found with these settings again, after others in between; ISO 8601."""

    schema: int
    settings: HostSettings
    again: tuple[str, ...] = ()
    checksum: str = ""


class Kept(NamedTuple):
    """The settings files of a session, in the order in which they were written; and what is damaged."""

    settings: tuple[HostSettings, ...] = ()
    problems: tuple[str, ...] = ()


def encode(settings: HostSettings, again: Sequence[str] = ()) -> bytes:
    """The file's content, with its checksum. Raises FwdtuiError if it is too large to be read."""
    content = msgspec.to_builtins(_File(SCHEMA, settings, tuple(again)))
    if not again:
        del content["again"]
    content["checksum"] = checksum(content)
    data = msgspec.json.format(msgspec.json.encode(content), indent=1) + b"\n"
    if len(data) > FILE_MOST:
        raise FwdtuiError(f"{settings.host}: its settings take more than {opening.shown(FILE_MOST)}")
    return data


def decode(data: bytes, path: Path | str) -> tuple[HostSettings, ...]:
    """The settings, once for each time at which they were found, in the order of the file.

    Raises FwdtuiError naming file and position: not JSON, wrong type, wrong checksum, newer schema.
    """
    file = checked(data, path, _File)
    first = _cleaned(file.settings)
    # they share their sources: a thousand times take no more memory than one
    later = (msgspec.structs.replace(first, taken=clean(taken)) for taken in file.again[:AGAIN_MOST])
    return first, *later


def _cleaned(settings: HostSettings) -> HostSettings:
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
        for source in settings.sources
    )
    return HostSettings(
        host=clean(settings.host),
        system=clean(settings.system),
        roles=tuple(map(clean, settings.roles)),
        taken=clean(settings.taken),
        origin=clean(settings.origin),
        cases=tuple(map(clean, settings.cases)),
        sources=sources,
    )


def write(session: int, settings: HostSettings, most: int = MOST, *, sync: bool = True) -> str:
    """Write settings into the session whose folder has the descriptor `session`; returns the file's name.

    If the host had the same settings before, their file gets one more time instead: an experiment goes to and
    fro between few states. Returns "" if the host has `most` files already, or that file as many times as it
    may have. `sync` False: the session is synced later, as a whole. Raises OSError, or FwdtuiError if the
    file would be too large.
    """
    data = encode(settings)
    with contextlib.suppress(FileExistsError):
        os.mkdir(FOLDER, 0o700, dir_fd=session)
        if sync:
            sync_folder(".", within=session)
    folder = opening.open_folder(FOLDER, within=session)
    try:
        stem = slug(settings.host)
        mine = sorted(name for name in opening.names(folder) if (m := _NAME.fullmatch(name)) and m[1] == stem)
        if settings.taken and (name := _equal(folder, mine, settings)):
            same = decode(opening.read(name, FILE_MOST, within=folder), name)
            if len(same) > AGAIN_MOST:
                return ""
            times = [*(one.taken for one in same[1:]), settings.taken]
            replace(name, encode(same[0], times), within=folder, sync=sync)
            return f"{FOLDER}/{name}"
        number = max((int(name[-8:-5]) for name in mine), default=0) + 1
        if number > most:
            return ""
        name = f"{stem}-{number:03d}.json"
        replace(name, data, within=folder, sync=sync)
    finally:
        os.close(folder)
    return f"{FOLDER}/{name}"


def _equal(folder: int, names: Sequence[str], settings: HostSettings) -> str:
    """The file that says the same of this host; "" if there is none. Damaged files are left as they are."""
    wanted = says(settings)
    for name in names:
        with contextlib.suppress(OSError, FwdtuiError):
            if says(decode(opening.read(name, FILE_MOST, within=folder), name)[0]) == wanted:
                return name
    return ""


def says(settings: HostSettings) -> object:
    """What settings say, without the time they were read at: equal for two that say the same of a host."""
    return (
        settings.host, settings.system, settings.roles, settings.origin, settings.cases,
        [(one.name, one.values, one.absent, one.missing, one.unsteady, one.unread)
         for one in settings.sources],
    )  # fmt: skip


def latest(session: int) -> dict[str, HostSettings]:
    """Host -> its newest settings in the session with this descriptor; what cannot be read is left out."""
    newest: dict[str, HostSettings] = {}
    try:
        folder = opening.open_folder(FOLDER, within=session)
    except OSError:
        return newest
    try:
        with contextlib.suppress(OSError):
            for name in _names(opening.names(folder)):
                with contextlib.suppress(OSError, FwdtuiError):
                    for one in decode(opening.read(name, FILE_MOST, within=folder), name):
                        before = newest.get(one.host)
                        if before is None or not _is_before(one, before):
                            newest[one.host] = one
    finally:
        os.close(folder)
    return newest


def read(session: Path) -> Kept:
    """All settings of the session in the folder `session`. Damage is reported, not raised."""
    path = session / FOLDER
    try:
        folder = opening.open_folder(path)
    except FileNotFoundError:
        return Kept()
    except OSError as error:
        return Kept(problems=(f"{path}: {error.strerror}",))
    settings: list[HostSettings] = []
    problems: list[str] = []
    try:
        names = _names(opening.names(folder))
        if len(names) > FILES_MOST:
            problems.append(f"{path}: only the first {FILES_MOST} of {len(names)} files are read")
        for name in names[:FILES_MOST]:
            try:
                settings += decode(opening.read(name, FILE_MOST, within=folder), path / name)
            except OSError as error:
                problems.append(f"{path / name}: {error.strerror}")
            except FwdtuiError as error:
                problems.append(str(error))
    finally:
        os.close(folder)
    return Kept(_in_order(settings), tuple(problems))


def _in_order(settings: list[HostSettings]) -> tuple[HostSettings, ...]:
    """The settings by host, a host's in order of time if each has a time: one file may have several."""
    by_host: dict[str, list[HostSettings]] = {}
    for one in settings:
        by_host.setdefault(one.host, []).append(one)
    ordered: list[HostSettings] = []
    for mine in by_host.values():
        times = {id(one): moment(one.taken) for one in mine if one.taken}
        known = len(times) == len(mine)
        ordered += sorted(mine, key=lambda one: times[id(one)]) if known else mine
    return tuple(ordered)


def _is_before(one: HostSettings, other: HostSettings) -> bool:
    return bool(one.taken and other.taken) and moment(one.taken) < moment(other.taken)


def _names(names: list[str]) -> list[str]:
    """The settings files among `names`, each host's in the order in which they were written."""
    return sorted(name for name in names if _NAME.fullmatch(name))
