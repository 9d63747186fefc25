"""Samples of a blast, and the account of their packets, for the tests of accounts."""

from collections.abc import Sequence

from machines import LAB

from fwdtui.core.counters import InterfaceCounters
from fwdtui.core.lab import parse
from fwdtui.core.model import HostSample, Packets, RateSample, Sample
from fwdtui.monitor.live.account import account

RATE, CAPACITY = 10_000, 8_000
BEGIN, END = 5, 35


def ends(host: str, port: str, boot: str = "1", **grown: int) -> list[HostSample]:
    """Two samples in the quiet before and after, between which the port's counters grew."""
    return [
        HostSample(
            host,
            0,
            t=at,
            at=at,
            boot=boot,
            interfaces=(
                InterfaceCounters(
                    port, **{name: 50 + (count if after else 0) for name, count in grown.items()}
                ),
            ),
        )
        for after, at in enumerate((4.0, 37.0))
    ]


def accounted(samples: Sequence[Sample], lab: str = LAB, **options: Sequence[str]) -> Packets:
    packets = account(parse(lab), samples, float(BEGIN), float(END), **options)  # type: ignore[arg-type]
    assert packets is not None
    return packets


DUT = [
    HostSample(
        "dut",
        0,
        t=at,
        at=at,
        boot="1",
        interfaces=(
            InterfaceCounters("d0", rx_packets=grown * 900, rx_dropped=grown * 30, rx_missed=grown * 20),
            InterfaceCounters("d1", tx_packets=grown * 850, tx_dropped=0),
        ),
    )
    for grown, at in enumerate((4.0, 37.0))
]


def line(role: str, packets: float | None, host: str = "", interface: str = "") -> RateSample:
    return RateSample(role, 20.0, 1.0, 1.0, packets=packets, host=host, at=20.0, interface=interface)
