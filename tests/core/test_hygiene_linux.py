"""What Linux says of a host makes each rule speak or be silent, with the boundary between the two."""

from collections.abc import Iterable, Mapping
from typing import NamedTuple

import pytest
from fixtures import hardware

from fwdtui.core.findings import Finding
from fwdtui.core.host_settings import HostSettings, SettingsSource
from fwdtui.core.hygiene import linux_cpu, linux_nic, rules, unread
from fwdtui.core.hygiene.finding import Subject
from fwdtui.core.lab import parse
from fwdtui.core.settings_reading import source

KINDS = {
    "processors": "processors",
    "interrupts": "interrupts",
    "ethtool -n": "flow hash",
    "kernel": "kernel config, Linux",
    "ip addr": "ip addr",
}
QUIET = {
    "processors": """online:0-3
present:0-3
smt/active:0
smt/control:off
intel_pstate/no_turbo:1
cpufreq/policy0/scaling_governor:performance
cpufreq/policy0/affected_cpus:0 1 2 3
cpufreq/policy0/scaling_max_freq:3600000
cpufreq/policy0/cpuinfo_max_freq:3600000
cpu0/thermal_throttle/core_throttle_count:0
cpu0/thermal_throttle/package_throttle_count:0
cpu0/cpuidle/state0/name:POLL
cpu0/cpuidle/state0/latency:0
cpu0/cpuidle/state0/disable:0
../node/node0/cpulist:0-3
vulnerabilities/meltdown:Not affected
virtual machine:no
irqbalance:not running
""",
    "interrupts eth0": "/sys/devices/pci0000:00/0000:00:28.0/numa_node:0\n"
    + "".join(
        f"irq 4{n} eth0-TxRx-{n}\n4{n}/smp_affinity_list:{n}\n4{n}/effective_affinity_list:{n}\n"
        for n in range(4)
    ),
    "kernel configuration": "CONFIG_NET=y\n# CONFIG_KASAN is not set\n",
    "ethtool -a eth0": hardware.pause(),
    "ethtool -k eth0": hardware.features(),
    "ethtool -c eth0": hardware.coalescing(),
    "ethtool -g eth0": hardware.rings(512, 4096),
    "ethtool -l eth0": hardware.channels(4, 8),
    "ethtool -x eth0": hardware.indirection([0, 1, 2, 3] * 32, 4),
    "ethtool -n eth0": hardware.flow_hash() + hardware.flow_hash(flow="UDP over IPV6"),
}
"""A DUT of which no rule says anything."""


def kind_of(name: str) -> str:
    return next((kind for start, kind in KINDS.items() if name.startswith(start)), "ethtool")


def subject(
    texts: Mapping[str, str],
    *more: SettingsSource,
    roles: tuple[str, ...] = ("dut",),
    interface: str = "eth0",
) -> Subject:
    """The DUT with these texts in place of the quiet ones; `more` replaces whole sources."""
    instead = {one.name for one in more}
    sources = [
        source(kind_of(name), name, text) for name, text in {**QUIET, **texts}.items() if name not in instead
    ]
    ports = (interface,) if "dut" in roles else ()
    return Subject(HostSettings("h", "linux", roles, sources=(*sources, *more)), (interface,), ports)


def found(texts: Mapping[str, str], **options: object) -> list[Finding]:
    return list(rules.findings(subject(texts, **options)))  # type: ignore[arg-type]


def processors(*lines: str) -> dict[str, str]:
    """The quiet processors, with these lines in place of those of the same files."""
    files = dict(line.split(":", 1) for line in QUIET["processors"].splitlines())
    files |= dict(line.split(":", 1) for line in lines)
    return {"processors": "".join(f"{path}:{value}\n" for path, value in files.items())}


def served(*cpus: str, node: int = 0, names: str = "eth0-TxRx-{}") -> dict[str, str]:
    rows = [f"/sys/devices/pci0000:00/0000:00:28.0/numa_node:{node}\n"]
    for number, cpu in enumerate(cpus):
        name = names.format(number)
        rows.append(f"irq 4{number} {name}\n4{number}/smp_affinity_list:{cpu}\n")
        rows.append(f"4{number}/effective_affinity_list:{cpu}\n")
    return {"interrupts eth0": "".join(rows)}


def idle(latency: int, disable: int) -> dict[str, str]:
    state = "cpu0/cpuidle/state1"
    return processors(f"{state}/name:C6", f"{state}/latency:{latency}", f"{state}/disable:{disable}")


def with_limit(texts: Mapping[str, str], latency: int) -> dict[str, str]:
    """What these processors say while a program allows no more microseconds of latency."""
    return {"processors": f"{texts['processors']}idle latency limit:{latency}\n"}


TWO_NODES = processors("../node/node0/cpulist:0-1", "../node/node1/cpulist:2-3")
MERGING = {"generic_receive_offload": "on"}


class Case(NamedTuple):
    """`speaks`: texts and what is seen; `silent`: texts of which it says nothing, the boundary first."""

    code: str
    speaks: tuple[Mapping[str, str], str]
    silent: tuple[Mapping[str, str], ...]
    do: str = ""


CASES = (
    Case(
        "governor",
        (
            processors(
                "cpufreq/policy0/affected_cpus:0 1 2",
                "cpufreq/policy3/scaling_governor:powersave",
                "cpufreq/policy3/affected_cpus:3",
            ),
            "the governor is powersave on CPU 3",
        ),
        (processors("cpufreq/policy3/scaling_governor:performance"),),
        "echo performance | tee /sys/devices/system/cpu/cpufreq/policy*/scaling_governor",
    ),
    Case(
        "turbo",
        (processors("intel_pstate/no_turbo:0"), "turbo is on"),
        (processors("intel_pstate/no_turbo:1"), processors("intel_pstate/no_turbo:1", "cpufreq/boost:0")),
        "echo 1 >/sys/devices/system/cpu/intel_pstate/no_turbo",
    ),
    Case(
        "idle-states",
        (idle(11, 0), "processors may sleep as deep as C6 (11 us)"),
        (idle(10, 0), idle(133, 1), with_limit(idle(133, 0), 132)),
    ),
    Case(
        "smt",
        (processors("smt/active:1"), "two threads share a core (SMT is active)"),
        (processors("smt/active:0"),),
    ),
    Case(
        "throttled",
        (
            processors("cpu0/thermal_throttle/package_throttle_count:1"),
            "it was too hot and was throttled since it booted (package)",
        ),
        (processors("cpu0/thermal_throttle/package_throttle_count:0"),),
    ),
    Case(
        "frequency-limit",
        (
            processors("intel_pstate/no_turbo:0", "cpufreq/policy0/scaling_max_freq:3599999"),
            "the frequency may not exceed 3599.999 of 3600 MHz",
        ),
        (
            processors("intel_pstate/no_turbo:0", "cpufreq/policy0/scaling_max_freq:3600000"),
            processors("cpufreq/policy0/bios_limit:3600000"),
            # no_turbo lowers it by itself
            processors("cpufreq/policy0/scaling_max_freq:2400000"),
        ),
    ),
    Case(
        "cpus-offline",
        (processors("online:0-2", "smt/control:on"), "offline: CPU 3"),
        (processors("online:0-2"), processors("online:0-3", "smt/control:on")),
    ),
    Case(
        "irqbalance",
        (processors("irqbalance:running"), "irqbalance is running"),
        (processors("irqbalance:not running"),),
    ),
    Case(
        "mitigations",
        (
            processors("vulnerabilities/meltdown:Mitigation: PTI"),
            "the kernel mitigates weaknesses of the processor (page table isolation)",
        ),
        (
            processors("vulnerabilities/spectre_v1:Mitigation: usercopy/swapgs barriers"),
            processors("vulnerabilities/retbleed:Vulnerable"),
        ),
    ),
    Case(
        "kernel-debug",
        ({"kernel configuration": "CONFIG_KASAN=y\n"}, "the kernel was built with KASAN"),
        ({"kernel configuration": "CONFIG_HAVE_ARCH_KASAN=y\n# CONFIG_KASAN is not set\n"},),
    ),
    Case(
        "numa",
        (
            TWO_NODES | served("0", "1", "2"),
            "it is on NUMA node 0 (CPUs 0-1), and 1 of its 3 receive interrupts are served by CPU 2 "
            "of another",
        ),
        (TWO_NODES | served("0", "1"), TWO_NODES | served("2", "3", node=-1), served("2", "3")),
    ),
    Case(
        "irq-affinity",
        (
            served("1", "1", names="virtio0-input.{}"),
            "2 of its 2 receive interrupts are served by CPU 1, although there are 4 CPUs",
        ),
        (served("0", "1", "2", "3", "0"), served("2"), served("1", "1", names="virtio0-output.{}")),
        "set -- 0 1; for i in $(grep -F virtio0-input. /proc/interrupts | cut -d: -f1); do "
        'echo $1 >/proc/irq/$i/smp_affinity_list; set -- "$@" $1; shift; done',
    ),
    Case(
        "pause",
        ({"ethtool -a eth0": hardware.pause(tx="on")}, "flow control is on (tx)"),
        (
            {"ethtool -a eth0": hardware.pause("on", "on", negotiated=("off", "off"))},
            {"ethtool -a eth0": hardware.pause()},
        ),
        # i40e and ice refuse the first where the link was negotiated, ixgbe does not heed the second there
        "ethtool -A eth0 autoneg off rx off tx off || ethtool -A eth0 rx off tx off",
    ),
    Case(
        "lro",
        ({"ethtool -k eth0": hardware.features(large_receive_offload="on [fixed]")}, "LRO is on"),
        ({"ethtool -k eth0": hardware.features(large_receive_offload="off [requested on]")},),
        "ethtool -K eth0 lro off",
    ),
    Case(
        "gro-udp",
        ({"ethtool -k eth0": hardware.features(rx_gro_list="on")}, "UDP packets are merged (rx-gro-list)"),
        ({"ethtool -k eth0": hardware.features(**MERGING)},),
        "ethtool -K eth0 rx-gro-list off",
    ),
    Case(
        "gro",
        ({"ethtool -k eth0": hardware.features(**MERGING)}, "GRO is on"),
        ({"ethtool -k eth0": hardware.features(generic_segmentation_offload="on")},),
        "ethtool -K eth0 gro off",
    ),
    Case(
        "tso",
        (
            {"ethtool -k eth0": hardware.features(tcp_segmentation_offload="on", **MERGING)},
            "TSO is on, and splits again what was merged on input",
        ),
        ({"ethtool -k eth0": hardware.features(tcp_segmentation_offload="on")},),
        "ethtool -K eth0 tso off gso off",
    ),
    Case(
        "rss-fields",
        (
            {"ethtool -n eth0": hardware.flow_hash(ports=False)},
            "udp4 packets choose their queue without their source port and destination port",
        ),
        (
            {"ethtool -n eth0": hardware.flow_hash()},
            {"ethtool -n eth0": hardware.flow_hash(ports=False), "ethtool -l eth0": hardware.channels(1, 8)},
            {"ethtool -n eth0": "UDP over IPV4 flows use these fields for computing Hash flow key:\nNone\n"},
        ),
        "ethtool -N eth0 rx-flow-hash udp4 sdfn",
    ),
    Case(
        "rss-table",
        ({"ethtool -x eth0": hardware.indirection([0, 1] * 64, 4)}, "RSS uses only 2 of 4 queues"),
        (
            {
                "ethtool -x eth0": hardware.indirection([0, 1, 2] * 3 + [0], 3),
                "ethtool -l eth0": hardware.channels(3, 8),
            },
            {
                "ethtool -x eth0": hardware.indirection([0] * 128, 1),
                "ethtool -l eth0": hardware.channels(1, 1),
            },
        ),
        "ethtool -X eth0 equal 4",
    ),
    Case(
        "queues",
        (
            {"ethtool -l eth0": hardware.channels(3, 8)},
            "it has 3 receive queues; the card could have 8, and there are 4 CPUs",
        ),
        ({"ethtool -l eth0": hardware.channels(4, 8)}, {"ethtool -l eth0": hardware.channels(2, 2)}),
        "ethtool -L eth0 combined 4",
    ),
    Case(
        "rings",
        (
            {"ethtool -g eth0": hardware.rings(511, 4096)},
            "its receive rings have 511 descriptors; the card could have 4096",
        ),
        ({"ethtool -g eth0": hardware.rings(512, 4096)}, {"ethtool -g eth0": hardware.rings(256, 256)}),
        "ethtool -G eth0 rx 1024",
    ),
    Case(
        "coalescing-adaptive",
        ({"ethtool -c eth0": hardware.coalescing(adaptive="on")}, "its interrupt rate adapts itself"),
        ({"ethtool -c eth0": hardware.coalescing(adaptive="off")},),
        "ethtool -C eth0 adaptive-rx off",
    ),
    Case(
        "coalescing-long",
        (
            {"ethtool -c eth0": hardware.coalescing(rx_usecs=250)},
            "an interrupt waits 250 us for more packets",
        ),
        (
            {"ethtool -c eth0": hardware.coalescing(rx_usecs=249)},
            {"ethtool -c eth0": hardware.coalescing(rx_usecs="n/a")},
        ),
        "ethtool -C eth0 rx-usecs 50",
    ),
)


def by_code(findings: Iterable[Finding]) -> dict[str, list[Finding]]:
    codes: dict[str, list[Finding]] = {}
    for one in findings:
        codes.setdefault(one.code, []).append(one)
    return codes


def test_every_rule_has_its_case() -> None:
    assert sorted(case.code for case in CASES) == sorted(rule.code for rule in rules.RULES["linux"])


def test_of_a_clean_host_nothing_is_said() -> None:
    assert found({}) == []


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.code)
def test_a_rule_speaks(case: Case) -> None:
    texts, seen = case.speaks
    (finding,) = by_code(found(texts))[case.code]
    assert finding.seen == seen
    assert finding.why and finding.source and finding.do
    if case.do:
        assert finding.do == case.do


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.code)
def test_a_rule_is_silent(case: Case) -> None:
    for texts in case.silent:
        assert case.code not in by_code(found(texts))


def test_a_generator_may_merge_packets_but_not_pause() -> None:
    texts = {
        "ethtool -k eth0": hardware.features(large_receive_offload="on", **MERGING),
        "ethtool -a eth0": hardware.pause("on", "on"),
    }
    assert list(by_code(found(texts, roles=("generator",)))) == ["pause"]


def test_the_interrupts_of_other_cards_are_not_assigned_with_those_of_one() -> None:
    """The names of mlx5's begin alike for all its cards, and end with the port's own address."""
    texts = served(*["1"] * 12, names="mlx5_comp{}@pci:0000:01:00.1")
    (finding,) = by_code(found(texts))["irq-affinity"]
    assert finding.do.startswith(
        "set -- 0 1 2 3; for i in $(grep -F mlx5_comp /proc/interrupts | grep -F @pci:0000:01:00.1 | cut "
    )


def test_the_interrupts_of_a_cards_other_port_are_not_those_of_this_one() -> None:
    """The ports of a cxgb4 are one PCI function, and each CPU may have a queue of both."""
    mine, others = (served("0", "1", names=f"eth{port}-Rx{{}}")["interrupts eth0"] for port in (0, 1))
    two_ports = mine + others.replace("irq 4", "irq 5").replace("\n4", "\n5")
    four_cpus = processors("online:0-3")
    assert found({"interrupts eth0": two_ports} | four_cpus) == []
    both_on_one = two_ports.replace("41/smp_affinity_list:1", "41/smp_affinity_list:0")
    both_on_one = both_on_one.replace("41/effective_affinity_list:1", "41/effective_affinity_list:0")
    (finding,) = found({"interrupts eth0": both_on_one} | four_cpus)
    assert finding.seen == "2 of its 2 receive interrupts are served by CPU 0, although there are 4 CPUs"
    assert "grep -F eth0-Rx /proc" in finding.do


def test_an_interrupt_that_has_not_moved_yet_is_where_it_may_be() -> None:
    moved = "irq 40 eth0-rx-0\n40/smp_affinity_list:1\n40/effective_affinity_list:0\n"
    other = "irq 41 eth0-rx-1\n41/smp_affinity_list:1\n41/effective_affinity_list:1\n"
    assert list(by_code(found({"interrupts eth0": moved + other}))) == ["irq-affinity"]
    old = "irq 40 eth0-rx-0\n40/smp_affinity_list:1\nirq 41 eth0-rx-1\n41/smp_affinity_list:0-3\n"
    assert found({"interrupts eth0": old}) == []  # where the second one is, nobody says


def test_the_worst_comes_first() -> None:
    texts = processors("smt/active:1", "irqbalance:running") | {
        "ethtool -k eth0": hardware.features(large_receive_offload="on")
    }
    assert [one.severity for one in found(texts)] == ["wrong", "noisy", "note"]


def test_both_limits_of_the_frequency_are_told_where_they_differ_between_cpus() -> None:
    texts = processors(
        "cpufreq/policy0/affected_cpus:0 1",
        "cpufreq/policy2/affected_cpus:2 3",
        "cpufreq/policy2/scaling_governor:performance",
        "cpufreq/policy2/cpuinfo_max_freq:3600000",
        "cpufreq/policy2/scaling_max_freq:2400000",
        "cpufreq/policy0/bios_limit:3000000",
        "cpufreq/policy2/bios_limit:3600000",
    )
    assert [one.seen for one in by_code(found(texts))["frequency-limit"]] == [
        "the frequency may not exceed 2400 of 3600 MHz (CPUs 2-3)",
        "the firmware limits the frequency to 3000 of 3600 MHz (CPUs 0-1)",
    ]


BOOSTING = (
    "intel_pstate/no_turbo:0",
    "cpufreq/boost:1",
    "cpufreq/policy0/scaling_driver:acpi-cpufreq",
    "cpufreq/policy0/cpuinfo_max_freq:3529052",
    "cpufreq/policy0/bios_limit:2450000",
)
"""An EPYC: since Linux 5.11 acpi-cpufreq adds the boost to the highest frequency alone."""


def test_a_boost_that_only_the_highest_frequency_has_is_no_limit() -> None:
    """Of a host with its defaults it was said that somebody, and the firmware, limit the frequency."""
    at_most = "cpufreq/policy0/scaling_max_freq:{}".format
    assert "frequency-limit" not in by_code(found(processors(*BOOSTING, at_most(2450000))))
    (finding,) = by_code(found(processors(*BOOSTING, at_most(2000000))))["frequency-limit"]
    assert finding.seen == "the frequency may not exceed 2000 of 2450 MHz"
    assert "cat $p/bios_limit >$p/scaling_max_freq" in finding.do
    # a processor without one
    texts = processors(*BOOSTING, at_most(2450000))
    texts["processors"] = texts["processors"].replace("cpufreq/boost:1\n", "")
    assert [one.seen for one in by_code(found(texts))["frequency-limit"]] == [
        "the frequency may not exceed 2450 of 3529.052 MHz",
        "the firmware limits the frequency to 2450 of 3529.052 MHz",
    ]


def test_without_turbo_a_limit_shows_beside_another_cpu_of_the_same_kind() -> None:
    texts = processors(
        "cpufreq/policy0/affected_cpus:0 1",
        "cpufreq/policy0/scaling_max_freq:2400000",
        "cpufreq/policy2/affected_cpus:2",
        "cpufreq/policy2/scaling_governor:performance",
        "cpufreq/policy2/cpuinfo_max_freq:3600000",
        "cpufreq/policy2/scaling_max_freq:1200000",
        # an efficient core
        "cpufreq/policy3/affected_cpus:3",
        "cpufreq/policy3/scaling_governor:performance",
        "cpufreq/policy3/cpuinfo_max_freq:2600000",
        "cpufreq/policy3/scaling_max_freq:1800000",
    )
    assert [one.seen for one in by_code(found(texts))["frequency-limit"]] == [
        "the frequency may not exceed 1200 of 2400 MHz (CPU 2)"
    ]


# what is not there, what cannot be read, and machines that are not real

ONLY = "online:0-1\npresent:0-1\nvirtual machine:{}\nirqbalance:not running\n"


def test_what_is_not_there_is_told_once_and_is_not_what_cannot_be_read() -> None:
    texts = {"processors": ONLY.format("no")}
    refused = SettingsSource("ethtool -c eth0", missing="not installed")
    told = [
        (one.code, one.seen)
        for one in rules.findings(
            subject(texts, refused, SettingsSource("ethtool -a eth0", missing="not supported"))
        )
    ]
    assert told == [
        (unread.NOT_READ, "cannot be read: of eth0: coalescing (not installed)"),
        (
            unread.NOT_THERE,
            "not present, so not checked: governor, turbo, throttling, idle states; of eth0: pause frames",
        ),
    ]


def test_a_limit_of_latency_that_allows_the_state_keeps_nobody_from_sleeping() -> None:
    for limit in (133, 200):
        (one,) = found(with_limit(idle(133, 0), limit))
        assert (one.code, one.seen) == ("idle-states", "processors may sleep as deep as C6 (133 us)")


def test_a_boost_that_the_driver_does_not_show_is_not_told_as_none() -> None:
    files = [line for line in QUIET["processors"].splitlines() if "no_turbo" not in line]
    texts = "\n".join([*files, "cpufreq/policy0/scaling_driver:amd-pstate{}\n"])
    told = "cannot be read: turbo (amd-pstate-epp of this kernel does not show it)"
    for name in (texts.format("-epp"), texts.format("-epp").replace("amd-pstate-epp", "amd_pstate_epp")):
        (one,) = found({"processors": name})
        assert (one.code, one.seen, one.do) == (unread.NOT_READ, told, "")
    (one,) = found({"processors": texts.format("")})
    assert (one.code, one.seen) == (unread.NOT_THERE, "not present, so not checked: turbo")
    assert found({"processors": texts.format("-epp") + "cpufreq/boost:0\n"}) == []


@pytest.mark.parametrize(
    ("interface", "heads", "place"),
    [
        ("eth0.5", "7: eth0.5@eth0: <UP> mtu 1500\n    vlan protocol 802.1Q id 5\n", "eth0.5 (on eth0)"),
        (
            "bond0",
            "2: eth1: <UP> mtu 1500 master bond0\n3: eth2: <UP> mtu 1500 master bond0\n"
            "4: eth3: <UP> mtu 1500 master br0\n5: bond0: <UP> mtu 1500\n    bond mode 802.3ad\n",
            "bond0 (on eth1, eth2)",
        ),
        ("veth0", "9: veth0@veth1: <UP> mtu 1500\n    veth numtxqueues 1\n", "veth0"),
        ("gre1", "9: gre1@NONE: <UP> mtu 1476\n    gre remote any\n", "gre1"),
    ],
)
def test_what_is_not_there_of_a_vlan_or_a_bond_is_where_it_is_on(
    interface: str, heads: str, place: str
) -> None:
    none = SettingsSource(f"ethtool -a {interface}", missing="not supported")
    host = subject({}, none, source("ip addr", "ip addr", heads), interface=interface)
    (one,) = (one for one in rules.findings(host) if one.code == unread.NOT_THERE)
    assert f"of {place}: pause frames" in one.seen


BONDED = (
    "2: eth1: <UP> mtu 1500 master bond0\n3: eth2: <UP> mtu 1500 master bond0\n"
    "5: bond0: <UP> mtu 1500\n    bond mode 802.3ad\n7: bond0.5@bond0: <UP> mtu 1500\n    vlan id 5\n"
)


def of_lab(texts: Mapping[str, str], port: str) -> list[tuple[str, str]]:
    """Where rules spoke, and which, on a DUT that forwards through this port."""
    lab = parse(
        f'[generator]\nhost = "g"\ninterface = "g0"\n[dut]\nhost = "h"\nin = "{port}"\nout = "{port}"\n'
    )
    sources = [source(kind_of(name), name, text) for name, text in texts.items()]
    gone = [SettingsSource(f"ethtool -a {name}", missing="not supported") for name in ("bond0", "bond0.5")]
    settings = HostSettings("h", "linux", ("dut",), sources=(*sources, *gone))
    return [(one.where, one.code) for one in rules.of_host(lab, settings).findings if one.where]


@pytest.mark.parametrize("port", ["bond0", "bond0.5"])
def test_the_cards_below_a_bond_or_a_vlan_on_it_have_their_rules(port: str) -> None:
    cards = {name.replace("eth0", card): text for name, text in QUIET.items() for card in ("eth1", "eth2")}
    spoilt = {
        "ethtool -k eth1": hardware.features(large_receive_offload="on"),
        "ethtool -a eth2": hardware.pause(rx="on"),
        "ethtool -g eth2": hardware.rings(256, 4096),
    }
    texts = {**cards, "ip addr": BONDED, f"ethtool -k {port}": hardware.features()}
    assert of_lab(texts, port) == []
    assert of_lab({**texts, **spoilt}, port) == [("eth1", "lro"), ("eth2", "pause"), ("eth2", "rings")]


@pytest.mark.parametrize("port", ["bond0", "bond0.5"])
def test_of_cards_that_were_not_asked_for_it_is_said_that_nothing_is_known(port: str) -> None:
    lab = f'[generator]\nhost = "g"\ninterface = "g0"\n[dut]\nhost = "h"\nin = "{port}"\nout = "{port}"\n'
    texts = {name: text for name, text in QUIET.items() if "eth0" not in name} | {"ip addr": BONDED}
    sources = [source(kind_of(name), name, text) for name, text in texts.items()]
    (one,) = rules.of_host(parse(lab), HostSettings("h", "linux", ("dut",), sources=tuple(sources))).findings
    assert (one.code, f"of {port} (on eth1, eth2): pause frames" in one.seen) == (unread.NOT_THERE, True)


def test_of_a_virtual_machine_there_is_one_sentence() -> None:
    (one,) = found({"processors": ONLY.format("yes")} | served("0", "1"))
    assert (one.code, one.severity) == (unread.VIRTUAL, "note")
    assert one.seen == "cannot be read in a virtual machine: governor, turbo, throttling, idle states"


def test_a_virtual_machine_that_hides_nothing_gets_no_sentence() -> None:
    assert found(processors("virtual machine:yes")) == []


def test_files_that_are_there_and_refused_are_named_so() -> None:
    refused = SettingsSource(
        "processors",
        {key: value for key, value in subject({}).source("processors").values.items() if key != "governor"},
        unread=("governor",),
    )
    (one,) = rules.findings(subject({}, refused))
    assert (one.code, one.seen) == (unread.NOT_READ, "cannot be read: governor (permission denied)")


def test_a_kernel_whose_configuration_cannot_be_read_is_not_told_as_one_without_debugging() -> None:
    gone = SettingsSource("kernel configuration", missing="neither of two files can be read")
    (one,) = rules.findings(subject({}, gone))
    told = "cannot be read: kernel configuration (neither of two files can be read)"
    assert (one.code, one.seen) == (unread.NOT_READ, told)
    (one,) = rules.findings(subject(processors("virtual machine:yes"), gone))
    assert one.seen.startswith("cannot be read in a virtual machine: kernel configuration")


def test_a_host_that_could_not_be_read_has_that_one_sentence() -> None:
    gone = Subject(
        HostSettings("h", "linux", ("dut",), sources=(SettingsSource("everything", missing="refused"),))
    )
    assert [one.seen for one in rules.findings(gone)] == ["nothing could be read: refused"]


def test_a_system_without_rules_has_no_findings() -> None:
    assert rules.findings(Subject(HostSettings("h", "plan9"))) == ()


def test_constants_that_the_documentation_names() -> None:
    assert (linux_cpu.DEEP, linux_nic.SHORT_RING, linux_nic.LONG_WAIT) == (10, 512, 250)


def test_a_host_whose_system_is_not_known_is_not_told_as_clean():
    gone = SettingsSource("everything", missing="connection lost")
    (one,) = rules.findings(Subject(HostSettings("dut", "", ("dut",), sources=(gone,)), (), ()))
    assert (one.code, one.severity) == (unread.NOT_READ, "note")
    assert one.seen == "nothing could be read: connection lost"


DUT_AND_GENERATOR = parse(
    '[dut]\nhost = "h"\nin = "eth0"\nout = "eth1"\nos = "linux"\n[generator]\nhost = "g"\ninterface = "e"\n'
)


@pytest.mark.parametrize(
    ("gone", "places"),
    [
        (SettingsSource("ethtool -a eth0", missing="no result within 10 s"), {"eth0 pause"}),
        (SettingsSource("ethtool -a eth0", missing="not supported"), set()),
        (SettingsSource("kernel configuration", missing="neither can be read"), {"kernel-debug"}),
    ],
)
def test_a_reading_says_of_which_places_it_could_not_read_everything(
    gone: SettingsSource, places: set[str]
) -> None:
    one = rules.of_host(DUT_AND_GENERATOR, subject({}, gone).settings)
    assert set(one.unread) == places
    assert one.is_unread("eth0 pause") is ("eth0 pause" in places) and not one.is_unread(unread.NOT_READ)


def test_without_its_processors_a_reading_says_nothing_of_governor_turbo_and_irqbalance() -> None:
    gone = SettingsSource("processors", missing="no result within 10 s")
    one = rules.of_host(DUT_AND_GENERATOR, subject({}, gone).settings)
    assert {"governor", "turbo", "idle-states", "irqbalance"} <= set(one.unread)
    assert one.is_unread("governor") and not one.is_unread("eth0 lro")


def test_of_a_host_that_could_not_be_read_each_place_is_unread() -> None:
    gone = SettingsSource("everything", missing="refused")
    one = rules.of_host(DUT_AND_GENERATOR, HostSettings("h", sources=(gone,)))
    assert one.unread == ("everything",) and one.is_unread("eth0 pause") and one.is_unread("governor")
