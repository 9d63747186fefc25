"""What `--format ministat` prints: one block of value files, or one for each case of sessions."""

import argparse
import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from fwdtui.core.errors import FwdtuiError
from fwdtui.stats.ministat.inputs import FLAVOURS, MinistatOptions, NamedSet
from fwdtui.stats.ministat.render import check
from fwdtui.stats.ministat.vitals import Vitals, vitals

if TYPE_CHECKING:
    from fwdtui.report.factor_view import FactorView
    from fwdtui.report.sides import Side
    from fwdtui.stats.results import ResultSet


class Block(NamedTuple):
    """Sets that are compared, the baseline first; there are none if there is nothing to compare.

    Two fields are about candidates, by their index in `sets`: `unlike` says why a verdict on a candidate
    would mean nothing, and `unread` why a gate that the candidate does not fail is not passed either.
    """

    sets: Sequence[Vitals]
    less: bool = False  # whether the smaller value is better
    poor: Sequence[str] = ()  # which sets ministat does not accept, and why
    unlike: Mapping[int, str] = {}
    unread: Mapping[int, str] = {}


def of_files(
    args: argparse.Namespace, paths: Sequence[str], progress: Callable[[str, int], None] | None
) -> Iterator[Block]:
    """Read value files into one block. Without a unit, values are taken to be rates: more is better."""
    from fwdtui.store.valuefile import STDIN, read_with_unit

    sets = []
    units = []
    shown = sys.stdout.isatty()
    for place, path in enumerate(paths):
        name = FLAVOURS[args.flavour].stdin if path == STDIN else path
        if place < len(args.labels):
            name = args.labels[place]
        file = read_with_unit(path, column=args.column or 1, delimiters=args.delimiters, progress=progress)
        # sorted at once and in place, so that there is only one copy of millions of values
        sets.append(vitals(NamedSet(_printable(name, shown), file.values), args.flavour, in_place=True))
        units += [(path, file.unit)] if file.unit else []
    if not units:
        yield Block(sets)
        return
    from fwdtui.core.metrics import LESS, better, one_unit  # late: most files name no unit

    yield Block(sets, better(one_unit(units)) == LESS)


def of_cases(
    args: argparse.Namespace, options: MinistatOptions, paths: Sequence[str], lacking: list[str]
) -> Iterator[Block]:
    """Read sessions: a block for each case that they share, or for each case of a single session.

    A case or a candidate with too few values does not keep the others from being shown. The baseline's cases
    that a candidate does not have, and what an experiment did not measure, are added to `lacking`.
    """
    from pathlib import Path

    from fwdtui.report import gates
    from fwdtui.report.iterations import DROPPED
    from fwdtui.report.pairing import alone, pair
    from fwdtui.report.sides import load_sides, refuse_columns
    from fwdtui.store.names import is_of_experiment

    sides = load_sides(
        paths,
        args.labels,
        column=args.column or 1,
        delimiters=args.delimiters,
        sessions=Path(args.sessions),
    )
    refuse_columns(sides, args.column, args.delimiters)
    recorded = sides
    if args.view is not None:
        from fwdtui.report.by_factor import seen
        from fwdtui.report.experiment_view import with_baseline

        sides = seen(sides, with_baseline(sides, args.view))  # an experiment's baseline is the design's
        check(options, len(sides))
    cases = {}
    if len(sides) == 1:
        notes = alone(sides[0])
        cases = {case: [chosen.result] for case, chosen in sides[0].cases.items()}
    else:
        pairing = pair(sides)
        notes = pairing.notes
        lacking += gates.lacking(sides)
        if args.fail_if:
            lacking += _unmeasured(sides, args.view, recorded)
        for case, base, other in pairing.pairs:
            cases.setdefault(case, [base]).append(other)
    if any(is_of_experiment(session) for side in sides for session in side.sessions):
        from fwdtui.report import experiment_summary

        notes = experiment_summary.without_repetition(notes, experiment_summary.unreadable(sides))
    for note in notes:
        print(f"fwdtui: {note.text}", file=sys.stderr)
    for case, sets in cases.items():
        for one in sets:
            remarks = [caution.text for caution in one.cautions if caution.code == DROPPED]
            remarks += [f"not counted: {text}" for text in one.excluded]
            for text in remarks:
                print(f"fwdtui: {one.label}, {case}: {text}", file=sys.stderr)
    for case, sets in cases.items():
        yield _block(case, sets, args.flavour)


def _unmeasured(sides: "Sequence[Side]", view: "FactorView | None", recorded: "Sequence[Side]") -> list[str]:
    """What the experiments planned but did not measure. `recorded`: the sides as they were read."""
    from pathlib import Path

    from fwdtui.store.names import has_experiment

    if not any(has_experiment(Path(session.path)) for side in recorded for session in side.sessions):
        return []
    from fwdtui.report.experiment_summary import experiments
    from fwdtui.report.factor_view import AS_GIVEN
    from fwdtui.report.unmeasured import unmeasured

    return unmeasured(sides, view or AS_GIVEN, experiments(recorded)[0], recorded)


def _block(case: str, sets: "Sequence[ResultSet]", flavour: str) -> Block:
    """The block of a case: the sets that ministat accepts, and what forbids a verdict on them.

    `sets`: that of the baseline first.
    """
    from fwdtui.core.metrics import LESS, better
    from fwdtui.report import bearing
    from fwdtui.report.ministat_block import name

    taken: list[Vitals] = []
    poor: list[str] = []
    unlike: dict[int, str] = {}
    unread: dict[int, str] = {}
    for one in sets:
        try:
            taken.append(vitals(NamedSet(name(one.label, case, None), one.values), flavour))
        except FwdtuiError as error:
            poor.append(str(error))
            if one is sets[0]:
                return Block((), poor=poor)
            continue
        place = len(taken) - 1
        if one.unlike:
            unlike[place] = one.unlike
        if place and (codes := _unknown(sets[0]) or _unknown(one)):
            unread[place] = f"{bearing.MEANING[codes[0]]} ({codes[0]})"
    if len(sets) > 1 and len(taken) == 1:
        taken = []
    return Block(taken, any(better(one.unit) == LESS for one in sets), poor, unlike, unread)


def _unknown(one: "ResultSet") -> list[str]:
    """The codes of a set's warnings that values may count in it that should not."""
    from fwdtui.report.iterations import UNKNOWN

    return [caution.code for caution in one.cautions if caution.code in UNKNOWN]


def _printable(name: str, shown: bool) -> str:
    """`name` without terminal controls. Bytes that are not UTF-8 stay, except on a terminal (`shown`)."""
    if name.isascii() and name.isprintable():
        return name
    from fwdtui.core.text import clean

    parts = [name] if shown else re.split("([\ud800-\udfff]+)", name)
    parts[::2] = map(clean, parts[::2])
    return "".join(parts)
