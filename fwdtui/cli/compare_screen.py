"""`fwdtui compare --tui`: the comparison in the app."""

import argparse
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from fwdtui.cli.screen import need_terminal, run_app
from fwdtui.core.errors import FwdtuiError
from fwdtui.report.by_factor import seen
from fwdtui.report.factor_view import AS_GIVEN
from fwdtui.report.pairing import pair
from fwdtui.report.sides import Side, labelled, load_sides


def run(args: argparse.Namespace) -> int:
    """Run until the user leaves. Raises FwdtuiError without a terminal, or if these cannot be compared."""
    need_terminal("fwdtui compare without --tui")
    view = args.view or AS_GIVEN
    sides = load_sides([args.base, *args.other], sessions=Path(args.sessions))
    if not view.by:
        sides = of_one_case(sides)
    pair(seen(sides, view))  # refuses sessions without a case in common
    from fwdtui.report.comparison import Loaded
    from fwdtui.ui.common.ports import FirstComparison
    from fwdtui.ui.compare.screen import CompareScreen
    from fwdtui.ui.shell.app import FwdtuiApp

    specs = [Path(side.spec) for side in sides]
    first = FirstComparison(
        specs if len(specs) > 1 else [],  # one session by factors: nothing to repeat without them
        [Path(session.path) for side in sides for session in side.sessions],
        lambda: CompareScreen(specs[0], specs[1:], args.margin, args.confidence, Loaded(tuple(sides)), view),
    )
    return run_app(FwdtuiApp(first.sessions[0].parent, comparison=first))


def of_one_case(sides: Sequence[Side]) -> list[Side]:
    """The sides as the screen can show them: whole sessions, or the same case of each.

    A case chosen for one is chosen for all. Raises FwdtuiError for value files and for different cases.
    """
    for side in sides:
        if not side.sessions:
            raise FwdtuiError(f"{side.spec}: a value file; --tui compares sessions")
    cases = list(dict.fromkeys(case for side in sides if side.chosen for case in side.cases))
    if len(cases) > 1:
        raise FwdtuiError(f"--tui shows the same case of all sessions, not {' and '.join(cases)}")
    return labelled([_narrowed(side, cases[0]) for side in sides] if cases else sides)


def _narrowed(side: Side, case: str) -> Side:
    if side.chosen:
        return side
    if case not in side.cases:
        raise FwdtuiError(f"{side.spec}: no case {case!r}; it has {', '.join(side.cases)}")
    return replace(side, spec=f"{side.spec}:{case}", chosen=True, cases={case: side.cases[case]})
