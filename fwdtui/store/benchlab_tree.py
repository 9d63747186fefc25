"""The content of a bench-lab result tree: which logs belong together, and what their names mean.

bench-lab.sh writes ``bench.<name>.info``, ``bench.<name>.<N>.receiver`` and ``.sender`` into one folder, and
``.sender_2``, ``.sender_gen2``, ``.sender_gen2_2`` if it started several generators. People often move
them into RAW/ below the folder of the published value files (``<name>.pps``, or any name without an
extension) and gnuplot.data. Names contain dots, so they are never split: .info decides. Runs under PMC/ were
made under a profiler, at a load that it can bear: they are not iterations, but their profiles are imported.

A tree may come from anybody: only regular files within bounds are read, and notes name what cannot be read.
"""

import contextlib
import os
import re
from collections.abc import Sequence
from pathlib import Path

import msgspec

from fwdtui.core.errors import FwdtuiError
from fwdtui.core.parse import benchlab_info, equilibrium
from fwdtui.core.parse.benchlab_info import BenchInfo
from fwdtui.core.text import clean, decode
from fwdtui.store import benchlab_profiles, benchlab_values, opening
from fwdtui.store.benchlab_names import case_of, neighbours
from fwdtui.store.benchlab_profiles import ProfileFiles, is_profile
from fwdtui.store.benchlab_values import Published, is_value_file
from fwdtui.store.running_imports import is_building
from fwdtui.store.schema import SESSION_FILE

_LOG = re.compile(
    r"(?:bench\.)?(?P<key>.+)\.(?P<index>[0-9]{1,9})\.(?P<kind>receiver|sender(?:_[A-Za-z0-9_]+)?)"
)
_BARE = re.compile(r"bench\.(?P<key>.+)\.(?P<index>[0-9]{1,9})")  # a log without a kind, like equilibrium's
_PACKED = re.compile(r"(.+)\.(?:gz|bz2|xz|zst|lz4|Z)")
_INFO = re.compile(r"(?:bench\.)?(?P<key>.+)\.info")
_PROFILES = "PMC"
_HEAD = 4096  # bytes that show whether a log is equilibrium's
_DEEPEST = 40  # folders below each other
FACTORS_FILE = "factors.toml"


class Run(msgspec.Struct, frozen=True):
    """One iteration's files. `senders`: the kind of each, "sender" or "sender_gen2", and its log."""

    index: int
    receiver: Path | None = None
    senders: tuple[tuple[str, Path], ...] = ()
    others: tuple[Path, ...] = ()
    published: Published | None = None  # no logs: the value in a value file
    copy_of: str = ""  # the run before it that has the same receiver's log


class Result(msgspec.Struct, frozen=True):
    """One configuration: the runs of one name, and what its .info says."""

    key: str
    session: str
    case: str
    info: BenchInfo | None
    info_path: Path | None
    runs: tuple[Run, ...]
    notes: tuple[str, ...] = ()
    profiles: tuple[ProfileFiles, ...] = ()


class Tree(msgspec.Struct, frozen=True):
    """One result folder. `published` maps a value file's path to its values. `corrections`: the factors.toml
    that apply to it, those of the folders above first.
    """

    folder: Path
    results: tuple[Result, ...]
    published: dict[Path, tuple[float, ...]] = {}
    gnuplot: dict[str, tuple[float, float, float]] = {}  # name: median, min, max
    notes: tuple[str, ...] = ()
    corrections: tuple[Path, ...] = ()


def find(root: Path) -> list[Tree]:
    """Every result folder at or below `root`. Raises FwdtuiError if there is none."""
    if not root.is_dir():
        raise FwdtuiError(f"{root}: no such folder")
    if root.name in ("", "..") and _home(at := root.resolve()) != at:
        root = at  # the results are those of the folder above, which ``.`` does not name
    files, notes = _files(root)
    given_profiles = [path for paths in files.values() for path in filter(is_profile, paths)]
    profiled = _companions(root, files)
    folders: dict[Path, list[Path]] = {}
    without: list[Path] = []
    for folder, paths in files.items():
        home = _home(folder)
        if any(_is_result(path) for path in paths):
            folders.setdefault(home, [])
            folders[home] += paths
        else:
            without.append(folder)
    for folder in without:
        notes += _all_packed(folder, files[folder]) + _unread(files[folder])
        if folder not in folders:
            of_nobody, odd = benchlab_values.read(files[folder])
            notes += benchlab_values.unnamed(folder, list(of_nobody)) + odd
    if not folders:
        problems = [f"{root}: no bench-lab results in it (no *.N.receiver, *.N.sender, *.info or *.pps)"]
        problems += notes[:3] + [note for _, note in profiled]
        raise FwdtuiError("; ".join(problems))
    for home in folders.keys() - files.keys():
        files[home] = _listed(home, notes)[0]  # above the given root, or without files of its own
    given = [path for paths in files.values() for path in paths if path.name == FACTORS_FILE]
    corrections = sorted(given, key=lambda path: (len(path.parts), path))
    profiles: dict[Path, list[Path]] = {}
    for path in given_profiles:  # in any folder below the results: PMC/, RAW/, svg/
        above = next((one for one in path.parents if one in folders), None)
        if above is None:
            notes.append(benchlab_profiles.homeless(path))
        else:
            profiles.setdefault(above, []).append(path)
    trees = [
        msgspec.structs.replace(
            _tree(folder, sorted(paths), files[folder], profiles.get(folder, [])),
            corrections=tuple(path for path in corrections if folder.is_relative_to(_home(path.parent))),
        )
        for folder, paths in sorted(folders.items())
    ]
    homes = {tree.folder: place for place, tree in enumerate(trees)}
    for folder, note in profiled:  # beside the results that were profiled, if they are imported too
        place = homes.get(folder, 0)
        trees[place] = msgspec.structs.replace(trees[place], notes=(*trees[place].notes, note))
    if notes:
        trees[0] = msgspec.structs.replace(trees[0], notes=(*notes, *trees[0].notes))
    return trees


def _home(folder: Path) -> Path:
    """The folder that the results in `folder` belong to: for RAW/ the one above it."""
    return folder.parent if folder.name.upper() == "RAW" else folder


def _is_result(path: Path) -> bool:
    return bool(_log(path) or _INFO.fullmatch(path.name) or is_value_file(path))


def _is_log_or_info(name: str) -> bool:
    return bool(_LOG.fullmatch(name) or _INFO.fullmatch(name))


def _is_of_results(path: Path) -> bool:
    """Whether the name says that an import would use the file. Files of other names may be used too."""
    named = path.name in (FACTORS_FILE, benchlab_values.GNUPLOT) or _BARE.fullmatch(path.name)
    return bool(named or _is_log_or_info(path.name) or is_value_file(path) or is_profile(path))


def _is_packed(path: Path) -> bool:
    """Whether its name is that of a compressed log."""
    packed = _PACKED.fullmatch(path.name)
    return bool(packed and (_LOG.fullmatch(packed[1]) or _BARE.fullmatch(packed[1])))


def _all_packed(folder: Path, paths: Sequence[Path]) -> list[str]:
    """A note on the compressed logs of a folder that has no others, and so no results."""
    names = [clean(path.name) for path in paths if _is_packed(path)]
    if not names:
        return []
    more = f" and {len(names) - 1} more" if len(names) > 1 else ""
    what, them = ("compressed logs", "them") if more else ("a compressed log", "it")
    return [f"{folder}: {names[0]}{more}: {what}: not read; unpack {them} first"]


def _log(path: Path) -> tuple[str, int, str] | None:
    """Result, run and kind of a tool's log, from its name; None if the file is no such log.

    The log of a tool that is generator and receiver in one may have no kind in its name.
    """
    name = path.name
    if match := _LOG.fullmatch(name):
        return match["key"], int(match["index"]), match["kind"]
    if match := _BARE.fullmatch(name):
        with contextlib.suppress(OSError):  # see `_unread`
            if equilibrium.is_search(_head(path)):
                return match["key"], int(match["index"]), "sender"
    return None


def _head(path: Path) -> str:
    """How a file begins. Raises OSError."""
    return decode(b"".join(opening.pieces(path, _HEAD)))


def _unread(paths: Sequence[Path]) -> list[str]:
    """Notes on files that may be logs by their names, and that cannot be read, so that it is not known."""
    notes = []
    for path in paths:
        if _BARE.fullmatch(path.name):
            try:
                _head(path)
            except OSError as error:
                notes.append(f"{path}: {error.strerror}: not read; by its name it may be a log")
    return notes


def _companions(root: Path, files: dict[Path, list[Path]]) -> list[tuple[Path, str]]:
    """Remove what is at or below a folder PMC from `files`.

    Returns, for each such folder with runs, the folder above it and a note.
    """
    runs: dict[Path, dict[str, set[int]]] = {}
    for folder in list(files):
        above = [one for one in (folder, *folder.parents) if one == root or one.is_relative_to(root)]
        at = next((one for one in reversed(above) if _folder_name(one).upper() == _PROFILES), None)
        if at is None:
            continue
        for path in files.pop(folder):
            if log := _log(path):
                runs.setdefault(at, {}).setdefault(clean(log[0]), set()).add(log[1])
    notes = []
    for at, cases in sorted(runs.items()):
        count = sum(map(len, cases.values()))
        many = f"{count} run{'s' * (count != 1)}"
        text = f"{clean(_folder_name(at))}/: {many} made under a profiler ({', '.join(cases)})"
        why = "at another load; they only go with a profile and are not iterations, so not imported"
        notes.append((at.parent, f"{text}, {why}"))
    return notes


def _folder_name(folder: Path) -> str:
    """The folder's own name, for ``.`` too."""
    return folder.name or folder.resolve().name


def _files(root: Path) -> tuple[dict[Path, list[Path]], list[str]]:
    """The files of each folder at or below `root`, without links and sessions; notes on what is left out."""
    by_folder: dict[Path, list[Path]] = {}
    notes: list[str] = []
    sessions: dict[Path, int] = {}
    left = [(root, 0)]
    while left:
        folder, depth = left.pop()
        if os.path.lexists(folder / SESSION_FILE):  # what is in it was imported, or recorded
            sessions[folder.parent] = sessions.get(folder.parent, 0) + 1
            continue
        files, below = _listed(folder, notes)
        if files:
            by_folder[folder] = files
        if depth < _DEEPEST:
            left += [(path, depth + 1) for path in below]
        else:
            notes += [f"{path}: more than {_DEEPEST} folders deep: not imported" for path in below]
    for parent, count in sorted(sessions.items()):
        notes.append(f"{parent}: {count} session{'s' * (count != 1)} of fwdtui in it: not imported")
    return by_folder, notes


def _listed(folder: Path, notes: list[str]) -> tuple[list[Path], list[Path]]:
    """Files and subfolders of a folder, sorted by name; links are left out, and some get a note."""
    files: list[Path] = []
    below: list[Path] = []
    try:
        with os.scandir(folder) as entries:
            for entry in sorted(entries, key=lambda entry: entry.name):
                path = folder / entry.name
                if entry.is_dir(follow_symlinks=False):
                    if not is_building(entry.name):  # what a killed import left
                        below.append(path)
                elif not entry.is_symlink():
                    files.append(path)
                    if "\n" in entry.name and _is_log_or_info(entry.name.replace("\n", "")):
                        notes.append(f"{path}: a line end in its name: not imported; rename it first")
                elif _is_of_results(path):
                    notes.append(f"{path}: a link, not a regular file: not imported")
                elif opening.leads_to_folder(entry):
                    notes.append(f"{path}: a link to a folder: not imported")
    except OSError as error:
        notes.append(f"{folder}: {error.strerror}: not imported")
    return files, below


def _tree(folder: Path, paths: list[Path], beside: list[Path], profiles: list[Path]) -> Tree:
    """Put the files of one result folder together.

    `paths`: the files among which its results are, also in RAW/; `beside`: all files directly in `folder`.
    """
    notes: list[str] = []
    infos: dict[str, Path] = {}
    logs: dict[str, dict[int, dict[str, Path]]] = {}
    others: dict[tuple[str, str], list[Path]] = {}
    further: list[Path] = []
    for path in paths:
        name = path.name
        if name.endswith(".info") and (match := _INFO.fullmatch(name)):
            if (other := infos.get(match["key"])) is not None and not _same(path, other):
                notes.append(f"{other}: a second .info of the same result: not read; {path} is read instead")
            infos[match["key"]] = path
        elif log := _log(path):
            key, index, kind = log
            run = logs.setdefault(key, {}).setdefault(index, {})
            if kind in run:
                notes.append(f"{path}: a second log for the same run: not imported")
            else:
                run[kind] = path
        elif not is_profile(path):
            further.append(path)
    notes += _unread(further)
    for path in further:
        if _is_packed(path):
            notes.append(f"{path}: a compressed log: not read; unpack it first")
        for key, number in _numbered(path.name):
            if int(number) in logs.get(key, ()):
                others.setdefault((key, str(int(number))), []).append(path)
                break
    parsed = {}
    for key, path in infos.items():
        try:
            parsed[key] = benchlab_info.parse(decode(opening.read(path)))
        except OSError as error:
            notes.append(f"{path}: {error.strerror}: not read")
    results = []
    named = neighbours(parsed)
    for key in sorted(logs):
        runs = tuple(
            Run(
                index,
                files.get("receiver"),
                tuple((kind, files[kind]) for kind in sorted(files) if kind != "receiver"),
                tuple(others.get((key, str(index)), ())),
            )
            for index, files in sorted(logs[key].items())
        )
        results.append(_result(key, parsed, named, infos, runs))
    elsewhere = [one for one in paths if is_value_file(one) and one.parent != folder]
    published, odd = benchlab_values.read([*beside, *elsewhere], infos)
    by_result = benchlab_values.lost(published, infos)
    for key, values in by_result.items():
        # values without logs: all that is left of many published results
        if key not in logs and benchlab_values.measured_as(key, values) not in logs:
            runs = tuple(Run(n, published=value) for n, value in enumerate(values, 1))
            results.append(_result(key, parsed, named, infos, runs))
            notes += benchlab_values.unused(key, by_result, published, infos)
    of_runs = {path for some in others.values() for path in some}
    notes += benchlab_values.unnamed(
        folder, benchlab_values.of_no_result(published, by_result, logs, of_runs)
    )
    taken, without = benchlab_profiles.found(profiles, {result.key for result in results})
    of_key = {key: tuple(one for one in taken if one.key == key) for key in {one.key for one in taken}}
    results = [msgspec.structs.replace(one, profiles=of_key.get(one.key, ())) for one in results]
    notes += without
    used = {result.info_path for result in results}
    notes += [f"{path}: no results belong to it" for path in sorted(infos.values()) if path not in used]
    gnuplot, unread = benchlab_values.gnuplot(folder / benchlab_values.GNUPLOT, beside)
    return Tree(folder, tuple(results), published, gnuplot, tuple(notes + odd + unread))


def _same(one: Path, other: Path) -> bool:
    """Whether two files have the same content; False if one cannot be read."""
    try:
        return opening.read(one) == opening.read(other)
    except OSError:
        return False


def _result(
    key: str,
    parsed: dict[str, BenchInfo],
    named: Sequence[tuple[str, str | None, str | None]],
    infos: dict[str, Path],
    runs: tuple[Run, ...],
) -> Result:
    session, case, why = case_of(key, parsed.get(key), named)
    return Result(clean(key), clean(session), clean(case), parsed.get(key), infos.get(key), runs, why)


def _numbered(name: str) -> list[tuple[str, str]]:
    """The (name, number) of runs this file may belong to, longest name first.

    ``bench.a.1.vmstat.txt`` may belong to run 1 of "a".
    """
    bare = name.removeprefix("bench.")
    parts = bare.split(".")
    places = [n for n in range(len(parts) - 1, 0, -1) if parts[n].isdecimal() and len(parts[n]) < 10]
    return [(".".join(parts[:n]), parts[n]) for n in places if n < len(parts) - 1]
