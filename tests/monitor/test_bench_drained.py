"""Leaving in the moment after a blast: its last samples are waited for, and it becomes an iteration."""

import asyncio
from pathlib import Path

from machines import LAB, Machines

from fwdtui.core.lab import parse
from fwdtui.core.model import HostSample
from fwdtui.monitor.run.bench import Bench
from fwdtui.transport.settings import SshSettings
from fwdtui.transport.ssh import SshPool


async def test_leaving_waits_for_the_host_whose_last_samples_are_late():
    async with Bench(parse(LAB), SshPool(SshSettings()), Path("lab.toml"), {}) as bench:
        late: list[HostSample] = []
        for sample in Machines(lambda second: 10_000.0 if 5 <= second < 35 else 0.0).run(45):
            if isinstance(sample, HostSample) and sample.host == "sink" and sample.at > 34:
                late.append(sample)
            else:
                bench.monitor.push(sample)
        assert bench.monitor.ending and not bench.monitor.snapshot().iterations
        leaving = asyncio.create_task(bench.drained())
        await asyncio.sleep(0.2)
        assert not leaving.done()
        for sample in late:
            bench.monitor.push(sample)
        await asyncio.wait_for(leaving, 5)
        assert len(bench.monitor.snapshot().iterations) == 1


async def test_a_host_that_is_gone_is_not_waited_for_for_ever():
    async with Bench(parse(LAB), SshPool(SshSettings()), Path("lab.toml"), {}) as bench:
        for sample in Machines(lambda second: 10_000.0 if 5 <= second < 35 else 0.0).run(45):
            if not isinstance(sample, HostSample) or sample.host != "sink" or sample.at <= 34:
                bench.monitor.push(sample)
        assert bench.monitor.ending
        await asyncio.wait_for(bench.drained(0.2), 5)
