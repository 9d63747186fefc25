"""An eventful experiment, and what a session tells: its summary, and its report as a user writes it."""

from pathlib import Path

from planned import Bad, Measured, design, step

from fwdtui.cli import main
from fwdtui.core.experiment import Action, Hook, StopRule
from fwdtui.report.experiment_summary import ExperimentSummary, summary
from fwdtui.store import read_session
from fwdtui.store.experiment_record import Record, recorded

UNDONE = [
    step("undo", factor="rules", level=1, done=True),
    step("ended", done=True, text="all trials are done"),
]


def told(folder: Path) -> ExperimentSummary:
    session = read_session(folder)
    record = recorded(session)
    assert isinstance(record, Record), record
    return summary(session, record)


def report(folder: Path, *options: str) -> str:
    out = folder.parent / "report.md"
    out.unlink(missing_ok=True)
    assert main(["report", str(folder), "-o", str(out), "--without", "charts", *options]) == 0
    return out.read_text()


def eventful(folder: Path) -> Path:
    """Two factors; trials repeated and given up, resumed, a look, a hook, another kernel."""
    plan = design(
        4,
        two=True,
        reboot=True,
        stop=StopRule("looks", None, (2,)),
        hooks=(Hook("after", Action("root@dut", "nft list counters")),),
    )
    rules = {"factor": "rules", "level": 1}
    hook = "after: nft list counters"
    return Measured(
        plan,
        bad={
            2: [Bad("The receiver ended during the blast: it was killed.")],
            3: [Bad("rules=100 rules is not in force: 0 where 100 was expected.", dropped=True)],
            6: [Bad("root@dut does not answer.", saved=False), Bad("root@dut does not answer.", saved=False)],
            9: [Bad("fwdtui ended", saved=False, judged=False)],
        },
        lost=(6,),
        facts={"dut.kernel": "6.12"},
        before={
            1: [
                step("hook", host="root@dut", text=hook, trial=1, attempt=1),
                step("hook", host="root@dut", text=f"{hook}\n12 packets", done=True, trial=1, attempt=1),
                step("level", **rules),
                step("level", **rules, done=True, text="100 rules"),
                step("reboot", done=True, boot="a"),
                step("reboot", done=True, failed="it did not come back in 300 s"),
            ],
            9: [step("look", done=True, index=2, text="Still open at look 1 of 2, at 99 %.")],
            10: [step("resumed", done=True)],
        },
        end=[
            step("undo", **rules),
            step("undo", **rules, done=True, failed="root@dut does not answer"),
            step("ended", done=True, text="1 trial without a sound value: root@dut does not answer."),
        ],
    ).write(folder)
