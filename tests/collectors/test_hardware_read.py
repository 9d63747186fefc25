"""The scripts that read processors and interrupts, on trees of /sys and /proc, with each shell here."""

import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest
from fixtures import hardware

from fwdtui.collectors import settings_hardware, settings_shell
from fwdtui.collectors.frames import Frame
from fwdtui.core.host_settings import HostSettings, SettingsSource
from fwdtui.core.hygiene import rules
from fwdtui.core.hygiene.finding import Subject
from fwdtui.report.settings_difference import compare

SHELLS = [shell for shell in ("/bin/dash", "/bin/bash", "/bin/busybox") if Path(shell).exists()]
GREP = shutil.which("grep")
NOBODY = ("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups")


def taken(root: Path, *interfaces: str, shell: str = "/bin/sh", before: tuple[str, ...] = ()) -> Frame:
    """What the scripts print of a tree, by section."""
    lines = [settings_hardware.processors(f"{root}/")]
    lines.append(settings_hardware.of_cards(interfaces, (), f"{root}/"))
    script = "\n".join(["mark() { printf '@%s\\n' \"$1\"; }", settings_shell.PRELUDE, *lines])
    words = [shell, "sh"] if shell.endswith("busybox") else [shell]
    done = subprocess.run(
        [*before, *words, "-c", script],
        capture_output=True,
        text=True,
        timeout=60,
        env={"PATH": path_of(shell), "LC_ALL": "C"},
    )
    return Frame(0, "F", dict(part.partition("\n")[::2] for part in done.stdout.split("@")[1:]))


def path_of(shell: str) -> str:
    """busybox's own tools, if it is the shell."""
    if not shell.endswith("busybox"):
        return os.environ["PATH"]
    applets = Path(os.environ["FWDTUI_TEST_APPLETS"])
    return str(applets)


@pytest.fixture(autouse=True, scope="module")
def applets(tmp_path_factory: pytest.TempPathFactory):
    """A folder with the tools that the scripts use, all of them busybox."""
    folder = tmp_path_factory.mktemp("applets")
    busybox = shutil.which("busybox")
    for name in (
        ("sh", "grep", "cat", "readlink", "renice", "timeout", "true", "head", "od") if busybox else ()
    ):
        (folder / name).symlink_to(busybox)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("FWDTUI_TEST_APPLETS", str(folder))
        yield


def source(answer: Frame, name: str) -> SettingsSource:
    return settings_shell.source(answer, name.partition(" ")[0], name)


def codes(root: Path, *interfaces: str) -> dict[str, str]:
    """What the rules about processors and interrupts see in a tree."""
    answer = taken(root, *interfaces)
    sources = [
        source(answer, name) for name in ("processors", *(f"interrupts {name}" for name in interfaces))
    ]
    subject = Subject(HostSettings("h", "linux", ("dut",), sources=tuple(sources)), interfaces, interfaces)
    found = rules.findings(subject)
    return {
        one.code: one.seen for one in found if one.code not in ("not-read", "not-there", "virtual-machine")
    }


@pytest.mark.parametrize("shell", SHELLS)
def test_a_machine_as_every_shell_reads_it(shell: str, tmp_path: Path) -> None:
    hardware.machine(tmp_path, nodes=("0-1", "2-3"), governors=("performance", "performance", "powersave"))
    hardware.card(
        tmp_path, "eth0", {"eth0-TxRx-0": "0", "eth0-TxRx-1": "2-3", "eth0": "0-3"}, node=1, local="2-3"
    )
    steered = {
        "threaded": 0,
        "gro_flush_timeout": 20000,
        "queues/rx-0/rps_cpus": "0f",
        "queues/tx-0/xps_cpus": "3",
    }
    steered["queues/tx-0/byte_queue_limits/limit_max"] = 1879048192
    hardware.write(tmp_path / "sys/class/net/eth0", steered)
    answer = taken(tmp_path, "eth0", shell=shell)
    assert source(answer, "steering eth0") == SettingsSource(
        "steering eth0",
        {
            "threaded": "0",
            "gro_flush_timeout": "20000",
            "rx-0 rps_cpus": "0f",
            "tx-0 xps_cpus": "3",
            "tx-0 byte_queue_limits limit_max": "1879048192",
        },
    )
    cpus = source(answer, "processors")
    assert cpus.skipped == () and cpus.unread == ()
    assert cpus.values == {
        "CPUs online": "0-3",
        "CPUs present": "0-3",
        "CPUs isolated": "",
        "SMT active": "0",
        "SMT control": "off",
        "intel_pstate no_turbo": "1",
        "intel_pstate status": "passive",
        "idle driver": "intel_idle",
        "idle governor": "menu",
        "NUMA node 0": "0-1",
        "NUMA node 1": "2-3",
        "vulnerability meltdown": "Not affected",
        "vulnerability retbleed": "Not affected",
        "vulnerability spectre_v1": "Mitigation: usercopy/swapgs barriers and __user pointer sanitization",
        "governor": "performance (0-1), powersave (2-3)",
        "cpufreq driver": "intel_cpufreq",
        "highest frequency allowed, kHz": "3600000",
        "highest frequency, kHz": "3600000",
        "core throttled since boot": "no",
        "package throttled since boot": "no",
        "idle state POLL": "0 us, on",
        "idle state C1": "2 us, on",
        "idle state C1E": "10 us, on",
        "idle state C6": "133 us, off",
        "virtual machine": "no",
        "irqbalance": "not running",
    }
    assert source(answer, "interrupts eth0").values == {
        "NUMA node": "1",
        "local CPUs": "2-3",
        "eth0-TxRx-0 allowed": "0",
        "eth0-TxRx-0 in effect": "0",
        "eth0-TxRx-1 allowed": "2-3",
        "eth0-TxRx-1 in effect": "2",
        "eth0 allowed": "0-3",
        "eth0 in effect": "0",
    }


def cpu(number: int, name: str) -> str:
    return f"cpu{number}/{name}"


SPEAKING: Mapping[str, tuple[dict[str, object], str]] = {
    "governor": ({"governors": ("schedutil",)}, "the governor is schedutil"),
    "turbo": ({"more": {"intel_pstate/no_turbo": 0}}, "turbo is on"),
    "idle-states": ({"deepest": 3}, "processors may sleep as deep as C6 (133 us)"),
    "smt": ({"more": {"smt/active": 1, "smt/control": "on"}}, "two threads share a core (SMT is active)"),
    "throttled": (
        {"more": {cpu(2, "thermal_throttle/core_throttle_count"): 7}},
        "it was too hot and was throttled since it booted (core of CPU 2)",
    ),
    "frequency-limit": (
        {"more": {"cpufreq/policy1/scaling_max_freq": 1200000}},
        "the frequency may not exceed 1200 of 3600 MHz (CPU 1)",
    ),
    "cpus-offline": ({"online": "0-2", "more": {"smt/control": "on"}}, "offline: CPU 3"),
    "irqbalance": ({"commands": ("systemd", "irqbalance")}, "irqbalance is running"),
    "mitigations": (
        {"more": {"vulnerabilities/retbleed": "Mitigation: IBRS"}},
        "the kernel mitigates weaknesses of the processor (retbleed: ibrs)",
    ),
}


def test_a_machine_without_a_fault_is_not_talked_about(tmp_path: Path) -> None:
    hardware.machine(tmp_path)
    hardware.card(tmp_path, "eth0", {f"eth0-TxRx-{n}": str(n) for n in range(4)})
    assert codes(tmp_path, "eth0") == {}


@pytest.mark.parametrize("code", SPEAKING)
def test_one_fault_of_a_machine_is_one_finding(code: str, tmp_path: Path) -> None:
    options, seen = SPEAKING[code]
    hardware.machine(tmp_path, **options)  # type: ignore[arg-type]
    assert codes(tmp_path) == {code: seen}


def test_what_a_cpu_that_is_offline_has_left_behind_is_not_told(tmp_path: Path) -> None:
    """Before Linux 5.19 its policy tells what was last in force, and writing to it is refused."""
    left = {"cpufreq/policy3/affected_cpus": "", "cpufreq/policy3/scaling_max_freq": 1200000}
    deep = {cpu(3, "cpuidle/state3/disable"): 0}
    hardware.machine(
        tmp_path, online="0-2", governors=("performance",) * 3 + ("powersave",), more={**left, **deep}
    )
    assert codes(tmp_path) == {}
    values = source(taken(tmp_path), "processors").values
    assert (values["governor"], values["idle state C6"]) == ("performance", "133 us, off")


def test_policies_that_linux_calls_busy_as_their_cpus_are_offline_are_not_unreadable(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tree = hardware.machine(tmp_path / "tree", online="0-2")
    for file in (policy := tree / "sys/devices/system/cpu/cpufreq/policy3").iterdir():
        file.unlink()
    policy.rmdir()
    said = "grep: cpufreq/policy3/scaling_governor: Device or resource busy"
    stub = tmp_path / "bin/grep"
    program = f'[ -n "$1" ] || echo \'{said}\' >&2; exec {GREP} "$@"'
    hardware.write(tmp_path, {"bin/grep": f"#!/bin/sh\n{program}"})
    stub.chmod(0o755)
    monkeypatch.setenv("PATH", f"{stub.parent}:{os.environ['PATH']}")
    cpus = source(taken(tree), "processors")
    assert (cpus.values["governor"], cpus.unread) == ("performance", ())


def test_interrupts_on_one_cpu_and_on_the_other_node(tmp_path: Path) -> None:
    hardware.machine(tmp_path, nodes=("0-1", "2-3"))
    hardware.card(tmp_path, "eth0", {"eth0-TxRx-0": "3", "eth0-TxRx-1": "3"}, local="0-1")
    hardware.card(
        tmp_path,
        "eth1",
        {"virtio1-input.0": "0", "virtio1-output.0": "0"},
        local="0-1",
        first=60,
        virtio="virtio1",
    )
    assert codes(tmp_path, "eth0", "eth1") == {
        "numa": "it is on NUMA node 0 (CPUs 0-1), and 2 of its 2 receive interrupts are served by CPU 3 "
        "of another",
        "irq-affinity": "2 of its 2 receive interrupts are served by CPU 3, although there are 2 CPUs",
    }
    answer = taken(tmp_path, "eth1")
    assert source(answer, "interrupts eth1").values["virtio1-input.0 in effect"] == "0"


def test_an_interface_without_a_device_is_not_there_and_no_error(tmp_path: Path) -> None:
    hardware.machine(tmp_path)
    (tmp_path / "sys/class/net/veth0").mkdir(parents=True)
    assert source(taken(tmp_path, "veth0"), "interrupts veth0").missing == "not supported"


@pytest.mark.parametrize("shell", SHELLS)
def test_the_cards_below_a_vlan_a_bond_and_a_bridge_are_read_with_it(shell: str, tmp_path: Path) -> None:
    hardware.machine(tmp_path)
    net = tmp_path / "sys/class/net"
    for card in ("eth1", "eth2", "eth3"):
        hardware.card(tmp_path, card, {f"{card}-TxRx-0": "0"}, first=40 + 10 * int(card[-1]))
    lower = {"bond0.5": ["bond0"], "bond0": ["eth1", "eth2"], "br0": ["eth2", "eth3", "tap0"], "tap0": []}
    for upper, names in lower.items():
        (net / upper).mkdir()
        for name in names:
            (net / upper / f"lower_{name}").symlink_to(f"../{name}")
    answer = taken(tmp_path, "bond0.5", "br0", shell=shell)
    assert answer.text("cards").split() == ["eth1", "eth2", "eth3"]
    for card in ("eth1", "eth2", "eth3"):
        assert source(answer, f"interrupts {card}").values[f"{card}-TxRx-0 allowed"] == "0"
    assert taken(tmp_path, "eth1", shell=shell).text("cards").split() == []


def test_of_a_bridge_with_many_cards_only_some_are_read(tmp_path: Path) -> None:
    hardware.machine(tmp_path)
    net = tmp_path / "sys/class/net"
    (net / "br0").mkdir(parents=True)
    for number in range(settings_hardware.CARDS_MOST + 1):
        (net / f"eth{number}" / "device").mkdir(parents=True)
        (net / "br0" / f"lower_eth{number}").symlink_to(f"../eth{number}")
    assert len(taken(tmp_path, "br0").text("cards").split()) == settings_hardware.CARDS_MOST


def test_a_hypervisor_shows_in_the_flags_else_in_the_name_of_the_machine(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    flagged = hardware.machine(tmp_path / "a", flags="fpu hypervisor aes")
    named = hardware.machine(tmp_path / "b")
    hardware.write(named, {"sys/class/dmi/id/product_name": "KVM Virtual Machine"})
    for tree in (flagged, named):
        assert source(taken(tree), "processors").values["virtual machine"] == "yes"


@pytest.mark.parametrize("shell", SHELLS)
@pytest.mark.parametrize(("limit", "told"), [(3, "3"), (0, "0"), (2_000_000_000, None)])
def test_a_limit_of_latency_is_read_where_there_is_one(
    tmp_path: Path, shell: str, limit: int, told: str | None
) -> None:
    tree = hardware.machine(tmp_path)
    (tree / "dev").mkdir()
    (tree / "dev/cpu_dma_latency").write_bytes(limit.to_bytes(4, sys.byteorder))
    cpus = source(taken(tree, shell=shell), "processors")
    assert cpus.values.get("idle latency limit, us") == told and cpus.skipped == ()


@pytest.mark.parametrize(
    ("product", "virtual"), [("m7g.metal", "no"), ("c7i.metal-24xl", "no"), ("m7g.16xlarge", "yes")]
)
def test_amazons_bare_metal_is_no_virtual_machine(tmp_path: Path, product: str, virtual: str) -> None:
    tree = hardware.machine(tmp_path)
    dmi = "sys/class/dmi/id"
    hardware.write(tree, {f"{dmi}/sys_vendor": "Amazon EC2", f"{dmi}/product_name": product})
    assert source(taken(tree), "processors").values["virtual machine"] == virtual


@pytest.mark.skipif(os.geteuid() != 0 or not shutil.which("setpriv"), reason="needs root, to be another user")
def test_a_file_that_is_refused_is_named_and_one_that_is_not_there_is_not(tmp_path: Path) -> None:
    tree = hardware.machine(tmp_path / "tree")
    for folder in (*tmp_path.parents, tmp_path):
        if folder.stat().st_uid == 0 and str(folder).startswith(("/tmp/", "/dev/shm/")):
            folder.chmod(0o755)
    for policy in (tree / "sys/devices/system/cpu/cpufreq").iterdir():
        (policy / "scaling_governor").chmod(0o600)
    hardware.write(tree / "sys/class/net/eth0/queues", {"rx-0/rps_cpus": 3, "rx-0/rps_flow_cnt": 0})
    (tree / "sys/class/net/eth0/queues/rx-0/rps_cpus").chmod(0o600)
    (tree / "dev").mkdir()
    (tree / "dev/cpu_dma_latency").write_bytes(bytes(4))
    (tree / "dev/cpu_dma_latency").chmod(0o600)
    by_user = taken(tree, "eth0", before=NOBODY)
    cpus, steering = source(by_user, "processors"), source(by_user, "steering eth0")
    assert cpus.unread == ("governor", "idle latency limit, us") and steering.unread == ("rx-0 rps_cpus",)
    # what only root was shown is not "not set" for others
    by_root = taken(tree, "eth0")
    sides = [
        [
            HostSettings(
                "h", "linux", ("dut",), sources=(source(one, "processors"), source(one, "steering eth0"))
            )
        ]
        for one in (by_root, by_user)
    ]
    assert {"governor", "idle latency limit, us"} < source(by_root, "processors").values.keys()
    assert compare(*sides, ("r1", "r2")).differences == ()
    assert "governor" not in cpus.values and cpus.values["cpufreq driver"] == "intel_cpufreq"
    found = rules.findings(Subject(HostSettings("h", "linux", sources=(cpus,))))
    assert [one.seen for one in found if one.code == "not-read"] == [
        "cannot be read: governor (permission denied)"
    ]
