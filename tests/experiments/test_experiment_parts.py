"""What an experiment decides without a lab: what is known, what counts, what is sent, what A/A says."""

import asyncio
import shutil
import subprocess
from pathlib import Path
from types import SimpleNamespace
from typing import Any, ClassVar

import msgspec
import pytest
from experimental import plan_of, sysctl

from fwdtui.core.counters import InterfaceCounters
from fwdtui.core.errors import FwdtuiError
from fwdtui.core.experiment import (
    Abort,
    Action,
    Cell,
    CellProfile,
    Check,
    DesignFactor,
    Experiment,
    LevelSetup,
    Restore,
    StopRule,
    Traffic,
    Upload,
)
from fwdtui.core.experiment.steps import profile_seconds, seconds_of
from fwdtui.core.factors import FactorValue
from fwdtui.core.lab import Dut, Endpoint, Lab, Run
from fwdtui.core.model import Caution, EventSample, HostSample, Iteration, Summary, Window
from fwdtui.monitor.experiment.actions import Hands, Interrupted, StepFailed, cksum
from fwdtui.monitor.experiment.book import Book
from fwdtui.monitor.experiment.boots import Boots, Rebooting
from fwdtui.monitor.experiment.duration import Durations, left
from fwdtui.monitor.experiment.judging import WRONG, flaw, spoilt
from fwdtui.monitor.experiment.known import Known
from fwdtui.monitor.experiment.levels import Levels
from fwdtui.monitor.experiment.links import Links
from fwdtui.monitor.experiment.looks import Measured, is_due, measured
from fwdtui.monitor.experiment.stopping import look
from fwdtui.monitor.experiment.traffic import check, wanted_rate
from fwdtui.store.experiment_journal import Step
from fwdtui.transport.base import Completed
from fwdtui.transport.errors import TimedOut

LAB = Lab(
    "l",
    (Endpoint("gen", "g0", "trafgen", "send"),),
    Dut("dut", ("d0",), ("d1",)),
    Endpoint("sink", "s0"),
    interval=0.5,
    run=Run(warmup=1.0, duration=10.0),
)


def step(what: str, **more: Any) -> Step:
    return Step(0, "", what, **more)


# what a journal adds up to


def test_a_level_is_in_force_from_its_first_record_until_it_is_undone_to_the_end() -> None:
    begun = step("level", factor="f", level=1, old=("0",))
    known = Known.of([begun])
    assert (known.levels["f"].level, known.levels["f"].sure, known.levels["f"].old) == (1, False, ("0",))
    known.take(msgspec.structs.replace(begun, done=True))
    assert known.levels["f"].sure
    known.take(step("undo", factor="f", level=1))
    assert not known.levels["f"].sure
    known.take(step("undo", factor="f", level=1, done=True, failed="no"))
    assert "f" in known.levels
    known.take(step("undo", factor="f", level=1, done=True))
    assert known.levels == {}


def test_tools_may_run_until_they_were_stopped() -> None:
    known = Known.of([step("tools", mark="m", hosts=("gen", "sink"))])
    assert known.marks == {"m": ("gen", "sink")}
    known.take(step("stopped", mark="m"))
    assert known.marks, "asked, but not known to have ended"
    known.take(step("stopped", mark="m", done=True))
    assert known.marks == {}


def test_attempts_are_known_from_their_first_step() -> None:
    known = Known.of([step("begun"), step("judged", trial=1, attempt=2, done=True)])
    assert (known.attempts, known.repeated) == ({1: 2}, {1: 1})
    known.take(step("tools", trial=1, attempt=3, mark="m"))
    assert (known.attempts, known.repeated) == ({1: 3}, {1: 1})
    known.take(step("judged", trial=1, attempt=3, done=True, sound=True))
    assert known.sound == {1: 3}


def test_a_reboot_is_awaited_until_it_was_seen() -> None:
    known = Known.of([step("level", factor="f", level=0, done=True), step("reboot", boot="one")])
    assert known.rebooting == "one" and known.levels["f"].booted
    known.take(step("reboot", boot="one", done=True, failed="not back"))
    assert known.rebooting == "one", "it may come back later, and is not rebooted again then"
    known.take(step("reboot", boot="two", done=True))
    assert known.rebooting is None


def test_hooks_around_the_experiment_are_counted_one_by_one() -> None:
    known = Known.of([step("hook", done=True), step("hook", trial=1, done=True), step("hook")])
    assert known.begun == 1
    known.take(step("hook", done=True, failed="no"))
    assert known.begun == 1


# what cannot be undone


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


def levels_of(setup: LevelSetup, sure: bool, found: str = "") -> tuple[Levels, Book, list[str]]:
    class Kept:
        steps: ClassVar[list[Step]] = [
            step("level", factor="dispatch", level=0),
            *[step("level", factor="dispatch", level=0, done=True)] * sure,
        ]

        def write(self, one: Step) -> Step:
            return one

    said: list[str] = []
    book = Book(Kept())  # type: ignore[arg-type]
    hands: Any = Refusing(found)
    return Levels(plan_of([setup]).experiment, "dut", book, hands, {}, said.append, {}), book, said


UNDONE = LevelSetup(value=1, verify=(Check("dut", "is it so", "yes"),), undo=(Action("dut", "undo it"),))


async def test_an_undo_that_fails_is_told_however_often_it_is_tried() -> None:
    levels, book, _ = levels_of(UNDONE, sure=True, found="it is not so")
    for _ in range(2):
        assert await levels.undo_all() == ["dispatch = 1: undo it failed"]
        assert "dispatch" in book.known.levels, "it is still to be undone"


async def test_an_undo_that_may_have_been_done_before_fails_only_if_its_level_is_verified() -> None:
    levels, book, _ = levels_of(UNDONE, sure=False)
    assert await levels.undo_all() == ["dispatch = 1: undo it failed"]
    levels, book, said = levels_of(UNDONE, sure=False, found="it is not so")
    assert await levels.undo_all() == [] and book.known.levels == {}
    assert said == ["dispatch = 1 may have been undone before: undo it failed"]
    levels, book, said = levels_of(msgspec.structs.replace(UNDONE, verify=()), sure=False)
    assert await levels.undo_all() == [] and len(said) == 1


class Wavering(Refusing):
    """Hands that remove a file once; the DUT does not answer the first `silent` times."""

    def __init__(self, silent: int, there: bool = True) -> None:
        super().__init__("it is not so")
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


BOTH = msgspec.structs.replace(UNDONE, undo=(Action("gen", "rm knob"), Action("dut", "undo it")))


@pytest.mark.parametrize("sure", [True, False], ids=["in force", "entered in part"])
async def test_a_host_that_does_not_answer_is_undone_later_and_the_others_only_once(sure: bool) -> None:
    levels, book, _ = levels_of(BOTH, sure)
    hands = levels._hands = Wavering(silent=1)  # type: ignore[assignment]
    assert await levels.undo_all() == ["dispatch = 1: dut: no answer"]
    assert await levels.undo_all() == [] and book.known.levels == {}
    assert hands.acted == ["rm knob", "undo it", "undo it"]


async def test_while_nobody_knows_whether_a_level_is_in_force_a_refusal_is_no_answer() -> None:
    """An earlier run removed the file, and the DUT did not answer then nor does it now."""
    levels, book, said = levels_of(BOTH, sure=False)
    hands = levels._hands = Wavering(silent=2, there=False)  # type: ignore[assignment]
    with pytest.raises(TimedOut):  # which is another attempt for a trial, not the end of the experiment
        await levels.enter(Cell(0, "dispatch=2", {"dispatch": 1}, {"dispatch": 2}))
    assert "dispatch" in book.known.levels and said == []
    hands.silent = 0
    assert await levels.undo_all() == [] and book.known.levels == {}
    assert said == ["dispatch = 1 may have been undone before: no such file"]


class Obeying:
    """Hands whose commands succeed, and are kept."""

    def __init__(self) -> None:
        self.ran: list[str] = []

    async def act(self, action: Action) -> str:
        self.ran.append(action.run)
        return ""

    async def differs(self, check: Check) -> str:
        return ""


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
    patience: Any = SimpleNamespace(
        bench=SimpleNamespace(lab=LAB, monitor=SimpleNamespace(automatic=True, in_blast=False)),
        seen=SimpleNamespace(received=nothing, forwarded=nothing), stop=stop, wait=wait,
    )  # fmt: skip
    book = Book(SimpleNamespace(steps=[], write=lambda one: steps.append(one) or one))  # type: ignore[arg-type]
    experiment = plan_of([sysctl("direct")], (0,)).experiment
    rebooting = Rebooting(patience, Boots(), book, lambda phase, seconds=None: None, experiment)
    with pytest.raises(Interrupted):
        await rebooting.reboot(start, end, is_up=True)
    assert [(one.what, bool(one.failed)) for one in steps if one.done] == [("forwards", True)]


# what counts


def iteration(**more: Any) -> Iteration:
    whole: dict[str, Any] = {
        "value": 1e6,
        "window": Window("steady", 10.0, 18.0, 16),
        "metrics": {"offered": Summary(1e6, 1e6, 1e6, 1e6, 16)},
    }
    return Iteration(1, **(whole | more))


def tool(role: str, seconds: float = 3.0, asked: bool = False) -> Any:
    ended = SimpleNamespace(asked=asked, seconds=seconds, text=f"{role} ended")
    return SimpleNamespace(ended=ended, origin=SimpleNamespace(role=role))


def samples(host: str, *times: float) -> list[HostSample]:
    ports = (InterfaceCounters("d0"),)
    return [HostSample(host, n, 100.0 + at, at, interfaces=ports) for n, at in enumerate(times)]


def test_a_sound_iteration_counts() -> None:
    every = samples("dut", *(n / 2 for n in range(15, 42)))
    assert flaw(LAB, iteration(), every, [tool("generator", 3.0, asked=True)], 1.02e6) == ""


@pytest.mark.parametrize(
    "code", ["link-down", "host-lost", "reboot", "tool-failed", "unsteady", "level-shift", "ended-early"]
)
def test_what_spoils_a_value_is_told_in_its_own_words(code: str) -> None:
    assert flaw(LAB, iteration(warnings=(Caution(code, "Why."),)), [], [], None) == "Why."


def test_other_warnings_do_not_spoil_it() -> None:
    assert flaw(LAB, iteration(warnings=(Caution("short-window", "Only 16."),)), [], [], None) == ""


def test_tools_that_ended_by_themselves() -> None:
    assert flaw(LAB, iteration(), [], [tool("receiver", 99.0)], None).startswith("The receiver ended")
    assert flaw(LAB, iteration(), [], [tool("generator", 3.0)], None).startswith(
        "The generator ended after 3.0 s"
    )
    assert flaw(LAB, iteration(), [], [tool("generator", 12.0)], None) == "", "it had sent for long enough"


@pytest.mark.parametrize(("wanted", "wrong"), [(1e6, False), (1.04e6, False), (1.1e6, True), (0.9e6, True)])
def test_the_offered_load_is_the_one_that_was_asked_for(wanted: float, wrong: bool) -> None:
    assert bool(flaw(LAB, iteration(), [], [], wanted)) == wrong


def test_a_load_that_was_asked_for_and_is_not_known_does_not_count() -> None:
    """A profile of such a cell is refused, too."""
    unknown = iteration(metrics={})
    why = "The offered load is not known where 1.000 Mpps was asked for."
    assert flaw(LAB, unknown, [], [], 1e6) == why
    assert flaw(LAB, unknown, [], [], None) == "", "nothing was asked for"


def test_a_starved_host() -> None:
    gap = samples("dut", 9.0, 10.0, 11.0, 15.0, 16.0, 17.0, 18.0)
    assert flaw(LAB, iteration(), gap, [], None) == "dut gave no counters for 4.0 s: it was starved."
    assert flaw(LAB, iteration(), samples("gen", 9.0, 18.0), [], None) == "", "nothing is measured there"


@pytest.mark.parametrize(
    ("times", "seconds"),
    [
        ((0.0, 1.0, 21.0, 22.0), 20.0),  # from the warm-up until after the blast
        ((0.0, 1.0, 17.0, 18.0), 16.0),
        ((0.0, 1.0, 2.0), 8.0),  # and nothing of it has come yet
        ((9.0, 10.0, 11.0), 7.0),
        ((17.5, 18.0, 19.0), 7.5),
    ],
)
def test_a_host_that_was_starved_before_the_window_or_after_it_too(
    times: tuple[float, ...], seconds: float
) -> None:
    told = f"dut gave no counters for {seconds:.1f} s: it was starved."
    assert flaw(LAB, iteration(), samples("dut", *times), [], None) == told


def test_a_gap_beside_the_window_is_none_in_it() -> None:
    every = samples("dut", 0.0, 8.0, *(n / 2 for n in range(18, 38)), 30.0)
    assert flaw(LAB, iteration(), every, [], None) == ""


def test_a_monotonic_clock_that_jumps_in_the_window_spoils_it_and_one_before_it_does_not() -> None:
    every = samples("dut", *(n / 2 for n in range(15, 42)))
    for at, spoils in ((9.0, False), (12.0, True)):
        step = EventSample(at, "clock-step", "its monotonic clock went back", "gen")
        why = flaw(LAB, iteration(), [*every, step], [], None)
        assert bool(why) == spoils
        assert why in ("", "The clock of gen did not run evenly: its monotonic clock went back.")


def test_what_does_not_count_keeps_what_was_seen() -> None:
    found = spoilt(iteration(), "Why.")
    assert (found.value, found.complete, found.incomplete) == (None, False, "Why.")
    assert found.warnings[0].code == WRONG and found.metrics and found.window
    cut = iteration(value=None, incomplete="Cut.", complete=False, warnings=(Caution("incomplete", "Cut."),))
    both = spoilt(cut, "Why.")
    assert both.incomplete == "Why. Cut." and [one.code for one in both.warnings] == [WRONG]
    assert spoilt(cut, "Cut.") is cut


# what is sent

RATES = Traffic("udp", ("send {rate} {frame_size}",), variables={"rate": "300 kpps"})
CELL = Cell(0, "c", {"frame_size": 0}, {"frame_size": "64 B"}, "udp")
DESIGN = Experiment("e", "lab.toml", (DesignFactor("frame_size", (LevelSetup("64 B"),)),), (RATES,))


def test_a_generator_without_a_start_command_is_refused_before_anything_runs() -> None:
    check(LAB, DESIGN, CELL)
    own = msgspec.structs.replace(CELL, traffic="")
    check(LAB, msgspec.structs.replace(DESIGN, traffic=()), own)
    silent = msgspec.structs.replace(LAB, generators=(Endpoint("gen", "g0"),))
    with pytest.raises(FwdtuiError, match="c: the generator on gen has no start command"):
        check(silent, msgspec.structs.replace(DESIGN, traffic=()), own)


def test_the_rate_that_was_asked_for() -> None:
    assert wanted_rate(LAB, DESIGN, CELL) == 300_000.0
    unused = msgspec.structs.replace(RATES, generators=("send",))
    assert wanted_rate(LAB, msgspec.structs.replace(DESIGN, traffic=(unused,)), CELL) is None
    two = msgspec.structs.replace(LAB, generators=LAB.generators * 2)
    assert wanted_rate(two, DESIGN, CELL) is None, "whose rate it is cannot be told"


@pytest.mark.parametrize(
    ("rate", "wanted"), [("1 Gb/s", None), ("1.5 Mpps", 1.5e6), (200_000, 2e5), ("fast", None), (0, None)]
)
def test_a_rate_in_bits_is_not_taken_for_packets(rate: FactorValue, wanted: float | None) -> None:
    """iperf3's ``-b {rate}`` takes bits per second, which no offered load in packets can be held against."""
    profile = msgspec.structs.replace(RATES, variables={"rate": rate})
    asked = msgspec.structs.replace(DESIGN, traffic=(profile,))
    assert wanted_rate(LAB, asked, CELL) == wanted, "of a profile's variable"
    varied = msgspec.structs.replace(CELL, factors={"rate": rate})
    assert wanted_rate(LAB, DESIGN, varied) == wanted, "of a level, which goes before it"


# files


@pytest.mark.parametrize("data", [b"", b"a", b"123456789", bytes(range(256)) * 300])
def test_the_checksum_is_that_of_cksum(data: bytes) -> None:
    told = subprocess.run(["cksum"], input=data, capture_output=True, check=True).stdout.decode()
    assert told.split() == [str(cksum(data)), str(len(data))]


class Shell:
    """A host that is this machine's /bin/sh. `path`: where it looks for programs."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.scripts: list[str] = []

    async def run(self, script: str, **_: Any) -> Completed:
        self.scripts.append(script)
        pipe = subprocess.PIPE
        done = await asyncio.create_subprocess_exec(
            "/bin/sh", stdin=pipe, stdout=pipe, stderr=pipe, env={"PATH": self.path}
        )
        out, err = await done.communicate(script.encode())
        return Completed(out, err, done.returncode)


@pytest.mark.parametrize("with_base64", [True, False])
async def test_a_file_of_several_pieces_arrives_by_base64_and_without_it_by_octal_escapes(
    with_base64: bool, tmp_path: Path
) -> None:
    programs = tmp_path / "bin"
    programs.mkdir()
    for name in ("cut", "mv", "sha256sum", *["base64"] * with_base64):
        where = shutil.which(name)
        assert where is not None
        (programs / name).symlink_to(where)
    shell = Shell(str(programs))

    async def host(name: str) -> Any:
        return shell

    data = bytes(range(256)) * 500 + b"%s'\\\n."
    target = tmp_path / "a file's copy"
    target.write_bytes(b"the one before")
    hands = Hands(host, asyncio.Event())
    await hands.upload(Upload("dut", "rules", str(target)), data)
    assert target.read_bytes() == data
    sent = [one for one in shell.scripts if one.startswith("base64" if with_base64 else "printf")]
    assert len(sent) == (3 if with_base64 else 8), "pieces of 60 000 and of 18 000 bytes"
    assert not Path(f"{target}.fwdtui-part").exists()  # noqa: ASYNC240
    shell.scripts.clear()
    await hands.upload(Upload("dut", "rules", str(target)), data)
    assert len(shell.scripts) == 1, "it is there already"


# links


def test_links_are_down_until_they_are_up_again_or_their_host_has_booted() -> None:
    links = Links(LAB)

    def heard(*events: tuple[str, str, str]) -> str:
        for code, host, text in events:
            links(EventSample(1.0, code, text, host))
        return links.text

    assert heard(("link-down", "dut", "mgmt0: link is down")) == "", "not of the test path"
    assert heard(("link-down", "dut", "d0: link is down")) == "dut: the link of d0 is down"
    assert heard(("link-up", "dut", "d0: link is up")) == ""
    assert heard(("link-down", "dut", "d1: link is down"), ("link-down", "sink", "s0: link is down")) == (
        "dut: the link of d1 is down; sink: the link of s0 is down"
    )
    assert heard(("reboot", "dut", "the host was rebooted")) == "sink: the link of s0 is down"


# commands that hang


class Hanging:
    """A host on which every command runs for ever."""

    def __init__(self) -> None:
        self.ended = 0

    async def run(self, script: str, **more: object) -> None:
        try:
            await asyncio.Event().wait()
        finally:
            self.ended += 1


async def test_a_stop_ends_what_runs_and_while_undoing_only_a_second_one_does(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("fwdtui.monitor.experiment.actions._GRACE", 0.05)
    host, stop = Hanging(), asyncio.Event()

    async def open_host(name: str) -> Any:
        return host

    hands = Hands(open_host, stop)
    stop.set()
    with pytest.raises(Interrupted):
        await hands.act(Action("dut", "sleep 1000"))
    assert host.ended == 1
    hands.undoing = True
    undoing = asyncio.ensure_future(hands.act(Action("dut", "sleep 1000")))
    await asyncio.sleep(0.1)
    assert not undoing.done(), "it has its own time"
    hands.hurry.set()
    with pytest.raises(Interrupted):
        await undoing
    assert host.ended == 2


# what it still takes


def test_the_time_left_is_that_of_the_dry_run_until_trials_were_measured() -> None:
    plan = plan_of([sysctl("direct")], (0, 0, 0), boots=(2, 3), reboot_time=200.0)
    durations, planned = Durations(plan, "dut"), seconds_of(plan, "dut")
    assert [durations.of(trial) for trial in plan.trials] == [planned[1], planned[2], planned[3]]
    assert planned[2] - planned[1] > 200.0
    durations.take(plan.trials[0], 30.0)
    assert [durations.of(trial) for trial in plan.trials] == [30.0, 230.0, 230.0]
    durations.take(plan.trials[1], 100.0)
    assert [durations.of(trial) for trial in plan.trials] == [30.0, 100.0, 100.0]


def test_a_resumed_experiment_takes_as_long_as_its_earlier_trials_did() -> None:
    def at(second: int, what: str, **more: Any) -> Step:
        when = f"2026-01-01T00:{second // 60:02d}:{second % 60:02d}.000+00:00"
        return msgspec.structs.replace(step(what, done=True, **more), when=when)

    plan = plan_of([sysctl("direct")], (0, 0, 0, 0))
    steps = [
        at(0, "begun"),
        at(40, "judged", trial=1, attempt=1, sound=True),
        at(60, "judged", trial=2, attempt=1),
        at(3000, "resumed"),  # what was in between was no trial
        at(3030, "judged", trial=2, attempt=2, sound=True),
        at(2000, "resumed"),  # our clock was set back meanwhile
        msgspec.structs.replace(at(0, "judged", trial=3, attempt=1), when="not a date"),
    ]
    assert Durations(plan, "dut", steps).of(plan.trials[3]) == pytest.approx((40 + 20 + 30) / 3)
    assert left(plan, "dut", steps, {1, 2}) == pytest.approx(2 * 30.0)
    assert left(plan, "dut", steps, {2}) == pytest.approx(3 * 30.0), "the first was dropped by hand"


def test_the_profiles_that_are_missing_are_in_the_time_left() -> None:
    chosen = plan_of([sysctl("direct"), sysctl("deferred")], (0, 1, 1, 0), profile=CellProfile(None, 10.0))
    durations, planned = Durations(chosen, "dut"), seconds_of(chosen, "dut")
    one = profile_seconds(chosen)
    assert one > 10.0 and durations.profile == one
    assert [durations.of(trial) for trial in chosen.trials[2:]] == [planned[3] - one, planned[4] - one]
    assert durations.of_profiles((), (), False) == 2 * one
    assert durations.of_profiles((1, 2), {4}, False) == one
    assert durations.of_profiles((1,), (), True) == one, "of the cell that was measured"
    assert durations.of_profiles((), (), True) == durations.of_profiles((1, 2, 3, 4), {3, 4}, False) == 0.0
    assert Durations(plan_of([sysctl("direct")], (0,)), "dut").of_profiles((), (), False) == 0.0

    def at(second: int, what: str, **more: Any) -> Step:
        return msgspec.structs.replace(step(what, **more), when=f"2026-01-01T00:{second:02d}:00.000+00:00")

    steps = [
        at(0, "begun", done=True),
        at(1, "judged", done=True, trial=1, attempt=1, sound=True),
        at(2, "judged", done=True, trial=2, attempt=1, sound=True),
        at(3, "judged", done=True, trial=3, attempt=1, sound=True),
        at(3, "profile", trial=3),
        at(50, "profile", done=True, trial=3),  # which no attempt took
    ]
    assert left(chosen, "dut", steps, {1, 2, 3}) == pytest.approx(60.0 + one)
    steps.append(at(51, "judged", done=True, trial=4, attempt=1))
    assert left(chosen, "dut", steps, {1, 2, 3}) == pytest.approx(60.0 + one)
    steps.append(at(52, "look", done=True, decided=True))
    assert left(chosen, "dut", steps, {1, 2, 3}) == pytest.approx(one), "no trial is left"


# looks


def test_looks_are_due_where_the_rule_says_and_never_after_the_last_block() -> None:
    def due(rule: StopRule) -> list[int]:
        plan = plan_of([sysctl("direct")], [0] * 5, stop=rule)
        return [block for block in range(1, 6) if is_due(plan, block)]

    assert due(StopRule()) == []
    assert due(StopRule("looks", looks=(2, 5))) == [2]
    assert due(StopRule("precision", precision=1.0)) == [2, 3, 4]


def test_abort_has_defaults_that_give_up() -> None:
    assert Abort().attempts == 3 and Abort().failed == 3


def test_a_value_is_looked_at_with_what_was_offered() -> None:
    (trial,) = plan_of([sysctl("direct")], (0,)).trials
    load = Summary(2e6, 2e6, 2e6, 2e6, 20)
    found = measured(trial, Iteration(1, 1e6, boot="b", metrics={"offered": load}))
    assert found == Measured(trial.number, trial.block, trial.cell, 1e6, "b", 2e6)
    unknown = measured(trial, Iteration(1, 1e6))
    assert unknown is not None and unknown.offered is None
    assert measured(trial, Iteration(1, None)) is measured(trial, Iteration(1, 1e6, dropped="spoilt")) is None


def test_a_planned_look_is_asked_of_the_statistics_of_the_report() -> None:
    plan = plan_of(
        [sysctl("direct"), sysctl("deferred")], (0, 1, 1, 0) * 4, blocks=8, stop=StopRule("looks", looks=(4,))
    )

    def against(*others: float) -> list[Measured]:
        pairs = zip((100.0, 101.0, 99.0, 100.5), others, strict=True)
        return [
            Measured(2 * block + cell - 1, block, cell, pair[cell])
            for block, pair in enumerate(pairs, 1)
            for cell in (0, 1)
        ]

    clear = look(plan, against(70.0, 71.0, 69.0, 70.4), 4, 1)
    assert clear.decided and clear.text == "Everything is decided at look 1 of 2, at 99 %."
    noisy = look(plan, against(95.0, 106.0, 98.0, 103.0), 4, 1)
    assert not noisy.decided
    assert noisy.text == "Still open at look 1 of 2, at 99 %: dispatch=deferred."
