"""Who counts what was offered and received, and what only some ticks read."""

from collections.abc import Sequence

import msgspec
import pytest
from accounted import BEGIN, DUT, END, accounted, ends, line
from machines import LAB

from fwdtui.core.counters import InterfaceCounters, QdiscRow, StageCounter
from fwdtui.core.lab import parse
from fwdtui.core.model import HostSample, Packets
from fwdtui.monitor.live.account import account, cautions

RECEIVER = '[receiver]\nhost = "sink"\ninterface = "s0"\n'
ALONE = LAB.replace(RECEIVER, "")


@pytest.mark.parametrize(
    ("refused", "queue"),
    [
        (60, 60),  # the peer's refusals are what its own counter misses
        (30, 30),
        (10, 30),  # it counts more than they are
        (0, 30),
    ],
)
def test_what_a_veths_peer_refused_was_offered_and_lost_at_its_input(refused: int, queue: int) -> None:
    sent = ends("gen", "g0", tx_packets=900, tx_dropped=refused)
    found = accounted([*sent, *DUT], veths=["gen.g0"])
    assert found.offered == 900 + refused
    assert list(found.drops.items()) == [("rx ring", 20), ("input queue", queue), ("output", 0)]
    assert found.unaccounted == 900 + refused - 850 - 20 - queue
    # of a port of another kind they are its own affair
    assert accounted([*sent, *DUT]).offered == 900


def test_where_refusals_cannot_be_read_the_load_is_not_known() -> None:
    found = accounted([*ends("gen", "g0", tx_packets=900), *DUT], veths=["gen.g0"])
    assert found.offered is None and found.unaccounted is None and found.forwarded == 850
    found = accounted([*ends("gen", "g0", tx_dropped=7), *DUT], veths=["gen.g0"])
    assert found.offered is None and found.drops["input queue"] == 30


def test_a_dut_that_counts_no_drops_still_has_those_that_its_peer_saw() -> None:
    quiet = [
        msgspec.structs.replace(
            sample,
            interfaces=tuple(msgspec.structs.replace(row, rx_dropped=None) for row in sample.interfaces),
        )
        for sample in DUT
    ]
    found = accounted([*ends("gen", "g0", tx_packets=900, tx_dropped=7), *quiet], veths=["gen.g0"])
    assert found.drops["input queue"] == 7
    unread = accounted([*ends("gen", "g0", tx_packets=900), *quiet], veths=["gen.g0"])
    assert "input queue" not in unread.drops


TWO = LAB.replace("[generator]", "[[generator]]").replace(
    "[dut]", '[[generator]]\nhost = "gen2"\ninterface = "g1"\n[dut]'
)


@pytest.mark.parametrize("tool", ["gen", "gen2"])
def test_the_load_of_several_generators_is_the_sum_of_what_each_of_them_counts(tool: str) -> None:
    """One by its port, the other by its tool, which bypasses the port."""
    port = {"gen": "g0", "gen2": "g1"}
    lab = TWO.replace(f'interface = "{port[tool]}"', f'interface = "{port[tool]}"\ntool = "pkt-gen"')
    counted = next(host for host in port if host != tool)
    samples = [
        *ends(counted, port[counted], tx_packets=900),
        *ends(tool, port[tool], tx_packets=5),  # of its own traffic
        line("generator", 70.0, tool),
        line("generator", 30.4, tool),
        *DUT,
    ]
    assert accounted(samples, lab, uncounted=["pkt-gen"]).offered == 1000
    assert accounted([*samples[:5], *DUT], lab, uncounted=["pkt-gen"]).offered == 970
    assert accounted(samples[2:], lab, uncounted=["pkt-gen"]).offered is None
    assert accounted([*samples[:4], *DUT], lab).offered == 905


def test_lines_of_other_roles_hosts_and_ports_and_those_without_a_count_are_left_out() -> None:
    lab = LAB.replace('interface = "g0"', 'interface = "g0"\ntool = "pkt-gen"')
    lines = [
        line("generator", 100.0),
        line("generator", 10.0, "gen", "g0"),
        line("generator", None),
        line("generator", 1.0, "sink"),
        line("generator", 1.0, "gen", "g1"),
        line("receiver", 1.0),
    ]
    assert accounted([*lines, *DUT], lab, uncounted=["pkt-gen"]).offered == 110
    assert accounted([*lines[2:], *DUT], lab, uncounted=["pkt-gen"]).offered is None


def test_a_receiver_whose_tool_bypasses_the_port_is_counted_by_its_tool() -> None:
    lab = LAB.replace('interface = "s0"', 'interface = "s0"\ntool = "pkt-gen"')
    samples = [*ends("sink", "s0", rx_packets=5), line("receiver", 800.0, "sink"), line("generator", 9.0)]
    assert accounted([*samples, *DUT], lab, uncounted=["pkt-gen"]).received == 800
    assert accounted([*samples, *DUT], lab).received == 5
    assert accounted([*samples, *DUT], lab, uncounted=["other"]).received == 5


def test_without_a_receiver_nothing_is_received() -> None:
    assert accounted([line("receiver", 800.0), *DUT], ALONE, uncounted=["counters"]).received is None


@pytest.mark.parametrize(
    ("samples", "known"),
    [
        ([], False),
        (ends("gen", "g0", tx_packets=0), False),
        (ends("gen", "g0", tx_packets=9), True),
        (ends("sink", "s0", rx_packets=0), True),
        (DUT, True),
        (DUT[:1], False),
    ],
)
def test_there_is_no_account_if_no_host_was_sampled_before_and_after(
    samples: list[HostSample], known: bool
) -> None:
    assert (account(parse(LAB), samples, float(BEGIN), float(END)) is not None) is known


def test_without_the_dut_there_is_what_the_others_counted() -> None:
    found = accounted([*ends("gen", "g0", tx_packets=900), *ends("sink", "s0", rx_packets=800)])
    assert found == Packets(900, received=800)


def combined(host: str, moments: Sequence[tuple[float, dict]]) -> list[HostSample]:
    """Samples of every tick, some of which have slow parts as well."""
    return [
        HostSample(
            host,
            number,
            t=at,
            at=at,
            boot="1",
            interfaces=(
                InterfaceCounters("d0", rx_packets=1000 * number, rx_missed=0),
                InterfaceCounters("d1", tx_packets=1000 * number),
            ),
            **parts,
        )
        for number, (at, parts) in enumerate(moments)
    ]


def slow_part(total: int) -> dict:
    return {
        "qdiscs": (QdiscRow("d1", "fq", "1:", "root", dropped=total),),
        "stages": (
            StageCounter("d0", "rx", "rx-ring", "drops", "rx_no_dma_resources", 2 * total),
            StageCounter("d0", "rx", "mac", "packets", "rx_packets", 100 * total),
        ),
    }


@pytest.mark.parametrize("first", [0, 1])
def test_what_only_some_ticks_read_is_counted_by_those_that_did(first: int) -> None:
    """Whether the first or the last of all ticks read it: the others do not make it a lower bound."""
    ticks = enumerate((3.0, 4.0, 36.0, 37.0))
    found = accounted(
        combined("dut", [(at, slow_part(int(at)) if n % 2 == first else {}) for n, at in ticks])
    )
    grown = 33  # from 3 to 36, or from 4 to 37
    assert (found.drops["tx soft queue"], found.drops["rx ring"]) == (grown, 2 * grown)
    assert found.unread == {} and found.nic == {"d0 rx_no_dma_resources": 2 * grown}


@pytest.mark.parametrize(
    ("read_at", "counted"),
    [
        ((3.0, 20.0, 30.0), 27),  # nothing after the blast
        ((20.0, 30.0, 37.0), 17),  # nothing before it
        ((20.0,), 0),
        ((37.0,), 0),
    ],
)
def test_what_was_not_read_in_both_quiets_is_a_lower_bound(read_at: tuple[float, ...], counted: int) -> None:
    """It used to be left out without a word, so that its losses were "in no counter"."""
    ticks = (3.0, 4.0, 20.0, 30.0, 36.0, 37.0)
    found = accounted(combined("dut", [(at, slow_part(int(at)) if at in read_at else {}) for at in ticks]))
    assert found.unread == {"rx ring": "unsampled", "tx soft queue": "unsampled"}
    assert found.drops.get("tx soft queue", 0) == counted and found.drops["rx ring"] == 2 * counted
    assert [caution.text for caution in cautions(found)] == [
        f"Drops at the {stage} are a lower bound: a counter was not read both before and after the blast."
        for stage in ("rx ring", "tx soft queue")
    ]


def test_a_counter_that_does_not_move_is_not_listed_and_one_that_was_reset_neither() -> None:
    def rows(moved: int, reset: int) -> dict:
        values = {"rx_no_dma_resources": moved, "rx_crc_errors": 5, "rx_long_length_errors": reset}
        return {
            "stages": tuple(StageCounter("d0", "rx", "mac", "errors", *pair) for pair in values.items()),
        }

    moments = [(4.0, rows(1, 9)), (20.0, rows(3, 1)), (37.0, rows(4, 3))]
    assert accounted(combined("dut", moments)).nic == {"d0 rx_no_dma_resources": 3}


@pytest.mark.parametrize("slow", [False, True])
def test_what_reached_the_cards_is_known_whichever_ticks_read_it(slow: bool) -> None:
    rows = [(StageCounter("d0", "rx", "mac", "packets", "rx_packets_phy", 70 * n),) for n in range(4)]
    moments = [
        (at, {"stages": rows[n]} if not slow or n in (1, 3) else {}) for n, at in enumerate((3, 4, 36, 37))
    ]
    assert accounted(combined("dut", moments)).at_nic == 140, "from 4 to 37"


def test_a_place_that_was_read_already_does_not_hide_the_others() -> None:
    """Of every tick: the interface's counters. Of slow ticks: those, and a qdisc's."""
    moments = [
        (3.0, {}),
        (4.0, {"qdiscs": (QdiscRow("d1", "fq", "1:", "root", dropped=0),)}),
        (36.0, {}),
        (37.0, {"qdiscs": (QdiscRow("d1", "fq", "1:", "root", dropped=8),)}),
    ]
    found = accounted(combined("dut", moments))
    assert found.drops["tx soft queue"] == 8 and found.drops["rx ring"] == 0 and found.unread == {}
