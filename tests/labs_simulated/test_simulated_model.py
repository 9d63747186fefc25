"""The model of forwarding: every packet accounted, the same every time."""

import random
from statistics import fmean, stdev

import pytest
from simulated_helpers import dropped

from fwdtui.labs.simulated import rss, scenario
from fwdtui.labs.simulated.dut import LINE_RATE, Line, split
from fwdtui.labs.simulated.scenario import Dut, Generator, Noise, Scenario, Times
from fwdtui.labs.simulated.world import STEP, World

QUIET = Noise(between=0.0, within=0.0)


def made(rate: float = LINE_RATE, **settings: object) -> Scenario:
    """A scenario without noise but what is asked for."""
    plain = {
        "name": "t", "title": "t", "see": "t", "expect": "t",
        "generator": Generator(rate=rate, jitter=0.0), "noise": QUIET,
    }  # fmt: skip
    return Scenario(**{**plain, **settings})  # type: ignore[arg-type]


def totals(world: World) -> tuple[object, ...]:
    """Every counter that somebody could see."""
    dut = world.dut
    lines = (*dut.rings, *dut.netisr, *dut.transmit)
    return (
        world.offered,
        *((line.arrived, line.dropped, line.passed) for line in lines),
        *((core.user, core.system, core.interrupt, core.idle) for core in dut.cores),
        *dut.irqs,
    )


def lost(world: World) -> int:
    return dropped((*world.dut.rings, *world.dut.netisr, *world.dut.transmit))


@pytest.mark.parametrize("name", scenario.names())
def test_every_offered_packet_is_forwarded_dropped_at_one_stage_or_waiting(name: str) -> None:
    world = World(scenario.load(name))
    world.start("pkt-gen")
    moments = random.Random(name)
    for _ in range(60):
        world.advance(world.now + moments.uniform(0.0, 0.3))
        assert world.offered == world.dut.sent + lost(world) + world.dut.waiting
    world.stop("pkt-gen")
    world.advance(world.now + 1.0)
    assert world.dut.waiting == 0
    assert world.offered == world.dut.sent + lost(world) > 1_000_000


@pytest.mark.parametrize("name", scenario.names())
def test_the_stages_hand_on_exactly_what_they_pass(name: str) -> None:
    world = World(scenario.load(name))
    world.start("pkt-gen")
    world.advance(3.0)
    dut = world.dut
    assert sum(ring.arrived for ring in dut.rings) == world.offered
    passed = sum(ring.passed for ring in dut.rings)
    if dut.setup.dispatch == "deferred":
        assert sum(line.arrived for line in dut.netisr) == passed
        passed = sum(line.passed for line in dut.netisr)
    assert sum(line.arrived for line in dut.transmit) == passed


@pytest.mark.parametrize("name", scenario.names())
def test_each_core_spends_each_second_once(name: str) -> None:
    world = World(scenario.load(name))
    world.advance(1.0)
    world.start("pkt-gen")
    world.advance(4.0)
    for core in (*world.dut.cores, *world.generator_cores):
        spent = core.user + core.system + core.interrupt + core.idle
        assert spent == pytest.approx(world.now, rel=1e-6)


def test_the_same_calls_give_the_same_counters_in_whatever_pieces_time_passes() -> None:
    def play(pieces: random.Random | None) -> tuple[object, ...]:
        world = World(scenario.load("healthy"))
        for until, act in ((1.0, world.start), (4.0, world.stop), (5.0, world.start), (7.0, world.stop)):
            while pieces and world.now < until - 0.2:
                world.advance(min(world.now + pieces.uniform(0.0, 0.2), until))
            world.advance(until)
            act("pkt-gen")
        world.advance(8.0)
        # sums of floats come in another order where idle time is counted in larger pieces
        return tuple(
            round(value, 6) if isinstance(value, float) else value
            for row in totals(world)
            for value in (row if isinstance(row, tuple) else (row,))
        )

    whole = play(None)
    assert play(None) == whole
    assert play(random.Random(7)) == whole


def test_another_seed_gives_another_run() -> None:
    counts = set()
    for seed in (1, 2):
        world = World(made(seed=seed, noise=Noise()))
        world.start("pkt-gen")
        world.advance(2.0)
        counts.add(world.dut.sent)
    assert len(counts) == 2


def test_counters_never_go_back_whatever_is_switched_to() -> None:
    world = World(scenario.load("healthy"))
    world.start("pkt-gen")
    order = random.Random(3)
    before: tuple[object, ...] = ()
    for _ in range(20):
        world.change(scenario.load(order.choice(scenario.names())))
        for _ in range(5):
            world.advance(world.now + 0.11)
            now = (
                world.offered,
                world.dut.sent,
                lost(world),
                *(line.dropped for line in (*world.dut.rings, *world.dut.netisr, *world.dut.transmit)),
                *(line.passed for line in (*world.dut.rings, *world.dut.netisr, *world.dut.transmit)),
            )
            assert all(new >= old for new, old in zip(now, before, strict=False))
            before = now
        assert world.offered == world.dut.sent + lost(world) + world.dut.waiting


def test_the_toeplitz_hash_is_that_of_microsofts_verification_suite() -> None:
    # destination address, source address and hash of the IPv4 rows without ports
    suite = (
        ("161.142.100.80", "66.9.149.187", 0x323E8FC2),
        ("65.69.140.83", "199.92.111.2", 0xD718262A),
        ("12.22.207.184", "24.19.198.95", 0xD2D0A5DE),
        ("209.142.163.6", "38.27.205.30", 0x82989176),
        ("202.188.127.2", "153.39.163.191", 0x5D1809C5),
    )
    for destination, source, expected in suite:
        data = bytes(map(int, (*source.split("."), *destination.split("."))))
        assert rss.toeplitz(data) == expected


def test_two_thousand_flows_spread_over_the_queues_and_one_flow_does_not() -> None:
    sources = [f"198.18.10.{last}" for last in range(1, 21)]
    destinations = [f"198.19.10.{last}" for last in range(1, 101)]
    shares = rss.shares(sources, destinations, 4)
    assert sum(shares) == pytest.approx(1.0)
    assert all(0.23 < share < 0.27 for share in shares)
    assert sorted(rss.shares(sources[:1], destinations[:1], 4)) == [0.0, 0.0, 0.0, 1.0]


def test_receive_queues_get_what_their_flows_offer() -> None:
    world = World(made(rate=1e6))
    world.start("pkt-gen")
    world.advance(5.0)
    wanted = rss.shares(
        [f"198.18.10.{last}" for last in range(1, 21)], [f"198.19.10.{last}" for last in range(1, 101)], 4
    )
    for ring, share in zip(world.dut.rings, wanted, strict=True):
        # rounding is made up for, so it does not add up
        assert abs(ring.arrived - share * world.offered) < 4


def test_one_flow_loads_one_core() -> None:
    generator = Generator(rate=LINE_RATE, sources=1, destinations=1, jitter=0.0)
    world = World(made(generator=generator))
    world.start("pkt-gen")
    world.advance(1.0)
    begun = world.dut.sent
    world.advance(3.0)
    assert sorted(ring.passed > 0 for ring in world.dut.rings) == [False, False, False, True]
    assert (world.dut.sent - begun) / 2 == pytest.approx(1e9 / (60 + 560), rel=1e-3)


def test_a_saturated_dut_forwards_what_its_cores_can() -> None:
    world = World(made())
    world.start("pkt-gen")
    world.advance(1.0)
    begun, idle = world.dut.sent, world.dut.cores[2].idle
    world.advance(5.0)
    assert (world.dut.sent - begun) / 4 == pytest.approx(4e9 / (60 + 560), rel=1e-3)
    assert world.dut.cores[2].idle - idle < 0.01
    assert world.dut.ring_drops > 0 == dropped(world.dut.netisr) == dropped(world.dut.transmit)


def test_below_saturation_nothing_is_lost_and_cores_are_busy_in_proportion() -> None:
    world = World(made(rate=3.2e6))
    world.start("pkt-gen")
    world.advance(1.0)
    before = world.dut.cores[0].system
    world.advance(5.0)
    assert lost(world) == 0
    assert (world.dut.cores[0].system - before) / 4 == pytest.approx(3.2e6 / 4 * 620e-9, rel=0.02)


def test_without_flow_ids_all_leaves_by_transmit_queue_0_and_its_soft_ring_drops() -> None:
    world = World(made(dut=Dut(flowid=False)))
    world.start("pkt-gen")
    world.advance(3.0)
    assert [line.passed > 0 for line in world.dut.transmit] == [True, False, False, False]
    assert dropped(world.dut.transmit) == world.dut.transmit[0].dropped > 0


def test_one_netisr_thread_drops_in_its_queue_and_nowhere_else() -> None:
    world = World(made(dut=Dut(dispatch="deferred", netisr_threads=1)))
    world.start("pkt-gen")
    world.advance(3.0)
    assert dropped(world.dut.netisr) > 10 * world.dut.sent / 2
    assert world.dut.ring_drops == dropped(world.dut.transmit) == 0
    assert world.dut.netisr[0].most == 256
    assert all(line.passed for line in world.dut.transmit)


def test_runs_differ_by_the_noise_between_them_and_seconds_by_the_noise_within() -> None:
    world = World(made(noise=Noise(between=0.01, within=0.001)))
    runs = []
    for _ in range(40):
        world.start("pkt-gen")
        world.advance(world.now + 1.0)
        rates = []
        for _ in range(4):
            begun = world.dut.sent
            world.advance(world.now + 1.0)
            rates.append(world.dut.sent - begun)
        runs.append(rates)
        world.stop("pkt-gen")
        world.advance(world.now + 1.0)
    means = [fmean(rates) for rates in runs]
    within = fmean(stdev(rates) / fmean(rates) for rates in runs)
    # 40 runs tell a coefficient of variation to some 11 %
    assert 0.006 < stdev(means) / fmean(means) < 0.014
    assert 0.0005 < within < 0.0015


def test_a_generator_with_a_limit_sends_exactly_that_many() -> None:
    world = World(made(rate=1e6))
    sender = world.start("pkt-gen", limit=123_457)
    world.advance(1.0)
    assert sender.sent == world.offered == world.dut.sent == 123_457
    assert sender.finished
    assert not world.sending


def test_a_generator_with_a_rate_keeps_it() -> None:
    world = World(made())
    world.start("pkt-gen", rate=250_000.0)
    world.advance(1.0)
    begun = world.offered
    world.advance(11.0)
    assert world.offered - begun == pytest.approx(2_500_000, abs=2)


def test_two_generators_share_the_line() -> None:
    world = World(made())
    first, second = world.start("a"), world.start("b")
    world.advance(2.0)
    begun = world.offered
    world.advance(3.0)
    assert world.offered - begun == pytest.approx(LINE_RATE, rel=1e-4)
    assert first.sent == pytest.approx(second.sent, abs=2)


def test_a_link_that_is_down_stops_everything_and_tells() -> None:
    world = World(made(link_down=Times(first=1.0, length=0.5, every=3.0)))
    world.advance(10.0)
    world.start("pkt-gen")
    world.advance(11.0 + 2 * STEP)
    offered = world.offered
    world.advance(11.5 - STEP)
    assert world.offered == offered
    assert not world.link
    world.advance(14.2)
    assert world.offered > offered
    changes = [(round(event.at, 3), event.up) for event in world.link_events]
    assert changes == [(11.0, False), (11.5, True), (14.0, False)]


def test_the_link_comes_back_when_nothing_is_sent() -> None:
    world = World(made(link_down=Times(first=0.5, length=60.0)))
    world.start("pkt-gen")
    world.advance(1.0)
    assert not world.link
    world.stop("pkt-gen")
    world.advance(1.1)
    assert world.link


def test_a_dut_starves_only_while_there_is_traffic() -> None:
    world = World(made(starved=Times(first=1.0, length=2.0, every=5.0)))
    assert not world.starved
    world.advance(2.0)
    world.start("pkt-gen")
    seen = []
    for moment in (2.5, 3.5, 5.5, 8.5):
        world.advance(moment)
        seen.append(world.starved)
    assert seen == [False, True, False, True]
    world.stop("pkt-gen")
    assert not world.starved


def test_spare_time_is_not_saved_up_and_parts_of_packets_are() -> None:
    line = Line()
    for _ in range(100):
        assert line.step(0, room=10.0, limit=5) == 0
    assert line.step(100, room=10.5, limit=1000) == 10
    assert [line.step(0, room=10.5, limit=1000) for _ in range(3)] == [11, 10, 11]
    assert line.step(100, room=0.0, limit=5) == 0
    assert (line.waiting, line.dropped, line.most) == (5, 153, 90)


def test_splitting_loses_nothing() -> None:
    draw = random.Random(5)
    for _ in range(500):
        weights = [draw.choice((0.0, draw.random())) for _ in range(draw.randint(1, 8))]
        count = draw.randint(0, 1000)
        parts = split(count, weights)
        assert sum(parts) == count
        assert min(parts) >= 0
