"""What recordings tell beside their iterations' values: the DUT's boots, and how long an unfinished one ran.

On which boot an iteration ran stands in iteration.json. Sessions that were recorded before have it in their
samples only: there the first of the DUT's is looked for, so that a comparison never reads whole recordings.
Imports know none.
"""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from fwdtui.core.model import Case, Iteration, Session
from fwdtui.report.iterations import CaseSet, iteration_folder

_FIRST, _MOST = 1 << 16, 1 << 20  # bytes of a recording that are looked through
_HOST = re.compile(rb'"d":\{"kind":"host","host":"([^"\\]*)"[^\n]*?"boot":"([^"\\]+)"')


def boots_of(session: Session, case: Case, used: Sequence[Iteration]) -> tuple[str | None, ...]:
    """The boot of each iteration, None where it is not known; empty where none is."""
    dut = _dut(session)
    boots = tuple(one.boot or (_recorded(session, case, one, dut) if dut else None) for one in used)
    return boots if any(boots) else ()


def number_of_boots(cases: Mapping[str, CaseSet]) -> int | None:
    """Boots behind the values of these cases; None where that of any is not known."""
    boots = {boot for one in cases.values() for boot in one.result.boots or (None,) * len(one.result.values)}
    return None if None in boots or not boots else len(boots)


def _dut(session: Session) -> str:
    dut = (session.lab or {}).get("dut")
    host = dut.get("host") if isinstance(dut, Mapping) else None
    return host if isinstance(host, str) else ""


def _recorded(session: Session, case: Case, one: Iteration, dut: str) -> str | None:
    from fwdtui.store import opening  # late: a session whose files say it needs no samples

    path = Path(iteration_folder(session, case, one)) / "samples.jsonl"
    for most in (_FIRST, _MOST):  # the first sample of every host is nearly always in the first
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
    """``the recording broke off after 41 s``, of a session without iterations; else empty.

    Empty too where nothing was recorded, and where the recording goes on.
    """
    from fwdtui.store.recordings import recorded

    stretch = None if session.cases or session.recording else recorded(Path(session.path))
    if stretch is None:
        return ""
    seconds = f"{stretch.seconds:.0f} s"
    if stretch.broken:
        return f"the recording broke off after {seconds}"
    return f"{seconds} {'was' if seconds == '1 s' else 'were'} recorded"
