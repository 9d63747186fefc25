"""The options of `fwdtui report` for a sweep over a factor. A wrong one is refused with one line."""

import argparse

from fwdtui.core.errors import FwdtuiError

SCALES = ("linear", "log")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add --x, and the options that need it."""
    add = parser.add_argument_group(
        "a sweep: medians over the levels of a factor, nothing is compared"
    ).add_argument
    add("--x", metavar="FACTOR", help="the factor of the horizontal axis, such as queues or frame_size")
    add("--series", metavar="FACTOR", help="a line for each level of this factor")
    add("--x-scale", metavar="SCALE", help="linear or log; default: by the spacing of the levels")
    add(
        "--linear",
        action=argparse.BooleanOptionalAction,
        help="refer to linear scaling; default: for queues and cores",
    )
    add("--link", metavar="SPEED", help="the speed of each link, such as 10G, for line rate")
    add("--frame", metavar="BYTES", help="the frames' length with FCS, where the sessions do not say it")


def given(args: argparse.Namespace) -> list[str]:
    """The options that were given and that only a sweep has."""
    values = {
        "--series": args.series,
        "--x-scale": args.x_scale,
        "--linear": args.linear is not None,
        "--link": args.link,
        "--frame": args.frame,
    }
    return [option for option, value in values.items() if value]


def check(args: argparse.Namespace) -> None:
    """Refuse options that do not belong together. Raises FwdtuiError."""
    if args.x is None:
        for option in given(args):
            raise FwdtuiError(f"{option} works only with --x")
        return
    compares = {"--by": args.by, "--margin": args.margin, "--confidence": args.confidence}
    for option, value in compares.items():
        if value is not None:
            raise FwdtuiError(f"{option} cannot be combined with --x: a sweep compares nothing")
    if args.x_scale is not None and args.x_scale not in SCALES:
        raise FwdtuiError(f"--x-scale: {args.x_scale[:40]!r} is not one of {', '.join(SCALES)}")
    if args.out is None:
        for option, value in (("--title", args.title), ("--without", args.without)):
            if value:
                raise FwdtuiError(f"{option} works only with -o")
