"""Turns what a FreeBSD sampler printed into a sample. Pure: text in, structs out."""

import dataclasses
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from msgspec.structs import replace

from fwdtui.collectors import freebsd_script
from fwdtui.collectors.base import Readout, sample_of
from fwdtui.collectors.frames import MESSAGES, PLAIN, SLOW, Frame
from fwdtui.collectors.watch import Watch
from fwdtui.core.drop_stages import FREEBSD
from fwdtui.core.model import HostSample
from fwdtui.core.parse import (
    freebsd_clock,
    netisr,
    netstat_interfaces,
    sysctl,
    sysctl_oids,
    sysctl_queues,
    sysctl_stages,
    vmstat_i,
)
from fwdtui.core.parse.dmesg import cxgbe_ports
from fwdtui.core.parse.fields import Parsed, lines

_HZ = re.compile(r"\bhz = ([1-9][0-9]{0,5})\b")
_MICROSECOND = 1e-6
_BOOTTIME = "kern.boottime"
_REFUSED = "dmesg: "


@dataclass(frozen=True, slots=True)
class FreebsdHello:
    """What the sampler reported about itself and the host.

    `oids` are those that each plain tick asks for in addition to the constant ones; `soft` shows whether
    iflib's soft rings are in use; `ports` names cxgbe's interfaces; `grain` is the clock's granularity in
    seconds. `boot` is empty on releases before kern.boot_id: a reboot then shows as a smaller uptime.
    """

    boot: str = ""
    oids: tuple[str, ...] = ()
    soft: Mapping[str, str] = field(default_factory=dict)
    ports: Mapping[tuple[str, int], str] = field(default_factory=dict)
    grain: float = _MICROSECOND
    clock: str = ""  # "date" | "stat"


def read_hello(frame: Frame) -> FreebsdHello:
    """Reads the first frame."""
    kernel = sysctl.parse(frame.text("boot")).value
    clock = frame.text("clock").strip()
    hz = _HZ.search(kernel.values.get("kern.clockrate", ""))
    return FreebsdHello(
        boot=kernel.values.get("kern.boot_id", ""),
        oids=sysctl_oids.counters(_names(frame)),
        soft=sysctl.parse(frame.text("soft")).value.values,
        ports=cxgbe_ports(lines(frame.text("ports"))),
        # if date has no %N the clock is a pipe's time, which may be as coarse as a clock tick
        grain=_MICROSECOND if clock == "date" else 1 / int(hz[1]) if hz else 0.01,
        clock=clock,
    )


def _names(frame: Frame) -> tuple[str, ...]:
    """All names that a frame lists. Each plain tick asks for those that sysctl_oids.counters chooses."""
    return sysctl_oids.names(frame.text("names"))


def read_frame(
    frame: Frame,
    counters: Parsed[sysctl.Sysctls],
    hello: FreebsdHello,
    interfaces: tuple[str, ...],
    boottime: str,
) -> Readout:
    """Reads a frame of any other kind; `counters` is what `counters_of` returns for it.

    `boottime` is the last kern.boottime, for a frame without its own. Setting the clock also changes
    kern.boottime, so a frame must be read with the value that was current when it was printed.
    """
    skipped: list[str] = []
    values = counters.value.values
    boottime = values.get(_BOOTTIME, "") or boottime
    if frame.kind == PLAIN:
        skipped += counters.skipped
    before = _clock(frame.text("before"), boottime, skipped)
    after = _clock(frame.text("after"), boottime, skipped)
    begin, end = before.uptime_ns, after.uptime_ns
    sample = sample_of(
        frame,
        begin,
        end,
        boot=hello.boot,
        resolution=1.0 if before.coarse else hello.grain,
        wall=None if before.wall_ns is None else before.wall_ns / 1e9,
        counting=FREEBSD,
    )
    messages: str | None = None
    refused = ""
    if frame.kind == PLAIN:
        sample = _plain(sample, frame, values, hello, interfaces, skipped)
    elif frame.kind == MESSAGES:
        messages = frame.text("messages")
        if messages.startswith(_REFUSED) and len(lines(messages.strip())) == 1:
            refused, messages = messages.strip(), None
    else:
        sample = _slow(sample, frame, hello, skipped)
    return Readout(
        replace(sample, skipped=tuple(skipped)),
        None if begin is None else begin / 1e9,
        None if end is None else end / 1e9,
        messages=messages,
        refused=refused,
    )


def counters_of(frame: Frame, hello: FreebsdHello) -> Parsed[sysctl.Sysctls]:
    """The sysctl values of a frame: all counters in a plain frame, only kern.boottime in a slow one."""
    return sysctl.parse(frame.text("sysctl"), (*sysctl_oids.SAMPLE, *hello.oids))


def _clock(text: str, boottime: str, skipped: list[str]) -> freebsd_clock.ClockReading:
    parsed = freebsd_clock.parse(f"{text}\nkern.boottime={boottime}" if boottime else text)
    skipped += parsed.skipped
    return parsed.value


def _plain(
    sample: HostSample,
    frame: Frame,
    values: Mapping[str, str],
    hello: FreebsdHello,
    interfaces: tuple[str, ...],
    skipped: list[str],
) -> HostSample:
    table = netstat_interfaces.parse(frame.text("netstat"))
    cores = sysctl.cp_times(values.get("kern.cp_times", ""))
    queues = sysctl_queues.parse({**hello.soft, **values})
    stages = sysctl_stages.parse(values)
    skipped += [*table.skipped, *cores.skipped, *queues.skipped, *stages.skipped]
    rows = []
    for name in interfaces:
        # netstat -W cut names until FreeBSD 11, and kern.boot_id is newer than that
        row = netstat_interfaces.find(table.value, name, cuts=not hello.boot)
        if row is None:
            skipped.append(f"no interface {name}")
        else:
            rows.append(replace(row, name=name))
    return replace(
        sample,
        interfaces=tuple(rows),
        cpus=cores.value,
        queues=queues.value.rows,
        stages=stages.value,
    )


def _slow(sample: HostSample, frame: Frame, hello: FreebsdHello, skipped: list[str]) -> HostSample:
    work = netisr.parse(frame.text("netisr"))
    interrupts = vmstat_i.parse(frame.text("vmstat"), hello.ports)
    skipped += [*work.skipped, *interrupts.skipped]
    return replace(sample, netisr=work.value.rows, interrupts=interrupts.value)


class FreebsdSampling:
    """`base.Sampling` for FreeBSD.

    A driver that is attached again, or only after the sampler's start, may have other queues. It shows in the
    interfaces' index numbers, or in the number of sysctls that have a value; the next slow ticks then list
    all names again. A driver adds its names one by one, some of them after its interface exists, so they are
    listed until two lists in a row are equal.
    """

    messages = 1.0  # no other reading shows the state of a link: only the kernel's messages do

    def __init__(self, watch: Watch, token: str, interval: float) -> None:
        self._watch = watch
        self._boottime = ""
        self._answered: object = None  # of the last plain tick: how many values, and the interfaces' numbers
        self._relist = False
        self._listed: tuple[str, ...] | None = None  # the last list since the drivers changed
        self._unsent = False  # whether the sampler may still ask for the previous names
        self._sent: int | None = None  # the first plain tick whose line had the new names
        self.script = freebsd_script.script(watch.interfaces, token)
        self.hello = FreebsdHello()

    def greeting(self, frame: Frame) -> Sequence[bytes]:
        self.hello = read_hello(frame)
        return [f"O 0 {' '.join(self.hello.oids)}".encode()] if self.hello.oids else []

    def line(self, kind: str, seq: int) -> bytes:
        words = [kind, str(seq)]
        if kind == SLOW and self._relist:
            words.append("names")
        elif kind == PLAIN and self._unsent:
            # a line may fail to be sent: each tick's line has the names until one of these ticks is answered
            self._sent = seq if self._sent is None else self._sent
            words += self.hello.oids
        return " ".join(words).encode()

    def read(self, frame: Frame) -> Readout:
        counters = counters_of(frame, self.hello)
        self._boottime = counters.value.values.get(_BOOTTIME, "") or self._boottime
        readout = read_frame(frame, counters, self.hello, self._watch.interfaces, self._boottime)
        if frame.kind == PLAIN:
            self._heed_drivers(frame.seq, len(counters.value.values), readout.sample)
        elif "names" in frame.sections:
            self._heed_names(frame)
        return readout

    def _heed_drivers(self, seq: int, count: int, sample: HostSample) -> None:
        """Has the names listed again if the drivers may have changed since the last plain tick."""
        if self._sent is not None and seq >= self._sent:
            self._unsent, self._sent = False, None
        answered = count, tuple((row.name, row.link) for row in sample.interfaces)
        if self._answered not in (None, answered):
            self._relist, self._listed = True, None
        self._answered = answered

    def _heed_names(self, frame: Frame) -> None:
        names = _names(frame)
        self._relist, self._listed = names != self._listed, names
        oids = sysctl_oids.counters(names)
        if oids and oids != self.hello.oids:  # while there are none, the previous ones are still asked for
            self.hello = dataclasses.replace(self.hello, oids=oids)
            self._unsent, self._sent = True, None
