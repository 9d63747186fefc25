"""Published values beside a bench-lab tree's logs: value files, one number for each run, and gnuplot.data."""

import math
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path

import msgspec

from fwdtui.core.parse import equilibrium, grouped
from fwdtui.core.parse.stated_unit import first_unit
from fwdtui.core.parse.valuefile import MARKED, marked, read_number, written_unit
from fwdtui.core.text import clean, decode
from fwdtui.store import opening

PPS = ".pps"
EQUILIBRIUM = ".equilibrium"
EQUILIBRIUM_MAX = ".equilibrium.max"
GNUPLOT = "gnuplot.data"
"""The file that gnuplot draws from: median, minimum and maximum of each result."""
SUFFIXES = (PPS, EQUILIBRIUM, EQUILIBRIUM_MAX)
"""How the names of value files end; bench-equilibrium-ministat.sh wrote those of VPN benchmarks."""

_KNOWN = (".info", ".receiver", ".sender", ".svg", ".png", ".md", ".plot", ".graph", ".stack")
_SENDER = re.compile(r".+\.sender(?:_[A-Za-z0-9_]+)?")
_MOST = opening.MIB
_FIRST = 512  # bytes that show how a file begins
_MOST_TOLD = 5  # names in a note


class Published(msgspec.Struct, frozen=True):
    """One value of a value file, in `unit`. `maximum`: the highest rate that a search for it saw."""

    path: Path
    value: float
    unit: str = "pps"
    maximum: float | None = None


def key_of(path: Path) -> str:
    """The name of the result that a value file belongs to, which is also in the names of its logs."""
    for suffix in SUFFIXES:  # none ends with another
        if path.name.endswith(suffix):
            return bare(path.name.removesuffix(suffix))
    return bare(path.name)


def bare(name: str) -> str:
    """A name without the ``bench.`` that bench-lab.sh begins the names of logs with."""
    return name.removeprefix("bench.") or name


def is_value_file(path: Path) -> bool:
    """Whether the name says that it is a value file. Files of other names may be value files too."""
    return path.name.endswith(SUFFIXES)


def read(
    beside: Iterable[Path], keys: Collection[str] = ()
) -> tuple[dict[Path, tuple[float, ...]], list[str]]:
    """Value files among `beside` (by name, or small ones with nothing but numbers and comments), and notes.

    `keys`: names of results; a value file may have such a name without any suffix.
    """
    values_of: dict[Path, tuple[float, ...]] = {}
    notes = []
    for path in beside:
        name = path.name
        named = name.endswith(SUFFIXES)
        if not named and (
            name.endswith(_KNOWN) or name.startswith((".", "README", GNUPLOT)) or _SENDER.fullmatch(name)
        ):
            continue
        try:
            data = opening.read(path, _MOST)
            if marked(data[:_FIRST]):
                notes.append(f"{path}: {MARKED}: {'not read' if named else 'it may be a value file'}")
                continue
            if not named and (first := data.split(None, 1)[:1]) and not first[0].startswith(b"#"):
                _number(first[0])  # nearly all other files end here, before they are split
            lines = [words for line in data.splitlines() if (words := _words(line))]
            values = tuple(_number(word) for words in lines for word in words)
        except OSError as error:
            if named:
                notes.append(f"{path}: {error.strerror}: not read")
            continue
        except ValueError:
            if (named or key_of(path) in keys) and (stated := first_unit(data)):
                notes.append(
                    f"{path}: {stated.text!r}: the unit {stated.unit} is not read: not imported; write plain "
                    "numbers"
                )
            elif named:
                notes.append(f"{path}: not a value file: it holds more than numbers")
            continue
        if b" " in data and (doubt := _doubt(data)):
            if named:
                notes.append(f"{path}: {doubt.text!r} may be {doubt.whole} or several values: not read")
            continue
        if any(len(words) > 1 for words in lines):
            # nothing says which column the values are in: another may count runs
            if named or key_of(path) in keys:
                notes.append(f"{path}: more than one number in a line, and a value file has one: not read")
            continue
        if (unit := written_unit(data)) not in ("", "pps"):
            notes.append(
                f"{path}: values in {unit}, written by fwdtui report; an import needs packets per second: "
                "not imported; use fwdtui compare for such files"
            )
        elif values:
            values_of[path] = values
        elif named:
            notes.append(f"{path}: no values in it: not imported")
    return values_of, notes


def _words(line: bytes) -> list[bytes]:
    """The words of a line before its comment, which begins, as in ministat, at a word that begins with #."""
    words = line.split()
    return words[: next((at for at, word in enumerate(words) if word[:1] == b"#"), None)]


def _doubt(data: bytes) -> grouped.Doubt | None:
    """Values that may be one number in groups of three digits, if any; `compare` refuses them as well."""
    groups = grouped.Groups(b" \t")
    groups.look(data if data.endswith(b"\n") else data + b"\n", 1)
    return groups.doubt


def _number(word: bytes) -> float:
    """The number in `word`, as `compare` reads it. Raises ValueError if it is no finite number."""
    number = read_number(grouped.one_number(word) or word)
    if number is None or not math.isfinite(number):
        raise ValueError(decode(word))
    return number


def lost(published: Mapping[Path, tuple[float, ...]], keys: Iterable[str]) -> dict[str, list[Published]]:
    """The values of results whose logs are lost, by the result's name.

    `keys`: names of results; a file with such a name and no suffix holds packets per second. An equilibrium
    and its maximum are one value; a maximum alone is a result of its own, NAME.max, since it measures
    something else.
    """
    known = set(keys)
    by_result: dict[str, list[Published]] = {}
    by_name: dict[str, tuple[float, ...]] = {}
    for path, values in published.items():
        by_name.setdefault(bare(path.name), values)  # of two files of one name the first, as below
    for path, values in published.items():
        key = _result_of(path, by_name)
        if path.name.endswith(EQUILIBRIUM_MAX):
            if key != key_of(path) and _is_first(key, EQUILIBRIUM_MAX, by_result):
                by_result[key] = [Published(path, value, equilibrium.UNIT) for value in values]
        elif path.name.endswith(EQUILIBRIUM):
            if not _is_first(key, EQUILIBRIUM, by_result):
                continue
            highest = by_name.get(f"{key}{EQUILIBRIUM_MAX}", ())
            paired = highest if len(highest) == len(values) else (None,) * len(values)
            by_result[key] = [
                Published(path, value, equilibrium.UNIT, most)
                for value, most in zip(values, paired, strict=True)
            ]
        elif path.name.endswith(PPS) or key in known:
            by_result.setdefault(key, [Published(path, value) for value in values])
    return by_result


def _result_of(path: Path, names: Collection[str]) -> str:
    """As `key_of`, but NAME.max for a maximum without its equilibrium. `names`: of all value files."""
    key = key_of(path)
    alone = path.name.endswith(EQUILIBRIUM_MAX) and f"{key}{EQUILIBRIUM}" not in names
    return f"{key}.max" if alone else key


def _is_first(key: str, suffix: str, by_result: Mapping[str, Sequence[Published]]) -> bool:
    """Whether the result `key` has no values yet from a file whose name ends in `suffix`."""
    return key not in by_result or not by_result[key][0].path.name.endswith(suffix)


def measured_as(key: str, values: Sequence[Published]) -> str:
    """The result whose logs would hold `values` of the result `key`: a maximum belongs to its search."""
    of_search = values[0].path.name.endswith(EQUILIBRIUM_MAX)
    return key.removesuffix(".max") if of_search else key


def unused(
    key: str,
    by_result: Mapping[str, Sequence[Published]],
    published: Mapping[Path, tuple[float, ...]],
    keys: Collection[str],
) -> list[str]:
    """A note on each further file with other values of the result `key`: one file gives its iterations.

    `by_result` and `keys` as in `lost`.
    """
    taken = {values[0].path for values in by_result.values()}
    names = {bare(path.name) for path in published}
    own = by_result[key]
    known = tuple(one.value for one in own), tuple(one.maximum for one in own)
    return [
        f"{path}: its values for {clean(key)} differ from those in {clean(own[0].path.name)}: not imported"
        for path, others in published.items()
        if path not in taken
        and _result_of(path, names) == key
        and (is_value_file(path) or key in keys)
        and others not in known
    ]


def of_no_result(
    published: Mapping[Path, tuple[float, ...]],
    by_result: Mapping[str, Sequence[Published]],
    with_logs: Collection[str],
    of_runs: Collection[Path],
) -> list[Path]:
    """The files whose values belong to no result, judged by their names and by the values of other files.

    `by_result` as in `lost`; `with_logs`: names of the other results; `of_runs`: further files of theirs.
    """
    known = {tuple(one.value for one in values) for values in by_result.values()}
    return [
        path
        for path, values in published.items()
        if not is_value_file(path)
        and path not in of_runs
        and (key := key_of(path)) not in by_result
        and key not in with_logs
        and values not in known
    ]


def unnamed(folder: Path, paths: Sequence[Path]) -> list[str]:
    """A note on files of values whose names no result has: it is not known what the values are."""
    if not paths:
        return []
    names = [clean(path.name) for path in paths]
    shown = ", ".join(names[:_MOST_TOLD])
    more = f" and {len(names) - _MOST_TOLD} more" if len(names) > _MOST_TOLD else ""
    what, whose = ("a file", "its name") if len(names) == 1 else ("files", "their names")
    return [
        f"{folder}: {shown}{more}: {what} of numbers, but no log or .info has {whose}: not imported; "
        f"if they are packets per second, append {PPS} to {whose}"
    ]


def gnuplot(path: Path, beside: Iterable[Path]) -> tuple[dict[str, tuple[float, float, float]], list[str]]:
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
