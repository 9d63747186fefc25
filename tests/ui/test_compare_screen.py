"""Two sessions side by side: a verdict for each case, and everything that led to it."""

import json

from compare_rig import SHIPPED, active, comparing, press, row, rows, settled, shown

from fwdtui.cli import main
from fwdtui.core.model import Caution
from fwdtui.stats import figures
from fwdtui.ui.compare.screen import CompareScreen
from fwdtui.ui.sessions.sessions_screen import SessionsScreen


async def test_one_row_a_case_with_the_numbers_of_the_json_and_of_the_table(folder, pair, capsys):
    paths = [str(path) for path in pair]
    assert main(["compare", *paths]) == 0
    printed = " ".join(capsys.readouterr().out.split())
    assert main(["compare", *paths, "--format", "json"]) == 0
    found = json.loads(capsys.readouterr().out)["comparisons"]
    async with comparing(pair, (160, 40)) as pilot:
        assert [cells[0] for cells in rows(pilot)] == ["forwarding.off", "forwarding.on", "pf.inet4"]
        first = row(pilot, 0)
        assert first["n"] == "5/5"
        assert (first["base median"], first["other median"]) == ("883 374", "480 840")
        assert first["verdict"] == "▼ slower"
        assert row(pilot, 2)["verdict"].startswith("? inconclusive")
        assert "1 faster, 1 slower, 1 inconclusive" in shown(pilot, "heading")
        assert "n311215 " in shown(pilot, "heading") and "n311215-UDP2" in shown(pilot, "heading")

        bars = [row(pilot, number)["bar"] for number in range(3)]
        middle = len(bars[0]) // 2
        assert bars[0][middle] == "│" and bars[1][middle] == "│"
        assert bars[1].index("●") > middle > bars[0].index("●")
        assert bars[2][middle] in "┼●├┤", "an interval that crosses zero is drawn across the zero line"

        for number, one in enumerate(found):
            cells = row(pilot, number)
            assert cells["case"] == one["case"]
            assert cells["verdict"][2:].split(":")[0] == one["verdict"]
            assert float(cells["base median"].replace(" ", "")) == one["base"]["median"]
            difference = one["difference"]
            told = str(figures.percentage(difference["percent"], tuple(difference["ci_percent"])))
            assert cells["mean difference"] == told
            for cell in ("mean difference", "verdict", "base median", "other median"):
                text = " ".join(cells[cell].removeprefix("? ").lstrip("▲▼= ").split())
                # without a narrow screen the table has room for "about 18 to 85 more iterations"
                assert all(part in printed for part in text.split(": "))


async def test_the_selected_row_says_its_verdict_in_words_and_the_sides_change_places(folder, pair):
    async with comparing(pair, (80, 24)) as pilot:
        assert "forwarding.off  slowed down by 45" in shown(pilot, "selected")
        assert "n311215: 883 374  →  n311215-UDP2: 480 840" in shown(pilot, "selected")
        await press(pilot, "down")
        assert "forwarding.on  improved by" in shown(pilot, "selected")

        await pilot.resize_terminal(120, 40)
        await press(pilot, "b")
        assert row(pilot, 0)["verdict"] == "▲ faster"
        assert shown(pilot, "heading").startswith("baseline n311215-UDP2  candidate n311215")
        await press(pilot, "f5")
        assert row(pilot, 0)["verdict"] == "▲ faster"
        await press(pilot, "b")
        assert row(pilot, 0)["verdict"] == "▼ slower"

        await press(pilot, "escape")
        assert isinstance(pilot.app.screen, SessionsScreen)


async def test_margin_and_confidence_change_live_by_keys_and_by_mouse(folder, session):
    one = session("a", {"x": [1000, 1001, 999, 1000.5, 999.5]})
    two = session("b", {"x": [1005, 1006, 1004, 1005.5, 1004.5]})
    async with comparing([one, two]) as pilot:
        assert row(pilot, 0)["verdict"] == "= equivalent !"
        await press(pilot, "minus", "minus")
        assert row(pilot, 0)["verdict"] == "▲ faster"
        assert "margin ‹ 0.25 % ›" in shown(pilot, "heading")
        await press(pilot, "right_parenthesis")
        assert "confidence ‹ 98 % ›" in shown(pilot, "heading")
        heading = pilot.app.screen.query_one("#heading")
        place = shown(pilot, "heading").split("\n")[1].index("›")
        await pilot.click(heading, offset=(place + 1, 1))
        await settled(pilot)
        assert "margin ‹ 0.5 % ›" in shown(pilot, "heading")
        await pilot.press(*["plus"] * 7)
        await settled(pilot)
        assert "margin ‹ 10 % ›" in shown(pilot, "heading")


async def test_the_margin_changes_quickly_however_many_cases_there_are(folder, session):
    values = {f"case.{n}": [1000.0 + n, 1001.0 + n, 999.0 + n, 1000.5 + n, 999.5 + n] for n in range(20)}
    paths = [session(f"s{n}", {case: [v * (1 + n / 100) for v in vs] for case, vs in values.items()})
             for n in range(7)]  # fmt: skip
    async with comparing(paths, (160, 50)) as pilot:
        assert len(rows(pilot)) == 120
        read = pilot.app.screen._loaded
        await press(pilot, "minus")
        assert pilot.app.screen._loaded is read  # judged again, not read again
        assert "margin ‹ 0.5 % ›" in shown(pilot, "heading")


async def test_cases_of_one_side_only_are_listed_with_the_reason(folder, session):
    one = session("old", {"both": [1, 2, 3], "gone": [1, 2, 3]})
    two = session("new", {"both": [1, 2, 3], "added": [1, 2, 3]})
    async with comparing([one, two], (140, 40)) as pilot:
        assert [cells[0] for cells in rows(pilot)] == ["both", "gone", "added"]
        assert row(pilot, 1)["verdict"] == "∅ not comparable"
        assert "only in old, not in new" in row(pilot, 1)["bar"]
        assert "2 not comparable" in shown(pilot, "heading")
        await press(pilot, "down", "down")
        assert "only in new, not in old" in shown(pilot, "why")
        for key in "345":  # nothing to draw of it, and nothing breaks
            await press(pilot, key)
            assert "only in new" in shown(pilot, active(pilot))


async def test_warnings_are_counted_in_the_row_and_told_in_their_tab(folder, session):
    odd = Caution("outage", "The rate fell for 2.0 s.")
    one = session("old", {"x": [1000, 1001, 1002], "y": [10, 11, 12]})
    two = session("new", {"x": [1100, 1101, 1102], "y": [10, 11, 12]}, warnings=[odd])
    async with comparing([one, two]) as pilot:
        assert int(row(pilot, 0)["!"]) >= 1
        await press(pilot, "8")
        assert "! outage: new: iterations 1 to 3: the rate fell for 2.0 s." in shown(pilot, "warnings")


async def test_damaged_candidates_are_left_out_and_the_heading_says_how_many_and_where_they_are(
    folder, pair, session
):
    damaged = [session(name, {"forwarding.off": [1.0, 2.0, 3.0]}) for name in ("third", "fourth")]
    (damaged[0] / "session.toml").write_text("label = ")
    async with comparing([*pair, *damaged]) as pilot:
        assert "third cannot be read and is left out" in shown(pilot, "heading")
        assert "more, see 8" not in shown(pilot, "heading")
        assert {cells[1] for cells in rows(pilot)} == {"n311215-UDP2", "fourth"}
        (damaged[1] / "session.toml").write_text("label = ")
        await press(pilot, "f5")
        assert len(rows(pilot)) == 3
        text = shown(pilot, "heading")
        assert "third cannot be read and is left out" in text and "(and 1 more, see 8)" in text
        await press(pilot, "8")
        for name in ("third", "fourth"):
            assert f"{name} cannot be read and is left out" in shown(pilot, "warnings")


async def test_a_comparison_that_cannot_be_is_a_readable_message_with_a_way_on(folder, pair):
    whole = (pair[0] / "session.toml").read_bytes()
    (pair[0] / "session.toml").write_text("label = ")
    async with comparing(pair) as pilot:
        told = shown(pilot, "heading")
        assert "Cannot compare these" in told and "session.toml" in told and "F5" in told
        (pair[0] / "session.toml").write_bytes(whole)
        await press(pilot, "f5")
        assert len(rows(pilot)) == 3 and not pilot.app.screen.has_class("-failed")
        (pair[0] / "session.toml").write_text("label = ")
        await press(pilot, "f5", "escape")
        assert isinstance(pilot.app.screen, SessionsScreen)


async def test_sessions_without_a_common_case_are_a_readable_message(folder, session):
    paths = session("a", {"x": [1, 2, 3]}), session("b", {"y": [1, 2, 3]})
    async with comparing(paths) as pilot:
        assert "no case in common" in shown(pilot, "heading")
        await pilot.press("b", "x", "z", "Z", "e", "r", "o", "5", "n", "plus")
        await settled(pilot)
        assert isinstance(pilot.app.screen, CompareScreen)


async def test_what_shares_no_case_with_the_others_cannot_become_the_baseline(folder, session):
    paths = session("a", {"x": [1, 2, 3]}), session("b", {"x": [1, 2, 3]}), session("c", {"y": [1, 2, 3]})
    async with comparing(paths) as pilot:
        before = rows(pilot)
        await press(pilot, "down", "b")
        assert "Not the baseline: no case in common" in str([one.message for one in pilot.app._notifications])
        assert rows(pilot) == before and not pilot.app.screen.has_class("-failed")
        await press(pilot, "up", "b")
        assert shown(pilot, "heading").startswith("baseline b  2 candidates a, c")
        await press(pilot, "down", "b", "f5")  # read again, it is still the same comparison
        assert shown(pilot, "heading").startswith("baseline b  2 candidates a, c")


async def test_hostile_names_are_shown_and_do_nothing(folder, session):
    evil = "\x1b]0;owned\x07[bold red]x[/] [link=https://x]y"
    one = session(evil, {"[/]case\x1b[2J": [1, 2, 3]}, name="a", facts={"[k]": "[/v]\x1b"})
    two = session("b", {"[/]case\x1b[2J": [1, 2, 3]}, name="b")
    async with comparing([one, two]) as pilot:
        assert "[bold red]x[/]" in shown(pilot, "heading")
        for key in "12345678":
            await press(pilot, key)
            assert "\x1b" not in shown(pilot, active(pilot))
        assert "\x1b" not in pilot.app.export_screenshot()


async def test_every_size_draws_every_tab():
    async with comparing([SHIPPED / "no-rules", SHIPPED / "rules-100"]) as pilot:
        for size, keys in (
            ((20, 5), "235"),
            ((40, 12), "46"),
            ((80, 24), "78m"),
            ((250, 70), "m56"),
            ((90, 30), "1"),
        ):
            await pilot.resize_terminal(*size)
            await press(pilot, *keys)
            assert len(rows(pilot)) == 1 and shown(pilot, active(pilot))


async def test_long_labels_and_case_names_fit_into_the_window(folder, session):
    label, case = "a-label-" + "l" * 56, "a.case." + "c" * 57
    one = session(label, {case: [1000, 1001, 1002], "short": [1, 2, 3]}, name="a")
    two = session(label.replace("l", "m"), {case: [1100, 1101, 1102], "short": [1, 2, 3]}, name="b")
    async with comparing([one, two], (200, 60)) as pilot:
        for size in ((200, 60), (120, 40), (80, 24)):
            await pilot.resize_terminal(*size)
            await settled(pilot)
            assert pilot.app.screen.query_one("#cases").virtual_size.width <= size[0]
            assert rows(pilot)[0][0].startswith("a.c") and "▲" in "".join(rows(pilot)[0])
            for line in shown(pilot, "heading").split("\n"):
                assert len(line) <= size[0] - 2
