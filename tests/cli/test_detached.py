"""That nobody listens any more ends no measurement, and leaves nothing on the hosts."""

import asyncio
import contextlib
import os
import signal
import sys
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import TextIO

import pytest

from fwdtui.cli import experiment_headless, headless
from fwdtui.cli.detached import draw, ending, tell
from fwdtui.store.experiment_journal import Step


@pytest.fixture(params=["a full disk", "a reader that has gone"])
def lost(request: pytest.FixtureRequest) -> Iterator[TextIO]:
    """A stream that takes no more, as a terminal's is after its connection ended."""
    if "disk" in request.param:
        descriptor = os.open("/dev/full", os.O_WRONLY)
    else:
        reader, descriptor = os.pipe()
        os.close(reader)
    stream = os.fdopen(descriptor, "w", buffering=1)
    with pytest.raises(OSError):
        print("lost", file=stream, flush=True)
    yield stream
    with contextlib.suppress(OSError):
        stream.close()


def test_progress_that_cannot_be_told_ends_nothing(lost: TextIO, monkeypatch: pytest.MonkeyPatch) -> None:
    """A log on a full disk ended the run that waited for room on that very disk; its iterations were lost."""
    monkeypatch.setattr(sys, "stderr", lost)
    tell("paused: no space left", "on two lines")
    draw("\r")
    headless.say("iteration 1 of 5: starting the generator")


def test_an_experiment_is_stopped_by_the_end_of_its_terminal(
    lost: TextIO, monkeypatch: pytest.MonkeyPatch
) -> None:
    """SIGHUP was answered with a line to that terminal, which failed: nothing was stopped or undone."""
    monkeypatch.setattr(sys, "stderr", lost)
    monkeypatch.setattr(sys, "stdout", lost)
    told = experiment_headless._Headless(True)
    waiter = SimpleNamespace(stop=asyncio.Event())
    told._experiment, told._waiter = SimpleNamespace(), waiter  # type: ignore[assignment]
    told._signalled(signal.SIGHUP)
    assert waiter.stop.is_set() and told.signals == [signal.SIGHUP]
    told.step(Step(1, "", "undo"))


def test_what_still_runs_on_the_hosts_is_told_though_nobody_reads_the_result(
    lost: TextIO, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    async def run() -> bool:
        return True

    view = SimpleNamespace(
        planned=1, done=1, cells=[], left=0.0, doing="", decided="", problem="", in_doubt=()
    )
    experiment = SimpleNamespace(
        view=view, run=run, recorder=SimpleNamespace(folder="sessions/s", unsaved_text="")
    )
    waiter = SimpleNamespace(stop=None, bench=SimpleNamespace(left=["gen: pkt-gen may still send for 48 s"]))

    @contextlib.asynccontextmanager
    async def opened(*_: object, **__: object) -> AsyncIterator[tuple[object, object]]:
        yield experiment, waiter

    monkeypatch.setattr(experiment_headless, "opened", opened)
    monkeypatch.setattr(sys, "stdout", lost)
    with pytest.raises(OSError):
        asyncio.run(experiment_headless._run(SimpleNamespace(), Path(), "s", False, False, True))  # type: ignore[arg-type]
    assert "gen: pkt-gen may still send for 48 s\n" in capsys.readouterr().err


@pytest.mark.parametrize(("before", "heeded"), [(signal.SIG_DFL, True), (signal.SIG_IGN, False)])
def test_the_end_of_the_terminal_ends_nothing_below_nohup(before: signal.Handlers, heeded: bool) -> None:
    """`nohup fwdtui run --headless &` ended with the ssh session that it was to outlive."""
    own = signal.signal(signal.SIGHUP, before)
    try:
        assert (signal.SIGHUP in ending()) is heeded
        assert {signal.SIGINT, signal.SIGTERM} <= set(ending())
    finally:
        signal.signal(signal.SIGHUP, own)
