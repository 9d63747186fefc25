"""The settings of simulated hosts: read over ssh by the script for FreeBSD, different where a scenario is."""

from fwdtui.collectors import settings
from fwdtui.collectors.lab_trust import open_lab
from fwdtui.labs.simulated.lab import SimulatedLab
from fwdtui.report.settings_difference import compare
from fwdtui.report.settings_wording import sentence
from fwdtui.transport.ssh import SshPool


async def test_the_settings_of_a_scenario_are_those_that_it_sets(lab: SimulatedLab, pool: SshPool) -> None:
    plan = open_lab(lab.lab_toml)[0]
    before = await settings.read(plan, pool)
    assert [one.roles for one in before] == [("generator", "receiver"), ("dut",)]
    for one in before:
        assert not any(source.missing or source.skipped or source.unsteady for source in one.sources)
    dut = dict(before[1].settings())
    assert dut["sysctl/net.isr.dispatch"] == dut["/boot/loader.conf/net.isr.dispatch"] == "direct"
    assert dut["kernel configuration/ident"] == "SIMULATED"
    assert dut["ifconfig/ix0 status"] == "active" and "sysctl/dev.ix.0.queue0.rx_packets" not in dut
    again = await settings.read(plan, pool)
    assert all(map(lambda one, other: one.same_as(other), before, again))
    lab.switch("netisr-overflow")
    found = compare(before, await settings.read(plan, pool), ("r1", "r2"))
    assert sentence(found).startswith("3 differences found in ")
    assert sentence(found).endswith(
        ": net.isr.numthreads: 4 -> 1; net.isr.maxthreads: 4 -> 1 (sysctl, /boot/loader.conf); "
        "net.isr.dispatch: direct -> deferred (sysctl, /boot/loader.conf)"
    )
