"""The options of `compare` and `report` that compare by factors. A wrong one is refused with one line."""

import argparse
from collections.abc import Sequence
from typing import TYPE_CHECKING

from fwdtui.core.errors import FwdtuiError

if TYPE_CHECKING:
    from fwdtui.report.factor_view import FactorView

_ONLY_WITH_BY = {"--within": "within", "--baseline": "baseline", "--order": "order"}


def add_arguments(parser: argparse.ArgumentParser, *, swept: bool = False) -> None:
    """Add the options that both commands have, including --label, whose meaning depends on --by.

    `swept`: the command also has --x.
    """
    add = parser.add_argument_group("by factors: image, config, af, frame_size, queues ...").add_argument
    add(
        "--by",
        action="append",
        metavar="FACTOR,...",
        help="compare the levels of this factor; several are compared jointly",
    )
    add(
        "--baseline",
        action="append",
        default=[],
        metavar="FACTOR=VALUE",
        help="the level that the others are compared with; default: the first one that BASE has",
    )
    add(
        "--within",
        action="append",
        metavar="FACTOR,...",
        help="a row for each combination of the levels of these; default: every other factor that varies",
    )
    add(
        "--filter",
        action="append",
        default=[],
        metavar="FACTOR=VALUE",
        help="only iterations with this level; several levels of a factor: with any of these",
    )
    add(
        "--order",
        action="append",
        default=[],
        metavar="VALUE,...",
        help="levels in the order in which they are shown",
    )
    add(
        "--metric",
        default="",
        metavar="NAME",
        help="compare what a packet costs: cpu-per-packet, kernel-per-packet, packets-per-core, or "
        "cycles-per-packet and the like where it was counted; or forwarded, received; default: the rate",
    )
    add(
        "--label",
        action="append",
        default=[],
        metavar="TEXT",
        help="name for a file or session; repeat it in the order of the arguments. With "
        f"--by{' or --x' if swept else ''} VALUE=TEXT: name for a level",
    )


def labels(args: argparse.Namespace) -> Sequence[str]:
    """The names that --label gives to files or sessions; none with --by or --x, where it names levels."""
    return [] if args.by or _swept(args) else args.label


def _swept(args: argparse.Namespace) -> bool:
    """Whether a sweep is asked for, which `report` can do and `compare` cannot."""
    return getattr(args, "x", None) is not None


def view(args: argparse.Namespace) -> "FactorView | None":
    """The view that the options ask for; None: they ask for none. Raises FwdtuiError."""
    swept = _swept(args)
    if not (
        args.by
        or swept
        or args.filter
        or args.metric
        or any(getattr(args, name) for name in _ONLY_WITH_BY.values())
    ):
        return None
    from fwdtui.report.factor_view import FactorView, names  # late: not needed for value files

    by = names(args.by or (), "--by")
    if args.by and not by:
        raise FwdtuiError("--by names no factor")
    for option, name in _ONLY_WITH_BY.items():
        if getattr(args, name) and not by and not (swept and name == "order"):
            other = " or --x FACTOR" if name == "order" and hasattr(args, "x") else ""
            raise FwdtuiError(f"{option} needs --by FACTOR{other}")
    return FactorView(
        by=by,
        within=None if args.within is None else names(args.within, "--within"),
        baseline=_assignments(args.baseline, "--baseline"),
        filters=_assignments(args.filter, "--filter"),
        order=tuple(value.strip() for text in args.order for value in text.split(",") if value.strip()),
        labels=tuple(_label(text) for text in args.label) if by or swept else (),
        metric=args.metric,
    )


def _assignments(texts: Sequence[str], option: str) -> tuple[tuple[str, str], ...]:
    from fwdtui.core.factors import assignment

    assignments: dict[tuple[str, str], None] = {}
    for text in texts:
        try:
            assignments[assignment(text)] = None
        except FwdtuiError as error:
            raise FwdtuiError(f"{option}: {error}") from None
    names = [name for name, _ in assignments]
    if option == "--baseline" and len(set(names)) < len(names):
        raise FwdtuiError(f"{option}: a factor is given twice, and there is one baseline")
    return tuple(assignments)


def _label(text: str) -> tuple[str, str]:
    from fwdtui.core.text import clean

    value, equals, name = text.partition("=")
    if not equals or not value.strip() or not clean(name).strip():
        raise FwdtuiError(f"--label: {text[:40]!r} names no level; with --by write VALUE=TEXT")
    return clean(value).strip(), clean(name).strip()
