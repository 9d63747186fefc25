"""BASE and OTHER of the command line: a session, SESSION:CASE, a value file, or '-'."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from fwdtui.core.errors import FwdtuiError
from fwdtui.core.model import Case, Session
from fwdtui.core.text import clean, slug
from fwdtui.report.iterations import CaseSet, case_set
from fwdtui.report.recordings import boots_of
from fwdtui.stats.results import ResultSet
from fwdtui.stats.values import contained

if TYPE_CHECKING:
    from fwdtui.store.session_names import SessionNames

Progress = Callable[[str, int], None]


@dataclass(frozen=True, slots=True)
class Side:
    """One of the things compared: its cases in order. `spec` is its path, or ``PATH:CASE``.

    `chosen`: it is one case by the user's own choice, SESSION:CASE or a value file. A value file has no
    session, and its only case bears the file's name until it is paired.
    """

    spec: str
    label: str
    cases: Mapping[str, CaseSet]
    chosen: bool
    session: Session | None = None

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
    delimiters: str = " \t",
    progress: Progress | None = None,
    sessions: Path | None = None,
) -> list[Side]:
    """What `specs` name, the baseline first. `labels` replace the sides' own, in the same order.

    `sessions`: the folder in which what is not a path is looked up as a name; None: there are only paths.
    `column` (from 1; None: see read_values) and `delimiters` are ministat's -C and -d, for value files, and
    `progress` is called with how many bytes of a big one were read. Raises FwdtuiError.
    """
    if len(labels) > len(specs):
        raise FwdtuiError(f"--label is given {len(labels)} times for {len(specs)} files or sessions")
    if list(specs).count("-") > 1:
        raise FwdtuiError("-: standard input can be read only once")
    names = None
    if sessions is not None and any(spec != "-" and not _is_file(spec) for spec in specs):
        from fwdtui.store.session_names import SessionNames  # late: value files need no TOML

        names = SessionNames(sessions)
    sides = [_load(spec, column, delimiters, progress, names) for spec in specs]
    return labelled(sides, [clean(label).strip() for label in labels])


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
            if wanted in (case.name, slug(case.name)):
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


def _is_file(spec: str) -> bool:
    path = Path(spec)
    return path.exists() and not path.is_dir()


def of_session(session: Session) -> Side:
    """A session that was read before, with all its cases. Raises FwdtuiError if it has none."""
    return _session(session.path, session)


def _session(spec: str, session: Session, chosen: Case | None = None) -> Side:
    label = _session_label(session)
    wanted = [chosen] if chosen else session.cases
    cases = {case.name: _on_boots(session, case, case_set(session, case, label)) for case in wanted}
    if not cases:
        raise FwdtuiError(f"{spec}: the session has no iterations")
    return Side(spec, label, cases, chosen is not None, session)


def _on_boots(session: Session, case: Case, cases: CaseSet) -> CaseSet:
    boots = boots_of(session, case, cases.used)
    return replace(cases, result=msgspec.structs.replace(cases.result, boots=boots)) if boots else cases


def _values(spec: str, column: int | None, delimiters: str, progress: Progress | None) -> Side:
    from fwdtui.store.valuefile import read_values

    values = read_values(spec, column=column, delimiters=delimiters, progress=progress)
    name = clean(Path(spec).name)
    return Side(spec, name, {name: CaseSet(ResultSet(name, contained(values)))}, chosen=True)


def labelled(sides: Sequence[Side], given: Sequence[str] = ()) -> list[Side]:
    """The sides with labels that are all different: those `given`, or their own; duplicates are numbered.

    Sides that were labelled before get new labels, by their new order.
    """
    own = [_own_label(side) for side in sides]
    given = [*given, *[""] * (len(sides) - len(given))]
    labels: list[str] = []
    for number, (side, wish) in enumerate(zip(sides, given, strict=True)):
        label = wish or own[number]
        if not wish and own.count(label) > 1:
            label = _longer(side, label)
        taken = set(labels) if wish else {*labels, *given[number + 1 :]}
        free = label
        count = 1
        while free in taken:
            count += 1
            free = f"{label} ({count})"
        labels.append(free)
    return [_renamed(side, label) for side, label in zip(sides, labels, strict=True)]


def _own_label(side: Side) -> str:
    return clean(Path(side.spec).name) if side.session is None else _session_label(side.session)


def _session_label(session: Session) -> str:
    return clean(session.label).strip() or Path(session.path).name


def _longer(side: Side, label: str) -> str:
    if side.session is None:
        return clean(side.spec)
    if side.chosen:
        return f"{label}:{next(iter(side.cases))}"
    return f"{label} ({clean(Path(side.session.path).name)})"


def _renamed(side: Side, label: str) -> Side:
    cases = {
        name: replace(one, result=msgspec.structs.replace(one.result, label=label))
        for name, one in side.cases.items()
    }
    return replace(side, label=label, cases=cases)


def _list(names: Iterator[str]) -> str:
    return ", ".join(names) or "no cases"
