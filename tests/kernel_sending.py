"""The kernel lab's generators used by hand, and each of their packets reconciled by the kernel's counters."""

import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager

from kernel_lab_use import LabUnderTest, traffic_only, wait_for

DUT_QUIETS = 3.0  # seconds that a counter may go on moving after the generator has ended


@contextmanager
def sending(lab: LabUnderTest, *load: object) -> Iterator[subprocess.Popen[bytes]]:
    """The generator of a lab.toml as a program would use it: start over ssh, in the end stop over ssh."""
    generator = lab.generator(*load)
    started = subprocess.Popen(
        [*lab.ssh_command("gen"), generator["start"]],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        before = lab.counters()["gen0.tx"]
        wait_for(lambda: lab.counters()["gen0.tx"] > before + 100, "the generator sends")
        yield started
    finally:
        lab.ssh("gen", generator["stop"])
        started.wait(10)


def settled(lab: LabUnderTest) -> dict[str, int]:
    """The counters once they stand still."""
    now = lab.counters()
    until = time.monotonic() + DUT_QUIETS
    while True:
        time.sleep(0.1)
        last, now = now, lab.counters()
        if traffic_only(last) == traffic_only(now):
            return now
        assert time.monotonic() < until, "the counters do not come to rest"


def moved(before: dict[str, int], after: dict[str, int]) -> dict[str, int]:
    return {name: after[name] - before[name] for name in after}


def reconcile(delta: dict[str, int]) -> None:
    """Every packet that was handed to gen0 is counted once, somewhere. Drops are never a sum of all columns:
    the same loss stands at both ends of a veth."""
    assert delta["dut0.rx"] == delta["gen0.tx"]
    assert delta["dut0.rx"] == delta["dut1.tx"] + delta["dut1.tx_dropped"]
    assert delta["dut1.tx"] == delta["sink0.rx"] == delta["sink.nft"]
    assert delta["sink0.rx_dropped"] == delta["dut1.tx_dropped"]


def ends_by_itself(lab: LabUnderTest, *load: str) -> None:
    """Its own time limit ends a generator."""
    start = lab.generator(*load)["start"]
    assert start.startswith("timeout --foreground 70 ")
    began = time.monotonic()
    command = [*lab.ssh_command("gen"), start.replace(" 70 ", " 1 ", 1)]
    subprocess.run(command, capture_output=True, timeout=60)
    assert 0.9 < time.monotonic() - began < 8
    assert not lab.generators()
