"""Which case an iteration belongs to: its own file says, whatever folder it is in; else the folder's name.

People rename, move and merge folders, and a disk that ignores upper and lower case puts two cases into one
folder.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise

import msgspec

from fwdtui.core.model import Iteration
from fwdtui.core.text import clean, slug
from fwdtui.store.names import case_folder

_MOST_TOLD = 4  # cases of a folder that are named


class Found(msgspec.Struct, frozen=True):
    """An iteration in `folder`/`number`. `case`: as its file says; None: the file cannot be read."""

    folder: str
    number: str
    case: str | None
    iteration: Iteration


def by_case(found: Sequence[Found], names: Iterable[str]) -> dict[str, list[Iteration]]:
    """The iterations of each case. `names`: the cases that the session's other files mention."""
    usual: dict[str, str] = {}  # folder -> the case whose name it stands for
    if any(one.case is None for one in found):
        for name in (*(one.case for one in found if one.case is not None), *names):
            usual.setdefault(case_folder(name), name)
    cases: dict[str, list[Iteration]] = {}
    for folder, those in _by_folder(found).items():
        own = {one.case for one in those if one.case is not None}
        unread = usual.get(folder, own.pop() if len(own) == 1 else folder)
        for one in those:
            name = clean(unread if one.case is None else one.case)
            cases.setdefault(name, []).append(_placed(one, name))
    return cases


def _placed(found: Found, case: str) -> Iteration:
    """The iteration, with `folder` set where that is not the usual one."""
    one = found.iteration
    if found.folder == slug(case) and found.number == f"{one.index:03d}":
        return one
    return msgspec.structs.replace(one, folder=f"{found.folder}/{found.number}")


def mixed(found: Sequence[Found], root: str) -> Iterator[str]:
    """A problem for each folder that holds iterations of several cases. `root` is the session's folder."""
    for folder, those in _by_folder(found).items():
        counts: dict[str, int] = {}
        for one in those:
            if one.case is not None:
                counts[clean(one.case)] = counts.get(clean(one.case), 0) + 1
        if len(counts) > 1:
            told = [f"{count} of {name}" for name, count in counts.items()]
            more = [f"{len(told) - _MOST_TOLD} more cases"] if len(told) > _MOST_TOLD else []
            shown = ", ".join([*told[:_MOST_TOLD], *more])
            yield (
                f"{root}/{folder}: holds iterations of several cases ({shown}): each counts for the case "
                "named in its own file; was a folder moved or merged?"
            )


def twice(cases: Mapping[str, Sequence[Iteration]], root: str) -> Iterator[str]:
    """A problem for each number that several iterations of a case have: folders were renamed or merged."""
    for name, iterations in cases.items():
        by_number: dict[int, list[Iteration]] = {}
        for one in iterations:
            if one.complete:
                by_number.setdefault(one.index, []).append(one)
        for number, those in by_number.items():
            if len(those) > 1:
                where = " and ".join(f"{root}/{one.place(name)}" for one in those)
                yield (
                    f"{where}: each is iteration {number} of {name}: all count, "
                    "and dropping one by its number drops all of them"
                )


def gone(found: Sequence[Found], cases: Mapping[str, Sequence[Iteration]], root: str) -> Iterator[str]:
    """A problem for each folder whose numbers have gaps: writers leave none, so iterations were removed.

    Numbers that an iteration of the folder's cases has in another folder are not missing.
    """
    for folder, those in _by_folder(found).items():
        own = {clean(name) for name in {one.case for one in those} if name is not None}
        elsewhere = {one.index for name in own for one in cases.get(name, ())}
        numbers = sorted({int(one.number) for one in those} | elsewhere)
        gaps = [(low + 1, high - 1) for low, high in pairwise([0, *numbers]) if high > low + 1]
        if gaps:
            told = [str(low) if low == high else f"{low} to {high}" for low, high in gaps[:_MOST_TOLD]]
            told += ["others"] * (len(gaps) > _MOST_TOLD)
            which = " and ".join(filter(None, (", ".join(told[:-1]), told[-1])))
            one = len(gaps) == 1 and gaps[0][0] == gaps[0][1]
            missing = f"iteration{'' if one else 's'} {which} {'is' if one else 'are'} missing"
            yield f"{root}/{folder}: {missing}: {'its folder was' if one else 'their folders were'} removed"


def _by_folder(found: Sequence[Found]) -> dict[str, list[Found]]:
    folders: dict[str, list[Found]] = {}
    for one in found:
        folders.setdefault(one.folder, []).append(one)
    return folders
