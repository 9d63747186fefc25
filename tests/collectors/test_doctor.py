"""The doctor: what a host offers and lacks, and what to do about it."""

import asyncio
import getpass
import json
import os
import shutil
from pathlib import Path
from types import SimpleNamespace

import pytest
from collectors_helpers import FreebsdState, gone, trust
from transport_helpers import children
from transport_sshd import Sshd

from fwdtui.cli import main
from fwdtui.collectors import doctor_counting, doctor_freebsd, doctor_linux
from fwdtui.collectors.answers import ask
from fwdtui.collectors.base import Check
from fwdtui.collectors.doctor import examine, may_escape
from fwdtui.collectors.doctor_at_rate import program_of, tried
from fwdtui.collectors.frames import Frame
from fwdtui.collectors.tools.registry import named
from fwdtui.collectors.watch import Watch
from fwdtui.core.errors import FwdtuiError
from fwdtui.core.lab import Endpoint, parse
from fwdtui.core.model import CountSample
from fwdtui.transport.base import Completed
from fwdtui.transport.ssh import SshPool

linux = pytest.mark.skipif(not Path("/proc/net/dev").exists(), reason="needs Linux's /proc")
PERF = shutil.which("perf") is not None
COUNTERS = "dut.count"


def lab_file(server: Sshd, interface: str = "lo", tool: str = "counters", more: str = "") -> Path:
    path = server.folder / "lab.toml"
    at_rate = "timeout {time_limit} nosuch-replay --pps={rate}" if tool == "netmap-pkt-gen" else "cat {rate}"
    path.write_text(
        f'[ssh]\nconfig_file = "{server.config.name}"\nknown_hosts = "{server.known_hosts.name}"\n'
        f'[generator]\nhost = "dut"\ninterface = "lo"\ntool = "{tool}"\n'
        f'start = "timeout 9 pkt-gen"\nat_rate = "{at_rate}"\n'
        f'[dut]\nhost = "dut"\nin = "{interface}"\nout = "lo"\n{more}'
    )
    return trust(path)


@pytest.mark.parametrize(
    ("command", "program"),
    [
        ("tcpreplay --pps={rate} x.pcap", "tcpreplay"),
        ("sudo timeout --foreground -s INT 30 /opt/bin/pkt-gen -R 9", "/opt/bin/pkt-gen"),
        ("timeout 12.5s ~/bin/send 9", "~/bin/send"),
        ("RATE=9 send", ""),  # only a shell could tell
        ("$HOME/send 9", ""),
        ("cd /opt && ./send 9", ""),
        ("./send 9", "./send"),
        ("sudo -n -u bench send 9", ""),  # options of another program
    ],
)
def test_the_program_of_at_rate_is_told_where_the_command_says_it_plainly(command: str, program: str) -> None:
    assert program_of(command) == program


async def test_a_relative_program_of_at_rate_is_looked_for_in_the_login_s_home(tmp_path: Path) -> None:
    (tmp_path / "send").touch(mode=0o755)
    lab = parse(
        '[generator]\nhost = "gen"\ninterface = "g0"\nstart = "./send"\nat_rate = "./send {rate}"\n'
        '[dut]\nhost = "dut"\nin = "d0"\nout = "d1"\n'
    )

    class Home:
        async def run(self, script: str) -> SimpleNamespace:
            shell = await asyncio.create_subprocess_exec("/bin/sh", "-c", script, cwd=tmp_path, stdout=-1)
            told, _ = await shell.communicate()
            return SimpleNamespace(status=shell.returncode, stdout=told)

    (generator,) = lab.generators
    for there in (True, None):
        (check,) = await tried(Home(), generator, named(generator.tool), lab, "lab.toml")  # type: ignore[arg-type]
        assert check.ok is there
        (tmp_path / "send").unlink(missing_ok=True)


@pytest.mark.parametrize(
    ("start", "at_rate", "stop", "system", "escapes"),
    [
        ("timeout 9 pkt-gen", None, None, "linux", True),
        ("pkt-gen", "timeout {time_limit} pkt-gen -R {rate}", None, "linux", True),
        ("timeout 9 pkt-gen", None, "pkill pkt-gen", "linux", False),
        ("timeout 9 pkt-gen", None, None, "freebsd", False),
        ("timeout --foreground 9 pkt-gen", None, None, "linux", False),
    ],
)
def test_timeout_is_warned_of_where_it_leaves_the_process_group(
    start: str, at_rate: str | None, stop: str | None, system: str, escapes: bool
) -> None:
    assert may_escape(Endpoint("gen", "g0", start=start, at_rate=at_rate, stop=stop), system) is escapes


def by_what(checks: list[Check]) -> dict[str, Check]:
    return {check.what: check for check in checks}


async def examined(server: Sshd, **options: str) -> dict[str, Check]:
    path = lab_file(server, **options)
    async with SshPool(server.settings()) as pool:
        return by_what(await examine(parse(path.read_text()), pool, str(path)))


@linux
async def test_a_host_that_has_everything_lacks_nothing_and_the_doctor_leaves_nothing_behind(
    shared_sshd,
) -> None:
    if os.geteuid() != 0 or not shutil.which("ethtool") or not shutil.which("tc"):
        pytest.skip("needs root and the Debian packages ethtool and iproute2")
    count = 'count = ["cpu-clock", "context-switches"]\n' if PERF else ""
    found = await examined(shared_sshd, more=count)
    assert [check for check in found.values() if check.ok is False] == []
    assert found["system"].found == "Linux"
    assert found["precise clock"].found == "/proc/timer_list, nanoseconds"
    assert "2 interfaces" not in found["trial sample"].found  # lo is watched once
    assert "1 interface," in found["trial sample"].found
    assert found["clock"].found.endswith("in steps of 1 ns")
    assert found["generator counters"].ok
    assert found["generator stop"].fix.endswith("write timeout --foreground")
    assert found["at_rate"].ok and found["at_rate"].found.endswith("/cat")
    assert found["profiler"].ok is (True if PERF else None)
    if PERF:
        assert found[COUNTERS].ok and found[COUNTERS].found.startswith("cpu-clock, context-switches")
        assert "from `count`" not in found[COUNTERS].fix
    await asyncio.sleep(0)
    assert await gone(children(shared_sshd.pid))


@linux
async def test_interface_tool_and_event_that_are_not_there_are_lacks_with_a_way_out(shared_sshd) -> None:
    found = await examined(
        shared_sshd, interface="eth77", tool="netmap-pkt-gen", more='count = ["nosuch", "cpu-clock"]\n'
    )
    check = found["interface eth77"]
    assert (check.ok, check.found) == (False, "it does not exist")
    assert "ip link" in check.fix
    assert found["trial sample"].ok is False
    assert "no interface eth77" in found["trial sample"].found
    assert (found["at_rate"].ok, found["at_rate"].found) == (None, "no nosuch-replay here")
    assert found["at_rate"].fix.startswith("for profiles only: install nosuch-replay on dut")
    if not shutil.which("pkt-gen"):
        check = found["generator netmap-pkt-gen"]
        assert check.ok is False and check.fix
    if PERF and os.geteuid() == 0:
        check = found[COUNTERS]
        assert check.ok is False
        assert check.found.startswith("nosuch, cpu-clock: event syntax error: 'nosuch'")
        assert "from `count`" in check.fix


async def test_a_tool_that_nobody_knows_is_an_error_of_lab_toml(shared_sshd) -> None:
    server = shared_sshd
    async with SshPool(server.settings()) as pool:
        with pytest.raises(FwdtuiError, match=r"generator.*'smoke-signals'"):
            await examine(parse(lab_file(server, tool="smoke-signals").read_text()), pool)


async def test_a_host_that_cannot_be_reached_has_one_check_with_the_reason(make_sshd) -> None:
    server = make_sshd()
    server.stop()
    found = await examined(server)
    (check,) = found.values()
    assert (check.what, check.ok) == ("reachable", False)
    assert "refused" in check.found and f"ssh -F {server.config} " in check.fix


async def test_what_a_host_runs_is_named_in_lab_toml_of_the_dut_alone() -> None:
    async def nothing() -> None: ...

    async def says(script: str, **_: object) -> Completed:
        return Completed(b"OpenBSD\n", b"", 0)

    async def opened(name: str, destination: str) -> SimpleNamespace:
        return SimpleNamespace(name=name, destination=destination, connect=nothing, run=says)

    lab = parse('[generator]\nhost = "gen"\ninterface = "em0"\n[dut]\nhost = "dut"\nin = "a"\nout = "b"\n')
    checks = await examine(lab, SimpleNamespace(open=opened))  # type: ignore[arg-type]
    fixes = {check.host: check.fix for check in checks if check.what == "system"}
    assert fixes == {
        "gen": "docs/plugins.md says how to add one",
        "dut": "name it in lab.toml: dut.os",
    }


@pytest.mark.parametrize(
    ("files", "command"),
    [
        ("", "ssh -p 1 127.0.0.1"),
        ('known_hosts = "hosts"', "ssh -o UserKnownHostsFile={}/hosts -p 1 127.0.0.1"),
        ('config_file = "ssh_config"', "ssh -F {}/ssh_config -p 1 127.0.0.1"),
        (
            'config_file = "ssh_config"\nknown_hosts = "my hosts"',
            "ssh -F {0}/ssh_config -o 'UserKnownHostsFile=\"{0}/my hosts\"' -p 1 127.0.0.1",
        ),
        # a terminal is not shown the character, so the command would name another file
        ('config_file = "my\\u200bconfig"', "ssh -F $'{}/my\\342\\200\\213config' -p 1 127.0.0.1"),
    ],
)
async def test_the_command_to_try_reaches_the_host_as_the_lab_does(
    files: str, command: str, tmp_path: Path
) -> None:
    """Without the lab's own files ssh knows no such name, or another machine by it."""
    text = f'[ssh]\n{files}\n[dut]\nhost = "127.0.0.1:1"\nin = "ix0"\nout = "ix1"\n'
    async with SshPool() as pool:
        (check,) = await examine(parse(text), pool, str(tmp_path / "lab.toml"))
    assert check.fix == f"check the host and try `{command.format(tmp_path)}`"


async def test_an_unknown_host_key_is_shown_and_not_accepted(make_sshd) -> None:
    server = make_sshd()
    server.known_hosts.write_text("")
    (check,) = (await examined(server)).values()
    assert check.ok is False and "SHA256:" in check.found


async def test_freebsd_is_examined_with_its_own_programs(freebsd: FreebsdState) -> None:
    async with SshPool(freebsd.sshd.settings()) as pool:
        lab = parse('[dut]\nhost = "dut"\nin = "ix0"\nout = "ix1"\n')
        found = by_what(await examine(lab, pool))
    assert found["system"].found == "FreeBSD"
    assert found["netstat"].ok and found["counters"].ok
    assert found["trial sample"].ok
    assert "2 cores" in found["trial sample"].found
    assert found["clock"].ok
    assert (found["interface ix1"].ok, found["interface ix1"].found) == (True, "up, 10Gbase-T")
    assert found["queues of ix0"].found == "9 driver counters"
    assert (found["profiler"].ok, found["profiler"].found) == (None, "hwpmc is not loaded")
    assert [check for check in found.values() if check.ok is False] == []


async def test_two_names_of_one_kernel_are_told_and_may_be_one_host(freebsd: FreebsdState) -> None:
    """Each is sampled, and so is its port: what one host counts once is then counted twice."""
    other = f"{getpass.getuser()}@dut"
    text = f'[generator]\nhost = "{other}"\ninterface = "ix0"\n[dut]\nhost = "dut"\nin = "ix0"\nout = "ix1"\n'
    async with SshPool(freebsd.sshd.settings()) as pool:
        checks = await examine(parse(text), pool)
        alone = await examine(parse('[dut]\nhost = "dut"\nin = "ix0"\nout = "ix1"\n'), pool)
    (told,) = [check for check in checks if check.what == "kernel"]
    assert (told.host, told.ok) == ("dut", None) and told.found.startswith(f"the same as {other}'s")
    assert "use one name" in told.fix
    assert [check for check in alone if check.what == "kernel"] == []


async def test_on_freebsd_pmcstat_says_why_it_cannot_count(freebsd: FreebsdState) -> None:
    lab = parse('[dut]\nhost = "dut"\nin = "ix0"\nout = "ix1"\ncount = ["cycles"]\n')
    async with SshPool(freebsd.sshd.settings()) as pool:
        assert by_what(await examine(lab, pool))[COUNTERS].ok is True
        freebsd.write("no-hwpmc", "")
        check = by_what(await examine(lab, pool))[COUNTERS]
    assert check.ok is False and check.found.startswith(
        "cycles: pmcstat: ERROR: Initialization of the pmc(3)"
    )
    assert check.fix.startswith("kldload hwpmc; "), "as the profiler's line says"


def test_an_event_that_the_processor_does_not_have_is_named_and_no_other() -> None:
    sample = CountSample(
        "dut", 1.0, 0.1, {"cpu-clock": 99.0}, missing={"cycles": "not supported by this host"}
    )
    profiler = Check(
        "dut", "profiler", None, "the kernel hides its symbols", "for profiles only: log in as root"
    )
    check = doctor_counting.judged("dut", ["cycles", "cpu-clock"], sample, profiler)
    assert (check.ok, check.found) == (False, "cycles: not supported by this host")
    assert "root" not in check.fix, "what the profiler lacks is not why"


async def test_without_count_nothing_is_counted(freebsd: FreebsdState) -> None:
    async with SshPool(freebsd.sshd.settings()) as pool:
        found = by_what(await examine(parse('[dut]\nhost = "dut"\nin = "ix0"\nout = "ix1"\n'), pool))
    assert COUNTERS not in found


WATCH = Watch("dut", ("ix0",))


def test_what_only_root_may_read_is_no_lack_but_is_said() -> None:
    sections = {
        "awk": "/usr/bin/mawk",
        "ethtool": "/usr/sbin/ethtool",
        "tc": "/usr/sbin/tc",
        "clock": "head: cannot open '/proc/timer_list' for reading: Permission denied",
        "messages": "dmesg: read kernel buffer failed: Operation not permitted",
        "state.ix0": "up",
    }
    found = by_what(doctor_linux.read(Frame(0, "F", sections), WATCH))
    assert found["precise clock"].ok is None and "log in as root" in found["precise clock"].fix
    assert found["kernel messages"].ok is None and "dmesg_restrict" in found["kernel messages"].fix
    assert found["nft"].ok is None
    assert all(check.ok is not False for check in found.values())


@pytest.mark.parametrize(
    ("state", "ok", "found"),
    [
        ("up", True, "up"),
        ("unknown", True, "up"),
        ("down", False, "its link is down"),
        ("lowerlayerdown", False, "its link is lowerlayerdown"),
        ("cat: /sys/class/net/ix0/operstate: No such file or directory", False, "it does not exist"),
        ("", False, "it does not exist"),
    ],
)
def test_the_state_of_a_linux_interface(state: str, ok: bool, found: str) -> None:
    checks = by_what(doctor_linux.read(Frame(0, "F", {"state.ix0": state}), WATCH))
    assert (checks["interface ix0"].ok, checks["interface ix0"].found) == (ok, found)


def test_the_cards_that_a_vlan_or_a_bond_of_the_dut_is_on_are_named() -> None:
    """Their queues and rings are not read, so that what they lose is in no counter."""
    ports = ("eth0.100", "bond0", "eth3")
    sections = {"lower.eth0.100": "eth0\n", "lower.bond0": "eth1\neth2\n", "lower.eth3": ""}
    told = {
        role: by_what(doctor_linux.read(Frame(0, "F", sections), Watch("host", ports, roles=(role,))))
        for role in ("dut", "receiver")
    }
    vlan, bond = told["dut"]["what eth0.100 is on"], told["dut"]["what bond0 is on"]
    assert vlan.ok is None and vlan.found.startswith("eth0: queues, ring drops, pause frames and interrupts")
    assert bond.found.startswith("eth1, eth2: ") and "name eth1, eth2 in lab.toml instead" in bond.fix
    assert "what eth3 is on" not in told["dut"] and "what bond0 is on" not in told["receiver"]


def test_a_card_below_a_vlan_that_lab_toml_names_itself_is_not_said_to_be_unread() -> None:
    sections = {"lower.eth0.100": "eth0\n", "lower.bond0": "eth1\neth2\n"}
    watch = Watch("host", ("eth0", "eth0.100", "bond0", "eth1"), roles=("dut",))
    told = by_what(doctor_linux.read(Frame(0, "F", sections), watch))
    assert "what eth0.100 is on" not in told and told["what bond0 is on"].found.startswith("eth2: ")


@linux
async def test_a_vlan_is_asked_for_what_it_is_on(shared_sshd, tmp_path: Path) -> None:
    text = doctor_linux._SCRIPT.format(interfaces="eth0.100 lo").replace("/sys/class/net", str(tmp_path))
    (tmp_path / "eth0.100").mkdir()
    (tmp_path / "eth0.100" / "lower_eth0").symlink_to(tmp_path)
    (tmp_path / "lo").mkdir()
    async with SshPool(shared_sshd.settings()) as pool:
        answer = await ask(await pool.open("dut", "dut"), text)
    assert answer.text("lower.eth0.100").split() == ["eth0"] and answer.text("lower.lo").split() == []


@pytest.mark.parametrize(
    ("text", "ok", "found"),
    [
        ("ix0: flags=8863<UP,RUNNING> metric 0 mtu 1500\n\tstatus: active\n", True, "up, no media"),
        ("ix0: flags=8863<UP> metric 0 mtu 1500\n\tstatus: no carrier\n", False, "up, no carrier"),
        ("ix0: flags=8802<BROADCAST> metric 0 mtu 1500\n\tstatus: no carrier\n", False, "it is down"),
        ("ifconfig: interface ix0 does not exist\n", False, "ifconfig: interface ix0 does not exist"),
    ],
)
def test_the_state_of_a_freebsd_interface(text: str, ok: bool, found: str) -> None:
    checks = by_what(doctor_freebsd.read(Frame(0, "F", {"interface.ix0": text}), WATCH))
    assert (checks["interface ix0"].ok, checks["interface ix0"].found) == (ok, found)


def test_the_command_prints_every_host_and_ends_with_1_when_something_lacks(shared_sshd, capsys) -> None:
    if not Path("/proc/net/dev").exists():
        pytest.skip("needs Linux's /proc")
    path = lab_file(shared_sshd, interface="eth77")
    assert main(["doctor", str(path)]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "dut"
    assert any(line.split()[:3] == ["FAIL", "interface", "eth77"] for line in lines)
    assert lines[-1].endswith("to fix")


def test_the_command_as_json_has_one_object_per_check(shared_sshd, capsys) -> None:
    path = lab_file(shared_sshd, interface="eth77")
    assert main(["doctor", str(path), "--json"]) == 1
    rows = json.loads(capsys.readouterr().out)
    checks = [row for row in rows if "hygiene" not in row]
    assert all(set(row) == {"host", "what", "ok", "found", "fix"} for row in checks)
    assert rows[0]["host"] == "dut" and rows[0]["what"] == "reachable" and rows[0]["ok"] is True


def test_a_wrong_lab_toml_is_2_and_one_line(tmp_path: Path, capsys) -> None:
    assert main(["doctor", str(tmp_path / "none.toml")]) == 2
    (tmp_path / "lab.toml").write_text("[dut]\nhots = 1\n")
    assert main(["doctor", str(tmp_path / "lab.toml")]) == 2
    errors = capsys.readouterr().err.splitlines()
    assert len(errors) == 2 and "dut.hots" in errors[1]
