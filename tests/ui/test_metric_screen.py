"""The comparison by what a packet costs: chosen by key, named in the heading, kept in the command."""

from pathlib import Path

from compare_rig import SHIPPED, comparing, press, row, settled, shown
from textual.pilot import Pilot
from textual.widgets import OptionList

from fwdtui.report import export
from fwdtui.report.document import EVERYTHING
from fwdtui.ui.compare.metric_choice import ChooseMetric
from fwdtui.ui.compare.screen import CompareScreen

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


async def test_a_metric_that_no_iteration_has_leaves_the_comparison_as_it_was(folder, session):
    one, two = session("old", {"x": [100.0, 110.0, 120.0]}), session("new", {"x": [200.0, 230.0, 240.0]})
    async with comparing([one, two], (120, 40)) as pilot:
        before = row(pilot, 0)
        await press(pilot, "C", "down", "enter")
        assert not isinstance(pilot.app.screen, ChooseMetric)
        (told,) = [notice.message for notice in pilot.app._notifications]
        assert "no iteration has 'cpu-per-packet'" in told and "no core times of the DUT" in told
        assert row(pilot, 0) == before
