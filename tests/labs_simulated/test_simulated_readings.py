"""How often a measured lab reads what costs the DUT a process each time."""

import asyncio
from itertools import pairwise

from fwdtui.core.host_rates import is_fast
from fwdtui.core.model import HostSample, Sample
from fwdtui.labs.simulated.lab import SimulatedLab
from fwdtui.monitor.run.bench import Bench

TICKS = 10  # intervals of the lab's 200 ms in the two seconds between readings that run programs


async def test_programs_run_on_the_dut_every_two_seconds_however_often_its_counters_are_read(
    lab: SimulatedLab,
) -> None:
    """More often they would cost what is measured; less often a blast of ten seconds has too few of them."""
    ticks: list[HostSample] = []  # from the one at the last reading on
    counted: asyncio.Future[int] = asyncio.get_running_loop().create_future()
    begun = False

    def watch(sample: Sample) -> None:
        nonlocal begun
        if not isinstance(sample, HostSample) or sample.host != "dut":
            return
        if is_fast(sample):
            ticks.append(sample)
            return
        # a busy machine misses ticks: only two readings between which all came tell what the schedule is
        whole = all(after.at - before.at < 1.5 * bench.lab.interval for before, after in pairwise(ticks))
        if begun and whole and not counted.done():
            # each tick may be a little late, and then fewer are as long as ten
            counted.set_result(round((ticks[-1].at - ticks[0].at) / bench.lab.interval))
        begun = True
        del ticks[:-1]

    async with await Bench.open(lab.lab_toml) as bench:
        assert bench.lab.interval == 0.2
        bench.start(watchers=[watch])
        assert await asyncio.wait_for(counted, 60) == TICKS
