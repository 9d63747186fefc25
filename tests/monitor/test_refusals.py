"""What the DUT's input refused is a drop of the input queue, if only the generator's port counts it."""

import re
from collections.abc import Iterator

import msgspec
import pytest
from machines import LAB, Machines, blast

from fwdtui.core.counters import InterfaceCounters
from fwdtui.core.drop_stages import INPUT_QUEUE
from fwdtui.core.host_rates import HostRates, InterfaceRate
from fwdtui.core.lab import parse
from fwdtui.core.model import HostSample, Sample
from fwdtui.monitor.live.blast import Blast
from fwdtui.monitor.live.evidence import diagnosis_now
from fwdtui.monitor.live.iteration import iteration_of
from fwdtui.monitor.live.refusals import Refusals
from fwdtui.monitor.live.state import State

SAID = re.compile(f"{INPUT_QUEUE} drops (?:2.99|3.00)[0-9] kpps")
VETHS = frozenset({"gen.g0"})


def tapped(ended: int, now: int) -> Iterator[Sample]:
    """The generator sends into a tap: what the machine behind it has no room for never reaches its card."""
    for one in Machines(blast(10, ended, 10_000), capacity=7_000).run(now):
        if not isinstance(one, HostSample) or one.host == "sink":
            yield one
        elif one.host == "dut":
            card = msgspec.structs.replace(one.interfaces[0], rx_dropped=0)
            yield msgspec.structs.replace(one, interfaces=(card, one.interfaces[1]))
        else:
            sent = one.interfaces[0].tx_packets or 0
            lost = sent * 3 // 10
            port = InterfaceCounters("g0", tx_packets=sent - lost, tx_dropped=lost)
            yield msgspec.structs.replace(one, interfaces=(port,))


def state_after(ended: int, now: int, veths: frozenset[str] = VETHS) -> State:
    state = State(parse(LAB), (), veths, 60.0)
    for sample in tapped(ended, now):
        state.push(sample)
    return state


def test_the_screen_and_the_sentence_have_the_stage_of_the_account() -> None:
    live = state_after(60, 25)
    dut = live.hosts.get("dut")
    assert dut is not None and dut.rates is not None
    assert dut.rates.drops[INPUT_QUEUE] == pytest.approx(3_000, rel=0.05)
    assert SAID.search(diagnosis_now(live).sentence)
    assert INPUT_QUEUE not in diagnosis_now(state_after(60, 25, frozenset())).sentence
    found, _ = iteration_of(state_after(30, 45), Blast(10.0, 30.0))
    assert found.packets is not None and found.packets.drops[INPUT_QUEUE] == pytest.approx(60_000, rel=0.01)
    assert found.limit is not None and SAID.search(found.limit.text)


def rates(host: str, at: float, **what: object) -> HostRates:
    return HostRates(host, at, 1.0, **what)  # type: ignore[arg-type]


def test_a_rate_that_is_out_of_date_or_of_an_unknown_input_is_no_drop() -> None:
    sent = rates("gen", 10.0, interfaces={"g0": InterfaceRate("g0", tx_dropped=500.0)})
    one = Refusals(parse(LAB), VETHS, 3.0)
    one.heard(sent)
    later = one.fork()
    assert one.added(rates("dut", 13.0)).drops == {INPUT_QUEUE: 500.0}
    assert not one.added(rates("dut", 13.1)).drops and not one.added(rates("dut", 11.0, gap="late")).drops
    for own, told in ((240.0, 500.0), (260.0, 0.0)):
        card = {"d0": InterfaceRate("d0", rx_dropped=own)}
        assert one.added(rates("dut", 11.0, interfaces=card)).drops == {INPUT_QUEUE: told}
    later.heard(rates("gen", 11.0, gap="reboot"))
    assert not later.added(rates("dut", 11.0)).drops and one.added(rates("dut", 11.0)).drops
    two = Refusals(parse(LAB.replace('in = "d0"', 'in = ["d0", "d2"]')), VETHS, 3.0)
    two.heard(sent)
    assert not two.added(rates("dut", 11.0)).drops
