"""What the counts of a blast say against each other."""

import pytest

from fwdtui.core.model import Packets
from fwdtui.core.offered import ADVICE, CODE
from fwdtui.monitor.live.account import cautions


@pytest.mark.parametrize(
    ("packets", "warned"),
    [
        (None, []),
        (Packets(100, 100, None, 150), []),  # within a blast the counts are of different times
        (Packets(100, 100, 101, 101), []),
        (Packets(100, 100, 102, 100), ["102 packets were forwarded of 100 offered"]),
        (Packets(100, 100, 100, 102), ["102 packets were received of 100 offered"]),
        (Packets(100, 100, 150, 120), ["120 packets were received of 100 offered"]),
        (Packets(None, 100, 150, 120), []),
        (Packets(10_000, 20_000, 9_000, 9_000), ["20 000 packets arrived at the DUT of 10 000 offered"]),
        (Packets(10_000, 10_600, 9_000, 9_000), []),  # less than 100 pps more: not of a generator
        (Packets(0, 0, 3, None), ["3 packets were forwarded of 0 offered"]),
    ],
)
def test_more_out_than_in_is_warned_of_once_from_one_percent_on(
    packets: Packets | None, warned: list[str]
) -> None:
    found = cautions(packets, lasted=5.0)
    assert [one.code for one in found] == [CODE] * len(warned)
    assert [one.text for one in found] == [f"{text}, which is impossible: {ADVICE}." for text in warned]


def test_pause_frames_during_the_blast_are_warned_of_by_port_and_direction() -> None:
    nic = {"ix0 mac_stats.xoff_txd": 204, "eth1 rx_pause_ctrl_phy": 1, "eth1 rx_discards_phy": 7}
    (one,) = cautions(Packets(100, 100, 100, nic=nic), inputs=("ix0",))
    assert (one.code, one.text) == (
        "pause-frames",
        "During the blast ix0 of the DUT sent 204 pause frames, by which it held the generator back; "
        "eth1 of the DUT was sent 1 pause frame, by which it was held back: "
        "its value counts, but switch flow control off and measure again.",
    )
    assert cautions(Packets(100, 100, 100, nic={"eth1 rx_discards_phy": 7})) == []


def test_pause_frames_that_an_output_sent_held_no_generator_back() -> None:
    (one,) = cautions(Packets(100, 100, 100, nic={"ix1 mac_stats.xoff_txd": 9}), inputs=("ix0",))
    assert "ix1 of the DUT sent 9 pause frames, by which it held its link partner back: " in one.text


def test_each_stage_with_a_gap_is_a_lower_bound_with_its_reason() -> None:
    found = cautions(Packets(100, 100, 100, unread={"rx ring": "reset", "output": "odd"}))
    assert [one.text for one in found] == [
        "Drops at the rx ring are a lower bound: a counter was reset during the blast.",
        "Drops at the output are a lower bound: odd during the blast.",
    ]
