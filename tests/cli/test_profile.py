"""`fwdtui profile`: fold, import, show and compare profiles; which shares are shown is always said."""

import csv
import io
import json
from pathlib import Path
from typing import Any

import pytest
from fixtures import profiles

from fwdtui.cli import main
from fwdtui.core.model import Iteration
from fwdtui.core.profile import Profile
from fwdtui.core.profile.comparable import alike
from fwdtui.store import SessionWriter, read_session

BASE = {
    profiles.IDLE: 600,
    f"{profiles.RECEIVE};ip_tryforward;rn_match": 100,
    f"{profiles.RECEIVE};ip_tryforward": 300,
}
OTHER = {
    profiles.IDLE: 100,
    f"{profiles.RECEIVE};ip_tryforward;fib4_lookup": 150,
    f"{profiles.RECEIVE};ip_tryforward": 300,
}


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "120")
    for name, stacks in (("base", BASE), ("other", OTHER)):
        Path(f"{name}.graph").write_text(profiles.call_graph(stacks))
        Path(f"{name}.stack").write_text(profiles.folded(stacks))


def session(name: str, *cases: str) -> None:
    with SessionWriter.create(Path("sessions") / name, label=name, created="") as writer:
        for case in cases or ("inet4",):
            writer.begin(case).commit(Iteration(0, 1.0e6))


def answer(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert main(["profile", *arguments]) == 0
    return capsys.readouterr().out


def error(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert main(["profile", *arguments]) == 2
    found = capsys.readouterr()
    assert found.out == "" and found.err.count("\n") == 1
    return found.err


def test_long_names_of_functions_stay_different(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "60")
    names = [f"a_function_with_a_long_name_{n}_and_some_more_words_behind_it_all" for n in (1, 2)]
    Path("long.stack").write_text("".join(f"main;{name} 100\n" for name in names))
    lines = answer(capsys, "show", "long.stack").splitlines()
    shown = {line.split()[0] for line in lines if line.startswith("a_f")}
    assert len(shown) == 2 and all("…" in name for name in shown)


# fold


def test_fold_prints_the_stacks_and_says_what_they_are_of(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["profile", "fold", "base.graph"]) == 0
    found = capsys.readouterr()
    assert sorted(found.out.splitlines()) == sorted(Path("base.stack").read_text().splitlines())
    assert found.err == "pmcstat -G: 1 000 samples of BU_CPU_CLK_UNHALTED in 3 stacks\n"


def test_fold_tells_what_is_missing(capsys: pytest.CaptureFixture[str]) -> None:
    Path("cut.graph").write_text(profiles.call_graph(BASE)[:-100])
    assert main(["profile", "fold", "cut.graph"]) == 0
    assert "fwdtui: the text ends within a tree: outer callers may be missing\n" in capsys.readouterr().err


def test_a_file_without_a_profile_is_an_error(capsys: pytest.CaptureFixture[str]) -> None:
    Path("notes").write_text("Hello\n")
    assert error(capsys, "fold", "notes").startswith("fwdtui: notes: not a profile (")
    assert error(capsys, "fold", "nothing") == "fwdtui: nothing: No such file or directory\n"


# show


def test_show_says_what_the_shares_are_of(capsys: pytest.CaptureFixture[str]) -> None:
    lines = answer(capsys, "show", "base.graph").splitlines()
    assert lines[:2] == [
        "base.graph: 1 000 samples of BU_CPU_CLK_UNHALTED by pmcstat, 60.0 % idle, 400 not.",
        "Shares are of the samples that are not idle.",
    ]
    start = lines.index("functions that were running:")
    assert [line.split() for line in lines[start + 1 : start + 5]] == [
        ["function", "share", "%", "samples"],
        ["ip_tryforward", "75.00", "300"],
        ["rn_match", "25.00", "100"],
        ["all", "100.00", "400"],
    ]


def test_shares_of_all_samples_are_shown_on_request_and_named(capsys: pytest.CaptureFixture[str]) -> None:
    text = answer(capsys, "show", "base.graph", "--of", "all")
    assert "Shares are of all samples, idle ones too." in text
    assert next(line for line in text.splitlines() if line.startswith("cpu_idle")).split()[1] == "60.00"


def test_a_function_can_be_idle_because_the_user_says_so(capsys: pytest.CaptureFixture[str]) -> None:
    text = answer(capsys, "show", "base.graph", "--idle", "rn_match")
    assert "70.0 % idle, 300 not" in text


def test_under_a_function_shares_are_of_what_is_in_it(capsys: pytest.CaptureFixture[str]) -> None:
    text = answer(capsys, "show", "base.graph", "--under", "ip_tryforward")
    assert "Shares are of the samples that are in ip_tryforward or below it." in text
    assert "ether_input" not in text
    assert "no sample in nowhere" in error(capsys, "show", "base.graph", "--under", "nowhere")
    assert "--under cannot be combined with --of all" in error(
        capsys, "show", "base.graph", "--under", "ip_input", "--of", "all"
    )


def test_idle_functions_of_the_lab_hold_for_its_sessions(capsys: pytest.CaptureFixture[str]) -> None:
    lab = {"profile": {"idle": ["rn_match"]}}
    with SessionWriter.create(Path("sessions/r1"), label="r1", created="", lab=lab) as writer:
        writer.begin("inet4").commit(Iteration(0, 1.0e6))
    told = answer(capsys, "import", "base.graph", "r1", "--case", "inet4")
    assert "1 000 samples, 700 of them idle" in told
    assert "70.0 % idle, 300 not" in answer(capsys, "show", "r1")
    text = answer(capsys, "compare", "base.graph", "r1")
    assert text.count("70.0 % idle, 300 not") == 2, "both sides have the same list"


# compare


def test_compare_lists_what_moved_and_adds_up_on_each_side(capsys: pytest.CaptureFixture[str]) -> None:
    lines = answer(capsys, "compare", "base.graph", "other.graph", "--top", "2").splitlines()
    start = lines.index("functions that were running:")
    assert [line.split() for line in lines[start + 1 : start + 6]] == [
        ["function", "A", "%", "B", "%", "B", "−", "A,", "points"],
        ["fib4_lookup", "0.00", "33.33", "+33.33"],
        ["rn_match", "25.00", "0.00", "−25.00"],
        ["1", "other", "75.00", "66.67", "−8.33"],
        ["all", "100.00", "100.00", "0.00"],
    ]


def test_idle_time_does_not_move_what_is_not_idle(capsys: pytest.CaptureFixture[str]) -> None:
    Path("idle.stack").write_text(profiles.folded(BASE | {profiles.IDLE: 100_000}))
    text = answer(capsys, "compare", "base.stack", "idle.stack")
    moved = [line.split()[3] for line in text.splitlines() if line.startswith(("rn_match", "ip_tryforward"))]
    assert moved == ["0.00"] * 4
    assert "B: 99.6 % of its samples are idle: most of them were probably taken without traffic" in text
    text = answer(capsys, "compare", "base.stack", "idle.stack", "--of", "all")
    assert "60.0 % and 99.6 % are idle: for the same work, a side that idles more has smaller shares" in text


def test_a_difference_that_few_samples_explain_is_marked(capsys: pytest.CaptureFixture[str]) -> None:
    Path("like.stack").write_text(profiles.folded({"a;b": 52, "a;c": 48}))
    Path("likely.stack").write_text(profiles.folded({"a;b": 48, "a;c": 52}))
    text = answer(capsys, "compare", "like.stack", "likely.stack")
    assert [line.split()[1:] for line in text.splitlines() if line.startswith("b ")] == [
        ["52.00", "48.00", "−4.00", "~"]
    ] * 2
    assert "~ Less than three standard errors of counting so few samples." in text


def test_where_packets_are_known_work_per_packet_decides(capsys: pytest.CaptureFixture[str]) -> None:
    for name, packets in (("base", 1_000_000), ("other", 2_000_000)):
        session(name)
        file = ["import", f"{name}.graph", name, "--case", "inet4", "--packets", str(packets)]
        answer(capsys, *file, "--period", "100000")
    found = json.loads(answer(capsys, "compare", "base", "other", "--format", "json"))
    (pair,) = found["comparisons"]
    assert pair["shares_of"] == "the samples that are not idle"
    rows = {row["function"]: row for row in pair["own"]}
    assert rows["ip_tryforward"]["base"] == {
        "samples": 300,
        "share_percent": 75.0,
        "per_million_packets": 300.0,
    }
    assert rows["ip_tryforward"]["difference"]["per_million_packets"] == pytest.approx(-150)
    assert rows["ip_tryforward"]["difference"]["points"] == pytest.approx(-100 / 12)
    assert [row["function"] for row in pair["own"]] == ["ip_tryforward", "rn_match", "fib4_lookup"]
    text = answer(capsys, "compare", "base", "other")
    assert "A: base inet4 2: 1 000 samples of BU_CPU_CLK_UNHALTED by pmcstat" in text
    assert "2 000 000 packets forwarded meanwhile" in " ".join(text.split()) and "A /Mpkt" in text


def test_without_a_common_measure_there_is_no_figure_per_packet_and_that_is_said(
    capsys: pytest.CaptureFixture[str],
) -> None:
    for name, more in (("base", ["--packets", "1000000"]), ("other", ["--packets", "2000000"])):
        session(name)
        answer(capsys, "import", f"{name}.graph", name, "--case", "inet4", *more)
    text = answer(capsys, "compare", "base", "other")
    assert "No samples per packet: the two were not, or not certainly, sampled in the same way." in text
    assert "/Mpkt" not in text
    text = answer(capsys, "compare", "base", "other.graph")
    assert "No samples per packet: it is not known how many packets other.graph forwarded." in text


PERF, PMC = {"tool": "perf", "rate": 499.0}, {"tool": "pmcstat", "rate": 499.0}


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        (PERF | {"event": "cpu-clock"}, PERF | {"event": "cpu-clock"}, True),
        (PERF | {"event": "cpu-clock"}, PERF | {"event": "cpu-clock", "rate": 99.0}, False),
        (PERF | {"event": "cpu-clock"}, PERF | {"event": "cycles"}, False),
        (PERF | {"event": "cycles"}, PERF | {"event": "cycles"}, False),  # the kernel keeps the rate
        ({"event": "cycles", "period": 5010020}, {"event": "cycles", "period": 5010020}, True),
        ({"event": "cycles", "period": 5010020}, {"event": "cycles", "period": 65536}, False),
        (PMC | {"event": "unhalted-cycles"}, PMC | {"event": "unhalted-cycles"}, True),
        ({"event": "cycles"}, {"event": "cycles"}, False),
    ],
)
def test_samples_are_set_against_packets_only_where_each_stands_for_as_much(
    one: dict[str, Any], other: dict[str, Any], same: bool
) -> None:
    assert alike(Profile(1, **one), Profile(1, **other)) == same


def test_csv_tells_beside_it_what_the_other_formats_have_in_their_notes(
    capsys: pytest.CaptureFixture[str],
) -> None:
    mostly = {profiles.IDLE: 9700, f"{profiles.RECEIVE};ip_tryforward": 300}
    Path("idle.graph").write_text(profiles.call_graph(mostly))
    assert main(["profile", "compare", "base.graph", "idle.graph", "--format", "json"]) == 0
    (comparison,) = json.loads(capsys.readouterr().out)["comparisons"]
    assert main(["profile", "compare", "base.graph", "idle.graph", "--format", "csv"]) == 0
    found = capsys.readouterr()
    assert found.out.startswith("case,table,function,")
    assert found.err.splitlines() == [f"fwdtui: {note}" for note in comparison["notes"]]
    assert "No samples per packet: " in found.err and "97.0 % of its samples are idle" in found.err


def test_json_and_csv_have_every_function_and_the_same_numbers(capsys: pytest.CaptureFixture[str]) -> None:
    (pair,) = json.loads(answer(capsys, "compare", "base.graph", "other.graph", "--format", "json"))[
        "comparisons"
    ]
    assert (pair["base"]["samples"], pair["base"]["idle"], pair["base"]["packets"]) == (1000, 600, None)
    table = list(
        csv.DictReader(io.StringIO(answer(capsys, "compare", "base.graph", "other.graph", "--format", "csv")))
    )
    own = [row for row in table if row["table"] == "own"]
    for side in ("base", "other"):
        assert sum(row[side]["share_percent"] for row in pair["own"]) == pytest.approx(100)
        assert [float(row[f"{side}_share_percent"]) for row in own] == [
            row[side]["share_percent"] for row in pair["own"]
        ]
    assert {row["base_per_million_packets"] for row in table} == {""}
    assert {row["shares_of"] for row in table} == {"the samples that are not idle"}
    assert len(table) == len(pair["own"]) + len(pair["inclusive"])


def test_markdown_shows_names_and_does_nothing_with_them(capsys: pytest.CaptureFixture[str]) -> None:
    Path("odd.stack").write_text("a;std::map<int>|x 5\n")
    text = answer(capsys, "show", "odd.stack", "--format", "markdown")
    assert "| `std::map<int>\\|x` | 100.00 | 5 |" in text
    assert "Shares are of the samples that are not idle." in text


# sessions


def test_import_makes_an_iteration_without_a_value(capsys: pytest.CaptureFixture[str]) -> None:
    session("r1", "inet4", "inet6")
    told = answer(capsys, "import", "base.graph", "r1", "--case", "inet6")
    assert told == (
        "sessions/r1/inet6/002: a profile of 1 000 samples, 600 of them idle; it does not count as a value\n"
    )
    read = read_session(Path("sessions/r1"), verify=True)
    assert read.problems == ()
    one = read.cases[1].iterations[1]
    assert (one.value, one.origin, sorted(one.files)) == (
        None,
        "base.graph",
        ["profile.folded", "raw.base.graph"],
    )
    assert "inet6 2" in answer(capsys, "show", "r1")
    assert "1 profile" in (main(["sessions"]) or capsys.readouterr().out)


def test_import_refuses_what_it_cannot_be_and_adds_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    session("r1")
    assert "no case 'pf'; it has inet4" in error(capsys, "import", "base.graph", "r1", "--case", "pf")
    wrong = ("import", "base.graph", "r1", "--case", "inet4", "--event", "cycles")
    assert "--event cycles: the file says BU_CPU_CLK_UNHALTED" in error(capsys, *wrong)
    sample = "dd 7 [000] {n}.000000: {n} cycles:\n\tffff f+0x1 (k)\n\n"  # sampled at a rate
    Path("rate.perf").write_text(sample.format(n=1) + sample.format(n=2))
    varying = ("import", "rate.perf", "r1", "--case", "inet4", "--period", "2")
    assert "--period 2: the file says that it varies" in error(capsys, *varying)
    assert "expected a whole number above 0, got '0'" in error(
        capsys, "import", "base.graph", "r1", "--case", "inet4", "--packets", "0"
    )
    assert "no such session" in error(capsys, "import", "base.graph", "r2", "--case", "inet4")
    assert len(read_session(Path("sessions/r1")).cases[0].iterations) == 1


def test_sessions_are_compared_case_by_case_and_what_has_no_partner_is_told(
    capsys: pytest.CaptureFixture[str],
) -> None:
    session("r1", "inet4", "inet6")
    session("r2", "inet4", "inet6")
    for name, case in (("r1", "inet4"), ("r1", "inet6"), ("r2", "inet4")):
        answer(capsys, "import", "base.graph", name, "--case", case)
    assert main(["profile", "compare", "r1", "r2"]) == 0
    found = capsys.readouterr()
    assert found.out.count("A: r1 ") == 1
    assert found.err == "fwdtui: r1 inet6 2: the other side has no profile of this case\n"
    assert "A: r1 inet6 2" in answer(capsys, "compare", "r1:inet6", "r2:inet4"), "both were chosen"
    both = answer(capsys, "compare", "r1:inet6", "r2:inet4", "--format", "json")
    assert json.loads(both)["comparisons"][0]["case"] == "inet6 / inet4"
    only = "r2 has profiles of inet4: name one as SESSION:CASE"
    assert only in error(capsys, "compare", "r1:inet6", "r2"), "another case"
    assert "B: r2 inet4 2" in answer(capsys, "compare", "base.graph", "r2"), "a file has no case"
    assert "A: r1 inet4 2" in answer(capsys, "compare", "r1", "r2:inet4")
    session("r3")
    assert "r3: it has no profile" in error(capsys, "compare", "r1", "r3")


def test_help_says_what_there_is(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["profile", "--help"]) == 0
    help = capsys.readouterr().out
    assert all(word in help for word in ("show", "compare", "fold", "import"))
    assert main(["profile"]) == 2
