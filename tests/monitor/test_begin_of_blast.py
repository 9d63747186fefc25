"""At the begin of a blast: loss, drops and rates in one sentence are of the same seconds."""

import re
from collections.abc import Iterator

import pytest
from machines import LAB, Machines, blast

from fwdtui.core.counters import NetisrRow
from fwdtui.core.diagnosed import Diagnosis
from fwdtui.core.drop_stages import MISSED, NETISR, QUEUED, RX_RING, Place, stages
from fwdtui.core.lab import parse
from fwdtui.core.model import EventSample, HostSample, Sample
from fwdtui.monitor.live import averages
from fwdtui.monitor.live.monitor import Monitor
from fwdtui.monitor.live.series import Point


class Netisr(Machines):
    """A DUT whose netisr drops what is too much for it; it is read by itself, every `slow` seconds."""

    def __init__(self, offered, capacity: float, slow: int) -> None:
        super().__init__(offered, capacity)
        self._slow = slow

    def run(self, seconds: int) -> Iterator[Sample]:
        for sample in super().run(seconds):
            if sample.host != "dut":
                yield sample
                continue
            ports = [port for port in sample.interfaces if port.name == "d1"]
            into = [p for p in sample.interfaces if p.name == "d0"]
            dropped = into[0].rx_dropped
            into = [type(p)("d0", rx_packets=(p.rx_packets or 0) + (dropped or 0)) for p in into]
            yield type(sample)("dut", sample.seq, sample.t, sample.at, boot="dut", interfaces=(*into, *ports))
            if sample.seq % self._slow == 0:
                row = NetisrRow(0, 0, "ip", queue_drops=dropped)
                yield HostSample("dut", sample.seq, sample.t + 0.0, sample.at, boot="dut", netisr=(row,))


def said(machines: Machines, seconds: int) -> list[tuple[float, Diagnosis]]:
    """What the monitor says after each sample of the running blast, by the time since it began."""
    monitor = Monitor(parse(LAB))
    found = []
    for sample in machines.run(seconds):
        monitor.push(sample)
        now = monitor.snapshot(0)
        if now.blast is not None:
            found.append((now.now - now.blast.began, now.diagnosis))
    return found


@pytest.mark.parametrize("slow", [1, 2, 3])
def test_no_drops_are_told_that_were_averaged_over_the_time_before_the_blast(slow):
    found = said(Netisr(blast(11, 40, 10_000), 4_000, slow), 30)
    limited = [diagnosis.sentence for _, diagnosis in found if diagnosis.code == "dut-limited"]
    drops = [float(kpps) for text in limited for kpps in re.findall(r"netisr drops ([\d.]+) kpps", text)]
    lost = [float(kpps) for text in limited for kpps in re.findall(r"limited: ([\d.]+) kpps", text)]
    assert lost == pytest.approx([6.0] * len(lost), rel=0.01)
    assert drops == pytest.approx([6.0] * len(drops), rel=0.01)
    assert len(drops) > 20


def test_while_a_slow_reading_of_the_blast_is_not_there_nothing_is_said_of_it():
    found = said(Netisr(blast(11, 40, 10_000), 4_000, 3), 30)
    first = next(diagnosis for _, diagnosis in found if diagnosis.code == "dut-limited")
    assert "no counter shows where" in first.sentence
    assert "netisr drops 6." in found[-1][1].sentence


def test_until_every_host_has_a_whole_sample_of_the_blast_its_begin_is_all_that_is_told():
    found = said(Machines(blast(11, 40, 10_000), capacity=4_000), 20)
    first, *_ = found
    assert first[1].sentence.startswith("A blast has just begun")
    codes = [diagnosis.code for _, diagnosis in found]
    settled = codes.index("dut-limited")
    assert set(codes[:settled]) == {"unknown"} and set(codes[settled:]) == {"dut-limited"}
    assert found[settled][0] < 3.5


def test_measured_numbers_never_stand_beside_a_sentence_that_denies_them():
    monitor = Monitor(parse(LAB))
    for sample in Machines(blast(3, 9, 10_000)).run(20):
        monitor.push(sample)
        now = monitor.snapshot(0)
        if now.offered.now is not None or now.forwarded.now is not None:
            assert "Nothing is measured" not in now.diagnosis.sentence


def test_a_mean_is_of_the_seconds_that_all_series_tell_of():
    early = [Point(2.0, 1.0, 10.0), Point(3.0, 1.0, 20.0)]
    late = [Point(2.5, 1.0, 1.0), Point(3.5, 1.0, 3.0)]
    assert averages.common([early, late]) == (1.5, 3.0)
    assert averages.mean(early, (1.5, 3.0), lambda p: p.value) == pytest.approx((10 * 0.5 + 20) / 1.5)
    assert averages.mean(late, (1.5, 3.0), lambda p: p.value) == pytest.approx((1 + 3 * 0.5) / 1.5)


def test_a_stage_that_an_interval_does_not_tell_is_missing_in_it_and_not_zero():
    netisr, ring = Place("", QUEUED, "", "netisr"), Place("d0", MISSED, "", "interface")
    told = averages.HostRates("dut", 2.0, 1.0, losses={netisr: 8.0, ring: 1.0})
    silent = averages.HostRates("dut", 3.0, 1.0, losses={ring: 3.0})
    lost = averages.losses([[told, silent]], (1.0, 3.0))
    assert stages(lost.found) == {RX_RING: 2.0, NETISR: 8.0}


def test_a_link_that_flaps_is_named_with_its_host_in_the_sentence_and_in_the_iterations_warning():
    monitor = Monitor(parse(LAB))
    for sample in Machines(blast(3, 30, 10_000)).run(40):
        if 20.0 < sample.at < 20.4:
            for host, port in (("gen", "g0"), ("dut", "d0")):
                monitor.push(EventSample(sample.at, "link-down", f"{port}: link is down", host))
            assert "g0 of gen and d0 of dut went down 0 s ago" in monitor.snapshot(0).diagnosis.sentence
        monitor.push(sample)
    warnings = [warning.text for warning in monitor.snapshot(0).iterations[0].warnings]
    assert [text for text in warnings if "(gen: g0" in text] and [t for t in warnings if "(dut: d0" in t]
