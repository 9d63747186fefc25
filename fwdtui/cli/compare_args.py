"""The options of `fwdtui compare`, ministat's own among them; a wrong one is refused in one line."""

import argparse
from collections.abc import Callable

from fwdtui.core.errors import FwdtuiError

FORMATS = ("table", "ministat", "json", "markdown")
FLAVOURS = ("current", "classic", "debian")
MARGIN_PERCENT = 1.0


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments as the contract has them."""
    add = parser.add_argument
    add("base", metavar="BASE", help="a session folder, SESSION:CASE, a value file, or - for standard input")
    add("other", metavar="OTHER", nargs="*", help="what is compared with BASE, one after the other")
    add("--format", type=_one_of("--format", FORMATS), default="table", metavar="FORMAT", help=_any(FORMATS))
    add("--margin", type=_percent, metavar="1%", help="differences below it do not matter (not for ministat)")
    add("-c", "--confidence", type=_number, default=95.0, metavar="PERCENT", help="confidence level: 95")
    add("--label", action="append", default=[], metavar="TEXT", help="name, once per file, in their order")
    add("--fail-if", type=_one_of("--fail-if", ("slower",)), metavar="slower", help="then exit with status 1")
    add("--offered", type=_rate, metavar="RATE", help="offered load, such as 14.88M (not for ministat)")
    add("--plot", action="store_true", help="with a chart of the values (not for ministat)")
    add("--explain", action="store_true", help="say how the verdict came about (not for ministat)")
    files = parser.add_argument_group("value files, as ministat reads them")
    files.add_argument("-C", dest="column", type=_column, default=1, metavar="COLUMN", help="counted from 1")
    files.add_argument(
        "-d", dest="delimiters", type=_delimiters, default=" \t", metavar="CHARS", help="between columns"
    )
    own = parser.add_argument_group("only with --format ministat")
    own.add_argument("--flavour", type=_one_of("--flavour", FLAVOURS), metavar="NAME", help=_any(FLAVOURS))
    own.add_argument("-A", dest="no_plot", action="store_true", help="no plot")
    own.add_argument("-n", dest="no_comparison", action="store_true", help="vital statistics alone")
    own.add_argument("-q", dest="quiet", action="store_true", help="no names and no header")
    own.add_argument("-s", dest="separate", action="store_true", help="a bar for each set")
    own.add_argument(
        "-w", dest="width", type=_whole, metavar="WIDTH", help="the plot's; 74, or the terminal's"
    )


def check(args: argparse.Namespace) -> None:
    """Refuse what does not go together, and fill in what depends on the format. Raises FwdtuiError."""
    ministat = args.format == "ministat"
    given = {
        "--flavour": args.flavour,
        "-A": args.no_plot,
        "-n": args.no_comparison,
        "-q": args.quiet,
        "-s": args.separate,
        "-w": args.width is not None,
    }
    others = {"--margin": args.margin is not None, "--offered": args.offered is not None}
    others |= {"--plot": args.plot, "--explain": args.explain}
    for option, present in (others if ministat else given).items():
        if present:
            raise FwdtuiError(f"{option} goes {'not' if ministat else 'only'} with --format ministat")
    if len(args.label) > 1 + len(args.other):
        raise FwdtuiError(f"--label is given {len(args.label)} times for {1 + len(args.other)} files")
    if [args.base, *args.other].count("-") > 1:
        raise FwdtuiError("-: standard input can be read only once")
    args.flavour = args.flavour or FLAVOURS[0]
    args.margin = MARGIN_PERCENT if args.margin is None else args.margin


def _any(names: tuple[str, ...]) -> str:
    return f"{', '.join(names[:-1])} or {names[-1]}; {names[0]} by default"


def _one_of(option: str, names: tuple[str, ...]) -> Callable[[str], str]:
    def check_name(text: str) -> str:
        if text not in names:
            raise FwdtuiError(f"{option}: no {text!r}; there is {', '.join(names)}")
        return text

    return check_name


def _number(text: str) -> float:
    try:
        number = float(text.removesuffix("%"))
    except ValueError:
        number = float("nan")
    if not 0.0 < number < 100.0:
        raise FwdtuiError(f"--confidence: {text!r} is no percentage between 0 and 100")
    return number


def _percent(text: str) -> float:
    try:
        number = float(text.removesuffix("%"))
    except ValueError:
        number = -1.0
    if not 0.0 <= number < 100.0:
        raise FwdtuiError(f"--margin: {text!r} is no percentage from 0 to below 100; write it as 1%")
    return number


def _rate(text: str) -> float:
    from fwdtui.core.units import parse_rate

    return parse_rate(text)


def _whole(text: str) -> int:
    try:
        return int(text)
    except ValueError:
        raise FwdtuiError(f"-w: {text!r} is no whole number") from None


def _column(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise FwdtuiError(f"-C: {text!r} is no column; the first is 1")
    return int(text)


def _delimiters(text: str) -> str:
    if not text:
        raise FwdtuiError("-d: needs at least one character")
    return text
