"""Turns what a Linux sampler printed into a sample. Pure: text in, structs out."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from msgspec.structs import replace

from fwdtui.collectors import linux_messages, linux_script
from fwdtui.collectors.base import Followed, Readout, sample_of
from fwdtui.collectors.frames import MESSAGES, PLAIN, Frame
from fwdtui.collectors.watch import Watch
from fwdtui.core.counters import InterfaceCounters, QdiscRow, QueueCounters, StageCounter
from fwdtui.core.drop_stages import LINUX
from fwdtui.core.model import HostSample
from fwdtui.core.parse import state_changes
from fwdtui.core.parse.ethtool_stats import parse_ethtool_stats
from fwdtui.core.parse.fields import lines, whole
from fwdtui.core.parse.proc_clock import ClockReading, parse_boot_id, parse_timer_list, parse_uptime
from fwdtui.core.parse.proc_interrupts import parse_proc_interrupts
from fwdtui.core.parse.proc_net_dev import parse_proc_net_dev, parse_sysfs_statistics
from fwdtui.core.parse.proc_net_snmp import ip_counters, parse_proc_net_snmp, parse_proc_net_snmp6
from fwdtui.core.parse.proc_stat import parse_proc_stat
from fwdtui.core.parse.softnet import on_cores, parse_softnet_stat
from fwdtui.core.parse.tc_qdisc import parse_tc_qdisc

_LINK = {"up": True, "unknown": True, "down": False, "lowerlayerdown": False, "notpresent": False}
_YEAR_2001, _YEAR_2286 = 10**9, 10**10
_SEED_UNITS = (1, 10**6, 10**9)
"""Units per second in which an awk's seed may be the time since 1970.

It is in seconds; in newer mawk in nanoseconds, or in microseconds where there is no clock_gettime()
(initial_seed() in bi_funct.c). No number is a time between 2001 and 2286 in more than one of these units.
"""
_REFUSED = ("dmesg: ", "sh: ", "/bin/sh: ")


@dataclass(frozen=True, slots=True)
class LinuxHello:
    """What the sampler reported of itself. `owners`: bus device -> interface ("0000:01:00.0" -> "eth0").

    A device with several of the lab's interfaces is left out: both ports of a ConnectX-3 (mlx4) are one
    device, and its interrupts do not say which port they belong to.
    """

    boot: str = ""
    owners: Mapping[str, str] = field(default_factory=dict)
    tools: tuple[str, ...] = ()
    awk: str = ""
    clock: str = ""  # the file that the clock is read from


def read_hello(frame: Frame) -> LinuxHello:
    """Reads the first frame."""
    pairs = [pair for line in lines(frame.text("owners")) if len(pair := line.split()) == 2]
    ports = Counter(device for device, _ in pairs)
    return LinuxHello(
        boot=parse_boot_id(frame.text("boot_id")).value,
        owners={device: interface for device, interface in pairs if ports[device] == 1},
        tools=tuple(line for line in lines(frame.text("tools")) if line),
        awk=frame.text("awk").strip(),
        clock=frame.text("clock").strip(),
    )


def read_frame(frame: Frame, hello: LinuxHello, interfaces: tuple[str, ...]) -> Readout:
    """Reads a frame of any other kind. A missing interface is noted in `skipped`, never 0."""
    skipped: list[str] = []
    before = _clock(frame.text("before"), skipped)
    after = _clock(frame.text("after"), skipped)
    begin, end = before.nanoseconds, after.nanoseconds
    sample = sample_of(
        frame,
        begin,
        end,
        boot=hello.boot,
        resolution=before.resolution / 1e9,
        wall=_wall(frame.text("wall")),
        counting=LINUX,
    )
    messages: str | None = None
    refused = ""
    links: dict[str, bool] = {}
    downs: dict[str, int] = {}
    changes: tuple[str, ...] = ()
    if frame.kind == PLAIN:
        sample = _plain(sample, frame, interfaces, skipped)
    elif frame.kind == MESSAGES:
        messages = frame.text("messages")
        if messages.startswith(_REFUSED) and len(lines(messages.strip())) == 1:
            refused, messages = messages.strip(), None
    else:
        links, downs = _links(frame.text("links")), _downs(frame.text("links"))
        changed = state_changes.parse(frame.text("changes"))
        changes = changed.value
        skipped += changed.skipped
        sample = _slow(sample, frame, hello, interfaces, skipped)
    return Readout(
        replace(sample, skipped=tuple(skipped)),
        None if begin is None else begin / 1e9,
        None if end is None else end / 1e9,
        links,
        messages,
        refused,
        changes,
        downs,
    )


def _clock(text: str, skipped: list[str]) -> ClockReading:
    parsed = parse_timer_list(text) if text.startswith("now at") else parse_uptime(text)
    skipped += parsed.skipped
    return parsed.value


def _wall(text: str) -> float | None:
    """Seconds since 1970, from this awk's seed; None if that is not the time in one of _SEED_UNITS."""
    seed = whole(text.strip())
    if seed is None:
        return None
    return next((seed / unit for unit in _SEED_UNITS if _YEAR_2001 <= seed / unit < _YEAR_2286), None)


def _plain(sample: HostSample, frame: Frame, interfaces: tuple[str, ...], skipped: list[str]) -> HostSample:
    devices = parse_proc_net_dev(frame.text("dev"))
    softnet = parse_softnet_stat(frame.text("softnet"))
    stat = parse_proc_stat(frame.text("stat"))
    backlogs = on_cores(softnet.value, [row.cpu for row in stat.value.cpus])
    for parsed in (devices, softnet, stat, backlogs):
        skipped += parsed.skipped
    rows = []
    for name in interfaces:
        if name in devices.value:
            rows.append(_interface(devices.value[name], frame.text(f"sys {name}"), skipped))
        else:
            skipped.append(f"no interface {name}")
    return replace(
        sample,
        interfaces=tuple(rows),
        softnet=backlogs.value,
        cpus=stat.value.cpus,
    )


def _interface(row: InterfaceCounters, text: str, skipped: list[str]) -> InterfaceCounters:
    """/proc/net/dev's row, with missed frames separated from `rx_dropped` if /sys counts them separately."""
    pairs = [(pair[0], pair[1]) for line in lines(text) if len(pair := line.split()) == 2]
    parsed = parse_sysfs_statistics(row.name, pairs)
    skipped += parsed.skipped
    apart = parsed.value
    if apart.rx_missed is not None and apart.rx_dropped is not None:
        row = replace(row, rx_dropped=apart.rx_dropped, rx_missed=apart.rx_missed)
    index = dict(pairs).get("ifindex")
    return replace(row, link=whole(index)) if index is not None else row


def _slow(
    sample: HostSample, frame: Frame, hello: LinuxHello, interfaces: tuple[str, ...], skipped: list[str]
) -> HostSample:
    interrupts = parse_proc_interrupts(frame.text("interrupts"), hello.owners)
    snmp = parse_proc_net_snmp(frame.text("snmp"))
    snmp6 = parse_proc_net_snmp6(frame.text("snmp6"))
    skipped += [*interrupts.skipped, *snmp.skipped, *snmp6.skipped]
    forwarded = [ip_counters(snmp.value, 4).forwarded, ip_counters(snmp6.value, 6).forwarded]
    known = [count for count in forwarded if count is not None]
    queues: list[QueueCounters] = []
    stages: list[StageCounter] = []
    qdiscs: list[QdiscRow] = []
    for name in interfaces:
        driver = parse_ethtool_stats(frame.text(f"ethtool {name}"), name)
        # nothing reads what else a driver counts for a queue: 95 numbers each, and there may be hundreds
        queues += (replace(row, extra={}) for row in driver.value.queues)
        stages += driver.value.stages
        qdisc = parse_tc_qdisc(frame.text(f"qdisc {name}"), name)
        qdiscs += qdisc.value
        skipped += [f"{name}: {note}" for note in (*driver.skipped, *qdisc.skipped)]
    return replace(
        sample,
        interrupts=interrupts.value,
        queues=tuple(queues),
        stages=tuple(stages),
        qdiscs=tuple(qdiscs),
        forwarded=sum(known) if known else None,
    )


def _links(text: str) -> dict[str, bool]:
    """Lines such as ``eth0 up``; a state that is neither up nor down (testing, dormant) is left out."""
    pairs = (line.split() for line in lines(text))
    return {pair[0]: _LINK[pair[1]] for pair in pairs if len(pair) == 2 and pair[1] in _LINK}


def _downs(text: str) -> dict[str, int]:
    """Lines such as ``down eth0 3``: how often the interface has lost its carrier (Linux 4.16 or later)."""
    words = (line.split() for line in lines(text))
    counts = {word[1]: whole(word[2]) for word in words if len(word) == 3 and word[0] == "down"}
    return {name: count for name, count in counts.items() if count is not None}


class LinuxSampling:
    """`base.Sampling` and `base.Follows` for Linux."""

    # dmesg copies the whole buffer: the most expensive tick. Rare ones suffice until the messages are
    # followed, since each line has the kernel's own time and slow ticks report the links.
    messages = 10.0

    def __init__(self, watch: Watch, token: str, interval: float) -> None:
        self._watch = watch
        self._token = token
        self._ended = False
        self.script = linux_script.script(watch.interfaces, token, interval)
        self.hello = LinuxHello()

    def greeting(self, frame: Frame) -> Sequence[bytes]:
        self.hello = read_hello(frame)
        return ()

    def follow(self, messages: str) -> bytes | None:
        since = None if self._ended else linux_messages.last_time(messages)
        return None if since is None else f"K {since}".encode()

    def followed(self, line: bytes) -> Followed | None:
        said = linux_messages.said(line, self._token)
        self._ended = self._ended or (said is not None and said.ended)
        return said

    def line(self, kind: str, seq: int) -> bytes:
        return f"{kind} {seq}".encode()

    def read(self, frame: Frame) -> Readout:
        return read_frame(frame, self.hello, self._watch.interfaces)
