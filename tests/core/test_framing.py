"""Bits per second from packets per second and the frames' length, against published figures."""

import pytest

from fwdtui.core.framing import FCS, LONGEST, SHORTEST, layer1, layer2, line_rate, utilisation

# RFC 2544, appendix B: maximum frame rates of 10 Mb/s Ethernet, rounded down
RFC_2544 = {64: 14880, 128: 8445, 256: 4528, 512: 2349, 768: 1586, 1024: 1197, 1280: 961, 1518: 812}


@pytest.mark.parametrize(("frame", "most"), RFC_2544.items())
def test_line_rate_is_that_of_rfc_2544(frame: int, most: int) -> None:
    assert int(line_rate(10e6, frame)) == most


@pytest.mark.parametrize(
    ("speed", "frame", "most"),
    [
        (1e9, 64, 1_488_095),
        (10e9, 64, 14_880_952),
        (10e9, 1518, 812_743),
        (40e9, 64, 59_523_809),
        (100e9, 64, 148_809_523),
    ],
)
def test_line_rate_of_faster_links(speed: float, frame: int, most: int) -> None:
    assert int(line_rate(speed, frame)) == most


@pytest.mark.parametrize("frame", [64, 128, 1518, 9018])
def test_at_line_rate_layer_1_is_the_speed_of_the_link(frame: int) -> None:
    most = line_rate(10e9, frame)
    assert layer1(most, frame) == pytest.approx(10e9)
    assert utilisation(most, frame, 10e9) == pytest.approx(1.0)
    assert utilisation(most / 2, frame, 10e9) == pytest.approx(0.5)


def test_layer_2_leaves_out_20_bytes_a_frame():
    """At 10 Gb/s 64-byte frames are 7.62 Gb/s of layer 2, 1518-byte frames 9.87 Gb/s."""
    assert layer2(14_880_952, 64) == pytest.approx(7.619e9, rel=1e-4)
    assert layer2(812_743, 1518) == pytest.approx(9.870e9, rel=1e-4)
    assert layer1(1.0, 64) - layer2(1.0, 64) == 160.0


def test_without_packets_there_are_no_bits():
    assert layer1(0.0, 64) == layer2(0.0, 64) == utilisation(0.0, 64, 10e9) == 0.0


def test_the_shortest_frame_is_60_bytes_and_its_check_sequence() -> None:
    """IEEE 802.3, clause 3: 14 bytes of header, 46 of data, 4 of FCS; no interface's MTU has over 16 bits."""
    assert 14 + 46 + FCS == SHORTEST == 64
    assert LONGEST == 2**16 - 1
