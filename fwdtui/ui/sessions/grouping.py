"""The list of sessions in groups: by the result tree that they were imported from, or by lab."""

from collections import Counter
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass

from fwdtui.report.against import Against
from fwdtui.ui.sessions.row import Row

GROUPINGS = {"": "", "tree": "by result tree", "lab": "by lab"}
"""What is remembered -> what the screen says, in the order in which the key goes through them."""
GROUP = "\0"
"""The first character of each group's key, which no path has."""
RECORDED = "recorded here"
UNKNOWN_TREE = "imported, tree not recorded"
NO_LAB = "no lab recorded"
UNREADABLE = "cannot be read"
_LAST = NO_LAB, UNKNOWN_TREE, UNREADABLE


@dataclass(frozen=True, slots=True)
class Tally:
    """How the sessions of a group compare with the baseline: each counts once, by its worst verdict.

    `alone`: how many have no case that can be compared. `pending`: how many are not judged yet. `base`:
    whether one of them is the baseline.
    """

    verdicts: Mapping[str, int]
    alone: int = 0
    pending: int = 0
    base: bool = False


@dataclass(frozen=True, slots=True)
class Group:
    """A group of sessions. `key` begins with GROUP.

    `rows`: those of its `total` sessions that the filter shows, in order. `named`: it has the name of a tree
    or a lab, rather than one of ours such as NO_LAB. `tally`: None without a baseline.
    """

    key: str
    name: str
    rows: tuple[Row, ...]
    total: int
    named: bool = True
    folded: bool = False
    tally: Tally | None = None


def grouped(
    rows: Sequence[Row],
    by: str,
    folded: Container[str],
    totals: Mapping[str, int],
    base: str | None,
    verdicts: Mapping[str, Against],
) -> list[Group]:
    """The groups of `rows`, each in the order of `rows`; no group is empty.

    `by`: a key of GROUPINGS, but not "". `folded`: keys of groups. `totals`: see the function `totals`.
    `base`: the baseline's path, or None.
    """
    members: dict[tuple[bool, str], list[Row]] = {}
    for row in rows:
        members.setdefault(home(row, by), []).append(row)
    groups = []
    for (named, name), group in sorted(members.items(), key=lambda one: _order(*one[0])):
        key = key_of(named, name, by)
        tally = None if base is None else tallied(group, base, verdicts)
        groups.append(Group(key, name, tuple(group), totals[key], named, key in folded, tally))
    return groups


def totals(rows: Iterable[Row], by: str) -> Counter[str]:
    """How many sessions each group has without a filter, by its key."""
    return Counter(key_of(*home(row, by), by) for row in rows)


def listed(groups: Iterable[Group]) -> list[Row | Group]:
    """Each group's heading, and below it its sessions unless it is folded."""
    entries: list[Row | Group] = []
    for group in groups:
        entries += [group] if group.folded else [group, *group.rows]
    return entries


def home(row: Row, by: str) -> tuple[bool, str]:
    """Whether the row's group has a name from the session, and the group's name."""
    if not row.good:
        return False, UNREADABLE
    if by == "lab":
        return (True, row.own_lab) if row.own_lab else (False, NO_LAB)
    if row.tree:
        return True, row.tree
    return False, UNKNOWN_TREE if row.imported else RECORDED


def key_of(named: bool, name: str, by: str) -> str:
    """A group's key. A tree may be called "recorded here": it gets another key than our group has."""
    return f"{GROUP}{by}{':' if named else '-'}{name}"


def tallied(rows: Iterable[Row], base: str, verdicts: Mapping[str, Against]) -> Tally:
    """Count the sessions by their verdicts against the session at the path `base`."""
    counts: Counter[str] = Counter()
    alone = pending = 0
    there = False
    for row in rows:
        verdict = verdicts.get(row.path)
        if row.path == base:
            there = True
        elif not row.good or (verdict is not None and verdict.worst is None):
            alone += 1
        elif verdict is None or verdict.worst is None:
            pending += 1
        else:
            counts[verdict.worst.verdict] += 1
    return Tally(counts, alone, pending, there)


def _order(named: bool, name: str) -> tuple[int, str, str]:
    """The key to sort by: what was recorded here is first, groups without a name of their own are last."""
    if named or name not in _LAST:
        return int(named), name.casefold(), name
    return 2 + _LAST.index(name), "", ""
