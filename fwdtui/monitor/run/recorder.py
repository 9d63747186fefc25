"""Saves everything: each sample as it arrives, and each iteration when it is made.

A disk that is full or fails ends neither the run nor the recording: what cannot be saved waits in memory and
is written as soon as possible. Until then `problem` says so, and no generator may be started.
"""

import datetime
import time
from collections.abc import Callable, Mapping
from pathlib import Path

import msgspec

from fwdtui.core.errors import FwdtuiError, reason
from fwdtui.core.factors import FactorValue, level
from fwdtui.core.findings import HostFindings
from fwdtui.core.host_settings import HostSettings
from fwdtui.core.model import EventSample, Fact, Iteration, Planned, Sample
from fwdtui.monitor.run.hygiene_kept import KeptHygiene
from fwdtui.monitor.run.settings_kept import KeptSettings
from fwdtui.monitor.run.tape import Tape
from fwdtui.monitor.run.unsaved import Saved, Unsaved, UnsavedIterations
from fwdtui.store import SessionWriter, drop, opening
from fwdtui.store.reader import begun_with, recorded_factors
from fwdtui.store.records import line

NOT_SAVED, SAVED = "not-saved", "saved"
"""Codes of the events about the recording itself."""
_RETRY = 1.0  # seconds between two tries
_ROOM_LEAST, _ROOM_MOST = 256 << 10, 64 << 20  # bounds of the bytes that an iteration is expected to need
_ROOM_SHARE = 2.5  # an iteration's samples are written twice, and busy counters are longer than quiet ones

RawLogs = Callable[[], Mapping[str, bytes]]
"""Returns the tools' output for an iteration: file name -> bytes."""


class Recorder:
    """Records samples and iterations into one case of one session."""

    def __init__(
        self,
        writer: SessionWriter,
        case: str,
        *,
        logs: RawLogs = dict,
        saved: Saved = lambda before, after: None,
        factors: Mapping[str, FactorValue] | None = None,
    ) -> None:
        """`factors`: those of each iteration, which is saved with those that its session and case lack.

        Raises OSError if nothing can be written, before anything is measured.
        """
        self.case = case
        self.planned: Planned | None = None
        """The next iteration's place in an experiment; None without an experiment."""
        self.facts: Mapping[str, Fact] = {}
        """Facts of the next iteration that differ from those of the session."""
        self.factors: Mapping[str, FactorValue] = recorded_factors(writer.folder, case)
        """All factors of the next iterations: their session's, their case's and their own."""
        self._factors = _own(self.factors, factors or {})
        self.factors = {**self.factors, **self._factors}
        self.elsewhere = ""
        """What happened to the session's folder, if it is no longer where it was opened."""
        self.lost: list[str] = []
        """What is not saved and never will be, one sentence each."""
        self._news: list[EventSample] = []
        self._writer = writer
        self._logs = logs
        self._saved = saved
        self._waiting = UnsavedIterations()
        self._began = self._tried = self._looked = self._asked = time.monotonic()
        self._failing = self._reason = ""  # why not everything is on disk: with the path, and without it
        self._no_room = ""  # why the next iteration could not be saved, although everything so far is on disk
        self._now = 0.0
        self._origin: datetime.datetime | None = None
        self._origin_at = 0.0  # time.monotonic() when the recording's axis was at 0
        self._closed = False
        self._renewals = 0  # how many of the tape's new files were noticed
        self._gone_until = 0.0  # until then, a new file means that the whole session was deleted
        writer.check(case)
        self._settings = KeptSettings(writer)
        self._hygiene = KeptHygiene(writer)
        self._tape = Tape(writer.record)

    @property
    def folder(self) -> Path:
        """The session's current folder."""
        return self._writer.folder

    @property
    def problem(self) -> str:
        """Why something is not on disk, or the next iteration could not be, with the path; else empty."""
        return self._failing or self._no_room

    @property
    def unsaved(self) -> int:
        """Iterations that wait to be saved."""
        return len(self._waiting)

    @property
    def unsaved_text(self) -> str:
        """What is not on disk, in one line: the problem, and what is lost; empty if all is saved."""
        lost = f"not saved: {'; '.join(self.lost)}" if self.lost else ""
        return "; ".join(part for part in (self.problem, lost) if part)

    def go_on(self, case: str, factors: Mapping[str, FactorValue]) -> None:
        """Iterations from now on belong to `case`, with these factors; see `__init__`.

        Factors with which the session was begun are not stated again: they may have been corrected since.
        """
        recorded = recorded_factors(self._writer.folder, case)
        self._writer.check(case)
        self.case = case
        self._factors = _own(recorded, _own(begun_with(self._writer.folder, case), factors))
        self.factors = {**recorded, **self._factors}

    def taken_news(self) -> list[EventSample]:
        """Events about the recording since the last call; except for a `note`, they are recorded already."""
        news, self._news = self._news, []
        return news

    def take(self, sample: Sample) -> None:
        """Record one sample, before anything else happens to it. Never raises on a full disk."""
        if self._closed:
            return
        if sample.at is not None:
            self._now = max(self._now, sample.at)
            if self._origin is None:
                now = datetime.datetime.now(datetime.UTC)
                self._origin = now - datetime.timedelta(seconds=sample.at)
                self._origin_at = time.monotonic() - sample.at
        self._tape.add(sample)
        self._try()

    def take_settings(self, read: HostSettings) -> None:
        """Record a host's settings if they are new. Never raises on a full disk.

        They are dated by the clock that dates the iterations, so that their order stays right even if the
        time of day is set meanwhile.
        """
        if not self._closed:
            self._settings.take(msgspec.structs.replace(read, taken=self._now_or(read.taken)))
            self._try()

    def take_hygiene(self, findings: HostFindings) -> None:
        """Record what was found on a host if it is new, and report what has changed. Never raises OSError.

        The findings are dated like the settings in which they were found.
        """
        if not self._closed:
            findings = msgspec.structs.replace(findings, taken=self._now_or(findings.taken))
            for text in self._hygiene.take(findings, changed_by_us=self.planned is not None):
                self._tell("note", f"{findings.host}: {text}")
            self._try()

    def _now_or(self, taken: str) -> str:
        """The time of day, by the clock that dates the iterations; `taken` before the first sample."""
        if self._origin is None:
            return taken
        return _iso(self._origin + datetime.timedelta(seconds=time.monotonic() - self._origin_at))

    def finished(self, iteration: Iteration, samples: tuple[Sample, ...], began: float) -> Iteration:
        """Save an iteration, whose blast began at `began` on the axis; returns it with its number and time.

        If it cannot be saved now, it has no number and its `saved` is False; once it is saved, the `saved`
        callback gets it.
        """
        when = self._origin and self._origin + datetime.timedelta(seconds=began)
        told = msgspec.structs.replace(
            iteration,
            began=_iso(when),
            saved=False,
            factors=self._factors,
            planned=self.planned,
            facts=self.facts,
        )
        logs = dict(self._logs())
        if messages := _messages(samples):
            logs["dmesg.txt"] = messages
        unsaved = Unsaved(told, self.case, b"".join(line(self._portable(one)) for one in samples), logs)
        if not self._waiting:
            try:
                return unsaved.write(self._writer)
            except (OSError, FwdtuiError) as error:
                self._failed(error)
        if self._closed or not self._waiting.add(unsaved):
            self._lose(unsaved)
        return told

    def ready(self, seconds: float) -> bool:
        """Whether everything is on disk and a blast of `seconds` can be saved, as far as can be known.

        If not, `problem` says why until it can; checked at most once a second.
        """
        now = time.monotonic()
        if self.problem and now < self._asked + _RETRY:
            return False
        self._asked = now
        return self._try() and self._has_room(self._expected(seconds))

    def _has_room(self, size: int) -> bool:
        try:
            self._writer.check_room(size)
        except OSError as error:
            if not self._no_room:
                why = f"{error.strerror or error}: no room for the next iteration"
                self._no_room = f"{self.folder}: {why}, which may need {opening.shown(size)}"
                self._tell(NOT_SAVED, self._no_room)
            return False
        if self._no_room:
            self._no_room = ""
            self._tell(SAVED, f"{self.folder}: there is room for the next iteration")
        return True

    def _expected(self, seconds: float) -> int:
        """Estimated bytes that a blast of `seconds` will need."""
        rate = self._tape.size / max(time.monotonic() - self._began, 1.0)
        return round(min(max(_ROOM_SHARE * rate * seconds, _ROOM_LEAST), _ROOM_MOST))

    def _try(self) -> bool:
        """Write what waits; after a failure only once a second. Returns whether all of it is on disk."""
        now = time.monotonic()
        if self._failing and now < self._tried + _RETRY:
            return False
        self._tried = now
        try:
            if self._failing or now >= self._looked + _RETRY:
                self._looked = now
                self._follow()
            self._tape.flush(self._reason, durable=bool(self._failing))
            self._renewed()
            for text in (*self._settings.flush(), *self._hygiene.flush()):
                self._tell("note", text)
            self._waiting.flush(self._writer, self._saved)
        except (OSError, FwdtuiError) as error:
            self._failed(error)
            return False
        if self._failing:
            self._cured()
        return True

    def _follow(self) -> None:
        changed = self._writer.follow()
        if changed is None or (changed.text == self.elsewhere and not changed.lost):
            return
        self.elsewhere = changed.text
        self._tell(NOT_SAVED, changed.text)
        if changed.lost:
            if changed.text not in self.lost:
                self.lost.append(changed.text)
            self._gone_until = time.monotonic() + 2 * _RETRY
            self._settings.again()
            self._hygiene.again()

    def _renewed(self) -> None:
        """Report, once, that the recording's file alone was removed.

        If it was removed with its session, that was already reported.
        """
        again, self._renewals = self._tape.again > self._renewals, self._tape.again
        if again and time.monotonic() >= self._gone_until:
            text = f"{self.folder}: the recording was deleted; it goes on in a new file"
            if text not in self.lost:
                self.lost.append(text)
            self._tell(NOT_SAVED, text)

    def drop(self, iteration: Iteration, reason: str) -> None:
        """Drop an iteration by means of an annotation; the recorded files stay as they are.

        Raises FwdtuiError, also for an iteration that is not saved yet, or OSError.
        """
        if not iteration.saved:
            raise FwdtuiError(f"this iteration is not saved yet ({self.problem}); try again when it is")
        drop(self.folder, self.case, iteration.index, reason)

    def spoil(self, iteration: Iteration, spoilt: Iteration) -> None:
        """Save `spoilt` instead of an iteration that still waits to be saved. What is lost stays lost."""
        self._waiting.spoil(iteration, spoilt)
        self._saved(iteration, spoilt)

    def _failed(self, error: Exception) -> None:
        self._reason = reason(error)
        problem = f"{self.folder}: {self._reason}: not everything is saved"
        if problem != self._failing:
            self._failing = problem
            self._tell(NOT_SAVED, problem)

    def _cured(self) -> None:
        self._failing = ""
        text = f"{self.folder}: can be written again; what had waited is saved"
        if self._tape.lost:
            text = f"{self.folder}: can be written again; {_samples(self._tape.lost)} are missing"
            self._lost_samples()
        self._tell(SAVED, text)

    def _lost_samples(self) -> None:
        self.lost.append(f"{_samples(self._tape.lost)} of the recording (no memory was left for them)")
        self._tape.lost = 0

    def _lose(self, one: Unsaved) -> None:
        value = "no value" if one.iteration.value is None else f"{one.iteration.value:.0f} pps"
        text = f"an iteration of {value}, which began at {one.iteration.began}"
        self.lost.append(text)
        self._tell(NOT_SAVED, f"{self.folder}: lost: {text}")

    def note(self, text: str) -> None:
        """Tell people something about the session; it is shown, but not recorded."""
        self._news.append(EventSample(self._now, "note", text))

    def _tell(self, code: str, text: str) -> None:
        event = EventSample(self._now, code, text)
        self._news.append(event)
        if not self._tape.full:
            self._tape.add(self._portable(event))

    def _portable(self, sample: Sample) -> Sample:
        """The sample as it is recorded: without the session's path, which our own events name.

        A session that is passed on must not say where its folder was.
        """
        if (
            not isinstance(sample, EventSample)
            or sample.host
            or sample.code not in (NOT_SAVED, SAVED, "note")
        ):
            return sample
        return msgspec.structs.replace(sample, text=sample.text.replace(f"{self.folder.parent}/", ""))

    def close(self) -> None:
        """Write what waits, and close; a second call does nothing. `lost` says what was not saved."""
        if self._closed:
            return
        if self._failing:
            self._tried = 0.0
            self._try()
        self._closed = True
        self._no_room = ""
        problem = None
        try:
            self._tape.close()
        except OSError as error:
            problem = error
        missing = self._tape.lost + self._tape.waiting  # counted before the events below are added
        self._renewed()
        if problem is not None:
            self._failed(problem)
        for one in self._waiting.taken():
            self._lose(one)
        if missing:
            self.lost.append(f"{_samples(missing)} of the recording")
        if self._settings.waiting:
            self.lost.append(f"the settings of {', '.join(self._settings.waiting)}")
        if self._hygiene.waiting:
            self.lost.append(f"the hygiene of {', '.join(self._hygiene.waiting)}")
        self._writer.close()


def _samples(count: int) -> str:
    return "1 sample" if count == 1 else f"{count} samples"


def _iso(when: datetime.datetime | None) -> str:
    # a reading of the settings and the blast after it may be within one second
    return when.isoformat(timespec="milliseconds") if when else ""


def _messages(samples: tuple[Sample, ...]) -> bytes:
    """The kernels' messages during the iteration."""
    lines = [
        f"{s.at:.3f} {s.host}: {s.text}\n"
        for s in samples
        if isinstance(s, EventSample) and s.code in ("dmesg", "link-down", "link-up")
    ]
    return "".join(lines).encode()


def _own(recorded: Mapping[str, FactorValue], stated: Mapping[str, FactorValue]) -> dict[str, FactorValue]:
    """The factors of `stated` that are not recorded, with the same level, with the session or the case."""
    known = {name: level(name, value).identity for name, value in recorded.items()}
    return {name: value for name, value in stated.items() if known.get(name) != level(name, value).identity}
