"""Rules about the processors of a Linux host."""

from collections.abc import Iterator

from fwdtui.core import cpu_list
from fwdtui.core.findings import NOISY, NOTE, WRONG
from fwdtui.core.hygiene.finding import Rule, Seen, Subject

CPUS = "processors"
"""The source of the settings that these rules read."""
KERNEL = "kernel configuration"
"""The source with the options that the kernel was built with."""
DEEP = 10
"""Microseconds of exit latency above which an idle state is deep: at 14.88 Mpps, 150 packets arrive in 10."""
_SYS = "/sys/devices/system/cpu"
_DEBUG = (
    "PROVE_LOCKING", "LOCKDEP", "DEBUG_LOCK_ALLOC", "LOCK_STAT", "KASAN", "KCSAN", "KMSAN", "KCOV",
    "SLUB_DEBUG_ON", "DEBUG_KMEMLEAK", "DEBUG_OBJECTS", "DEBUG_PAGEALLOC_ENABLE_DEFAULT", "GCOV_PROFILE_ALL",
)  # fmt: skip
"""Options of lib/Kconfig.debug that cost time for every packet, lock or allocation."""


def _on(values: dict[str, tuple[int, ...]], told: list[str]) -> str:
    return ", ".join(
        f"{value} on {cpu_list.named(cpus)}" if (cpus := values[value]) else value for value in told
    )


def _governor(subject: Subject) -> Iterator[Seen]:
    governors = cpu_list.unspread(subject.get(CPUS, "governor"))
    if others := [value for value in governors if value != "performance"]:
        yield Seen(
            f"the governor is {_on(governors, others)}",
            f"echo performance | tee {_SYS}/cpufreq/policy*/scaling_governor",
        )


def _turbo(subject: Subject) -> Iterator[Seen]:
    if subject.get(CPUS, "intel_pstate no_turbo") == "0":
        yield Seen("turbo is on", f"echo 1 >{_SYS}/intel_pstate/no_turbo")
    elif subject.get(CPUS, "cpufreq boost") == "1":
        yield Seen("boost is on", f"echo 0 >{_SYS}/cpufreq/boost")


def _idle_states(subject: Subject) -> Iterator[Seen]:
    deep = []
    limit = subject.number(CPUS, "idle latency limit, us")
    for key, text in subject.source(CPUS).values.items():
        name = key.removeprefix("idle state ")
        for value, cpus in cpu_list.unspread(text).items():
            latency, _, use = value.partition(" us, ")
            if name == key or use != "on" or not latency.isdecimal():
                continue
            if int(latency) > DEEP and (limit is None or int(latency) <= limit):
                deep.append(f"{name} ({latency} us{f', {cpu_list.named(cpus)}' if cpus else ''})")
    if deep:
        yield Seen(
            f"processors may sleep as deep as {', '.join(deep)}",
            f"for s in {_SYS}/cpu[0-9]*/cpuidle/state*; do "
            f'[ "$(cat $s/latency)" -le {DEEP} ] || echo 1 >$s/disable; done',
        )


def _smt(subject: Subject) -> Iterator[Seen]:
    if subject.get(CPUS, "SMT active") == "1":
        yield Seen("two threads share a core (SMT is active)", f"echo off >{_SYS}/smt/control")


def _throttled(subject: Subject) -> Iterator[Seen]:
    told = []
    for what in ("core", "package"):
        throttled = cpu_list.unspread(subject.get(CPUS, f"{what} throttled since boot"))
        if "yes" in throttled:
            told.append(what if not (cpus := throttled["yes"]) else f"{what} of {cpu_list.named(cpus)}")
    if told:
        yield Seen(
            f"it was too hot and was throttled since it booted ({', '.join(told)})", "dmesg | grep -i throttl"
        )


def _frequency(subject: Subject) -> Iterator[Seen]:
    highest = _by_cpu(subject, "highest frequency, kHz")
    allowed = _by_cpu(subject, "highest frequency allowed, kHz")
    firmware = _by_cpu(subject, "highest frequency by firmware, kHz")
    most, file, by_firmware = highest, "cpuinfo_max_freq", _below(firmware, highest)
    if _boost_on_top(subject):
        most, file, by_firmware = firmware, "bios_limit", ""
    elif subject.get(CPUS, "intel_pstate no_turbo") == "1":
        most = _without_turbo(allowed, highest)
    if by_user := _below(allowed, most):
        yield Seen(
            f"the frequency may not exceed {by_user}",
            f"for p in {_SYS}/cpufreq/policy*; do cat $p/{file} >$p/scaling_max_freq; done",
        )
    if by_firmware:
        yield Seen(
            f"the firmware limits the frequency to {by_firmware}", f"cat {_SYS}/cpufreq/policy*/bios_limit"
        )


def _boost_on_top(subject: Subject) -> bool:
    """Whether cpuinfo_max_freq includes the boost, unlike scaling_max_freq and bios_limit, which allow it.

    That is so in acpi_cpufreq_cpu_init() since Linux 5.11; a limit by the firmware then shows nowhere.
    """
    driver = cpu_list.unspread(subject.get(CPUS, "cpufreq driver"))
    return "acpi-cpufreq" in driver and "cpufreq boost" in subject.source(CPUS).values


def _without_turbo(allowed: dict[int, int], highest: dict[int, int]) -> dict[int, int]:
    """The highest frequency of each CPU while no_turbo is 1: the most that any CPU of its kind is allowed.

    intel_pstate lowers scaling_max_freq to what is left without turbo; cpuinfo_max_freq often stays.
    """
    kinds = {cpu: highest.get(cpu, highest.get(-1)) for cpu in allowed}
    return {
        cpu: max(limit for other, limit in allowed.items() if kinds[other] == kind)
        for cpu, kind in kinds.items()
    }


def _by_cpu(subject: Subject, key: str) -> dict[int, int]:
    """kHz by CPU; the key -1 stands for all CPUs."""
    values = cpu_list.unspread(subject.get(CPUS, key))
    return {cpu: int(value) for value, cpus in values.items() if value.isdecimal() for cpu in cpus or (-1,)}


def _below(limits: dict[int, int], highest: dict[int, int]) -> str:
    """The limits that are below the highest frequency: ``"2000 of 3600 MHz (CPUs 0-3)"``; "" if none is."""
    told: dict[tuple[int, int], list[int]] = {}
    for cpu in sorted({*limits, *highest}):
        limit, most = limits.get(cpu, limits.get(-1)), highest.get(cpu, highest.get(-1))
        if (
            limit is not None
            and most is not None
            and limit < most
            and (cpu >= 0 or not (limits.keys() | highest) - {-1})
        ):
            told.setdefault((limit, most), []).append(cpu)
    return ", ".join(
        f"{limit / 1000:.7g} of {most / 1000:.7g} MHz"
        + (f" ({cpu_list.named(cpus)})" if cpus != [-1] else "")
        for (limit, most), cpus in told.items()
    )


def _offline(subject: Subject) -> Iterator[Seen]:
    online = set(cpu_list.parse(subject.get(CPUS, "CPUs online")))
    away = set(cpu_list.parse(subject.get(CPUS, "CPUs present"))) - online
    if online and away and subject.get(CPUS, "SMT control") not in ("off", "forceoff"):
        yield Seen(
            f"offline: {cpu_list.named(away)}",
            f"for c in {' '.join(map(str, sorted(away)))}; do echo 1 >{_SYS}/cpu$c/online; done",
        )


def _irqbalance(subject: Subject) -> Iterator[Seen]:
    if subject.get(CPUS, "irqbalance") == "running":
        yield Seen("irqbalance is running", "systemctl stop irqbalance")


def _mitigations(subject: Subject) -> Iterator[Seen]:
    values = subject.source(CPUS).values
    told = []
    if "PTI" in values.get("vulnerability meltdown", ""):
        told.append("page table isolation")
    if (text := values.get("vulnerability retbleed", "")).startswith("Mitigation: "):
        told.append(f"retbleed: {text.removeprefix('Mitigation: ').partition(';')[0].lower()}")
    if told:
        yield Seen(
            f"the kernel mitigates weaknesses of the processor ({', '.join(told)})",
            f"grep . {_SYS}/vulnerabilities/*",
        )


def _debug(subject: Subject) -> Iterator[Seen]:
    options = subject.source(KERNEL).values
    if told := [name for name in _DEBUG if options.get(f"CONFIG_{name}") == "y"]:
        yield Seen(
            f"the kernel was built with {', '.join(told)}",
            "zgrep -E 'LOCKDEP|KASAN|PROVE_LOCKING' /proc/config.gz",
        )


RULES = (
    Rule(
        "throttled",
        WRONG,
        "thermal_throttle counts of a core or its package are above 0 since boot",
        "a throttled processor forwards less, for as long as it is hot",
        "Linux arch/x86/kernel/cpu/mce/therm_throt.c",
        _throttled,
    ),
    Rule(
        "kernel-debug",
        WRONG,
        f"the kernel's configuration has one of {', '.join(_DEBUG)}",
        "such a kernel checks every lock or allocation, and forwards a fraction of what others do",
        "Linux lib/Kconfig.debug",
        _debug,
    ),
    Rule(
        "governor",
        NOISY,
        "a CPU's cpufreq governor is not `performance`",
        "the frequency, and the rate with it, follows the load or is fixed below the highest",
        "Linux Documentation/admin-guide/pm/cpufreq.rst",
        _governor,
    ),
    Rule(
        "turbo",
        NOISY,
        "intel_pstate's no_turbo is 0, or cpufreq's boost is 1",
        "turbo lasts only as long as heat and power allow, so later iterations are slower",
        "Linux Documentation/admin-guide/pm/cpufreq.rst, The Frequency Boost Feature in Linux",
        _turbo,
    ),
    Rule(
        "idle-states",
        NOISY,
        f"an idle state with an exit latency above {DEEP} us may be entered, and /dev/cpu_dma_latency does"
        " not forbid it",
        "a core that must wake up first takes packets late, and its ring may overflow meanwhile",
        "Linux Documentation/admin-guide/pm/cpuidle.rst",
        _idle_states,
    ),
    Rule(
        "irqbalance",
        NOISY,
        "a process called irqbalance runs",
        "it moves interrupts between cores while a blast is measured",
        "Linux Documentation/networking/scaling.rst, RSS IRQ Configuration",
        _irqbalance,
    ),
    Rule(
        "cpus-offline",
        NOTE,
        "CPUs are present and not online, and SMT was not switched off",
        "drivers create fewer queues, so fewer cores forward",
        "Linux Documentation/core-api/cpu_hotplug.rst",
        _offline,
    ),
    Rule(
        "frequency-limit",
        NOTE,
        "scaling_max_freq or bios_limit is below cpuinfo_max_freq; where acpi-cpufreq has a boost, "
        "scaling_max_freq below bios_limit; where no_turbo is 1, below that of another CPU of its kind",
        "the rate is that of the limit, and comparable only at the same one",
        "Linux Documentation/admin-guide/pm/cpufreq.rst",
        _frequency,
    ),
    Rule(
        "smt",
        NOTE,
        "smt/active is 1",
        "queues on two threads of one core share it, so doubling the queues does not double the packets",
        "Linux Documentation/ABI/testing/sysfs-devices-system-cpu",
        _smt,
    ),
    Rule(
        "mitigations",
        NOTE,
        "page table isolation is on, or retbleed is mitigated",
        "they slow down each system call, interrupt or return; how much depends on kernel and processor",
        "Linux Documentation/admin-guide/hw-vuln/index.rst",
        _mitigations,
    ),
)
