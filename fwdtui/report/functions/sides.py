"""The profiles that a command names: of a session, of SESSION:CASE, or in a file."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from fwdtui.core import profiled
from fwdtui.core.errors import FwdtuiError
from fwdtui.core.model import Case, Iteration, Session
from fwdtui.core.profile import Folded, Idle, Profile
from fwdtui.core.text import clean, slug

if TYPE_CHECKING:
    from fwdtui.store.session_names import SessionNames


class ProfileSide(msgspec.Struct, frozen=True):
    """One profile. `case` and `index` say which iteration it belongs to; "" and None: it is a file."""

    label: str
    folded: Folded
    profile: Profile
    case: str = ""
    index: int | None = None

    @property
    def title(self) -> str:
        """``r1 inet4 6``, or the file's name."""
        return " ".join(map(str, filter(None, (self.label, self.case, self.index))))


class Named(msgspec.Struct, frozen=True):
    """What one argument names: its profiles, which idle functions its lab adds, and what is not used.

    `chosen`: it is one profile by the user's own choice, SESSION:CASE or a file.
    """

    sides: tuple[ProfileSide, ...]
    idle: tuple[str, ...] = ()
    chosen: bool = False
    notes: tuple[str, ...] = ()


def named(spec: str, names: "SessionNames") -> Named:
    """The profiles of a session, of a case of it, or of a file. Raises FwdtuiError if there is none."""
    from fwdtui.store import read_session

    if _is_file(spec):
        return _of_file(Path(spec))
    tried: list[tuple[Session, str]] = []
    for path, wanted in names.readings(spec, ":"):
        session = read_session(path)
        if not wanted:
            return _found(spec, session, session.cases)
        for case in session.cases:
            if wanted in (case.name, slug(case.name)):
                return _found(spec, session, [case], chosen=True)
        tried.append((session, wanted))
    if tried:
        session, wanted = tried[0]
        there = ", ".join(clean(case.name) for case in session.cases)
        raise FwdtuiError(f"{session.path}: no case {wanted!r}; it has {there}")
    raise names.unknown(spec, ":", "session or profile")


def newest(
    session: Session, case: str, iterations: Sequence[Iteration]
) -> tuple[ProfileSide | None, list[str]]:
    """The newest profile of a case that says something about its blast, and which newer ones are not used.

    Raises FwdtuiError if its file is damaged.
    """
    from fwdtui.store import profiles

    label = clean(session.label) or Path(session.path).name
    chosen = profiled.newest(iterations)
    notes = []
    for one in reversed(iterations):
        if one is chosen:
            break
        if one.profile is not None and not one.dropped:
            why = clean(one.profile.rejected)
            notes.append(f"the profile of {label} {clean(case)} {one.index} is not used: {why}")
    if chosen is None or chosen.profile is None:
        return None, notes
    folded = profiles.stacks(session, Case(case), chosen)
    return ProfileSide(label, folded, chosen.profile, clean(case), chosen.index), notes


def idle_of(session: Session) -> tuple[str, ...]:
    """The idle functions that the lab of a session adds: ``[profile] idle`` of its lab.toml."""
    table = session.lab.get("profile") if session.lab is not None else None
    names = table.get("idle") if isinstance(table, Mapping) else None
    return tuple(one for one in names if isinstance(one, str)) if isinstance(names, list | tuple) else ()


def paired(base: Named, other: Named) -> tuple[list[tuple[ProfileSide, ProfileSide]], list[str]]:
    """Which profiles are compared, and notes on those that have no partner.

    Two chosen profiles are compared with each other, others case by case. A file has no case, so it fits the
    only profile of a session; a case fits nothing but itself. Raises FwdtuiError if nothing fits.
    """
    if base.chosen and other.chosen:
        return [(base.sides[0], other.sides[0])], []
    if base.chosen or other.chosen:
        single, many = (base, other) if base.chosen else (other, base)
        alike = [side for side in many.sides if side.case == single.sides[0].case]
        if not single.sides[0].case and len(many.sides) == 1:
            alike = list(many.sides)
        if not alike:
            there = ", ".join(side.case for side in many.sides)
            raise FwdtuiError(f"{many.sides[0].label} has profiles of {there}: name one as SESSION:CASE")
        first = single.sides[0]
        return [(first, alike[0]) if base.chosen else (alike[0], first)], []
    by_case = {side.case: side for side in other.sides}
    pairs = [(side, by_case.pop(side.case)) for side in base.sides if side.case in by_case]
    alone = [side for side in base.sides if all(side is not one for one, _ in pairs)]
    notes = [
        f"{side.title}: the other side has no profile of this case" for side in (*alone, *by_case.values())
    ]
    if not pairs:
        raise FwdtuiError("no case has a profile on both sides: " + "; ".join(notes))
    return pairs, notes


def cases_of(sides: Sequence[ProfileSide]) -> str:
    """The case of all sides, or ``inet6 / inet4`` if two were chosen; "" for files."""
    return " / ".join(dict.fromkeys(side.case for side in sides if side.case))


def _of_file(path: Path) -> Named:
    from fwdtui.store.profiles import described, read_file

    reading = read_file(path)
    return Named((ProfileSide(clean(path.name), reading.folded, described(reading)),), chosen=True)


def _found(spec: str, session: Session, cases: Sequence[Case], *, chosen: bool = False) -> Named:
    sides: list[ProfileSide] = []
    notes: list[str] = []
    for case in cases:
        side, more = newest(session, case.name, case.iterations)
        notes += more
        sides += [side] if side is not None else []
    if not sides:
        why = f": {'; '.join(notes)}" if notes else ""
        raise FwdtuiError(f"{clean(spec)}: it has no profile{why}")
    return Named(tuple(sides), idle_of(session), chosen, tuple(notes))


def idle_list(added: Sequence[str], *sides: Named) -> Idle:
    """The idle functions for all sides: those of fwdtui, of the labs, and `added`."""
    return Idle.also([*added, *(name for side in sides for name in side.idle)])


def _is_file(spec: str) -> bool:
    path = Path(spec)
    return path.exists() and not path.is_dir()
