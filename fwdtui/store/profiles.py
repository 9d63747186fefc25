"""Profiles on disk: ``profile.folded`` beside iteration.json, listed there with its checksum."""

import hashlib
from collections.abc import Mapping
from pathlib import Path

import msgspec

from fwdtui.core.errors import FwdtuiError
from fwdtui.core.model import Case, Iteration, Session
from fwdtui.core.parse.folded_stacks import parse_folded
from fwdtui.core.parse.profile_text import Reading, read_profile
from fwdtui.core.profile import Folded, Idle, Profile
from fwdtui.core.profiled import without_value
from fwdtui.core.text import clean, decode
from fwdtui.store import opening
from fwdtui.store.atomic import naming
from fwdtui.store.iteration_writer import IterationWriter
from fwdtui.store.unshown import UnshownIteration
from fwdtui.store.writer import SessionWriter

FOLDED_FILE = "profile.folded"
MOST = 64 * opening.MIB
"""Largest profile in bytes, raw or folded; those of the archive have less than one."""


def described(reading: Reading, idle: Idle | None = None) -> Profile:
    """The facts about a profile that was read. `idle` finds which of its samples are idle."""
    return Profile(
        samples=reading.folded.samples,
        tool=reading.tool,
        event=reading.event,
        period=reading.period,
        per_cpu=reading.per_cpu,
        idle=(idle or Idle()).samples(reading.folded),
        notes=reading.skipped,
    )


def attach(
    writing: IterationWriter | UnshownIteration,
    folded: Folded,
    profile: Profile,
    raw: Mapping[str, bytes] | None = None,
) -> Profile:
    """Save the stacks, and the profiler's own output beside them.

    Returns the profile with the name of the first raw file as its source, to be put into the iteration that
    is committed next. Raises OSError, also if a name is taken, or FwdtuiError if it is that of the samples or
    of iteration.json.
    """
    names = [writing.attach(name, data) for name, data in (raw or {}).items()]
    writing.attach(FOLDED_FILE, folded.text().encode())
    return msgspec.structs.replace(profile, source=names[0] if names else profile.source)


def add(
    session: Path,
    case: str,
    folded: Folded,
    profile: Profile,
    raw: Mapping[str, bytes] | None = None,
    *,
    origin: str = "",
) -> int:
    """Add a profile to a session that exists, as an iteration of its own; returns the iteration's number.

    Raises FwdtuiError or OSError; nothing is added then.
    """
    with naming(session), SessionWriter(session) as writer:
        writing = writer.begin(case)
        try:
            commit(writing, folded, profile, raw, origin=origin)
        except BaseException:
            writing.withdraw()
            raise
        return writing.index


def commit(
    writing: IterationWriter | UnshownIteration,
    folded: Folded,
    profile: Profile,
    raw: Mapping[str, bytes] | None = None,
    *,
    origin: str = "",
) -> Iteration:
    """Make a begun iteration one that has only a profile. Raises OSError or FwdtuiError."""
    kept = attach(writing, folded, profile, raw)
    iteration = without_value(Iteration(writing.index, None, source=FOLDED_FILE, origin=origin, profile=kept))
    writing.commit(iteration)
    return iteration


def stacks(session: Session, case: Case, iteration: Iteration) -> Folded:
    """The stacks of a profiled iteration. Raises FwdtuiError if they are missing or were changed."""
    path = Path(session.path) / iteration.place(case.name) / FOLDED_FILE
    shown = clean(str(path))
    try:
        data = opening.read(path, MOST)
    except OSError as error:
        raise FwdtuiError(f"{shown}: {error.strerror}") from None
    if iteration.files.get(FOLDED_FILE) != "sha256:" + hashlib.sha256(data).hexdigest():
        raise FwdtuiError(f"{shown}: checksum does not match: the file was changed after it was recorded")
    return parse_folded(decode(data), ours=True).value


def read_file(path: Path) -> Reading:
    """The profile in a file that the user names, in any known form. Raises FwdtuiError without samples."""
    return read_raw(path)[0]


def read_raw(path: Path) -> tuple[Reading, bytes]:
    """As `read_file`, and the file's content."""
    shown = clean(str(path))
    try:
        with path.open("rb") as file:
            data = file.read(MOST + 1)
    except OSError as error:
        raise FwdtuiError(f"{shown}: {error.strerror or error}") from None
    if len(data) > MOST:
        raise FwdtuiError(f"{shown}: larger than {opening.shown(MOST)}")
    reading = read_profile(data)
    if not reading.folded.samples:
        why = f": {reading.skipped[0]}" if reading.skipped else ""
        raise FwdtuiError(
            f"{shown}: not a profile (expected a call graph from pmcstat, perf script output or folded "
            f"stacks){why}"
        )
    return reading, data
