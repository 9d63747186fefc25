"""The content of a bench-lab result tree: which logs belong together, and what their names mean.

bench-lab.sh writes ``bench.<name>.info``, ``bench.<name>.<N>.receiver`` and ``.sender`` into one folder, and
``.sender_2``, ``.sender_gen2``, ``.sender_gen2_2`` if it started several generators. People often move
them into RAW/ below the folder of the published value files (``<name>.pps``, or any name without an
extension) and gnuplot.data. Names contain dots, so they are never split: .info decides.

A tree may come from anybody: only regular files within bounds are read, and notes name what cannot be read.
"""

import os
import re
from dataclasses import dataclass, field, replace
from pathlib import Path

from fwdtui.core.errors import FwdtuiError
from fwdtui.core.parse import benchlab_info
from fwdtui.core.parse.benchlab_info import BenchInfo
from fwdtui.core.text import clean, decode
from fwdtui.store import opening
from fwdtui.store.benchlab_names import case_of

_LOG = re.compile(
    r"(?:bench\.)?(?P<key>.+)\.(?P<index>[0-9]{1,9})\.(?P<kind>receiver|sender(?:_[A-Za-z0-9_]+)?)"
)
_INFO = re.compile(r"(?:bench\.)?(?P<key>.+)\.info")
_KNOWN = (".info", ".receiver", ".sender", ".data", ".svg", ".png", ".md", ".plot", ".graph", ".stack")
_VALUES = ".pps"
_VALUE_FILE_MAX = opening.MIB
_DEEPEST = 40  # folders below each other


@dataclass(frozen=True, slots=True)
class Run:
    """One iteration's files. `senders`: the kind of each, "sender" or "sender_gen2", and its log."""

    index: int
    receiver: Path | None = None
    senders: tuple[tuple[str, Path], ...] = ()
    others: tuple[Path, ...] = ()
    published: tuple[Path, float] | None = None  # no logs: the value file, and the value in it


@dataclass(frozen=True, slots=True)
class Result:
    """One configuration: the runs of one name, and what its .info says."""

    key: str
    session: str
    case: str
    info: BenchInfo | None
    info_path: Path | None
    runs: tuple[Run, ...]
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Tree:
    """One result folder. `published` maps a value file's path to its values."""

    folder: Path
    results: tuple[Result, ...]
    published: dict[Path, tuple[float, ...]] = field(default_factory=dict)
    gnuplot: dict[str, tuple[float, float, float]] = field(default_factory=dict)  # name: median, min, max
    notes: tuple[str, ...] = ()


def find(root: Path) -> list[Tree]:
    """Every result folder at or below `root`. Raises FwdtuiError if there is none."""
    if not root.is_dir():
        raise FwdtuiError(f"{root}: no such folder")
    files, notes = _files(root)
    folders: dict[Path, list[Path]] = {}
    for folder, paths in files.items():
        home = folder.parent if folder.name.upper() == "RAW" else folder
        if any(_LOG.fullmatch(p.name) or _INFO.fullmatch(p.name) or p.suffix == _VALUES for p in paths):
            folders.setdefault(home, [])
            folders[home] += paths
    if not folders:
        raise FwdtuiError(
            f"{root}: no bench-lab results in it (no *.N.receiver, *.N.sender, *.info or *.pps)"
            + "".join(f"; {note}" for note in notes[:3])
        )
    for home in folders.keys() - files.keys():
        files[home] = _listed(home, notes)[0]  # above the given root, or without files of its own
    trees = [_tree(folder, sorted(paths), files[folder]) for folder, paths in sorted(folders.items())]
    if notes:
        trees[0] = replace(trees[0], notes=(*notes, *trees[0].notes))
    return trees


def _files(root: Path) -> tuple[dict[Path, list[Path]], list[str]]:
    """The files of each folder at or below `root`, without links; and notes on what was not listed."""
    found: dict[Path, list[Path]] = {}
    notes: list[str] = []
    left = [(root, 0)]
    while left:
        folder, depth = left.pop()
        files, below = _listed(folder, notes)
        if files:
            found[folder] = files
        if depth < _DEEPEST:
            left += [(path, depth + 1) for path in below]
        else:
            notes += [f"{path}: more than {_DEEPEST} folders deep: not imported" for path in below]
    return found, notes


def _listed(folder: Path, notes: list[str]) -> tuple[list[Path], list[Path]]:
    """Files and subfolders of a folder, by name; links are neither."""
    files: list[Path] = []
    below: list[Path] = []
    try:
        with os.scandir(folder) as entries:
            for entry in sorted(entries, key=lambda entry: entry.name):
                path = folder / entry.name
                if entry.is_dir(follow_symlinks=False):
                    below.append(path)
                elif not entry.is_symlink():
                    files.append(path)
                elif _LOG.fullmatch(entry.name) or _INFO.fullmatch(entry.name):
                    notes.append(f"{path}: a link, not a regular file: not imported")
    except OSError as error:
        notes.append(f"{folder}: {error.strerror}: not imported")
    return files, below


def _tree(folder: Path, paths: list[Path], beside: list[Path]) -> Tree:
    notes: list[str] = []
    infos: dict[str, Path] = {}
    logs: dict[str, dict[int, dict[str, Path]]] = {}
    others: dict[tuple[str, str], list[Path]] = {}
    for path in paths:
        if match := _INFO.fullmatch(path.name):
            infos[match["key"]] = path
        elif match := _LOG.fullmatch(path.name):
            run = logs.setdefault(match["key"], {}).setdefault(int(match["index"]), {})
            if match["kind"] in run:
                notes.append(f"{path}: a second log for the same run: not imported")
            else:
                run[match["kind"]] = path
    for path in paths:
        if not _LOG.fullmatch(path.name):
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
        results.append(_result(key, parsed, infos, runs))
    published, odd = _published(beside)
    for path, values in published.items():
        # values without logs: all that is left of many published results
        key = path.name.removesuffix(_VALUES)
        if key not in logs and (path.suffix == _VALUES or key in infos):
            runs = tuple(Run(n, published=(path, value)) for n, value in enumerate(values, 1))
            results.append(_result(key, parsed, infos, runs))
    used = {result.info_path for result in results}
    notes += [f"{path}: no results belong to it" for path in sorted(infos.values()) if path not in used]
    gnuplot, unread = _gnuplot(folder / "gnuplot.data", beside)
    return Tree(folder, tuple(results), published, gnuplot, tuple(notes + odd + unread))


def _result(key: str, parsed: dict[str, BenchInfo], infos: dict[str, Path], runs: tuple[Run, ...]) -> Result:
    session, case, why = case_of(key, parsed.get(key), parsed)
    return Result(clean(key), clean(session), clean(case), parsed.get(key), infos.get(key), runs, why)


def _numbered(name: str) -> list[tuple[str, str]]:
    """The (name, number) of runs this file may belong to, longest name first.

    ``bench.a.1.pmc.graph`` may belong to run 1 of "a".
    """
    bare = name.removeprefix("bench.")
    parts = bare.split(".")
    places = [n for n in range(len(parts) - 1, 0, -1) if parts[n].isdecimal() and len(parts[n]) < 10]
    return [(".".join(parts[:n]), parts[n]) for n in places if n < len(parts) - 1]


def _published(beside: list[Path]) -> tuple[dict[Path, tuple[float, ...]], list[str]]:
    """Value files beside the logs (*.pps, or any small file with nothing but numbers), and notes."""
    found: dict[Path, tuple[float, ...]] = {}
    notes = []
    for path in beside:
        if path.name.endswith(_KNOWN) or path.name.startswith((".", "README")) or _LOG.fullmatch(path.name):
            continue
        try:
            words = decode(opening.read(path, _VALUE_FILE_MAX)).split()
            values = tuple(float(word) for word in words)
        except OSError as error:
            if path.suffix == _VALUES:
                notes.append(f"{path}: {error.strerror}: not read")
            continue
        except ValueError:
            if path.suffix == _VALUES:
                notes.append(f"{path}: not a value file: it holds more than numbers")
            continue
        if values:
            found[path] = values
    return found, notes


def _gnuplot(path: Path, beside: list[Path]) -> tuple[dict[str, tuple[float, float, float]], list[str]]:
    """gnuplot.data: ``name median minimum maximum``, or ``config revision median minimum maximum``."""
    if path not in beside:
        return {}, []
    try:
        text = decode(opening.read(path))
    except OSError as error:
        return {}, [f"{path}: {error.strerror}: not read"]
    rows = {}
    for line in text.splitlines():
        words = line.split("#")[0].split()
        try:
            median, low, high = (float(word) for word in words[-3:])
        except ValueError:
            continue
        if len(words) == 4:
            rows[words[0]] = (median, low, high)
        elif len(words) == 5:
            rows[f"{words[1]}.{words[0]}"] = (median, low, high)
    return rows, []
