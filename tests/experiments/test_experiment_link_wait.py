"""A link that takes long to come up is waited for: by the receiver, and after a boot."""

import time
from collections.abc import Callable
from contextlib import contextmanager
from types import SimpleNamespace
from typing import Any

import msgspec
import pytest
from experimental import LAB

from fwdtui.core.errors import FwdtuiError
from fwdtui.core.lab import Endpoint, Lab
from fwdtui.monitor.experiment.boots import Rebooting
from fwdtui.monitor.experiment.tools import Tools
from fwdtui.monitor.run.lab_tools import LabTools

SLOW = msgspec.structs.replace(
    LAB,
    generators=(Endpoint("gen", "ix0", "netmap-pkt-gen", "pkt-gen -f tx -i ix0 -w 40"),),
    receiver=Endpoint("sink", "ix1", "netmap-pkt-gen", "pkt-gen -f rx -i ix1 -w 35"),
)


class Book:
    journal = SimpleNamespace(is_long=False)

    @contextmanager
    def taking(self, what: str, **where: object) -> Any:
        yield {}


@pytest.mark.parametrize(("lab", "seconds"), [(LAB, 15.0), (SLOW, 50.0)])
async def test_a_receiver_is_given_the_time_that_it_waits_for_its_link(lab: Lab, seconds: float) -> None:
    given: list[float] = []

    async def start_tools(mark: str, listen: float) -> list[object]:
        given.append(listen)
        return []

    waiter: Any = SimpleNamespace(bench=SimpleNamespace(lab=lab, start_tools=start_tools))
    await Tools(waiter, Book()).start()  # type: ignore[arg-type]
    assert given == [seconds]


@pytest.mark.parametrize(
    ("listens", "waits", "ready"), [("", 0.0, True), ("", 0.3, True), ("Ready", 0.0, False)]
)
async def test_a_receiver_that_prints_nothing_is_ready_if_it_still_runs_after_a_while(
    monkeypatch: pytest.MonkeyPatch, listens: str, waits: float, ready: bool
) -> None:
    """Any program may be one (`tool = "counters"`); one that says when it is ready is waited for."""
    for name, seconds in (("LISTEN", 0.4), ("_SILENT", 0.1)):
        monkeypatch.setattr(f"fwdtui.monitor.run.lab_tools.{name}", seconds)
    tool: Any = SimpleNamespace(
        listening=False,
        ended=None,
        tool=SimpleNamespace(listens=listens, on=lambda host: f"it on {host}"),
        endpoint=SimpleNamespace(host="sink"),
    )
    began = time.monotonic()
    listening = LabTools._listening(object.__new__(LabTools), tool, 0.4 + waits)
    if ready:
        await listening
        assert time.monotonic() - began >= 0.1 + waits, "after its wait for a link"
    else:
        with pytest.raises(FwdtuiError, match="it on sink was not ready within"):
            await listening


async def test_a_receiver_that_ends_without_a_word_was_never_ready() -> None:
    tool: Any = SimpleNamespace(
        listening=False, ended=SimpleNamespace(text="status 1"), tool=SimpleNamespace(listens="")
    )
    with pytest.raises(FwdtuiError, match="ended before anything was sent: status 1"):
        await LabTools._listening(object.__new__(LabTools), tool, 15.0)


@pytest.mark.parametrize(("lab", "seconds"), [(LAB, 15.0), (SLOW, 55.0)])
async def test_after_a_boot_the_first_packets_are_given_that_time_too(lab: Lab, seconds: float) -> None:
    given: list[float] = []

    async def wait(limit: float, until: Callable[[], bool]) -> bool:
        given.append(limit)
        return True

    async def nothing() -> None:
        pass

    rebooting: Any = object.__new__(Rebooting)
    rebooting._dut, rebooting._enter = "dut", lambda *phase: None
    rebooting._bench = SimpleNamespace(lab=lab, monitor=SimpleNamespace(in_blast=False))
    nothing_yet = SimpleNamespace(now=None)
    rebooting._waiter = SimpleNamespace(
        wait=wait, seen=SimpleNamespace(received=nothing_yet, forwarded=nothing_yet)
    )
    await rebooting._forwards(time.monotonic() + 300.0, nothing, nothing)
    assert given[0] == seconds
