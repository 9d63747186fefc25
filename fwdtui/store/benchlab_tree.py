"""What lies in a bench-lab result tree: which logs belong together, and which names mean what.

bench-lab.sh writes ``bench.<name>.info``, ``bench.<name>.<N>.receiver`` and ``.sender`` into one folder,
which people often move into RAW/ below the folder of the published value files (``<name>.pps``, or any name
without an extension) and gnuplot.data. Names contain dots, so they are never split: .info decides.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from fwdtui.core.errors import FwdtuiError
from fwdtui.core.parse import benchlab_info
from fwdtui.core.parse.benchlab_info import BenchInfo
from fwdtui.core.text import clean, decode

_LOG = re.compile(r"(?:bench\.)?(?P<key>.+)\.(?P<index>[0-9]+)\.(?P<kind>receiver|sender)")
_INFO = re.compile(r"(?:bench\.)?(?P<key>.+)\.info")
_KNOWN = (".info", ".receiver", ".sender", ".data", ".svg", ".png", ".md", ".plot", ".graph", ".stack")
_VALUES = ".pps"
_VALUE_FILE_MAX = 1 << 20


@dataclass(frozen=True, slots=True)
class Run:
    """One iteration's files."""

    index: int
    receiver: Path | None = None
    sender: Path | None = None
    others: tuple[Path, ...] = ()
    published: tuple[Path, float] | None = None  # no logs: the value, and the value file it stands in


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
    """Every result folder at or below `root`. Raises FwdtuiError when there is none."""
    if not root.is_dir():
        raise FwdtuiError(f"{root}: no such folder")
    folders: dict[Path, list[Path]] = {}
    for path in _files(root):
        if _LOG.fullmatch(path.name) or _INFO.fullmatch(path.name) or path.suffix == _VALUES:
            home = path.parent.parent if path.parent.name.upper() == "RAW" else path.parent
            folders.setdefault(home, []).append(path)
    if not folders:
        raise FwdtuiError(
            f"{root}: no bench-lab results in it (no *.N.receiver, *.N.sender, *.info or *.pps)"
        )
    return [_tree(folder, sorted(paths)) for folder, paths in sorted(folders.items())]


def _files(root: Path) -> Iterator[Path]:
    """Regular files below `root`, links not followed."""
    for path in sorted(root.iterdir()):
        if path.is_symlink():
            continue
        if path.is_dir():
            yield from _files(path)
        elif path.is_file():
            yield path


def _tree(folder: Path, paths: list[Path]) -> Tree:
    infos: dict[str, Path] = {}
    logs: dict[str, dict[int, dict[str, Path]]] = {}
    for path in paths:
        if match := _INFO.fullmatch(path.name):
            infos[match["key"]] = path
        elif match := _LOG.fullmatch(path.name):
            logs.setdefault(match["key"], {}).setdefault(int(match["index"]), {})[match["kind"]] = path
    parsed = {key: benchlab_info.parse(decode(path.read_bytes())) for key, path in infos.items()}
    results = []
    for key in sorted(logs):
        info = parsed.get(key)
        runs = tuple(_run(key, index, files) for index, files in sorted(logs[key].items()))
        session, case, why = _names(key, info, parsed)
        results.append(Result(clean(key), clean(session), clean(case), info, infos.get(key), runs, why))
    published, odd = _published(folder)
    for path, values in published.items():
        # values without logs: what is left of many published results
        key = path.name.removesuffix(_VALUES)
        if key not in logs and (path.suffix == _VALUES or key in infos):
            runs = tuple(Run(n, published=(path, value)) for n, value in enumerate(values, 1))
            session, case, why = _names(key, parsed.get(key), parsed)
            results.append(
                Result(clean(key), clean(session), clean(case), parsed.get(key), infos.get(key), runs, why)
            )
    used = {result.info_path for result in results}
    notes = [f"{path}: no results belong to it" for path in sorted(infos.values()) if path not in used]
    return Tree(folder, tuple(results), published, _gnuplot(folder), tuple(notes + odd))


def _run(key: str, index: int, files: dict[str, Path]) -> Run:
    """The logs of one iteration and whatever else carries its number (profiles, .during)."""
    receiver, sender = files.get("receiver"), files.get("sender")
    home = next(iter(files.values())).parent
    prefixes = (f"bench.{key}.{index}.", f"{key}.{index}.")
    others = [
        path
        for path in sorted(home.iterdir())
        if path.name.startswith(prefixes) and path not in (receiver, sender) and path.is_file()
    ]
    return Run(index, receiver, sender, tuple(others))


def _names(key: str, info: BenchInfo | None, known: dict[str, BenchInfo]) -> tuple[str, str, tuple[str, ...]]:
    """Session and case of a result; without an .info of its own, those of its neighbours may tell."""
    if info is not None and (names := info.split(key)):
        return *names, ()
    if info is None:
        # the longest image or case that a neighbour's .info names: the same tree uses the same words
        for other_key, other in sorted(known.items(), key=lambda item: -len(item[0])):
            names = other.split(other_key)
            if names and key.startswith(f"{names[0]}."):
                return (
                    names[0],
                    key[len(names[0]) + 1 :],
                    (f"{key}: no .info; named after that of {other_key}",),
                )
            if names and key.endswith(f".{names[1]}"):
                session = key[: -len(names[1]) - 1]
                return session, names[1], (f"{key}: no .info; named after that of {other_key}",)
    why = "no .info" if info is None else "its .info does not name its parts"
    return key, "default", (f"{key}: {why}: the whole name is the session, its case is 'default'",)


def _published(folder: Path) -> tuple[dict[Path, tuple[float, ...]], list[str]]:
    """Value files beside the logs: *.pps, or any small file of nothing but numbers, whatever its name."""
    found: dict[Path, tuple[float, ...]] = {}
    notes = []
    for path in sorted(folder.iterdir()):
        if not path.is_file() or path.is_symlink() or path.name.endswith(_KNOWN):
            continue
        if path.stat().st_size > _VALUE_FILE_MAX or path.name.startswith((".", "README")):
            continue
        words = decode(path.read_bytes()).split()
        try:
            values = tuple(float(word) for word in words)
        except ValueError:
            if path.suffix == _VALUES:
                notes.append(f"{path}: not a value file: it holds more than numbers")
            continue
        if values:
            found[path] = values
    return found, notes


def _gnuplot(folder: Path) -> dict[str, tuple[float, float, float]]:
    """gnuplot.data: ``name median minimum maximum``, or ``config revision median minimum maximum``."""
    path = folder / "gnuplot.data"
    if not path.is_file():
        return {}
    rows = {}
    for line in decode(path.read_bytes()).splitlines():
        words = line.split("#")[0].split()
        try:
            median, low, high = (float(word) for word in words[-3:])
        except ValueError:
            continue
        if len(words) == 4:
            rows[words[0]] = (median, low, high)
        elif len(words) == 5:
            rows[f"{words[1]}.{words[0]}"] = (median, low, high)
    return rows
