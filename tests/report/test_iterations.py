"""One iteration is one value; what is left out is said, and what iterations warned of comes along."""

import math
import shutil
from collections.abc import Mapping
from pathlib import Path

import msgspec
import pytest
from hand_made import recorded

from fwdtui.core.model import Caution, Fact, Iteration, Window
from fwdtui.core.sentences import after_colon
from fwdtui.report import bearing
from fwdtui.report.iterations import DROPPED, CaseSet, counts
from fwdtui.report.merging import merged, numbered
from fwdtui.report.pairing import alone
from fwdtui.report.sides import load_sides, of_session
from fwdtui.store import drop


def one_case(folder: Path) -> CaseSet:
    (side,) = load_sides([str(folder)])
    (found,) = side.cases.values()
    return found


def warned(index: int, code: str, text: str) -> Iteration:
    return Iteration(index=index, value=1.0, warnings=(Caution(code, text),))


@pytest.mark.parametrize(
    ("iteration", "is_value"),
    [
        (Iteration(1, 1.0), True),
        (Iteration(1, 0.0), True),  # nothing forwarded is a result
        (Iteration(1, None), False),
        (Iteration(1, 1.0, complete=False), False),  # a part of a run is another measurement
        (Iteration(1, 1.0, complete=False, incomplete="broken off after 3 s"), False),
        (Iteration(1, 1.0, dropped="the fan failed"), False),
        (Iteration(1, math.nan), False),
        (Iteration(1, math.inf), False),
    ],
)
def test_what_is_a_value_of_the_statistics(iteration: Iteration, is_value: bool) -> None:
    assert counts(iteration) == is_value


def test_an_incomplete_iteration_is_left_out_with_the_reason_though_it_has_a_value(tmp_path: Path) -> None:
    early = Caution("incomplete", "It was broken off after 3 s.")
    short = Iteration(0, 2.0, complete=False, incomplete="broken off after 3 s", warnings=(early,))
    found = one_case(recorded(tmp_path / "s", "r1", {"inet4": [1.0, short, 3.0]}))
    assert found.result.values == (1.0, 3.0) and [one.index for one in found.used] == [1, 3]
    assert found.result.excluded == ("iteration 2: incomplete (broken off after 3 s)",)
    assert found.result.cautions == ()


def test_a_copy_of_a_dropped_iteration_is_not_dropped_by_hand_too(tmp_path: Path) -> None:
    folder = recorded(tmp_path / "s", "r1", {"inet4": [1.0, 2.0]})
    drop(folder, "inet4", 2, "the link bounced")
    shutil.copytree(folder / "inet4", folder / "inet4.bak")
    found = one_case(folder)
    assert found.result.values == (1.0,)
    assert [(one.index, one.dropped) for one in found.dropped] == [(2, "the link bounced")]
    (told,) = [one.text for one in found.result.cautions if one.code == DROPPED]
    assert told == "dropped by hand and not counted: iteration 2 (the link bounced)"
    (why,) = found.result.excluded
    assert why.endswith("the same as in inet4/001 to 002: a copied folder, which does not count")


def test_an_unfinished_iteration_is_left_out_with_the_reason(tmp_path: Path) -> None:
    found = one_case(recorded(tmp_path / "s", "r1", {"inet4": [1.0, None, 3.0]}))
    assert found.result.values == (1.0, 3.0)
    assert found.result.excluded == ("iteration 2: unfinished: it has no iteration.json",)


def test_a_damaged_iteration_is_left_out_with_the_reason(tmp_path: Path) -> None:
    folder = recorded(tmp_path / "s", "r1", {"inet4": [1.0, 2.0, 3.0]})
    path = folder / "inet4" / "002" / "iteration.json"
    path.write_bytes(path.read_bytes().replace(b"2.0", b"9.0"))
    found = one_case(folder)
    assert found.result.values == (1.0, 3.0)
    assert found.result.excluded == (
        "iteration 2: iteration.json: checksum does not match: the file was changed after it was recorded",
    )


def test_an_iteration_without_a_value_is_left_out_and_its_own_warning_says_why(tmp_path: Path) -> None:
    crashed = Iteration(index=0, value=None, warnings=(Caution("receiver-crashed", "The receiver crashed."),))
    found = one_case(recorded(tmp_path / "s", "r1", {"inet4": [1.0, crashed]}))
    assert found.result.excluded == ("iteration 2: no value (The receiver crashed.)",)
    assert found.result.cautions == (), (
        "a warning about a value that does not count says nothing about the set"
    )


def test_why_an_iteration_has_no_value_is_told_without_what_is_odd_about_its_rate(tmp_path: Path) -> None:
    odd = Caution("short-window", "Only 1 sample is steady, fewer than 10; let the run last longer.")
    why = "No samples from sink for the last 7.0 s of the blast."
    told = Caution("incomplete", f"{why} What was seen is saved, but gives no value.")
    unsound = Iteration(index=0, value=None, warnings=(told, odd), incomplete=why)
    found = one_case(recorded(tmp_path / "s", "r1", {"inet4": [1.0, unsound]}))
    assert found.result.excluded == (f"iteration 2: no value ({why})",)


def test_another_problem_of_its_folder_is_not_taken_for_the_reason(tmp_path: Path) -> None:
    """It has no value since nothing arrived; that one of its factors has no name is told for itself."""
    nothing = Iteration(2, None, warnings=(Caution("no-traffic", "Nothing arrived."),))
    folder = recorded(tmp_path / "r1", "r1", {"inet4": [1.0, nothing]})
    (side,) = load_sides([str(folder)])
    problem = f"{folder}/inet4/002/iteration.json: '2 ports' is not the name of a factor; it is not used"
    session = msgspec.structs.replace(side.sessions[0], problems=(problem,))
    side = of_session(session)
    assert side.cases["inet4"].result.excluded == ("iteration 2: no value (Nothing arrived.)",)
    assert [note.text for note in alone(side) if note.code == "damage"] == [problem]


def test_several_left_out_for_the_same_reason_are_one_line(tmp_path: Path) -> None:
    def nothing(rate: float) -> Iteration:
        text = f"Nothing arrived: {rate} pps is only background traffic."
        return Iteration(index=0, value=None, warnings=(Caution("no-traffic", text),))

    values = [1.0, None, nothing(1.5), nothing(2.5), nothing(1.0), None]
    assert one_case(recorded(tmp_path / "s", "r1", {"inet4": values})).result.excluded == (
        "iterations 2 and 6: unfinished: it has no iteration.json",
        "iterations 3 to 5: no value (Nothing arrived: 1.0 to 2.5 pps is only background traffic.)",
    )


def test_the_same_warning_of_several_iterations_is_told_once() -> None:
    same = [warned(index, "early", "It ended early.") for index in (2, 4)]
    assert merged(same) == (Caution("early", "iterations 2 and 4: it ended early."),)


def test_warnings_that_differ_in_their_figures_are_told_once_with_the_range() -> None:
    varied = [
        warned(i, "in-run-variation", f"It varies by {x} % (below 1 %).")
        for i, x in ((1, 1.8), (2, 2.0), (3, 1.6))
    ]
    (caution,) = merged(varied)
    assert caution.text == "iterations 1 to 3: it varies by 1.6 to 2.0 % (below 1 %)."


def test_a_figure_in_groups_of_three_digits_is_one_figure() -> None:
    counted = [
        warned(i, "received-above-offered", f"{x} packets were received of 800 000 000 offered.")
        for i, x in ((1, "1 002 857 143"), (2, "995 123 456"), (3, "1 000 000 999"))
    ]
    (caution,) = merged(counted)
    assert caution.text == (
        "iterations 1 to 3: 995 123 456 to 1 002 857 143 packets were received of 800 000 000 offered."
    )
    beside = merged([warned(1, "log", "at 12 1234 lines"), warned(2, "log", "at 13 1234 lines")])
    assert beside[0].text == "iterations 1 and 2: at 12 to 13 1234 lines."


def test_one_caution_a_code_even_where_its_texts_have_nothing_in_common() -> None:
    (caution,) = merged([warned(i, "log", text) for i, text in enumerate(["a", "b", "c", "d", "e"], 1)])
    assert caution.text == (
        "iteration 1: a. Iteration 2: b. Iteration 3: c. Other such warnings in iterations 4 and 5."
    )


def test_figures_inside_names_are_not_taken_for_figures() -> None:
    (caution,) = merged([warned(1, "log", "r368287 drops 5"), warned(2, "log", "r368288 drops 5")])
    assert caution.text == "iteration 1: r368287 drops 5. Iteration 2: r368288 drops 5."


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("gen: pkt-gen was killed by signal 9", "gen: pkt-gen was killed by signal 15"),
        ("the stop command ended with status 1", "the stop command ended with status 127"),
        ("line 12: not a whole interval line", "line 99: not a whole interval line"),
        ("its interrupts are served by CPU 3", "its interrupts are served by CPU 7"),
        ("CPUs 1, 2 and 5 went offline", "CPUs 1, 2 and 7 went offline"),
        ("direction rx queue 0 of ix0", "direction rx queue 3 of ix0"),
        ("trial 3, attempt 1: broken off", "trial 5, attempt 2: broken off"),
        ("192.0.2.1:5201 does not answer", "192.0.2.1:5203 does not answer"),
        ("until 0:59:30 of the run", "until 1:02:10 of the run"),
        ("since 2026-01-02T03:04:05+00:00", "since 2026-03-02T03:04:05+00:00"),
    ],
)
def test_a_number_that_is_a_name_is_no_figure(one: str, other: str) -> None:
    (caution,) = merged([warned(1, "log", one), warned(2, "log", other), warned(3, "log", one)])
    assert caution.text == f"iterations 1 and 3: {one}. Iteration 2: {other}."


@pytest.mark.parametrize(
    ("one", "other", "both"),
    [
        ("core 93 % busy", "core 95 % busy", "core 93 to 95 % busy"),
        ("line 5: 12 packets", "line 5: 40 packets", "line 5: 12 to 40 packets"),
        ("8 queues of 512", "16 queues of 512", "8 to 16 queues of 512"),
        ("the same as in inet4/001", "the same as in inet4/002", "the same as in inet4/001 to 002"),
        ("the same as in inet4/001", "the same as in inet4/003", "the same as in inet4/001 and 003"),
    ],
)
def test_a_quantity_is_a_figure_and_folders_are_no_range_unless_all_are_meant(
    one: str, other: str, both: str
) -> None:
    (caution,) = merged([warned(1, "log", one), warned(2, "log", other)])
    assert caution.text == f"iterations 1 and 2: {both}."


def test_iterations_trimmed_by_different_methods_are_warned_of(tmp_path: Path) -> None:
    def trimmed(method: str) -> Iteration:
        return Iteration(index=0, value=1.0, window=Window(method, None, None, 0))

    found = one_case(recorded(tmp_path / "s", "r1", {"inet4": [trimmed("steady"), trimmed("netbenches")]}))
    assert [caution.code for caution in found.result.cautions] == ["trim-mixed"]


def test_hostile_text_in_a_warning_is_cleaned() -> None:
    assert merged([warned(1, "x\x1b", "a\x1b[2Jb\u202e")]) == (Caution("x", "iteration 1: a[2Jb."),)


def test_iterations_are_counted_in_words() -> None:
    assert [numbered(some) for some in ([3], [2, 4], [1, 2], [1, 2, 3], [5, 1, 3])] == [
        "iteration 3",
        "iterations 2 and 4",
        "iterations 1 and 2",
        "iterations 1 to 3",
        "iterations 1, 3 and 5",
    ]


def test_iterations_of_frames_of_different_lengths_are_not_pooled_without_a_mark(tmp_path: Path) -> None:
    """A further recording of the case, after `frame` of lab.toml was changed: its iterations say so."""
    lab: Mapping[str, Fact] = {
        "generator.host": "gen",
        "generator.command": "send",
        "generator.frame": 64,
    }
    long = Iteration(0, 4.0, facts={"generator.frame": 1518})
    found = one_case(recorded(tmp_path / "s", "r1", {"inet4": [1.0, 2.0, 3.0, long]}, lab))
    assert [(one.code, one.text) for one in found.result.cautions] == [
        ("frames-mixed", "iterations with frames of different lengths: 64 and 1518 B")
    ]
    assert "frames-mixed" in bearing.UNSOUND
    same = Iteration(0, 4.0, facts={"dut.kernel": "6.1"})
    assert one_case(recorded(tmp_path / "t", "r1", {"inet4": [1.0, same]}, lab)).result.cautions == ()
    said = Iteration(0, 4.0, facts=long.facts, factors={"frame_size": 64})
    (side,) = load_sides([str(recorded(tmp_path / "u", "r1", {"inet4": [said, said]}, lab))])
    assert side.cases["inet4"].result.cautions == ()


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("The rate fell.", "the rate fell."),
        ("A generator ended by itself.", "a generator ended by itself."),
        *(
            (text, text)
            for text in ("", "THE host", "DUT-limited.", "Linux forwards.", "gen: The end.", "A: three")
        ),
    ],
)
def test_a_sentence_goes_on_after_a_colon_with_a_small_letter_and_names_keep_theirs(
    text: str, told: str
) -> None:
    assert after_colon(text) == told
