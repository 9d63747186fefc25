"""The options of `fwdtui compare`, including ministat's own. A wrong one is refused with one line."""

import argparse
from collections.abc import Callable

from fwdtui.cli import factor_args, sessions_folder
from fwdtui.core.errors import FwdtuiError
from fwdtui.core.units import counted

FORMATS = ("table", "ministat", "json", "markdown")
FLAVOURS = ("current", "classic", "debian")
MARGIN_PERCENT = 1.0
DELIMITERS = " \t"
SIDE = "a session's folder, name or label, SESSION:CASE, a value file, or - for standard input"
"""The help of BASE."""
MARGIN = "a smaller difference does not matter; default: 1%%, or what the experiment says"
OFFERED = "offered load of the sets that have none of their own, such as 14.88M (not for ministat)"
_SHOWN = 40  # characters of a quoted argument in a message
_MOST_DIGITS = 9  # in the number of a column or a width
FAIL_IF = ("slower", "faster", "inconclusive", "capped", "marked")
FAIL_UNLESS = ("not-slower", "equivalent")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    add = parser.add_argument
    add("base", metavar="BASE", help=SIDE)
    add("other", metavar="OTHER", nargs="*", default=[], help="what is compared with BASE; any number")
    sessions_folder.add_option(parser)
    add("--format", type=_one_of("--format", FORMATS), metavar="FORMAT", help=_any(FORMATS))
    add("--tui", action="store_true", help="open the comparison in the app (sessions only)")
    add("--margin", type=margin, metavar="1%", help=f"{MARGIN} (not for ministat)")
    add(
        "-c",
        "--confidence",
        type=confidence,
        default=95.0,
        metavar="PERCENT",
        help="confidence level; default: 95",
    )
    add(
        "--fail-if",
        type=_some_of("--fail-if", FAIL_IF),
        action="extend",
        default=[],
        metavar="VERDICT,...",
        help=f"exit with status 1 if a case is {_any(FAIL_IF, default=False)} (with a ! in the table); "
        "several with commas",
    )
    add(
        "--fail-unless",
        type=_some_of("--fail-unless", FAIL_UNLESS),
        action="extend",
        default=[],
        metavar="CLAIM,...",
        help="exit with status 1 unless each case is proven to be not-slower (a loss as large as the margin "
        "is ruled out) or equivalent",
    )
    add("--offered", type=_rate, metavar="RATE", help=OFFERED)
    add("--plot", action="store_true", help="add a chart of the values (not for ministat)")
    add("--explain", action="store_true", help="explain the verdict (not for ministat)")
    factor_args.add_arguments(parser)
    files = parser.add_argument_group("value files, as ministat reads them")
    files.add_argument(
        "-C",
        dest="column",
        type=_column,
        metavar="COLUMN",
        help="number of the column with the values; default: 1",
    )
    files.add_argument(
        "-d",
        dest="delimiters",
        type=_delimiters,
        default=DELIMITERS,
        metavar="CHARS",
        help="what separates columns; default: blanks and tabs",
    )
    parser.epilog = (
        "--fail-if and --fail-unless apply to every case that is compared. Status 0: all of them pass. "
        "1: at least one fails; stderr names each. 2: none fails, but at least one has no verdict "
        "(fewer than 3 values, no spread, a case of BASE that OTHER does not have). "
        "An inconclusive case passes --fail-if slower, but not --fail-unless not-slower. A warning that "
        "bears on a verdict (!) is printed on stderr; if the data themselves are doubtful, --fail-unless "
        "exits with 2."
    )
    own = parser.add_argument_group("only with --format ministat")
    own.add_argument("--flavour", type=_one_of("--flavour", FLAVOURS), metavar="NAME", help=_any(FLAVOURS))
    own.add_argument("-A", dest="no_plot", action="store_true", help="no plot")
    own.add_argument("-n", dest="no_comparison", action="store_true", help="vital statistics alone")
    own.add_argument("-q", dest="quiet", action="store_true", help="no names and no header")
    own.add_argument("-s", dest="separate", action="store_true", help="a bar for each set")
    own.add_argument(
        "-w",
        dest="width",
        type=_whole,
        metavar="WIDTH",
        help="width of the plot; default: the terminal's, else 74",
    )


def check(args: argparse.Namespace) -> None:
    """Refuse options that exclude each other, and fill in the defaults of the format. Raises FwdtuiError."""
    if args.tui:
        _check_for_app(args)
    args.format = args.format or FORMATS[0]
    ministat = args.format == "ministat"
    given = _of_ministat(args)
    others = {"--margin": args.margin is not None, "--offered": args.offered is not None}
    others |= {"--plot": args.plot, "--explain": args.explain, "--fail-unless": bool(args.fail_unless)}
    others |= {f"--fail-if {kind}": kind in args.fail_if for kind in ("capped", "marked")}
    for option, present in (others if ministat else given).items():
        if present:
            verb = "cannot be combined" if ministat else "works only"
            raise FwdtuiError(f"{option} {verb} with --format ministat")
    if ministat and args.fail_if and not args.other and not args.by:
        raise FwdtuiError("--fail-if needs a BASE and at least one OTHER")
    args.view, args.labels = factor_args.view(args), factor_args.labels(args)
    if len(args.labels) > 1 + len(args.other):
        files = counted(1 + len(args.other), "file")
        raise FwdtuiError(f"--label is given {len(args.labels)} times for {files}")
    if [args.base, *args.other].count("-") > 1:
        raise FwdtuiError("-: standard input can be read only once")
    args.flavour = args.flavour or FLAVOURS[0]
    args.own_margin = args.margin is not None
    args.margin = MARGIN_PERCENT if args.margin is None else args.margin


def _of_ministat(args: argparse.Namespace) -> dict[str, object]:
    """The options that belong to --format ministat, each with a true value if it is given."""
    return {
        "--flavour": args.flavour,
        "-A": args.no_plot,
        "-n": args.no_comparison,
        "-q": args.quiet,
        "-s": args.separate,
        "-w": args.width is not None,
    }


def _check_for_app(args: argparse.Namespace) -> None:
    """Refuse options that the comparison screen does not have, instead of ignoring them."""
    given = {
        "--format": args.format,
        "--label": args.label and not args.by,
        "--fail-if": args.fail_if,
        "--fail-unless": args.fail_unless,
        "--offered": args.offered is not None,
        "--plot": args.plot,
        "--explain": args.explain,
        "-C": args.column is not None,
        "-d": args.delimiters != DELIMITERS,
        **_of_ministat(args),
    }
    for option, present in given.items():
        if present:
            raise FwdtuiError(f"{option} cannot be combined with --tui")


def _any(names: tuple[str, ...], *, default: bool = True) -> str:
    return f"{', '.join(names[:-1])} or {names[-1]}" + (f"; {names[0]} by default" if default else "")


def _one_of(option: str, names: tuple[str, ...]) -> Callable[[str], str]:
    def check_name(text: str) -> str:
        if text not in names:
            raise FwdtuiError(f"{option}: {quoted(text)} is not one of {', '.join(names)}")
        return text

    return check_name


def _some_of(option: str, names: tuple[str, ...]) -> Callable[[str], list[str]]:
    check_name = _one_of(option, names)
    return lambda text: [check_name(name.strip()) for name in text.split(",")]


LEAST_CONFIDENCE, MOST_CONFIDENCE = 50.0, 99.9999
"""Beyond these limits a comparison says nothing, and percentages are printed as 0 and 100."""
MOST_MARGIN = 99.9999


def confidence(text: str) -> float:
    """The argument of --confidence, in percent. Raises FwdtuiError."""
    number = _percentage(text)
    if not LEAST_CONFIDENCE <= number <= MOST_CONFIDENCE:
        raise FwdtuiError(
            f"--confidence: {quoted(text)} is not a percentage "
            f"from {LEAST_CONFIDENCE:g} to {MOST_CONFIDENCE:g}; write it as 95"
        )
    return number


def margin(text: str) -> float:
    """The argument of --margin, in percent. Raises FwdtuiError."""
    number = _percentage(text)
    if not 0.0 <= number <= MOST_MARGIN:
        raise FwdtuiError(
            f"--margin: {quoted(text)} is not a percentage from 0 to {MOST_MARGIN:g}; write it as 1%"
        )
    return number


def _percentage(text: str) -> float:
    try:
        return float(text.removesuffix("%"))
    except ValueError:
        return float("nan")


def quoted(text: str) -> str:
    """An argument in quotes, shortened for a message."""
    return repr(text if len(text) <= _SHOWN else f"{text[: _SHOWN - 1]}…")


def _rate(text: str) -> float:
    from fwdtui.core.units import parse_rate

    try:
        rate = parse_rate(text)
    except FwdtuiError as error:
        raise FwdtuiError(f"--offered: {error}") from None
    if rate <= 0.0:
        raise FwdtuiError("--offered: the load must be above 0; write it as 14.88M")
    return rate


def _whole(text: str) -> int:
    try:
        return int(text)
    except ValueError:
        raise FwdtuiError(f"-w: {quoted(text)} is not a whole number") from None


def _column(text: str) -> int:
    if not (text.isascii() and text.isdecimal() and len(text) <= _MOST_DIGITS) or int(text) < 1:
        raise FwdtuiError(f"-C: {quoted(text)} is not a column number; the first is 1")
    return int(text)


def _delimiters(text: str) -> str:
    if not text:
        raise FwdtuiError("-d: needs at least one character")
    return text
