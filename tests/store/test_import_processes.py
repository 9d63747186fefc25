"""An import in several processes makes the same, and whatever ends it, only whole sessions are there."""

import errno
import fcntl
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from fixtures import benchlab, profiles

from fwdtui.core.errors import FwdtuiError
from fwdtui.store import read_session, unshown
from fwdtui.store.benchlab import Imported, carry_out
from fwdtui.store.benchlab_plan import plan

CASES = [
    benchlab.Case("r100", "inet4", benchlab.steps(900_000, 500, 40), "r100.inet4.pps"),
    benchlab.Case("r100", "inet6", benchlab.steps(910_000, 500, 3), "r100.inet6.pps", swing=0.05),
    benchlab.Case("r101", "inet4", benchlab.steps(920_000, 500, 20), outage=20),
    benchlab.Case("r102", "inet4", benchlab.steps(930_000, 500, 2)),
]


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three sessions; one case has runs that cannot be read, early and late, and a profile."""
    folder = benchlab.write(tmp_path_factory.mktemp("lab") / "fbsd15-r100", CASES)
    benchlab.publish(folder, CASES)
    for index in (3, 18):
        damaged = folder / "RAW" / f"bench.r100.inet4.{index}.receiver"
        damaged.unlink()
        os.mkfifo(damaged)
    (folder / "RAW" / "bench.r100.inet4.pmc.graph").write_text(profiles.call_graph(profiles.FORWARDING))
    configs = folder.parent / "configs" / "inet4" / "etc"
    configs.mkdir(parents=True)
    (configs / "sysctl.conf").write_text("net.inet.ip.forwarding=1\n")
    return folder


def import_(tree: Path, into: Path, processes: int, trim: str = "steady") -> tuple[list[Imported], list]:
    calls: list[tuple[int, int, str]] = []
    made = carry_out(plan(tree, into), trim, lambda *call: calls.append(call), processes)
    return made, calls


def content(into: Path) -> dict[str, bytes | int]:
    """Every file with its content but for when it was imported, and every folder with its rights."""
    return {
        str(path.relative_to(into)): (
            re.sub(rb"imported = .*", b"", path.read_bytes()) if path.is_file() else path.stat().st_mode
        )
        for path in sorted(into.rglob("*"))
    }


@pytest.mark.parametrize("trim", ["steady", "netbenches"])
@pytest.mark.parametrize("processes", [2, 3])
def test_the_same_bytes_notes_and_progress_whatever_the_number_of_processes(
    tree: Path, tmp_path: Path, processes: int, trim: str
) -> None:
    alone, calls = import_(tree, tmp_path / "s", 1, trim)
    expected = content(tmp_path / "s")
    shutil.rmtree(tmp_path / "s")
    together, others = import_(tree, tmp_path / "s", processes, trim)
    assert (together, others) == (alone, calls)
    assert content(tmp_path / "s") == expected


@pytest.mark.parametrize("processes", [1, 2])
def test_numbers_have_no_gap_where_a_run_could_not_be_read(
    tree: Path, tmp_path: Path, processes: int
) -> None:
    (first, *_), _ = import_(tree, tmp_path / "s", processes)
    assert (first.iterations, first.profiles) == (41, 1)
    session = read_session(first.path, verify=True)
    assert session.problems == ()
    inet4 = session.cases[0].iterations
    assert [one.index for one in inet4] == list(range(1, 40))
    assert inet4[-1].profile is not None
    assert "run 40 became iteration 38" in " ".join(first.notes)
    assert inet4[37].origin.endswith("bench.r100.inet4.40.receiver")


@pytest.mark.parametrize("processes", [1, 2])
def test_an_import_that_is_cancelled_keeps_what_is_whole_and_nothing_else(
    tree: Path, tmp_path: Path, processes: int
) -> None:
    class CancelledError(Exception):
        pass

    def progress(done: int, total: int, what: str) -> None:
        if what.startswith("r101") and done > 50:
            raise CancelledError

    into = tmp_path / "s"
    with pytest.raises(CancelledError):
        carry_out(plan(tree, into), progress=progress, processes=processes)
    assert [path.name for path in into.iterdir()] == ["r100"]
    assert read_session(into / "r100", verify=True).problems == ()


KILLED = """
import sys
from pathlib import Path
from fwdtui.store.benchlab import carry_out
from fwdtui.store.benchlab_plan import plan
def progress(done, total, what):
    print(done, flush=True)
    if what.startswith("r101"):
        sys.stdin.read()
carry_out(plan(Path(sys.argv[1]), Path(sys.argv[2])), progress=progress, processes=2)
"""


@contextmanager
def importing(tree: Path, into: Path) -> Iterator[subprocess.Popen[str]]:
    """An import in a process of its own that has written r100 and holds still at the first run of r101."""
    with subprocess.Popen(
        [sys.executable, "-c", KILLED, str(tree), str(into)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as running:
        assert running.stdout is not None
        until = time.monotonic() + 60
        for line in running.stdout:
            if int(line) >= 43 or time.monotonic() > until:
                break
        yield running


def test_a_killed_import_leaves_no_session_that_is_not_whole_and_the_next_one_removes_the_rest(
    tree: Path, tmp_path: Path
) -> None:
    into = tmp_path / "s"
    with importing(tree, into) as running:
        running.send_signal(signal.SIGKILL)
    left = sorted(path.name for path in into.iterdir())
    assert left
    assert all(name.startswith(".") and ".importing-" in name for name in left)
    (into / ".other.importing-1").mkdir()  # not of these sessions
    import_(tree, into, 1)
    assert sorted(path.name for path in into.iterdir()) == [".other.importing-1", "r100", "r101", "r102"]


def test_an_import_refuses_to_begin_while_another_one_makes_the_same_session(
    tree: Path, tmp_path: Path
) -> None:
    """It used to remove what the other one had written, which then told of a success with iterations lost."""
    into = tmp_path / "s"
    with importing(tree, into) as running:
        assert running.stdin is not None and running.stdout is not None
        with pytest.raises(
            FwdtuiError, match=rf"another import .* is running \(process {running.pid}\); wait"
        ):
            import_(tree, into, 1)
        other = benchlab.write(tmp_path / "other" / "n2", [benchlab.Case("n2", "inet4", CASES[3].levels)])
        assert len(import_(other, into, 1)[0]) == 1  # other sessions do not disturb it
        running.stdin.close()
        running.stdout.read()
        assert running.wait(60) == 0
    assert sorted(path.name for path in into.iterdir()) == ["n2", "r100", "r101", "r102"]
    import_(tree, tmp_path / "alone" / "s", 1)
    shutil.rmtree(into / "n2")
    assert content(into) == content(tmp_path / "alone" / "s")


@pytest.mark.parametrize("locks", [True, False], ids=["locks", "no locks"])
def test_an_import_whose_iterations_disappear_meanwhile_fails_and_shows_nothing_of_that_session(
    tree: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, locks: bool
) -> None:
    if not locks:  # as some network file systems

        def unsupported(descriptor: int, operation: int) -> None:
            raise OSError(errno.ENOLCK, os.strerror(errno.ENOLCK))

        monkeypatch.setattr(fcntl, "flock", unsupported)
    into = tmp_path / "s"
    into.mkdir()
    (into / ".r101.importing-1").mkdir()  # left by an import that was killed

    def progress(done: int, total: int, what: str) -> None:
        if done == 30:
            shutil.rmtree(into / f".r100.importing-{os.getpid()}" / "inet4" / "005")

    with pytest.raises(FwdtuiError, match=r"r100: not imported: .* 1 of its 42 iterations \(inet4/005, "):
        carry_out(plan(tree, into), progress=progress, processes=1)
    assert list(into.iterdir()) == []


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[tuple[Path, Path]]:
    """A real ext4, where it is mounted and the file that holds its blocks."""
    image, folder = tmp_path / "image", tmp_path / "disk"
    folder.mkdir()
    with image.open("wb") as file:
        file.truncate(32 << 20)
    for command in (["mkfs.ext4", "-q", str(image)], ["mount", "-o", "loop", str(image), str(folder)]):
        if os.geteuid() or shutil.which(command[0]) is None:
            pytest.skip("only root can mount a disk, and mkfs.ext4 makes it")
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            pytest.skip(f"a disk cannot be mounted here: {done.stderr.strip()}")
    try:
        yield folder, image
    finally:
        subprocess.run(["umount", "--lazy", str(folder)], check=True)


@pytest.mark.parametrize(
    ("cases", "syncfs"),
    [(CASES[3:], True), (CASES[:3], True), (CASES[:3], False)],
    ids=["few", "many", "bsd"],
)
def test_what_is_imported_outlives_a_power_cut(
    tmp_path: Path,
    disk: tuple[Path, Path],
    monkeypatch: pytest.MonkeyPatch,
    cases: list[benchlab.Case],
    syncfs: bool,
) -> None:
    """The blocks of the disk as they are when the import returns, without what was only in memory."""
    folder, image = disk
    if not syncfs:  # only Linux has it
        monkeypatch.setattr(unshown, "_sync_file_system", lambda descriptor: False)
    made, _ = import_(benchlab.write(tmp_path / "tree", cases), folder / "s", 2)
    after, there = tmp_path / "after", tmp_path / "there"
    shutil.copyfile(image, after)
    there.mkdir()
    subprocess.run(["mount", "-o", "loop", str(after), str(there)], check=True)
    try:
        for one in made:
            session = read_session(there / one.path.relative_to(folder), verify=True)
            assert session.problems == ()
            assert sum(len(case.iterations) for case in session.cases) == one.iterations
            assert all(each.value for case in session.cases for each in case.iterations)
    finally:
        subprocess.run(["umount", "--lazy", str(there)], check=True)
