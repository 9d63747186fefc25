"""A host that gives nothing is not taken for a healthy one: it is told, ended, and started again."""

import asyncio
import contextlib
import os
import signal
import time
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest
from collectors_helpers import FreebsdState, Lab, gone, rates

from fwdtui.core.model import TICK, EventSample

pytestmark = pytest.mark.skipif(not Path("/proc/net/dev").exists(), reason="needs Linux's /proc")


class Endless:
    """A producer that gives nothing."""

    async def run(self, emit, axis) -> None:
        await asyncio.sleep(60)


@pytest.fixture
def standing() -> Iterator[list[int]]:
    """Processes that a test stops; those that are still there at its end are ended."""
    pids: list[int] = []
    yield pids
    for pid in pids:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)


def stop(lab: Lab, standing: list[int], everything: bool = False) -> None:
    """SIGSTOP the sampler, or all that runs for it below sshd."""
    (awk,) = lab.samplers()
    if not everything:
        standing.append(awk)
        os.kill(awk, signal.SIGSTOP)
        return
    # all at once: some of them begin a new process every second
    group = os.getpgid(awk)
    os.killpg(group, signal.SIGSTOP)
    standing += [pid for pid in lab.processes() if os.getpgid(pid) == group]


async def test_silence_is_told_after_three_intervals_and_how_long_it_was(labs, standing) -> None:
    lab = labs("lo", interval="500ms")
    await lab.until(lambda: len(lab.plain) >= 4)
    last = lab.plain[-1].at
    stop(lab, standing)
    known = len(lab.told("silent"))  # a busy machine may have been late before
    await lab.until(lambda: len(lab.told("silent")) > known)
    event = lab.told("silent")[known]
    assert event.host == "dut" and "old" in event.text
    assert 1.5 <= event.at - last < 3.5
    os.kill(standing[0], signal.SIGCONT)
    await lab.until(lambda: lab.events[-1] is not event)
    again = lab.events[lab.events.index(event) + 1]
    assert again.code == "sampled-again" and "without any" in again.text


async def test_what_fwdtui_missed_while_it_was_stopped_itself_is_not_put_on_the_host(labs) -> None:
    lab = labs("lo")
    await lab.until(lambda: len(lab.plain) >= 5)
    time.sleep(1.5)  # noqa: ASYNC251 - as SIGSTOP would, it stops everything in this process
    await lab.until(lambda: lab.told("held-up"))
    found = lab.told("held-up")[0].text
    assert found.startswith("fwdtui itself did not run, so there are no counters for 1.")


async def test_time_passes_while_nothing_comes_and_only_then(labs, standing) -> None:
    lab = labs("lo")
    await lab.until(lambda: len(lab.plain) >= 10)

    def ticks() -> list[float]:
        return [s.at for s in lab.samples if isinstance(s, EventSample) and s.code == TICK]

    assert not ticks()
    stop(lab, standing)
    began = lab.plain[-1].at
    await lab.until(lambda: len(ticks()) >= 3)
    # one a second, and not sooner, however late a busy machine is
    assert all(later >= before + 0.99 for before, later in pairwise([began, *ticks()]))


@pytest.mark.parametrize("everything", [False, True], ids=["the awk", "every process"])
async def test_a_stopped_sampler_is_ended_and_another_one_started(everything, labs, standing) -> None:
    lab = labs("lo")
    await lab.until(lambda: len(lab.plain) >= 5)
    stop(lab, standing, everything)
    known = len(lab.plain)
    await lab.until(lambda: len(lab.plain) > known + 5, 30.0)
    assert await gone(standing)  # a stopped one is not left behind
    codes = [event.code for event in lab.events if event.code not in ("starved", "held-up")]
    assert codes[0] == "silent" and codes[-1] == "sampled-again" and set(codes[1:-1]) == {"note"}
    assert any("although the host answers" in event.text for event in lab.events)
    assert len(lab.samplers()) == 1
    assert lab.source.samplers["dut"].restarts == 0  # it did not die: patience is not used up


async def test_a_sampler_that_stops_in_the_middle_of_a_frame_is_silent_too(
    labs, freebsd: FreebsdState, standing
) -> None:
    """FreeBSD's sampler prints a frame in pieces: one program waits for ever."""
    lab = labs("ix0", "ix1", server=freebsd.sshd)
    await lab.until(lambda: len(lab.plain) >= 3)
    freebsd.write("hang", "")
    await lab.until(lambda: lab.told("silent"))
    await lab.until(lambda: any("being restarted" in event.text for event in lab.events), 30.0)
    (freebsd.folder / "hang").unlink()
    known = len(lab.plain)
    await lab.until(lambda: len(lab.plain) > known + 3, 30.0)


async def test_a_host_that_does_not_answer_either_keeps_its_sampler(labs, standing) -> None:
    """Its samples are on the way: they come late and none is missing."""
    lab = labs("lo")
    await lab.until(lambda: len(lab.plain) >= 5)
    (sampler,) = lab.samplers()
    sessions = lab.sshd.sessions()
    for pid in sessions:
        os.kill(pid, signal.SIGSTOP)
    try:
        began = time.monotonic()
        await lab.collect(9.0)
        assert time.monotonic() - began >= 8.9
    finally:
        for pid in sessions:
            os.kill(pid, signal.SIGCONT)
    known = len(lab.plain)
    await lab.until(lambda: len(lab.plain) > known + 5)
    assert lab.samplers() == [sampler]
    assert [event.code for event in lab.told("silent", "sampled-again")] == ["silent", "sampled-again"]
    assert lab.codes() == []


async def test_a_failed_sampler_is_tried_again_when_somebody_wants_to_go_on(labs) -> None:
    lab = labs("lo")
    for deaths in range(1, 5):
        known = len(lab.plain)
        await lab.until(lambda known=known: len(lab.plain) > known + 2)
        if deaths == 4:
            lab.source.add(Endless())  # else the stream ends with its last host
        (pid,) = lab.samplers()
        os.kill(pid, signal.SIGKILL)
        await lab.until(lambda deaths=deaths: len(lab.unstalled) >= deaths)
    assert lab.codes() == ["note", "note", "note", "failed"]
    await lab.collect(0.5)
    assert lab.source.revive() == ["dut"]
    known = len(lab.plain)
    await lab.until(lambda: len(lab.plain) > known + 3)


@pytest.mark.parametrize("step", [-0.3, -30.0, 0.3, 30.0])
async def test_a_monotonic_clock_that_is_set_is_told_and_sampling_goes_on(
    step: float, labs, freebsd: FreebsdState
) -> None:
    lab = labs("ix0", "ix1", server=freebsd.sshd)
    identity, began = "0123456789abcdef0123456789abcdef", time.time() - 5000
    freebsd.boot(identity, began)
    await lab.until(lambda: len(lab.plain) >= 8)
    freebsd.boot(identity, began - step)  # the same boot, and another time since
    await lab.until(lambda: "clock-step" in lab.codes())
    known = len(lab.plain)
    await lab.until(lambda: len(lab.plain) > known + 3)
    assert set(lab.codes()) == {"clock-step"}
    told = [event.text for event in lab.events if event.code == "clock-step"]
    assert ("went back" if step < 0 else "jumped ahead") in told[0]
    assert len({sample.boot for sample in lab.plain}) == 1
    after = lab.plain[known:]
    assert [s.t for s in after] == sorted(s.t for s in after)
    assert [s.at for s in lab.plain] == sorted(s.at for s in lab.plain)
    for _, rate in rates(after, "ix0", "rx_packets"):
        assert rate == pytest.approx(1e5, rel=0.2)
