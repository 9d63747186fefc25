"""`fwdtui profile capture [LAB]`: a profile of the DUT, in a blast of its own that is no value."""

import argparse
import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from fwdtui.cli.live import add_lab

if TYPE_CHECKING:
    from fwdtui.core.lab import Lab
    from fwdtui.core.model import Fact, Session
    from fwdtui.core.profile.capture import Asked
    from fwdtui.core.profile.offer import Forwarded, Offer, Profiled
    from fwdtui.monitor.run.profiling import Prepared

FULL = "full"
"""The rate that stands for lab.toml's own start command."""
_EVENT = r"[A-Za-z0-9][A-Za-z0-9_.:,=/@-]{0,99}"
_SECONDS = (1.0, 600.0)
_FREQUENCY = (10, 20_000)  # samples per second


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add LAB and --session as in `fwdtui run`, and options for what is offered and sampled."""
    add_lab(parser)
    parser.add_argument(
        "--case",
        metavar="NAME",
        default="default",
        help="the case that the profile belongs to; default: 'default'",
    )
    parser.add_argument(
        "--rate",
        metavar="300k",
        help="packets per second to offer, or 'full' for the start command of lab.toml;"
        " default: below what the slowest of --below forwarded",
    )
    parser.add_argument(
        "--below",
        metavar="SESSION",
        action="append",
        default=[],
        help="stay below the rate that the DUT forwarded in this session (repeatable); "
        "default: all sessions of this lab in --into",
    )
    parser.add_argument(
        "--seconds",
        metavar="10s",
        default="10s",
        help="how long the profiler samples, 1s to 10m; default: 10s",
    )
    parser.add_argument(
        "--frequency",
        metavar="HZ",
        type=int,
        default=499,
        help="samples per second of each core, 10 to 20000; default: 499",
    )
    parser.add_argument(
        "--event",
        metavar="NAME",
        default="",
        help="what is sampled; default: cycles, or a timer where there is no PMU",
    )


def run(args: argparse.Namespace) -> int:
    """Take a profile, and return 0: there is one, or 1: every attempt was missed.

    Raises FwdtuiError before anything is sent.
    """
    from fwdtui.cli import headless
    from fwdtui.core.errors import FwdtuiError
    from fwdtui.core.profile.capture import Asked
    from fwdtui.core.stated_factors import options
    from fwdtui.core.units import parse_duration

    factors = options(args.factor)
    seconds = parse_duration(args.seconds)
    if not _SECONDS[0] <= seconds <= _SECONDS[1]:
        raise FwdtuiError(f"--seconds {args.seconds}: expected 1s to 10m")
    if not _FREQUENCY[0] <= args.frequency <= _FREQUENCY[1]:
        raise FwdtuiError(
            f"--frequency {args.frequency}: expected {_FREQUENCY[0]} to {_FREQUENCY[1]} samples per second"
        )
    if args.event and not re.fullmatch(_EVENT, args.event):
        raise FwdtuiError("--event: expected the name of an event, such as cycles or cpu-clock")
    if args.rate == FULL and args.below:
        raise FwdtuiError("--below cannot be combined with --rate full")
    asked = Asked(seconds, args.frequency, args.event)
    path, into = Path(args.lab), Path(args.into)
    prepared = _prepared(path, into, args.rate or "", args.below, asked)
    return headless.profile(path, into, args.session, args.case, factors, prepared)


def chosen_later(path: Path, into: Path, rate: str) -> "Callable[[Lab], Prepared]":
    """A function that prepares a profile after iterations, which decide its load unless `rate` is given.

    `rate` is as in --rate, or empty. The function is given the lab that the iterations were measured with,
    and that was trusted: the file may have changed by then. Raises FwdtuiError at once if the lab cannot send
    at a given rate.
    """
    from fwdtui.collectors.labfile import load
    from fwdtui.core.at_rate import at_rate
    from fwdtui.core.profile.capture import Asked
    from fwdtui.core.units import parse_rate

    lab = load(path)
    if rate != FULL:
        at_rate(lab, parse_rate(rate) if rate else 1e6, str(path))
    seconds = min(max(lab.run.duration, _SECONDS[0]), Asked().seconds)  # as long as an iteration
    return lambda opened: _prepared(path, into, rate, [], Asked(seconds), opened)


def _prepared(
    path: Path, into: Path, given: str, below: list[str], asked: "Asked", lab: "Lab | None" = None
) -> "Prepared":
    """The blast of a profile. `lab`: the lab as read from `path`. Raises FwdtuiError with what is missing."""
    import msgspec

    from fwdtui.cli.detached import tell as say
    from fwdtui.collectors.labfile import load
    from fwdtui.core.at_rate import RATE, at_rate
    from fwdtui.core.profile.offer import at_other_loads
    from fwdtui.core.text import clean
    from fwdtui.core.units import parse_rate
    from fwdtui.monitor.run.profiling import Prepared, around

    lab = load(path) if lab is None else lab
    lab = msgspec.structs.replace(lab, run=around(lab.run, asked, lab.interval))
    facts: dict[str, Fact] = {}
    rate: float | None = None
    if given == FULL:
        say(
            "lab.toml's own load is offered. If that is more than the DUT can forward, the profiler gets no"
            " CPU time, and profiles of different variants cannot be compared, since each forwards at a"
            " different rate."
        )
    else:
        sessions = list(_named(into, below) if below else _of_lab(into, lab.name))
        if given:
            rate = parse_rate(given)
        else:
            offered = _offer(lab.name, into, sessions, bool(below))
            say(offered.why)
            rate = offered.rate
        lab = at_rate(lab, rate, str(path))
        if others := at_other_loads(rate, [one for session in sessions for one in _profiled(session)]):
            say(others)
        facts[RATE] = rate
    for number, generator in enumerate(lab.generators, 1):
        if generator.start:
            facts[f"generator{number if number > 1 else ''}.command"] = clean(generator.start)
    return Prepared(lab, asked, rate, facts)


def _offer(lab: str, into: Path, sessions: "Sequence[Session]", named: bool) -> "Offer":
    """What to offer, according to what these sessions forwarded. Raises FwdtuiError if that is unknown."""
    from fwdtui.core.errors import FwdtuiError
    from fwdtui.core.profile.offer import offer

    offered = offer(
        [one for session in sessions for one in _forwarded(session)],
        [one for session in sessions for one in _profiled(session)],
    )
    if offered is None:
        which = "the sessions of --below have" if named else f"{into} has"
        of = "" if named else f" of the lab {lab!r}"
        raise FwdtuiError(
            f"{which} no iteration{of} with a rate in packets per second, so it is not known what the DUT"
            " forwards: measure the variants first, name sessions with --below, or give --rate"
        )
    return offered


def _named(into: Path, named: list[str]) -> "Iterator[Session]":
    from fwdtui.store import read_session
    from fwdtui.store.session_names import SessionNames

    names = SessionNames(into)
    for text in named:
        folder = next((path for path, rest in names.readings(text, ":") if not rest), None)
        if folder is None:
            raise names.unknown(text, ":", "session")
        yield read_session(folder)


def _of_lab(into: Path, name: str) -> "Iterator[Session]":
    """The readable sessions of the lab with this name: sessions of other labs are about other hosts."""
    from fwdtui.core.model import Session
    from fwdtui.store.listing import list_sessions

    if not into.is_dir():
        return
    for one in list_sessions(into):
        if isinstance(one, Session) and (one.lab or {}).get("name") == name:
            yield one


def _forwarded(session: "Session") -> "Iterator[Forwarded]":
    from fwdtui.core.profile.offer import Forwarded
    from fwdtui.core.text import clean
    from fwdtui.report.iterations import counts

    for case in session.cases:
        for one in case.iterations:
            if counts(one) and one.unit == "pps" and one.value is not None:
                yield Forwarded(one.value, clean(f"{session.label}: {case.name}, iteration {one.index}"))


def _profiled(session: "Session") -> "Iterator[Profiled]":
    from fwdtui.core.at_rate import RATE
    from fwdtui.core.profile.offer import Profiled
    from fwdtui.core.text import clean

    for case in session.cases:
        for one in case.iterations:
            rate = one.facts.get(RATE)
            sound = one.profile is not None and not one.profile.rejected and not one.dropped
            if sound and isinstance(rate, int | float) and rate > 0:
                yield Profiled(float(rate), clean(f"{session.label}: {case.name}"))
