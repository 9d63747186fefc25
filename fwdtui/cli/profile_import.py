"""`fwdtui profile import FILE SESSION --case CASE`: a profile becomes an iteration without a value."""

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from fwdtui.cli import profile_args, sessions_folder
from fwdtui.core.errors import FwdtuiError

if TYPE_CHECKING:
    from fwdtui.core.model import Session

_PACKETS_MOST = 10**15


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add FILE and SESSION, and options for what the file does not say."""
    add = parser.add_argument
    add("file", metavar="FILE", type=Path, help="pmcstat -G, perf script, or folded stacks")
    add("session", metavar="SESSION", help="a session's folder, name or label")
    add("--case", metavar="NAME", required=True, help="the case that was profiled; the session has it")
    add("--packets", metavar="N", type=_packets, help="packets that the DUT forwarded while it was taken")
    add("--event", metavar="NAME", help="what was counted, if the file does not say")
    add("--period", metavar="N", type=_packets, help="events between two samples, if the file does not say")
    sessions_folder.add_option(parser)
    profile_args.add_idle(parser)


def run(args: argparse.Namespace) -> int:
    """Add the profile and print where it is. Raises FwdtuiError; then nothing is added."""
    import msgspec

    from fwdtui.core.parse.profile_text import STACKS
    from fwdtui.core.text import clean, slug
    from fwdtui.core.units import grouped
    from fwdtui.report import terminal
    from fwdtui.report.functions.sides import Named, idle_list, idle_of
    from fwdtui.store import profiles, read_session

    path = _session(args.session, Path(args.sessions))
    session = read_session(path)
    case = _case(session, args.case)
    reading, data = profiles.read_raw(args.file)
    idle = idle_list(args.idle, Named((), idle_of(session)))
    known = profiles.described(reading, idle)
    for name in ("event", "period"):
        given, read = getattr(args, name), getattr(known, name)
        if given and read and given != read:
            raise FwdtuiError(f"--{name} {clean(str(given))}: the file says {clean(str(read))}")
    if args.period and reading.varies:
        raise FwdtuiError(f"--period {args.period}: the file says that it varies")
    profile = msgspec.structs.replace(
        known,
        event=known.event or clean(args.event or "").strip(),
        period=known.period or args.period,
        packets=args.packets,
    )
    raw = {} if reading.form == STACKS else {_raw_name(args.file.name): data}
    index = profiles.add(path, case, reading.folded, profile, raw, origin=clean(args.file.name))
    told = f"{grouped(profile.samples)} samples, {grouped(profile.idle or 0)} of them idle"
    terminal.write(f"{path}/{slug(case)}/{index:03d}: a profile of {told}; it does not count as a value\n")
    for note in reading.skipped:
        terminal.write(f"  note: {clean(note)}\n")
    return 0


def _session(given: str, sessions: Path) -> Path:
    from fwdtui.store.session_names import SessionNames

    names = SessionNames(sessions)
    for path, rest in names.readings(given, ":"):
        if not rest:
            return path
    raise names.unknown(given, ":", "session")


def _case(session: "Session", wanted: str) -> str:
    from fwdtui.core.text import clean, slug

    for case in session.cases:
        if wanted in (case.name, slug(case.name)):
            return case.name
    there = ", ".join(clean(case.name) for case in session.cases) or "none"
    raise FwdtuiError(f"{session.path}: no case {clean(wanted)!r}; it has {there}")


def _raw_name(name: str) -> str:
    """The name of the raw file beside iteration.json: never that of a file that fwdtui writes itself."""
    return f"raw.{name}"


def _packets(given: str) -> int:
    if (
        not given.isascii()
        or not given.isdecimal()
        or not 0 < int(given[:16]) <= _PACKETS_MOST
        or len(given) > 16
    ):
        raise argparse.ArgumentTypeError(f"expected a whole number above 0, got {given[:40]!r}")
    return int(given)
