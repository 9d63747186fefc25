"""Which settings hold for a comparison's iterations; and table, report, JSON and screen tell them alike."""

import json
from pathlib import Path

import msgspec
import pytest
from hand_made import BASE, FASTER, value_file

from fwdtui.cli import main
from fwdtui.core.host_settings import EVERYTHING, HostSettings, SettingsSource
from fwdtui.core.model import Iteration, Planned
from fwdtui.report.against import against
from fwdtui.report.comparison import Compared, judge, judge_sides, load, swapped
from fwdtui.report.document import Choices, Document
from fwdtui.report.markdown import render
from fwdtui.report.settings_wording import sentence
from fwdtui.report.sides import load_sides
from fwdtui.store import SessionWriter, read_session
from fwdtui.ui.compare import facts_tab
from fwdtui.ui.draw.styles import Styles

ONLY = "The only difference found in 2 settings is net.isr.dispatch: direct -> deferred."


def reading(taken: int | None = None, cases: tuple[str, ...] = (), **values: str) -> HostSettings:
    """`taken`: minutes after ten."""
    when = "" if taken is None else f"2026-01-01T10:{taken:02}:00+00:00"
    source = SettingsSource("sysctl", {key.replace("_", "."): value for key, value in values.items()})
    return HostSettings("dut", roles=("dut",), taken=when, cases=cases, sources=(source,))


def session(
    path: Path, *readings: HostSettings, cases: tuple[str, ...] = ("v4",), fast: bool = False
) -> Path:
    """Five iterations of each case, one a minute from 10:01 on."""
    with SessionWriter.create(path, label=path.name, created="2026-01-01T10:00:00+00:00") as writer:
        for case in cases:
            for minute, value in enumerate(FASTER if fast else BASE, 1):
                writer.begin(case).commit(Iteration(0, value, began=f"2026-01-01T10:{minute:02}:00+00:00"))
        for one in readings:
            writer.keep_settings(one)
    return path


@pytest.fixture
def pair(tmp_path: Path) -> list[str]:
    one = session(tmp_path / "r1", reading(0, net_isr_dispatch="direct", a="1"))
    two = session(tmp_path / "r2", reading(0, net_isr_dispatch="deferred", a="1"), fast=True)
    return [str(one), str(two)]


def compared(*specs: Path | str) -> Compared:
    return judge_sides(load_sides([str(spec) for spec in specs]))


def sentences(*specs: Path | str) -> list[str]:
    return [f"{sentence(one)}." for one in compared(*specs).settings]


# --- which hold


@pytest.mark.parametrize(
    ("minutes", "holds"),
    [
        ((0, 20), ["1"]),  # what came after the last iteration holds for none
        ((0, 5), ["1", "2"]),  # from the minute on in which it was taken
        ((0, 3), ["1", "2"]),
        ((10, 20), ["1"]),  # the first one holds for what was before it, too
        ((0, 1), ["2"]),
    ],
)
def test_a_reading_holds_until_the_next_one(
    tmp_path: Path, minutes: tuple[int, int], holds: list[str]
) -> None:
    first, second = (reading(minute, a=value) for minute, value in zip(minutes, "12", strict=True))
    one = session(tmp_path / "r1", first, second)
    (found,) = compared(one, session(tmp_path / "r2", reading(0, a="1"))).settings
    if holds == ["1", "2"]:
        assert found.varying[0].values == ("1", "2") and found.differences == ()
    else:
        assert found.varying == () and [d.base for d in found.differences] == [v for v in holds if v != "1"]


def test_iterations_without_a_time_may_have_run_under_any(tmp_path: Path) -> None:
    one = session(tmp_path / "r1")
    with SessionWriter(one) as writer:
        writer.begin("v4").commit(Iteration(0, 1.0))
        writer.keep_settings(reading(0, a="1"))
        writer.keep_settings(reading(50, a="2"))
    (found,) = compared(one, session(tmp_path / "r2", reading(0, a="1"))).settings
    assert found.varying[0].values == ("1", "2")


def test_in_an_experiment_a_later_reading_does_not_hold_for_earlier_iterations(tmp_path: Path) -> None:
    one = session(tmp_path / "r1")
    with SessionWriter(one) as writer:
        writer.begin("v4").commit(
            Iteration(0, 1.0, began="2026-01-01T09:00:00+00:00", planned=Planned("e", trial=1, block=1))
        )
        writer.keep_settings(reading(0, a="2"))
    (found,) = compared(one, session(tmp_path / "r2", reading(0, a="1"))).settings
    assert [d.base for d in found.differences] == ["2"]
    (unknown,) = found.not_compared
    assert (unknown.role, unknown.reason) == (
        "dut",
        "not read in r1: nothing was read before the first iterations",
    )


def test_in_an_experiment_the_reading_before_a_blast_holds_although_it_is_dated_a_second_later(
    tmp_path: Path,
) -> None:
    """A blast is dated by the last quiet sample before it, and both in whole seconds."""
    one = session(tmp_path / "r1", cases=())
    with SessionWriter(one) as writer:
        writer.begin("v4").commit(
            Iteration(0, 1.0, began="2026-01-01T09:59:59+00:00", planned=Planned("e", trial=1, block=1))
        )
        before = msgspec.structs.replace(reading(0, a="0"), taken="2026-01-01T09:59:50+00:00")
        after = msgspec.structs.replace(reading(0, a="3"), taken="2026-01-01T10:00:01+00:00")
        for read in (before, reading(0, a="2"), after):
            writer.keep_settings(read)
    (found,) = compared(one, session(tmp_path / "r2", reading(0, a="1"))).settings
    assert found.varying == () and [d.base for d in found.differences] == ["2"]


@pytest.mark.parametrize(
    ("interval", "readings"),
    [
        # the last quiet sample is as old as an interval is long
        ("5s", ("2026-01-01T10:00:04+00:00", "2026-01-01T10:00:40+00:00")),
        ("5s", ("2026-01-01T10:00:04.900+00:00", "2026-01-01T10:00:15.700+00:00")),
        ("100ms", ("2026-01-01T10:00:00.090+00:00", "2026-01-01T10:00:00.980+00:00")),  # a blast of 0.1 s
        ("100ms", ("2026-01-01T09:59:59.990+00:00", "2026-01-01T10:00:00.980+00:00")),
    ],
)
def test_the_reading_before_a_blast_holds_however_long_the_interval_and_however_short_the_blast(
    tmp_path: Path, interval: str, readings: tuple[str, str]
) -> None:
    lab = {"sampling": {"interval": interval}}
    began = "2026-01-01T10:00:00" + (".000+00:00" if "." in readings[0] else "+00:00")
    with SessionWriter.create(tmp_path / "r1", label="r1", created="", lab=lab) as writer:
        writer.begin("v4").commit(Iteration(0, 1.0, began=began, planned=Planned("e", trial=1, block=1)))
        for value, taken in zip("023", ("2026-01-01T09:59:30+00:00", *readings), strict=True):
            writer.keep_settings(msgspec.structs.replace(reading(0, a=value), taken=taken))
    (found,) = compared(tmp_path / "r1", session(tmp_path / "r2", reading(0, a="1"))).settings
    assert found.varying == () and [d.base for d in found.differences] == ["2"]


@pytest.mark.parametrize("taken", ["2026-01-02T10:00:00.700+00:00", "2026-01-02T10:00:01+00:00"])
def test_so_does_that_before_a_blast_of_a_run_whose_session_was_begun_under_others(
    tmp_path: Path, taken: str
) -> None:
    """A run reads the settings just before it sends, too: its first blast is not of the day before."""
    began = "2026-01-02T10:00:00" + (".100+00:00" if "." in taken else "+00:00")
    lab = {"sampling": {"interval": "1s"}}
    with SessionWriter.create(tmp_path / "r1", label="r1", created="", lab=lab) as writer:
        writer.keep_settings(reading(0, a="1"))  # of the day before
        writer.begin("v4").commit(Iteration(0, 1.0, began=began))
        writer.keep_settings(msgspec.structs.replace(reading(0, a="2"), taken=taken))
    (found,) = compared(tmp_path / "r1", session(tmp_path / "r2", reading(0, a="1"))).settings
    assert found.varying == () and [(d.base, d.other) for d in found.differences] == [("2", "1")]


def test_iterations_whose_settings_were_not_read_have_no_part_in_a_difference(tmp_path: Path) -> None:
    nothing = SettingsSource(EVERYTHING, missing="it was changed")
    unread = HostSettings("dut", roles=("dut",), taken="2026-01-01T10:03:00+00:00", sources=(nothing,))
    one = session(tmp_path / "r1", reading(0, a="1"), unread)
    (found,) = compared(one, session(tmp_path / "r2", reading(0, a="2"))).settings
    assert found.varying == () and [(d.base, d.other) for d in found.differences] == [("1", "2")]
    assert [one.reason for one in found.not_compared] == ["not read in r1: it was changed"]
    alone = session(tmp_path / "r3", msgspec.structs.replace(unread, taken="2026-01-01T10:00:00+00:00"))
    (found,) = compared(alone, session(tmp_path / "r4", reading(0, a="2"))).settings
    assert found.differences == ()


def test_cases_that_ran_under_different_settings_are_told_apart(tmp_path: Path) -> None:
    one = session(tmp_path / "r1", reading(cases=("v4", "v6"), a="1"), cases=("v4", "v6"))
    two = session(
        tmp_path / "r2", reading(cases=("v4",), a="1"), reading(cases=("v6",), a="2"), cases=("v4", "v6")
    )
    found = compared(one, two)
    assert [(x.cases, len(x.differences)) for x in found.settings] == [(("v4",), 0), (("v6",), 1)]
    by_case = {judged.comparison.case: found.settings_of(judged) for judged in found.judged}
    assert by_case == {"v4": found.settings[0], "v6": found.settings[1]}


def test_cases_under_the_same_settings_are_told_together(tmp_path: Path) -> None:
    one, two = (session(tmp_path / name, reading(0, a="1"), cases=("v4", "v6")) for name in ("r1", "r2"))
    (found,) = compared(one, two).settings
    assert found.cases == ("v4", "v6")


def test_a_case_against_a_case_of_another_name(tmp_path: Path) -> None:
    one = session(
        tmp_path / "r1", reading(cases=("v4",), a="1"), reading(cases=("v6",), a="2"), cases=("v4", "v6")
    )
    (found,) = compared(f"{one}:v4", f"{one}:v6").settings
    assert found.cases == ("v4 / v6",) and found.differences[0].other == "2"


def test_where_no_side_has_settings_nothing_is_said(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    one, two = session(tmp_path / "r1"), session(tmp_path / "r2", fast=True)
    found = compared(one, two)
    assert found.settings == () and "ettings" not in render(Document(found))
    main(["compare", str(one), str(two)])
    main(["compare", str(value_file(tmp_path / "a")), str(value_file(tmp_path / "b", FASTER))])
    assert "ettings" not in capsys.readouterr().out


def test_where_one_side_has_none_it_is_told(tmp_path: Path) -> None:
    one, two = session(tmp_path / "r1", reading(0, a="1")), session(tmp_path / "r2")
    assert sentences(one, two) == ["No settings were compared: the DUT (no settings of it in r2)."]
    assert sentences(one, value_file(tmp_path / "x.pps")) == [
        "No settings were compared: the DUT (no settings of it in x.pps)."
    ]


def test_damage_is_among_the_notes(pair: list[str]) -> None:
    path = Path(pair[1]) / "settings" / "dut-001.json"
    path.write_text(path.read_text().replace("deferred", "hybrid"))
    found = compared(*pair)
    assert [note.code for note in found.notes] == ["damage"] and str(path) in found.notes[0].text
    assert sentence(found.settings[0]).startswith("No settings were compared: the DUT")


def test_a_verdict_in_the_list_of_sessions_reads_no_settings(
    pair: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    one, two = (read_session(Path(path)) for path in pair)
    monkeypatch.setattr("fwdtui.store.host_settings.read", lambda path: pytest.fail("it was read"))
    assert against(one, two).judged


def test_the_screen_reads_them_once_however_often_it_judges(
    pair: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    loaded = load([Path(path) for path in pair])
    first = judge(loaded, 1.0, 95.0)
    monkeypatch.setattr("fwdtui.store.host_settings.read", lambda path: pytest.fail("it was read again"))
    assert judge(loaded, 2.0, 99.0).settings == first.settings
    (found,) = judge(swapped(loaded, "r2"), 1.0, 95.0).settings
    assert (found.base, found.other) == ("r2", "r1") and found.differences[0].other == "direct"


# --- where they are told


def test_table_json_markdown_and_screen_say_the_same(
    pair: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    main(["compare", *pair])
    table = capsys.readouterr().out
    assert " ".join(table.split("\n\n")[-1].split()) == ONLY
    main(["compare", *pair, "--format", "json"])
    document = json.loads(capsys.readouterr().out)
    (found,) = document["settings"]
    assert found["sentence"] == ONLY and list(document) == [
        "schema",
        "comparisons",
        "interactions",
        "settings",
        "settings_between",
        "experiments",
        "drop_reasons",
    ]
    assert found["changes"] == ["net.isr.dispatch: direct -> deferred"]
    assert found["differences"] == [
        {"role": "dut", "source": "sysctl", "key": "net.isr.dispatch", "base": "direct", "other": "deferred"}
    ]
    assert (found["compared"], found["differing"], found["cases"]) == (2, 1, ["v4"])
    main(["compare", *pair, "--format", "markdown"])
    report = capsys.readouterr().out
    assert (
        "## Settings: what differs\n\nThe only difference found in 2 settings is net.isr.dispatch: " in report
    )
    assert (
        "<details><summary>Unified difference</summary>\n\n```diff\n--- r1\n+++ r2\n@@ sysctl @@\n"
        "-net.isr.dispatch: direct\n+net.isr.dispatch: deferred\n```\n\n</details>\n"
    ) in report
    text = facts_tab.text(compared(*pair).judged[0], compared(*pair), 80, Styles({})).plain
    assert (
        text.startswith(f"{ONLY}\n") and "\n-net.isr.dispatch: direct\n+net.isr.dispatch: deferred\n" in text
    )


def test_the_screen_tells_what_was_not_compared_and_that_nothing_is_known(tmp_path: Path) -> None:
    source = SettingsSource("pf rules", missing="Permission denied")
    one, two = (
        session(
            tmp_path / name, HostSettings("dut", roles=("dut",), sources=(reading(a="1").sources[0], source))
        )
        for name in ("r1", "r2")
    )
    found = compared(one, two)
    text = facts_tab.text(found.judged[0], found, 80, Styles({})).plain
    assert "\nnot compared\npf rules: Permission denied in r1\npf rules: Permission denied in r2\n" in text
    nothing = compared(session(tmp_path / "r3"), session(tmp_path / "r4"))
    text = facts_tab.text(nothing.judged[0], nothing, 80, Styles({})).plain
    assert text.endswith(
        "Settings of the hosts were not recorded for these two, so differences of them are not known."
    )


def test_values_do_nothing_in_a_report_or_on_the_screen(tmp_path: Path) -> None:
    evil = "```\n</details># x [a](http://evil.com) <script>"
    one, two = (session(tmp_path / name, reading(0, a=f"{evil} {name}")) for name in ("r1", "r2"))
    found = compared(one, two)
    report = render(Document(found))
    fenced = report.partition("````diff\n")[2].partition("\n````\n")[0]
    assert fenced.count("</details># x [a]") == 2
    assert "<script>" not in report.replace(fenced, "")
    text = facts_tab.text(found.judged[0], found, 80, Styles({}))
    assert "[a](http://evil.com)" in text.plain


def test_the_section_can_be_left_out(pair: list[str]) -> None:
    assert "Settings" not in render(Document(compared(*pair), Choices(without=frozenset({"settings"}))))


def test_several_candidates_have_a_sentence_each(
    tmp_path: Path, pair: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    third = session(tmp_path / "r3", reading(0, net_isr_dispatch="direct", a="1"))
    main(["compare", *pair, str(third)])
    told = " ".join(capsys.readouterr().out.split("\n\n")[-1].split())
    assert told == f"r2: {ONLY} r3: The 2 settings that were compared agree."
