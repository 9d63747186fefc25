"""A Linux host sampled over a real sshd: exact, on time, through stalls and deaths, nothing left behind."""

import asyncio
import os
import re
import shutil
import signal
import statistics
import subprocess
import sys
from pathlib import Path

import pytest
from collectors_helpers import Lab, Wire, alive, gone, rates, trust
from transport_helpers import until

from fwdtui.core.model import HostSample

pytestmark = pytest.mark.skipif(not Path("/proc/net/dev").exists(), reason="needs Linux's /proc")


def counter(sample: HostSample, interface: str, name: str) -> int:
    return next(getattr(row, name) for row in sample.interfaces if row.name == interface)


async def test_100_ms_ticks_are_as_many_as_five_seconds_hold_and_evenly_spaced(labs) -> None:
    lab = labs("lo")
    await lab.until(lambda: lab.plain)
    await lab.collect(5.0)
    numbers = [s.seq for s in lab.samples if isinstance(s, HostSample)]
    assert numbers == sorted(set(numbers))
    assert 4 <= len(lab.slow) <= 7  # programs run once a second, not ten times
    spaces = [after.t - before.t for before, after in zip(lab.plain, lab.plain[1:], strict=False)]
    assert statistics.median(spaces) == pytest.approx(0.1, abs=0.005)
    # places on a schedule of ten a second: a busy machine leaves some out and reads others late, one in the
    # place of the next even, but no more than one in each on average
    began = lab.plain[0].t
    places = [round((sample.t - began) / 0.1) for sample in lab.plain]
    assert 25 <= len(places) <= places[-1] + 2
    assert 44 <= places[-1] <= 52
    late = [sample.t - began - 0.1 * place for sample, place in zip(lab.plain, places, strict=True)]
    assert statistics.median(late[-10:]) == pytest.approx(statistics.median(late[:10]), abs=0.02), "it drifts"
    assert lab.codes() == []


async def test_the_host_is_placed_where_its_clock_is(labs) -> None:
    # one machine: its clock and ours are the same
    if os.geteuid() != 0:
        pytest.skip("without root the host's clock has 10 ms")
    lab = labs("lo")

    def offsets() -> list[float]:
        return [sample.t - sample.at for sample in lab.plain[-5:]]

    # on a busy machine no answer of the first ones may have been quick enough to place it to the millisecond
    await lab.until(lambda: len(lab.plain) >= 10 and max(offsets()) - min(offsets()) < 0.002)
    assert lab.source.axis.origin is not None
    assert offsets()[-1] == pytest.approx(lab.source.axis.origin, abs=0.002)
    assert all(0 <= sample.late < 0.5 for sample in lab.plain)


async def test_every_packet_is_counted_once_and_the_rate_is_that_of_the_flow(labs, wire: Wire) -> None:
    lab = labs(wire.name, wire.far)
    await lab.until(lambda: len(lab.plain) >= 3)
    wire.send(12_345)
    await lab.until(lambda: counter(lab.plain[-1], wire.far, "rx_packets") >= 12_345)
    await lab.collect(0.3)
    for interface, name in ((wire.name, "tx_packets"), (wire.far, "rx_packets")):
        assert counter(lab.plain[-1], interface, name) - counter(lab.plain[0], interface, name) == 12_345
        counted = sum(seconds * rate for seconds, rate in rates(lab.plain, interface, name))
        assert counted == pytest.approx(12_345, abs=1e-6)
    flow = asyncio.create_task(wire.flow(2_000))
    await lab.collect(0.2)
    first = len(lab.plain)
    await lab.collect(1.2)
    flow.cancel()
    steady = [rate for _, rate in rates(lab.plain[first:], wire.far, "rx_packets")]
    assert sum(steady) / len(steady) == pytest.approx(2_000, rel=0.05)


async def test_a_stopped_sampler_gives_a_gap_and_no_spike(labs, wire: Wire) -> None:
    lab = labs(wire.name, wire.far)
    flow = asyncio.create_task(wire.flow(2_000))
    await lab.until(lambda: len(lab.plain) >= 10)
    (pid,) = lab.samplers()
    os.kill(pid, signal.SIGSTOP)
    await lab.collect(1.6)
    os.kill(pid, signal.SIGCONT)
    await lab.collect(0.8)
    flow.cancel()
    found = list(rates(lab.plain, wire.far, "rx_packets"))
    assert max(seconds for seconds, _ in found) > 1.3
    # a tick is answered in one go, so the flow is what each sample shows, the one after the stall as well
    assert (
        max(rate for _, rate in found[2:]) < 2_000 * 4
    )  # counted into one interval, 1.6 s would be 16 times as much
    stalls = lab.told("silent", "sampled-again")
    assert [event.code for event in stalls] == ["silent", "sampled-again"]
    assert re.search(r"after 1\.[4-9] s without any", stalls[1].text)
    assert lab.source.samplers["dut"].missed > 5
    times = [sample.t for sample in lab.samples if isinstance(sample, HostSample)]
    assert times == sorted(times)


async def test_a_killed_sampler_is_started_again_three_times_and_then_has_failed(labs) -> None:
    lab = labs("lo")

    for deaths in range(1, 5):
        known = len(lab.plain)
        await lab.until(lambda known=known: len(lab.plain) > known + 2)
        (pid,) = lab.samplers()
        os.kill(pid, signal.SIGKILL)
        await lab.until(lambda deaths=deaths: len(lab.unstalled) >= deaths)
    assert lab.codes() == ["note", "note", "note", "failed"], lab.events
    assert "being restarted" in lab.unstalled[0].text
    assert "signal 9" in lab.unstalled[-1].text or "Killed" in lab.unstalled[-1].text
    await lab.collect(5)  # it ends by itself: nobody is left to sample
    assert await gone(lab.samplers(), 3)
    boots = {sample.boot for sample in lab.plain}
    assert len(boots) == 1 and boots != {""}


async def test_a_lost_connection_is_told_and_sampling_goes_on(labs) -> None:
    lab = labs("lo", backoff_first=0.1, backoff_max=0.3)
    await lab.until(lambda: len(lab.plain) >= 5)
    lab.sshd.signal_sessions(signal.SIGKILL)
    await lab.until(lambda: "host-back" in lab.codes())
    known = len(lab.plain)
    await lab.until(lambda: len(lab.plain) > known + 5)
    assert lab.codes() == ["host-lost", "host-back"]
    assert [s.t for s in lab.plain] == sorted(s.t for s in lab.plain)
    assert lab.source.samplers["dut"].restarts == 0


async def test_closing_the_source_leaves_no_process(labs) -> None:
    lab = labs("lo")
    await lab.until(lambda: len(lab.plain) >= 3)
    serving = lab.processes()
    assert lab.samplers()
    sessions = lab.sshd.sessions()
    await lab.source.aclose()
    # the connection is the pool's and stays
    assert await gone(set(serving) - set(sessions) - {s for s in serving if _is_sshd(s)})
    await lab.aclose()
    assert await gone(serving)


def _is_sshd(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/comm").read_text().startswith("sshd")
    except OSError:
        return False


CLIENT = """
import asyncio, sys
from pathlib import Path
from fwdtui.collectors.lab_trust import open_lab
from fwdtui.collectors.source import LabSource
async def main():
    lab, pool = open_lab(sys.argv[1])
    async with LabSource(lab, pool) as source:
        async for sample in source:
            print(sample.at, flush=True)
asyncio.run(main())
"""


def run_client(toml: Path) -> "subprocess.Popen[bytes]":
    return subprocess.Popen(
        [sys.executable, "-c", CLIENT, toml], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    )


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
async def test_a_killed_client_leaves_no_process(number, make_sshd) -> None:
    sshd = make_sshd()
    lab = Lab(sshd, None, ("lo",), "100ms")  # type: ignore[arg-type]
    toml = sshd.folder / "lab.toml"
    toml.write_text(
        f'[ssh]\nconfig_file = "{sshd.config.name}"\nknown_hosts = "{sshd.known_hosts.name}"\n'
        '[dut]\nhost = "dut"\nin = "lo"\nout = "lo"\n'
    )
    client = run_client(trust(toml))
    try:
        assert client.stdout is not None and client.stdout.readline()
        await until(lambda: len(lab.samplers()) == 1)
        serving = lab.processes()
        client.send_signal(number)
        client.wait(30)
        assert await gone(serving)
    finally:
        client.kill()
        client.wait()
        client.stdout.close()  # type: ignore[union-attr]
    assert alive(serving) == []


async def test_a_replaced_interface_is_told_by_its_index(labs, wire: Wire) -> None:
    lab = labs(wire.name, wire.far)
    wire.send(10)
    await lab.until(lambda: len(lab.plain) >= 2)
    wire.remove()
    known = len(lab.plain)
    await lab.until(lambda: lab.codes().count("port-gone") >= 2)
    wire.add()
    await lab.until(lambda: lab.codes().count("port-back") >= 2)

    def indexes() -> set[int | None]:
        return {row.link for sample in lab.plain for row in sample.interfaces if row.name == wire.name}

    await lab.until(lambda: len(indexes()) == 2)
    missing = [s for s in lab.samples[known:] if isinstance(s, HostSample) and not s.interfaces and s.cpus]
    assert missing and all(f"no interface {wire.name}" in s.skipped for s in missing)
    assert {event.text.partition(":")[0] for event in lab.told("port-gone")} == {wire.name, wire.far}


async def test_a_link_that_goes_and_comes_is_an_event(labs, wire: Wire) -> None:
    lab = labs(wire.name, wire.far)
    await lab.until(lambda: len(lab.slow) >= 1)
    wire.set_far("down")
    await lab.until(lambda: "link-down" in lab.codes())
    wire.set_far("up")
    await lab.until(lambda: lab.codes().count("link-up") >= 2)
    told = {event.text for event in lab.events}
    assert f"{wire.far}: link is down" in told and f"{wire.far}: link is up" in told


@pytest.mark.parametrize("shell", ["csh", "busybox"])
async def test_any_login_shell_will_do(shell: str, labs, make_sshd) -> None:
    if not shutil.which(shell):
        pytest.skip(f"needs the Debian package {shell}")
    command = f'exec {shell}{" sh" if shell == "busybox" else ""} -c "$SSH_ORIGINAL_COMMAND"'
    lab = labs("lo", server=make_sshd(ForceCommand=command))
    await lab.until(lambda: len(lab.plain) >= 3 and lab.slow)
    assert all(s.skipped == () for s in lab.plain)


async def test_sampling_every_second_is_the_default_pace(labs) -> None:
    lab = labs("lo", interval="1s")
    await lab.until(lambda: len(lab.plain) >= 2)
    assert lab.plain[1].t - lab.plain[0].t == pytest.approx(1.0, abs=0.1)
    assert len(lab.slow) in (1, 2)
