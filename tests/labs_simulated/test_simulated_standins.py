"""The stand-ins, run by the shells of this machine on the files of one moment."""

import os
import shutil
import subprocess
from collections.abc import Callable
from importlib.resources import files
from pathlib import Path

import pytest
from simulated_helpers import SHELLS

from fwdtui.core.parse import netstat_interfaces, sysctl
from fwdtui.labs.simulated import scenario, view
from fwdtui.labs.simulated.snapshot import Snapshots
from fwdtui.labs.simulated.world import World

BOOT = 1_789_900_651_837_885
BIN = Path(str(files("fwdtui.labs.simulated"))) / "bin"

Run = Callable[..., subprocess.CompletedProcess[str]]
Moments = Callable[[], None]


@pytest.fixture
def moments(tmp_path: Path) -> Moments:
    """Writes the next moment: a second later, under load."""
    world = World(scenario.load("healthy"))
    world.start("pkt-gen")
    snapshots = Snapshots(tmp_path / "channel")

    def write() -> None:
        world.advance(world.now + 1.0)
        snapshots.write(view.of("dut", world, BOOT))

    return write


@pytest.fixture(params=SHELLS, ids=lambda shell: "-".join(Path(word).name for word in shell))
def run(request: pytest.FixtureRequest, tmp_path: Path, moments: Moments) -> Run:
    """Run a stand-in in one of the shells, in the first moment."""
    moments()

    def one(name: str, *arguments: str, **more: str) -> subprocess.CompletedProcess[str]:
        environment = {
            "PATH": os.environ["PATH"],
            "FWDTUI_HOST": str(tmp_path),
            "FWDTUI_CHANNEL": str(tmp_path / "channel"),
        }
        return subprocess.run(
            [*request.param, str(BIN / name), *arguments],
            capture_output=True,
            text=True,
            timeout=60,
            env=environment | more,
        )

    return one


def test_netstat_prints_all_interfaces_or_one(run: Run) -> None:
    rows = netstat_interfaces.parse(run("netstat", "-ibdnW").stdout)
    assert [row.name for row in rows.value] == ["ix0", "ix1", "igb0", "lo0"]
    one = netstat_interfaces.parse(run("netstat", "-I", "ix1", "-bn").stdout)
    assert [row.name for row in one.value] == ["ix1"]
    assert one.skipped == ()
    assert one.value[0].tx_bytes == rows.value[1].tx_bytes
    assert one.value[0].tx_dropped is None
    for nothing in ("ix", "ix1*", "Name", "*"):
        assert len(run("netstat", "-I", nothing, "-bn").stdout.splitlines()) == 1, "the heading"


def test_netstat_says_what_it_does_not_simulate(run: Run) -> None:
    for arguments in ((), ("-m",), ("-w", "1")):
        done = run("netstat", *arguments)
        assert done.returncode == 1
        assert "netstat: " in done.stderr and "simulated" in done.stderr


def test_sysctl_prints_names_and_values_as_its_options_say(run: Run) -> None:
    assert run("sysctl", "hw.ncpu", "kern.ostype").stdout == "hw.ncpu: 4\nkern.ostype: FreeBSD\n"
    assert run("sysctl", "-n", "kern.ostype", "hw.ncpu").stdout == "FreeBSD\n4\n"
    assert run("sysctl", "-e", "hw.ncpu").stdout == "hw.ncpu=4\n"
    assert run("sysctl", "-N", "net.isr.").stdout.splitlines()[0] == "net.isr.numthreads"
    under = sysctl.parse(run("sysctl", "dev.ix.0.queue1").stdout).value
    assert set(under.values) == {
        f"dev.ix.0.queue1.{leaf}" for leaf in ("rx_packets", "rx_bytes", "rx_discarded", "tx_packets", "irqs")
    }
    assert len(run("sysctl", "-a").stdout.splitlines()) > 100


def test_sysctl_goes_on_after_a_name_that_is_not_there(run: Run) -> None:
    done = run("sysctl", "no.such", "hw.ncpu", "hw.nc")
    assert done.stdout == "hw.ncpu: 4\n"
    assert done.stderr == "sysctl: unknown oid 'no.such'\nsysctl: unknown oid 'hw.nc'\n"
    assert done.returncode != 0
    ignored = run("sysctl", "-ie", "no.such", "hw.ncpu")
    assert (ignored.stdout, ignored.stderr, ignored.returncode) == ("hw.ncpu=4\n", "", 0)


def test_sysctl_asked_for_the_same_names_again_gives_the_values_of_the_present_moment(
    run: Run, moments: Moments, tmp_path: Path
) -> None:
    names = [f"dev.ix.0.queue{queue}.rx_packets" for queue in range(4)]
    names = ["kern.cp_times", *names, "net.isr.dispatch", "hw.ncpu", "hw.model"]
    written = tmp_path / "channel/now/again.9"

    def asked(*more: str) -> list[str]:
        done = run("sysctl", "-ie", *names, *more)
        assert (done.stderr, done.returncode) == ("", 0)
        return done.stdout.splitlines()

    def searched() -> list[str]:
        return run("sysctl", "-e", *names).stdout.splitlines()

    assert asked() == searched() == [run("sysctl", "-e", name).stdout.strip() for name in names]
    before = asked()
    moments()
    assert written.exists()
    assert asked() == searched() != before
    run("sysctl", "net.isr.dispatch=hybrid")
    assert asked() == searched() and "net.isr.dispatch=hybrid" in asked()
    shutil.rmtree(tmp_path / "sysctl")  # as a boot does
    # a node is searched for, a name that is not there is left out
    for other in ("dev.ix.1.queue1", "no.such"):
        first = asked(other)
        moments()
        assert asked(other)[: len(names)] == searched() and len(asked(other)) == len(first)
        assert not (tmp_path / "channel/now/again.10").exists()
    run("sysctl", "-ie", "kern.cp_times")
    moments()
    asked_again, looked_for = (run("sysctl", option, "kern.cp_times").stdout for option in ("-ie", "-e"))
    assert asked_again == looked_for == searched()[0] + "\n"
    assert (tmp_path / "channel/now/again.2").exists(), "several are kept ready"


def test_date_prints_the_moment_of_the_counters(run: Run) -> None:
    wall = BOOT + 3_601_000_000
    seconds, nanoseconds = wall // 1_000_000, wall % 1_000_000 * 1000
    assert run("date", "+%s.%N").stdout == f"{seconds}.{nanoseconds:09}\n"
    assert run("date", "+%N").stdout == f"{nanoseconds:09}\n"
    assert run("date", "-u", "+%s").stdout == f"{seconds}\n"
    assert run("date", "+%Y").returncode == 1


def test_uname_prints_what_is_asked_for(run: Run) -> None:
    assert run("uname").stdout == "FreeBSD\n"
    assert run("uname", "-s").stdout == "FreeBSD\n"
    assert run("uname", "-mr").stdout == "15.0-RELEASE amd64\n"
    assert run("uname", "-a").stdout == "FreeBSD dut 15.0-RELEASE FreeBSD 15.0-RELEASE SIMULATED amd64\n"
    assert run("hostname").stdout == "dut\n"


def test_ifconfig_shows_one_or_all_and_changes_none(run: Run) -> None:
    assert run("ifconfig", "ix0").stdout.startswith("ix0: flags=")
    assert run("ifconfig").stdout.count("flags=") == 4
    missing = run("ifconfig", "em9")
    assert (missing.returncode, missing.stderr) == (1, "ifconfig: interface em9 does not exist\n")
    assert run("ifconfig", "../sysctl").returncode == 1
    assert run("ifconfig", "ix0", "down").returncode == 1


def test_a_starved_hosts_programs_wait(run: Run, tmp_path: Path) -> None:
    (tmp_path / "starved").touch()
    remover = subprocess.Popen(["/bin/sh", "-c", 'sleep 0.5; rm "$0"', str(tmp_path / "starved")])
    done = run("netstat", "-Q")
    assert not (tmp_path / "starved").exists()
    assert "Workstreams" in done.stdout
    remover.wait(5)


def test_timeout_is_the_command_itself_but_on_a_starved_host(run: Run, tmp_path: Path) -> None:
    done = run("timeout", "10", "sh", "-c", 'echo "$PPID $0 $1"; exit 3', "a b", "c*")
    assert (done.stdout.split(" ", 1)[1], done.returncode) == ("a b c*\n", 3)
    assert done.stdout.split()[0] == str(os.getpid()), "no process between them"
    sends = tmp_path / "pkt-gen"
    sends.write_text("#!/bin/sh\nsleep 20\n")
    sends.chmod(0o755)
    assert run("timeout", "1", str(sends)).returncode == 124, "it would send until it is ended"
    (tmp_path / "starved").touch()
    assert run("timeout", "1", "sleep", "20").returncode == 124
    assert run("timeout", "1", "true").returncode == 0


def test_every_stand_in_is_a_program_of_the_package() -> None:
    for path in BIN.iterdir():
        assert path.read_text().startswith("#!/bin/sh\n# "), path


def test_configuration_files_are_the_hosts_own_and_never_this_machines(run: Run, tmp_path: Path) -> None:
    assert "gateway_enable" in run("head", "-c", "1000", "/etc/rc.conf").stdout
    assert "net.isr.dispatch" in run("head", "-c", "1000", "/boot/loader.conf").stdout
    assert "net.inet.ip.redirect=0" in run("head", "-c", "1000", "/etc/sysctl.conf").stdout
    for path in ("/etc/passwd", "/etc/rc.conf.local", "/boot/loader.conf.local", "/usr/local/etc/x"):
        done = run("head", "-c", "1000", path)
        assert done.returncode == 1 and done.stdout == "" and "No such file or directory" in done.stderr
    (tmp_path / "mine").write_text("abcdef")
    assert run("head", "-c", "3", str(tmp_path / "mine")).stdout == "abc"


def test_kenv_and_config(run: Run) -> None:
    assert run("kenv").stdout == run("head", "-c", "1000", "/boot/loader.conf").stdout
    assert run("config", "-x", "/boot/kernel/kernel").stdout.startswith("ident\tSIMULATED\n")
    assert run("kenv", "-u", "x").returncode == run("config", "x").returncode == 1
