"""What BASE and OTHER on the command line name: a session, SESSION:CASE, a value file, or '-'."""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from fwdtui.core.errors import FwdtuiError
from fwdtui.core.factors import Level
from fwdtui.core.model import Case, Session
from fwdtui.core.text import clean, slug
from fwdtui.report.attempts import with_times
from fwdtui.report.cells_of import told_apart
from fwdtui.report.iterations import CaseSet, case_set, unread
from fwdtui.report.recordings import boots_of
from fwdtui.stats.results import ResultSet
from fwdtui.stats.values import contained

if TYPE_CHECKING:
    from fwdtui.store.session_names import SessionNames

Progress = Callable[[str, int], None]
"""Called with the path of a value file, and how many bytes of it were read so far."""

DELIMITERS = " \t"
"""The delimiters that ministat uses without -d."""


@dataclass(frozen=True, slots=True)
class Side:
    """One of the things compared: its cases in order. `spec` is its path, or ``PATH:CASE``.

    `chosen`: it is one case by the user's own choice, SESSION:CASE or a value file. A value file has no
    session, and its only case bears the file's name until it is paired.

    In a comparison by factors a side is a level: `levels` has the level of each factor that is compared,
    `spec` is for example ``image=r1``, the cases are its cells, and there may be several `sessions`.
    """

    spec: str
    label: str
    cases: Mapping[str, CaseSet]
    chosen: bool
    sessions: tuple[Session, ...] = ()
    levels: Mapping[str, Level] = field(default_factory=dict)

    def own_name(self, case: str) -> str:
        """The name that this side itself has for a case of the comparison, such as ``inet4 / inet6``.

        Two chosen cases with different names are compared under both names; each side has only its own.
        """
        return next(iter(self.cases)) if self.chosen and case not in self.cases else case

    def case(self, case: str) -> CaseSet:
        """The iterations of a case of the comparison."""
        return self.cases[self.own_name(case)]


def load_sides(
    specs: Sequence[str],
    labels: Sequence[str] = (),
    *,
    column: int | None = None,
    delimiters: str = DELIMITERS,
    progress: Progress | None = None,
    sessions: Path | None = None,
) -> list[Side]:
    """What `specs` name, the baseline first. `labels` replace the sides' own, in the same order.

    `sessions`: the folder in which anything that is not a path is looked up as a name; None: there are only
    paths. `column` (from 1; None: see read_values) and `delimiters` are ministat's -C and -d, for value
    files, and `progress` is called with how many bytes of a big one were read. Raises FwdtuiError if one of
    `specs` cannot be read or names nothing, or if there are more labels than `specs`.
    """
    if len(labels) > len(specs):
        named = "1 file or session" if len(specs) == 1 else f"{len(specs)} files or sessions"
        raise FwdtuiError(f"--label is given {len(labels)} times for {named}")
    if list(specs).count("-") > 1:
        raise FwdtuiError("-: standard input can be read only once")
    names = None
    if sessions is not None and any(spec != "-" and not _is_file(spec) for spec in specs):
        from fwdtui.store.session_names import SessionNames  # late: value files need no TOML

        names = SessionNames(sessions)
    sides = [_load(spec, column, delimiters, progress, names) for spec in specs]
    return labelled(_named(sides), [clean(label).strip() for label in labels])


def _load(
    spec: str, column: int | None, delimiters: str, progress: Progress | None, names: "SessionNames | None"
) -> Side:
    if spec == "-" or _is_file(spec):
        return _values(spec, column, delimiters, progress)
    from fwdtui.store import is_session, read_session  # late: value files need no TOML and no checksums
    from fwdtui.store.session_names import SessionNames

    if is_session(Path(spec)):
        return _session(spec, read_session(Path(spec)))
    tried: list[tuple[Session, str]] = []
    for path, wanted in (names or SessionNames(None)).readings(spec, ":"):
        session = read_session(path)
        if not wanted:
            return _session(str(path), session)
        for case in session.cases:
            if wanted in (case.name, slug(case.name)) or slug(wanted) == case.name:
                return _session(f"{path}:{wanted}", session, case)
        tried.append((session, wanted))
    if tried:
        session, wanted = tried[0]
        raise FwdtuiError(
            f"{session.path}: no case {wanted!r}; it has {_list(c.name for c in session.cases)}"
        )
    if Path(spec).is_dir():
        raise FwdtuiError(f"{spec}: a folder, but not a session (it has no session.toml)")
    raise (names or SessionNames(None)).unknown(spec, ":", "value file or session")


def refuse_columns(sides: Sequence[Side], column: int | None, delimiters: str) -> None:
    """Raise FwdtuiError if -C or -d, which are for value files, is given and there are only sessions."""
    if all(side.sessions for side in sides):
        for option, given in (("-C", column is not None), ("-d", delimiters != DELIMITERS)):
            if given:
                raise FwdtuiError(f"{option} is about value files, and these are sessions")


def _is_file(spec: str) -> bool:
    path = Path(spec)
    return path.exists() and not path.is_dir()


def of_session(session: Session) -> Side:
    """The side of a session that is read already, with all its cases. Raises FwdtuiError if it has none."""
    return _session(session.path, session)


def _session(spec: str, session: Session, chosen: Case | None = None) -> Side:
    label = session_label(session)
    wanted = [chosen] if chosen else session.cases
    cases = {case.name: case_on_boots(session, case, label) for case in wanted}
    if not cases:
        raise FwdtuiError(f"{spec}: the session has no iterations")
    return Side(spec, label, cases, chosen is not None, (session,))


def _named(sides: Sequence[Side]) -> list[Side]:
    """The sides, with real names for cases of which only the folder is known, as nothing in it can be read.

    The real name is that of another case of the sides which has a folder of the same name.
    """
    every = dict.fromkeys(name for side in sides for name in side.cases)
    names = {folder: name for name in every if (folder := slug(name)) != name}
    return [_with_names(side, names) if any(map(names.get, side.cases)) else side for side in sides]


def _with_names(side: Side, names: Mapping[str, str]) -> Side:
    (session,) = side.sessions
    there = {case.name for case in session.cases}
    cases = [
        msgspec.structs.replace(case, name=name)
        if (name := names.get(case.name, "")) and name not in there and all(map(unread, case.iterations))
        else case
        for case in session.cases
    ]
    renamed = msgspec.structs.replace(session, cases=tuple(cases))
    wanted = [new for old, new in zip(session.cases, cases, strict=True) if old.name in side.cases]
    sets = {case.name: case_on_boots(renamed, case, side.label) for case in wanted}
    return replace(side, cases=sets, sessions=(renamed,))


def case_on_boots(session: Session, case: Case, label: str) -> CaseSet:
    """A case of a session as it is compared: with the DUT's boots and its ports' speed from the recordings.

    The iterations of an experiment also get the times at which they were measured.
    """
    from fwdtui.report.link import rate_of_ports  # late: value files need none of it

    cases = case_set(session, case, label)
    # several generators may send more than fits through the ports by which their packets leave the DUT
    told = cases.result.line_rate
    if cases.unit == "pps" and (rate := rate_of_ports(cases)) and (told is None or rate < told):
        cases = replace(cases, result=msgspec.structs.replace(cases.result, line_rate=rate))
    if cases.result.placed is not None:
        placed = with_times(cases.result.placed, session, cases.used)
        cases = replace(cases, result=msgspec.structs.replace(cases.result, placed=placed))
    boots = boots_of(session, case, cases.used)
    return replace(cases, result=msgspec.structs.replace(cases.result, boots=boots)) if boots else cases


def _values(spec: str, column: int | None, delimiters: str, progress: Progress | None) -> Side:
    from fwdtui.store.valuefile import read_with_unit

    file = read_with_unit(spec, column=column, delimiters=delimiters, progress=progress)
    name = clean(Path(spec).name)
    results = ResultSet(name, contained(file.values), unit=file.unit)
    return Side(spec, name, {name: CaseSet(results)}, chosen=True)


def labelled(sides: Sequence[Side], given: Sequence[str] = ()) -> list[Side]:
    """The sides with labels that are all different: those `given`, or their own; duplicates are numbered.

    Sides that were labelled before get new labels, according to their new order.
    """
    own = [_own_label(side) for side in sides]
    given = [*given, *[""] * (len(sides) - len(given))]
    labels: list[str] = []
    for number, (side, wish) in enumerate(zip(sides, given, strict=True)):
        label = wish or own[number]
        if not wish and own.count(label) > 1:
            label = _longer(side, label)
        labels.append(_free(label, set(labels) if wish else {*labels, *given[number + 1 :]}))
    return [_renamed(side, label) for side, label in zip(sides, labels, strict=True)]


def _free(label: str, taken: Collection[str]) -> str:
    """The label, with a number if it is `taken`."""
    free, count = label, 1
    while free in taken:
        count += 1
        free = f"{label} ({count})"
    return free


def _own_label(side: Side) -> str:
    return session_label(side.sessions[0]) if side.sessions else clean(Path(side.spec).name)


def session_label(session: Session) -> str:
    """The session's label; the name of its folder if that is blank."""
    return clean(session.label).strip() or Path(session.path).name


def _longer(side: Side, label: str) -> str:
    if not side.sessions:
        return clean(side.spec)
    if side.chosen:
        return f"{label}:{next(iter(side.cases))}"
    return f"{label} ({clean(Path(side.sessions[0].path).name)})"


def _renamed(side: Side, label: str) -> Side:
    cases = {
        name: replace(one, result=msgspec.structs.replace(one.result, label=label))
        for name, one in side.cases.items()
    }
    return replace(side, label=label, cases=cases)


def cell_levels(sides: Sequence[Side]) -> dict[str, list[Level]]:
    """Factor -> its levels in the sides, for the factors that they are compared by, and those within."""
    levels: dict[str, list[Level]] = {}
    for side in sides:
        for one in (side.levels, *(case.within for case in side.cases.values())):
            for name, which in one.items():
                levels.setdefault(name, []).append(which)
    return levels


def sessions_of(sides: Sequence[Side]) -> list[tuple[str, Session]]:
    """The sessions of all sides, each with the label of its side.

    In a comparison by factors a side may have several sessions, and a session may be in several sides: such a
    session has its own label, as `told_apart` makes it unique.
    """
    pairs = [(side, session) for side in sides for session in side.sessions]
    if not any(side.levels for side in sides):
        return [(side.label, session) for side, session in pairs]
    homes: dict[str, set[str]] = {}
    for side, session in pairs:
        homes.setdefault(session.path, set()).add(side.label)
    by_path = {session.path: (side, session) for side, session in pairs}
    apart = told_apart(
        [msgspec.structs.replace(one, label=session_label(one)) for _, one in by_path.values()]
    )
    labels: dict[str, str] = {}
    for own, (path, (side, _)) in zip(apart, by_path.items(), strict=True):
        alone = len(side.sessions) == 1 and len(homes[path]) == 1
        labels[path] = _free(side.label if alone else own.label, labels.values())
    return [(labels[session.path], session) for _, session in pairs]


def _list(names: Iterator[str]) -> str:
    return ", ".join(names) or "no cases"
