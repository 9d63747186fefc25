"""What limited each side of a comparison: counted, and a change of the bottleneck in a sentence."""

from pathlib import Path

import pytest

from fwdtui.core.model import Caution, Iteration, Summary
from fwdtui.report import comparison
from fwdtui.report.limits import Limits, changed, limits
from fwdtui.store import SessionWriter

DUT, GENERATOR = "dut-limited", "generator-limited"


def recorded(folder: Path, label: str, values: list[float], codes: list[str | None]) -> Path:
    with SessionWriter.create(folder / label, label=label, created="2026-01-02T03:04:05+00:00") as writer:
        for number, (value, code) in enumerate(zip(values, codes, strict=True)):
            limit = Caution(code, f"sentence {number}") if code else None
            metrics = {"received": Summary(value, value, value, value, 60)}
            writer.begin("x").commit(Iteration(0, value, source="log", metrics=metrics, limit=limit))
    return folder / label


def both(folder: Path, base: list[str | None], other: list[str | None]) -> tuple[Limits, Limits]:
    paths = [
        recorded(folder, "old", [1000.0, 1003.0, 1001.0], base),
        recorded(folder, "new", [900.0, 901.0, 902.0], other),
    ]
    compared = comparison.judge(comparison.load(paths), 1.0, 95.0)
    return limits(compared, compared.judged[0])


def test_the_most_frequent_comes_first_and_the_sentence_is_the_middle_iterations(tmp_path: Path) -> None:
    old, new = both(tmp_path, [GENERATOR, DUT, GENERATOR], [DUT, DUT, DUT])
    assert old == Limits("old", ((GENERATOR, 2), (DUT, 1)), 3, "sentence 2")  # 1001 is the median
    assert new == Limits("new", ((DUT, 3),), 3, "sentence 1")
    assert old.in_words() == "generator-limited in 2 of 3 iterations, DUT-limited in 1"
    assert new.in_words() == "DUT-limited in 3 of 3 iterations"
    assert changed(old, new) == "The bottleneck changed: old is generator-limited, new is DUT-limited."


def test_an_iteration_without_a_limit_counts_as_one_that_has_none(tmp_path: Path) -> None:
    old, new = both(tmp_path, [None, None, DUT], [None, None, None])
    assert old.in_words() == "DUT-limited in 1 of 3 iterations" and old.main == ""
    assert new.in_words() == "what limited it was not recorded" and new.sentence == ""
    assert Limits("none", (), 0).in_words() == "no iteration that counts"


@pytest.mark.parametrize(
    ("counts", "of", "main"),
    [
        (((DUT, 3),), 5, DUT),
        (((DUT, 2), (GENERATOR, 2)), 4, ""),
        (((DUT, 2),), 4, ""),  # half of them is not most of them
        (((DUT, 1),), 1, DUT),
        ((), 5, ""),
    ],
)
def test_a_side_has_a_limit_if_more_than_half_of_its_iterations_have_it(counts, of: int, main: str) -> None:
    assert Limits("a", counts, of).main == main


def test_the_same_limit_on_both_sides_is_said_and_so_is_disagreement_within_one() -> None:
    one = Limits("a", ((DUT, 5),), 5)
    assert changed(one, Limits("b", ((DUT, 4),), 5)) == "The bottleneck is the same: both are DUT-limited."
    mixed = Limits("b", ((DUT, 2), (GENERATOR, 2)), 4)
    assert changed(one, mixed) == "The iterations of b do not agree on their limit."
    assert (
        changed(mixed, Limits("c", ((DUT, 1),), 4))
        == "The iterations of b and c do not agree on their limit."
    )
    assert changed(one, Limits("b", (), 5)) == ""
