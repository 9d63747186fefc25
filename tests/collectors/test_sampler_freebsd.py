"""A FreeBSD host end to end: a real sshd and /bin/sh, and stand-ins for the programs of its base system.

Their counters grow at known rates with the machine's clock, so what is sampled can be held against them.
"""

import asyncio
import contextlib
import os
import shutil
import signal
import subprocess
import time

import pytest
from collectors_helpers import FREEBSD_BIN, FreebsdState, gone, rates

from fwdtui.collectors import freebsd_script
from fwdtui.core.model import HostSample


async def test_rates_queues_and_cores_come_out_right(labs, freebsd: FreebsdState) -> None:
    lab = labs("ix0", "ix1", interval="200ms", server=freebsd.sshd)
    await lab.until(lambda: len(lab.plain) >= 9 and len(lab.slow) >= 1, 20)
    first, last = lab.plain[0], lab.plain[-1]
    seconds = last.t - first.t

    def mean(before: int | None, after: int | None) -> float:
        assert before is not None and after is not None
        return (after - before) / seconds

    assert [row.name for row in last.interfaces] == ["ix0", "ix1"]
    assert mean(first.interfaces[0].rx_packets, last.interfaces[0].rx_packets) == pytest.approx(1e5, rel=0.03)
    assert mean(first.interfaces[1].tx_packets, last.interfaces[1].tx_packets) == pytest.approx(9e4, rel=0.03)
    assert mean(first.interfaces[0].rx_dropped, last.interfaces[0].rx_dropped) == pytest.approx(100, rel=0.05)
    # each single rate keeps what pace.Pace promises
    for _, rate in rates(lab.plain, "ix0", "rx_packets"):
        assert rate == pytest.approx(1e5, rel=0.12)
    for number in (0, 1):
        before, after = (
            next(q for q in s.queues if (q.interface, q.direction, q.index) == ("ix0", "rx", number))
            for s in (first, last)
        )
        assert mean(before.packets, after.packets) == pytest.approx(5e4 * (number + 1), rel=0.03)
    # core 0 is half in interrupts; core 1 is idle
    busy, idle = (mean(first.cpus[0].irq, last.cpus[0].irq), mean(first.cpus[0].idle, last.cpus[0].idle))
    assert busy == pytest.approx(idle, rel=0.01)
    assert [core.cpu for core in last.cpus] == [0, 1]
    missed = [next(s for s in sample.stages if s.stage == "rx-ring") for sample in (first, last)]
    assert mean(missed[0].value, missed[1].value) == pytest.approx(100, rel=0.05)
    assert all(sample.skipped == () for sample in lab.plain + lab.slow)
    assert last.wall == pytest.approx(time.time(), abs=5)
    assert last.boot == "0123456789abcdef0123456789abcdef"


async def test_slow_ticks_tell_netisr_and_interrupts_by_queue(labs, freebsd: FreebsdState) -> None:
    lab = labs("ix0", "ix1", server=freebsd.sshd)
    await lab.until(lambda: len(lab.slow) >= 2)
    (ip,) = [row for row in lab.slow[0].netisr if (row.workstream, row.protocol) == (0, "ip")]
    assert ip.length == 3 and ip.queue_drops is not None
    queued = {(row.interface, row.queue): row for row in lab.slow[0].interrupts}
    assert set(queued) >= {("ix0", 0), ("ix0", 1)}
    seconds = lab.slow[1].t - lab.slow[0].t
    later = next(r for r in lab.slow[1].interrupts if (r.interface, r.queue) == ("ix0", 0))
    grown = sum(later.totals.values()) - sum(queued["ix0", 0].totals.values())
    assert grown / seconds == pytest.approx(8_000, rel=0.15)


async def test_a_soft_ring_that_is_not_used_has_no_counters(labs, freebsd: FreebsdState) -> None:
    lab = labs("ix0", "ix1", server=freebsd.sshd)
    await lab.until(lambda: lab.plain)
    drops = {q.interface: q.drops for q in lab.plain[0].queues if q.direction == "tx" and q.index == 0}
    assert drops == {"ix0": 3, "ix1": None}


@pytest.mark.parametrize("identified", [True, False])
@pytest.mark.parametrize("step", [3600, -3600])
async def test_a_stepped_wall_clock_changes_no_rate(
    step: int, identified: bool, labs, freebsd: FreebsdState
) -> None:
    if not identified:
        freebsd.write("no-boot-id", "")
    lab = labs("ix0", "ix1", server=freebsd.sshd)
    await lab.until(lambda: len(lab.plain) >= 3)
    freebsd.write("step", f"{step}\n")  # ntpd sets the time: kern.boottime moves with it
    known = len(lab.plain)
    await lab.until(lambda: len(lab.plain) >= known + 4)
    walls = [sample.wall for sample in lab.plain if sample.wall is not None]
    assert walls[-1] - walls[0] == pytest.approx(step, abs=30)
    for _, rate in rates(lab.plain, "ix0", "rx_packets"):
        assert rate == pytest.approx(1e5, rel=0.12)
    assert lab.codes() == []


async def test_one_interface_is_asked_for_by_its_name(labs, freebsd: FreebsdState) -> None:
    lab = labs("ix0", server=freebsd.sshd)
    await lab.until(lambda: len(lab.plain) >= 2)
    assert [row.name for row in lab.plain[0].interfaces] == ["ix0"]
    assert lab.plain[0].interfaces[0].rx_packets is not None


async def test_an_old_date_is_replaced_by_a_pipes_time(labs, freebsd: FreebsdState) -> None:
    freebsd.write("old", "")
    began = time.monotonic()
    lab = labs("ix0", "ix1", server=freebsd.sshd)
    await lab.until(lambda: len(lab.plain) >= 5)
    assert lab.plain[-1].resolution == 1e-3  # hz = 1000
    assert 0.2 < lab.plain[-1].t - lab.plain[0].t < time.monotonic() - began


async def test_kernel_messages_and_links_become_events(labs, freebsd: FreebsdState) -> None:
    lab = labs("ix0", "ix1", server=freebsd.sshd)
    await lab.until(lambda: len(lab.plain) >= 3)
    assert lab.codes() == []  # what was there before is no news
    freebsd.log("ix0: link state changed to DOWN")
    await lab.until(lambda: "link-down" in lab.codes())
    freebsd.log("ix0: link state changed to UP")
    freebsd.log("pid 77 (pkt-gen), jid 0, uid 0: exited on signal 11 \x1b[31m")
    await lab.until(lambda: "dmesg" in lab.codes())
    assert lab.codes() == ["link-down", "link-up", "dmesg"]
    message = lab.unstalled[2].text
    assert message.startswith("pid 77 (pkt-gen)") and "\x1b" not in message


async def test_messages_that_nobody_may_read_are_said_once(labs, freebsd: FreebsdState) -> None:
    freebsd.write("no-dmesg", "")
    lab = labs("ix0", "ix1", server=freebsd.sshd)
    await lab.until(lambda: len(lab.slow) >= 2)
    (event,) = lab.unstalled
    assert event.code == "note" and "Operation not permitted" in event.text


@pytest.mark.parametrize("identified", [True, False])
async def test_a_reboot_is_a_new_epoch(identified: bool, labs, freebsd: FreebsdState) -> None:
    if not identified:
        freebsd.write("no-boot-id", "")
    lab = labs("ix0", "ix1", server=freebsd.sshd, backoff_first=0.1, backoff_max=0.3)
    await lab.until(lambda: len(lab.plain) >= 3)
    freebsd.sshd.signal_sessions(signal.SIGKILL)
    freebsd.boot("fedcba9876543210fedcba9876543210", time.time() - 20)
    await lab.until(lambda: "reboot" in lab.codes())
    known = len(lab.plain)
    await lab.until(lambda: len(lab.plain) >= known + 3)
    assert set(lab.codes()) == {"host-lost", "host-back", "reboot"}
    before, after = lab.plain[0], lab.plain[-1]
    assert before.boot != after.boot and after.boot != ""
    assert after.t < 60 < before.t
    assert after.at > before.at  # the recording's axis goes on


async def test_a_reboot_of_a_host_that_had_just_booted_is_no_clock_step(labs, freebsd: FreebsdState) -> None:
    """Without the boot's identity: it is up for longer than before, and not for as long as it was away."""
    freebsd.write("no-boot-id", "")
    freebsd.boot("a", time.time())
    lab = labs("ix0", "ix1", server=freebsd.sshd, backoff_first=0.1, backoff_max=0.3)
    await lab.until(lambda: len(lab.plain) >= 3, 60.0)
    freebsd.sshd.stop()
    await lab.until(lambda: "host-lost" in lab.codes(), 60.0)
    before, known = lab.plain[-1].t, len(lab.plain)
    await asyncio.sleep(before + 4.0)
    freebsd.boot("b", time.time() - before - 1.0)
    freebsd.sshd.start()
    await lab.until(lambda: len(lab.plain) > known, 60.0)
    assert lab.plain[-1].t > before
    assert "reboot" in lab.codes() and "clock-step" not in lab.codes()


async def test_nothing_is_left_after_closing(labs, freebsd: FreebsdState) -> None:
    lab = labs("ix0", "ix1", server=freebsd.sshd)
    await lab.until(lambda: len(lab.plain) >= 3)
    serving = lab.processes()
    await lab.aclose()
    assert await gone(serving)


async def test_a_stalled_host_gives_no_spike(labs, freebsd: FreebsdState) -> None:
    lab = labs("ix0", "ix1", server=freebsd.sshd)
    await lab.until(lambda: len(lab.plain) >= 5)
    shells = lab.processes()
    for pid in shells:
        if pid not in lab.sshd.sessions() and not _is_sshd(pid):
            with contextlib.suppress(ProcessLookupError):  # a tool that was just ending
                os.kill(pid, signal.SIGSTOP)
    await lab.collect(1.2)
    for pid in shells:
        if pid not in lab.sshd.sessions() and not _is_sshd(pid):
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGCONT)
    await lab.until(lambda: lab.plain[-1].t - lab.plain[-2].t > 1.0)
    known = len(lab.plain)
    await lab.until(lambda: len(lab.plain) >= known + 2)
    found = list(rates(lab.plain, "ix0", "rx_packets"))
    assert max(seconds for seconds, _ in found) > 1.0
    assert all(rate == pytest.approx(1e5, rel=0.12) for _, rate in found)


def _is_sshd(pid: int) -> bool:
    try:
        with open(f"/proc/{pid}/comm") as name:  # noqa: PTH123
            return name.read().startswith("sshd")
    except OSError:
        return True


async def test_a_csh_login_gives_the_same(labs, freebsd: FreebsdState, make_sshd) -> None:
    if not shutil.which("csh"):
        pytest.skip("needs the Debian package csh or tcsh")
    freebsd.sshd.stop()
    freebsd.sshd.options["ForceCommand"] = 'exec csh -c "$SSH_ORIGINAL_COMMAND"'
    freebsd.sshd.start()
    lab = labs("ix0", "ix1", server=freebsd.sshd)
    await lab.until(lambda: len(lab.plain) >= 3 and lab.slow)
    assert [row.name for row in lab.plain[0].interfaces] == ["ix0", "ix1"]
    assert all(isinstance(s, HostSample) and s.skipped == () for s in lab.plain)


@pytest.mark.parametrize("shell", ["dash", "mksh", "busybox sh", "bash --posix"])
def test_the_script_runs_in_any_sh(shell: str, tmp_path) -> None:
    words = shell.split()
    if not shutil.which(words[0]):
        pytest.skip(f"needs the Debian package {words[0]}")
    (tmp_path / "boot").write_text(f"abc {int(time.time()) - 100} 0\n")
    (tmp_path / "rates").write_text("ix0=1\nix1=1\nqueue=1\ndrops=1\nnetisr=1\nirq=1\n")
    (tmp_path / "dmesg").write_text("hello\n")
    environment = {
        **os.environ,
        "PATH": f"{FREEBSD_BIN}:{os.environ['PATH']}",
        "FREEBSD_STATE": str(tmp_path),
    }
    # a standalone busybox runs its own stat and date whatever PATH says; a function comes before both
    programs = "".join(
        f'{one.name}() {{ {one} "$@"; }}\n' for one in FREEBSD_BIN.iterdir() if one.name != "standin"
    )
    done = subprocess.run(
        [*words, "-c", programs + freebsd_script.script(("ix0", "ix1"), "T")],
        input=b"O 0 dev.ix.0.queue0.rx_packets\nP 1\nS 2\nM 1\nS 3 names\nP 4 dev.ix.0.queue1.rx_packets\n",
        capture_output=True,
        env=environment,
        timeout=60,
    )
    assert (done.returncode, done.stderr) == (0, b"")
    marks = [line for line in done.stdout.decode().splitlines() if line.startswith("@T E")]
    assert marks == ["@T E 0", "@T E 1", "@T E 2", "@T E 1", "@T E 3", "@T E 4"]
    assert done.stdout.count(b"dev.ix.0.queue0.rx_packets=") == 1, (
        "another choice takes the place of the first"
    )
    assert done.stdout.count(b"dev.ix.0.queue1.rx_packets=") == 1
    assert done.stdout.count(b"\n@T names\ndev.ix.0.%desc\n") == 2, "at the start, and when it was asked"
