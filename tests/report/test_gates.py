"""What a gate answers where a warning bears on the verdict."""

import pytest
from hand_made import judged

from fwdtui.core.model import Caution
from fwdtui.report import bearing
from fwdtui.report.gates import answer
from fwdtui.report.sides import Side
from fwdtui.stats.results import NotSlower

SIDES = [Side(name, name, {}, chosen=True) for name in ("base", "other")]


def asked(code: str, verdict: str, fail_if=(), fail_unless=()) -> tuple[int, list[str]]:
    import msgspec

    one = judged(verdict=verdict, warnings=(Caution(code, "told"),) if code else ())
    comparison = msgspec.structs.replace(one.comparison, not_slower=NotSlower(proven=verdict != "slower"))
    found = answer([msgspec.structs.replace(one, comparison=comparison)], SIDES, fail_if, fail_unless)
    return found.status, list(found.lines)


def test_a_marked_verdict_that_passes_or_fails_says_so_in_one_line():
    status, (line,) = asked("level-shift", "faster", fail_if=["slower"])
    assert status == 0 and line.endswith(": a warning bears on it (level-shift)")
    status, (line,) = asked("level-shift", "slower", fail_if=["slower"])
    assert status == 1 and line.startswith("fwdtui: slower: ")
    assert line.endswith(": a warning bears on it (level-shift)")


def test_marked_is_a_kind_of_its_own():
    status, (line,) = asked("one-boot", "equivalent", fail_if=["marked"])
    assert status == 1 and line.startswith("fwdtui: equivalent: ") and "(one-boot)" in line
    assert asked("one-boot", "slower", fail_if=["slower", "marked"])[0] == 1
    assert len(asked("one-boot", "slower", fail_if=["slower", "marked"])[1]) == 1
    assert asked("", "equivalent", fail_if=["marked"]) == (0, [])
    assert asked("outlier", "equivalent", fail_if=["marked"]) == (0, [])
    assert asked("one-boot", "inconclusive", fail_if=["marked"]) == (0, []), "it claims nothing"


@pytest.mark.parametrize("code", sorted(bearing.UNSOUND))
@pytest.mark.parametrize("claim", ["not-slower", "equivalent"])
def test_doubtful_data_prove_nothing(code: str, claim: str):
    status, (line,) = asked(code, "equivalent", fail_unless=[claim])
    assert status == 2
    assert line.startswith("fwdtui: not proven: ") and line.endswith(f"{bearing.MEANING[code]} ({code})")
    assert asked(code, "slower", fail_unless=[claim])[0] == 1, "a no stays a no"


@pytest.mark.parametrize("verdict", ["inconclusive", "capped"])
def test_that_a_loss_is_ruled_out_is_a_claim_too_and_is_marked(verdict: str):
    status, (line,) = asked("loads-differ", verdict, fail_unless=["not-slower"])
    assert status == 0 and line.endswith(": a warning bears on it (loads-differ)")
    status, (line,) = asked("loads-differ", verdict, fail_if=["marked"], fail_unless=["not-slower"])
    assert status == 1 and "(loads-differ)" in line


def test_where_nobody_knows_what_was_dropped_no_condition_has_an_answer():
    status, (line,) = asked("annotations-unread", "inconclusive", fail_if=["slower"])
    assert status == 2 and line.startswith("fwdtui: not proven: ")


def test_neither_do_they_where_the_verdict_is_open_but_a_loss_is_ruled_out():
    assert asked("same-data", "inconclusive", fail_unless=["not-slower"])[0] == 2
    assert asked("", "inconclusive", fail_unless=["not-slower"])[0] == 0


@pytest.mark.parametrize("code", sorted(set(bearing.MEANING) - bearing.UNSOUND))
def test_what_is_only_to_be_judged_passes_and_is_told(code: str):
    status, (line,) = asked(code, "equivalent", fail_unless=["equivalent"])
    assert status == 0 and f"({code})" in line
