"""A recording's rows are not tracked by the garbage collector: a million of them would stop the screen."""

import gc

import pytest

from fwdtui.core.counters import CpuTicks, InterfaceCounters, InterruptRow, QueueCounters, StageCounter
from fwdtui.core.host_rates import CpuShare, InterfaceRate, QueueRate
from fwdtui.monitor.live.load_history import LoadRow


@pytest.mark.parametrize(
    "row",
    [
        InterfaceCounters("ix0"),
        QueueCounters("ix0", "rx", 0, extra={"lro": 1}),
        StageCounter("ix0", "rx", "mac", "drops", "missed", 1),
        CpuTicks(0, 1, 2, 3, 4, 5),
        InterruptRow("16", "ix0:rxq0", {0: 1}),
        InterfaceRate("ix0"),
        QueueRate("ix0", "rx", 0),
        CpuShare(0, 1.0, 0.0, 1.0, 0.0),
        LoadRow(1.0, 1.0, (0, 1), (0.5, 0.5)),
    ],
    ids=lambda row: type(row).__name__,
)
def test_a_row_is_not_tracked(row: object) -> None:
    assert not gc.is_tracked(row)
