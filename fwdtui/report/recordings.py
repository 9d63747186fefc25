"""What recordings say besides their iterations' values: the DUT's boots, and how long an unfinished one ran.

iteration.json names the boot on which an iteration ran. Older sessions have it only in their samples, where
the DUT's first sample is looked for, so that a comparison never reads whole recordings. Imports have none.
"""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from fwdtui.core.model import Case, Iteration, Session
from fwdtui.report.iterations import CaseSet, iteration_folder

_FIRST, _MOST = 1 << 16, 1 << 20  # bytes of a recording that are searched: at first, and at most
_HOST = re.compile(rb'"d":\{"kind":"host","host":"([^"\\]*)"[^\n]*?"boot":"([^"\\]+)"')


def boots_of(session: Session, case: Case, used: Sequence[Iteration]) -> tuple[str | None, ...]:
    """The boot of each iteration, None if it is not known; empty if no boot is known."""
    dut = _dut(session)
    boots = tuple(one.boot or (_recorded(session, case, one, dut) if dut else None) for one in used)
    return boots if any(boots) else ()


def number_of_boots(cases: Mapping[str, CaseSet]) -> int | None:
    """How many boots the values of these cases come from; None if the boot of any value is not known."""
    boots = {boot for one in cases.values() for boot in one.result.boots or (None,) * len(one.result.values)}
    return None if None in boots or not boots else len(boots)


def _dut(session: Session) -> str:
    dut = (session.lab or {}).get("dut")
    host = dut.get("host") if isinstance(dut, Mapping) else None
    return host if isinstance(host, str) else ""


def _recorded(session: Session, case: Case, one: Iteration, dut: str) -> str | None:
    from fwdtui.store import opening  # late: not needed if iteration.json names the boot

    path = Path(iteration_folder(session, case, one)) / "samples.jsonl"
    for most in (_FIRST, _MOST):  # the first sample of every host is nearly always in _FIRST
        try:
            head = b"".join(opening.pieces(path, most))
        except OSError:
            return None
        for match in _HOST.finditer(head):
            if match[1].decode("utf-8", "replace") == dut:
                return match[2].decode("utf-8", "replace")
        if len(head) < most:
            return None
    return None


def unfinished_text(session: Session) -> str:
    """``the recording broke off after 41 s``, for a session without iterations; else empty.

    Also empty if nothing was recorded, or if the recording is still going on.
    """
    from fwdtui.store.recordings import recorded

    stretch = None if session.cases or session.recording else recorded(Path(session.path))
    if stretch is None:
        return ""
    seconds = f"{stretch.seconds:.0f} s"
    if stretch.broken:
        return f"the recording broke off after {seconds}"
    return f"{seconds} {'was' if seconds == '1 s' else 'were'} recorded"
