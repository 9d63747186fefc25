"""Lab hygiene of recorded sessions: kept, told, and compared; and what changed while they were recorded."""

import errno
import json
import os
from pathlib import Path

import msgspec
import pytest
from hand_made import BASE, FASTER
from swept import BENT, queues, swept

from fwdtui.cli import main
from fwdtui.core.findings import NOISY, NOTE, WRONG, Finding, HostFindings
from fwdtui.core.model import Iteration, Planned
from fwdtui.monitor.run import hygiene_kept
from fwdtui.monitor.run.beginning import open_session
from fwdtui.monitor.run.recorder import Recorder
from fwdtui.report import facts, hygiene, hygiene_of, sweep_words
from fwdtui.report.comparison import judge_sides
from fwdtui.report.document import Choices, Document
from fwdtui.report.iterations import case_set
from fwdtui.report.markdown import render
from fwdtui.report.own_warnings import own_warnings
from fwdtui.report.sides import Side, load_sides
from fwdtui.store import SessionWriter, opening, read_session
from fwdtui.store import hygiene as stored
from fwdtui.ui.sessions.session_view import read_view

LRO = Finding(
    "lro", WRONG, "LRO is on", "eth0", "a router must not merge packets", "dev.c", "ethtool -K eth0 lro off"
)
SAVING = Finding("governor", NOISY, "the governor is powersave", why="it follows the load")
SMT = Finding("smt", NOTE, "two threads share a core (SMT is active)")


def found(
    *findings: Finding, host: str = "dut", minute: int = 0, unread: tuple[str, ...] = ()
) -> HostFindings:
    return HostFindings(host, ("dut",), f"2026-01-01T10:{minute:02}:00+00:00", findings, unread)


def session(path: Path, *readings: HostFindings, fast: bool = False, planned: Planned | None = None) -> Path:
    with SessionWriter.create(path, label=path.name, created="2026-01-01T10:00:00+00:00") as writer:
        for value in FASTER if fast else BASE:
            writer.begin("v4").commit(Iteration(0, value, planned=planned))
        if readings:
            writer.keep_hygiene(readings)
    return path


def test_what_was_found_is_read_back_as_it_was_written(tmp_path: Path) -> None:
    path = session(tmp_path / "a", found(LRO, SMT), found(host="gen"))
    kept = read_session(path)
    assert kept.hygiene == (found(LRO, SMT), found(host="gen")) and kept.problems == ()
    assert read_session(session(tmp_path / "b")).hygiene == ()


def test_a_file_that_was_changed_is_damage_and_the_rest_of_the_session_is_read(tmp_path: Path) -> None:
    path = session(tmp_path / "a", found(LRO))
    file = path / "hygiene.json"
    file.write_text(file.read_text().replace("LRO is on", "LRO is off"))
    kept = read_session(path)
    assert kept.hygiene == () and len(kept.cases[0].iterations) == len(BASE)
    (problem,) = kept.problems
    assert "hygiene.json" in problem and "checksum" in problem


def test_control_characters_of_a_file_do_not_get_out_of_it(tmp_path: Path) -> None:
    hostile = msgspec.structs.replace(LRO, seen="LRO\x1b[2J is on", do="a\nb")
    (kept,) = read_session(session(tmp_path / "a", found(hostile))).hygiene
    assert not any("\x1b" in text or "\n" in text for text in msgspec.structs.astuple(kept.findings[0]))


# a recording


def recorder(folder: Path) -> Recorder:
    return Recorder(open_session(folder, "s"), "v4")


def test_a_recording_keeps_the_first_findings_and_each_change_and_tells_it(tmp_path: Path) -> None:
    one = recorder(tmp_path)
    one.take_hygiene(found(SMT))
    one.take_hygiene(found(SMT, minute=1))
    assert one.taken_news() == []
    one.take_hygiene(found(SAVING, minute=2))
    assert [event.text for event in one.taken_news()] == [
        "dut: governor: the governor is powersave",
        "dut: smt: no longer two threads share a core (SMT is active)",
    ]
    one.close()
    assert read_session(one.folder).hygiene == (found(SMT), found(SAVING, minute=2))


def test_the_next_recording_adds_to_them_and_tells_no_change_that_it_did_not_see(tmp_path: Path) -> None:
    for minute, finding in enumerate((SMT, SAVING)):
        one = recorder(tmp_path)
        one.take_hygiene(found(finding, minute=minute))
        assert one.taken_news() == []
        one.close()
    assert read_session(one.folder).hygiene == (found(SMT), found(SAVING, minute=1))


def test_as_many_readings_as_a_recording_keeps_are_read_back(tmp_path: Path) -> None:
    """A level that is changed before each trial, on a DUT with many cards: some megabytes."""
    cards = [msgspec.structs.replace(LRO, where=f"eth{n}", why="so " * 60, do="do " * 60) for n in range(30)]
    readings = [found(*cards, msgspec.structs.replace(SMT, seen=f"state {turn}")) for turn in range(100)]
    one = recorder(tmp_path)
    for reading in readings:
        one.take_hygiene(reading)
    one.close()
    assert (one.folder / "hygiene.json").stat().st_size > 1 << 20
    kept = read_session(one.folder)
    assert list(kept.hygiene) == readings and kept.problems == ()


def test_what_comes_back_is_read_back_each_time_and_takes_no_room(tmp_path: Path) -> None:
    """Two kernels in turns: from the hundredth change on, the last one that was kept stood for all."""
    readings = [found(*((LRO, SMT), (SMT,))[turn % 2], minute=turn % 60) for turn in range(300)]
    one = recorder(tmp_path)
    for reading in readings:
        one.take_hygiene(reading)
    one.close()
    assert list(read_session(one.folder).hygiene) == readings
    assert (one.folder / "hygiene.json").read_text().count('"LRO is on"') == 1


def test_from_a_reading_that_is_not_kept_any_more_nothing_is_known_until_one_comes_back(
    tmp_path: Path,
) -> None:
    states = [msgspec.structs.replace(SMT, seen=f"state {turn}") for turn in range(102)]
    one = recorder(tmp_path)
    for reading in [*(found(state) for state in states), found(states[0], minute=9)]:
        one.take_hygiene(reading)
    one.close()
    kept = read_session(one.folder).hygiene
    assert len(kept) == 102 and kept[99] == found(states[99]) and kept[101] == found(states[0], minute=9)
    (last,) = kept[100].findings
    why = "not kept: there were 100 different readings before, or too many in all"
    assert (last.code, last.seen) == ("not-read", why)
    assert kept[100].is_unread("smt")


def test_a_small_file_that_would_be_large_written_out_is_not_read_and_stays_as_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A line of it stands for a reading of any size: a kilobyte was megabytes of `sessions --json`."""
    readings = [found(*((LRO, SMT), (SMT,))[turn % 2]) for turn in range(100)]
    size = sum(map(stored.written_out, readings))
    one = recorder(tmp_path)
    for reading in readings:
        one.take_hygiene(reading)
    one.close()
    data = (one.folder / "hygiene.json").read_bytes()
    monkeypatch.setattr(stored, "WRITTEN_OUT_MOST", size)
    assert len(read_session(one.folder).hygiene) == 100
    monkeypatch.setattr(stored, "WRITTEN_OUT_MOST", size - 1)
    kept = read_session(one.folder)
    assert kept.hygiene == () and "hygiene.json: all readings take more than" in "".join(kept.problems)
    again = recorder(tmp_path)
    again.take_hygiene(found(SAVING))
    assert ["what is found on the hosts is not saved" in news.text for news in again.taken_news()] == [True]
    again.close()
    assert (one.folder / "hygiene.json").read_bytes() == data


def test_what_a_recording_keeps_can_be_read_back_written_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    readings = [found(*((LRO, SMT), (SMT,))[turn % 2]) for turn in range(100)]
    room = sum(map(stored.written_out, readings[:50]))
    monkeypatch.setattr(stored, "WRITTEN_OUT_MOST", room + hygiene_kept._SPARE)
    for part in (readings[:30], readings[30:]):  # a further recording counts what is there
        one = recorder(tmp_path)
        for reading in part:
            one.take_hygiene(reading)
        one.close()
    kept = read_session(one.folder)
    assert kept.problems == () and list(kept.hygiene[:50]) == readings[:50]
    assert [one.code for reading in kept.hygiene[50:] for one in reading.findings] == ["not-read"]


HIDDEN = Finding("not-read", NOTE, "cannot be read: governor (no result within 10 s)")


def test_what_could_not_be_read_once_is_told_so_and_is_no_change(tmp_path: Path) -> None:
    """It was told as "no longer the governor is powersave", and found anew by the next reading."""
    one = recorder(tmp_path)
    told = []
    for reading in (
        found(SAVING, SMT),
        found(SMT, HIDDEN, minute=1, unread=("governor",)),
        found(SAVING, SMT, minute=2),
        found(SMT, minute=3),
    ):
        one.take_hygiene(reading)
        told.append([event.text for event in one.taken_news()])
    one.close()
    gone = "governor: no longer the governor is powersave"
    assert told == [[], [f"dut: {HIDDEN.seen}"], [], [f"dut: {gone}"]]
    (changed,) = hygiene.changes(read_session(one.folder))
    assert changed.text == f"dut changed while it was recorded: {gone}"


def test_a_change_that_a_reading_missed_is_told_by_the_next_one(tmp_path: Path) -> None:
    other = msgspec.structs.replace(SAVING, seen="the governor is schedutil")
    kept = read_session(
        session(tmp_path / "r1", found(SAVING), found(minute=1, unread=("governor",)), found(other, minute=2))
    )
    text = "governor: the governor is schedutil (before: the governor is powersave)"
    assert [one.text for one in hygiene.changes(kept)] == [f"dut changed while it was recorded: {text}"]
    assert hygiene.facts(kept) == {
        "dut.hygiene.governor": "the governor is powersave; then the governor is schedutil"
    }


def test_what_the_first_reading_did_not_see_is_no_change_either(tmp_path: Path) -> None:
    kept = read_session(
        session(tmp_path / "r1", found(SMT, unread=("governor", "pause")), found(SAVING, SMT, minute=1))
    )
    assert hygiene.changes(kept) == []
    assert hygiene.facts(kept)["dut.hygiene.governor"] == "the governor is powersave"


def test_at_the_end_what_the_last_reading_did_not_see_is_as_it_was(tmp_path: Path) -> None:
    path = session(tmp_path / "r1", found(LRO, SAVING), found(HIDDEN, minute=1, unread=("governor", "lro")))
    (kept,) = hygiene.latest(read_session(path))
    assert kept.findings == (LRO, SAVING, HIDDEN)


def test_a_side_that_could_not_be_read_has_not_nothing(tmp_path: Path) -> None:
    one = session(tmp_path / "r1", found(SMT, unread=("eth0 lro",)))
    two = session(tmp_path / "r2", found(LRO, SMT), fast=True)
    differing = facts.compare(load_sides([str(one), str(two)])).differing
    assert differing == (("dut.hygiene.eth0 lro", ("not read", "LRO is on")),)


def test_many_changes_of_one_place_are_counted(tmp_path: Path) -> None:
    readings = [found(*[SAVING] * (turn % 2), minute=turn) for turn in range(11)]
    assert hygiene.facts(read_session(session(tmp_path / "r1", *readings))) == {
        "dut.hygiene.governor": "–; then the governor is powersave; and so on, 10 changes; at last –"
    }


def test_the_file_of_a_newer_fwdtui_is_not_replaced(tmp_path: Path) -> None:
    for finding in (SMT, SAVING):
        one = recorder(tmp_path)
        one.take_hygiene(found(finding))
        one.close()
        file = one.folder / "hygiene.json"
        newer = file.read_text().replace('"schema": 1', '"schema": 2')
        file.write_text(newer)
    assert "SMT is active" in newer and "powersave" not in newer
    (news,) = one.taken_news()
    assert "schema 2 is newer" in news.text and news.text.endswith("what is found on the hosts is not saved")


def test_a_damaged_file_is_kept_under_another_name_and_told(tmp_path: Path) -> None:
    """It was replaced, as if nothing had been found before: one changed byte lost all of it."""
    damaged = []
    for turn, finding in enumerate((SMT, SAVING, LRO)):
        one = recorder(tmp_path)
        one.take_hygiene(found(finding))
        one.close()
        if turn:
            (news,) = one.taken_news()
            assert "hygiene.json: checksum does not match" in news.text
            assert f"it is kept as hygiene.json.damaged{'-2' if turn == 2 else ''}, and a new" in news.text
        file = one.folder / "hygiene.json"
        damaged.append(file.read_text().replace('"schema": 1,', '"schema": 1, '))
        file.write_text(damaged[-1].replace("dut", "DUT"))
    kept = [one.folder / "hygiene.json.damaged", one.folder / "hygiene.json.damaged-2"]
    assert ["SMT is active" in kept[0].read_text(), "powersave" in kept[1].read_text()] == [True, True]
    file.write_text(damaged[-1])
    session = read_session(one.folder)
    assert session.hygiene == (found(LRO),)
    (problem,) = session.problems
    assert problem.startswith(f"{kept[0]}: was damaged and was set aside by a later recording")


def test_a_file_that_cannot_be_read_at_the_moment_stays_as_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    one = recorder(tmp_path)
    one.take_hygiene(found(SMT))
    one.close()
    before = (one.folder / "hygiene.json").read_bytes()

    read = opening.read

    def fail(path: Path | str, most: int = opening.TEXT_MOST, *, within: int | None = None) -> bytes:
        if Path(path).name == "hygiene.json":
            raise OSError(errno.EIO, os.strerror(errno.EIO))
        return read(path, most, within=within)

    with monkeypatch.context() as patched:
        patched.setattr(opening, "read", fail)
        one = recorder(tmp_path)
        one.take_hygiene(found(SAVING))
        one.close()
    (news,) = one.taken_news()
    assert news.text == "hygiene.json: Input/output error: what is found on the hosts is not saved"
    assert (one.folder / "hygiene.json").read_bytes() == before
    assert not list(one.folder.glob("hygiene.json.*"))


# told


@pytest.fixture
def pair(tmp_path: Path) -> list[str]:
    one = session(tmp_path / "r1", found(LRO, SMT))
    two = session(tmp_path / "r2", found(SAVING, SMT), fast=True)
    return [str(one), str(two)]


def test_what_differs_between_two_sides_is_among_the_facts_that_differ(pair: list[str]) -> None:
    both = facts.compare(load_sides(pair))
    assert both.labels == ("r1", "r2")
    assert both.differing == (
        ("dut.hygiene.eth0 lro", ("LRO is on", "–")),
        ("dut.hygiene.governor", ("–", "the governor is powersave")),
    )
    assert both.shared == ()


IP, IP6 = (Finding("redirects", NOISY, f"{name} is 1") for name in ("ip.redirect", "ip6.redirect"))


def test_one_of_two_things_that_a_rule_saw_in_one_place_differs_and_changes_too(tmp_path: Path) -> None:
    one = session(tmp_path / "r1", found(IP, IP6))
    two = session(tmp_path / "r2", found(IP), fast=True)
    assert facts.compare(load_sides([str(one), str(two)])).differing == (
        ("dut.hygiene.redirects", ("ip.redirect is 1; ip6.redirect is 1", "ip.redirect is 1")),
    )
    both = "ip.redirect is 1; ip6.redirect is 1"
    assert found(IP6).changes(found(IP, IP6)) == (f"redirects: ip6.redirect is 1 (before: {both})",)
    assert found(IP, IP6).changes(found(IP, IP6)) == ()
    assert found().changes(found(IP, IP6)) == (f"redirects: no longer {both}",)


def test_a_session_of_which_nothing_is_known_differs_in_nothing(tmp_path: Path, pair: list[str]) -> None:
    assert facts.compare(load_sides([pair[0], str(session(tmp_path / "old"))])).differing == ()


def test_the_report_lists_them_by_host_worst_first(pair: list[str]) -> None:
    text = render(Document(judge_sides(load_sides(pair)), Choices(), None))
    assert (
        text.partition("### Lab hygiene\n")[2]
        .partition("\n#")[0]
        .startswith(
            "\ndut:\n\n"
            "- **wrong** eth0: LRO is on (only r1): a router must not merge packets\n"
            "- **noisy** the governor is powersave (only r2): it follows the load\n"
            "- **note** two threads share a core (SMT is active)\n"
        )
    )
    assert "dut.hygiene.governor" in text.partition("## Lab: what differs")[2].partition("\n## ")[0]


def test_what_two_versions_of_fwdtui_saw_is_one_finding_though_they_advise_otherwise(tmp_path: Path) -> None:
    newer = msgspec.structs.replace(LRO, why="it must not merge any", do="ethtool -K eth0 lro off gro off")
    one = session(tmp_path / "r1", found(LRO))
    two = session(tmp_path / "r2", found(newer), fast=True)
    ((host, told),) = hygiene_of.by_host(load_sides([str(one), str(two)]))
    assert (host, told) == ("dut", [(newer, ())]), "of both sides, as the newer one says it"


def test_a_report_of_sessions_without_any_has_no_such_section(tmp_path: Path) -> None:
    sides = load_sides([str(session(tmp_path / "a")), str(session(tmp_path / "b", fast=True))])
    assert "hygiene" not in render(Document(judge_sides(sides), Choices(), None))


def test_the_session_screen_lists_them_and_finds_them(pair: list[str]) -> None:
    view = read_view(Path(pair[0]))
    assert (
        view.facts("").plain.startswith("")
        and "lab hygiene of dut\n  wrong eth0 lro: LRO is on\n" in view.facts("").plain
    )
    assert "→ ethtool -K eth0 lro off" in view.facts("").plain
    searched = view.facts("hygiene lro").plain
    assert "dut.hygiene.eth0 lro LRO is on" in searched and "smt" not in searched


def test_json_has_every_reading(pair: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["sessions", pair[0], "--json"]) == 0
    (one,) = json.loads(capsys.readouterr().out)
    (reading,) = one["hygiene"]
    assert (reading["host"], reading["roles"], reading["taken"]) == (
        "dut",
        ["dut"],
        "2026-01-01T10:00:00+00:00",
    )
    assert reading["findings"][0] == {
        "code": "lro",
        "severity": "wrong",
        "interface": "eth0",
        "seen": "LRO is on",
        "why": "a router must not merge packets",
        "source": "dev.c",
        "do": "ethtool -K eth0 lro off",
    }


def test_what_changed_while_a_session_was_recorded_is_a_warning_on_it(tmp_path: Path) -> None:
    path = session(tmp_path / "r1", found(SMT), found(SAVING, SMT, minute=4))
    kept = read_session(path)
    text = "dut changed while it was recorded: governor: the governor is powersave"
    assert [(one.code, one.text) for one in hygiene.changes(kept)] == [("hygiene-changed", text)]
    warned = own_warnings(kept, [(case, case_set(kept, case, "r1")) for case in kept.cases])
    assert ("hygiene-changed", (), text) in [(one.code, one.cases, one.text) for one in warned]
    other = session(tmp_path / "r2", found(SMT), fast=True)
    notes = judge_sides(load_sides([str(path), str(other)])).notes
    assert ("hygiene-changed", f"r1: {text}") in [(one.code, one.text) for one in notes]
    assert facts.compare(load_sides([str(path), str(other)])).differing == (
        ("dut.hygiene.governor", ("–; then the governor is powersave", "–")),
    )


def test_what_is_there_again_at_the_end_is_told_so(tmp_path: Path) -> None:
    path = session(tmp_path / "r1", found(SAVING, SMT), found(SMT, minute=4), found(SAVING, SMT, minute=9))
    saving = "the governor is powersave"
    assert hygiene.facts(read_session(path))["dut.hygiene.governor"] == f"{saving}; then –; then {saving}"


def test_it_is_a_note_on_a_sweep_too_and_once_for_each_session() -> None:
    readings = found(SMT), found(SAVING, SMT, minute=4)
    sessions = [
        msgspec.structs.replace(queues(label, BENT, image=label), hygiene=readings) for label in ("r1", "r2")
    ]
    text = "dut changed while it was recorded: governor: the governor is powersave"
    told = sweep_words.notes(swept(*sessions, x="queues", series="image"))
    assert told == [f"In r1 {text}.", f"In r2 {text}."]
    assert sweep_words.notes(swept(queues("r1", BENT), x="queues")) == []


# whose it is in an experiment


def experiment(path: Path, cases: str, *readings: HostFindings) -> Path:
    """An iteration of each of these cases in turn, every second minute, half a minute after its reading."""
    with SessionWriter.create(path, label=path.name, created="2026-01-01T10:00:00+00:00") as writer:
        for turn, case in enumerate(cases):
            began = f"2026-01-01T10:{2 * turn:02}:30.000+00:00"
            planned = Planned("0123456789abcdef", turn + 1, turn + 1)
            writer.begin(case).commit(Iteration(0, BASE[0] + turn, began=began, planned=planned))
        writer.keep_hygiene(readings)
    return path


def sides_of(path: Path) -> list[Side]:
    return load_sides([f"{path}:A", f"{path}:B"])


def test_a_finding_of_an_experiment_is_of_the_iterations_that_its_reading_holds_for(tmp_path: Path) -> None:
    """The other kernel's were gone if it was not the last one; if it was, all had them."""
    path = experiment(tmp_path / "e", "ABBA", found(SMT), found(LRO, SMT, minute=2), found(SMT, minute=6))
    sides = sides_of(path)
    assert list(hygiene_of.by_host(sides)) == [("dut", [(LRO, ("e:B",)), (SMT, ())])]
    assert facts.compare(sides).labels == ("e:A", "e:B")
    assert facts.compare(sides).differing == (("dut.hygiene.eth0 lro", ("–", "LRO is on")),)
    last = experiment(tmp_path / "last", "AB", found(SMT), found(LRO, SMT, minute=2))
    assert list(hygiene_of.by_host(sides_of(last))) == [("dut", [(LRO, ("last:B",)), (SMT, ())])]


def test_a_side_of_several_cases_names_those_with_the_finding(tmp_path: Path) -> None:
    path = experiment(tmp_path / "e", "ABBA", found(), found(LRO, minute=2), found(minute=6))
    other = session(tmp_path / "r1", found(SMT))
    assert list(hygiene_of.by_host(load_sides([str(path), str(other)]))) == [
        ("dut", [(LRO, ("B of e",)), (SMT, ("r1",))])
    ]


def test_a_finding_of_some_iterations_is_of_part_of_a_side(tmp_path: Path) -> None:
    path = experiment(tmp_path / "e", "ABAB", found(), found(SAVING, minute=4))
    sides = sides_of(path)
    assert list(hygiene_of.by_host(sides)) == [("dut", [(SAVING, ("part of e:A", "part of e:B"))])]
    assert facts.compare(sides).differing == (), "both are mixed alike"


def test_of_iterations_before_the_first_reading_nothing_is_known(tmp_path: Path) -> None:
    path = experiment(tmp_path / "e", "AB", found(LRO, minute=2))
    assert list(hygiene_of.by_host(sides_of(path))) == [("dut", [(LRO, ("e:B",))])]
    assert facts.compare(sides_of(path)).differing == ()


def test_what_was_not_read_before_an_iteration_is_not_taken_from_another_state(tmp_path: Path) -> None:
    nothing = Finding("not-read", NOTE, "nothing could be read: no answer")
    path = experiment(tmp_path / "e", "AB", found(SMT), found(nothing, minute=2, unread=("everything",)))
    assert facts.compare(sides_of(path)).differing == (
        ("dut.hygiene.smt", (SMT.seen, "not read")),
        ("dut.hygiene.not-read", ("–", nothing.seen)),
    )


@pytest.mark.parametrize(("planned", "kept"), [(None, 1), (Planned("0123456789abcdef", 1, 1), 2)])
def test_a_host_that_was_not_read_is_as_before_unless_an_experiment_changes_it(
    tmp_path: Path, planned: Planned | None, kept: int
) -> None:
    nothing = Finding("not-read", NOTE, "nothing could be read: no answer")
    one = recorder(tmp_path)
    one.planned = planned
    one.take_hygiene(found(nothing, unread=("everything",)))  # nothing is known that it could end
    one.take_hygiene(found(SMT))
    one.take_hygiene(found(nothing, minute=2, unread=("everything",)))
    one.close()
    assert len(read_session(one.folder).hygiene) == kept


def test_the_session_screen_names_the_cases_of_an_experiment(tmp_path: Path) -> None:
    path = experiment(tmp_path / "e", "ABBA", found(SMT), found(LRO, SMT, minute=2), found(SMT, minute=6))
    view = read_view(path)
    assert (
        "lab hygiene of dut\n  wrong eth0 lro: LRO is on (only B)\n        → ethtool -K eth0 lro off\n"
        "  note  smt: two threads share a core (SMT is active)\n"
    ) in view.facts("").plain
    assert "dut.hygiene.eth0 lro LRO is on (only B)" in view.facts("hygiene lro").plain


def test_many_cases_with_a_finding_are_counted(tmp_path: Path) -> None:
    path = experiment(tmp_path / "e", "ABCDE", found(), found(LRO, minute=2))
    assert "LRO is on (only B, C, D and E)\n" in read_view(path).facts("").plain
    path = experiment(tmp_path / "f", "ABCDEF", found(), found(LRO, minute=2))
    assert "LRO is on (only in 5 of 6 cases)\n" in read_view(path).facts("").plain


def test_an_experiment_changes_its_hosts_itself(tmp_path: Path) -> None:
    planned = Planned("0123456789abcdef", 1, 1)
    kept = read_session(session(tmp_path / "r1", found(SMT), found(SAVING, minute=4), planned=planned))
    assert hygiene.changes(kept) == []
