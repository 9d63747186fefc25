"""Taking a source's samples for a moment."""

import asyncio

import pytest

from fwdtui.collectors.base import Emit
from fwdtui.collectors.clock import Axis
from fwdtui.collectors.trial import taken
from fwdtui.core.model import EventSample
from fwdtui.transport.errors import TimedOut


def said(text: str) -> EventSample:
    return EventSample(at=0.0, host="dut", code="note", text=text)


class Producing:
    """Emits its texts, then goes on, ends or fails."""

    def __init__(self, *texts: str, then: Exception | str) -> None:
        self.texts, self.then, self.stopped = texts, then, False

    async def run(self, emit: Emit, axis: Axis) -> None:
        for text in self.texts:
            emit(said(text))
        if isinstance(self.then, Exception):
            raise self.then
        try:
            if self.then == "goes on":
                await asyncio.Event().wait()
        finally:
            self.stopped = True


async def test_it_is_stopped_when_there_is_enough() -> None:
    source = Producing("a", "b", then="goes on")
    assert await taken(source, lambda samples: len(samples) == 2) == [said("a"), said("b")]
    assert source.stopped


async def test_a_source_that_ends_is_not_waited_for() -> None:
    async with asyncio.timeout(5.0):
        assert await taken(Producing("a", then="ends"), lambda samples: False) == [said("a")]


async def test_what_a_source_raises_is_raised_at_once() -> None:
    async with asyncio.timeout(5.0):
        with pytest.raises(TimedOut, match="no answer"):
            await taken(Producing("a", then=TimedOut("dut", "no answer")), lambda samples: False)


async def test_what_gives_nothing_is_stopped_after_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fwdtui.collectors.trial.LONGEST", 0.05)
    source = Producing(then="goes on")
    assert await taken(source, lambda samples: True) == [] and source.stopped
