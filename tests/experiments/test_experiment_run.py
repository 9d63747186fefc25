"""A whole experiment on the simulated lab: levels, trials, what is repeated, what is undone."""

import asyncio
import contextlib
import os
import signal
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import msgspec
import pytest
from experimental import DISPATCH, Done, at_step, done, plan_of, sysctl

from fwdtui.collectors.labfile import load
from fwdtui.core.errors import FwdtuiError
from fwdtui.core.experiment import (
    AFTER,
    Abort,
    Action,
    Cell,
    Check,
    Hook,
    LevelSetup,
    Plan,
    Restore,
    StopRule,
    Upload,
)
from fwdtui.core.host_settings import HostSettings, SettingsSource
from fwdtui.core.lab import Run, plain
from fwdtui.core.model import Iteration
from fwdtui.labs.simulated.lab import SimulatedLab
from fwdtui.monitor.experiment import tools
from fwdtui.monitor.experiment.levels import Levels
from fwdtui.monitor.experiment.looks import Look
from fwdtui.monitor.experiment.run import ExperimentRun
from fwdtui.monitor.run.bench import Bench
from fwdtui.monitor.run.waiting import Waiter
from fwdtui.report.comparison import judge_sides
from fwdtui.report.sides import load_sides
from fwdtui.store import SessionWriter, drop, read_session
from fwdtui.store.experiment_journal import Journal, Step
from fwdtui.transport.errors import TimedOut

DIRECT, DEFERRED = sysctl("direct"), sysctl("deferred")


def setting(lab: SimulatedLab) -> str:
    """What was set on the DUT and is in force."""
    told = lab.folder / "dut" / "sysctl" / DISPATCH
    return told.read_text().strip() if told.exists() else "(boot default)"


def kill_pktgen(lab: SimulatedLab, mode: str) -> None:
    """Kill pkt-gen on the generator, and the program that prints for it, and nothing else."""
    arguments = {}
    for entry in Path("/proc").iterdir():
        with contextlib.suppress(OSError):
            if entry.name.isdigit():
                arguments[int(entry.name)] = (
                    (entry / "cmdline").read_bytes().decode(errors="replace").split("\0")
                )
    (pid,) = (
        pid for pid, words in arguments.items() if f"{lab.folder}/bin/pkt-gen" in words and mode in words
    )
    printers = [one for one, words in arguments.items() if f"{lab.folder}/gen/pktgen/{pid}/lines" in words]
    for one in (pid, *printers):
        os.kill(one, signal.SIGKILL)


async def test_a_level_that_does_not_hold_is_an_error_and_is_undone(
    lab: SimulatedLab, tmp_path: Path
) -> None:
    wrong = LevelSetup(
        value="wrong",
        apply=(Action("gen", "echo on >$HOME/knob"), Action("dut", f"sysctl {DISPATCH}=deferred")),
        verify=(Check("dut", f"sysctl -n {DISPATCH}", "hybrid"),),
        undo=(Action("gen", "rm $HOME/knob"),),
        restore=(Restore("dut", f"sysctl -n {DISPATCH}", f"sysctl {DISPATCH}={{value}}"),),
    )
    found = await done(lab.lab_toml, plan_of([wrong], (0,)), tmp_path / "into")
    assert not found.complete
    assert found.view.problem == (
        "dispatch=wrong is not in force: dut: 'sysctl -n net.isr.dispatch' says 'deferred', not 'hybrid'"
    )
    assert found.trials == {} and found.taken("tools") == []
    assert setting(lab) == "direct" and not (lab.folder / "gen" / "home" / "knob").exists()
    assert found.steps[-1].what == "ended" and found.steps[-1].text == found.view.problem


async def test_what_falls_out_of_its_level_is_not_counted_and_entered_again_whatever_ended_the_blast(
    lab: SimulatedLab, tmp_path: Path
) -> None:
    """After a sound blast, in a blast that fails anyhow, and by a boot of the DUT itself: a trial of each."""
    told = lab.folder / "dut" / "sysctl" / DISPATCH
    harmed: list[int] = []  # the trials of the attempts that were

    def during(run: ExperimentRun, waiter: Waiter) -> None:
        written, later = run.book.journal.written, asyncio.get_running_loop().call_later

        def fails() -> None:
            told.write_text("direct\n")
            kill_pktgen(lab, "tx")

        def harm(step: Step) -> None:
            written(step)
            if (step.trial, step.what, step.done) == (1, "stopped", True):
                # again if a busy machine starved the attempt: it is spoilt, but not by its level alone
                if not any("not 'deferred'" in one.text for one in run.book.journal.steps):
                    harmed.append(1)
                    told.write_text("direct\n")
            elif step.what == "tools" and step.done and step.trial in {2, 3} - {*harmed}:
                harmed.append(step.trial)
                later(*(0.5, fails) if step.trial == 2 else (0.8, (lab.folder / "dut" / "reboot").touch))

        run.book.journal.written = harm

    found = await done(lab.lab_toml, plan_of([DEFERRED], (0, 0, 0)), tmp_path / "into", during=during)
    assert found.complete, (found.view.problem, found.said)
    case = "dispatch=deferred"
    assert found.trials == {1: [case], 2: [case], 3: [case]}, "each was measured again"
    one = [one for one in read_session(found.folder).cases[0].iterations if one.planned]
    *first, last = (one for one in one if one.planned.trial == 1)
    assert "says 'direct', not 'deferred'" in first[-1].dropped and not last.dropped
    judged = {(step.trial, step.attempt): step.sound for step in found.taken("judged")}
    assert not any(judged[trial, 1] for trial in (1, 2, 3))
    assert {trial for trial, sound in judged if judged[trial, sound]} == {1, 2, 3}
    assert {*harmed} == {1, 2, 3} and found.view.cells[0].repeated >= 3
    assert len(found.taken("level")) == 1 + len(harmed) and setting(lab) == "direct"


async def test_settings_that_were_read_while_a_level_changed_are_no_iterations(
    lab: SimulatedLab, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first reading ends only when the first level is in force, and says what there was before."""
    entered = asyncio.Event()

    async def read(*of: object) -> list[HostSettings]:
        found = SettingsSource("sysctl", {DISPATCH: setting(lab)})
        await entered.wait()
        return [HostSettings("dut", "freebsd", ("dut",), sources=(found,))]

    def during(run: ExperimentRun, waiter: Waiter) -> None:
        at_step(run, "level", entered.set)

    monkeypatch.setattr("fwdtui.collectors.settings.read", read)
    found = await done(lab.lab_toml, plan_of([DIRECT, DEFERRED]), tmp_path / "into", during=during)
    assert found.complete, found.said
    (told,) = judge_sides(
        load_sides([f"{found.folder}:dispatch={one}" for one in ("direct", "deferred")])
    ).settings
    assert told.varying == () and told.not_compared == ()
    assert [(one.key, one.base, one.other) for one in told.differences] == [(DISPATCH, "direct", "deferred")]


async def test_the_dut_reboots_and_its_levels_are_entered_again(
    lab: SimulatedLab, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    in_force: list[str] = []
    rebooted: list[bool] = []

    async def learn(bench: Bench) -> None:
        in_force.append(setting(lab))
        if rebooted:
            bench.facts = {**bench.facts, "dut.kernel": "another", "dut.new": "not known before"}

    monkeypatch.setattr(Bench, "learn", learn)

    def during(run: ExperimentRun, waiter: Waiter) -> None:
        at_step(run, "reboot", lambda: rebooted.append(True))

    plan = plan_of([DEFERRED], (0, 0), boots=(2,))
    found = await done(lab.lab_toml, plan, tmp_path / "into", during=during)
    assert found.complete, found.said
    first, second = found.counted
    assert first.boot and second.boot and first.boot != second.boot
    assert first.facts == {}
    assert second.facts == {"dut.kernel": "another", "dut.new": "not known before"}
    assert len(in_force) >= 2 and set(in_force) == {"deferred"}, "the facts are those that its level makes"
    # one, and one more for each attempt after it that a busy machine spoils
    asked_for = [step for step in found.steps if step.what == "reboot" and not step.done]
    asked, rebooted = asked_for[-1], found.taken("reboot")[-1]
    assert (asked_for[0].boot, rebooted.boot, asked.trial) == (first.boot, second.boot, 2)
    assert len(asked_for) <= len([step for step in found.taken("judged") if step.trial == 2])
    assert [step.what for step in found.steps if step.done and step.number > asked.number][:5] == [
        "reboot", "tools", "stopped", "forwards", "level",
    ]  # fmt: skip
    assert {step.old for step in found.taken("level")} == {("direct",)}, "not read again after it was set"
    assert setting(lab) == "direct" and found.trials == {1: ["dispatch=deferred"], 2: ["dispatch=deferred"]}


async def test_a_dut_that_does_not_come_back_ends_it_and_what_was_set_elsewhere_is_undone(
    lab: SimulatedLab, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("fwdtui.labs.simulated.server._BOOT", 3600.0)
    monkeypatch.setattr("fwdtui.monitor.experiment.run._AT_END", 1.0)
    both = LevelSetup(
        value="on",
        apply=(Action("gen", "echo on >$HOME/knob"), Action("dut", f"sysctl {DISPATCH}=deferred", 3.0)),
        undo=(Action("dut", f"sysctl {DISPATCH}=direct", 3.0), Action("gen", "rm $HOME/knob")),
    )
    plan = plan_of([both], (0, 0), boots=(2,), abort=Abort(4, 2, 4.0))
    found = await done(lab.lab_toml, plan, tmp_path / "into")
    assert not found.complete
    assert found.view.problem.startswith("dut did not come back within 4 s (it gives no samples: ")
    assert "not undone: dispatch = on: dut does not answer" in found.view.problem, "it is not asked again"
    assert found.trials == {1: ["dispatch=on"]}, "what was measured is saved"
    assert not (lab.folder / "gen" / "home" / "knob").exists()


async def test_a_reboot_command_that_does_nothing_is_found_out(lab: SimulatedLab, tmp_path: Path) -> None:
    plan = plan_of([DIRECT], (0,), boots=(1,), abort=Abort(2, 2, 2.0), reboot_command="true")
    for attempt in range(4):
        found = await done(lab.lab_toml, plan, tmp_path / str(attempt))
        assert found.trials == {}
        if "it gives no samples" not in found.view.problem:  # as a starved host may, just when the time is up
            break
    assert found.view.problem.startswith("dut did not come back within 2 s (it is still the same boot)")


async def test_a_reboot_command_that_fails_is_told_with_its_status(lab: SimulatedLab, tmp_path: Path) -> None:
    plan = plan_of([DIRECT], (0,), boots=(1,), abort=Abort(2, 2, 60.0), reboot_command="no-such-program")
    found = await done(lab.lab_toml, plan, tmp_path / "into")
    assert found.view.problem.startswith("dut: 'no-such-program' ended with status 127: ")
    assert found.trials == {}


async def test_a_dut_with_the_kernel_of_this_computer_is_not_rebooted(
    lab: SimulatedLab, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A namespace of the kernel lab: `reboot` there ends whoever runs the experiment."""
    runs: list[ExperimentRun] = []
    monkeypatch.setattr("fwdtui.monitor.experiment.boots.own_boot", lambda: runs[0]._rebooting.boot)

    def during(run: ExperimentRun, waiter: Waiter) -> None:
        runs.append(run)

    asked = tmp_path / "asked"
    plan = plan_of([DEFERRED], (0,), boots=(1,), reboot_command=f"touch {asked}", abort=Abort(2, 2, 2.0))
    found = await done(lab.lab_toml, plan, tmp_path / "into", during=during)
    assert found.view.problem == (
        "dut shares this computer's kernel, so rebooting it would reboot this computer: nothing was changed"
    )
    assert not asked.exists() and not found.taken("level") and found.trials == {}


async def test_a_boot_from_before_its_level_was_chosen_does_not_count(
    lab: SimulatedLab, tmp_path: Path
) -> None:
    def boots() -> int:
        return next(host.boots for host in lab._hosts if host.name == "dut")

    def in_vain(run: ExperimentRun, waiter: Waiter) -> None:
        run._rebooting._limit = 2.0  # of the plan's minute, which the boots that work may need

    entry = LevelSetup(value="on", apply=(Action("dut", "true"),), undo=(Action("dut", "true"),), reboot=True)
    works = tmp_path / "works"
    plan = plan_of([entry], (0,), abort=Abort(4, 2, 60.0), reboot_command=f"! test -e {works} || reboot")
    found = await done(lab.lab_toml, plan, tmp_path / "into", during=in_vain)
    assert found.view.problem.startswith("dut did not come back") and found.trials == {}
    (lab.folder / "dut" / "reboot").touch()  # somebody resets it
    while boots() < 1:  # noqa: ASYNC110 - no event
        await asyncio.sleep(0.05)
    works.touch()
    found = await done(lab.lab_toml, plan, tmp_path / "into", resume=True)
    assert found.complete, (found.view.problem, found.said)
    assert boots() == 3, "by itself, for the trial, and at the end, back to what there was"


async def test_told_to_stop_in_a_blast_or_before_its_last_hook_it_undoes_everything_and_is_resumed(
    lab: SimulatedLab, tmp_path: Path
) -> None:
    """One experiment of one trial: stopped in it, stopped after it, and gone on with to its end."""
    into, ready = tmp_path / "into", tmp_path / "ready"
    last = Hook(AFTER, Action("gen", f"test -e {ready} || sleep 30"), whole=True)
    plan = plan_of([DEFERRED], (0,), hooks=(last,))

    def in_the_blast(run: ExperimentRun, waiter: Waiter) -> None:
        at_step(run, "tools", lambda: asyncio.get_running_loop().call_later(0.8, waiter.stop.set))

    found = await done(lab.lab_toml, plan, into, during=in_the_blast)
    assert not found.complete and found.view.problem == "" and found.trials == {}
    assert setting(lab) == "direct" and lab.world.senders == {}
    assert found.steps[-1].text == "stopped" and found.taken("judged") == []

    def in_the_hook(run: ExperimentRun, waiter: Waiter) -> None:
        at_step(run, "hook", waiter.stop.set, done=False)

    # all trials are done, but that hook may be what gives the router back: it is not complete
    found = await done(lab.lab_toml, plan, into, resume=True, during=in_the_hook)
    assert not found.complete and found.view.problem == "" and found.view.stopped
    assert found.trials == {1: ["dispatch=deferred"]} and found.taken("hook") == []
    assert found.taken("judged")[0].attempt == 2
    assert setting(lab) == "direct"

    ready.touch()
    found = await done(lab.lab_toml, plan, into, resume=True)
    assert found.complete and not found.view.stopped and len(found.taken("hook")) == 1
    assert found.trials == {1: ["dispatch=deferred"]}
    with pytest.raises(FwdtuiError, match="exists already; continue it with --resume"):
        await done(lab.lab_toml, plan, into)
    other = plan_of([DEFERRED], (0,), digest="e" * 64)
    with pytest.raises(FwdtuiError, match="was begun with another experiment"):
        await done(lab.lab_toml, other, into, resume=True)


async def test_a_journal_that_cannot_be_written_ends_it_and_all_is_undone(
    lab: SimulatedLab, tmp_path: Path
) -> None:
    def during(run: ExperimentRun, waiter: Waiter) -> None:
        def full(step: Step) -> Step:
            raise OSError(28, "No space left on device")

        at_step(run, "level", lambda: setattr(run.book.journal, "write", full))

    found = await done(lab.lab_toml, plan_of([DEFERRED], (0,)), tmp_path / "into", during=during)
    assert not found.complete and "No space left on device" in found.view.problem
    assert "not every step is written down" in found.view.problem
    assert setting(lab) == "direct" and found.trials == {}


async def test_nothing_is_started_while_somebody_else_sends(
    lab: SimulatedLab, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tools, "_STRAY", 1.0)
    stray = object()
    lab.world.start(stray, 50_000.0)
    found = await done(lab.lab_toml, plan_of([DIRECT], (0,)), tmp_path / "into")
    # with the rate, if one is known at that moment
    assert "although nothing was started" in found.view.problem
    assert found.taken("tools") == [] and found.taken("level") == []
    lab.world.stop(stray)


async def test_a_look_may_decide_and_is_recorded_and_what_a_hook_sends_is_no_value(
    lab: SimulatedLab, tmp_path: Path
) -> None:
    """A hook sends to measure latency after each trial; nor is a blast before the first trial a value."""
    stray = object()
    asked: list[tuple[int, int, int]] = []

    def during(run: ExperimentRun, waiter: Waiter) -> None:
        for nth in (1, 2):
            at_step(run, "hook", lambda: lab.world.start(stray, 50_000.0) and None, done=False, nth=nth)
            at_step(run, "hook", lambda: lab.world.stop(stray), nth=nth)
        at_step(run, "hook", (lab.folder / "gen" / "home" / "sent").touch, nth=2)

    def looker(plan: Plan, folder: Path, block: int, number: int) -> Look:
        (case,) = read_session(folder).cases  # what the report reads is there
        values = [one.value for one in case.iterations if one.value is not None and not one.dropped]
        asked.append((len(values), block, number))
        return Look(block == 2, f"{len(values)} values")

    sends = Action("gen", "[ -e $HOME/sent ] || sleep 1.5")  # the last hook sends nothing
    hooks = (Hook("before", sends, whole=True), Hook(AFTER, sends))
    plan = plan_of([DIRECT], (0, 0, 0), hooks=hooks, stop=StopRule("looks", looks=(1, 2)))
    into = tmp_path / "into"
    found = await done(lab.lab_toml, plan, into, during=during, looker=looker)
    assert found.complete and found.view.decided == "2 values", (found.view.problem, found.said)
    assert asked == [(1, 1, 1), (2, 2, 2)]
    assert [one.planned.look for one in found.counted if one.planned] == [0, 1]
    every = [one for case in read_session(found.folder).cases for one in case.iterations]
    assert sum(one.value is not None and not one.dropped for one in every) == 2
    assert {trial: len(cases) for trial, cases in found.trials.items()} == {1: 1, 2: 1}
    assert {one.value for one in found.counted} == set(found.view.cells[0].values)
    again = await done(lab.lab_toml, plan, into, looker=looker, resume=True)
    assert again.complete and len(asked) == 2, "what is decided stays so"


async def test_a_stop_rule_that_nobody_can_ask_is_refused_before_anything_runs(
    lab: SimulatedLab, tmp_path: Path
) -> None:
    plan = plan_of([DIRECT], (0,), stop=StopRule("precision", precision=1.0))
    with pytest.raises(FwdtuiError, match="'precision' is not available"):
        await done(lab.lab_toml, plan, tmp_path / "into")


async def test_a_file_arrives_byte_for_byte_before_the_level_needs_it(
    lab: SimulatedLab, tmp_path: Path
) -> None:
    data = bytes(range(256)) * 130 + b"%s'\\\n"
    target = lab.folder / "dut" / "home" / "a file's copy"
    level = LevelSetup(
        value=1,
        uploads=(Upload("dut", "rules", str(target)),),
        verify=(Check("dut", 'wc -c <"$HOME/a file\'s copy"', str(len(data))),),
        undo=(Action("dut", 'rm "$HOME/a file\'s copy"'),),
    )
    seen = []

    def during(run: ExperimentRun, waiter: Waiter) -> None:
        at_step(run, "tools", lambda: seen.append(target.read_bytes()))

    hooks = (Hook("before", Action("dut", "false")),)
    plan = plan_of([level], (0,), hooks=())
    found = await done(lab.lab_toml, plan, tmp_path / "into", uploads={"rules": data}, during=during)
    assert found.complete and seen == [data] and not target.exists()
    plan = plan_of([level], (0, 0, 0), hooks=hooks, abort=Abort(attempts=2, failed=2, boot=40.0))
    found = await done(lab.lab_toml, plan, tmp_path / "hooked", uploads={"rules": data})
    assert found.view.problem == (
        "2 trials in a row without a sound value, the last one: "
        "a hook failed: dut: 'false' ended with status 1"
    )
    assert found.view.cells[0].failed == 2 and found.taken("tools") == []
    told = [line for line in found.said if "no sound value" in line]
    assert [line.partition("'false' ")[2] for line in told] == [
        "ended with status 1. It is repeated, at most 1 more time.",
        "ended with status 1. It is given up.",
    ] * 2
    assert [step.attempt for step in found.taken("judged")] == [1, 2, 1, 2]


async def test_what_is_not_known_to_have_held_does_not_count_and_what_was_lost_is_measured_again(
    lab: SimulatedLab, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One experiment of one trial, from one trouble to the next."""
    into, ready = tmp_path / "into", lab.folder / "gen" / "home" / "ready"
    hooks = (
        Hook("before", Action("gen", "echo first"), whole=True),
        Hook("before", Action("gen", "[ -e $HOME/ready ]"), whole=True),
    )
    plan = plan_of([DEFERRED], (0,), hooks=hooks, abort=Abort(1, 1, 40.0))
    found = await done(lab.lab_toml, plan, into)
    assert "a hook failed: gen: '[ -e $HOME/ready ]'" in found.view.problem and found.trials == {}
    ready.touch()

    differences = Levels.differences

    async def silent(levels: Levels, factors: Iterable[str], cell: Cell) -> list[str]:
        if "saved" in [step.what for step in levels._book.journal.steps]:
            raise TimedOut("dut", "no answer")
        return await differences(levels, factors, cell)

    async def gone_on(**more: Any) -> Done:
        """Resumed; once more where a machine that is kept busy starved a host in the only attempt."""
        for _ in range(4):
            found = await done(lab.lab_toml, plan, into, resume=True, **more)
            if "gave no counters for" not in found.view.problem:
                break
        return found

    with monkeypatch.context() as patched:
        patched.setattr(Levels, "differences", silent)
        found = await gone_on()
    assert "dut: no answer" in found.view.problem and found.trials == {}, "its levels were not verified"
    texts = [step.text.partition("\n")[0] for step in found.taken("hook")]
    assert texts == [f"before: {hook.action.run}" for hook in hooks], "each once"

    def stopped(run: ExperimentRun, waiter: Waiter) -> None:
        at_step(run, "saved", waiter.stop.set)

    found = await gone_on(during=stopped)
    assert not found.complete and found.trials == {}, "it was stopped before the levels were verified"

    found = await gone_on()
    assert found.complete and found.trials == {1: ["dispatch=deferred"]}
    (counts,) = found.counted
    drop(found.folder, "dispatch=deferred", counts.index, "somebody walked by")
    runs: list[ExperimentRun] = []
    found = await gone_on(during=lambda run, waiter: runs.append(run))
    assert found.complete and found.trials == {1: ["dispatch=deferred"]}
    lost = "trials whose value no longer counts: 1"
    assert [text for _, _, text in runs[0].notes] == [lost], "no step says it"
    assert len(runs) > 1 or lost in found.said


async def test_only_the_same_plan_in_the_same_lab_is_resumed(lab: SimulatedLab, tmp_path: Path) -> None:
    """Of a session that broke off after an iteration."""
    into, plan, session = tmp_path / "into", plan_of([DIRECT], (0,)), tmp_path / "into" / "s"
    recorded = plain(load(Path(lab.lab_toml)))
    with SessionWriter.create(session, label="s", created="", lab=recorded) as writer:
        writer.begin(plan.cells[0].name).commit(Iteration(0, 5.0))
    Journal.begin(session, plan, "").close()
    longer = msgspec.structs.replace(plan.experiment, run=Run(0.2, 9.0, 0.2))
    with pytest.raises(FwdtuiError, match="was begun with another plan"):
        await done(lab.lab_toml, msgspec.structs.replace(plan, experiment=longer), into, resume=True)
    text = lab.lab_toml.read_text()
    lab.lab_toml.write_text(text.replace("300ms", "250ms"))
    with pytest.raises(FwdtuiError, match=r"lab.toml has changed since it was begun \(sampling\)"):
        await done(lab.lab_toml, plan, into, resume=True)
    lab.lab_toml.write_text(text)
    (session / "experiment.jsonl").unlink()
    with pytest.raises(FwdtuiError, match="has no iterations of an experiment"):
        await done(lab.lab_toml, plan, into, resume=True)
