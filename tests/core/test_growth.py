"""Counters followed over many samples: those that go round, and those that are set back, on every system.

The hosts' true counters are as wide as can be; the samples show the bits that each file has.
"""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fwdtui.core.counters import (
    InterfaceCounters,
    InterruptRow,
    NetisrRow,
    QdiscRow,
    QueueCounters,
    SoftnetRow,
    StageCounter,
)
from fwdtui.core.drop_stages import (
    INPUT_QUEUE,
    NARROW,
    NETISR,
    RX_RING,
    TX_SOFT_QUEUE,
    by_place,
    reader,
    stages,
)
from fwdtui.core.growth import Counted, growth
from fwdtui.core.host_rates import between
from fwdtui.core.model import HostSample

WRAP = 2**32
CORE = 14_880_952  # packets per second: a core never sees more of a 10 Gbit/s port


def sample(t: float, boot: str = "a", **fields) -> HostSample:
    return HostSample("dut", int(t * 10), t=t, at=t, boot=boot, **fields)


def by_ethtool(values: dict[str, int]) -> tuple[StageCounter, ...]:
    return tuple(StageCounter("e0", "rx", "mac", "drops", name, value) for name, value in values.items())


def by_sysctl(kind: str, name: str, value: int) -> dict:
    return {"counting": "freebsd", "stages": (StageCounter("e0", "rx", "mac", kind, name, value),)}


def card(name: str):
    return lambda rates: next(row.per_second for row in rates.nic if row.name == name)


# one counter of each kind that is 32 bits wide: how a sample shows it, and the rate that is made of it
KINDS = {
    "softnet dropped": (
        lambda value: {"softnet": (SoftnetRow(1, True, 0, value, 0),)},
        lambda rates: rates.softnet[0].dropped,
    ),
    "softnet processed": (
        lambda value: {"softnet": (SoftnetRow(1, True, value, 0, 0),)},
        lambda rates: rates.softnet[0].processed,
    ),
    "softnet time_squeeze": (
        lambda value: {"softnet": (SoftnetRow(1, True, 0, 0, value),)},
        lambda rates: rates.squeezed,
    ),
    "softnet flow_limit": (
        lambda value: {"softnet": (SoftnetRow(1, True, 0, 0, 0, flow_limit=value),)},
        lambda rates: rates.softnet[0].flow_limited,
    ),
    "tc drops": (
        lambda value: {"qdiscs": (QdiscRow("e1", "fq", "1:", "root", dropped=value),)},
        lambda rates: rates.drops.get(TX_SOFT_QUEUE),
    ),
    "/proc/interrupts": (
        lambda value: {"interrupts": (InterruptRow("24", "e0-rx-0", {0: 5, 1: value}, "e0", 0, "rx"),)},
        lambda rates: rates.interrupts[0].per_second if rates.interrupts else None,
    ),
    "be2net's drops in ethtool -S": (
        lambda value: {"stages": (StageCounter("e0", "rx", "rx-ring", "drops", "rx_drops_no_pbuf", value),)},
        lambda rates: rates.drops.get(RX_RING),
    ),
    "mlx5 out of buffers": (
        lambda value: {"stages": (StageCounter("e0", "rx", "rx-ring", "drops", "rx_out_of_buffer", value),)},
        lambda rates: rates.drops.get(RX_RING),
    ),
    "mlx5 out of buffers of its own queues": (
        lambda value: {"stages": (StageCounter("e0", "rx", "rx-ring", "drops", "dev_out_of_buffer", value),)},
        lambda rates: rates.drops.get(RX_RING),
    ),
    "i40e without room in the port's buffer": (
        lambda value: {"stages": by_ethtool({"port.rx_discards": value, "rx_missed_errors": 0})},
        card("port.rx_discards"),
    ),
    "i40e without a descriptor": (
        lambda value: {"stages": by_ethtool({"port.rx_discards": 0, "rx_missed_errors": value})},
        card("rx_missed_errors"),
    ),
    "older i40e without a descriptor": (
        lambda value: {"stages": by_ethtool({"port.rx_dropped": 0, "rx_dropped": value})},
        card("rx_dropped"),
    ),
    "ixl without room in the port's buffer": (
        lambda value: by_sysctl("drops", "mac.rx_discards", value),
        lambda rates: rates.drops.get(RX_RING),
    ),
    "ixl without a descriptor": (
        lambda value: by_sysctl("drops", "pf.rx_discards", value),
        lambda rates: rates.drops.get(RX_RING),
    ),
    "ixl's bad frames": (
        lambda value: by_sysctl("errors", "mac.crc_errors", value),
        card("mac.crc_errors"),
    ),
}
MOST = {"/proc/interrupts": 10_000_000}

# and of each kind that is 64 bits wide, which never goes round
WIDE = {
    "FreeBSD Idrop": (
        lambda value: {"interfaces": (InterfaceCounters("e0", rx_dropped=value, link=1, up=True),)},
        lambda rates: rates.drops.get(RX_RING),
    ),
    "Linux rx_dropped": (
        lambda value: {"interfaces": (InterfaceCounters("e0", rx_dropped=value, rx_missed=0, link=1),)},
        lambda rates: rates.drops.get(INPUT_QUEUE),
    ),
    "rx_packets": (
        lambda value: {"interfaces": (InterfaceCounters("e0", rx_packets=value),)},
        lambda rates: rates.interfaces["e0"].rx_pps,
    ),
    "dev.ix.0.mac_stats.rx_missed_packets": (
        lambda value: {
            "stages": (StageCounter("e0", "rx", "rx-ring", "drops", "mac_stats.rx_missed_packets", value),)
        },
        lambda rates: rates.drops.get(RX_RING),
    ),
    "ixgbe rx_missed_errors": (
        lambda value: {"stages": by_ethtool({"rx_missed_errors": value})},
        lambda rates: rates.drops.get(RX_RING),
    ),
    "ice rx_dropped": (
        lambda value: {"stages": by_ethtool({"rx_dropped.nic": 0, "rx_dropped": value})},
        card("rx_dropped"),
    ),
    "i40e's frames that are too long": (
        lambda value: {
            "stages": by_ethtool({"port.rx_discards": 0, "rx_missed_errors": 0, "rx_dropped": value})
        },
        card("rx_dropped"),
    ),
    "mlx5 rx_discards_phy": (
        lambda value: {"stages": by_ethtool({"rx_discards_phy": value})},
        lambda rates: rates.drops.get(RX_RING),
    ),
    "mlx5en vstats.rx_out_of_buffer": (
        lambda value: by_sysctl("drops", "vstats.rx_out_of_buffer", value),
        lambda rates: rates.drops.get(RX_RING),
    ),
    "dev.X.0.iflib.txq0.r_drops": (
        lambda value: {
            "interfaces": (InterfaceCounters("e1", tx_dropped=0, link=2, up=True),),
            "queues": (QueueCounters("e1", "tx", 0, drops=value),),
        },
        lambda rates: rates.drops.get(TX_SOFT_QUEUE),
    ),
    "netisr QDrops": (
        lambda value: {"netisr": (NetisrRow(0, 0, "ip", queue_drops=value),)},
        lambda rates: rates.drops.get(NETISR),
    ),
    "vmstat -i": (
        lambda value: {"interrupts": (InterruptRow("256", "e0:rxq0", {-1: value}, "e0", 0, "rxtx"),)},
        lambda rates: rates.interrupts[0].per_second if rates.interrupts else None,
    ),
}


def rates_of(shown, before: int, after: int, seconds: float = 1.0, boots: tuple[str, str] = ("a", "a")):
    return between(
        sample(1.0, boots[0], **shown(before)),
        sample(1.0 + seconds, boots[1], **shown(after)),
        inputs=["e0"],
        outputs=["e1"],
    )


@pytest.mark.parametrize("kind", KINDS)
def test_a_32_bit_counter_goes_round_and_its_rate_goes_on(kind: str):
    shown, read = KINDS[kind]
    for before, after in ((WRAP - 1, 0), (WRAP - 1000, 4000), (WRAP - 1, WRAP - 1), (0, 1)):
        assert read(rates_of(shown, before, after)) == float((after - before) % WRAP)


@pytest.mark.parametrize("kind", KINDS)
def test_a_32_bit_counter_that_was_set_back_has_no_rate(kind: str):
    shown, read = KINDS[kind]
    assert read(rates_of(shown, WRAP // 2, 5)) is None
    assert rates_of(shown, WRAP - 1, 5, boots=("a", "b")).gap == "reboot"


@pytest.mark.parametrize("kind", KINDS)
def test_a_32_bit_counter_that_may_have_gone_round_unseen_has_no_rate(kind: str):
    shown, read = KINDS[kind]
    seconds = 2.01 * WRAP / MOST.get(kind, NARROW)
    assert read(rates_of(shown, 1000, 2000, seconds)) is None


@pytest.mark.parametrize("kind", KINDS)
@given(start=st.integers(0, 2**40), grown=st.lists(st.integers(0, CORE), min_size=1, max_size=12))
def test_any_true_growth_modulo_2_to_32_gives_the_same_rates(kind: str, start: int, grown: list[int]):
    shown, read = KINDS[kind]
    true = start
    for count in grown:
        count = min(count, MOST.get(kind, count))
        assert read(rates_of(shown, true % WRAP, (true + count) % WRAP)) == float(count)
        true += count


@pytest.mark.parametrize("kind", WIDE)
def test_a_64_bit_counter_passes_2_to_32_and_is_never_taken_for_one_that_went_round(kind: str):
    shown, read = WIDE[kind]
    assert read(rates_of(shown, WRAP - 10, WRAP + 5)) == 15.0
    assert read(rates_of(shown, WRAP - 10, 5)) is None


@pytest.mark.parametrize("kind", WIDE)
def test_a_64_bit_counter_that_counted_down_is_no_spike(kind: str):
    # some drivers subtract: 5 less than 0 is printed as 2**64 - 5
    shown, read = WIDE[kind]
    assert read(rates_of(shown, 3, 2**64 - 5)) is None


# what no line and no core can do: literal figures, as the documentation has them


REFRESHED = [
    "be2net's drops in ethtool -S",
    "mlx5 out of buffers",
    "older i40e without a descriptor",
    "ixl without a descriptor",
]


@pytest.mark.parametrize("kind", ["softnet dropped", "tc drops"])
@pytest.mark.parametrize(
    ("grown", "is_rate"), [(148_809_524, True), (150_000_000, True), (150_000_001, False), (200e6, False)]
)
def test_a_narrow_counter_of_the_kernel_goes_round_within_100_gigabits(
    kind: str, grown: float, is_rate: bool
):
    """148 809 524 of the smallest frames are 100 Gbit/s."""
    shown, read = KINDS[kind]
    assert read(rates_of(shown, WRAP - 10, int(grown) - 10)) == (grown if is_rate else None)


@pytest.mark.parametrize("kind", REFRESHED)
@pytest.mark.parametrize(
    ("grown", "is_rate"), [(297_619_048, True), (300_000_000, True), (300_000_001, False), (400e6, False)]
)
def test_a_narrow_counter_of_a_card_goes_round_within_that_and_what_a_refresh_brings_along(
    kind: str, grown: float, is_rate: bool
):
    """Two refreshes fall into one second if they are a little less than a second apart."""
    shown, read = KINDS[kind]
    assert read(rates_of(shown, WRAP - 10, int(grown) - 10)) == (grown if is_rate else None)


@pytest.mark.parametrize(("grown", "is_rate"), [(9e6, True), (10e6, True), (10e6 + 1, False), (13e6, False)])
def test_a_core_takes_ten_million_interrupts_per_second_at_most(grown: float, is_rate: bool):
    shown, read = KINDS["/proc/interrupts"]
    assert read(rates_of(shown, WRAP - 10, int(grown) - 10)) == (grown if is_rate else None)


@pytest.mark.parametrize("kind", ["Linux rx_dropped", "rx_packets", "netisr QDrops"])
@pytest.mark.parametrize(("grown", "is_rate"), [(1.2e9, True), (2.4e9, True), (4e9, True), (4e9 + 1, False)])
def test_a_wide_counter_grows_by_what_800_gigabits_carry_and_not_by_much_more(
    kind: str, grown: float, is_rate: bool
):
    """1.2e9 of the smallest frames are 800 Gbit/s; two refreshes may fall into one second."""
    shown, read = WIDE[kind]
    assert read(rates_of(shown, 5, 5 + int(grown))) == (grown if is_rate else None)


@pytest.mark.parametrize(("octets", "bits"), [(1e11, 8e11), (5e11, 4e12), (5e11 + 1, None)])
def test_octets_may_grow_by_800_gigabits_and_are_shown_in_bits(octets: float, bits: float | None):
    def shown(value: int) -> dict:
        return {"interfaces": (InterfaceCounters("e0", rx_bytes=value, tx_bytes=value),)}

    port = rates_of(shown, 5, 5 + int(octets)).interfaces["e0"]
    assert (port.rx_bps, port.tx_bps) == (bits, bits)


@pytest.mark.parametrize(
    ("grown", "lost"), [(1_000_000, 1e6), (1_050_000, 1.05e6), (1_060_000, None), (1_400_000, None)]
)
def test_where_the_lines_rate_is_known_a_narrow_counter_goes_round_within_it_and_a_twentieth(grown, lost):
    shown, read = KINDS["tc drops"]
    samples = sample(1.0, **shown(WRAP - 10)), sample(2.0, **shown(grown - 10))
    assert read(between(*samples, inputs=["e0"], outputs=["e1"], line_rate=1e6)) == lost


def read_one(of: str = "dropped"):
    return lambda one: {of: Counted(one.softnet[0].dropped, 32, NARROW)} if one.softnet else {}


def row(value: int) -> tuple[SoftnetRow, ...]:
    return (SoftnetRow(0, True, 0, value % WRAP, 0),)


@given(start=st.integers(0, WRAP - 1), grown=st.lists(st.integers(0, CORE), min_size=1, max_size=40))
def test_over_many_samples_the_growth_is_exact_however_often_the_counter_goes_round(start, grown):
    totals = [start + sum(grown[:n]) for n in range(len(grown) + 1)]
    samples = [sample(float(n), softnet=row(total)) for n, total in enumerate(totals)]
    found = growth(samples, read_one())
    assert found.exact("dropped") == sum(grown)


def test_more_than_2_to_32_packets_of_one_blast_are_counted_whole():
    samples = [sample(float(n), softnet=row(n * CORE)) for n in range(601)]
    assert growth(samples, read_one()).exact("dropped") == 600 * CORE > 2 * WRAP


def test_a_counter_that_was_set_back_in_the_middle_is_found_out_though_it_has_overtaken_its_old_value():
    values = [1000, 2000, 10, 5000]
    samples = [sample(float(n), softnet=row(value)) for n, value in enumerate(values)]
    found = growth(samples, read_one())
    assert found.exact("dropped") is None
    assert (found.counts, found.gaps) == ({"dropped": 1000 + 4990}, {"dropped": "reset"})


def test_a_counter_that_shows_up_late_or_goes_is_known_to_be_incomplete():
    told = [(), row(5), row(9)]
    late = growth([sample(float(n), softnet=one) for n, one in enumerate(told)], read_one())
    assert (late.counts, late.gaps) == ({"dropped": 4}, {"dropped": "missing"})
    gone = growth([sample(float(n), softnet=one) for n, one in enumerate((row(5), row(9), ()))], read_one())
    assert (gone.counts, gone.gaps) == ({"dropped": 4}, {"dropped": "missing"})


def test_of_another_device_or_another_boot_nothing_is_counted():
    def grown(device: int, boot: str):
        samples = sample(1.0, softnet=row(5)), sample(2.0, boot, softnet=row(9))
        devices = iter((3, device))
        return growth(samples, lambda one: {"x": Counted(one.softnet[0].dropped, device=next(devices))})

    assert grown(3, "a").exact("x") == 4 and grown(3, "a").gaps == {}
    assert (grown(4, "a").counts, grown(4, "a").gaps) == ({"x": 0}, {"x": "replaced"})
    assert (grown(3, "b").counts, grown(3, "b").gaps) == ({"x": 0}, {"x": "reboot"})


def test_a_counter_of_which_nothing_else_is_said_has_64_bits():
    samples = sample(1.0, softnet=row(WRAP - 10)), sample(2.0, softnet=row(5))
    assert growth(samples, lambda one: {"x": Counted(one.softnet[0].dropped)}).gaps == {"x": "reset"}


def test_a_sample_without_the_counter_in_the_middle_costs_nothing():
    told = [row(5), (), row(9)]
    assert growth([sample(float(n), softnet=s) for n, s in enumerate(told)], read_one()).exact("dropped") == 4


def test_what_one_port_lost_stands_as_a_lower_bound_while_the_others_counter_was_reset():
    def ports(one: int, two: int):
        return (
            InterfaceCounters("e0", rx_dropped=0, rx_missed=one, link=1),
            InterfaceCounters("e2", rx_dropped=0, rx_missed=two, link=2),
        )

    found = between(
        sample(1.0, interfaces=ports(0, 900)), sample(2.0, interfaces=ports(70, 5)), inputs=["e0", "e2"]
    )
    assert found.drops[RX_RING] == 70.0 and found.unread == {RX_RING: "reset"}


def test_a_stage_whose_only_counter_was_reset_is_not_known_and_says_why():
    found = rates_of(KINDS["tc drops"][0], WRAP // 2, 5)
    assert TX_SOFT_QUEUE not in found.drops and found.unread == {TX_SOFT_QUEUE: "reset"}


def test_of_many_samples_the_stages_are_made_as_of_two():
    def at(t: int) -> HostSample:
        return sample(
            float(t),
            interfaces=(InterfaceCounters("e0", rx_dropped=3 * t, rx_missed=2 * t, link=1),),
            qdiscs=(QdiscRow("e1", "fq", "1:", "root", dropped=(WRAP - 20 + 10 * t) % WRAP),),
        )

    lost = by_place(growth([at(n) for n in range(5)], reader(["e0"], ["e1"], None)))
    assert stages(lost.found) == {RX_RING: 8, INPUT_QUEUE: 12, TX_SOFT_QUEUE: 40}


@pytest.mark.parametrize(("grown", "counted"), [(4 * 10**9, True), (4 * 10**9 + 1, False)])
def test_a_counter_of_which_nothing_else_is_said_grows_by_two_billion_a_second_and_a_refresh(grown, counted):
    samples = sample(1.0, softnet=row(0)), sample(2.0, softnet=row(grown))
    found = growth(samples, lambda one: {"x": Counted(one.softnet[0].dropped)})
    assert found.exact("x") == (grown if counted else None)
    assert found.gaps == ({} if counted else {"x": "implausible"})


@pytest.mark.parametrize("interval", [0.01, 0.05, 0.1])
def test_a_card_that_counts_once_a_second_may_be_read_at_any_pace(interval: float):
    """148.8 million packets of a port of 100 Gbit/s in one interval are those of a second."""
    second = 148_809_524
    old, new = (
        sample(at, interfaces=(InterfaceCounters("e0", rx_packets=packets, tx_packets=0, link=1),))
        for at, packets in ((1.0, 0), (1.0 + interval, second))
    )
    found = between(old, new).interfaces["e0"]
    assert found.rx_count == second and not found.why
    assert growth((old, new), lambda one: {"e0": Counted(one.interfaces[0].rx_packets)}).exact("e0") == second


@pytest.mark.parametrize("interval", [0.01, 0.1])
@pytest.mark.parametrize("kind", ["be2net's drops in ethtool -S", "ixl without a descriptor"])
def test_a_narrow_counter_that_is_refreshed_once_a_second_may_be_read_at_any_pace(kind: str, interval: float):
    shown, read = KINDS[kind]
    for line_rate in (None, 14.9e6):
        old, new = sample(1.0, **shown(WRAP - 10)), sample(1.0 + interval, **shown(CORE - 10))
        found = read(between(old, new, inputs=["e0"], outputs=["e1"], line_rate=line_rate))
        assert found == pytest.approx(CORE / interval)


@pytest.mark.parametrize("refresh", [0.97, 0.999, 1.0])
@pytest.mark.parametrize("interval", [0.3, 1.0, 1.5, 2.0])
@pytest.mark.parametrize("kind", ["be2net's drops in ethtool -S", "ixl without room in the port's buffer"])
def test_drops_of_a_card_that_refreshes_about_once_a_second_are_exact_at_any_interval(
    kind: str, interval: float, refresh: float
):
    """13 of the 14.88 million packets a second of 10 Gbit/s are lost: a second may have the drops of two."""
    shown, _ = KINDS[kind]
    lost = [int(13e6 * ((n * interval + 0.5) // refresh) * refresh) for n in range(121)]
    start = WRAP - lost[50]
    samples = [sample(1 + n * interval, **shown((start + count) % WRAP)) for n, count in enumerate(lost)]
    found = by_place(growth(samples, reader(["e0"], ["e1"], 14.88e6)))
    assert found.gaps == {} and list(found.found.values()) == [lost[-1] - lost[0]]


@pytest.mark.parametrize("kind", ["be2net's drops in ethtool -S", "ixl without a descriptor"])
def test_a_card_counter_that_was_reset_is_found_out_unless_it_was_within_two_seconds_of_its_end(kind: str):
    shown, read = KINDS[kind]

    def reset_from(value: int) -> float | None:
        old, new = sample(1.0, **shown(value)), sample(2.0, **shown(5))
        return read(between(old, new, inputs=["e0"], outputs=["e1"], line_rate=14.88e6))

    assert reset_from(WRAP - 32_000_000) is None and reset_from(100_000) is None
    assert reset_from(WRAP - 31_000_000) == 31_000_005.0, "as docs/limits.md says"


@pytest.mark.parametrize("kind", REFRESHED)
def test_a_card_counter_that_may_have_gone_round_unseen_with_what_a_refresh_brought_has_no_rate(kind: str):
    """28 seconds of 150 million packets are less than 2^32, and 29 are more."""
    shown, read = KINDS[kind]
    assert read(rates_of(shown, 5, 5 + 1000, 27.0)) == pytest.approx(1000 / 27)
    assert read(rates_of(shown, 5, 5 + 1000, 28.0)) is None


def test_a_counter_that_counted_down_is_no_refresh():
    old, new = (
        sample(at, interfaces=(InterfaceCounters("e0", rx_packets=packets, tx_packets=0, link=1),))
        for at, packets in ((1.0, 0), (1.05, 2**64 - 5))
    )
    found = between(old, new).interfaces["e0"]
    assert found.rx_count is None and found.why == "implausible"
