"""The owner of a lab being measured: what it starts and asks for, what it saves, what it closes."""

import asyncio
import time
from collections.abc import AsyncIterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import msgspec
import pytest
from benches import PLAN, RATE, Lab, SampledBench, Switch, quickly

from fwdtui.collectors import facts
from fwdtui.collectors.clock import Axis
from fwdtui.collectors.tools.running import RunningTool
from fwdtui.core.errors import FwdtuiError
from fwdtui.core.lab import Endpoint, parse
from fwdtui.core.model import EventSample, Fact, Iteration, Sample
from fwdtui.monitor.live.monitor import Monitor
from fwdtui.monitor.run import bench
from fwdtui.monitor.run.beginning import open_session
from fwdtui.monitor.run.bench import Bench
from fwdtui.monitor.run.following import follow
from fwdtui.monitor.run.reaching import NotReachedError, reach
from fwdtui.monitor.run.recorder import Recorder
from fwdtui.store import read_session
from fwdtui.transport.errors import UnknownHostKey, Unreachable
from fwdtui.transport.settings import SshSettings
from fwdtui.transport.ssh import SshPool


@pytest.mark.parametrize(
    ("interval", "slow"), [("100ms", 2.0), ("1s", 2.0), ("2s", 2.0), ("3s", 3.0), ("10s", 10.0)]
)
async def test_what_costs_the_dut_a_fork_is_read_every_two_seconds_at_most(
    interval: str, slow: float
) -> None:
    lab = parse(f'{PLAN}[sampling]\ninterval = "{interval}"\n')
    async with Bench(lab, SshPool(SshSettings()), Path("lab.toml"), {}) as bench:
        assert bench._source._slow == slow


def test_a_veth_is_known_by_its_driver_and_what_bypasses_the_ports_by_its_tool() -> None:
    async def main() -> tuple[frozenset[str], frozenset[str]]:
        lab = parse(PLAN.replace('interface = "g0"', 'interface = "g0"\ntool = "netmap-pkt-gen"'))
        facts = {"gen.g0.driver": "veth", "dut.d0.driver": "ix", "sink.s0": "veth"}
        async with Bench(lab, SshPool(SshSettings()), Path("lab.toml"), facts) as bench:
            return bench.monitor._state.veths, bench.monitor._state.uncounted

    assert quickly(main) == (frozenset({"gen.g0"}), frozenset({"netmap-pkt-gen"}))


async def test_a_lab_without_a_generator_has_nothing_to_start_and_says_so() -> None:
    """`fwdtui run` of one that is started elsewhere waited for a blast, and blamed generator and DUT."""
    lab = parse('[dut]\nhost = "dut"\nin = "d0"\nout = "d1"\n')
    async with Bench(lab, SshPool(SshSettings()), Path("lab.toml"), {}) as bench:
        with pytest.raises(FwdtuiError, match=r"^lab\.toml: generator\.start: missing, so there is nothing"):
            await bench.start_tools()


def test_what_is_shown_is_held_against_the_line_rate_of_what_is_sent() -> None:
    async def main() -> None:
        async with SampledBench() as bench:
            assert bench.monitor.snapshot(0).line_rate == 20_000
            (generator,) = bench.lab.generators
            large = msgspec.structs.replace(generator, line_rate=5_000.0, frame=512)
            bench.lab = msgspec.structs.replace(bench.lab, generators=(large,))
            assert bench.monitor.snapshot(0).line_rate == 5_000

    quickly(main)


def test_room_is_asked_for_the_warm_up_the_measurement_and_twelve_seconds_around(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[float] = []
    monkeypatch.setattr(Recorder, "ready", lambda self, seconds: asked.append(seconds) or False)

    async def main() -> None:
        async with SampledBench() as bench:
            assert bench.can_save(), "nothing is to be saved"
            bench.record(tmp_path, "s", "v4")
            assert not bench.can_save() and asked == [2.0 + 10.0 + 12.0]

    quickly(main)


def test_what_is_recorded_is_whole_when_it_is_closed(tmp_path: Path) -> None:
    async def main() -> None:
        async with SampledBench() as bench:
            recorder = bench.record(tmp_path, "s", "v4")
            assert recorder is bench.recorder
            seen: list[object] = []
            bench.start([seen.append])
            await asyncio.sleep(4.0)
            await bench.start_tools()
            await asyncio.sleep(20.0)
            await bench.stop_tools()
            await asyncio.sleep(3.0)  # its end is not seen yet
            assert not bench.monitor.ending and len(seen) > 60
            await bench.aclose()
            await bench.aclose()
            assert bench._following is not None and bench._following.done()

    quickly(main)
    session = read_session(tmp_path / "s")
    assert session.problems == () and not (tmp_path / "s/.lock").exists()
    assert session.lab is not None and session.lab["name"] == parse(PLAN).name


def test_a_folder_that_is_no_session_is_refused_before_anything_starts(tmp_path: Path) -> None:
    async def main() -> None:
        (tmp_path / "v4").write_text("a file")
        (tmp_path / "s").mkdir()
        async with SampledBench() as bench:
            with pytest.raises(FwdtuiError, match="exists and is not a session"):
                bench.record(tmp_path, "s", "v4")
            with pytest.raises(FwdtuiError, match="v4/x: nothing can be recorded: File exists"):
                bench.record(tmp_path / "v4", "x", "c")
            assert bench.recorder is None

    quickly(main)


def test_a_case_that_cannot_be_written_leaves_the_session_free(tmp_path: Path) -> None:
    async def main() -> None:
        async with SampledBench() as bench:
            bench.record(tmp_path, "s", "v4")
        (tmp_path / "s" / "v6").write_text("a file")
        async with SampledBench() as bench:
            with pytest.raises(FwdtuiError, match="s: nothing can be recorded: a file, not a folder"):
                bench.record(tmp_path, "s", "v6")
            assert not (tmp_path / "s/.lock").exists()

    quickly(main)


def test_a_further_recording_says_which_facts_are_no_longer_those_of_the_session(tmp_path: Path) -> None:
    lists = {"dut.in": ["d0"], "dut.ix0.rings": "rx 512"}
    first = {**lists, "dut.kernel": "6.1", "generator.command": "send -l 60", "generator.line_rate": 14.88e6}
    later = {**lists, "dut.kernel": "6.2", "generator.command": "send -l 60", "dut.cpus": 4}

    async def record(now: dict[str, Fact]) -> None:
        async with SampledBench() as bench:
            bench.facts = now
            recorder = bench.record(tmp_path, "s", "v4")
            recorder.finished(Iteration(1, 1e6, "pps", "x"), (), 0.0)

    for now in (first, first, later):
        quickly(lambda now=now: record(now))
    session = read_session(tmp_path / "s")
    assert session.facts == first
    own = [one.facts for one in session.cases[0].iterations]
    assert own == [{}, {}, {"dut.kernel": "6.2", "dut.cpus": 4}]


def test_a_further_recording_says_which_facts_of_the_session_are_not_there_any_more(tmp_path: Path) -> None:
    first: dict[str, Fact] = {"dut.kernel": "6.1", "dut.conntrack": 7, "dut.cpus": 4, "dut.ix0.iflib.rx": "1"}

    async def record(now: dict[str, Fact], absent: tuple[str, ...] = ()) -> None:
        async with SampledBench() as bench:
            bench.facts, bench.absent = now, absent
            bench.record(tmp_path, "s", "v4").finished(Iteration(1, 1e6, "pps", "x"), (), 0.0)

    absent = ("dut.conntrack", "dut.ix0.iflib.", "dut.never")
    quickly(lambda: record(first))
    quickly(lambda: record({"dut.kernel": "6.1"}, absent))  # and its processors were not read
    session = read_session(tmp_path / "s")
    own = [one.facts for one in session.cases[0].iterations]
    assert own == [{}, {"dut.conntrack": "–", "dut.ix0.iflib.rx": "–"}]


def test_facts_that_cannot_be_read_again_are_the_sessions_which_is_told_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def collect(lab: object, pool: object) -> facts.Facts:
        return facts.Facts({"dut.cpus": 4}, ("dut: not known: kernel (no answer)",))

    monkeypatch.setattr(facts, "collect", collect)

    async def main() -> None:
        async with SampledBench() as bench:
            recorder = bench.record(tmp_path, "s", "v4")
            for _ in range(2):
                await bench.learn()
            (told,) = recorder.taken_news()
            assert told.text.startswith("dut: not known: kernel (no answer). The next iterations keep the")

    quickly(main)


def test_a_further_recording_with_other_hosts_or_ports_says_by_which_it_will_be_replayed(
    tmp_path: Path,
) -> None:
    told: list[list[str]] = []

    async def record(text: str) -> None:
        async with SampledBench(text) as bench:
            recorder = bench.record(tmp_path, "s", "v4")
            told.append([event.text for event in recorder.taken_news() if event.code == "note"])

    other = PLAN.replace('out = "d1"', 'out = ["d1", "d2"]').replace("20k", "30k")
    for text in (PLAN, PLAN.replace("20k", "30k"), other):
        quickly(lambda text=text: record(text))
    assert told[:2] == [[], []], "a line rate is a fact of its iterations"
    ((said,),) = told[2:]
    assert said.startswith("This session was begun with another lab (dut.out is d1, d2 and was d1)")


def test_a_further_recording_with_another_warm_up_or_interval_says_so_too(tmp_path: Path) -> None:
    """A replay would leave out the first one's warm-up, and give other values than were saved."""
    told: list[list[str]] = []

    async def record(text: str) -> None:
        async with SampledBench(text) as bench:
            recorder = bench.record(tmp_path, "s", "v4")
            told.append([event.text for event in recorder.taken_news() if event.code == "note"])

    other = PLAN.replace('warmup = "2s"', 'warmup = "0.5s"') + '[sampling]\ninterval = "2s"\n'
    for text in (PLAN, PLAN.replace('duration = "10s"', 'duration = "20s"'), other):
        quickly(lambda text=text: record(text))
    assert told[:2] == [[], []], "how long is sent shows in the samples"
    ((said,),) = told[2:]
    changes = "run.warmup is 0.5s and was 2.0s; sampling.interval is 2.0s and was 1.0s"
    assert f"({changes}), and all of it will be replayed with that one" in said


@pytest.mark.parametrize(
    ("roles", "names"),
    [
        (["generator"], ["generator.log"]),
        (["receiver", "generator"], ["receiver.log", "generator.log"]),
        (["generator", "generator", "generator"], ["generator.log", "generator2.log", "generator3.log"]),
        ([], []),
    ],
)
def test_each_tools_output_is_saved_under_a_name_of_its_own(roles: list[str], names: list[str]) -> None:
    async def main() -> None:
        async with SampledBench() as bench:
            for number, role in enumerate(roles):
                switch = Switch(bench.source)
                switch.origin = type(switch.origin)(role, "gen", "g0")
                switch.log.add(b"%d" % number)
                bench.tools.running.append(switch)  # type: ignore[arg-type]
            found = bench._logs()
            assert list(found) == names
            assert list(found.values()) == [b"%d\n" % number for number in range(len(roles))]

    quickly(main)


def test_a_blast_that_others_send_is_not_saved_with_the_output_of_our_generator(tmp_path: Path) -> None:
    """It ended with the blast before; a receiver that still runs has heard both."""

    async def main() -> None:
        async with SampledBench() as bench:
            bench.record(tmp_path, "s", "v4")
            bench.start()
            await asyncio.sleep(4.0)
            ours, receiver = *await bench.start_tools(), Switch(bench.source)
            receiver.origin = type(receiver.origin)("receiver", "sink", "s0")
            bench.tools.running.append(receiver)  # type: ignore[arg-type]
            await asyncio.sleep(12.0)
            await ours.stop()
            await asyncio.sleep(12.0)
            bench.source.rate = RATE
            await asyncio.sleep(12.0)
            bench.source.rate = 0.0
            await asyncio.sleep(12.0)

    quickly(main)
    (case,) = read_session(tmp_path / "s").cases
    assert [list(one.files) for one in case.iterations] == [
        ["generator.log", "receiver.log"],
        ["receiver.log"],
    ]


def test_a_generator_is_not_started_twice_or_while_nothing_could_be_saved(tmp_path: Path) -> None:
    async def main() -> None:
        async with SampledBench() as bench:
            switch = Switch(bench.source)
            bench.tools.running = [switch]  # type: ignore[list-item]
            with pytest.raises(FwdtuiError, match="the generator is already running"):
                await Bench.start_tools(bench)
            switch.ended = object()
            bench.record(tmp_path, "s", "v4")
            bench.savable = False
            with pytest.raises(FwdtuiError, match="the generator is not started: "):
                await Bench.start_tools(bench)

    quickly(main)


RECEIVING = PLAN.replace('"g0"\n', '"g0"\nstart = "send"\n').replace('"s0"\n', '"s0"\nstart = "receive"\n')


TWO = RECEIVING.replace("[generator]", "[[generator]]").replace(
    "[dut]", '[[generator]]\nhost = "gen"\ninterface = "g1"\nstart = "send"\n[dut]'
)


@pytest.mark.parametrize(
    ("lab", "roles"),
    [
        (PLAN, ["generator"]),  # its receiver runs already
        (RECEIVING, ["receiver", "generator"]),  # what is sent first is to be received, too
        (TWO, ["receiver", "generator", "generator"]),
        (TWO.replace('"g1"\nstart = "send"', '"g1"'), ["receiver", "generator"]),  # one sends on both ports
    ],
)
def test_the_receiver_is_started_first_if_it_is_to_be_started(
    lab: str, roles: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    async def main() -> None:
        async with SampledBench(lab) as bench:
            started: list[str] = []
            added: list[object] = []

            async def start(
                host: object, endpoint: Endpoint, role: str, now: object, path: str, mark: str, system: str
            ) -> Switch:
                started.append(role)
                return Switch(bench.source)

            async def opened(name: str, destination: str) -> str:
                return name

            monkeypatch.setattr(RunningTool, "start", start)
            monkeypatch.setattr(bench._pool, "open", opened)
            monkeypatch.setattr(bench._pool, "machine", Pool().machine)
            bench.source.axis = Axis()  # type: ignore[attr-defined]
            bench.source.add = added.append  # type: ignore[attr-defined]
            assert await Bench.start_tools(bench) == bench.tools.running == added
            assert started == roles

    quickly(main)


def test_every_tool_knows_that_it_will_be_stopped_before_the_first_one_is() -> None:
    told: list[str] = []

    class Told(Switch):
        def __init__(self, name: str, lab: Lab) -> None:
            super().__init__(lab)
            self.name = name

        def expect_end(self) -> None:
            told.append(f"expect {self.name}")

        async def stop(self) -> None:
            told.append(f"stop {self.name}")

    async def main() -> None:
        async with SampledBench() as bench:
            tools = [Told(name, bench.source) for name in ("receiver", "generator", "generator2")]
            bench.tools.running = list(tools)  # type: ignore[arg-type]
            await Bench.stop_tools(bench)

    quickly(main)
    assert sorted(told[:3]) == ["expect generator", "expect generator2", "expect receiver"]
    assert told[3:6] == ["stop generator2", "stop generator", "stop receiver"]


def test_closing_stops_every_tool_even_if_one_cannot_be_reached() -> None:
    class Gone(Switch):
        async def aclose(self) -> None:
            raise OSError("gone")

    async def main() -> None:
        async with SampledBench() as bench:
            bench.source.rate = 1.0
            bench.tools.running = [Gone(bench.source), Switch(bench.source)]  # type: ignore[list-item]
        assert bench.source.rate == 0.0 and bench.source.over.is_set()

    quickly(main)


class Hosts:
    """A pool of which each host connects, or fails with the error that is given for it."""

    def __init__(self, **errors: Exception) -> None:
        self.errors = errors
        self.name = ""

    async def open(self, name: str, destination: str) -> "Hosts":
        found = Hosts(**self.errors)
        found.name = name
        return found

    async def connect(self) -> None:
        if self.name in self.errors:
            raise self.errors[self.name]


OTHER = UnknownHostKey("dut", "dut", 22, "ssh-ed25519", "SHA256:def", "dut", "ssh-ed25519 BBBB")
UNREACHABLE = {name: Unreachable(name, f"{name} is off") for name in ("gen", "dut", "sink")}
KEY = UnknownHostKey("sink", "sink", 22, "ssh-ed25519", "SHA256:abc", "sink", "ssh-ed25519 AAAA")


@pytest.mark.parametrize(
    ("errors", "raised"),
    [
        ({"gen": UNREACHABLE["gen"], "dut": UNREACHABLE["dut"]}, None),
        ({"gen": UNREACHABLE["gen"], "sink": KEY}, KEY),  # a key to ask about comes first
        ({"dut": OTHER, "sink": KEY}, OTHER),
        ({"gen": UNREACHABLE["gen"], "dut": ValueError("odd"), "sink": KEY}, KEY),
        ({"gen": UNREACHABLE["gen"], "sink": ValueError("odd")}, ValueError),
    ],
)
def test_every_host_that_cannot_be_reached_is_named_unless_something_else_is_to_be_told(
    errors: dict[str, Exception], raised: object
) -> None:
    async def main() -> None:
        await reach(parse(PLAN), Hosts())  # type: ignore[arg-type]
        with pytest.raises(Exception) as found:
            await reach(parse(PLAN), Hosts(**errors))  # type: ignore[arg-type]
        if raised is None:
            assert isinstance(found.value, NotReachedError)
            assert found.value.errors == (UNREACHABLE["gen"], UNREACHABLE["dut"])
            assert str(found.value) == f"{UNREACHABLE['gen']}; {UNREACHABLE['dut']}"
        else:
            assert found.value is raised or type(found.value) is raised

    quickly(main)


def test_nothing_runs_without_asking_unless_that_was_said() -> None:
    async def main() -> None:
        async with Bench(parse(PLAN), SshPool(SshSettings()), Path("lab.toml"), {}) as bench:
            assert bench.unattended is False and bench.recorder is None and bench.tools.running == []

    quickly(main)


# the last samples of a blast


@pytest.mark.parametrize(("seconds", "became"), [(None, 6.0), (2.0, 2.0)])
def test_a_host_that_stays_away_is_waited_for_as_long_as_is_said(
    seconds: float | None, became: float
) -> None:
    async def main() -> None:
        async with SampledBench() as bench:
            bench.start()
            await asyncio.sleep(4.0)
            await bench.start_tools()
            await asyncio.sleep(15.0)
            bench.source.silent = {"sink"}
            await bench.stop_tools()
            await asyncio.sleep(6.0)
            assert bench.monitor.ending
            began = time.monotonic()
            await (bench.drained() if seconds is None else bench.drained(seconds))
            assert time.monotonic() - began == pytest.approx(became, abs=0.1)
            bench.source.over.set()
            await asyncio.sleep(2.0)
            began = time.monotonic()
            await bench.drained()
            assert time.monotonic() == began, "no more samples will come"

    quickly(main)


def test_without_a_blast_that_ended_there_is_nothing_to_wait_for() -> None:
    async def main() -> None:
        async with SampledBench() as bench:
            began = time.monotonic()
            await bench.drained()
            assert time.monotonic() == began

    quickly(main)


# opening it


class Pool(Hosts):
    """Hosts that all connect."""

    def __init__(self) -> None:
        super().__init__()
        self.closed = 0

    async def machine(self, destination: str) -> str:
        return f"machine-of-{destination}"

    async def aclose(self) -> None:
        self.closed += 1


def opened(
    monkeypatch: pytest.MonkeyPatch, pool: Pool, lab: str = PLAN, error: BaseException | None = None
) -> None:
    async def collect(lab: object, pool: object) -> object:
        if error is not None:
            raise error
        return facts.Facts({"dut.kernel": "x"}, ("no lscpu", "no dmidecode"))

    monkeypatch.setattr(bench, "open_lab", lambda path, unattended: (parse(lab), pool))
    monkeypatch.setattr(facts, "collect", collect)


@pytest.mark.parametrize("unattended", [None, False, True])
def test_what_is_odd_in_the_facts_is_said_when_it_is_opened(
    monkeypatch: pytest.MonkeyPatch, unattended: bool | None
) -> None:
    opened(monkeypatch, pool := Pool())

    async def main() -> None:
        said: list[str] = []
        path = Path("lab.toml")
        if unattended is None:
            found = await Bench.open(path, said.append)
        else:
            found = await Bench.open(path, said.append, unattended)
        assert said == ["no lscpu", "no dmidecode"] and found.facts == {"dut.kernel": "x"}
        assert found.unattended is bool(unattended) and pool.closed == 0
        await found.aclose()
        assert pool.closed == 1

    quickly(main)


@pytest.mark.parametrize(
    ("lab", "error"),
    [
        (PLAN, FwdtuiError("no facts")),
        (PLAN, asyncio.CancelledError()),
        (PLAN.replace('"g0"\n', '"g0"\ntool = "unknown"\n'), None),
    ],
)
def test_what_cannot_be_opened_leaves_no_connection(
    monkeypatch: pytest.MonkeyPatch, lab: str, error: BaseException | None
) -> None:
    opened(monkeypatch, pool := Pool(), lab, error)

    async def main() -> None:
        with pytest.raises(FwdtuiError if error is None else type(error)):
            await Bench.open(Path("lab.toml"))
        assert pool.closed == 1

    quickly(main)


def test_one_fwdtui_at_a_time_sends_on_a_lab_and_others_may_watch(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two blasts at once are measured as their sum by both, and neither has seen anything when it began."""
    opened(monkeypatch, Pool(), RECEIVING.replace('"s0"\nstart = "receive"', '"s0"'))

    async def main() -> None:
        path = Path("lab.toml")
        begun: list[Switch] = []

        class Waited(Switch):
            over = asyncio.Event()

            async def wait(self) -> None:
                await self.over.wait()

        async def start(*_: object, **__: object) -> Switch:
            begun.append(Waited(SimpleNamespace(rate=0.0, now=0.0)))  # type: ignore[arg-type]
            return begun[-1]

        monkeypatch.setattr(RunningTool, "start", start)
        refused = pytest.raises(FwdtuiError, match="another fwdtui on this computer measures dut")
        first = await Bench.open(path, unattended=True)
        with refused:
            await Bench.open(path, unattended=True)
        async with await Bench.open(path) as watching:
            monkeypatch.setattr(watching._source, "add", lambda tool: None)
            with refused:
                await watching.start_tools()
            assert not begun
            await first.aclose()
            await watching.start_tools()
            with refused:
                await Bench.open(path, unattended=True)
            begun[0].ended = object()
            Waited.over.set()  # it goes on to watch
            async with await Bench.open(path, unattended=True) as over:
                over.iterated()  # and its screen stays open
                async with await Bench.open(path, unattended=True):
                    pass

    quickly(main)


def test_a_tool_knows_the_system_of_its_host_from_the_sampler(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a signal reaches there depends on it."""
    opened(monkeypatch, Pool(), RECEIVING)
    told: dict[str, str] = {}

    async def start(host: object, endpoint: Endpoint, *_: object, system: str, **__: object) -> Switch:
        told[endpoint.host] = system
        return Switch(Lab())

    async def main() -> None:
        monkeypatch.setattr(RunningTool, "start", start)
        async with await Bench.open(Path("lab.toml"), unattended=True) as bench:
            monkeypatch.setattr(bench._source, "add", lambda tool: None)
            bench._source.samplers["gen"] = SimpleNamespace(system="freebsd")  # type: ignore[assignment]
            await bench.start_tools()

    quickly(main)
    assert told == {"gen": "freebsd", "sink": ""}


LISTED = PLAN.replace('out = "d1"\n', 'out = "d1"\ncount = ["cycles"]\n')


@pytest.mark.parametrize(
    ("lab", "options", "counted", "reasons"),
    [
        (PLAN, {}, (), False),
        (PLAN, {"drop_reasons": True}, (), True),
        (PLAN.replace('out = "d1"\n', 'out = "d1"\ndrop_reasons = true\n'), {}, (), True),
        (PLAN, {"count": ["cycles"]}, ("cycles",), False),
        (LISTED, {}, ("cycles",), False),
        (LISTED, {"count": []}, (), False),  # while a profile is taken
    ],
)
def test_what_is_counted_is_what_the_lab_says_unless_the_user_says_otherwise(
    monkeypatch: pytest.MonkeyPatch,
    lab: str,
    options: dict[str, Any],
    counted: tuple[str, ...],
    reasons: bool,
) -> None:
    opened(monkeypatch, Pool(), lab)

    async def main() -> None:
        async with await Bench.open(Path("lab.toml"), **options) as found:
            assert (found.lab.dut.count, found.lab.dut.drop_reasons) == (counted, reasons)
            assert (found._reasons is not None) is reasons

    quickly(main)


# what is told beside the samples


def test_what_the_recorder_has_to_tell_follows_the_sample_at_which_it_was_noticed(tmp_path: Path) -> None:
    class Samples:
        async def __aiter__(self) -> AsyncIterator[Sample]:
            for at in (1.0, 2.0):
                yield EventSample(at, "note", "x")

    async def main() -> None:
        monitor, recorder = Monitor(parse(PLAN)), Recorder(open_session(tmp_path, "s"), "v4")
        seen: list[tuple[float, str]] = []

        def watch(sample: Sample) -> None:
            assert isinstance(sample, EventSample)
            if (sample.at, sample.code) == (1.0, "note"):
                recorder._tell("not-saved", "the disk is full")
            seen.append((sample.at, sample.code))

        also: list[Sample] = []
        await follow(Samples(), monitor, recorder, watchers=[watch, also.append])  # type: ignore[arg-type]
        assert seen == [(1.0, "note"), (1.0, "not-saved"), (2.0, "note")]
        assert [(one.at, one.code) for one in also if isinstance(one, EventSample)] == seen
        assert [(event.at, event.code) for event in monitor.snapshot(0).events] == seen
        recorder.close()
        bare: list[Sample] = []
        await follow(Samples(), monitor, watchers=[bare.append])  # type: ignore[arg-type]
        assert len(bare) == 2

    quickly(main)
