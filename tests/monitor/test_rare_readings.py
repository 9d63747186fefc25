"""A host that is held up reads its qdiscs so rarely that no two readings are within a sentence's seconds."""

from collections.abc import Iterable, Iterator

import msgspec
import pytest
from machines import LAB, Machines, blast

from fwdtui.core.counters import QdiscRow
from fwdtui.core.evidence import Evidence
from fwdtui.core.lab import parse, plain
from fwdtui.core.model import HostSample, Packets, Sample, Session
from fwdtui.core.rates import Reason
from fwdtui.monitor.live.agreed import with_drops
from fwdtui.monitor.live.blast import Blast
from fwdtui.monitor.live.evidence import diagnosis_now
from fwdtui.monitor.live.iteration import iteration_of
from fwdtui.monitor.live.state import State
from fwdtui.monitor.replay.iteration_series import series_of

BEGAN = 10
STAGE = "tx soft queue"


def read_every(seconds: int, samples: Iterable[Sample]) -> Iterator[Sample]:
    """What the DUT drops is in its qdisc's counter alone, which is read every so many seconds."""
    for one in samples:
        if not isinstance(one, HostSample) or one.host != "dut":
            yield one
            continue
        lost = one.interfaces[0].rx_dropped
        ports = (msgspec.structs.replace(one.interfaces[0], rx_dropped=0), one.interfaces[1])
        yield msgspec.structs.replace(one, interfaces=ports)
        if one.seq % seconds == 0:
            qdisc = QdiscRow("d1", "tbf", "8001:", "root", dropped=lost)
            yield msgspec.structs.replace(one, interfaces=(), cpus=(), qdiscs=(qdisc,))


def state_after(every: int, ended: int, now: int) -> State:
    state = State(parse(LAB), (), (), 60.0)
    for sample in read_every(every, Machines(blast(BEGAN, ended, 10_000), capacity=7_000).run(now)):
        state.push(sample)
    return state


@pytest.mark.parametrize("now", [23, 25, 27])
def test_the_live_sentence_names_the_drops_of_the_last_readings(now: int) -> None:
    assert f"{STAGE} drops 3.0" in diagnosis_now(state_after(6, 60, now)).sentence


def test_the_readings_of_the_quiet_before_a_blast_are_not_its_drops() -> None:
    assert STAGE not in diagnosis_now(state_after(6, 60, 17)).sentence, "read at 6 and 12"


def test_the_limit_and_the_series_of_an_iteration_name_the_drops_of_its_blast() -> None:
    state = state_after(6, 20, 30)
    found, samples = iteration_of(state, Blast(BEGAN, 20.0), warmup=4.0)
    assert found.packets is not None and found.packets.drops[STAGE] == pytest.approx(30_000, rel=0.01)
    assert found.limit is not None and f"{STAGE} drops 3.0" in found.limit.text
    series = series_of(samples, found, Session("x", "x", "", lab=plain(parse(LAB))))
    assert series.drops.get(STAGE) == pytest.approx(3_000, rel=0.02)


def test_a_blast_too_short_for_two_readings_has_the_drops_of_its_account() -> None:
    found, _ = iteration_of(state_after(7, 20, 40), Blast(BEGAN, 20.0))
    assert found.limit is not None and f"{STAGE} drops 3.0" in found.limit.text


def test_drops_of_the_account_are_only_those_of_stages_that_were_not_read() -> None:
    seen = Evidence(offered=1e6, drops={"rx ring": 0.0})
    lost = {"frame check": 70, "rx ring": 80, "netisr": 100, "output": 0}
    packets = Packets(drops=lost, unread={"netisr": str(Reason.RESET)})
    found = with_drops(seen, packets, 10.0)
    assert found.drops == {"rx ring": 0.0, "netisr": 10.0}
    assert found.unread == {"netisr": str(Reason.RESET)}
    assert found.uncounted is None, "what could not be read may be among it"
    assert with_drops(seen, Packets(unaccounted=50), 10.0).uncounted == 5.0
    assert with_drops(seen, None, 10.0) is seen and with_drops(seen, Packets(), 10.0) is seen
