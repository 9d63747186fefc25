"""A tool that may still run on a host is told by the exit status too: scripts read no sentences."""

import asyncio
import contextlib
import os
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from types import SimpleNamespace

import pytest

from fwdtui.cli import experiment_headless, headless, screen
from fwdtui.ui.shell.app import FwdtuiApp

MAY = ["trafgen on gen may still run: run its stop command on gen: pkill trafgen"]
EACH = pytest.mark.parametrize(("left", "status"), [([], 0), (MAY, 1)])


@EACH
def test_a_run_whose_generator_may_still_send_has_not_succeeded(
    left: list[str], status: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Its iterations are whole; the next step of a script would measure beside that generator."""

    class Bench(contextlib.AsyncExitStack):
        lab = SimpleNamespace(name="k", attacked=False, wanted_frame=None, doubtful_frames=())
        recorder = SimpleNamespace(folder=Path("sessions/s"), factors={}, unsaved_text="")

        def __init__(self) -> None:
            super().__init__()
            self.left = left

        def record(self, *_: object) -> object:
            return self.recorder

    async def opened(*_: object, **__: object) -> Bench:
        return Bench()

    async def body(run: object) -> int:
        return 0

    monkeypatch.setattr(headless.Bench, "open", opened)
    monitor = SimpleNamespace(snapshot=lambda window: SimpleNamespace(iterations=("one",)))
    run = SimpleNamespace(
        report_iterations=lambda: None, troubles=[], signals=[], monitor=monitor, outcome=lambda folder: []
    )
    monkeypatch.setattr(headless, "_HeadlessRun", lambda bench: run)
    monkeypatch.setattr("fwdtui.store.read_session", lambda folder: None)
    monkeypatch.setattr("fwdtui.cli.sessions.as_json", lambda sessions, troubles: "[]")
    measured: Callable[..., Awaitable[int]] = headless._measured
    assert asyncio.run(measured(Path("lab.toml"), Path(), "s", "c", {}, body)) == status  # type: ignore[arg-type]
    assert all(one in capsys.readouterr().err for one in left)


@EACH
def test_nor_has_an_experiment(left: list[str], status: int, monkeypatch: pytest.MonkeyPatch) -> None:
    async def run() -> bool:
        return True

    view = SimpleNamespace(
        planned=1, done=1, cells=[], left=0.0, doing="", decided="", problem="", in_doubt=()
    )
    recorder = SimpleNamespace(folder="sessions/s", unsaved_text="")
    experiment = SimpleNamespace(view=view, run=run, recorder=recorder, in_doubt=())

    @contextlib.asynccontextmanager
    async def opened(*_: object, **__: object) -> AsyncIterator[tuple[object, object]]:
        yield experiment, SimpleNamespace(stop=None, bench=SimpleNamespace(left=left))

    monkeypatch.setattr(experiment_headless, "opened", opened)
    done = experiment_headless._run(SimpleNamespace(), Path(), "s", False, False, False)  # type: ignore[arg-type]
    assert asyncio.run(done) == status


@EACH
def test_nor_has_the_app(
    left: list[str], status: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class App(FwdtuiApp):
        async def run_async(self, *_: object, **__: object) -> None:  # type: ignore[override]
            return None

        @property
        def left(self) -> str:
            return "; ".join(left)

    taps = [os.fdopen(one, mode) for one, mode in zip(os.pipe(), "rw", strict=True)]
    monkeypatch.setattr("sys.stdin", taps[0])
    monkeypatch.setattr("sys.stdout", taps[1])
    try:
        assert screen.run_app(App(tmp_path)) == status
    finally:
        for one in taps:
            one.close()
