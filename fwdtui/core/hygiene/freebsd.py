"""Rules about a FreeBSD host: sysctls, rc.conf, ifconfig and the kernel's configuration."""

import re
from collections.abc import Iterator

from fwdtui.core.findings import NOISY, NOTE, WRONG
from fwdtui.core.hygiene.finding import Rule, Seen, Subject
from fwdtui.core.parse.sysctl_oids import node

KERNEL = "kernel configuration"
"""The source with the options that the kernel was built with."""
_DEBUG = (
    "WITNESS",
    "INVARIANTS",
    "DIAGNOSTIC",
    "LOCK_PROFILING",
    "DEBUG_MEMGUARD",
    "DEBUG_REDZONE",
    "KASAN",
    "KMSAN",
)
_HARVESTED = {"NET_ETHER": 1 << 5, "INTERRUPT": 1 << 7}
"""Bits of kern.random.harvest.mask, according to enum random_entropy_source in sys/sys/random.h."""
_SENDS_REDIRECTS = 1_300_000
"""kern.osreldate of FreeBSD 13, whose ip_tryforward() sends redirects itself; ip6_tryforward() does not."""
_LOADER = "sysrc -f /boot/loader.conf"
_CX_LOWEST = re.compile(r"(?:hw\.acpi\.cpu|dev\.cpu\.[0-9]+)\.cx_lowest")
_CX_THERE = re.compile(r"dev\.cpu\.[0-9]+\.cx_supported")
_CX = re.compile(r"\bC([0-9]{1,2})/")
_FREQUENCY = re.compile(r"([0-9]{1,6})/-?[0-9]{1,9}")
_PAUSING = frozenset(("RX", "TX", "PAUSE_RX", "PAUSE_TX"))
"""Flags of cxgbe's pause_settings, ``7<RX,TX,AUTO>``; the longer ones are those of FreeBSD 11 and before."""
_COUNTS = re.compile(r"[0-9,\s]*[1-9][0-9,\s]*")


def _whole(text: str) -> int | None:
    return int(text) if text.isascii() and text.isdecimal() and len(text) <= 18 else None


def _devices(subject: Subject, interfaces: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    """Interfaces and their sysctls' node: igb0, dev.igb.0."""
    for interface in interfaces:
        if device := node(interface):
            yield interface, device


def _debug(subject: Subject) -> Iterator[Seen]:
    options = subject.source(KERNEL).values
    # with config -C the text has the included files as they are, also what the main file takes back
    told = [name for name in _DEBUG if f"options {name}" in options and f"nooptions {name}" not in options]
    if not told and subject.sysctl("debug.witness.watch") not in ("", "0", "-1"):
        told = ["WITNESS"]  # its sysctls exist only with the option
    if told:
        yield Seen(
            f"the kernel was built with {', '.join(told)}",
            "make -C /usr/src kernel KERNCONF=GENERIC-NODEBUG",
        )


def _fastforwarding(subject: Subject) -> Iterator[Seen]:
    if subject.forwards and subject.sysctl("net.inet.ip.fastforwarding") == "0":
        yield Seen("net.inet.ip.fastforwarding is 0", "sysctl net.inet.ip.fastforwarding=1")


def _redirects(subject: Subject) -> Iterator[Seen]:
    release = _whole(subject.sysctl("kern.osreldate"))
    before_13 = ("net.inet.ip.redirect",) if release is not None and release < _SENDS_REDIRECTS else ()
    for name in (*before_13, "net.inet6.ip6.redirect"):
        if subject.forwards and subject.sysctl(name) == "1":
            yield Seen(f"{name} is 1", f"sysctl {name}=0")


def _harvest(subject: Subject) -> Iterator[Seen]:
    mask = _whole(subject.sysctl("kern.random.harvest.mask"))
    symbols = subject.sysctl("kern.random.harvest.mask_symbolic")
    if symbols:  # [NET_ETHER] is switched off
        told = [name for name in _HARVESTED if name in symbols.split(",")]
    else:
        told = [name for name, bit in _HARVESTED.items() if mask is not None and mask & bit]
    if told:
        rest = 0b101011111 if mask is None else mask & ~sum(_HARVESTED.values())
        yield Seen(
            f"entropy is harvested from {' and '.join(told)}",
            f"sysrc harvest_mask={rest} && service random restart",
        )


def _netisr_threads(subject: Subject) -> Iterator[Seen]:
    policy, threads = subject.sysctl("net.isr.dispatch"), subject.sysctl("net.isr.numthreads")
    cpus = _whole(subject.sysctl("hw.ncpu")) or 0
    if policy in ("deferred", "hybrid") and threads == "1" and cpus > 1:
        yield Seen(
            f"net.isr.dispatch is {policy}, and one thread serves {cpus} CPUs",
            f"{_LOADER} net.isr.maxthreads=-1",
        )


def _netisr_bound(subject: Subject) -> Iterator[Seen]:
    policy, threads = subject.sysctl("net.isr.dispatch"), _whole(subject.sysctl("net.isr.numthreads")) or 0
    if policy in ("deferred", "hybrid") and threads > 1 and subject.sysctl("net.isr.bindthreads") == "0":
        yield Seen(f"the {threads} netisr threads are not bound to CPUs", f"{_LOADER} net.isr.bindthreads=1")


def _flow_control(subject: Subject) -> Iterator[Seen]:
    for interface, device in _devices(subject, subject.interfaces):
        setting = subject.sysctl(f"{device}.fc")
        chelsio = subject.sysctl(f"{device}.pause_settings")
        media = subject.get("ifconfig", f"{interface} media")
        told = [way for way in ("rxpause", "txpause") if way in re.split(r"[<>, ]", media)]
        if setting.partition("<")[0] not in ("", "0"):
            yield Seen(f"flow control is on ({device}.fc is {setting})", f"sysctl {device}.fc=0", interface)
        elif not _PAUSING.isdisjoint(re.split(r"[<>,]", chelsio)):
            yield Seen(f"flow control is on ({chelsio})", f"sysctl {device}.pause_settings=0", interface)
        elif told:
            yield Seen(
                f"flow control is on ({', '.join(told)})",
                f"ifconfig {interface} -mediaopt {','.join(told)}",
                interface,
            )


def _lro(subject: Subject) -> Iterator[Seen]:
    for interface in subject.ports:
        if "LRO" in subject.get("ifconfig", f"{interface} options").split(","):
            yield Seen("LRO is on", f"ifconfig {interface} -lro", interface)


def _tso(subject: Subject) -> Iterator[Seen]:
    for interface in subject.ports:
        options = subject.get("ifconfig", f"{interface} options").split(",")
        if told := [name for name in ("TSO4", "TSO6") if name in options]:
            yield Seen(f"{' and '.join(told)} is on", f"ifconfig {interface} -tso", interface)


def _powerd(subject: Subject) -> Iterator[Seen]:
    for name in ("powerd", "powerdxx"):
        # the last one first: of two files the one that is read later counts (load_rc_config() in rc.subr)
        files = (
            *(f"{place}/rc.conf.d/{name}" for place in ("/usr/local/etc", "/etc")),
            *("/etc/rc.conf.local", "/etc/rc.conf", "/etc/rc.conf.misc", "/etc/defaults/vendor.conf"),
        )
        said = next(filter(None, (subject.get(file, f"{name}_enable") for file in files)), "")
        if said.lower() in ("yes", "true", "on", "1"):
            yield Seen(f"rc.conf starts {name}", f"service {name} onestop")


def _idle_states(subject: Subject) -> Iterator[Seen]:
    sysctls = subject.source("sysctl").values
    lowest = {value for key, value in sysctls.items() if _CX_LOWEST.fullmatch(key)}
    # the limit is shown as it was set, even if the firmware has fewer states: C1/1/1 C2/2/80 (acpi_cpu.c)
    there = {
        number for key, value in sysctls.items() if _CX_THERE.fullmatch(key) for number in _CX.findall(value)
    }
    if there:
        most = max(map(int, there))
        lowest = {f"C{min(int(value[1:]), most)}" if value[1:].isdigit() else value for value in lowest}
    if deep := sorted(lowest - {"C1", ""}):
        yield Seen(f"processors may sleep as deep as {', '.join(deep)}", "sysctl hw.acpi.cpu.cx_lowest=C1")


def _levels(subject: Subject) -> tuple[int | None, int | None]:
    """The highest frequency that CPU 0 can keep, and the level that means turbo, in MHz; None: there is none.

    The firmware of Intel's processors lists turbo as one MHz more than the frequency that can be kept.
    """
    found = {int(match) for match in _FREQUENCY.findall(subject.sysctl("dev.cpu.0.freq_levels"))}
    levels = sorted(found, reverse=True)
    if len(levels) > 1 and levels[0] == levels[1] + 1:
        return levels[1], levels[0]
    return levels[0] if levels else None, None


def _turbo(subject: Subject) -> Iterator[Seen]:
    now, (kept, turbo) = _whole(subject.sysctl("dev.cpu.0.freq")), _levels(subject)
    if turbo is not None and now == turbo:
        yield Seen(
            f"CPU 0 runs at its turbo level ({turbo} MHz stands for any above {kept})",
            f"sysctl dev.cpu.0.freq={kept}",
        )


def _frequency(subject: Subject) -> Iterator[Seen]:
    now, (kept, _) = _whole(subject.sysctl("dev.cpu.0.freq")), _levels(subject)
    if now is not None and kept is not None and now < kept:
        yield Seen(f"CPU 0 runs at {now} of {kept} MHz", f"sysctl dev.cpu.0.freq={kept}")


def _smt(subject: Subject) -> Iterator[Seen]:
    threads = _whole(subject.sysctl("kern.smp.threads_per_core")) or 1
    if threads > 1 and subject.sysctl("machdep.hyperthreading_allowed") != "0":
        yield Seen(f"{threads} threads share a core", f"{_LOADER} machdep.hyperthreading_allowed=0")


def _mitigations(subject: Subject) -> Iterator[Seen]:
    if subject.sysctl("vm.pmap.pti") == "1":
        yield Seen("page table isolation is on (vm.pmap.pti is 1)", f"{_LOADER} vm.pmap.pti=0")
    for active, disable in (
        ("hw.ibrs_active", "hw.ibrs_disable"),
        ("machdep.mitigations.ibrs.active", "machdep.mitigations.ibrs.disable"),
    ):
        if subject.sysctl(active) == "1":
            yield Seen(f"IBRS is on ({active} is 1)", f"sysctl {disable}=1")
            break


def _iflib(subject: Subject) -> Iterator[Seen]:
    for interface, device in _devices(subject, subject.ports):
        prefix = f"{device}.iflib.override_"
        for name, value in subject.source("sysctl").values.items():
            # nrxds and ntxds are lists, one number for each ring of a queue
            if name.startswith(prefix) and _COUNTS.fullmatch(value):
                yield Seen(f"{name} is {value}", f"{_LOADER} -x {name}", interface)
        if subject.sysctl(f"{device}.iflib.disable_msix") == "1":
            name = f"{device}.iflib.disable_msix"
            yield Seen(f"{name} is 1, so there is one queue", f"{_LOADER} -x {name}", interface)


def _rss(subject: Subject) -> Iterator[Seen]:
    if "options RSS" in subject.source(KERNEL).values:
        yield Seen("the kernel was built with options RSS", "netstat -Q")


RULES = (
    Rule(
        "kernel-debug",
        WRONG,
        f"the kernel's configuration has one of {', '.join(_DEBUG)}, or debug.witness.watch is above 0",
        "such a kernel checks every lock, and forwards a fraction of what a release does",
        "witness(4); sys/conf/NOTES",
        _debug,
    ),
    Rule(
        "fastforwarding",
        NOISY,
        "net.inet.ip.fastforwarding exists (before FreeBSD 11) and is 0 on the DUT",
        "packets take the long way through ip_input() and ip_output()",
        "inet(4) of FreeBSD 10; sys/netinet/ip_fastfwd.c",
        _fastforwarding,
    ),
    Rule(
        "redirects",
        NOISY,
        "net.inet6.ip6.redirect is 1 on the DUT, or, before FreeBSD 13, net.inet.ip.redirect",
        "while redirects may be sent, no packet takes the fast path (except IPv4 since FreeBSD 13)",
        "sys/netinet/ip_input.c, the call of ip_tryforward(); sys/netinet6/ip6_input.c, of ip6_tryforward()",
        _redirects,
    ),
    Rule(
        "harvest",
        NOISY,
        "kern.random.harvest.mask has NET_ETHER or INTERRUPT",
        "each frame or interrupt pays for the random number generator",
        "random(4); sys/dev/random/random_harvestq.c",
        _harvest,
    ),
    Rule(
        "netisr-one-thread",
        NOISY,
        "net.isr.dispatch is deferred or hybrid with one thread, and there are more CPUs",
        "one core handles the packets of all queues",
        "netisr(9)",
        _netisr_threads,
    ),
    Rule(
        "netisr-unbound",
        NOISY,
        "net.isr.dispatch is deferred or hybrid, there are several threads, and net.isr.bindthreads is 0",
        "the scheduler moves them between cores while a blast is measured",
        "netisr(9)",
        _netisr_bound,
    ),
    Rule(
        "pause",
        NOISY,
        "dev.X.N.fc of a port of the lab is not 0, pause_settings has RX or TX, or its media has rxpause or "
        "txpause",
        "a full DUT makes the generator send less, so loss turns into a lower offered load",
        "ixgbe(4), cxgbe(4); IEEE 802.3 annex 31B",
        _flow_control,
    ),
    Rule(
        "lro",
        NOISY,
        "LRO is among the options of a port of the DUT",
        "a router must not merge packets; iflib leaves LRO out while forwarding is on, other drivers may not",
        "ifconfig(8); sys/net/iflib.c, iflib_check_lro_possible()",
        _lro,
    ),
    Rule(
        "powerd",
        NOISY,
        "rc.conf enables powerd or powerdxx",
        "the frequency follows the load, so the rate depends on what ran before",
        "powerd(8)",
        _powerd,
    ),
    Rule(
        "idle-states",
        NOISY,
        "cx_lowest of hw.acpi.cpu or of a processor is deeper than C1, "
        "and so is a state that it has (cx_supported)",
        "a core that must wake up first takes packets late, and its ring may overflow meanwhile",
        "acpi(4), hw.acpi.cpu.cx_lowest",
        _idle_states,
    ),
    Rule(
        "turbo",
        NOISY,
        "dev.cpu.0.freq is the highest of dev.cpu.0.freq_levels, and that is one MHz above the next one",
        "turbo lasts only as long as heat and power allow, so later iterations are slower",
        "cpufreq(4); _PSS of ACPI, as Intel's firmware fills it",
        _turbo,
    ),
    Rule(
        "frequency-limit",
        NOTE,
        "dev.cpu.0.freq is below the highest of dev.cpu.0.freq_levels that is not turbo",
        "the rate is that of this frequency, and comparable only at the same one",
        "cpufreq(4)",
        _frequency,
    ),
    Rule(
        "smt",
        NOTE,
        "kern.smp.threads_per_core is above 1 and machdep.hyperthreading_allowed is not 0",
        "queues on two threads of one core share it, so doubling the queues does not double the packets",
        "smp(4)",
        _smt,
    ),
    Rule(
        "mitigations",
        NOTE,
        "vm.pmap.pti or hw.ibrs_active (machdep.mitigations.ibrs.active) is 1",
        "they slow down each system call and interrupt; how much depends on release and processor",
        "mitigations(7)",
        _mitigations,
    ),
    Rule(
        "iflib-overrides",
        NOTE,
        "an iflib.override_ sysctl of a port of the DUT is not 0, or iflib.disable_msix is 1",
        "queues and rings are not what the driver would choose",
        "iflib(4)",
        _iflib,
    ),
    Rule(
        "tso",
        NOTE,
        "TSO4 or TSO6 is among the options of a port of the DUT",
        "packets that were merged leave as the card splits them; some firewalls and tunnels do not use TSO",
        "ifconfig(8)",
        _tso,
    ),
    Rule(
        "kernel-rss",
        NOTE,
        "the kernel's configuration has options RSS",
        "IP packets are dispatched to the core of their hash, whatever net.isr.dispatch says",
        "sys/net/rss_config.c; sys/netinet/ip_input.c, ip_nh",
        _rss,
    ),
)
