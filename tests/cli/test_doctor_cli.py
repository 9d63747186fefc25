"""`fwdtui doctor`: its last line and its exit status say the same."""

import contextlib
from collections.abc import AsyncIterator

import pytest

from fwdtui.cli import main
from fwdtui.collectors import doctor, lab_trust
from fwdtui.collectors.base import Check
from fwdtui.core.findings import NOISY, NOTE, WRONG, Finding

THERE = Check("dut", "clock", True, "up 9 s", "")
MISSING = Check("dut", "clock", False, "none", "install one")


def finding(severity: str) -> Check:
    return Check("dut", "lro", None, "LRO is on", "", Finding("lro", severity, "LRO is on"))


@pytest.mark.parametrize(
    ("checks", "strict", "status", "last"),
    [
        ([THERE], False, 0, "everything is there"),
        ([THERE], True, 0, "everything is there"),
        ([THERE, finding(WRONG)], False, 0, "everything is there"),
        ([THERE, finding(NOTE)], True, 0, "everything is there"),
        (
            [THERE, finding(WRONG), finding(NOISY), finding(NOTE)],
            True,
            1,
            "everything is there; with --strict, 2 of lab hygiene too",
        ),
        ([MISSING], False, 1, "1 problem to fix"),
        ([MISSING, finding(NOISY)], True, 1, "1 problem to fix; with --strict, 1 of lab hygiene too"),
    ],
)
def test_the_last_line_is_that_of_the_exit_status(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    checks: list[Check],
    strict: bool,
    status: int,
    last: str,
) -> None:
    @contextlib.asynccontextmanager
    async def pool() -> AsyncIterator[None]:
        yield

    async def examine(*_: object) -> list[Check]:
        return checks

    monkeypatch.setattr(lab_trust, "open_lab", lambda path: (None, pool()))
    monkeypatch.setattr(doctor, "examine", examine)
    assert main(["doctor", "lab.toml", *["--strict"] * strict]) == status
    assert capsys.readouterr().out.splitlines()[-1] == last
