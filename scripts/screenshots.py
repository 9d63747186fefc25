"""Regenerate the screenshots of README.md and docs/ from the app itself.

    python scripts/screenshots.py [NAME...]

They show the example sessions and the simulated lab, whatever the user's own settings are. The screenshots of
profiles show two profiles with invented numbers.
"""

import asyncio
import contextlib
import os
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from fwdtui.cli import main as fwdtui
from fwdtui.collectors.experiment_file import read_experiment
from fwdtui.core.model import Iteration, Summary
from fwdtui.core.profile import Folded, Profile
from fwdtui.labs.simulated.lab import SimulatedLab
from fwdtui.monitor.experiment.subject import Subject
from fwdtui.store import SessionWriter, profiles
from fwdtui.ui.demo import demo_control
from fwdtui.ui.demo.screen import DemoScreen
from fwdtui.ui.experiment.control import ExperimentControl
from fwdtui.ui.experiment.given import Given
from fwdtui.ui.experiment.question import ExperimentQuestion
from fwdtui.ui.experiment.screen import ExperimentScreen
from fwdtui.ui.shell.app import FwdtuiApp

ROOT = Path(__file__).resolve().parent.parent
OUT = ROOT / "docs" / "screenshots"
SIZE = (110, 34)
WAIT = "wait"  # instead of a key: let a recording play for some seconds
SHOTS: dict[str, Sequence[str]] = {
    "sessions": (),
    "session": ("enter",),
    "replay": ("enter", "enter", "right_square_bracket", "right_square_bracket", WAIT),
    "compare": ("c",),
    "charts": ("c", "2"),
    "ministat": ("c", "3"),
    "time-series": ("c", "5"),
    "profiles": ("c", "6"),
    "report": ("c", "e"),
}
WELCOME = {"welcome": (), "new-lab": ("3", *"apu2", "enter", *"gen", "enter", *"igb2")}
LIVE_SIZE = (132, 42)
PROFILED = {"functions": ("c", "H", "m", "down", "right", "right"), "flame-difference": ()}
RX = "fork_exit;gtaskqueue_thread_loop;_task_fn_rx;iflib_rxeof;ether_input;ether_demux;ip_input;ip_tryforward"
FORWARDING = {  # stack -> samples of base and patch
    RX: (310, 306),
    f"{RX};fib4_lookup;dxr_lookup": (190, 188),
    f"{RX};ip_findroute;rn_match": (410, 0),
    f"{RX};ip_findroute;fib4_lookup;dxr_lookup": (0, 120),
    f"{RX};pfil_run_hooks;pf_check_in;pf_test;pf_find_state": (350, 356),
    f"{RX};pfil_run_hooks;pf_check_in;pf_test": (160, 152),
    f"{RX};ether_output;ether_output_frame;iflib_if_transmit;ifmp_ring_enqueue;iflib_txq_drain": (280, 290),
    f"{RX};ether_output;ether_output_frame;iflib_if_transmit;ifmp_ring_enqueue;iflib_encap": (220, 214),
    RX.removesuffix(";ip_tryforward"): (170, 166),
    RX.removesuffix(";ether_demux;ip_input;ip_tryforward"): (120, 124),
    f"{RX.partition(';ether_input')[0]};assemble_segments;memcpy": (240, 232),
    f"{RX.partition(';ether_input')[0]};iflib_fl_refill": (150, 155),
    "Xtimerint;lapic_handle_timer;hardclock": (40, 43),
    "fork_exit;sched_ule_idletd;cpu_idle": (700, 994),
}
EXPERIMENTS = {"experiment": 13, "experiment-over": 16}  # -> trials that are done at that moment
EXPERIMENT = """\
name = "dispatch"
[run]
blocks = 4
warmup = "500ms"
duration = "3s"
settle = "500ms"

[[factor]]
name = "dispatch"
levels = ["direct", "deferred"]
sysctl = { "net.isr.dispatch" = "{dispatch}" }

[[traffic]]
name = "2000-flows"
generator = "pkt-gen {options} -s 198.18.10.1:2000-198.18.10.20 -d 198.19.10.1:2000-198.19.10.100"
variables = { options = "OPTIONS" }
[[traffic]]
name = "200-flows"
generator = "pkt-gen {options} -s 198.18.10.1:2000-198.18.10.20 -d 198.19.10.1:2000-198.19.10.10"
variables = { options = "OPTIONS" }
""".replace("OPTIONS", "-N -f tx -i ix0 -l 60 -4 -D 00:1b:21:00:00:01 -w 0 -T 500")
LIVE = {"live-tx-one-queue": 11.0, "live-healthy": 11.0, "live-link-bounce": 8.0}  # -> seconds of traffic


async def shoot(name: str, keys: Sequence[str], *, welcome: bool = False) -> None:
    """Drive the app with keys and write what it shows."""
    app = FwdtuiApp(Path("sessions"), welcome=welcome)
    async with app.run_test(size=SIZE) as pilot:
        await app.workers.wait_for_complete()
        await pilot.pause()
        for key in keys:
            if key == WAIT:
                await asyncio.sleep(3.0)  # at 4x: the middle of a blast
                continue
            await pilot.press(key)
            await app.workers.wait_for_complete()
            await pilot.pause()
        await pilot.pause(1.5)  # until the verdicts are there
        (OUT / f"{name}.svg").write_text(app.export_screenshot(title="fwdtui"))


async def shoot_profiled(names: Sequence[str]) -> None:
    """Show two sessions with invented profiles: the tab of functions, and the differential flame graph."""
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        for side, (label, mean) in enumerate((("base", 1.00e6), ("patch", 1.12e6))):
            path = Path("sessions") / label
            with SessionWriter.create(path, label=label, created="2026-01-02T03:04:05+00:00") as writer:
                for value in (mean * 0.997, mean, mean * 1.002, mean * 0.999, mean * 1.001):
                    metrics = {"received": Summary(value, value, value, value, 60)}
                    writer.begin("inet4").commit(Iteration(0, value, metrics=metrics))
            folded = Folded({tuple(stack.split(";")): both[side] for stack, both in FORWARDING.items()})
            known = Profile(
                folded.samples,
                "pmcstat",
                "cpu_clk_unhalted.thread",
                start=0.0,
                end=10.0,
                rate=499.0,
                packets=8_000_000,
            )
            profiles.add(path, "inet4", folded, known)
        if "functions" in names:
            await shoot("functions", PROFILED["functions"])
        if "flame-difference" in names:
            where = str(OUT / "flame-difference.svg")
            sides = ("sessions/base", "sessions/patch")
            assert await asyncio.to_thread(fwdtui, ["profile", "flame", *sides, "-o", where]) == 0


async def shoot_live(name: str, seconds: float) -> None:
    """Run a scenario of the simulated lab, and write its screen in mid-blast. Its figures are sampled."""
    with tempfile.TemporaryDirectory() as folder:
        control = demo_control.simulated("500ms", seconds + 5.0, Path(folder) / "sessions")
        app = FwdtuiApp(control.into, live=control, live_screen=DemoScreen)
        async with app.run_test(size=LIVE_SIZE) as pilot:
            screen = app.screen
            assert isinstance(screen, DemoScreen)
            await _until(lambda: screen.walk.waiting)
            setting = name.removeprefix("live-")
            others = {part.setting: part for part in control.stage.others()}
            if setting in others:
                screen.play(others[setting])
                await _until(lambda: control.part.setting == setting and control.ready)
            await pilot.press("enter")
            await _until(lambda: control.snapshot(0).blast is not None)
            await asyncio.sleep(seconds)
            (OUT / f"{name}.svg").write_text(app.export_screenshot(title="fwdtui"))
            await app.close_live()


async def shoot_experiment(names: Sequence[str]) -> None:
    """Run one experiment on the simulated lab, and write its screen at these moments."""
    wanted = sorted((EXPERIMENTS[name], name) for name in names)
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        file = Path("experiment.toml")
        file.write_text(EXPERIMENT)  # noqa: ASYNC240 - nothing else runs yet
        async with SimulatedLab("healthy", interval="500ms", wait=0) as lab:
            read = read_experiment(file, lab=Path(lab.lab_toml))
            subject = Subject(read.lab_path, read.plan, read.text)
            into = Path("sessions")
            control = ExperimentControl(Given(subject, read.lab, file, read.files, into, "dispatch-1"))
            app = FwdtuiApp(into, live=control, live_screen=ExperimentScreen)
            async with app.run_test(size=LIVE_SIZE) as pilot:
                await _until(lambda: isinstance(app.screen, ExperimentQuestion))
                await pilot.press("y")
                screen = app.screen_stack[0]
                assert isinstance(screen, ExperimentScreen)
                for trials, name in wanted:
                    await _until(lambda trials=trials: control.shown().view.done >= trials, 600.0)
                    if trials == len(read.plan.trials):
                        await _until(lambda: screen.outcome is not None, 60.0)
                    else:
                        await _until(lambda: control.shown().view.doing.startswith("measuring"), 60.0)
                        await asyncio.sleep(2.0)
                    await pilot.pause(0.5)
                    (OUT / f"{name}.svg").write_text(app.export_screenshot(title="fwdtui"))
                await app.close_live()


async def _until(true: Callable[[], bool], seconds: float = 30.0) -> None:
    end = time.monotonic() + seconds
    while not true():
        if time.monotonic() > end:
            raise TimeoutError("the simulated lab did not get that far")
        await asyncio.sleep(0.05)


async def main() -> None:
    """Export the named pictures, or all of them."""
    OUT.mkdir(parents=True, exist_ok=True)
    wanted = sys.argv[1:] or [*SHOTS, *PROFILED, *WELCOME, *LIVE, *EXPERIMENTS]
    os.chdir(ROOT)  # so that paths in the pictures are as in a reader's checkout
    if experiments := [name for name in wanted if name in EXPERIMENTS]:
        await shoot_experiment(experiments)
    if profiled := [name for name in wanted if name in PROFILED]:
        await shoot_profiled(profiled)
    for name in wanted:
        if name in EXPERIMENTS or name in PROFILED:
            continue
        if name in SHOTS:
            await shoot(name, SHOTS[name])
        elif name in WELCOME:
            await shoot(name, WELCOME[name], welcome=True)
        else:
            await shoot_live(name, LIVE[name])


if __name__ == "__main__":
    with (
        tempfile.TemporaryDirectory() as own
    ):  # keeps the user's theme, keys and last choices out of the pictures
        for variable in ("XDG_CONFIG_HOME", "XDG_STATE_HOME"):
            os.environ[variable] = str(Path(own) / variable)
        asyncio.run(main())
