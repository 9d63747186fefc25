"""The throughput on a mix of sizes, as the archive's gnuplot scripts compute it."""

import pytest

from fwdtui.core.imix import BITS, equity


def test_a_packet_of_the_mix_has_the_bits_that_the_archives_scripts_write_out():
    assert pytest.approx(2834.666667, abs=1e-6) == BITS


def test_line_rate_of_10_gigabit_would_be_more_than_four_times_the_link():
    """It knows no link: 14.88 Mpps of the mix would be 42.18 Gb/s."""
    assert equity(14_880_952) == pytest.approx(42.18e9, rel=1e-3)
