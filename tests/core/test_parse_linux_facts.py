"""Kernel, distribution and processor."""

import json
from pathlib import Path

import pytest
from fixtures import Agree, linux

from fwdtui.core.parse.linux_facts import (
    CpuFacts,
    DistributionFacts,
    KernelFacts,
    parse_cpuinfo,
    parse_lscpu,
    parse_os_release,
    parse_proc_version,
)


def test_lscpu_as_text_and_as_json_say_the_same() -> None:
    expected = CpuFacts("Intel(R) Xeon(R) Processor @ 2.50GHz", "x86_64", 2, 2, 1, 1, None, "KVM")
    assert parse_lscpu(linux("lscpu-x86")).value == expected
    assert parse_lscpu(linux("lscpu-J-x86")).value == expected


def test_an_offline_cpu_is_not_counted() -> None:
    found = parse_lscpu(linux("lscpu-x86-offline")).value
    assert (found.model, found.cpus, found.mhz) == ("An Invented Processor 2200", 1, 2200.25)


def test_lscpu_indented() -> None:
    """Since util-linux 2.37, where it prints for a person."""
    indented = (
        linux("lscpu-x86-offline").replace("Model name", "  Model name").replace("CPU MHz", "    CPU MHz")
    )
    assert parse_lscpu(indented) == parse_lscpu(linux("lscpu-x86-offline"))


def test_cpuinfo_of_x86_and_of_two_arm_generations() -> None:
    x86 = parse_cpuinfo(linux("proc_cpuinfo-x86")).value
    assert (x86.model, x86.cpus, x86.cores) == ("Intel(R) Xeon(R) Processor @ 2.50GHz", 2, 2)
    assert x86.mhz == 2499.998
    armv7 = parse_cpuinfo(linux("proc_cpuinfo-armv7")).value
    assert (armv7.model, armv7.cpus, armv7.cores) == ("ARMv7 Processor rev 2 (v7l)", 2, None)
    arm64 = parse_cpuinfo(linux("proc_cpuinfo-arm64")).value
    assert (arm64.model, arm64.cpus) == ("implementer 0x41 part 0xd40", None)


def test_lscpu_json_of_newer_versions_is_nested() -> None:
    text = (
        '{"lscpu":[{"field":"CPU(s):","data":"96","children":'
        '[{"field":"On-line CPU(s) list:","data":"0-94,95"}]},'
        '{"field":"Vendor ID:","data":"AMD","children":[{"field":"Model name:","data":"EPYC",'
        '"children":[{"field":"Socket(s):","data":"1"},{"field":"Core(s) per socket:","data":"48"}]}]}]}'
    )
    found = parse_lscpu(text).value
    assert (found.model, found.cpus, found.cores) == ("EPYC", 96, 48)


def test_a_processor_with_cores_of_two_kinds_has_those_of_both() -> None:
    """As of an RK3588: a block for each kind, in which clusters are sockets."""
    blocks = (("Cortex-A55", 1, 4), ("Cortex-A76", 2, 2))
    text = "Architecture:          aarch64\nCPU(s):                8\n  On-line CPU(s) list: 0-7\n" + "".join(
        f"  Model name:          {model}\n    Thread(s) per core: 1\n    Core(s) per socket: {cores}\n"
        f"    Socket(s):          {sockets}\n"
        for model, sockets, cores in blocks
    )
    children = [
        {
            "field": "Model name:",
            "data": model,
            "children": [
                {"field": "Core(s) per socket:", "data": str(cores)},
                {"field": "Socket(s):", "data": str(sockets)},
            ],
        }
        for model, sockets, cores in blocks
    ]
    for shown in (text, json.dumps({"lscpu": [{"field": "CPU(s):", "data": "8"}, *children]})):
        found = parse_lscpu(shown).value
        assert (found.model, found.cpus, found.cores) == ("Cortex-A55 + Cortex-A76", 8, 8)
        assert found.sockets is None


def test_threads_of_a_core_are_one_core() -> None:
    text = "".join(
        f"processor : {cpu}\nphysical id : {cpu // 4}\ncore id : {cpu % 2}\n\n" for cpu in range(8)
    )
    found = parse_cpuinfo(text).value
    assert (found.cpus, found.cores, found.sockets) == (8, 4, 2)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "Linux version 6.1.0-13-amd64 (debian-kernel@lists.debian.org) "
            "(gcc-12 (Debian 12.2.0-14) 12.2.0, GNU ld) "
            "#1 SMP PREEMPT_DYNAMIC Debian 6.1.55-1 (2023-09-29)\n",
            KernelFacts("6.1.0-13-amd64", "#1 SMP PREEMPT_DYNAMIC Debian 6.1.55-1 (2023-09-29)"),
        ),
        (
            "Linux vm 6.18.44-fc-v669 #1 SMP PREEMPT_DYNAMIC @0 x86_64 GNU/Linux\n",
            KernelFacts("6.18.44-fc-v669", "#1 SMP PREEMPT_DYNAMIC @0", "x86_64"),
        ),
        ("6.1.0-13-amd64\n", KernelFacts("6.1.0-13-amd64")),
    ],
)
def test_kernel_from_proc_version_or_uname(text: str, expected: KernelFacts) -> None:
    assert parse_proc_version(text).value == expected


def test_os_release_with_every_kind_of_quotes() -> None:
    text = "PRETTY_NAME=\"Debian GNU/Linux 12 (bookworm)\"\nID=debian\nVERSION_ID='12'\nLOGO=x\n"
    assert parse_os_release(text).value == DistributionFacts("debian", "12", "Debian GNU/Linux 12 (bookworm)")
    assert parse_os_release('ID="a\\"b"\n').value.identity == 'a"b'


def test_what_is_nothing_of_the_kind_is_said_to_be() -> None:
    for parser in (parse_proc_version, parse_os_release, parse_cpuinfo, parse_lscpu):
        assert len(parser("command not found").skipped) == 1


@pytest.mark.parametrize(
    ("shown", "expected"),
    [
        ("Socket(s): 2\nCore(s) per socket: 8\n", CpuFacts(cores=16, sockets=2)),
        ("Socket(s): 2\n", CpuFacts(sockets=2)),
        ("Socket(s): 2\nCore(s) per socket: -\n", CpuFacts(sockets=2)),
        ("Core(s) per socket: 8\n", CpuFacts()),
        ("On-line CPU(s) list: 0-3,8\nCPU(s): 16\n", CpuFacts(cpus=5)),
        ("On-line CPU(s) list: 5\n", CpuFacts(cpus=1)),
        ("On-line CPU(s) list: 3-1\nCPU(s): 16\n", CpuFacts(cpus=16)),  # damaged: it names none
        ("CPU(s): 16\n", CpuFacts(cpus=16)),
    ],
)
def test_cores_and_processors_are_counted(shown: str, expected: CpuFacts) -> None:
    assert parse_lscpu(shown).value == expected


@pytest.mark.parametrize(
    ("value", "read"),
    [
        ('"12"', "12"), ("'12'", "12"), ("12", "12"), ('""', None), ("''", None), ('"', '"'), ('"12', '"12'),
        ('12"', '12"'), ("\"12'", "\"12'"), ('"a"', "a"), (r'"a\"b"', 'a"b'), (r"'a\"b'", r"a\"b"),
    ],
)  # fmt: skip
def test_a_value_of_os_release_is_a_word_with_or_without_quotes(value: str, read: str | None) -> None:
    assert parse_os_release(f"VERSION_ID={value}\n").value.version == read


# the same in real results


def real_lscpu_as_text_and_as_json_say_the_same(captures: Path) -> None:
    expected = CpuFacts("Intel(R) Xeon(R) Processor", "x86_64", 2, 2, 1, 1, None, "KVM")
    assert parse_lscpu((captures / "linux/lscpu-x86-vm.txt").read_text()).value == expected
    assert parse_lscpu((captures / "linux/lscpu-J-x86-vm.txt").read_text()).value == expected


def real_lscpu_indented_and_wrapped(captures: Path) -> None:
    parsed = parse_lscpu((captures / "linux/lscpu-x86-nested-rhel9-insights.txt").read_text())
    assert parsed.value == CpuFacts(
        "Intel Core Processor (Haswell, no TSX, IBRS)", "x86_64", 2, 2, 2, 1, None, "KVM"
    )


def real_an_offline_cpu_is_not_counted(captures: Path) -> None:
    parsed = parse_lscpu((captures / "linux/lscpu-x86-offline-cpu-insights.txt").read_text())
    assert parsed.value.cpus == 1
    assert parsed.value.mhz == 2793.53


def real_cpuinfo_of_x86_and_of_two_arm_generations(captures: Path) -> None:
    x86 = parse_cpuinfo((captures / "linux/proc_cpuinfo-x86-vm-cpu0.txt").read_text()).value
    assert (x86.model, x86.cpus, x86.cores, x86.mhz) == ("Intel(R) Xeon(R) Processor", 1, 1, 2600.0)
    armv7 = parse_cpuinfo((captures / "linux/proc_cpuinfo-armv7-insights.txt").read_text()).value
    assert (armv7.model, armv7.cpus, armv7.cores) == ("ARMv7 Processor rev 5 (v7l)", 2, None)
    arm64 = parse_cpuinfo((captures / "linux/proc_cpuinfo-arm64-altra-grep-CPU.txt").read_text()).value
    assert (arm64.model, arm64.cpus) == ("implementer 0x41 part 0xd0c", None)


def test_real_results_say_the_same(agree: Agree) -> None:
    agree(
        real_lscpu_as_text_and_as_json_say_the_same,
        real_lscpu_indented_and_wrapped,
        real_an_offline_cpu_is_not_counted,
        real_cpuinfo_of_x86_and_of_two_arm_generations,
    )
