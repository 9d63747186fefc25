"""The only place where samples of a host become rates: from each reading and the previous one of its kind.

Ports and cores come with every tick. Queues, netisr and the cards' own counters come with slow ticks, on some
systems in turns, so a tick's rates are shown together with the newest ones of each slow kind.
"""

from collections.abc import Collection
from copy import copy

import msgspec

from fwdtui.core.host_rates import FAST, HostRates, Kind, between, kinds, with_slow
from fwdtui.core.lab import Lab
from fwdtui.core.model import HostSample
from fwdtui.monitor.live.dut_rates import DutRates
from fwdtui.monitor.live.load_history import LoadHistory
from fwdtui.monitor.live.refusals import Refusals
from fwdtui.monitor.live.series import NewStore

LATE_AFTER = 3.0
"""Intervals without a sample that count as a gap, not just as a slow tick."""


class Ticks:
    """The newest reading of each host and kind, and the rates made from them."""

    def __init__(self, lab: Lab, store: NewStore = list, veths: Collection[str] = ()) -> None:
        """`veths`: the generators' ports that count what their peers refused."""
        self._lab = lab
        self._refusals = Refusals(lab, veths, LATE_AFTER * lab.interval)
        self._newest: dict[tuple[str, Kind], HostSample] = {}
        self._slow: dict[str, dict[Kind, HostRates]] = {}
        self._paired: set[tuple[str, Kind]] = set()  # kinds with at least two readings
        self._besides: dict[str, Kind] = {}  # what ticks read together with ports and cores
        self._missed: dict[tuple[str, Kind], float] = {}  # when a kind that had been read was gone
        self._set_back: set[str] = set()  # hosts whose clocks went back since their last sample
        self.dut = {FAST: DutRates()}
        """The DUT's rates of each kind; those of every tick (FAST) include gaps."""
        self.loads = LoadHistory(store)
        self._made: tuple[HostSample, HostSample, HostRates] | None = None  # two samples, and their rates

    def join(self, sample: HostSample) -> HostRates | None:
        """The rates that end with this sample, together with the newest rates of each slow kind.

        None if it makes no rates: it is the first sample of its host, or lacks what every tick reads (ports
        and cores).
        """
        rates = None
        read = kinds(sample)
        if not read:  # a slow tick that found nothing: the driver was unloaded
            self._slow.pop(sample.host, None)
            besides = FAST, self._besides.get(sample.host)
            gone = [key for key in self._newest if key[0] == sample.host and key[1] not in besides]
            self._missed |= dict.fromkeys(gone, sample.at)
        elif read == (FAST,):
            self._forget_unloaded(sample)
        elif FAST in read:
            self._besides[sample.host] = read[0]
        for kind in read:
            before = self._newest.get((sample.host, kind))
            self._newest[sample.host, kind] = sample
            if kind != FAST:
                self._join_slow(kind, before, sample)
            elif before is not None:
                rates = self._join_fast(before, sample)
        return rates

    def _forget_unloaded(self, sample: HostSample) -> None:
        """Drop what every tick of FreeBSD read besides and reads no longer: it would never change again."""
        kind, slow = self._besides.get(sample.host), self._slow.get(sample.host, {})
        if kind is not None:
            self._missed[sample.host, kind] = sample.at
        if kind in slow and sample.at - slow[kind].at > LATE_AFTER * slow[kind].seconds:
            del slow[kind]

    def _join_slow(self, kind: Kind, before: HostSample | None, sample: HostSample) -> None:
        slow = self._slow.get(sample.host, {})
        for other in [one for one in slow if one != kind and not set(one).isdisjoint(kind)]:
            del slow[other]  # its contents are now read as part of another kind: it would never change again
        if before is None:
            return
        rates = self._between(before, sample, None)
        self._paired.add((sample.host, kind))
        self._slow.setdefault(sample.host, {})[kind] = rates
        if sample.host == self._lab.dut.host and not rates.gap:
            self.dut.setdefault(kind, DutRates()).add(rates)
            self.loads.slow(rates)

    def _join_fast(self, before: HostSample, sample: HostSample) -> HostRates:
        host = sample.host
        rates = self._between(before, sample, LATE_AFTER * self._lab.interval)
        if host in self._set_back and not rates.gap:
            rates = HostRates(host, sample.at, max(sample.at - before.at, 0.0), gap="clock")
        self._set_back.discard(host)
        self._refusals.heard(rates)
        if host == self._lab.dut.host:
            rates = self._refusals.added(rates)
            self.dut[FAST].add(rates)
            self.loads.fast(rates)
        for slow in self._slow.get(host, {}).values():
            rates = with_slow(rates, slow)
        if host == self._lab.dut.host and not (rates.queues or rates.gap) and self._awaits_queues(host):
            rates = msgspec.structs.replace(rates, awaits_queues=True)
        return rates

    def _awaits_queues(self, host: str) -> bool:
        """Whether the host's queues were read only once so far, which makes no rates."""
        return any(
            whose == host
            and "queues" in kind
            and (whose, kind) not in self._paired
            and not self._is_over(host, kind, sample)
            for (whose, kind), sample in self._newest.items()
        )

    def _between(self, before: HostSample, after: HostSample, longest: float | None) -> HostRates:
        made = self._made
        if made is not None and made[0] is before and made[1] is after:
            # if every tick is also a slow one, both kinds end with the same two samples
            rates = made[2]
            if not rates.gap and (longest is None or rates.seconds < longest):
                return rates
        lab = self._lab
        inputs, outputs = (lab.dut.inputs, lab.dut.outputs) if after.host == lab.dut.host else ((), ())
        rates = between(
            before, after, inputs=inputs, outputs=outputs, longest=longest, line_rate=lab.all_line_rate
        )
        self._made = before, after, rates
        return rates

    def sends(self, lab: Lab) -> None:
        """Replace the lab with the same one whose line rate differs.

        The line rate distinguishes a counter that wraps from one that is reset.
        """
        self._lab = lab

    def clock_went_back(self, host: str) -> None:
        """The host's clock went back: its next sample does not continue the last one."""
        self._set_back.add(host)
        for key in [key for key in self._newest if key[0] == host and key[1] != FAST]:
            del self._newest[key]

    def reach(self, hosts: Collection[str], fast: float, slow: float) -> bool:
        """Whether all readings of these hosts have come as far as these times on the recording's axis.

        `fast`: the time for what every tick reads, `slow`: for slow kinds. A reading that no longer found
        anything of its kind counts, too.
        """
        return all(
            max(sample.at, self._missed.get((host, kind), sample.at)) >= (fast if kind == FAST else slow)
            for (host, kind), sample in self._newest.items()
            if host in hosts and not self._is_over(host, kind, sample)
        )

    def _is_over(self, host: str, kind: Kind, sample: HostSample) -> bool:
        """Whether what this kind reads has since been read as part of another kind."""
        return any(
            whose == host and not set(other).isdisjoint(kind) and newer.at > sample.at
            for (whose, other), newer in self._newest.items()
        )

    def interrupt(self) -> None:
        """The next samples do not continue the previous ones."""
        for held in (self._newest, self._slow, self._paired, self._besides, self._missed, self._set_back):
            held.clear()

    def forget(self, before: float) -> None:
        """Drop the DUT's rates from before this time."""
        for rates in self.dut.values():
            rates.forget(before)

    def fork(self) -> "Ticks":
        """A copy of these ticks."""
        twin = copy(self)
        twin._made = None
        twin._newest = self._newest.copy()
        twin._slow = {host: rates.copy() for host, rates in self._slow.items()}
        twin._besides, twin._missed = self._besides.copy(), self._missed.copy()
        twin._paired, twin._set_back = self._paired.copy(), self._set_back.copy()
        twin.dut = {kind: rates.fork() for kind, rates in self.dut.items()}
        twin.loads = self.loads.fork()
        twin._refusals = self._refusals.fork()
        return twin
