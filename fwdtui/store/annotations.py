"""annotations.toml: what people note about a session afterwards, without changing the recorded files.

It holds a label, a note, factors, and the iterations that were dropped from the statistics, each with a
reason. People may edit the file too: what cannot be read is reported and the rest is used. The file is
replaced only if all of it could be read; unknown keys stay in it, comments do not.
"""

import contextlib
import datetime
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from fwdtui.core.errors import FwdtuiError
from fwdtui.core.factors import FactorValue, factor_name
from fwdtui.core.model import SCHEMA, Case, Iteration
from fwdtui.core.text import clean, clean_lines, slug
from fwdtui.store import lock, opening
from fwdtui.store import plain as parsing
from fwdtui.store.annotations_text import KEYS, NO_REASON, Annotations, Dropped, Reader
from fwdtui.store.atomic import replace
from fwdtui.store.names import ANNOTATIONS_FILE
from fwdtui.store.schema import SESSION_FILE, refuse_newer

LOCK = ".annotations.lock"  # not the recorder's: a session can be annotated while it is recorded
_PATIENCE = 5.0  # seconds; another program's change takes milliseconds


def rename(session: Path, label: str) -> Annotations:
    """Set the label of a session; "" goes back to the recorded label.

    Like every change here, it returns the new annotations once they are on disk. Raises FwdtuiError if there
    is no session, or if the file is damaged, was written by a newer fwdtui, or cannot be written.
    """
    return _change(session, lambda now: msgspec.structs.replace(now, label=label))


def annotate(session: Path, note: str) -> Annotations:
    """Set the note of a session, one line or many; "" removes it."""
    return _change(session, lambda now: msgspec.structs.replace(now, note=note))


def set_factor(session: Path, case: str, name: str, value: FactorValue) -> Annotations:
    """Set a factor of a case, or of the whole session if `case` is empty. The value "" means "not known"."""
    name = factor_name(name)

    def change(now: Annotations) -> Annotations:
        if not case:
            return msgspec.structs.replace(now, factors={**now.factors, name: value})
        of_case = {**now.cases.get(case, {}), name: value}
        return msgspec.structs.replace(now, cases={**now.cases, case: of_case})

    return _change(session, change)


def drop(session: Path, case: str, index: int, reason: str) -> Annotations:
    """Drop an iteration from the statistics. A second call changes the reason."""
    if not clean(reason).strip():
        raise FwdtuiError(f"{session}: {case} iteration {index}: why is it dropped? Give a reason")
    when = datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")
    one = Dropped(case, index, reason, when)
    return _change(session, lambda now: msgspec.structs.replace(now, dropped=(*_without(now, one), one)))


def restore(session: Path, case: str, index: int) -> Annotations:
    """Let a dropped iteration count again. Has no effect on one that is not dropped."""
    one = Dropped(case, index, "")
    return _change(session, lambda now: msgspec.structs.replace(now, dropped=tuple(_without(now, one))))


def entry_of(session: Path, case: str, index: int) -> Mapping[str, Any] | None:
    """What the file says of a dropped iteration, with its date and unknown keys, for `drop_again`.

    None if the iteration is not dropped, or nothing can be read.
    """
    path = session / ANNOTATIONS_FILE
    try:
        entries = _entries(_load(path))
    except FwdtuiError:
        return None
    one = Dropped(case, index, "")
    found = [entry for entry in entries for other in _read(path, entry) if _same(other, one)]
    return found[-1] if found else None


def drop_again(session: Path, entry: Mapping[str, Any]) -> Annotations:
    """Drop an iteration as it was dropped when `entry_of` returned `entry`."""
    (one,) = _read(session / ANNOTATIONS_FILE, entry)
    return _change(
        session, lambda now: msgspec.structs.replace(now, dropped=(*_without(now, one), one)), entry
    )


def _read(path: Path, entry: object) -> tuple[Dropped, ...]:
    return Reader(path).annotations({"dropped": [entry]}).dropped


def _without(annotations: Annotations, one: Dropped) -> list[Dropped]:
    return [other for other in annotations.dropped if not _same(other, one)]


def _same(other: Dropped, one: Dropped) -> bool:
    """Whether both mean the same iteration. A case may also be given by the name of its folder."""
    return other.index == one.index and (
        other.case in (one.case, slug(one.case)) or slug(other.case) == one.case
    )


def write_annotations(session: Path, annotations: Annotations) -> Annotations:
    """Replace all annotations, for example to undo a change: ``read_annotations`` then returns the same."""
    return _change(session, lambda now: annotations)


def read_annotations(session: Path) -> Annotations:
    """The annotations of a session. Never raises on a damaged file: `problems` says what is not used."""
    path = session / ANNOTATIONS_FILE
    try:
        plain = _load(path)
    except FwdtuiError as error:
        return Annotations(
            problems=(f"{error}: its label, note, factors and dropped iterations are not used",),
            whole=False,
        )
    return Reader(path).annotations(plain)


def _change(
    session: Path, change: Callable[[Annotations], Annotations], entry: Mapping[str, Any] | None = None
) -> Annotations:
    """Read, change and replace the file while other writers wait.

    `entry`: what the file said of a dropped iteration; the unknown keys of it are written again.
    """
    path = session / ANNOTATIONS_FILE
    if not opening.is_file(session / SESSION_FILE):
        raise FwdtuiError(f"{session}: not a session folder, or its {SESSION_FILE} cannot be read")
    try:
        with _locked(session):
            plain = _load(path)
            before = Reader(path).annotations(plain)
            if before.problems:
                raise FwdtuiError(f"{before.problems[0]}; fix the file or remove it, then try again")
            after = _cleaned(change(before))
            again = [] if entry is None else [entry]
            data = encode(after, {**plain, "dropped": [*_entries(plain), *again]})
            _read_back(data, path, after)
            for left in session.glob(f".{ANNOTATIONS_FILE}.*.tmp"):  # left by a killed writer
                with contextlib.suppress(OSError):
                    left.unlink()
            replace(path, data)
    except OSError as error:
        raise FwdtuiError(f"{path}: {error.strerror or error}") from None
    return after


@contextlib.contextmanager
def _locked(session: Path) -> Iterator[None]:
    taken = lock.take(session / LOCK, _PATIENCE)
    if taken is None:
        raise FwdtuiError(f"{session}: another fwdtui is changing its annotations; try again")
    try:
        yield
    finally:
        taken.release()


def encode(annotations: Annotations, before: Mapping[str, Any] | None = None) -> bytes:
    """annotations.toml as bytes. `before` is the file's old content: its unknown keys are carried over."""
    import tomli_w

    before = before or {}
    content = {"schema": SCHEMA} | _unknown(before, KEYS)
    if annotations.label:
        content["label"] = annotations.label
    if annotations.note:
        content["note"] = annotations.note
    if annotations.factors:
        content["factors"] = dict(annotations.factors)
    tables = _tables(before, annotations)
    if tables:
        content["cases"] = tables
    kept = {
        (clean(entry["case"]), entry["index"]): _unknown(entry, Dropped.__struct_fields__)
        for entry in _entries(before)
    }
    parts = [tomli_w.dumps(content, multiline_strings=True)]
    for one in annotations.dropped:  # by hand: tomli_w writes short tables in one line, hard to edit
        parts.append("\n[[dropped]]\n" + tomli_w.dumps(msgspec.to_builtins(one)))
        further = {key: {key: value} for key, value in kept.get((one.case, one.index), {}).items()}
        # tables come last, under their full names: [dropped.KEY] belongs to the [[dropped]] above it
        last = [key for key, alone in further.items() if tomli_w.dumps(alone).startswith("[")]
        parts += (tomli_w.dumps(alone) for key, alone in further.items() if key not in last)
        parts += (tomli_w.dumps({"dropped": further[key]}) for key in last)
    return "".join(parts).encode()


def _entries(file: Mapping[str, Any]) -> list[Any]:
    """What the file has below `dropped`, of whatever kind."""
    entries = file.get("dropped", [])
    return entries if isinstance(entries, list) else [entries]


def _tables(file: Mapping[str, Any], annotations: Annotations) -> dict[str, Any]:
    """The tables of the cases to be written, with the unknown keys that they have in `file`."""
    before = file.get("cases", {})
    tables: dict[str, Any] = {
        clean(name): _unknown(table, ("factors",))
        for name, table in before.items()
        if isinstance(table, dict)
    }
    for name, factors in annotations.cases.items():
        tables.setdefault(name, {})["factors"] = dict(factors)
    return {name: table for name, table in tables.items() if table}


def _unknown(table: Mapping[str, Any], known: Sequence[str]) -> dict[str, Any]:
    return {key: value for key, value in table.items() if key not in known}


def _read_back(data: bytes, path: Path, wanted: Annotations) -> None:
    """Check, before the file is replaced, that `data` reads back as `wanted`. Raises FwdtuiError."""
    if len(data) > opening.TEXT_MOST:
        raise FwdtuiError(f"{path}: not written: it would be larger than {opening.shown(opening.TEXT_MOST)}")
    reread = Reader(path).annotations(parsing.toml(data, path, stated=True, doubtful=True))
    if reread != wanted:
        raise FwdtuiError(f"{path}: not written: it would not read back as intended")


def _cleaned(annotations: Annotations) -> Annotations:
    """The annotations as they will be read back."""
    dropped: dict[tuple[str, int], Dropped] = {}
    for one in annotations.dropped:
        case, reason, when = map(_clean, (one.case, one.reason, one.when))
        dropped[case, one.index] = Dropped(case, one.index, reason.strip() or NO_REASON, when)
    return Annotations(
        label=_clean(annotations.label).strip(),
        note=clean_lines(_whole(annotations.note)).strip(),
        dropped=tuple(dropped.values()),
        factors=_cleaned_factors(annotations.factors),
        cases={_clean(name): _cleaned_factors(factors) for name, factors in annotations.cases.items()},
    )


def _cleaned_factors(factors: Mapping[str, FactorValue]) -> dict[str, FactorValue]:
    return {
        factor_name(name): _clean(value).strip() if isinstance(value, str) else value
        for name, value in factors.items()
    }


def _clean(text: str) -> str:
    return clean(_whole(text))


def _whole(text: str) -> str:
    """`text` with lone surrogates escaped: command-line arguments may hold them, and UTF-8 cannot."""
    return text.encode("utf-8", "backslashreplace").decode()


def _load(path: Path) -> dict[str, Any]:
    """The file's content, empty if there is no file. Raises FwdtuiError naming file and position."""
    try:
        data = opening.read(path)
    except FileNotFoundError:
        return {}
    except OSError as error:
        raise FwdtuiError(f"{path}: {error.strerror or error}") from None
    plain = parsing.toml(data, path, stated=True, doubtful=True)
    refuse_newer(plain, path)
    return plain


def applied(annotations: Annotations, cases: Sequence[Case], path: Path) -> tuple[list[Case], list[str]]:
    """The cases with their dropped iterations marked, and the problems of the annotations."""
    problems = list(annotations.problems)
    reasons = {(one.case, one.index): one.reason for one in annotations.dropped}
    if not reasons:
        return list(cases), problems
    marked: list[Case] = []
    found: set[tuple[str, int]] = set()
    for case in cases:
        iterations: list[Iteration] = []
        complete = {iteration.index for iteration in case.iterations if iteration.complete}
        for iteration in case.iterations:
            reason = ""
            copied = not iteration.complete and iteration.index in complete  # it does not count anyway
            for name in () if copied else (slug(case.name), case.name):
                if (key := (name, iteration.index)) in reasons:
                    reason = reasons[key]
                    found.add(key)
            iterations.append(msgspec.structs.replace(iteration, dropped=reason) if reason else iteration)
        marked.append(msgspec.structs.replace(case, iterations=tuple(iterations)))
    problems += [
        f"{path / ANNOTATIONS_FILE}: {case} iteration {index} is dropped, but there is no such iteration"
        for case, index in reasons
        if (case, index) not in found
    ]
    return marked, problems
