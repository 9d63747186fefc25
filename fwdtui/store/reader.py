"""Reads a session strictly: damage is reported with its position, and nothing is ever rewritten."""

import errno
import os
import stat
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from fwdtui.core.errors import FwdtuiError
from fwdtui.core.factors import FactorValue, accepted
from fwdtui.core.findings import HostFindings
from fwdtui.core.model import Case, Iteration, Session
from fwdtui.core.text import clean, clean_lines
from fwdtui.store import annotations, case_folders, experiment_verdicts, hygiene, lock, opening, verifying
from fwdtui.store.annotations_text import Annotations
from fwdtui.store.case_folders import Found
from fwdtui.store.names import ANNOTATIONS_FILE, has_experiment
from fwdtui.store.records import NAME as SAMPLES
from fwdtui.store.records import read_samples
from fwdtui.store.schema import (
    DIVIDED,
    ITERATION_FILE,
    SESSION_FILE,
    IterationFile,
    SessionFile,
    decode_iteration,
    decode_session_and_divided,
)

_UNSEEN = "its findings about the hosts are not shown"
_ITS_OWN = "states this factor itself, as it was recorded, so this is not used"
_LOST_AND_FOUND, _ROOT = "lost+found", 0
_DIGITS = 9  # most digits of an iteration's number
_ABSENT = (errno.ENOENT, errno.ENOTDIR, errno.ENAMETOOLONG, errno.ELOOP)  # with these there is no such file


def is_session(path: Path) -> bool:
    """Whether `path` is a session folder: it has a session.toml, even if that is unreadable or a link.

    Also true if nobody can tell, as the folder may not be entered: reading it then gives the reason.
    """
    try:
        (path / SESSION_FILE).lstat()
    except ValueError:  # a NUL in the name
        return False
    except OSError as error:
        return error.errno not in _ABSENT and not is_lost_and_found(path)
    return True


def is_lost_and_found(path: Path) -> bool:
    """Whether `path` is root's folder lost+found, which the user may not read. Never raises.

    Every ext file system has one for fsck, so a folder of sessions on a disk of its own has one, too.
    """
    if path.name != _LOST_AND_FOUND:
        return False
    try:
        status = path.lstat()
    except (OSError, ValueError):  # ValueError: a NUL in the path
        return False
    readable = os.access(path, os.R_OK | os.X_OK, effective_ids=os.access in os.supports_effective_ids)
    return stat.S_ISDIR(status.st_mode) and status.st_uid == _ROOT and not readable


def holds_iterations(path: Path) -> bool:
    """Whether the folder `path` holds iterations, with a session.toml or without. Nothing in them is opened.

    Raises OSError if the folder may not be read.
    """
    os.scandir(path).close()  # glob would take it for an empty one
    return any(path.glob(f"*/*/{ITERATION_FILE}"))


def read_session(path: Path, verify: bool = False) -> Session:
    """Read a session. `verify` also reads the samples and checks every raw log, as `verifying.verify` does.

    An iteration that is unfinished or damaged is listed with value None and complete False, and
    `problems` says why. The annotations are merged in: label, note, dropped iterations.
    Raises FwdtuiError if session.toml itself cannot be read.
    """
    header, divided = _read_header(path)
    said = annotations.read_annotations(path)
    recording = lock.is_held(path / lock.RECORDING)
    problems: list[str] = []
    found: list[Found] = []
    places: dict[str, str] = {}  # checksum of each iteration so far -> its folder
    root = str(path)
    for folder in _folders(root, problems):
        try:
            found += _iterations(f"{root}/{folder}", problems, verify, recording, places)
        except OSError as error:
            problems.append(f"{root}/{folder}: {error.strerror}")
    cases = case_folders.by_case(found, (*header.cases, *said.cases, *(one.case for one in said.dropped)))
    factors, of_case, unnamed = _factors(header, said, path)
    problems += case_folders.mixed(found, root)
    problems += case_folders.twice(cases, root)
    problems += case_folders.gone(found, cases, root)
    sorted_cases = [
        Case(name, tuple(sorted(cases[name], key=lambda i: i.index)), of_case.get(name, {}))
        for name in sorted(cases)
    ]
    marked, wrong = annotations.applied(said, sorted_cases, path)
    marked, unjudged = experiment_verdicts.applied(path, marked)
    wrong += unjudged
    # a recorder may still begin the cases that it has made tables for; an experiment makes those of all cells
    beforehand = recording or not cases or has_experiment(path) or any(one.iteration.planned for one in found)
    with_factors = [] if beforehand else [clean(n) for n, one in header.cases.items() if one.factors]
    for file, named in ((ANNOTATIONS_FILE, said.cases), (SESSION_FILE, with_factors)):
        wrong += [
            f"{path / file}: cases.{name}: there is no such case: its factors are not used"
            for name in named
            if name not in cases
        ]
    wrong += [f"{path / SESSION_FILE}: cases.{place}: {DIVIDED}" for place in divided]
    wrong += _overridden(said, sorted_cases, path)
    seen: tuple[HostFindings, ...] = ()
    try:
        seen = hygiene.read(path / hygiene.FILE)
    except FwdtuiError as error:
        problems.append(str(error))
    if opening.is_file(path / hygiene.ASIDE):
        problems.append(
            f"{path / hygiene.ASIDE}: was damaged and was set aside by a later recording: {_UNSEEN}"
        )
    return Session(
        path=root,
        label=said.label or clean(header.label),
        created=clean(header.created),
        imported=clean(header.imported),
        facts=header.facts,
        cases=tuple(marked),
        problems=(*problems, *wrong, *unnamed),
        note=said.note,
        lab=cleaned_lab(header),
        recording=recording,
        factors=factors,
        whole=said.whole,
        hygiene=seen,
    )


def _factors(
    header: SessionFile, said: Annotations, path: Path
) -> tuple[Mapping[str, FactorValue], Mapping[str, Mapping[str, FactorValue]], list[str]]:
    """The session's factors, those of its cases, and problems. An annotation replaces what was recorded."""
    where = str(path / SESSION_FILE)
    factors, problems = accepted(header.factors, where)
    of_case: dict[str, dict[str, FactorValue]] = {}
    for name, table in header.cases.items():
        of_case[clean(name)], wrong = accepted(table.factors, where)
        problems += wrong
    for name, given in said.cases.items():
        of_case[name] = {**of_case.get(name, {}), **given}
    return {**factors, **said.factors}, of_case, problems


def _overridden(said: Annotations, cases: Sequence[Case], path: Path) -> Iterator[str]:
    """A problem for each correction without effect, because recorded factors that are more specific win.

    Those are factors of every case, or of each iteration, as those of a further recording have them.
    """
    file = path / ANNOTATIONS_FILE
    for name in said.factors:
        recorded = [case.name for case in cases if name not in said.cases.get(case.name, {})]
        if not recorded:
            continue
        if all(name in case.factors for case in cases):
            yield (
                f"{file}: factors.{name}: every case states this factor itself, perhaps as unknown, so this "
                f'is not used; correct it in each case, under [cases."{recorded[0]}".factors] and so on'
            )
        elif all(name in case.factors or _each_has(case, name) for case in cases):
            yield f"{file}: factors.{name}: every case, or each of its iterations, {_ITS_OWN}"
    for case in cases:
        for name in said.cases.get(case.name, {}):
            if _each_has(case, name):
                yield f'{file}: cases."{case.name}".factors.{name}: each iteration {_ITS_OWN}'


def _each_has(case: Case, name: str) -> bool:
    """Whether each iteration that can be read has the factor itself; profiles have none, and do not count."""
    own = [one.factors for one in case.iterations if one.complete or one.factors]
    return bool(own) and all(name in factors for factors in own)


def recorded_factors(path: Path, case: str) -> dict[str, FactorValue]:
    """The factors that the next iteration of `case` has before its own are added, annotations included.

    Raises FwdtuiError if session.toml cannot be read.
    """
    factors, of_case, _ = _factors(read_header(path), annotations.read_annotations(path), path)
    return {**factors, **of_case.get(clean(case), {})}


def begun_with(path: Path, case: str) -> dict[str, FactorValue]:
    """As `recorded_factors`, but only from session.toml, without later corrections. Raises FwdtuiError."""
    factors, of_case, _ = _factors(read_header(path), Annotations(), path)
    return {**factors, **of_case.get(clean(case), {})}


def read_header(path: Path) -> SessionFile:
    """session.toml of the session folder `path`, without annotations. Raises FwdtuiError."""
    return _read_header(path)[0]


def _read_header(path: Path) -> tuple[SessionFile, tuple[str, ...]]:
    try:
        data = opening.read(path / SESSION_FILE)
    except (FileNotFoundError, NotADirectoryError) as error:
        raise FwdtuiError(f"{path}: not a session folder ({SESSION_FILE}: {error.strerror})") from None
    except OSError as error:
        raise FwdtuiError(f"{path / SESSION_FILE}: {error.strerror}") from None
    return decode_session_and_divided(data, path / SESSION_FILE)


def cleaned_lab(header: SessionFile) -> Mapping[str, object] | None:
    """The recorded lab as `cleaned_content` gives it; None: not recorded."""
    return None if header.lab is None else cleaned_content(header.lab)


def cleaned_content(lab: Mapping[str, object]) -> dict[str, object]:
    """A lab's content with control characters removed from its texts; a command may have several lines."""

    def cleaned(node: Any) -> Any:
        if isinstance(node, Mapping):
            return {clean(key): cleaned(value) for key, value in node.items()}
        if isinstance(node, list):
            return [cleaned(value) for value in node]
        return clean_lines(node) if isinstance(node, str) else node

    return {clean(key): cleaned(value) for key, value in lab.items()}


def is_number(name: str) -> bool:
    """Whether a folder of this name in a case's folder is an iteration."""
    return name.isascii() and name.isdecimal() and len(name) <= _DIGITS


def _folders(path: str, problems: list[str]) -> list[str]:
    """The names of the folders in `path`, without links. (pathlib takes twice as long as the reading.)"""
    names = []
    with os.scandir(path) as entries:
        for entry in entries:
            if entry.name.startswith("."):
                continue
            if entry.is_dir(follow_symlinks=False):
                names.append(entry.name)
            elif entry.is_symlink() and opening.leads_to_folder(entry):
                problems.append(f"{path}/{entry.name}: a link to a folder; it is not followed")
    return sorted(names)


def _iterations(
    folder: str, problems: list[str], verify: bool, recording: bool, places: dict[str, str]
) -> list[Found]:
    """The iterations in a case's folder. Raises OSError."""
    name = folder.rpartition("/")[2]
    found = []
    # finding a file by a path of six folders takes as long as reading it: this path is walked only once
    within = opening.open_folder(folder)
    try:
        for number in filter(is_number, _folders(folder, problems)):
            case, iteration = _iteration(f"{folder}/{number}", within, problems, verify, recording, places)
            found.append(Found(name, number, case, iteration))
    finally:
        os.close(within)
    return found


def _iteration(
    folder: str, within: int, problems: list[str], verify: bool, recording: bool, places: dict[str, str]
) -> tuple[str | None, Iteration]:
    """The case that an iteration's own file names (None: the file cannot be read), and the iteration."""
    path = f"{folder}/{ITERATION_FILE}"
    name = folder.rpartition("/")[2]
    number = int(name)
    try:
        record = decode_iteration(opening.read(f"{name}/{ITERATION_FILE}", within=within), path)
        if record.index != number:  # a copied folder would count twice
            raise FwdtuiError(f"{path}: belongs to iteration {record.index}, not {number}: a copied folder?")
        first = places.setdefault(record.checksum, folder)
        if first != folder:
            problems.append(f"{path}: the same as in {first}: a copied folder, which does not count")
            return record.case, Iteration(index=number, value=None, complete=False)
    except FileNotFoundError:
        state = "being recorded" if recording and _since_locked(Path(folder)) else "unfinished"
        problems.append(f"{folder}: {state}: it has no {ITERATION_FILE}")
    except OSError as error:
        problems.append(f"{path}: {error.strerror}")
    except FwdtuiError as error:
        problems.append(str(error))
    else:
        if verify:
            problems.extend(_verify(folder, record))
        if record.factors:
            factors, wrong = accepted(record.factors, path)
            problems.extend(wrong)
            return record.case, msgspec.structs.replace(record.iteration(), factors=factors)
        return record.case, record.iteration()
    return None, Iteration(index=number, value=None, complete=False)


def _since_locked(folder: Path) -> bool:
    """Whether the current holder of the session's lock began this iteration, not a writer that died."""
    try:
        return folder.stat().st_mtime_ns >= (folder.parent.parent / lock.RECORDING).stat().st_mtime_ns
    except OSError:
        return False  # the recorder has just ended


def _verify(folder: str, record: IterationFile) -> Iterator[str]:
    path = Path(folder)
    yield from verifying.changed(path, record.files)
    lacking = [*verifying.lacking(path, record.window)]
    yield from lacking
    if not lacking and SAMPLES not in record.files:
        try:
            yield from read_samples(path).problems
        except FwdtuiError as error:
            yield str(error)
