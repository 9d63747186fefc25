"""hygiene.json of a session: what was found on its hosts when the recording began, and after each change.

The file is replaced in one step, and has a checksum over its content like iteration.json.
"""

import os
from collections.abc import Iterable, Iterator
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
"""Most different readings of one host that a recording keeps."""
READINGS_MOST = 20_000
"""Most readings of one host: as many as an experiment may have iterations."""
FILE_MOST = 16 * opening.MIB
"""Largest such file in bytes."""
WRITTEN_OUT_MOST = 64 * opening.MIB
"""Most characters of all readings, repeated ones included: `sessions --json` writes them all out."""
_BESIDE = 80  # characters of a finding or a reading beside its texts: the names of its fields


ASIDE = f"{FILE}.damaged"
"""The name of a damaged file that a later recording has set aside; further ones get a number after it."""


class UnreachedError(FwdtuiError):
    """What is in the file is not known: it cannot be read now, is no regular file, or would be too large."""


class _File(msgspec.Struct, frozen=True):
    """`order`: of each reading its place in `hosts` and its time; empty if no reading came back."""

    schema: int
    hosts: tuple[HostFindings, ...]
    order: tuple[tuple[int, str], ...] = ()
    checksum: str = ""

    def readings(self) -> Iterator[HostFindings]:
        """All of them, in the order in which they were made."""
        if not self.order:
            yield from self.hosts
        for place, taken in self.order:
            if 0 <= place < len(self.hosts):
                # they share their findings: a thousand times take no more memory than one
                yield msgspec.structs.replace(self.hosts[place], taken=taken)


def write(session: int, readings: Iterable[HostFindings]) -> None:
    """Replace the file of the session whose folder has the descriptor `session`. Raises OSError.

    Each different reading is in it once: an experiment goes to and fro between few states.
    """
    hosts: dict[object, HostFindings] = {}
    order: list[tuple[object, str]] = []
    for one in readings:
        says = one.host, one.roles, one.findings, one.unread
        hosts.setdefault(says, one)
        order.append((says, one.taken))
    places = {says: place for place, says in enumerate(hosts)}
    again = [(places[says], taken) for says, taken in order] if len(order) > len(hosts) else []
    content = msgspec.to_builtins(_File(SCHEMA, tuple(hosts.values()), tuple(again)))
    if not again:
        del content["order"]
    content["checksum"] = checksum(content)
    replace(FILE, msgspec.json.format(msgspec.json.encode(content), indent=1) + b"\n", within=session)


def written_out(reading: HostFindings) -> int:
    """About as many characters as a reading takes in JSON."""
    texts = [reading.host, reading.taken, *reading.roles, *reading.unread]
    each = [
        _BESIDE + sum([len(getattr(one, name)) for name in Finding.__struct_fields__])
        for one in reading.findings
    ]
    return _BESIDE + sum(map(len, texts)) + sum(each)


def set_aside(session: int) -> str:
    """Give the session's file a name that is not taken yet, and return the name. Raises OSError."""
    there = set(opening.names(session))
    free = next(name for n in count(1) if (name := ASIDE if n == 1 else f"{ASIDE}-{n}") not in there)
    os.rename(FILE, free, src_dir_fd=session, dst_dir_fd=session)
    return free


def read(path: Path, within: int | None = None) -> tuple[HostFindings, ...]:
    """All readings of a session's file at `path`, in their order; () if there is none.

    Raises FwdtuiError naming file and position. If it is a NewerSchemaError or an UnreachedError, the file
    must not be replaced.
    """
    try:
        data = opening.read(path, FILE_MOST, within=within)
    except FileNotFoundError:
        return ()
    except OSError as error:
        raise UnreachedError(f"{path}: {error.strerror}") from None
    file = checked(data, path, _File)
    sizes = [*map(written_out, file.hosts)]
    places = [place for place, _ in file.order if 0 <= place < len(sizes)]
    if (sum([sizes[place] for place in places]) if file.order else sum(sizes)) > WRITTEN_OUT_MOST:
        most = opening.shown(WRITTEN_OUT_MOST)
        raise UnreachedError(f"{path}: all readings take more than {most}: not read")
    cleaned = tuple(map(_cleaned, file.hosts))
    order = tuple((place, clean(taken)) for place, taken in file.order)
    return tuple(msgspec.structs.replace(file, hosts=cleaned, order=order).readings())


def _cleaned(reading: HostFindings) -> HostFindings:
    """A file may come from anybody: its texts are cleaned as those of a host are."""
    findings = tuple(
        Finding(*(clean(getattr(one, name)) for name in Finding.__struct_fields__))
        for one in reading.findings
    )
    roles, unread = (tuple(map(clean, texts)) for texts in (reading.roles, reading.unread))
    return HostFindings(clean(reading.host), roles, clean(reading.taken), findings, unread)
