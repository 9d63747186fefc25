"""Every scenario through the whole program: real ssh, the real sampler, the monitor and its diagnosis."""

import asyncio
from dataclasses import dataclass

import pytest

from fwdtui.collectors.lab_trust import open_lab
from fwdtui.collectors.source import LabSource
from fwdtui.collectors.tools.registry import uncounted
from fwdtui.collectors.tools.running import RunningTool
from fwdtui.core.model import HostSample, Sample
from fwdtui.labs.simulated import scenario
from fwdtui.labs.simulated.lab import SimulatedLab
from fwdtui.monitor.live.monitor import Monitor
from fwdtui.monitor.live.snapshot import Flow, Snapshot

SETTLED = 6.0  # seconds since the generator began: the diagnosis looks back five
HELD = 8  # looks, a fifth of a second apart, at which the diagnosis must be the same
PATIENCE = 120.0  # seconds: on a busy machine samples are late, and are reported so at first
BESIDE = 3  # scenarios at a time: all of them starve one another on a busy machine


@dataclass(frozen=True)
class Seen:
    """What the user would have before him."""

    snapshot: Snapshot
    codes: tuple[str, ...]  # at each look since it had settled
    samples: tuple[Sample, ...]


async def watch(name: str) -> Seen:
    """Bring the lab up, start receiver and generator, watch."""
    async with SimulatedLab(name, wait=0) as simulated:
        lab, pool = open_lab(simulated.lab_toml)
        async with pool:
            source = LabSource(lab, pool)
            monitor = Monitor(lab, uncounted=uncounted(lab))
            samples: list[Sample] = []

            async def follow() -> None:
                async for sample in source:
                    samples.append(sample)
                    monitor.push(sample)

            following = asyncio.create_task(follow())
            while len({getattr(sample, "host", "") for sample in samples}) < 2:  # noqa: ASYNC110 - no event
                await asyncio.sleep(0.1)
            assert lab.receiver is not None
            for role, endpoint in (("receiver", lab.receiver), ("generator", lab.generators[0])):
                host = await pool.open(endpoint.host, endpoint.host)
                source.add(await RunningTool.start(host, endpoint, role, source.axis.now))
            codes: list[str] = []
            wanted = [scenario.load(name).expect] * HELD
            until = asyncio.get_running_loop().time() + PATIENCE
            while codes[-HELD:] != wanted and asyncio.get_running_loop().time() < until:
                await asyncio.sleep(0.2)
                if simulated.world.sending and simulated.world.since_run > SETTLED:
                    codes.append(monitor.snapshot(1).diagnosis.code)
            found = Seen(monitor.snapshot(), tuple(codes), tuple(samples))
            await source.aclose()
            await asyncio.wait([following])
            return found


@pytest.fixture(scope="module")
def seen() -> dict[str, Seen]:
    """Several scenarios at once: each is mostly waiting."""

    async def all_of_them() -> dict[str, Seen]:
        names, turns = scenario.names(), asyncio.Semaphore(BESIDE)

        async def in_turn(name: str) -> Seen:
            async with turns:
                return await watch(name)

        return dict(zip(names, await asyncio.gather(*map(in_turn, names)), strict=True))

    return asyncio.run(all_of_them())


@pytest.mark.parametrize("name", scenario.names())
def test_the_diagnosis_is_the_one_that_the_scenario_is_about(seen: dict[str, Seen], name: str) -> None:
    assert seen[name].codes[-HELD:] == (scenario.load(name).expect,) * HELD, seen[
        name
    ].snapshot.diagnosis.sentence


@pytest.mark.parametrize("name", scenario.names())
def test_the_sampler_reads_all_that_the_hosts_print(seen: dict[str, Seen], name: str) -> None:
    samples = [sample for sample in seen[name].samples if isinstance(sample, HostSample)]
    assert {sample.host for sample in samples} == {"gen", "dut"}
    assert [sample.skipped for sample in samples if sample.skipped] == []
    assert any(sample.queues for sample in samples)
    assert any(sample.netisr for sample in samples)


def test_the_netisr_scenario_names_netisr(seen: dict[str, Seen]) -> None:
    diagnosis = seen["netisr-overflow"].snapshot.diagnosis
    assert "netisr drops 13." in diagnosis.sentence
    assert "core 0 is" in diagnosis.sentence


def test_the_one_queue_is_named(seen: dict[str, Seen]) -> None:
    assert "tx queue 0 of ix1 carries 100 %" in seen["tx-one-queue"].snapshot.diagnosis.sentence


def test_a_healthy_dut_uses_all_cores_alike(seen: dict[str, Seen]) -> None:
    sentence = seen["healthy"].snapshot.diagnosis.sentence
    assert "cores 0-3 are 100 % busy" in sentence
    assert "rx ring drops 8." in sentence


def newest(flow: Flow) -> float:
    """The last rate that is known."""
    return [point.value for point in flow.points if point.value is not None][-1]


def test_what_is_forwarded_is_received(seen: dict[str, Seen]) -> None:
    now = seen["generator-limited"].snapshot
    for flow in (now.offered, now.forwarded, now.received):
        assert newest(flow) == pytest.approx(3.2e6, rel=0.02)


def test_the_fix_doubles_what_is_forwarded(seen: dict[str, Seen]) -> None:
    before, after = (newest(seen[name].snapshot.forwarded) for name in ("tx-one-queue", "tx-one-queue-fixed"))
    assert 1.9 < after / before < 2.2
