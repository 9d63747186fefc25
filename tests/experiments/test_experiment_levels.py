"""What a level puts in force on hosts, and what cannot be undone."""

import asyncio
import time
from collections.abc import Collection
from types import SimpleNamespace
from typing import Any, ClassVar

import msgspec
import pytest
from experimental import LAB, plan_of, step, sysctl

from fwdtui.core.experiment import (
    Action,
    Cell,
    Check,
    DesignFactor,
    Experiment,
    LevelSetup,
    Restore,
    Upload,
)
from fwdtui.core.experiment.booting import Booting
from fwdtui.core.model import HostSample
from fwdtui.monitor.experiment.actions import Hands, Interrupted, StepFailed
from fwdtui.monitor.experiment.book import Book
from fwdtui.monitor.experiment.boots import Boots, Rebooting
from fwdtui.monitor.experiment.known import Known
from fwdtui.monitor.experiment.levels import Levels
from fwdtui.store.experiment_journal import Step
from fwdtui.transport.base import Completed, HostState, Phase
from fwdtui.transport.errors import TimedOut


async def test_a_value_is_kept_as_it_was_printed_or_not_at_all() -> None:
    printed = {"plain": (b"1 2\n", b"a warning\n"), "long": (b"x" * 5000, b""), "odd": (b"a\x1bb", b"")}

    class Printing:
        async def run(self, script: str, **_: Any) -> Completed:
            return Completed(*printed[script], 0, None, False)

    async def host(name: str) -> Any:
        return Printing()

    hands = Hands(host, asyncio.Event())
    assert await hands.value(Restore("dut", "plain", "set {value}")) == "1 2", "without what is on stderr"
    for read in ("long", "odd"):
        with pytest.raises(StepFailed, match="could not be put back"):
            await hands.value(Restore("dut", read, "set {value}"))


class Refusing:
    """Hands whose commands fail; `found` is why a check does not hold."""

    def __init__(self, found: str) -> None:
        self.found = found

    async def act(self, action: Action) -> str:
        raise StepFailed(f"{action.run} failed")

    async def differs(self, check: Check) -> str:
        return self.found

    async def refutes(self, check: Check) -> bool:
        return bool(await self.differs(check))


def levels_of(
    setup: LevelSetup, sure: bool, found: str = "", hands: Any = None, old: tuple[str, ...] = ()
) -> tuple[Levels, Book, list[str]]:
    class Kept:
        steps: ClassVar[list[Step]] = [
            step("level", factor="dispatch", level=0, old=old),
            *[step("level", factor="dispatch", level=0, done=True, old=old)] * sure,
        ]

        def write(self, one: Step) -> Step:
            self.steps.append(one)
            return one

    said: list[str] = []
    book = Book(Kept())  # type: ignore[arg-type]
    hands = hands or Refusing(found)
    experiment = plan_of([setup, LevelSetup(2)]).experiment
    return Levels(experiment, "dut", book, hands, {}, said.append, {}), book, said


def written_by(book: Book) -> list[Step]:
    return book.journal.steps


class Parted(Refusing):
    """Hands whose commands fail, after the first of them has undone what the check is about."""

    def __init__(self) -> None:
        super().__init__("")

    async def act(self, action: Action) -> str:
        self.found = "it is not so"
        return await super().act(action)


UNDONE = LevelSetup(value=1, verify=(Check("dut", "is it so", "yes"),), undo=(Action("dut", "undo it"),))


async def test_an_undo_that_fails_is_told_however_often_it_is_tried() -> None:
    """Its check does not hold afterwards, since another part of it was undone."""
    levels, book, _ = levels_of(UNDONE, sure=True, hands=Parted())
    for _ in range(2):
        assert await levels.undo_all() == ["dispatch = 1: undo it failed"]
        assert "dispatch" in book.known.levels, "it is still to be undone"


async def test_an_undo_that_may_have_been_done_before_fails_only_if_its_level_is_verified() -> None:
    levels, book, _ = levels_of(UNDONE, sure=False)
    assert await levels.undo_all() == ["dispatch = 1: undo it failed"]
    levels, book, said = levels_of(UNDONE, sure=False, found="it is not so")
    assert await levels.undo_all() == [] and book.known.levels == {}
    assert said == ["dispatch = 1 was no longer in force, as its checks say: undo it failed"]
    levels, book, said = levels_of(msgspec.structs.replace(UNDONE, verify=()), sure=False)
    assert await levels.undo_all() == []
    assert said == ["it is in doubt whether dispatch = 1 is undone: undo it failed"]


class Checked(Refusing):
    """Hands whose undo fails; `answers`: what each check says, "" if it holds, None if it cannot run."""

    def __init__(self, *answers: str | None) -> None:
        super().__init__("")
        self.answers = dict(zip(("is it so", "is it so, too"), answers, strict=False))

    async def differs(self, check: Check) -> str:
        said = self.answers[check.run]
        return "ended with status 127" if said is None else said

    async def refutes(self, check: Check) -> bool:
        return bool(self.answers[check.run])


TWICE = msgspec.structs.replace(UNDONE, verify=(*UNDONE.verify, Check("dut", "is it so, too", "yes")))
DOUBTFUL = "dispatch = 1: undo it failed; it is in doubt whether it is still in force"


@pytest.mark.parametrize(
    ("answers", "sure", "problem", "noted", "doubt"),
    [
        (("no", "no"), True, "", "dispatch = 1 was no longer in force, as its checks say: ", ""),
        (("no", ""), True, DOUBTFUL, "", ""),
        (("no", None), True, DOUBTFUL, "", ""),
        ((None, None), True, "dispatch = 1: undo it failed", "", ""),
        (("", ""), True, "dispatch = 1: undo it failed", "", ""),
        (("no", "no"), False, "", "dispatch = 1 was no longer in force, as its checks say: ", ""),
        (("no", ""), False, "", "it is in doubt whether dispatch = 1 is undone: ", "undo it failed"),
        ((None, None), False, "", "it is in doubt whether dispatch = 1 is undone: ", "undo it failed"),
        (("", ""), False, "dispatch = 1: undo it failed", "", ""),
    ],
)
async def test_what_cannot_be_undone_again_was_undone_only_if_every_check_says_so_and_else_is_in_doubt(
    answers: tuple[str | None, ...], sure: bool, problem: str, noted: str, doubt: str
) -> None:
    """By a run that was killed; `sure`: while it changed a level above this one, which it had entered."""
    levels, book, said = levels_of(TWICE, sure, hands=Checked(*answers))
    for _ in range(2):
        assert await levels.undo_all() == ([problem] if problem else [])
        assert ("dispatch" in book.known.levels) is bool(problem)
    assert said == ([f"{noted}undo it failed"] if noted else [])
    assert [one.doubt for one in written_by(book) if one.what == "undo" and one.done][:1] == [doubt]


class Shared(Refusing):
    """Hands of a level in two parts, each with an undo of its own; `there` are those that are in force.

    The undo of a part that is not there fails, and that of "stuck" always. A check is about the part that it
    names; `mute`: the first one after an undo gets no answer.
    """

    def __init__(self, *there: str, mute: bool = False) -> None:
        super().__init__("")
        self.there, self.mute, self.acted = {*there}, mute, False

    async def act(self, action: Action) -> str:
        self.acted = True
        if action.run == "stuck" or action.run not in self.there:
            raise StepFailed(f"{action.run}: refused")
        self.there.remove(action.run)
        return ""

    async def differs(self, check: Check) -> str:
        if self.mute and self.acted:
            self.mute = False
            raise TimedOut(check.host, "no answer")
        return "" if check.run in self.there else "it is not so"


def parts(*undo: str, verify: str, host: str = "dut", checked: str = "dut") -> LevelSetup:
    check = Check(checked, verify, "yes")
    return LevelSetup(1, verify=(check,), undo=tuple(Action(host, one) for one in undo))


@pytest.mark.parametrize("doubted", [False, True], ids=["entered in part", "after a failed hook"])
async def test_a_check_that_an_undo_has_changed_says_nothing_of_one_that_was_refused(doubted: bool) -> None:
    """It holds until another part of the level is undone, and is about that part alone."""
    hands = Shared("stuck", "other")
    levels, book, said = levels_of(parts("stuck", "other", verify="other"), doubted, hands=hands)
    if doubted:
        levels.doubt(Cell(0, "dispatch=1", {"dispatch": 0}, {"dispatch": 1}))
    assert await levels.undo_all() == [] and hands.there == {"stuck"}
    assert said == ["it is in doubt whether dispatch = 1 is undone: stuck: refused"]
    assert written_by(book)[-1].doubt == "stuck: refused"


async def test_nor_does_a_check_that_an_earlier_try_has_changed() -> None:
    hands = Shared("stuck", "other", mute=True)
    levels, book, _ = levels_of(parts("stuck", "other", verify="other"), False, hands=hands)
    unknown = "dispatch = 1: stuck: refused; nobody knows whether it is still in force"
    assert await levels.undo_all() == [unknown] and hands.there == {"stuck"}
    assert await levels.undo_all() == []
    assert written_by(book)[-1].doubt == "stuck: refused"


@pytest.mark.parametrize("sure", [False, True])
async def test_a_check_on_one_host_does_not_tell_what_is_in_force_on_another(sure: bool) -> None:
    """What it is about was lost, which may be due to a level above on its own host only."""
    hands = Shared("stuck")
    setup = parts("stuck", verify="other", host="gen")
    levels, book, said = levels_of(setup, sure, hands=hands)
    doubt = "stuck: refused; it is in doubt whether it is still in force"
    assert await levels.undo_all() == [f"dispatch = 1: {doubt}"] * sure
    assert said == ["it is in doubt whether dispatch = 1 is undone: stuck: refused"] * (not sure)
    assert ("dispatch" in book.known.levels) is sure


@pytest.mark.parametrize("complete", [False, True], ids=["about one part", "about all of it"])
async def test_what_an_earlier_run_could_not_undo_is_not_said_to_be_gone_since_it_undid_the_rest(
    complete: bool,
) -> None:
    """Unless nothing else was undone: then a check still tells, for example if it was undone by hand."""
    hands = Shared("stuck", "other")
    setup = parts("stuck", *["other"] * (not complete), verify="stuck" if complete else "other")
    levels, book, _ = levels_of(setup, True, hands=hands)
    assert await levels.undo_all() == ["dispatch = 1: stuck: refused"]
    resumed, again, said = levels_of(setup, True, hands=hands)
    again.known = Known.of(written_by(book))
    if complete:
        hands.there.remove("stuck")
    assert await resumed.undo_all() == [] and again.known.levels == {}
    assert written_by(again)[-1].doubt == ("" if complete else "stuck: refused; other: refused")
    assert len(said) == 1


class Back(Checked):
    """Hands that cannot put a value back; `there` is the value that is read."""

    def __init__(self, there: str) -> None:
        super().__init__("")
        self.there = there

    async def value(self, restore: Restore) -> str:
        return self.there

    async def put_back(self, restore: Restore, value: str) -> None:
        raise StepFailed("it is not loaded")


@pytest.mark.parametrize(("there", "undone"), [("absent", True), ("loaded", False)])
async def test_what_cannot_be_put_back_was_put_back_before_if_the_value_is_there(
    there: str, undone: bool
) -> None:
    setup = LevelSetup(1, verify=UNDONE.verify, restore=(Restore("dut", "is it loaded", "unload it"),))
    levels, book, said = levels_of(setup, sure=False, hands=Back(there), old=("absent",))
    assert await levels.undo_all() == ([] if undone else ["dispatch = 1: it is not loaded"])
    assert ("dispatch" in book.known.levels) is not undone
    told = "dispatch = 1: what was to be put back was there already: it is not loaded"
    assert said == [told] * undone


@pytest.mark.parametrize(
    ("setup", "found", "problem"),
    [
        (msgspec.structs.replace(UNDONE, verify=()), "", True),  # nothing says that it is not in force
        (UNDONE, "", True),
        (UNDONE, "it is not so", False),
    ],
    ids=["without checks", "its check holds", "its check does not hold"],
)
async def test_an_undo_that_fails_after_a_hook_has_failed_is_no_note_unless_a_check_tells_that_it_is_undone(
    setup: LevelSetup, found: str, problem: bool
) -> None:
    """It was entered to its end and nobody has undone it, so the DUT may still have it."""
    cell = Cell(0, "dispatch=1", {"dispatch": 0}, {"dispatch": 1})
    levels, book, said = levels_of(setup, sure=True, found=found)
    levels.doubt(cell)
    for _ in range(2):
        assert await levels.undo_all() == (["dispatch = 1: undo it failed"] if problem else [])
        assert ("dispatch" in book.known.levels) is problem
    assert bool(said) is not problem


class Wavering(Refusing):
    """Hands that remove a file once; the DUT does not answer the first `silent` times.

    `up`: the DUT is connected all the same.
    """

    def __init__(self, silent: int, there: bool = True, up: bool = False) -> None:
        super().__init__("it is not so")
        self.up = up
        self.silent, self.there, self.acted = silent, there, list[str]()

    async def act(self, action: Action) -> str:
        self.acted.append(action.run)
        if action.host == "dut" and self.silent:
            self.silent -= 1
            raise TimedOut("dut", "no answer")
        if action.host == "gen":
            if not self.there:
                raise StepFailed("no such file")
            self.there = False
        return ""

    async def differs(self, check: Check) -> str:
        if self.silent:
            raise TimedOut("dut", "no answer")
        return self.found

    async def answers(self, host: str) -> bool:
        return self.up


BOTH = msgspec.structs.replace(UNDONE, undo=(Action("gen", "rm knob"), Action("dut", "undo it")))


@pytest.mark.parametrize("sure", [True, False], ids=["in force", "entered in part"])
async def test_a_host_that_does_not_answer_is_undone_later_and_the_others_only_once(sure: bool) -> None:
    hands = Wavering(silent=1)
    levels, book, _ = levels_of(BOTH, sure, hands=hands)
    assert await levels.undo_all() == ["dispatch = 1: dut: no answer"]
    assert await levels.undo_all() == [] and book.known.levels == {}
    assert hands.acted == ["rm knob", "undo it", "undo it"]


@pytest.mark.parametrize(
    ("up", "acted"), [(True, ["hang", "undo it"]), (False, ["hang"])], ids=["up", "gone"]
)
async def test_a_command_that_takes_too_long_leaves_out_the_others_only_if_the_host_is_gone(
    up: bool, acted: list[str]
) -> None:
    setup = msgspec.structs.replace(UNDONE, undo=(Action("dut", "hang"), *UNDONE.undo))
    hands = Wavering(silent=1, up=up)
    levels, book, _ = levels_of(setup, True, hands=hands)
    assert await levels.undo_all() == ["dispatch = 1: dut: no answer"]
    assert hands.acted == acted and "dispatch" in book.known.levels


async def test_a_level_whose_file_cannot_be_placed_is_not_begun() -> None:
    """Its `undo` would be run, and may remove what is there."""

    class Full(Refusing):
        async def check_target(self, upload: Upload) -> None:
            raise StepFailed(f"{upload.target} is a folder")

    setup = LevelSetup(3, uploads=(Upload("dut", "rules", "/etc"),))
    levels, book, _ = levels_of(setup, sure=False, hands=Full(""))
    book.known.levels.clear()
    with pytest.raises(StepFailed, match="/etc is a folder"):
        await levels.settle(Cell(0, "dispatch=3", {"dispatch": 0}, {"dispatch": 3}), False)
    assert book.known.levels == {}


async def test_while_nobody_knows_whether_a_level_is_in_force_a_refusal_is_no_answer() -> None:
    """An earlier run removed the file, and the DUT did not answer then nor does it now."""
    hands = Wavering(silent=2, there=False)
    levels, book, said = levels_of(BOTH, sure=False, hands=hands)
    with pytest.raises(TimedOut):  # which is another attempt for a trial, not the end of the experiment
        await levels.enter(Cell(0, "dispatch=2", {"dispatch": 1}, {"dispatch": 2}))
    assert "dispatch" in book.known.levels and said == []
    hands.silent = 0
    assert await levels.undo_all() == [] and book.known.levels == {}
    assert said == ["it is in doubt whether dispatch = 1 is undone: no such file"], "no check is on its host"


class Obeying:
    """Hands whose commands succeed, and are kept."""

    def __init__(self) -> None:
        self.ran: list[str] = []

    async def act(self, action: Action) -> str:
        self.ran.append(action.run)
        return ""

    async def differs(self, check: Check) -> str:
        return ""

    async def refutes(self, check: Check) -> bool:
        return bool(await self.differs(check))


@pytest.mark.parametrize("seen", [True, False], ids=["rebooted for a trial", "between two runs"])
async def test_after_a_boot_of_the_dut_a_level_is_entered_again_although_its_checks_hold(seen: bool) -> None:
    """A module that is loaded at boot anyway, and rules that are not."""
    verify = (Check("dut", "is the module loaded", "yes"),)
    setup = LevelSetup(1, apply=(Action("dut", "load module"), Action("dut", "load rules")), verify=verify)
    plan, boots = plan_of([setup], (0,)), {"dut": "d1"}
    hands: Any = Obeying()
    steps: list[Step] = []
    book = Book(SimpleNamespace(steps=[], write=lambda one: steps.append(one) or one))  # type: ignore[arg-type]
    levels = Levels(plan.experiment, "dut", book, hands, {}, lambda text: None, boots)
    await levels.settle(plan.cells[0], booted=False)
    boots["dut"] = "d2"
    if not seen:
        book = Book(SimpleNamespace(steps=steps, write=lambda one: one))  # type: ignore[arg-type]
        levels = Levels(plan.experiment, "dut", book, hands, {}, lambda text: None, boots)
        await levels.enter(plan.cells[0])
    for booted in (seen, False):
        await levels.settle(plan.cells[0], booted=booted)
    assert hands.ran == ["load module", "load rules"] * 2


async def test_what_a_boot_puts_in_force_is_not_entered_again_after_it() -> None:
    setup = LevelSetup(1, apply=(Action("dut", "nextboot"),), reboot=True)
    plan, boots = plan_of([setup], (0,)), {"dut": "d1"}
    hands: Any = Obeying()
    book = Book(SimpleNamespace(steps=[], write=lambda one: one))  # type: ignore[arg-type]
    levels = Levels(plan.experiment, "dut", book, hands, {}, lambda text: None, boots)
    assert await levels.enter(plan.cells[0])
    boots["dut"] = "d2"
    await levels.settle(plan.cells[0], booted=True)
    assert hands.ran == ["nextboot"]


@pytest.mark.parametrize("asked", [False, True])
async def test_a_level_that_was_only_chosen_needs_its_boot_although_its_checks_hold(asked: bool) -> None:
    """An earlier run was killed before it asked for the boot; the checks read what the level has written."""
    setup = LevelSetup(1, apply=(Action("dut", "nextboot"),), verify=UNDONE.verify, reboot=True)
    plan, boots = plan_of([setup], (0,)), {"dut": "d2" if asked else "d1"}
    chosen = step("level", factor="dispatch", level=0, done=True, boots={"dut": "d1"})
    booted = [step("reboot", boot="d1", host="dut"), step("reboot", done=True, boot="d2", host="dut")]
    steps = [chosen, *booted * asked]
    book = Book(SimpleNamespace(steps=steps, write=lambda one: one))  # type: ignore[arg-type]
    hands: Any = Obeying()
    levels = Levels(plan.experiment, "dut", book, hands, {}, lambda text: None, boots)
    assert await levels.enter(plan.cells[0]) is not asked


async def test_what_was_set_on_a_host_is_set_again_after_its_boot_and_only_there() -> None:
    setup = LevelSetup(
        1, apply=(Action("gen", "on gen"), Action("sink", "on sink")), undo=(Action("gen", "off"),)
    )
    plan, boots = plan_of([setup], (0,)), {"gen": "g1", "sink": "s1"}
    steps: list[Step] = []
    book = Book(SimpleNamespace(steps=[], write=lambda one: steps.append(one) or one))  # type: ignore[arg-type]
    hands: Any = Obeying()
    levels = Levels(plan.experiment, "dut", book, hands, {}, lambda text: None, boots)
    for _ in range(2):
        await levels.settle(plan.cells[0], booted=False)
    assert hands.ran == ["on gen", "on sink"]
    boots["gen"] = "g2"
    for _ in range(2):
        await levels.settle(plan.cells[0], booted=False)
    assert hands.ran == ["on gen", "on sink", "on gen"], "nothing verifies it: its host's boot tells"
    assert dict(steps[-1].boots) == {"gen": "g2", "sink": "s1"}, "in the journal, for a resume"
    known = Known.of(steps)
    assert known.levels["dispatch"].boots == {"gen": "g2", "sink": "s1"}


class Keeping(Obeying):
    """Hands of hosts that have one setting each, with a default of every boot."""

    def __init__(self, **settings: str) -> None:
        super().__init__()
        self.settings = settings

    async def act(self, action: Action) -> str:
        self.settings[action.host] = action.run
        return await super().act(action)

    async def value(self, restore: Restore) -> str:
        return self.settings[restore.host]

    async def put_back(self, restore: Restore, value: str) -> None:
        self.settings[restore.host] = value


def limits(*hosts: str) -> tuple[Levels, Keeping, list[Step], dict[str, str]]:
    """Levels of the factor `limit`: the hosts' default, and one that sets 2000 on each of them."""
    level = LevelSetup(
        "2000",
        apply=tuple(Action(host, "2000") for host in hosts),
        restore=tuple(Restore(host, "read", "write") for host in hosts),
    )
    boots, steps = dict.fromkeys(hosts, "1"), list[Step]()
    book = Book(SimpleNamespace(steps=[], write=lambda one: steps.append(one) or one))  # type: ignore[arg-type]
    hands = Keeping(**dict.fromkeys(hosts, "100"))
    experiment = Experiment("e", "lab.toml", (DesignFactor("limit", (LevelSetup("default"), level)),))
    obeying: Any = hands
    return Levels(experiment, "dut", book, obeying, {}, lambda text: None, boots), hands, steps, boots


DEFAULT, LIMIT = Cell(0, "", {"limit": 0}, {}), Cell(1, "", {"limit": 1}, {})


@pytest.mark.parametrize("booted", [True, False], ids=["for a trial", "by itself"])
async def test_what_is_put_back_after_a_boot_is_what_that_boot_has_set(booted: bool) -> None:
    """Another kernel has another default; what was there before it is nobody's any more."""
    levels, hands, steps, boots = limits("dut", "gen")
    await levels.settle(LIMIT, booted=False)
    boots["dut"], hands.settings["dut"] = "2", "500"
    await levels.settle(LIMIT, booted)
    assert hands.settings == {"dut": "2000", "gen": "2000"}
    assert steps[-1].old == steps[-2].old == ("500", "100"), "of gen, which has not booted, as before"
    assert not await levels.enter(DEFAULT)
    assert hands.settings == {"dut": "500", "gen": "100"}


async def test_what_a_boot_has_ended_and_nobody_has_set_again_is_not_put_back() -> None:
    """The DUT has booted by itself, or a host was lost before the level was entered again."""
    for lost in (False, True):
        levels, hands, _, boots = limits("gen", "dut")
        await levels.settle(LIMIT, booted=False)
        boots["dut"], hands.settings["dut"] = "2", "500"
        if lost:
            levels.lost()
        assert not await levels.enter(DEFAULT)
        assert hands.settings == {"dut": "500", "gen": "100"}


@pytest.mark.parametrize("booted", [True, False])
async def test_what_cannot_be_undone_is_judged_by_the_boot_that_refused_it(booted: bool) -> None:
    """A host answers after a boot before a sample tells of that boot."""

    class Refusing(Obeying):
        async def act(self, action: Action) -> str:
            if action.run == "unset":
                raise StepFailed("it is not set")
            return await super().act(action)

    async def told(hosts: Collection[str]) -> None:
        assert {*hosts} == {"gen"}
        boots["gen"] = "2" if booted else "1"

    setup = LevelSetup(1, apply=(Action("gen", "set"),), undo=(Action("gen", "unset"),))
    plan, boots, said = plan_of([setup, LevelSetup(0)], (0, 1)), {"gen": "1"}, list[str]()
    hands: Any = Refusing()
    book = Book(SimpleNamespace(steps=[], write=lambda one: one))  # type: ignore[arg-type]
    levels = Levels(plan.experiment, "dut", book, hands, {}, said.append, boots, told=told)
    await levels.settle(plan.cells[0], booted=False)
    if booted:
        assert not await levels.enter(plan.cells[1])
        assert said[-1] == "it is in doubt whether dispatch = 1 is undone: it is not set"
    else:
        with pytest.raises(StepFailed, match="it is not set"):
            await levels.enter(plan.cells[1])


async def test_what_a_boot_has_ended_is_not_in_doubt_if_its_checks_say_so() -> None:
    plan, boots, said = plan_of([parts("part", verify="part")], (0,)), {"dut": "1"}, list[str]()
    hands: Any = Shared("part")
    book = Book(SimpleNamespace(steps=[], write=lambda one: one))  # type: ignore[arg-type]
    levels = Levels(plan.experiment, "dut", book, hands, {}, said.append, boots)
    await levels.settle(plan.cells[0], booted=False)
    boots["dut"], hands.there = "2", set()
    assert await levels.undo_all() == []
    assert said[-1] == "dispatch = 1 was no longer in force, as its checks say: part: refused"


async def test_a_boot_that_is_only_known_now_is_no_other_one() -> None:
    """Else what the level has set would be taken for what was there before it."""
    levels, hands, _, boots = limits("gen")
    boots.clear()
    await levels.settle(LIMIT, booted=False)
    boots["gen"] = "1"
    await levels.settle(LIMIT, booted=False)
    await levels.enter(DEFAULT)
    assert hands.settings == {"gen": "100"}


async def test_factors_are_left_in_the_reverse_of_their_order_whichever_was_entered_last() -> None:
    """The sysctl of the second factor belongs to the module of the first one."""

    def factor(name: str) -> DesignFactor:
        return DesignFactor(
            name,
            tuple(
                LevelSetup(
                    level,
                    apply=(Action("dut", f"{name}={level}"),),
                    undo=(Action("dut", f"no {name}={level}"),),
                )
                for level in range(2)
            ),
        )

    def cell(module: int, value: int) -> Cell:
        return Cell(0, "", {"module": module, "value": value}, {})

    experiment = Experiment("e", "lab.toml", (factor("module"), factor("value")))
    hands: Any = Obeying()
    book = Book(SimpleNamespace(steps=[], write=lambda one: one))  # type: ignore[arg-type]
    levels = Levels(experiment, "dut", book, hands, {}, lambda text: None, {})
    for one in (cell(0, 0), cell(1, 1), cell(0, 1)):
        assert not await levels.enter(one)
        await levels.settle(one, booted=False)
    assert hands.ran[2:6] == ["no value=0", "no module=0", "module=1", "value=1"]
    assert hands.ran[6:] == ["no value=1", "no module=1", "module=0", "value=1"], (
        "it may be lost with the module"
    )
    hands.ran.clear()
    assert await levels.undo_all() == []
    assert hands.ran == ["no value=1", "no module=0"]


class Card(Obeying):
    """Hands of a host whose card forgets its other settings when its number of queues is set."""

    def __init__(self) -> None:
        super().__init__()
        self.set: set[tuple[str, str]] = set()  # host, what
        self.values: dict[str, str] = {}  # host -> of a setting that can be read, while nothing is set

    async def act(self, action: Action) -> str:
        self.ran.append(action.run)
        what, host = action.run.split()[-1], action.host
        match action.run.split()[0]:
            case "queues":
                self.set = {one for one in self.set if one[0] != host}
                self.values[host] = f"{what} queues' own"
            case "set":
                self.set.add((host, what))
            case "unset" if (host, what) not in self.set:
                raise StepFailed(f"{what} is not set")
            case "unset":
                self.set.remove((host, what))
        return ""

    async def differs(self, check: Check) -> str:
        return "" if (check.host, check.expect) in self.set else f"{check.expect} is not set"

    async def refutes(self, check: Check) -> bool:
        return bool(await self.differs(check))

    async def value(self, restore: Restore) -> str:
        return restore.read if (restore.host, restore.read) in self.set else self.values[restore.host]

    async def put_back(self, restore: Restore, value: str) -> None:
        self.set.discard((restore.host, restore.read))
        self.values[restore.host] = value


def queues(host: str = "dut") -> DesignFactor:
    return DesignFactor(
        "queues", tuple(LevelSetup(count, apply=(Action(host, f"queues {count}"),)) for count in (8, 4))
    )


def setting(name: str, verified: bool, *hosts: str) -> DesignFactor:
    """A factor of which this level sets something on these hosts, and another nothing."""
    hosts = hosts or ("dut",)
    check = (Check(hosts[0], "what is set", name),) * verified
    apply, undo = (tuple(Action(host, f"{do} {name}") for host in hosts) for do in ("set", "unset"))
    return DesignFactor(name, (LevelSetup(1, apply=apply, undo=undo, verify=check), LevelSetup(0)))


def card(*factors: DesignFactor) -> tuple[Levels, Card, list[str]]:
    hands, said = Card(), list[str]()
    obeying: Any = hands
    book = Book(SimpleNamespace(steps=[], write=lambda one: one))  # type: ignore[arg-type]
    levels = Levels(Experiment("e", "lab.toml", factors), "dut", book, obeying, {}, said.append, {"dut": "1"})
    return levels, hands, said


async def changed(levels: Levels, hands: Card, *names: str) -> list[str]:
    """What runs where the number of queues changes, and other factors stay."""
    for index in range(2):
        hands.ran.clear()
        cell = Cell(index, "", {"queues": index, **dict.fromkeys(names, 0)}, {})
        assert not await levels.enter(cell)
        await levels.settle(cell, booted=False)
    return hands.ran


async def test_what_nothing_verifies_is_left_before_a_change_above_it_on_its_host_and_entered_after_it() -> (
    None
):
    levels, hands, _ = card(queues(), setting("rss", False))
    assert await changed(levels, hands, "rss") == ["unset rss", "queues 4", "set rss"]
    levels, hands, _ = card(queues("gen"), setting("rss", False))
    assert await changed(levels, hands, "rss") == ["queues 4"], "it is on another host"


async def test_what_is_verified_beneath_a_change_stays_if_it_holds_and_is_entered_anew_if_it_does_not() -> (
    None
):
    levels, hands, said = card(queues(), setting("rss", True))
    assert await changed(levels, hands, "rss") == ["queues 4", "unset rss", "set rss"]
    assert hands.set == {("dut", "rss")} and "rss = 1 no longer holds, and is set again" in said
    levels, hands, said = card(queues(), setting("rss", True))
    hands.differs = Obeying().differs  # type: ignore[method-assign]
    assert await changed(levels, hands, "rss") == ["queues 4"]


async def test_what_a_change_above_has_ended_is_not_in_force_when_the_experiment_ends_early() -> None:
    failing = DesignFactor("flow", (LevelSetup(0), LevelSetup(1, apply=(Action("dut", "unset nothing"),))))
    for kept in (False, True):
        levels, hands, said = card(queues("gen" if kept else "dut"), setting("rss", True), failing)
        before = Cell(0, "", {"queues": 0, "rss": 0, "flow": 0}, {})
        await levels.enter(before)
        await levels.settle(before, booted=False)
        after = Cell(1, "", {"queues": 1, "rss": 0, "flow": 1}, {})
        await levels.enter(after)
        with pytest.raises(StepFailed, match="nothing is not set"):
            await levels.settle(after, booted=False)
        assert await levels.undo_all() == [] and hands.set == set()
        assert ("rss = 1 was no longer in force, as its checks say: rss is not set" in said) is not kept


async def test_what_depends_on_a_level_that_is_entered_anew_is_entered_anew_with_it() -> None:
    """Of a host that the change itself did not touch."""
    factors = queues("gen"), setting("rss", True, "gen", "dut"), setting("flow", False)
    levels, hands, _ = card(*factors)
    ran = await changed(levels, hands, "rss", "flow")
    assert ran == ["queues 4", "unset flow", "unset rss", "unset rss", "set rss", "set rss", "set flow"]
    assert hands.set == {("gen", "rss"), ("dut", "rss"), ("dut", "flow")}


async def test_what_a_change_above_has_left_in_a_setting_is_what_is_put_back_of_it() -> None:
    """Four queues have another default than eight; of what was not reset, the value before is kept."""
    both = ("dut", "gen")
    level = LevelSetup(
        1,
        apply=tuple(Action(host, "set limit") for host in both),
        verify=tuple(Check(host, "get", "limit") for host in both),
        restore=tuple(Restore(host, "limit", "write") for host in both),
    )
    levels, hands, _ = card(queues(), DesignFactor("limit", (level, LevelSetup(0))))
    hands.values["gen"] = "1500"
    await changed(levels, hands, "limit")
    assert hands.set == {(host, "limit") for host in both}
    await levels.enter(Cell(2, "", {"queues": 1, "limit": 1}, {}))
    assert hands.values == {"dut": "4 queues' own", "gen": "1500"}


async def test_what_does_not_hold_without_a_change_above_it_ends_the_experiment() -> None:
    levels, hands, _ = card(queues(), setting("rss", True))
    cell = Cell(0, "cell", {"queues": 0, "rss": 0}, {})
    for lost in (False, True):
        await levels.enter(cell)
        if lost:
            hands.set.clear()
            with pytest.raises(StepFailed, match="cell is not in force: rss is not set"):
                await levels.settle(cell, booted=False)
        else:
            await levels.settle(cell, booted=False)


async def test_where_the_dut_boots_nothing_is_left_before_it_for_a_change_above() -> None:
    """The boot ends it, and it is entered again after it in any case."""
    levels, hands, _ = card(queues(), setting("rss", False))
    for index in range(2):
        hands.ran.clear()
        cell = Cell(index, "", {"queues": index, "rss": 0}, {})
        assert not await levels.enter(cell, boots=True)
        hands.set.clear()
        await levels.settle(cell, booted=True)
    assert hands.ran == ["queues 4", "set rss"]


async def test_a_host_that_boots_while_levels_are_entered_elsewhere_gets_its_own_again() -> None:
    """What was set before is gone, and the boot that is known at the end is not the one it was set in."""
    setup = LevelSetup(1, apply=(Action("gen", "on gen"), Action("sink", "on sink")))
    plan, boots = plan_of([setup], (0,)), {"gen": "g1", "sink": "s1"}

    class Slow(Obeying):
        async def act(self, action: Action) -> str:
            if action.host == "sink":
                boots["gen"] = "g2"
            return await super().act(action)

    hands: Any = Slow()
    book = Book(SimpleNamespace(steps=[], write=lambda one: one))  # type: ignore[arg-type]
    levels = Levels(plan.experiment, "dut", book, hands, {}, lambda text: None, boots)
    for _ in range(3):
        await levels.settle(plan.cells[0], booted=False)
    assert hands.ran == ["on gen", "on sink", "on gen"]


async def test_a_check_that_was_stopped_is_not_written_down_as_passed() -> None:
    """Else the same experiment, gone on with, would not look whether the DUT forwards."""
    stop, steps = asyncio.Event(), list[Step]()

    async def wait(seconds: float, until: Any = lambda: False) -> bool:
        return bool(until())

    async def start() -> None:
        stop.set()

    async def end() -> None:
        pass

    nothing = SimpleNamespace(now=None)
    waiter: Any = SimpleNamespace(
        bench=SimpleNamespace(lab=LAB, monitor=SimpleNamespace(automatic=True, in_blast=False)),
        seen=SimpleNamespace(received=nothing, forwarded=nothing), stop=stop, wait=wait,
    )  # fmt: skip
    book = Book(SimpleNamespace(steps=[], write=lambda one: steps.append(one) or one))  # type: ignore[arg-type]
    experiment = plan_of([sysctl("direct")], (0,)).experiment
    rebooting = Rebooting(waiter, Boots(), book, lambda phase, seconds=None: None, experiment)
    with pytest.raises(Interrupted):
        await rebooting.reboot(Booting.CHECK, start, end)
    assert [(one.what, bool(one.failed)) for one in steps if one.done] == [("forwards", True)]


@pytest.mark.parametrize("boot", ["b1", ""], ids=["with an identity of its boot", "without one"])
async def test_a_boot_is_known_once_a_sample_came_over_the_present_connection(boot: str) -> None:
    boots, since = Boots(), time.monotonic() - 1.0
    dut: Any = SimpleNamespace(name="dut", state=HostState(Phase.UP, since))
    assert not boots.is_current(dut), "nothing was sampled yet"
    boots(HostSample(host="dut", seq=1, t=1.0, at=1.0, boot=boot))
    assert boots.is_current(dut)
    assert boots.now == ({"dut": boot} if boot else {})
    dut.state = HostState(Phase.LOST, time.monotonic())
    assert not boots.is_current(dut)
    dut.state = HostState(Phase.UP, time.monotonic())
    assert not boots.is_current(dut), "the sample was of the connection before"
    waiting = asyncio.ensure_future(boots.after_now(["dut"], lambda: False))
    await asyncio.sleep(0)
    assert not waiting.done()
    boots(HostSample(host="dut", seq=2, t=2.0, at=2.0, boot=boot))
    await waiting
    assert boots.is_current(dut)
    await boots.after_now(["gen"], lambda: True)
