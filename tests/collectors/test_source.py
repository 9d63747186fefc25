"""A lab as one stream: hosts, further producers, failures and the end."""

import asyncio

import pytest

from fwdtui.collectors.base import Emit
from fwdtui.collectors.clock import Axis
from fwdtui.collectors.source import LabSource
from fwdtui.core.lab import parse
from fwdtui.core.model import EventSample, HostSample, RateSample, Sample
from fwdtui.transport.settings import SshSettings
from fwdtui.transport.ssh import SshPool

DUT = parse('[dut]\nhost = "dut"\nin = "lo"\nout = "lo"\n[sampling]\ninterval = "100ms"\n')


class Tool:
    """A producer as a generator's output would be."""

    def __init__(self, count: int, problem: Exception | None = None) -> None:
        self.count, self.problem, self.cancelled = count, problem, False

    async def run(self, emit: Emit, axis: Axis) -> None:
        try:
            for number in range(self.count):
                emit(RateSample("generator", float(number), 1.0, 1e6, at=axis.now()))
                await asyncio.sleep(0.01)
            if self.problem is not None:
                raise self.problem
        except asyncio.CancelledError:
            self.cancelled = True
            raise


async def first(source: LabSource, kind: type, seconds: float = 10.0) -> Sample:
    async with asyncio.timeout(seconds):
        async for sample in source:
            if isinstance(sample, kind):
                return sample
    raise AssertionError(f"no {kind.__name__}")


async def test_tools_and_hosts_share_one_stream_and_one_axis(labs) -> None:
    lab = labs("lo")
    lab.source.add(Tool(200))
    await lab.collect(1.5)
    kinds = {type(sample) for sample in lab.samples}
    assert {RateSample, HostSample} <= kinds
    times = [sample.at for sample in lab.samples if sample.at is not None]
    assert times[0] == pytest.approx(0.0, abs=0.5)
    assert max(times) < 3


async def test_a_producer_that_breaks_ends_the_stream_with_its_exception(labs) -> None:
    lab = labs("lo")
    lab.source.add(Tool(1, RuntimeError("a bug")))
    with pytest.raises(RuntimeError, match="a bug"):
        async with asyncio.timeout(10):
            async for _ in lab.source:
                pass


async def test_closing_ends_the_iteration_and_everything_that_runs(labs) -> None:
    lab = labs("lo")
    tool = Tool(10_000)
    lab.source.add(tool)
    await first(lab.source, HostSample)
    await lab.source.aclose()
    assert tool.cancelled
    async with asyncio.timeout(2):
        async for _ in lab.source:  # what was there already, then the end
            pass
    await lab.source.aclose()


async def test_what_is_here_already_can_be_taken_without_waiting(labs) -> None:
    lab = labs("lo")
    await first(lab.source, HostSample)
    await asyncio.sleep(0.5)
    waiting = lab.source.ready()
    assert len([s for s in waiting if isinstance(s, HostSample)]) >= 3
    assert lab.source.ready() == []


async def test_a_host_that_cannot_be_reached_is_an_event_and_no_exception(tmp_path, free_port: int) -> None:
    (tmp_path / "config").write_text(f"Host dut\n HostName 127.0.0.1\n Port {free_port}\n")
    (tmp_path / "hosts").write_text("")
    settings = SshSettings(config_file=tmp_path / "config", known_hosts=tmp_path / "hosts")
    async with SshPool(settings) as pool, LabSource(DUT, pool) as source:
        event = await first(source, EventSample)
        assert isinstance(event, EventSample)
        assert (event.code, event.host) == ("host-lost", "dut")
        assert "refused" in event.text


async def test_an_unknown_host_key_is_an_event_that_says_what_to_do(make_sshd) -> None:
    sshd = make_sshd()
    sshd.known_hosts.write_text("")
    async with SshPool(sshd.settings()) as pool, LabSource(DUT, pool) as source:
        event = await first(source, EventSample)
        assert isinstance(event, EventSample)
        assert event.code == "failed"
        assert "SHA256:" in event.text


async def test_an_accepted_key_brings_the_host_back(make_sshd) -> None:
    sshd = make_sshd()
    sshd.known_hosts.write_text("")
    async with SshPool(sshd.settings()) as pool, LabSource(DUT, pool) as source:
        await first(source, EventSample)
        sshd.know_host()
        host = await pool.open("dut", "dut")
        await host.connect()
        event = await first(source, EventSample)
        assert isinstance(event, EventSample) and event.code == "host-back"
        await first(source, HostSample)


async def test_a_system_that_nobody_knows_is_an_event(make_sshd, tmp_path) -> None:
    folder = tmp_path / "bin"
    folder.mkdir()
    (folder / "uname").write_text("#!/bin/sh\necho Plan9\n")
    (folder / "uname").chmod(0o755)
    sshd = make_sshd(SetEnv=f"PATH={folder}:/usr/bin:/bin")
    async with SshPool(sshd.settings()) as pool, LabSource(DUT, pool) as source:
        event = await first(source, EventSample)
        assert isinstance(event, EventSample)
        assert event.code == "failed" and "Plan9; known: FreeBSD, Linux" in event.text
        async with asyncio.timeout(5):
            assert [s async for s in source] == []  # nobody is left to sample
