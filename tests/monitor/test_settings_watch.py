"""When the hosts' settings are read, and what of them is recorded."""

import asyncio
import datetime
import errno
import re
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path

import msgspec
import pytest
from benches import SampledBench, quickly

from fwdtui.core.host_settings import EVERYTHING, HostSettings, SettingsSource
from fwdtui.core.model import EventSample, Iteration
from fwdtui.monitor.run.settings_kept import KeptSettings
from fwdtui.monitor.run.settings_watch import FRESH, PATIENCE, SettingsWatch
from fwdtui.monitor.run.unattended import Unattended
from fwdtui.monitor.run.waiting import Waiter
from fwdtui.store import SessionWriter, host_settings


def reading(host: str = "dut", **values: str) -> HostSettings:
    return HostSettings(host, "linux", ("dut",), sources=(SettingsSource("sysctl", values),))


def kept(session: Path, host: str = "dut") -> list[dict[str, str]]:
    return [dict(one.sources[0].values) for one in host_settings.read(session).settings if one.host == host]


# --- when


class Hosts:
    """`take` seconds for a reading, `end` to break one off; `busy` while something is measured."""

    def __init__(self, take: float = 1.0) -> None:
        self.take, self.end, self.busy = take, 0.0, False
        self.begun: list[float] = []
        self.got: list[HostSettings] = []
        self.broken_off = 0
        self.missed = 0
        self.watch = SettingsWatch(self.read, self.got.append, lambda: self.busy, self.miss)

    def miss(self) -> None:
        self.missed += 1

    async def read(self) -> Sequence[HostSettings]:
        self.begun.append(asyncio.get_running_loop().time())
        try:
            await asyncio.sleep(self.take)
        except asyncio.CancelledError:
            self.broken_off += 1
            await asyncio.sleep(self.end)
            raise
        return [reading(a=str(len(self.begun)))]


def watched(scene: Callable[[Hosts], Awaitable[None]], take: float = 1.0) -> Hosts:
    async def main() -> Hosts:
        hosts = Hosts(take)
        try:
            await scene(hosts)
        finally:
            await hosts.watch.aclose()
        return hosts

    return quickly(main)


def test_they_are_read_at_the_start_and_whenever_somebody_asks() -> None:
    async def scene(hosts: Hosts) -> None:
        hosts.watch.start()
        await asyncio.sleep(30)
        assert len(hosts.begun) == 1
        hosts.watch.ask()
        hosts.watch.ask()
        await asyncio.sleep(30)
        assert len(hosts.begun) == 2

    assert len(watched(scene).got) == 2


def test_while_something_is_measured_nothing_is_read() -> None:
    async def scene(hosts: Hosts) -> None:
        hosts.busy = True
        hosts.watch.start()
        await asyncio.sleep(60)
        assert hosts.begun == []
        hosts.busy = False
        await asyncio.sleep(2)

    assert len(watched(scene).got) == 1


def test_a_blast_that_begins_breaks_a_reading_off_and_it_is_repeated() -> None:
    async def scene(hosts: Hosts) -> None:
        hosts.watch.start()
        await asyncio.sleep(0.6)
        hosts.busy = True
        await asyncio.sleep(0.3)
        assert hosts.broken_off == 1 and hosts.got == []
        await asyncio.sleep(60)
        hosts.busy = False
        await asyncio.sleep(2)

    hosts = watched(scene)
    assert len(hosts.begun) == 2 and len(hosts.got) == 1


def test_they_end_at_once_also_while_a_reading_is_being_broken_off() -> None:
    async def scene(hosts: Hosts) -> None:
        hosts.end = 5.0
        hosts.watch.start()
        await asyncio.sleep(0.6)
        hosts.busy = True
        await asyncio.sleep(0.3)
        assert hosts.broken_off == 1
        ended = asyncio.ensure_future(hosts.watch.aclose())
        await asyncio.wait((ended,), timeout=10)
        assert ended.done()

    assert len(watched(scene).begun) == 1


def test_a_generator_waits_for_a_reading_and_for_a_fresh_one_only() -> None:
    async def scene(hosts: Hosts) -> None:
        now = asyncio.get_running_loop().time
        hosts.watch.start()
        begun = now()
        await hosts.watch.before_blast()
        assert len(hosts.got) == 1 and now() - begun < 1.5
        await asyncio.sleep(FRESH - 0.1)
        await hosts.watch.before_blast()
        assert len(hosts.begun) == 1
        await asyncio.sleep(0.2)
        await hosts.watch.before_blast()
        assert len(hosts.got) == 2

    watched(scene)


def test_a_generator_waits_for_the_reading_that_is_on_and_not_for_another_one_after_it() -> None:
    async def scene(hosts: Hosts) -> None:
        hosts.watch.start()
        await asyncio.sleep(hosts.take / 2)
        before = asyncio.get_running_loop().time()
        await hosts.watch.before_blast()
        assert asyncio.get_running_loop().time() - before == pytest.approx(hosts.take / 2, abs=0.3)
        await asyncio.sleep(30)

    hosts = watched(scene)
    assert (len(hosts.begun), len(hosts.got)) == (1, 1)


def test_a_generator_does_not_wait_for_ever() -> None:
    async def scene(hosts: Hosts) -> None:
        now = asyncio.get_running_loop().time
        hosts.watch.start()
        begun = now()
        await hosts.watch.before_blast()
        assert PATIENCE <= now() - begun < PATIENCE + 1
        hosts.busy = True  # the generator runs
        await asyncio.sleep(1)
        assert hosts.broken_off == 1

    watched(scene, take=1000.0)


def test_beside_a_blast_that_is_on_a_generator_does_not_wait() -> None:
    async def scene(hosts: Hosts) -> None:
        hosts.busy = True
        hosts.watch.start()
        await asyncio.sleep(1)
        begun = asyncio.get_running_loop().time()
        await hosts.watch.before_blast()
        assert asyncio.get_running_loop().time() == begun and hosts.begun == []

    watched(scene)


@pytest.mark.parametrize("seconds", [0.1, 5.0])
def test_a_reading_that_began_before_a_change_is_not_kept(seconds: float) -> None:
    async def scene(hosts: Hosts) -> None:
        hosts.watch.start()
        await asyncio.sleep(0.6)
        with hosts.watch.changing():
            await asyncio.sleep(seconds)
            assert len(hosts.begun) == 1, "nor is anything read during the change"
        await hosts.watch.before_blast()
        assert hosts.missed == 0

    hosts = watched(scene)
    assert [one.sources[0].values for one in hosts.got] == [{"a": "2"}] and hosts.broken_off == 1


def test_a_change_that_is_over_before_a_reading_ends_spoils_it_too() -> None:
    """The reading ends before anybody looks whether it is to be broken off."""

    async def scene(hosts: Hosts) -> None:
        hosts.watch.start()
        await asyncio.sleep(0.08)
        with hosts.watch.changing():
            pass
        await hosts.watch.before_blast()

    assert [one.sources[0].values for one in watched(scene, take=0.1).got] == [{"a": "2"}]


def test_no_reading_is_fresh_after_a_change() -> None:
    async def scene(hosts: Hosts) -> None:
        hosts.watch.start()
        await hosts.watch.before_blast()
        with hosts.watch.changing():
            pass
        await hosts.watch.before_blast()
        assert len(hosts.got) == 2 and hosts.missed == 0

    watched(scene)


def test_a_blast_after_a_change_that_nothing_was_read_for_is_told_of() -> None:
    async def scene(hosts: Hosts) -> None:
        hosts.watch.start()
        await hosts.watch.before_blast()
        assert hosts.missed == 0, "nothing was changed"
        with hosts.watch.changing():
            pass
        await hosts.watch.before_blast()
        assert hosts.missed == 1, "it takes too long"
        hosts.busy = True
        await hosts.watch.before_blast()
        assert hosts.missed == 2, "something is sent already"
        await asyncio.sleep(1)  # which breaks the reading off
        hosts.busy, hosts.take = False, 1.0
        await hosts.watch.before_blast()
        assert hosts.missed == 2 and len(hosts.got) == 1

    watched(scene, take=1000.0)


def test_packets_that_probe_a_lab_while_it_is_changed_wait_for_no_reading() -> None:
    async def scene(hosts: Hosts) -> None:
        now = asyncio.get_running_loop().time
        hosts.watch.start()
        with hosts.watch.changing():
            begun = now()
            await hosts.watch.before_blast()
            assert now() == begun and hosts.missed == 0

    watched(scene)


def test_without_a_recording_nothing_is_read() -> None:
    async def scene(hosts: Hosts) -> None:
        hosts.watch.ask()
        await hosts.watch.before_blast()
        with hosts.watch.changing():
            pass
        await hosts.watch.before_blast()
        assert hosts.begun == [] and hosts.missed == 0

    watched(scene)


def test_what_ends_the_readings_unexpectedly_is_raised_where_somebody_waits() -> None:
    async def scene(hosts: Hosts) -> None:
        async def broken() -> Sequence[HostSettings]:
            raise KeyError("a mistake of ours")

        watch = SettingsWatch(broken, hosts.got.append, lambda: False)
        watch.start()
        with pytest.raises(KeyError):
            await watch.before_blast()
        await watch.aclose()

    watched(scene)


def test_an_unattended_run_reads_them_before_each_blast_and_never_during_one(tmp_path: Path) -> None:
    async def main() -> SampledBench:
        async with SampledBench() as bench:
            bench.settings_take = 0.5
            bench.settings = [reading(a="1")]
            bench.record(tmp_path, "s", "v4")
            assert await Unattended(Waiter(bench, bench.start())).run()
            return bench

    bench = quickly(main)
    assert len(bench.starts) == 2 and len(bench.settings_read) == 3  # one at the beginning
    for read in bench.settings_read:
        assert not any(
            start < read + 0.5 and read < stop for start, stop in zip(bench.starts, bench.stops, strict=True)
        )
    assert 0 < bench.starts[1] - bench.settings_read[2] < 1.0
    assert kept(tmp_path / "s") == [{"a": "1"}]


def test_a_change_between_two_iterations_is_recorded(tmp_path: Path) -> None:
    async def main() -> None:
        async with SampledBench() as bench:
            bench.settings = [reading(a="1", b="x")]
            bench.stopped = lambda: bench.settings.__setitem__(0, reading(a="2", b="x"))
            bench.record(tmp_path, "s", "v4")
            assert await Unattended(Waiter(bench, bench.start())).run()

    quickly(main)
    assert kept(tmp_path / "s") == [{"a": "1", "b": "x"}, {"a": "2", "b": "x"}]


def test_after_a_blast_that_somebody_else_started_they_are_read_again(tmp_path: Path) -> None:
    async def main() -> SampledBench:
        async with SampledBench() as bench:
            bench.unattended = False
            bench.settings = [reading(a="1")]
            bench.record(tmp_path, "s", "v4")
            bench.start()
            await asyncio.sleep(5)
            bench.source.rate = 10_000.0
            await asyncio.sleep(20)
            assert len(bench.settings_read) == 1
            bench.source.rate = 0.0
            await asyncio.sleep(20)
            return bench

    assert len(quickly(main).settings_read) == 2


# --- what


@pytest.fixture
def writer(tmp_path: Path) -> SessionWriter:
    with SessionWriter.create(tmp_path / "s", label="s", created="") as made:
        yield made


def test_only_what_is_new_is_written(writer: SessionWriter, tmp_path: Path) -> None:
    settings = KeptSettings(writer)
    for values in ({"a": "1"}, {"a": "1"}, {"a": "2"}, {"a": "2"}, {"a": "1"}):
        settings.take(reading(**values))
        settings.take(reading("gen", a="1"))
        assert settings.flush() == []
    assert kept(tmp_path / "s") == [{"a": "1"}, {"a": "2"}, {"a": "1"}]
    assert kept(tmp_path / "s", "gen") == [{"a": "1"}]
    again = KeptSettings(writer)  # a further recording into the session
    again.take(reading(a="1"))
    assert again.flush() == [] and len(kept(tmp_path / "s")) == 3


def test_what_cannot_be_written_now_waits_and_only_the_newest_of_it(
    writer: SessionWriter, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = KeptSettings(writer)
    full = OSError(errno.ENOSPC, "No space left on device")
    with monkeypatch.context() as patch:
        patch.setattr(host_settings, "replace", lambda *args, **more: (_ for _ in ()).throw(full))
        for value in "12":
            settings.take(reading(a=value))
            with pytest.raises(OSError, match="No space"):
                settings.flush()
        assert settings.waiting == ("dut",)
    assert settings.flush() == [] and settings.waiting == ()
    assert kept(tmp_path / "s") == [{"a": "2"}]


def test_what_changes_too_often_is_told_once_and_not_kept(
    writer: SessionWriter, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(host_settings, "MOST", 2)
    settings = KeptSettings(writer)
    told = []
    for word in "abcd":
        settings.take(reading(a=word))
        told += settings.flush()
    assert told == ["the settings of dut have changed too often: no more are recorded"]
    *before, last = host_settings.read(tmp_path / "s").settings
    assert [one.sources[0].values for one in before] == [{"a": "a"}, {"a": "b"}]
    nothing = last.source(EVERYTHING)
    assert nothing is not None and [nothing.missing] == told, "the second one does not hold for ever"


def test_a_session_that_is_made_again_gets_them_again(tmp_path: Path) -> None:
    """Its folder was deleted while it was recorded."""
    with SessionWriter.create(tmp_path / "s", label="s", created="") as writer:
        settings = KeptSettings(writer)
        settings.take(reading(a="1"))
        settings.flush()
        settings.again()
        settings.flush()
    assert kept(tmp_path / "s") == [{"a": "1"}, {"a": "1"}]


def test_a_recorder_tells_at_its_end_what_it_could_not_write(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from fwdtui.monitor.run.recorder import Recorder

    with SessionWriter.create(tmp_path / "s", label="s", created="") as writer:
        recorder = Recorder(writer, "v4")
        full = OSError(errno.ENOSPC, "No space left on device")
        monkeypatch.setattr(host_settings, "replace", lambda *args, **more: (_ for _ in ()).throw(full))
        recorder.take_settings(msgspec.structs.replace(reading(a="1"), taken="2026-01-01T00:00:00+00:00"))
        assert "No space left on device" in recorder.problem
        recorder.close()
        assert "the settings of dut" in recorder.lost


def test_a_recorder_tells_at_its_end_of_which_hosts_it_could_not_write_what_was_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from fwdtui.core.findings import HostFindings
    from fwdtui.monitor.run.recorder import Recorder
    from fwdtui.store import hygiene

    with SessionWriter.create(tmp_path / "s", label="s", created="") as writer:
        recorder = Recorder(writer, "v4")
        full = OSError(errno.ENOSPC, "No space left on device")
        monkeypatch.setattr(hygiene, "replace", lambda *args, **more: (_ for _ in ()).throw(full))
        recorder.take_hygiene(HostFindings("dut", ("dut",), "2026-01-01T00:00:00+00:00"))
        recorder.take_hygiene(HostFindings("gen", ("generator",), "2026-01-01T00:00:00+00:00"))
        recorder.close()
        assert recorder.lost == ["the hygiene of dut, gen"]


def test_settings_are_dated_like_iterations_whoever_sets_the_time_of_day(tmp_path: Path) -> None:
    from fwdtui.monitor.run.recorder import Recorder

    with SessionWriter.create(tmp_path / "s", label="s", created="") as writer:
        recorder = Recorder(writer, "v4")
        recorder.take(EventSample(5.0, "tick", "the axis begins"))
        recorder.take_settings(msgspec.structs.replace(reading(a="1"), taken="2099-01-01T00:00:00+00:00"))
        recorder.close()
    (found,) = host_settings.read(tmp_path / "s").settings
    since = datetime.datetime.now(datetime.UTC) - datetime.datetime.fromisoformat(found.taken)
    assert datetime.timedelta(0) <= since < datetime.timedelta(minutes=1)


def test_settings_and_iterations_are_dated_to_the_millisecond(tmp_path: Path) -> None:
    """A short blast and the readings before and after it may be of one second."""
    from fwdtui.monitor.run.recorder import Recorder

    with SessionWriter.create(tmp_path / "s", label="s", created="") as writer:
        recorder = Recorder(writer, "v4")
        recorder.take(EventSample(5.0, "tick", "the axis begins"))
        told = [recorder.finished(Iteration(0, 1.0), (), at) for at in (6.0, 6.25)]
        recorder.take_settings(reading(a="1"))
        recorder.close()
    (found,) = host_settings.read(tmp_path / "s").settings
    first, second = (datetime.datetime.fromisoformat(one.began) for one in told)
    assert second - first == datetime.timedelta(milliseconds=250)
    assert re.search(r":\d\d\.\d{3}\+", found.taken)
