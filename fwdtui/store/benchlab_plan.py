"""What an import would make of a bench-lab result tree: which sessions, from which results and factors."""

from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec

from fwdtui.core.errors import FwdtuiError
from fwdtui.core.text import slug
from fwdtui.store import benchlab_factors
from fwdtui.store.benchlab_factors import Described
from fwdtui.store.benchlab_names import cases_apart, parts_below, told_apart
from fwdtui.store.benchlab_repeated import without_repeated
from fwdtui.store.benchlab_tree import Result, Tree, find


class Planned(msgspec.Struct, frozen=True):
    """One session: its label, the folder that it will be, and the results of `tree` that become its cases.

    `place`: the tree's path, beginning with the imported folder: ``archive/apu2/results/n1``.
    """

    label: str
    target: Path
    tree: Tree
    place: str
    described: tuple[Described, ...]

    @property
    def results(self) -> list[Result]:
        """The results that become its cases."""
        return [one.result for one in self.described]


class Plan(msgspec.Struct, frozen=True):
    """All sessions, and notes that concern the whole tree."""

    root: Path
    sessions: tuple[Planned, ...]
    notes: tuple[str, ...]

    @property
    def described(self) -> list[Described]:
        """All results with their factors, in the order of the sessions."""
        return [one for session in self.sessions for one in session.described]


def plan(root: Path, into: Path, corrections: Sequence[str] = ()) -> Plan:
    """What an import of every result folder at or below `root` would make below `into`. Writes nothing.

    `corrections`: what is said about factors, each a file, a pattern or a factor. Raises FwdtuiError if there
    is nothing to import or a correction is wrong, OSError if one cannot be read.
    """
    described, notes = benchlab_factors.describe(_with_results(root), root, corrections)
    by_session: dict[tuple[Path, str], list[Described]] = {}
    for one in described:
        by_session.setdefault((one.tree.folder, one.result.session), []).append(one)
    for group in by_session.values():
        notes += _cases_apart(group)
    labels = told_apart([(name, folder) for folder, name in by_session], root)
    places = {folder: "/".join(parts_below(folder, root)) for folder in {folder for folder, _ in by_session}}
    sessions = (
        Planned(label, into / slug(label), each[0].tree, places[folder], tuple(each))
        for label, ((folder, _), each) in zip(labels, by_session.items(), strict=True)
    )
    return Plan(root, tuple(sessions), tuple(notes))


def _with_results(root: Path) -> list[Tree]:
    """The trees at or below `root` that have results; the first also gets the notes on trees without any.

    Raises FwdtuiError if there is none, for instance if all logs are compressed.
    """
    found = find(root)
    trees = [tree for tree in without_repeated(found) if tree.results]
    folders = {tree.folder for tree in trees}
    notes = [note for tree in found if tree.folder not in folders for note in tree.notes]
    if not trees:
        raise FwdtuiError("; ".join([f"{root}: no runs to import in it", *notes[:3]]))
    trees[0] = msgspec.structs.replace(trees[0], notes=(*notes, *trees[0].notes))
    return trees


def _cases_apart(described: list[Described]) -> Iterator[str]:
    """Give different results of one session different cases, in place; yields a note on each new case."""
    results = [one.result for one in described]
    named = [
        (one.key, one.case, one.info is not None and one.info.split(one.key) is not None) for one in results
    ]
    cases = cases_apart(named)
    for place, (one, case) in enumerate(zip(results, cases, strict=True)):
        if case != one.case:
            kept = next(other.key for other, its in zip(results, cases, strict=True) if its == one.case)
            yield (
                f"{described[place].place}: another result ({kept}) is case {one.case} of {one.session}; "
                f"they are not pooled: this one is case {case}"
            )
            described[place].result = msgspec.structs.replace(one, case=case)
