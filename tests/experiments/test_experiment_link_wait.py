"""A link that takes long to come up is waited for: by the receiver, and after a boot."""

import time
from collections.abc import Callable
from contextlib import contextmanager
from types import SimpleNamespace
from typing import Any

import msgspec
import pytest
from experimental import LAB

from fwdtui.core.lab import Endpoint, Lab
from fwdtui.monitor.experiment.boots import Rebooting
from fwdtui.monitor.experiment.tools import Tools

SLOW = msgspec.structs.replace(
    LAB,
    generators=(Endpoint("gen", "ix0", "netmap-pkt-gen", "pkt-gen -f tx -i ix0 -w 40"),),
    receiver=Endpoint("sink", "ix1", "netmap-pkt-gen", "pkt-gen -f rx -i ix1 -w 35"),
)


class Book:
    @contextmanager
    def taking(self, what: str, **where: object) -> Any:
        yield {}


@pytest.mark.parametrize(("lab", "seconds"), [(LAB, 15.0), (SLOW, 50.0)])
async def test_a_receiver_is_given_the_time_that_it_waits_for_its_link(lab: Lab, seconds: float) -> None:
    given: list[float] = []

    async def start_tools(mark: str, listen: float) -> list[object]:
        given.append(listen)
        return []

    patience: Any = SimpleNamespace(bench=SimpleNamespace(lab=lab, start_tools=start_tools))
    await Tools(patience, Book()).start()  # type: ignore[arg-type]
    assert given == [seconds]


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
    rebooting._patience = SimpleNamespace(wait=wait)
    await rebooting._forwards(time.monotonic() + 300.0, nothing, nothing)
    assert given[0] == seconds
