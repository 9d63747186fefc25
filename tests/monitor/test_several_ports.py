"""Labs with several generators and ports: no sum hides a part that is missing."""

from collections.abc import Mapping

import pytest

from fwdtui.core.counters import CpuTicks, InterfaceCounters
from fwdtui.core.lab import parse
from fwdtui.core.model import HostSample, Iteration
from fwdtui.monitor.live.monitor import Monitor

BOTH_WAYS = """
[[generator]]
host = "gen"
interface = "g0"
line_rate = "2M"
[[generator]]
host = "gen"
interface = "g1"
line_rate = "2M"
[dut]
host = "dut"
in = ["d0", "d1"]
out = ["d0", "d1"]
"""
ONE_WAY = """
[generator]
host = "gen"
interface = "g0"
[dut]
host = "dut"
in = "d0"
out = "d1"
[receiver]
host = "sink"
interface = "s0"
"""
RECEIVER = '[receiver]\nhost = "gen"\ninterface = "g1"\n'
M = 1_000_000
Rates = Mapping[str, Mapping[str, tuple[int, int]]]
"""Host -> port -> packets per second received and sent."""


def iterations(
    lab: str, rates: Rates, lengths: Mapping[str, int] = {}, busy: int = 30
) -> tuple[Iteration, ...]:
    """Those of one blast; `lengths`: bytes of a port's packets, of both directions, if they are not 60."""
    made = parse(lab)
    monitor = Monitor(made)
    counts: dict[tuple[str, str], list[int]] = {}
    for n in range(12 + busy):
        for place, host in enumerate(made.hosts()):
            rows = []
            for name, (rx, tx) in rates[host].items():
                count = counts.setdefault((host, name), [0, 0])
                if 6 <= n < 6 + busy:
                    count[0] += rx
                    count[1] += tx
                size = lengths.get(name, 60)
                rows.append(
                    InterfaceCounters(
                        name, rx_packets=count[0], tx_packets=count[1], rx_bytes=count[0] * size,
                        tx_bytes=count[1] * size, rx_dropped=0, tx_dropped=0,
                    )
                )  # fmt: skip
            at = n + 0.1 * place
            ticks = CpuTicks(0, 0, 0, 0, n * 100, 0, 0, 0, 0)
            monitor.push(HostSample(host, n, 100 + at, at, boot=host, interfaces=tuple(rows), cpus=(ticks,)))
    return tuple(monitor.snapshot(0).iterations)


def told(one: Iteration) -> dict[str, str]:
    return {warning.code: warning.text for warning in one.warnings}


class TestBothWays:
    def test_two_directions_that_work_need_no_word(self) -> None:
        both = dict.fromkeys(("g0", "g1"), (M, M))
        (one,) = iterations(BOTH_WAYS, {"gen": both, "dut": {"d0": (M, M), "d1": (M, M)}})
        assert one.value == pytest.approx(2 * M) and not one.warnings

    def test_a_generator_that_sends_nothing_is_named(self) -> None:
        gen, dut = {"g0": (0, M), "g1": (M, 0)}, {"d0": (M, 0), "d1": (0, M)}
        (one,) = iterations(BOTH_WAYS, {"gen": gen, "dut": dut})
        assert one.value == pytest.approx(M)
        assert told(one)["generator-idle"].startswith(
            "The generator g1 of gen sent only 0 packets, but another"
        )
        assert "port-idle" in told(one)

    def test_a_direction_without_a_route_is_named(self) -> None:
        gen, dut = {"g0": (0, M), "g1": (M, M)}, {"d0": (M, 0), "d1": (M, M)}
        (one,) = iterations(BOTH_WAYS, {"gen": gen, "dut": dut})
        assert "generator-idle" not in told(one)
        assert told(one)["port-idle"].startswith(
            "The DUT's port d0 sent only 0 packets, but another one sent "
        )

    def test_a_receiver_of_one_direction_does_not_measure_both(self) -> None:
        both = dict.fromkeys(("g0", "g1"), (M, M))
        (one,) = iterations(BOTH_WAYS + RECEIVER, {"gen": both, "dut": {"d0": (M, M), "d1": (M, M)}})
        assert one.value == pytest.approx(M)
        assert "that the DUT sent through 2 ports" in told(one)["receiver-partial"]

    def test_a_receiver_that_hears_all_outputs_does(self) -> None:
        gen = {"g0": (0, M), "g1": (2 * M, M)}
        (one,) = iterations(BOTH_WAYS + RECEIVER, {"gen": gen, "dut": {"d0": (M, M), "d1": (M, M)}})
        assert one.value == pytest.approx(2 * M) and "receiver-partial" not in told(one)

    def test_one_of_two_outputs_that_is_not_used_makes_the_receiver_no_partial_one(self) -> None:
        lab = ONE_WAY.replace('out = "d1"', 'out = ["d1", "d2"]')
        dut = {"d0": (M, 0), "d1": (0, M), "d2": (0, 0)}
        (one,) = iterations(lab, {"gen": {"g0": (0, M)}, "dut": dut, "sink": {"s0": (M, 0)}})
        assert told(one).keys() == {"port-idle"}


class TestPortsThatTheKernelDoesNotHave:
    """Of DPDK, bound to vfio: they are in no list of interfaces."""

    def test_a_blast_is_what_generator_and_receiver_see(self) -> None:
        (one,) = iterations(ONE_WAY, {"gen": {"g0": (0, M)}, "dut": {}, "sink": {"s0": (M, 0)}})
        assert one.value == pytest.approx(M)

    def test_or_dut_and_receiver(self) -> None:
        dut = {"d0": (M, 0), "d1": (0, M)}
        (one,) = iterations(ONE_WAY, {"gen": {}, "dut": dut, "sink": {"s0": (M, 0)}})
        assert one.value == pytest.approx(M) and one.offered is None

    def test_a_port_that_is_there_and_idle_still_holds_a_blast_back(self) -> None:
        dut = {"d0": (0, 0), "d1": (0, 0)}
        assert iterations(ONE_WAY, {"gen": {"g0": (0, M)}, "dut": dut, "sink": {"s0": (0, 0)}}) == ()


FRAMES = ONE_WAY.replace('interface = "g0"\n', 'interface = "g0"\nframe = 1518\n', 1)
PARTED = {"g0": 1514, "d0": 1514, "d1": 820, "s0": 820}


@pytest.mark.parametrize("out", [2 * M, M], ids=["none lost", "half lost"])
def test_a_dut_that_parts_packets_has_no_loss_and_no_impossible_rate(out: int) -> None:
    rates = {"gen": {"g0": (0, M)}, "dut": {"d0": (M, 0), "d1": (0, out)}, "sink": {"s0": (out, 0)}}
    (one,) = iterations(FRAMES, rates, PARTED)
    assert told(one).keys() == {"fragmented"}
    assert one.limit is not None and one.limit.code == "fragmented"
    assert one.packets is not None and one.packets.unaccounted is None
    assert one.value == pytest.approx(out)


@pytest.mark.parametrize(
    ("frame", "behind"), [(1518, 1514), (1518, 1462), (1518, 1572), (214, 140), (64, 60), (None, 820)]
)
def test_a_tunnel_that_is_put_on_or_taken_off_parts_nothing(frame: int | None, behind: int) -> None:
    lab = ONE_WAY if frame is None else FRAMES.replace("1518", str(frame))
    rates = {"gen": {"g0": (0, M)}, "dut": {"d0": (M, 0), "d1": (0, M)}, "sink": {"s0": (M, 0)}}
    size = (frame or 1518) - 4
    (one,) = iterations(lab, rates, {"g0": size, "d0": size, "d1": behind, "s0": behind})
    assert "fragmented" not in told(one)
