"""Groups of sessions without a screen: who is in which, what a heading says, what is remembered as folded."""

from pathlib import Path

import pytest

from fwdtui.core.model import Case, Fact, Iteration, Session
from fwdtui.report.against import Against, against
from fwdtui.report.cells import columns_of
from fwdtui.store import Damaged
from fwdtui.ui.common.state import Memory
from fwdtui.ui.draw.styles import Styles
from fwdtui.ui.sessions.folds import Folds
from fwdtui.ui.sessions.group_text import headings
from fwdtui.ui.sessions.grouping import Group, Tally, grouped, listed, totals
from fwdtui.ui.sessions.row import Row, in_order, matching, row_of


def session(
    label: str, imported: str = "", value: float = 1000, case: str = "inet4", **facts: Fact
) -> Session:
    made = tuple(Iteration(n, value + n % 3) for n in range(1, 6))
    cases = (Case(case, made),)
    return Session(f"/s/{label}", label, "", facts=facts, cases=cases, imported=imported)


WHEN = "2026-01-02T03:04:05+00:00"
SESSIONS = [
    session("own", lab="apu2"),
    session("own too", lab="Xeon", value=2000),
    session("a1", WHEN, imported_from="may", imported_tree="all/apu/may", value=500),
    session("x1", WHEN, imported_from="may", imported_tree="all/xeon/may", value=1001),
    session("x2", WHEN, imported_from="may", imported_tree="all/xeon/may", case="pf"),
    session("old", WHEN, imported_from="june"),
    session("fake", WHEN, imported_from="recorded here"),
    session("lost", WHEN),
]
ROWS = [*(row_of(one) for one in SESSIONS), row_of(Damaged("/s/broken", "not TOML"))]
VERDICTS = {one.path: against(SESSIONS[0], one) for one in SESSIONS[1:]}


def groups_of(
    rows: list[Row], by: str, folded: tuple[str, ...] = (), verdicts: dict[str, Against] | None = None
) -> list[Group]:
    base = None if verdicts is None else "/s/own"
    return grouped(rows, by, folded, totals(ROWS, by), base, verdicts or {})


def members(groups: list[Group]) -> list[tuple[str, list[str]]]:
    return [(group.name, [row.path.removeprefix("/s/") for row in group.rows]) for group in groups]


def test_trees_of_the_same_name_are_different_groups_and_none_is_mixed_with_what_was_recorded_here():
    assert members(groups_of(ROWS, "tree")) == [
        ("recorded here", ["own", "own too"]),
        ("all/apu/may", ["a1"]),
        ("all/xeon/may", ["x1", "x2"]),
        ("june", ["old"]),
        ("recorded here", ["fake"]),
        ("imported, tree not recorded", ["lost"]),
        ("cannot be read", ["broken"]),
    ]
    assert [group.named for group in groups_of(ROWS, "tree")] == [False, True, True, True, True, False, False]


def test_a_session_without_a_lab_is_in_no_lab_whatever_it_was_imported_from():
    found = members(groups_of(ROWS, "lab"))
    assert found[:2] == [("apu2", ["own"]), ("Xeon", ["own too"])]
    assert [name for name, _ in found[2:]] == ["no lab recorded", "cannot be read"]


def test_sorting_is_within_groups_and_a_folded_group_shows_its_heading_alone():
    ordered = in_order(ROWS, "label", True)
    key = groups_of(ROWS, "tree")[0].key
    entries = listed(groups_of(ordered, "tree", (key,)))
    shown = [one.name if isinstance(one, Group) else one.label for one in entries]
    assert shown[:6] == ["recorded here", "all/apu/may", "a1", "all/xeon/may", "x2", "x1"]


def test_a_filter_leaves_no_empty_group_and_the_heading_says_of_how_many():
    (group,) = groups_of(matching(ROWS, "xeon/ x2"), "tree")
    assert (len(group.rows), group.total) == (1, 2)
    line = headings([group], 60, Styles({}))[group.key].plain
    assert line == " ▾ all/xeon/may  1 of 2 sessions"


def test_each_session_counts_once_by_its_worst_verdict_and_the_others_are_not_left_out():
    found = {group.name: group.tally for group in groups_of(ROWS, "tree", verdicts=VERDICTS)}
    assert found["all/apu/may"] == Tally({"slower": 1})
    assert found["all/xeon/may"] == Tally({"equivalent": 1}, alone=1), "x2 has no case in common"
    assert found["cannot be read"] == Tally({}, alone=1)
    (own, *_) = groups_of(ROWS, "tree", verdicts=VERDICTS)
    assert own.tally == Tally({"faster": 1}, base=True)
    (own, *_) = groups_of(ROWS, "tree", verdicts={})
    assert own.tally == Tally({}, pending=1, base=True)


@pytest.mark.parametrize(
    "room, line",
    [
        (80, " ▾ recorded here                2 sessions  ▲ 1 faster  baseline"),
        (58, " ▾ recorded here                2 sessions  ▲ 1  B"),
        (44, " ▾ recorded here                2 sessions"),
        (30, " ▾ recorded here    2 sessions"),
    ],
    ids=["words", "marks", "no verdicts", "short names"],
)
def test_a_heading_says_as_much_as_there_is_room_for_and_names_of_groups_stay_apart(room, line):
    groups = groups_of(ROWS, "tree", verdicts=VERDICTS)
    lines = [text.plain for text in headings(groups, room, Styles({})).values()]
    assert lines[0] == line
    assert all(columns_of(one) <= room for one in lines)
    assert len({one[3:18] for one in lines}) == len(groups) - 1, "two have the same name"


def test_of_trees_in_one_folder_the_path_is_elided_and_of_equal_names_what_tells_them_apart_stays():
    def shown(columns: int, *places: str) -> list[str]:
        rows = [Row(f"/s/{place}", place, tree=place) for place in places]
        groups = grouped(rows, "tree", (), totals(rows, "tree"), None, {})
        lines = headings(groups, columns + len(" ▾   1 session "), Styles({})).values()
        return [line.plain[3 : 3 + columns].rstrip() for line in lines]

    assert shown(24, "archive/apu2/firewalls/fbsd12", "archive/apu2/firewalls/fbsd13.D1") == [
        "archive/apu2/f…fbsd12",
        "archive/apu2/f…fbsd13.D1",
    ]
    apart = shown(
        24, "archive/apu2/firewalls/fbsd12", "archive/apu2/forwarding/fbsd12", "archive/xeon/fbsd12"
    )
    assert len(set(apart)) == 3 and apart[2] == "archive/xeon/fbsd12"
    assert shown(24, "archive/apu2/firewalls/fbsd12.project") == ["archive/a…fbsd12.project"]


def test_by_verdict_the_greatest_loss_is_first_and_what_has_no_verdict_last_in_either_direction():
    def labels(falling: bool) -> list[str]:
        return [row.label for row in in_order(ROWS, "against", falling, "", VERDICTS)]

    judged = ["a1", "fake", "lost", "old", "x1", "own too"]
    rest = ["broken", "own", "x2"]
    assert labels(False)[0] == "a1" and labels(False)[5] == "own too"
    assert (sorted(labels(False)[:6]), labels(False)[6:]) == (sorted(judged), rest)
    assert (labels(True)[0], labels(True)[6:]) == ("own too", rest)


def test_what_is_folded_is_remembered_by_folder_in_little_space_and_the_oldest_is_forgotten(tmp_path):
    state = tmp_path / "state.json"
    Folds(Memory(state), tmp_path / "a").fold(["\0tree:n1", "\0tree:" + "x" * 100_000], shut=True)
    again = Folds(Memory(state), tmp_path / "a")
    assert "\0tree:n1" in again and "\0lab:n1" not in again
    assert "\0tree:n1" not in Folds(Memory(state), tmp_path / "b")
    again.fold(["\0tree:n1"], shut=False)
    assert "\0tree:n1" not in Folds(Memory(state), tmp_path / "a")
    again.fold((f"\0tree:{number}" for number in range(1001)), shut=True)
    assert ["\0tree:0" in again, "\0tree:1" in again] == [False, True]
    assert state.stat().st_size < 25_000 and not Memory(state).problem


def test_a_folder_is_the_same_however_it_is_named(tmp_path, monkeypatch):
    memory = Memory(tmp_path / "state.json")
    monkeypatch.chdir(tmp_path)
    Folds(memory, Path("sessions")).fold(["\0lab:x"], shut=True)
    assert "\0lab:x" in Folds(memory, tmp_path / "sessions")
