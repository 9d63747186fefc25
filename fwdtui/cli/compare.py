"""`fwdtui compare`: ministat's format, which starts fast; the other formats are in fwdtui.report."""

import argparse
import os
import re
import stat
import sys
from collections.abc import Callable, Iterator, Sequence
from importlib import import_module
from typing import Any

from fwdtui.cli import compare_args
from fwdtui.cli.uncollected import uncollected
from fwdtui.stats.ministat.inputs import DEFAULT_WIDTH, FLAVOURS, MinistatOptions, NamedSet
from fwdtui.stats.ministat.render import check, render_vitals
from fwdtui.stats.ministat.t_test import t_test
from fwdtui.stats.ministat.vitals import Vitals, vitals

add_arguments = compare_args.add_arguments


def run(args: argparse.Namespace) -> int:
    """Compare. --fail-if and --fail-unless decide the exit status. Raises FwdtuiError."""
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
    check(options, len(paths) if args.view is None else 1)  # by factors there are other sets
    write = _writer()
    failing: list[str] = []
    missing: list[str] = []
    files = args.view is None and all(_is_file(path, args.sessions) for path in paths)
    blocks = _files(args, paths, watch) if files else _cases(args, options, paths, missing)
    for place, (sets, less) in enumerate(blocks):
        if watch:
            watch.close()
        if place:
            write("\n")
        render_vitals(sets, options, write)
        failing += _failing(sets, options, args.fail_if, less=less)
    if not args.fail_if:
        return 0
    for line in (*failing, *missing):
        print(f"fwdtui: {line}", file=sys.stderr)
    return 1 if failing else 2 if missing else 0


def _failing(
    sets: Sequence[Vitals], options: MinistatOptions, fail_if: Sequence[str], *, less: bool
) -> list[str]:
    """A line for each set whose verdict by ministat is in `fail_if`. `less`: the smaller value is better."""
    base, failing = sets[0], []
    for one in sets[1:] if fail_if else ():
        decided = t_test(base, one, options.confidence, options.flavour)
        proven = "slower" if (decided.absolute < 0) != less else "faster"
        word = proven if decided.differs else "inconclusive"
        if word in fail_if:
            failing.append(f"{word}: {one.name} against {base.name}")
    return failing


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
        """Say what is done next with the values."""
        if self._reading is not None:
            self._reading.then(what)

    def close(self) -> None:
        """Clear the line before a result is printed. A second call does nothing."""
        if self._reading is not None:
            self._reading.close()
            self._reading = None


def _files(
    args: argparse.Namespace, paths: Sequence[str], watch: _Watch | None
) -> Iterator[tuple[list[Vitals], bool]]:
    """Read value files into one block. Those without a unit are taken as rates: of these more is better."""
    from fwdtui.store.valuefile import STDIN, read_with_unit

    sets = []
    units = []
    shown = sys.stdout.isatty()
    for place, path in enumerate(paths):
        name = FLAVOURS[args.flavour].stdin if path == STDIN else path
        if place < len(args.labels):
            name = args.labels[place]
        file = read_with_unit(path, column=args.column or 1, delimiters=args.delimiters, progress=watch)
        # sorted at once and in place, to hold one copy of millions of values
        sets.append(vitals(NamedSet(_printable(name, shown), file.values), args.flavour, in_place=True))
        units += [(path, file.unit)] if file.unit else []
    if not units:
        yield sets, False
        return
    from fwdtui.core.metrics import LESS, better, one_unit  # late: most files name none

    yield sets, better(one_unit(units)) == LESS


def _cases(
    args: argparse.Namespace, options: MinistatOptions, paths: Sequence[str], missing: list[str]
) -> Iterator[tuple[list[Vitals], bool]]:
    """Read sessions: a block for each case that they share, or for each case of a single session.

    With each block comes whether less is better. The baseline's cases that a candidate does not have are
    added to `missing`.
    """
    from pathlib import Path

    from fwdtui.core.metrics import LESS, better
    from fwdtui.report.gates import lacking
    from fwdtui.report.iterations import DROPPED
    from fwdtui.report.ministat_block import name
    from fwdtui.report.pairing import alone, pair
    from fwdtui.report.sides import load_sides, refuse_columns

    sides = load_sides(
        paths,
        args.labels,
        column=args.column or 1,
        delimiters=args.delimiters,
        sessions=Path(args.sessions),
    )
    refuse_columns(sides, args.column, args.delimiters)
    if args.view is not None:
        from fwdtui.report.by_factor import seen

        sides = seen(sides, args.view)
        check(options, len(sides))
    cases = {}
    if len(sides) == 1:
        notes = alone(sides[0])
        cases = {case: [chosen.result] for case, chosen in sides[0].cases.items()}
    else:
        pairing = pair(sides)
        notes = pairing.notes
        missing += lacking(sides)
        for case, base, other in pairing.pairs:
            cases.setdefault(case, [base]).append(other)
    for note in notes:
        print(f"fwdtui: {note.text}", file=sys.stderr)
    for case, sets in cases.items():
        for one in sets:
            remarks = [caution.text for caution in one.cautions if caution.code == DROPPED]
            remarks += [f"not counted: {text}" for text in one.excluded]
            for text in remarks:
                print(f"fwdtui: {one.label}, {case}: {text}", file=sys.stderr)
    blocks = [
        (
            [vitals(NamedSet(name(one.label, case, None), one.values), args.flavour) for one in sets],
            any(better(one.unit) == LESS for one in sets),
        )
        for case, sets in cases.items()
    ]
    yield from blocks


def _is_file(path: str, sessions: str) -> bool:
    """Whether `path` is read as a value file.

    A folder may be a session, and so may what does not exist: by its name in the folder `sessions`, or with a
    case after a colon.
    """
    try:
        return path == "-" or not stat.S_ISDIR(os.stat(path).st_mode)  # noqa: PTH116 - pathlib is slow to load
    except (OSError, ValueError):
        return ":" not in path and not os.path.isdir(sessions)  # noqa: PTH112


def _terminal_width() -> int:
    """ministat's rule: on a terminal COLUMNS as it is, else the terminal's width less the frame; else 74."""
    width = DEFAULT_WIDTH
    if sys.stdout.isatty():
        columns = os.environ.get("COLUMNS", "")
        try:
            width = int(columns) if columns else os.get_terminal_size(sys.stdout.fileno()).columns - 2
        except (OSError, ValueError):
            return DEFAULT_WIDTH
    return width if width >= 2 else DEFAULT_WIDTH


def _printable(name: str, shown: bool) -> str:
    """`name` without terminal controls. Bytes that are not UTF-8 stay, except on a terminal (`shown`)."""
    if name.isascii() and name.isprintable():
        return name
    from fwdtui.core.text import clean

    parts = [name] if shown else re.split("([\ud800-\udfff]+)", name)
    parts[::2] = map(clean, parts[::2])
    return "".join(parts)


def _writer() -> Callable[[str], object]:
    """Writes bytes: a file name that is not UTF-8 comes out unchanged, and long plots are fast."""
    buffer = getattr(sys.stdout, "buffer", None)
    if buffer is None:
        return sys.stdout.write
    sys.stdout.flush()
    return lambda text: buffer.write(os.fsencode(text))
