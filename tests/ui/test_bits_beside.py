"""Two recordings on one graph: their bits, and what can be said of the two at one moment."""

import msgspec
import pytest
from live_rig import LAB, Rig

from fwdtui.core.lab import parse
from fwdtui.monitor.live.series import Point
from fwdtui.ui.replay.beside import Beside
from fwdtui.ui.replay.graph import BesideLine, ReplayGraph, _compared, lost_text
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


def test_where_its_receiver_has_a_gap_the_rate_of_its_dut_is_not_what_arrived():
    sent, out = (tuple(Point(at, 1.0, rate) for at in (1.0, 2.0, 3.0)) for rate in (120.0, 100.0))
    gap = *out[:2], Point(3.0, 1.0, None, why="late")
    for received, arrived in ((out, 100.0), (gap, None), ((), 100.0)):
        other = Beside("b", {"offered": sent, "forwarded": out, "received": received}, 1.0, 1)
        now = other.at(3.0)
        assert (now.forwarded, now.arrived) == (100.0, arrived)
        assert (now.loss_share is None) == (arrived is None)


@pytest.mark.parametrize(
    ("attack", "out", "share", "told"),
    [
        ((600.0,), 300.0, 0.25, "≥ 25.0 %"),
        ((None,), 300.0, 0.25, "≥ 25.0 %"),  # sent, and nobody saw how much
        ((0.0,), 300.0, 0.25, "25.0 %"),
        ((600.0,), 700.0, None, None),  # part of the attack arrived
        ((), 300.0, 0.25, "25.0 %"),  # nobody attacks
        ((), 700.0, -0.75, "−75.0 %"),  # which is impossible, and not hidden
    ],
)
def test_under_attack_its_loss_is_a_lower_bound_as_that_of_the_first_recording(
    attack: tuple[float | None, ...], out: float, share: float | None, told: str | None
) -> None:
    def flow(rate: float | None) -> tuple[Point, ...]:
        return tuple(Point(at, 1.0, rate) for at in (1.0, 2.0, 3.0))

    flows = {"offered": flow(400.0), "forwarded": flow(out), "received": flow(out)}
    if attack:
        flows["attack"] = flow(attack[0])
    other = Beside("b", flows, 1.0, 1)
    now = other.at(3.0)
    assert now.loss_share == share and now.steady
    assert lost_text(now) == told


def test_beside_a_blast_that_is_over_no_difference_is_told():
    """The mean over the last seconds would fall towards zero although nothing was slower."""
    rig = Rig()
    rig.run(25.0)
    snapshot = rig.monitor.snapshot()
    assert snapshot.blast is not None
    began = snapshot.blast.began
    points = tuple(Point(float(at), 1.0, 1_100_000.0 if at <= 22 else 0.0) for at in range(1, 40))
    other = Beside("b", {"received": points, "forwarded": ()}, 1.0, 1)
    for its, ours, whole, told in (
        (None, None, 60.0, True),
        (30.0, 35.0, 60.0, True),
        (22.0, 35.0, 60.0, False),
        (30.0, 22.0, 60.0, False),
        (30.0, None, 25.0, False),  # the recording ends with the blast
    ):
        ended = msgspec.structs.replace(other, ends=((began, its),))
        view = ReplayView(rig.lab, beside=ended, blasts=((began, ours),), end=whole)
        assert (_compared(snapshot, view, ended) is not None) is told


@pytest.mark.parametrize("receiver", ["this", "other", "both", "none"])
def test_the_difference_is_of_what_both_recordings_have(receiver: str) -> None:
    """A receiver behind a switch hears less than the DUT forwards: that is no difference of the DUTs."""
    rig = Rig(noise=0.0)
    rig.run(25.0)
    snapshot = rig.monitor.snapshot()
    out = snapshot.forwarded.points
    less = tuple(msgspec.structs.replace(point, value=(point.value or 0.0) / 2) for point in out)
    here = less if receiver in ("this", "both") else ()
    there = less if receiver in ("other", "both") else ()
    snapshot = msgspec.structs.replace(
        snapshot, received=msgspec.structs.replace(snapshot.received, points=here)
    )
    other = Beside("b", {"offered": (), "forwarded": tuple(out), "received": there}, 1.0, 1)
    found = _compared(snapshot, ReplayView(rig.lab, beside=other), other)
    assert found is not None
    assert (found[0], found[2]) == (0.0, "received" if receiver == "both" else "forwarded")


def test_without_a_rate_that_both_recordings_have_there_is_no_difference() -> None:
    rig = Rig(noise=0.0)
    rig.run(25.0)
    snapshot = rig.monitor.snapshot()
    snapshot = msgspec.structs.replace(
        snapshot, forwarded=msgspec.structs.replace(snapshot.forwarded, points=())
    )
    other = Beside("b", {"offered": (), "forwarded": tuple(snapshot.received.points), "received": ()}, 1.0, 1)
    assert _compared(snapshot, ReplayView(rig.lab, beside=other), other) is None


def test_the_line_of_the_second_recording_is_drawn_again_when_the_blast_has_ended():
    rig = Rig(noise=0.0)
    rig.run(25.0)
    during = rig.monitor.snapshot()
    after = msgspec.structs.replace(during, blast=None)
    other = Beside("b", {"offered": POINTS, "forwarded": POINTS, "received": POINTS}, 1.0, 1)
    shown = ReplayView(rig.lab, beside=other)
    before, since = (BesideLine().part(one, shown) for one in (during, after))
    assert before != since, "the rates are the same, but there is no blast to compare"
