"""The state of each host: whether its samples arrive, its newest rates, and how old they are."""

from collections.abc import Iterator

import msgspec

from fwdtui.core.host_rates import HostRates
from fwdtui.core.lab import Lab
from fwdtui.core.model import EventSample, HostSample
from fwdtui.monitor.live.snapshot import HostView
from fwdtui.monitor.live.ticks import LATE_AFTER

SILENT = 1.0
"""A host's numbers are old after this many seconds without a sample, or LATE_AFTER intervals if longer."""


class Hosts:
    """The views of a lab's hosts; a host has no view until something is heard from it."""

    def __init__(self, lab: Lab) -> None:
        self._lab = lab
        self._views: dict[str, HostView] = {}

    def sampled(self, sample: HostSample, rates: HostRates | None) -> None:
        """Take a sample and the rates it made. If it made none, the previous rates stay."""
        old = self._views.get(sample.host)
        if rates is None and old is not None:
            rates = old.rates
        self._views[sample.host] = HostView(
            name=sample.host,
            roles=tuple(self._roles(sample.host)),
            up=True,
            since=old.since if old and old.up else sample.at,
            rates=rates,
            late=sample.late,
            last=max(sample.at, old.last) if old and old.last is not None else sample.at,
            boot=sample.boot,
        )

    def event(self, event: EventSample) -> None:
        """Take an event: a host is lost, is back, or is no longer sampled."""
        view = self._views.get(event.host)
        if view is not None and event.code in ("host-lost", "host-back", "failed"):
            self._views[event.host] = msgspec.structs.replace(
                view, up=event.code == "host-back", since=event.at, reason=event.text
            )
        elif view is None and event.code in ("host-lost", "failed") and event.host in self._lab.hosts():
            roles = tuple(self._roles(event.host))
            self._views[event.host] = HostView(event.host, roles, False, event.at, event.text)

    def get(self, name: str) -> HostView | None:
        """The newest view of one host; None if nothing was heard from it."""
        return self._views.get(name)

    def up(self) -> set[str]:
        """The hosts whose samples arrive."""
        return {name for name, view in self._views.items() if view.up}

    def lost(self) -> list[HostView]:
        """The hosts whose samples no longer arrive."""
        return [view for view in self._views.values() if not view.up]

    @property
    def sampled_any(self) -> bool:
        """Whether any host has ever given a sample."""
        return any(view.last is not None for view in self._views.values())

    @property
    def silence(self) -> float:
        """Seconds without a sample after which a host's numbers are old."""
        return max(SILENT, LATE_AFTER * self._lab.interval)

    def aged(self, name: str, now: float) -> HostView | None:
        """A host's view; if its samples stopped, with the age of its numbers; None if it has no view."""
        view = self._views.get(name)
        if view is None or view.last is None or now - view.last <= self.silence:
            return view
        return msgspec.structs.replace(view, old=now - view.last)

    def all_aged(self, now: float) -> tuple[HostView, ...]:
        """The views of all hosts that have one, in the lab's order."""
        return tuple(view for name in self._lab.hosts() if (view := self.aged(name, now)) is not None)

    def silent(self, now: float) -> dict[str, float]:
        """The hosts that are up but whose numbers are old, with the age in seconds."""
        return {view.name: view.old for view in self.all_aged(now) if view.up and view.old is not None}

    def fork(self) -> "Hosts":
        """A copy of these views."""
        twin = Hosts(self._lab)
        twin._views = self._views.copy()
        return twin

    def _roles(self, host: str) -> Iterator[str]:
        lab = self._lab
        if any(generator.host == host for generator in lab.generators):
            yield "generator"
        if lab.dut.host == host:
            yield "dut"
        if lab.receiver and lab.receiver.host == host:
            yield "receiver"
