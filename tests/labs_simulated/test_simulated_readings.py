"""How often a measured lab reads what costs the DUT a process each time."""

import asyncio

from fwdtui.core.host_rates import is_fast
from fwdtui.core.model import HostSample, Sample
from fwdtui.labs.simulated.lab import SimulatedLab
from fwdtui.monitor.run.bench import Bench

TICKS = 10  # of the lab's 200 ms in the two seconds between readings that run programs


async def test_programs_run_on_the_dut_every_two_seconds_however_often_its_counters_are_read(
    lab: SimulatedLab,
) -> None:
    """More often they would cost what is measured; less often a blast of ten seconds has too few of them."""
    counted: asyncio.Queue[int] = asyncio.Queue()
    last: int | None = None

    def watch(sample: Sample) -> None:
        nonlocal last
        if isinstance(sample, HostSample) and sample.host == "dut" and not is_fast(sample):
            if last is not None:
                counted.put_nowait(
                    sample.seq - last - 1
                )  # every reading has a number, also one that is refused
            last = sample.seq

    async def all_were_asked_for() -> None:
        """A busy machine leaves ticks out, and leaves out a reading while the last one is under way."""
        while await counted.get() != TICKS:
            pass

    async with await Bench.open(lab.lab_toml) as bench:
        assert bench.lab.interval == 0.2
        bench.start(watchers=[watch])
        await asyncio.wait_for(all_were_asked_for(), 60)
