"""An experiment on the kernel lab: two rulesets in turns, decided without a word by hand."""

import asyncio
import json
from pathlib import Path
from typing import NamedTuple

import pytest
from kernel_blasts import every_packet_is_named, stored, the_dut_is_the_limit
from kernel_lab_use import fwdtui

from fwdtui.core.experiment import (
    Abort,
    Action,
    Cell,
    Check,
    DesignFactor,
    Experiment,
    LevelSetup,
    Plan,
    Trial,
)
from fwdtui.core.lab import Run
from fwdtui.core.text import slug
from fwdtui.monitor.experiment.opening import opened
from fwdtui.monitor.experiment.subject import Subject
from fwdtui.store import read_session
from fwdtui.store.experiment_journal import LEVEL, read
from fwdtui.transport import trusted

pytestmark = pytest.mark.root
COUNT = "nft list ruleset | grep -c 'udp dport' || :"


def rules(folder: Path, count: int) -> LevelSetup:
    """So many rules on the DUT, which match none of the lab's traffic."""
    return LevelSetup(
        value=count,
        apply=(Action("dut", f"sh {folder}/rules {count}"),) if count else (),
        verify=(Check("dut", COUNT, str(count)),),
        undo=(Action("dut", f"sh {folder}/rules 0"),) if count else (),
    )


def interleaved(folder: Path, blocks: int) -> Plan:
    levels = (rules(folder, 0), rules(folder, 500))
    order = [cell for block in range(blocks) for cell in ((0, 1) if block % 2 == 0 else (1, 0))]
    return Plan(
        Experiment(
            "rules",
            "lab.toml",
            (DesignFactor("rules", levels),),
            blocks=blocks,
            run=Run(warmup=0.4, duration=1.0, settle=0.1),
            abort=Abort(attempts=6, failed=1),
        ),
        "c" * 64,
        tuple(
            Cell(n, f"rules={one.value}", {"rules": n}, {"rules": one.value}) for n, one in enumerate(levels)
        ),
        tuple(Trial(n, (n + 1) // 2, cell, 1, False) for n, cell in enumerate(order, 1)),
    )


class Done(NamedTuple):
    """What is left of the experiment: its session's folder, its last view, and what it said."""

    session: Path
    view: object
    said: list[str]


@pytest.fixture(scope="module")
def done(lab, tmp_path_factory) -> Done:
    """Three blocks of a blast without rules and one with five hundred: to the end, and undone."""
    path, into = lab.quick_file(), tmp_path_factory.mktemp("experiment")
    trusted.made(path.parent)
    said: list[str] = []

    async def run_it() -> object:
        subject = Subject(path, interleaved(lab.folder, 3), "# rules\n")
        async with opened(subject, into, "s", say=said.append) as (run, _):
            assert await run.run(), (run.problem, said)
        return run.view

    view = asyncio.run(run_it())
    assert lab.inside("dut", "nft", "list", "ruleset").count("udp dport") == 0, "undone"
    assert lab.quiet() == []
    return Done(into / "s", view, said)


def test_five_hundred_rules_are_slower_than_none(done):
    session = read_session(done.session)
    sound = {one.planned.trial: case.name for case in session.cases for one in case.iterations if one.value}
    assert sorted(sound) == list(range(1, 7)), done.said
    levels = sum(step.what == LEVEL and step.done for step in read(done.session)[1])
    assert levels == 2, "in ABBA order the rules stay for two trials"

    compared = fwdtui("compare", done.session, "--by", "rules", "--format", "json")
    (comparison,) = json.loads(compared.out)["comparisons"]
    assert comparison["verdict"] == "slower", (done.view, comparison["difference"])
    assert comparison["difference"]["percent"] < -5
    assert (comparison["analysis"]["paired"], comparison["analysis"]["unit"]) == (True, "block")


def test_each_iteration_has_the_settings_of_its_own_level(done):
    """Of thousands only the ruleset differs, on the DUT."""
    document = json.loads(fwdtui("compare", done.session, "--by", "rules", "--format", "json").out)
    (settings,) = document["settings"]
    differences = settings["differences"]
    assert {(one["role"], one["source"]) for one in differences} == {("dut", "nft")}, settings["changes"]
    chain = next(one for one in differences if one["key"] == "inet fwdtui, chain forward")
    assert (chain["base"], chain["other"].count("udp dport")) == (None, 500)
    assert settings["compared"] > 1000


@pytest.mark.parametrize("count", [0, 500])
def test_every_packet_is_named_and_a_dut_that_drops_is_the_limit(done, count):
    """But for blasts of which the program says itself that a host could not be sampled."""
    folders = sorted(file.parent for file in (done.session / slug(f"rules={count}")).glob("*/iteration.json"))
    sound = [one for one in folders if stored(one)["value"] and "unsampled" not in stored(one)["packets"]]
    assert sound, [stored(one)["packets"] for one in folders]
    for iteration in sound:
        every_packet_is_named(iteration)
        if count:
            the_dut_is_the_limit(iteration)
