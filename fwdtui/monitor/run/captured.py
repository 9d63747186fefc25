"""Judges a profiler's capture by what the DUT forwarded meanwhile, and makes the profile that is kept."""

import math
from collections.abc import Sequence
from itertools import pairwise

import msgspec

from fwdtui.core import uncounted
from fwdtui.core.host_rates import HostRates, InterfaceRate, between, is_fast
from fwdtui.core.lab import Lab
from fwdtui.core.model import HostSample, Iteration
from fwdtui.core.profile.capture import Asked, Capture
from fwdtui.core.profile.idle import Idle
from fwdtui.core.profile.record import Profile
from fwdtui.core.profile_check import Checked, Passage, check, uneven
from fwdtui.core.text import clean
from fwdtui.core.units import counted, pps
from fwdtui.monitor.live.refreshes import sum_at_refreshes
from fwdtui.monitor.live.series import Point

OFFERED = 0.05
"""Share by which the offered load may differ from the requested rate."""


def judged(
    lab: Lab,
    capture: Capture,
    asked: Asked,
    iteration: Iteration,
    dut: Sequence[HostSample],
    rate: float | None,
) -> tuple[Checked, Profile]:
    """Whether the capture counts, and its profile. `iteration`: the blast in which it was taken.

    `dut`: the DUT's samples of the blast. `rate`: the requested packets per second; None: any.
    """
    unseen = any(one.code == uncounted.CODE for one in iteration.warnings)
    checked = check(capture, asked, passages(lab, dut), Idle.also(lab.idle), unseen=unseen)
    if not checked.missed and (why := _other_load(iteration, rate)):
        checked = msgspec.structs.replace(checked, missed=why)
    return checked, recorded(capture, asked, checked, dut)


def _other_load(iteration: Iteration, rate: float | None) -> str:
    """Why the offered load was not the requested `rate`; "" if it was."""
    offered = iteration.offered
    if rate is None or (offered is not None and abs(offered / rate - 1.0) <= OFFERED):
        return ""
    sent = "not known" if offered is None else pps(offered)
    wanted = f"{pps(rate)} was asked for: give a rate that the generator can send"
    return f"The offered load was {sent} where {wanted}."


def passages(lab: Lab, dut: Sequence[HostSample]) -> list[Passage]:
    """What the DUT forwarded between its samples, in times of its own clock.

    A card that refreshes its counters slowly shows no packets in some intervals, and all of them in the next.
    Such intervals are joined, like those of an iteration's value (monitor/live/refreshes.py).
    """
    whole: list[Point] = []
    parts: list[list[Point]] = [[] for _ in lab.dut.outputs]
    for before, after in pairwise([one for one in dut if is_fast(one)]):
        rates = between(before, after, inputs=lab.dut.inputs, outputs=lab.dut.outputs)
        ports = [rates.interfaces.get(name) for name in lab.dut.outputs]
        whole.append(_point(before, after, rates, ports))
        for part, port in zip(parts, ports, strict=True):
            part.append(_point(before, after, rates, [port]))
    found, _ = sum_at_refreshes(whole, parts if len(parts) > 1 else ())
    return [Passage(one.at - one.seconds, one.at, one.value) for one in found]


def _point(
    before: HostSample, after: HostSample, rates: HostRates, ports: Sequence[InterfaceRate | None]
) -> Point:
    seconds = max(after.t - before.t, 0.0)
    sent = [(one.tx_pps, one.tx_count) for one in ports if one is not None]
    known = [(rate, count or 0) for rate, count in sent if rate is not None]
    if rates.gap or len(known) < len(ports):
        return Point(after.t, seconds, None)
    return Point(after.t, seconds, sum(rate for rate, _ in known), sum(count for _, count in known))


def recorded(capture: Capture, asked: Asked, checked: Checked, dut: Sequence[HostSample]) -> Profile:
    """What is kept of a capture besides its stacks. `dut`: the DUT's samples, which place it in time."""
    began, ended, packets = capture.began, capture.ended, None
    if began is not None and ended is not None:
        if capture.seconds is not None:
            ended = min(ended, began + capture.seconds)
        if checked.during is not None:
            packets = round(checked.during * (ended - began))
    return Profile(
        samples=capture.folded.samples,
        tool=capture.profiler,
        event=capture.event,
        host=dut[0].host if dut else "",
        start=_placed(began, dut),
        end=_placed(ended, dut),
        rate=float(asked.frequency) if capture.period is None else None,
        period=capture.period,
        per_cpu={str(cpu): samples for cpu, samples in capture.cores.items()},
        idle=checked.idle,
        packets=packets,
        depth=capture.depth,
        rejected=checked.missed,
        notes=(*_too_few(capture), *uneven(capture, asked), *map(clean, capture.notes)),
    )


def _too_few(capture: Capture) -> list[str]:
    """Notes on missing samples of a profile that counts nevertheless: the check tolerates a few."""
    told = []
    if capture.lost:
        share = _percent(capture.lost / (capture.lost + capture.folded.samples))
        told.append(f"{capture.profiler} lost {counted(capture.lost, 'sample')}, {share} of all")
    if capture.paused:
        share = _percent(capture.paused)
        told.append(f"the kernel held {capture.profiler} back for up to {share} of the time")
    return [f"{one}: samples per packet are too low by the same share" for one in told]


def _percent(share: float) -> str:
    return f"{100 * share:.1f} %" if share >= 0.0005 else "less than 0.1 %"


def _placed(time: float | None, dut: Sequence[HostSample]) -> float | None:
    """A time of the host's clock on the recording's axis, by the nearest sample; None if not known."""
    if time is None or not dut or not math.isfinite(time):
        return None
    near = min(dut, key=lambda one: abs(one.t - time))
    return round(near.at + time - near.t, 6)
