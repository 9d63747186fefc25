"""`fwdtui compare --tui`: the comparison in the app."""

import argparse
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from fwdtui.cli.screen import need_terminal, run_app
from fwdtui.core.errors import FwdtuiError
from fwdtui.report.by_factor import seen
from fwdtui.report.experiment_view import asked, nothing_beside
from fwdtui.report.factor_view import FactorView
from fwdtui.report.pairing import pair
from fwdtui.report.sides import Side, labelled, load_sides


def run(args: argparse.Namespace) -> int:
    """Run until the user leaves. Raises FwdtuiError without a terminal, or if there is nothing to compare."""
    need_terminal("fwdtui compare without --tui")
    sides, view, margin = wanted(args)
    from fwdtui.report.comparison import Loaded
    from fwdtui.ui.common.ports import FirstComparison
    from fwdtui.ui.compare.screen import CompareScreen
    from fwdtui.ui.shell.app import FwdtuiApp

    specs = [Path(side.spec) for side in sides]
    first = FirstComparison(
        specs if len(specs) > 1 else [],  # one session, by factors: without them there is nothing to repeat
        [Path(session.path) for side in sides for session in side.sessions],
        lambda: CompareScreen(specs[0], specs[1:], margin, args.confidence, Loaded(tuple(sides)), view),
    )
    return run_app(FwdtuiApp(first.sessions[0].parent, comparison=first))


def wanted(args: argparse.Namespace) -> tuple[list[Side], FactorView, float]:
    """What the screen compares, how it is seen, and the margin in percent: all as without --tui.

    `args` are as `compare_args.check` leaves them. Raises FwdtuiError if they cannot be compared.
    """
    sides = load_sides([args.base, *args.other], sessions=Path(args.sessions))
    view, margin = asked(sides, args.view, args.margin if args.own_margin else None)
    if not args.other and not view.by:
        raise nothing_beside(sides, "compare")
    if not view.by:
        sides = of_one_case(sides)
    pair(seen(sides, view))  # raises an error for sessions without a case in common
    return sides, view, margin


def of_one_case(sides: Sequence[Side]) -> list[Side]:
    """The sides as the screen can show them: whole sessions, one case of all, or a case against another.

    A case that is chosen for one side is chosen for all, unless each side has its own. Raises FwdtuiError for
    value files, and for different cases together with a whole session.
    """
    for side in sides:
        if not side.sessions:
            raise FwdtuiError(f"{side.spec}: a value file; --tui compares sessions")
    cases = list(dict.fromkeys(case for side in sides if side.chosen for case in side.cases))
    if len(cases) > 1 and all(side.chosen for side in sides):
        return list(sides)
    if len(cases) > 1:
        named = " and ".join(cases)
        raise FwdtuiError(
            f"to compare the cases {named} with each other, write every session as SESSION:CASE"
        )
    return labelled([_narrowed(side, cases[0]) for side in sides] if cases else sides)


def _narrowed(side: Side, case: str) -> Side:
    if side.chosen:
        return side
    if case not in side.cases:
        raise FwdtuiError(f"{side.spec}: no case {case!r}; it has {', '.join(side.cases)}")
    return replace(side, spec=f"{side.spec}:{case}", chosen=True, cases={case: side.cases[case]})
