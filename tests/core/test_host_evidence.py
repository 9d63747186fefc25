"""What cards, softnet and interrupts tell besides the drops, under their own names."""

import pytest

from fwdtui.core.counters import InterruptRow, SoftnetRow, StageCounter
from fwdtui.core.host_evidence import (
    InterruptRate,
    NicRate,
    SoftnetRate,
    at_nic,
    interrupt_rates,
    nic_rates,
    offered,
    softnet_rates,
)
from fwdtui.core.model import HostSample


def sample(t: float, boot: str = "a", **fields) -> HostSample:
    return HostSample("dut", int(t * 10), t=t, at=t, boot=boot, **fields)


def row(name: str, value: int, kind: str = "drops", interface: str = "e0") -> StageCounter:
    return StageCounter(interface, "rx", "mac", kind, name, value)


# cards


def test_a_cards_counters_are_told_in_its_drivers_order_without_packets_and_copies():
    names = ("z_errors", "events"), ("a_drops", "drops"), ("rx_dropped", "drops"), ("all", "packets")
    before = sample(1, stages=tuple(row(name, 100, kind) for name, kind in names))
    after = sample(3, stages=tuple(row(name, 140, kind) for name, kind in names))
    assert nic_rates(before, after) == (
        NicRate("e0", "rx", "events", "z_errors", 20.0),
        NicRate("e0", "rx", "drops", "a_drops", 20.0),
    )


@pytest.mark.parametrize("own", ["rx_dropped.nic", "port.rx_dropped", "port.rx_discards"])
def test_what_rings_of_ice_and_i40e_lost_is_told_although_their_counter_has_the_interfaces_name(own: str):
    before, after = (sample(t, stages=(row("rx_dropped", 9 * t), row(own, 4 * t))) for t in (1, 2))
    assert [(one.name, one.per_second) for one in nic_rates(before, after)] == [
        ("rx_dropped", 9.0),
        (own, 4.0),
    ]


def test_a_counter_that_was_set_back_has_no_rate_and_is_still_named():
    found = nic_rates(
        sample(1, stages=(row("a", 9), row("b", 0))), sample(2, stages=(row("a", 5), row("b", 3)))
    )
    assert [(one.name, one.per_second) for one in found] == [("a", None), ("b", 3.0)]


@pytest.mark.parametrize("name", ["rx_drops_no_pbuf", "mmc_rx_fifo_overflow"], ids=["be2net", "stmmac"])
def test_a_narrow_counter_of_a_card_has_a_rate_at_any_interval_that_its_drops_have_one(name):
    before = sample(1, stages=(row(name, 2**32 - 50), row("a", 0)))  # 32 bits
    after = sample(11, stages=(row(name, 50), row("a", 30)))
    assert [(one.name, one.per_second) for one in nic_rates(before, after)] == [(name, 10.0), ("a", 3.0)]


def test_a_narrow_counter_that_may_have_wrapped_unseen_has_no_rate():
    before, after = sample(1, stages=(row("rx_missed", 5),)), sample(2, stages=(row("rx_missed", 9),))
    assert [one.per_second for one in nic_rates(before, after)] == [None]  # r8169: 16 bits


@pytest.mark.parametrize(
    ("rows", "total"),
    [
        ((row("rx_packets_phy", 7), row("rx_packets_phy", 50, interface="e1")), 7),
        ((row("rx_unicast.nic", 7), row("rx_multicast.nic", 2), row("rx_broadcast.nic", 1)), 10),
        ((row("rx_unicast.nic", 7), row("rx_multicast.nic", 2)), None),  # a part is missing: not all is known
        ((row("rx_pkts_nic", 7), row("rx_missed_errors", 3)), 10),
        ((row("rx_pkts_nic", 7),), None),
        ((row("mac_stats.total_pkts_rcvd", 7),), 7),  # FreeBSD
        ((row("rx_packets_phy", 7), row("mac_stats.total_pkts_rcvd", 9)), 7),
        ((), None),
    ],
)
def test_what_reached_a_card_is_told_by_the_first_counters_that_are_complete(rows, total):
    assert offered(iter(rows), "e0") == total


def test_what_reached_the_cards_is_known_only_if_it_is_of_every_input():
    def stages(one: int, two: int | None) -> tuple[StageCounter, ...]:
        rows = (row("rx_packets_phy", one),)
        return rows if two is None else (*rows, row("rx_packets_phy", two, interface="e1"))

    before, after = sample(1, stages=stages(0, 0)), sample(3, stages=stages(100, 10))
    assert at_nic(before, after, ["e0", "e1"]) == 55.0
    assert at_nic(before, after, ["e0"]) == 50.0
    assert at_nic(before, after, ["e0", "e2"]) is None
    assert at_nic(before, after, []) is None
    assert at_nic(sample(1, stages=stages(0, None)), after, ["e0", "e1"]) is None


# softnet


def test_softnets_rows_are_followed_core_by_core():
    before = sample(1, softnet=(SoftnetRow(0, True, 10, 20, 30, 40, 50), SoftnetRow(2, True, 0, 0, 0)))
    after = sample(
        3, softnet=(SoftnetRow(0, True, 20, 40, 60, 80, 100, backlog=7), SoftnetRow(3, True, 9, 9, 9))
    )
    expected = SoftnetRate(0, 5.0, 10.0, 15.0, flow_limited=25.0, steered=20.0, backlog=7)
    assert softnet_rates(before, after) == (expected,)


# interrupts


def irq(totals: dict[int, int], interface: str | None = "e0", label: str = "e0-rx-1") -> InterruptRow:
    return InterruptRow("24", label, totals, interface, 1, "rx")


def interrupts(before: InterruptRow, after: InterruptRow) -> tuple[InterruptRate, ...]:
    return interrupt_rates(sample(1, interrupts=(before,)), sample(3, interrupts=(after,)))


def test_an_interrupts_rate_is_that_of_its_cores_and_the_idle_ones_are_not_named():
    found = interrupts(irq({0: 10, 1: 5, 2: 0}), irq({0: 30, 1: 5, 2: 6}))
    assert found == (InterruptRate("e0", 1, "rx", 13.0, ((0, 10.0), (2, 3.0))),)


def test_where_the_host_does_not_tell_the_cores_none_is_named():
    assert interrupts(irq({-1: 10}), irq({-1: 30})) == (InterruptRate("e0", 1, "rx", 10.0),)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (irq({0: 1}, None), irq({0: 5}, None)),  # no interface's
        (irq({0: 1}, label="e0-rx-0"), irq({0: 5})),  # the number was given to another one
        (irq({0: 1}), irq({0: 5, 1: 5})),  # a core that was not there before
        (irq({0: 9, 1: 1}), irq({0: 5, 1: 5})),  # set back on one of them
        (irq({}), irq({})),
    ],
)
def test_an_interrupt_that_is_not_complete_in_both_samples_is_left_out(before, after):
    assert interrupts(before, after) == ()


def test_after_a_reboot_nothing_of_it_has_a_rate():
    held = {
        "softnet": (SoftnetRow(0, True, 1, 1, 1),),
        "interrupts": (irq({0: 1}),),
        "stages": (row("a", 1),),
    }
    before, after = sample(5, **held), sample(6, boot="b", **held)
    assert interrupt_rates(before, after) == ()
    assert [one.per_second for one in nic_rates(before, after)] == [None]
    assert [one.dropped for one in softnet_rates(before, after)] == [None]
