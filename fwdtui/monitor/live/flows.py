"""Builds the flows (offered, attack, dut in, forwarded, received) from ports' counters and tools' lines."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from copy import copy
from math import inf
from operator import attrgetter

from fwdtui.core.host_rates import HostRates, InterfaceRate
from fwdtui.core.lab import Endpoint, Lab
from fwdtui.core.model import EventSample, Fact, RateSample
from fwdtui.core.roles import ATTACK
from fwdtui.monitor.live.series import NewStore, Point, Series
from fwdtui.monitor.live.ticks import LATE_AFTER

FLOWS = ("offered", "attack", "dut in", "forwarded", "received")
"""The names of the flows. "offered" is wanted traffic only, "attack" the rest of what generators send; in the
other flows the two cannot be told apart."""
Added = tuple[str, Point]
_FEW = 600  # points that are kept of each part of a sum; more during a blast
_ABSENT = InterfaceRate("")
NO_COUNTER = "no counter"
"""Why a rate is not known if the host does not count it: the port is not there, or not there any more."""
MISSING = "a generator is missing"
"""Why the sum of several generators is not known."""
_RECEIVED = attrgetter("rx_pps", "rx_bps", "rx_count", "why")
_SENT = attrgetter("tx_pps", "tx_bps", "tx_count", "why")


class Flows:
    """The series of a run. Methods that add points return them in order, each with the name of its flow."""

    def __init__(
        self,
        lab: Lab,
        uncounted: frozenset[str],
        veths: frozenset[str],
        store: NewStore = list,
    ) -> None:
        self._lab = lab
        self._veths = veths
        self._uncounted = uncounted
        self._newest: dict[int, Point] = {}  # of each generator, by its place
        self._ended: set[int] = set()  # places of generators whose tools have ended
        self.series = {name: Series(store=store()) for name in FLOWS}
        self.parts: dict[str, dict[int, Series]] = {}
        """Flow -> place of a port or generator -> its points, for the flows that are sums.

        Only the value of an iteration needs them (refreshes.py), so few of them are kept.
        """
        for flow, places in self._sums():
            self.parts[flow] = {place: Series(_FEW, store()) for place in places}

    def fork(self) -> "Flows":
        """A copy with the same points."""
        twin = copy(self)
        twin._newest, twin._ended = self._newest.copy(), self._ended.copy()
        twin.series = {name: series.fork() for name, series in self.series.items()}
        twin.parts = {
            name: {place: series.fork() for place, series in parts.items()}
            for name, parts in self.parts.items()
        }
        return twin

    def _sums(self) -> Iterator[tuple[str, list[int]]]:
        """The flows that are sums of several ports or generators, and the places of these."""
        for flow, attacks in (("offered", False), ("attack", True)):
            places = [n for n, one in enumerate(self._lab.generators) if (one.role == ATTACK) == attacks]
            if len(places) > 1:
                yield flow, places
        for flow, names in (("dut in", self._lab.dut.inputs), ("forwarded", self._lab.dut.outputs)):
            if len(names) > 1:
                yield flow, list(range(len(names)))

    def keep(self, since: float) -> None:
        """Keep all points from this time on: they belong to a blast that is not over."""
        for series in (
            *self.series.values(),
            *(one for each in self.parts.values() for one in each.values()),
        ):
            series.held = since

    def interrupt(self) -> None:
        """The next points do not continue the previous ones."""
        self._newest.clear()
        self._ended.clear()

    def without_counter(self, flows: Iterable[str], late: float) -> set[str]:
        """Those of these flows that have not been known for `late` seconds because a port is not there.

        A single reading may lack the port, too: a slow one is left out.
        """

        def gone(series: Series) -> bool:
            newest = series.last
            if newest is None or newest.why != NO_COUNTER:
                return False
            return all(point.value is None for point in series.since(newest.at - late))

        return {
            flow for flow in flows if any(map(gone, (self.series[flow], *self.parts.get(flow, {}).values())))
        }

    def started(self, places: Collection[int]) -> None:
        """The tools of these generators were started: their rates are not known before their first lines."""
        self._ended.difference_update(places)
        for place in places:
            if self._lab.generators[place].tool in self._uncounted:
                self._newest.pop(place, None)

    def ended(self, places: Collection[int]) -> None:
        """The tools of these generators have ended, so that no line of them is still to come."""
        self._ended |= {place for place in places if self._lab.generators[place].tool in self._uncounted}

    def host(self, host: str, rates: HostRates) -> list[Added]:
        """Add the rates of this host's ports to the flows that they are part of."""
        added = []

        def ports(*names: str) -> list[InterfaceRate]:
            return [rates.interfaces.get(name, _ABSENT) for name in names]

        lab = self._lab
        sending: dict[str, int] = {}  # of each role the last of this host's generators
        for place, generator in enumerate(lab.generators):
            if generator.host == host and generator.tool not in self._uncounted:
                (port,) = ports(generator.interface)
                if f"{host}.{port.name}" in self._veths:
                    port = port.refused(rates.seconds)
                self._heard(place, _point(rates, [_SENT(port)]))
                sending[generator.role] = place
        # only after all ports of the host: a sum of one port's new rate and another's old one was never sent
        added += [self._generator(place, self._newest[place]) for place in sending.values()]
        if lab.dut.host == host:
            into, out = ports(*lab.dut.inputs), ports(*lab.dut.outputs)
            added.append(self._add("dut in", _point(rates, [_RECEIVED(port) for port in into])))
            added.append(self._add("forwarded", _point(rates, [_SENT(port) for port in out])))
            for place, series in self.parts.get("dut in", {}).items():
                series.add(_point(rates, [_RECEIVED(into[place])]))
            for place, series in self.parts.get("forwarded", {}).items():
                series.add(_point(rates, [_SENT(out[place])]))
        if lab.receiver and lab.receiver.host == host and lab.receiver.tool not in self._uncounted:
            (port,) = ports(lab.receiver.interface)
            added.append(self._add("received", _point(rates, [_RECEIVED(port)])))
        return added

    def tool(self, sample: RateSample, at: float) -> list[Added]:
        """Add a tool's own line, if the kernel's counters do not see its packets and bits.

        A line whose interval is not a positive length of time, which a plug-in may produce, is ignored.
        """
        if not 0.0 < sample.interval < inf:
            return []
        count = None if sample.packets is None else round(sample.packets)
        point = Point(at, sample.interval, sample.pps, count, bps=sample.bps)
        receiver = self._lab.receiver
        if sample.role == "receiver":
            if receiver and receiver.tool in self._uncounted and is_from(sample, receiver):
                return [self._add("received", point)]
            return []
        for place, generator in enumerate(self._lab.generators):
            if generator.tool in self._uncounted and is_from(sample, generator):
                self._heard(place, point)
                return [self._generator(place, point)]
        return []

    def _heard(self, place: int, point: Point) -> None:
        """Remember what one generator sends, for the sum over several generators."""
        self._newest[place] = point
        parts = self.parts.get(self._flow(place), {})
        if place in parts:
            parts[place].add(point)

    def _flow(self, place: int) -> str:
        return "attack" if self._lab.generators[place].role == ATTACK else "offered"

    def _generator(self, place: int, point: Point) -> Added:
        """Add one generator's rate, or the sum of the newest rates if several generators have its role."""
        generators = self._lab.generators
        role = generators[place].role
        alike = [number for number, one in enumerate(generators) if one.role == role]
        if len(alike) > 1:
            parts = [self._part(number, point) for number in alike]
            whole = _sum(part.value if part else None for part in parts)
            bits = _sum(part.bps if part else None for part in parts)
            why = "" if whole is not None else MISSING
            point = Point(point.at, point.seconds, whole, None, why, bits)
        return self._add(self._flow(place), point)

    def _part(self, place: int, newest: Point) -> Point | None:
        """What a generator sends while another one sends `newest`; None if it has not been heard lately.

        The last rate of a silent generator would go on making a sum that was never sent, for as long as the
        other one sends.
        """
        part = self._newest.get(place)
        if place in self._ended and (part is None or part.at <= newest.at - part.seconds):
            return Point(newest.at, newest.seconds, 0.0, bps=0.0)
        if part is None:
            return None
        late = LATE_AFTER * max(self._lab.interval, part.seconds)
        return part if newest.at - part.at <= late else None

    def _add(self, flow: str, point: Point) -> Added:
        self.series[flow].add(point)
        return flow, point


def is_from(sample: RateSample | EventSample, endpoint: Endpoint) -> bool:
    """Whether a tool's line, or the event of its start or end, belongs to this endpoint.

    A host may send on two ports, so the interface is compared, too.
    """
    return sample.host in ("", endpoint.host) and sample.interface in ("", endpoint.interface)


def _point(rates: HostRates, ports: Sequence[tuple[float | None, float | None, int | None, str]]) -> Point:
    """The sums of the ports' packets, bits and counts; each of the three may be missing separately."""
    value, bits, count = (
        ports[0][:3]
        if len(ports) == 1
        else (
            _sum(port[0] for port in ports),
            _sum(port[1] for port in ports),
            _sum(port[2] for port in ports),
        )
    )
    causes = [port[3] for port in ports if port[3]]
    why = rates.gap or ("" if value is not None else causes[0] if causes else NO_COUNTER)
    return Point(rates.at, rates.seconds, value, None if count is None else int(count), why, bits)


def _sum(values: Iterable[float | None]) -> float | None:
    """The sum; None if a part is missing, because the sum of the rest would be wrong."""
    known = list(values)
    return None if not known or None in known else sum(value for value in known if value is not None)


def veths(facts: Mapping[str, Fact]) -> list[str]:
    """Ports that count in tx_dropped what their other end refused, according to the drivers in the facts.

    Such as ``["gen.gen0"]``. They are veths, and taps (drivers/net/tun.c, tun_net_xmit), whose other end is
    an emulated machine's card.
    """
    return [
        key.removesuffix(".driver")
        for key, fact in facts.items()
        if key.endswith(".driver") and fact in ("veth", "tun")
    ]
