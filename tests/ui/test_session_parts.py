"""What the session screens are made of, without a screen: rows, columns, order, logs, the packet account."""

import dataclasses
import datetime
import hashlib
import re
from pathlib import Path

import msgspec
import pytest
from textual.app import App, ComposeResult

from fwdtui.core.model import (
    Case,
    Caution,
    Cost,
    Iteration,
    Packets,
    Session,
    Summary,
    Window,
    by_local_clock,
)
from fwdtui.core.reason_counts import DropReasons, ReasonRow
from fwdtui.monitor.live.series import Point
from fwdtui.monitor.replay.iteration_series import IterationSeries
from fwdtui.report import table
from fwdtui.report.cells import columns_of
from fwdtui.report.iterations import case_set
from fwdtui.stats.describe import describe
from fwdtui.stats.results import ResultSet
from fwdtui.store import Damaged
from fwdtui.ui.common.selection import Change, Marks, Selection
from fwdtui.ui.draw.styles import Styles
from fwdtui.ui.sessions import raw_logs
from fwdtui.ui.sessions.columns import PADDING, columns
from fwdtui.ui.sessions.edit_dialogs import what_goes
from fwdtui.ui.sessions.grouping import home
from fwdtui.ui.sessions.iteration_table import CaseTable, _case_values, _cells, _columns, _to_median
from fwdtui.ui.sessions.iteration_text import account_text, packets_text
from fwdtui.ui.sessions.keys import SESSIONS
from fwdtui.ui.sessions.row import Row, in_order, matching, row_of
from fwdtui.ui.sessions.session_view import SessionView, read_iteration, read_view
from fwdtui.ui.sessions.text import described, figure, session_text


def session(label: str, created: str, **cases: list[float]) -> Session:
    found = tuple(
        Case(name, tuple(Iteration(n, value) for n, value in enumerate(values, 1)))
        for name, values in cases.items()
    )
    return Session(path=f"/s/{label}", label=label, created=created, cases=found)


ROWS = [
    row_of(session("old", "2026-01-01T23:00:00+00:00", inet4=[5.0, 7.0])),
    row_of(session("new", "2026-01-02T00:30:00+02:00", inet4=[4.0], pf=[90.0])),
    row_of(session("odd", "once upon a time")),
    row_of(Damaged("/s/broken", "not TOML")),
]


def paths(rows: list[Row]) -> list[str]:
    return [row.path.removeprefix("/s/") for row in rows]


def test_dates_are_ordered_by_the_moment_and_not_by_their_text():
    assert paths(in_order(ROWS, "date", True))[:2] == ["old", "new"]
    assert ROWS[1].moment == datetime.datetime(2026, 1, 1, 22, 30, tzinfo=datetime.UTC).timestamp()


def test_dates_are_those_of_this_computers_clock_whatever_zone_they_are_written_in(zone):
    zone("PST8")
    assert [row.date for row in ROWS[:3]] == ["2026-01-01 15:00", "2026-01-01 14:30", "once upon a time"]
    one = session("a", "2026-01-02T03:04:05+00:00")
    assert "   2026-01-01 19:04   /s/a" in SessionView(one, {}).heading().plain
    assert "recorded 2026-01-01 19:04:05   /s/a" in session_text(one).plain
    began = Iteration(1, 5.0, began="2026-01-02T03:04:05.678+00:00")
    assert _cells(began, describe(ResultSet("a", (5.0,))), False)["began"].plain == "2026-01-01 19:04:05"
    for written in ("2026-01-02T03:04:05", "0001-01-01T00:00:00+00:00", ""):
        assert by_local_clock(written) == written, "nobody knows the zone, or it is no date there"


def test_the_kernels_of_an_experiment_are_those_of_its_iterations_in_the_list_and_beside_it():
    """session.toml has the facts of its beginning: iterations on another kernel have that one themselves."""
    of_others = Iteration(2, 5.0, facts={"dut.kernel": "15.0-n2", "dut.cpus": 8})
    case = Case("x", (Iteration(1, 5.0), of_others))
    kernel = {"dut.kernel": "15.0-n1", "dut.cpus": 8}
    one = Session("/s/a", "a", "", facts=kernel, cases=(case,))
    assert row_of(one).kernel == "15.0-n1; 15.0-n2"
    assert paths(matching([row_of(one)], "n2")) == ["a"]
    beside = session_text(one).plain
    assert "dut.kernel 15.0-n1; 15.0-n2 (not the same in all iterations)\n" in beside
    assert "dut.cpus 8\n" in beside


def test_a_lab_that_was_renamed_before_a_further_recording_keeps_its_group():
    renamed = Iteration(2, 5.0, facts={"lab": "apu2, new card"})
    one = Session("/s/a", "a", "", facts={"lab": "apu2"}, cases=(Case("x", (Iteration(1, 5.0), renamed)),))
    row = row_of(one)
    assert row.lab == "apu2; apu2, new card" and home(row, "lab") == (True, "apu2")
    assert paths(matching([row], "card")) == ["a"]


def test_what_is_being_recorded_names_the_key_that_reads_it_again():
    now = msgspec.structs.replace(session("a", "", inet4=[5.0]), recording=True)
    (again,) = [one for one in SESSIONS if one.action == "reload"]
    assert f"{again.key_display} shows what has been added" in session_text(now).plain


def test_a_session_that_cannot_be_read_is_not_said_to_have_no_iterations_before_it_is_deleted():
    read, damaged = what_goes(ROWS[0]), what_goes(ROWS[3])
    assert read == ["2 iterations in /s/old", "It is moved to /s/.trash, not erased."]
    assert damaged[0] == "How many iterations are in /s/broken is not known: it cannot be read."


def test_a_median_in_a_unit_with_a_multiple_of_its_own_gets_no_second_one():
    for value, unit, shown in ((9412.0, "Mb/s", "9 412 Mb/s"), (9412.0, "pps", "9.412 k")):
        case = Case("x", (Iteration(1, value, unit=unit),))
        assert [one.median for one in row_of(Session("/s/a", "a", "", cases=(case,))).cases] == [shown]


@pytest.mark.parametrize(
    ("value", "unit", "shown"),
    [
        (0.42, "s", "0.42"),
        (31.42, "us", "31.42"),
        (829_724.5, "pps", "829 724"),
        (1e6, "pps", "1 000 000"),
    ],
)
def test_the_median_of_a_session_has_digits_whatever_its_unit(value, unit, shown):
    case = Case("x", (Iteration(1, value, unit=unit),))
    found = Session("/s/a", "a", "", cases=(case,))
    assert re.search(rf"x +{shown} {unit} ", session_text(found).plain)
    assert _case_values(case, row_of(found).cases[0].result)[0] == shown
    if unit != "pps":
        assert shown == table.number(value)
        assert f"value  {shown} {unit}\n" in account_text(found, case, case.iterations[0]).plain


def test_values_in_several_units_have_no_median_and_are_no_outliers_of_each_other():
    values = [*((value, "pps") for value in (1e6, 1.01e6, 0.99e6, 1e6, 1.02e6, 0.98e6, 1e6)), (874.0, "Mb/s")]
    many = tuple(Iteration(number, value, unit=unit) for number, (value, unit) in enumerate(values, 1))
    mixed = Session("/s/mixed", "mixed", "", cases=(Case("x", many),))
    row = row_of(mixed)
    assert (row.cases[0].median, row.cases[0].result.n, row.counted) == ("–", 8, 8)
    assert paths(in_order([row, *ROWS[:2]], "median", True)) == ["old", "new", "mixed"]
    assert re.search(r"x +– Mb/s, pps +spread +– +n 8 ", session_text(mixed).plain)
    view = SessionView(mixed, {"x": case_set(mixed, mixed.cases[0], "mixed")})
    assert view.described(mixed.cases[0]).median is None and view.odd(mixed.cases[0]) == {}
    drawn = view.distribution(mixed.cases[0], 80, 30, Styles({})).plain
    assert drawn == "Not drawn: the values are in Mb/s and pps, which have no scale in common."


def test_what_has_no_value_in_a_column_is_the_least_and_keeps_its_place_by_path():
    assert paths(in_order(ROWS, "median", False)) == ["broken", "odd", "new", "old"]
    assert paths(in_order(ROWS, "median", True)) == ["old", "new", "broken", "odd"]


def test_the_median_that_is_sorted_by_is_that_of_the_case_which_the_filter_names():
    assert paths(in_order(ROWS, "median", True, "pf"))[0] == "new"


def test_a_filter_needs_every_word_in_any_order_and_any_case():
    assert paths(matching(ROWS, "PF new")) == ["new"]
    assert paths(matching(ROWS, "pf old")) == []
    assert len(matching(ROWS, "  ")) == 4


def test_the_distribution_names_the_iterations_that_it_does_not_draw():
    def drawn(*iterations: Iteration) -> list[str]:
        case = Case("x", iterations)
        one = Session("/s/a", "a", "", cases=(case,))
        view = SessionView(one, {"x": case_set(one, case, "a")})
        return view.distribution(case, 80, 40, Styles({})).plain.splitlines()

    counting = Iteration(1, 1.0), Iteration(3, 3.0), Iteration(5, 2.0)
    without = Iteration(2, 9.0, dropped="spoiled"), Iteration(4, None, complete=False)
    told = "Not drawn: iterations 2 and 4. The others are numbered without them."
    assert drawn(*sorted((*counting, *without), key=lambda one: one.index))[-1] == told
    assert not any("Not drawn" in line for line in drawn(*counting))


def test_a_fact_that_only_some_iterations_have_is_not_told_of_the_whole_session():
    some = (Iteration(1, 1.0), Iteration(2, 2.0, facts={"dut.kernel_modified": "–"}))
    one = Session(
        "/s/a", "a", "", facts={"dut.kernel_modified": True, "dut.cpus": 4}, cases=(Case("x", some),)
    )
    shown = SessionView(one, {"x": case_set(one, one.cases[0], "a")}).facts("kernel_modified").plain
    assert shown.splitlines() == [
        "1 of 2 facts",
        "dut.kernel_modified yes; – (not the same in all iterations)",
    ]


def test_a_dropped_iteration_is_in_no_median_and_the_row_says_that_not_all_count():
    dropped = Iteration(1, 1000.0, dropped="spoiled")
    found = row_of(Session("/s/a", "a", "", cases=(Case("x", (dropped, Iteration(2, 10.0))),)))
    assert found.cases[0].result.median == 10.0
    assert (found.counted, found.iterations) == (1, 2)


@pytest.mark.parametrize(
    "iterations, problems, count",
    [
        ([Iteration(n, 10.0 + n % 3, boot="only") for n in range(1, 6)], (), 1),
        ([Iteration(n, 10.0, warnings=(Caution("outage", "It fell."),)) for n in range(1, 6)], (), 2),
        ([Iteration(1, None), Iteration(2, 5.0), Iteration(3, 6.0, dropped="no")], ("facts.toml: gone",), 3),
    ],
    ids=["one boot", "no spread and an outage", "damage, left out, dropped"],
)
def test_the_list_counts_the_warnings_that_stand_beside_it(iterations, problems, count):
    found = Session("/s/a", "a", "", cases=(Case("x", tuple(iterations)),), problems=problems)
    lines = [line for line in session_text(found).plain.splitlines() if line.startswith("! ")]
    assert row_of(found).warnings == len(lines) == count, lines


@pytest.mark.parametrize("room", [1, 10, 18, 38, 60, 78, 118, 158, 198, 248])
def test_the_columns_fit_the_room_and_the_label_and_median_are_always_there(room):
    found = columns(room, ROWS)
    keys = [column.key for column in found]
    assert {"label", "median"} <= set(keys)
    assert all(column.width >= 1 for column in found)
    if room >= 18:
        assert sum(column.width + PADDING for column in found) <= room
    if room >= 78:
        assert {"label", "date", "iterations", "median", "warnings"} <= set(keys)
    if room >= 198:
        assert len(keys) == 9
    judged = columns(room, ROWS, against=True)
    assert ("against" in {column.key for column in judged}) == (room >= 60)
    if room >= 18:
        assert sum(column.width + PADDING for column in judged) <= room


@pytest.mark.parametrize(("count", "width"), [(5, 1), (12, 2), (120, 3)])
@pytest.mark.parametrize("against", [False, True])
def test_long_labels_do_not_hide_at_80_columns_that_there_are_warnings(count, width, against):
    row = row_of(session("kernel-lab-20261201-132642", "2026-12-01T13:26:44+00:00", default=[5.0]))
    found = columns(78, [dataclasses.replace(row, warnings=count)], against=against)
    assert [one.width for one in found if one.key == "warnings"] == [width]


@pytest.mark.parametrize(("made", "dated"), [("", [7]), ("2026-12-01T13:26:44+00:00", [])])
def test_beside_short_labels_the_date_does_not_hide_that_there_are_warnings(made, dated):
    row = row_of(session("n311215", made, default=[5.0]))
    found = columns(78, [dataclasses.replace(row, warnings=2)], against=True)
    assert "warnings" in [one.key for one in found]
    assert [one.width for one in found if one.key == "date"] == dated, "unknown dates are narrow"
    (shown,) = [one.width for one in columns(78, [row], against=True) if one.key == "date"]
    assert shown == (dated or [16])[0], "without warnings there is room"


def test_a_wide_list_shows_long_labels_whole_before_it_shows_many_medians():
    long = "fbsd16-n311215.D58513.txabdicate_off"
    cases = {f"case{n}": [5.0] for n in range(9)}
    rows = [row_of(session(long, "2026-01-01T23:00:00+00:00", **cases))]

    def widths(room):
        return {column.key: column.width for column in columns(room, rows)}

    assert widths(133)["label"] == len(long) and widths(133)["median"] >= 24
    assert widths(119)["label"] == 119 // 4 < widths(120)["label"], "a narrow list shows medians"
    assert widths(248)["label"] == len(long), "never wider than the longest"
    huge = [row_of(session("x" * 200, "", inet4=[5.0]))]
    assert {column.key: column.width for column in columns(400, huge)}["label"] == 60


def test_the_baseline_is_never_made_a_candidate_silently_and_a_candidate_can_become_the_baseline():
    marks = Marks()
    marks.baseline("a")
    marks.candidate("a")
    assert marks.base == "a" and marks.candidates == []
    marks.baseline("a")
    marks.candidate("a")
    assert marks.base is None and marks.candidates == ["a"]
    marks.baseline("a")
    assert marks.base == "a" and marks.candidates == []
    marks.suggest("x", "y")
    assert marks.base == "a", "nothing is suggested to whoever marks himself"


def test_the_oldest_changes_are_forgotten_and_the_last_is_undone_first():
    selection = Selection()
    for number in range(150):
        selection.remember(Change(str(number), int, int))
    assert len(selection.done) == 100 and selection.done[-1].undone == "149"


def digest(data: bytes) -> str:
    """The checksum that a recording notes."""
    return f"sha256:{hashlib.sha256(data).hexdigest()}"


def test_a_large_log_shows_both_ends_in_whole_lines_and_says_what_is_left_out(tmp_path):
    lines = [f"line {n}" for n in range(60_000)]
    data = "\n".join(lines).encode()
    (tmp_path / "gen.log").write_bytes(data)
    shown = list(raw_logs.logs(tmp_path, Iteration(1, None, files={"gen.log": digest(data)})))
    assert (
        shown[0] == f"── gen.log   {len(data)} bytes" and shown[1] == "line 0" and shown[-1] == "line 59999"
    )
    cut = [line for line in shown if "are left out;" in line]
    assert len(cut) == 1 and str(tmp_path / "gen.log") in cut[0]
    left_out = int(cut[0].split()[1])
    assert left_out == len(data) - sum(map(len, _ends(shown)))
    assert set(shown[1:]) - set(cut) <= set(lines), "no half lines"


def _ends(shown: list[str]) -> list[bytes]:
    place = next(n for n, line in enumerate(shown) if "are left out;" in line)
    return ["\n".join(shown[1:place]).encode(), "\n".join(shown[place + 1 :]).encode()]


def test_a_log_that_is_missing_or_leaves_its_folder_is_told_and_the_others_are_shown(tmp_path):
    (tmp_path / "b.log").write_bytes(b"one\r\ntwo\x1b[2J\t.\n\xff\n")
    (tmp_path.parent / "secret").write_text("hidden")
    files = {"../secret": "", "a.log": "", "b.log": ""}
    shown = list(raw_logs.logs(tmp_path, Iteration(1, None, files=files)))
    assert any("secret: the name points outside" in line for line in shown)
    assert "── a.log: No such file or directory" in shown
    text = "\n".join(shown)
    assert "\none\ntwo[2J  .\n\\xff" in text and "\x1b" not in text and "hidden" not in text


def test_the_log_that_the_value_came_from_is_the_first_and_profiles_are_the_last(tmp_path):
    for name in ("cpu.graph", "generator.log", "receiver.log"):
        (tmp_path / name).write_text(f"of {name}\n")
    files = {"cpu.graph": "", "generator.log": "", "receiver.log": ""}
    shown = list(raw_logs.logs(tmp_path, Iteration(1, 1.0, source="receiver.log", files=files)))
    assert shown[0] == "3 logs, one after the other: receiver.log, generator.log, cpu.graph"
    assert [line for line in shown if line.startswith("of ")] == [
        "of receiver.log",
        "of generator.log",
        "of cpu.graph",
    ]


def test_a_line_without_an_end_is_cut_and_says_by_how_much(tmp_path):
    (tmp_path / "a.log").write_bytes(b"x" * 5000)
    shown = list(raw_logs.logs(tmp_path, Iteration(1, None, files={"a.log": ""})))
    assert shown[-1] == "x" * 2000 + "… 3000 more characters"


def test_that_no_kernel_message_is_there_does_not_say_that_there_was_none(tmp_path):
    """Where dmesg is restricted nobody could read them, and an import has none."""
    one = Iteration(1, 5.0)
    recorded, imported = (list(raw_logs.dmesg(tmp_path, one, imported)) for imported in (False, True))
    assert recorded == [
        "No kernel message was recorded with this iteration.",
        "Hosts that do not show theirs may have logged some; fwdtui doctor names them.",
    ]
    assert imported == ["An import has no kernel messages: whether there were any is not known."]
    text = b"1.000 dut: igb0: link state changed to DOWN\n"
    (tmp_path / "dmesg.txt").write_bytes(text)
    logged = msgspec.structs.replace(one, files={"dmesg.txt": digest(text)})
    assert list(raw_logs.dmesg(tmp_path, logged, False))[1:] == [
        "1.000 dut: igb0: link state changed to DOWN"
    ]


def test_every_packet_has_a_place_with_its_share_of_the_offered():
    lost = {"rx ring": 100, "input queue": 0, "tx soft queue": 90}
    text = packets_text(Packets(1000, 900, 800, 790, lost, 10))
    lines = [" ".join(line.split()) for line in text.plain.strip().splitlines()]
    assert lines == [
        "packets of the blast packets of offered",
        "offered 1 000 100.000 %",
        "into the DUT 900 90.000 %",
        "lost: rx ring 100 10.000 %",
        "lost: tx soft queue 90 9.000 %",
        "forwarded 800 80.000 %",
        "received 790 79.000 %",
        "in no counter 10 1.000 %",
    ]


def test_packets_that_are_not_known_are_a_dash_and_no_share():
    text = packets_text(Packets(forwarded=5))
    assert "offered –" in " ".join(text.plain.split()) and "%" not in text.plain.replace("of offered", "")


def test_a_count_of_any_length_is_shown_whole_and_a_share_that_is_zero_has_no_sign():
    """An hour of 100 Gb/s in the smallest frames."""
    account = Packets(535_714_285_714, 535_714_285_714, 5, 535_714_285_720, {"rx ring": 3}, -6)
    lines = [" ".join(line.split()) for line in packets_text(account).plain.strip().splitlines()]
    assert lines[1:] == [
        "offered 535 714 285 714 100.000 %",
        "into the DUT 535 714 285 714 100.000 %",
        "lost: rx ring 3 <0.001 %",
        "forwarded 5 <0.001 %",
        "received 535 714 285 720 100.000 %",
        "in no counter −6 0.000 %",
    ]
    whole = packets_text(account).plain.strip("\n").splitlines()
    assert len({line.rindex("%") for line in whole[1:]}) == 1, "the columns stay aligned"
    reasons = DropReasons("bpftrace", "namespace", 1.0, True, (ReasonRow("FULL", "f", 535_714_285_714, "d"),))
    text = packets_text(msgspec.structs.replace(account, reasons=reasons)).plain
    assert re.search(r"^FULL at f +535 714 285 714  not of", text, re.MULTILINE)


def test_metrics_of_long_figures_take_two_lines_rather_than_run_into_each_other() -> None:
    load = Summary(12_345_678_901.0, 12_345_678_902.0, 12_222_222_112.0, 12_469_135_690.0, 60)
    one = Iteration(1, load.median, unit="b/s", metrics={"received": load})
    case = Case("c", (one,))
    lines = account_text(Session("/s/a", "a", "", cases=(case,)), case, one).plain.splitlines()
    assert max(map(len, lines)) <= 76, "what is longer is broken in 80 columns"
    assert [line.rstrip() for line in lines if "12 " in line and "value" not in line] == [
        "received              12 345 678 901  12 345 678 902",
        "                      12 222 222 112  12 469 135 690   60 samples",
    ]


@pytest.mark.parametrize(("unit", "shown"), [("Mb/s", "941.5"), ("pps", "942")])
def test_what_a_metric_was_has_the_digits_that_its_unit_needs(unit, shown):
    one = Iteration(1, 900.0, unit=unit, metrics={"highest": Summary(941.5, 941.5, 941.5, 941.5, 1)})
    case = Case("x", (one,))
    text = account_text(Session("/s/a", "a", "", cases=(case,)), case, one).plain
    assert re.search(rf"^highest( +{shown}){{4}}   1 sample$", text, re.MULTILINE)
    offered = msgspec.structs.replace(one, metrics={"offered": one.metrics["highest"]})
    assert _cells(offered, describe(ResultSet("a", (900.0,))), False)["offered, pps"].plain == shown


def test_a_window_that_begins_just_before_the_blast_does_not_begin_at_minus_zero():
    window = Window("steady", 9.97, 20.0, 10)
    one = Iteration(1, 900.0, window=window)
    case = Case("x", (one,))
    points = {"received": (Point(11.0, 1.0, 900.0),)}
    series = IterationSeries(points, began=10.0)
    text = account_text(Session("/s/a", "a", "", cases=(case,)), case, one, series).plain
    assert "10 of 10 samples from 0.0 s to 10.0 s of the blast" in text


def case_of(values: list[float | None], offered: float | None = None) -> Session:
    metrics = {} if offered is None else {"offered": Summary(offered, offered, offered, offered, 60)}
    found = tuple(Iteration(n, value, metrics=metrics) for n, value in enumerate(values, 1))
    return Session(path="/s/a", label="a", created="", cases=(Case("x", found),))


@pytest.mark.parametrize("value, odd", [(900.0, {7}), (101.5, set())])
def test_the_iteration_that_the_statistics_call_an_outlier_is_named_by_its_number(value, odd):
    one = case_of([100.0, None, 101.0, 100.5, 101.2, 100.2, value])
    view = SessionView(one, {"x": case_set(one, one.cases[0], "a")})
    assert set(view.odd(one.cases[0])) == odd


@pytest.mark.parametrize("room", [20, 40, 60, 84, 85, 97, 119, 200])
def test_the_columns_of_iterations_fit_with_the_load_that_was_offered_where_there_is_room(room):
    known, unknown = (case_of([100.0], offered).cases[0] for offered in (120.0, None))
    found = _columns(room, known)
    assert sum(cells + 2 for _, cells in found) <= room
    assert ("offered, pps" in dict(found)) == (room >= 85)
    assert "offered, pps" not in dict(_columns(room, unknown))
    if room >= 85:
        assert dict(found)["warnings"] >= len("! in-run-variation")


def test_how_many_iterations_count_is_not_cut_in_the_list():
    values: list[float | None] = [*(1.0 + n for n in range(1000)), None]
    found = tuple(Iteration(n, value) for n, value in enumerate(values, 1))
    row = row_of(Session("/s/a", "a", "", cases=(Case("x", found),)))
    assert row.told == "1000/1001"
    for room in (40, 60, 80, 120, 200):
        widths = {column.key: column.width for column in columns(room, [*ROWS, row])}
        assert widths.get("iterations", 9) == 9
    assert {column.key: column.width for column in columns(120, ROWS)}["iterations"] == 5


def test_the_unit_in_a_head_is_not_cut():
    one = Iteration(1, 2.5, unit="us/packet", metrics={"offered": Summary(2.5, 2.5, 2.5, 2.5, 1)})
    wide = dict(_columns(200, Case("x", (one,))))
    assert wide["value, pps"] == len("value, us/packet") and wide["offered, pps"] == len("offered, us/packet")


def test_no_figure_of_an_iteration_is_cut_by_its_column():
    load = Summary(9_412_345_678.5, 1.0, 1.0, 1.0, 60)
    long = Window("steady", 1.0, 2.0, 36_000, head=120)
    found = [
        Iteration(1, 100.0),
        Iteration(2, 9_412_345_678.0, unit="b/s", metrics={"offered": load}, window=long),
    ]
    found += [
        Iteration(12_345, 12_345_678.5, unit="b/s"),
        Iteration(4, 1.0e9, unit="b/s"),
        Iteration(5, -100.0),
    ]
    case = Case("x", tuple(found))
    wide = dict(_columns(200, case))
    for median in (1e-3, 100.0, 1e6):
        for one in found:
            cells = _cells(one, describe(ResultSet("a", (median,))), False)
            assert all(columns_of(cells[title].plain) <= wide[title] for title in wide if title in cells)
    differences = [
        _to_median(value, 100.0) for value in (100.0, 100.004, 99.0, 1099.9, 1640.2, 1e12, -1e12, None)
    ]
    assert differences == [
        *("0.00 %", "0.00 %", "−1.00 %", "+999.90 %", "+1540 %", "+1e+12 %", "−1e+12 %", ""),
    ]


async def test_no_figure_of_a_case_is_cut_by_its_column():
    """A DataTable cuts without a mark: 12 345 678 90 of 12 345 678 901, and 100 of 1 of 100 of 120."""
    most = tuple(Iteration(n, None if n > 100 else 12_345_678_901.0, unit="b/s") for n in range(1, 121))
    few = (Iteration(1, 9_412.345, unit="Mb/s"), Iteration(2, 412.5, unit="Mb/s"))
    cases = [Case("a", most), Case("b", few)]
    shown = [
        (case, described(case_set(Session("/s/a", "a", "", cases=(case,)), case, "a"))) for case in cases
    ]

    class Tables(App[None]):
        def compose(self) -> ComposeResult:
            yield CaseTable("cases")

    app = Tables()
    async with app.run_test(size=(120, 20)) as pilot:
        app.query_one(CaseTable).show(shown, {})
        await pilot.pause()
        lines = [app.query_one(CaseTable).render_line(y).text for y in range(3)]
    assert "12 345 678 901 b/s" in lines[1] and "100 of 120" in lines[1] and "4 912.42 Mb/s" in lines[2]


def test_what_a_packet_cost_stands_in_the_account_with_its_parts_and_whose_cores_they_are() -> None:
    """Of a session that is older than costs: they are counted from its samples when it is opened."""
    folder = Path(__file__).parents[1] / "recorded" / "no-rules"
    view = read_view(folder)
    (case,) = view.session.cases
    text = read_iteration(view, case, case.iterations[0]).account.plain
    (cpu,) = (line for line in text.splitlines() if line.startswith("cpu-per-packet"))
    assert cpu.split()[:4] == ["cpu-per-packet", "2.854", "2.79", "2.914"]
    assert "us/packet" in cpu and "softirq 1.518, system 1.242" in cpu
    assert "the whole machine's, not the DUT's" in text


@pytest.mark.parametrize(("n", "told"), [(1, "1 sample"), (2, "2 samples")])
def test_a_metric_says_of_how_many_samples_it_is(n: int, told: str) -> None:
    iteration = Iteration(1, 5.0, metrics={"offered": Summary(5.0, 5.0, 5.0, 5.0, n)})
    case = Case("c", [iteration])
    text = account_text(Session("s", "s", "", cases=[case]), case, iteration).plain
    (line,) = (line for line in text.splitlines() if line.startswith("offered"))
    assert line.endswith(f"   {told}")


def test_a_cost_that_was_not_counted_is_a_dash_with_the_reason() -> None:
    cost = Cost("branch-misses/packet", why="no such counter here\x1b[1m")
    iteration = Iteration(1, 5.0, costs={"branch-misses-per-packet": cost})
    case = Case("c", [iteration])
    text = account_text(Session("s", "s", "", cases=[case]), case, iteration).plain
    (line,) = (line for line in text.splitlines() if line.startswith("branch-misses-per-packet"))
    assert line.split(maxsplit=2) == ["branch-misses-per-packet", "–", "not counted: no such counter here[1m"]


def test_an_absurd_value_does_not_fill_the_screen_with_its_digits() -> None:
    assert (figure(1_488_095.2, "pps"), figure(8e307, "pps")) == ("1 488 095", "8e+307")
