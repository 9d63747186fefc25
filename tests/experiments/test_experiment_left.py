"""`--dry-run --resume`: what is left of an experiment, from its session alone; no host is reached."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from forked import run

from fwdtui.collectors.experiment_file import read_experiment
from fwdtui.core.experiment.steps import profile_seconds
from fwdtui.core.lab import plain
from fwdtui.core.model import Iteration, Planned
from fwdtui.core.profile import Profile
from fwdtui.monitor.experiment.opening import still
from fwdtui.monitor.experiment.subject import Subject
from fwdtui.store import SessionWriter, drop, read_session
from fwdtui.store.experiment_journal import (
    BEGUN,
    ENDED,
    FORWARDS,
    HOOK,
    JUDGED,
    LEVEL,
    LOOK,
    PROFILE,
    REBOOT,
    TOOLS,
    UNDO,
    Journal,
    Step,
)

LAB = (
    '[generator]\nhost = "127.0.0.1:1"\ninterface = "g0"\nstart = "send"\n'
    '[dut]\nhost = "127.0.0.1:1"\nin = "a"\nout = "b"\n'
)
EXPERIMENT = """name = "x"
[run]
blocks = 2
[[hook]]
when = "before"
around = "experiment"
run = "once"
[[factor]]
name = "rules"
[[factor.levels]]
value = 0
[[factor.levels]]
value = 1
apply = "nft -f /tmp/r"
undo = "nft flush ruleset"
"""


@pytest.fixture
def begun(tmp_path: Path) -> Path:
    return begun_in(tmp_path, EXPERIMENT)


def begun_in(tmp_path: Path, experiment: str, lab: str = LAB) -> Path:
    """A folder with an experiment of four trials, of which two were done, and its session `s`.

    The second level was entered for the second trial and is in force. An iteration of the third trial was
    judged bad, if the experiment has so many.
    """
    (tmp_path / "lab.toml").write_text(lab)
    (tmp_path / "experiment.toml").write_text(experiment)
    subject = read_experiment(tmp_path)
    folder = tmp_path / "sessions" / "s"
    writer = SessionWriter.create(
        folder, label="s", created="2026-01-01T00:00:00+00:00", lab=plain(subject.lab)
    )
    there = len(subject.plan.trials)
    for trial, cell in ((1, 0), (2, 1), (3, 1))[:there]:
        planned = Planned(experiment=subject.plan.digest[:16], trial=trial, block=1, attempt=1, order="x")
        writer.begin(subject.plan.cells[cell].name).commit(Iteration(0, 5.0, planned=planned))
    writer.close()
    journal = Journal.begin(folder, subject.plan, subject.text)
    for step in (
        Step(0, "", BEGUN, True),
        Step(0, "", HOOK, True),
        Step(0, "", JUDGED, True, sound=True, trial=1, attempt=1),
        Step(0, "", LEVEL, True, factor=subject.plan.experiment.factors[0].name, level=1),
        Step(0, "", JUDGED, True, sound=True, trial=2, attempt=1),
        Step(0, "", JUDGED, True, trial=3, attempt=1, text="bad"),
    ):
        if step.trial <= there:
            journal.write(step)
    journal.close()
    return tmp_path


def left(folder: Path, *more: str) -> dict[str, Any]:
    done = run("experiment", ".", "--dry-run", "--resume", "--json", *more, cwd=folder)
    assert (done.returncode, done.stderr) == (0, "")
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def test_what_is_left_is_told_with_what_is_in_force_and_nothing_is_written(begun: Path) -> None:
    files = {path: path.stat().st_mtime_ns for path in begun.rglob("*") if path.is_file()}
    done = run("experiment", ".", "--dry-run", "--resume", cwd=begun)
    assert (done.returncode, done.stderr) == (0, "")
    assert "Resumes s: 2 of 4 iterations done\n" in done.stdout
    assert (
        "In force according to its journal, and undone first, since nothing verifies it: rules=1\n"
        in done.stdout
    )
    steps = done.stdout.partition("Steps that are left")[2]
    assert "iteration 3 of 4, block 2: rules=1" in steps and "iteration 4 of 4, block 2: rules=0" in steps
    assert "iteration 1 of 4" not in steps and "iteration 2 of 4" not in steps
    assert steps.count("enter") == 1, "nobody knows whether the level still is in force"
    assert steps.count("leave") == 2, "before each iteration, and not again at the end"
    assert "before: once" not in steps, "the hook around all of it has run"
    assert re.search(r"\nLeft: 2 iterations, 0 reboots, \d:\d\d:\d\d at the pace of its iterations", steps)
    assert {path: path.stat().st_mtime_ns for path in begun.rglob("*") if path.is_file()} == files


def test_a_level_in_force_that_is_verified_is_not_entered_again(tmp_path: Path) -> None:
    verify = 'verify = { run = "nft list ruleset | grep -c drop", expect = "1" }'
    begun_in(tmp_path, EXPERIMENT.replace('undo = "nft', f'{verify}\nundo = "nft'))
    said = run("experiment", ".", "--dry-run", "--resume", cwd=tmp_path).stdout
    assert "In force according to its journal, and verified first: rules=1\n" in said
    steps = said.partition("Steps that are left")[2]
    assert "enter" not in steps and steps.count("leave") == 1, "before the last iteration"


def test_a_level_that_was_entered_after_a_boot_by_hand_is_not_entered_again(tmp_path: Path) -> None:
    """The run before had ended in another boot; the one that entered the level was killed."""
    verify = 'verify = { run = "nft list ruleset | grep -c drop", expect = "1" }'
    begun_in(tmp_path, EXPERIMENT.replace('undo = "nft', f'{verify}\nundo = "nft'))
    entered = Step(0, "", LEVEL, True, factor="rules", level=1, boots={"127.0.0.1:1": "d2"})
    undone = Step(0, "", UNDO, True, factor="rules", level=1)
    go_on(tmp_path, undone, Step(0, "", ENDED, True, boot="d1"), entered)
    assert [step["trial"] for step in left(tmp_path)["steps"] if step["kind"] == "enter"] == []
    go_on(tmp_path, Step(0, "", ENDED, True, boot="d3"))
    assert [step["trial"] for step in left(tmp_path)["steps"] if step["kind"] == "enter"] == [3]


def test_once_a_hook_after_all_of_it_was_begun_those_before_it_are_left_again(tmp_path: Path) -> None:
    begun_in(tmp_path, f'{EXPERIMENT}[[hook]]\nwhen = "after"\naround = "experiment"\nrun = "back"\n')

    def hooks() -> list[str]:
        return [step["text"] for step in left(tmp_path)["steps"] if step["kind"] == "hook"]

    assert hooks() == ["after: back"]
    journal = Journal.go_on(tmp_path / "sessions" / "s", read_experiment(tmp_path).plan)
    journal.write(Step(0, "", HOOK, text="after: back"))
    journal.close()
    assert hooks() == ["before: once", "after: back"]


def test_the_same_for_programs(begun: Path) -> None:
    whole = json.loads(run("experiment", ".", "--dry-run", "--json", cwd=begun).stdout)
    found = left(begun)
    resume = found.pop("resume")
    assert 0 <= resume.pop("seconds") < whole["seconds"]
    assert resume == {
        "session": "s", "done": [1, 2], "left": [3, 4], "profiles": [], "levels": {"rules": 1}, "decided": "",
        "awaited": False,
    }  # fmt: skip
    assert {step["trial"] for step in found.pop("steps")} == {3, 4}
    assert "steps" in whole and found == {key: whole[key] for key in whole if key != "steps"}


def test_a_value_that_was_dropped_since_is_to_be_measured_again(begun: Path) -> None:
    iteration = read_session(begun / "sessions/s").cases[0].iterations[0]
    drop(begun / "sessions/s", "rules=0", iteration.index, "by hand")
    assert left(begun, "--session", "s")["resume"]["left"] == [1, 3, 4]


def test_the_question_before_going_on_counts_what_was_dropped_as_the_dry_run_does(begun: Path) -> None:
    read = read_experiment(begun)
    subject, dut = Subject(read.lab_path, read.plan, read.text), read.lab.dut.host

    def seconds() -> float:
        told = still(begun / "sessions", "s", subject, dut)
        assert told is not None and told == pytest.approx(left(begun)["resume"]["seconds"])
        return told

    before = seconds()
    drop(begun / "sessions/s", "rules=0", 1, "by hand")
    assert seconds() > before


def test_after_a_look_that_decided_nothing_is_left(begun: Path) -> None:
    subject = read_experiment(begun)
    journal = Journal.go_on(begun / "sessions/s", subject.plan)
    journal.write(Step(0, "", LOOK, True, decided=True, text="slower", index=1))
    journal.close()
    assert left(begun)["resume"] | {"seconds": 0} == {
        "session": "s", "done": [1, 2], "left": [], "profiles": [], "levels": {"rules": 1},
        "decided": "slower", "awaited": False, "seconds": 0,
    }  # fmt: skip
    said = run("experiment", ".", "--dry-run", "--resume", cwd=begun).stdout
    assert "It was decided by a look at the data: slower\n" in said and "No iteration is left." in said


PROFILED = (
    EXPERIMENT.replace("blocks = 2", 'blocks = 1\norder = "sequential"')
    + """[profile]
seconds = "2s"
"""
)


def test_what_is_left_by_the_journal_is_the_profiles_where_all_trials_are_done(tmp_path: Path) -> None:
    folder = begun_in(tmp_path, PROFILED)
    read = read_experiment(folder)
    subject, dut = Subject(read.lab_path, read.plan, read.text), read.lab.dut.host

    def seconds(session: str) -> float | None:
        return still(folder / "sessions", session, subject, dut)

    assert seconds("s") == 2 * profile_seconds(read.plan)
    assert seconds("another") is None, "it was not begun"


def go_on(folder: Path, *steps: Step) -> None:
    journal = Journal.go_on(folder / "sessions/s", read_experiment(folder).plan)
    for step in steps:
        journal.write(step)
    journal.close()


def profile(folder: Path, trial: int) -> None:
    """The profile of the cell of a trial is taken: it is in the session and in the journal."""
    session, plan = folder / "sessions/s", read_experiment(folder).plan
    with SessionWriter(session) as writer:
        cell = plan.cells[plan.trials[trial - 1].cell].name
        writer.begin(cell).commit(Iteration(0, None, profile=Profile(1000)))
    go_on(folder, Step(0, "", PROFILE, True, trial=trial))


def test_a_profile_that_is_missing_is_left_although_its_cell_was_measured(tmp_path: Path) -> None:
    """Both trials are done; of the profiles of their cells none, one or both."""
    folder = begun_in(tmp_path, PROFILED)
    resume = left(folder)["resume"]
    assert (resume["left"], resume["profiles"]) == ([], ["rules=0", "rules=1"])
    both = resume["seconds"]
    steps = left(folder)["steps"]
    assert [(step["trial"], step["kind"]) for step in steps] == [
        (1, "leave"), (1, "profile"), (2, "enter"), (2, "profile"), (0, "leave"),
    ]  # fmt: skip
    profile(folder, 1)
    resume = left(folder)["resume"]
    assert resume["profiles"] == ["rules=1"] and 0 < resume["seconds"] < both
    said = run("experiment", ".", "--dry-run", "--resume", cwd=folder).stdout
    assert "No iteration is left.\nLeft: the profile of rules=1.\n" in said
    assert [(step["trial"], step["kind"]) for step in left(folder)["steps"]] == [
        (2, "leave"), (2, "enter"), (2, "profile"), (0, "leave"),
    ], "the level is entered anew, since nothing verifies it"  # fmt: skip
    profile(folder, 2)
    assert left(folder)["resume"]["profiles"] == [] and left(folder)["resume"]["seconds"] == 0


def test_a_profile_that_was_dropped_since_is_left_to_be_taken_again(tmp_path: Path) -> None:
    """The journal says that it was taken, but no report has it any more."""
    folder = begun_in(tmp_path, PROFILED)
    profile(folder, 1)
    profile(folder, 2)
    drop(folder / "sessions/s", "rules=1", 2, "somebody walked by")
    resume = left(folder)["resume"]
    assert (resume["left"], resume["profiles"]) == ([], ["rules=1"])
    read = read_experiment(folder)
    subject = Subject(read.lab_path, read.plan, read.text)
    assert still(folder / "sessions", "s", subject, read.lab.dut.host) == profile_seconds(read.plan)


def test_after_a_look_that_decided_only_cells_that_were_measured_get_their_profiles(tmp_path: Path) -> None:
    folder = begun_in(tmp_path, PROFILED.replace("blocks = 1", "blocks = 2"))
    drop(folder / "sessions/s", "rules=1", 1, "by hand")
    assert (
        left(folder)["resume"]["profiles"] == []
    )  # each cell has a trial that is left, and the profile after it
    go_on(folder, Step(0, "", LOOK, True, decided=True, text="slower", index=1))
    assert left(folder)["resume"]["profiles"] == ["rules=0"]


def test_what_could_not_be_gone_on_with_is_refused_as_it_would_be(begun: Path) -> None:
    (begun / "lab.toml").write_text(LAB.replace('"send"', '"send faster"'))
    done = run("experiment", ".", "--dry-run", "--resume", "--session", "s", cwd=begun)
    assert (done.returncode, done.stdout) == (2, "")
    assert "lab.toml has changed since it was begun (generator)" in done.stderr


KERNELS = """name = "x"
[run]
blocks = 2
[[factor]]
name = "kernel"
reboot = true
verify = { run = "uname -v", expect = "{kernel}" }
undo = "nextboot -D"
[[factor.levels]]
value = "stock"
apply = "nextboot -k kernel"
[[factor.levels]]
value = "patched"
apply = "nextboot -k patched"
"""


def boot(name: str, *, trial: int = 0, done: bool = True) -> Step:
    """The DUT is asked to reboot, in this boot; or, `done`: has reached it."""
    return Step(0, "", REBOOT, done, trial=trial, boot=name, host="127.0.0.1:1")


def kernel(done: bool = True, what: str = LEVEL) -> Step:
    return Step(0, "", what, done, factor="kernel", level=1)


CHOSEN = kernel(), boot("d1", trial=3, done=False)
UP = *CHOSEN, boot("d2", trial=3)
ANEW = *UP, kernel(what=UNDO), kernel(), boot("d2", trial=3, done=False)
SEEN = *UP, Step(0, "", FORWARDS, True, trial=3)
USED = *SEEN, Step(0, "", TOOLS, trial=3, attempt=2, mark="m")
LEFT = [("reboot", 4), ("reboot", 0)]  # of the fourth trial, and the one that leaves the last level


@pytest.mark.parametrize(
    ("steps", "left_to_do"),
    [
        ((kernel(False),), [("leave", 3), ("enter", 3), ("reboot", 3)]),
        ((boot("d3"), kernel()), [("leave", 3), ("enter", 3), ("reboot", 3)]),
        ((kernel(),), []),
        ((Step(0, "", ENDED, True, boot="d9"), kernel()), [("leave", 3), ("enter", 3), ("reboot", 3)]),
        (CHOSEN, [("enter", 3), ("reboot unless", 3)]),
        (UP, [("check", 3)]),
        ((*UP, Step(0, "", FORWARDS, trial=3)), [("check", 3)]),
        (SEEN, []),
        ((*SEEN, Step(0, "", TOOLS, trial=3, mark="m", probe=True)), []),
        (USED, []),
        ((*SEEN, Step(0, "", ENDED, True, boot="d9")), []),
        ((*UP, kernel(what=UNDO)), [("enter", 3), ("reboot", 3)]),
        (ANEW, [("enter", 3), ("reboot unless", 3)]),
    ],
    ids=[
        "chosen in part",
        "chosen",
        "chosen again while the DUT still runs it",
        "chosen again after a boot by hand",
        "asked",
        "noted",
        "check begun",
        "seen to forward",
        "check sent",
        "used up",
        "booted by hand",
        "undone",
        "undone, chosen again and asked",
    ],
)
def test_a_reboot_that_has_happened_is_not_left_and_one_that_may_have_is_told_so(
    steps: tuple[Step, ...], left_to_do: list[tuple[str, int]], tmp_path: Path
) -> None:
    """The second level is the last of the first block and the first of the second: no boot is planned."""
    folder = begun_in(tmp_path, KERNELS)
    undone = kernel(what=UNDO)
    go_on(folder, boot("d0", trial=2, done=False), boot("d1", trial=2), undone, *steps)
    found = left(folder)
    told = [
        (
            f"{step['kind']} unless" if "not if the DUT has booted" in step["text"] else step["kind"],
            step["trial"],
        )
        for step in found["steps"]
        if step["kind"] in ("leave", "enter", "reboot")
        or (step["kind"] == "check" and "has happened" in step["text"])
    ]
    assert [one for one in told if one[1] == 3] == left_to_do
    assert [one for one in told if one[0] == "reboot" and one[1] != 3] == LEFT
    assert found["resume"]["awaited"] == (steps in (CHOSEN, ANEW))


@pytest.mark.parametrize(
    ("steps", "left_to_do"),
    [
        ((), ["leave", "reboot"]),
        ((kernel(False, UNDO),), ["leave", "reboot"]),
        ((kernel(what=UNDO),), ["reboot"]),
        ((kernel(what=UNDO), boot("d1", done=False)), ["reboot unless"]),
        ((kernel(what=UNDO), boot("d1", done=False), boot("d2")), []),
        ((kernel(what=UNDO), Step(0, "", ENDED, True, boot="d9")), []),
    ],
    ids=["in force", "undo begun", "undone", "asked", "booted", "booted by hand"],
)
def test_the_last_reboot_is_left_until_the_dut_has_left_the_level_that_it_was_booted_for(
    steps: tuple[Step, ...], left_to_do: list[str], tmp_path: Path
) -> None:
    folder = begun_in(tmp_path, KERNELS)
    decided = Step(0, "", LOOK, True, decided=True, text="slower", index=1)
    go_on(folder, boot("d0", trial=2, done=False), boot("d1", trial=2), decided, *steps)
    found = left(folder)
    assert [
        f"{one['kind']} unless" if "not if the DUT has booted" in one["text"] else one["kind"]
        for one in found["steps"]
    ] == left_to_do
    said = run("experiment", ".", "--dry-run", "--resume", cwd=folder).stdout
    awaited = "reboot unless" in left_to_do
    assert (
        found["resume"]["awaited"]
        == awaited
        == ("if the DUT has booted since, there is one reboot less" in said)
    )
