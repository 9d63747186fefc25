"""The comparison by what a packet costs: chosen by key, named in the heading, kept in the command."""

import shutil
from pathlib import Path

import pytest
from compare_rig import SHIPPED, comparing, press, row, settled, shown
from sessions_rig import said
from textual.pilot import Pilot
from textual.widgets import OptionList

from fwdtui.core.model import Cost, Iteration, Summary
from fwdtui.report import export
from fwdtui.report.document import EVERYTHING
from fwdtui.store import SessionWriter
from fwdtui.ui.common.metric_choice import NO_COSTS, ChooseMetric
from fwdtui.ui.compare.screen import CompareScreen
from fwdtui.ui.sessions.sweep_screen import SweepScreen
from fwdtui.ui.shell.app import FwdtuiApp

PAIR = [SHIPPED / "no-rules", SHIPPED / "rules-100"]


def choices(pilot: Pilot[None]) -> list[str]:
    listed = pilot.app.screen.query_one(OptionList)
    return [str(option.prompt) for option in listed.options]


async def test_a_metric_is_chosen_and_the_rate_again():
    async with comparing(PAIR, (140, 40)) as pilot:
        rate = row(pilot, 0)
        await press(pilot, "C")
        listed = [choice.split()[0] for choice in choices(pilot)]
        assert listed == ["the", "cpu-per-packet", "kernel-per-packet", "packets-per-core"]
        await press(pilot, "down", "down", "enter")
        assert "kernel-per-packet" in shown(pilot, "heading")
        cells = row(pilot, 0)
        assert "us/packet" in " ".join(cells.values()) and "slower !" in " ".join(cells.values())
        await press(pilot, "8")
        assert "machine-wide" in shown(pilot, "warnings")
        screen = pilot.app.screen
        assert isinstance(screen, CompareScreen) and screen._compared is not None
        command = export.command(Path("a.md"), screen._compared, EVERYTHING)
        assert "--metric kernel-per-packet" in command
        await press(pilot, "C")
        assert pilot.app.screen.query_one(OptionList).highlighted == 2  # where it is now
        await press(pilot, "home", "enter")
        assert row(pilot, 0) == rate and "kernel-per-packet" not in shown(pilot, "heading")


async def test_the_time_series_stays_one_of_rates():
    async with comparing(PAIR, (140, 50)) as pilot:
        await press(pilot, "5")
        await settled(pilot)
        await press(pilot, "C", "down", "enter", "5")
        drawn = str(pilot.app.screen.query_one("TimeChart").render())
        assert "received, median 5" in drawn  # of 500 to 600 kpps, and not of microseconds


async def test_a_metric_that_no_iteration_has_leaves_the_comparison_as_it_was(tmp_path):
    """Older recordings have no costs; whether their samples give any is known when they are read."""
    both = [Path(shutil.copytree(one, tmp_path / one.name)) for one in PAIR]
    for samples in tmp_path.rglob("samples.jsonl"):
        samples.write_text("")
    async with comparing(both, (120, 40)) as pilot:
        before = row(pilot, 0)
        await press(pilot, "C", "down", "enter")
        assert not isinstance(pilot.app.screen, ChooseMetric)
        (told,) = [notice.message for notice in pilot.app._notifications]
        assert (
            "no iteration has 'cpu-per-packet'" in told
            and "--metric" not in told
            and "no core times of the DUT" in told
        )
        assert row(pilot, 0) == before


async def test_costs_are_offered_only_where_there_may_be_some(folder, session):
    one, two = session("old", {"x": [100.0, 110.0, 120.0]}), session("new", {"x": [200.0, 230.0, 240.0]})
    async with comparing([one, two], (120, 40)) as pilot:
        await press(pilot, "C")
        assert not isinstance(pilot.app.screen, ChooseMetric)
        assert [notice.message for notice in pilot.app._notifications] == [NO_COSTS]


@pytest.fixture
def swept(folder: Path) -> Path:
    """Queues 1, 2 and 4: a packet costs less with each."""
    with SessionWriter.create(folder / "swept", label="swept", created="") as writer:
        for queues, cpu in ((1, 3.0), (2, 2.5), (4, 2.0)):
            for step in range(3):
                value = cpu + step / 100
                cost = Cost("us/packet", summary=Summary(value, value, value, value, 5), ticks=5000)
                one = Iteration(0, 1e6, costs={"cpu-per-packet": cost}, factors={"queues": queues})
                writer.begin("inet4").commit(one)
    return folder / "swept"


async def test_a_sweep_is_one_of_costs_and_its_command_repeats_it(folder, swept):
    app = FwdtuiApp(folder)
    async with app.run_test(size=(100, 40)) as pilot:
        app.push_screen(SweepScreen([str(swept)]))
        await settled(pilot)
        screen = app.screen
        assert "metric" not in said(screen, "heading") + said(screen, "command")
        await press(pilot, "C", "down", "enter", "x")
        assert "metric cpu-per-packet" in said(screen, "heading")
        assert "--metric cpu-per-packet" in said(screen, "command")
        assert "median, us/packet" in said(screen, "sweep") and " 2.51 " in said(screen, "sweep")
        await press(pilot, "C")
        assert [choice.split()[0] for choice in choices(pilot)] == ["the", "cpu-per-packet"]
        await press(pilot, "home", "enter")
        assert "metric" not in said(screen, "heading") + said(screen, "command")
