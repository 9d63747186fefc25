"""`fwdtui sessions`: a table for people, the contract's JSON for programs, and damage never hidden."""

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from fwdtui.cli import main
from fwdtui.cli.sessions import as_json
from fwdtui.cli.sessions_table import table
from fwdtui.core.model import Case, Caution, Iteration, Packets, Session, Summary
from fwdtui.store import SessionWriter, annotate, drop, rename

OFFERED = Summary(median=1.488e6, mean=1.4e6, min=1e6, max=1.5e6, n=60)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    root = tmp_path / "sessions"
    created = "2026-01-02T03:04:05+00:00"
    with SessionWriter.create(root / "apu2-base", label="r1", created=created) as session:
        for value in (1.0e6, 1.2e6, 1.1e6):
            session.begin("inet4").commit(
                Iteration(index=0, value=value, source="receiver.log", metrics={"offered": OFFERED})
            )
        session.begin("pf").commit(
            Iteration(index=0, value=None, warnings=(Caution("zero", "Nothing received."),))
        )
    with SessionWriter.create(root / "r2", label="r2", created=created) as session:
        session.begin("inet4").commit(Iteration(index=0, value=9.0e5))
    return root


def test_the_table_has_a_line_a_case(
    folder: Path, capsys: pytest.CaptureFixture[str], zone: Callable[[str], None]
) -> None:
    zone("UTC")
    assert main(["sessions", str(folder)]) == 0
    out, err = capsys.readouterr()
    assert out == (
        "session         created           case   n      median\n"
        "apu2-base (r1)  2026-01-02T03:04  inet4  3  1.100 Mpps\n"
        "                                  pf     0           –  1 without a value, 1 with warnings\n"
        "r2              2026-01-02T03:04  inet4  1  900.0 kpps\n"
    )
    assert err == ""


def test_a_session_is_dated_by_this_computers_clock_as_a_replay_is(
    folder: Path, capsys: pytest.CaptureFixture[str], zone: Callable[[str], None]
) -> None:
    zone("PST8")
    assert main(["sessions", str(folder)]) == 0
    assert "apu2-base (r1)  2026-01-01T19:04  inet4" in capsys.readouterr().out
    assert main(["sessions", str(folder), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)[0]["created"] == "2026-01-02T03:04:05+00:00"


def test_a_median_below_a_thousand_stands_apart_from_its_unit(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with SessionWriter.create(tmp_path / "s", label="s", created="2026-11-20T20:00:00+00:00") as writer:
        writer.begin("slow").commit(Iteration(index=0, value=455.5))
    assert main(["sessions", str(tmp_path)]) == 0
    assert capsys.readouterr().out.splitlines()[1].endswith("slow  1  455.5 pps")


def test_long_names_are_shortened_in_a_terminal_and_stay_different() -> None:
    label = "a label that says everything that there is to say about it " * 3
    cases = [
        Case(f"forwarding.with-a-long-name.inet{af}.and-more", [Iteration(index=1, value=1e6)])
        for af in (4, 6)
    ]
    sessions = [Session(f"x/{name}", label, "", {}, cases) for name in ("r1", "r2")]
    sessions.append(Session("x/" + "long-name" * 9, "other", ""))
    shown = table(sessions, Path("x"), 80).splitlines()
    assert max(map(len, shown)) <= 80
    assert [line.split()[0] for line in (shown[1], shown[3])] == ["r1", "r2"]  # what finds the session
    assert "inet4" in shown[1] and "inet6" in shown[2]
    assert label in table(sessions, Path("x"), None)  # in a file, all is whole


def test_values_in_several_units_have_no_median(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], zone: Callable[[str], None]
) -> None:
    zone("UTC")
    with SessionWriter.create(tmp_path / "vpn", label="vpn", created="2026-11-20T20:00:00+00:00") as writer:
        for unit in ("pps", "Mb/s", "pps"):
            writer.begin("ipsec").commit(Iteration(0, 700.0, unit=unit))
    assert main(["sessions", str(tmp_path)]) == 0
    row = capsys.readouterr().out.splitlines()[1]
    assert row.split() == ["vpn", "2026-11-20T20:00", "ipsec", "3", "–", "values", "in", "Mb/s", "and", "pps"]


def test_a_folder_that_cannot_be_read_is_a_row_and_an_entry_with_the_reason(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    bad = folder / "q"
    bad.mkdir()
    (bad / "session.toml").write_text('schema = 1\nlabel = 3\ncreated = ""\n')
    assert main(["sessions", str(folder)]) == 0
    out, err = capsys.readouterr()
    reason = "session.toml: label: expected a string, got an integer"
    row = out.splitlines()[3]
    assert row.split()[0] == "q" and row.endswith(f"  damaged: {reason}")
    assert err == f"fwdtui: {bad}/{reason}\n"
    assert main(["sessions", "--json", str(folder)]) == 0
    entries = json.loads(capsys.readouterr().out)
    assert entries[1] == {"path": str(bad), "label": "", "created": "", "cases": [], "damage": reason}
    assert all("damage" not in entries[place] for place in (0, 2))


def test_a_folder_with_damaged_sessions_only_is_not_called_empty(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "bad").mkdir()
    (tmp_path / "bad" / "session.toml").write_text("schema = \n")
    assert main(["sessions", str(tmp_path)]) == 0
    assert "damaged: session.toml: Invalid value" in capsys.readouterr().out
    (tmp_path / "without" / "inet4" / "001").mkdir(parents=True)
    (tmp_path / "without" / "inet4" / "001" / "iteration.json").touch()
    assert main(["sessions", str(tmp_path / "without")]) == 0
    assert "damaged: holds iterations but no session.toml" in capsys.readouterr().out


def test_the_json_is_the_contracts(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["sessions", str(folder), "--json"]) == 0
    first, second = json.loads(capsys.readouterr().out)
    assert list(first) == ["path", "label", "created", "cases"]
    assert first["path"] == str(folder / "apu2-base")
    assert first["label"] == "r1"
    assert first["created"] == "2026-01-02T03:04:05+00:00"
    assert [case["name"] for case in first["cases"]] == ["inet4", "pf"]
    assert first["cases"][0]["iterations"][1] == {
        "index": 2,
        "value": 1.2e6,
        "unit": "pps",
        "source": "receiver.log",
        "complete": True,
        "factors": {"session": "r1", "case": "inet4"},
        "metrics": {
            "offered": {
                "median": 1.488e6,
                "mean": 1.4e6,
                "min": 1e6,
                "max": 1.5e6,
                "n": 60,
                "unit": "pps",
                "better": "more",
            },
            "forwarded": None,
            "received": None,
        },
        "costs": {},
        "warnings": [],
        "packets": None,
        "limit": None,
    }
    assert first["cases"][1]["iterations"][0]["value"] is None
    assert first["cases"][1]["iterations"][0]["warnings"] == [{"code": "zero", "text": "Nothing received."}]
    assert second["label"] == "r2"


def test_a_recorded_blasts_packets_and_limit_are_in_the_json() -> None:
    packets = Packets(
        100, 60, 55, 54, {"rx ring": 40, "output": 5}, 0,
        at_nic=100, nic={"ix0 mac_stats.rx_missed_packets": 40}, unread={"output": "reset"},
    )  # fmt: skip
    one = Iteration(1, 55.0, packets=packets, limit=Caution("dut-limited", "It is."))
    session = Session("s", "s", "", cases=[Case("c", [one])])
    (found,) = json.loads(as_json([session]))[0]["cases"][0]["iterations"]
    assert found["limit"] == {"code": "dut-limited", "text": "It is."}
    assert found["packets"] == {
        "offered": 100,
        "at_nic": 100,
        "dut_in": 60,
        "forwarded": 55,
        "received": 54,
        "drops": {"rx ring": 40, "output": 5},
        "unread": {"output": "reset"},
        "unaccounted": 0,
        "nic": {"ix0 mac_stats.rx_missed_packets": 40},
    }


def test_the_folder_is_sessions_by_default(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder.parent)
    assert main(["sessions"]) == 0
    assert "apu2-base" in capsys.readouterr().out


class TestAnnotations:
    """What people said of the sessions since."""

    def test_a_dropped_iteration_is_marked_and_not_counted(
        self, folder: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        drop(folder / "apu2-base", "inet4", 2, "the link bounced")
        assert main(["sessions", str(folder)]) == 0
        line = capsys.readouterr().out.splitlines()[1]
        assert line.endswith("  inet4  2  1.050 Mpps  iteration 2 dropped: the link bounced")

    def test_the_json_keeps_it_with_its_value_and_a_warning(
        self, folder: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        assert main(["sessions", str(folder), "--json"]) == 0
        before = json.loads(capsys.readouterr().out)
        drop(folder / "apu2-base", "inet4", 2, "the link bounced")
        assert main(["sessions", str(folder), "--json"]) == 0
        after = json.loads(capsys.readouterr().out)
        warnings = after[0]["cases"][0]["iterations"][1]["warnings"]
        assert warnings == [{"code": "dropped", "text": "the link bounced"}]
        warnings.clear()
        assert after == before, "and nothing else is another"

    def test_label_and_note_are_shown(self, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
        rename(folder / "r2", "r2 with pf")
        annotate(folder / "r2", "fan broken\nuntil 14:00")
        assert main(["sessions", str(folder)]) == 0
        lines = capsys.readouterr().out.splitlines()
        assert lines[3].startswith("r2 (r2 with pf)")
        assert lines[4:] == ["  fan broken", "  until 14:00"]

    def test_damage_of_the_annotations_is_told_and_the_session_listed(
        self, folder: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        (folder / "r2" / "annotations.toml").write_text("label =")
        assert main(["sessions", str(folder)]) == 0
        out, err = capsys.readouterr()
        assert "r2 " in out
        assert err.count("\n") == 1 and "r2/annotations.toml: Invalid value" in err

    def test_a_session_that_is_being_recorded_is_marked(
        self, folder: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        with SessionWriter(folder / "r2"):
            assert main(["sessions", str(folder)]) == 0
        assert capsys.readouterr().out.splitlines()[-1].endswith("900.0 kpps  being recorded")


@pytest.mark.parametrize("options", [[], ["--json"]])
class TestDamage:
    def test_a_session_that_cannot_be_read_is_told_on_stderr_and_the_others_are_listed(
        self, folder: Path, capsys: pytest.CaptureFixture[str], options: list[str]
    ) -> None:
        (folder / "r2" / "session.toml").write_text("schema = 1\nlabel = ")
        assert main(["sessions", str(folder), *options]) == 0
        out, err = capsys.readouterr()
        assert "inet4" in out
        assert "r2/session.toml" in err
        assert err.count("\n") == 1

    def test_an_unfinished_iteration_is_listed_without_a_value_and_told(
        self, folder: Path, capsys: pytest.CaptureFixture[str], options: list[str]
    ) -> None:
        (folder / "r2" / "inet4" / "001" / "iteration.json").unlink()
        assert main(["sessions", str(folder), *options]) == 0
        out, err = capsys.readouterr()
        assert err == f"fwdtui: {folder}/r2/inet4/001: unfinished: it has no iteration.json\n"
        if options:
            (iteration,) = json.loads(out)[1]["cases"][0]["iterations"]
            assert (iteration["value"], iteration["complete"]) == (None, False)
        else:
            assert "1 without a value" in out

    def test_a_session_of_a_newer_fwdtui_is_told(
        self, folder: Path, capsys: pytest.CaptureFixture[str], options: list[str]
    ) -> None:
        path = folder / "r2" / "session.toml"
        path.write_text(path.read_text().replace("schema = 1", "schema = 99"))
        assert main(["sessions", str(folder), *options]) == 0
        assert "newer than this fwdtui knows" in capsys.readouterr().err


def test_a_folder_without_sessions_says_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["sessions", str(tmp_path)]) == 0
    assert capsys.readouterr().out == f"no sessions in {tmp_path}\n"
    assert main(["sessions", str(tmp_path), "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == []


def test_a_folder_that_does_not_exist_is_status_2(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["sessions", str(tmp_path / "none")]) == 2
    assert capsys.readouterr().err == f"fwdtui: {tmp_path}/none: no such session or folder of sessions\n"


def test_names_from_a_file_cannot_move_the_cursor(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    created = "2026-01-02T03:04:05+00:00\x1b[2J"
    with SessionWriter.create(tmp_path / "a\x1b[31m", label="x\x1b[2J", created=created) as session:
        session.begin("c\x07ase").commit(Iteration(index=0, value=1.0, unit="pps\x1b[5m"))
    assert main(["sessions", str(tmp_path)]) == 0
    out = capsys.readouterr().out
    assert not [character for character in out if character != "\n" and not character.isprintable()]


def test_listing_loads_neither_numpy_nor_the_app(folder: Path) -> None:
    names = ["textual", "asyncssh", "scipy", "numpy", "plotext", "matplotlib", "rich"]
    code = (
        "import sys; from fwdtui.cli import main; main(sys.argv[1:]);"
        f"print(*(name for name in {names} if name in sys.modules), file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, "sessions", str(folder)], capture_output=True, text=True, timeout=60
    )
    assert done.stderr.split() == []


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (["none"], "none: no such session or folder of sessions"),
        (["sessions/r3"], "sessions/r3: no such session or folder of sessions; there are apu2-base, r2"),
        (["r2"], "r2: --tui opens a folder of sessions"),
        (["sessions/r2"], "sessions/r2: --tui opens a folder of sessions"),
        (["sessions", "--json"], "--tui cannot be combined with --json"),
        (["sessions"], "the app needs a terminal"),
    ],
)
def test_the_app_opens_a_folder_of_sessions_and_nothing_else(
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    arguments: list[str],
    why: str,
) -> None:
    monkeypatch.chdir(folder.parent)
    assert main(["sessions", *arguments, "--tui"]) == 2
    assert capsys.readouterr().err.startswith(f"fwdtui: {why}")
