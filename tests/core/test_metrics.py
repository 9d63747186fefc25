"""Metrics: which way is better, and that units are never mixed."""

import pytest

from fwdtui.core.errors import FwdtuiError
from fwdtui.core.metrics import better, one_unit


@pytest.mark.parametrize("unit", ["pps", "b/s", "kb/s", "Mb/s", "Gb/s", "", "furlongs"])
def test_more_of_a_rate_is_better(unit: str) -> None:
    assert better(unit) == "more"


@pytest.mark.parametrize("unit", ["%", "ns", "us", "ms", "s", "cycles/packet", "ns/packet"])
def test_less_time_and_less_loss_is_better(unit: str) -> None:
    assert better(unit) == "less"


def test_mixed_units_name_both() -> None:
    assert one_unit([("a", "pps"), ("b", ""), ("c", "pps")]) == "pps"
    assert one_unit([("b", "")]) == ""
    with pytest.raises(FwdtuiError, match=r"^a is in pps and c in Mb/s: they cannot be compared$"):
        one_unit([("a", "pps"), ("c", "Mb/s")])
