"""What `fwdtui report --x FACTOR` does once its arguments are read: print the sweep, or write its report."""

import argparse
import sys
from pathlib import Path

from fwdtui.core.factors import factor_name
from fwdtui.report import terminal
from fwdtui.report.bundle import Plan
from fwdtui.report.document import Choices
from fwdtui.report.factor_view import AS_GIVEN, FactorView
from fwdtui.report.link import Link, parse_frame, parse_speed
from fwdtui.report.sweep import Sweeps, Wanted, sweeps
from fwdtui.report.sweep_input import Loaded, load


def show(args: argparse.Namespace, view: FactorView | None) -> None:
    """Print tables and charts. Raises FwdtuiError if the arguments or the sessions make no sweep."""
    from fwdtui.report import sweep_text
    from fwdtui.report.verified import verified

    loaded, drawn = _sweeps(args, view or AS_GIVEN)
    for note in verified(loaded).notes:
        terminal.write(f"fwdtui: {note.text}\n", sys.stderr)
    terminal.write(sweep_text.render(drawn, terminal.columns(sys.stdout)))


def plan(args: argparse.Namespace, view: FactorView | None) -> Plan:
    """The report to be written. Raises FwdtuiError as `show` does."""
    from fwdtui.report import sweep_report
    from fwdtui.report.verified import verified

    loaded, drawn = _sweeps(args, view or AS_GIVEN)
    choices = Choices(args.title or "", frozenset(args.without))
    return sweep_report.plan(Path(args.out), verified(loaded), drawn, choices)


def _sweeps(args: argparse.Namespace, view: FactorView) -> tuple[Loaded, Sweeps]:
    wanted = Wanted(
        factor_name(args.x),
        factor_name(args.series) if args.series else "",
        view,
        args.x_scale,
        args.linear,
        Link(
            parse_speed(args.link) if args.link else None,
            parse_frame(args.frame) if args.frame else None,
        ),
    )
    loaded = load([args.base, *args.other], view, Path(args.sessions))
    return loaded, sweeps(loaded.trials, wanted, loaded.missing)
