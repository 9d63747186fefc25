"""A recording of the simulated FreeBSD lab keeps what makes its DUT lie, and what of it has changed."""

import asyncio
import time
from collections.abc import Callable

import pytest

from fwdtui.labs.simulated.lab import SimulatedLab
from fwdtui.monitor.run.bench import Bench
from fwdtui.report import hygiene
from fwdtui.store import read_session


async def until(condition: Callable[[], bool]) -> None:
    end = time.monotonic() + 30.0
    while not condition():
        assert time.monotonic() < end, "it did not come to that"
        await asyncio.sleep(0.05)


async def test_findings_are_in_the_session_from_its_first_reading_on(
    lab: SimulatedLab, tmp_path_factory: pytest.TempPathFactory
) -> None:
    bench = await Bench.open(lab.lab_toml)
    recorder = bench.record(tmp_path_factory.mktemp("into"), "s", "v4")

    def told() -> list[tuple[str, list[str]]]:
        return [
            (one.host, [f"{finding.severity} {finding.place}" for finding in one.findings])
            for one in read_session(recorder.folder).hygiene
        ]

    try:
        dut = await bench.host("dut")
        await dut.run("sysctl net.inet6.ip6.redirect=1")
        bench.start()
        await until(lambda: len(told()) == 2)
        assert sorted(told()) == [("dut", ["noisy redirects"]), ("gen", [])]
        await dut.run("sysctl net.inet6.ip6.redirect=0; sysctl dev.ix.1.fc=3")
        bench._settings.ask()  # as after a blast
        await until(lambda: len(told()) == 3)
        assert told()[2] == ("dut", ["noisy ix1 pause"])
    finally:
        await bench.aclose()
    (changed,) = hygiene.changes(read_session(recorder.folder))
    assert changed.text == (
        "dut changed while it was recorded: ix1 pause: flow control is on (dev.ix.1.fc is 3); "
        "redirects: no longer net.inet6.ip6.redirect is 1"
    )
