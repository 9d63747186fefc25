"""The log of a search for an equilibrium: its steps, its result, and that the last step gives the result."""

from pathlib import Path

import pytest
from fixtures import Agree, benchlab

from fwdtui.core.parse import equilibrium

STEPS = [(500, 500), (1000, 767), (782, 768), (767, 764)]


@pytest.mark.parametrize("old", [False, True])
def test_a_search_gives_its_steps_and_its_result(old):
    text = benchlab.search(STEPS, old=old)
    assert equilibrium.is_search(text)
    found = equilibrium.parse(text)
    assert found.steps == tuple(STEPS)
    assert (found.estimate, found.maximum, found.recomputed) == (764.0, 768.0, 764.0)
    assert found.command.startswith("equilibrium -")


def test_more_forwarded_than_offered_gives_the_load():
    found = equilibrium.parse(benchlab.search([(500, 400), (446, 447)]))
    assert (found.estimate, found.recomputed, found.maximum) == (446.0, 446.0, 447.0)


@pytest.mark.parametrize(
    ("steps", "better"),
    [
        (STEPS, None),
        ([(500, 260), (260, 260), (380, 379), (390, 250)], (380.0, 379.0)),
        ([(500, 260), (260, 260), (380, 375), (390, 250)], (260.0, 260.0)),  # 380 lost more than 1 %
        ([(500, 260), (260, 255), (257, 250)], None),  # 2 % more
        ([(500, 62), (62, 61), (66, 61)], None),  # rounded
    ],
)
def test_where_losses_did_not_grow_with_the_load_a_step_did_better_than_the_result(steps, better):
    assert equilibrium.parse(benchlab.search(steps)).better == better


def test_a_search_that_did_not_end_has_no_result():
    text = benchlab.search(STEPS, ended=False) + "Iteration 5\n  - Offering load = 770 Mb/s\n"
    found = equilibrium.parse(text)
    assert (found.estimate, found.maximum, found.steps) == (None, None, tuple(STEPS))
    assert equilibrium.parse("").recomputed is None and found.better is None


def test_a_log_says_how_many_searches_it_holds():
    text = benchlab.search(STEPS)
    assert [equilibrium.parse(text * times).starts for times in (1, 2)] == [1, 2]


def test_the_log_of_another_tool_is_no_search():
    assert not equilibrium.is_search(benchlab.log("tx", [1000.0]))
    assert not equilibrium.is_search("\n" * 5000 + benchlab.search(STEPS))


@pytest.mark.parametrize(
    "text", ["  - Measured forwarding rate = 5 Mb/s\n", "Estimated Equilibrium \n", "\x00" * 99]
)
def test_odd_text_is_no_step_and_no_result(text):
    assert equilibrium.parse(text) == equilibrium.Search()


def real_results_are_those_of_the_last_steps(archive: Path) -> None:
    found = [
        path for path in archive.rglob("bench.*") if path.suffix == ".sender" or path.suffix[1:].isdecimal()
    ]
    searches = [text for path in found if equilibrium.is_search(text := path.read_text(errors="replace"))]
    assert len(searches) == 195
    assert sum(equilibrium.parse(text).better is not None for text in searches) == 2
    for text in searches:
        one = equilibrium.parse(text)
        assert one.estimate is not None and one.estimate == one.recomputed
        assert one.maximum == max(forwarded for _, forwarded in one.steps)


def test_published_searches_say_the_same(agree: Agree) -> None:
    agree(real_results_are_those_of_the_last_steps)
