"""A state that was saved goes on as the monitor did, and shares with others what never changes."""

from collections.abc import Sequence

import pytest
from machines import LAB, Machines

from fwdtui.core.lab import parse
from fwdtui.core.model import EventSample, Sample
from fwdtui.monitor.live.monitor import Monitor
from fwdtui.monitor.replay.packed import Packed
from fwdtui.monitor.replay.saved_state import SavedStates


@pytest.fixture(scope="module")
def samples() -> list[Sample]:
    """A blast of twenty seconds, and quiet around it."""
    found = list(Machines(lambda second: 10_000.0 if 5 <= second < 25 else 0.0, capacity=9_000.0).run(40))
    found.insert(50, EventSample(found[50].at or 0.0, "dmesg", "igb1: link state changed", "dut"))
    return found


class Counting(Sequence[Sample]):
    """Samples that know which of them were asked for."""

    def __init__(self, samples: list[Sample]) -> None:
        self.samples, self.asked = samples, list[int]()

    def __len__(self) -> int:
        return len(self.samples)

    def __getitem__(self, place: int) -> Sample:  # type: ignore[override]
        self.asked.append(place)
        return self.samples[place]


def saved(samples: list[Sample], every: int) -> tuple[SavedStates, Counting, list[Monitor]]:
    """The states, their samples, and what each should be."""
    lab, counting = parse(LAB), Counting(samples)
    states, forks = SavedStates(counting, None), []
    monitor = Monitor(lab, store=Packed)
    for place, sample in enumerate(samples):
        monitor.push(sample)
        states.passed(place, sample)
        if (place + 1) % every == 0:
            states.save(place + 1, monitor)
            forks.append(monitor.fork())
    return states, counting, forks


def test_each_state_goes_on_as_the_monitor_did(samples: list[Sample]) -> None:
    states, _, forks = saved(samples, 20)
    assert states.pushed == list(range(20, len(samples) + 1, 20)) and len(states) == len(forks)
    for number, (pushed, fork) in enumerate(zip(states.pushed, forks, strict=True)):
        again = states.restored(number)
        assert again.snapshot(600) == fork.snapshot(600)
        for sample in samples[pushed:]:
            again.push(sample)
            fork.push(sample)
        assert again.snapshot(600) == fork.snapshot(600) and len(again.snapshot(0).iterations) == 1


def test_a_state_holds_no_samples_but_asks_for_those_that_it_needs_once(samples: list[Sample]) -> None:
    states, counting, forks = saved(samples, 90)
    assert counting.asked == []
    states.restored(0)
    held = [
        place for place, sample in enumerate(samples) if any(sample is one for one in forks[0]._state.samples)
    ]
    assert sorted(counting.asked) == [place for place in held if samples[place] is not samples[50]]


def test_states_share_what_never_changes(samples: list[Sample]) -> None:
    states, _, forks = saved(samples, 60)
    one, other = states.restored(1), states.restored(1)
    assert one is not other and one.lab is other.lab is forks[1].lab
    (event,) = [event for event in one.snapshot(0).events if event.code == "dmesg"]
    assert event is samples[50]
    last = states.restored(len(states) - 1)
    assert last.snapshot(0).iterations[0] is forks[-1].snapshot(0).iterations[0]
