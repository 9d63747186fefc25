"""The samples of a recording on one axis: memory holds only where they are and when they are played."""

import re
from array import array
from collections.abc import Collection, Sequence

import msgspec

from fwdtui.core.errors import FwdtuiError, reason
from fwdtui.core.made import Made
from fwdtui.core.model import EventSample, Sample
from fwdtui.core.text import clean

_UNSAFE = re.compile(r"\\[^\"\\/]|[^\x20-\x7e]")  # in JSON: escapes, and everything that is not plain ASCII


class Samples(Made[Sample]):
    """The samples of several logs, one after another. They are decoded, cleaned and moved when requested.

    `due` is when each sample is played, in seconds of the axis, never decreasing: a sample that arrived after
    a newer one is played together with it.
    """

    def __init__(self) -> None:
        self.due = array("d")
        self._logs: list[tuple[Sequence[Sample], float]] = []
        self._log, self._place = array("I"), array("I")

    def __len__(self) -> int:
        return len(self.due)

    def join(self, log: Sequence[Sample], places: Collection[int], at: Sequence[float], shift: float) -> None:
        """Add the samples of `log` at these indexes. `at`: the times of all its samples on its own axis."""
        first = len(self)
        self._log.extend([len(self._logs)] * len(places))
        self._place.extend(places)
        self._logs.append((log, shift))
        latest = self.due[-1] if first else float("-inf")
        for place in places:
            latest = max(latest, at[place] + shift)
            self.due.append(latest)

    def one(self, place: int) -> Sample:
        """The sample with this number; if it can no longer be read, an event that says so instead."""
        log, shift = self._logs[self._log[place]]
        try:
            return moved(cleaned(log[self._place[place]]), shift)
        except (FwdtuiError, OSError) as error:
            return EventSample(
                self.due[place], "note", clean(f"A sample can no longer be read: {reason(error)}")
            )


def cleaned(sample: Sample) -> Sample:
    """The sample with its texts cleaned like those of hosts, because a file's text may control a terminal."""
    text = msgspec.json.encode(sample).decode()
    plain = text.isascii() and text.isprintable() and "\\" not in text  # nearly always; half as long
    if plain or _UNSAFE.search(text) is None:
        return sample
    return msgspec.convert(_cleaned(msgspec.to_builtins(sample)), type(sample))


def _cleaned(value: object) -> object:
    if isinstance(value, str):
        return clean(value)
    if isinstance(value, dict):
        return {key: _cleaned(held) for key, held in value.items()}
    return [_cleaned(held) for held in value] if isinstance(value, list | tuple) else value


def moved(sample: Sample, shift: float) -> Sample:
    """The sample on an axis that begins `shift` seconds earlier."""
    if not shift or sample.at is None:
        return sample
    if isinstance(sample, EventSample):
        counts = sample.reasons
        if counts is not None:
            counts = msgspec.structs.replace(counts, since=counts.since + shift)
        return msgspec.structs.replace(sample, at=sample.at + shift, reasons=counts)
    return msgspec.structs.replace(sample, at=sample.at + shift)
