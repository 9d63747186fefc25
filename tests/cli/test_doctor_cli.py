"""`fwdtui doctor`: its last line and its exit status say the same."""

import contextlib
from collections.abc import AsyncIterator

import pytest

from fwdtui.cli import main
from fwdtui.collectors import doctor, lab_trust
from fwdtui.collectors.base import Check
from fwdtui.core.findings import NOISY, NOTE, WRONG, Finding
from fwdtui.core.host_settings import EVERYTHING, HostSettings, SettingsSource
from fwdtui.core.hygiene import rules
from fwdtui.core.hygiene.finding import Subject

THERE = Check("dut", "clock", True, "up 9 s", "")
MISSING = Check("dut", "clock", False, "none", "install one")


def finding(severity: str) -> Check:
    return Check("dut", "lro", None, "LRO is on", "", Finding("lro", severity, "LRO is on"))


def unseen(host: str) -> Check:
    """A host whose settings could not be read, as the doctor tells it."""
    nothing = HostSettings(host, "", sources=(SettingsSource(EVERYTHING, missing="no answer"),))
    (one,) = rules.findings(Subject(nothing))
    return Check(host, one.place, None, one.seen, one.do, one)


@pytest.mark.parametrize(
    ("checks", "strict", "status", "last"),
    [
        ([THERE], False, 0, "nothing is missing"),
        ([THERE], True, 0, "nothing is missing"),
        ([THERE, finding(WRONG)], False, 0, "nothing is missing"),
        ([THERE, finding(NOTE)], True, 0, "nothing is missing"),
        (
            [THERE, finding(WRONG), finding(NOISY), finding(NOTE)],
            True,
            1,
            "nothing is missing; --strict fails on 2 findings of lab hygiene",
        ),
        ([MISSING], False, 1, "1 problem to fix"),
        (
            [MISSING, finding(NOISY)],
            True,
            1,
            "1 problem to fix; --strict fails on 1 finding of lab hygiene",
        ),
        ([THERE, unseen("dut")], False, 0, "nothing is missing"),
        # a gate that is open where nothing was looked at
        ([THERE, unseen("dut")], True, 1, "nothing is missing; the lab hygiene of dut could not be read"),
        (
            [THERE, finding(WRONG), unseen("gen"), unseen("sink")],
            True,
            1,
            "nothing is missing; --strict fails on 1 finding of lab hygiene; "
            "the lab hygiene of gen, sink could not be read",
        ),
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
