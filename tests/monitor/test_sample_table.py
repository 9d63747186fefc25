"""A table of samples: the cells, what is missing, several tables, and text that is anybody's."""

import csv
import json

import pytest

from fwdtui.monitor.live.moment import sample_rows
from fwdtui.monitor.live.sample_table import SampleTable, as_csv, as_json, text
from fwdtui.monitor.live.series import CoreLoad, Point

FLOWS = {
    "offered": [Point(11.0, 1.0, 1000.4, bps=480_000.0), Point(12.0, 1.0, 1000.0)],
    "received": [Point(11.0, 1.0, 900.0, bps=432_000.0), Point(12.0, 1.0, None, why="reboot")],
}
CORES = [CoreLoad(11.0, 1.0, 0.995, 2), CoreLoad(12.0, 1.0, None, why="reboot")]
TABLE = SampleTable("a", sample_rows(FLOWS, CORES), origin=10.0)


def cells(printed: str) -> list[list[str]]:
    return [line.split(maxsplit=7) for line in printed.splitlines()]


def test_a_line_for_each_sample_with_the_cause_of_what_is_missing():
    title, *rows = cells(text([TABLE]))
    assert " ".join(title) == "# a: packets per second"
    assert rows == [
        ["s", "offered", "received", "lost", "lost%", "core", "busy%"],
        ["0.50", "1000", "900", "100", "10.0", "2", "99.5"],
        ["1.50", "1000", "-", "-", "-", "-", "-", "received: the host was rebooted"],
    ]


def test_a_moment_that_is_the_origin_but_for_rounding_has_no_sign():
    rows = sample_rows({"received": [Point(10.498, 1.0, 900.0)]})
    printed = cells(text([SampleTable("a", rows, origin=10.0)]))
    assert printed[2][0] == "0.00"


def test_in_bits_the_loss_is_still_in_packets():
    printed = text([TABLE], bits=True)
    assert "flows in bits per second (hosts count differently), loss in packets" in printed.splitlines()[0]
    assert cells(printed)[2] == ["0.50", "480000", "432000", "100", "10.0", "2", "99.5"]
    assert "offered: bits are not counted; received: the host was rebooted" in printed


def test_with_the_frames_length_flows_and_loss_are_bits_of_layer_2():
    framed = SampleTable("a", TABLE.rows, 10.0, frame=64)
    printed = text([framed], bits=True)
    assert printed.splitlines()[0] == "# a: bits per second (L2, frames of 64 B)"
    # 1000.4, 900 and 100.4 packets of 512 bits; the byte counters said something else
    assert cells(printed)[2] == ["0.50", "512205", "460800", "51405", "10.0", "2", "99.5"]
    assert cells(printed)[3][:4] == ["1.50", "512000", "-", "-"], "packets tell the bits nobody counted"
    assert cells(text([framed]))[2][:4] == ["0.50", "1000", "900", "100"]


def test_files_have_the_same_layer_2_bits_beside_those_that_were_counted():
    framed = SampleTable("a", TABLE.rows, 10.0, frame=64)
    first, second = json.loads(as_json([framed]))["tables"][0]["rows"]
    assert (first["frame"], first["offered_bps"], first["received_l2_bps"]) == (64, 480_000.0, 460_800.0)
    assert first["offered_l2_bps"] - first["received_l2_bps"] == pytest.approx(first["lost_l2_bps"])
    assert (
        second["offered_l2_bps"] == 512_000.0 and second["received_l2_bps"] is second["lost_l2_bps"] is None
    )
    plain = json.loads(as_json([TABLE]))["tables"][0]["rows"][0]
    assert plain["frame"] is plain["offered_l2_bps"] is None, "the length is not known"
    row = next(csv.DictReader(as_csv([framed]).splitlines()))
    assert (row["frame"], row["received_l2_bps"]) == ("64", "460800.0")


def test_clocks_have_a_column_of_their_own():
    dated = SampleTable("a", TABLE.rows, 10.0, ("12:00:00", "12:00:01"))
    assert [row[:2] for row in cells(text([dated]))[1:]] == [
        ["s", "time"],
        ["0.50", "12:00:00"],
        ["1.50", "12:00:01"],
    ]


def test_several_tables_have_their_titles_and_in_csv_their_numbers():
    other = SampleTable("=cmd()\x1b[31m", TABLE.rows)
    printed = text([TABLE, other]).splitlines()
    assert [line for line in printed if line[0] == "#"] == [
        "# a: packets per second",
        "# =cmd()[31m: packets per second",
    ]
    rows = list(csv.DictReader(as_csv([TABLE, other]).splitlines()))
    assert [row["table"] for row in rows] == ["1", "1", "2", "2"] and "cmd" not in as_csv([other])
    assert "\x1b" not in as_json([other])


def test_what_is_not_known_is_null_in_json_and_empty_in_csv():
    first, second = json.loads(as_json([TABLE]))["tables"][0]["rows"]
    assert first["offered"] == 1000.4 and first["offered_bps"] == 480_000.0 and first["forwarded"] is None
    assert second["received"] is None and second["lost"] is None and second["core"] is None
    assert second["missing"] == "received: the host was rebooted"
    _, row = csv.DictReader(as_csv([TABLE]).splitlines())
    assert row["received"] == row["lost"] == row["lost_percent"] == "" and row["s"] == "1.5"


def test_no_samples_are_a_head_alone():
    assert text([SampleTable("a", ())]).splitlines()[1].split() == ["s", "lost", "lost%", "core", "busy%"]
    assert as_csv([SampleTable("a", ())]).startswith("table,s,time,offered,offered_bps,")
