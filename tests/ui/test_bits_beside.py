"""The bits of two recordings on one graph: on layer 2 each with its own frames, or as counted."""

import pytest
from live_rig import LAB

from fwdtui.core.lab import parse
from fwdtui.monitor.live.series import Point
from fwdtui.ui.replay.beside import Beside
from fwdtui.ui.replay.graph import ReplayGraph
from fwdtui.ui.replay.view import ReplayView

POINTS = Point(1.0, 1.0, 100.0, bps=48_000.0), Point(2.0, 1.0, 90.0, bps=43_200.0)


def view(unit: str, frame: int | None, other: int | None) -> ReplayView:
    text = LAB.format(interval=1000)
    lab = parse(text if frame is None else text.replace("line_rate", f"frame = {frame}\nline_rate"))
    beside = Beside("b", {"received": POINTS, "forwarded": ()}, 1.0, 1, frame=other)
    return ReplayView(lab, unit=unit, beside=beside)


@pytest.mark.parametrize(
    ("unit", "frame", "other", "bits"),
    [
        ("pps", 64, 1518, 100.0),
        ("bps", 64, 64, 100 * 64 * 8),
        ("bps", 64, 1518, 100 * 1518 * 8),  # its own frames are longer
        ("bps", 64, None, 48_000.0),  # unknown: both are shown as counted
        ("bps", None, 64, 48_000.0),
    ],
)
def test_the_second_recording_has_the_bits_of_its_own_frames(unit, frame, other, bits):
    shown = view(unit, frame, other)
    assert ReplayGraph().highest(shown, 0.0, 2.0) * shown.scale == pytest.approx(bits)


def test_the_first_recording_is_shown_as_counted_if_the_second_must_be():
    assert view("bps", 64, None).rate(100.0, 48_000.0) == 48_000.0
    assert view("bps", 64, None).basis == "hosts count differently"
    assert view("bps", 64, 1518).rate(100.0, 48_000.0) == 51_200.0
