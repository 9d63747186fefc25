"""The factors of all results of an import, and the roles of their generators: inferred, then corrected.

Names give what they can (core/inference.py), and factors.toml and ``--factors`` correct it. A factor that a
result lacks while results beside it have it is then marked as not known: nothing is taken from a neighbour.
"""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path
from statistics import median

import msgspec

from fwdtui.core.errors import FwdtuiError
from fwdtui.core.factors import FactorValue, in_order, level
from fwdtui.core.inference import CONFIG, TRAFFIC, Names, infer, unknown_beside
from fwdtui.core.roles import WANTED, Sent, by_loads, source_of
from fwdtui.core.stated_factors import expected_of
from fwdtui.core.text import clean
from fwdtui.core.units import counted
from fwdtui.store import benchlab_run, factors_file
from fwdtui.store.benchlab_tree import Result, Tree
from fwdtui.store.factors_file import Said

_FAMILY = re.compile(r"inet[46]?")

GIVEN = "given by"
"""How the sentence on a factor that was stated, not inferred, begins."""


class Described(msgspec.Struct):
    """One result with its factors. `place` is FOLDER/.../NAME, `why` says how each factor was found.

    `roles`: the roles of its generators, by the kinds of their logs; empty if they are not known. `removed`:
    factors that a correction took away.
    """

    tree: Tree
    result: Result
    place: str
    factors: dict[str, FactorValue]
    why: dict[str, str]
    roles: dict[str, str] = {}
    removed: set[str] = set()

    @property
    def kinds(self) -> list[str]:
        """The kinds of its generators' logs."""
        return list(dict.fromkeys(kind for run in self.result.runs for kind, _ in run.senders))

    @property
    def shown_roles(self) -> str:
        """``sender = attack, sender_gen2 = wanted``."""
        return ", ".join(f"{kind} = {role}" for kind, role in self.roles.items())


def describe(
    trees: Sequence[Tree], root: Path, corrections: Sequence[str] = ()
) -> tuple[list[Described], list[str]]:
    """The factors of every result, and notes on what was used. `corrections`: each a FILE, PATTERN or FACTOR.

    Raises FwdtuiError if one of these is wrong or fits no result, OSError if a file cannot be read.
    """
    said = [one for text in corrections for one in factors_file.given(text)]
    results = [one for tree in trees for one in _inferred(tree, root)]
    notes: list[str] = []
    inferred = {name for one in results for name in one.factors}
    used = list(said)
    for path in dict.fromkeys(path for tree in trees for path in tree.corrections):
        below = [one for one in results if path in one.tree.corrections]
        corrected = factors_file.read(path)
        used += corrected
        notes.append(f"{path} is used")
        notes += [
            f"{one.source}: {one.where}: no result fits it" for one in corrected if not _apply(one, below)
        ]
    for one in said:
        if not one.fill and not _apply(one, results):
            first = f"; the first is {results[0].place}" if results else ""
            raise FwdtuiError(f"{one.source}: {one.where or 'the pattern'}: no result fits it{first}")
    _unknown(results)
    for one in said:
        if one.fill and not _filled(one, results):
            name = next(iter(one.factors))
            raise FwdtuiError(
                f"{one.source}: every result already has a value of {name}; correct it in a factors.toml"
            )
    notes += [*_taken_from_none(used, inferred, results), *_unusual(results)]
    _roles(results)
    for each in results:
        each.factors = {name: each.factors[name] for name in in_order(each.factors)}
    return results, notes


def _inferred(tree: Tree, root: Path) -> Iterator[Described]:
    """What the names of a tree's results say."""
    above = [clean(part) for part in tree.folder.resolve().parts[1:]]
    top = len(root.resolve().parts) - 2  # the place of the root's own name in `above`
    below = above[max(min(top, len(above) - 1), 0) :]
    images = any(one.info is not None and one.info.image for one in tree.results)
    for result in tree.results:
        inferred = infer(_names(result, above, images))
        place = "/".join([*below, result.key])
        yield Described(tree, result, place, dict(inferred.factors), dict(inferred.why))


def _names(result: Result, above: Sequence[str], images: bool) -> Names:
    """A result's names, before any rule reads them. `images`: an .info of its tree names an image."""
    folder, *higher = (*reversed(above),) or ("",)
    info = result.info
    image, config, traffic = "", "", ""
    if info is not None:
        image, config, traffic = info.image or "", info.config or "", info.traffic or ""
        case = ".".join(part for part in (config, traffic) if part)
        if not image and case and result.key.endswith(f".{case}"):
            image = result.key[: -len(case) - 1]
            if _FAMILY.fullmatch(image) and not traffic:  # results that were renamed
                image, traffic = "", image
        if not case and result.key != image:
            config = result.key.removeprefix(f"{image}.")
    elif images:
        image, config = result.session, "" if result.case == "default" else result.case
    else:
        config = result.key
    return Names(clean(image), clean(config), clean(traffic), folder, tuple(higher))


def _apply(said: Said, results: Sequence[Described]) -> bool:
    """Correct the factors and roles of the results that `said` fits. Returns whether it fits any.

    Raises FwdtuiError if it gives a role to a generator that none of them has.
    """
    fitting: list[Described] = []
    for described in results:
        factors: Mapping[str, FactorValue] | None = said.factors
        if said.pattern is not None:
            factors = said.pattern.match(described.place)
        if factors is None or not said.fits(described.place):
            continue
        fitting.append(described)
        # a pattern explains the whole name, so the factors for what no rule could read are empty
        left = (CONFIG, TRAFFIC) if said.pattern is not None else ()
        for name in (*left, *said.without):
            described.factors.pop(name, None)
            described.removed.add(name)
        described.factors |= factors
        described.removed -= factors.keys()
        described.why |= dict.fromkeys(factors, f"{GIVEN} {clean(said.source)}")
        if any(kind in described.kinds for kind in said.roles):
            described.roles = {kind: said.roles.get(kind, WANTED) for kind in described.kinds}
            described.why["roles"] = f"{GIVEN} {clean(said.source)}"
    there = list(dict.fromkeys(kind for one in fitting for kind in one.kinds))
    if fitting and (odd := next((kind for kind in said.roles if kind not in there), None)):
        known = ", ".join(there) or "none"
        raise FwdtuiError(f"{said.source}: {said.where}.roles.{odd}: no such generator; there are: {known}")
    return bool(fitting)


def _beside(results: Sequence[Described]) -> Iterator[list[Described]]:
    """Results that lie beside each other: in one folder, or in folders of one folder."""
    groups: dict[Path, list[Described]] = {}
    folders = {folder: folder.resolve().parent for folder in {one.tree.folder for one in results}}
    for one in results:
        groups.setdefault(folders[one.tree.folder], []).append(one)
    yield from groups.values()


def _unknown(results: Sequence[Described]) -> None:
    for group in _beside(results):
        for one, lacking in zip(group, unknown_beside([each.factors for each in group]), strict=True):
            one.factors |= {name: value for name, value in lacking.items() if name not in one.removed}


def _filled(said: Said, results: Sequence[Described]) -> bool:
    """Give factors to the results where they are not known or, if there are none, to those that lack them.

    Returns whether there were any.
    """
    filled = False
    for name, value in said.factors.items():
        unknown = [one for one in results if one.factors.get(name) == ""]
        for one in unknown or [one for one in results if name not in one.factors]:
            one.factors[name] = value
            one.why[name] = f"{GIVEN} {clean(said.source)}"
            filled = True
    return filled


def _taken_from_none(
    used: Sequence[Said], inferred: Collection[str], results: Sequence[Described]
) -> Iterator[str]:
    """A note on each factor that was to be taken away, but that no result has, inferred or given."""
    given = (name for one in used for name in one.factors)
    there = in_order([*inferred, *(name for one in results for name in one.factors), *given])
    for one in used:
        for name in one.without:
            if name not in there:
                yield f"{one.source}: {one.where}.without: no result has {name}; there are {', '.join(there)}"


def _unusual(results: Sequence[Described]) -> Iterator[str]:
    """A note on each given value that is unusual for its factor: it may be a slip."""
    told: dict[tuple[str, str], int] = {}
    for one in results:
        for name, value in one.factors.items():
            why = one.why.get(name, "")
            if value == "" or not why.startswith(GIVEN) or not (expected := expected_of(name, value)):
                continue
            where = f"{why.removeprefix(GIVEN).strip()}: {name} is {value!r}"
            told[where, expected] = told.get((where, expected), 0) + 1
    for (where, expected), count in told.items():
        yield f"{where} of {counted(count, 'result')}, where {expected} was expected: it is kept as it is"


def _roles(results: Sequence[Described]) -> None:
    """Find the roles of generators from the loads that the names promise, where they are not given."""
    for group in _beside(results):
        sources: dict[str, str] = {}
        open_ones: list[tuple[Described, list[Sent]]] = []
        for described in group:
            wanted, attack = (
                level(name, described.factors.get(name, "")) for name in ("rate", "attack_rate")
            )
            if described.roles or wanted.number is None or attack.number is None:
                continue
            sent = _sent(described.result)
            roles = by_loads(sent, wanted.number, attack.number)
            if roles is None:
                continue
            described.roles, described.why["roles"] = dict(roles.of), roles.why
            if roles.certain:
                sources |= {each.source: roles.of[each.generator] for each in sent if each.source}
            else:
                open_ones.append((described, sent))
        for described, sent in open_ones:
            wanted, attack = (level(name, described.factors[name]) for name in ("rate", "attack_rate"))
            roles = by_loads(sent, wanted.number or 0.0, attack.number or 0.0, sources)
            if roles is not None:
                described.roles, described.why["roles"] = dict(roles.of), roles.why


def _sent(result: Result) -> list[Sent]:
    """What each generator sent in the first run that can be read, and from which addresses."""
    for run in result.runs:
        if run.published is not None:
            continue
        try:
            files = benchlab_run.read(run)
        except OSError:
            continue
        sent = []
        for kind, log in (files.senders or {}).items():
            rates = [item.pps for item in log.intervals if item.pps > 0]
            if rates:
                sent.append(Sent(kind, source_of(log.command or ""), median(rates)))
        if sent:
            return sent
    return []
