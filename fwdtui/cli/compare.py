"""`fwdtui compare`: ministat's format, which has to start fast. Other formats are in fwdtui.report."""

import argparse
import os
import stat
import sys
from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Any

from fwdtui.cli import compare_args, ministat_blocks
from fwdtui.cli.ministat_blocks import Block
from fwdtui.cli.uncollected import uncollected
from fwdtui.core.errors import FwdtuiError
from fwdtui.stats.ministat.inputs import DEFAULT_WIDTH, MinistatOptions
from fwdtui.stats.ministat.render import check, render_vitals
from fwdtui.stats.ministat.t_test import t_test

add_arguments = compare_args.add_arguments


def run(args: argparse.Namespace) -> int:
    """Compare, and return the exit status, which --fail-if and --fail-unless decide. Raises FwdtuiError."""
    compare_args.check(args)
    if args.tui:
        in_app: int = import_module("fwdtui.cli.compare_screen").run(args)
        return in_app
    watch = _Watch([args.base, *args.other]) if sys.stderr.isatty() else None
    try:
        with uncollected():
            if args.format == "ministat":
                return _ministat(args, watch)
            # imported by name, so that ministat's format does not wait for the rest
            status: int = import_module("fwdtui.report.compare_command").run(args, watch)
            return status
    finally:
        if watch:
            watch.close()


def _ministat(args: argparse.Namespace, watch: "_Watch | None") -> int:
    paths = [args.base, *args.other]
    options = MinistatOptions(
        flavour=args.flavour,
        confidence=args.confidence,
        plot=not args.no_plot,
        relative=not args.no_comparison,
        quiet=args.quiet,
        separate_bars=args.separate,
        width=_terminal_width() if args.width is None else args.width,
    )
    check(options, len(paths) if args.view is None else 1)  # compared by factors, there are other sets
    write = _writer()
    files = args.view is None and all(_is_file(path, args.sessions) for path in paths)
    lacking: list[str] = []
    if files:
        blocks = ministat_blocks.of_files(args, paths, watch)
    else:
        blocks = ministat_blocks.of_cases(args, options, paths, lacking)
    failing: list[str] = []
    unanswered: list[str] = []
    shown, whole = False, True
    for block in blocks:
        if watch:
            watch.close()
        try:
            if block.sets:
                render_vitals(block.sets, options, _separated(write) if shown else write)
                shown = True
        except FwdtuiError as error:  # the block cannot be plotted, and nothing of it was written
            if files:
                raise
            print(f"fwdtui: {block.sets[0].name}: {error}", file=sys.stderr)
            whole = False
        whole = whole and not block.poor
        no, open_ = _answers(block, options, args.fail_if)
        failing += no
        unanswered += open_
    if args.fail_if:
        unanswered += lacking
    for line in (*failing, *unanswered):
        print(f"fwdtui: {line}", file=sys.stderr)
    return 1 if failing else 2 if not whole or (args.fail_if and unanswered) else 0


def _answers(block: Block, options: MinistatOptions, fail_if: Sequence[str]) -> tuple[list[str], list[str]]:
    """Lines on the sets whose verdict by ministat is in `fail_if`, and lines on those without a verdict.

    The latter are there without `fail_if` as well, since a block cannot say it itself.
    """
    failing: list[str] = []
    unanswered: list[str] = []
    # if inconclusive is to fail, so is a set that cannot have a verdict
    without = failing if "inconclusive" in fail_if else unanswered
    without += [f"no verdict: {why}" if fail_if else why for why in block.poor]
    for place, one in enumerate(block.sets[1:], 1):
        against = f"{one.name} against {block.sets[0].name}"
        if place in block.unlike:
            without.append(f"no verdict: {against}: {block.unlike[place]}")
        elif fail_if:
            decided = t_test(block.sets[0], one, options.confidence, options.flavour)
            proven = "slower" if (decided.absolute < 0) != block.less else "faster"
            word = proven if decided.differs else "inconclusive"
            if word in fail_if:
                failing.append(f"{word}: {against}")
            elif place in block.unread:
                unanswered.append(f"not proven: {against}: {block.unread[place]}")
    return failing, unanswered


class _Watch:
    """Shows the progress of reading big files. It costs nothing until there is progress to show."""

    def __init__(self, paths: Sequence[str]) -> None:
        self._paths = paths
        self._reading: Any = None

    def __call__(self, path: str, done: int) -> None:
        """`done` bytes of `path` were read."""
        if self._reading is None:
            from fwdtui.cli.progress import Reading

            self._reading = Reading(self._paths)
        self._reading(path, done)

    def then(self, what: str) -> None:
        """Show what is done next with the values."""
        if self._reading is not None:
            self._reading.then(what)

    def close(self) -> None:
        """Clear the line before a result is printed. A second call does nothing."""
        if self._reading is not None:
            self._reading.close()
            self._reading = None


def _is_file(path: str, sessions: str) -> bool:
    """Whether `path` is read as a value file.

    A folder may be a session. So may a path that does not exist: it may be a session's name in the folder
    `sessions`, or have a case after a colon.
    """
    try:
        return path == "-" or not stat.S_ISDIR(os.stat(path).st_mode)  # noqa: PTH116 - pathlib is slow to load
    except (OSError, ValueError):
        return ":" not in path and not os.path.isdir(sessions)  # noqa: PTH112


def _terminal_width() -> int:
    """The width by ministat's rule: on a terminal COLUMNS, else its width without the frame; else 74."""
    width = DEFAULT_WIDTH
    if sys.stdout.isatty():
        columns = os.environ.get("COLUMNS", "")
        try:
            width = int(columns) if columns else os.get_terminal_size(sys.stdout.fileno()).columns - 2
        except (OSError, ValueError):
            return DEFAULT_WIDTH
    return width if width >= 2 else DEFAULT_WIDTH


def _writer() -> Callable[[str], object]:
    """A function that writes text as bytes: file names that are not UTF-8 stay, and long plots are fast."""
    buffer = getattr(sys.stdout, "buffer", None)
    if buffer is None:
        return sys.stdout.write
    sys.stdout.flush()
    return lambda text: buffer.write(os.fsencode(text))


def _separated(write: Callable[[str], object]) -> Callable[[str], object]:
    """As `write`, with an empty line before the first text. If no text comes, there is no empty line."""
    line = iter("\n")
    return lambda text: write(next(line, "") + text)
