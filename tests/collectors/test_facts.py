"""What a host is, for the head of a report: real Linux over ssh, FreeBSD from what its programs print."""

import asyncio
import os
import platform
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from fixtures import freebsd

from fwdtui.collectors import facts, facts_freebsd, facts_linux
from fwdtui.collectors.answers import ask
from fwdtui.collectors.frames import Frame
from fwdtui.collectors.watch import Watch
from fwdtui.core.lab import parse
from fwdtui.core.model import Session
from fwdtui.core.own_facts import GONE, own_facts
from fwdtui.transport.ssh import SshPool

LAB = parse(
    'name = "bench"\n[generator]\nhost = "dut"\ninterface = "lo"\ntool = "trafgen"\n'
    'start = "trafgen -c x"\nframe = 64\n'
    '[dut]\nhost = "dut"\nin = "lo"\nout = "lo"\n'
)
BOTH = Watch("dut", ("ix0", "ix1"))


def read(name: str) -> str:
    path = Path(name)
    if not path.exists():
        pytest.skip(f"needs Linux's {name}")
    return path.read_text().strip()


async def test_a_linux_host_says_what_it_is(shared_sshd) -> None:
    forward, mtu = read("/proc/sys/net/ipv4/ip_forward"), read("/sys/class/net/lo/mtu")
    async with SshPool(shared_sshd.settings()) as pool:
        found = await facts.collect(LAB, pool, ["net.ipv4.tcp_congestion_control", "no.such.sysctl", "a b;c"])
    values = found.values
    assert values["dut.kernel"] == platform.release()
    assert values["dut.machine"] == platform.machine()
    assert values["dut.cpus"] == os.cpu_count()
    assert values["dut.sysctl.net.ipv4.ip_forward"] == forward
    assert "dut.sysctl.net.ipv4.tcp_congestion_control" in values  # the user's own
    assert "dut.sysctl.no.such.sysctl" not in values
    assert values["dut.lo.mtu"] == int(mtu)
    assert values["generator.command"] == "trafgen -c x" and values["lab"] == "bench"
    assert values["generator.frame"] == 64
    # lo has no driver and no rings: absent, and the note says what the host said
    assert "dut.lo.driver" not in values
    (note,) = found.notes
    assert note.startswith("dut: not known: ") and "lo.driver (" in note


def test_a_linux_host_without_lscpu_tells_its_processors_all_the_same(tmp_path: Path) -> None:
    """As OpenWrt is. The script runs here, for over ssh /usr/bin is always in the PATH."""
    read("/proc/cpuinfo")
    for folder in ("/usr/bin", "/bin"):
        for program in Path(folder).glob("*"):
            if program.name != "lscpu" and not (tmp_path / program.name).is_symlink():
                (tmp_path / program.name).symlink_to(program)
    script = "mark() { printf '\\n@ %s\\n' \"$1\"; }\n" + facts_linux.script(BOTH, ())
    done = subprocess.run(
        ["/bin/sh", "-c", script], env={"PATH": str(tmp_path)}, capture_output=True, text=True, timeout=60
    )
    sections = dict(part.split("\n", 1) for part in done.stdout.split("\n@ ")[1:])
    assert "processor" in sections["cpu"]
    assert linux(**sections).values["cpus"] == os.cpu_count()


async def test_facts_of_all_hosts_fit_into_a_session(shared_sshd) -> None:
    async with SshPool(shared_sshd.settings()) as pool:
        found = await facts.collect(LAB, pool)
    assert Session("x", "label", "2026-01-01T00:00:00+00:00", found.values).facts == found.values
    assert all(isinstance(value, (str, int, float, bool, list)) for value in found.values.values())
    assert not any("\n" in value for value in found.values.values() if isinstance(value, str))


def test_the_users_own_sysctls_are_a_file_with_one_name_per_line(tmp_path: Path) -> None:
    assert facts.own_sysctls(tmp_path) == ()
    (tmp_path / "sysctls").write_text("# mine\nnet.core.busy_poll  # polling\n\nnet.inet.ip.redirect\n")
    assert facts.own_sysctls(tmp_path) == ("net.core.busy_poll", "net.inet.ip.redirect")


def linux(**sections: str) -> facts.Facts:
    return facts_linux.read(Frame(0, "F", {k.replace("__", "."): v for k, v in sections.items()}), BOTH)


def test_a_sysctl_of_several_fields_or_lines_is_one_value() -> None:
    text = "/proc/sys/net/a/b:1\n/proc/sys/net/a/b:2:3\n/proc/sys/net/c:4\t5  6\n/proc/sys/net/d:\ngrep: no\n"
    values = linux(sysctl=text).values
    assert {name: value for name, value in values.items() if name.startswith("sysctl.")} == {
        "sysctl.net.a.b": "1 2:3",
        "sysctl.net.c": "4 5 6",
    }


def test_a_sysctl_is_named_as_sysctl_names_it_and_read_once() -> None:
    own = ("kernel/numa_balancing", "net.ipv4.conf.eth0/100.rp_filter", "net/ipv4/conf/eth0.200/rp_filter")
    (asked,) = [line for line in facts_linux.script(BOTH, own).split("\n") if line.startswith("mark sysctl;")]
    files = [word for word in asked.split() if word.startswith("/proc/sys/")]
    assert len(files) == len(set(files)) and "/proc/sys/net/ipv4/ip_forward" in files
    assert files[-2:] == [f"/proc/sys/net/ipv4/conf/eth0.{vlan}/rp_filter" for vlan in (100, 200)]
    values = linux(sysctl="".join(f"{file}:1\n" for file in files)).values
    assert values["sysctl.net.ipv4.conf.eth0/100.rp_filter"] == values["sysctl.net.ipv4.ip_forward"] == "1"
    assert values["sysctl.kernel.numa_balancing"] == "1"


@pytest.mark.skipif(os.geteuid() != 0, reason="making a network namespace needs root")
@pytest.mark.skipif(not shutil.which("unshare") or not shutil.which("ip"), reason="needs unshare and ip")
def test_a_route_over_several_hops_is_one_route() -> None:
    routes = """\
ip link set lo up
ip link add v0 type veth peer name v1 && ip link set v0 up && ip link set v1 up
ip addr add 192.0.2.1/29 dev v0
ip route add 198.51.100.0/24 nexthop via 192.0.2.2 nexthop via 192.0.2.3
"""
    script = routes + "mark() { printf '\\n@ %s\\n' \"$1\"; }\n" + facts_linux.script(BOTH, ())
    done = subprocess.run(["unshare", "-n", "sh", "-c", script], capture_output=True, text=True, timeout=60)
    sections = dict(part.split("\n", 1) for part in done.stdout.split("\n@ ")[1:])
    assert linux(**sections).values["routes.inet"] == 2  # the prefix of v0, and that over two hops


def test_a_firewall_that_may_not_be_asked_is_not_no_firewall() -> None:
    assert linux(nft="").values["firewall"] == "nft: no table"
    refused = linux(nft="Operation not permitted (you must be root)")
    assert "firewall" not in refused.values
    assert any("firewall (Operation not permitted" in note for note in refused.notes)
    (silent,) = [note for note in linux().notes if "firewall" in note]
    assert "firewall_rules" not in linux().values and "firewall (no answer)" in silent
    ruleset = (
        "table inet filter {\n chain f {\n type filter hook forward priority 0;\n drop\n accept\n }\n}\n"
    )
    assert linux(nft=ruleset).values["firewall"] == "nft: inet filter"
    assert linux(nft=ruleset).values["firewall_rules"] == 2


def counted(tmp_path: Path, programs: dict[str, str]) -> tuple[object, object]:
    """The rules of iptables and ip6tables, where these programs are those of the host."""
    for name, body in programs.items():
        (tmp_path / name).write_text(f"#!/bin/sh\n{body}\n")
        (tmp_path / name).chmod(0o755)
    lines = [line for line in facts_linux.script(BOTH, ()).splitlines() if "tables-save" in line]
    body = "\n".join(("exec 2>&1", "mark() { printf '\\n@ %s\\n' \"$1\"; }", *lines))
    path = f"{tmp_path}:{os.environ['PATH']}"
    done = subprocess.run(["sh", "-c", body], capture_output=True, text=True, env={"PATH": path}, timeout=60)
    sections = dict(part.split("\n", 1) for part in done.stdout.split("\n@ ")[1:])
    values = linux(**sections).values
    return values.get("iptables_rules"), values.get("ip6tables_rules")


@pytest.mark.parametrize(
    ("four", "six", "told"),
    [
        (
            "echo '# Warning: there are legacy tables' >&2; echo '-A INPUT -j DROP'",
            "echo '-A FORWARD -j DROP'; echo '-A INPUT -j DROP'",
            (1, 2),
        ),
        ("echo '*filter'", "true", (0, 0)),
        ("exit 1", "true", (None, 0)),
    ],
)
def test_rules_of_iptables_are_counted_by_family_and_a_refusal_is_not_none(
    four: str, six: str, told: tuple[int | None, int], tmp_path: Path
) -> None:
    assert counted(tmp_path, {"iptables-save": four, "ip6tables-save": six}) == told


@pytest.mark.parametrize(("version", "told"), [("v1.8.9 (nf_tables)", 3), ("v1.8.9 (legacy)", 1), ("", 1)])
def test_rules_of_the_older_kernel_interface_are_counted_too(version: str, told: int, tmp_path: Path) -> None:
    """What iptables of nf_tables only warns of; where iptables is the older one, they are its own."""
    saved = f'[ "$1" != -V ] || {{ echo "iptables-save {version}"; exit; }}; echo "-A A"'
    legacy = "echo '-A B'; echo '-A C'"
    assert counted(tmp_path, {"iptables-save": saved, "iptables-legacy-save": legacy})[0] == told


async def test_a_ruleset_too_long_for_the_answer_is_not_a_shorter_one(shared_sshd) -> None:
    rules = "echo 'table ip a {'; yes ' chain c { drop' | head -n 1000"
    body = f"mark version; echo 1\nmark nft; {rules}\nmark cpu\n"
    async with SshPool(shared_sshd.settings()) as pool:
        answer = await ask(await pool.open("dut", "dut"), body, limit=2000)
    assert dict(answer.sections) == {"version": "1\n"}
    assert "firewall_rules" not in facts_linux.read(answer, BOTH).values


def test_a_nic_is_named_with_its_driver_rings_queues_and_offloads() -> None:
    found = linux(
        driver__ix0="driver: ixgbe\nversion: 6.1.0\nfirmware-version: 0x800006da\nbus-info: 0000:01:00.0\n",
        model__ix0="01:00.0 Ethernet controller: Intel Corporation 82599ES 10-Gigabit (rev 01)\n",
        rings__ix0="Ring parameters for ix0:\nPre-set maximums:\nRX: 4096\nTX: 4096\n"
        "Current hardware settings:\nRX: 512\nTX: 1024\n",
        channels__ix0="Channel parameters for ix0:\nPre-set maximums:\nCombined: 63\n"
        "Current hardware settings:\nCombined: 8\n",
        offloads__ix0="Features for ix0:\nrx-checksumming: on\ngeneric-receive-offload: off\nx: on\n",
        settings__ix0="Settings for ix0:\n\tSpeed: 10000Mb/s\n\tDuplex: Full\n",
        mtu__ix0="1500\n",
        rps__ix0="00\n00\n",
        qdisc__ix0="qdisc mq 0: root \n",
    ).values
    mine = {key.removeprefix("ix0."): value for key, value in found.items() if key.startswith("ix0.")}
    assert mine == {
        "driver": "ixgbe",
        "driver_version": "6.1.0",
        "firmware": "0x800006da",
        "bus": "0000:01:00.0",
        "model": "Intel Corporation 82599ES 10-Gigabit (rev 01)",
        "rings": "rx 512, tx 1024",
        "queues": "combined 8",
        "offloads": ["rx-checksumming"],
        "speed": 10_000_000_000,
        "mtu": 1500,
        "rps": "off",
        "qdisc": "mq",
    }


@pytest.mark.parametrize(
    "said",
    [
        "lspci: -s: Invalid slot number",  # asked for virtio0, or for the device that a veth does not have
        "lspci: -s: Invalid bus number",  # a card on USB: 1-1:1.0
        "sh: 1: lspci: not found",
        "pcilib: Cannot open /proc/bus/pci: No such file or directory",
        "",
    ],
)
def test_what_lspci_complains_of_is_not_the_model_of_a_card(said: str) -> None:
    assert "ix0.model" not in linux(model__ix0=f"{said}\n").values


def test_a_card_of_another_pci_domain_has_its_model() -> None:
    said = "10000:e1:00.0 Ethernet controller: Mellanox Technologies MT27800 Family: ConnectX-5\n"
    assert linux(model__ix0=said).values["ix0.model"] == "Mellanox Technologies MT27800 Family: ConnectX-5"


def test_the_clock_of_a_virtual_machine_has_a_dash_in_its_name() -> None:
    assert linux(clocksource="kvm-clock\n").values["clocksource"] == "kvm-clock"
    assert "clocksource" not in linux(clocksource="cat: clocksource0: No such file or directory\n").values


def test_the_governor_is_that_of_all_cores_and_not_of_the_first_one() -> None:
    assert linux(governor="performance\n" * 4).values["governor"] == "performance"
    assert linux(governor="performance\n" + "powersave\n" * 3).values["governor"] == "performance, powersave"
    none = "cat: '/sys/devices/system/cpu/cpu[0-9]*/cpufreq/scaling_governor': No such file or directory\n"
    assert "governor" not in linux(governor=none).values
    assert "governor" not in linux(governor="").values


@pytest.mark.parametrize("left", ["powersave", None])
def test_the_governor_is_not_that_of_a_cpu_that_is_offline(tmp_path: Path, left: str | None) -> None:
    """Its file tells what was last in force there, or, since Linux 5.19, cannot be read."""
    for number, governor in enumerate(["performance", "performance", left]):
        policy = tmp_path / f"cpu{number}/cpufreq"
        policy.mkdir(parents=True)
        if number:  # CPU 0 of a PC cannot be taken offline
            (policy.parent / "online").write_text(f"{int(number < 2)}\n")
        if governor is None:
            (policy / "scaling_governor").mkdir()  # an error, if not that one
        else:
            (policy / "scaling_governor").write_text(f"{governor}\n")
    script = facts_linux.script(BOTH, ()).replace("/sys/devices/system/cpu/", f"{tmp_path}/")
    script = "mark() { printf '\\n@ %s\\n' \"$1\"; }\nexec 2>&1\n" + script
    done = subprocess.run(["/bin/sh", "-c", script], capture_output=True, text=True, timeout=60)
    sections = dict(part.split("\n", 1) for part in done.stdout.split("\n@ ")[1:])
    assert linux(governor=sections["governor"]).values["governor"] == "performance"


def test_only_boot_options_that_matter_are_recorded() -> None:
    found = linux(cmdline="BOOT_IMAGE=/vmlinuz root=UUID=1 password=x isolcpus=2-7 mitigations=off quiet\n")
    assert found.values["boot_options"] == ["isolcpus=2-7", "mitigations=off"]
    off = "retbleed=off mds=off spec_rstack_overflow=off cpuidle.off=1"
    assert linux(cmdline=f"root=UUID=1 {off}\n").values["boot_options"] == off.split()
    assert linux(cmdline="BOOT_IMAGE=/vmlinuz quiet\n").values["boot_options"] == "none"
    assert "boot_options" not in linux(cmdline="").values, "not known"


def test_of_a_boot_option_that_nobody_has_judged_it_is_not_said_to_be_none() -> None:
    harmless = (
        "BOOT_IMAGE=/boot/vmlinuz-6.12 root=UUID=1 ro console=tty0 console=ttyS0,115200n8 net.ifnames=0"
    )
    in_the_vm_lab = "console=ttyS0 quiet norandmaps nokaslr no5lvl cryptomgr.notests"
    for words in (harmless, f"{harmless} rd.lvm.lv=vg/root systemd.unified_cgroup_hierarchy", in_the_vm_lab):
        assert linux(cmdline=f"{words}\n").values["boot_options"] == "none"
    for word in ("rodata=off", "transparent_hugepage=never", "lsm=bpf", "secret=hunter2"):
        told = linux(cmdline=f"{harmless} {word}\n").values["boot_options"]
        assert told == "none that is known", "its name and value may be private"


def test_whether_connections_are_tracked_is_a_fact_and_how_many_is_none() -> None:
    """Two reports of one lab would differ in it, and each iteration of an experiment from the others."""
    for count in (0, 17, 90_210):
        assert linux(conntrack=f"{count}\n").values["conntrack"] is True
    none = "cat: /proc/sys/net/netfilter/nf_conntrack_count: No such file or directory\n"
    assert linux(conntrack=none).values["conntrack"] is False
    for unknown in ("", "cat: /proc/sys/net/netfilter/nf_conntrack_count: Permission denied\n"):
        assert "conntrack" not in linux(conntrack=unknown).values


def of_freebsd(**sections: str) -> facts.Facts:
    texts = {
        "uname": freebsd("uname-a-fbsd15-git"),
        "pciconf": freebsd("pciconf-lv-pasted"),
        "host": "hw.model=Intel(R) Xeon(R) CPU E5-2650 v4 @ 2.20GHz\nhw.ncpu=24\nhw.physmem=17179869184\n",
        "sysctl": "net.isr.dispatch=deferred\nnet.inet.ip.forwarding=1\n",
        "devices": "dev.ix.0.%driver=ix\ndev.ix.0.iflib.simple_tx=1\ndev.ix.0.fc=0\n",
        "ifconfig": "ix0: flags=8863<UP,BROADCAST,RUNNING> metric 0 mtu 1500\n"
        "\toptions=4e538bb<RXCSUM,TXCSUM,LRO>\n\tmedia: Ethernet autoselect (10Gbase-T <full-duplex>)\n"
        "\tstatus: active\nifconfig: interface ix1 does not exist\n",
        "dmesg": "ix0: Using 8 RX queues 8 TX queues\n",
        "netisr": freebsd("netstat-Q-config-hybrid"),
        "routes": "netstat -rn4 | wc -l : 712797\nnetstat -rn6 | wc -l :       14\n",
        "pf": "Status: Enabled for 0 days 00:10:00           Debug: Urgent\n",
        "pfrules": "     105\n",
        "ipfw": "ipfw: retrieving config failed: Protocol not available\n",
        **sections,
    }
    return facts_freebsd.read(Frame(0, "F", texts), BOTH)


def test_a_freebsd_host_says_what_it_is() -> None:
    found = of_freebsd()
    values = found.values
    assert str(values["kernel"]).startswith("15.0-CURRENT n")
    assert values["cpus"] == 24 and values["memory_mib"] == 16384
    assert values["ix0.model"] == "Intel Corporation Ethernet Controller X550"
    assert values["ix0.queues"] == "rx 8, tx 8"
    assert values["ix0.offloads"] == ["RXCSUM", "TXCSUM", "LRO"]
    assert values["ix0.media"] == "10Gbase-T"
    assert values["ix0.iflib.simple_tx"] == "1"
    assert values["netisr.ip"] == "hybrid"
    assert values["routes.inet"] == 712_793
    assert values["firewall"] == "pf (105 rules)"
    assert values["sysctl.net.isr.dispatch"] == "deferred"
    assert any("ix1.mtu" in note for note in found.notes)


@pytest.mark.parametrize(
    ("printed", "told"),
    [
        (
            "14.1-RELEASE-p5\n14.1-RELEASE-p5\n14.1-RELEASE-p6\n",
            ["14.1-RELEASE-p5"] * 2 + ["14.1-RELEASE-p6"],
        ),
        ("freebsd-version: unable to locate kernel\n", None),
        ("sh: freebsd-version: not found\n", None),
    ],
)
def test_a_complaint_is_no_version_of_freebsd(printed: str, told: list[str] | None) -> None:
    assert of_freebsd(version=printed).values.get("freebsd_version") == told


def test_the_queues_of_a_driver_that_was_loaded_again_are_those_of_its_newest_message() -> None:
    at_boot, since = (f"ix0: Using {n} RX queues {n} TX queues\n" for n in (8, 2))
    asked = [line for line in facts_freebsd.script(BOTH, ()).split("\n") if "RX queues" in line]
    assert [line.partition(";")[0] for line in asked] == ["mark dmesg.boot", "mark dmesg"]
    answers = {"dmesg.boot": at_boot, "dmesg": at_boot + since}
    assert of_freebsd(**answers).values["ix0.queues"] == "rx 2, tx 2"
    answers["dmesg"] = "ix0: link state changed to UP\n"  # the buffer no longer goes back to the boot
    assert of_freebsd(**answers).values["ix0.queues"] == "rx 8, tx 8"


def test_neither_pf_nor_ipfw_is_no_firewall_and_silence_is_not_known() -> None:
    no_pf = "pfctl: /dev/pf: No such file or directory\n"
    assert of_freebsd(pf=no_pf).values["firewall"] == "none"
    silent = of_freebsd(pf="pfctl: /dev/pf: Permission denied\n", ipfw="")
    assert "firewall" not in silent.values
    assert any("firewall (pfctl: /dev/pf: Permission denied)" in note for note in silent.notes)


@pytest.mark.parametrize(
    ("switches", "firewall"),
    [
        ("1\n1\n", "ipfw (1 rules)"),
        ("0\n1\n", "ipfw (1 rules)"),
        ("0\n0\n", "none"),
        ("0\n", "none"),
        ("", "ipfw (1 rules)"),
    ],
)
def test_ipfw_that_is_loaded_and_switched_off_is_no_firewall(switches: str, firewall: str) -> None:
    rules = {
        "pf": "pfctl: /dev/pf: No such file or directory\n",
        "ipfw": "65535 12 3456 allow ip from any to any\n",
    }
    values = of_freebsd(**rules, **{"ipfw.on": switches}).values
    assert (values["firewall"], values["ipfw"]) == (firewall, firewall != "none")


def gone(full: facts.Facts, now: facts.Facts) -> set[str]:
    """The facts of `full` that are not there any more, as the host says itself."""
    return {key for key, fact in own_facts(full.values, now.values, now.absent).items() if fact == GONE}


def test_what_another_freebsd_kernel_does_not_have_is_absent_and_what_it_did_not_say_is_not() -> None:
    uname = freebsd("uname-a-fbsd15-git")
    sysctls, iflib = "net.isr.dispatch=deferred\n", "dev.ix.0.%driver=ix\ndev.ix.0.iflib.simple_tx=1\n"
    full = of_freebsd(
        uname=re.sub("(-n[0-9]+-[0-9a-f]+)", r"\1-dirty", uname),
        sysctl=f"{sysctls}net.inet.rss.enabled=1\n",
        devices=f"{iflib}dev.ix.0.iflib.tx_abdicate=1\ndev.ix.0.fc=3\n",
        end="",
    )
    of = {
        "uname": {"kernel_modified"},
        "sysctl": {"sysctl.net.inet.rss.enabled"},
        "devices": {"ix0.iflib.tx_abdicate", "ix0.flow_control"},
    }
    now = {"uname": uname, "sysctl": sysctls, "devices": iflib}
    assert gone(full, of_freebsd(**now, end="")) == set.union(*of.values())
    for section, keys in of.items():
        silent = of_freebsd(**now | {section: ""}, end="")
        assert gone(full, silent) == set.union(*of.values()) - keys
    refused = {"sysctl": f"{sysctls}sysctl: net.inet.rss.enabled: Device busy\n"}
    assert gone(full, of_freebsd(**now | refused, end="")) == of["uname"] | of["devices"]


def test_what_another_linux_kernel_does_not_have_is_absent_and_what_it_did_not_say_is_not() -> None:
    ip_forward, none = "/proc/sys/net/ipv4/ip_forward:1\n", "cat: x: No such file or directory\n"
    full = linux(
        sysctl=f"{ip_forward}/proc/sys/net/netfilter/nf_conntrack_max:262144\n",
        threaded__ix0="1\n",
        rings__ix0="Current hardware settings:\nRX: 512\nTX: 1024\n",
        end="",
    )
    now = {
        "sysctl": ip_forward,
        "threaded__ix0": none,
        "rings__ix0": "netlink error: Operation not supported\n",
    }
    keys = {"sysctl.net.netfilter.nf_conntrack_max", "ix0.threaded", "ix0.rings"}
    assert gone(full, linux(**now, end="")) == keys
    assert gone(full, linux(**now)) == keys - {"ix0.rings"}, "the answer's last section may be unfinished"
    troubles = {
        "sysctl": "",
        "threaded__ix0": "cat: x: Permission denied\n",
        "rings__ix0": "sh: 1: ethtool: not found\n",
    }
    assert gone(full, linux(**troubles, end="")) == set()
    assert gone(full, linux()) == set(), "nothing was answered in time"


def test_the_last_section_of_each_script_is_one_that_nothing_is_read_from() -> None:
    for script in (facts_linux.script(BOTH, ()), facts_freebsd.script(BOTH, ())):
        assert script.endswith("\nmark end\n")


async def test_a_simulated_freebsd_lab_tells_its_facts() -> None:
    simulated = pytest.importorskip("fwdtui.labs.simulated.lab")
    from fwdtui.collectors.lab_trust import open_lab

    async with asyncio.timeout(20), simulated.SimulatedLab() as lab_up:
        lab, pool = open_lab(lab_up.lab_toml)
        async with pool:
            found = await facts.collect(lab, pool)
    dut = {key: value for key, value in found.values.items() if key.startswith("dut.")}
    assert str(dut["dut.os"]).startswith("FreeBSD ")
    assert dut["dut.ix0.driver"] == "ix"
    assert dut["dut.sysctl.net.inet.ip.forwarding"] == "1"
    assert dut["dut.firewall"] == "none"
    assert found.notes == ()


def test_any_answer_gives_what_could_be_read() -> None:
    for text in ("", "\x00\x1b[31m\n", "x" * 100_000, "sh: not found\n", "-1\n"):
        sections = dict.fromkeys(("version", "cpu", "nft", "sysctl", "driver.ix0", "routes4", "memory"), text)
        facts_linux.read(Frame(0, "F", sections), BOTH)
        sections = dict.fromkeys(("uname", "host", "sysctl", "ifconfig", "pciconf", "pf", "routes"), text)
        found = facts_freebsd.read(Frame(0, "F", sections), BOTH)
        assert not any("\x1b" in str(value) for value in (*found.values.values(), *found.notes))
