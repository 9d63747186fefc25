"""Scenarios as data: those that come with the program, and what is wrong with others."""

import pytest

from fwdtui.core.errors import FwdtuiError
from fwdtui.labs.simulated import scenario

HEAD = 'name = "x"\ntitle = "x"\nsee = "x"\nexpect = "idle"\n'


def test_the_scenarios_that_the_demo_offers_begin_with_the_healthy_one() -> None:
    assert scenario.names()[0] == "healthy"
    assert set(scenario.names()) == {
        "healthy", "tx-one-queue", "tx-one-queue-fixed", "netisr-overflow", "generator-limited",
        "link-bounce", "starved-dut",
    }  # fmt: skip


@pytest.mark.parametrize("name", scenario.names())
def test_each_says_what_it_is_and_what_to_look_at(name: str) -> None:
    found = scenario.load(name)
    assert found.name == name
    assert found.title and found.see.strip() and found.expect


def test_the_fix_is_the_same_dut_but_for_the_flow_id() -> None:
    broken, fixed = scenario.load("tx-one-queue"), scenario.load("tx-one-queue-fixed")
    assert not broken.dut.flowid
    assert fixed.dut.flowid
    assert broken.generator == fixed.generator


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (HEAD + "[generator]\nrate = 1\nspeed = 2\n", "generator.speed: unknown key; expected one of rate, "),
        (HEAD + "[generator]\nrate = 'fast'\n", "generator.rate"),
        (HEAD + "[generator]\nrate = 0\n", "generator.rate: expected more than 0, got 0"),
        (HEAD + "[generator]\nrate = 1\n[dut]\nqueues = 0\n", "dut.queues: expected more than 0, got 0"),
        (HEAD + "[generator]\nrate = 1\n[dut]\nnetisr_threads = 9\n", "dut.netisr_threads"),
        (HEAD + "[generator]\nrate = 1\n[dut]\ndispatch = 'lazy'\n", "dut.dispatch"),
        (HEAD, "generator: missing; expected a table"),
        ("name = ", "mine.toml"),
    ],
)
def test_a_wrong_scenario_is_refused_with_file_and_key(text: str, told: str) -> None:
    with pytest.raises(FwdtuiError) as refused:
        scenario.parse(text, "mine.toml")
    assert str(refused.value).startswith("mine.toml: ")
    assert told in str(refused.value)
    assert "\n" not in str(refused.value)


def test_an_unknown_name_lists_those_that_there_are() -> None:
    with pytest.raises(FwdtuiError, match=r"no scenario '\.\./x'; choose one of healthy, "):
        scenario.load("../x")
