"""The tab "functions": a tree that opens, folds, sorts and is searched, of one profile or of two."""

import threading
from pathlib import Path

import pytest
from compare_rig import comparing, press
from gallery import around, session
from profiled import add, forwarding
from sessions_rig import looked
from textual.pilot import Pilot
from textual.widgets import DataTable, Static
from waiting import rest, seen

from fwdtui.core.profile import Folded
from fwdtui.report import case_profile
from fwdtui.ui.draw.profile_panel import ProfilePanel, ProfileTable
from fwdtui.ui.sessions.iteration_table import CaseTable
from fwdtui.ui.sessions.session_screen import SessionScreen
from fwdtui.ui.shell.app import FwdtuiApp

Pair = tuple[Path, Path]


CASES = "inet4", "inet6", "lone", "period", "rejected", "spoiled", "strange", "thinned", "trimmed"


@pytest.fixture
def pair(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Pair:
    """Two sessions; of the first case both have a profile, taken over as many packets."""
    monkeypatch.chdir(tmp_path)
    cases = {case: around(883e3) for case in CASES}
    base, other = session("r1", cases), session("r2", cases)
    add(base, "inet4", forwarding(20, 30, 100), packets=1_000_000, period=65536)
    add(other, "inet4", forwarding(40, 10, 200), packets=1_000_000, period=65536)
    return base, other


@pytest.fixture
def odd(pair: Pair) -> Pair:
    """The same, with something that is to be said of the profile of every other case but the second."""
    base, other = pair
    add(base, "lone", forwarding(20, 30, 100))
    add(base, "period", forwarding(20, 30, 100), packets=1_000_000, period=65536)
    add(other, "period", forwarding(40, 10, 200), packets=1_000_000, period=1000)
    add(other, "rejected", forwarding(1, 1, 100), rejected="it began before the traffic")
    for path in pair:
        add(path, "spoiled", forwarding(20, 30, 100))
        add(path, "strange", Folded({("[bold]\x1b[31m", "[/]"): 10}))
        add(path, "thinned", forwarding(2, 3, 10), notes=("the text was cut off",))
        add(path, "trimmed", Folded({("fork", "loop", "rx"): 60, ("loop", "rx", "ip", "out"): 40}), depth=4)
    (other / "spoiled" / "006" / "profile.folded").write_text("a;b 3\n")
    return pair


def panel(pilot: Pilot[None]) -> ProfilePanel:
    return pilot.app.screen.query_one(ProfilePanel)


def said(pilot: Pilot[None]) -> str:
    return str(panel(pilot).query_one("#profile-said", Static).content)


def listed(pilot: Pilot[None]) -> list[str]:
    """The last column, without what is at its end."""
    table = panel(pilot).listing
    return [str(table.get_row_at(row)[-1]).rstrip() for row in range(table.row_count)]


def row(pilot: Pilot[None], name: str) -> list[str]:
    table = panel(pilot).listing
    place = next(place for place, one in enumerate(listed(pilot)) if one.endswith(name))
    return [cell for one in table.get_row_at(place) if (cell := str(one).strip())]


async def test_both_sides_stand_beside_each_other_and_can_be_opened_turned_round_sorted_and_searched(
    pair: Pair,
):
    async with comparing(pair) as pilot:
        app = pilot.app
        await press(pilot, "H")  # what moved most is first
        assert listed(pilot)[:2] == ["▸ igb_transmit", "▸ rn_match"]
        assert row(pilot, "rn_match")[-2:] == ["+200.0", "▸ rn_match"]
        assert "samples per million packets (idle: A 47.4 %, B 64.3 %)" in said(pilot)
        assert "A r1 #6: 1 110 samples, 1 000 000 packets; B r2 #6: 1 110 samples" in said(pilot)

        await press(pilot, "m")  # the enlarged tab has the keys
        assert isinstance(app.focused, ProfileTable)
        await press(pilot, "down", "y")
        assert app.clipboard == "200.0\t400.0\t+200.0\t200\t400\trn_match", "a row with its samples"
        await press(pilot, "up", "right")
        assert listed(pilot)[:3] == ["▾ igb_transmit", "  ▸ ether_output", "▸ rn_match"]
        await press(pilot, "right", "enter", "down", "left")
        assert listed(pilot)[:3] == ["▾ igb_transmit", "  ▾ ether_output", "    ▸ ip_tryforward"]
        await press(pilot, "left")
        assert listed(pilot)[:3] == ["▾ igb_transmit", "  ▸ ether_output", "▸ rn_match"]
        await press(pilot, "shift+right")
        assert len(listed(pilot)) > 40
        await press(pilot, "shift+left")
        assert not any(name.startswith(" ") and "more" not in name and "▸" in name for name in listed(pilot))

        await press(pilot, "x")  # from the root, open where most of the time is
        names = [name.strip(" ▾▸") for name in listed(pilot)]
        assert names[:4] == ["fork_exit", "ithread_loop", "igb_rxeof", "ether_input"]
        assert names.index("rn_match") > names.index("fib4_lookup")
        assert "From the root" in said(pilot)
        await press(pilot, "x")
        assert "From the root" not in said(pilot)

        await press(pilot, "greater_than_sign")
        assert listed(pilot)[0] == "▸ igb_transmit" and "A's largest first" in said(pilot)
        await press(pilot, "greater_than_sign")
        assert listed(pilot)[0] == "▸ rn_match" and "B's largest first" in said(pilot)
        await press(pilot, "less_than_sign", "less_than_sign")
        assert "most moved first" in said(pilot)

        await press(pilot, "m")
        assert app.focused is app.screen.query_one("#cases")
        await press(pilot, "slash", *"TRANS", "enter")
        assert listed(pilot) == ["▸ igb_transmit", "▾ bus_dmamap_load", "  ▸ igb_transmit"]
        assert "“TRANS”: A 360.0, B 160.0" in said(pilot)
        await press(pilot, "escape")  # forgets it
        assert len(listed(pilot)) > 5 and "TRANS" not in said(pilot)
        app.screen.query_one("#cases").focus()
        await press(pilot, "1", "slash")  # the other tabs do not search
        assert app.focused is app.screen.query_one("#cases")


async def test_what_is_to_be_said_of_the_profiles_of_a_case_stands_beside_what_is_shown(odd: Pair):
    async with comparing(odd, size=(120, 60)) as pilot:
        app = pilot.app

        async def down_to(case: str) -> None:
            await press(pilot, "down")
            cases = app.screen.query_one("#cases", DataTable)
            assert str(cases.get_row_at(cases.cursor_row)[0]) == case

        await press(pilot, "H")
        await down_to("inet6")  # it says how to have one
        assert said(pilot).startswith(
            "There is no profile of inet6 of r1.\nThere is no profile of inet6 of r2.\n"
        )
        assert "fwdtui profile capture LAB" in said(pilot)
        await press(pilot, "slash")  # nothing to search
        assert app.focused is app.screen.query_one("#cases")

        await down_to("lone")
        assert said(pilot).startswith(
            "There is no profile of lone of r2.\n% of non-idle samples (idle: 47.4 %)"
        )
        await down_to("period")  # not sampled alike: by shares
        assert "% of non-idle samples (idle: A 47.4 %, B 64.3 %)" in said(pilot)
        assert row(pilot, "rn_match")[-2:] == ["+18.02", "▸ rn_match"]
        assert "No samples per packet: the two were not, or not certainly, sampled in" in said(pilot)
        await down_to("rejected")
        why = "has a profile, but it is not used: it began before the traffic."
        assert f"Iteration 6 of rejected of r2 {why}" in said(pilot)
        await down_to("spoiled")
        assert said(pilot).startswith("The profile cannot be read:") and "checksum" in said(pilot)
        await down_to("strange")
        assert listed(pilot) == ["▸ [/]"]

        await down_to("thinned")
        assert "A: the text was cut off." in said(pilot)
        await down_to("trimmed")
        for _ in range(2):  # from either end
            assert "Stacks were cut at 4 frames, 40.0 % of A, 40.0 % of B; their callers are" in said(pilot)
            await press(pilot, "m", "x", "m")
        await pilot.resize_terminal(80, 24)
        await press(pilot, "up")
        assert "! 3 remarks on these samples: a larger tab or window shows them" in said(pilot)
        await press(pilot, "m")
        assert "! 3 remarks" not in said(pilot) and "A: the text was cut off." in said(pilot)
        assert panel(pilot).listing.size.height >= 5, "there is room for the tree"


async def opened(pilot: Pilot[None], path: Path) -> None:
    app = pilot.app
    assert isinstance(app, FwdtuiApp)
    app.open_session(path)
    await rest(app)
    await press(pilot, "7")


async def test_a_session_shows_the_profile_of_the_case_wherever_the_cursor_is(odd: Pair):
    async with FwdtuiApp(odd[0].parent).run_test(size=(120, 40)) as pilot:
        await opened(pilot, odd[1])
        assert isinstance(pilot.app.screen, SessionScreen)
        for _ in range(2):  # on the first iteration, then on the one that has it
            assert "% of non-idle samples (idle: 64.3 %)" in said(pilot)
            assert listed(pilot)[:2] == ["▸ rn_match", "▸ ip_tryforward"]
            assert row(pilot, "rn_match")[0] == "36.04"
            await press(pilot, *["down"] * 5)

        await press(pilot, "slash", *"match", "enter")
        assert listed(pilot) == ["▸ rn_match"]
        assert isinstance(pilot.app.focused, ProfileTable), "where they are shown"
        await press(pilot, "escape")

        pilot.app.screen.query_one(CaseTable).focus()
        await press(pilot, "down")
        assert said(pilot).startswith("There is no profile of inet6 of r2.")
        await press(pilot, *["down"] * 3, "tab", "end")  # on the iteration with the rejected one
        assert said(pilot).startswith("This profile is not used: it began before the traffic.")


async def test_a_profile_that_is_read_late_is_not_shown_for_another_case(pair: Pair, monkeypatch):
    go_on = threading.Event()
    tree = case_profile.tree

    def waits(*given):
        go_on.wait(30)
        return tree(*given)

    monkeypatch.setattr(case_profile, "tree", waits)
    app = FwdtuiApp(pair[0].parent)
    async with app.run_test(size=(110, 40)) as pilot:
        app.open_session(pair[0])
        await seen(pilot, lambda: isinstance(app.screen, SessionScreen) and looked(app.screen))
        await pilot.press("shift+tab", "7")
        await seen(pilot, lambda: "reading the profile" in said(pilot))
        await pilot.press("down")  # to a case without a profile
        await seen(pilot, lambda: "reading the profile" not in said(pilot))
        without = said(pilot)
        go_on.set()
        await rest(app)
        assert said(pilot) == without and panel(pilot).has_class("-nothing")
