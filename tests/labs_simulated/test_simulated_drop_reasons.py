"""dtrace's drop reasons end to end on the simulated FreeBSD DUT, whose dtrace is a stand-in that runs no D.

This proves the script, its frames, the end by INT and the account; not the D program, which never ran on
FreeBSD.
"""

import asyncio
from pathlib import Path

from simulated_helpers import processes_of

from fwdtui.collectors import doctor_freebsd
from fwdtui.collectors.clock import Axis
from fwdtui.collectors.drop_reasons import ReasonCounter
from fwdtui.collectors.watch import Watch
from fwdtui.core.drop_reasons import UNACCOUNTED, counted, joined
from fwdtui.core.drop_reasons_text import why_lost
from fwdtui.core.model import REASONS, EventSample, Packets, Sample
from fwdtui.labs.simulated.lab import SimulatedLab
from fwdtui.transport.ssh import SshPool


def dropped(lab: SimulatedLab, *lines: str) -> None:
    """What the stand-in tells from now on, put in place at once."""
    file = lab.folder / "dut" / "mib"
    written = Path(f"{file}.new")
    written.write_text("".join(f"{line}\n" for line in lines))
    written.rename(file)


async def test_reasons_are_counted_from_quiet_to_quiet_and_explain_the_account(
    lab: SimulatedLab, pool: SshPool
) -> None:
    host = await pool.open("dut", "dut")
    axis = Axis()
    counter = ReasonCounter(host, axis.now)
    seen: list[Sample] = []
    dropped(lab, "ips_noroute ip_findroute+0x4c 5", "ips_cantforward ip_findroute+0x58 5")
    task = asyncio.create_task(counter.run(seen.append, axis))
    await asyncio.wait_for(counter.counting.wait(), 20)
    assert counter.failed == ""
    began = axis.now()
    dropped(lab, "ips_noroute ip_findroute+0x4c 65", "ips_cantforward ip_findroute+0x58 75")
    ended = axis.now()
    await counter.stop()  # its last totals are printed at the end
    await asyncio.wait_for(task, 20)
    for _ in range(400):  # the shell that ran it tidies up
        if not (left := [one for one in processes_of(lab.folder) if "dtrace" in one]):
            break
        await asyncio.sleep(0.05)
    assert left == []

    events = [one for one in seen if isinstance(one, EventSample)]
    assert {one.code for one in events} == {REASONS}
    reasons = counted(events, began, ended, ("ix0",), ("ix1",))
    assert reasons is not None
    assert (reasons.means, reasons.scope, reasons.whole, reasons.missed) == ("dtrace", "host", True, 0)
    packets = joined(Packets(offered=1000, forwarded=920, drops={"rx ring": 10}, unaccounted=70), reasons)
    assert packets.reasons is not None
    assert packets.reasons.explained == {UNACCOUNTED: 70}  # 60 without a route, 10 for another cause
    assert why_lost(packets) == (
        "8.0 % lost: 75.0 % of it ips_noroute at ip_findroute, 12.5 % ips_cantforward at ip_findroute, "
        "12.5 % at the rx ring without a reason."
    )


async def test_the_doctor_names_the_means(pool: SshPool) -> None:
    host = await pool.open("dut", "dut")
    found = await doctor_freebsd.checks(host, Watch("dut", ("ix0", "ix1"), roles=("dut",)))
    said = next(one for one in found if one.what == "drop reasons")
    assert (said.ok, said.found, said.fix) == (True, "7 reasons, counted by dtrace", "")
