"""An experiment on the kernel lab: two rulesets in turns, decided without a word by hand."""

import json
from pathlib import Path

import pytest
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
            run=Run(warmup=0.4, duration=1.2, settle=0.2),
            abort=Abort(attempts=6, failed=1),
        ),
        "c" * 64,
        tuple(
            Cell(n, f"rules={one.value}", {"rules": n}, {"rules": one.value}) for n, one in enumerate(levels)
        ),
        tuple(Trial(n, (n + 1) // 2, cell, 1, False) for n, cell in enumerate(order, 1)),
    )


async def test_five_hundred_rules_are_slower_than_none(lab, tmp_path):
    path = lab.quick_file()
    trusted.made(path.parent)
    said = []
    subject = Subject(path, interleaved(lab.folder, 3), "# rules\n")
    async with opened(subject, tmp_path, "s", say=said.append) as (run, _):
        complete = await run.run()
    assert complete, (run.problem, said)
    session = read_session(tmp_path / "s")
    sound = {one.planned.trial: case.name for case in session.cases for one in case.iterations if one.value}
    assert sorted(sound) == list(range(1, 7)), said
    levels = sum(step.what == LEVEL and step.done for step in read(tmp_path / "s")[1])
    assert levels == 2, "in ABBA order the rules stay for two trials"
    assert lab.inside("dut", "nft", "list", "ruleset").count("udp dport") == 0, "undone"
    assert lab.quiet() == []

    done = fwdtui("compare", tmp_path / "s", "--by", "rules", "--format", "json")
    document = json.loads(done.out)
    (comparison,) = document["comparisons"]
    assert comparison["verdict"] == "slower", (run.view, comparison["difference"])
    assert comparison["difference"]["percent"] < -5
    assert (comparison["analysis"]["paired"], comparison["analysis"]["unit"]) == (True, "block")
    # each iteration has the settings of its own level: of thousands only the ruleset differs, on the DUT
    (settings,) = document["settings"]
    differences = settings["differences"]
    assert {(one["role"], one["source"]) for one in differences} == {("dut", "nft")}, settings["changes"]
    chain = next(one for one in differences if one["key"] == "inet fwdtui, chain forward")
    assert (chain["base"], chain["other"].count("udp dport")) == (None, 500)
    assert settings["compared"] > 1000
