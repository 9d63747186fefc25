"""The tab "functions": a tree that opens, folds, sorts and is searched, of one profile or of two."""

import threading
from pathlib import Path

import pytest
from compare_rig import comparing, press
from gallery import around, session
from profiled import add, forwarding
from sessions_rig import looked
from textual.pilot import Pilot
from textual.widgets import Static
from waiting import rest, seen

from fwdtui.core.profile import Folded
from fwdtui.report import case_profile
from fwdtui.ui.draw.profile_panel import ProfilePanel, ProfileTable
from fwdtui.ui.sessions.session_screen import SessionScreen
from fwdtui.ui.shell.app import FwdtuiApp

Pair = tuple[Path, Path]


@pytest.fixture
def pair(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Pair:
    """Two sessions with two cases; of the first both have a profile, taken over as many packets."""
    monkeypatch.chdir(tmp_path)
    cases = {"inet4": around(883e3), "inet6": around(404e3)}
    base, other = session("r1", cases), session("r2", cases)
    add(base, "inet4", forwarding(20, 30, 100), packets=1_000_000, period=65536)
    add(other, "inet4", forwarding(40, 10, 200), packets=1_000_000, period=65536)
    return base, other


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


async def test_both_sides_beside_each_other_with_what_moved_most_first(pair: Pair):
    async with comparing(pair) as pilot:
        await press(pilot, "H")
        assert listed(pilot)[:2] == ["▸ igb_transmit", "▸ rn_match"]
        assert row(pilot, "rn_match")[-2:] == ["+200.0", "▸ rn_match"]
        assert "samples per million packets (idle: A 47.4 %, B 64.3 %)" in said(pilot)
        assert "A r1 #6: 1 110 samples, 1 000 000 packets; B r2 #6: 1 110 samples" in said(pilot)


async def test_profiles_that_were_not_sampled_alike_are_compared_by_shares(pair: Pair):
    add(pair[1], "inet4", forwarding(40, 10, 200), packets=1_000_000, period=1000)
    async with comparing(pair) as pilot:
        await press(pilot, "H")
        assert "% of non-idle samples (idle: A 47.4 %, B 64.3 %)" in said(pilot)
        assert row(pilot, "rn_match")[-2:] == ["+18.02", "▸ rn_match"]
        assert "No samples per packet: the two were not, or not certainly, sampled in" in said(pilot)


async def test_the_enlarged_tab_has_the_keys(pair: Pair):
    async with comparing(pair) as pilot:
        await press(pilot, "H", "m")
        assert isinstance(pilot.app.focused, ProfileTable)
        await press(pilot, "right")
        assert listed(pilot)[:3] == ["▾ igb_transmit", "  ▸ ether_output", "▸ rn_match"]
        await press(pilot, "right", "enter", "down", "left")
        assert listed(pilot)[:3] == ["▾ igb_transmit", "  ▾ ether_output", "    ▸ ip_tryforward"]
        await press(pilot, "left")
        assert listed(pilot)[:3] == ["▾ igb_transmit", "  ▸ ether_output", "▸ rn_match"]
        await press(pilot, "shift+right")
        assert len(listed(pilot)) > 40
        await press(pilot, "shift+left")
        assert not any(name.startswith(" ") and "more" not in name and "▸" in name for name in listed(pilot))
        await press(pilot, "m")
        assert pilot.app.focused is pilot.app.screen.query_one("#cases")


async def test_x_turns_the_tree_round_and_opens_where_most_of_the_time_is(pair: Pair):
    async with comparing(pair) as pilot:
        await press(pilot, "H", "m", "x")
        names = [name.strip(" ▾▸") for name in listed(pilot)]
        assert names[:4] == ["fork_exit", "ithread_loop", "igb_rxeof", "ether_input"]
        assert names.index("rn_match") > names.index("fib4_lookup")
        assert "From the root" in said(pilot)


async def test_the_order_can_be_chosen(pair: Pair):
    async with comparing(pair) as pilot:
        await press(pilot, "H", "m", "greater_than_sign")
        assert listed(pilot)[0] == "▸ igb_transmit" and "A's largest first" in said(pilot)
        await press(pilot, "greater_than_sign")
        assert listed(pilot)[0] == "▸ rn_match" and "B's largest first" in said(pilot)
        await press(pilot, "less_than_sign", "less_than_sign")
        assert "most moved first" in said(pilot)


async def test_a_search_lists_what_matches_and_escape_forgets_it(pair: Pair):
    async with comparing(pair) as pilot:
        await press(pilot, "H", "slash", *"TRANS", "enter")
        assert listed(pilot) == ["▸ igb_transmit", "▾ bus_dmamap_load", "  ▸ igb_transmit"]
        assert "“TRANS”: A 360.0, B 160.0" in said(pilot)
        await press(pilot, "escape")
        assert len(listed(pilot)) > 5 and "TRANS" not in said(pilot)


async def test_the_other_tabs_do_not_search(pair: Pair):
    async with comparing(pair) as pilot:
        await press(pilot, "1", "slash")
        assert pilot.app.focused is pilot.app.screen.query_one("#cases")


async def test_what_one_side_lacks_is_said_and_the_other_is_shown(pair: Pair):
    add(pair[0], "inet6", forwarding(20, 30, 100))
    async with comparing(pair) as pilot:
        await press(pilot, "H", "down")
        assert said(pilot).startswith(
            "There is no profile of inet6 of r2.\n% of non-idle samples (idle: 47.4 %)"
        )


async def test_without_a_profile_it_says_how_to_have_one(pair: Pair):
    async with comparing(pair) as pilot:
        await press(pilot, "H", "down")
        assert said(pilot).startswith(
            "There is no profile of inet6 of r1.\nThere is no profile of inet6 of r2.\n"
        )
        assert "fwdtui profile capture LAB" in said(pilot)
        await press(pilot, "slash")  # nothing to search
        assert pilot.app.focused is pilot.app.screen.query_one("#cases")


async def test_a_rejected_profile_is_not_compared_and_the_reason_is_said(pair: Pair):
    add(pair[1], "inet6", forwarding(1, 1, 100), rejected="it began before the traffic")
    async with comparing(pair) as pilot:
        await press(pilot, "H", "down")
        assert (
            "Iteration 6 of inet6 of r2 has a profile, but it is not used: it began before the traffic."
            in said(pilot)
        )


async def test_damage_is_said_instead(pair: Pair):
    (pair[1] / "inet4" / "006" / "profile.folded").write_text("a;b 3\n")
    async with comparing(pair) as pilot:
        await press(pilot, "H")
        assert said(pilot).startswith("The profile cannot be read:") and "checksum" in said(pilot)


async def test_y_copies_the_row_with_its_samples(pair: Pair):
    async with comparing(pair) as pilot:
        await press(pilot, "H", "m", "down", "y")
        assert pilot.app.clipboard == "200.0\t400.0\t+200.0\t200\t400\trn_match"


async def test_what_is_missing_in_the_samples_is_said(pair: Pair):
    for path in pair:
        add(path, "inet6", forwarding(2, 3, 10), notes=("the text was cut off",))
    async with comparing(pair, size=(120, 60)) as pilot:
        await press(pilot, "H", "down")
        assert "A: the text was cut off." in said(pilot)
    async with comparing(pair, size=(80, 24)) as pilot:
        await press(pilot, "H", "down", "m")
        assert "! 3 remarks on these samples" in said(pilot)


async def test_either_end_says_that_callers_were_put_back(pair: Pair):
    folded = Folded({("fork", "loop", "rx"): 60, ("loop", "rx", "ip", "out"): 40})
    for path in pair:
        add(path, "inet6", folded, depth=4)
    async with comparing(pair, size=(120, 60)) as pilot:
        await press(pilot, "H", "down")
        for _ in range(2):
            assert "Stacks were cut at 4 frames, 40.0 % of A, 40.0 % of B; their callers are" in said(pilot)
            await press(pilot, "m", "x", "m")


async def test_hostile_names_are_only_text(pair: Pair):
    folded = Folded({("[bold]\x1b[31m", "[/]"): 10})
    for path in pair:
        add(path, "inet6", folded)
    async with comparing(pair) as pilot:
        await press(pilot, "H", "down")
        assert listed(pilot) == ["▸ [/]"]


async def opened(pilot: Pilot[None], path: Path) -> None:
    app = pilot.app
    assert isinstance(app, FwdtuiApp)
    app.open_session(path)
    await rest(app)
    await press(pilot, "7")


@pytest.mark.parametrize("cursor", [0, 5])
async def test_a_session_shows_the_profile_of_the_case_wherever_the_cursor_is(pair: Pair, cursor: int):
    async with FwdtuiApp(pair[0].parent).run_test(size=(120, 40)) as pilot:
        await opened(pilot, pair[0])
        await press(pilot, *["down"] * cursor)
        assert isinstance(pilot.app.screen, SessionScreen)
        assert "% of non-idle samples (idle: 47.4 %)" in said(pilot)
        assert listed(pilot)[:2] == ["▸ igb_transmit", "▸ rn_match"]
        assert row(pilot, "rn_match")[0] == "18.02"


async def test_in_a_session_slash_searches_the_functions_where_they_are_shown(pair: Pair):
    async with FwdtuiApp(pair[0].parent).run_test(size=(120, 40)) as pilot:
        await opened(pilot, pair[0])
        await press(pilot, "slash", *"match", "enter")
        assert listed(pilot) == ["▸ rn_match"]
        assert isinstance(pilot.app.focused, ProfileTable)


async def test_a_case_without_a_profile_says_so(pair: Pair):
    async with FwdtuiApp(pair[0].parent).run_test(size=(120, 40)) as pilot:
        await opened(pilot, pair[0])
        await press(pilot, "shift+tab", "down")
        assert said(pilot).startswith("There is no profile of inet6 of r1.")


async def test_a_rejected_profile_is_shown_where_the_cursor_is_on_it(pair: Pair):
    add(pair[0], "inet6", forwarding(1, 1, 100), rejected="it began before the traffic")
    async with FwdtuiApp(pair[0].parent).run_test(size=(120, 40)) as pilot:
        await opened(pilot, pair[0])
        await press(pilot, "shift+tab", "down", "tab", "end")
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
