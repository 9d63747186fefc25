"""`fwdtui replay`: what it refuses, in one line, before anything of a screen is loaded."""

import csv
import json
import shutil
import subprocess
import sys
from pathlib import Path

import forked
import pytest

SHIPPED = Path(__file__).resolve().parents[2] / "sessions"


def run(*arguments: str, cwd: Path = SHIPPED) -> "subprocess.CompletedProcess[str]":
    return forked.run("replay", *arguments, cwd=cwd)


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["nothing"], "no such session; there are no-rules, rules-100"),
        (["no-rules/pf.inet4"], "no case 'pf.inet4'; there are forwarding.inet4"),
        (["no-rules/forwarding.inet4/17"], "no iteration '17'; there are 1, 2, 3, 4, 5"),
        (["no-rules", "--beside", "rules-100/pf"], "no case 'pf'; there are forwarding.inet4"),
        (["no-rules"], "the app needs a terminal"),
        (["no-rules/forwarding.inet4/003", "--beside", "rules-100"], "the app needs a terminal"),
        (["no-rules", "--format", "json"], "--format needs --table"),
        (["no-rules", "--table", "--beside", "rules-100"], "--table prints one recording"),
        (["nothing", "--table"], "no such session"),
        ([], "SESSION[/CASE[/ITERATION]]"),
    ],
)
def test_it_is_refused_in_one_line_with_status_2(arguments, told):
    done = run(*arguments)
    assert done.returncode == 2 and done.stdout == ""
    assert len(done.stderr.splitlines()) == 1 and told in done.stderr


def test_a_session_is_found_by_its_name_in_the_folder_of_sessions():
    assert "needs a terminal" in run("no-rules/forwarding.inet4", cwd=SHIPPED.parent).stderr
    assert "no case 'x'" in run("no-rules/x", cwd=SHIPPED.parent).stderr


def test_the_refusals_load_no_screen():
    code = (
        "import sys\nfrom fwdtui.cli import main\nassert main(['replay', 'no-rules']) == 2\n"
        "print(sorted(sys.modules))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True, text=True, timeout=60, stdin=subprocess.DEVNULL, cwd=SHIPPED, check=True,
    )  # fmt: skip
    assert "'textual'" not in done.stdout and "'asyncssh'" not in done.stdout


def test_the_table_has_the_same_samples_in_every_format_and_needs_no_terminal():
    iteration = "no-rules/forwarding.inet4/001", "--table"
    printed = run(*iteration)
    assert printed.returncode == 0 and printed.stderr == ""
    title, head, *lines = printed.stdout.splitlines()
    assert title == "# no-rules ▸ forwarding.inet4 ▸ 1: packets per second"
    rows = [dict(zip(head.split(), line.split(), strict=False)) for line in lines]
    written = list(csv.DictReader(run(*iteration, "--format", "csv").stdout.splitlines()))
    (table,) = json.loads(run(*iteration, "--format", "json").stdout)["tables"]
    assert len(rows) == len(written) == len(table["rows"]) > 10
    for row, cells, record in zip(rows, written, table["rows"], strict=True):
        for name in ("offered", "forwarded", "received", "lost"):
            assert (row[name] == "-") == (record[name] is None) == (cells[name] == "")
            if record[name] is not None:
                assert float(cells[name]) == record[name]
                assert int(row[name]) == round(record[name])
        assert row["time"] == cells["time"] == record["time"]


def test_the_table_of_a_recording_has_bits_of_layer_2_if_its_lab_gave_the_frames_length(tmp_path):
    shutil.copytree(SHIPPED / "no-rules", tmp_path / "no-rules")
    written = tmp_path / "no-rules" / "session.toml"
    written.write_text(written.read_text().replace("[[lab.generator]]\n", "[[lab.generator]]\nframe = 64\n"))
    asked = "no-rules/forwarding.inet4/001", "--table", "--format", "json"
    (before,) = json.loads(run(*asked).stdout)["tables"]
    (after,) = json.loads(run(*asked, cwd=tmp_path).stdout)["tables"]
    for old, new in zip(before["rows"], after["rows"], strict=True):
        assert old["frame"] is old["offered_l2_bps"] is None and new["frame"] == 64
        for name in ("offered", "forwarded", "received", "lost"):
            rate = new[name]
            assert rate == old[name] and new[f"{name}_l2_bps"] == (None if rate is None else rate * 512)
    assert any(row["lost"] for row in after["rows"])


def test_the_table_of_a_session_has_what_its_iterations_were_made_from():
    (table,) = json.loads(run("no-rules/forwarding.inet4/002", "--table", "--format", "json").stdout)[
        "tables"
    ]
    saved = json.loads((SHIPPED / "no-rules/forwarding.inet4/002/iteration.json").read_text())
    rates = [row["received"] for row in table["rows"]]
    assert any(rate == pytest.approx(saved["value"]) for rate in rates)  # a median of an odd number of them
