"""The profiles of a bench-lab tree: ``bench.NAME.pmc.graph`` of pmcstat -G, and ``.stack``, folded from it.

They lie beside the logs, with or without a run's number, or below a folder PMC/. Each becomes an iteration of
its case that has no value. The graph is read where there is one: stackcollapse-pmc.pl, which makes the
.stack, loses samples.
"""

import re
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from fwdtui.core.text import clean
from fwdtui.core.units import grouped
from fwdtui.store import opening

if TYPE_CHECKING:
    from fwdtui.core.parse.profile_text import Reading

_NAME = re.compile(r"(?:bench\.)?(?P<stem>.+?)(?:\.pmc)?\.(?P<kind>graph|stack)")
_RUN = re.compile(r"(?P<key>.+)\.[0-9]{1,9}")


class ProfileFiles(msgspec.Struct, frozen=True):
    """The files of one profile, the one to read first. `key`: the name of the result that it belongs to."""

    key: str
    paths: tuple[Path, ...]


def is_profile(path: Path) -> bool:
    """Whether a file is a profile, by its name."""
    name = path.name
    return name.endswith((".graph", ".stack")) and _NAME.fullmatch(name) is not None


def homeless(path: Path) -> str:
    """The note on a profile that belongs to no result."""
    return f"{clean(path.name)}: this profile belongs to no result here: not imported"


def found(paths: Sequence[Path], keys: Collection[str]) -> tuple[list[ProfileFiles], list[str]]:
    """The profiles that belong to the results named `keys`, and a note on each that belongs to none."""
    alike: dict[tuple[Path, str], list[Path]] = {}
    for path in sorted(paths):  # .graph comes before .stack
        if match := _NAME.fullmatch(path.name):
            alike.setdefault((path.parent, match["stem"]), []).append(path)
    profiles: list[ProfileFiles] = []
    notes: list[str] = []
    for (_, stem), files in alike.items():
        numbered = _RUN.fullmatch(stem)
        known = [key for key in (stem, numbered["key"] if numbered else "") if key in keys]
        if known:
            profiles.append(ProfileFiles(known[0], tuple(files)))
        else:
            notes += map(homeless, files)
    return profiles, notes


def read(files: ProfileFiles) -> "tuple[Reading | None, dict[str, bytes], list[str]]":
    """The profile, its raw files by name, and notes. None: none of its files could be read as a profile."""
    # few trees have profiles, and these parsers and writers take as long to load as twenty logs to import
    from fwdtui.core.parse.profile_text import read_profile
    from fwdtui.store.profiles import MOST

    raw: dict[str, bytes] = {}
    notes: list[str] = []
    chosen: Reading | None = None
    for path in files.paths:
        try:
            data = opening.read(path, MOST)
        except OSError as error:
            notes.append(f"{path}: {error.strerror}: not imported")
            continue
        reading = read_profile(data)
        if not reading.folded.samples:
            notes.append(f"{clean(path.name)}: no profile could be read from it: not imported")
            continue
        raw[path.name] = data
        if chosen is None:
            chosen = reading
            notes += [f"{clean(path.name)}: {note}" for note in reading.skipped]
        elif reading.folded.samples > chosen.folded.samples:
            more, less = grouped(reading.folded.samples), grouped(chosen.folded.samples)
            notes.append(
                f"{clean(path.name)}: {more} samples, but {less} in the other file: "
                "are they the same profile?"
            )
    return chosen, raw, notes
