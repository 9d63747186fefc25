"""The CPU time of each test with all that it starts: its share of `make test`, however many run beside it.

    CPU_OF_TESTS=FILE PYTHONPATH=scripts .venv/bin/python -m pytest -p cpu_of_tests --beside 6 ...

adds a line for each test to FILE: its ID, its seconds of CPU time, how many of these are the test process's
own, seconds from beginning to end, and when it began (Unix time), separated by tabs.
`scripts/cpu_of_tests.py FILE` sums them up by folder and by file.

Each process of the tests goes into a control group of its own, which counts what its descendants use, even
those that another process waits for: version 1 (cpuacct.usage) or 2 (cpu.stat, usage_usec). Needs root.
With --beside, the commands of tests/forked.py belong to no test: their server is older than the processes.
"""

import os
import sys
import time
from collections import defaultdict
from collections.abc import Generator
from contextlib import suppress
from pathlib import Path

import pytest

_V1, _V2 = Path("/sys/fs/cgroup/cpuacct"), Path("/sys/fs/cgroup")
_FILES = 60


class Counting:
    """The control group of one process, and the file to which its lines are written."""

    def __init__(self, out: str) -> None:
        self.pid = os.getpid()
        self._v1 = _V1.is_dir()
        root = _V1 if self._v1 else _V2
        for old in root.glob("fwdtui-cpu-*"):  # groups of processes that have ended
            with suppress(OSError):
                if not Path("/proc", old.name.rpartition("-")[2]).exists():
                    old.rmdir()
        group = root / f"fwdtui-cpu-{self.pid}"
        group.mkdir(exist_ok=True)
        (group / "cgroup.procs").write_text(str(self.pid))
        self._usage = os.open(group / ("cpuacct.usage" if self._v1 else "cpu.stat"), os.O_RDONLY)
        self._out = os.open(out, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)

    def now(self) -> float:
        """Seconds of CPU time of all processes that are or were in the group."""
        text = os.pread(self._usage, 256, 0)
        return int(text) / 1e9 if self._v1 else int(text.split()[1]) / 1e6

    def add(self, test: str, *seconds: float) -> None:
        """Adds a line. Lines stay whole even if several processes write."""
        os.write(self._out, "\t".join([test, *(f"{one:.4f}" for one in seconds)]).encode() + b"\n")


_counting: Counting | None = None


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    """Counts a test with its set-up and teardown. What a module shares counts for its first and last test."""
    global _counting
    if _counting is None or _counting.pid != os.getpid():
        _counting = Counting(os.environ["CPU_OF_TESTS"])
    began, whole, own = time.time(), _counting.now(), time.process_time()
    result = yield
    spent = _counting.now() - whole, time.process_time() - own
    _counting.add(item.nodeid, *spent, time.time() - began, began)
    return result


def main(path: str) -> None:
    """Print the sums."""
    folders: dict[str, list[float]] = defaultdict(lambda: [0.0] * 4)
    files: dict[str, list[float]] = defaultdict(lambda: [0.0] * 4)
    for line in Path(path).read_text().splitlines():
        test, *numbers = line.split("\t")
        file = test.partition("::")[0]
        for sums, name in ((folders, str(Path(file).parent)), (files, file)):
            for place, value in enumerate((*map(float, numbers[:3]), 1.0)):
                sums[name][place] += value
    print(f"{sum(one[0] for one in folders.values()):8.1f} s in all\n\n     CPU   own   wall tests")
    for sums, most in ((folders, len(folders)), (files, _FILES)):
        for name, (cpu, own, wall, tests) in sorted(sums.items(), key=lambda one: -one[1][0])[:most]:
            print(f"{cpu:8.1f} {own:5.0f} {wall:6.0f} {tests:5.0f} {name}")
        print()


if __name__ == "__main__":
    main(sys.argv[1])
