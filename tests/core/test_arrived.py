"""A receiver that sees only what a link carries by itself."""

import pytest

from fwdtui.core.arrived import next_to_nothing


@pytest.mark.parametrize("offered", [None, 0.0, 1e6, 14.88e6])
@pytest.mark.parametrize(
    ("rate", "nothing"),
    [(None, False), (-1.0, False), (0.0, True), (66.0, True), (99.9, True), (100.0, False), (150.0, False)],
)
def test_below_a_hundred_packets_per_second_nothing_arrived(offered, rate, nothing):
    found = next_to_nothing(rate, offered)
    assert (found is not None) is nothing
    assert found is None or found.code == "no-traffic"


@pytest.mark.parametrize(
    ("rate", "nothing"), [(0.0, True), (6.6, True), (9.99, True), (10.0, False), (15.0, False)]
)
def test_of_a_slow_test_a_thousandth_of_the_load_is_traffic(rate, nothing):
    assert (next_to_nothing(rate, 10_000.0) is not None) is nothing


@pytest.mark.parametrize(
    ("offered", "words"),
    [
        (1e6, "Nothing arrived: 12 pps while 1.000 Mpps were offered is only background traffic; "),
        (0.0, "Nothing arrived: 12 pps while 0 pps were offered is only background traffic; "),
        (None, "Nothing arrived: 12 pps is only background traffic; "),
    ],
)
def test_the_load_is_told_if_it_is_known(offered, words):
    found = next_to_nothing(12.0, offered)
    assert found is not None and found.text.startswith(words)


@pytest.mark.parametrize(
    ("highest", "offered", "some"),
    [(None, 1e6, False), (12.0, 1e6, False), (999.0, 1e6, False), (1000.0, 1e6, True), (99.0, None, False)],
)
def test_what_arrived_for_less_than_half_of_the_time_is_not_called_nothing(highest, offered, some):
    found = next_to_nothing(0.0, offered, highest)
    assert found is not None and found.code == "no-traffic"
    assert found.text.startswith("For half of the time or more nothing arrived: " if some else "Nothing arr")
    assert ("though 1.000 kpps arrived at times; find out what stopped" in found.text) is some
