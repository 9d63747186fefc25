"""Names for the results of a bench-lab tree: session and case, made distinct if they are equal."""

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import count
from pathlib import Path

from fwdtui.core.parse.benchlab_info import BenchInfo
from fwdtui.core.text import clean, slug


def case_of(
    key: str, info: BenchInfo | None, known: Sequence[tuple[str, str | None, str | None]]
) -> tuple[str, str, tuple[str, ...]]:
    """Session and case of a result, and notes for the user. `known`: what `neighbours` returns."""
    if info is not None and (names := info.split(key)):
        return *names, ()
    if info is None:
        for other_key, session, case in known:
            if session is not None and key.startswith(f"{session}."):
                return (
                    session,
                    key[len(session) + 1 :],
                    (f"{key}: no .info; named after that of {other_key}",),
                )
            if case is not None and key.endswith(f".{case}"):
                session = key[: -len(case) - 1]
                return session, case, (f"{key}: no .info; named after that of {other_key}",)
    why = "no .info" if info is None else "its .info does not name its parts"
    return key, "default", (f"{key}: {why}: the whole name is the session, its case is 'default'",)


def neighbours(known: Mapping[str, BenchInfo]) -> list[tuple[str, str | None, str | None]]:
    """The images and cases that an .info names, with which to name the results that have no .info.

    First (name, image, None) for each image, then (name, None, case) for each case; the name is that of a
    result that has it. One tree uses the same words throughout, and the first that fits is taken, so the
    longest come first: ``n1.D5`` is a build of its own beside ``n1``.
    """
    images: dict[str, str] = {}
    cases: dict[str, str] = {}
    for key, info in sorted(known.items(), key=lambda item: -len(item[0])):
        if names := info.split(key):
            images.setdefault(names[0], key)
            cases.setdefault(names[1], key)
    return [
        *((images[image], image, None) for image in sorted(images, key=len, reverse=True)),
        *((cases[case], None, case) for case in sorted(cases, key=len, reverse=True)),
    ]


def cases_apart(results: Sequence[tuple[str, str, bool]]) -> list[str]:
    """Distinct cases for the results of a session, each given as (name, case, whether an .info says so).

    Different results never become one case, as it is not known what else differs between them. Of several
    results with the same case one keeps it, preferably one with an .info; the others get their whole names.
    """
    cases = [case for _, case, _ in results]
    taken = set(cases)
    for case in dict.fromkeys(cases):
        alike = [place for place, one in enumerate(results) if one[1] == case]
        for place in sorted(alike, key=lambda place: not results[place][2])[1:]:
            key = results[place][0]
            free = next(name for n in count(1) if (name := key if n == 1 else f"{key}.{n}") not in taken)
            cases[place] = free
            taken.add(free)
    return cases


def told_apart(names: Sequence[tuple[str, Path]], root: Path) -> list[str]:
    """Distinct session names, also as folders, in the order given.

    A name that several result folders share is prefixed with the names of the folders above, as many as
    needed: ``n1`` in ``lab-a/may`` and in ``lab-b/may`` become ``lab-a.may.n1`` and ``lab-b.may.n1``.
    """
    labels = [name for name, _ in names]
    below = {folder: parts_below(folder, root) for folder in {folder for _, folder in names}}
    above = [below[folder] for _, folder in names]
    for depth in range(1, max((len(parts) for parts in above), default=0) + 1):
        times = Counter(_folder(name) for name in labels)
        if max(times.values(), default=1) == 1:
            return labels
        for place, (name, _) in enumerate(names):
            if times[_folder(labels[place])] > 1:
                labels[place] = ".".join([*above[place][-depth:], name])
    seen: Counter[str] = Counter()
    for place, name in enumerate(labels):  # names that differ only in characters that no folder name can have
        seen[_folder(name)] += 1
        if seen[_folder(name)] > 1:
            labels[place] = f"{name}.{seen[_folder(name)]}"
    return labels


def _folder(name: str) -> str:
    """The folder's name for comparisons: names that some file system treats as equal are equal."""
    return slug(name).casefold()


def parts_below(folder: Path, root: Path) -> list[str]:
    """The folders' names from `root` down to `folder`, both included.

    Only the name of `folder` if it is not below `root`, as when `root` is the ``RAW`` in it.
    """
    top = root.resolve()
    here = folder.resolve()
    inside = (top.name, *here.relative_to(top).parts) if here.is_relative_to(top) else (here.name,)
    return [clean(part) for part in inside if part]
