"""What of an iteration's samples is drawn: its window, where its blast began, and how to read it."""

import shutil
from pathlib import Path

import msgspec
import pytest
from machines import LAB, Machines

from fwdtui.core.counters import QueueCounters
from fwdtui.core.lab import parse, plain
from fwdtui.core.model import HostSample, Iteration, RateSample, Sample, Session, Window
from fwdtui.monitor.live.monitor import Monitor
from fwdtui.monitor.live.series import Point
from fwdtui.monitor.replay import iteration_series
from fwdtui.monitor.replay.iteration_series import IterationSeries, _window, read_series, series_of
from fwdtui.store import SessionWriter, read_session

BARE = Session("/s", "s", "")


def iteration(start: float | None, end: float | None, head: int = 0) -> Iteration:
    return Iteration(1, 5.0, window=Window("steady", start, end, 5, head=head))


FLOWS = {"received": (Point(1.0, 0.5, 5.0), Point(3.0, 2.0, 5.0), Point(4.0, 1.0, 5.0))}


@pytest.mark.parametrize(
    ("found", "window"),
    [
        # a log's clock begins at its first line, whose interval is before that
        (iteration(1.0, 9.0), (0.5, 9.0)),
        (iteration(0.7, 9.0), (0.5, 9.0)),
        (iteration(0.2, 9.0), (0.2, 9.0)),
        (iteration(1.0, 9.0, head=1), (1.0, 9.0)),
        (iteration(None, 9.0), None),
        (iteration(1.0, None), None),
        (Iteration(1, 5.0), None),
        (None, None),
    ],
)
def test_the_window_includes_the_interval_of_its_first_sample(
    found: Iteration | None, window: tuple[float, float] | None
) -> None:
    assert _window(found, FLOWS, own_clocks=True) == window
    if found is not None and window is not None and found.window is not None:
        for flows in ({}, {"received": ()}, {"offered": FLOWS["received"]}):
            assert _window(found, flows, own_clocks=True) == (found.window.start, found.window.end)
        # a recording begins with the quiet before the blast
        assert _window(found, FLOWS, own_clocks=False) == (found.window.start, found.window.end)


def test_without_a_window_no_point_is_inside_it() -> None:
    assert IterationSeries(FLOWS, 0.0).inside("received") == ()
    inside = IterationSeries(FLOWS, 0.0, window=(1.0, 4.0))
    assert inside.inside("received") == FLOWS["received"][1:] and inside.inside("offered") == ()


def traffic(second: int) -> float:
    return 10_000.0 if 5 <= second < 15 or 30 <= second < 40 else 0.0


@pytest.fixture(scope="module")
def samples() -> tuple[Sample, ...]:
    """Two blasts of ten seconds."""
    return tuple(Machines(traffic, capacity=9_000.0).run(50))


def test_the_blast_of_a_series_is_the_last_that_began_before_its_window(samples: tuple[Sample, ...]) -> None:
    session = Session("/s", "s", "", lab=plain(parse(LAB)))
    monitor = Monitor(parse(LAB))
    for sample in samples:
        monitor.push(sample)
    first, second = [event.at for event in monitor.snapshot().events if event.code == "blast-began"]
    for window, began in (
        ((8.0, 12.0), first),
        ((33.0, 38.0), second),
        ((second, 38.0), second),
        ((second - 0.1, 38.0), first),
        ((1.0, 38.0), 1.0),
    ):
        found = series_of(samples, iteration(*window, head=1), session, ("odd",))
        assert (found.window, found.began, found.problems) == (window, began, ("odd",))
        assert found.cores and found.notes == ()
    whole = series_of(samples, None, session)
    assert (whole.window, whole.began, whole.problems) == (None, second, ())
    assert (whole.queues, whole.cpus, whole.drops) == ((), (), {})
    quiet = series_of(samples[:12], None, session)  # four seconds, before any blast
    assert quiet.began == min(points[0].at - points[0].seconds for points in quiet.flows.values()) < 1.0
    assert series_of(samples[:1], None, session).flows == {}, "one sample makes no rate"
    assert series_of((), None, session).began == 0.0


def test_queues_that_are_read_seldom_are_there_although_none_were_read_twice_in_the_window(
    samples: tuple[Sample, ...],
) -> None:
    """As on a host so slow that its driver's counters take seconds."""
    session = Session("/s", "s", "", lab=plain(parse(LAB)))
    assert not series_of(samples, iteration(8.0, 12.0, head=1), session).counts_queues
    seldom = [
        msgspec.structs.replace(one, queues=(QueueCounters("d0", "rx", 0, packets=int(one.t) * 100),))
        if isinstance(one, HostSample) and one.host == "dut" and one.seq % 10 == 9
        else one
        for one in samples
    ]
    found = series_of(seldom, iteration(8.0, 12.0, head=1), session)
    assert found.counts_queues and found.cpus and [one.pps for one in found.queues] == [None]
    found = series_of(seldom, iteration(10.0, 14.0, head=1), session)
    assert found.counts_queues and found.cpus and found.queues == ()


def log(role: str, *rates: float, at: float | None = None) -> list[RateSample]:
    return [
        RateSample(role, float(t), 1.0, rate, at=None if at is None else at + t)
        for t, rate in enumerate(rates, 1)
    ]


@pytest.mark.parametrize(
    ("samples", "aligned"),
    [
        ([*log("receiver", 0, 9, 9), *log("generator", 9, 9)], True),
        (log("receiver", 9, 9), False),
        (log("generator", 9, 9), False),
        ([*log("receiver", 9, 9, at=0.0), *log("generator", 9, 9, at=0.0)], False),
    ],
)
def test_logs_with_clocks_of_their_own_are_said_to_be_laid_together(
    samples: list[RateSample], aligned: bool
) -> None:
    found = series_of(samples, None, BARE)
    assert found.notes == ((iteration_series._ALIGNED,) if aligned else ())
    names = {"generator": "offered", "receiver": "received"}
    assert set(found.flows) == {names[one.role] for one in samples}


def test_samples_that_cannot_be_read_are_told_beside_other_damage(tmp_path: Path) -> None:
    (tmp_path / "samples.jsonl").symlink_to("other")
    found = read_series(tmp_path, BARE)
    assert (found.flows, found.began, found.window) == ({}, 0.0, None)
    assert found.problems == (
        f"{tmp_path}/iteration.json: No such file or directory",
        f"{tmp_path}/samples.jsonl: a link, not a regular file",
    )


def test_what_is_wrong_with_an_iteration_is_told_in_order(tmp_path: Path) -> None:
    with SessionWriter.create(tmp_path / "s", label="s", created="") as writer:
        writing = writer.begin("v4")
        writing.append(*log("receiver", 9, 9))
        writing.commit(Iteration(0, 9.0))
    folder, session = tmp_path / "s/v4/001", read_session(tmp_path / "s")
    assert read_series(folder, session).problems == ()
    with (folder / "samples.jsonl").open("ab") as file:
        file.write(b"damaged\n")
    (folder / "iteration.json").write_text("{")
    told = [problem.rsplit(": ", 1)[1] for problem in read_series(folder, session).problems]
    assert told == ["the JSON ends too early", "checksum does not match, record skipped"]
    shutil.rmtree(folder)
    assert read_series(folder, session).problems[1:] == (
        f"{folder}: no samples were recorded, only the value",
    )
