"""On which boot of the DUT each iteration ran.

A recording says it in iteration.json. Sessions that were recorded before have it in their samples only: there
the first of the DUT's is looked for, so that a comparison never reads whole recordings. Imports know none.
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
    found = tuple(one.boot or (_recorded(session, case, one, dut) if dut else None) for one in used)
    return found if any(found) else ()


def number_of_boots(cases: Mapping[str, CaseSet]) -> int | None:
    """Boots behind the values of these cases; None where that of any is not known."""
    boots = {
        boot for found in cases.values() for boot in found.result.boots or (None,) * len(found.result.values)
    }
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
