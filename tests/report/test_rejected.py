"""What an experiment did not find sound never counts; what somebody dropped, and a choice, is always told."""

from pathlib import Path

import msgspec
import pytest
from hand_made import recorded as session_of
from planned import Bad, Measured, design, step

from fwdtui.core.model import Caution, Iteration, Planned
from fwdtui.report.bearing import UNSOUND, codes
from fwdtui.report.comparison import Compared, judge_sides
from fwdtui.report.document import Choices, Document
from fwdtui.report.experiment_summary import ExperimentSummary, summary
from fwdtui.report.experiment_view import asked
from fwdtui.report.experiment_words import end
from fwdtui.report.gates import answer
from fwdtui.report.in_metric import in_metric
from fwdtui.report.iterations import FAILED, SELECTED, case_set
from fwdtui.report.markdown import render
from fwdtui.report.sides import load_sides
from fwdtui.store import SessionWriter, drop, read_session, restore
from fwdtui.store.experiment_journal import JOURNAL, Journal, read_plan
from fwdtui.store.experiment_record import Record, recorded
from fwdtui.store.names import ANNOTATIONS_FILE

NOT_IN_FORCE = "rules=100 rules is not in force: 0 where 100 was expected."


def told(folder: Path) -> ExperimentSummary:
    session = read_session(folder)
    record = recorded(session)
    assert isinstance(record, Record), record
    return summary(session, record)


def compared(folder: Path) -> Compared:
    sides = load_sides([str(folder)])
    view, margin = asked(sides, None, None)
    return judge_sides(sides, view=view, margin=margin)


def marks(folder: Path) -> set[str]:
    return {code for one in compared(folder).judged for code in codes(one.comparison)}


class TestDroppedByHand:
    """Also where its trial was measured again since: values are not to be chosen without a word."""

    def test_it_marks_the_verdict_and_is_in_the_report(self, tmp_path: Path) -> None:
        folder = Measured(design(4), noise=7.0).write(tmp_path / "s")
        _again(folder, trial=3)
        drop(folder, "rules=100 rules", 2, "it does not fit")
        assert "dropped" in marks(folder)
        text = render(Document(compared(folder), Choices("x")))
        assert "it does not fit" in text and "1 iteration was dropped by hand" in text
        (attempt,) = told(folder).repeated
        assert (attempt.trial, attempt.reason) == (3, "it does not fit")
        assert told(folder).done == 8, "it was measured again"

    def test_what_the_experiment_dropped_itself_is_no_choice_of_anybody(self, tmp_path: Path) -> None:
        folder = Measured(design(4), bad={3: [Bad(NOT_IN_FORCE, dropped=True)]}, noise=7.0).write(
            tmp_path / "s"
        )
        assert "dropped" not in marks(folder)

    def test_a_trial_that_was_not_measured_again_is_missing(self, tmp_path: Path) -> None:
        folder = Measured(design(4), noise=7.0).write(tmp_path / "s")
        assert told(folder).missing == ()
        drop(folder, "rules=100 rules", 2, "it does not fit")
        assert told(folder).missing == (3,) and told(folder).done == 7


def _again(folder: Path, trial: int) -> None:
    """A second value of a trial, judged sound, as after a drop and --resume."""
    plan = read_plan(folder)
    one = plan.trials[trial - 1]
    cell = plan.cells[one.cell]
    case = next(case for case in read_session(folder).cases if case.name == cell.name)
    old = next(i for i in case.iterations if i.planned and i.planned.trial == trial)
    assert old.planned is not None
    planned = msgspec.structs.replace(old.planned, attempt=2)
    with SessionWriter(folder) as session:
        writer = session.begin(cell.name)
        writer.commit(Iteration(0, old.value, planned=planned, boot=old.boot))
        writer.close()
    journal = Journal.go_on(folder, plan)
    journal.write(step("judged", done=True, sound=True, trial=trial, attempt=2))
    journal.close()


class TestRejected:
    """By the journal, whatever annotations.toml says or no longer says."""

    @pytest.fixture
    def session(self, tmp_path: Path) -> Path:
        bad = {3: [Bad(NOT_IN_FORCE, dropped=True)]}
        return Measured(design(4), bad=bad, noise=7.0).write(tmp_path / "s")

    def values(self, folder: Path) -> tuple[float, ...]:
        session = read_session(folder)
        case = next(case for case in session.cases if case.name == "rules=100 rules")
        return case_set(session, case, "s").result.values

    def test_it_does_not_count_where_the_annotations_were_lost(self, session: Path) -> None:
        before = self.values(session)
        assert len(before) == 4 and 1.0 not in before
        (session / ANNOTATIONS_FILE).unlink()
        assert self.values(session) == before
        one = next(one for case in read_session(session).cases for one in case.iterations if one.value == 1.0)
        assert (one.judged, one.dropped) == (False, NOT_IN_FORCE)

    def test_nobody_can_let_it_count(self, session: Path) -> None:
        before = self.values(session)
        restore(session, "rules=100 rules", 2)
        assert self.values(session) == before

    def test_what_was_saved_and_never_judged_does_not_count(self, tmp_path: Path) -> None:
        """A program that is killed before the second look at the levels writes no annotation."""
        plan = design(4)
        folder = Measured(plan, noise=7.0).write(tmp_path / "s")
        journal = folder / JOURNAL
        lines = journal.read_bytes().splitlines(keepends=True)
        assert b'"judged"' in lines[-1]
        journal.write_bytes(b"".join(lines[:-1]))
        missing = plan.trials[-1]
        found = [one for case in read_session(folder).cases for one in case.iterations if one.dropped]
        assert [(one.planned and one.planned.trial, one.dropped) for one in found] == [
            (missing.number, "nobody verified that its levels still held")
        ]
        assert told(folder).missing == (missing.number,)
        assert "iteration-excluded" in marks(folder)
        (problem,) = told(folder).problems
        assert "experiment.jsonl: its end is missing: it has no steps of 1 attempt whose value is" in problem
        assert end(told(folder)) == "Why it ended is not known, because experiment.jsonl is damaged."
        journal.write_bytes(b"".join(lines) + b'{"crc"')  # --resume passes over a torn line
        assert end(told(folder)).endswith("it was interrupted and can be resumed.")

    def test_a_damaged_line_may_have_been_its_verdict(self, tmp_path: Path) -> None:
        folder = Measured(design(4), noise=7.0).write(tmp_path / "s")
        journal = folder / JOURNAL
        lines = journal.read_bytes().splitlines(keepends=True)
        judged = next(n for n, line in enumerate(lines) if b'"judged"' in line)
        lines[judged] = lines[judged].replace(b'"crc":"', b'"crc":"x', 1)
        journal.write_bytes(b"".join(lines))
        found = [one.judged for case in read_session(folder).cases for one in case.iterations]
        assert sorted(map(str, found)) == ["None", *["True"] * 7]
        assert "attempts-unread" in marks(folder)
        assert not [one for case in read_session(folder).cases for one in case.iterations if one.dropped]


def attempts(name: str, bad: int, of: int, code: str = "no-traffic", *more: str) -> list[Iteration]:
    """`of` attempts, of which the first `bad` failed and were made good by the others."""
    warnings = tuple(Caution(one, "Nothing arrived.") for one in ("not-sound", code, *more))
    sound = of - bad
    planned = [Planned("x" * 16, n % sound + 1, n % sound + 1, n // sound + 1) for n in range(of)]
    return [
        Iteration(
            0, None, warnings=warnings, incomplete="Nothing arrived.", complete=False, planned=planned[n]
        )
        if n < bad
        else Iteration(0, 1e6 + 100.0 * (n % 5), planned=planned[n])
        for n in range(of)
    ]


@pytest.mark.parametrize(
    ("bad", "of", "code"),
    [
        (0, 10, None),
        (1, 11, None),
        (1, 10, FAILED),
        (3, 10, FAILED),
        (4, 12, SELECTED),
        (16, 24, SELECTED),
    ],
)
def test_a_dut_that_works_only_now_and_then_is_not_judged_by_when_it_works(
    tmp_path: Path, bad: int, of: int, code: str | None
) -> None:
    folder = session_of(tmp_path / "s", "s", {"c": attempts("c", bad, of)})
    session = read_session(folder)
    found = {one.code: one.text for one in case_set(session, session.cases[0], "s").result.cautions}
    assert found.keys() & {FAILED, SELECTED} == ({code} if code else set())
    if code:
        assert found[code].startswith(f"{bad} of {of} attempts gave no usable rate (iteration")
        assert f"no-traffic), and the {of - bad} values come from those that did." in found[code]


@pytest.mark.parametrize("why", ["link-down", "host-lost", "reboot", "tool-failed"])
def test_an_attempt_that_the_lab_spoilt_says_nothing_of_the_dut(tmp_path: Path, why: str) -> None:
    folder = session_of(tmp_path / "s", "s", {"c": attempts("c", 4, 8, "no-traffic", why)})
    session = read_session(folder)
    found = {one.code for one in case_set(session, session.cases[0], "s").result.cautions}
    assert not found & {FAILED, SELECTED}


def test_a_choice_of_attempts_is_one_by_a_metric_that_they_do_not_have_too(tmp_path: Path) -> None:
    """They failed by what the receiver saw; nobody knows what the DUT forwarded meanwhile."""
    bad = {n: [Bad("It is spoilt.", dropped=True, codes=("not-sound", "unsteady"))] for n in range(1, 9)}
    seen = tuple(range(1, 17))
    folder = Measured(design(8), bad=bad, seen=seen, noise=7.0).write(tmp_path / "s")
    (side,) = load_sides([str(folder)])
    for one in (side, *in_metric([side], "forwarded")):
        for case in one.cases.values():
            found = {caution.code: caution.text for caution in case.result.cautions}
            assert "4 of 12 attempts gave no usable rate" in found[SELECTED], one.sessions[0].path


def test_a_third_of_failed_attempts_proves_nothing() -> None:
    assert SELECTED in UNSOUND and FAILED not in UNSOUND


class TestAnnotationsUnread:
    """What was dropped is not known, so a gate has no answer, and the verdict is marked."""

    @pytest.fixture
    def specs(self, tmp_path: Path) -> list[str]:
        old = session_of(tmp_path / "old", "old", {"inet4": [1.0e6, 1.0009e6, 0.9993e6, 1.0004e6, 0.9997e6]})
        values = [0.9501e6, 0.9509e6, 0.9493e6, 0.9504e6, 1.2997e6, 1.301e6]
        new = session_of(tmp_path / "new", "new", {"inet4": values})
        for index in (5, 6):
            drop(new, "inet4", index, "wrong image booted")
        return [str(old), str(new)]

    def gate(self, specs: list[str]) -> tuple[int, tuple[str, ...]]:
        found = judge_sides(load_sides(specs))
        return answer(found.judged, found.sides, ["slower"], [])

    def test_whole_it_fails(self, specs: list[str]) -> None:
        assert self.gate(specs)[0] == 1

    @pytest.mark.parametrize(
        "change",
        [
            lambda text: text.replace("schema = 1", "schema = 2"),
            lambda text: text + '\nlabel = "x\n',
            lambda text: text.replace("index = 6", 'index = "six"'),
        ],
        ids=["newer", "damaged", "one entry"],
    )
    def test_else_there_is_no_answer(self, specs: list[str], change) -> None:
        file = Path(specs[1]) / ANNOTATIONS_FILE
        file.write_text(change(file.read_text()))
        status, lines = self.gate(specs)
        assert status == 2 and "annotations-unread" in lines[0]
        found = judge_sides(load_sides(specs))
        assert "annotations-unread" in {one.code for one in found.judged[0].comparison.warnings}

    def test_a_label_that_cannot_be_read_is_no_matter(self, specs: list[str]) -> None:
        file = Path(specs[1]) / ANNOTATIONS_FILE
        file.write_text(file.read_text().replace("schema = 1", "schema = 1\nlabel = 5"))
        assert self.gate(specs)[0] == 1
