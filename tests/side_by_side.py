"""`pytest --beside N`: the tests in N processes side by side, forked from one that has collected them.

Collecting these tests takes ten seconds of a processor. pytest-xdist does it once for each of its processes,
all of them at the same time; here it is done once, and the processes begin with everything imported.

Tests are handed out a file at a time, so that what belongs to a module is made once. There are two queues:
one of tests that wait most of their time, for labs and terminals that are as slow as real ones, and one of
those that compute. `COMPUTING` processes prefer the second kind, all others the first. So a test that keeps
real time has few competitors for a processor, and no processor is idle.

Tests that take the whole machine come afterwards, one after another in a process of their own. They wait most
of their time, too, so tests that only compute are left for then. The first processes for which nothing else
is left begin with them: they yield to all others, to the last tests that wait and then to those that take the
whole machine, and get what nobody else wants.
"""

import mmap
import os
import pickle
import selectors
import signal
import sys
import traceback
import warnings
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from enum import Enum, auto
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from _pytest.config import create_terminal_writer

COMPUTING = 3
MEANWHILE = 3
"""Processes that yield: beside the last of the others, and beside the one that has the machine for itself."""
_NICE = 15  # of these: 1/28 of what any other process gets
_HEAD, _PLACE = 8, 4  # bytes of a message's length, and of a place in a queue


class Kind(Enum):
    """What a test does with its time."""

    WAITS = auto()
    COMPUTES = auto()
    ALONE = auto()
    """Takes the whole machine, or judges figures that depend on it."""
    MEANWHILE = auto()
    """Computes, starts no lab, and waits for nothing within a time: it may be held up for minutes."""


@dataclass(frozen=True)
class Queue:
    """Places of chunks, in a pipe: each process takes the next one when it needs it."""

    reading: int

    @classmethod
    def of(cls, places: Sequence[int]) -> "Queue":
        reading, writing = os.pipe()
        data = b"".join(place.to_bytes(_PLACE, "big") for place in places)
        assert len(data) <= 1 << 16, "that does not fit into a pipe"
        os.write(writing, data)
        os.close(writing)
        return cls(reading)

    def take(self) -> int | None:
        """The next one; None: nothing is left."""
        data = os.read(self.reading, _PLACE)
        return int.from_bytes(data, "big") if data else None


@dataclass
class Worker:
    """A process that runs tests, as its parent sees it."""

    pid: int
    name: str
    reading: int
    """Where its messages come from."""
    queues: tuple[Queue, ...]
    data: bytearray = field(default_factory=bytearray)
    chunk: list[pytest.Item] = field(default_factory=list)
    """What is left of the tests that it took, the one that runs first."""
    done: bool = False
    yields: bool = False
    """Whether it gets only what nobody else wants."""

    @property
    def node(self) -> SimpleNamespace:
        """As plugins know the process that a report is from."""
        info = {"id": self.name, "sysplatform": sys.platform, "version_info": sys.version_info}
        info["executable"] = sys.executable
        return SimpleNamespace(gateway=SimpleNamespace(id=self.name), workerinfo=info)

    def messages(self) -> Iterator[tuple[Any, ...]]:
        """Those that are complete."""
        while len(self.data) >= _HEAD:
            size = int.from_bytes(self.data[:_HEAD], "big")
            if len(self.data) < _HEAD + size:
                return
            yield pickle.loads(self.data[_HEAD : _HEAD + size])
            del self.data[: _HEAD + size]


def chunks(
    items: Sequence[pytest.Item], together: Callable[[pytest.Item], object]
) -> list[list[pytest.Item]]:
    """The tests that belong together, in their order."""
    found: dict[object, list[pytest.Item]] = {}
    for item in items:
        found.setdefault(together(item), []).append(item)
    return list(found.values())


def shares(item: pytest.Item) -> bool:
    """Whether something is made for it and for other tests of its file."""
    definitions = getattr(item, "_fixtureinfo").name2fixturedefs  # noqa: B009 - not of every item
    last = [found[-1] for name, found in definitions.items() if name not in OF_ALL]
    return any(one.scope != "function" for one in last)


OF_ALL = {
    *("tmp_path_factory", "pytestconfig", "doctest_namespace", "record_testsuite_property"),
    *("shared", "netbenches", "archive", "captures", "texts", "seeds", "kernel_lab_works", "homes"),
    *("_syrupy_apply_ide_patches", "event_loop_policy", "_session_scoped_runner", "_session_event_loop"),
}
"""Fixtures for a whole session that cost nothing to make again."""


class SideBySide:
    """Forks, listens, and reports what the processes report as if it had run the tests itself."""

    def __init__(
        self,
        session: pytest.Session,
        count: int,
        kind: Callable[[pytest.Item], Kind],
        together: Callable[[pytest.Item], object],
    ) -> None:
        """`together`: the same for tests that one process runs one after another, which are of one kind."""
        self._session = session
        self._hook = session.config.hook
        self._chunks = chunks(session.items, together)
        places: dict[Kind, list[int]] = {one: [] for one in Kind}
        for place, chunk in enumerate(self._chunks):
            places[kind(chunk[0])].append(place)
        if not places[Kind.ALONE]:
            places[Kind.COMPUTES] += places.pop(Kind.MEANWHILE)
        waiting, computing = Queue.of(places[Kind.WAITS]), Queue.of(places[Kind.COMPUTES])
        self._beside = [(computing, waiting)] * min(COMPUTING, count)
        self._beside += [(waiting, computing)] * (count - len(self._beside))
        self._alone = Queue.of(places[Kind.ALONE]) if places[Kind.ALONE] else None
        self._meanwhile = Queue.of(places.get(Kind.MEANWHILE, []))
        self._yielding = Queue.of(range(MEANWHILE if self._alone else 0))
        self._ending = mmap.mmap(-1, 1)
        self._failed_parts = Counter[str]()  # subtests, by the ID of their test
        self._workers: dict[int, Worker] = {}
        self._selector = selectors.DefaultSelector()
        self._made = 0

    def run(self) -> None:
        """Until all tests have been run, or enough failed."""
        try:
            for queues in self._beside:
                self._fork(queues, [])
            self._follow()
        except BaseException:
            self._end()
            raise
        if self._session.shouldfail:
            raise self._session.Failed(self._session.shouldfail)
        if self._session.shouldstop:
            raise self._session.Interrupted(self._session.shouldstop)

    def _follow(self) -> None:
        """Take what the processes report, until all of them have ended."""
        while self._workers:
            for key, _ in self._selector.select():
                self._listen(self._workers[key.fd])
            if not all(worker.yields for worker in self._workers.values()):
                continue
            if self._alone is not None and not self._ending[0]:
                alone, self._alone = self._alone, None
                self._fork((alone,), [])
            else:
                self._hasten()

    def _hasten(self) -> None:
        """Nothing has the machine for itself any more."""
        for worker in self._workers.values():
            worker.yields = False
            with suppress(ProcessLookupError):
                os.setpriority(os.PRIO_PROCESS, worker.pid, os.getpriority(os.PRIO_PROCESS, 0))

    def _fork(self, queues: tuple[Queue, ...], chunk: list[pytest.Item], yields: bool = False) -> None:
        name = f"w{self._made}"
        self._made += 1
        folder = self._session.config._tmp_path_factory.mktemp(name, numbered=False)  # type: ignore[attr-defined]
        reading, writing = os.pipe()
        sys.stdout.flush()
        sys.stderr.flush()
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})  # what runs at a fork would swallow it
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # libraries for numbers have threads, which know about forks
            pid = os.fork()
        if pid == 0:
            os.close(reading)
            for other in self._workers:
                os.close(other)
            teller = _Teller(self._session.config, writing)
            taken = self._taken(chunk, queues, teller, yields)
            _work(self._session, taken, name, folder, teller, self._ending)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
        os.close(writing)
        self._workers[reading] = Worker(pid, name, reading, queues, chunk=list(chunk), yields=yields)
        self._selector.register(reading, selectors.EVENT_READ)

    def _taken(
        self, chunk: list[pytest.Item], queues: tuple[Queue, ...], teller: "_Teller", yields: bool
    ) -> Iterator[list[pytest.Item]]:
        """In one of the processes: what is left of a chunk, then what the queues give, as long as they do.

        A process for which nothing is left may then yield, unless it has the machine for itself.
        """
        if yields:
            _yield()
        if chunk:
            yield chunk
        while True:
            for queue in queues:
                while (place := queue.take()) is not None:
                    teller.tell("chunk", place)
                    yield self._chunks[place]
            if yields or self._alone is None or self._yielding.take() is None:
                return
            yields, queues = True, (self._meanwhile,)
            teller.tell("yields")
            _yield()

    def _listen(self, worker: Worker) -> None:
        data = os.read(worker.reading, 1 << 20)
        worker.data += data
        for message in worker.messages():
            self._take(worker, *message)
        if not data:
            self._selector.unregister(worker.reading)
            os.close(worker.reading)
            del self._workers[worker.reading]
            status = os.waitstatus_to_exitcode(os.waitpid(worker.pid, 0)[1])
            if not worker.done:
                self._crashed(worker, status)

    def _take(self, worker: Worker, what: str, value: Any = None) -> None:
        if what == "chunk":
            worker.chunk = list(self._chunks[value])
        elif what == "test":
            for data in value:
                report = self._hook.pytest_report_from_serializable(config=self._session.config, data=data)
                report.node = worker.node
                self._report(report)
            del worker.chunk[:1]
        elif what == "warning":
            self._hook.pytest_warning_recorded.call_historic(kwargs=value)
        elif what == "snapshots" and value is not None:
            self._session.config._syrupy.add_worker_report(value)  # type: ignore[attr-defined]
        elif what == "yields":
            worker.yields = True
            worker.queues = (self._meanwhile,)
        elif what == "done":
            worker.done = True

    def _report(self, report: pytest.TestReport) -> None:
        """A test fails with its subtests: pytest knows of these only in the process that ran them.

        Else it would not be among those that are run once more (--last-failed).
        """
        if isinstance(report, pytest.SubtestReport):
            self._failed_parts[report.nodeid] += report.failed
        elif report.when == "call" and report.passed and (count := self._failed_parts[report.nodeid]):
            report.outcome = "failed"
            report.longrepr = f"contains {count} failed subtest{'s' * (count > 1)}"
        self._hook.pytest_runtest_logreport(report=report)
        if self._session.shouldfail or self._session.shouldstop:
            self._ending[0] = 1

    def _crashed(self, worker: Worker, status: int) -> None:
        """The test that ran is a failure. Another process goes on in its place."""
        if not worker.chunk:
            raise self._session.Failed(f"a process of the tests ended with status {status} between two tests")
        item = worker.chunk.pop(0)
        told = f"the process that ran it ended with status {status}"
        report = pytest.TestReport(item.nodeid, item.location, {}, "failed", told, "call")
        report.node = worker.node  # type: ignore[attr-defined]
        self._report(report)
        if not self._ending[0]:
            self._fork(worker.queues, worker.chunk, worker.yields)

    def _end(self) -> None:
        """Each process ends what it is at, and takes down what its tests have up."""
        self._ending[0] = 1
        for worker in self._workers.values():
            with suppress(ProcessLookupError):
                os.kill(worker.pid, signal.SIGINT)
        for worker in self._workers.values():
            while os.waitpid(worker.pid, os.WNOHANG)[0] == 0:
                self._discard(0.05)

    def _discard(self, seconds: float) -> None:
        """Read what processes that end still tell: one whose pipe is full would wait for ever."""
        for key, _ in self._selector.select(seconds):
            if not os.read(key.fd, 1 << 20):
                self._selector.unregister(key.fd)


# in each of the processes


def _yield() -> None:
    if os.geteuid() == 0:  # nobody else may take it back
        os.nice(_NICE)


class _Teller:
    """Tells the parent what is reported here: all of a test at once."""

    def __init__(self, config: pytest.Config, writing: int) -> None:
        self._config = config
        self._writing = writing
        self._reports: list[dict[str, Any]] = []

    def tell(self, what: str, value: object = None) -> None:
        data = pickle.dumps((what, value))
        data = len(data).to_bytes(_HEAD, "big") + data
        while data:
            data = data[os.write(self._writing, data) :]

    def tell_test(self) -> None:
        """All that was reported since the last time."""
        reports, self._reports = self._reports, []
        self.tell("test", reports)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        hook = self._config.hook
        self._reports.append(hook.pytest_report_to_serializable(config=self._config, report=report))

    def pytest_warning_recorded(
        self, warning_message: warnings.WarningMessage, when: str, nodeid: str, location: object
    ) -> None:
        warning_message.source = None
        known = {"warning_message": warning_message, "when": when, "nodeid": nodeid, "location": location}
        self.tell("warning", known)


def _work(
    session: pytest.Session,
    taken: Iterator[list[pytest.Item]],
    name: str,
    folder: Path,
    teller: _Teller,
    ending: mmap.mmap,
) -> None:
    """Run the tests that are taken. Does not return."""
    status = 1
    try:
        os.environ["PYTEST_XDIST_WORKER"] = name  # as which plugins know a process that is one of several
        config = session.config
        config._tmp_path_factory._basetemp = folder  # type: ignore[attr-defined]
        plugins = config.pluginmanager
        plugins.unregister(name="terminalreporter")
        # pytest-timeout writes where a test hangs: with what the test prints, as there is no terminal here
        config.get_terminal_writer = lambda: create_terminal_writer(config, sys.stderr)  # type: ignore[method-assign]
        capture = plugins.getplugin("capturemanager")
        capture.stop_global_capturing()  # its files are the parent's
        capture.start_global_capturing()
        plugins.register(teller)
        last = None
        try:
            signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
            for items in taken:
                for item, after in zip(items, [*items[1:], session], strict=True):
                    if ending[0]:
                        break
                    last = item
                    config.hook.pytest_runtest_protocol(item=item, nextitem=after)
                    teller.tell_test()
                if ending[0]:
                    break
        finally:
            # a terminal interrupts all processes, and the parent each of them once more
            signal.signal(signal.SIGINT, lambda *_: None)
            _take_down(session, last)
            teller.tell_test()
        if (syrupy := getattr(config, "_syrupy", None)) is not None:
            config.workeroutput = output = {}  # type: ignore[attr-defined]
            syrupy.finish()
            teller.tell("snapshots", output.get("syrupy_report"))
        teller.tell("done")
        status = 0
    except KeyboardInterrupt:
        pass
    except BaseException:
        with suppress(BaseException):
            os.write(2, traceback.format_exc().encode())
    finally:
        os._exit(status)


def _take_down(session: pytest.Session, last: pytest.Item | None) -> None:
    """What the tests of this process have up for a whole session; an error is one of its last test."""
    if last is None:
        return
    state = session._setupstate
    call = pytest.CallInfo.from_call(lambda: state.teardown_exact(None), "teardown")
    report = session.config.hook.pytest_runtest_makereport(item=last, call=call)
    if report.failed:
        session.config.hook.pytest_runtest_logreport(report=report)
