"""Value files of an import that hold what its logs give: the same runs, and so no results of their own.

People rename value files and move them to folders of their own, so their names do not say which logs they
belong to; their values do. The values of the logs, trimmed as netbenches does, are compared with them in the
eight digits that ministat prints.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path

import msgspec

from fwdtui.core import netbenches
from fwdtui.core.parse import netmap_pktgen
from fwdtui.core.text import decode
from fwdtui.store import opening
from fwdtui.store.benchlab_run import LOG_MOST
from fwdtui.store.benchlab_tree import Result, Run, Tree

_UNIT = "pps"


def without_repeated(trees: Sequence[Tree]) -> list[Tree]:
    """The trees without the results that only repeat the values of other results' logs.

    Notes name the files of those results. A tree that has no other results is left out.
    """
    alone: dict[tuple[str, ...], list[tuple[int, Result]]] = {}
    for place, tree in enumerate(trees):
        for result in tree.results:
            if values := _published(result):
                alone.setdefault(values, []).append((place, result))
    if not alone:
        return list(trees)
    known = {value for values in alone for value in values}
    fewest = min(map(len, alone))
    repeated: dict[int, set[str]] = {}
    notes: dict[int, list[str]] = {}
    for place, tree in enumerate(trees):
        for result in tree.results:
            if len(result.runs) < fewest or not (values := _measured(result, known)):
                continue
            for home, other in alone.get(values, ()):
                copied = other.key == result.key and _nested(trees[home].folder, tree.folder)
                # at a limit, such as the line rate, different results may hold one and the same number
                if copied or len(set(values)) > 1:
                    repeated.setdefault(home, set()).add(other.key)
                    notes.setdefault(place, []).append(_note(tree, result, other))
    return [_without(tree, repeated.get(at, set()), notes.get(at, [])) for at, tree in _left(trees, repeated)]


def _nested(one: Path, other: Path) -> bool:
    """Whether one of two folders is the other or below it; the folders of two builds lie side by side."""
    return one.is_relative_to(other) or other.is_relative_to(one)


def _left(trees: Sequence[Tree], repeated: Mapping[int, set[str]]) -> list[tuple[int, Tree]]:
    return [
        (at, tree)
        for at, tree in enumerate(trees)
        if any(result.key not in repeated.get(at, set()) for result in tree.results)
    ]


def _without(tree: Tree, repeated: set[str], notes: Sequence[str]) -> Tree:
    if not repeated and not notes:
        return tree
    results = tuple(result for result in tree.results if result.key not in repeated)
    return msgspec.structs.replace(tree, results=results, notes=(*tree.notes, *dict.fromkeys(notes)))


def _published(result: Result) -> tuple[str, ...]:
    """The values, sorted as text, of a result that has nothing but published rates; empty for any other."""
    values = [one.published for one in result.runs]
    if result.profiles or any(one is None or one.unit != _UNIT for one in values):
        return ()
    return tuple(sorted(_digits(one.value) for one in values if one is not None))


def _measured(result: Result, known: set[str]) -> tuple[str, ...]:
    """The values of a result's logs, sorted as text; empty as soon as one is not in `known`.

    So hardly ever more than one log is read.
    """
    values = []
    for run in result.runs:
        value = _value(run)
        if value is None:
            continue
        if (digits := _digits(value)) not in known:
            return ()
        values.append(digits)
    return tuple(sorted(values))


def _value(run: Run) -> float | None:
    if run.receiver is None:
        return None
    try:
        log = netmap_pktgen.parse(decode(opening.read(run.receiver, LOG_MOST)))
    except OSError:
        return None  # reported when it is imported
    return netbenches.value(netbenches.kept(log)[0])


def _digits(value: float) -> str:
    return f"{value:.8g}"


def _note(tree: Tree, result: Result, other: Result) -> str:
    """The note, in the words of `benchlab_published` on value files that are no results."""
    path = next(run.published.path for run in other.runs if run.published is not None)
    name = _below(path, tree.folder)
    where = "in another folder" if other.key == result.key else "under another name"
    return f"{result.key}: published as {name} (the same values {where})"


def _below(path: Path, folder: Path) -> str:
    return str(path.relative_to(folder) if path.is_relative_to(folder) else path)
