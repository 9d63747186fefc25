"""`fwdtui experiment FILE`: measure a whole design unattended, or show what that would do."""

import argparse
import sys
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from fwdtui.core.errors import FwdtuiError

if TYPE_CHECKING:
    from fwdtui.collectors.experiment_file import ReadExperiment


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument("file", metavar="FILE", help="an experiment.toml, or the folder that it is in")
    parser.add_argument(
        "--dry-run",
        action="store_true",
        help="print every step with its time; run nothing; with --resume: what is left",
    )
    parser.add_argument("--headless", action="store_true", help="no screen: progress and time left on stderr")
    parser.add_argument(
        "--json",
        action="store_true",
        help="with --dry-run: one JSON document; with --headless: a line of JSON for each step",
    )
    parser.add_argument("--resume", action="store_true", help="continue an experiment that stopped early")
    parser.add_argument(
        "--aa",
        action="store_true",
        help="measure the baseline against itself: the lab's own spread, and what it can prove",
    )
    parser.add_argument("--lab", metavar="FILE", help="use this lab.toml instead of the one that FILE names")
    parser.add_argument("--seed", type=int, metavar="N", help="seed of the random order, instead of FILE's")
    parser.add_argument(
        "--into", metavar="DIR", default="sessions", help="the folder of sessions; default: ./sessions"
    )
    parser.add_argument(
        "--session",
        metavar="NAME",
        help="the session that it is recorded in; default: a new one, with --resume the newest of FILE",
    )


def run(args: argparse.Namespace) -> int:
    """Run or show the experiment, and return 0: done, or 1: iterations are missing.

    Raises FwdtuiError, UntrustedError for files that are not trusted.
    """
    if args.seed is not None and not 0 <= args.seed < 1 << 64:
        raise FwdtuiError(f"--seed {args.seed}: expected a whole number from 0 to 18446744073709551615")
    if args.json and not (args.dry_run or args.headless):
        raise FwdtuiError("--json needs --dry-run or --headless")
    from fwdtui.collectors.experiment_file import read_experiment

    lab = None if args.lab is None else Path(args.lab)
    read = read_experiment(args.file, lab=lab, seed=args.seed)
    if args.dry_run:
        return _dry_run(read, args)
    if not args.headless:
        from fwdtui.cli import experiment_screen

        given = (("--lab", args.lab), ("--seed", args.seed))
        options = [word for name, value in given if value is not None for word in (name, str(value))]
        return experiment_screen.run(
            read, Path(args.into), args.session, args.resume, args.aa, tuple(options)
        )
    read.check()
    return _headless(read, args)


def _headless(read: "ReadExperiment", args: argparse.Namespace) -> int:
    try:
        headless = import_module("fwdtui.cli.experiment_headless")
    except ModuleNotFoundError:
        raise FwdtuiError("this version only shows what an experiment would do: --dry-run") from None
    status: int = headless.run(read, Path(args.into), args.session, args.resume, args.aa, args.json)
    return status


def _warn(text: str) -> None:
    from fwdtui.core.text import clean

    print(clean(text), file=sys.stderr)


def _dry_run(read: "ReadExperiment", args: argparse.Namespace) -> int:
    from fwdtui.core.experiment.order import aa_plan
    from fwdtui.core.experiment.text import dry_run, plain
    from fwdtui.report import terminal
    from fwdtui.report.json_format import document

    plan = aa_plan(read.plan) if args.aa else read.plan
    resumed = None
    if args.resume:
        from fwdtui.monitor.experiment.opening import resumed_by
        from fwdtui.monitor.experiment.subject import Subject

        subject = Subject(read.lab_path, plan, read.text)
        resumed = resumed_by(Path(args.into), args.session, subject, read.lab, _warn)
    if args.json:
        terminal.write_document(document(plain(plan, read.lab, resumed)))
    else:
        print(dry_run(plan, read.lab, resumed))
    return 0
