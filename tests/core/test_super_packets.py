"""Packets that are longer than frames can be were counted in bundles."""

import pytest

from fwdtui.core.super_packets import LONGEST, bundled, caution


@pytest.mark.parametrize(
    ("lengths", "frame", "found"),
    [
        ({}, None, set()),
        ({"offered": 1514.0, "forwarded": 1514.0, "received": 1514.0}, None, set()),
        ({"offered": 9018.0, "forwarded": 9018.0}, None, set()),  # jumbo frames
        ({"forwarded": float(LONGEST)}, None, set()),
        ({"forwarded": LONGEST + 1.0}, None, {"forwarded"}),
        ({"forwarded": 58_000.0, "received": 1514.0}, None, {"forwarded"}),
        ({"forwarded": 3_028.0, "received": 1514.0}, None, {"forwarded"}),  # two at a time
        ({"forwarded": 1514.0, "received": 4542.0}, None, {"received"}),  # LRO of the receiver
        ({"forwarded": 64.0, "received": 60.0}, None, set()),  # with and without FCS
        ({"offered": 3_028.0, "received": 1514.0}, None, set()),  # a DUT may part frames
        ({"offered": 60.0, "forwarded": 60.0, "received": 60.0}, 64, set()),
        ({"forwarded": 150.0}, 64, set()),  # a tunnel
        ({"forwarded": 240.0}, 64, {"forwarded"}),
    ],
)
def test_lengths_that_no_frame_has_are_found(
    lengths: dict[str, float], frame: int | None, found: set[str]
) -> None:
    assert bundled(lengths, frame).keys() == found


def test_the_warning_says_which_packets_are_how_long() -> None:
    text = caution({"forwarded": 58_000.2}).text
    assert text.startswith("Forwarded packets have 58000 bytes on average, more than a frame of this traffic")
