"""Events counted on a host over a real sshd: by perf, by a stand-in of pmcstat, or not, with the reason."""

import os
import shutil
import signal
from pathlib import Path
from statistics import median

import pytest
from collectors_helpers import FreebsdState, Lab, gone

from fwdtui.collectors.counting import Counting, _Pmcstat
from fwdtui.core.counters import CpuTicks
from fwdtui.core.model import CountSample, HostSample

needs_perf = pytest.mark.skipif(
    os.geteuid() != 0 or not shutil.which("perf"), reason="needs root and perf (Debian: linux-perf)"
)
SOFTWARE = ("cpu-clock", "context-switches")


def counts(lab: Lab) -> list[CountSample]:
    return [s for s in lab.samples if isinstance(s, CountSample)]


async def counting(lab: Lab, *events: str, system: str | None = None) -> Counting:
    host = await lab.source._pool.open("dut", "dut")
    counter = Counting(host, events, lab.lab.interval, system)
    lab.source.add(counter)
    return counter


def at_work(lab: Lab, program: str) -> list[int]:
    """Processes of this program on the host."""
    found = []
    for pid in lab.processes():
        try:
            words = Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
        except OSError:
            continue
        if program.encode() in words[0] or (len(words) > 1 and words[1].endswith(program.encode())):
            found.append(pid)
    return found


@needs_perf
async def test_perf_counts_all_cores_by_the_hosts_own_clock(labs) -> None:
    lab = labs("lo")
    await counting(lab, *SOFTWARE)
    await lab.until(lambda: sum(one.seconds for one in counts(lab)) >= 3.0 and len(lab.plain) >= 6, 30.0)
    found = counts(lab)[1:-1]
    cores = len(os.sched_getaffinity(0))
    # the clock of every core runs on, idle or not: so much is known of it on any machine. A busy one holds up
    # perf between an interval's time and its counts, which then are the next interval's in part
    clock = sum(one.counts["cpu-clock"] for one in found) / sum(one.seconds for one in found) / 1000
    assert clock == pytest.approx(cores, rel=0.3)
    for one in found:
        assert one.units == {"cpu-clock": "msec"} and not one.missing and not one.enabled
        assert one.counts["context-switches"] > 0
    ends = [one.t for one in found]
    assert ends == sorted(ends)
    assert all(one.seconds > 0.05 for one in found) and median(one.seconds for one in found) < 1.0
    # its clock is the one that the sampler reads: both see the same moments
    clocks = [s.t - s.at for s in lab.plain]
    for one in counts(lab)[1:]:
        assert one.t is not None
        # a line comes when the next interval has begun
        assert -0.05 < one.at + min(clocks) - one.t < 3.0
    working = at_work(lab, "perf")
    assert len(working) == 1, "it is started once"
    await lab.aclose()
    assert await gone(working)


@needs_perf
async def test_what_a_host_has_no_counter_for_is_named_in_every_interval(labs) -> None:
    lab = labs("lo")
    await counting(lab, "cycles", "cpu-clock")
    await lab.until(lambda: len(counts(lab)) >= 2)
    one = counts(lab)[-1]
    assert ("cycles" in one.counts) != ("cycles" in one.missing)  # a machine with a PMU counts it
    assert one.missing.get("cycles", "not supported by this host") == "not supported by this host"


@needs_perf
async def test_an_event_that_perf_does_not_know_is_told_once_and_nothing_is_tried_again(labs) -> None:
    lab = labs("lo")
    await counting(lab, "nosuch", "cpu-clock", system="linux")
    await lab.until(lambda: counts(lab) and len(lab.plain) >= 15)
    (one,) = counts(lab)
    assert one.seconds == 0.0 and not one.counts
    assert set(one.missing) == {"nosuch", "cpu-clock"}
    assert one.missing["nosuch"].startswith("event syntax error: 'nosuch'")
    (told,) = (event for event in lab.events if event.code == "note")
    assert told.text.startswith("nosuch, cpu-clock not counted: event syntax error")
    assert not at_work(lab, "perf")


async def test_pmcstat_counts_under_the_names_that_were_asked_for(labs, freebsd: FreebsdState) -> None:
    lab = labs("ix0", server=freebsd.sshd)
    await counting(lab, "cycles", "instructions", system="freebsd")
    await lab.until(lambda: len(counts(lab)) >= 4)
    for one in counts(lab):
        assert one.counts == {"cycles": 1234.0, "instructions": 1234.0} and one.t is None
    working = at_work(lab, "pmcstat")
    await lab.aclose()
    assert working and await gone(working)


async def test_a_system_of_a_plug_in_is_counted_by_the_tool_that_its_host_has(labs, freebsd: FreebsdState):
    lab = labs("ix0", server=freebsd.sshd)
    await counting(lab, "cycles", system="freebsd-next")  # [dut] os of lab.toml
    await lab.until(lambda: counts(lab))
    assert counts(lab)[0].counts == {"cycles": 1234.0} and not counts(lab)[0].missing


async def test_it_begins_anew_where_other_cores_are_online(labs, freebsd: FreebsdState) -> None:
    """Perf counts on the cores that were online when it began, and on none that was away meanwhile."""
    lab = labs("ix0", server=freebsd.sshd)
    counter = await counting(lab, "cycles", system="freebsd")

    def with_cores(*numbers: int, boot: str = "b", host: str = "dut") -> HostSample:
        cpus = tuple(CpuTicks(number, 0, 0, 0, 0, 0) for number in numbers)
        return HostSample(host, 0, 1.0, 1.0, boot=boot, cpus=cpus)

    await lab.until(lambda: counts(lab))
    first = at_work(lab, "pmcstat")
    for sample in (
        *(with_cores(0, 1), with_cores(0, 1), with_cores(0, host="gen"), HostSample("dut", 1, 2.0, 2.0)),
        with_cores(0, 1, 2, boot="next"),  # a reboot ended the tool, which has begun anew by itself
    ):
        counter.seen(sample)
    assert at_work(lab, "pmcstat") == first
    done = len(counts(lab))
    counter.seen(with_cores(0, 1, 2, 3, boot="next"))
    await lab.until(lambda: len(counts(lab)) >= done + 3)
    second = at_work(lab, "pmcstat")
    assert second and not set(first) & set(second) and await gone(first)
    (told,) = (event for event in lab.events if event.code == "note")
    assert told.text == "cycles: counted anew, since other CPUs are online now"


async def test_it_ends_for_good_where_a_profiler_needs_the_counters(labs, freebsd: FreebsdState) -> None:
    lab = labs("ix0", server=freebsd.sshd)
    counter = await counting(lab, "cycles", system="freebsd")
    await lab.until(lambda: counts(lab))
    working = at_work(lab, "pmcstat")
    await counter.stop()
    assert working and await gone(working)
    seen, sampled = len(counts(lab)), len(lab.plain)
    await lab.until(lambda: len(lab.plain) >= sampled + 3)
    assert len(counts(lab)) <= seen + 1 and not any(one.missing for one in counts(lab))
    assert not at_work(lab, "pmcstat")


async def test_a_freebsd_host_without_hwpmc_says_so_and_is_still_sampled(labs, freebsd: FreebsdState) -> None:
    freebsd.write("no-hwpmc", "")
    lab = labs("ix0", server=freebsd.sshd)
    await counting(lab, "cycles")
    await lab.until(lambda: counts(lab))
    assert counts(lab)[0].missing == {
        "cycles": "pmcstat: ERROR: Initialization of the pmc(3) library failed: No such file or directory"
    }
    await lab.until(lambda: isinstance(lab.samples[-1], HostSample))


@needs_perf
async def test_it_starts_again_when_the_host_is_back(labs, make_sshd) -> None:
    """A DUT that is rebooted by an experiment is counted after that, too."""
    server = make_sshd()
    lab = labs("lo", server=server)
    await counting(lab, "cpu-clock")
    await lab.until(lambda: counts(lab))
    first = at_work(lab, "perf")
    server.signal_sessions(signal.SIGKILL)
    await lab.until(lambda: "host-back" in [event.code for event in lab.events])
    seen = len(counts(lab))
    await lab.until(lambda: len(counts(lab)) > seen + 1)
    assert first and await gone(first)
    assert len(at_work(lab, "perf")) == 1


def test_a_row_of_pmcstat_was_counted_when_the_line_before_it_ended() -> None:
    reading = _Pmcstat("dut", 1.0)
    assert reading.feed("# s/00/unhalted-cycles s/01/unhalted-cycles ", 11.0) is None
    assert reading.feed("      100          20 ", 12.0) == CountSample("dut", 11.0, 1.0, {"cycles": 120.0})
    assert reading.feed("      101          20 ", 13.0) == CountSample("dut", 12.0, 1.0, {"cycles": 121.0})


def test_rows_of_pmcstat_that_are_not_of_one_interval_are_left_out() -> None:
    """It was held up for 3 s, and counted them in one row; later the connection was: two came at once."""
    reading = _Pmcstat("dut", 1.0)
    reading.feed("# s/00/unhalted-cycles", 11.0)
    rows = [(1000, 12.0), (1001, 15.0), (4000, 16.0), (1002, 17.1), (1003, 19.6), (1004, 19.6), (1005, 20.3)]
    rows += [(1006, 21.3)]
    counted = [reading.feed(f"  {count} ", at) for count, at in rows]
    assert [(one.at, one.counts["cycles"]) for one in counted if one] == [
        (11.0, 1000.0),
        (12.0, 1001.0),
        (16.0, 1002.0),
        (17.1, 1003.0),
        (20.3, 1006.0),
    ]
