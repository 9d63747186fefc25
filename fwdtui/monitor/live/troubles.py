"""Which events make the value of an iteration doubtful: links, hosts and tools that failed.

Some are reported at another time than that of the blast. A tool that cannot start fails before the others
send. One that dies has stopped sending before its process ends. A connection counts as lost only after some
seconds without an answer.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise

from fwdtui.core.event_text import told
from fwdtui.core.host_rates import is_fast
from fwdtui.core.lab import Lab
from fwdtui.core.model import TOOL_ENDS, Caution, EventSample, HostSample, Iteration, Sample
from fwdtui.monitor.live.flows import is_from
from fwdtui.monitor.live.holes import measuring

NEAR = 1.0
"""Seconds around a blast in which an event belongs to the blast."""
LATER = 3.0
"""Seconds after a blast in which a change during the blast may still be reported."""
TROUBLES = {
    "link-down": "A link went down during the iteration",
    "host-lost": "A host was lost during the iteration",
    "reboot": "A host was rebooted during the iteration",
    "tool-failed": "A tool failed during the iteration",
}
"""Code of an event -> what the warning of its iteration says about it."""
_LACKING = "A tool had failed before the iteration began, so its packets are missing"
_REPEAT = "; repeat it."


def troubles(
    lab: Lab,
    iteration: Iteration,
    events: Sequence[EventSample],
    samples: Sequence[Sample],
    began: float,
    ended: float,
) -> list[Caution]:
    """Warnings about events that make the value doubtful. All times are on the recording's axis."""
    during = [event for event in events if began - NEAR <= event.at <= ended + NEAR]
    during += [*_lost_meanwhile(events, samples, ended), *_died_meanwhile(events, ended)]
    bearing = _bearing(lab, iteration, _within(iteration, during))
    told_of = [(_LACKING, event) for event in _lacking(lab, events, began)]
    told_of += [(TROUBLES[event.code], event) for event in bearing if event.code in TROUBLES]
    return [Caution(event.code, f"{what} ({told(event)}){_REPEAT}") for what, event in told_of]


def trouble(iteration: Iteration) -> str:
    """What failed first, in a sentence, if the iteration has a warning about it; empty if nothing failed.

    It does not ask for a repetition: what asks for it here repeats the iteration itself.
    """
    found = next((one.text for one in iteration.warnings if one.code in TROUBLES), "")
    return f"{found.removesuffix(_REPEAT)}." if found.endswith(_REPEAT) else found


def _lost_meanwhile(
    events: Iterable[EventSample], samples: Iterable[Sample], ended: float
) -> Iterator[EventSample]:
    """The later losses of hosts that gave no sample after the blast: it may have ended because they died."""
    last: dict[str, float] = {}
    for sample in samples:
        if isinstance(sample, HostSample) and is_fast(sample):
            last[sample.host] = max(last.get(sample.host, sample.at), sample.at)
    for event in events:
        if event.code == "host-lost" and event.at > ended + NEAR and last.get(event.host, ended) <= ended:
            yield event


def _died_meanwhile(events: Iterable[EventSample], ended: float) -> Iterator[EventSample]:
    """The failures, soon after the blast, of tools that had been started before its end."""
    for tool in _tools(events).values():
        for said, then in pairwise(tool):
            soon = ended + NEAR < then.at <= ended + LATER
            if soon and then.code == "tool-failed" and said.code == "tool-started" and said.at <= ended:
                yield then


def _lacking(lab: Lab, events: Iterable[EventSample], began: float) -> list[EventSample]:
    """The failures of tools without which the blast began, because a generator started beside them sent it.

    Where no generator of ours was running, somebody else sent it, for which our tools do not matter.
    """
    ends = [("generator", one) for one in lab.generators]
    ends += [("receiver", lab.receiver)] if lab.receiver else []
    before = (event for event in events if event.at < began - NEAR)
    newest = [said[-1] for said in _tools(before).values()]
    newest = [one for one in newest if any(one.role == role and is_from(one, end) for role, end in ends)]
    if not any(one.code == "tool-started" and one.role == "generator" for one in newest):
        return []
    return [one for one in newest if one.code == "tool-failed"]


def _tools(events: Iterable[EventSample]) -> dict[tuple[str, str, str], list[EventSample]]:
    """The starts and ends of each tool, in the order of time; recordings of old versions do not name it."""
    tools: dict[tuple[str, str, str], list[EventSample]] = {}
    for event in sorted(events, key=lambda event: event.at):
        if event.role and event.code in ("tool-started", *TOOL_ENDS):
            tools.setdefault((event.host, event.role, event.interface), []).append(event)
    return tools


def _within(iteration: Iteration, events: Iterable[EventSample]) -> list[EventSample]:
    """The events, without links that went down outside the window of the value.

    netmap resets a card when it opens it and when it gives it back (FreeBSD, sys/net/iflib.c,
    iflib_netmap_register), and so do some drivers when XDP is attached and detached (Linux, i40e_xdp_setup):
    its link goes down at both ends of a blast, for the port at the other end as well.
    """
    window = iteration.window
    if window is None or window.start is None or window.end is None:
        return list(events)
    start, end = window.start, window.end
    return [event for event in events if event.code != "link-down" or start <= event.at <= end]


def _bearing(lab: Lab, iteration: Iteration, events: Iterable[EventSample]) -> list[EventSample]:
    """The events that bear on the value.

    Links that the test's packets do not pass are left out: FreeBSD's kernel reports all its links. A lost
    host is left out if it neither sent nor measured the value (`holes` reports its missing samples): a
    saturated DUT may answer no one until the load ends. FreeBSD's iflib receives in threads of interrupt
    priority (sys/kern/subr_gtaskqueue.c, taskqgroup_cpu_create(): PI_SOFT), which run before sshd.
    """
    hosts = {measuring(lab, iteration), *(generator.host for generator in lab.generators)}

    def bears(event: EventSample) -> bool:
        if event.code == "link-down":
            return lab.may_pass(event.host, event.text.partition(":")[0])
        return event.code != "host-lost" or event.host in hosts

    return [event for event in events if bears(event)]
