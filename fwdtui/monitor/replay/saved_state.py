"""Saved states of a monitor, from which a replay goes on; packed, since a long recording has many of them."""

import io
import pickle
import zlib
from collections.abc import Sequence
from typing import Any

from fwdtui.core.lab import Lab
from fwdtui.core.model import UNSHOWN, CountSample, EventSample, HostSample, Iteration, RateSample, Sample
from fwdtui.monitor.live.monitor import Monitor
from fwdtui.monitor.replay.packed import Packed

_SAMPLES = frozenset((HostSample, RateSample, CountSample, EventSample))
_SHARED = frozenset((Packed, Iteration, Lab))


class SavedStates:
    """The states of a monitor on its way through `samples`. `pushed`: how many samples each state had seen.

    Objects that never change and outlive a state are shared by all states: points, loads, events, iterations,
    the lab, and `owner`, whose method the monitor calls. A sample is saved as its number. The rest is packed:
    the rates of the last half minute and of the current blast.
    """

    def __init__(self, samples: Sequence[Sample], owner: object) -> None:
        self.pushed: list[int] = []
        self._samples = samples
        self._owner = owner
        self._states: list[bytes] = []
        self._shared: list[Any] = []
        self._places: dict[int, int] = {}  # id of a shared object -> its index in `_shared`
        self._recent: dict[int, tuple[int, Sample]] = {}  # id -> a sample that the monitor may still hold
        self._held: dict[int, tuple[int, Sample]] = {}  # the samples of these that it does hold

    def __len__(self) -> int:
        return len(self.pushed)

    def passed(self, place: int, sample: Sample) -> None:
        """Take note that the monitor was given this sample, whose number is `place`."""
        self._recent[id(sample)] = place, sample

    def save(self, pushed: int, monitor: Monitor) -> None:
        """Save the state after `pushed` samples; the monitor itself does not change."""
        packed = io.BytesIO()
        pickler = pickle.Pickler(packed, 5)
        pickler.persistent_id = self._reference  # type: ignore[method-assign]
        self._held = {}
        pickler.dump(monitor.fork())
        self._recent = self._held
        self._states.append(zlib.compress(packed.getbuffer(), 1))
        self.pushed.append(pushed)

    def restored(self, number: int) -> Monitor:
        """A new monitor in the state that was saved as the one with this number."""
        made: dict[int, Sample] = {}  # so that a sample that is held twice is one object

        def thing_at(reference: tuple[bool, int]) -> Any:
            sampled, place = reference
            if not sampled:
                return self._shared[place]
            if place not in made:
                made[place] = self._samples[place]
            return made[place]

        unpickler = pickle.Unpickler(io.BytesIO(zlib.decompress(self._states[number])))
        unpickler.persistent_load = thing_at  # type: ignore[method-assign]
        monitor = unpickler.load()
        assert isinstance(monitor, Monitor)
        return monitor

    def _reference(self, thing: Any) -> tuple[bool, int] | None:
        """(whether it is a sample, its number) for an object that is not packed; None for others."""
        kind = type(thing)
        if kind in _SAMPLES:
            known = self._recent.get(id(thing))
            if known is not None and (kind is not EventSample or thing.code in UNSHOWN):
                self._held[id(thing)] = known
                return True, known[0]
            if kind is not EventSample:
                return None
        elif kind not in _SHARED and thing is not self._owner:
            return None
        place = self._places.setdefault(id(thing), len(self._shared))
        if place == len(self._shared):
            self._shared.append(thing)
        return False, place
