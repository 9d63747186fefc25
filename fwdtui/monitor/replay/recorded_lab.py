"""The lab in which a recording was made, so that a Monitor can draw it as it did live.

Sessions include their lab.toml. Older sessions have only facts, and imported logs only what their tools
printed. For these the lab is reconstructed, as far as offered, forwarded and received need it.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import count, pairwise
from statistics import median

import msgspec
import tomli_w

from fwdtui.collectors.tools.registry import named
from fwdtui.core.errors import FwdtuiError
from fwdtui.core.factors import level
from fwdtui.core.host_rates import is_fast
from fwdtui.core.lab import Dut, Endpoint, Lab, Run, parse
from fwdtui.core.model import Fact, HostSample, Iteration, RateSample, Sample, Session
from fwdtui.core.roles import ATTACK, WANTED
from fwdtui.monitor.live.flows import veths
from fwdtui.monitor.live.monitor import Finished, Monitor
from fwdtui.monitor.live.series import NewStore

IMPORTED_TOOL = "netmap-pkt-gen"  # the only tool whose bare logs are imported
_WARMUP = re.compile(r"samples of warm-up dropped \((\d+(?:\.\d+)?) s\)")
_ASKED = re.compile(r"A warm-up of (\d+(?:\.\d+)?) s was asked for")


def lab_of(session: Session, samples: Sequence[Sample]) -> Lab:
    """The lab of a session, from its lab.toml if that was recorded. Never raises.

    Without it: hosts and tools from the facts, interfaces and the interval from `samples`, the warm-up from
    the notes of its iterations' windows. For imported logs only the hosts' names are known.
    """
    if session.lab is not None:
        try:
            return parse(tomli_w.dumps(dict(session.lab)), f"{session.path}: lab")
        except (FwdtuiError, TypeError, ValueError):
            pass  # a newer or damaged lab: the facts and samples are still right
    if any(isinstance(sample, HostSample) for sample in samples):
        return _from_facts(session, samples)
    return _from_logs(session, samples)


def sent_by(lab: Lab, iteration: Iteration) -> tuple[Endpoint, ...]:
    """The generators of `lab` with what they sent in an iteration: the cells of an experiment may differ.

    An iteration has the facts that differ from the session's. If it has a command of its own, and nothing
    says the length of its frames, the length is not known. Without a line rate of its own it keeps the lab's,
    but only if its frames have the same length as the lab's, or neither length is known.
    """
    roles = ("generator" if number == 1 else f"generator{number}" for number in count(1))
    return tuple(_sent(end, role, iteration) for end, role in zip(lab.generators, roles, strict=False))


def _sent(end: Endpoint, role: str, iteration: Iteration) -> Endpoint:
    facts = iteration.facts
    command, frame = _text(facts, f"{role}.command", ""), _number(facts.get(f"{role}.frame"))
    rate = _number(facts.get(f"{role}.line_rate"))
    if not command and not {f"{role}.frame", f"{role}.line_rate"} & facts.keys():
        return end
    if frame is None and command and end.role != ATTACK:  # the factor is that of the wanted traffic
        size = level("frame_size", iteration.factors.get("frame_size", ""))
        frame = size.number if size.unit == "B" else None
    unknown = command or f"{role}.frame" in facts
    length = int(frame) if frame is not None else None if unknown else end.frame
    sent = msgspec.structs.replace(end, start=command or end.start, frame=length)
    if f"{role}.line_rate" not in facts and sent.sends == end.sends:
        rate = end.line_rate
    return msgspec.structs.replace(sent, line_rate=rate)


def on_link(generators: Iterable[Endpoint]) -> tuple[tuple[int | None, float | None], ...]:
    """What a screen shows of the generators: the frame length and the line rate of each."""
    return tuple((one.sends, one.line_rate) for one in generators)


def shown_lab(lab: Lab, iterations: Iterable[Iteration]) -> Lab:
    """The lab with which all of these iterations are shown: with what was sent, if that is the same in all.

    If it is not, the lab has no frame length, so that bits are shown as the hosts count them, and no line
    rate.
    """
    labs = [
        msgspec.structs.replace(lab, generators=sent)
        for sent in dict.fromkeys(sent_by(lab, one) for one in iterations)
    ]
    if len({on_link(one.generators) for one in labs}) < 2:
        return labs[0] if labs else lab
    unknown = (msgspec.structs.replace(one, frame=None, start=None, line_rate=None) for one in lab.generators)
    return msgspec.structs.replace(lab, generators=tuple(unknown))


def monitor_of(
    session: Session,
    samples: Sequence[Sample],
    *,
    finished: Finished | None = None,
    automatic: bool = True,
    remember: float = 30.0,
) -> Monitor:
    """A Monitor that counts in the same way as the one that took these samples live."""
    lab = lab_of(session, samples)
    return monitor_in(lab, session, finished=finished, automatic=automatic, remember=remember)


def monitor_in(
    lab: Lab,
    session: Session,
    *,
    finished: Finished | None = None,
    automatic: bool = True,
    remember: float = 30.0,
    store: NewStore = list,
) -> Monitor:
    """Like `monitor_of`, if the session's lab is known already."""
    return Monitor(
        lab,
        uncounted=_uncounted(lab, session.facts),
        veths=veths(session.facts),
        finished=finished,
        automatic=automatic,
        remember=remember,
        store=store,
    )


def placed(samples: Sequence[Sample]) -> tuple[Sample, ...]:
    """The samples of an iteration on one axis, in order of time.

    Samples of a recording are unchanged. Lines of imported logs have only their tool's own clock: the
    receiver's clock becomes the axis, and the generator's is moved so that both see traffic begin together.
    That is accurate to within one interval, which is enough to look at, and is never used for computing.
    """
    if all(sample.at is not None for sample in samples):
        return tuple(samples)
    lines = [s for s in samples if isinstance(s, RateSample) and s.at is None]
    begins: dict[tuple[str, str], float] = {}  # each log has its own clock
    for line in lines:
        if line.pps > 0:
            begins.setdefault((line.role, line.interface), line.t - line.interval)
    first = begins.get(("receiver", ""))
    whole: list[Sample] = []
    for line in lines:
        begin = begins.get((line.role, line.interface))
        shift = first - begin if first is not None and begin is not None else 0.0
        whole.append(msgspec.structs.replace(line, at=line.t + shift))
    whole += [sample for sample in samples if sample.at is not None]
    return tuple(sorted(whole, key=lambda sample: sample.at or 0.0))


def _uncounted(lab: Lab, facts: Mapping[str, Fact]) -> list[str]:
    """Tools whose own lines give their rate: as the recording says, or the installed tool.

    A tool of which neither says it is taken to be counted.
    """
    ends = {
        "generator" if place == 1 else f"generator{place}": one for place, one in enumerate(lab.generators, 1)
    }
    ends |= {"receiver": lab.receiver} if lab.receiver else {}
    tools = []
    for name, end in ends.items():
        counted = facts.get(f"{name}.counted")
        if not isinstance(counted, bool):
            try:
                counted = named(end.tool).counted
            except FwdtuiError:
                continue
        if not counted:
            tools.append(end.tool)
    return list(dict.fromkeys(tools))


def _from_logs(session: Session, samples: Sequence[Sample]) -> Lab:
    """The lab of imported logs, which have only tools' own lines, with a DUT that was not sampled."""
    roles = {sample.role for sample in samples if isinstance(sample, RateSample)}
    ports = {
        s.interface: ATTACK if s.attack else WANTED
        for s in samples
        if isinstance(s, RateSample) and s.role == "generator"
    }

    def end(role: str, port: str = "", sends: str = WANTED) -> Endpoint:
        host = _text(session.facts, f"{role}.host", role)
        return Endpoint(host, port or role, IMPORTED_TOOL, role=sends)

    return Lab(
        name=_text(session.facts, "lab", session.label),
        generators=tuple(end("generator", *port) for port in ports.items() or (("", WANTED),)),
        dut=Dut("dut", ("in",), ("out",)),
        receiver=end("receiver") if "receiver" in roles else None,
        interval=_interval([s.interval for s in samples if isinstance(s, RateSample)]),
        run=Run(warmup=0.0),
    )


def _from_facts(session: Session, samples: Sequence[Sample]) -> Lab:
    facts = session.facts
    ports = _ports(samples)
    inputs, outputs = _names(facts, "dut.in"), _names(facts, "dut.out")
    dut = next((host for host, seen in ports.items() if set(inputs) <= set(seen)), next(iter(ports)))
    taken: dict[str, set[str]] = {dut: {*inputs, *outputs}}
    generators = []
    for number in count(1):
        role = "generator" if number == 1 else f"generator{number}"
        if f"{role}.host" not in facts:
            break
        generators.append(_endpoint(facts, role, ports, taken, 1))
    if not generators:  # the sender was not recorded: only the DUT's input is known
        generators.append(Endpoint("generator", "generator"))
    receiver = _endpoint(facts, "receiver", ports, taken, 0) if "receiver.host" in facts else None
    return Lab(
        name=_text(facts, "lab", session.label),
        generators=tuple(generators),
        dut=Dut(dut, inputs, outputs),
        receiver=receiver,
        interval=_interval(_ticks(samples)),
        run=Run(warmup=_warmup(session)),
    )


def _endpoint(
    facts: Mapping[str, Fact],
    role: str,
    ports: Mapping[str, Mapping[str, tuple[int, int]]],
    taken: dict[str, set[str]],
    way: int,
) -> Endpoint:
    """The endpoint of a role; its interface is the unused one that sent (`way` 1) or received (0) most."""
    host = _text(facts, f"{role}.host", role)
    used = taken.setdefault(host, set())
    free = {name: moved[way] for name, moved in ports.get(host, {}).items() if name not in used}
    interface = max(free, key=lambda name: free[name]) if free else role
    used.add(interface)
    return Endpoint(
        host=host,
        interface=interface,
        tool=_text(facts, f"{role}.tool", "counters"),
        start=_text(facts, f"{role}.command", "") or None,
        line_rate=_number(facts.get(f"{role}.line_rate")),
        role=ATTACK if facts.get(f"{role}.role") == ATTACK else WANTED,
    )


def _ports(samples: Iterable[Sample]) -> dict[str, dict[str, tuple[int, int]]]:
    """Host -> interface -> packets (received, sent) over the recording."""
    first: dict[tuple[str, str], tuple[int, int]] = {}
    by_host: dict[str, dict[str, tuple[int, int]]] = {}
    for sample in samples:
        if not isinstance(sample, HostSample):
            continue
        seen = by_host.setdefault(sample.host, {})
        for row in sample.interfaces:
            now = row.rx_packets or 0, row.tx_packets or 0
            begin = first.setdefault((sample.host, row.name), now)
            seen[row.name] = now[0] - begin[0], now[1] - begin[1]
    return by_host


def _ticks(samples: Iterable[Sample]) -> list[float]:
    """Seconds between successive samples of the same host, for all hosts."""
    hosts: dict[str, list[float]] = {}
    for sample in samples:
        if isinstance(sample, HostSample) and is_fast(sample):
            hosts.setdefault(sample.host, []).append(sample.t)
    return [after - before for times in hosts.values() for before, after in pairwise(times)]


def _interval(intervals: Sequence[float]) -> float:
    """The usual interval, rounded to a tenth of a second: hosts have their own clocks."""
    known = [seconds for seconds in intervals if seconds > 0]
    return min(max(round(median(known), 1), 0.1), 10.0) if known else 1.0


def _warmup(session: Session) -> float:
    """The warm-up in seconds, from the notes of the iterations' windows: as requested, else as applied."""
    notes = [
        note
        for case in session.cases
        for iteration in case.iterations
        if iteration.window is not None
        for note in iteration.window.notes
    ]
    for pattern in (_ASKED, _WARMUP):
        if told := [float(match[1]) for note in notes if (match := pattern.search(note))]:
            return max(told)
    return 0.0


def _names(facts: Mapping[str, Fact], key: str) -> tuple[str, ...]:
    fact = facts.get(key)
    return tuple(fact) if isinstance(fact, list) else (fact,) if isinstance(fact, str) else ()


def _number(fact: Fact | None) -> float | None:
    return float(fact) if isinstance(fact, int | float) and not isinstance(fact, bool) else None


def _text(facts: Mapping[str, Fact], key: str, otherwise: str) -> str:
    fact = facts.get(key)
    return fact if isinstance(fact, str) and fact else otherwise
