"""What each screen looks like, with fixed data and a fixed clock. `pytest --snapshot-update` after a look."""

import time
from pathlib import Path

import pytest
from live_pilot import blasting, settled
from sessions_rig import browser, until, verdicts
from textual.pilot import Pilot

from fwdtui.ui.shell.app import FwdtuiApp

STANDARD = (100, 30)


@pytest.fixture(autouse=True)
def _fixed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Times are UTC, and paths those of the folder the sessions lie in."""
    monkeypatch.setenv("TZ", "UTC")
    time.tzset()
    monkeypatch.chdir(tmp_path)
    yield
    monkeypatch.undo()
    time.tzset()


def recorded(**options) -> FwdtuiApp:
    app = FwdtuiApp(Path("sessions"), **options)
    app.animation_level = "none"
    return app


def keys(*wanted: str):
    """Press these, and wait after each until nothing is under way."""

    async def run(pilot: Pilot) -> None:
        await quiet(pilot)
        for key in wanted:
            await pilot.press(key)
            await quiet(pilot)

    return run


async def quiet(pilot: Pilot) -> None:
    """Nothing is being read, judged or drawn any more."""
    for _ in range(3):
        await pilot.pause()
        await pilot.app.workers.wait_for_complete()
    await pilot.pause()


def test_the_welcome(snap_compare, pair):
    assert snap_compare(recorded(welcome=True), run_before=keys(), terminal_size=STANDARD)


async def judged(pilot: Pilot) -> None:
    """The list has its verdicts."""
    await quiet(pilot)
    await until(pilot, lambda: "▼ −45.55 % +2" in verdicts(browser(pilot.app)))


def test_the_browser_of_sessions(snap_compare, pair):
    assert snap_compare(recorded(), run_before=judged, terminal_size=STANDARD)


def test_the_sessions_in_groups_in_80_by_24(snap_compare, pair, session):
    for place in ("apu2", "xeon"):
        facts = {"imported_from": "may", "imported_tree": f"benchmarks/{place}/results/may"}
        for number, value in enumerate((883000, 600000, 990000)):
            values = [value + step for step in (0, 900, 300, 600, 1200)]
            session(f"{place}.results.may.n{number}-GENERIC", {"forwarding.off": values}, facts=facts)

    async def look(pilot: Pilot) -> None:
        await keys("G", "down", "b", "end", "left")(pilot)
        await until(pilot, lambda: "…" not in "".join(verdicts(browser(pilot.app))))
        await until(pilot, lambda: all(not one.tally.pending for one in browser(pilot.app).table.groups))
        await keys("left", "up")(pilot)

    assert snap_compare(recorded(), run_before=look, terminal_size=(80, 24))


def test_a_session_with_a_dropped_iteration(snap_compare, pair):
    from fwdtui.store.annotations import drop

    drop(pair[0], "forwarding.off", 2, "the cable was touched")
    assert snap_compare(recorded(), run_before=keys("enter"), terminal_size=STANDARD)


def test_the_comparison_and_why(snap_compare, pair):
    assert snap_compare(recorded(), run_before=keys("c"), terminal_size=STANDARD)


def test_the_histograms_in_80_by_24(snap_compare, pair):
    assert snap_compare(recorded(), run_before=keys("c", "2"), terminal_size=(80, 24))


def test_the_report_before_it_is_written(snap_compare, pair):
    assert snap_compare(recorded(), run_before=keys("c", "e"), terminal_size=STANDARD)


@pytest.mark.parametrize("size", [(80, 24), (160, 50)], ids=["small", "rich"])
def test_a_blast_that_the_dut_limits(snap_compare, size):
    from fwdtui.ui.live.screen import LiveScreen

    app = FwdtuiApp(Path("sessions"), live=blasting(uneven=True), live_screen=LiveScreen)
    app.animation_level = "none"

    async def look(pilot: Pilot) -> None:
        await settled(pilot)
        await pilot.press("space")  # the picture stands still
        await settled_once(pilot)

    assert snap_compare(app, run_before=look, terminal_size=size)


async def settled_once(pilot: Pilot) -> None:
    for _ in range(3):
        await pilot.pause()
