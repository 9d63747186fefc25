"""Why the DUT drops packets now: shares of what was dropped of the traffic between its ports."""

from fwdtui.core.drop_reasons import UNACCOUNTED
from fwdtui.core.model import REASONS, EventSample
from fwdtui.core.reason_counts import ReasonCounts, ReasonRow
from fwdtui.monitor.live.reasons import shares

PORTS = ("dut0",), ("dut1",)


def taken(at: float, rules: int, closed: int, scope: str = "namespace") -> EventSample:
    rows = (
        ReasonRow("NETFILTER_DROP", "nft_do_chain", rules, "dut0"),
        ReasonRow("NO_SOCKET", "__udp4_lib_rcv", closed, "mgmt0"),
    )
    return EventSample(at, REASONS, "", "dut", ReasonCounts("bpftrace", scope, 1.0, rows))


def test_what_another_interface_drops_is_not_why_the_dut_drops() -> None:
    found = shares([taken(1.0, 0, 0), taken(2.0, 30, 5_000)], 2.5, *PORTS)
    assert found is not None
    assert [(row.reason, found.share(row)) for row in found.rows] == [("NETFILTER_DROP", 1.0)]
    assert not found.machine
    machine = shares([taken(at, 0, int(at), "machine") for at in (1.0, 2.0)], 2.5, *PORTS)
    assert machine is not None and machine.machine
    assert found.stages == {UNACCOUNTED}  # so that no stage with a counter is explained


def test_counts_that_are_over_are_of_no_moment() -> None:
    assert shares([taken(1.0, 0, 0), taken(2.0, 30, 0)], 9.0, *PORTS) is None
