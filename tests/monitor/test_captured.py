"""What a capture is worth beside the DUT's samples: whether it counts, and how many packets it is of."""

import random

import msgspec
import pytest
from machines import LAB

from fwdtui.core import uncounted
from fwdtui.core.counters import InterfaceCounters
from fwdtui.core.lab import parse
from fwdtui.core.model import HostSample, Iteration
from fwdtui.core.profile import Folded, Profile
from fwdtui.core.profile.capture import Asked, Capture
from fwdtui.core.profiled import without_value
from fwdtui.monitor.run.captured import judged

RATE = 1e6
LAB_OF_IT = parse(LAB)
CAPTURE = Capture(
    "perf",
    "cpu-clock",
    Folded({("swapper", "net_rx_action", "ip_forward"): 9980}),
    began=10.0,
    ended=20.0,
    online=2,
    cores={0: 4990, 1: 4990},
    lost=0,
    paused=0.0,
)
TOO_LOW = "samples per packet are too low by the same share"
PLAIN = Iteration(1, RATE)
UNCOUNTED = Iteration(1, RATE, warnings=(uncounted.caution(RATE, 0.4 * RATE),))


def sampled(
    interval: float, refresh: float = 0.0, counted: float = 1.0, pause: float = 0.0
) -> list[HostSample]:
    """A DUT that forwards from 6 to 24 s, but for a `pause` from 14 s on; read every `interval`.

    Its card shows what it had counted at the last `refresh`, and counts a part of the packets.
    """
    jitter = random.Random(4)

    def sent(at: float) -> float:
        passed = min(max(at, 6.0), 24.0) - 6.0
        return passed - min(max(at - 14.0, 0.0), pause)

    samples = []
    for n in range(1, int(30 / interval)):
        at = (n + 0.3) * interval + jitter.uniform(-0.02, 0.02) * interval
        seen = sent(at if not refresh else (at - 0.37) // refresh * refresh + 0.37)
        port = InterfaceCounters("d1", tx_packets=round(RATE * counted * seen), tx_bytes=0)
        samples.append(HostSample("dut", n, at, at, interfaces=(port,), boot="b"))
    return samples


def of(samples: list[HostSample], iteration: Iteration = PLAIN) -> Profile:
    """What is recorded of CAPTURE in this blast."""
    _, profile = judged(LAB_OF_IT, CAPTURE, Asked(10.0), iteration, samples, None)
    kept = without_value(msgspec.structs.replace(iteration, profile=profile)).profile
    assert kept is not None
    return kept


@pytest.mark.parametrize("interval", [0.1, 0.25, 0.5, 1.0])
@pytest.mark.parametrize("refresh", [0.0, 0.5, 1.0])
def test_a_card_that_refreshes_its_counters_slowly_is_no_pause_of_the_traffic(
    interval: float, refresh: float
) -> None:
    found = of(sampled(interval, refresh))
    assert (found.rejected, found.notes) == ("", ())
    assert found.packets == pytest.approx(RATE * 10, rel=0.03)


@pytest.mark.parametrize(("interval", "refresh"), [(0.25, 0.0), (0.25, 1.0), (1.0, 0.0), (1.0, 1.0)])
def test_a_pause_is_still_one(interval: float, refresh: float) -> None:
    assert of(sampled(interval, refresh, pause=2.5)).rejected == "The traffic paused while it was taken."


def test_packets_that_the_dut_does_not_count_are_not_known_and_it_is_said() -> None:
    found = of(sampled(1.0, counted=0.4), UNCOUNTED)
    assert (found.rejected, found.packets) == ("", None)
    assert found.notes == (
        "how many packets were forwarded meanwhile is not known: "
        "the DUT's counters do not see all that it forwards",
    )


@pytest.mark.parametrize(
    ("lost", "paused", "notes"),
    [
        (0, 0.0, ()),
        (None, None, ()),
        (460, 0.0, (f"perf lost 460 samples, 4.4 % of all: {TOO_LOW}",)),
        (1, 0.0, (f"perf lost 1 sample, less than 0.1 % of all: {TOO_LOW}",)),
        (0, 0.049, (f"the kernel held perf back for up to 4.9 % of the time: {TOO_LOW}",)),
    ],
)
def test_samples_that_are_missing_in_a_profile_that_counts_are_told(
    lost: int | None, paused: float | None, notes: tuple[str, ...]
) -> None:
    capture = msgspec.structs.replace(CAPTURE, lost=lost, paused=paused)
    _, found = judged(LAB_OF_IT, capture, Asked(10.0), PLAIN, sampled(1.0), None)
    assert (found.rejected, found.notes) == ("", notes)


@pytest.mark.parametrize("counted", [0.0, 1e-7])
def test_a_dut_that_counts_nothing_is_not_called_idle(counted: float) -> None:
    found = of(sampled(1.0, counted=counted), UNCOUNTED)
    assert found.rejected == (
        "It is not known to be inside the traffic: the DUT's counters do not see all that it forwards "
        "(XDP, hardware offload)."
    )
    assert found.packets is None
