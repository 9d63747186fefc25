"""The scenes of the gallery: each screen of the app, and the keys that lead to it from the one before."""

import dataclasses
import shutil
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from experiment_rig import FORTY, ONE, TWO, Still, experiment, running, write
from live_rig import Control, Rig
from profiled import add, forwarding
from textual.command import CommandPalette
from waiting import rest, until

from fwdtui.collectors.base import Check
from fwdtui.collectors.lab_trust import UntrustedError
from fwdtui.core.drop_reasons import joined
from fwdtui.core.experiment import StopRule
from fwdtui.core.findings import NOISY, NOTE, WRONG, Finding
from fwdtui.core.model import Caution, Iteration, Packets, Summary
from fwdtui.core.reason_counts import DropReasons, ReasonRow
from fwdtui.report import export
from fwdtui.store import SessionWriter
from fwdtui.store.annotations import drop, set_factor
from fwdtui.transport.errors import UnknownHostKey
from fwdtui.transport.ssh_files import TextFile
from fwdtui.ui.common import choosers, dialogs
from fwdtui.ui.common.errors import TroubleScreen
from fwdtui.ui.common.metric_choice import ChooseMetric
from fwdtui.ui.common.table_screen import TableScreen
from fwdtui.ui.common.trust import TrustScreen
from fwdtui.ui.compare.factor_choice import ChooseFactors
from fwdtui.ui.compare.no_comparison import NoComparison
from fwdtui.ui.compare.screen import CompareScreen
from fwdtui.ui.demo.demo_control import DemoControl
from fwdtui.ui.demo.screen import DemoScreen
from fwdtui.ui.demo.stage import SimulatedStage
from fwdtui.ui.draw.graph import Graph
from fwdtui.ui.experiment.blast_screen import BlastScreen
from fwdtui.ui.experiment.question import ExperimentQuestion
from fwdtui.ui.experiment.screen import ExperimentScreen
from fwdtui.ui.lab.doctor import DoctorScreen
from fwdtui.ui.lab.new_lab import NewLabScreen
from fwdtui.ui.live.run_screen import RunScreen
from fwdtui.ui.live.screen import LiveScreen
from fwdtui.ui.replay.choose import ChooseRecording
from fwdtui.ui.replay.replay_control import ReplayControl
from fwdtui.ui.replay.screen import ReplayScreen
from fwdtui.ui.report.dialogs import Destination, Writing
from fwdtui.ui.report.preview import PreviewScreen
from fwdtui.ui.sessions.iteration_table import CaseTable
from fwdtui.ui.sessions.session_screen import SessionScreen
from fwdtui.ui.sessions.sessions_screen import SessionsScreen
from fwdtui.ui.sessions.sweep_screen import SweepScreen
from fwdtui.ui.shell.app import FwdtuiApp
from fwdtui.ui.shell.commands import ThemePalette
from fwdtui.ui.shell.help_panel import HelpPage
from fwdtui.ui.shell.messages import MessagesScreen
from fwdtui.ui.shell.welcome import WelcomeScreen

RECORDED = Path(__file__).resolve().parents[1] / "recorded"
SESSIONS = Path("sessions")
Do = Callable[[FwdtuiApp], Awaitable[None]]


@dataclass(frozen=True)
class Scene:
    """A picture: the screen that it is of, how it is reached, and how it is left.

    `show` and `hide` are keys, or something to do where no key leads. Without `hide` the next scene begins
    here. `others`: screens that are shown in its place where there is less room. `plain`: its colours are
    those of another scene, so that only its text is kept.
    """

    name: str
    of: type
    show: Sequence[str] | Do = ()
    hide: Sequence[str] | Do = ()
    others: tuple[type, ...] = ()
    plain: bool = False


@dataclass(frozen=True)
class Tour:
    """Scenes of one run of the app, gone through for several sizes and themes. The last leads to the first.

    `apart`: gone through for each size and theme, where a scene also depends on what was done in the round
    before, or dialogs lie above something that is drawn anew only when they are closed.
    """

    name: str
    app: Callable[[], FwdtuiApp]
    scenes: Sequence[Scene]
    files: Callable[[], None] = lambda: None
    apart: bool = False


def push(make: Callable[[], Any]) -> Do:
    async def do(app: FwdtuiApp) -> None:
        app.push_screen(make())

    return do


async def pop(app: FwdtuiApp) -> None:
    app.pop_screen()


def call(what: Callable[[FwdtuiApp], object]) -> Do:
    async def do(app: FwdtuiApp) -> None:
        what(app)

    return do


# the files


def session(label: str, cases: dict[str, list[float]], **more: Any) -> Path:
    path = SESSIONS / label
    with SessionWriter.create(path, label=label, created="2026-01-02T03:04:05+00:00", **more) as writer:
        for case, values in cases.items():
            for value in values:
                metrics = {"received": Summary(value, value, value, value, 60)}
                writer.begin(case).commit(Iteration(0, value, source="receiver.log", metrics=metrics))
    return path


def around(mean: float) -> list[float]:
    """Five iterations that differ by some thousandths."""
    return [round(mean * (1 + part / 1000)) for part in (-3, 1, 0, 4, -2)]


def pair() -> None:
    """A baseline and a candidate: one case slower, one faster, one that cannot be told."""
    rates = {
        "n311215": {"forwarding.off": 883e3, "forwarding.on": 380e3, "pf.inet4": 404e3},
        "n311215-UDP2": {"forwarding.off": 481e3, "forwarding.on": 1001e3, "pf.inet4": 404.8e3},
    }
    for label, cases in rates.items():
        facts = {"kernel": label, "nic": "igb"}
        session(label, {case: around(mean) for case, mean in cases.items()}, facts=facts)


def profiled() -> None:
    """The pair; of its first case both have a profile, of the second only the baseline."""
    pair()
    for label, lookup, tx in (("n311215", 20, 30), ("n311215-UDP2", 40, 10)):
        add(
            SESSIONS / label,
            "forwarding.off",
            forwarding(lookup, tx, 100 + lookup),
            packets=10**6,
            period=65536,
            start=0.0,
            end=10.0,
        )
    notes = ("3906 of 16286 samples are in no line: was the file cut off?",)
    add(SESSIONS / "n311215", "forwarding.on", forwarding(20, 30, 100), notes=notes)


def grouped() -> None:
    """Sessions of two result trees, whose names are alike."""
    for place in ("apu2", "xeon"):
        facts = {"imported_from": "may", "imported_tree": f"benchmarks/{place}/results/may"}
        for number, mean in enumerate((883000, 600000, 990000)):
            session(f"{place}.results.may.n{number}-GENERIC", {"forwarding.off": around(mean)}, facts=facts)


def factors() -> None:
    """Two images: 1 to 8 queues, inet4 and inet6; linear up to 4 queues."""
    rates = {1: 1e6, 2: 2e6, 4: 4e6, 8: 4.4e6}
    for image, scale in (("r1", 1.0), ("r2", 1.06)):
        cases = {
            f"q{q}.{af}": around(scale * rate * (1.0 if af == "inet4" or image == "r1" else 0.85))
            for af in ("inet4", "inet6")
            for q, rate in rates.items()
        }
        path = session(image, cases)
        set_factor(path, "", "image", image)
        for case in cases:
            queues, af = case.split(".")
            set_factor(path, case, "queues", int(queues[1:]))
            set_factor(path, case, "af", af)


MANY = {"n311215": 1.0, "n311301": 1.02, "n311408": 0.93}


def reasons() -> None:
    """A baseline and a candidate whose DUT counted why it dropped: the backlog, and then a rule too."""
    limit = Caution("dut-limited", "DUT-limited: cores 0-1 are 99 % busy, most of it in softirq.")
    for label, backlog, rule in (("n311215", 4_000, 0), ("n311301", 1_000, 20_000)):
        rows = (
            ReasonRow("CPU_BACKLOG", "enqueue_to_backlog", backlog, "dut0", stage="input queue"),
            ReasonRow("NETFILTER_DROP", "nft_do_chain", rule, "dut0", stage="in no counter"),
        )
        forwarded = 100_000 - backlog - rule
        account = Packets(100_000, 100_000 - backlog, forwarded, forwarded, {"input queue": backlog}, rule)
        packets = joined(account, DropReasons("bpftrace", "namespace", 10.0, True, rows))
        with SessionWriter.create(
            SESSIONS / label, label=label, created="2026-01-02T03:04:05+00:00"
        ) as writer:
            for value in around(forwarded):
                writer.begin("forwarding").commit(
                    Iteration(0, value, source="receiver.log", limit=limit, packets=packets)
                )


def many() -> None:
    """A baseline and two candidates."""
    for label, part in MANY.items():
        cases = {"forwarding.off": 883e3, "forwarding.on": 380e3, "pf.inet4": 404e3}
        session(label, {case: around(part * mean) for case, mean in cases.items()})


def recorded() -> None:
    """The example sessions, with every sample; an iteration is dropped."""
    shutil.copytree(RECORDED, SESSIONS)
    drop(SESSIONS / "rules-100", "forwarding.inet4", 5, "the cable was touched")


# the apps


def opened(**options: Any) -> Callable[[], FwdtuiApp]:
    return lambda: FwdtuiApp(SESSIONS, **options)


def live(seconds: float, **options: Any) -> Callable[[], FwdtuiApp]:
    def app() -> FwdtuiApp:
        rig = Rig(**options)
        rig.run(seconds)
        return FwdtuiApp(SESSIONS, live=Control(rig), live_screen=LiveScreen)

    return app


class Planned(Control):
    """A rig that is run unattended."""

    doing = "iteration 2 of 5 · measuring 12 s left"
    finished = False


def run() -> FwdtuiApp:
    rig = Rig()
    rig.run(65)
    return FwdtuiApp(SESSIONS, live=Planned(rig), live_screen=RunScreen)  # type: ignore[arg-type]


class Demonstrated(DemoControl):
    """The demo, with a rig in place of its lab."""

    def __init__(self) -> None:
        super().__init__(SimulatedStage(), SESSIONS)
        self.rig = Rig()
        self.rig.run(4)
        self.lab = self.rig.lab

    ready = True

    async def play(self, part: Any) -> None:
        self.part = part

    def snapshot(self, points: int) -> Any:
        return self.rig.monitor.snapshot(points)


def demo() -> FwdtuiApp:
    return FwdtuiApp(SESSIONS, live=Demonstrated(), live_screen=DemoScreen)


async def demo_waits(app: FwdtuiApp) -> None:
    screen = app.screen
    assert isinstance(screen, DemoScreen)
    await until(lambda: screen.walk.waiting)
    screen._show_guide()


def experimented(
    factors: Any, done: int | None = None, blocks: int = 5, looks: tuple[str, ...] = ()
) -> Callable[[], FwdtuiApp]:
    """An experiment over these factors: `done` trials are over, or it is not begun."""

    def app() -> FwdtuiApp:
        plan = experiment(factors, blocks, StopRule("looks", looks=(2, 4)) if looks else None)
        shown = None if done is None else running(plan, min(done, len(plan.trials)), looks)
        going = shown is not None and not shown.view.over
        control = Still(plan, SESSIONS, shown, going)
        return FwdtuiApp(SESSIONS, live=control, live_screen=ExperimentScreen)

    return app


def measured(factors: Any) -> Callable[[], None]:
    return lambda: write(experiment(factors), SESSIONS / "rulesets-1", journal=True)


def replay(beside: str = "") -> Callable[[], FwdtuiApp]:
    def app() -> FwdtuiApp:
        control = ReplayControl(SESSIONS / "no-rules", SESSIONS / beside if beside else None)
        control.playing = False
        return FwdtuiApp(SESSIONS, live=control, live_screen=ReplayScreen)

    return app


# screens that no key leads to here: they need a host, or a fault

CHECKS = [
    Check("gen", "connection", True, "ssh to 10.0.0.1"),
    Check("gen", "pkt-gen", False, "not found", "pkg install netmap-utils"),
    Check("dut", "connection", True, "ssh to 10.0.0.2"),
    Check("dut", "counters", True, "FreeBSD 15.0, 12 samplers"),
    Check("dut", "dmesg", None, "not needed"),
]


FINDINGS = [
    *CHECKS,
    Check(
        "dut",
        "eth0 lro",
        None,
        "large receive offload is on",
        "ethtool -K eth0 lro off",
        Finding(
            "lro",
            WRONG,
            "large receive offload is on",
            "eth0",
            "the card merges received packets into larger ones, which a router may not do: the rate that is"
            " counted is not that of the packets on the wire",
        ),
    ),
    Check(
        "dut",
        "governor",
        None,
        "the governor of 4 of 8 processors is powersave",
        "for it in /sys/devices/system/cpu/cpu*/cpufreq/scaling_governor; do echo performance >$it; done",
        Finding(
            "governor",
            NOISY,
            "the governor of 4 of 8 processors is powersave",
            why="the clock follows the load, so that the first seconds of a blast are slower than the rest",
        ),
    ),
    Check(
        "dut", "smt", None, "two threads share a core", "", Finding("smt", NOTE, "two threads share a core")
    ),
]
"""What the doctor says of a lab whose DUT would measure something else."""


async def unhygienic(app: FwdtuiApp) -> None:
    screen = DoctorScreen(Path("lab.toml"))
    await app.push_screen(screen)
    await rest(app)
    screen._checks = FINDINGS
    screen._wrap()


def untrusted() -> UntrustedError:
    text = b'name = "apu2"\n[generator]\nhost = "gen"\nstart = "pkt-gen -f tx -i igb0"\n'
    file = Path("/home/me/apu2/lab.toml")
    return UntrustedError(file, [TextFile(file, text)], "its start command")


NOTICES = (
    (1767323045.0, "information", "", "Iteration 3 was saved."),
    (1767323145.0, "error", "not saved", "No space left on device"),
)


def host_key() -> dialogs.Confirm:
    key = "SHA256:ixu8Vn4tSbHDzq9r0vOEIXTbqGmXzCCgxDYzGmWLg0c"
    return dialogs.host_key(UnknownHostKey("dut", "10.0.0.2", 22, "ssh-ed25519", key, "key", "line"))


def writing(app: FwdtuiApp) -> Writing:
    preview = app.screen
    assert isinstance(preview, PreviewScreen) and preview._plan is not None
    return Writing(dataclasses.replace(preview._plan, out=Path("report.md")))


async def push_writing(app: FwdtuiApp) -> None:
    screen = writing(app)
    app.push_screen(screen)
    await rest(app)
    screen.post_message(Writing.Advanced(1, 4, "chart of forwarding.on"))


async def matrix(app: FwdtuiApp) -> None:
    base, *others = (SESSIONS / label for label in MANY)
    app.compare(base, others)
    await rest(app)
    assert isinstance(app.screen, CompareScreen)
    app.screen.action_matrix()


def cases(base: str, other: str) -> Do:
    """Two cases compared, as `c` does with marked rows."""

    async def do(app: FwdtuiApp) -> None:
        app.compare(SESSIONS / base, [SESSIONS / other])

    return do


async def mark_cases(app: FwdtuiApp) -> None:
    """The first row as the baseline, the second as the candidate; a second time: no longer."""
    table = app.screen.query_one(CaseTable)
    table.focus()
    for row, action in enumerate(("baseline", "candidate")):
        table.move_cursor(row=row)
        await rest(app)
        await app.run_action(f"screen.{action}")
        await rest(app)


async def cases_unmarked(app: FwdtuiApp) -> None:
    await mark_cases(app)
    app.pop_screen()


async def cursor(app: FwdtuiApp) -> None:
    graph = app.screen.query_one(Graph)
    graph.focus()
    await rest(app)
    graph.action_cursor_end(True)
    graph.action_cursor_step(-1)


def tabs(numbers: str, prefix: str = "", of: type = CompareScreen) -> list[Scene]:
    return [Scene(f"{prefix} {number}", of, (number,), plain=True) for number in numbers]


async def again(app: FwdtuiApp) -> None:
    """The question is asked when the screen is first shown; later a key asks again."""
    if isinstance(app.screen, ExperimentScreen):
        app.screen.action_stop()


TOURS = (
    Tour(
        "start",
        opened(welcome=True),
        [
            Scene("welcome", WelcomeScreen),
            Scene("new lab", NewLabScreen, ("3", *"lab", "enter", "g", "enter", "i")),
            Scene("leave the form", dialogs.Confirm, ("escape",), ("y",)),
            Scene("doctor", DoctorScreen, push(lambda: DoctorScreen(Path("lab.toml"))), ("escape",)),
            Scene("doctor hygiene", DoctorScreen, unhygienic, ("escape",), plain=True),
            Scene("trust", TrustScreen, push(lambda: TrustScreen(untrusted())), pop),
            Scene("host key", dialogs.Confirm, push(host_key), ("escape",), plain=True),
            Scene("messages", MessagesScreen, push(lambda: MessagesScreen(NOTICES)), ("escape",)),
            Scene(
                "trouble",
                TroubleScreen,
                push(lambda: TroubleScreen("RuntimeError: no picture", "The app goes on.")),
                ("escape",),
            ),
            Scene("nothing to compare", NoComparison, ("f4",), ("f2",)),
        ],
        pair,
    ),
    Tour(
        "sessions",
        opened(),
        [
            Scene("sessions", SessionsScreen),
            Scene("sessions help", SessionsScreen, ("question_mark",), ("escape",), others=(HelpPage,)),
            Scene("palette", CommandPalette, ("ctrl+p",), ("escape",)),
            Scene("themes", ThemePalette, call(FwdtuiApp.search_themes), ("escape",), plain=True),
            Scene("rename", dialogs.Prompt, ("R",), ("escape",), plain=True),
            Scene("note", dialogs.Prompt, ("t",), ("escape",), plain=True),
            Scene("delete", dialogs.Confirm, ("d",), ("escape",), plain=True),
            Scene("filter", SessionsScreen, ("slash", *"udp"), ("escape",), plain=True),
            Scene("copied", SessionsScreen, ("y",), call(FwdtuiApp.clear_notifications)),
            Scene("compare", CompareScreen, ("c",)),
            *tabs("234", "compare"),
            Scene("report", PreviewScreen, ("e",)),
            Scene("report source", PreviewScreen, ("x",), ("x",), plain=True),
            Scene("report include", PreviewScreen, ("i",), ("escape",), plain=True),
            Scene("report writing", Writing, push_writing, pop),
            Scene("report where", Destination, ("e",), ("escape", "escape", "escape")),
        ],
        pair,
        apart=True,
    ),
    Tour(
        "functions",
        opened(),
        [
            Scene("functions", CompareScreen, ("c", "H")),
            Scene("functions enlarged", CompareScreen, ("m", "down", "right", "right")),
            Scene("functions from the root", CompareScreen, ("x",)),
            Scene("functions searched", CompareScreen, ("slash", *"match", "enter"), ("escape", "x", "m")),
            Scene("functions of one side", CompareScreen, ("down",), ("up",), plain=True),
            Scene("functions of none", CompareScreen, ("down", "down"), ("up", "up"), plain=True),
            Scene("session functions", SessionScreen, ("1", "escape", "enter", "7"), ("1", "escape")),
        ],
        profiled,
    ),
    Tour(
        "groups",
        opened(),
        [
            Scene(
                "groups",
                SessionsScreen,
                ("G", "home", "down", "b", "end", "left"),
                ("right", "home", "down", "b", "G", "G"),
            ),
        ],
        grouped,
    ),
    Tour(
        "recorded",
        opened(),
        [
            Scene("compare recorded", CompareScreen, ("c", "1"), plain=True),
            *tabs("56789", "compare"),
            Scene("metric", ChooseMetric, ("C",), plain=True),
            Scene(
                "by a metric",
                CompareScreen,
                ("down", "down", "enter", "1"),
                ("C", "home", "enter"),
                plain=True,
            ),
            Scene("compare table", TableScreen, ("5", "T"), ("escape", "escape"), plain=True),
            Scene("session", SessionScreen, ("enter", "1")),
            *tabs("234567", "session", SessionScreen),
            Scene("drop an iteration", dialogs.Prompt, ("1", "d"), ("escape", "escape")),
        ],
        recorded,
    ),
    Tour(
        "factors",
        opened(),
        [
            Scene("sweep", SweepScreen, ("S",)),
            Scene("sweep report", Destination, ("e",), ("escape",), plain=True),
            Scene("sweep table", SweepScreen, ("x",), ("x", "escape")),
            Scene("factors", ChooseFactors, ("c", "F")),
            Scene("by a factor", CompareScreen, ("down", "b", "enter")),
            Scene("cross table", CompareScreen, ("x",), ("x", "escape")),
        ],
        factors,
    ),
    Tour(
        "cases",
        opened(),
        [
            Scene("cases", SessionScreen, ("enter",)),
            Scene("cases marked", SessionScreen, mark_cases, cases_unmarked),
            Scene("case against case", CompareScreen, cases("r1:q4.inet4", "r1:q4.inet6"), ("escape",)),
            Scene(
                "case against case of two",
                CompareScreen,
                cases("r1:q4.inet4", "r2:q4.inet6"),
                ("escape",),
                plain=True,
            ),
        ],
        factors,
        apart=True,
    ),
    Tour(
        "reasons", opened(), [Scene("compare drop reasons", CompareScreen, ("c", "1"), ("escape",))], reasons
    ),
    Tour("matrix", opened(), [Scene("matrix", CompareScreen, matrix, ("escape",))], many),
    Tour(
        "quiet",
        live(4),
        [
            Scene("live before traffic", LiveScreen),
            Scene("generator", dialogs.Confirm, ("g",), ("escape",), plain=True),
        ],
        apart=True,
    ),
    Tour(
        "blast",
        live(70, uneven=True),
        [
            Scene("live blast", LiveScreen),
            Scene("live maximised", LiveScreen, ("m",), ("m",), plain=True),
            Scene("live cursor", LiveScreen, cursor, ("escape", "escape"), plain=True),
            Scene("live table", TableScreen, ("T",), ("escape",)),
            Scene("interfaces", choosers.ChooseInterfaces, ("i",), ("escape",)),
            Scene("baseline", choosers.ChooseBaseline, ("b",), ("escape",)),
        ],
        pair,
        apart=True,
    ),
    Tour(
        "bits",
        live(70, frame=64),
        [Scene("live bits", LiveScreen, ("B",), ("B",), plain=True)],
    ),
    Tour(
        "bits as counted",
        live(70),
        [Scene("live bits as counted", LiveScreen, ("B",), ("B",), plain=True)],
    ),
    Tour(
        "after",
        live(43, uneven=True),
        [
            Scene("live after a blast", LiveScreen),
            Scene(
                "live after a blast against a baseline",
                LiveScreen,
                ("b", "down", "enter"),
                ("b", "end", "enter"),
                plain=True,
            ),
        ],
        pair,
    ),
    Tour("large", live(30, queues=64, cores=32), [Scene("live 64 queues", LiveScreen)]),
    Tour("run", run, [Scene("run", RunScreen)]),
    Tour(
        "experiment",
        experimented(TWO),
        [
            Scene("experiment question", ExperimentQuestion, again),
            Scene("experiment planned", ExperimentScreen, ("escape",)),
        ],
    ),
    Tour(
        "experiment runs",
        experimented(TWO, 9),
        [
            Scene("experiment runs", ExperimentScreen),
            Scene("experiment stop", dialogs.Confirm, ("g",), ("escape",), plain=True),
            Scene("experiment live", BlastScreen, ("l",), ("l",)),
        ],
        measured(TWO),
        apart=True,
    ),
    Tour(
        "experiment of one factor",
        experimented(ONE, 11, looks=("Still open at look 1 of 3, at 99.99 %: 100, 1000.",)),
        [Scene("experiment of one factor", ExperimentScreen, plain=True)],
    ),
    Tour(
        "experiment of 40 cells",
        experimented(FORTY, 57),
        [Scene("experiment of 40 cells", ExperimentScreen, plain=True)],
    ),
    Tour(
        "experiment over",
        experimented(TWO, 1000),
        [
            Scene("experiment over", ExperimentScreen),
            Scene("experiment compared", CompareScreen, ("c",), ("f2",), plain=True),
        ],
        measured(TWO),
    ),
    Tour(
        "demo",
        demo,
        [
            Scene("demo", DemoScreen, demo_waits),
            Scene("scenarios", choosers.ChooseScenario, ("o",), ("escape",)),
        ],
        apart=True,
    ),
    Tour(
        "replay",
        replay(),
        [
            Scene("replay", ReplayScreen, ("n", "right"), ("home",)),
            Scene("choose a recording", ChooseRecording, ("v",), ("escape",)),
        ],
        recorded,
        apart=True,
    ),
    Tour(
        "beside",
        replay("rules-100"),
        [Scene("replay beside", ReplayScreen, ("n", "right"), ("home",), plain=True)],
        recorded,
    ),
)


def without_hosts(monkeypatch: pytest.MonkeyPatch) -> None:
    """The doctor finds these things, and a report is not written; it would be in a folder of that name."""
    here, spelled = str(Path.cwd()), export.shown
    monkeypatch.setattr(export, "shown", lambda path: spelled(path).replace(here, "/home/me"))

    async def examined(self: DoctorScreen) -> list[Check]:
        return CHECKS

    monkeypatch.setattr(DoctorScreen, "_examined", examined)
    monkeypatch.setattr(Writing, "_write", lambda self: None)
