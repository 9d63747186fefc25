"""The simulated lab over the real transport: strict keys, generators that start and stop, nothing left."""

import asyncio
import itertools
import os
import signal
import stat
import subprocess
import sys
import time
from pathlib import Path

import pytest
from msgspec.structs import replace
from simulated_helpers import contents, none_left, processes_of

from fwdtui.collectors.clock import HostClock
from fwdtui.collectors.doctor import examine
from fwdtui.collectors.lab_trust import open_lab
from fwdtui.collectors.labfile import load, ssh_settings
from fwdtui.core.errors import FwdtuiError
from fwdtui.core.parse import netmap_pktgen, netstat_interfaces
from fwdtui.labs.simulated import place, scenario
from fwdtui.labs.simulated.lab import SimulatedLab
from fwdtui.labs.simulated.scenario import Times
from fwdtui.transport.errors import AuthFailed, ChangedHostKey, UnknownHostKey
from fwdtui.transport.settings import SshSettings
from fwdtui.transport.ssh import SshPool

HOSTS = "gen", "dut"


async def settled(condition: "object", seconds: float = 15.0) -> None:
    """Wait until `condition()` holds."""
    until = time.monotonic() + seconds
    while not condition():  # type: ignore[operator]
        assert time.monotonic() < until, "it did not come to that"
        await asyncio.sleep(0.02)


def listening_addresses() -> list[str]:
    """Local address and port in hex of every TCP socket of this machine that listens."""
    table = Path("/proc/net/tcp")
    if not table.exists():
        pytest.skip("needs /proc/net/tcp")
    return [line.split()[1] for line in table.read_text().splitlines() if line.split()[3] == "0A"]


def sweep(temporary: Path) -> None:
    """As the next lab does, in a process of its own."""
    code = "from fwdtui.labs.simulated import place; place.sweep()"
    environment = {**os.environ, "TMPDIR": str(temporary)}
    subprocess.run([sys.executable, "-c", code], env=environment, check=True, timeout=60)


async def test_lab_toml_is_read_as_any_other(lab: SimulatedLab) -> None:
    found = load(lab.lab_toml)
    assert found.name == "simulated-lab"
    assert found.hosts() == ("gen", "dut")
    assert (found.dut.inputs, found.dut.outputs, found.dut.os) == (("ix0",), ("ix1",), "freebsd")
    assert found.line_rate == 14.88e6
    assert found.frame == 64, "pkt-gen -l 60, and the FCS"
    assert found.receiver and found.receiver.tool == "netmap-pkt-gen"
    settings = ssh_settings(found, lab.lab_toml)
    assert settings.config_file == lab.folder / "ssh_config"
    assert "StrictHostKeyChecking yes" in (lab.folder / "ssh_config").read_text()


async def test_its_folder_is_private(lab: SimulatedLab) -> None:
    assert stat.S_IMODE(lab.folder.stat().st_mode) == 0o700
    assert stat.S_IMODE((lab.folder / "user_key").stat().st_mode) == 0o600


async def test_a_script_runs_in_a_real_shell_with_the_stand_ins_before_the_real_programs(
    pool: SshPool, lab: SimulatedLab
) -> None:
    dut = await pool.open("dut", "dut")
    done = await dut.run("uname -sr; command -v netstat; echo $((6 * 7)) | cat; exit 3")
    system, program, sum_, *_ = done.stdout.decode().splitlines()
    assert system == "FreeBSD 15.0-RELEASE"
    assert Path(program) == lab.folder / "bin" / "netstat"
    assert sum_ == "42"
    assert done.status == 3


async def test_a_channel_that_has_ended_leaves_no_files(pool: SshPool, lab: SimulatedLab) -> None:
    dut = await pool.open("dut", "dut")
    for command in ("uname", "exit 3", "kill -KILL $$"):
        await dut.run(command)
    await settled(lambda: contents(lab.folder / "dut") == ["home", "pktgen"])


async def test_openssh_itself_can_log_in(lab: SimulatedLab) -> None:
    ssh = "/usr/bin/ssh"
    if not os.access(ssh, os.X_OK):
        pytest.skip("needs the Debian package openssh-client")
    command = [ssh, "-F", str(lab.folder / "ssh_config"), "-o", "BatchMode=yes", "gen", "hostname; uname"]
    process = await asyncio.create_subprocess_exec(
        *command,
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    out, err = await asyncio.wait_for(process.communicate(), 20)
    assert (out, process.returncode) == (b"gen\nFreeBSD\n", 0), err


async def test_servers_listen_on_loopback_only(lab: SimulatedLab) -> None:
    ports = {
        int(line.split()[1])
        for line in (lab.folder / "ssh_config").read_text().splitlines()
        if line.strip().startswith("Port")
    }
    assert len(ports) == 2
    listening = listening_addresses()
    ours = [address for address in listening if int(address.split(":")[1], 16) in ports]
    assert len(ours) == 2
    assert {address.split(":")[0] for address in ours} == {"0100007F"}


async def test_a_host_with_another_key_is_refused(lab: SimulatedLab, tmp_path: Path) -> None:
    gen, dut = (line.split() for line in (lab.folder / "known_hosts").read_text().splitlines())
    swapped = lab.folder / "swapped"
    swapped.write_text(f"{gen[0]} {dut[1]} {dut[2]}\n")
    for file, refusal in ((swapped, ChangedHostKey), (lab.folder / "lock", UnknownHostKey)):
        settings = SshSettings(config_file=lab.folder / "ssh_config", known_hosts=file)
        async with SshPool(settings) as pool:
            with pytest.raises(refusal):
                await (await pool.open("gen", "gen")).connect()


async def test_nobody_else_can_log_in(lab: SimulatedLab, tmp_path: Path) -> None:
    import asyncssh

    other = lab.folder / "other_key"
    asyncssh.generate_private_key("ssh-ed25519").write_private_key(other)
    config = (lab.folder / "ssh_config").read_text().replace("user_key", "other_key")
    (lab.folder / "other_config").write_text(config)
    settings = SshSettings(config_file=lab.folder / "other_config", known_hosts=lab.folder / "known_hosts")
    async with SshPool(settings) as pool:
        with pytest.raises(AuthFailed):
            await (await pool.open("dut", "dut")).connect()


async def test_all_that_one_request_reads_is_of_one_moment_and_the_next_of_another(
    pool: SshPool, lab: SimulatedLab
) -> None:
    lab.world.start("load")
    dut = await pool.open("dut", "dut")
    script = (
        # as a sampler marks its answers
        "while read -r _; do echo @t B 1 P; date +%s.%N; netstat -ibdn -I ix0; sleep 0.3;"
        " netstat -ibdn -I ix0; date +%s.%N; echo @t E 1; done"
    )
    process = await dut.start(f"echo ready\n{script}", stdin=True)
    assert await process.readline() == b"ready"
    moments = []
    for _ in range(3):
        # the second request comes before the first is answered
        process.send(b"tick")
        process.send(b"tick")
        for _ in range(2):
            lines = list(
                itertools.takewhile(
                    lambda line: line != b"@t E 1", [await process.readline() for _ in range(10)]
                )
            )
            text = b"\n".join(line or b"" for line in lines).decode()
            clocks = [line for line in text.splitlines() if line.startswith("1")]
            counts = [line.split()[-9] for line in text.splitlines() if "<Link#1>" in line]
            assert len(clocks) == len(counts) == 2
            assert clocks[0] == clocks[1], text
            assert counts[0] == counts[1], text
            moments.append((clocks[0], int(counts[0])))
        await asyncio.sleep(0.1)
    assert moments == sorted(set(moments))
    await process.close()


async def test_rates_between_two_requests_are_the_models_own_to_the_packet(
    pool: SshPool, lab: SimulatedLab
) -> None:
    lab.world.start("load", rate=1_000_000.0)
    await asyncio.sleep(0.5)
    dut = await pool.open("dut", "dut")
    process = await dut.start(
        "echo ready; while read -r _; do date +%s.%N; netstat -in -I ix0; done", stdin=True
    )
    assert await process.readline() == b"ready"
    readings = []
    for _ in range(2):
        process.send(b"tick")
        clock = float(await process.readline() or 0)
        table = b"\n".join([await process.readline() or b"" for _ in range(3)]).decode()
        (row,) = netstat_interfaces.parse(table).value
        readings.append((clock, row.rx_packets or 0))
        await asyncio.sleep(0.4)
    (begun, first), (ended, last) = readings
    # the generator's rate to within the packets of two steps
    assert last - first == pytest.approx((ended - begun) * 1e6, abs=2)
    await process.close()


async def test_a_clock_that_is_read_never_shows_a_moment_before_it_was_asked_for(
    pool: SshPool, lab: SimulatedLab
) -> None:
    """Else it seems to jump to whoever holds readings against a clock of his own, and a trial is spoilt."""
    dut = await pool.open("dut", "dut")
    process = await dut.start(
        "echo ready; while read -r _; do echo @t B 1 P; date +%s.%N; echo @t E 1; done", stdin=True
    )
    assert await process.readline() == b"ready"
    clock = HostClock()
    for _ in range(40):
        sent = time.monotonic()
        process.send(b"tick")
        _, told, _ = [await process.readline() for _ in range(3)]
        seconds, _, fraction = (told or b"").decode().partition(".")
        at = int(seconds) - 1_700_000_000 + float(f"0.{fraction}")
        assert clock.exchange(sent, time.monotonic(), at, at) == 0.0
        await asyncio.sleep(0.013)
    await process.close()


async def test_a_shell_that_asks_by_itself_sees_time_pass(pool: SshPool, lab: SimulatedLab) -> None:
    dut = await pool.open("dut", "dut")
    done = await dut.run("date +%s.%N; sleep 3; date +%s.%N")
    before, after = map(float, done.stdout.split())
    assert after - before > 2


async def test_pkt_gen_sends_until_it_is_told_to_stop_and_then_sums_up(
    pool: SshPool, lab: SimulatedLab
) -> None:
    generator = load(lab.lab_toml).generators[0]
    gen = await pool.open("gen", generator.host)
    process = await gen.start(generator.start or "", merge_stderr=True)
    await settled(lambda: lab.world.sending)
    lines = []
    while len([line for line in lines if b"main_thread" in line]) < 2:
        lines.append(await process.readline() or b"")
    await process.stop("INT", grace=20.0)  # a busy machine takes its time over the summary
    lines += [line async for line in process]
    log = netmap_pktgen.parse(b"\n".join(lines).decode() + "\n")
    assert log.role == "generator"
    assert sum(item.packets for item in log.intervals) == log.packets_total == lab.world.offered > 0
    assert not lab.world.sending
    assert log.speed


async def test_pkt_gen_ends_by_itself_after_its_number_of_packets(pool: SshPool, lab: SimulatedLab) -> None:
    gen = await pool.open("gen", "gen")
    receiver = await gen.start("pkt-gen -N -f rx -i ix1 -w 0", merge_stderr=True)
    await settled(lambda: lab.world.listeners)
    done = await gen.run("pkt-gen -N -f tx -i ix0 -n 600000 -R 1M -w 0")
    assert done.status == 0
    log = netmap_pktgen.parse(done.stderr.decode() + done.stdout.decode())
    assert log.packets_total == lab.world.offered == 600_000
    assert log.seconds == pytest.approx(0.6, abs=0.3)
    await receiver.stop("INT", grace=20.0)
    heard = netmap_pktgen.parse(b"\n".join([line async for line in receiver]).decode() + "\n")
    assert heard.role == "receiver"
    assert heard.packets_total == 600_000
    assert not lab.world.listeners


@pytest.mark.parametrize("end", ["TERM", "KILL", "close"])
async def test_a_pkt_gen_that_is_killed_sends_no_more(pool: SshPool, lab: SimulatedLab, end: str) -> None:
    gen = await pool.open("gen", "gen")
    process = await gen.start("echo $$; exec pkt-gen -N -f tx -i ix0 -w 0", merge_stderr=True)
    pid = int(await process.readline() or 0)
    await settled(lambda: lab.world.sending)
    if end == "close":
        await process.close()
    else:
        os.kill(pid, getattr(signal, f"SIG{end}"))
    # a stand-in that was killed outright is noticed when its next line finds no reader
    await settled(lambda: not lab.world.sending)
    await process.close()


async def test_pkt_gen_refuses_a_card_that_is_not_the_generators(pool: SshPool, lab: SimulatedLab) -> None:
    for host, options in (("gen", "-f tx -i em7"), ("dut", "-f tx -i ix0"), ("gen", "-f tx"), ("gen", "-i")):
        done = await (await pool.open(host, host)).run(f"pkt-gen {options}")
        assert b"main [3125] " in done.stderr
        assert done.stdout == b""
    assert lab.world.offered == 0


async def test_a_starved_dut_answers_nothing_and_then_with_the_counters_of_then(
    pool: SshPool, lab: SimulatedLab
) -> None:
    lab.switch(replace(scenario.load("starved-dut"), starved=Times(first=0.3, length=4.0)))
    dut = await pool.open("dut", "dut")
    gen = await pool.open("gen", "gen")
    lab.world.start("load")
    await settled(lambda: lab.world.starved)
    asked = asyncio.create_task(dut.run("date +%s.%N", timeout=30))
    await gen.run("netstat -Q")
    assert lab.world.starved  # the generator answers meanwhile
    assert not asked.done()
    waking = time.time()
    answer = float((await asked).stdout)
    assert not lab.world.starved
    assert answer > waking


async def test_switching_goes_on_counting(pool: SshPool, lab: SimulatedLab) -> None:
    lab.world.start("load")
    await asyncio.sleep(0.3)
    lab.switch("tx-one-queue")
    before = lab.world.offered
    assert lab.scenario.name == "tx-one-queue"
    await asyncio.sleep(0.3)
    dut = await pool.open("dut", "dut")
    done = await dut.run("sysctl -n dev.ix.1.queue0.tx_packets dev.ix.1.iflib.txq0.r_drops")
    sent, dropped = map(int, done.stdout.split())
    assert lab.world.offered > before > 0
    assert sent > 0 and dropped > 0
    with pytest.raises(FwdtuiError, match="no scenario 'nosuch'"):
        lab.switch("nosuch")
    assert lab.scenario.name == "tx-one-queue"


async def test_another_kernel_is_another_boot_of_the_dut_and_of_no_other_host(
    pool: SshPool, lab: SimulatedLab
) -> None:
    lab.world.start("load")
    await asyncio.sleep(0.1)

    async def boots() -> dict[str, str]:
        asked = {name: await (await pool.open(name, name)).run("sysctl -n kern.boot_id") for name in HOSTS}
        return {name: done.stdout.decode() for name, done in asked.items()}

    before = await boots()
    for name, another in (
        ("generator-limited", False),  # other settings of the same kernel
        ("tx-one-queue", True),
        ("tx-one-queue", False),
        ("tx-one-queue-fixed", True),
    ):
        sent, received = lab.world.dut.sent, lab.world.received
        lab.switch(name)
        assert (lab.world.dut.sent < sent) is another, "counters begin at zero"
        assert lab.world.received >= received, "but not those of what arrived elsewhere"
        await asyncio.sleep(0.1)
        now = await boots()
        assert {host for host in HOSTS if now[host] != before[host]} == ({"dut"} if another else set()), name
        before = now


async def test_closing_ends_what_still_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    lab = SimulatedLab(wait=0)
    async with lab:
        _, pool = open_lab(lab.lab_toml)
        gen = await pool.open("gen", "gen")
        process = await gen.start(
            "trap '' INT TERM; pkt-gen -f tx -i ix0 -w 0 & sleep 1000", merge_stderr=True
        )
        await settled(lambda: lab.world.sending)
        assert processes_of(lab.folder)
        began = time.monotonic()
    assert time.monotonic() - began < 10
    assert await none_left(lab.folder), processes_of(lab.folder)
    assert contents(tmp_path) == []
    assert (await process.wait()).lost
    await pool.aclose()
    await lab.aclose()  # a second time does nothing


async def test_two_labs_do_not_know_of_each_other(lab: SimulatedLab) -> None:
    async with SimulatedLab("generator-limited", wait=0) as other:
        assert other.folder != lab.folder
        other.world.start("load")
        await asyncio.sleep(0.2)
        assert lab.world.offered == 0
    assert lab.folder.is_dir()
    assert not other.folder.exists()


async def test_a_lab_that_was_killed_is_swept_away_by_the_next(tmp_path: Path) -> None:
    script = (
        "import asyncio\n"
        "from fwdtui.labs.simulated.lab import SimulatedLab\n"
        "async def main():\n"
        "    async with SimulatedLab() as lab:\n"
        "        print(lab.folder, flush=True)\n"
        "        await asyncio.sleep(60)\n"
        "asyncio.run(main())\n"
    )
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-c",
        script,
        stdout=asyncio.subprocess.PIPE,
        env={**os.environ, "TMPDIR": str(tmp_path)},
    )
    assert process.stdout is not None
    folder = Path((await asyncio.wait_for(process.stdout.readline(), 20)).decode().strip())
    assert folder.parent == tmp_path
    sweep(tmp_path)
    assert (folder / "lab.toml").exists()  # it lives
    process.kill()
    await process.wait()
    sweep(tmp_path)
    assert contents(tmp_path) == []


async def test_a_temporary_folder_that_cannot_hold_programs_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    odd = tmp_path / "a:b"
    odd.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(odd))
    with pytest.raises(FwdtuiError, match="a colon in TMPDIR"):
        place.Place()
    assert contents(odd) == []


async def test_a_temporary_folder_with_an_odd_name_works(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    odd = tmp_path / "it's 100% odd $HOME"
    odd.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(odd))
    async with SimulatedLab(wait=0) as lab:
        _, pool = open_lab(lab.lab_toml)
        async with pool:
            gen = await pool.open("gen", "gen")
            done = await gen.run("netstat -I ix0 -n | wc -l; pkt-gen -f tx -i ix0 -n 10000 -w 0")
            assert b"Sent 10000 packets" in done.stdout
    assert contents(odd) == []


async def test_the_doctor_finds_everything_that_the_lab_needs(lab: SimulatedLab, pool: SshPool) -> None:
    described, _ = open_lab(lab.lab_toml)
    checks = await examine(described, pool, str(lab.lab_toml))
    assert [check for check in checks if check.ok is False] == []
    assert {"generator netmap-pkt-gen", "receiver netmap-pkt-gen"} <= {check.what for check in checks}


async def test_the_doctor_sees_what_makes_a_freebsd_dut_lie(lab: SimulatedLab, pool: SshPool) -> None:
    described, _ = open_lab(lab.lab_toml)

    async def told() -> dict[str, tuple[str, str, str]]:
        checks = await examine(described, pool, str(lab.lab_toml))
        found = [(one.host, one.finding) for one in checks if one.finding is not None]
        return {one.place: (host, one.seen, one.do) for host, one in found}

    assert await told() == {}
    dut = await pool.open("dut", "dut")
    for name, value in (
        ("net.inet6.ip6.redirect", "1"),
        ("kern.random.harvest.mask", "511"),
        ("kern.random.harvest.mask_symbolic", "[UMA],[FS_ATIME],SWI,INTERRUPT,NET_NG,NET_ETHER"),
        ("dev.ix.0.fc", "3"),
        ("dev.ix.1.iflib.override_nrxqs", "2"),
        ("vm.pmap.pti", "1"),
        ("hw.ibrs_active", "1"),
        ("hw.acpi.cpu.cx_lowest", "C2"),
        ("dev.cpu.0.freq", "800"),
        ("kern.smp.threads_per_core", "2"),
    ):
        done = await dut.run(f"sysctl '{name}={value}'")
        assert done.status == 0, done.stderr
    assert await told() == {
        "redirects": ("dut", "net.inet6.ip6.redirect is 1", "sysctl net.inet6.ip6.redirect=0"),
        "harvest": (
            "dut",
            "entropy is harvested from NET_ETHER and INTERRUPT",
            "sysrc harvest_mask=351 && service random restart",
        ),
        "ix0 pause": ("dut", "flow control is on (dev.ix.0.fc is 3)", "sysctl dev.ix.0.fc=0"),
        "ix1 iflib-overrides": (
            "dut",
            "dev.ix.1.iflib.override_nrxqs is 2",
            "sysrc -f /boot/loader.conf -x dev.ix.1.iflib.override_nrxqs",
        ),
        "mitigations": ("dut", "IBRS is on (hw.ibrs_active is 1)", "sysctl hw.ibrs_disable=1"),
        "idle-states": (
            "dut",
            "processors may sleep as deep as C2",
            "sysctl hw.acpi.cpu.cx_lowest=C1",
        ),
        "frequency-limit": ("dut", "CPU 0 runs at 800 of 2400 MHz", "sysctl dev.cpu.0.freq=2400"),
        "smt": (
            "dut",
            "2 threads share a core",
            "sysrc -f /boot/loader.conf machdep.hyperthreading_allowed=0",
        ),
    }


async def test_ls_lists_what_there_is(lab: SimulatedLab, pool: SshPool) -> None:
    host = await pool.open("gen", "gen")
    told = await host.run(f"ls '{lab.folder}'; ls /dev/netmap; ls /no/such/place || echo no")
    assert b"lab.toml\n" in told.stdout and b"/dev/netmap\nno\n" in told.stdout
