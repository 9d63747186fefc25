"""Settings of a real Linux host over ssh, with and without root; of FreeBSD from what its programs print."""

import asyncio
import gzip
import os
import platform
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest

from fwdtui.collectors import settings, settings_freebsd, settings_linux, settings_shell
from fwdtui.collectors.frames import Frame
from fwdtui.collectors.systems import by_name
from fwdtui.collectors.watch import Watch
from fwdtui.core.host_settings import EVERYTHING, HostSettings, SettingsSource
from fwdtui.core.hygiene.rules import of_host
from fwdtui.core.lab import parse
from fwdtui.transport.base import Completed
from fwdtui.transport.ssh import SshPool

LAB = parse(
    '[generator]\nhost = "dut"\ninterface = "lo"\n[dut]\nhost = "dut"\nin = "lo"\nout = "lo"\n'
    '[receiver]\nhost = "dut"\ninterface = "lo"\n'
)
WATCH = Watch("dut", ("lo",))
KERNEL_SHOWS_ITS_CONFIGURATION = Path("/proc/config.gz").exists()


@pytest.fixture(autouse=True)
def _patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """The machine may be busier than one that records: then no program is given up after ten seconds."""
    monkeypatch.setattr(settings_linux, "SECONDS", 150.0)
    prelude = settings_shell.PRELUDE.replace("timeout 10", "timeout 60")
    assert prelude != settings_shell.PRELUDE
    monkeypatch.setattr(settings_linux, "PRELUDE", prelude)


def read(name: str) -> str:
    return Path(name).read_text().strip()


def kernel_configuration() -> str:
    return gzip.decompress(Path("/proc/config.gz").read_bytes()).decode()


def named(found: Sequence[SettingsSource], name: str) -> SettingsSource:
    return next(one for one in found if one.name == name)


async def test_a_linux_host_over_ssh(shared_sshd) -> None:
    async with SshPool(shared_sshd.settings()) as pool:
        (host,) = await settings.read(LAB, pool)
    assert (host.host, host.system, host.roles) == ("dut", "linux", ("dut", "generator", "receiver"))
    found = dict(host.settings())
    assert found["sysctl/net.ipv4.ip_forward"] == read("/proc/sys/net/ipv4/ip_forward")
    assert found["sysctl/kernel.osrelease"] == platform.release()
    if shutil.which("ip"):
        assert found["ip addr/lo mtu"] == read("/sys/class/net/lo/mtu")
    else:
        assert host.source("ip addr").missing == "not installed"
    assert found["steering lo/gro_flush_timeout"] == read("/sys/class/net/lo/gro_flush_timeout")
    first = read("/proc/cmdline").split()[0].partition("=")[0]
    assert f"kernel command line/{first}" in found
    # what changes by itself is left out, and what is secret is not there
    assert not any("boot_id" in key or key.endswith("fs.file-nr") for key in found)
    sysctl = host.source("sysctl")
    assert sysctl is not None and sysctl.volatile > 5
    secret = read("/proc/sys/net/ipv4/tcp_fastopen_key")
    assert secret not in repr(host)
    # each that could not be read has its cause
    for one in host.sources:
        assert one.values or one.absent or one.missing or one.name.startswith("/") or one.name in ("nft",), (
            one
        )
    assert host.source("ethtool -g lo").missing in ("not supported", "not installed")
    if KERNEL_SHOWS_ITS_CONFIGURATION:
        values = host.source("kernel configuration").values
        assert len(values) == sum("CONFIG_" in line for line in kernel_configuration().splitlines())
        assert values["CONFIG_NET"] == "y"


class Local:
    """This machine as a host: a script as this user, or as another."""

    def __init__(self, *before: str, path: str = os.environ["PATH"]) -> None:
        self._before, self._path = before, path

    async def run(self, script: str, *, timeout: float, limit: int) -> Completed:  # noqa: ASYNC109
        done = await asyncio.to_thread(
            subprocess.run,
            [*self._before, "/bin/sh", "-c", script],
            capture_output=True,
            timeout=timeout,
            env={"PATH": self._path, "LC_ALL": "C"},
        )
        return Completed(done.stdout[:limit], done.stderr, done.returncode)


@pytest.mark.skipif(os.geteuid() != 0 or not shutil.which("setpriv"), reason="needs root, to be another user")
async def test_without_root_nearly_everything_is_read_and_the_rest_is_named() -> None:
    nobody = Local(
        "setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", path="/usr/sbin:/usr/bin:/sbin:/bin"
    )
    found = await settings_linux.read(nobody, WATCH)
    sysctl = named(found, "sysctl")
    assert len(sysctl.values) > 300 and sysctl.values["net.ipv4.ip_forward"] in ("0", "1")
    root_only = {"vm.mmap_rnd_bits", "kernel.usermodehelper.bset"} & set(sysctl.unread)
    assert root_only and not root_only & sysctl.values.keys()
    nft = named(found, "nft")
    assert nft.missing == "not installed" or "permitted" in nft.missing
    assert named(found, "kernel command line").values


async def test_a_host_without_sysctl_and_other_programs(tmp_path: Path) -> None:
    for tool in ("sh", "cat", "grep", "head", "ip", "true", "timeout", "uname"):
        if found := shutil.which(tool):
            (tmp_path / tool).symlink_to(found)
    found_here = await settings_linux.read(Local(path=str(tmp_path)), WATCH)
    sysctl = named(found_here, "sysctl").values
    assert sysctl["kernel.osrelease"] == platform.release()
    # sysctl(8) of procps has no second names, so that hosts with and without it have the same settings
    assert not [key for key in sysctl if key.endswith((".retrans_time", ".base_reachable_time"))]
    assert sysctl["net.ipv4.neigh.default.retrans_time_ms"]
    for name in ("iptables", "nft", "ethtool -k lo"):
        assert named(found_here, name).missing in ("not installed", "status 127")


async def test_rules_of_the_older_kernel_interface_are_settings_too(tmp_path: Path) -> None:
    programs = {
        "iptables-save": '[ "$1" != -V ] || exec echo "v1.8.9 (nf_tables)"; echo "*filter"; echo "-A A"',
        "iptables-legacy-save": 'echo "*filter"; echo "-A B"; echo "*nat"; echo "-A C"',
        "ip6tables-save": "echo denied >&2; exit 4",
    }
    for name, body in programs.items():
        (tmp_path / name).write_text(f"#!/bin/sh\n{body}\n")
        (tmp_path / name).chmod(0o755)
    found = await settings_linux.read(Local(path=f"{tmp_path}:{os.environ['PATH']}"), WATCH)
    assert named(found, "iptables").values == {"filter": "-A A\n-A B", "nat": "-A C"}
    assert named(found, "ip6tables").missing == "denied"


async def test_reading_costs_a_host_little() -> None:
    before = os.times()
    await settings_linux.read(Local(), Watch("dut", ("lo", "eth0")))
    used = os.times()
    assert used.children_user + used.children_system - before.children_user - before.children_system < 2.0


async def test_hosts_that_cannot_be_read_are_named_with_the_cause(free_port: int, shared_sshd) -> None:
    lab = parse(
        f'[generator]\nhost = "127.0.0.1:{free_port}"\ninterface = "a"\n[[generator]]'.partition("[[")[0]
        + '[dut]\nhost = "dut"\nin = "lo"\nout = "lo"\nos = "linux"\n'
    )
    async with SshPool(shared_sshd.settings()) as pool:
        gone, there = await settings.read(lab, pool)
    assert gone.roles == ("generator",) and there.roles == ("dut",)
    (all_of_it,) = gone.sources
    assert all_of_it.name == EVERYTHING and "refused" in all_of_it.missing
    assert there.source("sysctl").values


def test_the_roles_of_several_generators() -> None:
    lab = parse(
        '[[generator]]\nhost = "a"\ninterface = "x"\n[[generator]]\nhost = "b"\ninterface = "x"\n'
        '[dut]\nhost = "d"\nin = "x"\nout = "y"\n[receiver]\nhost = "b"\ninterface = "y"\n'
    )
    assert [settings.roles(lab, host) for host in ("a", "b", "d")] == [
        ("generator",),
        ("generator2", "receiver"),
        ("dut",),
    ]


async def test_a_plug_in_without_settings_or_with_a_fault_costs_only_its_own() -> None:
    class Plain:
        name = "old"

    class Faulty:
        name = "faulty"

        async def settings(self, host: object, watch: object) -> Sequence[SettingsSource]:
            raise KeyError("x")

    for system, why in (
        (Plain(), "the plug-in old does not read settings"),
        (Faulty(), "failed: KeyError('x')"),
    ):
        (source,) = await settings._of_system(system, None, WATCH)  # type: ignore[arg-type]
        assert source.name == EVERYTHING and source.missing.endswith(why)
    linux = by_name("linux")
    assert isinstance(linux, settings.ReadsSettings)


VARIANT = """
from fwdtui.core.host_settings import SettingsSource
class Variant:
    name, uname = "linux-routes", "Linux"
    def sampling(self, watch, token, interval): ...
    async def facts(self, host, watch, sysctls): ...
    async def checks(self, host, watch): ...
    async def settings(self, host, watch):
        return (SettingsSource("processors", {"governor": "powersave"}),)
VARIANT = Variant()
"""


class AnyHosts:
    """A pool whose hosts are not asked for anything."""

    async def open(self, name: str, destination: str) -> object:
        return None


async def test_the_settings_of_a_plug_in_s_variant_are_those_of_its_kernel(installed) -> None:
    """So that the rules of lab hygiene are applied to them, which went by the plug-in's name."""
    installed("linux-routes = plugged:VARIANT", VARIANT, "fwdtui.systems")
    lab = parse('[dut]\nhost = "dut"\nin = "a"\nout = "b"\nos = "linux-routes"\n')
    (host,) = await settings.read(lab, AnyHosts())  # type: ignore[arg-type]
    assert host.system == "linux"
    assert "governor" in [one.code for one in of_host(lab, host).findings]


# --- FreeBSD, whose programs are not here


def answer(**sections: tuple[int, str, str] | str) -> Frame:
    """A host's answer: section -> output, or (status, output, errors)."""
    found: dict[str, str] = {}
    for name, said in sections.items():
        status, text, errors = (0, said, "") if isinstance(said, str) else said
        found[name.replace("__", " ")] = text
        found[f"end {name.replace('__', ' ')}"] = f"{status}\n{errors}\n"
    return Frame(0, "F", found)


FREEBSD = {
    "sysctl": "kern.ostype=FreeBSD\nkern.version=FreeBSD 15.0\n    built\nkern.cp_time=1 2 3\n"
    "hw.intrs=irq1: a:\n"
    "dev.fake=9\ndev.igb.0.iflib.tx_abdicate=0\ndev.igb.0.iflib.txq0.r_drops=7\nnet.isr.dispatch=direct\nvm.x=1\n",
    "again": "kern.ostype=FreeBSD\nkern.version=FreeBSD 15.0\n    built\nkern.cp_time=4 5 6\n"
    "dev.igb.0.iflib.tx_abdicate=0\nnet.isr.dispatch=direct\nvm.x=2\n",
    "names": "kern.ostype\nkern.version\nkern.cp_time\nhw.intrs\ndev.igb.0.iflib.tx_abdicate\n"
    "dev.igb.0.iflib.txq0.r_drops\nnet.isr.dispatch\nvm.x\n",
    "/etc/rc.conf": 'hostname="dut"\nifconfig_igb0="inet vhid 1 pass hunter2 alias 192.0.2.1/32"\n',
    "/etc/rc.conf.local": (1, "", "head: /etc/rc.conf.local: No such file or directory"),
    "/etc/rc.conf.d/*": (1, "", "head: /etc/rc.conf.d/*: No such file or directory"),
    "/boot/loader.conf": 'hw.igb.rxd="2048"\n',
    "/etc/sysctl.conf": (1, "", "head: /etc/sysctl.conf: Permission denied"),
    "kenv": 'kernelname="/boot/kernel/kernel"\n',
    "ifconfig": "igb0: flags=8863<UP,RUNNING> metric 0 mtu 1500\n\tether 00:0d:b9:00:00:01\n",
    "pf status": "Status: Enabled for 0 days 00:26:05              Debug: Urgent\n\n"
    "State Table                          Total             Rate\n  current entries               2\n",
    "pf rules": (1, "", "pfctl: /dev/pf: Permission denied"),
    "pf nat": (1, "", "pfctl: /dev/pf: No such file or directory"),
    "ipfw": (71, "", "ipfw: retrieving config failed: Protocol not available"),
    "kernel configuration": (124, "", ""),
}


def test_a_freebsd_host() -> None:
    found = settings_freebsd.sources(answer(**FREEBSD))
    values = dict(HostSettings("dut", sources=tuple(found)).settings())
    assert values == {
        "sysctl/kern.ostype": "FreeBSD",
        "sysctl/kern.version": "FreeBSD 15.0\n    built",
        "sysctl/dev.igb.0.iflib.tx_abdicate": "0",
        "sysctl/net.isr.dispatch": "direct",
        "/etc/rc.conf/hostname": "dut",
        "/etc/rc.conf/ifconfig_igb0": "inet vhid 1 pass (secret, not kept) alias 192.0.2.1/32",
        "/boot/loader.conf/hw.igb.rxd": "2048",
        "kenv/kernelname": "/boot/kernel/kernel",
        "ifconfig/igb0 flags": "UP,RUNNING",
        "ifconfig/igb0 metric": "0",
        "ifconfig/igb0 mtu": "1500",
        "ifconfig/igb0 ether": "00:0d:b9:00:00:01",
        "pf status/status": "enabled",
    }
    sysctl = named(found, "sysctl")
    assert sysctl.volatile == 3 and sysctl.unsteady == ("vm.x",)
    states = {one.name: (one.absent, one.missing) for one in found if not one.values}
    assert states == {
        "/etc/rc.conf.local": (True, ""),  # nothing is set there
        "/etc/sysctl.conf": (False, "head: /etc/sysctl.conf: Permission denied"),
        "pf rules": (False, "pfctl: /dev/pf: Permission denied"),
        "pf nat": (True, ""),  # pf is not loaded
        "ipfw": (True, ""),
        "kernel configuration": (False, "no result within 10 s"),
    }


def test_pf_is_enabled_or_disabled_whatever_rules_are_loaded() -> None:
    """`pfctl -d` leaves the rules in the kernel, and `pfctl -sr` lists them."""

    def read_with(status: tuple[int, str, str] | str) -> SettingsSource:
        return named(settings_freebsd.sources(answer(**{**FREEBSD, "pf status": status})), "pf status")

    longer, other = (f"Status: Enabled for {days} days 00:26:05   Debug: Urgent\n" for days in (3, 4))
    off = "Status: Disabled for 0 days 00:00:12           Debug: Urgent\n"
    assert read_with(longer).values == read_with(other).values == {"status": "enabled"}
    assert read_with(off).values == {"status": "disabled"}
    assert read_with((1, "", "pfctl: /dev/pf: No such file or directory")).absent
    refused = "pfctl: /dev/pf: Permission denied"
    assert read_with((1, "", refused)).missing == refused
    unknown = read_with("State Table\n")
    assert (unknown.values, unknown.skipped) == ({}, ("no line that says whether pf is enabled",))


def test_what_did_not_arrive_is_missing_and_not_empty() -> None:
    cut = answer(**FREEBSD)
    sections = {
        name: text for name, text in cut.sections.items() if name not in ("end ifconfig", "ipfw", "end ipfw")
    }
    found = settings_freebsd.sources(Frame(0, "F", sections))
    for name in ("ifconfig", "ipfw"):
        assert named(found, name).missing == "no answer, or not finished in time"
    # a second reading that was cut off says nothing of what changes
    sections = {name: text for name, text in cut.sections.items() if name != "end again"}
    assert named(settings_freebsd.sources(Frame(0, "F", sections)), "sysctl").unsteady == ()


@pytest.mark.parametrize(
    ("status", "missing"), [(124, "no result within 10 s"), (137, "it was ended by signal 9")]
)
def test_half_of_what_a_command_would_have_printed_is_not_taken_for_all_of_it(
    status: int, missing: str
) -> None:
    half = {"sysctl": "kern.ostype=FreeBSD\nnet.isr.dis", "ipfw": "00100 allow ip\n"}
    cut = {name: (status, text, "") for name, text in half.items()}
    found = settings_freebsd.sources(answer(**{**FREEBSD, **cut}))
    for name in cut:
        assert (named(found, name).values, named(found, name).missing) == ({}, missing)


def test_names_and_second_readings_that_were_cut_off_are_not_used() -> None:
    cut = {"names": (124, "kern.ostype\n", ""), "again": (124, "kern.ostype=Fre", "")}
    found = named(settings_freebsd.sources(answer(**{**FREEBSD, **cut})), "sysctl")
    assert found.values["kern.ostype"] == "FreeBSD" and found.values["net.isr.dispatch"] == "direct"


def test_the_status_of_sysctl_may_be_how_many_names_it_refused() -> None:
    refused = "\n".join(f"sysctl: dev.x.{number}: Operation not permitted" for number in range(124))
    found = settings_freebsd.sources(answer(**{**FREEBSD, "sysctl": (124, FREEBSD["sysctl"], refused)}))
    sysctl = named(found, "sysctl")
    assert sysctl.values["net.isr.dispatch"] == "direct" and len(sysctl.unread) == 124


def test_a_kernel_whose_file_is_gone_was_built_with_something_all_the_same() -> None:
    gone = (1, "", "config: /boot/kernel/kernel: No such file or directory")
    found = named(settings_freebsd.sources(answer(**{"kernel configuration": gone})), "kernel configuration")
    assert not found.absent and found.missing == gone[2]


@pytest.mark.parametrize(
    ("said", "missing"),
    [
        ("Operation not supported", "not supported"),
        ("No such device", "Cannot get device pause settings: No such device"),
        ("Operation not permitted", "Cannot get device pause settings: Operation not permitted"),
    ],
)
def test_only_what_a_card_does_not_support_is_said_not_to_be_supported(said: str, missing: str) -> None:
    failed = answer(**{"ethtool -a eth0": (1, "", f"Cannot get device pause settings: {said}")})
    found = settings_linux.sources(failed, Watch("dut", ("eth0",), roles=("dut",)))
    assert named(found, "ethtool -a eth0").missing == missing


def test_what_a_program_says_of_its_failure_is_kept_without_secrets() -> None:
    found = settings_freebsd.sources(answer(kenv=(1, "", "kenv: password=hunter2 \x1b[2J")))
    assert named(found, "kenv").missing == "kenv: password=(secret, not kept) [2J"


def test_an_option_that_busybox_lacks_is_told_by_more_than_its_version() -> None:
    usage = "BusyBox v1.35.0 (Debian 1:1.35.0-4) multi-call binary.\n\nUsage: ip [OPTIONS] address|route"
    found = settings_linux.sources(answer(**{"ip addr": (1, "", usage)}), WATCH)
    assert named(found, "ip addr").missing == "not shown by busybox's program"


def test_a_file_larger_than_a_mebibyte_is_not_read_by_halves() -> None:
    whole = "a=1\n" + "#" * (settings_shell.FILE_MOST - 4)
    for text, missing in (
        (whole, ""),
        (whole + "#", "larger than 1 MiB"),
        (whole[:-1] + "ä", "larger than 1 MiB"),
    ):
        found = settings_freebsd.sources(answer(**{"/etc/sysctl.conf": text}))
        assert named(found, "/etc/sysctl.conf").missing == missing


@pytest.mark.parametrize("shell", ["/bin/sh", "/bin/dash", "/bin/bash", "/bin/busybox"])
def test_the_scripts_are_plain_sh_and_tell_each_status(shell: str, tmp_path: Path) -> None:
    if not Path(shell).exists():
        pytest.skip(f"no {shell} here")
    (tmp_path / "a").write_text("a=1\n")
    script = (
        "mark() { printf '@%s\\n' \"$1\"; }\n"
        + settings_shell.PRELUDE
        + f"files {tmp_path}/a {tmp_path}/none\n"
        "take fails sh -c 'echo out; echo err >&2; exit 3'\ntake none no-such-program\n"
        "take two sh -c 'echo e1 >&2; echo e2 >&2; exit 1'\n"
    )
    words = [shell, "sh"] if shell.endswith("busybox") else [shell]
    done = subprocess.run([*words, "-c", script], capture_output=True, text=True, timeout=30)
    sections = dict(part.partition("\n")[::2] for part in done.stdout.split("@")[1:])
    assert sections[f"{tmp_path}/a"] == "a=1\n" and sections[f"end {tmp_path}/a"].split() == ["0"]
    assert "No such file" in sections[f"end {tmp_path}/none"]
    assert sections["fails"] == "out\n" and sections["end fails"].split() == ["3", "err"]
    assert sections["end none"].split() == ["127"]
    assert sections["two"] == "" and sections["end two"].split() == ["1", "e1", "e2"]
